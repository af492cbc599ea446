//! Evidence about requests whose outcome is unknown: what they were to create or change, what a record proves about
//! that, and the calls that wait for a record.

mod awaited;
mod proof;

pub(crate) use awaited::{Awaited, Denials, MAX_REFUSED, OutsideRecord, Pending, QueryInProgress, Watch};
pub(crate) use proof::{Attempts, Departure, Evidence, Rival, Sent, Target};
