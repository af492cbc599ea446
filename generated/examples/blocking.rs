//! A program without async: an order that is placed, queried and cancelled by calls that wait.
//!
//! `cargo run -p tradeapi --features blocking --example blocking`

use std::error::Error;

use tradeapi::blocking::Client;
use tradeapi::unified::{
    CancelOrder, Category, ClientOid, Execution, GetOpenOrders, GetOrderDetails, OrderRef, PlaceOrder, PosSide, Side,
};
use tradeapi::{Credentials, Decimal};

fn main() -> Result<(), Box<dyn Error>> {
    let client = client_from_environment()?;
    let (qty, price): (Decimal, Decimal) = ("0.010".parse()?, "1000".parse()?);
    let id = ClientOid::mint();
    let order = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", qty, Side::Buy, Execution::limit(price))
        .pos_side(PosSide::Long)
        .client_oid(id.clone());
    client.unified().place_order(&order)?;
    println!("Placed {id}.");
    let open = client.pages(GetOpenOrders::new().category(Category::UsdtFutures)).items().count();
    println!("{open} orders are open.");
    client.unified().cancel_order(&CancelOrder::new(OrderRef::ClientOid(id.clone())))?;
    let record = client.unified().get_order_details(&GetOrderDetails::new(OrderRef::ClientOid(id.clone())))?;
    let status = record.order_status.as_ref().map_or("unknown", |status| status.as_str());
    println!("{id} is {status}.");
    Ok(())
}

/// The address and the keys, from the variables that the exchange prints.
fn client_from_environment() -> Result<Client, Box<dyn Error>> {
    let of = |name: &str| std::env::var(name).map_err(|_| format!("set {name}, as tradeapi-exchange prints it"));
    let keys = Credentials::new(of("TRADEAPI_KEY")?, of("TRADEAPI_SECRET")?, of("TRADEAPI_PASSPHRASE")?);
    Ok(Client::builder(of("TRADEAPI_URL")?).credentials(keys).build()?)
}
