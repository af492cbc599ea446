//! Statements that any file may have: sources, open questions, contradictions and rules.

use crate::compiler::diagnostics::Place;
use crate::compiler::load::declared::{KeyValue, Names, Placed, Prose, declared};
use crate::compiler::load::shapes::{Conditions, ShortForm, Spanned, Text, Texts};
use crate::compiler::load::typed::{NodeReader, ReadError};
use crate::compiler::words::{RuleKind, Severity};

declared! {
    /// Where a document describes something.
    part Source {
        /// One of the `documents` in api.yaml.
        document: Placed,
        /// The heading of the section.
        section: Option<(Prose, Place)>,
    }

    /// Something that the document leaves open; a text alone where the document is silent.
    part OpenQuestion {
        /// The fact that is not shown.
        says: (Prose, Place),
        /// The sections that say so themselves.
        at: Names,
    }
}

mappings! {
    /// Statements that cannot all hold.
    Contradiction {
        /// An id, in lower case with hyphens.
        @required id: Option<Text>,
        /// The statements of the places, in their order.
        @required readings: Vec<Text>,
        /// The reading that the schema takes.
        @required chosen: Option<Text>,
        /// The reason for the choice.
        @required why: Option<Text>,
    }

    /// A binding sentence of the document.
    @completed Rule {
        /// An id, in lower case with hyphens.
        id: Option<Text>,
        /// The place in the document.
        at: Option<Text>,
        /// The way the rule is kept.
        kind: Option<Spanned<RuleKind>>,
        /// With `checked`: whether a request that breaks it is refused, or only causes a warning. `refuse` when left out.
        severity: Option<Spanned<Severity>>,
        /// The statement of the rule.
        says: Option<Text>,
        /// With `stated`: why it is not checked.
        why: Option<Text>,
        /// The condition under which it binds: parameters and their values, `given`, `any_given`, `param.form`,
        /// `param.below` and the like; `not.` before an entry negates it.
        when: Option<Spanned<Conditions>>,
        /// The condition that must hold under `when`, written like it.
        require: Option<Spanned<Conditions>>,
        /// The condition that must not hold under `when`, written like it.
        forbid: Option<Spanned<Conditions>>,
        /// The parameter that has the same value in all items of a list.
        same: Option<Text>,
        /// The parameters whose values differ between all items of a list.
        unique: Option<Texts>,
        /// With `type`: parameters of the family that the operation does not support. A request with one of them is
        /// refused by name where requests are read.
        unsupported: Option<Texts>,
        /// The list to whose items it applies; `"[]"` when the body is an array.
        r#in: Option<Text>,
        /// `operation.rule`: the conditions of that rule; other keys beside it override.
        r#as: Option<Text>,
    }
}

impl ShortForm for OpenQuestion {
    fn short(from: NodeReader<'_>) -> Result<Self, ReadError> {
        Ok(Self { says: KeyValue::read(from)?, at: Names::new(), place: from.place() })
    }
}
