//! Liquidation: positions whose margin is used up are closed at the market price.

use rust_decimal::Decimal;

use crate::accounts::Position;
use crate::decisions::MAINTENANCE;
use crate::instruments::Coin;
use crate::orders::{Source, State};
use crate::state::Core;
use crate::words::{Cancelled, Margin, PositionSide};

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
        let (pair, mark) = (&self.pairs[index], self.markets[index].mid);
        let profit = pair.profit(position.side, position.cost, mark, position.lots);
        (profit, pair.settled_value(mark, position.lots) * MAINTENANCE)
    }
}
