//! An estimate of the exchange's clock.
//!
//! A response contains a time that the exchange read between the departure of the request and the arrival of the
//! response. This bounds the offset of its clock from the monotonic clock on both sides. Bounds of several responses
//! are intersected; they widen with time, because clocks drift. They refer to the monotonic clock, which shows when the
//! wall clock was set; after a sleep, which the monotonic clock may miss, the wall clock shows that the bounds are
//! stale.
//!
//! Times in responses can be wrong. A time that does not fit the signature of its request counts only in a refusal of
//! that signature, and never if it is implausible. A refusal of a signature that fits the time in the response shows
//! that signatures are checked by another clock, so the estimate is dropped. Responses that contradict each other come
//! from different clocks; how slow and how fast these were is remembered.
//!
//! Only signed calls count, because others may be cached; the `Date` header counts only if the envelope has no time.
//! Upper bounds come from the answer with the latest time, because an answer that is delayed or repeated makes the
//! clock seem slow. A contradicting answer replaces the bounds. Signatures are corrected by default once the clocks
//! certainly differ; otherwise a machine with a bad clock could not trade.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::data::clock::{Clock, Environment, Moment, Skew, Timer};
use crate::data::value::Timestamp;

/// The maximum drift between two clocks, as a divisor: 100 ppm.
const DRIFT: i128 = 10_000;

/// Older estimates are dropped.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// The time for which contradicting clocks are remembered: as long as the requests whose departure they concern, and an
/// hour more.
const DISTANCE_KEPT: Duration = Duration::from_secs(3 * 60 * 60);

/// If the wall clock gains more than this on the monotonic clock, the machine slept or the clock was set.
const JUMP: i128 = 1_000_000_000;

/// A signature this close to the time of the response was not refused because of that time.
const NEAR: Duration = Duration::from_secs(1);

/// From September 2001 to the end of 2099, in Unix milliseconds. Other times are implausible.
const PLAUSIBLE: Range<u64> = 1_000_000_000_000..4_102_444_800_000;

/// Learns the exchange's time from answers.
#[derive(Debug, Default)]
pub(super) struct ExchangeClock(Mutex<Known>);

#[derive(Clone, Copy, Debug, Default)]
struct Known {
    learned: Option<Learned>,
    others: Option<Others>,
}

/// The exchange's verdict on the signature of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signature {
    Accepted,
    /// The request was refused for another reason, or before the signature was checked.
    Unchecked,
    Refused,
}

/// The time in a response.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerTime {
    /// The exchange's time.
    pub(super) time: Timestamp,
    /// The resolution.
    pub(super) step: Duration,
    /// When the request left and the response arrived.
    pub(super) sent: Moment,
    pub(super) received: Moment,
}

#[derive(Clone, Copy, Debug)]
struct Learned {
    /// By how much the exchange's clock is ahead of the monotonic one.
    ahead: Bounds,
    /// The same by the response with the latest time alone. A response that was delayed or duplicated makes the clock
    /// seem slower than it is, never faster.
    freshest: Bounds,
    at: Moment,
    /// True if several responses agree, or the exchange accepted a signature that fits.
    is_confirmed: bool,
}

/// The clocks of responses that cannot come from one.
#[derive(Clone, Copy, Debug)]
struct Others {
    /// By how much the slowest and the fastest are ahead of the monotonic clock.
    ahead: Bounds,
    /// When the last two of them were compared.
    at: Moment,
    /// When the last response came.
    heard: Moment,
    /// True if the machine may have slept since some of them were compared. All of them may have gained as much then on
    /// the monotonic clock, so that their distance is known, and that the slowest is no slower than before.
    has_slept: bool,
}

/// A time or a difference of times that is known to lie between two others, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    least: i128,
    most: i128,
}

impl ExchangeClock {
    /// Learns from the response to a request with the timestamp `signed_at`, which may differ from the exchange's clock
    /// by `window`.
    pub(super) fn learn(
        &self,
        server: ServerTime,
        signed_at: Timestamp,
        window: Option<Duration>,
        signature: Signature,
    ) {
        if !PLAUSIBLE.contains(&server.time.as_millis()) {
            return;
        }
        let ahead = server.ahead();
        let there = ahead.after(server.received.steady);
        let fits = |window| !there.is_beyond(signed_at, window, server.on_its_way());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match signature {
            Signature::Refused if fits(NEAR) => known.learned = None,
            Signature::Accepted | Signature::Unchecked if !window.is_none_or(fits) => {}
            Signature::Accepted | Signature::Unchecked | Signature::Refused => {
                known.learn(ahead, server.received, signature == Signature::Accepted)
            }
        }
    }

