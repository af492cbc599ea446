//! An order, placed and queried.

use tradeapi::unified::*;
use tradeapi::{Client, dec};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::from_env("TRADEAPI")?;
    let id = ClientOid::mint();
    let at = Execution::limit(dec!(50000));
    let order = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", dec!(0.01), Side::Buy, at);
    let order = order.pos_side(PosSide::Long).client_oid(id.clone());
    client.unified().place_order(&order).await?;
    println!("{}", client.unified().get_order_details(&GetOrderDetails::new(id)).await?);
    Ok(())
}
