//! Other participants, who quote around a price, and in a lively market move it and trade.

use crate::state::book::Resting;
use crate::state::core::Core;
use crate::state::instruments::QUOTES;
use crate::state::market::Market;
use crate::state::playback::MarketStep;
use crate::state::words::Side;

/// The interval of other participants' actions in a lively market, in milliseconds.
const STEP: u64 = 250;

/// The longest time that is simulated when time is moved further at once.
const MAX_STEPPED: u64 = 24 * 60 * 60 * 1000;

/// The quantity of each quote of a quiet market, as a multiple of the usual one.
const QUIET_CLIPS: u64 = 1_000;

/// A quote that other participants want in the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Quote {
    side: Side,
    ticks: u64,
    lots: u64,
}

impl Core {
    /// Lets other participants trade a pair from now on, with complete quotes.
    pub(crate) fn wake(&mut self, index: usize) {
        let is_lively = self.settings.lively;
        let market = &mut self.markets[index];
        if !market.is_awake || (market.is_touched && !is_lively) {
            if !market.is_awake {
                market.move_to(market.last, self.now);
            }
            market.is_awake = true;
            self.quote(index);
        }
    }

    /// Sets the price around which other participants quote. Their quotes fill orders beyond it.
    pub(crate) fn set_mid(&mut self, index: usize, ticks: u64) {
        self.markets[index].mid = ticks;
        self.markets[index].is_awake = true;
        self.quote(index);
        self.markets[index].move_to(ticks, self.now);
        self.trigger(index);
        self.liquidate(index);
    }

    /// Carries out a step of a market that is played back.
    pub(crate) fn play(&mut self, index: usize, step: MarketStep) {
        match step {
            MarketStep::Price(ticks) => self.set_mid(index, ticks),
            MarketStep::Open(ticks) => {
                self.markets[index].candles.open(self.now, ticks);
                self.set_mid(index, ticks);
            }
            MarketStep::Trade(side, ticks, lots) => {
                // Quotes make way first, so that the trade reaches orders at its price. A recorded book may be older than
                // the trade, and then has better quotes that others have taken.
                if let Some(own) = &mut self.markets[index].own_quotes {
                    own.retain(|(of, at, _)| {
                        *of == side || if side == Side::Buy { *at >= ticks } else { *at <= ticks }
                    });
                }
                self.set_mid(index, ticks);
                let left = self.trade_of_others(index, side, Some(ticks), lots);
                if left > 0 {
                    self.publish_trade(index, side, ticks, left);
                }
            }
            MarketStep::Book(levels) => self.set_quotes(index, levels),
        }
    }

    /// Sets what others quote, and with it the price between the best bid and the best ask.
    pub(crate) fn set_quotes(&mut self, index: usize, levels: Vec<(Side, u64, u64)>) {
        let of = |side| levels.iter().filter(move |(of, ..)| *of == side).map(|(_, ticks, _)| *ticks);
        let (market, now) = (&mut self.markets[index], self.now);
        if let (Some(bid), Some(ask)) = (of(Side::Buy).max(), of(Side::Sell).min()) {
            market.mid = bid.midpoint(ask);
            market.move_to(market.mid, now);
        }
        market.own_quotes = Some(levels);
        market.is_awake = true;
        self.quote(index);
        self.trigger(index);
        self.liquidate(index);
    }

    /// Replaces outdated quotes of other participants.
    pub(crate) fn quote(&mut self, index: usize) {
        let mut wanted = self.target_quotes(index);
        let market = &mut self.markets[index];
        market.is_touched = false;
        let book = &mut self.books[index];
        market.quotes.retain(|spot| {
            let resting = (spot.side, spot.ticks, book.lots_at(*spot));
            let stands = wanted.iter().position(|quote| (quote.side, quote.ticks, quote.lots) == resting);
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

    /// Returns the quotes around the price, the closest first.
    fn target_quotes(&mut self, index: usize) -> Vec<Quote> {
        if let Some(own) = &self.markets[index].own_quotes {
            return own.iter().map(|(side, ticks, lots)| Quote { side: *side, ticks: *ticks, lots: *lots }).collect();
        }
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

    /// Takes one step of other participants: the price moves, quotes follow, and one of them may trade.
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
            // In a recorded market they trade as they did then.
            if trades && !self.markets[index].is_played_back {
                self.trade_of_others(index, if buys { Side::Buy } else { Side::Sell }, None, lots);
            }
            self.trigger(index);
            self.liquidate(index);
        }
    }
}
