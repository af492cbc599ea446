//! Tables about answers: the proof that codes give, the codes that no document lists, the members around the data, and
//! the number of pending amendments.

use super::code::{File, Item, ident, number, optional_text};
use super::docs::{Docs, code};
use crate::compiler::model::{
    AnswerPath, Api, Certainty, Envelope, InFlight, ObservedCode, Operation, Parameter, Proof, Refusal, Step,
    SuccessWith,
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Returns `codes.rs`: every observed code, in the order of the codes.
pub(super) fn emit(api: &Api) -> File {
    let mut codes: Vec<_> = of(api).collect();
    codes.sort_by(|one, other| one.code.cmp(&other.code));
    let rows = codes.into_iter().map(|code| observed_row(api, code));
    let observed = "Every observed code, and what it proves about the request that it answers.";
    let observed = table(observed, "OBSERVED_CODES", "observed", rows);
    let refusals = refusals(api);
    let mut docs = Docs::new("Observed codes that no document lists.", "");
    docs.markdown(
        "The meaning that a document gives a code takes precedence. An observed meaning counts only if several \
        independent sources agree on it; see [`Certainty`](runtime::tables::Certainty).",
    );
    File::new(docs.inner(), [Item::Imports(Vec::new()), observed].into_iter().chain(refusals.map(Item::Text)))
}

/// Returns the table of refusals, if the schema has any.
fn refusals(api: &Api) -> Option<String> {
    if api.refusals.is_empty() {
        return None;
    }
    let rows: String = api.refusals.iter().map(|refusal| refusal_row(api, refusal)).collect();
    let doc = "The reasons for which requests are refused, and their codes.";
    Some(format!("runtime::refusals! {{\n    /// {doc}\n    pub const REFUSALS;\n\n{rows}}}\n"))
}

/// Returns a row of the table of refusals: its name, each code with its families, and what is wrong; then the rules
/// whose violation has it, and the parameters of other names that have it.
fn refusal_row(api: &Api, refusal: &Refusal) -> String {
    let mut codes: Vec<(&str, Vec<String>)> = Vec::new();
    for family in api.families.iter().filter(|family| !family.is_observed()) {
        let own = refusal.codes.iter().find(|(name, _)| family.is(name)).map(|(_, code)| code);
        let Some((code, _)) = own.or(refusal.code.as_ref()) else { continue };
        match codes.iter_mut().find(|(known, _)| *known == code.as_str()) {
            Some((_, families)) => families.push(literal(&family.name)),
            None => codes.push((code, vec![literal(&family.name)])),
        }
    }
    let codes: Vec<_> =
        codes.iter().map(|(code, families)| format!("{} of {}", literal(code), families.join(" | "))).collect();
    let codes = if codes.is_empty() { String::new() } else { format!(" => {}", codes.join(", ")) };
    let status = refusal.status.and_then(|(status, _)| u16::try_from(status).ok());
    let status = status.map(|status| format!(" with {status}")).unwrap_or_default();
    let rules = refusal.rules.iter().flat_map(|(rule, _)| {
        let ids = api.rules_with_id(rule);
        if ids.is_empty() { vec![rule.clone()] } else { ids }
    });
    let rules = refusal_list("for", rules);
    let parameters = refusal_list("because_of", refusal.parameters.iter().map(|(name, _)| name.clone()));
    format!("    {}{codes}{status}: {}{rules}{parameters};\n", literal(&refusal.name), literal(&refusal.says))
}

/// Returns a list at the end of a row of the table of refusals, after its word.
fn refusal_list(word: &str, names: impl Iterator<Item = String>) -> String {
    let names = names.map(|name| literal(&name)).collect::<Vec<_>>().join(" | ");
    if names.is_empty() { names } else { format!(",\n        {word} {names}") }
}

/// Returns the observed codes of the families that are emitted.
pub(super) fn of(api: &Api) -> impl Iterator<Item = &ObservedCode> {
    api.codes.iter().filter(|code| api.families.iter().any(|family| code.is_of(family)))
}

fn observed_row(api: &Api, code: &ObservedCode) -> String {
    let emitted = code.families.iter().filter_map(|name| api.family(name));
    let families: Vec<_> = emitted.map(|family| literal(&family.name)).collect();
    let of = if families.is_empty() { String::new() } else { format!(" of {}", families.join(" | ")) };
    let certain = match code.certainty {
        Certainty::Several => String::new(),
        certainty => format!(" certain {}", certainty.variant()),
    };
    row(&code.code, &of, &code.proof, &certain, [&code.says, &code.doc])
}

/// Returns a table of codes, declared by a macro of the runtime; `source` says how the codes are known.
pub(super) fn table(doc: &str, name: &str, source: &str, rows: impl Iterator<Item = String>) -> Item {
    let rows: String = rows.collect();
    Item::Text(format!("runtime::codes! {{\n    /// {doc}\n    pub const {name}: {source};\n\n{rows}}}\n"))
}

/// Returns a row of a table of codes: where the code occurs, what it proves, what else is stated unless it follows from
/// the proof, and its text and what to do.
pub(super) fn row(code: &str, of: &str, proof: &Proof, more: &str, [text, doc]: [&str; 2]) -> String {
    let proves = proof.proves.variant();
    let stage = match proof.stage {
        stage if stage == proof.proves.usual_stage() => String::new(),
        stage => format!(" at {}", stage.variant()),
    };
    let cause = proof.cause.map(|cause| format!(" because_of {}", cause.variant())).unwrap_or_default();
    let alike = if proof.alike.is_some() { " and alike" } else { "" };
    let early = if proof.before_signature.is_some() { " and before_signature" } else { "" };
    let doc = match (doc, proof.before_signature) {
        ("", None) => String::new(),
        ("", Some(_)) => format!(", {}", literal(NOT_VERIFIED)),
        (doc, None) => format!(", {}", literal(doc)),
        (doc, Some(_)) => format!(", {}", literal(&format!("{doc}; {NOT_VERIFIED}"))),
    };
    format!("    {}{of} => {proves}{stage}{cause}{alike}{early}{more}: {}{doc};\n", literal(code), literal(text))
}

/// A warning about a code that comes before the signature is looked at.
const NOT_VERIFIED: &str =
    "it comes before the signature is looked at, so key, secret and passphrase are not verified by it";

fn literal(text: &str) -> String {
    Literal::string(text).to_string()
}

pub(super) fn envelope_table(envelope: &Envelope) -> TokenStream {
    let Envelope { around, code, message, time, data, success, success_with, beside, place: _ } = envelope;
    let around = ident(around.variant());
    let (code, message) = (paths(code), paths(message));
    let [time, success] = [time, success].map(|text| optional_text(text.as_deref()));
    let data = data.as_ref().map(path).map_or_else(|| quote!(None), |path| quote!(Some(#path)));
    let success_with = success_with_row(success_with);
    quote!(tables::Envelope {
        around: tables::Around::#around,
        code: #code,
        message: #message,
        time: #time,
        data: #data,
        success: #success,
        success_with: #success_with,
        beside: &[#(#beside),*],
    })
}

fn success_with_row(SuccessWith { message, status }: &SuccessWith) -> TokenStream {
    if message.is_none() && status.is_none() {
        return quote!(tables::SuccessWith::NOTHING);
    }
    let message = optional_text(message.as_deref());
    let status = status.map(Literal::u16_unsuffixed).map_or_else(|| quote!(None), |status| quote!(Some(#status)));
    quote!(tables::SuccessWith { message: #message, status: #status })
}

fn paths(paths: &[AnswerPath]) -> TokenStream {
    let paths = paths.iter().map(path);
    quote!(&[#(#paths),*])
}

/// Returns a path to a value in an answer.
pub(super) fn path(path: &AnswerPath) -> TokenStream {
    let steps = path.0.iter().map(|step| match step {
        Step::Member(name) => quote!(tables::Step::Member(#name)),
        Step::Item(item) => {
            let item = Literal::usize_unsuffixed(*item);
            quote!(tables::Step::Item(#item))
        }
    });
    quote!(&[#(#steps),*])
}

/// Returns the parameters of a request that the gate reads.
pub(super) fn in_flight(operation: &Operation) -> Option<TokenStream> {
    let in_flight = operation.in_flight.as_ref()?;
    let (name, at_most) = (ident(&operation.rust.rust), number(in_flight.n.0));
    let orders = orders(operation.body.parameters(), in_flight)?;
    Some(quote! {
        impl runtime::orders::Amendment for #name {
            const IN_FLIGHT: u32 = #at_most;

            fn orders(&self) -> Vec<String> {
                #orders
            }
        }
    })
}

fn orders(parameters: &[Parameter], in_flight: &InFlight) -> Option<TokenStream> {
    let is_meant = |parameter: &&Parameter| parameter.name.wire == in_flight.per.0;
    if let Some(parameter) = parameters.iter().find(is_meant) {
        let one = reference(parameter, &quote!(self));
        return Some(quote!(Vec::from([#one])));
    }
    let of_list = |list: &Parameter| {
        let item = list.item()?;
        let one = reference(item.parameters.iter().find(is_meant)?, &quote!(item));
        let field = ident(&list.name.rust);
        Some(quote!(self.#field.iter().map(|item| #one).collect()))
    };
    parameters.iter().find_map(of_list)
}

fn reference(parameter: &Parameter, of: &TokenStream) -> TokenStream {
    let field = ident(&parameter.name.rust);
    match parameter.shape.choice() {
        Some(_) => {
            quote!(runtime::emitted::order_reference(|out| runtime::parameters::Parameters::write(&#of.#field, out)))
        }
        None => {
            let wire = &parameter.name.wire;
            quote!(runtime::emitted::order_reference(|out| out.text(name!(#wire), &#of.#field)))
        }
    }
}

/// Returns the entry in the documentation of the operation.
pub(super) fn entry(in_flight: &InFlight) -> String {
    let InFlight { per, n: (n, _), place: _ } = in_flight;
    let amendments = if *n == 1 { "amendment" } else { "amendments" };
    format!(
        "**In flight:** at most {n} {amendments} of one {}, which [`AmendGate`](runtime::orders::AmendGate) keeps, and a client that [tracks orders](runtime::ClientBuilder::track_orders)",
        code(&per.0)
    )
}