    /// Returns the exchange's time `now`, if there is an estimate.
    pub(super) fn time(&self, now: Moment) -> Option<Bounds> {
        Some(self.learned()?.as_of(now)?.ahead.after(now.steady))
    }

    /// Returns the latest time that the exchange's clock can show `now`, even if some responses contained an old time.
    pub(super) fn latest(&self, now: Moment) -> Option<Timestamp> {
        Some(self.learned()?.as_of(now)?.freshest.after(now.steady).ends().1)
    }

    /// Returns the offset from the client's own clock.
    pub(super) fn skew(&self, now: Moment) -> Option<Skew> {
        let learned = self.learned()?;
        let there = learned.as_of(now)?.ahead.after(now.steady);
        let ahead = (there.middle() - nanos_of(now.wall)) / 1_000_000;
        Some(Skew {
            ahead_ms: i64::try_from(ahead).unwrap_or(if ahead < 0 { i64::MIN } else { i64::MAX }),
            uncertainty: duration((there.most - there.least) / 2),
            age: now.steady.saturating_sub(learned.at.steady),
        })
    }

    /// Returns whether the estimate is at most `window` old and is based on more than a single refusal.
    pub(super) fn is_sure(&self, now: Moment, window: Duration) -> bool {
        self.learned()
            .is_some_and(|learned| learned.is_confirmed && now.steady.saturating_sub(learned.at.steady) <= window)
    }

    /// Returns how much slower and how much faster than the estimate other clocks of the exchange's machines are, as
    /// seen in the hour before `moment` or since. An estimate made later than `moment` is not enough, because it may
    /// come from a single machine.
    pub(super) fn others(&self, moment: Moment) -> (Duration, Duration) {
        let known = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.others_within(LONGEST, moment).map_or_else(Default::default, |others| others.beside(known.learned))
    }

    fn learned(&self) -> Option<Learned> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).learned
    }
}

impl Known {
    fn learn(&mut self, ahead: Bounds, at: Moment, is_accepted: bool) {
        let earlier = self.learned.and_then(|known| known.as_of(at));
        // Without an intersection, the earlier one is no longer valid.
        let both = earlier.and_then(|known| known.ahead.and(ahead));
        self.others = self.others_within(DISTANCE_KEPT, at).map(|others| others.as_of(at));
        if let Some(known) = earlier.filter(|_| both.is_none()) {
            let two = [known.ahead, ahead];
            let others = self.others.map_or(known.ahead, |others| others.beside_two(two));
            self.others = Some(Others { ahead: others.around(two[0]).around(two[1]), at, heard: at, has_slept: false });
        }
        let agrees = earlier.filter(|_| both.is_some());
        let is_confirmed = is_accepted || agrees.is_some();
        let freshest = agrees.map(|known| known.freshest).filter(|freshest| freshest.least > ahead.least);
        let (ahead, freshest) = (both.unwrap_or(ahead), freshest.unwrap_or(ahead));
        self.learned = Some(Learned { ahead, freshest, at, is_confirmed });
    }

    /// Returns the clocks that contradicted each other no longer than `age` before `moment`.
    fn others_within(&self, age: Duration, moment: Moment) -> Option<Others> {
        self.others.filter(|others| moment.steady.saturating_sub(others.at.steady) <= age)
    }
}

impl Others {
    /// Returns the clocks as of `now`: during a sleep, all of them gain as much on the monotonic one.
    fn as_of(self, now: Moment) -> Self {
        Self { has_slept: self.has_slept || has_slept(self.heard, now), heard: now, ..self }
    }

