//! Sets of parameters: the structs of requests, of items in lists and of the cases of a choice, how they are built,
//! written, read back and checked, and the documentation of each parameter.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, Expr, ImplItem, Stmt};

use super::code::{Item, ident, number};
use super::docs::{Docs, MARKDOWN, cell, code, documented, escape, sentence};
use super::scope::Scope;
use super::{declarations, rules, trees};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{
    ChoiceKind, InstrumentNames, ListName, Need, Parameter, Placed, Rule, Shape, Truth, Type, phrases,
};
use crate::compiler::words::In;

/// A struct of parameters to be emitted.
pub(super) struct Set<'a> {
    pub(super) rust: &'a str,
    pub(super) docs: Docs,
    /// Other words that people search for it by.
    pub(super) called: &'a [Placed],
    pub(super) parameters: &'a [Parameter],
    /// The names of the parameters that travel in the path or in headers, apart from the others.
    pub(super) elsewhere: Vec<&'a str>,
    /// The rules about one such set, each with its index in the table of the operation.
    pub(super) rules: Vec<(usize, &'a Rule)>,
    /// The parameters that name the instrument, if a check needs it.
    pub(super) instrument: Option<&'a InstrumentNames>,
    /// Constructors in addition to `new`.
    pub(super) constructors: Vec<ImplItem>,
    /// Checks and a method that only a request has.
    pub(super) checks: TokenStream,
    pub(super) methods: Option<ImplItem>,
}

impl<'a> Set<'a> {
    pub(super) fn new(rust: &'a str, docs: Docs, parameters: &'a [Parameter]) -> Self {
        Self {
            rust,
            docs,
            called: &[],
            parameters,
            elsewhere: Vec::new(),
            rules: Vec::new(),
            instrument: None,
            constructors: Vec::new(),
            checks: TokenStream::new(),
            methods: None,
        }
    }

    /// Returns the struct with its rows and constructors, and its rules.
    pub(super) fn emit(self, scope: &Scope<'_>) -> Vec<Item> {
        let checks = self.checks(scope);
        let rules = (!checks.is_empty()).then(|| Item::Text(self.rules_impl(checks)));
        let structure = self.structure(scope, rules.is_some());
        let has_arguments = self.parameters.iter().any(Parameter::is_argument);
        // Without fixed values, it is derived.
        let default = (!has_arguments && !self.is_empty_by_default()).then(|| Item::Text(self.default_impl()));
        let declared = Item::declared_by("parameters", vec![structure, self.inherent(scope)]);
        std::iter::once(declared).chain(default).chain(rules).collect()
    }

    /// Returns whether nothing is set if nothing is said.
    fn is_empty_by_default(&self) -> bool {
        self.parameters.iter().all(|parameter| !parameter.is_required())
    }

