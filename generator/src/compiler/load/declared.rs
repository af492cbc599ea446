//! Mappings whose content means the same in the file and in the model: one row declares a key. From the row come the
//! struct, how it is read, its JSON Schema, what `diff` compares, and its member of the OpenAPI document. Sentences about
//! the whole mapping are in `model/phrases.rs`, which takes it apart.
//!
//! A row is the documentation of the key, its name, its type, and in an [`Element`] the effect of a change on those who
//! depend on the emitted crate. The type says whether the key is required: a text is, an `Option` and a list are not.
//!
//! A mapping that lacks a required key is left out of the model. That it lacks the key is a mistake of building, which
//! other mistakes may explain, so it is reported after the files are read.

mod values;

pub(crate) use values::{Defaulted, Flag, Prose, Scalar};

use super::typed::{NodeReader, Read, ReadError};
use crate::compiler::diagnostics::Place;
use crate::compiler::json;
use crate::compiler::references::See;

/// A text of the file: a name, or a value on the wire.
pub(crate) type Placed = (String, Place);

/// One text or several.
pub(crate) type Names = Vec<Placed>;

/// Two texts that belong together.
pub(crate) type Pair = (Placed, Placed);

/// A text and the texts that belong to it.
pub(crate) type NamesWithin = (Placed, Names);

/// Sets of names with the texts that belong to each, of which one is enough.
pub(crate) type Alternatives = Vec<Vec<NamesWithin>>;

/// The value of a key.
pub(crate) trait KeyValue {
    /// Reads the value.
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError>
    where
        Self: Sized;

    /// Returns the meaning of an absent key.
    fn left_out() -> LeftOut<Self>
    where
        Self: Sized;

    /// Returns the value in words, in which versions are compared; empty if it says nothing.
    fn words(&self) -> String;

    /// Returns what values have in common that are written in different words and mean the same; `None` if the words
    /// say all.
    fn same_as(&self) -> Option<String> {
        None
    }

    /// Returns the place, if it is written.
    fn place(&self) -> Option<Place>;

    /// Returns the value as JSON; `None` if it says nothing, or what is assumed anyway.
    fn data(&self) -> Option<json::Value>;

