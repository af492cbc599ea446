//! A clock that can run fast, leap and be wrong.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The beginning of virtual time: 2026-01-01, 00:00 UTC, in milliseconds.
const BEGINNING: u64 = 1_767_225_600_000;

/// A clock that can run fast, leap and be wrong, or that is moved by hand: for signatures and the times of orders. Rate
/// limits are counted by the [real time](Self::real).
///
/// Forty seconds must pass before an absence proves anything, and two hours until an order is forgotten. Where both sides
/// read such a clock, these pass sooner, and nothing else changes. Clones share their leaps.
#[derive(Clone, Debug)]
pub(crate) struct FastClock {
    /// When it was right, in milliseconds.
    begun: u64,
    speed: u32,
    ahead: i64,
    passed: Passed,
    leaps: Arc<AtomicU64>,
}

/// How much time has passed.
#[derive(Clone, Debug)]
enum Passed {
    /// The clock had run for so long at a moment of the system's.
    Since(Duration, Instant),
    /// In nanoseconds.
    ByHand(Arc<AtomicU64>),
}

impl FastClock {
    /// A clock that is right now, and runs `speed` times as fast as it should.
    pub(crate) fn new(speed: u32) -> Self {
        Self::begun(system().as_millis() as u64, speed)
    }

    /// The same as a clock in another process, which [was right](Self::was_right_at) then.
    pub(crate) fn begun(millis: u64, speed: u32) -> Self {
        let ran = system().saturating_sub(Duration::from_millis(millis)) * speed;
        let passed = Passed::Since(ran, Instant::now());
        Self { begun: millis, speed, ahead: 0, passed, leaps: Arc::default() }
    }

    /// A clock that stands still until it [leaps](Self::leap). All real time passes in its leaps.
    pub(crate) fn by_hand() -> Self {
        let passed = Passed::ByHand(Arc::default());
        Self { begun: BEGINNING, speed: 1, ahead: 0, passed, leaps: Arc::default() }
    }

    /// When it was right, in milliseconds.
    pub(crate) fn was_right_at(&self) -> u64 {
        self.begun
    }

    /// The same clock, ahead by so many milliseconds or behind.
    #[must_use]
    pub(crate) fn ahead_by(&self, millis: i64) -> Self {
        Self { ahead: millis, ..self.clone() }
    }

    /// How much faster it runs than it should.
    pub(crate) fn speed(&self) -> u32 {
        self.speed
    }

    /// Its time in milliseconds.
    pub(crate) fn now(&self) -> u64 {
        (self.begun + self.steady().as_millis() as u64).saturating_add_signed(self.ahead)
    }

    /// For how long it has run, wherever it is set.
    pub(crate) fn steady(&self) -> Duration {
        match &self.passed {
            Passed::Since(ran, at) => {
                *ran + at.elapsed() * self.speed + Duration::from_millis(self.leaps.load(Ordering::Relaxed))
            }
            Passed::ByHand(_) => self.real(),
        }
    }

    /// How much time has truly passed.
    pub(crate) fn real(&self) -> Duration {
        match &self.passed {
            Passed::Since(_, at) => at.elapsed(),
            Passed::ByHand(nanos) => Duration::from_nanos(nanos.load(Ordering::Relaxed)),
        }
    }

    /// Leaps, with all its clones, as though that much time had passed on it.
    pub(crate) fn leap(&self, time: Duration) {
        match &self.passed {
            Passed::Since(..) => self.leaps.fetch_add(time.as_millis() as u64, Ordering::Relaxed),
            Passed::ByHand(nanos) => nanos.fetch_add(time.as_nanos() as u64, Ordering::Relaxed),
        };
    }

    /// How long it takes until so much time has passed on it.
    pub(crate) fn takes(&self, time: Duration) -> Duration {
        time / self.speed
    }
}

fn system() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
