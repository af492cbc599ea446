//! A strategy and its test, in virtual time: a day of trading takes seconds, and needs neither sockets nor a clock.
//!
//! `cargo run -p tradeapi --example strategy`. A crate of your own has `tradeapi-exchange` among its
//! `dev-dependencies`, and `main` as a `#[test]`.
//!
//! The strategy keeps a bid below the price. When it is filled, it asks for a little more than it paid.

use std::error::Error;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rust_decimal::Decimal;
use tradeapi::runtime::error::{Delivery, TransportError, TransportErrorKind};
use tradeapi::runtime::transport::{self, Transport};
use tradeapi::unified::{Category, ClientOid, Execution, GetOrderDetails, OrderStatus, PlaceOrder, Side};
use tradeapi::{Client, ConfirmPolicy, Confirmation};
use tradeapi_exchange::{Exchange, Family, Fault, FaultKind, Profile, Seed, Settings, Time};

/// Buys below `price` and sells above what it paid, over and over. It knows nothing of where it trades.
struct Strategy {
    client: Client,
    price: Decimal,
    waiting: Option<(ClientOid, Side)>,
    trips: u32,
}

impl Strategy {
    fn new(client: Client) -> Self {
        Self { client, price: 64_000.into(), waiting: None, trips: 0 }
    }

    /// Looks at its order, and places the next one if that is filled.
    async fn step(&mut self) -> Result<(), Box<dyn Error>> {
        let side = match self.waiting.clone() {
            None => Side::Buy,
            Some((id, side)) => {
                let query = GetOrderDetails::new(id);
                let record = match self.client.unified().get_order_details(&query).await {
                    Ok(record) => record,
                    // It was placed, so the machine that answers is behind. The next step asks again.
                    Err(error) if error.code() == Some("25204") => return Ok(()),
                    Err(error) => return Err(error.into()),
                };
                if record.order_status != Some(OrderStatus::Filled) {
                    return Ok(());
                }
                self.trips += u32::from(side == Side::Sell);
                if side == Side::Buy { Side::Sell } else { Side::Buy }
            }
        };
        self.place(side).await
    }

    /// Places an order, and waits until it is known whether it was placed: one "does not exist" proves nothing, because
    /// the request may still be on its way, and a second order would be one too many.
    async fn place(&mut self, side: Side) -> Result<(), Box<dyn Error>> {
        let distance = Decimal::from(if side == Side::Buy { -20 } else { 20 });
        let id = ClientOid::mint();
        let execution = Execution::limit(self.price + distance);
        let order = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", Decimal::new(10, 3), side.clone(), execution)
            .client_oid(id.clone());
        match self.client.place_and_confirm(&order, &ConfirmPolicy::new()).await {
            Confirmation::Done(_) => self.waiting = Some((id, side)),
            // The next step places another one, with an id of its own.
            Confirmation::NotDone(why) => println!("Not placed: {why}"),
            Confirmation::Unknown(still) => return Err(format!("{id}: {still}").into()),
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
        a_day_of_a_lively_market().await?;
        a_lost_connection_neither_loses_nor_doubles_an_order().await?;
        a_late_request_does_not_double_an_order().await
    })
}

async fn a_day_of_a_lively_market() -> Result<(), Box<dyn Error>> {
    let mut settings = Settings::default();
    (settings.seed, settings.lively) = (Seed(7), true);
    let exchange = Exchange::with(settings, Time::by_hand(), Profile::new());
    let mut strategy = Strategy::new(exchange.client());
    for _ in 0..24 * 60 {
        exchange.time().run(strategy.step()).await?;
        exchange.time().advance(Duration::from_secs(60));
    }
    let account = exchange.account(exchange.keys(), Family::Unified);
    println!("A day: {} round trips, and {} USDT.", strategy.trips, account.balances["USDT"].total);
    assert!(account.open_orders.len() <= 1 && account.positions.len() <= 1, "one order at a time");
    assert!(strategy.trips > 0, "it has traded");
    Ok(())
}

async fn a_lost_connection_neither_loses_nor_doubles_an_order() -> Result<(), Box<dyn Error>> {
    let exchange = Exchange::new(Seed(7));
    exchange.set_price("BTCUSDT", 64_000)?;
    let mut strategy = Strategy::new(exchange.client());
    // The connection is lost: once after the order was placed, and once before.
    for kind in [FaultKind::Lose, FaultKind::Drop] {
        exchange.add_fault(Fault::new(kind).times(1));
        exchange.time().run(strategy.step()).await?;
        exchange.time().run(strategy.step()).await?;
        let open = exchange.account(exchange.keys(), Family::Unified).open_orders;
        assert_eq!(open.len(), 1, "{open:?}");
        exchange.fill(&open[0].id, open[0].qty)?;
    }
    exchange.time().run(strategy.step()).await?;
    assert_eq!(strategy.trips, 1);
    println!("Two lost connections: one round trip, and no order lost or doubled.");
    Ok(())
}

async fn a_late_request_does_not_double_an_order() -> Result<(), Box<dyn Error>> {
    let exchange = Exchange::new(Seed(7));
    exchange.set_price("BTCUSDT", 64_000)?;
    // The connection of the first request is lost, and the request arrives after the exchange has denied the order once.
    let (there, calls, held) = (exchange.clone(), AtomicU32::new(0), Mutex::new(None));
    let late = transport::from_fn(move |request| {
        let (there, call) = (there.clone(), calls.fetch_add(1, Ordering::Relaxed));
        let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
        let arrives = if call == 2 { held.take() } else { None };
        if call == 0 {
            *held = Some(request.clone());
        }
        async move {
            if call == 0 {
                return Err(TransportError::new(TransportErrorKind::Closed, Delivery::MaybeSent));
            }
            if let Some(late) = arrives {
                there.send(late).await?;
            }
            there.send(request).await
        }
    });
    let client = exchange.client_of(exchange.keys()).transport(late).build()?;
    let mut strategy = Strategy::new(client);
    for _ in 0..3 {
        exchange.time().run(strategy.step()).await?;
    }
    let open = exchange.account(exchange.keys(), Family::Unified).open_orders;
    assert_eq!(open.len(), 1, "{open:?}");
    println!("A late request: one order.");
    Ok(())
}
