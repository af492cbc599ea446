//! The most that the orders of a request are worth, by the table of its operation alone.

use std::borrow::Cow;

use super::book::{Known, Terms};
use crate::data::account::Account;
use crate::data::error::BudgetObstacle;
use crate::data::parameters::Named;
use crate::data::tables::{CountedIn, Effect, Meta, Worth, WorthCondition};
use crate::data::value::Decimal;

/// An order of a request, as far as a budget counts it.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// The place in the list of the request.
    pub(super) place: usize,
    /// The ids by which amendments name it.
    pub(super) ids: Vec<String>,
    /// The number of the order that it amends.
    pub(super) amends: Option<u64>,
    pub(super) terms: Terms,
    /// The quantity, and the worst price for one.
    pub(super) quantity: Decimal,
    pub(super) price: Decimal,
}

/// The knowledge that a request does not have.
pub(super) struct Beside<'a> {
    pub(super) account: &'a Account,
    /// The order with one of these ids.
    pub(super) known: &'a dyn Fn(&[String]) -> Option<&'a Known>,
    /// The worst price that a market order gets, by business line and symbol.
    pub(super) market: &'a dyn Fn(&str, &str) -> Option<Decimal>,
}

/// Returns the orders of a request that may open or enlarge a position, and those that cannot; none for a request that
/// places and amends none.
pub(super) fn orders(meta: &Meta, request: &Named, beside: &Beside<'_>) -> Result<Vec<Order>, BudgetObstacle> {
    let worth = match (meta.effect, &meta.worth) {
        (Effect::Read | Effect::Cancel | Effect::Close, _) => return Ok(Vec::new()),
        (Effect::Create | Effect::Amend, Some(worth)) => worth,
        (Effect::Create | Effect::Amend, None) => {
            return unvalued("it is not known what the request is worth; a client with a budget cannot send it");
        }
    };
    if worth.quantity.is_none() {
        return Ok(Vec::new());
    }
    let items: Vec<_> = match worth.list {
        Some(list) => request.items(list).into_iter().map(|item| item.and(request)).collect(),
        None => vec![request.clone()],
    };
    let orders = items.iter().enumerate().map(|(place, item)| Item { meta, worth, item, beside }.order(place));
    let orders = orders.collect::<Result<Vec<_>, _>>()?;
    let mut amended: Vec<_> = orders.iter().filter_map(|order| order.amends).collect();
    amended.sort_unstable();
    match amended.windows(2).any(|pair| pair[0] == pair[1]) {
        true => unvalued("the request amends one order twice; amend it once"),
        false => Ok(orders),
    }
}

/// An order as it stands in a request.
struct Item<'a, 'b> {
    meta: &'a Meta,
    worth: &'a Worth,
    /// The parameters of the order, followed by those of the request around it.
    item: &'a Named,
    beside: &'a Beside<'b>,
}

impl Item<'_, '_> {
    fn order(&self, place: usize) -> Result<Order, BudgetObstacle> {
        let known = self.known()?;
        let terms = self.terms(known)?;
        let mut ids: Vec<_> = known.into_iter().flat_map(|known| known.ids.iter().cloned()).collect();
        let client_id = self.meta.client_id.as_ref().and_then(|id| self.item.text(id.parameter));
        ids.extend(client_id.map(Cow::into_owned).filter(|id| !ids.contains(id)));
        let (quantity, price) = match terms.only_reduces {
            true => (Decimal::default(), Decimal::default()),
            false => (self.quantity(known)?, self.price(known, &terms)?),
        };
        Ok(Order { place, ids, amends: known.map(|known| known.first), terms, quantity, price })
    }

    /// Returns the order that it amends; `None` for a new one.
    fn known(&self) -> Result<Option<&Known>, BudgetObstacle> {
        if self.meta.effect != Effect::Amend {
            return Ok(None);
        }
        let names = self.meta.amends.as_ref().map_or(&[][..], |amends| amends.ids);
        let ids: Vec<_> = names.iter().filter_map(|name| self.item.text(name)).map(Cow::into_owned).collect();
        match (self.beside.known)(&ids) {
            Some(known) => Ok(Some(known)),
            None => unvalued("the budget does not know the order that is amended; cancel it, and place another one"),
        }
    }

