//! The client for programs without async: the same operations, each of which blocks the thread that calls it.
//!
//! A client has one thread of its own, on which its connections are looked after between and during calls. A call starts
//! none; where a new connection needs a name looked up, the system does that on another, which is kept for a while. Clones
//! share it, and any number of threads may call at once, each for itself.
//!
//! Within an async runtime a call works too, and does to the runtime what every blocking call does: the thread that makes
//! it does nothing else meanwhile. It cannot wait for itself, for nothing that it waits for runs on that thread, unless
//! the caller has made it so: by a transport or a limiter that needs the very runtime the thread belongs to.
//!
//! A client does not survive a fork: the thread and the connections are the parent's. In a child every call ends unsent,
//! with [`Error::LimiterFailed`](crate::Error::LimiterFailed) and [`Trouble::Forked`](crate::Trouble::Forked); make another
//! client there.

mod background;
mod batch;
mod block_on;
mod core;
mod items;
mod pages;
mod retrying;

pub use self::batch::BatchCall;
pub use self::core::ClientCore;
pub use self::items::Items;
pub use self::pages::Pages;
pub use self::retrying::Retrying;
