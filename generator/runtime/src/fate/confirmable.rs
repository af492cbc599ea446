use crate::batches::Batch;
use crate::json::{Decode, Encode};
use crate::operation::Operation;

/// An operation that does no harm when it is called again: one that only reads, or one of which the documents allow to
/// conclude that. Emitted for those and no others, so that nothing else can be repeated by a client.
pub trait Repeatable: Operation {}

/// A request of which another operation tells whether it had its effect. Emitted where the schema says which.
pub trait Asked: Operation {
    /// What asks.
    type Query: Repeatable<Response = Self::Record>;

    /// What it tells.
    type Record: Decode + Encode + Send;
}

/// One thing is to be changed.
pub trait Confirmable: Asked {}

/// Each item of a batch is a thing to be changed, and has a fate of its own.
pub trait ConfirmableItems: Asked + Batch {}
