//! The facts that records and responses show of orders and of the account.

use super::state::{HasState, Lifecycle, State};
use crate::data::value::{OpenEnum, Timestamp};

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
    /// The order in a record.
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
    /// An order that was accepted, or an item of a batch, whose code decides.
    pub fn accepted(id: Option<String>, client_id: Option<String>, code: Option<String>) -> Self {
        Self { id, client_id, code, is_accepted: true }
    }

    /// An item of a batch that was refused.
    pub fn refused(id: Option<String>, client_id: Option<String>, code: Option<String>) -> Self {
        Self { id, client_id, code, is_accepted: false }
    }
}
