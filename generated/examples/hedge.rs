//! A long and a short position of one pair, side by side, each opened with a take-profit and a stop-loss; then a part of
//! the long one is closed. For an account in hedge mode, such as that of `cargo run -p tradeapi-exchange -- --hedge`.
//!
//! `side` is the direction of the order, and `pos_side` the position that it is for: the order that closes a part of the
//! long position sells, too. Without the right `pos_side` it would open the other position. Prices and positions are
//! operations of the feature `observed`.

use std::error::Error;

use tradeapi::observed::{self, GetPositions, GetTickers};
use tradeapi::unified::*;
use tradeapi::{Client, Decimal, dec};

const USDT: observed::Category = observed::Category::UsdtFutures;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::from_env("TRADEAPI")?;
    let tickers = client.observed().get_tickers(&GetTickers::new(USDT).symbol("BTCUSDT")).await?;
    let price = tickers.first().and_then(|ticker| ticker.last_price.clone()).ok_or("BTCUSDT has no price now")?;
    let (above, below) = (&price + dec!(2000), &price - dec!(2000));

    let long = market(dec!(0.02), Side::Buy, PosSide::Long).take_profit(above.clone()).stop_loss(below.clone());
    let short = market(dec!(0.02), Side::Sell, PosSide::Short).take_profit(below).stop_loss(above);
    let close = market(dec!(0.01), Side::Sell, PosSide::Long);
    for order in [long, short, close] {
        client.unified().place_order(&order).await?;
    }

    for position in client.observed().get_positions(&GetPositions::new(USDT)).await?.iter() {
        let side = position.pos_side.as_ref().map_or("", |side| side.as_str());
        let [size, entry] = [&position.total, &position.entry_price].map(|of| of.as_ref().map_or("", Decimal::as_str));
        println!("{side:<6} {size} at {entry}");
    }
    Ok(())
}

fn market(qty: Decimal, side: Side, pos_side: PosSide) -> PlaceOrder {
    PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", qty, side, Execution::Market)
        .pos_side(pos_side)
        .client_oid(ClientOid::mint())
}
