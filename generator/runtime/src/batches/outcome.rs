use std::sync::Arc;

use crate::checks::Violations;
use crate::client::Moment;
use crate::error::{Error, ExchangeError};
use crate::tables::Outcome;
use crate::value::{BadItem, Timestamp};

/// What became of a batch.
#[derive(Debug)]
#[non_exhaustive]
pub struct BatchReport<I, T> {
    /// Every item, in the order they were given.
    pub items: Vec<ItemReport<I, T>>,
    /// Results that belong to no item.
    pub strays: Vec<Stray<T>>,
    /// Results that could not be read; the items they belong to are unaccounted for.
    pub bad: Vec<BadItem>,
    /// The number of calls that were made.
    pub calls: usize,
    /// Rules that were broken without being refused for it.
    pub warnings: Violations,
}

/// An item, and what became of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct ItemReport<I, T> {
    /// The item as it was given.
    pub item: I,
    /// What became of it.
    pub outcome: ItemOutcome<T>,
    /// How the result was found.
    pub matched: Option<Matched>,
    /// When the call that it was part of was signed; `None` where that surely had no effect.
    pub signed_at: Option<Timestamp>,
    pub(crate) left: Option<Moment>,
}

/// How a result was found to be that of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matched {
    /// It names the item.
    ById,
    /// It stands where the item stood, and nothing speaks against it. Who must be sure gives every item an id.
    ByPlace,
}

/// What became of an item.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ItemOutcome<T> {
    /// It succeeded.
    Done(T),
    /// The exchange says that it failed.
    Failed(Box<ExchangeError>),
    /// The call that it was part of did not succeed; all items of the call share the error.
    CallFailed(Arc<Error>),
    /// The answer says nothing about it, or contradicts itself: ask before repeating it.
    Unaccounted,
    /// It was not sent, because something before it did not succeed.
    NotSent,
}

/// A result that belongs to no item.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Stray<T> {
    /// Its ids, in the order of [`BatchShape::ids`](super::BatchShape::ids).
    pub ids: Vec<Option<String>>,
    /// What it says.
    pub result: Result<T, Box<ExchangeError>>,
}

impl<T> ItemOutcome<T> {
    /// Whether it succeeded.
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Done(_))
    }

    /// Whether it may have succeeded or not: then ask before repeating it.
    pub fn is_unknown(&self) -> bool {
        match self {
            Self::Done(_) | Self::NotSent => false,
            Self::Failed(error) => error.outcome == Outcome::Unknown,
            Self::CallFailed(error) => error.outcome() == Outcome::Unknown,
            Self::Unaccounted => true,
        }
    }

    /// Whether it surely did not succeed.
    pub fn is_not_done(&self) -> bool {
        !self.is_done() && !self.is_unknown()
    }
}

impl<I, T> BatchReport<I, T> {
    /// Whether every item succeeded.
    pub fn all_done(&self) -> bool {
        self.items.iter().all(|item| item.outcome.is_done())
    }

    /// The items of which it is not known whether they succeeded.
    pub fn unknown(&self) -> impl Iterator<Item = &ItemReport<I, T>> {
        self.items.iter().filter(|item| item.outcome.is_unknown())
    }
}
