//! Orders of users: what they need, how they trade, and how they end.

use super::{End, Fill, Force, MAKER, Order, Pos, Position, Prevention, Refused, TAKER, Wish, World, sign};
use crate::number::Num;

impl World {
    pub(crate) fn place(&mut self, mut wish: Wish) -> Result<(), Refused> {
        let pair = wish.pair;
        self.renew_quotes(pair);
        let limit = (wish.force != Force::Market).then_some(wish.price);
        let quoted = self.pairs[pair].quoted;
        if let Some(price) = limit {
            if wish.buys && price > quoted + quoted / 10 {
                return Err(Refused::Above);
            }
            if !wish.buys && price < quoted - quoted / 10 {
                return Err(Refused::Below);
            }
        }
        if wish.closes {
            wish.qty = self.room_to_close(&wish)?;
        }
        let netted = self.netted(&wish, None);
        let reserve = self.reserve(&wish);
        if &reserve * &Num::from(wish.qty - netted) > self.available(wish.account) {
            return Err(Refused::Funds);
        }
        let mut order = self.new_order(wish, true, false);
        (order.netted, order.reserve) = (netted, reserve);
        self.work(order);
        self.liquidate(None);
        Ok(())
    }

    /// What a step of the quantity reserves: its value by the leverage, and the taker's fee. A market order is valued at
    /// the price at which the last of it would trade now, a sale at the best bid if that is higher.
    pub(super) fn reserve(&self, wish: &Wish) -> Num {
        let crossing = self.crossing(wish.pair, wish.buys, None);
        let best = crossing.first().map_or(self.pairs[wish.pair].quoted, |place| self.open[*place].wish.price);
        let mut at = if wish.buys { wish.price } else { wish.price.max(best) };
        if wish.force == Force::Market {
            let mut left = wish.qty;
            at = best;
            for place in crossing {
                at = self.open[place].wish.price;
                left -= self.open[place].left();
                if left <= 0 {
                    break;
                }
            }
        }
        let value = self.pairs[wish.pair].value(at, 1);
        value.over(&self.leverage(wish.account, wish.pair).into()) + &value * &Num::read(TAKER)
    }

    /// The part of an order that closes its position. Orders that wait share it, the oldest first; one that trades at
    /// once comes before them.
    fn netted(&self, wish: &Wish, own: Option<u64>) -> i64 {
        if wish.closes {
            return wish.qty;
        }
        let Some(position) = self.accounts[wish.account].positions.get(&(wish.pair, wish.pos)) else { return 0 };
        if position.buys == wish.buys {
            return 0;
        }
        let waits = matches!(wish.force, Force::Gtc | Force::PostOnly);
        let others = self.open.iter().filter(|order| {
            let is_such = order.is_user && !order.wish.closes && order.wish.account == wish.account;
            waits && is_such && order.wish.pair == wish.pair && Some(order.turn) != own
        });
        let others: i64 = others.map(|order| order.netted).sum();
        wish.qty.min((position.qty - others).max(0))
    }

    /// How much of a position an order closes, once those that it replaces are cancelled.
    fn room_to_close(&mut self, wish: &Wish) -> Result<i64, Refused> {
        let key = (wish.pair, wish.pos);
        let position = self.accounts[wish.account].positions.get(&key).filter(|position| position.buys != wish.buys);
        let Some(position) = position else { return Err(Refused::NoPosition) };
        let qty = wish.qty.min(position.qty);
        let free = position.qty - self.occupied(wish.account, key);
        let (all, hedged) = (position.qty, self.accounts[wish.account].hedged);
        if qty > free && hedged && free > 0 {
            return if wish.force == Force::Market { Ok(free) } else { Err(Refused::Occupied) };
        }
        self.cancel_closing(wish.account, key, all - qty);
        Ok(qty)
    }

