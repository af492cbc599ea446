//! States of an order: possible transitions, what records and responses show, and a monitor of records.
//!
//! A lifecycle answers yes, no or unspecified; the monitor reports only changes that the documents rule out.

mod monitor;

use std::fmt;

use super::json::{Encode, write_json};
use super::value::{OpenEnum, Timestamp};

pub use monitor::{ImpossibleChange, Monitor, Observed};
pub(crate) use monitor::{StateComparison, compare_states};

/// An enum whose values are the states of a lifecycle. Nothing is known of undocumented values.
pub trait State: OpenEnum + Clone {
    /// The states, and what leads from one to another.
    const LIFECYCLE: &'static Lifecycle;

    /// Returns whether it is final.
    fn is_terminal(&self) -> bool {
        row(self).is_some_and(|row| row.is_terminal)
    }

    /// Returns whether an operation can cancel an order in this state.
    fn can_cancel(&self) -> Possible {
        row(self).map_or(Possible::Unspecified, |row| row.can_cancel)
    }

    /// Returns whether an operation can amend an order in this state.
    fn can_modify(&self) -> Possible {
        row(self).map_or(Possible::Unspecified, |row| row.can_modify)
    }

    /// Returns whether this state can become another: `Yes` if a documented transition leads there, `No` if the
    /// documents exclude it, also through other states. Every state can stay as it is.
    fn can_become(&self, next: &Self) -> Possible {
        if self.as_str() == next.as_str() {
            return Possible::Yes;
        }
        let known = row(self).zip(next.index()).and_then(|(row, next)| row.becomes.get(next).copied());
        known.unwrap_or(Possible::Unspecified)
    }
}

fn row<S: State>(state: &S) -> Option<&'static StateRow> {
    S::LIFECYCLE.states.get(state.index()?)
}

/// A record with the state of something, such as an order. Emitted for the records that the schema names.
pub trait HasState {
    /// The states it can be in.
    type State: State;

    /// Returns the id that the exchange gave it.
    fn id(&self) -> Option<&str>;

    /// Returns the id that the caller gave it.
    fn client_id(&self) -> Option<&str>;

    /// Returns the state.
    fn state(&self) -> Option<&Self::State>;

    /// Returns when it last changed.
    fn at(&self) -> Option<Timestamp>;

    /// Returns when the order was created, if records of its family show that.
    fn created(&self) -> Option<Timestamp> {
        None
    }

    /// Returns the value by which ceilings of open orders count it, where the family has such ceilings.
    fn kind(&self) -> Option<&str> {
        None
    }

    /// Calls `see` with each property of the account that it shows, and the value.
    fn show_properties(&self, see: &mut dyn FnMut(&'static str, &str)) {
        let _ = see;
    }
}

/// The possibility of a transition according to the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Possible {
    /// The documents show it, perhaps under a documented condition.
    Yes,
    /// The documents rule it out.
    No,
    /// The documents neither show it nor rule it out.
    Unspecified,
}

/// The states that something goes through, and what leads from one to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifecycle {
    /// The states, in the order of the enum's values.
    pub states: &'static [StateRow],
    /// Every change of state that the documents show.
    pub transitions: &'static [Transition],
}

impl Lifecycle {
    /// Returns the row of the state with this text; `None` if no document lists it.
    pub fn row(&self, state: &str) -> Option<&'static StateRow> {
        self.states.iter().find(|row| row.value == state)
    }

    /// Returns whether a state can become another: `Yes` if a documented transition leads there, `No` if the documents
    /// exclude it, also through other states. Every state can stay as it is.
    pub fn can_become(&self, from: &str, to: &str) -> Possible {
        if from == to {
            return Possible::Yes;
        }
        let to = self.states.iter().position(|row| row.value == to);
        let known = self.row(from).zip(to).and_then(|(row, to)| row.becomes.get(to).copied());
        known.unwrap_or(Possible::Unspecified)
    }
}

/// A state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateRow {
    /// The text on the wire.
    pub value: &'static str,
    /// The meaning.
    pub doc: &'static str,
    /// True if it is final.
    pub is_terminal: bool,
    /// True if an operation can cancel an order in it.
    pub can_cancel: Possible,
    /// True if an operation can amend an order in it.
    pub can_modify: Possible,
    /// True if it can become each of the states, itself included.
    pub becomes: &'static [Possible],
}

