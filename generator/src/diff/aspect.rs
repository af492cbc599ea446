//! What can be said of a thing, in both versions.

use std::fmt::Display;

use super::class::{Verdict, documentation};
use crate::diagnostics::Place;

/// A place in one of the two schemas; those that are gone come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spot {
    New(Place),
    Old(Place),
}

/// One statement about a thing, as the two versions make it, and what it means when they differ.
pub(super) struct Aspect {
    pub(super) what: &'static str,
    pub(super) old: String,
    pub(super) new: String,
    pub(super) prose: bool,
    pub(super) verdict: Verdict,
    /// Where it stands, when that is not where the thing stands.
    pub(super) spot: Option<Spot>,
}

impl Aspect {
    pub(super) fn differs(&self) -> bool {
        self.old != self.new
    }

    /// Says where the two stand; what the newer schema does not say stands in the older one.
    pub(super) fn at(mut self, old: Option<Place>, new: Option<Place>) -> Self {
        self.spot = new.map(Spot::New).or(old.map(Spot::Old));
        self
    }
}

/// A statement in a few words; an empty one is not made.
pub(super) fn aspect(what: &'static str, old: impl Display, new: impl Display, verdict: Verdict) -> Aspect {
    Aspect { what, old: old.to_string(), new: new.to_string(), prose: false, verdict, spot: None }
}

/// A text for people.
pub(super) fn prose(what: &'static str, old: &str, new: &str) -> Aspect {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    Aspect { prose: true, ..aspect(what, words(old), words(new), documentation("")) }
}

/// A statement that has a place of its own.
pub(super) fn placed<T: Display>(
    what: &'static str,
    old: Option<&(T, Place)>,
    new: Option<&(T, Place)>,
    verdict: Verdict,
) -> Aspect {
    let text = |value: Option<&(T, Place)>| maybe(value.map(|(value, _)| value));
    aspect(what, text(old), text(new), verdict).at(old.map(|(_, place)| *place), new.map(|(_, place)| *place))
}

/// The text of what may not be there.
pub(super) fn maybe(value: Option<impl Display>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Says yes, or nothing.
pub(super) fn flag(value: bool) -> &'static str {
    if value { "yes" } else { "" }
}

/// The values with commas between them.
pub(super) fn list<T: AsRef<str>>(values: impl IntoIterator<Item = T>) -> String {
    values.into_iter().map(|value| value.as_ref().to_owned()).collect::<Vec<_>>().join(", ")
}
