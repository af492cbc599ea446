//! The facts that a record shows of an order, independent of its type.

use std::fmt;

use super::state::{HasState, Lifecycle, State};
use crate::data::json::{Encode, write_json};
use crate::data::value::{OpenEnum, Timestamp};

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
