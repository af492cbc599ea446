//! The root file: the table of the API, the client, and the families with a function for each operation.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use std::collections::BTreeSet;

use super::code::{self, File, Item, gate, ident, number, optional_text, print};
use super::docs::{Docs, code, escape};
use super::operation::{rate_limit, type_names};
use super::records::{emitted, response_type};
use super::scope::{Scope, value_type};
use super::{batches, enums, example, module_name, rules};
use crate::compiler::emit::Layout;
use crate::compiler::model::{
    Api, Calls, Family, Market, Operation, Placed, Pool, Probe, RefusedAddress, ResponseValue, phrases,
};

/// Returns `lib.rs`, or an `api.rs` to be included.
pub(super) fn emit(api: &Api, layout: Layout) -> File {
    let items = [
        exports(api, layout),
        account(api),
        codes(api),
        families(api, layout),
        commands(layout),
        guide(api, layout),
        table(api, layout),
        recoveries(api, layout),
        super::reconcile::listings(api, layout),
        super::reconcile::flats(api, layout),
        super::records::listings(api, layout),
    ];
    let mut items: Vec<_> = items.into_iter().map(Item::Code).collect();
    items.push(Item::Text(client(api, layout)));
    items.extend(markets(api).into_iter().flatten().map(Item::Code));
    if layout == Layout::Crate {
        items
            .extend([false, true].into_iter().filter_map(|observed| for_each_operation(api, observed)).map(Item::Code));
    }
    // A file that is included cannot have inner attributes.
    let top = if layout == Layout::Crate { attributes(api) } else { TokenStream::new() };
    File::new(top, items)
}

/// Returns the documentation of the crate, whose items say on docs.rs which feature they need.
fn attributes(api: &Api) -> TokenStream {
    let docs = super::front::crate_docs(api);
    quote! {
        #docs
        #![cfg_attr(docsrs, feature(doc_cfg))]
    }
}

