//! Construction of an order and the JSON of its body, from given texts.
//!
//! The emitted type is compared with a function that pushes the same texts into a `String` without checks.
//!
//! `cargo bench -p tradeapi-tests --bench encode`

use std::error::Error;
use std::hint::black_box;

use measure::Race;
use tradeapi::runtime::parameters::{ParameterWriter, Parameters};
use tradeapi::unified::{Category, ClientOid, LimitExecution, PlaceOrder, PosSide, Side, TimeInForce};
use tradeapi::{Account, Operation};

mod measure;

/// The caller's values.
struct Wanted {
    symbol: &'static str,
    qty: &'static str,
    price: &'static str,
    client_oid: &'static str,
}

const WANTED: Wanted = Wanted { symbol: "ETHUSDT", qty: "0.75", price: "3150.25", client_oid: "desk-7:eth/open.001" };

fn main() -> Result<(), Box<dyn Error>> {
    let body = by_hand(&WANTED);
    if json(&order(&WANTED)?) != body || checked(&WANTED)? != body {
        return Err("the ways differ in what they make".into());
    }
    Race::new(format!("encode: a limit order, {} bytes", body.len()))
        .way("the emitted type", || order(black_box(&WANTED)).map(|order| json(&order)))
        .way("a writer by hand", || by_hand(black_box(&WANTED)))
        .run();
    Race::new("encode: the same, validated before")
        .way("the emitted type", || checked(black_box(&WANTED)))
        .way("a writer by hand, which validates nothing", || by_hand(black_box(&WANTED)))
        .run();
    Ok(())
}

fn order(wanted: &Wanted) -> Result<PlaceOrder, Box<dyn Error>> {
    let execution = LimitExecution::new(wanted.price.parse::<tradeapi::Decimal>()?).time_in_force(TimeInForce::Gtc);
    let qty: tradeapi::Decimal = wanted.qty.parse()?;
    let order = PlaceOrder::new(Category::UsdtFutures, wanted.symbol, qty, Side::Buy, execution)
        .pos_side(PosSide::Long)
        .client_oid(ClientOid::new(wanted.client_oid)?);
    Ok(order)
}

fn json(order: &PlaceOrder) -> String {
    let mut body = ParameterWriter::json();
    order.write(&mut body);
    body.finish()
}

fn checked(wanted: &Wanted) -> Result<String, Box<dyn Error>> {
    let order = order(wanted)?;
    order.validate(Account::new().as_ref())?;
    Ok(json(&order))
}

fn by_hand(wanted: &Wanted) -> String {
    let mut body = String::with_capacity(256);
    body.push_str(r#"{"category":"USDT-FUTURES","symbol":""#);
    body.push_str(wanted.symbol);
    body.push_str(r#"","qty":""#);
    body.push_str(wanted.qty);
    body.push_str(r#"","side":"buy","orderType":"limit","price":""#);
    body.push_str(wanted.price);
    body.push_str(r#"","timeInForce":"gtc","posSide":"long","clientOid":""#);
    body.push_str(wanted.client_oid);
    body.push_str(r#""}"#);
    body
}
