//! The first example of an operation as Rust code that compiles.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use proc_macro2::Literal;
use quote::quote;
use syn::{Expr, Path};

use super::code::{alternative, ident};
use super::docs::Docs;
use super::scope::{Scope, value_type};
use super::{batches, declarations, enums, module_name, trees};
use crate::compiler::emit::Layout;
use crate::compiler::json::{self, Member, Value};
use crate::compiler::model::Family;
use crate::compiler::model::{Api, Choice, ChoiceKind, Operation, Parameter, Shape, Type};
use crate::compiler::words::Times;

/// Adds the example. In a module, whose path is known only to its owner, it is shown but not compiled.
pub(super) fn add(docs: &mut Docs, api: &Api, scope: &Scope<'_>, operation: &Operation, layout: Layout) {
    let Some(example) = operation.examples.first() else { return };
    let Ok(json) = json::parse(&example.request.0) else { return };
    let writer = Writer::new(scope, root(api, layout));
    let Some(request) = writer.request(operation, &json.value) else { return };
    let lines = writer.program(operation, request, Calling::Async);
    docs.heading("Example");
    docs.prose(&example.about);
    docs.code(if layout == Layout::Crate { "" } else { "ignore" }, &lines);
}

/// A call of an operation as two programs of a crate that depends on the emitted one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExampleCalls {
    pub(crate) asynchronous: String,
    pub(crate) blocking: String,
}

/// Returns programs that send a request; `None` if it cannot be written as Rust.
pub(crate) fn example_calls(api: &Api, family: &Family, operation: &Operation, json: &str) -> Option<ExampleCalls> {
    let (scope, json) = (Scope::new(family), json::parse(json).ok()?.value);
    let writer = Writer::new(&scope, root(api, Layout::Crate));
    let program = |calling| {
        let request = writer.request(operation, &json)?;
        Some(writer.program(operation, request, calling).join("\n"))
    };
    Some(ExampleCalls { asynchronous: program(Calling::Async)?, blocking: program(Calling::Blocking)? })
}

/// The kind of client that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Calling {
    Async,
    Blocking,
}

/// Returns a request as an expression; `None` if a part of it has to be parsed, which may fail.
pub(super) fn request(scope: &Scope<'_>, operation: &Operation, json: &str) -> Option<Expr> {
    let writer = Writer { dec: &["runtime", "dec"], ..Writer::new(scope, vec!["runtime".to_owned()]) };
    let request = writer.request(operation, &json::parse(json).ok()?.value)?;
    writer.used.borrow().iter().for_each(|name| drop(scope.named(name)));
    Some(request)
}

/// Returns the path of the items in the root file: the crate, or by convention the module that includes it.
fn root(api: &Api, layout: Layout) -> Vec<String> {
    match layout {
        Layout::Crate => vec![module_name(&api.name)],
        Layout::Module => vec!["crate".to_owned(), "api".to_owned()],
    }
}

struct Writer<'a> {
    scope: &'a Scope<'a>,
    /// The segments of the path of the root.
    root: Vec<String>,
    /// The path of the macro `dec!`.
    dec: &'static [&'static str],
    used: RefCell<BTreeSet<String>>,
    uses_dec: Cell<bool>,
}

impl<'a> Writer<'a> {
    fn new(scope: &'a Scope<'a>, root: Vec<String>) -> Self {
        Self { scope, root, dec: &["dec"], used: RefCell::default(), uses_dec: Cell::default() }
    }

    /// Notes that a type of the family is used.
    fn note(&self, rust: &str) {
        self.used.borrow_mut().insert(rust.to_owned());
    }

    /// Returns the path of an item in the root.
    fn in_root(&self, item: &[&str]) -> Path {
        let root = self.root.iter().map(String::as_str);
        trees::path_of(&root.chain(item.iter().copied()).collect::<Vec<_>>())
    }

    /// Returns a text that is parsed as a type in the root.
    fn parsed(&self, text: &str, ty: &str) -> Expr {
        let ty = declarations::of_path(self.in_root(&[ty]));
        trees::tried(trees::with_type(trees::text(text), "parse", ty))
    }

    fn request(&self, operation: &Operation, json: &Value) -> Option<Expr> {
        let name = &operation.rust.rust;
        self.note(name);
        let Some(array) = operation.body.bare_array() else {
            return self.set(name, operation.body.parameters(), json.members()?);
        };
        let item = array.item()?;
        let items = self.items(&item.rust, &item.parameters, json)?;
        Some(trees::call(trees::path(&[name, "new"]), [items]))
    }

