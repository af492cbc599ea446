//! The market of a pair: its price, its public trades, its candles by the minute, and the quotes of other participants.
//!
//! Others trade only the pairs that an account has touched, and of a long jump in time only the last day is simulated.

use std::collections::{BTreeMap, VecDeque};

use rust_decimal::Decimal;
use tradeapi::Timestamp;
use tradeapi::runtime::Date;

use crate::state::accounts::record;
use crate::state::book::Spot;
use crate::state::dice::Dice;
use crate::state::instruments::Instrument;
use crate::state::words::Side;

/// The number of fills that are kept for each pair.
const MAX_FILLS: usize = 1_000;

/// The number of changes of the price that are kept for each pair.
const MAX_PRICES: usize = 480;

/// A public trade. Its side is that of the taker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PublicFill {
    pub(crate) id: u64,
    pub(crate) side: Side,
    pub(crate) ticks: u64,
    pub(crate) lots: u64,
    pub(crate) at: u64,
}

/// The market of one pair.
#[derive(Clone, Debug)]
pub(crate) struct Market {
    /// The price, in ticks, around which other participants quote.
    pub(crate) mid: u64,
    /// The mark price, if it is not that around which others quote.
    pub(crate) own_mark: Option<u64>,
    /// The price of the latest trade, or the price of quotes if that is newer.
    pub(crate) last: u64,
    /// The latest changes of `last`, for charts: when, and to what.
    pub(crate) prices: VecDeque<(u64, u64)>,
    /// The distance between quotes.
    pub(crate) unit: u64,
    pub(crate) quotes: Vec<Spot>,
    /// The quotes of others, in place of those that they want by themselves: side, price and lots.
    pub(crate) own_quotes: Option<Vec<(Side, u64, u64)>>,
    /// True if other participants trade the pair, which begins when an account does.
    pub(crate) is_awake: bool,
    /// True if the price is played back, so that other participants do not move it.
    pub(crate) is_played_back: bool,
    /// True if a quote was traded since the quotes were made.
    pub(crate) is_touched: bool,
    pub(crate) dice: Dice,
    pub(crate) fills: VecDeque<PublicFill>,
    pub(crate) candles: Candles,
}

impl Market {
    pub(crate) fn new(pair: &Instrument, dice: Dice) -> Self {
        let unit = pair.quote_distance();
        Self {
            mid: pair.opening,
            own_mark: None,
            last: pair.opening,
            prices: VecDeque::new(),
            unit,
            quotes: Vec::new(),
            own_quotes: None,
            is_awake: false,
            is_played_back: false,
            is_touched: false,
            dice,
            fills: VecDeque::new(),
            candles: Candles::default(),
        }
    }

    /// Returns the mark price.
    pub(crate) fn mark(&self) -> u64 {
        self.own_mark.unwrap_or(self.mid)
    }

    pub(crate) fn record(&mut self, pair: &Instrument, fill: PublicFill) {
        let PublicFill { ticks, lots, at, .. } = fill;
        self.move_to(ticks, at);
        self.candles.add(at, ticks, pair.base_qty(ticks, lots), pair.value(ticks, lots));
        record(&mut self.fills, fill, MAX_FILLS);
    }

    pub(crate) fn move_to(&mut self, ticks: u64, at: u64) {
        self.last = ticks;
        self.candles.add(at, ticks, Decimal::ZERO, Decimal::ZERO);
        if self.prices.back().is_some_and(|(_, latest)| *latest == ticks) {
            return;
        }
        if self.prices.len() == MAX_PRICES {
            self.prices.pop_front();
        }
        self.prices.push_back((at, ticks));
    }
}

/// The shortest candle, in milliseconds.
pub(crate) const MINUTE: u64 = 60 * 1000;

const HOUR: u64 = 60 * MINUTE;

const DAY: u64 = 24 * HOUR;

/// The number of minutes that are kept: a week.
const MAX_MINUTES: usize = 7 * 24 * 60;

/// The prices of an interval in ticks, and what was traded in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candle {
    pub(crate) start: u64,
    pub(crate) open: u64,
    pub(crate) high: u64,
    pub(crate) low: u64,
    pub(crate) close: u64,
    /// The quantity in the base coin, and the value in the quote coin.
    pub(crate) base: Decimal,
    pub(crate) value: Decimal,
}

