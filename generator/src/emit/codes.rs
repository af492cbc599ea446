//! What codes prove: the rows of the tables, and the codes that no document lists.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::camel;
use super::code::{file, ident};
use super::docs::Docs;
use crate::model::{Api, ObservedCode, Proof};
use crate::model::{Certainty, CodeProof};

/// `codes.rs`: every observed code, in the order of the codes.
pub(super) fn emit(api: &Api) -> String {
    let mut codes: Vec<_> = of(api).collect();
    codes.sort_by(|one, other| one.code.cmp(&other.code));
    let rows = codes.into_iter().map(|code| row(api, code));
    let imports = quote!(
        use tradeapi_runtime as runtime;
    );
    let table = quote! {
        /// Every observed code, and what it proves about the request that it answers.
        pub const OBSERVED_CODES: &[runtime::tables::KnownError] = &[#(#rows),*];
    };
    let mut docs = Docs::new("Codes that no document lists, as they were observed.", "");
    docs.markdown(
        "What a document says of a code goes first. Only what several independent sources agree on is believed; see \
         [`runtime::tables::Certainty`].",
    );
    file(docs.inner(), vec![imports, table])
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
    quote!(runtime::tables::KnownError::observed(#name, #says, #proves) #families #beyond #certainty)
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
