//! Two orders: one is followed until it is filled in part and then wholly, the other one cancelled. What is not filled
//! within two minutes is cancelled, too, and so is an order that cannot be queried.
//!
//! The price comes from an operation of the feature `observed`. An account in hedge mode needs one more line, which
//! `buy` names; the example `hedge` has more of it.

use std::error::Error;
use std::time::Duration;

use tradeapi::observed::GetTickers;
use tradeapi::unified::*;
use tradeapi::{Client, Decimal, dec};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::from_env("TRADEAPI")?;
    let request = GetTickers::new(Category::UsdtFutures.into()).symbol("BTCUSDT");
    let tickers = client.observed().get_tickers(&request).await?;
    let price = tickers.first().and_then(|ticker| ticker.ask_price.clone()).ok_or("nobody sells BTCUSDT now")?;
    buy(&client, dec!(0.060), price, 1200).await?;
    buy(&client, dec!(0.010), dec!(1000), 1).await?;
    Ok(())
}

/// Places an order, queries it so many times, and cancels what is not filled then. Prints what changes.
async fn buy(client: &Client, qty: Decimal, price: Decimal, queries: usize) -> Result<(), tradeapi::Error> {
    // In hedge mode, add the line `.pos_side(PosSide::Long)` before the semicolon.
    let order = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", qty, Side::Buy, Execution::limit(price));
    let (id, mut filled) = (ClientOid::mint(), None);
    client.unified().place_order(&order.client_oid(id.clone())).await?;
    let query = GetOrderDetails::new(id.clone());
    for _ in 0..queries {
        let Ok(order) = client.unified().get_order_details(&query).await else { break };
        if std::mem::replace(&mut filled, order.cum_exec_qty.clone()) != order.cum_exec_qty {
            print(&order);
        }
        if order.order_status == Some(OrderStatus::Filled) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    client.unified().cancel_order(&CancelOrder::new(id)).await?;
    print(&client.unified().get_order_details(&query).await?.data);
    Ok(())
}

fn print(order: &Order) {
    let [filled, price] = [&order.cum_exec_qty, &order.price].map(|number| number.as_ref().map_or("", Decimal::as_str));
    println!("{:<16} {filled:>6} at {price}", order.order_status.as_ref().map_or("", |status| status.as_str()));
}
