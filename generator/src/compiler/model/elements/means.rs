//! The effect of a change of the schema on a crate that depends on the emitted one.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::compiler::model::Need;
use tradeapi_words::words;

words! {
    /// The effect of a difference on a crate that depends on the emitted one, most serious first.
    #[derive(PartialOrd, Ord)]
    pub enum Class {
        /// Code that uses it may no longer compile, or its meaning changes.
        Breaking = "breaking",
        /// Code compiles as before; the exchange or the client behaves differently.
        Behaviour = "behaviour",
        /// There is more to use.
        Additive = "additive",
        /// Only documentation changes.
        Documentation = "documentation",
    }
}

/// The class of a difference, and its effect in Rust or on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) class: Class,
    pub(crate) means: Cow<'static, str>,
}

pub(crate) fn breaking(means: impl Into<Cow<'static, str>>) -> Verdict {
    Verdict { class: Class::Breaking, means: means.into() }
}

pub(crate) fn behaviour(means: impl Into<Cow<'static, str>>) -> Verdict {
    Verdict { class: Class::Behaviour, means: means.into() }
}

pub(crate) fn additive(means: impl Into<Cow<'static, str>>) -> Verdict {
    Verdict { class: Class::Additive, means: means.into() }
}

pub(crate) fn documentation(means: impl Into<Cow<'static, str>>) -> Verdict {
    Verdict { class: Class::Documentation, means: means.into() }
}

/// The effect of a change of a key, as far as one version determines it.
pub(crate) enum Means {
    /// No effect: the key is only shown.
    Nothing,
    /// The same effect for each change.
    Always(Verdict),
    /// Depends on whether the key is added, removed or changed.
    Each { added: Verdict, removed: Verdict, changed: Verdict },
    /// A type or a name in Rust depends on the key; `other` is the effect when it becomes another one.
    Rust { name: Option<String>, other: Verdict, same: Verdict },
    /// The key makes something possible, which a change may make impossible.
    Allows { is_allowed: bool, lost: Verdict, otherwise: Verdict },
    /// The change matters if the statement is binding, before or after.
    Binds { is_binding: bool, verdict: Verdict },
    /// When a parameter is required.
    Need(Need),
    /// The allowed values; all if none is listed.
    Values(Vec<String>),
    /// The texts that an identifier takes.
    Takes { texts: Texts, is_constrained: bool },
    /// The values that an intent sets, which decide the arguments of its function.
    Sets(Arguments),
    /// The arguments of an intent's function.
    Arguments(Arguments),
}

/// The texts that an identifier takes, by one of its constraints.
pub(crate) enum Texts {
    All,
    Length(u32, u32),
    Alphabet(BTreeSet<char>),
}

/// The arguments of a function and the parameters of the request that it makes, each with whether it is required.
#[derive(Clone)]
pub(crate) struct Arguments {
    pub(crate) taken: Vec<(String, bool)>,
    pub(crate) parameters: Vec<(String, bool)>,
}

impl Arguments {
    /// Returns the arguments that the intent alone decides on. A parameter that is added, removed or required in other
    /// cases is a difference of its own, and so is the order of required ones.
    fn beside(&self, other: &Self) -> String {
        let is_as_before = |one: &&(String, bool)| self.parameters.contains(one) && other.parameters.contains(one);
        let (required, taken): (Vec<_>, Vec<_>) =
            self.taken.iter().filter(is_as_before).partition(|(_, needed)| *needed);
        let name = |(name, _): &(String, bool)| name.clone();
        let mut names: Vec<_> = required.into_iter().map(name).collect();
        names.sort_unstable();
        names.extend(taken.into_iter().map(name));
        super::list(names)
    }
}

impl From<Verdict> for Means {
    fn from(verdict: Verdict) -> Self {
        Self::Always(verdict)
    }
}

