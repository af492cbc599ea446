//! A strategy and its test, in virtual time: a day of trading takes seconds, and needs neither sockets nor a clock.
//!
//! `cargo run -p tradeapi --example strategy`. A crate of your own has `tradeapi-exchange` among its
//! `dev-dependencies`, and `main` as a `#[test]`.
//!
//! The strategy keeps a bid below the price. When it is filled, it asks for a little more than it paid.

use std::error::Error;
use std::time::Duration;

use rust_decimal::Decimal;
use tradeapi::runtime::tables::Outcome;
use tradeapi::unified::{Category, ClientOid, Execution, GetOrderDetails, OrderRef, OrderStatus, PlaceOrder, Side};
use tradeapi::{Client, Error as CallError};
use tradeapi_exchange::{Exchange, Family, Fault, FaultKind, Profile, Seed, Settings, Time};

/// Buys below `price` and sells above what it paid, over and over. It knows nothing of where it trades.
struct Strategy {
    client: Client,
    price: Decimal,
    waiting: Option<(ClientOid, Side)>,
    trips: u32,
}

impl Strategy {
    /// Looks at its order, and places the next one if that is filled.
    async fn step(&mut self) -> Result<(), CallError> {
        let next = match &self.waiting {
            None => Side::Buy,
            Some((id, side)) => {
                let query = GetOrderDetails::new(OrderRef::ClientOid(id.clone()));
                let record = match self.client.unified().get_order_details(&query).await {
                    Ok(record) => record,
                    // The order never came to be: it is placed again.
                    Err(error) if error.code() == Some("25204") => return self.place(side.clone()).await,
                    Err(error) => return Err(error),
                };
                if record.order_status != Some(OrderStatus::Filled) {
                    return Ok(());
                }
                self.trips += u32::from(*side == Side::Sell);
                if *side == Side::Buy { Side::Sell } else { Side::Buy }
            }
        };
        self.place(next).await
    }

    async fn place(&mut self, side: Side) -> Result<(), CallError> {
        let distance = Decimal::from(if side == Side::Buy { -20 } else { 20 });
        let id = ClientOid::mint();
        let execution = Execution::limit(self.price + distance);
        let order = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", Decimal::new(10, 3), side.clone(), execution);
        self.waiting = Some((id.clone(), side));
        match self.client.unified().place_order(&order.client_oid(id)).await {
            // The next step finds out whether it is there.
            Err(error) if error.outcome() == Outcome::Unknown => Ok(()),
            other => other.map(|_| ()),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
        a_day_of_a_lively_market().await?;
        an_unknown_outcome_neither_loses_nor_doubles_an_order().await
    })
}

async fn a_day_of_a_lively_market() -> Result<(), Box<dyn Error>> {
    let mut settings = Settings::default();
    (settings.seed, settings.lively) = (Seed(7), true);
    let exchange = Exchange::with(settings, Time::by_hand(), Profile::new());
    let mut strategy = Strategy { client: exchange.client(), price: 64_000.into(), waiting: None, trips: 0 };
    for _ in 0..24 * 60 {
        strategy.step().await?;
        exchange.time().advance(Duration::from_secs(60));
    }
    let account = exchange.account(exchange.keys(), Family::Unified);
    println!("A day: {} round trips, and {} USDT.", strategy.trips, account.balances["USDT"].total);
    assert!(account.open_orders.len() <= 1 && account.positions.len() <= 1, "one order at a time");
    assert!(strategy.trips > 0, "it has traded");
    Ok(())
}

async fn an_unknown_outcome_neither_loses_nor_doubles_an_order() -> Result<(), Box<dyn Error>> {
    let exchange = Exchange::new(Seed(7));
    exchange.set_price("BTCUSDT", 64_000)?;
    let mut strategy = Strategy { client: exchange.client(), price: 64_000.into(), waiting: None, trips: 0 };
    // The connection is lost: once after the order was placed, and once before.
    for kind in [FaultKind::Lose, FaultKind::Drop] {
        exchange.add_fault(Fault::new(kind).times(1));
        strategy.step().await?;
        strategy.step().await?;
        let open = exchange.account(exchange.keys(), Family::Unified).open_orders;
        assert_eq!(open.len(), 1, "{open:?}");
        exchange.fill(&open[0].id, open[0].qty)?;
    }
    strategy.step().await?;
    assert_eq!(strategy.trips, 1);
    println!("Two lost connections: one round trip, and no order lost or doubled.");
    Ok(())
}
