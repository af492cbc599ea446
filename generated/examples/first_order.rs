//! A first order: placed, followed until it is filled in part and then wholly, and another one cancelled.
//!
//! Start the exchange, copy what it prints into another terminal, and there run the example:
//!
//! ```sh
//! cargo run --release -p tradeapi-exchange
//! cargo run -p tradeapi --example first_order
//! ```

use std::error::Error;
use std::time::Duration;

use tradeapi::unified::{
    CancelOrder, Category, ClientOid, Execution, GetFillHistory, GetOrderDetails, OrderRef, OrderStatus, PlaceOrder,
    PosSide, Side,
};
use tradeapi::{Client, Credentials, Decimal};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = client_from_environment()?;
    let price = price_of_a_small_order(&client).await?;
    println!("BTCUSDT trades at {price}.");

    let id = ClientOid::mint();
    client.unified().place_order(&buy("0.060", Execution::limit(price.clone())).client_oid(id.clone())).await?;
    println!("Placed {id}: 0.060 at {price}.");
    if follow(&client, &id).await? != OrderStatus::Filled {
        client.unified().cancel_order(&CancelOrder::new(OrderRef::ClientOid(id))).await?;
        println!("The price went away; the rest is cancelled.");
    }

    let id = ClientOid::mint();
    client
        .unified()
        .place_order(&buy("0.010", Execution::limit("1000".parse::<Decimal>()?)).client_oid(id.clone()))
        .await?;
    client.unified().cancel_order(&CancelOrder::new(OrderRef::ClientOid(id.clone()))).await?;
    println!("Placed and cancelled {id}: {}.", status(&client, &id).await?.0);
    Ok(())
}

/// The address and the keys, from the variables that the exchange prints.
fn client_from_environment() -> Result<Client, Box<dyn Error>> {
    let of = |name: &str| std::env::var(name).map_err(|_| format!("set {name}, as tradeapi-exchange prints it"));
    let keys = Credentials::new(of("TRADEAPI_KEY")?, of("TRADEAPI_SECRET")?, of("TRADEAPI_PASSPHRASE")?);
    Ok(Client::builder(of("TRADEAPI_URL")?).credentials(keys).build()?)
}

fn buy(qty: &str, execution: impl Into<Execution>) -> PlaceOrder {
    let qty: Decimal = qty.parse().unwrap_or_else(|_| 0.into());
    PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", qty, Side::Buy, execution).pos_side(PosSide::Long)
}

/// No operation of the documents returns the price, so it is taken from a fill.
async fn price_of_a_small_order(client: &Client) -> Result<Decimal, Box<dyn Error>> {
    let id = ClientOid::mint();
    let placed = client.unified().place_order(&buy("0.001", Execution::Market).client_oid(id)).await?;
    let order = placed.data.order_id.ok_or("the answer has no orderId")?;
    let fills = client.unified().get_fill_history(&GetFillHistory::new().order_id(order)).await?;
    let price = fills.list.first().and_then(|fill| fill.exec_price.clone());
    price.ok_or_else(|| "nobody sells BTCUSDT now".into())
}

async fn status(client: &Client, id: &ClientOid) -> Result<(OrderStatus, Decimal), Box<dyn Error>> {
    let order = client.unified().get_order_details(&GetOrderDetails::new(OrderRef::ClientOid(id.clone()))).await?.data;
    let filled = order.cum_exec_qty.unwrap_or_else(|| 0.into());
    Ok((order.order_status.ok_or("the order has no status")?, filled))
}

/// Prints each change of an order, until it is filled or two minutes are over.
async fn follow(client: &Client, id: &ClientOid) -> Result<OrderStatus, Box<dyn Error>> {
    let mut last = None;
    for _ in 0..480 {
        let now = status(client, id).await?;
        if last.as_ref() != Some(&now) {
            println!("{}: {} filled", now.0, now.1);
            last = Some(now.clone());
        }
        if matches!(now.0, OrderStatus::Filled | OrderStatus::Cancelled) {
            return Ok(now.0);
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    Ok(last.map_or(OrderStatus::Live, |(status, _)| status))
}
