//! Quotes and trades of others.

use super::{Force, Order, Pos, Presets, Prevention, Wish, World};
use crate::number::Num;

impl World {
    /// Sets what others quote. Quotes that stay as they are keep their turn.
    pub(crate) fn set_quotes(&mut self, pair: usize, quotes: Vec<(bool, i64, i64)>) {
        let best = |buys: bool| quotes.iter().filter(move |quote| quote.0 == buys).map(|quote| quote.1);
        if let (Some(bid), Some(ask)) = (best(true).max(), best(false).min()) {
            self.pairs[pair].quoted = (bid + ask) / 2;
            self.pairs[pair].last = (bid + ask) / 2;
        }
        self.pairs[pair].quotes = quotes;
        self.quote(pair);
        self.trigger(pair);
        self.liquidate(Some(pair));
    }

    pub(crate) fn set_price(&mut self, pair: usize, price: i64) {
        self.pairs[pair].quoted = price;
        self.quote(pair);
        self.pairs[pair].last = price;
        self.trigger(pair);
        self.liquidate(Some(pair));
    }

    pub(crate) fn set_mark(&mut self, pair: usize, mark: Option<i64>) {
        self.pairs[pair].mark = mark;
        self.liquidate(Some(pair));
    }

    fn quote(&mut self, pair: usize) {
        self.pairs[pair].is_touched = false;
        let mut wanted = self.pairs[pair].quotes.clone();
        self.open.retain(|order| {
            if !order.is_quote || order.wish.pair != pair {
                return true;
            }
            let is_it = |quote: &(bool, i64, i64)| *quote == (order.wish.buys, order.wish.price, order.left());
            wanted.iter().position(is_it).map(|place| wanted.remove(place)).is_some()
        });
        for (buys, price, qty) in wanted {
            self.trade_of_others(pair, buys, Some(price), qty, true);
        }
    }

    pub(crate) fn read_market(&mut self, pair: usize) {
        self.renew_quotes(pair);
        self.trigger(pair);
        self.liquidate(None);
    }

    pub(crate) fn has_taken_quotes(&self) -> bool {
        self.pairs.iter().any(|pair| pair.is_touched)
    }

    /// Quotes that a user has taken are renewed before the next order.
    pub(super) fn renew_quotes(&mut self, pair: usize) {
        if self.pairs[pair].is_touched {
            self.quote(pair);
        }
    }

    /// Lets another participant trade; what is left of a limit order waits.
    pub(crate) fn place_other(&mut self, pair: usize, buys: bool, limit: Option<i64>, qty: i64) {
        self.renew_quotes(pair);
        self.trade_of_others(pair, buys, limit, qty, false);
        self.trigger(pair);
    }

    fn trade_of_others(&mut self, pair: usize, buys: bool, limit: Option<i64>, qty: i64, is_quote: bool) {
        let mut left = qty;
        while left > 0 {
            let Some(&place) = self.crossing(pair, buys, limit).first() else { break };
            let (price, traded) = (self.open[place].wish.price, left.min(self.open[place].left()));
            left -= traded;
            self.pairs[pair].last = price;
            self.fill_waiting(place, price, traded);
        }
        let Some(price) = limit.filter(|_| left > 0) else { return };
        let (client, pos, prevention) = (None, Pos::Net, Prevention::Off);
        let (account, force, closes, isolated) = (usize::MAX, Force::Gtc, false, false);
        let (amount, presets) = (None, Presets::default());
        let qty = left;
        let wish =
            Wish { account, pair, client, buys, force, price, qty, amount, pos, closes, isolated, prevention, presets };
        let order = self.new_order(wish, false, is_quote);
        self.open.push(order);
    }

    pub(super) fn new_order(&mut self, wish: Wish, is_user: bool, is_quote: bool) -> Order {
        let turn = self.next_turn();
        let [value, base, fee, reserve] = [(); 4].map(|()| Num::zero());
        Order { wish, is_user, is_quote, turn, filled: 0, value, base, fee, netted: 0, reserve }
    }
}
