//! Rules of the documents, checked before a request is sent. All violations are reported at once.

mod collector;
mod given;
mod policy;
mod violation;
mod window;

pub use collector::Checks;
pub use policy::{CheckContext, CheckPolicy};
pub(crate) use violation::Place;
pub use violation::{Violation, Violations};