impl Means {
    /// Returns the arguments of a function, as far as they can be compared with those of another version.
    pub(super) fn arguments_beside(&self, other: &Self) -> Option<String> {
        match (self, other) {
            (Self::Arguments(own), Self::Arguments(other)) => Some(own.beside(other)),
            _ => None,
        }
    }

    /// Returns the effect of a change from one version to the other, each given with its value. The effects of one key
    /// are of one variant.
    pub(super) fn verdict((older, was): (&Self, &str), (newer, is): (&Self, &str)) -> Verdict {
        match newer {
            Self::Nothing => documentation(""),
            Self::Always(verdict) => verdict.clone(),
            Self::Each { added, removed, changed } => match (was.is_empty(), is.is_empty()) {
                (true, _) => added.clone(),
                (_, true) => removed.clone(),
                _ => changed.clone(),
            },
            Self::Rust { name, other, same } => {
                let is_same = matches!(older, Self::Rust { name: older, .. } if older == name);
                if is_same { same.clone() } else { other.clone() }
            }
            Self::Allows { is_allowed, lost, otherwise } => {
                let was_allowed = matches!(older, Self::Allows { is_allowed: true, .. });
                if was_allowed && !is_allowed { lost.clone() } else { otherwise.clone() }
            }
            Self::Binds { is_binding, verdict } => {
                let was_binding = matches!(older, Self::Binds { is_binding: true, .. });
                if was_binding || *is_binding { verdict.clone() } else { documentation("") }
            }
            Self::Need(newer) => match older {
                Self::Need(older) => need(*older, *newer),
                _ => documentation(""),
            },
            Self::Values(newer) => match older {
                Self::Values(older) => values(older, newer),
                _ => values(&[], newer),
            },
            Self::Takes { texts, is_constrained } => match older {
                Self::Takes { texts: older, is_constrained: was } => match (*was, *is_constrained) {
                    (false, true) => {
                        breaking("the conversion from any text is removed; `new` and `TryFrom` refuse some texts")
                    }
                    (true, false) => breaking("any text is accepted; the error of `TryFrom` has another type"),
                    (true, true) | (false, false) => takes(older, texts),
                },
                _ => takes(&Texts::All, texts),
            },
            Self::Sets(newer) => match older {
                Self::Sets(older) if older.beside(newer) == newer.beside(older) => behaviour("something else is sent"),
                _ => breaking("its function takes other arguments"),
            },
            Self::Arguments(_) => breaking("its function takes other arguments"),
        }
    }
}

fn need(older: Need, newer: Need) -> Verdict {
    match (older, newer) {
        (Need::Always, _) => breaking("`new` no longer takes it; a setter sets it"),
        (_, Need::Always) => breaking("`new` takes it; its setter is removed"),
        (Need::Unstated, _) | (_, Need::Unstated) => documentation("nothing is checked"),
        (Need::Conditional | Need::No, _) => behaviour("the exchange requires it in other cases"),
    }
}

/// Returns whether a value that was accepted is now refused.
fn values(older: &[String], newer: &[String]) -> Verdict {
    let is_narrower = match older {
        [] => !newer.is_empty(),
        older => !newer.is_empty() && !older.iter().all(|value| newer.contains(value)),
    };
    behaviour(if is_narrower {
        "values that were accepted are refused before sending"
    } else {
        "more values are accepted"
    })
}

/// Returns whether a text that was accepted is now refused.
fn takes(older: &Texts, newer: &Texts) -> Verdict {
    let is_narrower = match (older, newer) {
        (Texts::Length(..), Texts::All) => return breaking("`MIN_LENGTH` and `MAX_LENGTH` are removed"),
        (Texts::Length(min, max), Texts::Length(new_min, new_max)) => new_min > min || new_max < max,
        (Texts::Alphabet(older), Texts::Alphabet(newer)) => !older.is_subset(newer),
        (Texts::All | Texts::Length(..) | Texts::Alphabet(_), newer) => !matches!(newer, Texts::All),
    };
    behaviour(if is_narrower { "texts that were accepted are refused" } else { "more texts are accepted" })
}
