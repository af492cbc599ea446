//! The parts of random histories of an account: chance, time that passes while a call waits, and orders.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tradeapi::unified::{self, Category};
use tradeapi::{Decimal, classic};
use tradeapi_exchange::{Exchange, Family, OrderView};

/// Pseudorandom numbers from a seed, by SplitMix64.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    pub(crate) fn is(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Returns a quantity in thousandths, below `end` of them.
    pub(crate) fn thousandths(&mut self, end: u64) -> rust_decimal::Decimal {
        rust_decimal::Decimal::new(i64::try_from(self.below(end)).unwrap(), 3)
    }

    /// Returns one of `all`, or none of them.
    pub(crate) fn one_of<T>(&mut self, all: Vec<T>) -> Option<T> {
        let index = usize::try_from(self.below(1 + u64::try_from(all.len()).unwrap())).unwrap();
        all.into_iter().nth(index)
    }
}

/// Polls a future while the time of the exchange advances.
pub(crate) fn drive<F: Future>(exchange: &Exchange, future: F) -> F::Output {
    let (mut future, mut context) = (pin!(future), Context::from_waker(Waker::noop()));
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => exchange.time().advance(Duration::from_millis(500)),
        }
    }
}

/// Returns the open orders of the exchange's first user.
pub(crate) fn open_orders(exchange: &Exchange) -> Vec<(Family, OrderView)> {
    let of =
        |family| exchange.account(exchange.keys(), family).open_orders.into_iter().map(move |order| (family, order));
    of(Family::Classic).chain(of(Family::Unified)).collect()
}

/// Returns a limit order of the classic family that opens a position.
pub(crate) fn classic_order(id: String, buys: bool, qty: Decimal, price: Decimal) -> classic::PlaceOrder {
    let side = if buys { classic::Side::Buy } else { classic::Side::Sell };
    let execution = classic::Execution::limit(price, classic::Force::Gtc);
    let (line, mode) = (classic::ProductType::UsdtFutures, classic::MarginMode::Crossed);
    classic::PlaceOrder::new("BTCUSDT", line, mode, "USDT", qty, side, execution)
        .trade_side(classic::TradeSide::Open)
        .client_oid(id)
}

/// Returns a limit order of the unified family.
pub(crate) fn unified_order(
    id: &str,
    category: &Category,
    buys: bool,
    qty: &Decimal,
    price: &Decimal,
) -> unified::PlaceOrder {
    let execution = unified::Execution::limit(price.clone());
    unified::PlaceOrder::new(category.clone(), "BTCUSDT", qty.clone(), unified_side(buys), execution)
        .client_oid(id.parse().unwrap())
}

/// Returns a limit order of a batch of the unified family.
pub(crate) fn batch_item(
    id: &str,
    category: &Category,
    buys: bool,
    qty: &Decimal,
    price: &Decimal,
) -> unified::BatchOrderItem {
    let execution = unified::Execution::limit(price.clone());
    unified::BatchOrderItem::new(category.clone(), "BTCUSDT", qty.clone(), unified_side(buys), execution)
        .client_oid(id.parse().unwrap())
}

fn unified_side(buys: bool) -> unified::Side {
    if buys { unified::Side::Buy } else { unified::Side::Sell }
}
