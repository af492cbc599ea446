//! The commands of a program over the API: a row for each operation. The parameters follow from the requests.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Expr;

use super::code::{File, Item, gate, ident, optional, optional_text};
use super::docs::Docs;
use super::front::Subject;
use super::trees;
use super::{batches, confirm, module_name, pages};
use crate::compiler::emit::Layout;
use crate::compiler::emit::scope::Scope;
use crate::compiler::model::{Api, Effect, Family, Operation, Shown};

/// Returns `cli.rs`: the table of the program.
pub(super) fn emit(api: &Api, layout: Layout) -> File {
    let imports = quote!(
        use tradeapi_cli as cli;
    );
    let families = api.families.iter().map(|family| Item::Text(commands(family, layout)));
    let items = [imports, program(api, layout)].into_iter().map(Item::Code).chain(families);
    let mut top = Docs::new("The program of this API, and its commands.", "");
    if let Some(chapter) = Subject::CommandLine.link(api, layout, "super::") {
        top.markdown(&format!("The guide describes the {chapter}."));
    }
    let top = top.inner();
    // A file that is included cannot have inner attributes.
    File::new(if layout == Layout::Crate { top } else { TokenStream::new() }, items)
}

/// Returns `cli/main.rs`: the program of a crate.
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
    let positions = api.operations().filter_map(|(family, operation)| {
        let (gate, positions) = (gate(family, layout), positions(family, operation)?);
        Some(quote!(#gate #positions))
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
            positions: &[#(#positions),*],
        };
    }
}

/// Returns how the open positions are listed by an operation that shows them.
fn positions(family: &Family, operation: &Operation) -> Option<proc_macro2::TokenStream> {
    let shows = operation.listing.shows.as_ref().filter(|shows| shows.what.0 == Shown::Positions)?;
    let account = family.served_at(&operation.path.text).map_or(&family.name, |served| &served.text);
    let list = optional_text(operation.listing.list.as_ref().map(|list| list.text.as_str()));
    let over = shows.over.as_ref().and_then(|over| {
        let (name, values) = (&over.text, super::reconcile::values(family, operation.parameter(over)?)?);
        Some(quote!((#name, &[#(#values),*])))
    });
    let (id, over) = (&operation.id, optional(over));
    Some(quote!(cli::PositionListing { operation: #id, account: #account, list: #list, over: #over }))
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
    let command = trees::call(function, [trees::text(&operation.name)]);
    let mint = minted(family, operation).map(|identifier| {
        let identifier = ident(identifier);
        trees::tokens(quote!(|| super::#module::#identifier::mint().to_string()))
    });
    trees::with(command, "minting", mint)
}

/// Returns how the command is run, by what the request can do.
fn kind(family: &Family, operation: &Operation) -> &'static str {
    let is_confirmed = operation.first_query(family).is_some();
    let is_batch = operation.batch.is_some() && batches::emit(&Scope::new(family), operation).is_some();
    match operation.effect {
        Effect::Read if pages::is_followed(operation) => "pages",
        Effect::Read => "read",
        _ if is_batch && is_confirmed && confirm::is_of_items(family, operation) => "confirmed_batch",
        _ if is_batch => "batch",
        Effect::Cancel if is_confirmed && operation.repeat.is_some() => "cancellation",
        _ if is_confirmed && !confirm::is_of_items(family, operation) => "confirmed",
        _ if batches::has_results(family, operation) => "results",
        _ if operation.repeat.is_some() => "repeatable",
        _ => "change",
    }
}

/// Returns the type of the client id, if new ones can be made.
fn minted<'a>(family: &'a Family, operation: &Operation) -> Option<&'a str> {
    let (name, _) = operation.client_id.as_ref().filter(|_| operation.effect == Effect::Create)?;
    let mut parameters = operation.sets().flat_map(|(_, parameters)| parameters);
    let parameter = parameters.find(|parameter| parameter.name.wire == *name)?;
    let identifier = family.identifiers.get(parameter.shape.single_identifier()?)?;
    identifier.mint.as_ref().map(|_| identifier.name.rust.as_str())
}