    /// Shows the names in the value to the pass that resolves them.
    fn show_names(&mut self, _see: &mut See<'_>) {}
}

/// The meaning of a key that is left out.
pub(crate) enum LeftOut<T> {
    /// The same as this value.
    Means(T),
    /// A mistake, after which this value, if there is one, stands for the missing one.
    Missing(Option<T>),
}

/// The effect of a change of a key on a crate that depends on the emitted one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change<Context> {
    /// Code compiles as before, and something else happens, in words.
    Behaviour(&'static str),
    /// Prose, which nobody depends on.
    Prose,
    /// Other parts of the model decide, for which the element has a name.
    InContext(Context),
}

/// A declared mapping.
pub(crate) trait Mapping: Read {
    /// Returns the keys in their order, with their values.
    fn rows(&self) -> Vec<(&'static str, &dyn KeyValue)>;

    /// Returns where it is written.
    fn place(&self) -> Place;

    /// Shows names as [`KeyValue::show_names`] does.
    fn show_names(&mut self, see: &mut See<'_>);
}

/// A declared mapping whose keys are compared one by one.
pub(crate) trait Element: Mapping {
    /// The effects that other parts of the model decide; without any, a type without values.
    type Context: Copy + 'static;

    /// The effects of changes, in the order of the keys.
    const CHANGES: &'static [Change<Self::Context>];
}

/// Returns what a mapping says, in words.
pub(crate) fn words(mapping: &impl Mapping) -> String {
    let rows = mapping.rows().into_iter().map(|(key, value)| (key, value.words()));
    let said = rows.filter(|(_, words)| !words.is_empty());
    said.map(|(key, words)| format!("{} {words}", key.replace('_', " "))).collect::<Vec<_>>().join(", ")
}

/// Returns a mapping as JSON, under the names of its keys.
pub(crate) fn data(mapping: &impl Mapping) -> json::Value {
    json::Value::object(mapping.rows().into_iter().filter_map(|(key, value)| Some((key, value.data()?))))
}

/// Reads the value of a key of a mapping.
pub(super) fn read_key<T: KeyValue>(from: NodeReader<'_>, value: &mut Option<T>) -> Result<(), ReadError> {
    *value = Some(T::read(from)?);
    Ok(())
}

/// Returns the value of a key of a mapping, or what it means that it is left out; `None` if the mapping is left out,
/// too.
pub(super) fn or_left_out<T: KeyValue>(mapping: NodeReader<'_>, key: &'static str, value: Option<T>) -> Option<T> {
    match (value, T::left_out()) {
        (Some(value), _) | (None, LeftOut::Means(value)) => Some(value),
        (None, LeftOut::Missing(stand_in)) => {
            mapping.lacks(key);
            stand_in
        }
    }
}

/// Declares mappings: each `element` with the effect of a change of each key, each `part` without, because the element
/// that holds it states one for all of it. `element Window(WindowContext)` has effects that the context decides, which
/// `WindowContext` names.
macro_rules! declared {
    ($($(#[doc = $doc:literal])* $form:ident $name:ident $(($context:ty))? { $($rows:tt)* })*) => {
        $(declared! { @$form [$(#[doc = $doc])*] $name [$($context)?] { $($rows)* } })*
    };
    (@element $docs:tt $name:ident [] $rows:tt) => {
        declared! { @element $docs $name [std::convert::Infallible] $rows }
    };
    (@element $docs:tt $name:ident [$context:ty] { $($(#[doc = $doc:literal])+ $key:ident: $type:ty => $change:expr,)* }) => {
        declared! { @mapping $docs $name { $($(#[doc = $doc])+ $key: $type,)* } }

        impl crate::compiler::load::declared::Element for $name {
            type Context = $context;

            const CHANGES: &'static [crate::compiler::load::declared::Change<Self::Context>] = &[$($change,)*];
        }
    };
    (@part $docs:tt $name:ident [] { $($(#[doc = $doc:literal])+ $key:ident: $type:ty,)* }) => {
        declared! { @mapping $docs $name { $($(#[doc = $doc])+ $key: $type,)* } }
    };
    (@mapping [$(#[doc = $about:literal])*] $name:ident { $($(#[doc = $doc:literal])+ $key:ident: $type:ty,)* }) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug)]
        pub(crate) struct $name {
            $($(#[doc = $doc])+ pub(crate) $key: $type,)*
            /// Where it is written.
            pub(crate) place: crate::compiler::diagnostics::Place,
        }

        impl crate::compiler::load::typed::Read for $name {
            fn read(from: crate::compiler::load::typed::NodeReader<'_>) -> Result<Self, crate::compiler::load::typed::ReadError> {
                const KEYS: &[&str] = &[$(crate::compiler::load::typed::key(stringify!($key)),)*];
                $(let mut $key: Option<$type> = None;)*
                from.mapping(Some(KEYS), &mut |key, value| match () {
                    $(() if key.is(crate::compiler::load::typed::key(stringify!($key))) => crate::compiler::load::declared::read_key(value, &mut $key),)*
                    () => Ok(()),
                })?;
                $(let $key = crate::compiler::load::declared::or_left_out(from, crate::compiler::load::typed::key(stringify!($key)), $key);)*
                match ($($key,)*) {
                    ($(Some($key),)*) => Ok(Self { $($key,)* place: from.place() }),
                    _ => Err(crate::compiler::load::typed::ReadError::Meaningless),
                }
            }
        }

        impl crate::compiler::load::declared::Mapping for $name {
            fn rows(&self) -> Vec<(&'static str, &dyn crate::compiler::load::declared::KeyValue)> {
                vec![$((crate::compiler::load::typed::key(stringify!($key)), &self.$key),)*]
            }

            fn place(&self) -> crate::compiler::diagnostics::Place {
                self.place
            }

            fn show_names(&mut self, see: &mut crate::compiler::references::See<'_>) {
                $(crate::compiler::load::declared::KeyValue::show_names(&mut self.$key, see);)*
            }
        }

        #[cfg(feature = "cli")]
        impl crate::compiler::load::describe::Describe for $name {
            fn describe(to: &mut crate::compiler::load::describe::Definitions) -> serde_json::Value {
                use crate::compiler::load::declared::{KeyValue, LeftOut};
                use crate::compiler::load::describe::{DescribeValue, DescribedKey};
                to.mapping(stringify!($name), concat!($($about),*), |to| vec![
                    $(DescribedKey {
                        name: crate::compiler::load::typed::key(stringify!($key)),
                        doc: concat!($($doc),*),
                        value: <$type as DescribeValue>::describe_value(to),
                        is_required: matches!(<$type as KeyValue>::left_out(), LeftOut::Missing(_)),
                    },)*
                ])
            }
        }
    };
}

pub(crate) use declared;
