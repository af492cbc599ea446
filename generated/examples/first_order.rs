//! A first order: placed, followed until it is filled in part and then wholly, and another one cancelled. What is not
//! filled within two minutes is cancelled, too.
//!
//! The price comes from an operation of the feature `observed`. An account in hedge mode needs
//! `.pos_side(PosSide::Long)` with each order.

use std::error::Error;
use std::time::Duration;

use tradeapi::observed::{self, GetTickers};
use tradeapi::unified::*;
use tradeapi::{Client, Decimal, dec};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::from_env("TRADEAPI")?;
    let request = GetTickers::new(observed::Category::UsdtFutures).symbol("BTCUSDT");
    let tickers = client.observed().get_tickers(&request).await?;
    let price = tickers.first().and_then(|ticker| ticker.ask_price.clone()).ok_or("nobody sells BTCUSDT now")?;
    let id = place(&client, dec!(0.060), price).await?;
    let is_filled = follow(&client, &id).await;
    if !matches!(is_filled, Ok(true)) {
        client.unified().cancel_order(&CancelOrder::new(id.clone())).await?;
        println!("The rest is cancelled.");
    }
    is_filled?;
    let id = place(&client, dec!(0.010), dec!(1000)).await?;
    client.unified().cancel_order(&CancelOrder::new(id.clone())).await?;
    print(&query(&client, &id).await?);
    Ok(())
}

/// Prints an order whenever more of it is filled, and returns whether it is filled wholly within two minutes.
async fn follow(client: &Client, id: &ClientOid) -> Result<bool, tradeapi::Error> {
    let mut filled = None;
    for _ in 0..1200 {
        let order = query(client, id).await?;
        if std::mem::replace(&mut filled, order.cum_exec_qty.clone()) != order.cum_exec_qty {
            print(&order);
        }
        if order.order_status == Some(OrderStatus::Filled) {
            return Ok(true);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(false)
}

fn print(order: &Order) {
    let [filled, price] = [&order.cum_exec_qty, &order.price].map(|number| number.as_ref().map_or("", Decimal::as_str));
    println!("{:<16} {filled:>6} at {price}", order.order_status.as_ref().map_or("", |status| status.as_str()));
}

async fn place(client: &Client, qty: Decimal, price: Decimal) -> Result<ClientOid, tradeapi::Error> {
    let order = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", qty, Side::Buy, Execution::limit(price));
    let id = ClientOid::mint();
    client.unified().place_order(&order.client_oid(id.clone())).await.map(|_| id)
}

async fn query(client: &Client, id: &ClientOid) -> Result<Order, tradeapi::Error> {
    client.unified().get_order_details(&GetOrderDetails::new(id.clone())).await.map(|reply| reply.data)
}
