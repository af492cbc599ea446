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
//! Neither document says that a client's id is taken once only. So an order that comes twice is there twice, which is the
//! worse case for a client.
#![allow(clippy::expect_used, reason = "only tests use this, and a panic is how they fail")]

pub mod query;
pub mod signature;

mod answer;
mod arrivals;
mod book;
mod change;
mod clock;
mod desk;
mod dice;
mod exchange;
mod fault;
mod listing;
mod operation;
mod spoil;
mod tally;

pub use answer::NO_SUCH_ORDER;
pub use book::{Book, Effect, NoSuchOrder, Order};
pub use change::{Change, Name};
pub use clock::FastClock;
pub use dice::Dice;
pub use exchange::{Exchange, Settings};
pub use fault::{Fault, Landing};
pub use operation::{Deed, Family, Listed, OPERATIONS, Operation};
pub use tally::{Rate, Tally};
