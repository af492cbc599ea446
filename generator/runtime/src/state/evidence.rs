//! Evidence about requests whose outcome is unknown: what they were to create or change, what an answer proves about
//! that, and the calls that wait for a record.

mod awaited;
mod judge;

pub(crate) use awaited::{Awaited, Denials, MAX_REFUSED, OutsideRecord, Pending, QueryInProgress, Watch};
pub(crate) use judge::{
    Attempts, CallEnd, Case, Departure, Doubt, Proof, QueryTimes, Rival, Seen, Sent, Target, Verdict,
};
