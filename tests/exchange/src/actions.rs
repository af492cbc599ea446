//! Actions on the exchange, other than requests. Each is carried out as a whole or not at all.

use rust_decimal::Decimal;

use crate::instruments::Coin;
use crate::journal::{Action, JournalLine};
use crate::orders::Order;
use crate::state::Core;
use crate::values::Price;
use crate::words::{Family, Line, Mode, Side};

impl Core {
    /// Carries out an action, and records it in the journal. An action that is refused lets time pass, and nothing else.
    pub(crate) fn act(&mut self, now: u64, action: Action) -> Result<(), String> {
        if !matches!(action, Action::Reset) {
            self.advance(now);
        }
        let line = self.journal.is_some().then(|| action.clone());
        let done = self.carry_out(now, action);
        self.liquidate_changed();
        if let (Some(journal), Some(action)) = (&mut self.journal, line) {
            let recorded = if done.is_ok() { action } else { Action::Look };
            journal.push(&JournalLine::of_action(now, recorded));
        }
        done
    }

    fn carry_out(&mut self, now: u64, action: Action) -> Result<(), String> {
        match action {
            Action::Look => {}
            Action::Fill { order, qty } => {
                self.fill_by_name(&order, qty.0)?;
                self.note_fill();
            }
            Action::Price { symbol, price } => {
                for (index, ticks) in self.ticks_of(&symbol, price.0)? {
                    self.set_mid(index, ticks);
                }
            }
            Action::Last { symbol, price } => {
                for (index, ticks) in self.ticks_of(&symbol, price.0)? {
                    let now = self.now;
                    self.markets[index].move_to(ticks, now);
                    self.trigger(index);
                }
            }
            Action::Mark { symbol, price } => {
                let marks = match price {
                    Some(price) => self
                        .ticks_of(&symbol, price.0)?
                        .into_iter()
                        .map(|(index, ticks)| (index, Some(ticks)))
                        .collect(),
                    None => self.indices_of(&symbol)?.into_iter().map(|index| (index, None)).collect::<Vec<_>>(),
                };
                for (index, mark) in marks {
                    self.markets[index].own_mark = mark;
                    self.trigger(index);
                    self.liquidate(index);
                }
            }
            Action::Suspend { symbol, is_suspended } => {
                for index in self.indices_of(&symbol)? {
                    self.pairs[index].suspended = is_suspended;
                    self.trigger(index);
                }
            }
            Action::Book { line, symbol, quotes } => self.set_book(line, &symbol, quotes)?,
            Action::Other { line, symbol, side, price, qty } => self.place_other(line, &symbol, side, price, qty)?,
            Action::Balance { user, family, coin, amount } => self.set_balance(user, family, &coin, amount.0)?,
            Action::Mode { user, mode } => self.set_mode(user, mode)?,
            Action::Permissions { user, permissions } => {
                let user = self.user_with_id(user)?;
                self.users[user].profile.permissions = permissions;
            }
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

    fn fill_by_name(&mut self, name: &str, qty: Decimal) -> Result<(), String> {
        let is_meant = |order: &&Order| order.id.to_string() == name || order.client() == Some(name);
        let found = self.orders.iter().filter(|order| order.spot.is_some()).find(is_meant);
        let found = found.ok_or_else(|| format!("there is no open order {name}"))?;
        let (id, index, spot, remaining) = (found.id, found.ticket.pair, found.spot, found.remaining());
        let lots = self.pairs[index].lots(qty).filter(|lots| (1..=remaining).contains(lots));
        let (Some(lots), Some(spot)) = (lots, spot) else {
            let rest = self.pairs[index].qty(remaining);
            return Err(format!(
                "order {name} has {rest} left to fill: expected at most that, in multiples of the step"
            ));
        };
        self.books[index].reduce(spot, lots);
        self.publish_trade(index, spot.side.opposite(), spot.ticks, lots);
        self.fill(id, spot.ticks, lots, false);
        self.trigger(index);
        Ok(())
    }

    /// The pairs with a symbol, in all product lines.
    fn indices_of(&self, symbol: &str) -> Result<Vec<usize>, String> {
        let indices: Vec<usize> = (0..self.pairs.len()).filter(|index| self.pairs[*index].symbol == symbol).collect();
        if indices.is_empty() { Err(format!("there is no pair {symbol}")) } else { Ok(indices) }
    }

    /// The pairs with a symbol, each with a price in its ticks.
    fn ticks_of(&self, symbol: &str, price: Decimal) -> Result<Vec<(usize, u64)>, String> {
        let ticks = |index: usize| Ok((index, self.ticks_for(index, price)?));
        self.indices_of(symbol)?.into_iter().map(ticks).collect()
    }

    fn ticks_for(&self, index: usize, price: Decimal) -> Result<u64, String> {
        let pair = &self.pairs[index];
        let ticks = pair.ticks(price).filter(|ticks| (1..=pair.opening * 100).contains(ticks));
        ticks.ok_or_else(|| {
            let (symbol, line, tick) = (pair.symbol, pair.line, pair.tick);
            format!("{price} is not a valid price of {symbol} in {line}: expected a multiple of {tick}")
        })
    }

    fn lots_for(&self, index: usize, qty: Decimal) -> Result<u64, String> {
        let pair = &self.pairs[index];
        let lots = pair.lots(qty).filter(|lots| *lots > 0);
        lots.ok_or_else(|| {
            format!("{qty} is not a valid quantity of {}: expected a multiple of {}", pair.symbol, pair.step)
        })
    }

    fn index_of(&self, line: Line, symbol: &str) -> Result<usize, String> {
        let found = self.pairs.iter().position(|pair| pair.line == line && pair.symbol == symbol);
        found.ok_or_else(|| format!("there is no pair {symbol} in {line}"))
    }

    /// Sets the quotes of other participants, who keep them until they are set again.
    fn set_book(&mut self, line: Line, symbol: &str, quotes: Option<[Vec<(Price, Price)>; 2]>) -> Result<(), String> {
        let index = self.index_of(line, symbol)?;
        let Some(quotes) = quotes else {
            self.markets[index].own_quotes = None;
            self.quote(index);
            return Ok(());
        };
        let mut wanted = Vec::new();
        for (side, levels) in [Side::Buy, Side::Sell].into_iter().zip(quotes) {
            for (price, qty) in levels {
                wanted.push((side, self.ticks_for(index, price.0)?, self.lots_for(index, qty.0)?));
            }
        }
        let best = |side: Side| wanted.iter().filter(move |(of, ..)| *of == side).map(|(_, ticks, _)| *ticks);
        if let (Some(bid), Some(ask)) = (best(Side::Buy).max(), best(Side::Sell).min())
            && bid >= ask
        {
            return Err("the book crosses: expected all bids below all asks".to_owned());
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
        let lots = self.lots_for(index, qty.0)?;
        let limit = price.map(|price| self.ticks_for(index, price.0)).transpose()?;
        self.wake(index);
        let left = self.trade_of_others(index, side, limit, lots);
        if let Some(ticks) = limit.filter(|_| left > 0) {
            self.books[index].rest(side, ticks, crate::book::Resting { order: None, lots: left });
        }
        self.trigger(index);
        Ok(())
    }

    fn user_with_id(&self, id: u64) -> Result<usize, String> {
        let found = self.users.iter().position(|user| user.id == id);
        found.ok_or_else(|| format!("there is no user {id}"))
    }

    fn set_balance(&mut self, user: u64, family: Family, coin: &str, amount: Decimal) -> Result<(), String> {
        let account = self.users[self.user_with_id(user)?].account(family);
        let known = self.accounts[account].balances.keys().copied().find(|known: &Coin| *known == coin);
        let coin = known.ok_or_else(|| format!("there is no coin {coin}"))?;
        let balance = self.accounts[account].balance(coin);
        let used = balance.frozen + balance.margin;
        if amount < used {
            return Err(format!("orders and positions use {used} {coin}: expected at least that"));
        }
        balance.total = amount;
        Ok(())
    }

    /// Sets how both accounts of a user keep positions.
    fn set_mode(&mut self, user: u64, mode: Mode) -> Result<(), String> {
        let user = self.user_with_id(user)?;
        let accounts = [Family::Classic, Family::Unified].map(|family| self.users[user].account(family));
        if accounts.iter().any(|account| self.is_mode_fixed(*account, mode)) {
            return Err("the mode cannot be changed while there are positions or orders".to_owned());
        }
        for account in accounts {
            // Nothing is open.
            let _ = self.set_position_mode(account, mode);
        }
        Ok(())
    }
}
