//! The bounds of a budget, and everything of them that a request exceeds.

use std::collections::HashMap;
use std::time::Duration;

use super::book::Book;
use super::valuation::Order;
use super::{BudgetBound, BudgetEffects, BudgetObstacle};
use crate::data::tables::{Effect, Meta};
use crate::data::value::{Decimal, Timestamp};

/// The last prices, and when they were learned, by family, business line and symbol.
pub(super) type Prices = HashMap<(String, String, String), (Decimal, Timestamp)>;

/// The bounds of a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) coins: Vec<String>,
    pub(super) order: Option<Decimal>,
    /// The bounds of an hour, of a day, and of what is open.
    pub(super) sums: [Option<Decimal>; 3],
    pub(super) orders_a_minute: Option<u32>,
    pub(super) symbols: Option<Vec<String>>,
    pub(super) lines: Option<Vec<String>>,
    pub(super) effects: BudgetEffects,
    pub(super) slippage: Decimal,
    pub(super) price_age: Duration,
    pub(super) asked_above: Option<Decimal>,
}

/// The bounds whose sums are counted, in the order in which a book has them.
const SUMS: [BudgetBound; 3] = [BudgetBound::Hour, BudgetBound::Day, BudgetBound::Open];

impl Bounds {
    /// Returns the worst price that a market order gets.
    pub(super) fn market(
        &self,
        (family, line, symbol): (&str, &str, &str),
        prices: &Prices,
        now: Timestamp,
    ) -> Option<Decimal> {
        let (price, at) = prices.get(&(family.to_owned(), line.to_owned(), symbol.to_owned()))?;
        let is_recent = now - *at <= self.price_age && *at - now <= self.price_age;
        is_recent.then(|| price * (Decimal::from(1) + &self.slippage))
    }

    /// Returns everything that keeps a request from being sent.
    pub(super) fn obstacles(&self, meta: &Meta, orders: &[Order], book: &Book) -> Vec<BudgetObstacle> {
        let counted: Vec<_> = orders.iter().filter(|order| !order.terms.only_reduces).collect();
        let mut obstacles: Vec<_> = self.refuse_effect(meta, !counted.is_empty()).into_iter().collect();
        for order in &counted {
            for obstacle in self.refuse_instrument(meta, order) {
                if !obstacles.contains(&obstacle) {
                    obstacles.push(obstacle);
                }
            }
        }
        let is_beyond = |most: &&Decimal| counted.iter().any(|order| whole(book, order) > **most);
        if let Some(most) = self.order.as_ref().filter(is_beyond) {
            obstacles.push(BudgetObstacle::Bound { bound: BudgetBound::Order, most: most.clone(), left: most.clone() });
        }
        let more: Decimal = counted.iter().map(|order| adds(book, order)).sum();
        let (count, spent) = book.sums();
        for ((bound, most), spent) in SUMS.into_iter().zip(&self.sums).zip(spent) {
            let Some(most) = most else { continue };
            if more.is_positive() && spent + &more > *most {
                let left = plain((most - spent).max(Decimal::default()));
                obstacles.push(BudgetObstacle::Bound { bound, most: most.clone(), left });
            }
        }
        if let Some(most) = self.orders_a_minute {
            let left = most.saturating_sub(number_of(count));
            if u32::try_from(counted.len()).map_or(true, |count| count > left) {
                obstacles.push(BudgetObstacle::Orders { most, left });
            }
        }
        if !counted.is_empty() && self.order.is_none() && self.sums.iter().all(Option::is_none) {
            obstacles.push(BudgetObstacle::Unvalued { why: "the budget has no bound, so it allows no order; set one" });
        }
        obstacles
    }

    pub(super) fn refuse_effect(&self, meta: &Meta, trades: bool) -> Option<BudgetObstacle> {
        let effect = match meta.effect {
            Effect::Read => BudgetEffects::Read,
            Effect::Cancel | Effect::Close => BudgetEffects::Reduce,
            Effect::Create | Effect::Amend if trades => BudgetEffects::Trade,
            Effect::Create | Effect::Amend => BudgetEffects::Reduce,
        };
        (effect > self.effects).then_some(BudgetObstacle::Effect { allowed: self.effects })
    }

    fn refuse_instrument(&self, meta: &Meta, order: &Order) -> Vec<BudgetObstacle> {
        let (line, symbol) = (&order.terms.line, &order.terms.symbol);
        let mut obstacles = Vec::new();
        if self.symbols.as_ref().is_some_and(|symbols| !symbols.contains(symbol)) {
            obstacles.push(BudgetObstacle::Symbol { symbol: symbol.clone() });
        }
        if self.lines.as_ref().is_some_and(|lines| !lines.contains(line)) {
            obstacles.push(BudgetObstacle::Line { line: line.clone() });
        }
        let quotes = meta.worth.as_ref().map_or(&[][..], |worth| worth.quotes);
        let is_covered = match quotes.iter().find(|(known, _)| known == line) {
            Some((_, coin)) => self.coins.iter().any(|known| known == coin),
            None => self.coins.iter().any(|coin| !coin.is_empty() && symbol.ends_with(coin.as_str())),
        };
        if !is_covered {
            obstacles.push(BudgetObstacle::Coin { symbol: symbol.clone(), coins: self.coins.clone() });
        }
        obstacles
    }
}

/// Returns by how much an order makes the sums grow.
pub(super) fn adds(book: &Book, order: &Order) -> Decimal {
    let known = order.amends.and_then(|first| book.get(first));
    match known {
        Some(known) => known.worth_with(&order.quantity, &order.price) - known.worth(),
        None => &order.quantity * &order.price,
    }
}

/// Returns the most that an order is worth, with what it amends.
fn whole(book: &Book, order: &Order) -> Decimal {
    match order.amends.and_then(|first| book.get(first)) {
        Some(known) => known.worth_with(&order.quantity, &order.price),
        None => &order.quantity * &order.price,
    }
}

/// Returns the whole number that a count is.
pub(super) fn number_of(count: &Decimal) -> u32 {
    count.as_str().parse().unwrap_or(u32::MAX)
}

/// Returns the same amount without zeros at its end.
pub(super) fn plain(amount: Decimal) -> Decimal {
    match amount.to_rust_decimal() {
        Ok(number) => number.normalize().into(),
        Err(_) => amount,
    }
}
