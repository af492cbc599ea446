//! Tables of conditions over a request: its counterpart, what becomes of each parameter, and the worth of orders for
//! budgets, with the last prices that answers show.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Expr;

use super::code::{gate, ident};
use super::docs::{Docs, MARKDOWN, code, escape};
use super::trees::{self, Field};
use crate::compiler::emit::Layout;
use crate::compiler::model::phrases::sentence;
use crate::compiler::model::{
    Alternatives, Api, Conversion, Corresponding, CountedIn, CounterpartCase, CounterpartDecision, Family,
    ListedPrices, NamesWithin, Operation, Pair, Parameter, Unit, Worth, phrases,
};

/// Returns the conversion and its table, which a crate has with the features of both families.
pub(super) fn emit(api: &Api, family: &Family, operation: &Operation, layout: Layout) -> Option<(TokenStream, String)> {
    let conversion = api.conversion(family, operation)?;
    let (name, to) = (ident(&operation.rust.rust), &conversion.to);
    let is_near = to.family.name == family.name;
    let gate = if is_near { None } else { gate(to.family, layout) };
    let module = ident(&super::module_name(&to.family.name));
    let path = if is_near { quote!(super) } else { quote!(super::super::#module) };
    let counterpart = ident(&to.operation.rust.rust);
    let conversion_impl = quote! {
        #gate
        impl runtime::counterpart::HasCounterpart for #name {
            type Counterpart = #path::#counterpart;
            const TABLE: &'static tables::Counterpart = &COUNTERPART;
        }
    };
    let declaration = quote! {
        #gate
        static COUNTERPART: tables::Counterpart = ();
    };
    Some((conversion_impl, trees::fixed(declaration, table(&conversion))))
}

/// Adds the section of the documentation of an operation.
pub(super) fn add(docs: &mut Docs, api: &Api, family: &Family, operation: &Operation) {
    let Some(counterpart) = &operation.counterpart else { return };
    if let Some((why, _)) = &counterpart.none {
        docs.heading("Counterpart");
        docs.markdown(&format!("There is none. {}", escape(&sentence(why))));
    }
    let Some(conversion) = api.conversion(family, operation) else { return };
    docs.heading("Counterpart");
    docs.markdown(&format!(
        "[{}](runtime::counterpart::HasCounterpart::to_counterpart) converts a request to one of {}, or says what has no \
         counterpart.",
        code("to_counterpart"),
        code(&conversion.to.operation.id)
    ));
    docs.gap();
    docs.line("| parameter | becomes |".to_owned());
    docs.line("|---|---|".to_owned());
    for [what, becomes] in conversion.rows(&MARKDOWN) {
        docs.line(format!("| {what} | {becomes} |"));
    }
    if !counterpart.differs.is_empty() {
        docs.markdown("Differences that remain:");
    }
    counterpart.differs.iter().for_each(|(says, _)| docs.entry(&escape(&sentence(says))));
}

fn table(conversion: &Conversion<'_>) -> Expr {
    let counterpart = conversion.counterpart;
    let fields = [
        trees::some("items", counterpart.items.as_ref().map(pair)),
        trees::rows("same", same(conversion, true)),
        trees::rows("around", same(conversion, false)),
        trees::rows("values", values(conversion).into_iter()),
        trees::rows("decided", counterpart.decided.iter().map(|decision| cases(conversion, decision))),
        trees::rows("refused", counterpart.refused.iter().map(pair)),
    ];
    trees::table("Counterpart", fields)
}

fn pair(((one, _), (two, _)): &Pair) -> Expr {
    trees::pair(trees::text(one), trees::text(two))
}

/// Returns the parameters that have the same value as one of the other request or of its items, or as one around its
/// items.
fn same(conversion: &Conversion<'_>, within: bool) -> impl Iterator<Item = Expr> {
    let is_within = |name: &str| conversion.to.items.is_none() || conversion.to.is_of_item(name);
    let pairs = conversion.counterpart.same.iter().filter(move |(_, (to, _))| is_within(to) == within);
    pairs.map(pair)
}

/// Returns the values of parameters that are spelled in another way or have no counterpart.
fn values(conversion: &Conversion<'_>) -> Vec<Expr> {
    let mut pairs: Vec<[&str; 2]> = Vec::new();
    for ((from, _), (to, _)) in conversion.counterpart.pairs() {
        // A pair may stand in several cases.
        if !pairs.contains(&[from, to]) {
            pairs.push([from, to]);
        }
    }
    let row = |from: &str, to: &str, value: &str, kind, text: &str| {
        let becomes = trees::call(trees::of_table("Becomes", kind), [trees::text(text)]);
        trees::tuple([trees::pair(trees::text(from), trees::text(to)), trees::text(value), becomes])
    };
    let of_pair = |[from, to]: [&str; 2]| {
        let values = match (conversion.from.find(from), conversion.to.find(to)) {
            (Some(from), Some(to)) => conversion.values(&from, &to),
            _ => Vec::new(),
        };
        let rows = values.into_iter().filter_map(|(value, _, corresponding)| match corresponding {
            Corresponding::To(other) => Some(row(from, to, value, "Value", other)),
            Corresponding::None(why) => Some(row(from, to, value, "Nothing", why)),
            Corresponding::Itself | Corresponding::Unstated => None,
        });
        rows.collect::<Vec<_>>()
    };
    pairs.into_iter().flat_map(of_pair).collect()
}

fn cases(conversion: &Conversion<'_>, decision: &CounterpartDecision) -> Expr {
    let case = |CounterpartCase { when, then, same, refused, place: _ }: &CounterpartCase| {
        let fields = [
            trees::rows("when", when.iter().map(|condition| self::condition(conversion, condition))),
            trees::rows("then", then.iter().map(pair)),
            trees::rows("same", same.iter().map(pair)),
            trees::some("refused", refused.as_ref().map(|(why, _)| trees::text(why))),
        ];
        trees::table("Case", fields)
    };
    trees::list(decision.cases.iter().map(case))
}

/// Returns a condition; one for a value also holds without the parameter if the value is its default.
fn condition(conversion: &Conversion<'_>, ((name, _), values): &NamesWithin) -> Expr {
    let texts = || trees::texts(values.iter().map(|(value, _)| value.as_str()));
    let of = |kind, arguments: Vec<Expr>| trees::call(trees::of_table("When", kind), arguments);
    if let Some(property) = name.strip_prefix(Worth::OF_ACCOUNT) {
        return of("Account", vec![trees::text(property), texts()]);
    }
    let wire = conversion.from.find(name);
    let default = wire.and_then(|wire| wire.parameter()?.default.as_ref()).map(|(default, _)| default);
    let is_listed = wire.is_some_and(|wire| conversion.from.enum_of(&wire).is_some());
    let [zero, not_zero] = CounterpartCase::NUMBERS;
    let words = [(CounterpartCase::GIVEN, "Given"), (zero, "Zero"), (not_zero, "NotZero")];
    let word = |value: &str| words.iter().find(|(word, _)| *word == value && !is_listed).map(|(_, kind)| *kind);
    if let [(value, _)] = values.as_slice()
        && let Some(kind) = word(value)
    {
        return of(kind, vec![trees::text(name)]);
    }
    match values.as_slice() {
        [] => of("LeftOut", vec![trees::text(name)]),
        several if several.iter().any(|(value, _)| Some(value) == default) => {
            of("IsByDefault", vec![trees::text(name), texts()])
        }
        _ => of("Is", vec![trees::text(name), texts()]),
    }
}

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
    Some(format!("**Worth, for a budget:** {}", phrases::worth(worth, &MARKDOWN)))
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