    fn items(&self, rust: &str, parameters: &[Parameter], json: &Value) -> Option<Expr> {
        self.note(rust);
        let items = json.items()?.iter().map(|item| self.set(rust, parameters, item.value.members()?));
        items.collect::<Option<Vec<_>>>().map(list)
    }

    /// Returns `Name::new(required ..)`, followed by a setter for everything else that is given.
    fn set(&self, name: &str, parameters: &[Parameter], json: &[Member]) -> Option<Expr> {
        let required = parameters.iter().filter(|parameter| parameter.is_argument());
        let arguments = required.map(|parameter| self.argument(parameter, json)).collect::<Option<Vec<_>>>()?;
        let mut code = trees::call(trees::path(&[name, "new"]), arguments);
        for parameter in parameters.iter().filter(|parameter| !parameter.is_required()) {
            if self.is_given(parameter, json) {
                code = trees::on(code, &parameter.name.rust, [self.argument(parameter, json)?]);
            }
        }
        Some(code)
    }

    fn is_given(&self, parameter: &Parameter, json: &[Member]) -> bool {
        match self.scope.family.choice_of(parameter) {
            Some(choice) => choice.wires().any(|wire| member(json, wire).is_some()),
            None => member(json, &parameter.name.wire).is_some(),
        }
    }

