//! The commands of a program over the API: a row for each operation and for each of its parameters.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Expr;

use super::code::{File, Item, gate, ident};
use super::docs::Docs;
use super::trees::{self, Field};
use super::{batches, confirm, module_name, pages};
use crate::emit::Layout;
use crate::emit::scope::Scope;
use crate::model::{Api, Choice, ChoiceKind, Effect, Family, Need, Operation, Parameter, Shape, Type, phrases};

/// `cli.rs`: the table of the program.
pub(super) fn emit(api: &Api, layout: Layout) -> File {
    let imports = quote!(
        use tradeapi_cli as cli;
    );
    let families = api.families.iter().map(|family| Item::Text(commands(family, layout)));
    let items = [imports, program(api, layout)].into_iter().map(Item::Code).chain(families);
    let top = Docs::new("The program of this API: its commands, with what they take.", "").inner();
    // A file that is included cannot have inner attributes.
    File::new(if layout == Layout::Crate { top } else { TokenStream::new() }, items)
}

/// `cli/main.rs`: the program of a crate.
pub(super) fn main(api: &Api) -> File {
    let (name, top) = (ident(&module_name(&api.name)), Docs::new(&api.doc, &api.name).inner());
    let main = quote! {
        fn main() -> std::process::ExitCode {
            tradeapi_cli::main(&#name::cli::PROGRAM)
        }
    };
    File::new(top, [main])
}

fn program(api: &Api, layout: Layout) -> TokenStream {
    let (name, about) = (&api.name, &api.doc);
    let families = api.families.iter().map(|family| {
        let (gate, name, title, commands) = (gate(family, layout), &family.name, &family.title, constant(family));
        quote!(#gate cli::Family { name: #name, title: #title, commands: #commands })
    });
    quote! {
        /// The program: its commands, and the tables of the API.
        pub static PROGRAM: cli::Program = cli::Program {
            name: #name,
            version: env!("CARGO_PKG_VERSION"),
            about: #about,
            api: &super::API,
            families: &[#(#families),*],
            recoveries: super::RECOVERIES,
            listings: super::LISTINGS,
            flats: super::FLATS,
        };
    }
}

fn commands(family: &Family, layout: Layout) -> String {
    let (gate, name) = (gate(family, layout), constant(family));
    let commands = family.operations.iter().map(|operation| command(family, operation));
    let declaration = quote! {
        #gate
        const #name: &[cli::Command] = ();
    };
    trees::constant(declaration, trees::list(commands))
}

fn constant(family: &Family) -> proc_macro2::Ident {
    ident(&module_name(&family.name).trim_start_matches("r#").to_ascii_uppercase())
}

fn command(family: &Family, operation: &Operation) -> Expr {
    let (module, request) = (ident(&module_name(&family.name)), ident(&operation.rust.rust));
    let kind = ident(kind(family, operation));
    let function = trees::tokens(quote!(cli::Command::#kind::<super::#module::#request>));
    let parameters = rows(family, operation.body.parameters());
    let command = trees::call(function, [trees::text(&operation.name), parameters]);
    let mint = minted(family, operation).map(|identifier| {
        let identifier = ident(identifier);
        trees::tokens(quote!(|| super::#module::#identifier::mint().to_string()))
    });
    trees::with(command, "minting", mint)
}

/// How the command is run, by what the request can do.
fn kind(family: &Family, operation: &Operation) -> &'static str {
    let is_confirmed = operation.first_query(family).is_some();
    let is_batch = operation.batch.is_some() && batches::emit(&Scope::new(family), operation).is_some();
    match operation.effect {
        Effect::Read if pages::is_followed(operation) => "pages",
        Effect::Read => "read",
        _ if is_batch && is_confirmed && confirm::is_of_items(family, operation) => "confirmed_batch",
        _ if is_batch => "batch",
        _ if is_confirmed && !confirm::is_of_items(family, operation) => "confirmed",
        _ if batches::has_results(family, operation) => "results",
        _ => "change",
    }
}

/// The type of the client id, if new ones can be made.
fn minted<'a>(family: &'a Family, operation: &Operation) -> Option<&'a str> {
    let (name, _) = operation.client_id.as_ref().filter(|_| operation.effect == Effect::Create)?;
    let mut parameters = operation.sets().flat_map(|(_, parameters)| parameters);
    let parameter = parameters.find(|parameter| parameter.name.wire == *name)?;
    let identifier = family.identifiers.get(parameter.shape.single_identifier()?)?;
    identifier.mint.as_ref().map(|_| identifier.name.rust.as_str())
}

/// The rows of parameters that are sent side by side.
fn rows(family: &Family, parameters: &[Parameter]) -> Expr {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for row in parameters.iter().flat_map(|parameter| Row::of(family, parameter)) {
        match rows.iter_mut().find(|other| other.name == row.name) {
            // A parameter that goes with several values of a choice.
            Some(other) => other.required = other.required.clone().or(row.required),
            None => rows.push(row),
        }
    }
    trees::list(rows.iter().map(|row| row.table(family)))
}

/// A parameter as it is sent.
struct Row<'a> {
    /// Its name on the wire; empty for a body that is an array.
    name: &'a str,
    flag: String,
    required: Requirement,
    of: RowOf<'a>,
}

enum RowOf<'a> {
    Parameter(&'a Parameter),
    /// The deciding parameter of a choice, with the index of its enum.
    Decider(&'a Choice, usize),
}

/// When a parameter has to be sent, as far as that can be said of it alone.
#[derive(Clone)]
enum Requirement {
    Always,
    Sometimes(String),
    No,
}

impl Requirement {
    fn of(need: Need) -> Self {
        match need {
            Need::Always => Self::Always,
            Need::Conditional => Self::Sometimes("required under a condition".to_owned()),
            Need::Unstated => Self::Sometimes("not stated whether required".to_owned()),
            Need::No => Self::No,
        }
    }

    /// What holds of a parameter that goes with several values of a choice.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Sometimes(one), Self::Sometimes(other)) => Self::Sometimes(format!("{one}; {other}")),
            (one, _) => one,
        }
    }

    fn tree(&self) -> Option<Expr> {
        match self {
            Self::Always => Some(trees::path(&["cli", "Required", "Always"])),
            Self::Sometimes(when) => {
                Some(trees::call(trees::path(&["cli", "Required", "Sometimes"]), [trees::text(when)]))
            }
            Self::No => None,
        }
    }
}

impl<'a> Row<'a> {
    /// The row of a parameter, or of each that a choice consists of.
    fn of(family: &'a Family, parameter: &'a Parameter) -> Vec<Self> {
        let Some(choice) = family.choice_of(parameter) else {
            return vec![Self::single(parameter, Requirement::of(parameter.need))];
        };
        match &choice.kind {
            ChoiceKind::Presence { alternatives, .. } => {
                let names: Vec<_> = alternatives.iter().map(|one| one.name.wire.as_str()).collect();
                let count = if parameter.need == Need::Always { "one" } else { "at most one" };
                let one_of = Requirement::Sometimes(format!("{count} of {}", names.join(", ")));
                alternatives.iter().map(|one| Self::single(one, one_of.clone())).collect()
            }
            ChoiceKind::Value { decider, enum_index, .. } => {
                let own = Self {
                    name: &decider.wire,
                    flag: flag(&decider.rust),
                    required: Requirement::of(parameter.need),
                    of: RowOf::Decider(choice, *enum_index),
                };
                let members = choice.cases(family).flat_map(|(value, case)| {
                    let (decider, value) = (&decider.wire, &value.name.wire);
                    case.parameters.iter().map(move |member| {
                        let verb = if member.is_required() { "required" } else { "only" };
                        Self::single(member, Requirement::Sometimes(format!("{verb} with {decider} {value}")))
                    })
                });
                std::iter::once(own).chain(members).collect()
            }
        }
    }

    fn single(parameter: &'a Parameter, required: Requirement) -> Self {
        let name = if parameter.is_body() { "" } else { parameter.name.wire.as_str() };
        Self { name, flag: flag(&parameter.name.rust), required, of: RowOf::Parameter(parameter) }
    }

    fn table(&self, family: &Family) -> Expr {
        let fields = match self.of {
            RowOf::Decider(choice, index) => {
                [Some(("kind", words(family, index, &[]))), None, None, None, text("doc", &choice.doc)]
            }
            RowOf::Parameter(parameter) => [
                Some(("kind", kind_of(family, parameter))),
                trees::some("default", default(parameter).map(|default| trees::text(&default))),
                text("unit", &phrases::units(&parameter.units)),
                text("bounds", &phrases::bounds(parameter).join("; ")),
                text("doc", &meaning(parameter)),
            ],
        };
        let own = [
            text("name", self.name),
            text("flag", &self.flag),
            self.required.tree().map(|required| ("required", required)),
        ];
        let fields = own.into_iter().chain(fields).flatten().map(|(name, value)| (ident(name), value));
        Expr::Struct(syn::ExprStruct {
            dot2_token: Some(Default::default()),
            rest: Some(Box::new(trees::path(&["cli", "Parameter", "DEFAULT"]))),
            ..trees::structure(&["cli", "Parameter"], fields)
        })
    }
}

/// `order_type` -> `order-type`.
fn flag(rust: &str) -> String {
    rust.trim_start_matches("r#").trim_matches('_').replace('_', "-")
}

/// A field for a text, if there is one.
fn text(name: &'static str, text: &str) -> Option<Field> {
    (!text.is_empty()).then(|| (name, trees::text(text)))
}

fn default(parameter: &Parameter) -> Option<String> {
    match (&parameter.default, &parameter.default_note) {
        (Some((default, _)), _) => Some(default.clone()),
        (None, note) => note.as_ref().map(|note| note.trim_end_matches('.').to_owned()),
    }
}

fn meaning(parameter: &Parameter) -> String {
    let edit = parameter.edit.as_ref().map(|edit| match &edit.delete {
        Some(delete) => format!(" Left out, the value stays; {delete} deletes it."),
        None => " Left out, the value stays.".to_owned(),
    });
    format!("{}{}", parameter.doc, edit.unwrap_or_default())
}

fn kind_of(family: &Family, parameter: &Parameter) -> Expr {
    let of_type = |ty: Type| match ty {
        Type::Enum(index) => words(family, index, &parameter.only),
        Type::Boolean(_) => kind_path("Truth"),
        Type::Json => kind_path("Json"),
        ty => trees::call(kind_path("Text"), [trees::text(family.type_name(ty))]),
    };
    let nested = |kind, parameters| trees::call(kind_path(kind), [rows(family, parameters)]);
    match &parameter.shape {
        Shape::One(ty) => of_type(*ty),
        Shape::List(ty) => trees::call(kind_path("List"), [trees::reference(of_type(*ty))]),
        Shape::Map(_) => kind_path("Json"),
        Shape::Items(item) => nested("Objects", &item.parameters),
        Shape::Object(item) => nested("Object", &item.parameters),
    }
}

fn kind_path(kind: &str) -> Expr {
    trees::path(&["cli", "Kind", kind])
}

/// The values of an enum with their meanings, or those of them that are allowed.
fn words(family: &Family, index: usize, only: &[(String, crate::diagnostics::Place)]) -> Expr {
    let values = family.enums.get(index).into_iter().flat_map(|all| &all.values);
    let allowed = values.filter(|value| only.is_empty() || only.iter().any(|(word, _)| *word == value.name.wire));
    let words = allowed.map(|value| trees::pair(trees::text(&value.name.wire), trees::text(&value.doc)));
    trees::call(kind_path("Words"), [trees::list(words)])
}
