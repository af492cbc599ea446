//! Actions on the exchange, other than requests. Each is carried out as a whole or not at all.

use std::ops::RangeInclusive;

use rust_decimal::Decimal;

use crate::state::accounts::check_permissions;
use crate::state::book::Resting;
use crate::state::core::Core;
use crate::state::instruments::{Coin, Instrument, PairName};
use crate::state::journal::{Action, JournalLine};
use crate::state::orders::Order;
use crate::state::values::Price;
use crate::state::words::{Family, Line, Mode, Side};

impl Core {
    /// Carries out an action, and records it in the journal. An action that is refused lets time pass, and nothing else.
    pub(crate) fn act(&mut self, now: u64, action: Action) -> Result<(), String> {
        let before = self.now;
        if !matches!(action, Action::Reset) {
            self.advance(now);
        }
        let line = self.journal.is_some().then(|| action.clone());
        let done = self.carry_out(now, action);
        self.liquidate_changed();
        // In a lively market the pause has split time into steps, so a replay needs it.
        let paused = (self.settings.lively && self.now > before).then_some(Action::Look);
        let recorded = if done.is_ok() { line } else { paused };
        if let (Some(journal), Some(action)) = (&mut self.journal, recorded) {
            journal.push(&JournalLine::of_action(now, action));
        }
        done
    }

    fn carry_out(&mut self, now: u64, action: Action) -> Result<(), String> {
        match action {
            // The speed of the clock matters to whoever continues from the journal.
            Action::Look | Action::Clock { .. } => {}
            Action::Fill { order, qty } => {
                self.fill_by_name(&order, qty.0)?;
                self.note_fill();
            }
            Action::Price { symbol, line, price } => self.set_prices(&symbol, line, price)?,
            Action::Last { symbol, line, price } => self.set_last_prices(&symbol, line, price)?,
            Action::Mark { symbol, line, price } => self.set_marks(&symbol, line, price)?,
            Action::Suspend { symbol, line, is_suspended } => self.suspend(&symbol, line, is_suspended)?,
            Action::Book { line, symbol, quotes } => self.set_book(line, &symbol, quotes)?,
            Action::Other { line, symbol, side, price, qty } => self.place_other(line, &symbol, side, price, qty)?,
            Action::Balance { user, family, coin, amount } => self.set_balance(user, family, &coin, amount.0)?,
            Action::Mode { user, mode } => self.set_mode(user, mode)?,
            Action::Permissions { user, permissions } => self.set_permissions(user, permissions)?,
            Action::Fault(fault) => self.faults.list.push(fault),
            Action::ClearFaults => self.faults.list.clear(),
            Action::Conditions(conditions) => self.set_conditions(conditions),
            Action::Open(profile) => {
                self.open(*profile);
            }
            Action::Reset => self.reset(now),
        }
        Ok(())
    }

    fn set_prices(&mut self, symbol: &str, line: Option<Line>, price: Price) -> Result<(), String> {
        for (index, ticks) in self.ticks_of(symbol, line, price.0, Instrument::quotable)? {
            self.set_mid(index, ticks);
        }
        Ok(())
    }

    fn set_last_prices(&mut self, symbol: &str, line: Option<Line>, price: Price) -> Result<(), String> {
        let prices = self.ticks_of(symbol, line, price.0, Instrument::possible);
        for (index, ticks) in prices.map_err(|why| format!("last: {why}"))? {
            let now = self.now;
            self.markets[index].move_to(ticks, now);
            self.trigger(index);
        }
        Ok(())
    }

    fn set_marks(&mut self, symbol: &str, line: Option<Line>, price: Option<Price>) -> Result<(), String> {
        let marks: Vec<(usize, Option<u64>)> = match price {
            Some(price) => {
                let marks = self.ticks_of(symbol, line, price.0, Instrument::possible);
                marks
                    .map_err(|why| format!("mark: {why}"))?
                    .into_iter()
                    .map(|(index, ticks)| (index, Some(ticks)))
                    .collect()
            }
            None => self.indices_of(symbol, line)?.into_iter().map(|index| (index, None)).collect(),
        };
        for (index, mark) in marks {
            self.markets[index].own_mark = mark;
            self.trigger(index);
            self.liquidate(index);
        }
        Ok(())
    }

    fn suspend(&mut self, symbol: &str, line: Option<Line>, is_suspended: bool) -> Result<(), String> {
        for index in self.indices_of(symbol, line)? {
            self.pairs[index].suspended = is_suspended;
            self.trigger(index);
        }
        Ok(())
    }

    fn set_permissions(&mut self, user: u64, permissions: Option<Vec<String>>) -> Result<(), String> {
        let user = self.user_with_id(user)?;
        let checked = permissions.as_deref().map_or(Ok(()), check_permissions);
        checked.map_err(|why| format!("permissions: {why}"))?;
        self.users[user].permissions = permissions;
        Ok(())
    }

    fn fill_by_name(&mut self, name: &str, qty: Decimal) -> Result<(), String> {
        let is_meant = |order: &&Order| order.id.to_string() == name || order.client() == Some(name);
        let found = self.orders.iter().filter(|order| order.spot.is_some()).find(is_meant);
        let found = found.ok_or_else(|| format!("order {name}: there is no open order with this id"))?;
        let (id, index, spot, remaining) = (found.id, found.ticket.pair, found.spot, found.remaining());
        let lots = self.pairs[index].lots(qty).filter(|lots| (1..=remaining).contains(lots));
        let (Some(lots), Some(spot)) = (lots, spot) else {
            let rest = self.pairs[index].qty(remaining);
            return Err(format!("invalid qty {qty}: order {name} has {rest} left to fill, in multiples of the step"));
        };
        self.books[index].reduce(spot, lots);
        self.publish_trade(index, spot.side.opposite(), spot.ticks, lots);
        self.fill(id, spot.ticks, lots, false);
        self.trigger(index);
        Ok(())
    }

