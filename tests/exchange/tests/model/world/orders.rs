//! Orders of users: what they need, how they trade, and how they end.

use super::{
    Coin, End, Fill, Force, Kind, MAKER, Order, Pos, Position, Presets, Prevention, Refused, TAKER, Wish, World,
};
use crate::number::Num;

impl World {
    pub(crate) fn place(&mut self, wish: Wish) -> Result<(), Refused> {
        let placed = self.place_one(wish);
        self.liquidate(None);
        placed
    }

    /// Places one after the other. What becomes unsafe is liquidated once all are placed.
    pub(crate) fn place_many(&mut self, wishes: &[Wish]) -> Vec<Result<(), Refused>> {
        let placed = wishes.iter().map(|wish| {
            // A batch of the unified family names no margin mode: orders take that of the position.
            let held = self.accounts[wish.account].positions.get(&(wish.pair, wish.pos));
            let isolated = if wish.account % 2 == 1 { held.is_some_and(|held| held.isolated) } else { wish.isolated };
            self.place_one(Wish { isolated, ..wish.clone() })
        });
        let placed = placed.collect();
        self.liquidate(None);
        placed
    }

    fn place_one(&mut self, mut wish: Wish) -> Result<(), Refused> {
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
        let [by_last, by_limit] = [Some(self.pairs[pair].last), limit]
            .map(|price| price.map_or([true; 2], |price| wish.presets.reached(wish.buys, price)));
        if by_last[0] && by_limit[0] {
            return Err(Refused::Profit(wish.buys));
        }
        if by_last[1] && by_limit[1] {
            return Err(Refused::Loss(wish.buys));
        }
        let held = self.accounts[wish.account].positions.get(&(pair, wish.pos));
        if held.is_some_and(|held| held.buys == wish.buys && held.isolated != wish.isolated) {
            return Err(Refused::OtherMargin);
        }
        if wish.closes {
            wish.qty = self.room_to_close(&wish)?;
        }
        let netted = self.netted(&wish, None);
        let reserve = self.reserve(&wish);
        let needed = wish.amount.clone().unwrap_or_else(|| &reserve * &Num::from(wish.qty - netted));
        if needed > self.available(wish.account, self.pairs[wish.pair].reserved(wish.buys)) {
            return Err(Refused::Funds);
        }
        let key = (pair, wish.pos);
        if let Some(position) = self.accounts[wish.account].positions.get_mut(&key)
            && position.buys == wish.buys
        {
            position.presets.take_over(wish.presets);
        }
        let mut order = self.new_order(wish, true, false);
        (order.netted, order.reserve) = (netted, reserve);
        self.work(order);
        self.trigger(pair);
        Ok(())
    }

    /// Returns what a step of the quantity reserves: on spot what it pays, and otherwise its value by the leverage, and
    /// the taker's fee. A market order is valued at the price at which the last of it would trade now, a sale at the
    /// best bid if that is higher.
    pub(super) fn reserve(&self, wish: &Wish) -> Num {
        let of = &self.pairs[wish.pair];
        if of.kind == Kind::Spot {
            return if wish.buys { of.value(wish.price, 1) } else { of.qty(1) };
        }
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
        let value = of.worth(at, 1);
        value.over(&self.leverage(wish.account, wish.pair).into()) + &value * &Num::read(TAKER)
    }

    /// Returns the part of an order that closes its position. Orders that wait share it, the oldest first; one that
    /// trades at once comes before them.
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

