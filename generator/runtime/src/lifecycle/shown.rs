//! What a response or a record shows of one order.

use super::state::{HasState, Lifecycle, State};
use crate::value::{OpenEnum, Timestamp};

/// What a response or a record shows of one order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrderShown {
    /// The exchange's id of the order.
    pub id: Option<String>,
    /// The client id.
    pub client_id: Option<String>,
    /// The value by which ceilings of open orders count it.
    pub kind: Option<String>,
    /// What it is shown as.
    pub shown: ShownAs,
}

/// What an order is shown as.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShownAs {
    /// By its record.
    Record {
        /// The states of such orders.
        lifecycle: &'static Lifecycle,
        /// Its state, if the record has one.
        state: Option<String>,
        /// When it last changed.
        at: Option<Timestamp>,
    },
    /// As accepted, with its ids only; a code, if there is one, may say otherwise.
    Accepted {
        /// The code of the item.
        code: Option<String>,
    },
    /// As refused.
    Refused {
        /// The code of the item.
        code: Option<String>,
    },
}

/// What a record shows of the account that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PropertyShown<'a> {
    /// The name of the property in the schema.
    pub property: &'static str,
    /// Its value, as on the wire.
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

impl OrderShown {
    /// The order in a record.
    pub fn of<R: HasState>(record: &R) -> Self {
        let (ids, state) = ([record.id(), record.client_id(), record.kind()], record.state().map(R::State::as_str));
        Self::in_state(ids, R::State::LIFECYCLE, state, record.at())
    }

    fn in_state(
        [id, client_id, kind]: [Option<&str>; 3],
        lifecycle: &'static Lifecycle,
        state: Option<&str>,
        at: Option<Timestamp>,
    ) -> Self {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let shown = ShownAs::Record { lifecycle, state: owned(state), at };
        Self { id: owned(id), client_id: owned(client_id), kind: owned(kind), shown }
    }

    /// An order that was accepted, or an item of a batch, whose code decides.
    pub fn accepted(id: Option<String>, client_id: Option<String>, code: Option<String>) -> Self {
        Self { id, client_id, kind: None, shown: ShownAs::Accepted { code } }
    }

    /// An item of a batch that was refused.
    pub fn refused(id: Option<String>, client_id: Option<String>, code: Option<String>) -> Self {
        Self { id, client_id, kind: None, shown: ShownAs::Refused { code } }
    }
}
