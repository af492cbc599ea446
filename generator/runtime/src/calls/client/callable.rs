//! The value that a call returns: the reply, or a type that must be used where a success can contain failures.
//!
//! It is a type of its own, because `must_use` of a type is not seen through another one.

use super::core::ClientCore;
use crate::data::operation::Operation;
use crate::network::wire::Reply;

/// An operation with what a call of it returns. [`operations!`](crate::operations) implements it for each operation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a request of an operation",
    note = "requests are the types that are named after their operation, such as `PlaceOrder`"
)]
pub trait Callable: Operation {
    /// A [`Reply`], or an [`ItemsReply`](crate::calls::batches::ItemsReply) if items of the request succeed or fail on their
    /// own.
    type Reply: ReplyTo<Self>;
}

/// The value that a call of `O` returns. Whatever the operation, it has the [`Reply`] in it and converts into it.
pub trait ReplyTo<O: Operation>: AsRef<Reply<O::Response>> + Into<Reply<O::Response>> + Send {
    /// Makes it of the reply that `client` received to `operation`.
    #[doc(hidden)]
    fn of(reply: Reply<O::Response>, operation: &O, client: &ClientCore) -> Self;
}

impl<O: Operation> ReplyTo<O> for Reply<O::Response> {
    fn of(reply: Self, _: &O, _: &ClientCore) -> Self {
        reply
    }
}
