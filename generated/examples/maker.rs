//! A maker: a quote on each side of the price, amended as the price moves, and cancelled at the end.
//!
//! `cargo run -p tradeapi --example maker -- 20` quotes for twenty rounds of half a second. The client waits
//! wherever a rate limit is used up, so the loop needs no pauses for their sake. It reads the price and the instruments,
//! whose steps every quote has to keep, with operations of the feature `observed`.

use std::time::Duration;

use tradeapi::observed::{self, GetTickers};
use tradeapi::unified::*;
use tradeapi::{Client, Decimal, Error, dec, runtime::tables::Outcome};

const SYMBOL: &str = "ETHUSDT";

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::from_env("TRADEAPI")?;
    // From here on, what is off the grid or too small is refused before it is sent.
    client.load_instruments().await?;
    let pair = client.instrument("unified", "USDT-FUTURES", SYMBOL).ok_or("ETHUSDT is not listed")?;
    let step = pair.get("priceMultiplier").ok_or("ETHUSDT has no step")?;
    let rounds: u32 = std::env::args().nth(1).map_or(Ok(10), |text| text.parse())?;
    let (mut bid, mut ask) = (None, None);
    for _ in 0..rounds {
        // No document describes this operation; public clients agree on it.
        let tickers =
            client.observed().get_tickers(&GetTickers::new(observed::Category::UsdtFutures).symbol(SYMBOL)).await?;
        let price = tickers.first().and_then(|ticker| ticker.last_price.clone()).ok_or("ETHUSDT has no price now")?;
        quote(&client, &mut bid, Side::Buy, price.times(&dec!(0.9995))?.floor_to(step)?).await?;
        quote(&client, &mut ask, Side::Sell, price.times(&dec!(1.0005))?.ceil_to(step)?).await?;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let all = client.unified().cancel_all_orders(&CancelAllOrders::new(Category::UsdtFutures).symbol(SYMBOL)).await?;
    println!("Cancelled {} quotes.", all.done()?.len());
    Ok(())
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
    println!("{side:<5}   0.05 at {price}");
    let (id, pos) = (ClientOid::mint(), if side == Side::Buy { PosSide::Long } else { PosSide::Short });
    let at = Execution::limit(price).time_in_force(TimeInForce::PostOnly);
    let order = PlaceOrder::new(Category::UsdtFutures, SYMBOL, dec!(0.05), side, at).pos_side(pos);
    client.unified().place_order(&order.client_oid(id.clone())).await?;
    *standing = Some(id);
    Ok(())
}
