//! Events of both sides without a request of a user: the market moves, others trade, time passes.

use std::time::Duration;

use tradeapi_exchange::{BookView, Line, Side};

use crate::{HOURS_8, Run, Told, USUAL, exact};

impl Run {
    /// Returns the business line of a pair, as the exchange names it.
    pub(super) fn line_of(&self, pair: usize) -> Line {
        Line::of(self.line(pair)).unwrap()
    }

    pub(super) fn set_quotes(&mut self, pair: usize, mid: i64) {
        let unit = mid / 10_000;
        let usual = USUAL[pair].1;
        let mut quotes = Vec::new();
        for level in 1..=3_i64 {
            let qty = if level == 3 { usual * 1_600 } else { usual / 6 + self.below(usual * 2) };
            quotes.push((true, mid - level * level * unit - self.below(unit), qty));
            quotes.push((false, mid + level * level * unit + self.below(unit), qty));
        }
        let mut book = BookView::default();
        for (buys, ticks, steps) in &quotes {
            let level = (exact(&self.price(pair, *ticks)), exact(&self.qty(pair, *steps)));
            if *buys { book.bids.push(level) } else { book.asks.push(level) }
        }
        // The exchange quotes the bids first.
        quotes.sort_by_key(|quote| !quote.0);
        self.world.set_quotes(pair, quotes);
        self.desk.exchange.set_book(self.line_of(pair), self.symbol(pair), Some(book)).unwrap();
    }

    pub(super) fn move_market(&mut self) -> Told {
        let pair = self.any(self.world.pairs.len());
        let quoted = self.world.pairs[pair].quoted;
        let width = if self.chance.is(15) { quoted / 20 } else { quoted / 200 };
        let (symbol, opening) = ((self.line_of(pair), self.symbol(pair)), USUAL[pair].0);
        let price = (quoted + self.below(2 * width) - width).clamp(opening / 2, opening * 2);
        let text = self.price(pair, price);
        match self.chance.below(10) {
            0..6 => {
                self.set_quotes(pair, price);
                format!("quotes of {symbol:?} around {text}")
            }
            6..8 => {
                self.world.set_price(pair, price);
                self.desk.exchange.set_price(symbol, exact(&text)).unwrap();
                format!("price of {symbol:?} {text}")
            }
            apart => {
                let mark = (apart == 8).then_some(price);
                self.world.set_mark(pair, mark);
                self.desk.exchange.set_mark_price(symbol, mark.map(|_| exact(&text).into())).unwrap();
                format!("mark of {symbol:?} {mark:?}")
            }
        }
    }

    pub(super) fn trade_as_other(&mut self) -> Told {
        let (pair, buys) = (self.any(self.world.pairs.len()), self.chance.is(50));
        let quoted = self.world.pairs[pair].quoted;
        let width = quoted / 400;
        let limit = self.chance.is(70).then(|| quoted + self.below(2 * width) - width);
        let limit = limit.map(|limit| self.within_reach(pair, buys, limit));
        let qty = 1 + self.below(USUAL[pair].1 * 5 / 4);
        self.world.place_other(pair, buys, limit, qty);
        let (side, symbol) = (if buys { Side::Buy } else { Side::Sell }, self.symbol(pair));
        let [price, qty] = [limit.map(|limit| self.price(pair, limit)), Some(self.qty(pair, qty))]
            .map(|text| text.map(|text| exact(&text)));
        let line = self.line_of(pair);
        self.desk.exchange.place_for_others(line, symbol, side, price.map(Into::into), qty.unwrap()).unwrap();
        format!("other in {symbol} {buys} {limit:?}")
    }

    fn within_reach(&self, pair: usize, buys: bool, limit: i64) -> i64 {
        let quoted = self.world.pairs[pair].quoted;
        if buys { limit.min(quoted + quoted / 10) } else { limit.max(quoted - quoted / 10) }
    }

    pub(super) fn wait(&mut self) -> Told {
        let millis = if self.chance.is(20) { self.chance.below(HOURS_8) } else { self.chance.below(60_000) };
        self.pass(millis);
        format!("wait {millis}")
    }

    /// Lets time pass, with the funding that is due.
    pub(super) fn pass(&mut self, millis: u64) {
        let begun = self.desk.exchange.time().now().as_millis();
        for _ in 0..(begun + millis) / HOURS_8 - begun / HOURS_8 {
            self.world.pay_funding();
        }
        self.desk.exchange.time().advance(Duration::from_millis(millis));
        self.desk.exchange.advance_to(self.desk.exchange.time().now());
    }
}
