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

    pub(crate) fn pay_funding(&mut self) {
        for account in &mut self.accounts {
            for ((pair, _), position) in &mut account.positions {
                let pair = &self.pairs[*pair];
                let paid = (&pair.worth(pair.marked(), position.qty) * &Num::read(FUNDING)).rounded();
                let paid = &sign(position.buys) * &paid;
                position.funding -= paid.clone();
                *account.total.get_mut(pair.settle()).unwrap() -= paid;
            }
        }
        self.liquidate(None);
    }
}