    /// Returns how much of a position an order closes, once those that it replaces are cancelled.
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
        while order.left() > 0 || order.wish.amount.is_some() {
            let Some(&place) = self.crossing(pair, buys, limit).first() else { break };
            let maker = &self.open[place];
            let affordable = order.wish.amount.as_ref().map(|amount| {
                (amount.clone() - order.value.clone()).whole_parts(&self.pairs[pair].value(maker.wish.price, 1))
            });
            if affordable == Some(0) {
                break;
            }
            if prevents && maker.is_user && self.accounts[maker.wish.account].user == user {
                if matches!(order.wish.prevention, Prevention::Maker | Prevention::Both) {
                    self.end(place);
                }
                if matches!(order.wish.prevention, Prevention::Taker | Prevention::Both) {
                    return self.note_end(order, End::Cancelled);
                }
                continue;
            }
            let (price, qty) = (maker.wish.price, affordable.unwrap_or(order.left()).min(maker.left()));
            if affordable.is_some() {
                order.wish.qty += qty;
            }
            if !maker.is_user {
                self.pairs[pair].is_touched = true;
            }
            let maker = maker.turn;
            self.pairs[pair].last = price;
            self.fill(&mut order, price, qty, true);
            if let Some(place) = self.open.iter().position(|other| other.turn == maker) {
                self.fill_waiting(place, price, qty);
            }
        }
        match order.left() {
            0 if order.filled > 0 => self.note_end(order, End::Filled),
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

    /// Applies the effect of a fill on the order, the position and the balance.
    fn fill(&mut self, order: &mut Order, price: i64, qty: i64, is_taker: bool) {
        let (account, key) = (order.wish.account, (order.wish.pair, order.wish.pos));
        let pair = self.pairs[order.wish.pair].clone();
        let rate = Num::read(if is_taker { TAKER } else { MAKER });
        order.netted -= qty.min(order.netted);
        order.filled += qty;
        order.value += pair.value(price, qty);
        order.base += pair.base_qty(price, qty);
        let (fee, profit) = if pair.kind == Kind::Spot {
            (self.exchange_coins(&order.wish, price, qty, &rate), Num::zero())
        } else {
            self.fill_position(&order.wish, price, qty, &rate)
        };
        order.fee += fee.clone();
        let (client, buys, pair) = (order.wish.client, order.wish.buys, order.wish.pair);
        self.accounts[account].fills.push(Fill { pair, client, buys, price, qty, is_taker, fee, profit });
        self.fit_orders(account, key);
        if self.pairs[pair].is_futures() {
            self.cancel_unpaid(account, self.pairs[pair].settle());
        }
    }

    /// Cancels spot orders, the newest first, for which a loss has left too little of a coin.
    pub(super) fn cancel_unpaid(&mut self, account: usize, coin: Coin) {
        loop {
            let of_spot = self.open.iter().filter(|order| {
                let pair = &self.pairs[order.wish.pair];
                let is_own = order.is_user && order.wish.account == account;
                is_own && !pair.is_futures() && pair.reserved(order.wish.buys) == coin
            });
            let frozen: Num = of_spot.clone().map(|order| &order.reserve * &Num::from(order.left())).sum();
            let newest = of_spot.max_by_key(|order| order.wish.client).map(|order| order.turn);
            if frozen <= self.accounts[account].total[coin] {
                return;
            }
            let Some(place) = self.open.iter().position(|order| Some(order.turn) == newest) else { return };
            self.end(place);
        }
    }

    /// Coins change hands. The fee is a part of what is received.
    fn exchange_coins(&mut self, wish: &Wish, price: i64, qty: i64, rate: &Num) -> Num {
        let pair = &self.pairs[wish.pair];
        let (base, value) = (pair.qty(qty), pair.value(price, qty));
        let (paid, got) =
            if wish.buys { ((pair.quote, value), (pair.base, base)) } else { ((pair.base, base), (pair.quote, value)) };
        let fee = (&got.1 * rate).rounded();
        let total = &mut self.accounts[wish.account].total;
        *total.get_mut(paid.0).unwrap() -= paid.1;
        *total.get_mut(got.0).unwrap() += got.1 - fee.clone();
        fee
    }

    /// Closes, opens or turns a position, and returns the fee and the profit.
    fn fill_position(&mut self, wish: &Wish, price: i64, qty: i64, rate: &Num) -> (Num, Num) {
        let (account, key) = (wish.account, (wish.pair, wish.pos));
        let pair = self.pairs[wish.pair].clone();
        let (coin, leverage) = (pair.settle(), self.leverage(account, wish.pair));
        let fee = (&pair.worth(price, qty) * rate).rounded();
        let fee_of = |part: i64| (&fee * &Num::from(part)).over(&Num::from(qty));
        let of = &mut self.accounts[account];
        let mut profit = Num::zero();
        let mut opens = qty;
        if let Some(position) = of.positions.get_mut(&key).filter(|position| position.buys != wish.buys) {
            let closes = qty.min(position.qty);
            opens -= closes;
            let share = |of: &Num| (of * &Num::from(closes)).over(&Num::from(position.qty));
            let (cost, margin) = (share(&position.cost), share(&position.margin));
            profit = pair.gain(position.buys, &cost, price, closes);
            let closing_fee = fee_of(closes);
            position.qty -= closes;
            position.cost -= cost;
            position.margin -= margin.clone();
            position.realised += profit.clone();
            position.close_fee += closing_fee.clone();
            *of.total.get_mut(coin).unwrap() += profit.clone() - closing_fee.clone();
            let isolated = position.isolated;
            if position.qty == 0 {
                of.positions.remove(&key);
            }
            // An isolated loss ends at its margin, and no balance is below zero.
            let missing = if isolated {
                closing_fee - profit.clone() - margin
            } else {
                self.margins(account, coin, true) - self.accounts[account].total[coin].clone()
            };
            let missing = missing.max(Num::zero());
            *self.accounts[account].total.get_mut(coin).unwrap() += missing.clone();
            *self.insurance.entry(coin).or_default() -= missing;
        }
        let of = &mut self.accounts[account];
        if opens > 0 {
            let (buys, isolated) = (wish.buys, wish.isolated);
            let position = of.positions.entry(key).or_insert_with(|| {
                let [cost, margin, realised, open_fee, close_fee, funding] = [(); 6].map(|()| Num::zero());
                let presets = Presets::default();
                Position { buys, qty: 0, cost, margin, isolated, presets, realised, open_fee, close_fee, funding }
            });
            position.presets.take_over(wish.presets);
            position.qty += opens;
            position.cost += pair.cost(price, opens);
            position.margin += pair.worth(price, opens).over(&leverage.into());
            position.open_fee += fee_of(opens);
            *of.total.get_mut(coin).unwrap() -= fee_of(opens);
        }
        (fee, profit)
    }

    /// Fits orders to a position that has changed: closing orders never close more than it, and other orders that
    /// closed what is gone reserve funds or are cancelled.
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
            if more > self.available(account, self.pairs[key.0].settle()) {
                self.end(place);
            } else {
                (self.open[place].netted, self.open[place].reserve) = (closes, reserve);
            }
        }
    }

    /// Returns an order of a request.
    pub(crate) fn order(&self, client: u64) -> Option<&Order> {
        self.open.iter().find(|order| order.wish.client == Some(client))
    }

    /// Modifies an order of the classic family: it is cancelled, and what replaces it is placed later. Only an order of
    /// which nothing is filled can be modified.
    pub(crate) fn replace(&mut self, account: usize, client: u64, fresh: u64, price: i64, qty: i64) -> Option<Wish> {
        let place = self.find(account, client)?;
        let order = &self.open[place];
        if order.filled > 0 {
            return None;
        }
        let wish = Wish { client: Some(fresh), price, qty, ..order.wish.clone() };
        self.end(place);
        Some(wish)
    }

    /// Reverses a position, or a part of it: closes it at the market, and opens as much on the other side.
    pub(crate) fn reverse(
        &mut self,
        account: usize,
        key: (usize, Pos),
        size: Option<i64>,
        client: u64,
    ) -> Result<(), Refused> {
        let Some(position) = self.accounts[account].positions.get(&key).cloned() else {
            return Err(Refused::NoPosition);
        };
        let qty = size.unwrap_or(position.qty).min(position.qty);
        let other = match key.1 {
            Pos::Net => Pos::Net,
            Pos::Long => Pos::Short,
            Pos::Short => Pos::Long,
        };
        let opening = Wish {
            account,
            pair: key.0,
            client: Some(client),
            buys: !position.buys,
            force: Force::Market,
            price: 0,
            qty,
            amount: None,
            pos: other,
            closes: false,
            isolated: position.isolated,
            prevention: Prevention::Off,
            presets: Presets::default(),
        };
        self.place(Wish { client: None, pos: key.1, closes: true, ..opening.clone() })?;
        // A position on the other side keeps its margin mode.
        let held = self.accounts[account].positions.get(&(key.0, other));
        let isolated = held.map_or(position.isolated, |held| held.isolated);
        self.place(Wish { isolated, ..opening })
    }

    fn find(&self, account: usize, client: u64) -> Option<usize> {
        self.open.iter().position(|order| order.wish.client == Some(client) && order.wish.account == account)
    }

    pub(crate) fn cancel(&mut self, account: usize, client: u64) -> Result<(), Refused> {
        let place = self.find(account, client).ok_or(Refused::NotOpen)?;
        self.end(place);
        Ok(())
    }

    /// Cancels the orders of an account in the pairs that are meant.
    pub(crate) fn cancel_all(&mut self, account: usize, pairs: impl Fn(usize) -> bool) {
        let is_meant = |order: &Order| order.is_user && order.wish.account == account && pairs(order.wish.pair);
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
        if more > Num::zero() && more > self.available(account, self.pairs[order.wish.pair].reserved(order.wish.buys)) {
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
            let pair = order.wish.pair;
            self.work(order);
            self.trigger(pair);
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
        self.trigger(key.0);
        self.liquidate(None);
        Ok(())
    }

    pub(super) fn close_quietly(&mut self, account: usize, key: (usize, Pos), position: &Position) {
        self.cancel_closing(account, key, 0);
        self.renew_quotes(key.0);
        let (pair, pos, buys, qty, isolated) = (key.0, key.1, !position.buys, position.qty, position.isolated);
        let (client, force, price, closes, prevention) = (None, Force::Market, 0, true, Prevention::Off);
        let (amount, presets) = (None, Presets::default());
        let wish =
            Wish { account, pair, client, buys, force, price, qty, amount, pos, closes, isolated, prevention, presets };
        let mut order = self.new_order(wish, true, false);
        order.netted = qty;
        self.work(order);
    }
}