    fn closing(&self, account: usize, key: (usize, Pos)) -> impl Iterator<Item = &Order> {
        let own = self.open.iter().filter(move |order| order.is_user && order.wish.account == account);
        own.filter(move |order| order.wish.closes && (order.wish.pair, order.wish.pos) == key)
    }

    pub(crate) fn occupied(&self, account: usize, key: (usize, Pos)) -> i64 {
        self.closing(account, key).map(Order::left).sum()
    }

    /// Cancels closing orders, the oldest first, until they fit.
    fn cancel_closing(&mut self, account: usize, key: (usize, Pos), most: i64) {
        while self.occupied(account, key) > most {
            let oldest = self.closing(account, key).min_by_key(|order| order.wish.client).map(|order| order.turn);
            let Some(place) = self.open.iter().position(|order| Some(order.turn) == oldest) else { return };
            self.end(place);
        }
    }

    fn end(&mut self, place: usize) {
        let order = self.open.remove(place);
        self.note_end(order, End::Cancelled);
    }

    fn note_end(&mut self, order: Order, end: End) {
        if let Some(client) = order.wish.client {
            self.ended.insert(client, (end, order));
        }
    }

    /// Trades an order, and leaves what is left of it in the book or cancels it.
    fn work(&mut self, mut order: Order) {
        let (pair, buys, force) = (order.wish.pair, order.wish.buys, order.wish.force);
        let limit = (force != Force::Market).then_some(order.wish.price);
        let user = self.accounts[order.wish.account].user;
        let crossing = self.crossing(pair, buys, limit);
        let is_own = |other: &Order| other.is_user && self.accounts[other.wish.account].user == user;
        let prevents = order.wish.prevention != Prevention::Off;
        let fillable = crossing.iter().map(|place| &self.open[*place]).filter(|other| !(prevents && is_own(other)));
        let fillable: i64 = fillable.map(Order::left).sum();
        let may_trade = match force {
            Force::PostOnly => crossing.is_empty(),
            Force::Fok => fillable >= order.left(),
            Force::Market | Force::Gtc | Force::Ioc => true,
        };
        if !may_trade {
            return self.note_end(order, End::Cancelled);
        }
        while order.left() > 0 {
            let Some(&place) = self.crossing(pair, buys, limit).first() else { break };
            let maker = &self.open[place];
            if prevents && maker.is_user && self.accounts[maker.wish.account].user == user {
                if matches!(order.wish.prevention, Prevention::Maker | Prevention::Both) {
                    self.end(place);
                }
                if matches!(order.wish.prevention, Prevention::Taker | Prevention::Both) {
                    return self.note_end(order, End::Cancelled);
                }
                continue;
            }
            let (price, qty) = (maker.wish.price, order.left().min(maker.left()));
            if !maker.is_user {
                self.pairs[pair].is_touched = true;
            }
            let maker = maker.turn;
            self.fill(&mut order, price, qty, true);
            if let Some(place) = self.open.iter().position(|other| other.turn == maker) {
                self.fill_waiting(place, price, qty);
            }
        }
        match order.left() {
            0 => self.note_end(order, End::Filled),
            _ if matches!(force, Force::Gtc | Force::PostOnly) => {
                self.open.push(order);
            }
            _ => self.note_end(order, End::Cancelled),
        }
    }

    pub(super) fn fill_waiting(&mut self, place: usize, price: i64, qty: i64) {
        let mut order = self.open[place].clone();
        if order.is_user {
            // While it is filled, it is in the book with what is left of it.
            self.open[place].filled += qty;
            self.open[place].netted -= qty.min(order.netted);
            let turn = order.turn;
            self.fill(&mut order, price, qty, false);
            if let Some(place) = self.open.iter().position(|other| other.turn == turn) {
                let funded = self.open[place].clone();
                (order.netted, order.reserve) = (funded.netted, funded.reserve);
                self.open[place] = order;
                if self.open[place].left() == 0 {
                    let order = self.open.remove(place);
                    self.note_end(order, End::Filled);
                }
            }
        } else {
            self.open[place].filled += qty;
            if self.open[place].left() == 0 {
                self.open.remove(place);
            }
        }
    }

