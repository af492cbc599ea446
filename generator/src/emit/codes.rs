//! What codes prove: the rows of the tables, and the codes that no document lists.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::code::{File, camel, ident, list, table};
use super::docs::Docs;
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
        pub const OBSERVED_CODES: &[runtime::tables::KnownError] = &[#(#rows),*];
    };
    let refusals = refusals(api);
    let mut docs = Docs::new("Codes that no document lists, as they were observed.", "");
    docs.markdown(
        "What a document says of a code goes first. Only what several independent sources agree on is believed; see \
         [`runtime::tables::Certainty`].",
    );
    File::new(docs.inner(), [imports, observed].into_iter().chain(refusals))
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

fn row(api: &Api, code: &ObservedCode) -> TokenStream {
    let (name, says, proves, beyond) = (&code.code, &code.says, proves(code.proof.proves), beyond(&code.proof));
    let emitted = |name: &&str| api.families.iter().any(|family| family.name == **name);
    let families: Vec<_> = code.families.iter().map(|(name, _)| name.as_str()).filter(emitted).collect();
    let families = (!families.is_empty()).then(|| quote!(.of(&[#(#families),*])));
    let certainty = (code.certainty != Certainty::Several).then(|| {
        let certainty = ident(&camel(code.certainty.as_str()));
        quote!(.certain(runtime::tables::Certainty::#certainty))
    });
    let doc = Some(&code.doc).filter(|doc| !doc.is_empty()).map(|doc| quote!(.with_doc(#doc)));
    quote!(runtime::tables::KnownError::observed(#name, #says, #proves) #families #beyond #certainty #doc)
}

/// What a code proves.
pub(super) fn proves(proves: CodeProof) -> TokenStream {
    let proves = ident(&camel(proves.as_str()));
    quote!(runtime::tables::CodeProof::#proves)
}

/// What is known beyond that, where it does not follow.
pub(super) fn beyond(proof: &Proof) -> TokenStream {
    let stage = (proof.stage != proof.proves.usual_stage()).then(|| {
        let stage = ident(&camel(proof.stage.as_str()));
        quote!(.at(runtime::tables::Stage::#stage))
    });
    let cause = proof.cause.map(|cause| {
        let cause = ident(&camel(cause.as_str()));
        quote!(.because_of(runtime::tables::CredentialCause::#cause))
    });
    quote!(#stage #cause)
}