impl Candle {
    /// Creates a candle in which nothing was traded.
    fn flat(start: u64, price: u64) -> Self {
        let zero = Decimal::ZERO;
        Self { start, open: price, high: price, low: price, close: price, base: zero, value: zero }
    }

    /// Adds a later one.
    fn add(&mut self, later: &Self) {
        self.high = self.high.max(later.high);
        self.low = self.low.min(later.low);
        self.close = later.close;
        self.base += later.base;
        self.value += later.value;
    }
}

/// The length of candles, and their beginnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interval {
    /// Candles of one length, and a time at which one begins.
    Even { length: u64, begins: u64 },
    /// The months of a zone whose days begin so much before those of UTC.
    Month { ahead: u64 },
}

impl Interval {
    /// Creates an interval such as `15m`, `4H`, `1D`, `1M` or `1Dutc`. Long ones without `utc` begin at midnight in
    /// UTC+8.
    pub(crate) fn of(word: &str) -> Option<Self> {
        let (word, is_utc) = word.strip_suffix("utc").map_or((word, false), |word| (word, true));
        let number: u64 = word.get(..word.len().checked_sub(1)?)?.parse().ok()?;
        let ahead = if is_utc { 0 } else { 8 * HOUR };
        // The first Monday.
        let (unit, begins) = match word.chars().last()? {
            'm' => (MINUTE, 0),
            'H' => (HOUR, 0),
            'D' => (DAY, 0),
            'W' => (7 * DAY, 4 * DAY),
            'M' => return (number == 1).then_some(Self::Month { ahead }),
            _ => return None,
        };
        let length = number.checked_mul(unit).filter(|length| *length > 0)?;
        let begins = if length < 6 * HOUR { begins } else { begins + length - ahead % length };
        Some(Self::Even { length, begins: begins % length })
    }

    /// Returns the number of the candle at a time.
    pub(crate) fn number(self, at: u64) -> u64 {
        match self {
            Self::Even { length, begins } => (at + length - begins) / length,
            Self::Month { ahead } => {
                let date = Date::of(Timestamp::from_millis(at + ahead));
                u64::from(date.year()) * 12 + u64::from(date.month()) - 1
            }
        }
    }

    pub(crate) fn start(self, number: u64) -> u64 {
        match self {
            Self::Even { length, begins } => (number * length + begins).saturating_sub(length),
            Self::Month { ahead } => {
                let [year, month] = [number / 12, number % 12 + 1];
                let first = || Date::new(year.try_into().ok()?, month.try_into().ok()?, 1)?.midnight();
                first().unwrap_or_default().as_millis().saturating_sub(ahead)
            }
        }
    }
}

/// The latest minutes of a pair, without those in which nothing happened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candles(VecDeque<Candle>);

impl Candles {
    /// Opens a minute at a price that is not that of the minute before.
    pub(crate) fn open(&mut self, at: u64, price: u64) {
        let start = at - at % MINUTE;
        if self.0.back().is_none_or(|latest| latest.start < start) {
            self.push(Candle::flat(start, price));
        }
    }

    fn push(&mut self, minute: Candle) {
        if self.0.len() == MAX_MINUTES {
            self.0.pop_front();
        }
        self.0.push_back(minute);
    }

    /// Adds a price, and what was traded for it.
    pub(crate) fn add(&mut self, at: u64, price: u64, base: Decimal, value: Decimal) {
        let added = Candle { base, value, ..Candle::flat(at - at % MINUTE, price) };
        match self.0.back_mut() {
            Some(latest) if latest.start == added.start => latest.add(&added),
            latest => {
                // It opens where the one before closed.
                let open = latest.map_or(price, |latest| latest.close);
                let mut first = Candle::flat(added.start, open);
                first.add(&added);
                self.push(first);
            }
        }
    }

