//! Small worlds, exhaustively: the client with its journal, recovery and reconciliation runs in virtual time, on one
//! thread, against a tiny exchange, and everything that can go otherwise is a choice.
//!
//! A run follows from its choices alone. In the kind world each message arrives, no process is killed and every clock
//! is right; [`explore`] runs every world that deviates from that by at most so many choices, and [`run`] compares what
//! the client says with what happened. What the client assumes is an [`Assumption`]: a move that no world makes unless
//! it is asked for.
//!
//! Exchange, network and journal share no code with the client or with the local exchange.
//!
//! A wrong claim of a rare sequence is not found by sampling: ten million placements had none of those that two
//! deviations from a kind world show. Deviations bound the worlds, because every kind path is then as long as it has to
//! be. The exchange of the worlds is a second one, so that no belief of the client is built into it.

mod assumption;
mod choices;
mod exchange;
mod explore;
mod journal;
mod judge;
mod memory;
mod network;
mod process;
mod record;
mod run;
mod scenario;
mod time;
mod world;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use assumption::Assumption;
pub use choices::{Choice, Words};
pub use exchange::Conduct;
pub use explore::{Explored, Failure, explore};
pub use judge::WrongClaim;
pub use run::{Run, run};
pub use scenario::{Fills, Moves, Order, Program, SCENARIOS, Scenario, Step};
pub use world::Laws;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
