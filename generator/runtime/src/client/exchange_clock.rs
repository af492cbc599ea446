//! What is known of the exchange's clock.
//!
//! An answer tells the time that the exchange read while the request was under way, so its clock is ahead of the steady
//! one by no more than if it had been read when the request left, and no less than if it had been read when the answer
//! came. Two answers together tell more than each, so the bounds are narrowed by every answer; they widen with time, for
//! clocks drift. The steady clock is what they hold on to: it shows where the wall clock was set, and is set right by
//! it after a sleep.
//!
//! Answers can lie. A time that does not fit the signature of its request counts only in a refusal of that signature,
//! and never when no exchange can have it. A refusal of a signature that fits the time it tells shows that signatures are
//! judged by another clock, so what was learned is dropped. Answers that contradict each other come from different clocks;
//! how far these were apart is remembered.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::clock::Moment;
use super::skew::Skew;
use crate::value::Timestamp;

/// What two clocks may drift apart: a hundred parts in a million, one in ten thousand.
const DRIFT: i128 = 10_000;

/// What was learned longer ago is forgotten.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// The wall clock is ahead of the steady one by this much more than it was: the machine slept, or somebody set it.
const JUMP: i128 = 1_000_000_000;

/// A signature that is this close to the time of the answer was not refused because of a difference to that time.
const CLOSE: Duration = Duration::from_secs(1);

/// From September 2001 to the end of 2099, in Unix milliseconds: what is outside is not the time of any exchange.
const PLAUSIBLE: Range<u64> = 1_000_000_000_000..4_102_444_800_000;

/// Learns the exchange's time from answers.
#[derive(Debug, Default)]
pub(super) struct ExchangeClock(Mutex<Known>);

#[derive(Clone, Copy, Debug, Default)]
struct Known {
    learned: Option<Learned>,
    contradiction: Option<Contradiction>,
}

/// How the exchange took the signature of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signature {
    Accepted,
    /// The request was refused, for another reason or before it was looked at.
    Untold,
    Refused,
}

/// What an answer tells of the time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    /// The exchange's time.
    pub(super) time: Timestamp,
    /// How finely it is told.
    pub(super) step: Duration,
    /// When the request left, and when the answer had come.
    pub(super) sent: Moment,
    pub(super) received: Moment,
}

#[derive(Clone, Copy, Debug)]
struct Learned {
    /// By how much the exchange's clock is ahead of the steady one.
    ahead: Bounds,
    at: Moment,
    /// Whether several answers agree, or the exchange accepted a signature that fits.
    is_confirmed: bool,
}

/// Two answers whose clocks cannot be the same.
#[derive(Clone, Copy, Debug)]
struct Contradiction {
    apart: i128,
    at: Duration,
}

/// A time or a difference of times that is known to lie between two others, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    least: i128,
    most: i128,
}

impl ExchangeClock {
    /// Learns from an answer to a request that was signed as of `signed_at`. `window` is how far that may be from the
    /// exchange's clock.
    pub(super) fn learn(&self, told: Told, signed_at: Timestamp, window: Option<Duration>, signature: Signature) {
        if !PLAUSIBLE.contains(&told.time.as_millis()) {
            return;
        }
        let ahead = told.ahead();
        let there = ahead.after(told.received.steady);
        let fits = |window| !there.is_beyond(signed_at, window, told.on_its_way());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match signature {
            Signature::Refused if fits(CLOSE) => known.learned = None,
            Signature::Accepted | Signature::Untold if !window.is_none_or(fits) => {}
            _ => known.learn(ahead, told.received, signature == Signature::Accepted),
        }
    }

    /// The exchange's time `now`; `None` when nothing is known of it.
    pub(super) fn time(&self, now: Moment) -> Option<Bounds> {
        Some(self.learned()?.at(now)?.after(now.steady))
    }

    /// How far it is from the client's own clock.
    pub(super) fn skew(&self, now: Moment) -> Option<Skew> {
        let learned = self.learned()?;
        let there = learned.at(now)?.after(now.steady);
        let ahead = (there.middle() - nanos_of(now.wall)) / 1_000_000;
        Some(Skew {
            ahead_ms: i64::try_from(ahead).unwrap_or(if ahead < 0 { i64::MIN } else { i64::MAX }),
            uncertainty: duration((there.most - there.least) / 2),
            age: now.steady.saturating_sub(learned.at.steady),
        })
    }

    /// Whether a time was told by the exchange's clock within `window` before `now`, and not by a single refusal alone.
    pub(super) fn is_sure(&self, now: Moment, window: Duration) -> bool {
        self.learned()
            .is_some_and(|learned| learned.is_confirmed && now.steady.saturating_sub(learned.at.steady) <= window)
    }

    /// How far the clocks behind the exchange were seen to be apart of late.
    pub(super) fn spread(&self, now: Moment) -> Duration {
        let known = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.recent_contradiction(now).map_or(Duration::ZERO, duration)
    }

    fn learned(&self) -> Option<Learned> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).learned
    }
}

impl Known {
    fn learn(&mut self, ahead: Bounds, at: Moment, is_accepted: bool) {
        let earlier = self.learned.and_then(|known| Some((known.at(at)?, known.is_confirmed)));
        // Without what both allow, the earlier one is not true any more.
        let both = earlier.and_then(|(known, _)| known.and(ahead));
        let was_confirmed = both.is_some() && earlier.is_some_and(|(_, is_confirmed)| is_confirmed);
        if let Some((known, _)) = earlier.filter(|_| both.is_none()) {
            let apart = known.distance(ahead).max(self.recent_contradiction(at).unwrap_or_default());
            self.contradiction = Some(Contradiction { apart, at: at.steady });
        }
        let is_confirmed = is_accepted || was_confirmed || both.is_some();
        self.learned = Some(Learned { ahead: both.unwrap_or(ahead), at, is_confirmed });
    }

    fn recent_contradiction(&self, now: Moment) -> Option<i128> {
        let recent = self.contradiction.filter(|one| now.steady.saturating_sub(one.at) <= LONGEST);
        recent.map(|one| one.apart)
    }
}

impl Learned {
    /// What is left of it `now`.
    fn at(&self, now: Moment) -> Option<Bounds> {
        let age = now.steady.saturating_sub(self.at.steady);
        let by_wall = nanos_of(now.wall) - nanos_of(self.at.wall);
        if age > LONGEST || by_wall - nanos(age) > JUMP {
            return None;
        }
        let drift = nanos(age) / DRIFT;
        Some(Bounds { least: self.ahead.least - drift, most: self.ahead.most + drift })
    }
}

impl Told {
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

    /// How far two bounds are apart that have nothing in common.
    fn distance(self, other: Self) -> i128 {
        (self.least - other.most).max(other.least - self.most).max(0)
    }

    /// The earliest and the latest time that it can be, in whole milliseconds.
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

    /// Whether a clock that shows whole milliseconds, and `time` now, can be right.
    pub(super) fn allows(self, time: Timestamp) -> bool {
        nanos_of(time) <= self.most && nanos_of(time) + 1_000_000 > self.least
    }

    /// The likeliest time.
    pub(super) fn likeliest(self) -> Timestamp {
        Timestamp::from_millis(u64::try_from(self.middle() / 1_000_000).unwrap_or_default())
    }

    /// Whether it is surely further than `window` from `time`, now and for as `long` before.
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

#[cfg(test)]
mod tests;
