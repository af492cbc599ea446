//! Liquidation and funding: positions whose margin is used up are closed at the market price, and long positions pay to
//! short ones.

use std::collections::BTreeSet;

use rust_decimal::Decimal;

use crate::state::accounts::{Payment, Position, record};
use crate::state::core::{Core, FUNDING};
use crate::state::instruments::{Coin, Contract, quotient};
use crate::state::orders::{Source, State};
use crate::state::settings::{FUNDING_RATE, MAINTENANCE};
use crate::state::words::{Cancelled, Margin, PositionSide, Side};

/// A position, by pair, account and side.
type PositionRef = (usize, usize, PositionSide);

impl Core {
    /// Closes the positions of a pair whose margin the mark price has used up. Orders of the account in the pair are
    /// cancelled first.
    pub(crate) fn liquidate(&mut self, index: usize) {
        if !self.settings.liquidation {
            return;
        }
        let mut others = BTreeSet::new();
        // One by one, because each changes what is left for the others of its account.
        while let Some((_, account, pos)) = self.used_up(index) {
            let of_pair = |id: &u64| self.orders.get(id).is_some_and(|order| order.ticket.pair == index);
            let open: Vec<u64> = self.accounts[account].open.iter().copied().filter(of_pair).collect();
            for order in open {
                self.end(order, State::Cancelled(Cancelled::Normal));
            }
            others.extend(self.accounts[account].positions.keys().map(|(pair, _)| *pair).filter(|pair| *pair != index));
            let lots = self.accounts[account].position(index, pos).lots;
            let closed = self.close_position(account, index, pos, lots, Source::Liquidation);
            if closed.is_err() || self.accounts[account].position(index, pos).lots == lots {
                // Nothing can be closed at this price, as with an empty book; the next change of the price tries again.
                return;
            }
        }
        // What the liquidation lost, is missing for crossed positions of other pairs.
        for other in others {
            self.liquidate(other);
        }
    }

    /// Liquidates positions of accounts that have traded or changed their leverage, whose margin is used up at the same
    /// price.
    pub(crate) fn liquidate_changed(&mut self) {
        while !self.changed.is_empty() {
            let changed = std::mem::take(&mut self.changed);
            let positions = changed.iter().flat_map(|account| self.accounts[*account].positions.keys());
            let pairs: BTreeSet<usize> = positions.map(|(index, _)| *index).collect();
            for index in pairs {
                self.liquidate(index);
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

    /// Returns the maintenance margin of an account's crossed positions in a coin, as a fraction of what backs them.
    pub(crate) fn crossed_risk(&self, account: usize, coin: Coin) -> Decimal {
        let (worth, needed) = self.crossed(account, coin);
        quotient(needed, worth)
    }

    /// Returns the mark price at which a position is liquidated; `None` if there is none.
    pub(crate) fn liquidation_price(&self, index: usize, account: usize, pos: PositionSide) -> Option<Decimal> {
        let (pair, of) = (&self.pairs[index], &self.accounts[account]);
        let position = of.position(index, pos);
        // What moves with the price, and what backs it.
        let (moving, backing) = match position.mode {
            Margin::Isolated => (vec![position], position.margin),
            Margin::Crossed => {
                let of_pair = of.positions.range((index, PositionSide::Net)..=(index, PositionSide::Short));
                let crossed = of_pair.map(|(_, position)| *position).filter(|one| one.mode == Margin::Crossed);
                let moving: Vec<Position> = crossed.collect();
                // What the others leave, at their mark prices.
                let (worth, needed) = self.crossed(account, pair.settle());
                let left: Decimal =
                    moving.iter().map(|one| self.marked(index, one)).map(|(profit, own)| own - profit).sum();
                (moving, worth - needed + left)
            }
        };
        let (mut net_qty, mut net_cost, mut needed) = (Decimal::ZERO, Decimal::ZERO, Decimal::ZERO);
        for one in &moving {
            let (qty, sign) = (pair.qty(one.lots), if one.side == Side::Buy { Decimal::ONE } else { -Decimal::ONE });
            (net_qty, net_cost, needed) =
                (net_qty + sign * qty, net_cost + sign * one.cost, needed + qty * MAINTENANCE);
        }
        // Where the backing and the profit equal the maintenance margin.
        let (above, below) = match pair.contract {
            Contract::Spot | Contract::Linear => (net_cost - backing, net_qty - needed),
            Contract::Inverse => (net_cost, backing + net_qty - needed),
            Contract::InverseByQuote => (net_qty + needed, backing + net_cost),
        };
        (!below.is_zero() && above * below > Decimal::ZERO).then(|| quotient(above, below))
    }

    /// Returns an account's equity in a coin for its crossed positions, and the margin that they need.
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

    /// Returns the profit of a position at the mark price, and the margin that it needs there.
    pub(crate) fn marked(&self, index: usize, position: &Position) -> (Decimal, Decimal) {
        let (pair, mark) = (&self.pairs[index], self.markets[index].mark());
        let profit = pair.profit(position.side, position.cost, mark, position.lots);
        (profit, pair.settled_value(mark, position.lots) * MAINTENANCE)
    }
}

impl Core {
    /// Lets all positions pay or receive funding, at the mark price. What an account cannot pay, the insurance account does.
    pub(crate) fn pay_funding(&mut self) {
        self.next_funding += FUNDING;
        if !self.settings.funding {
            return;
        }
        let held: Vec<_> = self.held.iter().copied().collect();
        for (index, holder, pos) in held {
            let id = self.new_id();
            let (pair, mark) = (&self.pairs[index], self.markets[index].mark());
            let account = &mut self.accounts[holder];
            let Some(position) = account.positions.get_mut(&(index, pos)) else { continue };
            let paid = (pair.settled_value(mark, position.lots) * FUNDING_RATE).round_dp(8);
            let received = if position.side == Side::Buy { -paid } else { paid };
            position.tally.funding += received;
            let (margin, held) = (position.mode, (position.lots, position.margin));
            let coin = pair.settle();
            account.balance(coin).total += received;
            if received < Decimal::ZERO {
                let missing = account.missing_beside_isolated(&self.pairs, coin);
                account.balance(coin).total += missing;
                *self.insurance.entry(coin).or_default() -= missing;
                self.cancel_unpaid(holder, coin);
            }
            let account = &mut self.accounts[holder];
            let balance = account.balance(coin).total;
            let (amount, at) = (received, self.now);
            let payment = Payment { id, pair: index, margin, held, amount, balance, at };
            record(&mut account.payments, payment, self.settings.history);
        }
        for index in 0..self.pairs.len() {
            self.liquidate(index);
        }
    }
}
