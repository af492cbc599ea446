//! `codes.yaml`: codes that no document lists, as they were observed, and what is refused with which code.

use crate::load::shapes::{Named, Spanned, Text, Texts};
use crate::words::{Cause, Certainty, CodeProof, Stage};

mappings! {
    /// `codes.yaml`: codes that no document lists, as they were observed.
    Codes {
        /// Where the codes come from as a whole.
        doc: Option<Text>,
        /// Short names of sources, each with what it is. Where there are any, every code names its sources by them.
        sources: Named<Text>,
        /// The codes, each with what it proves.
        codes: Named<Spanned<ObservedCode>>,
        /// Reasons to refuse requests, by names of your own, each with its code.
        refusals: Named<Spanned<Refusal>>,
    }

    /// Something that requests are refused for.
    Refusal {
        /// What is wrong, as an answer may say it.
        says: Option<Text>,
        /// The code that says so, listed by a document or observed.
        code: Option<Text>,
        /// The codes of families that have another one.
        codes: Named<Text>,
        /// The HTTP status, where it is known and differs from that of other refusals.
        status: Option<Spanned<u64>>,
        /// The rules whose violation is refused so: their ids, or the word that ends the id of rules that follow from
        /// other keys, such as `required`.
        rules: Texts,
    }

    /// A code that no document lists.
    ObservedCode {
        /// The families whose operations answer with it; all of them when left out.
        families: Texts,
        /// What it proves about the request that it answers.
        proves: Option<Spanned<CodeProof>>,
        /// How far the request came. Left out: `gateway` for a timestamp, credentials and a rate, `trading` otherwise.
        stage: Option<Spanned<Stage>>,
        /// With `proves: credentials`: the likely cause.
        cause: Option<Spanned<Cause>>,
        /// What it means.
        says: Option<Text>,
        /// What to do about it.
        doc: Option<Text>,
        /// Who has seen it.
        sources: Option<Spanned<Vec<Text>>>,
        /// How certain it is what it proves; `several` when left out.
        certainty: Option<Spanned<Certainty>>,
    }
}
