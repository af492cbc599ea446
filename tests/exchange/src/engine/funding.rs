//! Funding: what long positions pay to short ones.

use rust_decimal::Decimal;

use crate::state::accounts::Payment;
use crate::state::core::{Core, FUNDING};
use crate::state::decisions::FUNDING_RATE;
use crate::state::words::Side;

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
            account.payments.push_back(Payment { id, pair: index, margin, held, amount, balance, at });
        }
        for index in 0..self.pairs.len() {
            self.liquidate(index);
        }
    }
}