    fn default_impl(&self) -> String {
        let name = ident(self.rust);
        let default = quote! {
            fn default() -> Self {}
        };
        let new = trees::call(trees::path(&["Self", "new"]), []);
        trees::implementation(quote!(impl Default for #name {}), [(default, vec![trees::result(new)])])
    }

    fn structure(&self, scope: &Scope<'_>, has_rules: bool) -> syn::Item {
        let fields = self.parameters.iter().map(|parameter| {
            let docs = field(scope, parameter).outer();
            let attributes = docs
                .into_iter()
                .chain(declarations::aliases(&parameter.called))
                .chain([self.row(scope, parameter)])
                .chain(declarations::deprecation(parameter.deprecated.as_ref()));
            let (name, ty) = (ident(&parameter.name.rust), field_type(scope, parameter));
            match parameter.fixed {
                Some(_) => declarations::private_field(attributes.collect(), name, ty),
                None => declarations::field(attributes.collect(), name, ty),
            }
        });
        let default = self.is_empty_by_default().then(|| declarations::with_arguments("derive", quote!(Default)));
        let checked = has_rules.then(|| declarations::with_arguments("checked_by", quote!(Rules)));
        let docs = self.docs.outer().into_iter().chain(declarations::aliases(self.called));
        declarations::structure(checked.into_iter().chain(default).chain(docs).collect(), ident(self.rust), fields)
    }

    fn row(&self, scope: &Scope<'_>, parameter: &Parameter) -> Attribute {
        let names = match scope.family.choice_of(parameter) {
            Some(choice) => choice.distinct_wires(),
            None if parameter.is_body() => vec![""],
            None => vec![parameter.name.wire.as_str()],
        };
        let setter = (!parameter.is_required()).then(|| conversion(scope, parameter)).flatten();
        let setter = setter.map(|name| quote!(from impl #name));
        let place = if parameter.is_body() && self.parameters.len() > 1 {
            Some("beside_others")
        } else if parameter.is_in(In::Query) {
            Some("in_query")
        } else {
            self.elsewhere.contains(&parameter.name.wire.as_str()).then_some("elsewhere")
        };
        wire(parameter, &names, setter, place)
    }

    fn inherent(self, scope: &Scope<'_>) -> syn::Item {
        let new = self.constructor(scope);
        let items = std::iter::once(new).chain(self.constructors).chain(self.methods);
        declarations::inherent(ident(self.rust), items.collect())
    }

    fn constructor(&self, scope: &Scope<'_>) -> ImplItem {
        let required: Vec<_> = self.parameters.iter().filter(|parameter| parameter.is_argument()).collect();
        let arguments = required
            .iter()
            .map(|parameter| declarations::argument(ident(&parameter.name.rust), argument_type(scope, parameter)));
        let docs = constructor(scope, &required).outer();
        let attributes = docs.into_iter().chain(declarations::many_arguments(required.len())).collect();
        let value = if self.is_empty_by_default() {
            trees::call(trees::path(&["Self", "default"]), [])
        } else {
            let fields = self.parameters.iter().map(|parameter| {
                let value = match &parameter.fixed {
                    Some((fixed, _)) => fixed_value(scope, parameter, fixed),
                    None if parameter.is_required() => argument_value(scope, parameter),
                    None => unset(parameter),
                };
                (ident(&parameter.name.rust), value)
            });
            Expr::Struct(trees::structure(&["Self"], fields))
        };
        declarations::maker(attributes, ident("new"), arguments, vec![trees::result(value)])
    }

    fn rules_impl(&self, checks: Vec<Stmt>) -> String {
        let name = ident(self.rust);
        let check = quote! {
            fn check_rules(&self, to: &mut runtime::checks::Checks<'_>) {}
        };
        trees::implementation(quote!(impl runtime::parameters::Rules for #name {}), [(check, checks)])
    }

    /// Returns the checks of the rules about several parameters.
    fn checks(&self, scope: &Scope<'_>) -> Vec<Stmt> {
        let instrument = self.instrument.map(|names| rules::instrument(scope, self.parameters, names));
        let (of_request, rules) = (&self.checks, rules::rules(scope, self.parameters, &self.rules));
        trees::statements(quote!(#of_request #instrument #rules))
    }
}

/// Returns the struct for an object, or for the items of a list, within the type `of`.
pub(super) fn object(scope: &Scope<'_>, object: &crate::compiler::model::Item, of: &str) -> Vec<Item> {
    let mut docs = Docs::default();
    let what = if matches!(object.list, ListName::Object(_)) { "The object" } else { "An item of" };
    docs.markdown(&format!("{what} {} of a [`{of}`].", code(object.list.as_str())));
    table(&mut docs, scope, &object.parameters);
    Set::new(&object.rust, docs, &object.parameters).emit(scope)
}

/// Returns the attribute with the names of a parameter on the wire, what converts to it, and what its type does not
/// show.
pub(super) fn wire(
    parameter: &Parameter,
    names: &[&str],
    conversion: Option<TokenStream>,
    place: Option<&str>,
) -> Attribute {
    let (properties, bounds) = (properties(parameter), bounds(parameter));
    let place = place.map(ident).map(|place| quote!(, #place));
    declarations::with_arguments("wire", quote!(#(#names),* #conversion #place #properties #bounds))
}

/// Returns how a parameter travels, if it is not as text.
fn properties(parameter: &Parameter) -> TokenStream {
    let is_bare = match parameter.shape {
        Shape::One(Type::Boolean(truth)) => truth == Truth::Bare,
        Shape::Map(Type::Boolean(truth)) => truth != Truth::Text,
        Shape::One(ty) | Shape::List(ty) | Shape::Map(ty) => is_bare(ty, parameter.as_text),
        Shape::Items(_) | Shape::Object(_) => false,
    };
    let is_bit = matches!(parameter.shape, Shape::One(Type::Boolean(Truth::Number)));
    let delete = parameter.deletes_with().map(|delete| quote!(, deleted_by = #delete));
    let may_be_blank = parameter.may_be_blank || parameter.edit.is_some();
    let may_be_blank =
        may_be_blank && delete.is_none() && !parameter.is_required() && parameter.shape.single().is_some();
    let flags = [
        (parameter.is_body(), quote!(, body)),
        (is_bare, quote!(, bare)),
        (is_bit, quote!(, bit)),
        (may_be_blank, quote!(, may_be_blank)),
        (parameter.may_be_null.is_some(), quote!(, or_null)),
    ];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag);
    let sent_as = parameter.sent_as.as_ref().filter(|_| parameter.is_in(In::Query));
    let sent_as = sent_as.map(|(name, _)| quote!(, sent_as = #name));
    let fixed = parameter.fixed.as_ref().map(|(fixed, _)| parameter.shape.wire_of_fixed(fixed));
    let fixed = fixed.map(|fixed| quote!(, fixed = #fixed));
    quote!(#sent_as #(#flags)* #delete #fixed)
}

/// Returns the bounds of a parameter.
fn bounds(parameter: &Parameter) -> TokenStream {
    let (only, shape) = (parameter.only.iter().map(|(value, _)| value), &parameter.shape);
    let only = (!parameter.only.is_empty()).then(|| quote!(, only = [#(#only),*]));
    let of_value = match shape {
        Shape::One(Type::Integer | Type::Signed) => {
            let bound = |name: &str, bound: &Option<Placed>| {
                let (name, bound) = (ident(name), trees::whole(&bound.as_ref()?.0)?);
                Some(quote!(, #name = #bound))
            };
            let (min, max) = (bound("min", &parameter.min), bound("max", &parameter.max));
            let digits =
                parameter.digits.map(|(digits, _)| number(digits.into())).map(|digits| quote!(, digits = #digits));
            quote!(#min #max #digits)
        }
        Shape::One(ty) if ty.is_decimal() => {
            let bound = |name: &str, bound: &Option<Placed>| {
                let (name, (bound, _)) = (ident(name), bound.as_ref()?);
                Some(quote!(, #name = #bound))
            };
            let (min, max) = (bound("min_decimal", &parameter.min), bound("max_decimal", &parameter.max));
            let count = |name: &str, count: Option<(u32, Place)>| {
                let (name, (count, _)) = (ident(name), count?);
                let count = number(count.into());
                Some(quote!(, #name = #count))
            };
            let places = count("places", parameter.places);
            let significant = count("significant_digits", parameter.significant_digits);
            quote!(#min #max #places #significant)
        }
        Shape::One(Type::String) | Shape::List(Type::String) | Shape::Map(Type::String) => {
            let length = parameter.length.map(|((min, max), _)| (number(min.into()), number(max.into())));
            let length = length.map(|(min, max)| quote!(, min_length = #min, max_length = #max));
            let pattern = parameter.pattern.as_ref().map(|(pattern, _)| quote!(, pattern = #pattern));
            quote!(#length #pattern)
        }
        _ => TokenStream::new(),
    };
    let is_list = matches!(shape, Shape::List(_) | Shape::Items(_) | Shape::Map(_));
    let least = Some(parameter.least_items()).filter(|least| is_list && *least > 0).map(number);
    let least = least.map(|least| quote!(, min_items = #least));
    let most = parameter.max_items.filter(|_| is_list).map(|(most, _)| number(most));
    let most = most.map(|most| quote!(, max_items = #most));
    quote!(#only #of_value #least #most)
}

/// Returns whether a value travels as a bare JSON number.
fn is_bare(ty: Type, as_text: bool) -> bool {
    ty == Type::Json || ty.can_be_bare() && !as_text
}

/// Returns the type of the field that holds a parameter.
pub(super) fn field_type(scope: &Scope<'_>, parameter: &Parameter) -> syn::Type {
    let ty = scope.parameter_type(parameter);
    if parameter.is_required() {
        ty
    } else if parameter.is_edit() {
        declarations::of(&["runtime", "Edit"], ty)
    } else {
        declarations::of(&["Option"], ty)
    }
}

/// Returns the type of the argument for a parameter.
pub(super) fn argument_type(scope: &Scope<'_>, parameter: &Parameter) -> syn::Type {
    let ty = || scope.parameter_type(parameter);
    match conversion(scope, parameter) {
        None => ty(),
        Some(trait_name) if trait_name == "Into" && parameter.is_edit() => {
            declarations::into(declarations::of(&["runtime", "Edit"], ty()))
        }
        Some(trait_name) if trait_name == "Into" => declarations::into(ty()),
        Some(trait_name) => declarations::implementing(trees::path_of(&["runtime", "value", &trait_name.to_string()])),
    }
}

/// Returns the trait of the runtime, or `Into`, by which an argument converts to a parameter.
fn conversion(scope: &Scope<'_>, parameter: &Parameter) -> Option<Ident> {
    let name = match (parameter.is_edit(), is_decimal(parameter)) {
        (true, true) => "IntoEdit",
        (false, true) => "IntoDecimal",
        (_, false) if scope.converts(parameter) => "Into",
        (_, false) => return None,
    };
    Some(ident(name))
}

fn is_decimal(parameter: &Parameter) -> bool {
    parameter.shape.single().is_some_and(Type::is_decimal)
}

/// Returns the value of the field for the argument of a parameter.
fn argument_value(scope: &Scope<'_>, parameter: &Parameter) -> Expr {
    let given = trees::variable(ident(&parameter.name.rust));
    let is_scaled = parameter.shape.single().is_some_and(|ty| ty.scale().is_some());
    let edit = |given| trees::call(trees::path(&["runtime", "value", "IntoEdit", "into_edit"]), [given]);
    match (parameter.is_edit(), is_decimal(parameter)) {
        (true, true) if is_scaled => trees::on(edit(given), "map", [trees::path(&["Into", "into"])]),
        (false, true) if is_scaled => trees::call(trees::path(&["runtime", "Scaled", "from"]), [given]),
        (true, true) => edit(given),
        (false, true) => trees::call(trees::path(&["runtime", "value", "IntoDecimal", "into_decimal"]), [given]),
        _ if scope.converts(parameter) => trees::flagged(given, "into"),
        _ => given,
    }
}

/// Returns the value that every request sends.
fn fixed_value(scope: &Scope<'_>, parameter: &Parameter, fixed: &str) -> Expr {
    let text = || trees::flagged(trees::text(fixed), "to_owned");
    match parameter.shape.single() {
        Some(Type::Integer | Type::Signed) => trees::whole(fixed).unwrap_or_else(text),
        Some(Type::Decimal) => {
            let literal = fixed.parse::<proc_macro2::Literal>().map_or_else(|_| quote!(0), |literal| quote!(#literal));
            trees::tokens(quote!(runtime::dec!(#literal)))
        }
        Some(Type::Boolean(_)) => trees::truth(fixed == "true"),
        Some(Type::Enum(index)) => {
            let all = &scope.family.enums[index];
            let variant = all.index_of(fixed).map_or("", |value| all.values[value].name.rust.as_str());
            trees::path(&[&scope.named(&all.name.rust).to_string(), variant])
        }
        _ => text(),
    }
}

/// Returns the value of a parameter that is not set.
fn unset(parameter: &Parameter) -> Expr {
    let is_edit = parameter.is_edit();
    if is_edit { trees::path(&["runtime", "Edit", "Keep"]) } else { trees::optional(None) }
}

/// Adds a table of parameters, with a row for each name on the wire.
pub(super) fn table(docs: &mut Docs, scope: &Scope<'_>, parameters: &[Parameter]) {
    if parameters.is_empty() {
        return;
    }
    docs.gap();
    docs.line("| parameter | required | default | unit | values | meaning |".to_owned());
    docs.line("|---|---|---|---|---|---|".to_owned());
    for parameter in parameters {
        rows(docs, scope, parameter);
    }
    docs.gap();
}

/// Adds the rows of a parameter: one, or for a choice one for each parameter in it.
fn rows(docs: &mut Docs, scope: &Scope<'_>, parameter: &Parameter) {
    let Some(choice) = scope.family.choice_of(parameter) else {
        return row(docs, scope, parameter, parameter.need.in_table());
    };
    match &choice.kind {
        ChoiceKind::Presence { alternatives, .. } => {
            let one_of = if parameter.need == Need::Always { "one of these" } else { "at most one of these" };
            for alternative in alternatives {
                row(docs, scope, alternative, one_of);
            }
        }
        ChoiceKind::Value { decider, enum_index, .. } => {
            let values = scope.family.enums[*enum_index].name.rust.as_str();
            let cells = [&code(&decider.wire), parameter.need.in_table(), "", "", &link(values), &escape(&choice.doc)];
            docs.line(table_row(&cells));
            for (value, case) in choice.cases(scope.family) {
                let value = &value.name.wire;
                for member in &case.parameters {
                    let with = match member.need {
                        Need::Always => format!("with {} {}", code(&decider.wire), code(value)),
                        Need::Conditional | Need::Unstated | Need::No => {
                            format!("no; only with {} {}", code(&decider.wire), code(value))
                        }
                    };
                    row(docs, scope, member, &with);
                }
            }
        }
    }
}

fn row(docs: &mut Docs, scope: &Scope<'_>, parameter: &Parameter, required: &str) {
    let name = if parameter.is_body() { "the body".to_owned() } else { code(&parameter.name.wire) };
    let default = match (&parameter.default, &parameter.default_note) {
        (Some((default, _)), _) => code(default),
        (None, Some(note)) => escape(note.trim_end_matches('.')),
        (None, None) => String::new(),
    };
    let unit = phrases::units(&parameter.units, &MARKDOWN);
    let cells = [&name, required, &default, &unit, &values(scope, parameter), &escape(&parameter.doc)];
    docs.line(table_row(&cells));
}

fn table_row(cells: &[&str]) -> String {
    let cells: String = cells.iter().map(|text| format!(" {} |", cell(text))).collect();
    format!("|{cells}")
}

/// Returns the values that a parameter takes.
fn values(scope: &Scope<'_>, parameter: &Parameter) -> String {
    let of_type = |ty: Type| match ty {
        Type::String | Type::Undefined => "text".to_owned(),
        ty if ty.is_built_in() => scope.family.type_name(ty).to_owned(),
        ty => link(scope.family.type_rust(ty)),
    };
    let only: Vec<_> = parameter.only.iter().map(|(value, _)| code(value)).collect();
    let values = match &parameter.shape {
        Shape::One(_) if !only.is_empty() => only.join(", "),
        Shape::List(_) if !only.is_empty() => format!("list of {}", only.join(", ")),
        Shape::One(ty) => of_type(*ty),
        Shape::List(ty) => format!("list of {}", of_type(*ty)),
        Shape::Map(ty) => format!("map to {}", of_type(*ty)),
        Shape::Items(item) => format!("list of {}", link(&item.rust)),
        Shape::Object(object) => link(&object.rust),
    };
    let delete = parameter.kept_unless().flatten();
    let delete = delete.map(|delete| format!("{} deletes", code(delete)));
    std::iter::once(values).chain(phrases::bounds(parameter, &MARKDOWN)).chain(delete).collect::<Vec<_>>().join("; ")
}

/// Returns a link to a type of the family.
fn link(rust: &str) -> String {
    format!("[`{rust}`](super::{rust})")
}

/// Returns the documentation of a field: its meaning, limits, units and default.
pub(super) fn field(scope: &Scope<'_>, parameter: &Parameter) -> Docs {
    let mut docs = Docs::default();
    docs.markdown(&described(scope, parameter));
    docs
}

/// Returns the documentation of a constructor and its arguments.
pub(super) fn constructor(scope: &Scope<'_>, required: &[&Parameter]) -> Docs {
    let mut docs = Docs::default();
    if required.is_empty() {
        docs.markdown("Leaves every parameter out.");
        return docs;
    }
    docs.markdown("Takes the required parameters; the others are left out.");
    for parameter in required {
        docs.entry(&argument(scope, parameter, None));
    }
    docs
}

/// Returns the documentation of an argument; `called` is its name if it differs from that of its parameter. A choice
/// and a body have no name on the wire.
pub(super) fn argument(scope: &Scope<'_>, parameter: &Parameter, called: Option<&str>) -> String {
    let is_unnamed = parameter.is_body() || scope.family.choice_of(parameter).is_some();
    let is_renamed = parameter.name.rust != parameter.name.wire;
    let called = called.or((is_unnamed || is_renamed).then_some(&parameter.name.rust));
    let called = called.map(|called| format!("{}, sent as ", code(called))).unwrap_or_default();
    called + &described(scope, parameter)
}

fn described(scope: &Scope<'_>, parameter: &Parameter) -> String {
    format!("{} {}", meaning(scope, parameter), facts(scope, parameter)).trim_end().to_owned()
}

fn meaning(scope: &Scope<'_>, parameter: &Parameter) -> String {
    format!("{}: {}", wires(scope, parameter), escape(&parameter.doc))
}

/// Returns the wire names that a parameter stands for.
fn wires(scope: &Scope<'_>, parameter: &Parameter) -> String {
    match scope.family.choice_of(parameter) {
        Some(choice) => choice.distinct_wires().into_iter().map(code).collect::<Vec<_>>().join(", "),
        None if parameter.is_body() => "the body, an array".to_owned(),
        None => code(&parameter.name.wire),
    }
}

/// Returns the need, default, bounds and unit, as one sentence each.
fn facts(scope: &Scope<'_>, parameter: &Parameter) -> String {
    let mut facts: Vec<String> = Vec::new();
    facts.push(parameter.need.sentence().to_owned());
    match (&parameter.default, parameter.need) {
        (Some((default, _)), Need::Always) => {
            facts.push(format!("The exchange defaults to {}; it is always sent.", code(default)));
        }
        (Some((default, _)), _) => facts.push(format!("The exchange defaults to {}.", code(default))),
        (None, _) => {}
    }
    facts.extend(phrases::bounds(parameter, &MARKDOWN).iter().map(|bound| sentence(bound)));
    if !parameter.only.is_empty() {
        let values: Vec<_> = parameter.only.iter().map(|(value, _)| code(value)).collect();
        facts.push(format!("Allowed here: {}.", values.join(", ")));
    }
    if let Some(delete) = parameter.kept_unless() {
        facts.push(match delete {
            Some(delete) => format!(
                "Left out, the value stays; {} deletes it, which [`Edit::Delete`](runtime::Edit::Delete) sends.",
                code(delete)
            ),
            None => "Left out, the value stays.".to_owned(),
        });
    }
    facts.extend(documented(&parameter.keys(scope.family)));
    facts.push(phrases::unit_sentence(&parameter.units, &MARKDOWN));
    facts.retain(|fact| !fact.is_empty());
    facts.join(" ")
}
