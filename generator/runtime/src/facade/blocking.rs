//! The client for programs without async: the same operations, each of which blocks the calling thread.
//!
//! A client has one background thread, which drives its connections between and during calls. A call starts no thread;
//! to resolve the name for a new connection, the system uses another one, which it keeps for a while. Clones share the
//! background thread, and any number of threads may make calls at the same time.
//!
//! Calls also work within an async runtime, where they block a thread of the runtime like any blocking call. A call
//! does not deadlock, because nothing it waits for runs on the calling thread, unless a custom transport or limiter
//! needs the runtime of that thread.
//!
//! A client does not survive a fork: the thread and the connections belong to the parent. In a child every call fails
//! unsent, with [`Error::LimiterFailed`](crate::Error::LimiterFailed) and
//! [`LimiterErrorKind::Forked`](crate::data::error::LimiterErrorKind::Forked); create a new client there.
//!
//! A call is polled on the calling thread, so that requests can be borrowed. A parked thread wakes faster than one that
//! waits on a condition variable, so `block_on` is ours.

mod background;
mod client;

pub use self::client::{BatchCall, ClientCore, Countdown, Items, Pages, Retrying};