    /// The effect of a fill on the order, the position and the balance.
    fn fill(&mut self, order: &mut Order, price: i64, qty: i64, is_taker: bool) {
        let (account, key) = (order.wish.account, (order.wish.pair, order.wish.pos));
        let pair = self.pairs[order.wish.pair].clone();
        let leverage = self.leverage(account, order.wish.pair);
        let rate = Num::read(if is_taker { TAKER } else { MAKER });
        let fee = &pair.value(price, qty) * &rate;
        order.netted -= qty.min(order.netted);
        order.filled += qty;
        order.value += pair.value(price, qty);
        order.fee += fee.clone();
        let of = &mut self.accounts[account];
        let mut profit = Num::zero();
        let mut opens = qty;
        if let Some(position) = of.positions.get_mut(&key).filter(|position| position.buys != order.wish.buys) {
            let closes = qty.min(position.qty);
            opens -= closes;
            let share = |of: &Num| (of * &Num::from(closes)).over(&Num::from(position.qty));
            let (cost, margin) = (share(&position.cost), share(&position.margin));
            profit = &sign(position.buys) * &(pair.value(price, closes) - cost.clone());
            let closing_fee = &pair.value(price, closes) * &rate;
            position.qty -= closes;
            position.cost -= cost;
            position.margin -= margin.clone();
            position.realised += profit.clone();
            position.close_fee += closing_fee.clone();
            of.total += profit.clone() - closing_fee.clone();
            let isolated = position.isolated;
            if position.qty == 0 {
                of.positions.remove(&key);
            }
            // An isolated loss ends at its margin, and no balance is below zero.
            let missing = if isolated {
                closing_fee - profit.clone() - margin
            } else {
                let kept: Num =
                    of.positions.values().filter(|other| other.isolated).map(|other| other.margin.clone()).sum();
                kept - of.total.clone()
            };
            let missing = missing.max(Num::zero());
            of.total += missing.clone();
            self.insurance -= missing;
        }
        if opens > 0 {
            let (buys, isolated) = (order.wish.buys, order.wish.isolated);
            let value = pair.value(price, opens);
            let position = of.positions.entry(key).or_insert_with(|| {
                let [cost, margin, realised, open_fee, close_fee, funding] = [(); 6].map(|()| Num::zero());
                Position { buys, qty: 0, cost, margin, isolated, realised, open_fee, close_fee, funding }
            });
            position.qty += opens;
            position.cost += value.clone();
            position.margin += value.over(&leverage.into());
            position.open_fee += &value * &rate;
            of.total -= &value * &rate;
        }
        let (client, buys) = (order.wish.client, order.wish.buys);
        of.fills.push(Fill { client, buys, price, qty, is_taker, fee, profit });
        self.fit_orders(account, key);
    }

    /// After a position has changed: closing orders never close more than it, and other orders that closed what is gone
    /// reserve funds or are cancelled.
    fn fit_orders(&mut self, account: usize, key: (usize, Pos)) {
        let position = self.accounts[account].positions.get(&key).map(|position| (position.buys, position.qty));
        let closed_by = |buys: bool| position.filter(|position| position.0 != buys).map_or(0, |position| position.1);
        let closer = self.closing(account, key).next().map(|order| order.wish.buys);
        if let Some(buys) = closer {
            self.cancel_closing(account, key, closed_by(buys));
        }
        let own = self.open.iter().filter(|order| order.is_user && order.wish.account == account && !order.wish.closes);
        let mut netted: Vec<_> =
            own.filter(|order| (order.wish.pair, order.wish.pos) == key && order.netted > 0).collect();
        netted.sort_by_key(|order| order.wish.client);
        let netted: Vec<u64> = netted.into_iter().map(|order| order.turn).collect();
        let mut used = 0;
        for turn in netted {
            let Some(place) = self.open.iter().position(|order| order.turn == turn) else { continue };
            let order = &self.open[place];
            let closes = order.netted.min(closed_by(order.wish.buys) - used);
            used += closes;
            if closes == order.netted {
                continue;
            }
            let wish = order.wish.clone();
            let reserve = self.reserve(&Wish { force: Force::Gtc, ..wish });
            let before = &order.reserve * &Num::from(order.left() - order.netted);
            let more = &reserve * &Num::from(order.left() - closes) - before;
            if more > self.available(account) {
                self.end(place);
            } else {
                (self.open[place].netted, self.open[place].reserve) = (closes, reserve);
            }
        }
    }

