//! The clocks of a client.

use std::sync::Arc;
use std::time::Duration;

use super::exchange_clock::{Bounds, ExchangeClock, ServerTime, Signature};
use crate::data::clock::{Clock, Environment, Moment, Skew, Timer};
use crate::data::value::Timestamp;

/// The clock that requests are signed by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SigningClock {
    /// The client's own clock, corrected when it is known to differ from the exchange's: by more than the error bound
    /// of the offset.
    #[default]
    Corrected,
    /// The client's own clock, uncorrected. A call that changes something is not sent while the exchange would
    /// certainly refuse its timestamp.
    Own,
}

/// The clocks of a client: its own, a monotonic one, and an estimate of the exchange's.
pub(super) struct Time {
    pub(super) own: Arc<dyn Clock>,
    pub(super) environment: Arc<dyn Environment>,
    pub(super) there: ExchangeClock,
    pub(super) signing: SigningClock,
}

impl Time {
    pub(super) fn now(&self) -> Moment {
        Moment { wall: self.own.now(), steady: Timer::now(&*self.environment) }
    }

    /// The timestamp for a request that is signed `now`.
    pub(super) fn to_sign_at(&self, now: Moment) -> Timestamp {
        let there = match self.signing {
            SigningClock::Own => None,
            SigningClock::Corrected => self.there.time(now).filter(|there| !there.allows(now.wall)),
        };
        there.map_or(now.wall, Bounds::likeliest)
    }

    pub(super) fn skew(&self) -> Option<Skew> {
        self.there.skew(self.now())
    }

    /// Returns whether the exchange would certainly refuse a signature of `signed_at` `now`. If signatures are not
    /// corrected, an old or a single response is not enough evidence: no further request would be sent that could
    /// correct it.
    pub(super) fn is_out_of_time(&self, signed_at: Timestamp, window: Duration, now: Moment) -> bool {
        let is_enough = match self.signing {
            SigningClock::Corrected => true,
            SigningClock::Own => self.there.is_sure(now, window),
        };
        is_enough && self.there.time(now).is_some_and(|there| there.is_beyond(signed_at, window, Duration::ZERO))
    }

    /// Learns from the time in a response that has just arrived: to the millisecond in the envelope, to the second in a
    /// header.
    pub(super) fn learn(
        &self,
        stated: Option<Timestamp>,
        date: Option<Timestamp>,
        (sent, received): (Moment, Moment),
        signed_at: Timestamp,
        window: Option<Duration>,
        signature: Signature,
    ) {
        let millis = stated.map(|time| (time, Duration::from_millis(1)));
        let Some((time, step)) = millis.or(date.map(|time| (time, Duration::from_secs(1)))) else { return };
        self.there.learn(ServerTime { time, step, sent, received }, signed_at, window, signature);
    }
}
