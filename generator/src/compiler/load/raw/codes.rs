//! `codes.yaml`: observed codes that no document lists, and the codes of refusals.

use crate::compiler::load::shapes::{Named, Spanned, Text, Texts};
use crate::compiler::words::{Certainty, CodeProof, CredentialCause, Stage};

mappings! {
    /// `codes.yaml`: observed codes that no document lists, and the codes of refusals.
    Codes {
        /// Where the codes come from as a whole.
        doc: Option<Text>,
        /// Short names of sources, each with a description. If there are any, every code refers to its sources by them.
        sources: Named<Text>,
        /// The codes, each with its proof.
        codes: Named<Spanned<ObservedCode>>,
        /// Reasons to refuse requests, by names of your own, each with its code.
        refusals: Named<Spanned<Refusal>>,
    }

    /// A reason to refuse requests.
    Refusal {
        /// The mistake, in words that an answer may use.
        @required says: Option<Text>,
        /// The code, documented or observed.
        code: Option<Text>,
        /// The codes of families in which it is another one.
        codes: Named<Text>,
        /// The HTTP status, if it is known and differs from that of other refusals.
        status: Option<Spanned<u64>>,
        /// The rules whose violation is refused with it: their ids, or the last word of the ids of rules that follow
        /// from other keys, such as `required`.
        rules: Texts,
    }

    /// A code that no document lists.
    ObservedCode {
        /// The families whose operations return it; all of them when left out.
        families: Texts,
        /// The proof that the code gives about the request that it answers.
        @required proves: Option<Spanned<CodeProof>>,
        /// The stage that the request reached. Left out: `gateway` for a timestamp, credentials and a rate, `trading`
        /// otherwise.
        stage: Option<Spanned<Stage>>,
        /// With `proves: credentials`: the likely cause.
        cause: Option<Spanned<CredentialCause>>,
        /// True if every copy of a request is refused with it, because the request alone decides: not a balance, a
        /// limit or the time. At the stage `parameters`, that is so without it.
        alike: Option<Spanned<bool>>,
        /// With `proves: credentials`: whether it comes before the signature is looked at, so that it says nothing about
        /// key, secret and passphrase.
        before_signature: Option<Spanned<bool>>,
        /// The meaning.
        @required says: Option<Text>,
        /// Advice on what to do.
        doc: Option<Text>,
        /// Who has observed it.
        @required sources: Option<Spanned<Vec<Text>>>,
        /// The certainty of the proof; `several` when left out.
        certainty: Option<Spanned<Certainty>>,
    }
}