    fn find(&self, account: usize, client: u64) -> Option<usize> {
        self.open.iter().position(|order| order.wish.client == Some(client) && order.wish.account == account)
    }

    pub(crate) fn cancel(&mut self, account: usize, client: u64) -> Result<(), Refused> {
        let place = self.find(account, client).ok_or(Refused::NotOpen)?;
        self.end(place);
        Ok(())
    }

    pub(crate) fn cancel_all(&mut self, account: usize, pair: Option<usize>) {
        let is_meant = |order: &Order| {
            order.is_user && order.wish.account == account && pair.is_none_or(|pair| pair == order.wish.pair)
        };
        while let Some(place) = self.open.iter().position(is_meant) {
            self.end(place);
        }
    }

    /// Amends an order of the unified family. It keeps its turn only if just its quantity is reduced.
    pub(crate) fn amend(&mut self, account: usize, client: u64, price: i64, qty: i64) -> Result<(), Refused> {
        let place = self.find(account, client).ok_or(Refused::NotOpen)?;
        let mut order = self.open[place].clone();
        let quoted = self.pairs[order.wish.pair].quoted;
        if order.wish.buys && price > quoted + quoted / 10 {
            return Err(Refused::Above);
        }
        if !order.wish.buys && price < quoted - quoted / 10 {
            return Err(Refused::Below);
        }
        if qty < order.filled {
            return Err(Refused::BelowFilled);
        }
        let left = Wish { price, qty: qty - order.filled, ..order.wish.clone() };
        let netted = self.netted(&left, Some(order.turn));
        let reserve = self.reserve(&left);
        let before = &order.reserve * &Num::from(order.left() - order.netted);
        let more = &reserve * &Num::from(left.qty - netted) - before;
        if more > Num::zero() && more > self.available(account) {
            return Err(Refused::Funds);
        }
        let keeps_turn = price == order.wish.price && qty <= order.wish.qty;
        (order.wish.price, order.wish.qty, order.netted, order.reserve) = (price, qty, netted, reserve);
        if order.left() == 0 {
            self.open.remove(place);
            self.note_end(order, End::Filled);
        } else if keeps_turn {
            self.open[place] = order;
        } else {
            self.open.remove(place);
            order.turn = self.next_turn();
            self.work(order);
        }
        self.liquidate(None);
        Ok(())
    }

    /// Closes a position at the market price.
    pub(crate) fn close(&mut self, account: usize, key: (usize, Pos)) -> Result<(), Refused> {
        let Some(position) = self.accounts[account].positions.get(&key).cloned() else {
            return Err(Refused::NoPosition);
        };
        self.close_quietly(account, key, &position);
        self.liquidate(None);
        Ok(())
    }

    pub(super) fn close_quietly(&mut self, account: usize, key: (usize, Pos), position: &Position) {
        self.cancel_closing(account, key, 0);
        self.renew_quotes(key.0);
        let (pair, pos, buys, qty, isolated) = (key.0, key.1, !position.buys, position.qty, position.isolated);
        let (client, force, price, closes, prevention) = (None, Force::Market, 0, true, Prevention::Off);
        let wish = Wish { account, pair, client, buys, force, price, qty, pos, closes, isolated, prevention };
        let mut order = self.new_order(wish, true, false);
        order.netted = qty;
        self.work(order);
    }
}
