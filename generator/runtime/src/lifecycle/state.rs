use super::table::{Lifecycle, Possible, StateRow};
use crate::value::{OpenEnum, Timestamp};

/// An enum whose values are the states of a lifecycle. Nothing is known of a value that no document lists.
pub trait State: OpenEnum + Clone {
    /// The states, and what leads from one to another.
    const LIFECYCLE: &'static Lifecycle;

    /// Whether nothing follows it.
    fn is_terminal(&self) -> bool {
        row(self).is_some_and(|row| row.is_terminal)
    }

    /// Whether an operation can cancel what is in this state.
    fn can_cancel(&self) -> Possible {
        row(self).map_or(Possible::NotShown, |row| row.can_cancel)
    }

    /// Whether an operation can amend what is in this state.
    fn can_modify(&self) -> Possible {
        row(self).map_or(Possible::NotShown, |row| row.can_modify)
    }

    /// Whether this state can become another, at once or by way of others. Every state can stay what it is.
    fn can_become(&self, next: &Self) -> Possible {
        if self.as_str() == next.as_str() {
            return Possible::Yes;
        }
        let known = row(self).zip(next.index()).and_then(|(row, next)| row.becomes.get(next).copied());
        known.unwrap_or(Possible::NotShown)
    }
}

fn row<S: State>(state: &S) -> Option<&'static StateRow> {
    S::LIFECYCLE.states.get(state.index()?)
}

/// A record that tells the state of something, such as an order. Emitted for the records that the schema names.
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
}
