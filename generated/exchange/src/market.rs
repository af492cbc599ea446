//! Other participants, who quote around a price, and in a lively market move it and trade.

use std::collections::VecDeque;

use crate::book::{Resting, Spot};
use crate::dice::Dice;
use crate::instruments::Instrument;
use crate::state::Core;
use crate::words::Side;

/// The interval of other participants' actions in a lively market, in milliseconds.
const STEP: u64 = 250;

/// The longest time that is simulated when time is moved further at once.
const MAX_STEPPED: u64 = 24 * 60 * 60 * 1000;

/// The number of quotes on each side.
const QUOTES: u64 = 5;

/// How many times the usual quantity each quote of a quiet market has.
const QUIET_CLIPS: u64 = 1_000;

/// How many of the last fills are kept for each pair.
const MAX_FILLS: usize = 1_000;

/// How many changes of the price are kept for each pair.
const MAX_PRICES: usize = 480;

/// A public trade.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PublicFill {
    pub(crate) id: u64,
    pub(crate) side: Side,
    pub(crate) ticks: u64,
    pub(crate) lots: u64,
    pub(crate) at: u64,
}

/// A quote that other participants want in the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Quote {
    side: Side,
    ticks: u64,
    lots: u64,
}

/// The market of one pair.
#[derive(Clone, Debug)]
pub(crate) struct Market {
    /// The price, in ticks, around which other participants quote.
    pub(crate) mid: u64,
    /// The price of the latest trade, or the price of quotes if that is newer.
    pub(crate) last: u64,
    /// The latest changes of `last`, for charts: when, and to what.
    pub(crate) prices: VecDeque<(u64, u64)>,
    /// The distance between quotes: a two-thousandth of a percent to a tick.
    unit: u64,
    quotes: Vec<Spot>,
    /// Whether other participants trade the pair, which begins when an account does.
    is_awake: bool,
    /// Whether the price is played back, so that other participants do not move it.
    pub(crate) is_played_back: bool,
    /// Whether a quote was traded since the quotes were made.
    pub(crate) is_touched: bool,
    dice: Dice,
    pub(crate) fills: VecDeque<PublicFill>,
}

impl Market {
    pub(crate) fn new(pair: &Instrument, dice: Dice) -> Self {
        let unit = (pair.opening / 20_000).max(1);
        Self {
            mid: pair.opening,
            last: pair.opening,
            prices: VecDeque::new(),
            unit,
            quotes: Vec::new(),
            is_awake: false,
            is_played_back: false,
            is_touched: false,
            dice,
            fills: VecDeque::new(),
        }
    }

    pub(crate) fn record(&mut self, id: u64, side: Side, ticks: u64, lots: u64, at: u64) {
        self.move_to(ticks, at);
        if self.fills.len() == MAX_FILLS {
            self.fills.pop_front();
        }
        self.fills.push_back(PublicFill { id, side, ticks, lots, at });
    }

    fn move_to(&mut self, ticks: u64, at: u64) {
        self.last = ticks;
        if self.prices.back().is_some_and(|(_, latest)| *latest == ticks) {
            return;
        }
        if self.prices.len() == MAX_PRICES {
            self.prices.pop_front();
        }
        self.prices.push_back((at, ticks));
    }
}

impl Core {
    /// Lets other participants trade a pair from now on, with complete quotes.
    pub(crate) fn wake(&mut self, index: usize) {
        let is_lively = self.settings.lively;
        let market = &mut self.markets[index];
        if !market.is_awake || (market.is_touched && !is_lively) {
            market.is_awake = true;
            self.quote(index);
        }
    }

    /// Sets the price around which other participants quote. Their quotes fill orders beyond it.
    pub(crate) fn set_mid(&mut self, index: usize, ticks: u64) {
        // Closer to zero, there is no space for quotes.
        self.markets[index].mid = ticks.max((QUOTES + 1) * self.markets[index].unit);
        self.markets[index].is_awake = true;
        self.quote(index);
        let mid = self.markets[index].mid;
        self.markets[index].move_to(mid, self.now);
        self.trigger(index);
        self.liquidate(index);
    }

    /// Replaces outdated quotes of other participants.
    fn quote(&mut self, index: usize) {
        let mut wanted = self.target_quotes(index);
        let market = &mut self.markets[index];
        market.is_touched = false;
        let book = &mut self.books[index];
        market.quotes.retain(|spot| {
            let stands = wanted.iter().position(|quote| {
                (spot.side, spot.ticks, book.lots_at(*spot)) == (quote.side, quote.ticks, quote.lots)
            });
            match stands {
                Some(place) => _ = wanted.remove(place),
                None => book.remove(*spot),
            }
            stands.is_some()
        });
        for Quote { side, ticks, lots } in wanted {
            let left = self.trade_of_others(index, side, Some(ticks), lots);
            if left > 0 {
                let spot = self.books[index].rest(side, ticks, Resting { order: None, lots: left });
                self.markets[index].quotes.push(spot);
            }
        }
    }

    /// The quotes around the price, the closest first.
    fn target_quotes(&mut self, index: usize) -> Vec<Quote> {
        let is_lively = self.settings.lively;
        let clip = self.pairs[index].clip;
        let Market { mid, unit, dice, .. } = &mut self.markets[index];
        let sides =
            (1..=QUOTES).flat_map(|level| [(Side::Buy, *mid - level * *unit), (Side::Sell, *mid + level * *unit)]);
        let quote = |(side, ticks)| {
            let lots = if is_lively { clip / 2 + dice.below(clip) } else { clip * QUIET_CLIPS };
            Quote { side, ticks, lots: lots.max(1) }
        };
        sides.map(quote).collect()
    }

    /// Skips actions of other participants after a day without requests.
    pub(crate) fn skip_idle_steps(&mut self, now: u64) {
        let earliest = now.saturating_sub(MAX_STEPPED);
        let is_idle = !self.settings.lively || self.markets.iter().all(|market| !market.is_awake);
        if is_idle {
            self.next_step = self.next_step.max(now);
        } else if self.next_step < earliest {
            self.next_step = earliest;
        }
    }

    /// One step of other participants: the price moves, quotes follow, and one of them may trade.
    pub(crate) fn step(&mut self) {
        self.next_step += STEP;
        for index in 0..self.markets.len() {
            if !self.markets[index].is_awake {
                continue;
            }
            let (opening, clip) = (self.pairs[index].opening, self.pairs[index].clip);
            let market = &mut self.markets[index];
            let down_or_up = market.dice.below(3);
            if !market.is_played_back {
                let moved = (market.mid + down_or_up * market.unit).saturating_sub(market.unit);
                market.mid = moved.clamp(opening / 2, opening * 2);
            }
            market.move_to(market.mid, self.now);
            let (trades, buys) = (market.dice.below(2) == 0, market.dice.below(2) == 0);
            let lots = (clip / 4 + market.dice.below(clip)).max(1);
            self.quote(index);
            if trades {
                self.trade_of_others(index, if buys { Side::Buy } else { Side::Sell }, None, lots);
            }
            self.trigger(index);
            self.liquidate(index);
        }
    }
}
