//! When a position is liquidated, and at which price.

use super::{Kind, MAINTENANCE, Pos, Position, World, sign};
use crate::number::Num;

impl World {
    /// Returns what backs a position and its profit, less the margin that it needs: by itself if it is isolated, with
    /// the balance and the other crossed ones otherwise.
    fn excess(&self, account: usize, position: &Position, pair: usize) -> Num {
        let of = &self.accounts[account];
        if position.isolated {
            let pair = &self.pairs[pair];
            return position.margin.clone() + pair.profit(position) - pair.maintenance(position);
        }
        let coin = self.pairs[pair].settle();
        let same = of.positions.iter().filter(|((pair, _), _)| self.pairs[*pair].settle() == coin);
        let each = same.map(|((pair, _), position)| {
            let pair = &self.pairs[*pair];
            if position.isolated {
                -position.margin.clone()
            } else {
                pair.profit(position) - pair.maintenance(position)
            }
        });
        of.total[coin].clone() + each.sum()
    }

    /// Returns the next position to liquidate, first of the pair whose price has moved.
    fn next_used_up(&self, moved: Option<usize>) -> Option<(usize, (usize, Pos), Position)> {
        let mut all: Vec<_> = Vec::new();
        for (index, account) in self.accounts.iter().enumerate() {
            all.extend(account.positions.iter().map(|(key, position)| (key.0, index, *key, position)));
        }
        all.sort_by_key(|(pair, index, key, _)| (moved.is_some_and(|moved| moved != *pair), *pair, *index, *key));
        let mut all = all.into_iter();
        let found = all.find(|(pair, index, _, position)| self.excess(*index, position, *pair) < Num::zero());
        found.map(|(_, index, key, position)| (index, key, position.clone()))
    }

    pub(super) fn liquidate(&mut self, moved: Option<usize>) {
        while let Some((account, key, position)) = self.next_used_up(moved) {
            self.cancel_all(account, |pair| pair == key.0);
            self.close_quietly(account, key, &position);
            if self.accounts[account].positions.get(&key) == Some(&position) {
                return;
            }
            self.trigger(key.0);
        }
    }

    /// Returns the mark price of a pair at which a position is liquidated while others stay; `None` without any.
    pub(crate) fn liquidation_price(&self, account: usize, key: (usize, Pos)) -> Option<Num> {
        let of = &self.accounts[account];
        let position = &of.positions[&key];
        let pair = &self.pairs[key.0];
        let moving = of.positions.iter().filter(|((pair, _), other)| {
            if position.isolated { std::ptr::eq(*other, position) } else { *pair == key.0 && !other.isolated }
        });
        let moving: Vec<&Position> = moving.map(|(_, position)| position).collect();
        let excess = self.excess(account, position, key.0);
        let rate = Num::read(MAINTENANCE);
        let (now, qty) = (pair.price(pair.marked()), |one: &Position| pair.qty(one.qty));
        // The excess changes by `slope` for each unit of the price, or of one by the price where the base coin settles.
        let price = if pair.kind == Kind::Linear {
            let slope: Num = moving.iter().map(|one| &qty(one) * &(sign(one.buys) - rate.clone())).sum();
            if slope == Num::zero() {
                return None;
            }
            now - excess.over(&slope)
        } else {
            let slope: Num = moving
                .iter()
                .map(|one| match pair.kind {
                    Kind::Inverse => &sign(one.buys) * &one.cost,
                    _ => &qty(one) * &(sign(one.buys) + rate.clone()),
                })
                .sum();
            if slope == Num::zero() {
                return None;
            }
            let by_price = Num::from(1).over(&now) + excess.over(&slope);
            if by_price <= Num::zero() {
                return None;
            }
            Num::from(1).over(&by_price)
        };
        (price > Num::zero()).then_some(price)
    }
}
