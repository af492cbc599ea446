//! The schema files as written: a struct for each mapping of the language. `schema/README.md` explains the keys.
//!
//! Two macros declare mappings. A mapping whose content means the same in the file and in the model is a block of
//! `declared!`, where a row is all that a key needs. Any other, such as one that another mapping completes, is a block of
//! `mappings!`: every key is optional there, and a builder in [`crate::compiler::model`] makes the model of it and reports
//! keys that are missing.

use super::shapes::{Named, Text};
use crate::compiler::diagnostics::Place;
use crate::compiler::load::declared::{KeyValue, Names, Placed, Prose, declared};
use crate::compiler::load::shapes::{Conditions, ShortForm, Spanned, Texts};
use crate::compiler::load::typed::{NodeReader, ReadError};
use crate::compiler::words::{RuleKind, Severity};

/// Declares mappings. `@required` marks the keys that every such mapping has, for editors; the model's builder reports
/// them. `@completed` marks mappings whose keys another one can add, by `as`;
/// `@listed` those whose keys are also refused together.
macro_rules! mappings {
    (@only [] $name:ident { $($rows:tt)* }) => {};
    (@only [completed] $name:ident { $($key:ident: $type:ty,)* }) => {
        impl $name {
            /// Returns this mapping with the keys of `base` that it lacks.
            pub(crate) fn or(self, base: Self) -> Self {
                Self { $($key: self.$key.or(base.$key),)* }
            }
        }
    };
    (@only [listed] $name:ident { $($key:ident: $type:ty,)* }) => {
        mappings! { @only [completed] $name { $($key: $type,)* } }

        impl $name {
            /// Shows each key that is there, with its place.
            pub(crate) fn each_key(&self, see: &mut dyn FnMut(&'static str, crate::compiler::diagnostics::Place)) {
                $(if let Some(place) = crate::compiler::load::shapes::Placed::place(&self.$key) {
                    see(crate::compiler::load::typed::key(stringify!($key)), place);
                })*
            }
        }
    };
    ($($(#[doc = $doc:literal])* $(@$completed:ident)? $name:ident { $($(#[doc = $key_doc:literal])+ $(#[expect($lint:ident, reason = $why:literal)])? $(@$required:ident)? $key:ident: $type:ty,)* })*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Debug, Default)]
        #[deny(dead_code, reason = "a key is read or removed")]
        pub(crate) struct $name {
            $($(#[doc = $key_doc])* $(#[expect($lint, reason = $why)])? pub(crate) $key: $type,)*
        }

        impl crate::compiler::load::typed::Read for $name {
            fn read(from: crate::compiler::load::typed::NodeReader<'_>) -> Result<Self, crate::compiler::load::typed::ReadError> {
                const KEYS: &[&str] = &[$(crate::compiler::load::typed::key(stringify!($key)),)*];
                // Locals instead of a value that is filled: the compiler then names a key that nothing reads.
                $(let mut $key = <$type>::default();)*
                from.mapping(Some(KEYS), &mut |key, value| match () {
                    $(() if key.is(crate::compiler::load::typed::key(stringify!($key))) => value.read_into(&mut $key),)*
                    () => Ok(()),
                })?;
                Ok(Self { $($key,)* })
            }
        }

        mappings! { @only [$($completed)?] $name { $($key: $type,)* } }

        #[cfg(feature = "cli")]
        impl crate::compiler::load::describe::Describe for $name {
            fn describe(to: &mut crate::compiler::load::describe::Definitions) -> serde_json::Value {
                to.mapping(stringify!($name), concat!($($doc),*), |to| vec![
                    $(crate::compiler::load::describe::DescribedKey {
                        name: crate::compiler::load::typed::key(stringify!($key)),
                        doc: concat!($($key_doc),*),
                        value: <$type as crate::compiler::load::describe::Describe>::describe(to),
                        is_required: [$(stringify!($required),)?].contains(&"required"),
                    },)*
                ])
            }
        }
    )*};
}

mod api;
mod family;
mod operation;
mod types;
pub(crate) use api::*;
pub(crate) use family::*;
pub(crate) use operation::*;
pub(crate) use types::*;

/// For each document and section, the digest of the section when the file was last checked against it.
pub(crate) type Reviewed = Named<Named<Text>>;

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
