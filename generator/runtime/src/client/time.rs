use std::time::Duration;

use super::clock::{Clock, Moment, SigningClock};
use super::exchange_clock::{Bounds, ExchangeClock, Signature, Told};
use super::skew::Skew;
use crate::limits::Timer;
use crate::value::Timestamp;

/// The clocks of a client: its own, a steady one, and what it knows of the exchange's.
pub(super) struct Time {
    pub(super) own: Box<dyn Clock>,
    pub(super) steady: Box<dyn Timer>,
    pub(super) there: ExchangeClock,
    pub(super) signing: SigningClock,
}

impl Time {
    pub(super) fn now(&self) -> Moment {
        Moment { wall: self.own.now(), steady: self.steady.now() }
    }

    /// The time that a request is signed as of `now`.
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

    /// Whether what was signed as of `signed_at` surely would not be accepted `now`. Where signatures are not corrected, an
    /// old or a single answer is not enough: nothing would be sent any more that could set it right.
    pub(super) fn is_out_of_time(&self, signed_at: Timestamp, window: Duration, now: Moment) -> bool {
        let is_enough = match self.signing {
            SigningClock::Corrected => true,
            SigningClock::Own => self.there.is_sure(now, window),
        };
        is_enough && self.there.time(now).is_some_and(|there| there.is_beyond(signed_at, window, Duration::ZERO))
    }

    /// Learns what an answer that has just come tells: in its own words to the millisecond, by a header to the second.
    pub(super) fn learn(
        &self,
        told: Option<Timestamp>,
        date: Option<Timestamp>,
        sent: Moment,
        signed_at: Timestamp,
        window: Option<Duration>,
        signature: Signature,
    ) {
        let millis = told.map(|time| (time, Duration::from_millis(1)));
        let Some((time, step)) = millis.or(date.map(|time| (time, Duration::from_secs(1)))) else { return };
        self.there.learn(Told { time, step, sent, received: self.now() }, signed_at, window, signature);
    }
}
