//! The first example of an operation as Rust code that compiles.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::{Map, Value};

use super::code::{alternative, ident, number, whole};
use super::docs::Docs;
use super::scope::{Scope, value_type};
use super::{choices, module_name};
use crate::emit::Layout;
#[cfg(feature = "cli")]
use crate::model::Family;
use crate::model::{Api, Body, Choice, ChoiceKind, Operation, Parameter, Shape, Type};
use crate::words::Times;

/// Adds the example. In a module, whose path is known only to its owner, it is shown but not compiled.
pub(super) fn add(docs: &mut Docs, api: &Api, scope: &Scope<'_>, operation: &Operation, layout: Layout) {
    let Some(example) = operation.examples.first() else { return };
    let Ok(json) = serde_json::from_str::<Value>(&example.request.0) else { return };
    let writer = Writer::new(scope, root(api, layout));
    let Some(request) = writer.request(operation, &json) else { return };
    let lines = writer.program(operation, &request, Calling::Async);
    docs.heading("Example");
    docs.prose(&example.about);
    docs.code(if layout == Layout::Crate { "" } else { "ignore" }, &lines);
}

/// A call of an operation as two programs of a crate that depends on the emitted one.
#[cfg(feature = "cli")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExampleCalls {
    pub(crate) asynchronous: String,
    pub(crate) blocking: String,
}

/// Programs that send a request; `None` if it cannot be written as Rust.
#[cfg(feature = "cli")]
pub(crate) fn example_calls(api: &Api, family: &Family, operation: &Operation, json: &str) -> Option<ExampleCalls> {
    let (scope, json) = (Scope::new(family), serde_json::from_str(json).ok()?);
    let writer = Writer::new(&scope, root(api, Layout::Crate));
    let request = writer.request(operation, &json)?;
    let program = |calling| writer.program(operation, &request, calling).join("\n");
    Some(ExampleCalls { asynchronous: program(Calling::Async), blocking: program(Calling::Blocking) })
}

/// The kind of client that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Calling {
    Async,
    #[cfg(feature = "cli")]
    Blocking,
}

/// A request as an expression; `None` if a part of it has to be parsed, which may fail.
pub(super) fn request(scope: &Scope<'_>, operation: &Operation, json: &str) -> Option<TokenStream> {
    let writer = Writer { dec: quote!(runtime::dec), ..Writer::new(scope, quote!(runtime)) };
    let request = writer.request(operation, &serde_json::from_str(json).ok()?)?;
    writer.used.borrow().iter().for_each(|name| drop(scope.named(name)));
    Some(request)
}

/// The path of the items in the root file: the crate, or by convention the module that includes it.
fn root(api: &Api, layout: Layout) -> TokenStream {
    match layout {
        Layout::Crate => {
            let name = ident(&module_name(&api.name));
            quote!(#name)
        }
        Layout::Module => quote!(crate::api),
    }
}

struct Writer<'a> {
    scope: &'a Scope<'a>,
    root: TokenStream,
    /// The path of the macro `dec!`.
    dec: TokenStream,
    used: RefCell<BTreeSet<String>>,
    uses_dec: Cell<bool>,
}

impl<'a> Writer<'a> {
    fn new(scope: &'a Scope<'a>, root: TokenStream) -> Self {
        Self { scope, root, dec: quote!(dec), used: RefCell::default(), uses_dec: Cell::default() }
    }

