//! What codes prove: the rows of the tables, and the codes that no document lists.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::Expr;

use super::code::{File, Item, camel, list, table};
use super::docs::Docs;
use super::rows;
use crate::model::{Api, Certainty, CodeProof, ObservedCode, Proof, Refusal};

/// `codes.rs`: every observed code, in the order of the codes.
pub(super) fn emit(api: &Api) -> File {
    let mut codes: Vec<_> = of(api).collect();
    codes.sort_by(|one, other| one.code.cmp(&other.code));
    let rows = codes.into_iter().map(|code| row(api, code));
    let imports = quote!(
        use tradeapi_runtime as runtime;
    );
    let observed = quote! {
        /// Every observed code, and what it proves about the request that it answers.
        pub const OBSERVED_CODES: &[runtime::tables::KnownError] = &[];
    };
    let observed = Item::Text(rows::constant(observed, rows));
    let refusals = refusals(api);
    let mut docs = Docs::new("Codes that no document lists, as they were observed.", "");
    docs.markdown(
        "What a document says of a code goes first. Only what several independent sources agree on is believed; see \
         [`runtime::tables::Certainty`].",
    );
    File::new(docs.inner(), [imports.into(), observed].into_iter().chain(refusals.map(Item::Code)))
}

/// What requests are refused for, where the schema says so.
fn refusals(api: &Api) -> Option<TokenStream> {
    if api.refusals.is_empty() {
        return None;
    }
    let rows = api.refusals.iter().map(|refusal| refusal_row(api, refusal));
    Some(quote! {
        /// What requests are refused for, and the codes that say so.
        pub const REFUSALS: &[runtime::tables::Refusal] = &[#(#rows),*];
    })
}

fn refusal_row(api: &Api, refusal: &Refusal) -> TokenStream {
    let (name, says) = (&refusal.name, &refusal.says);
    let codes = api.families.iter().filter_map(|family| {
        let own = refusal.codes.iter().find(|((name, _), _)| *name == family.name).map(|(_, code)| code);
        let (name, (code, _)) = (&family.name, own.or(refusal.code.as_ref())?);
        Some(quote!((#name, #code)))
    });
    let status = refusal.status.and_then(|(status, _)| u16::try_from(status).ok()).map(Literal::u16_unsuffixed);
    let rules = refusal.rules.iter().flat_map(|(rule, _)| {
        let ids = api.rules_with_id(rule);
        if ids.is_empty() { vec![rule.clone()] } else { ids }
    });
    let fields = [
        Some(quote!(name: #name)),
        Some(quote!(says: #says)),
        list(&quote!(codes), codes),
        status.map(|status| quote!(status: Some(#status))),
        list(&quote!(rules), rules),
    ];
    table(quote!(runtime::tables::Refusal), fields)
}

/// The codes of the families that are emitted.
pub(super) fn of(api: &Api) -> impl Iterator<Item = &ObservedCode> {
    api.codes.iter().filter(|code| api.families.iter().any(|family| code.is_of(&family.name)))
}

fn row(api: &Api, code: &ObservedCode) -> Expr {
    let emitted = |name: &&str| api.families.iter().any(|family| family.name == **name);
    let families: Vec<_> = code.families.iter().map(|(name, _)| name.as_str()).filter(emitted).collect();
    let of = (!families.is_empty()).then(|| rows::list(families.into_iter().map(rows::text)));
    let certainty = (code.certainty != Certainty::Several).then(|| of_table("Certainty", code.certainty.as_str()));
    let doc = Some(&code.doc).filter(|doc| !doc.is_empty()).map(|doc| rows::text(doc));
    let row = known_error("observed", [rows::text(&code.code), rows::text(&code.says), proves(code.proof.proves)]);
    let row = beyond(rows::with(row, "of", of), &code.proof);
    rows::with(rows::with(row, "certain", certainty), "with_doc", doc)
}

/// A row of a table of codes.
pub(super) fn known_error<const N: usize>(kind: &str, arguments: [Expr; N]) -> Expr {
    rows::call(rows::path(&["runtime", "tables", "KnownError", kind]), arguments)
}

/// What a code proves.
pub(super) fn proves(proves: CodeProof) -> Expr {
    of_table("CodeProof", proves.as_str())
}

/// A row with what is known beyond what the code proves, where it does not follow.
pub(super) fn beyond(row: Expr, proof: &Proof) -> Expr {
    let stage = (proof.stage != proof.proves.usual_stage()).then(|| of_table("Stage", proof.stage.as_str()));
    let cause = proof.cause.map(|cause| of_table("CredentialCause", cause.as_str()));
    rows::with(rows::with(row, "at", stage), "because_of", cause)
}

/// A value of an enum of the runtime's tables, by its word in the schema language.
fn of_table(name: &str, word: &str) -> Expr {
    rows::path(&["runtime", "tables", name, &camel(word)])
}
