//! What is known of the exchange's clock.
//!
//! An answer tells the time that the exchange read while the request was under way, so its clock is ahead of the steady
//! one by no more than if it had been read when the request left, and no less than if it had been read when the answer
//! came. Two answers together tell more than each, so the bounds are narrowed by every answer; they widen with time, for
//! clocks drift. The steady clock is what they hold on to: it shows where the wall clock was set, and is set right by
//! it after a sleep.

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

/// Learns the exchange's time from answers.
#[derive(Debug, Default)]
pub(super) struct ExchangeClock(Mutex<Option<Learned>>);

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
}

/// A time or a difference of times that is known to lie between two others, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    least: i128,
    most: i128,
}

impl ExchangeClock {
    /// Learns from an answer to a request that was signed as of `signed_at`. `window` is how far that may be from the
    /// exchange's clock: unless the exchange refused the request for it, a time beyond is no time of the exchange.
    pub(super) fn learn(&self, told: Told, signed_at: Timestamp, window: Option<Duration>, refused: bool) {
        let ahead = told.ahead();
        let there = ahead.after(told.received.steady);
        if !refused && window.is_some_and(|window| there.is_beyond(signed_at, window, told.on_its_way())) {
            return;
        }
        let mut learned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = learned.and_then(|known| known.at(told.received)?.and(ahead));
        // Without what both allow, the earlier one is not true any more.
        *learned = Some(Learned { ahead: known.unwrap_or(ahead), at: told.received });
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

    fn learned(&self) -> Option<Learned> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
