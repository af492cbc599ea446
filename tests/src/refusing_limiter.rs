//! A limiter that refuses every call.

use std::time::Duration;

use tradeapi::runtime::limits::{Admission, AdmissionError, Call, Full, Limiter, Plan, RateLimitFeedback, Reservation};

/// Refuses every call.
#[derive(Debug)]
pub struct RefusingLimiter;

impl Limiter for RefusingLimiter {
    fn admit<'a>(&'a self, _: Call<'a>, _: bool) -> Admission<'a> {
        Admission::Now(Err(AdmissionError::Full(Full::new(Duration::from_secs(1), None))))
    }

    fn sent(&self, _: &mut Reservation) {}

    fn answered(&self, _: Reservation, _: RateLimitFeedback) {}

    fn give_back(&self, _: Reservation) {}

    fn plan(&self, calls: &[Call<'_>]) -> Plan {
        Plan::from_nothing(calls)
    }
}
