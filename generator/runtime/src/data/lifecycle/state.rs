//! Enums whose values are the states of a lifecycle.

use crate::data::value::{OpenEnum, Timestamp};

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

    /// The id that the exchange gave it.
    fn id(&self) -> Option<&str>;

    /// The id that the caller gave it.
    fn client_id(&self) -> Option<&str>;

    /// The state.
    fn state(&self) -> Option<&Self::State>;

    /// When it last changed.
    fn at(&self) -> Option<Timestamp>;

    /// When it was created, if records of its family show that.
    fn created(&self) -> Option<Timestamp> {
        None
    }

    /// The value by which ceilings of open orders count it, where the family has such ceilings.
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
    /// The row of the state with this text; `None` if no document lists it.
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
