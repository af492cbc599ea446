//! A hostile exchange on this machine.
//!
//! It takes orders over real sockets, verifies each signature, counts what comes against the documented limits by a
//! clock of its own, and keeps the book of what truly happened. Meanwhile it fails on purpose at every point: it
//! does not answer, answers half, answers that it does not know, does what it was asked some time after it was asked,
//! and is away for a moment.
//!
//! It breaks everything but its word. What the documents call a success is one, and what it refuses with a code that says
//! that nothing was done was not done, for no client could do right by an exchange that lies about that. Everything else
//! is open: an order may have landed or not, whatever the answer looked like, and may land after it was not found, as
//! late as its signature is good and what was accepted takes to be seen.
//!
//! What goes wrong with a request follows from a seed, the ids in it, and how often these were seen, and not from when it
//! comes: the same seed and the same requests have the same faults.
//!
//! Neither document says that a client's id is taken once only. So there are exchanges where an order that comes twice is
//! there twice, and others that refuse the second by a code that says so.
//!
//! Refusals carry codes that public clients have observed. A code of which several sources say that nothing was done keeps
//! that word, but for operations that do two things: of these the first may be done when a business rule stops the second.
//! A code with one source only, or with sources that contradict each other, promises nothing.
//!
//! Behind its one address are several machines. Their clocks may differ from the true one, by which orders are dated, and
//! what they show may be seconds old. No request is under way for longer than its signature is good by the true clock.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "only tests use this, and a panic is how they fail")]

/// An enum that lists its values, so that a campaign can show that it reached each.
macro_rules! listed {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $value:ident,)* }) => {
        $(#[$meta])*
        pub enum $name { $($(#[$doc])* $value,)* }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$value,)*];
        }
    };
}

pub mod query;
pub mod signature;

mod answer;
mod arrivals;
mod book;
mod change;
mod changes;
mod clock;
mod codes;
mod counts;
mod desk;
mod dice;
mod exchange;
mod fault;
mod line;
mod listing;
mod node;
mod operation;
mod quirk;
mod spoil;
mod telling;

pub use book::{Book, Duplicates, Effect, Order, State, Unchanged, When, label};
pub use change::{Change, Name};
pub use clock::FastClock;
pub use codes::{Proof, proof};
pub use counts::{Counts, Rate, Reached};
pub use dice::Dice;
pub use exchange::{Exchange, Settings};
pub use fault::{Fault, Landing};
pub use line::Line;
pub use node::{JUDGING_OTHERWISE, LAGGING, Node, Nodes, ONE, TELLING_OTHERWISE};
pub use operation::{Deed, Family, Listed, OPERATIONS, Operation};
pub use quirk::Quirk;
