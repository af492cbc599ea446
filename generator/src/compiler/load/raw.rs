//! The schema files as written: a struct for each mapping of the language. `schema/README.md` explains the keys.
//!
//! Two macros declare mappings. A mapping whose content means the same in the file and in the model is a block of
//! `declared!`, where a row is all that a key needs. Any other, such as one that another mapping completes, is a block of
//! `mappings!`: every key is optional there, and a builder in [`crate::compiler::model`] makes the model of it and reports
//! keys that are missing.

use super::shapes::{Named, Text};

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
mod statement;
mod types;

pub(crate) use api::*;
pub(crate) use family::*;
pub(crate) use operation::*;
pub(crate) use statement::*;
pub(crate) use types::*;

/// For each document and section, the digest of the section when the file was last checked against it.
pub(crate) type Reviewed = Named<Named<Text>>;
