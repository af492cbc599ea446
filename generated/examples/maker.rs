//! A maker: a quote on each side of the price, amended as the price moves, and cancelled at the end.
//!
//! `cargo run -p tradeapi --example maker -- 20` quotes for twenty rounds of half a second. The client waits
//! wherever a rate limit is used up, so the loop needs no pauses for their sake.

use std::time::Duration;

use tradeapi::unified::*;
use tradeapi::{Client, Decimal, Error, dec, runtime::tables::Outcome};

const SYMBOL: &str = "ETHUSDT";

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::from_env("TRADEAPI")?;
    let rounds: u32 = std::env::args().nth(1).map_or(Ok(10), |text| text.parse())?;
    let (mut bid, mut ask) = (None, None);
    for _ in 0..rounds {
        // No operation of the documents returns the price, so a small market order finds it.
        let id = place(&client, Side::Buy, dec!(0.01), Execution::Market).await?;
        let taken = client.unified().get_order_details(&GetOrderDetails::new(id)).await?.data;
        let price = taken.avg_price.ok_or("nobody sells ETHUSDT now")?;
        quote(&client, &mut bid, Side::Buy, price.times(&dec!(0.9995))?.floor_to(&dec!(0.01))?).await?;
        quote(&client, &mut ask, Side::Sell, price.times(&dec!(1.0005))?.floor_to(&dec!(0.01))?).await?;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let all = client.unified().cancel_all_orders(&CancelAllOrders::new(Category::UsdtFutures).symbol(SYMBOL)).await?;
    println!("Cancelled {} quotes.", all.done()?.len());
    Ok(())
}

async fn place(client: &Client, side: Side, qty: Decimal, at: impl Into<Execution>) -> Result<ClientOid, Error> {
    let (id, pos) = (ClientOid::mint(), if side == Side::Buy { PosSide::Long } else { PosSide::Short });
    let order = PlaceOrder::new(Category::UsdtFutures, SYMBOL, qty, side, at).pos_side(pos).client_oid(id.clone());
    let at = if let Execution::Limit(with) = &order.execution { with.price.as_str() } else { "market" };
    println!("{:<5} {:>6} at {at}", order.side, order.qty);
    client.unified().place_order(&order).await.map(|_| id)
}

/// Amends the quote of a side, or places a new one if it is gone.
async fn quote(client: &Client, standing: &mut Option<ClientOid>, side: Side, price: Decimal) -> Result<(), Error> {
    if let Some(id) = standing.clone() {
        match client.unified().modify_order(&ModifyOrder::new(id).price(price.clone())).await {
            // It is filled, or already amended. An unknown outcome ends the program.
            Err(error) if error.outcome() == Outcome::NotDone => println!("{error}"),
            other => return other.map(|_| ()),
        }
    }
    let post_only = Execution::limit(price).time_in_force(TimeInForce::PostOnly);
    *standing = Some(place(client, side, dec!(0.05), post_only).await?);
    Ok(())
}
