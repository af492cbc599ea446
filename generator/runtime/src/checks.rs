//! What the documents forbid, found before anything is sent: all of it at once.

mod collector;
mod place;
mod violation;
mod window;

pub use collector::Checks;
pub use violation::{Violation, Violations};

pub(crate) use place::Place;
