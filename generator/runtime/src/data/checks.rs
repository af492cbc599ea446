//! Rules of the documents, checked before a request is sent. All violations are reported at once.

mod collector;
mod policy;
mod violation;
mod window;

pub(crate) use self::violation::Asked;
pub use self::violation::Undecided;
pub use collector::Checks;
pub use policy::{CheckContext, CheckPolicy};
pub(crate) use violation::Place;
pub use violation::{Violation, Violations};
