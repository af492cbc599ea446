//! Take-profits and stop-losses.

use super::{Pos, Position, Presets, World};

impl Presets {
    fn is_some(self) -> bool {
        self.profit.is_some() || self.loss.is_some()
    }

    /// Takes over what others set.
    pub(super) fn take_over(&mut self, others: Self) {
        self.profit = others.profit.or(self.profit);
        self.loss = others.loss.or(self.loss);
    }

    /// Returns whether a price reaches the take-profit, and whether the stop-loss, of what was bought or sold.
    pub(super) fn reached(self, buys: bool, price: i64) -> [bool; 2] {
        let beyond = |preset: i64, above: bool| if above { price >= preset } else { price <= preset };
        [self.profit.is_some_and(|preset| beyond(preset, buys)), self.loss.is_some_and(|preset| beyond(preset, !buys))]
    }
}

impl Position {
    /// Returns whether a price reaches one of its presets.
    fn is_reached(&self, last: i64) -> bool {
        self.presets.reached(self.buys, last) != [false; 2]
    }
}

impl World {
    /// Closes the positions of a pair whose presets the latest price has reached, until it reaches none.
    pub(super) fn trigger(&mut self, pair: usize) {
        loop {
            let last = self.pairs[pair].last;
            let mut reached: Vec<(usize, (usize, Pos))> = Vec::new();
            for (account, of) in self.accounts.iter().enumerate() {
                let own = of.positions.iter().filter(|(key, position)| key.0 == pair && position.is_reached(last));
                reached.extend(own.map(|(key, _)| (account, *key)));
            }
            if reached.is_empty() {
                return;
            }
            for (account, key) in reached {
                let Some(position) = self.accounts[account].positions.get_mut(&key) else { continue };
                if position.presets.is_some() {
                    position.presets = Presets::default();
                    let position = position.clone();
                    self.close_quietly(account, key, &position);
                }
            }
        }
    }
}