/// A change of state that the documents show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The states that it starts from.
    pub from: &'static [&'static str],
    /// The triggers: names of operations, or words for other events.
    pub triggers: &'static [&'static str],
    /// The possible continuations.
    pub next: Next,
    /// When it happens.
    pub condition: &'static str,
    /// Further details.
    pub doc: &'static str,
}

/// The possible continuations of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Another state.
    State(&'static str),
    /// The same state; something else changed.
    Unchanged,
    /// The same state; the change was rejected.
    Rejected,
}

/// The facts that a record showed of an order, independent of the type of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sighting {
    /// The exchange's id of the order.
    pub id: Option<String>,
    /// The client id.
    pub client_id: Option<String>,
    /// The state, as on the wire.
    pub state: Option<String>,
    /// True if that state is final; `None` if the record has no state, or an undocumented one.
    pub has_ended: Option<bool>,
    /// When the order last changed.
    pub at: Option<Timestamp>,
    /// When it was created.
    pub created: Option<Timestamp>,
    /// The record as JSON, which [`read_json`](crate::data::json::read_json) reads as the type of the record.
    pub record: String,
}

impl Sighting {
    /// Returns what `record` shows.
    pub fn of<R: HasState + Encode>(record: &R) -> Self {
        let ids = [record.id(), record.client_id()];
        let state = record.state().map(R::State::as_str);
        Self::in_state(ids, R::State::LIFECYCLE, state, [record.at(), record.created()], write_json(record))
    }

    fn in_state(
        [id, client_id]: [Option<&str>; 2],
        lifecycle: &Lifecycle,
        state: Option<&str>,
        [at, created]: [Option<Timestamp>; 2],
        record: String,
    ) -> Self {
        Self {
            id: id.map(str::to_owned),
            client_id: client_id.map(str::to_owned),
            state: state.map(str::to_owned),
            has_ended: state.and_then(|state| lifecycle.row(state)).map(|row| row.is_terminal),
            at,
            created,
            record,
        }
    }
}

impl fmt::Display for Sighting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id.as_deref().unwrap_or("an order without an id"))?;
        if let Some(client_id) = &self.client_id {
            write!(f, " ({client_id})")?;
        }
        write!(f, ": {}", self.state.as_deref().unwrap_or("no state"))?;
        self.at.map_or(Ok(()), |at| write!(f, " at {at}"))
    }
}

/// The facts that a record shows of one order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrderShown<'a> {
    /// The exchange's id of the order.
    pub id: Option<&'a str>,
    /// The client id.
    pub client_id: Option<&'a str>,
    /// The value by which ceilings of open orders count it.
    pub kind: Option<&'a str>,
    /// The states of such orders.
    pub lifecycle: &'static Lifecycle,
    /// The state, if the record has one.
    pub state: Option<&'a str>,
    /// When it last changed.
    pub at: Option<Timestamp>,
}

/// The result that a response states for an order that its request was to place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrderResult {
    /// The exchange's id of the order.
    pub id: Option<String>,
    /// The client id.
    pub client_id: Option<String>,
    /// The code of the item of a batch, which decides if there is one.
    pub code: Option<String>,
    /// True if the order is among those that were accepted.
    pub is_accepted: bool,
}

/// The properties that a record shows of the account that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PropertyShown<'a> {
    /// The name of the property in the schema.
    pub property: &'static str,
    /// The value, as on the wire.
    pub value: &'a str,
    /// When the record last changed.
    pub at: Option<Timestamp>,
}

impl PropertyShown<'_> {
    /// Calls `see` with each property that `record` shows.
    pub fn each<R: HasState>(record: &R, see: &mut dyn FnMut(PropertyShown<'_>)) {
        let at = record.at();
        record.show_properties(&mut |property, value| see(PropertyShown { property, value, at }));
    }
}

impl<'a> OrderShown<'a> {
    /// Returns the order in a record.
    pub fn of<R: HasState>(record: &'a R) -> Self {
        Self {
            id: record.id(),
            client_id: record.client_id(),
            kind: record.kind(),
            lifecycle: R::State::LIFECYCLE,
            state: record.state().map(R::State::as_str),
            at: record.at(),
        }
    }
}

impl OrderResult {
    /// Creates an order that was accepted, or an item of a batch, whose code decides.
    pub fn accepted(id: Option<String>, client_id: Option<String>, code: Option<String>) -> Self {
        Self { id, client_id, code, is_accepted: true }
    }

    /// Creates an item of a batch that was refused.
    pub fn refused(id: Option<String>, client_id: Option<String>, code: Option<String>) -> Self {
        Self { id, client_id, code, is_accepted: false }
    }
}

#[cfg(test)]
mod tests;
