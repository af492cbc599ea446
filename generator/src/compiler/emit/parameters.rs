//! Sets of parameters: the structs of requests, of items in lists and of the cases of a choice, and how they are built,
//! written, read back and checked.

use super::code::{Item, ident, number};
use super::docs::{Docs, code};
use super::scope::Scope;
use super::{declarations, parameter_docs, rules, trees};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{InstrumentNames, ListName, Parameter, Placed, Rule, Shape, Truth, Type};
use crate::compiler::words::In;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, Expr, ImplItem, Stmt};

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
            let docs = parameter_docs::field(scope, parameter).outer();
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
        let docs = parameter_docs::constructor(scope, &required).outer();
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
    parameter_docs::table(&mut docs, scope, &object.parameters);
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