/// Returns the types of the runtime. A crate documents them itself, so that its links do not depend on the runtime's
/// pages.
fn exports(api: &Api, layout: Layout) -> TokenStream {
    let values = api.families.iter().flat_map(|family| {
        let fields = family.records.iter().flat_map(|record| &record.fields).map(|field| &field.shape);
        let parameters = family.all_parameters().map(|parameter| &parameter.shape);
        fields.chain(parameters).filter_map(|shape| value_type(shape.element()?)).collect::<BTreeSet<_>>()
    });
    let values: Vec<_> = values.collect::<BTreeSet<_>>().into_iter().map(ident).collect();
    let values = (!values.is_empty()).then(|| quote!(pub use tradeapi_runtime::{#(#values),*};));
    let inline = (layout == Layout::Crate).then(|| quote!(#[doc(inline)]));
    quote! {
        #inline
        pub use tradeapi_runtime as runtime;
        use tradeapi_runtime::tables;
        pub use tradeapi_runtime::confirm::{ConfirmPolicy, Confirmation};
        pub use tradeapi_runtime::retry::RetryPolicy;
        pub use tradeapi_runtime::tables::Outcome;
        pub use tradeapi_runtime::{CheckPolicy, Credentials, Decimal, Edit, Error, List, Operation, Reply, Timestamp, Violations, dec};
        #values
    }
}

/// Returns the type of the account; if the schema lists no properties, it has only a name.
fn account(api: &Api) -> TokenStream {
    let without_properties = quote!(
        use tradeapi_runtime::account::Instrument;
    );
    let Some(account) = &api.account else {
        return quote!(pub use tradeapi_runtime::Account; #without_properties);
    };
    let names = super::account::type_names(account).into_iter().map(ident);
    let instrument = account.instrument.is_none().then_some(without_properties);
    quote! {
        #instrument

        mod account;

        pub use account::{#(#names),*};
    }
}

/// Returns the observed codes, if there are any.
fn codes(api: &Api) -> TokenStream {
    let module = super::codes::of(api).next().map(|_| {
        quote!(
            pub mod codes;
        )
    });
    quote!(#module)
}

fn families(api: &Api, layout: Layout) -> TokenStream {
    let modules = api.families.iter().map(|family| {
        let (module, gate) = (ident(&module_name(&family.name)), gate(family, layout));
        // Deprecated items are emitted, too; only code of users that uses them gets warnings.
        let allow = has_deprecated(family).then(|| quote!(#[allow(deprecated)]));
        quote!(#gate #allow pub mod #module;)
    });
    quote!(#(#modules)*)
}

/// Returns the table of a program, which a crate of its own has behind a feature; others include the file where they
/// want it.
fn commands(layout: Layout) -> TokenStream {
    let module = (layout == Layout::Crate).then(|| {
        quote! {
            #[cfg(feature = "cli")]
            pub mod cli;
        }
    });
    quote!(#module)
}

/// Returns the guide, which is compiled for documentation only. What its examples compile with is not this crate's
/// concern.
fn guide(api: &Api, layout: Layout) -> TokenStream {
    let module = (layout == Layout::Crate && !api.guide.is_empty()).then(|| {
        quote! {
            #[cfg(all(doc, not(doctest)))]
            pub mod guide;
        }
    });
    quote!(#module)
}

/// Returns whether emitted code uses a deprecated field or value.
fn has_deprecated(family: &Family) -> bool {
    let mut fields = family.records.iter().flat_map(|record| &record.fields);
    let mut values = family.enums.iter().flat_map(|all| &all.values);
    fields.any(|field| field.deprecated.is_some()) || values.any(|value| value.deprecated.is_some())
}

/// Returns the client in both forms, as text because the rows of the macro are not Rust items.
fn client(api: &Api, layout: Layout) -> String {
    let families = api.families.iter().map(|family| {
        let docs = Docs::new(&format!("Operations of the family {}.", family.title.trim_end_matches('.')), "");
        let gate = match layout {
            Layout::Crate => format!("    #[cfg(feature = {:?})]\n", family.name),
            Layout::Module => String::new(),
        };
        format!("\n{}{gate}    {}: {};\n", docs.comments("    "), module_name(&family.name), family.rust)
    });
    format!(
        "runtime::client! {{\n    API, RECOVERIES, LISTINGS, FLATS, INSTRUMENTS, Instrument;\n{}}}\n",
        families.collect::<String>()
    )
}

/// Returns clients for other markets, which are selected by headers.
fn markets(api: &Api) -> Option<[TokenStream; 2]> {
    let functions: Vec<_> = api.markets.iter().map(market_function).collect();
    let asynchronous = quote! {
        impl Client {
            #(#functions)*
        }
    };
    let blocking = quote! {
        runtime::with_blocking! {
            impl blocking::Client {
                #(#functions)*
            }
        }
    };
    (!functions.is_empty()).then_some([asynchronous, blocking])
}

fn market_function(market: &Market) -> TokenStream {
    let (name, docs) = (ident(&market.name), Docs::new(&market.doc, "").outer());
    let headers = market.headers.iter().map(|(header, value)| (&header.text, value));
    let headers = headers.map(|(header, value)| quote!(.header(#header, #value)));
    quote! {
        #docs
        pub fn #name(base_url: impl Into<String>) -> runtime::ClientBuilder<Self> {
            Self::builder(base_url)#(#headers)*
        }
    }
}

fn table(api: &Api, layout: Layout) -> TokenStream {
    let name = &api.name;
    let envelope = match &api.envelope {
        None => quote!(None),
        Some(envelope) => {
            let envelope = super::codes::envelope_table(envelope);
            quote!(Some(#envelope))
        }
    };
    let credentials = match &api.credentials {
        None => quote!(None),
        Some(credentials) => {
            let credentials = super::credentials::table(credentials);
            quote!(Some(#credentials))
        }
    };
    let headers = api.headers.iter().enumerate().map(|(number, header)| {
        let (name, doc) = (&header.name, &header.doc);
        let sent = ident(header.sent.variant());
        let selects = |market: &Market| market.headers.iter().any(|(own, _)| own.number == Some(number));
        let selects_market = api.markets.iter().any(selects);
        let table = quote!(name: #name, sent: tables::Sent::#sent, selects_market: #selects_market, doc: #doc);
        quote!(tables::Header { #table })
    });
    let calls = calls(&api.calls);
    let remaining = remaining_calls(api);
    let account = match &api.account {
        None => quote!(tables::AccountTable::NONE),
        Some(_) => quote!(account::TABLE),
    };
    let pools = api.pools.iter().filter_map(pool_reporting);
    let refused_address = refused_address(api);
    let outcomes = super::confirm::outcomes(api);
    let queryable = api.operations().filter(|(_, operation)| operation.confirm.is_some()).map(|(family, operation)| {
        let (gate, module) = (gate(family, layout), ident(&module_name(&family.name)));
        let name = ident(&operation.rust.rust);
        quote!(#gate <#module::#name as runtime::Operation>::META)
    });
    let observed_codes = match super::codes::of(api).next() {
        Some(_) => quote!(codes::OBSERVED_CODES),
        None => quote!(&[]),
    };
    let mut docs = Docs::new("The properties that all operations share.", "");
    super::confirm::add_outcomes(&mut docs, api, layout);
    let docs = docs.outer();
    quote! {
        #docs
        pub static API: tables::Api = tables::Api {
            name: #name,
            envelope: #envelope,
            credentials: #credentials,
            calls: #calls,
            headers: &[#(#headers),*],
            remaining_calls: #remaining,
            account: #account,
            pools: &[#(#pools),*],
            refused_address: #refused_address,
            outcomes: #outcomes,
            queryable: &[#(#queryable),*],
            observed_codes: #observed_codes,
        };
    }
}

/// Returns the header with the remaining calls, and the windows that it counts.
fn remaining_calls(api: &Api) -> TokenStream {
    let Some(header) = &api.remaining_calls else { return quote!(None) };
    let windows: Vec<_> = api.remaining_calls_in.iter().filter_map(|window| window.milliseconds()).collect();
    match windows.as_slice() {
        [1000] => quote!(Some(tables::RemainingCalls::in_a_second(#header))),
        windows => {
            let windows = windows.iter().map(|window| number(*window));
            quote!(Some(tables::RemainingCalls { header: #header, windows: &[#(#windows),*] }))
        }
    }
}

/// Returns how requests name their call.
fn calls(calls: &Calls) -> TokenStream {
    if calls.place.is_none() {
        return quote!(tables::Calls::JSON_RPC);
    }
    let Calls { id, method, params, place: _ } = calls;
    let [id, method, params] = [id, method, params].map(|name| optional_text(name.as_deref()));
    quote!(tables::Calls { fixed: &[], id: #id, method: #method, parameters: #params })
}

/// Returns the refusal of an address that has made too many requests.
fn refused_address(api: &Api) -> TokenStream {
    let Some(RefusedAddress { rate, lasts, status, sources: _, place: _ }) = &api.refused_address else {
        return quote!(None);
    };
    let (status, lasts) = (number((*status).into()), number(lasts.at_least_milliseconds()));
    let rate = match rate.as_ref().map(rate_limit) {
        Some(rate) => quote!(Some(#rate)),
        None => quote!(None),
    };
    quote!(Some(tables::RefusedAddress { status: #status, lasts_ms: #lasts, rate: #rate }))
}

/// Returns what answers report about a pool.
fn pool_reporting(pool: &Pool) -> Option<TokenStream> {
    let reporting = pool.reporting.as_ref()?;
    let place = |value: &ResponseValue| match value {
        ResponseValue::Header(name) => quote!(tables::ResponseValue::Header(#name)),
        ResponseValue::Body(way) => {
            let path = super::codes::path(way);
            quote!(tables::ResponseValue::Body(#path))
        }
    };
    let (name, calls, count) = (&pool.name, number(pool.rate.calls.into()), place(&reporting.count));
    let kind = ident(if reporting.is_used { "Used" } else { "Remaining" });
    let reset = match &reporting.reset {
        None => quote!(None),
        Some((reset, form)) => {
            let form = ident(form.variant());
            let reset = place(reset);
            quote!(Some(tables::Reset { value: #reset, form: tables::ResetForm::#form }))
        }
    };
    Some(quote!(tables::PoolReporting {
        pool: #name,
        calls: #calls,
        count: tables::Count::#kind(#count),
        reset: #reset,
    }))
}

/// Returns the operations whose effects a query confirms, for changes that are open in a journal.
fn recoveries(api: &Api, layout: Layout) -> TokenStream {
    let queried = api.operations().filter(|(family, operation)| operation.first_query(family).is_some());
    let rows = queried.map(|(family, operation)| {
        let (gate, module) = (gate(family, layout), ident(&module_name(&family.name)));
        let name = ident(&operation.rust.rust);
        let of = match super::reconcile::is_of_an_order(family, operation) {
            true => quote!(of_order),
            false => quote!(of),
        };
        quote!(#gate runtime::confirm::Recovery::#of::<#module::#name>())
    });
    quote! {
        /// The operations whose changes [`Client::recover`] can query.
        static RECOVERIES: &[runtime::confirm::Recovery] = &[#(#rows),*];
    }
}

/// Returns a macro over all operations, for code that must handle each of them, such as a test or a local exchange.
/// Those of families that no document describes have a macro of their own, so that the first does not need their
/// features.
fn for_each_operation(api: &Api, observed: bool) -> Option<TokenStream> {
    let families = || api.families.iter().filter(|family| family.is_observed() == observed);
    families().next()?;
    let operations = families().flat_map(|family| family.operations.iter().map(move |operation| (family, operation)));
    let paths = operations.map(|(family, operation)| {
        let (module, name) = (ident(&module_name(&family.name)), ident(&operation.rust.rust));
        quote!($crate::#module::#name)
    });
    let features: Vec<_> = families()
        .map(|family| {
            let feature = &family.name;
            quote!(feature = #feature)
        })
        .collect();
    let all = match features.as_slice() {
        [one] => quote!(#one),
        several => quote!(all(#(#several),*)),
    };
    let (name, doc) = match observed {
        false => (
            "for_each_operation",
            " Calls the macro `$callback` with the type of every operation, separated by commas.",
        ),
        true => ("for_each_observed_operation", " The same, with every operation that was only observed."),
    };
    let name = ident(name);
    Some(quote! {
        #[doc = #doc]
        #[cfg(#all)]
        #[macro_export]
        macro_rules! #name {
            ($callback:ident) => {
                $callback! { #(#paths),* }
            };
        }
    })
}

/// Returns the call of the macro, as text because its rows are not Rust items.
pub(super) fn emit_facade(family: &Family) -> String {
    let scope = Scope::new(family);
    let docs = Docs::new(&format!("Operations of the family {}.", family.title.trim_end_matches('.')), "");
    let mut rows = vec![format!("{}    pub struct {};\n", docs.comments("    "), family.rust)];
    rows.extend(family.operations.iter().map(|operation| row(&scope, operation)));
    rows.extend(family.probe.as_ref().and_then(|probe| credentials(&scope, probe)));
    format!("runtime::operations! {{\n{}}}\n", rows.join("\n"))
}

fn row(scope: &Scope<'_>, operation: &Operation) -> String {
    let (function, request) = (&operation.function, &operation.rust.rust);
    let response = response_type(scope, request, &operation.response).to_token_stream().to_string().replace(' ', "");
    let mut docs = Docs::new(&operation.doc, &operation.title);
    docs.markdown(&format!("`{} {}`; see [`{request}`].", operation.method.as_str(), operation.path.text));
    let note = operation.deprecated.as_ref().map(code::deprecation_note);
    let deprecated = note.map(|note| format!("    #[deprecated(note = {note})]\n")).unwrap_or_default();
    let aliases = aliases(&operation.called);
    let items = if batches::has_results(scope.family, operation) { " as items" } else { "" };
    format!("{}{aliases}{deprecated}    fn {function}({request}) -> {response}{items};\n", docs.comments("    "))
}

/// Returns the attribute of [`code::aliases`] as text.
fn aliases(words: &[Placed]) -> String {
    let words: Vec<_> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
    if words.is_empty() { String::new() } else { format!("    #[doc(alias({}))]\n", words.join(", ")) }
}

/// Returns the request that checks whether the credentials are accepted.
fn credentials(scope: &Scope<'_>, probe: &Probe) -> Option<String> {
    let operation = scope.family.operations.get(&probe.operation)?;
    let (name, request) = (ident(&operation.rust.rust), example::request(scope, operation, &probe.request.0)?);
    let function = print(quote!(fn function() { let probe: #name = #request; }));
    let statement = function.lines().filter(|line| line.starts_with(' '));
    Some(statement.map(|line| format!("{line}\n")).collect())
}

/// Returns `mod.rs` of a family.
pub(super) fn emit_family(api: &Api, family: &Family) -> File {
    let items = vec![
        Item::Imports(Vec::new()),
        Item::Code(modules(family)),
        Item::Code(family_exports(family)),
        Item::Text(emit_facade(family)),
        Item::Code(tables(family)),
    ];
    File::new(family_docs(api, family).inner(), items)
}

fn modules(family: &Family) -> TokenStream {
    let mut names = Vec::new();
    if !family.choices.is_empty() {
        names.push("choices".to_owned());
    }
    if !family.enums.is_empty() {
        names.push("enums".to_owned());
    }
    names.push("errors".to_owned());
    if !family.identifiers.is_empty() {
        names.push("identifiers".to_owned());
    }
    if family.lifecycle.is_some() {
        names.push("lifecycle".to_owned());
    }
    if emitted(family).next().is_some() {
        names.push("records".to_owned());
    }
    names.extend(family.operations.iter().map(|operation| operation.function.clone()));
    names.sort();
    let names = names.iter().map(|name| ident(name));
    quote!(#(mod #names;)*)
}

/// Re-exports everything in the module of the family.
fn family_exports(family: &Family) -> TokenStream {
    let mut exports = Vec::new();
    let mut add = |module: &str, mut names: Vec<String>| {
        names.sort();
        let (module, names) = (ident(module), names.iter().map(|name| ident(name)).collect::<Vec<_>>());
        match names.as_slice() {
            [] => {}
            [name] => exports.push(quote!(pub use #module::#name;)),
            names => exports.push(quote!(pub use #module::{#(#names),*};)),
        }
    };
    add("choices", family.choices.iter().flat_map(|choice| enums::type_names(family, choice)).collect());
    add("enums", family.enums.iter().map(|all| all.name.rust.clone()).collect());
    add("errors", vec!["ERRORS".to_owned(), "ErrorCode".to_owned()]);
    add("identifiers", family.identifiers.iter().map(|all| all.name.rust.clone()).collect());
    add("lifecycle", family.lifecycle.iter().map(|_| "LIFECYCLE".to_owned()).collect());
    add("records", emitted(family).map(|record| record.name.rust.clone()).collect());
    for operation in &family.operations {
        add(&operation.function, type_names(operation));
    }
    quote!(#(#exports)*)
}

fn tables(family: &Family) -> TokenStream {
    let operations = family.operations.iter().map(|operation| ident(&operation.rust.rust));
    let limits = family.limits.iter().map(|limit| {
        let (id, n, doc) = (&limit.id, number(limit.n), &limit.doc);
        let over = limit.over.iter().flat_map(|over| &over.values).map(|(value, _)| value);
        quote!(tables::Ceiling { id: #id, n: #n, over: &[#(#over),*], doc: #doc })
    });
    let ceilings = (!family.limits.is_empty()).then(|| {
        quote! {
            /// Ceilings that are not a rate.
            pub const CEILINGS: &[tables::Ceiling] = &[#(#limits),*];
        }
    });
    let name = &family.name;
    quote! {
        /// The name of the family, by which functions for several families take it.
        pub const FAMILY: &str = #name;

        /// The tables of each operation of the family.
        pub const OPERATIONS: &[&tables::Meta] = &[#(<#operations as runtime::Operation>::META),*];

        #ceilings
    }
}

fn family_docs(api: &Api, family: &Family) -> Docs {
    let mut docs = Docs::new(&family.title, &family.name);
    docs.prose(&family.doc);
    if let Some(source) = &family.source {
        docs.markdown(&super::source_line(api, source));
    }
    docs.markdown(&escape(&phrases::observed(&family.sources)));
    docs.heading("Operations");
    docs.gap();
    docs.line("| operation | method and path | limit |".to_owned());
    docs.line("|---|---|---|".to_owned());
    for operation in &family.operations {
        let rates: Vec<_> = operation.rates.iter().map(|rate| escape(&rate.in_short())).collect();
        docs.line(format!(
            "| [`{}`] | `{} {}` | {} |",
            operation.rust.rust,
            operation.method.as_str(),
            operation.path.text,
            rates.join(", ")
        ));
    }
    if let Some(lifecycle) = &family.lifecycle {
        docs.heading("States");
        let states = &lifecycle.states_of(family).name.rust;
        docs.markdown(&format!("[`{states}`] shows its lifecycle: the states, and what leads from one to another."));
    }
    if !family.limits.is_empty() {
        docs.heading("Ceilings");
        docs.gap();
        for limit in &family.limits {
            docs.entry(&format!("{}: {}. {}", code(&limit.id), limit.n, escape(&limit.doc)));
        }
    }
    rules::add(&mut docs, &family.statements);
    docs
}