    /// Returns the candles of an interval between two times, at most the latest ones of that number, the oldest first.
    /// Intervals in which nothing happened are flat.
    pub(crate) fn list(&self, interval: Interval, from: u64, to: u64, limit: usize) -> Vec<Candle> {
        let Some(first) = self.0.front() else { return Vec::new() };
        let mut by_number = BTreeMap::<u64, Candle>::new();
        for minute in &self.0 {
            let number = interval.number(minute.start);
            let start = interval.start(number);
            by_number.entry(number).and_modify(|candle| candle.add(minute)).or_insert(Candle { start, ..*minute });
        }
        let count = u64::try_from(limit).unwrap_or(u64::MAX);
        let last = interval.number(to);
        let begin = interval.number(from.max(first.start)).max(last.saturating_sub(count.saturating_sub(1)));
        let before = by_number.range(..begin).next_back().map_or(first.open, |(_, candle)| candle.close);
        let mut close = before;
        let candle = |number| {
            let candle = by_number.get(&number).copied();
            let candle = candle.unwrap_or_else(|| Candle::flat(interval.start(number), close));
            close = candle.close;
            candle
        };
        (begin..=last).map(candle).collect()
    }

    /// Returns everything since a time, as one candle.
    pub(crate) fn since(&self, from: u64) -> Option<Candle> {
        let mut recent = self.0.iter().filter(|minute| minute.start + MINUTE > from);
        let mut whole = *recent.next()?;
        recent.for_each(|minute| whole.add(minute));
        Some(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_become_longer_candles_without_gaps() {
        let mut candles = Candles::default();
        for (at, price, qty) in [(0, 100, 1), (59_000, 105, 2), (60_000, 95, 0), (5 * MINUTE, 110, 4)] {
            candles.add(at, price, qty.into(), (qty * price).into());
        }
        let minutes = candles.list(Interval::Even { length: MINUTE, begins: 0 }, 0, 6 * MINUTE, 100);
        let closes: Vec<_> = minutes.iter().map(|candle| (candle.start / MINUTE, candle.open, candle.close)).collect();
        assert_eq!(
            closes,
            [(0, 100, 105), (1, 105, 95), (2, 95, 95), (3, 95, 95), (4, 95, 95), (5, 95, 110), (6, 110, 110)]
        );
        let five = candles.list(Interval::Even { length: 5 * MINUTE, begins: 0 }, 0, 6 * MINUTE, 100);
        assert_eq!((five[0].high, five[0].low, five[0].base), (105, 95, 3.into()));
        assert_eq!(candles.list(Interval::Even { length: MINUTE, begins: 0 }, 0, 6 * MINUTE, 2), minutes[5..]);
        assert_eq!(candles.since(4 * MINUTE).map(|candle| candle.base), Some(4.into()));
    }

    #[test]
    fn long_candles_begin_at_midnight_in_one_of_two_zones() {
        let start = |word: &str, at: u64| Interval::of(word).map(|interval| interval.start(interval.number(at)));
        let noon = 20_000 * DAY + 12 * HOUR;
        assert_eq!(start("1Dutc", noon), Some(20_000 * DAY));
        assert_eq!(start("1D", noon), Some(20_000 * DAY - 8 * HOUR));
        assert_eq!(start("1H", noon + 5 * MINUTE), Some(noon));
        assert_eq!(start("1Wutc", 11 * DAY), Some(11 * DAY));
        assert_eq!(start("1Wutc", 11 * DAY - 1), Some(4 * DAY));
        assert_eq!((start("x", 0), start("", 0), start("0m", 0)), (None, None, None));
    }

    #[test]
    fn months_begin_on_their_first_day() {
        let start = |word: &str, at: u64| Interval::of(word).map(|interval| interval.start(interval.number(at)));
        // Midnight of 2024-03-01 in UTC.
        let march = 1_709_251_200_000;
        assert_eq!(start("1Mutc", march), Some(march));
        assert_eq!(start("1Mutc", march - 1), Some(march - 29 * DAY));
        assert_eq!(start("1M", march), Some(march - 8 * HOUR));
        assert_eq!(start("1M", march - 8 * HOUR - 1), Some(march - 29 * DAY - 8 * HOUR));
        assert_eq!((start("1Mutc", 0), start("3M", march)), (Some(0), None));
    }
}
