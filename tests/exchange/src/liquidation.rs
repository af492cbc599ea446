//! Liquidation: positions whose margin is used up are closed at the market price.

use rust_decimal::Decimal;

use crate::accounts::Position;
use crate::decisions::MAINTENANCE;
use crate::instruments::{Coin, Contract, quotient};
use crate::orders::{Source, State};
use crate::state::Core;
use crate::words::{Cancelled, Margin, PositionSide, Side};

/// A position, by pair, account and side.
type PositionRef = (usize, usize, PositionSide);

impl Core {
    /// Closes the positions of a pair whose margin the mark price has used up. Orders of the account in the pair are
    /// cancelled first.
    pub(crate) fn liquidate(&mut self, index: usize) {
        if !self.settings.liquidation {
            return;
        }
        // One by one, because each changes what is left for the others of its account.
        while let Some((_, account, pos)) = self.used_up(index) {
            let of_pair = |id: &u64| self.orders.get(id).is_some_and(|order| order.ticket.pair == index);
            let open: Vec<u64> = self.accounts[account].open.iter().copied().filter(of_pair).collect();
            for order in open {
                self.end(order, State::Cancelled(Cancelled::Normal));
            }
            let lots = self.accounts[account].position(index, pos).lots;
            let closed = self.close_position(account, index, pos, lots, Source::Liquidation);
            if closed.is_err() || self.accounts[account].position(index, pos).lots == lots {
                // Nothing can be closed at this price, as with an empty book; the next change of the price tries again.
                return;
            }
        }
    }

    fn used_up(&self, index: usize) -> Option<PositionRef> {
        let mut held = self.held.range((index, 0, PositionSide::Net)..).take_while(|(pair, _, _)| *pair == index);
        held.find(|held| self.is_used_up(**held)).copied()
    }

    fn is_used_up(&self, (index, account, pos): PositionRef) -> bool {
        let Some(position) = self.accounts[account].positions.get(&(index, pos)) else { return false };
        let (worth, needed) = match position.mode {
            Margin::Isolated => {
                let (profit, needed) = self.marked(index, position);
                (position.margin + profit, needed)
            }
            Margin::Crossed => self.crossed(account, self.pairs[index].settle()),
        };
        worth < needed
    }

    /// The mark price at which a position is liquidated; `None` if there is none.
    pub(crate) fn liquidation_price(&self, index: usize, account: usize, pos: PositionSide) -> Option<Decimal> {
        let (pair, position) = (&self.pairs[index], self.accounts[account].position(index, pos));
        let backing = match position.mode {
            Margin::Isolated => position.margin,
            Margin::Crossed => {
                // What the others leave, at their mark prices.
                let (worth, needed) = self.crossed(account, pair.settle());
                let (profit, own) = self.marked(index, &position);
                (worth - profit) - (needed - own)
            }
        };
        let (qty, one) = (pair.qty(position.lots), Decimal::ONE);
        let is_long = position.side == Side::Buy;
        // Where the backing and the profit equal the maintenance margin.
        let (above, below) = match (pair.contract, is_long) {
            (Contract::Spot | Contract::Linear, true) => (position.cost - backing, qty * (one - MAINTENANCE)),
            (Contract::Spot | Contract::Linear, false) => (position.cost + backing, qty * (one + MAINTENANCE)),
            (Contract::Inverse, true) => (position.cost, backing + qty * (one - MAINTENANCE)),
            (Contract::Inverse, false) => (position.cost, qty * (one + MAINTENANCE) - backing),
            (Contract::InverseByQuote, true) => (qty * (one + MAINTENANCE), backing + position.cost),
            (Contract::InverseByQuote, false) => (qty * (one - MAINTENANCE), position.cost - backing),
        };
        (below > Decimal::ZERO && above > Decimal::ZERO).then(|| quotient(above, below))
    }

    /// An account's equity in a coin for its crossed positions, and the margin that they need.
    fn crossed(&self, account: usize, coin: Coin) -> (Decimal, Decimal) {
        let account = &self.accounts[account];
        let balance = account.balances.get(coin).copied().unwrap_or_default();
        let settled = account.positions.iter().filter(|((index, _), _)| self.pairs[*index].settle() == coin);
        settled.fold((balance.equity(), Decimal::ZERO), |(worth, needed), ((index, _), position)| match position.mode {
            Margin::Isolated => (worth - position.margin, needed),
            Margin::Crossed => {
                let (profit, more) = self.marked(*index, position);
                (worth + profit, needed + more)
            }
        })
    }

    /// The profit of a position at the mark price, and the margin that it needs there.
    pub(crate) fn marked(&self, index: usize, position: &Position) -> (Decimal, Decimal) {
        let (pair, mark) = (&self.pairs[index], self.markets[index].mark());
        let profit = pair.profit(position.side, position.cost, mark, position.lots);
        (profit, pair.settled_value(mark, position.lots) * MAINTENANCE)
    }
}
