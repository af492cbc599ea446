//! The worth of orders, for budgets, and the last prices that answers show.

use super::docs::MARKDOWN;
use super::trees::{self, Field};
use crate::compiler::model::{
    Alternatives, CountedIn, Family, ListedPrices, NamesWithin, Operation, Parameter, Unit, Worth, phrases,
};
use syn::Expr;

/// Returns the field for the worth of the orders of a request.
pub(super) fn worth(family: &Family, operation: &Operation) -> Option<Field> {
    let worth @ Worth { r#in, quantity, price, at_price, known_when, reduces, only_reduces: _, place: _ } =
        operation.worth.as_ref()?;
    let text = |name: &Option<(String, _)>| trees::optional(name.as_ref().map(|(name, _)| trees::text(name)));
    if worth.only_reduces.is_set() {
        return trees::some("worth", Some(trees::table("Worth", [None])));
    }
    let names = family.instrument.as_ref()?;
    let of = Parameters { family, operation };
    let counts = of.find(&quantity.as_ref()?.0).into_iter().flat_map(|one| &one.units).filter_map(|unit| of.unit(unit));
    let quotes = names.quotes.iter().map(|((line, _), (coin, _))| trees::pair(trees::text(line), trees::text(coin)));
    let fields = [
        r#in.is_some().then(|| ("list", text(r#in))),
        Some(("line", trees::text(&names.line.0))),
        Some(("symbol", trees::text(&names.symbol.0))),
        trees::rows("quotes", quotes),
        Some(("quantity", text(quantity))),
        trees::rows("counts", counts),
        price.is_some().then(|| ("price", text(price))),
        of.alternatives("at_price", at_price),
        of.alternatives("known_when", known_when),
        of.alternatives("reduces", reduces),
    ];
    trees::some("worth", Some(trees::table("Worth", fields)))
}

/// Returns the field for the last prices that an answer shows.
pub(super) fn prices(operation: &Operation) -> Option<Field> {
    let ListedPrices { of, over, symbol, price, place: _ } = operation.listing.prices.as_ref()?;
    let [of, line, symbol, price] = [&of.text, &over.text, &symbol.text, &price.text].map(|name| trees::text(name));
    let fields = [Some(("family", of)), Some(("line", line)), Some(("symbol", symbol)), Some(("price", price))];
    trees::some("prices", Some(trees::table("Prices", fields)))
}

/// Returns the entry of the documentation of an operation.
pub(super) fn entry(operation: &Operation) -> Option<String> {
    let worth = operation.worth.as_ref()?;
    Some(format!("**Worth, for a budget:** {}", phrases::worth_in(worth, &MARKDOWN)))
}

/// The parameters that conditions name.
struct Parameters<'a> {
    family: &'a Family,
    operation: &'a Operation,
}

impl<'a> Parameters<'a> {
    fn find(&self, name: &str) -> Option<&'a Parameter> {
        let wires = self.operation.wire_parameters(self.family);
        wires.iter().find(|wire| wire.name.wire == name)?.parameter()
    }

    /// Returns a row of the coins that a quantity counts, by its conditions.
    fn unit(&self, unit: &Unit) -> Option<Expr> {
        let condition =
            |((name, _), values): &NamesWithin| self.condition(name, values.iter().map(|(value, _)| value.as_str()));
        let when = unit.when.iter().map(condition);
        let is = trees::of_table("CountedIn", CountedIn::parse(&unit.is)?.variant());
        Some(trees::pair(trees::list(when), is))
    }

    fn alternatives(&self, field: &'static str, sets: &Alternatives) -> Option<Field> {
        let set = |set: &Vec<NamesWithin>| {
            let condition = |((name, _), values): &NamesWithin| {
                self.condition(name, values.iter().map(|(value, _)| value.as_str()))
            };
            trees::list(set.iter().map(condition))
        };
        trees::rows(field, sets.iter().map(set))
    }

    /// Returns a condition; it also holds without the parameter if the default is one of the values, or if there are
    /// none.
    fn condition<'b>(&self, name: &str, values: impl Iterator<Item = &'b str> + Clone) -> Expr {
        let of = |kind, name| {
            trees::call(trees::of_table("WorthCondition", kind), [trees::text(name), trees::texts(values.clone())])
        };
        if let Some(property) = name.strip_prefix(Worth::OF_ACCOUNT) {
            return of("account", property);
        }
        let default =
            self.find(name).and_then(|parameter| parameter.default.as_ref()).map(|(default, _)| default.as_str());
        let holds_without = values.clone().next().is_none() || values.clone().any(|value| Some(value) == default);
        let condition = of("is", name);
        if holds_without { trees::on(condition, "or_absent", []) } else { condition }
    }
}