    /// Returns how much slower and faster than the estimate they are. After a sleep, none is further from it than they
    /// are apart.
    fn beside(self, learned: Option<Learned>) -> (Duration, Duration) {
        let Self { ahead, at, has_slept, .. } = self;
        let apart = ahead.most - ahead.least;
        let Some(learned) = learned else { return (duration(apart), duration(apart)) };
        let drift = nanos(learned.at.steady.abs_diff(at.steady)) / DRIFT;
        let (slower, faster) = (learned.ahead.least - ahead.least + drift, ahead.most - learned.ahead.most + drift);
        match has_slept {
            true => (duration(slower.min(apart)), duration(apart)),
            false => (duration(slower), duration(faster)),
        }
    }

    /// Returns where they are by two clocks that were compared since: after a sleep, none is further from either than
    /// they are apart.
    fn beside_two(self, [one, other]: [Bounds; 2]) -> Bounds {
        let Self { ahead, has_slept, .. } = self;
        let apart = ahead.most - ahead.least;
        match has_slept {
            true => Bounds {
                least: ahead.least.max(one.least.max(other.least) - apart),
                most: one.most.min(other.most) + apart,
            },
            false => ahead,
        }
    }
}

/// Returns whether the machine slept between two moments, or its wall clock was set forward, which looks the same.
fn has_slept(before: Moment, now: Moment) -> bool {
    nanos_of(now.wall) - nanos_of(before.wall) - nanos(now.steady.saturating_sub(before.steady)) > JUMP
}

impl Learned {
    /// Returns the estimate as of `now`, which may be before it was made, widened by drift.
    fn as_of(self, now: Moment) -> Option<Self> {
        if now.steady.saturating_sub(self.at.steady) > LONGEST || has_slept(self.at, now) {
            return None;
        }
        let drift = nanos(now.steady.abs_diff(self.at.steady)) / DRIFT;
        let widened = |bounds: Bounds| Bounds { least: bounds.least - drift, most: bounds.most + drift };
        Some(Self { ahead: widened(self.ahead), freshest: widened(self.freshest), ..self })
    }
}

impl ServerTime {
    fn ahead(&self) -> Bounds {
        let time = nanos_of(self.time);
        Bounds { least: time - nanos(self.received.steady), most: time + nanos(self.step) - nanos(self.sent.steady) }
    }

    fn on_its_way(&self) -> Duration {
        self.received.steady.saturating_sub(self.sent.steady)
    }
}

impl Bounds {
    fn and(self, other: Self) -> Option<Self> {
        let both = Self { least: self.least.max(other.least), most: self.most.min(other.most) };
        (both.least <= both.most).then_some(both)
    }

    /// Returns the bounds of values within these and of those within `other`.
    fn around(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    /// Returns the earliest and the latest time that a clock of whole milliseconds can show.
    pub(super) fn ends(self) -> (Timestamp, Timestamp) {
        let millis = |nanos: i128| Timestamp::from_millis(u64::try_from(nanos / 1_000_000).unwrap_or_default());
        (millis(self.least), millis(self.most))
    }

    fn after(self, steady: Duration) -> Self {
        Self { least: self.least + nanos(steady), most: self.most + nanos(steady) }
    }

    fn middle(self) -> i128 {
        self.least + (self.most - self.least) / 2
    }

    /// Returns whether a clock of whole milliseconds that shows `time` can be right.
    pub(super) fn allows(self, time: Timestamp) -> bool {
        nanos_of(time) <= self.most && nanos_of(time) + 1_000_000 > self.least
    }

    /// Returns the midpoint.
    pub(super) fn likeliest(self) -> Timestamp {
        Timestamp::from_millis(u64::try_from(self.middle() / 1_000_000).unwrap_or_default())
    }

    /// Returns whether it is certainly further than `window` from `time`, now and `long` ago.
    pub(super) fn is_beyond(self, time: Timestamp, window: Duration, long: Duration) -> bool {
        let (time, window) = (nanos_of(time), nanos(window));
        self.least - nanos(long) > time + window || self.most < time - window
    }
}

fn nanos(length: Duration) -> i128 {
    i128::try_from(length.as_nanos()).unwrap_or(i128::MAX)
}

fn nanos_of(time: Timestamp) -> i128 {
    i128::from(time.as_millis()) * 1_000_000
}

fn duration(nanos: i128) -> Duration {
    Duration::from_nanos(u64::try_from(nanos).unwrap_or_default())
}

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

    /// Returns the timestamp for a request that is signed `now`.
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

#[cfg(test)]
mod tests;
