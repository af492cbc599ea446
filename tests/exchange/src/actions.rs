//! Actions on the exchange, other than requests.

use rust_decimal::Decimal;

use crate::journal::{Action, JournalLine};
use crate::orders::Order;
use crate::state::Core;

impl Core {
    /// Carries out an action, and records it in the journal.
    pub(crate) fn act(&mut self, now: u64, action: Action) -> Result<(), String> {
        if !matches!(action, Action::Reset) {
            self.advance(now);
        }
        let line = self.journal.is_some().then(|| JournalLine::of_action(now, action.clone()));
        match action {
            Action::Look => {}
            Action::Fill { order, qty } => {
                self.fill_by_name(&order, qty.0)?;
                self.note_fill();
            }
            Action::Price { symbol, price } => self.move_price(&symbol, price.0)?,
            Action::Suspend { symbol, is_suspended } => {
                self.pairs
                    .iter_mut()
                    .filter(|pair| pair.symbol == symbol)
                    .for_each(|pair| pair.suspended = is_suspended);
            }
            Action::Fault(fault) => self.faults.list.push(fault),
            Action::ClearFaults => self.faults.list.clear(),
            Action::Conditions(conditions) => self.set_conditions(conditions),
            Action::Open(profile) => {
                self.open(*profile);
            }
            Action::Reset => self.reset(now),
        }
        if let (Some(journal), Some(line)) = (&mut self.journal, line) {
            journal.push(&line);
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

    fn move_price(&mut self, symbol: &str, price: Decimal) -> Result<(), String> {
        let indices: Vec<usize> = (0..self.pairs.len()).filter(|index| self.pairs[*index].symbol == symbol).collect();
        if indices.is_empty() {
            return Err(format!("there is no pair {symbol}"));
        }
        for index in indices {
            let ticks = self.pairs[index].ticks(price).filter(|ticks| *ticks <= self.pairs[index].opening * 100);
            let ticks = ticks.ok_or_else(|| format!("{price} is not a valid price of {symbol}"))?;
            self.set_mid(index, ticks);
        }
        Ok(())
    }
}
