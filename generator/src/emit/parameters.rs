//! Sets of parameters: the structs of requests, of items in lists and of the cases of a choice, and how they are built,
//! written, read back and checked.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Expr, ImplItem, Stmt};

use super::checks;
use super::code::{Item, ident, if_set, local};
use super::docs::Docs;
use super::scope::Scope;
use super::{declarations, parameter_docs, trees};
use crate::diagnostics::Place;
use crate::model::{InstrumentNames, Parameter, Rule, Shape, Truth, Type};

/// A struct of parameters to be emitted.
pub(super) struct Set<'a> {
    pub(super) rust: &'a str,
    pub(super) docs: Docs,
    /// Other words that people search for it by.
    pub(super) called: &'a [(String, Place)],
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

    /// The struct, its constructor and setters, and how it is written, read and checked.
    pub(super) fn emit(self, scope: &Scope<'_>) -> [Item; 3] {
        let (structure, implementation) = (self.structure(scope), Item::Text(self.parameters_impl(scope)));
        [Item::declared_by("parameters", structure), self.inherent(scope).into(), implementation]
    }

    fn structure(&self, scope: &Scope<'_>) -> syn::Item {
        let fields = self.parameters.iter().map(|parameter| {
            let docs = parameter_docs::field(scope, parameter).outer();
            let attributes = docs.into_iter().chain(declarations::aliases(&parameter.called)).collect();
            declarations::field(attributes, ident(&parameter.name.rust), field_type(scope, parameter))
        });
        let default = self.parameters.iter().all(|parameter| !parameter.is_required());
        let default = default.then(|| declarations::with_arguments("derive", quote!(Default)));
        let attributes = self.docs.outer().into_iter().chain(declarations::aliases(self.called)).chain(default);
        declarations::structure(attributes.collect(), ident(self.rust), fields)
    }

    fn inherent(self, scope: &Scope<'_>) -> syn::Item {
        let optional = self.parameters.iter().filter(|parameter| !parameter.is_required());
        let setters = optional.map(|parameter| setter(scope, parameter));
        let new = self.constructor(scope);
        let items = std::iter::once(new).chain(self.constructors).chain(setters).chain(self.methods);
        declarations::inherent(ident(self.rust), items.collect())
    }

    fn constructor(&self, scope: &Scope<'_>) -> ImplItem {
        let required: Vec<_> = self.parameters.iter().filter(|parameter| parameter.is_required()).collect();
        let arguments = required
            .iter()
            .map(|parameter| declarations::argument(ident(&parameter.name.rust), argument_type(scope, parameter)));
        let docs = parameter_docs::constructor(scope, &required).outer();
        let attributes = docs.into_iter().chain(declarations::many_arguments(required.len())).collect();
        let value = if required.is_empty() {
            trees::call(trees::path(&["Self", "default"]), [])
        } else {
            let fields = self.parameters.iter().map(|parameter| {
                let given = parameter.is_required();
                let value = if given { argument_value(scope, parameter) } else { unset(parameter) };
                (ident(&parameter.name.rust), value)
            });
            Expr::Struct(trees::structure(&["Self"], fields))
        };
        declarations::maker(attributes, ident("new"), arguments, vec![trees::result(value)])
    }

    fn parameters_impl(&self, scope: &Scope<'_>) -> String {
        let name = ident(self.rust);
        let (writes, reads, checks) = (self.writes(scope), self.reads(scope), self.checks(scope));
        let out = unused_if(writes.is_empty(), "out");
        let from = unused_if(self.parameters.is_empty(), "from");
        let to = unused_if(checks.is_empty(), "to");
        let write = quote! {
            fn write(&self, #out: &mut runtime::parameters::ParameterWriter) {}
        };
        let read = quote! {
            fn read(#from: &mut runtime::parameters::ParameterReader<'_>) -> Option<Self> {}
        };
        let check = quote! {
            fn check(&self, #to: &mut runtime::checks::Checks<'_>) {}
        };
        trees::implementation(
            quote!(impl runtime::parameters::Parameters for #name {}),
            [(write, writes), (read, reads), (check, checks)],
        )
    }

    fn writes(&self, scope: &Scope<'_>) -> Vec<Stmt> {
        let write = |parameter: &Parameter| match write(scope, parameter) {
            write if self.elsewhere.contains(&parameter.name.wire.as_str()) => {
                trees::statements(quote!(out.elsewhere(|out| { #(#write)* });))
            }
            write => write,
        };
        self.parameters.iter().flat_map(write).collect()
    }

    fn reads(&self, scope: &Scope<'_>) -> Vec<Stmt> {
        let read = |parameter| trees::binding(local(parameter), self.read(scope, parameter));
        let fields = self.parameters.iter().map(|parameter| {
            let value = trees::path(&[&local(parameter).to_string()]);
            let value = if parameter.is_required() { trees::tried(value) } else { value };
            (ident(&parameter.name.rust), value)
        });
        let all = Expr::Struct(trees::structure(&["Self"], fields));
        let all = trees::result(trees::optional(Some(all)));
        self.parameters.iter().map(read).chain([all]).collect()
    }

    fn checks(&self, scope: &Scope<'_>) -> Vec<Stmt> {
        let mut checks: Vec<_> = self.parameters.iter().flat_map(checks::parameter).collect();
        let instrument = self.instrument.map(|names| checks::instrument(scope, self.parameters, names));
        let (of_request, rules) = (&self.checks, checks::rules(scope, self.parameters, &self.rules));
        checks.extend(trees::statements(quote!(#of_request #instrument #rules)));
        checks
    }

    fn read(&self, scope: &Scope<'_>, parameter: &Parameter) -> Expr {
        let required = parameter.is_required();
        let read = |method: &str| read_by(method, parameter);
        match &parameter.shape {
            Shape::Items(_) if parameter.is_body() => trees::flagged(trees::path(&["from"]), "items"),
            Shape::Items(_) if required => read("required_list"),
            Shape::Items(_) => read("optional_list"),
            Shape::Object(_) if required => read("required_object"),
            Shape::Object(_) => read("optional_object"),
            Shape::Map(_) => trees::optional(None),
            Shape::List(_) if required => read("required_values"),
            Shape::List(_) => read("optional_values"),
            Shape::One(Type::Choice(index)) => {
                let ty = scope.ty(Type::Choice(*index));
                if required {
                    return trees::tokens(quote!(<#ty as runtime::parameters::Parameters>::read(from)));
                }
                trees::on(trees::path(&["from"]), "optional_choice", [trees::tokens(quote!(#ty::MEMBERS))])
            }
            Shape::One(_) => match (parameter.deletes_with(), required) {
                (Some(delete), _) => {
                    let arguments = [trees::text(&parameter.name.wire), trees::text(delete)];
                    trees::on(trees::path(&["from"]), "edit", arguments)
                }
                (None, true) => read_required(parameter),
                (None, false) => {
                    let wire = || trees::text(&parameter.name.wire);
                    let may_be_blank = parameter.may_be_blank || parameter.edit.is_some();
                    let from = trees::with(trees::path(&["from"]), "may_be_blank", may_be_blank.then(wire));
                    let method = if is_enum(parameter) { "optional_word" } else { "optional" };
                    trees::on(from, method, [wire()])
                }
            },
        }
    }
}

/// Writes one parameter, whatever its shape.
fn write(scope: &Scope<'_>, parameter: &Parameter) -> Vec<Stmt> {
    let value = || trees::of_self(&parameter.name.rust);
    let whole = |method: &str| {
        let (method, name) = (ident(method), scope.wire_name(&parameter.name.wire));
        if_set(parameter, |value| quote!(out.#method(#name, #value);))
    };
    let tokens = match parameter.shape {
        Shape::Items(_) if parameter.is_body() => {
            let write = trees::on(trees::path(&["out"]), "items", [trees::reference(value())]);
            return vec![trees::statement(write)];
        }
        Shape::Items(_) => whole("list"),
        Shape::Object(_) => whole("object"),
        // A map occurs in answers only.
        Shape::Map(_) => return Vec::new(),
        Shape::List(ty) if is_bare(ty, parameter.as_text) => whole("numbers"),
        Shape::List(_) => whole("texts"),
        Shape::One(Type::Choice(_)) => {
            if_set(parameter, |choice| quote!(runtime::parameters::Parameters::write(#choice, out);))
        }
        Shape::One(ty) => {
            return vec![trees::statement(write_one(scope, parameter, ty, value(), trees::reference(value())))];
        }
    };
    trees::statements(tokens)
}

/// Reads a required value; for an enum, only documented values are accepted.
pub(super) fn read_required(parameter: &Parameter) -> Expr {
    read_by(if is_enum(parameter) { "word" } else { "required" }, parameter)
}

fn read_by(method: &str, parameter: &Parameter) -> Expr {
    trees::on(trees::path(&["from"]), method, [trees::text(&parameter.name.wire)])
}

fn is_enum(parameter: &Parameter) -> bool {
    parameter.shape.single_enum().is_some()
}

fn unused_if(unused: bool, name: &str) -> proc_macro2::Ident {
    if unused { format_ident!("_{name}") } else { format_ident!("{name}") }
}

/// Writes one value, found at `place`.
pub(super) fn write_one(scope: &Scope<'_>, parameter: &Parameter, ty: Type, place: Expr, reference: Expr) -> Expr {
    let kind = match ty {
        Type::Boolean(Truth::Bare) => "boolean",
        Type::Boolean(Truth::Number) => "bit",
        ty if is_bare(ty, parameter.as_text) => "number",
        _ => "text",
    };
    let name = scope.wire_name(&parameter.name.wire);
    let out = trees::path(&["out"]);
    if let Some(delete) = parameter.deletes_with() {
        return trees::on(out, &format!("edit_{kind}"), [name, reference, trees::text(delete)]);
    }
    let is_copied = matches!(ty, Type::Boolean(Truth::Bare | Truth::Number));
    match parameter.is_required() {
        true => trees::on(out, kind, [name, if is_copied { place } else { reference }]),
        false => {
            let value = if is_copied { place } else { trees::flagged(place, "as_ref") };
            trees::on(out, &format!("optional_{kind}"), [name, value])
        }
    }
}

/// Whether a value travels as a bare JSON number.
fn is_bare(ty: Type, as_text: bool) -> bool {
    ty == Type::Json || ty.can_be_bare() && !as_text
}

/// The type of the field that holds a parameter.
pub(super) fn field_type(scope: &Scope<'_>, parameter: &Parameter) -> syn::Type {
    let ty = scope.parameter_type(parameter);
    if parameter.is_required() {
        ty
    } else if parameter.deletes_with().is_some() {
        declarations::of(&["runtime", "Edit"], ty)
    } else {
        declarations::of(&["Option"], ty)
    }
}

/// The type of the argument for a parameter.
pub(super) fn argument_type(scope: &Scope<'_>, parameter: &Parameter) -> syn::Type {
    let into = |name| declarations::implementing(trees::path_of(&["runtime", "value", name]));
    match (parameter.deletes_with().is_some(), is_decimal(parameter)) {
        (true, true) => into("IntoEdit"),
        (true, false) => declarations::into(declarations::of(&["runtime", "Edit"], scope.parameter_type(parameter))),
        (false, true) => into("IntoDecimal"),
        (false, false) if scope.converts(parameter) => declarations::into(scope.parameter_type(parameter)),
        (false, false) => scope.parameter_type(parameter),
    }
}

fn is_decimal(parameter: &Parameter) -> bool {
    parameter.shape.single().is_some_and(Type::is_decimal)
}

/// The value of the field for the argument of a parameter.
fn argument_value(scope: &Scope<'_>, parameter: &Parameter) -> Expr {
    let given = trees::variable(ident(&parameter.name.rust));
    let is_scaled = parameter.shape.single().is_some_and(|ty| ty.scale().is_some());
    let edit = |given| trees::call(trees::path(&["runtime", "value", "IntoEdit", "into_edit"]), [given]);
    match (parameter.deletes_with().is_some(), is_decimal(parameter)) {
        (true, true) if is_scaled => trees::on(edit(given), "map", [trees::path(&["Into", "into"])]),
        (false, true) if is_scaled => trees::call(trees::path(&["runtime", "Scaled", "from"]), [given]),
        (true, true) => edit(given),
        (false, true) => trees::call(trees::path(&["runtime", "value", "IntoDecimal", "into_decimal"]), [given]),
        _ if scope.converts(parameter) => trees::flagged(given, "into"),
        _ => given,
    }
}

/// The value of a parameter that is not set.
fn unset(parameter: &Parameter) -> Expr {
    let is_edit = parameter.deletes_with().is_some();
    if is_edit { trees::path(&["runtime", "Edit", "Keep"]) } else { trees::optional(None) }
}

fn setter(scope: &Scope<'_>, parameter: &Parameter) -> ImplItem {
    let docs = parameter_docs::setter(scope, parameter).outer().into_iter();
    let attributes = docs
        .chain(declarations::aliases(&parameter.called))
        .chain(declarations::deprecation(parameter.deprecated.as_ref()))
        .chain([declarations::mark("inline")]);
    let field = || ident(&parameter.name.rust);
    let inputs = [declarations::mutable_self(), declarations::argument(field(), argument_type(scope, parameter))];
    let value = argument_value(scope, parameter);
    let is_edit = parameter.deletes_with().is_some();
    let set = if is_edit { value } else { trees::optional(Some(value)) };
    let body =
        vec![trees::assignment(trees::of_self(&parameter.name.rust), set), trees::result(trees::path(&["self"]))];
    declarations::maker(attributes.collect(), field(), inputs, body)
}
