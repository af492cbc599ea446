//! What the documents forbid, found before anything is sent: all of it at once.

mod collector;
mod given;
mod place;
mod policy;
mod violation;
mod window;

pub use collector::Checks;
pub use policy::{CheckContext, CheckPolicy};
pub use violation::{Violation, Violations};

pub(crate) use place::Place;
