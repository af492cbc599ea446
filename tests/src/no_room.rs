//! A limiter that admits no call.

use std::time::Duration;

use tradeapi::runtime::limits::{Admission, AdmissionError, Call, Full, Limiter, Plan, RateLimitFeedback, Reservation};

/// Has no room for any call.
#[derive(Debug)]
pub struct NoRoom;

impl Limiter for NoRoom {
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