    fn named(&self, rust: &str) -> TokenStream {
        self.used.borrow_mut().insert(rust.to_owned());
        let name = ident(rust);
        quote!(#name)
    }

    fn request(&self, operation: &Operation, json: &Value) -> Option<TokenStream> {
        let name = self.named(&operation.rust.rust);
        match &operation.body {
            Body::Parameters(parameters) => self.set(&name, parameters, json.as_object()?),
            Body::Array(array) => {
                let item = array.item()?;
                let items = self.items(&item.rust, &item.parameters, json)?;
                Some(quote!(#name::new(#items)))
            }
        }
    }

    fn items(&self, rust: &str, parameters: &[Parameter], json: &Value) -> Option<TokenStream> {
        let name = self.named(rust);
        let items = json.as_array()?.iter().map(|item| self.set(&name, parameters, item.as_object()?));
        let items = items.collect::<Option<Vec<_>>>()?;
        Some(quote!(Vec::from([#(#items),*])))
    }

    /// `Name::new(required ..)`, followed by a setter for everything else that is given.
    fn set(&self, name: &TokenStream, parameters: &[Parameter], json: &Map<String, Value>) -> Option<TokenStream> {
        let required = parameters.iter().filter(|parameter| parameter.is_required());
        let arguments = required.map(|parameter| self.argument(parameter, json)).collect::<Option<Vec<_>>>()?;
        let mut code = quote!(#name::new(#(#arguments),*));
        for parameter in parameters.iter().filter(|parameter| !parameter.is_required()) {
            if self.is_given(parameter, json) {
                let (setter, argument) = (ident(&parameter.name.rust), self.argument(parameter, json)?);
                code = quote!(#code.#setter(#argument));
            }
        }
        Some(code)
    }

    fn is_given(&self, parameter: &Parameter, json: &Map<String, Value>) -> bool {
        match self.scope.family.choice_of(parameter) {
            Some(choice) => choice.wires().any(|wire| json.contains_key(wire)),
            None => json.contains_key(&parameter.name.wire),
        }
    }

    fn choice(&self, index: usize) -> &'a Choice {
        &self.scope.family.choices[index]
    }

    fn argument(&self, parameter: &Parameter, json: &Map<String, Value>) -> Option<TokenStream> {
        let value = json.get(&parameter.name.wire);
        match &parameter.shape {
            Shape::One(Type::Choice(index)) => self.chosen(self.choice(*index), json),
            Shape::One(Type::Json) => {
                let (root, json) = (&self.root, value?.to_string());
                Some(quote!(#root::Json::new(#json)?))
            }
            Shape::One(ty) => {
                let text = text_of(value?)?;
                if parameter.deletes_with() == Some(text.as_str()) {
                    let root = &self.root;
                    return Some(quote!(#root::Edit::Delete));
                }
                self.value(*ty, &text, self.scope.converts(parameter))
            }
            Shape::List(ty) => {
                let values = value?.as_array()?.iter().map(|value| self.value(*ty, &text_of(value)?, false));
                let values = values.collect::<Option<Vec<_>>>()?;
                Some(quote!(Vec::from([#(#values),*])))
            }
            Shape::Items(item) => self.items(&item.rust, &item.parameters, value?),
            Shape::Object(object) => {
                let name = self.named(&object.rust);
                self.set(&name, &object.parameters, value?.as_object()?)
            }
            Shape::Map(_) => None,
        }
    }

    fn chosen(&self, choice: &Choice, json: &Map<String, Value>) -> Option<TokenStream> {
        let name = self.named(&choice.name.rust);
        match &choice.kind {
            ChoiceKind::Presence { alternatives, .. } => {
                let given = alternatives.iter().find(|parameter| json.contains_key(&parameter.name.wire))?;
                let Shape::One(ty) = given.shape else { return None };
                let variant = ident(&alternative(given));
                let value = self.value(ty, &text_of(json.get(&given.name.wire)?)?, false)?;
                Some(quote!(#name::#variant(#value)))
            }
            ChoiceKind::Value { decider, enum_index, .. } => {
                let text = text_of(json.get(&decider.wire)?)?;
                let index = self.scope.family.enums[*enum_index].index_of(&text)?;
                let (value, case) = choice.cases(self.scope.family).find(|(_, case)| case.value == index)?;
                if case.parameters.is_empty() {
                    let variant = ident(&value.name.rust);
                    return Some(quote!(#name::#variant));
                }
                self.used.borrow_mut().remove(&choice.name.rust);
                let payload = self.named(&choices::case_name(choice, value));
                self.set(&payload, &case.parameters, json)
            }
        }
    }

    /// A value; a plain text is enough if the function converts it.
    fn value(&self, ty: Type, text: &str, converts: bool) -> Option<TokenStream> {
        let root = &self.root;
        Some(match ty {
            Type::String if converts => quote!(#text),
            Type::String => quote!(#text.to_owned()),
            Type::Decimal => self.decimal(text),
            Type::Scaled(_) => {
                let value = self.decimal(&ty.value_of_wire(text));
                let into = (!converts).then(|| quote!(.into()));
                quote!(#value #into)
            }
            Type::Integer | Type::Signed => whole(text)?,
            Type::Boolean(_) => {
                let value = matches!(text, "true" | "1");
                quote!(#value)
            }
            Type::Time(Times::Milliseconds) => {
                let n = number(text.parse().ok()?);
                quote!(#root::Timestamp::from_millis(#n))
            }
            Type::Time(_) => {
                let ty = ident(value_type(ty)?);
                quote!(#text.parse::<#root::#ty>()?)
            }
            Type::Enum(index) => {
                let all = &self.scope.family.enums[index];
                let (name, variant) = (self.named(&all.name.rust), ident(&all.values[all.index_of(text)?].name.rust));
                quote!(#name::#variant)
            }
            Type::Identifier(index) => {
                let identifier = &self.scope.family.identifiers[index];
                match (identifier.is_constrained(), converts) {
                    (false, true) => quote!(#text),
                    (false, false) => quote!(#text.into()),
                    (true, _) => {
                        let name = self.named(&identifier.name.rust);
                        quote!(#name::new(#text)?)
                    }
                }
            }
            Type::Json | Type::Choice(_) | Type::Record(_) | Type::Undefined => return None,
        })
    }

    /// A decimal: a literal, unless `dec!` does not take it.
    fn decimal(&self, text: &str) -> TokenStream {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && !digits.ends_with('.');
        match text.parse::<Literal>() {
            Ok(literal) if is_plain => {
                self.uses_dec.set(true);
                let dec = &self.dec;
                quote!(#dec!(#literal))
            }
            _ => {
                let root = &self.root;
                quote!(#text.parse::<#root::Decimal>()?)
            }
        }
    }

    /// A function that builds the request and sends it.
    fn program(&self, operation: &Operation, request: &TokenStream, calling: Calling) -> Vec<String> {
        let family = &self.scope.family;
        let (module, function) = (ident(&module_name(&family.name)), ident(&operation.function));
        let names: Vec<_> = self.used.borrow().iter().map(|name| ident(name)).collect();
        let names = if let [name] = names.as_slice() { quote!(#name) } else { quote!({#(#names),*}) };
        let root = &self.root;
        let (asynchronous, client, wait) = match calling {
            Calling::Async => (quote!(async), quote!(#root::Client), quote!(.await)),
            #[cfg(feature = "cli")]
            Calling::Blocking => (quote!(), quote!(#root::blocking::Client), quote!()),
        };
        let dec = self.uses_dec.get().then(|| quote!(use #root::dec;));
        let tokens = quote! {
            use #root::#module::#names;
            #dec
            #asynchronous fn example(client: &#client) -> Result<(), Box<dyn std::error::Error>> {
                let request = #request;
                let reply = client.#module().#function(&request) #wait?;
                println!("{:?}", reply.data);
                Ok(())
            }
        };
        let Ok(file) = syn::parse2(tokens) else { return Vec::new() };
        let mut lines: Vec<String> = prettyplease::unparse(&file).lines().map(str::to_owned).collect();
        if let Some(at) = lines.iter().position(|line| line.contains("fn example(")) {
            lines.insert(at, String::new());
        }
        lines
    }
}

/// The text of a scalar.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