    /// Returns the terms of the order, which an amendment does not change.
    fn terms(&self, known: Option<&Known>) -> Result<Terms, BudgetObstacle> {
        if let Some(Known { terms, .. }) = known {
            let counts = self.counts();
            if !terms.only_reduces && self.given(self.worth.quantity) && counts != Some(terms.counts) {
                return unvalued("the amendment counts another coin than its order; cancel it, and place another one");
            }
            let is_bounded = terms.is_bounded && self.holds_one(self.worth.at_price);
            return Ok(Terms { is_bounded, ..terms.clone() });
        }
        let only_reduces = self.holds_one(self.worth.reduces);
        let is_known = self.worth.known_when.is_empty() || self.holds_one(self.worth.known_when);
        if !only_reduces && !is_known {
            return unvalued(
                "the request does not say what it is worth, as its parameters are; see `worth` of the operation",
            );
        }
        let (Some(line), Some(symbol)) = (self.text(self.worth.line), self.text(self.worth.symbol)) else {
            return unvalued("the request does not name its instrument");
        };
        let Some(counts) = self.counts() else { return unvalued("the unit of the quantity is not known") };
        let is_bounded = self.holds_one(self.worth.at_price);
        let (line, symbol) = (line.into_owned(), symbol.into_owned());
        let family = self.meta.family.to_owned();
        Ok(Terms { family, line, symbol, counts, is_bounded, only_reduces })
    }

    /// Returns the coin that the quantity counts.
    fn counts(&self) -> Option<CountedIn> {
        self.worth.counts.iter().find(|(when, _)| self.holds(when)).map(|(_, counts)| *counts)
    }

    fn quantity(&self, known: Option<&Known>) -> Result<Decimal, BudgetObstacle> {
        match (self.number(self.worth.quantity)?, known.and_then(Known::latest)) {
            (Some(quantity), _) | (None, Some((quantity, _))) => Ok(quantity),
            (None, None) => unvalued("the request has no quantity; send one"),
        }
    }

    /// Returns the worst price for one of the coin that the quantity counts.
    fn price(&self, known: Option<&Known>, terms: &Terms) -> Result<Decimal, BudgetObstacle> {
        if terms.counts == CountedIn::Quote {
            return Ok(Decimal::from(1));
        }
        let price = self.number(self.worth.price)?;
        match (price, known.and_then(Known::latest)) {
            (Some(price), _) if terms.is_bounded => Ok(price),
            // The order rests at its price, or has been filled.
            (None, Some((_, price))) => Ok(price),
            (price, _) => {
                let Terms { line, symbol, .. } = terms;
                let no_price = || BudgetObstacle::NoPrice { line: line.clone(), symbol: symbol.clone() };
                let market = (self.beside.market)(line, symbol).ok_or_else(no_price)?;
                Ok(price.map_or(market.clone(), |price| price.max(market)))
            }
        }
    }

    fn given(&self, name: Option<&str>) -> bool {
        name.is_some_and(|name| self.item.text(name).is_some())
    }

    /// Returns a number of the request, which has to be positive and of a size that can be multiplied.
    fn number(&self, name: Option<&str>) -> Result<Option<Decimal>, BudgetObstacle> {
        let Some(text) = name.and_then(|name| self.item.text(name)) else { return Ok(None) };
        let number: Option<Decimal> = text.parse().ok();
        match number.filter(|number| number.is_positive() && number.to_rust_decimal().is_ok()) {
            Some(number) => Ok(Some(number)),
            None => unvalued("the quantity or the price is not a positive number of at most 28 digits"),
        }
    }

    /// Returns a parameter, or its default.
    fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        let default = || self.meta.defaults.iter().find(|(with, _)| *with == name);
        self.item.text(name).or_else(|| default().map(|(_, value)| Cow::Borrowed(*value)))
    }

    fn holds_one(&self, sets: &[&[WorthCondition]]) -> bool {
        sets.iter().any(|set| self.holds(set))
    }

    fn holds(&self, conditions: &[WorthCondition]) -> bool {
        conditions.iter().all(|WorthCondition { of_account, name, values, or_absent }| match of_account {
            true => self.beside.account.is(name, values) == Some(true),
            false => self.item.text(name).map_or(*or_absent, |text| values.contains(&&*text)),
        })
    }
}

fn unvalued<T>(why: &'static str) -> Result<T, BudgetObstacle> {
    Err(BudgetObstacle::Unvalued { why })
}
