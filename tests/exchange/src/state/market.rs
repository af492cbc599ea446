//! The market of a pair: its price, its public trades, and the quotes of other participants.
//!
//! Others trade only the pairs that an account has touched, and of a long jump in time only the last day is simulated.

use std::collections::VecDeque;

use rust_decimal::Decimal;

use crate::state::book::Spot;
use crate::state::candles::Candles;
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

    /// The mark price.
    pub(crate) fn mark(&self) -> u64 {
        self.own_mark.unwrap_or(self.mid)
    }

    pub(crate) fn record(&mut self, pair: &Instrument, fill: PublicFill) {
        let PublicFill { ticks, lots, at, .. } = fill;
        self.move_to(ticks, at);
        self.candles.add(at, ticks, pair.base_qty(ticks, lots), pair.value(ticks, lots));
        if self.fills.len() == MAX_FILLS {
            self.fills.pop_front();
        }
        self.fills.push_back(fill);
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
