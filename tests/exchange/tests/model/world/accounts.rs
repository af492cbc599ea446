//! Leverage, modes and funding.

use super::{Coin, FUNDING, Refused, World, sign};
use crate::number::Num;

impl World {
    pub(crate) fn set_leverage(&mut self, account: usize, pair: usize, leverage: i64) -> Result<(), Refused> {
        let before = (self.accounts[account].clone(), self.open.clone());
        let coin = self.pairs[pair].settle();
        let (available, used) = (self.available(account, coin), self.used(account, coin));
        self.accounts[account].leverage.insert(pair, leverage);
        for ((of, _), position) in &mut self.accounts[account].positions {
            if *of == pair {
                position.margin = self.pairs[pair].entry_worth(position).over(&leverage.into());
            }
        }
        for place in 0..self.open.len() {
            let order = &self.open[place];
            if order.is_user && order.wish.account == account && order.wish.pair == pair && order.left() > order.netted
            {
                let reserve = self.reserve(&order.wish);
                self.open[place].reserve = reserve;
            }
        }
        let more = self.used(account, coin) - used;
        if more > Num::zero() && more > available {
            (self.accounts[account], self.open) = before;
            return Err(Refused::Funds);
        }
        self.liquidate(None);
        Ok(())
    }

    fn used(&self, account: usize, coin: Coin) -> Num {
        self.margins(account, coin, false) + self.frozen(account, coin)
    }

    pub(crate) fn set_mode(&mut self, account: usize, hedged: bool) -> Result<(), Refused> {
        let is_open = self
            .open
            .iter()
            .any(|order| order.is_user && order.wish.account == account && self.pairs[order.wish.pair].is_futures());
        let of = &mut self.accounts[account];
        if of.hedged != hedged && (is_open || !of.positions.is_empty()) {
            return Err(Refused::Fixed);
        }
        of.hedged = hedged;
        Ok(())
    }

    /// Positions pay funding in the order of their pairs. What an account cannot pay, the insurance account does.
    pub(crate) fn pay_funding(&mut self) {
        let held = self.accounts.iter().enumerate();
        let held = held.flat_map(|(account, of)| of.positions.keys().map(move |key| (key.0, account, key.1)));
        let mut held: Vec<_> = held.collect();
        held.sort_unstable();
        for (pair, account, pos) in held {
            let of = &mut self.accounts[account];
            let (contract, position) = (&self.pairs[pair], of.positions.get_mut(&(pair, pos)).unwrap());
            let coin = contract.settle();
            let worth = contract.worth(contract.marked(), position.qty);
            let paid = &sign(position.buys) * &(&worth * &Num::read(FUNDING)).rounded();
            position.funding -= paid.clone();
            *of.total.get_mut(coin).unwrap() -= paid.clone();
            if paid > Num::zero() {
                let missing = self.margins(account, coin, true) - self.accounts[account].total[coin].clone();
                let missing = missing.max(Num::zero());
                *self.accounts[account].total.get_mut(coin).unwrap() += missing.clone();
                *self.insurance.entry(coin).or_default() -= missing;
                self.cancel_unpaid(account, coin);
            }
        }
        self.liquidate(None);
    }
}
