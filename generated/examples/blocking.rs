//! A program without async: an order that is placed, queried and cancelled by calls that wait.
//!
//! `cargo run -p tradeapi --features blocking --example blocking`

use std::error::Error;

use tradeapi::blocking::Client;
use tradeapi::dec;
use tradeapi::unified::{
    CancelOrder, Category, ClientOid, Execution, GetOpenOrders, GetOrderDetails, OrderRef, PlaceOrder, Side,
};

fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::from_env("TRADEAPI")?;
    let id = ClientOid::mint();
    let order = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", dec!(0.010), Side::Buy, Execution::limit(dec!(1000)))
        .client_oid(id.clone());
    client.unified().place_order(&order)?;
    println!("Placed {id}.");
    let open = client.pages(GetOpenOrders::new().category(Category::UsdtFutures)).items();
    let open: Vec<_> = open.collect::<Result<_, _>>()?;
    println!("{} orders are open.", open.len());
    client.unified().cancel_order(&CancelOrder::new(OrderRef::ClientOid(id.clone())))?;
    let record = client.unified().get_order_details(&GetOrderDetails::new(OrderRef::ClientOid(id.clone())))?;
    let status = record.order_status.as_ref().map_or("unknown", |status| status.as_str());
    println!("{id} is {status}.");
    Ok(())
}