    /// Returns the pairs with a symbol, in one business line or in all.
    fn indices_of(&self, symbol: &str, line: Option<Line>) -> Result<Vec<usize>, String> {
        let name = PairName::new(line, symbol);
        let indices: Vec<usize> = (0..self.pairs.len()).filter(|index| name.means(&self.pairs[*index])).collect();
        let of_line = line.map(|line| format!(", line {line}")).unwrap_or_default();
        if indices.is_empty() {
            Err(format!("symbol {symbol}{of_line}: there is no pair of this name"))
        } else {
            Ok(indices)
        }
    }

    /// Returns the pairs with a symbol, each with a price in its ticks, which has to be in a range.
    fn ticks_of(
        &self,
        symbol: &str,
        line: Option<Line>,
        price: Decimal,
        range: fn(&Instrument) -> RangeInclusive<u64>,
    ) -> Result<Vec<(usize, u64)>, String> {
        let ticks = |index: usize| Ok((index, self.pairs[index].ticks_within(price, range)?));
        self.indices_of(symbol, line)?.into_iter().map(ticks).collect()
    }

    fn index_of(&self, line: Line, symbol: &str) -> Result<usize, String> {
        self.indices_of(symbol, Some(line)).map(|indices| indices[0])
    }

    /// Sets the quotes of other participants, who keep them until they are set again.
    fn set_book(&mut self, line: Line, symbol: &str, quotes: Option<[Vec<(Price, Price)>; 2]>) -> Result<(), String> {
        let index = self.index_of(line, symbol)?;
        let Some(quotes) = quotes else {
            let least = *self.pairs[index].quotable().start();
            let market = &mut self.markets[index];
            (market.own_quotes, market.mid) = (None, market.mid.max(least));
            self.quote(index);
            return Ok(());
        };
        let mut wanted = Vec::new();
        for (side, levels) in [Side::Buy, Side::Sell].into_iter().zip(quotes) {
            for (price, qty) in levels {
                let pair = &self.pairs[index];
                let name = if side == Side::Buy { "bids" } else { "asks" };
                let level = |why: String| format!("{name}: {why}");
                let ticks = pair.ticks_within(price.0, Instrument::possible).map_err(level)?;
                wanted.push((side, ticks, pair.lots_of_others(qty.0, ticks).map_err(level)?));
            }
        }
        let best = |side: Side| wanted.iter().filter(move |(of, ..)| *of == side).map(|(_, ticks, _)| *ticks);
        if let (Some(bid), Some(ask)) = (best(Side::Buy).max(), best(Side::Sell).min())
            && bid >= ask
        {
            return Err("bids and asks cross: expected all bids below all asks".to_owned());
        }
        self.set_quotes(index, wanted);
        Ok(())
    }

    /// Lets another participant trade with what is in the book. The rest of a limit order stays there.
    fn place_other(
        &mut self,
        line: Line,
        symbol: &str,
        side: Side,
        price: Option<Price>,
        qty: Price,
    ) -> Result<(), String> {
        let index = self.index_of(line, symbol)?;
        let pair = &self.pairs[index];
        let limit = price.map(|price| pair.ticks_within(price.0, Instrument::possible)).transpose()?;
        let lots = pair.lots_of_others(qty.0, limit.unwrap_or(pair.opening))?;
        self.wake(index);
        let left = self.trade_of_others(index, side, limit, lots);
        if let Some(ticks) = limit.filter(|_| left > 0) {
            self.books[index].rest(side, ticks, Resting { order: None, lots: left });
        }
        self.trigger(index);
        Ok(())
    }

    fn user_with_id(&self, id: u64) -> Result<usize, String> {
        let found = self.users.iter().position(|user| user.id == id);
        found.ok_or_else(|| format!("user {id}: there is no such user"))
    }

    fn set_balance(&mut self, user: u64, family: Family, coin: &str, amount: Decimal) -> Result<(), String> {
        let of = &self.users[self.user_with_id(user)?];
        if !of.profile.accounts.serve(family) {
            return Err(format!("family {family}: user {user} has a {} account only", of.profile.accounts));
        }
        let account = of.account(family);
        let known = self.accounts[account].balances.keys().copied().find(|known: &Coin| *known == coin);
        let coin = known.ok_or_else(|| format!("coin {coin}: no pair has this coin"))?;
        let balance = self.accounts[account].balance(coin);
        let used = balance.frozen + balance.margin;
        if amount < used {
            return Err(format!("balance {amount}: orders and positions use {used} {coin}, expected at least that"));
        }
        balance.total = amount;
        Ok(())
    }

    /// Sets how the accounts of a user keep positions.
    fn set_mode(&mut self, user: u64, mode: Mode) -> Result<(), String> {
        let user = self.user_with_id(user)?;
        let accounts = [Family::Classic, Family::Unified].map(|family| self.users[user].account(family));
        if accounts.iter().any(|account| self.is_mode_fixed(*account, mode)) {
            return Err(format!("mode {mode}: it cannot be changed while there are positions or orders"));
        }
        for account in accounts {
            // Nothing is open.
            let _ = self.set_position_mode(account, mode);
        }
        Ok(())
    }
}
