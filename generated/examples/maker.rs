//! A maker: a quote on each side of the price, amended as fills show that the price moves, and cancelled at the end.
//!
//! `cargo run -p tradeapi --example maker -- 20` quotes for twenty rounds of half a second. Start the exchange with
//! `--hedge` to keep a long and a short position side by side; in one-way mode it works as well.
//!
//! The client waits wherever a rate limit is used up, so the loop needs no pauses for their sake.

use std::error::Error;
use std::time::Duration;

use tradeapi::runtime::tables::Outcome;
use tradeapi::unified::{
    CancelAllOrders, Category, ClientOid, Execution, GetFillHistory, ModifyOrder, OrderRef, PlaceOrder, PosSide, Side,
    TimeInForce,
};
use tradeapi::{Client, Credentials, Decimal};

const SYMBOL: &str = "ETHUSDT";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = client_from_environment()?;
    let rounds: u32 = std::env::args().nth(1).map_or(Ok(10), |text| text.parse())?;
    let small = order(Side::Buy, "0.01", Execution::Market);
    client.unified().place_order(&small).await?;
    let (mut bid, mut ask) = (None, None);
    for _ in 0..rounds {
        let Some(price) = last_price(&client).await? else { return Err("nobody trades ETHUSDT now".into()) };
        quote(&client, &mut bid, Side::Buy, price.checked_mul("0.9995".parse()?)).await?;
        quote(&client, &mut ask, Side::Sell, price.checked_mul("1.0005".parse()?)).await?;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let cancel = CancelAllOrders::new(Category::UsdtFutures).symbol(SYMBOL);
    let cancelled = client.unified().cancel_all_orders(&cancel).await?;
    println!("Cancelled {} quotes.", cancelled.len());
    Ok(())
}

/// The address and the keys, from the variables that the exchange prints.
fn client_from_environment() -> Result<Client, Box<dyn Error>> {
    let of = |name: &str| std::env::var(name).map_err(|_| format!("set {name}, as tradeapi-exchange prints it"));
    let keys = Credentials::new(of("TRADEAPI_KEY")?, of("TRADEAPI_SECRET")?, of("TRADEAPI_PASSPHRASE")?);
    Ok(Client::builder(of("TRADEAPI_URL")?).credentials(keys).build()?)
}

fn order(side: Side, qty: &str, execution: impl Into<Execution>) -> PlaceOrder {
    let pos = if side == Side::Buy { PosSide::Long } else { PosSide::Short };
    let qty: Decimal = qty.parse().unwrap_or_else(|_| 0.into());
    PlaceOrder::new(Category::UsdtFutures, SYMBOL, qty, side, execution).pos_side(pos).client_oid(ClientOid::mint())
}

/// The price of the latest fill.
async fn last_price(client: &Client) -> Result<Option<rust_decimal::Decimal>, Box<dyn Error>> {
    let fills = client.unified().get_fill_history(&GetFillHistory::new().category(Category::UsdtFutures)).await?;
    let of_pair = |symbol: &tradeapi::unified::Symbol| symbol.as_str() == SYMBOL;
    let fill = fills.data.list.into_iter().find(|fill| fill.symbol.as_ref().is_some_and(of_pair));
    Ok(fill.and_then(|fill| fill.exec_price).map(|price| price.to_rust_decimal()).transpose()?)
}

/// Amends the quote of a side, or places a new one if it is gone.
async fn quote(
    client: &Client,
    standing: &mut Option<ClientOid>,
    side: Side,
    price: Option<rust_decimal::Decimal>,
) -> Result<(), Box<dyn Error>> {
    let price = Decimal::from(price.ok_or("the price is too large")?.round_dp(2));
    if let Some(id) = standing {
        let amend = ModifyOrder::new(OrderRef::ClientOid(id.clone())).price(price.clone());
        match client.unified().modify_order(&amend).await {
            Ok(_) => {
                println!("{side} amended to {price}");
                return Ok(());
            }
            // It is filled, or already amended: a new quote follows. An unknown outcome ends the program.
            Err(error) if error.outcome() == Outcome::NotDone => println!("{side} not amended: {error}"),
            Err(error) => return Err(error.into()),
        }
    }
    let execution = Execution::limit(price.clone()).time_in_force(TimeInForce::PostOnly);
    let order = order(side.clone(), "0.05", execution);
    client.unified().place_order(&order).await?;
    println!("{side} placed at {price}");
    *standing = order.client_oid;
    Ok(())
}
