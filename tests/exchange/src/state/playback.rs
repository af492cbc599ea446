//! Recorded markets that are played back: prices, candles, trades and books of a pair.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::state::instruments::{Instrument, PairName};
use crate::state::market::MINUTE;
use crate::state::values::Price;
use crate::state::words::{Line, Side};

/// The recording of a pair, of one kind.
pub(crate) trait Recorded {
    /// Returns the kind, for messages.
    fn kind(&self) -> &'static str;

    /// Returns the pair.
    fn pair(&self) -> PairName;

    /// Returns when each step begins, in milliseconds since the start.
    fn times(&self) -> Vec<u64>;

    /// Returns what happens in the market of a pair.
    ///
    /// # Errors
    ///
    /// A number is not one of the pair.
    fn steps(&self, pair: &Instrument) -> Result<Vec<(u64, MarketStep)>, WrongStep>;
}

/// A recorded step whose numbers are not those of its pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrongStep {
    /// The place, from zero.
    pub(crate) index: usize,
    pub(crate) why: String,
}

/// Declares what can be recorded of a pair: its kind, its fields, and what a step does in the market of a pair.
macro_rules! recorded {
    ($(
        $(#[$about:meta])*
        $name:ident: $kind:literal { $($(#[$doc:meta])* $field:ident: $type:ty),* }
        |$recorded:ident, $pair:ident, $step:pat_param| $does:expr;
    )*) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[non_exhaustive]
        pub struct $name {
            /// The pair.
            pub symbol: String,
            /// The business line; all that list it if there is none.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub line: Option<Line>,
            $($(#[$doc])* pub $field: $type),*
        }

        impl $name {
            /// Returns the steps with times since a start; before, their times are in Unix milliseconds.
            pub(crate) fn since(mut self, start: u64) -> Self {
                self.steps.iter_mut().for_each(|step| step.0 -= start);
                self
            }
        }

        impl Recorded for $name {
            fn kind(&self) -> &'static str {
                $kind
            }

            fn pair(&self) -> PairName {
                PairName::new(self.line, &self.symbol)
            }

            fn times(&self) -> Vec<u64> {
                self.steps.iter().map(|step| step.0).collect()
            }

            fn steps(&self, $pair: &Instrument) -> Result<Vec<(u64, MarketStep)>, WrongStep> {
                let $recorded = self;
                let mut all = Vec::with_capacity(self.steps.len());
                for (index, $step) in self.steps.iter().enumerate() {
                    all.extend($does.map_err(|why| WrongStep { index, why })?);
                }
                Ok(all)
            }
        }
    )*};
}

recorded! {
    /// Prices of a pair that are played back.
    Prices: "prices" {
        /// Milliseconds since the start, and the price from then on.
        steps: Vec<(u64, Price)>
    }
    |_recorded, pair, (at, price)| price_step(pair, *price).map(|step| [(*at, step)]);

    /// Candles of a pair that are played back, so that the candles of the exchange are the same.
    Candles: "candles" {
        /// The length of each candle, in milliseconds: whole minutes.
        interval: u64,
        /// Milliseconds since the start, and the prices at which the candle opens, at its highest, at its lowest and at
        /// which it closes. Between candles that do not follow each other, the price stays.
        steps: Vec<(u64, [Price; 4])>
    }
    |candles, pair, (at, candle)| candle_steps(pair, *at, candles.interval, candle);

    /// Trades of a pair that are played back. Each moves the price, fills orders that it reaches, and is shown as a trade of
    /// others for the rest of its quantity.
    Trades: "trades" {
        /// Milliseconds since the start, the price, the quantity, and the side of the taker.
        steps: Vec<(u64, Price, Price, Side)>
    }
    |_recorded, pair, (at, price, qty, side)| trade_step(pair, *price, *qty, *side).map(|step| [(*at, step)]);

    /// Books of a pair that are played back, instead of what others quote by themselves.
    Books: "books" {
        /// Milliseconds since the start, and the book from then on.
        steps: Vec<(u64, RecordedBook)>
    }
    |_recorded, pair, (at, book)| book_step(pair, book).map(|step| [(*at, step)]);
}

impl Candles {
    /// Returns the place of the first candle that cannot begin when it does, if there is one: they follow each other,
    /// have one length, and begin at whole minutes. The recording began at `start`, in Unix milliseconds.
    pub(crate) fn misplaced(&self, start: u64) -> Option<WrongStep> {
        let times = || self.steps.iter().map(|(at, _)| start.saturating_add(*at));
        let first = times().next().unwrap_or_default();
        let before = std::iter::once(None).chain(times().map(Some));
        times().zip(before).enumerate().find_map(|(index, (at, before))| {
            Some(WrongStep { index, why: misplaced(first, before, at, self.interval)? })
        })
    }
}

/// A recorded book: each level with its price and quantity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct RecordedBook {
    /// The bids.
    pub bids: Vec<(Price, Price)>,
    /// The asks.
    pub asks: Vec<(Price, Price)>,
}

/// An event of a market that is played back, in ticks and lots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MarketStep {
    /// The price moves.
    Price(u64),
    /// A candle opens at a price.
    Open(u64),
    /// Others trade: the side of the taker, the price and the quantity.
    Trade(Side, u64, u64),
    /// Others quote this.
    Book(Vec<(Side, u64, u64)>),
}

/// Returns the step of a recorded price.
fn price_step(pair: &Instrument, price: Price) -> Result<MarketStep, String> {
    Ok(MarketStep::Price(ticks(pair, price)?))
}

/// Returns the steps of a recorded candle. It passes its lowest price first if it rises.
fn candle_steps(
    pair: &Instrument,
    at: u64,
    interval: u64,
    candle: &[Price; 4],
) -> Result<Vec<(u64, MarketStep)>, String> {
    let [open, high, low, close] = candle;
    if [open, low, close].iter().any(|price| price.0 > high.0) || [open, close].iter().any(|price| price.0 < low.0) {
        return Err(format!(
            "candle {} {} {} {}: expected the open, highest, lowest and closing price, all between the lowest and the highest",
            open.0, high.0, low.0, close.0
        ));
    }
    let [second, third] = if close.0 >= open.0 { [low, high] } else { [high, low] };
    let moved = [(interval / 3, second), (interval * 2 / 3, third), (interval - 1, close)];
    let moved = moved.into_iter().map(|(after, price)| Ok((at + after, price_step(pair, *price)?)));
    std::iter::once(Ok((at, MarketStep::Open(ticks(pair, *open)?)))).chain(moved).collect()
}

/// Returns the step of a recorded trade.
fn trade_step(pair: &Instrument, price: Price, qty: Price, side: Side) -> Result<MarketStep, String> {
    let ticks = ticks(pair, price)?;
    Ok(MarketStep::Trade(side, ticks, lots(pair, qty, ticks)?))
}

/// Returns the step of a recorded book.
///
/// # Errors
///
/// A number is not one of the pair, or the book crosses.
fn book_step(pair: &Instrument, book: &RecordedBook) -> Result<MarketStep, String> {
    let mut levels = Vec::with_capacity(book.bids.len() + book.asks.len());
    for (side, of_side) in [(Side::Buy, &book.bids), (Side::Sell, &book.asks)] {
        for (price, qty) in of_side {
            let ticks = pair.ticks_within(price.0, Instrument::possible).map_err(off_grid)?;
            levels.push((side, ticks, lots(pair, *qty, ticks)?));
        }
    }
    let of = |side| levels.iter().filter(move |(of, ..)| *of == side).map(|(_, ticks, _)| *ticks);
    match (of(Side::Buy).max(), of(Side::Sell).min()) {
        (Some(bid), Some(ask)) if bid >= ask => {
            Err(format!("the book of {} crosses: expected all bids below all asks", pair.symbol))
        }
        _ => Ok(MarketStep::Book(levels)),
    }
}

/// Returns why a candle cannot begin at a time, if it cannot: candles of one length follow the first one, and begin at
/// whole minutes.
fn misplaced(first: u64, before: Option<u64>, at: u64, interval: u64) -> Option<String> {
    if !at.is_multiple_of(MINUTE) {
        let (into, minute) = (at % MINUTE, at - at % MINUTE);
        return Some(format!(
            "the candle begins {into} ms after the minute {minute}: expected one that begins at a whole minute; play other \
             times as prices or trades"
        ));
    }
    if before.is_some_and(|before| before >= at) {
        return Some(format!("the candle at {at} does not come after the one before"));
    }
    if !(at - first).is_multiple_of(interval) {
        let minutes = Decimal::from(interval) / Decimal::from(MINUTE);
        return Some(format!(
            "the candle at {at} is not a whole number of candles after the first, which last {} minutes: expected candles of \
             one length; leave out those of another",
            minutes.normalize()
        ));
    }
    None
}

/// Returns a recorded price in ticks.
fn ticks(pair: &Instrument, price: Price) -> Result<u64, String> {
    pair.ticks_within(price.0, Instrument::quotable).map_err(off_grid)
}

/// Returns a recorded quantity in lots.
fn lots(pair: &Instrument, qty: Price, ticks: u64) -> Result<u64, String> {
    pair.lots_of_others(qty.0, ticks).map_err(off_grid)
}

fn off_grid(why: String) -> String {
    format!(
        "{why}; round it, or name the business line that it is recorded of: `line` in a setup, SPOT:BTCUSDT in an option"
    )
}
