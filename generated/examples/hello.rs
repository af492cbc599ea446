//! An order, placed, queried and cancelled. An account in hedge mode needs `.pos_side(PosSide::Long)` as well.

use tradeapi::unified::*;
use tradeapi::{Client, dec};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::from_env("TRADEAPI")?;
    let id = ClientOid::mint();
    let order = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", dec!(0.01), Side::Buy, Execution::limit(dec!(50000)))
        .client_oid(id.clone());
    client.unified().place_order(&order).await?;
    let record = client.unified().get_order_details(&GetOrderDetails::new(id.clone())).await;
    // The order is cancelled also if the query failed.
    client.unified().cancel_order(&CancelOrder::new(id)).await?;
    println!("{}", record?);
    Ok(())
}
