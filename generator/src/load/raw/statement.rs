//! What any file may say: where it stands, what is not shown, what contradicts itself, and rules.

use crate::load::shapes::{Named, ShortForm, Spanned, Text, Texts};
use crate::words::{RuleKind, Severity};

mappings! {
    /// Where a document says it.
    Source {
        /// One of the `documents` in api.yaml.
        document: Option<Text>,
        /// The heading of the section.
        section: Option<Text>,
    }

    /// What the document leaves open; a text alone where the document is silent.
    NotShown {
        /// What is not shown.
        says: Option<Text>,
        /// The sections that say so themselves.
        at: Texts,
    }

    /// Statements that cannot all hold.
    Contradiction {
        /// A name for it, in lower case with hyphens.
        id: Option<Text>,
        /// What the places say, one after the other.
        readings: Vec<Text>,
        /// What the schema takes.
        chosen: Option<Text>,
        /// Why it takes that.
        why: Option<Text>,
    }

    /// A binding sentence of the document.
    Rule {
        /// A name for it, in lower case with hyphens.
        id: Option<Text>,
        /// Its place in the document.
        at: Option<Text>,
        /// What is made of it.
        kind: Option<Spanned<RuleKind>>,
        /// With `checked`: whether a request that breaks it is refused, or only warned of. `refuse` when left out.
        severity: Option<Spanned<Severity>>,
        /// What it says.
        says: Option<Text>,
        /// With `stated`: why it cannot be more.
        why: Option<Text>,
        /// The condition under which it binds: parameters and their values, `given`, `any_given`, `param.form`,
        /// `param.below` and the like; `not.` before an entry negates it.
        when: Option<Spanned<Named<Texts>>>,
        /// What must hold then, written like `when`.
        require: Option<Spanned<Named<Texts>>>,
        /// What must not hold then, written like `when`.
        forbid: Option<Spanned<Named<Texts>>>,
        /// The parameter that has one value in all items of a list.
        same: Option<Text>,
        /// The parameters that no two items of a list share.
        unique: Option<Texts>,
        /// The list whose items it speaks of; `"[]"` when the body is an array.
        r#in: Option<Text>,
        /// `operation.rule`: the conditions of that rule; other keys beside it override.
        r#as: Option<Text>,
    }
}

impl ShortForm for NotShown {
    fn from_doc(says: String) -> Self {
        Self { says: Some(Spanned { value: says, ..Spanned::default() }), at: Texts::default() }
    }
}
