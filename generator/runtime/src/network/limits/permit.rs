//! Permits for calls that are made by other means.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::Response;

use super::call::Reservation;
use super::limiter::{Limiter, RateLimitFeedback};
use crate::data::tables::Api;

/// A permit to make one call by other means; see [`ClientCore::admit`](crate::ClientCore::admit).
///
/// It takes room until it is dropped. After [`sent`](Self::sent), the call counts: from its response, or, if there is
/// none, from the drop of the permit. Otherwise dropping it frees the room. A permit that is leaked takes room
/// forever.
#[must_use = "it takes room until it is dropped"]
pub struct Permit<'a> {
    limiter: &'a dyn Limiter,
    api: &'static Api,
    reservation: Option<Reservation>,
    waited: Duration,
    sent: bool,
}

impl<'a> Permit<'a> {
    /// A permit for a call that counts; without a reservation, for one that does not.
    pub(crate) fn new(limiter: &'a dyn Limiter, api: &'static Api, reservation: Option<Reservation>) -> Self {
        let waited = reservation.as_ref().map(|reservation| reservation.waited).unwrap_or_default();
        Self { limiter, api, reservation, waited, sent: false }
    }

    /// Returns how long the call waited for it.
    pub fn waited(&self) -> Duration {
        self.waited
    }

    /// The call is sent now.
    pub fn sent(&mut self) {
        self.sent = true;
        if let Some(reservation) = &mut self.reservation {
            self.limiter.sent(reservation);
        }
    }

    /// Reports the feedback of `response` to the limiter, and returns it. The status and the headers count even if the
    /// body cannot be read.
    pub fn answered(&mut self, response: &Response<Bytes>) -> RateLimitFeedback {
        let feedback = RateLimitFeedback::read(self.api, response);
        self.report(feedback);
        feedback
    }

    /// Reports `feedback` to the limiter, which the caller has completed with the round trip and the time in the
    /// response.
    pub fn report(&mut self, feedback: RateLimitFeedback) {
        if let Some(reservation) = self.reservation.take() {
            self.limiter.answered(reservation, feedback);
        }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        match self.reservation.take() {
            Some(reservation) if self.sent => self.limiter.lost(reservation),
            Some(reservation) => self.limiter.give_back(reservation),
            None => {}
        }
    }
}

impl fmt::Debug for Permit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("waited", &self.waited).field("sent", &self.sent).finish_non_exhaustive()
    }
}
