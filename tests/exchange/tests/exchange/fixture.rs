//! The fixture of most tests: an exchange and its client in the same process, with short functions for orders.

use std::collections::BTreeMap;

use tradeapi::runtime::drift::{Drift, DriftEntry, DriftKind};
use tradeapi::unified::{self, Category};
use tradeapi::{Client, Decimal, Error, classic};
use tradeapi_exchange::{AccountView, Exchange, Family, Keys, Mode, Profile, Seed, Settings, Time};

pub(crate) struct Fixture {
    pub(crate) exchange: Exchange,
    pub(crate) client: Client,
    pub(crate) keys: Keys,
    drift: Drift,
}

pub(crate) fn number(text: &str) -> Decimal {
    text.parse().unwrap()
}

impl Fixture {
    pub(crate) fn one_way() -> Self {
        Self::with(|_| {}, Profile::new().both())
    }

    pub(crate) fn hedged() -> Self {
        Self::with(|_| {}, Profile::new().both().mode(Mode::Hedge))
    }

    /// Returns the default exchange for tests, with changed settings.
    pub(crate) fn with(change: impl FnOnce(&mut Settings), profile: Profile) -> Self {
        let mut settings = Settings::default();
        (settings.seed, settings.rate_limits) = (Seed(7), false);
        change(&mut settings);
        let exchange = Exchange::with(settings, Time::by_hand(), profile);
        let keys = exchange.keys().clone();
        Self::of(exchange, keys)
    }

    fn of(exchange: Exchange, keys: Keys) -> Self {
        let drift = Drift::new();
        // Rules are left to the exchange.
        let client = exchange.client_of(&keys).checks(false).drift(&drift).build().unwrap();
        Self { exchange, client, keys, drift }
    }

    /// Returns another user of the same exchange.
    pub(crate) fn another(&self, profile: Profile) -> Self {
        let keys = self.exchange.open_account(profile);
        Self::of(self.exchange.clone(), keys)
    }

    pub(crate) fn unified(&self) -> AccountView {
        self.exchange.account(&self.keys, Family::Unified)
    }

    pub(crate) fn classic(&self) -> AccountView {
        self.exchange.account(&self.keys, Family::Classic)
    }

    /// Returns the open positions of the classic account, as `long`, `short` or `net`, with their size.
    pub(crate) fn sizes(&self) -> BTreeMap<String, String> {
        let positions = self.classic().positions;
        positions.iter().map(|p| (format!("{} {}", p.pos, p.side), p.qty.normalize().to_string())).collect()
    }

    pub(crate) async fn details(&self, client: &str) -> Result<unified::Order, Error> {
        let order = unified::OrderRef::ClientOid(client.parse().unwrap());
        let details = unified::GetOrderDetails::new(order);
        self.client.unified().get_order_details(&details).await.map(|reply| reply.data)
    }

    pub(crate) async fn detail(&self, client: &str) -> Result<classic::Order, Error> {
        let order = classic::OrderRef::ClientOid(client.into());
        let detail = classic::GetOrderDetail::new("BTCUSDT", classic::ProductType::UsdtFutures, order);
        self.client.classic().get_order_detail(&detail).await.map(|reply| reply.data)
    }

    /// Opens a position of the classic account at the market price.
    pub(crate) async fn open(&self, side: classic::Side, size: &str) {
        let order = classic_market(side, size).trade_side(classic::TradeSide::Open);
        self.client.classic().place_order(&order).await.unwrap();
    }
}

impl Drop for Fixture {
    /// Checks that all answers were as documented.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let operations = self.drift.report().operations;
            let entries = operations.iter().flat_map(|operation| &operation.entries);
            let differs = |entry: &&DriftEntry| {
                use DriftKind::{UnknownField, UnknownValue, Unreadable, WrittenOtherwise};
                matches!(entry.kind, UnknownField | UnknownValue | Unreadable | WrittenOtherwise)
            };
            let differing: Vec<_> = entries.filter(differs).collect();
            assert!(differing.is_empty(), "answers differ from the documents: {differing:?}");
        }
    }
}

/// Returns the code of a refusal.
pub(crate) fn code<T>(result: Result<T, Error>) -> Option<String> {
    result.err().and_then(|error| error.code().map(str::to_owned))
}

pub(crate) fn limit(client: &str, side: unified::Side, qty: &str, price: &str) -> unified::PlaceOrder {
    let execution = unified::Execution::limit(number(price));
    unified::PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", number(qty), side, execution)
        .client_oid(client.parse().unwrap())
}

pub(crate) fn market(client: &str, side: unified::Side, qty: &str) -> unified::PlaceOrder {
    unified::PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", number(qty), side, unified::Execution::Market)
        .client_oid(client.parse().unwrap())
}

pub(crate) fn classic_limit(client: &str, side: classic::Side, size: &str, price: &str) -> classic::PlaceOrder {
    let execution = classic::Execution::limit(number(price), classic::Force::Gtc);
    classic_order(side, size, execution.into()).client_oid(client)
}

pub(crate) fn classic_market(side: classic::Side, size: &str) -> classic::PlaceOrder {
    classic_order(side, size, classic::Execution::Market)
}

fn classic_order(side: classic::Side, size: &str, execution: classic::Execution) -> classic::PlaceOrder {
    let (line, mode) = (classic::ProductType::UsdtFutures, classic::MarginMode::Crossed);
    classic::PlaceOrder::new("BTCUSDT", line, mode, "USDT", number(size), side, execution)
}
