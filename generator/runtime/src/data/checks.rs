//! Rules of the documents, checked before a request is sent. All violations are reported at once.

mod collector;
mod given;
mod policy;
mod undecided;
mod violation;
mod window;

pub use collector::Checks;
pub use policy::{CheckContext, CheckPolicy};
pub(crate) use undecided::Asked;
pub use undecided::Undecided;
pub(crate) use violation::Place;
pub use violation::{Violation, Violations};
