//! What codes prove: rows of tables, and the codes that no document lists.

use quote::quote;
use syn::Expr;

use super::code::{File, Item};
use super::docs::Docs;
use super::trees;
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
    let observed = Item::Text(trees::constant(observed, trees::list(rows)));
    let refusals = refusals(api);
    let mut docs = Docs::new("Observed codes that no document lists.", "");
    docs.markdown(
        "The meaning that a document gives a code takes precedence. An observed meaning counts only if several \
        independent sources agree on it; see [`runtime::tables::Certainty`].",
    );
    File::new(docs.inner(), [imports.into(), observed].into_iter().chain(refusals.map(Item::Text)))
}

/// The table of refusals, if the schema has any.
fn refusals(api: &Api) -> Option<String> {
    if api.refusals.is_empty() {
        return None;
    }
    let rows = api.refusals.iter().map(|refusal| refusal_row(api, refusal));
    let declaration = quote! {
        /// The reasons for which requests are refused, and their codes.
        pub const REFUSALS: &[runtime::tables::Refusal] = &[];
    };
    Some(trees::constant(declaration, trees::list(rows)))
}

fn refusal_row(api: &Api, refusal: &Refusal) -> Expr {
    let codes = api.families.iter().filter(|family| !family.is_observed()).filter_map(|family| {
        let own = refusal.codes.iter().find(|((name, _), _)| *name == family.name).map(|(_, code)| code);
        let (name, (code, _)) = (&family.name, own.or(refusal.code.as_ref())?);
        Some(trees::pair(trees::text(name), trees::text(code)))
    });
    let status = refusal.status.and_then(|(status, _)| u16::try_from(status).ok());
    let rules = refusal.rules.iter().flat_map(|(rule, _)| {
        let ids = api.rules_with_id(rule);
        if ids.is_empty() { vec![rule.clone()] } else { ids }
    });
    let fields = [
        Some(("name", trees::text(&refusal.name))),
        Some(("says", trees::text(&refusal.says))),
        trees::rows("codes", codes),
        trees::some("status", status.map(|status| trees::number(status.into()))),
        trees::rows("rules", rules.map(|rule| trees::text(&rule))),
    ];
    trees::table("Refusal", fields)
}

/// The observed codes of the families that are emitted.
pub(super) fn of(api: &Api) -> impl Iterator<Item = &ObservedCode> {
    api.codes.iter().filter(|code| api.families.iter().any(|family| code.is_of(&family.name)))
}

fn row(api: &Api, code: &ObservedCode) -> Expr {
    let emitted = |name: &&str| api.families.iter().any(|family| family.name == **name);
    let families: Vec<_> = code.families.iter().map(|(name, _)| name.as_str()).filter(emitted).collect();
    let of = (!families.is_empty()).then(|| trees::list(families.into_iter().map(trees::text)));
    let certainty =
        (code.certainty != Certainty::Several).then(|| trees::of_table("Certainty", code.certainty.variant()));
    let doc = Some(&code.doc).filter(|doc| !doc.is_empty()).map(|doc| trees::text(doc));
    let row = known_error("observed", [trees::text(&code.code), trees::text(&code.says), proves(code.proof.proves)]);
    let row = beyond(trees::with(row, "of", of), &code.proof);
    trees::with(trees::with(row, "certain", certainty), "with_doc", doc)
}

/// A row of a table of codes.
pub(super) fn known_error<const N: usize>(kind: &str, arguments: [Expr; N]) -> Expr {
    trees::call(trees::path(&["runtime", "tables", "KnownError", kind]), arguments)
}

/// What a code proves.
pub(super) fn proves(proves: CodeProof) -> Expr {
    trees::of_table("CodeProof", proves.variant())
}

/// Adds what a row states beyond the proof, unless it follows from the proof.
pub(super) fn beyond(row: Expr, proof: &Proof) -> Expr {
    let stage = (proof.stage != proof.proves.usual_stage()).then(|| trees::of_table("Stage", proof.stage.variant()));
    let cause = proof.cause.map(|cause| trees::of_table("CredentialCause", cause.variant()));
    let row = trees::with(trees::with(row, "at", stage), "because_of", cause);
    if proof.alike.is_some() { trees::flagged(row, "alike") } else { row }
}
