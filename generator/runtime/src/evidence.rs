//! What is known of requests whose outcome is not: what they were to create or change, what a record proves of that, and
//! the calls that wait for one.

mod awaited;
mod proof;
mod target;

pub(crate) use awaited::{Awaited, Outside, Pending};
pub(crate) use proof::{Attempts, Evidence, Sent};
pub(crate) use target::Target;
