//! A maker: a quote on each side of the price, amended as the price moves, and cancelled at the end.
//!
//! `cargo run -p tradeapi --example maker -- 20` quotes for twenty rounds of half a second. The client waits
//! wherever a rate limit is used up, so the loop needs no pauses for their sake. It reads the price and the instruments,
//! whose steps every quote has to keep, with operations of the feature `observed`: a program of your own needs
//! `features = ["observed"]`.

use std::time::Duration;

use tradeapi::observed::GetTickers;
use tradeapi::unified::*;
use tradeapi::{Client, Decimal, Outcome, dec};

const SYMBOL: &str = "ETHUSDT";

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[tokio::main]
async fn main() -> Result<()> {
    let client = Client::from_env("TRADEAPI")?;
    let ended = run(&client, std::env::args().nth(1).map_or(Ok(10), |text| text.parse())?).await;
    // Whatever ended it. A quote whose outcome is unknown may still arrive: `panic_button` waits for it.
    let all = client.unified().cancel_all_orders(&CancelAllOrders::new(Category::UsdtFutures).symbol(SYMBOL)).await?;
    println!("Cancelled {} quotes.", all.done()?.len());
    ended
}

async fn run(client: &Client, rounds: u32) -> Result<()> {
    // From here on, what is off the grid or too small is refused before it is sent.
    client.load_instruments().await?;
    let pair = client.instrument(Category::UsdtFutures, SYMBOL).ok_or("ETHUSDT is not listed")?;
    let step = pair.price_multiplier().ok_or("ETHUSDT has no step")?;
    let (mut bid, mut ask) = (None, None);
    for _ in 0..rounds {
        // No document describes this operation; public clients agree on it.
        let request = GetTickers::new(Category::UsdtFutures.into()).symbol(SYMBOL);
        let tickers = client.observed().get_tickers(&request).await?;
        let price = tickers.first().and_then(|ticker| ticker.last_price.clone()).ok_or("ETHUSDT has no price now")?;
        quote(client, &mut bid, Side::Buy, (&price * dec!(0.9995)).floor_to(step)?).await?;
        quote(client, &mut ask, Side::Sell, (&price * dec!(1.0005)).ceil_to(step)?).await?;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    Ok(())
}

/// Amends the quote of a side, or places a new one if it is gone. An unknown outcome ends the program.
async fn quote(client: &Client, standing: &mut Option<ClientOid>, side: Side, price: Decimal) -> Result<()> {
    if let Some(id) = standing.clone() {
        match client.unified().modify_order(&ModifyOrder::new(id.clone()).price(price.clone())).await {
            Err(error) if error.outcome() == Outcome::NotDone => println!("{error}"),
            other => return Ok(other.map(|_| ())?),
        }
        // Many things refuse an amendment; only the record shows whether the quote still stands.
        let record = client.unified().get_order_details(&GetOrderDetails::new(id)).await?;
        if !record.order_status.as_ref().is_some_and(OrderStatus::is_terminal) {
            return Ok(());
        }
    }
    println!("{side:<5}   0.05 at {price}");
    let (id, at) = (ClientOid::mint(), Execution::limit(price).time_in_force(TimeInForce::PostOnly));
    let order = PlaceOrder::new(Category::UsdtFutures, SYMBOL, dec!(0.05), side, at).client_oid(id.clone());
    client.unified().place_order(&order).await?;
    *standing = Some(id);
    Ok(())
}