    fn choice(&self, index: usize) -> &'a Choice {
        &self.scope.family.choices[index]
    }

    fn argument(&self, parameter: &Parameter, json: &[Member]) -> Option<Expr> {
        let value = member(json, &parameter.name.wire);
        if parameter.is_edit() && value == Some(&Value::Null) {
            return Some(trees::of_path(self.in_root(&["Edit", "Delete"])));
        }
        match &parameter.shape {
            Shape::One(Type::Choice(index)) => self.chosen(self.choice(*index), json),
            Shape::One(Type::Json) => {
                let new = trees::of_path(self.in_root(&["Json", "new"]));
                Some(trees::tried(trees::call(new, [trees::text(&value?.to_string())])))
            }
            Shape::One(ty) => {
                let text = text_of(value?)?;
                if parameter.deletes_with() == Some(text.as_str()) {
                    return Some(trees::of_path(self.in_root(&["Edit", "Delete"])));
                }
                self.value(*ty, &text, self.scope.converts(parameter))
            }
            Shape::List(ty) => {
                let values = value?.items()?.iter().map(|item| self.value(*ty, &text_of(&item.value)?, false));
                values.collect::<Option<Vec<_>>>().map(list)
            }
            Shape::Items(item) => self.items(&item.rust, &item.parameters, value?),
            Shape::Object(object) => {
                self.note(&object.rust);
                self.set(&object.rust, &object.parameters, value?.members()?)
            }
            Shape::Map(ty) => {
                let entries = value?.members()?.iter().map(|member| {
                    let name = trees::flagged(trees::text(&member.name), "to_owned");
                    Some(trees::pair(name, self.value(*ty, &text_of(&member.value.value)?, false)?))
                });
                let entries = entries.collect::<Option<Vec<_>>>()?;
                let from = trees::path(&["std", "collections", "BTreeMap", "from"]);
                Some(trees::call(from, [trees::array(entries.into_iter())]))
            }
        }
    }

    fn chosen(&self, choice: &Choice, json: &[Member]) -> Option<Expr> {
        let name = &choice.name.rust;
        match &choice.kind {
            ChoiceKind::Presence { alternatives, .. } => {
                let given = alternatives.iter().find(|parameter| member(json, &parameter.name.wire).is_some())?;
                let value = match given.shape {
                    Shape::One(ty) => self.value(ty, &text_of(member(json, &given.name.wire)?)?, false)?,
                    _ => self.argument(given, json)?,
                };
                self.note(name);
                Some(trees::call(trees::path(&[name, &alternative(given)]), [value]))
            }
            ChoiceKind::Value { decider, enum_index, .. } => {
                let text = text_of(member(json, &decider.wire)?)?;
                let index = self.scope.family.enums[*enum_index].index_of(&text)?;
                let (value, case) = choice.cases(self.scope.family).find(|(_, case)| case.value == index)?;
                let is_given = |parameter: &Parameter| member(json, &parameter.name.wire).is_some();
                if case.is_optional() && !case.parameters.iter().any(is_given) {
                    self.note(name);
                    return Some(trees::path(&[name, &value.name.rust]));
                }
                let payload = enums::case_name(choice, value);
                self.note(&payload);
                self.set(&payload, &case.parameters, json)
            }
        }
    }

    /// Returns a value; a plain text is enough if the function converts it.
    fn value(&self, ty: Type, text: &str, converts: bool) -> Option<Expr> {
        let plain = || trees::text(text);
        Some(match ty {
            Type::String if converts => plain(),
            Type::String => trees::flagged(plain(), "to_owned"),
            Type::Decimal => self.decimal(text),
            Type::Scaled(_) => {
                let value = self.decimal(&ty.value_of_wire(text));
                if converts { value } else { trees::flagged(value, "into") }
            }
            Type::Integer | Type::Signed => trees::whole(text)?,
            Type::Boolean(_) => trees::truth(matches!(text, "true" | "1")),
            Type::Time(Times::Milliseconds) => {
                let from_millis = trees::of_path(self.in_root(&["Timestamp", "from_millis"]));
                trees::call(from_millis, [trees::number(text.parse().ok()?)])
            }
            Type::Time(_) | Type::Formatted(_) => self.parsed(text, value_type(ty)?),
            Type::Enum(index) => {
                let all = &self.scope.family.enums[index];
                let variant = &all.values[all.index_of(text)?].name.rust;
                self.note(&all.name.rust);
                trees::path(&[&all.name.rust, variant])
            }
            Type::Identifier(index) => {
                let identifier = &self.scope.family.identifiers[index];
                match (identifier.is_constrained(), converts) {
                    (false, true) => plain(),
                    (false, false) => trees::flagged(plain(), "into"),
                    (true, _) => {
                        self.note(&identifier.name.rust);
                        trees::tried(trees::call(trees::path(&[&identifier.name.rust, "new"]), [plain()]))
                    }
                }
            }
            Type::Json | Type::Choice(_) | Type::Record(_) | Type::Undefined => return None,
        })
    }

    /// Returns a decimal: a literal, unless `dec!` does not take it.
    fn decimal(&self, text: &str) -> Expr {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && !digits.ends_with('.');
        match text.parse::<Literal>() {
            Ok(literal) if is_plain => {
                self.uses_dec.set(true);
                trees::macro_of(self.dec, quote!(#literal))
            }
            _ => self.parsed(text, "Decimal"),
        }
    }

    /// Returns a function that builds the request and sends it.
    fn program(&self, operation: &Operation, request: Expr, calling: Calling) -> Vec<String> {
        let module = module_name(&self.scope.family.name);
        let names: Vec<_> = self.used.borrow().iter().map(|name| ident(name)).collect();
        let names = if let [name] = names.as_slice() { quote!(#name) } else { quote!({#(#names),*}) };
        let path = self.in_root(&[&module]);
        let (asynchronous, client) = match calling {
            Calling::Async => (quote!(async), self.in_root(&["Client"])),
            Calling::Blocking => (quote!(), self.in_root(&["blocking", "Client"])),
        };
        let dec = self.uses_dec.get().then(|| {
            let dec = self.in_root(&["dec"]);
            quote!(use #dec;)
        });
        let declaration = quote! {
            use #path::#names;
            #dec
            #asynchronous fn example(client: &#client) -> Result<(), Box<dyn std::error::Error>> {}
        };
        let Ok(mut file) = syn::parse2::<syn::File>(declaration) else { return Vec::new() };
        let of_family = trees::flagged(trees::path(&["client"]), &module);
        let call = trees::on(of_family, &operation.function, [trees::reference(trees::path(&["request"]))]);
        let reply = trees::tried(match calling {
            Calling::Async => trees::awaited(call),
            Calling::Blocking => call,
        });
        // A call succeeds although items have failed.
        let reply = match batches::has_results(self.scope.family, operation) {
            true => trees::tried(trees::on(reply, "done", [])),
            false => reply,
        };
        let mut body = vec![trees::binding(ident("request"), request), trees::binding(ident("reply"), reply)];
        body.extend(trees::statements(quote!(println!("{:?}", reply.data); Ok(()))));
        if let Some(syn::Item::Fn(function)) = file.items.last_mut() {
            function.block.stmts = body;
        }
        let mut lines: Vec<String> = prettyplease::unparse(&file).lines().map(str::to_owned).collect();
        if let Some(at) = lines.iter().position(|line| line.contains("fn example(")) {
            lines.insert(at, String::new());
        }
        lines
    }
}

/// Returns `Vec::from([item, item])`.
fn list(items: Vec<Expr>) -> Expr {
    trees::call(trees::path(&["Vec", "from"]), [trees::array(items.into_iter())])
}

/// Returns the value of a member, if it is given.
fn member<'a>(members: &'a [Member], name: &str) -> Option<&'a Value> {
    members.iter().find(|member| member.name == name).map(|member| &member.value.value)
}

/// Returns the text of a scalar.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) | Value::Number(text) => Some(text.clone()),
        Value::Boolean(value) => Some(value.to_string()),
        Value::Null | Value::List(_) | Value::Object(_) => None,
    }
}
