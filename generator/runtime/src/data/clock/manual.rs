//! An environment whose time a test moves.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::task::Waker;
use std::time::Duration;

use super::{Clock, Environment, ManualTimer, Timer};
use crate::data::value::Timestamp;

/// An environment whose time a test or a simulation moves. Clones share the time; its random numbers are the same in
/// each run of a program.
///
/// ```
/// use std::time::Duration;
///
/// use tradeapi_runtime::Timestamp;
/// use tradeapi_runtime::clock::{Clock, ManualEnvironment};
///
/// let environment = ManualEnvironment::new(Timestamp::from_millis(1_790_000_000_000));
/// environment.timer().advance(Duration::from_secs(2));
/// assert_eq!(environment.now(), Timestamp::from_millis(1_790_000_002_000));
///
/// // The wall clock of the machine is set; the monotonic clock goes on.
/// environment.set_ahead(-500);
/// assert_eq!(environment.now(), Timestamp::from_millis(1_790_000_001_500));
/// ```
#[derive(Clone, Debug)]
pub struct ManualEnvironment {
    timer: ManualTimer,
    shared: Arc<Shared>,
    leaps: bool,
    run: Option<u64>,
}

#[derive(Debug)]
struct Shared {
    begun: Timestamp,
    /// The milliseconds by which the wall clock is ahead of the right time.
    ahead: AtomicI64,
    thrown: AtomicU64,
}

impl ManualEnvironment {
    /// Time that stands still, at this moment, until the [`timer`](Self::timer) is advanced.
    pub fn new(begun: Timestamp) -> Self {
        let shared = Shared { begun, ahead: AtomicI64::new(0), thrown: AtomicU64::new(0) };
        Self { timer: ManualTimer::new(), shared: Arc::new(shared), leaps: false, run: None }
    }

    /// Time that advances to the end of each wait, so that nothing waits. It suits tests of one task.
    pub fn leaping(begun: Timestamp) -> Self {
        Self { leaps: true, ..Self::new(begun) }
    }

    /// The same time, as another process sees it: clients of one process know each other's requests.
    #[must_use]
    pub fn in_another_process(&self) -> Self {
        static PROCESSES: AtomicU64 = AtomicU64::new(1);
        Self { run: Some(PROCESSES.fetch_add(1, Ordering::Relaxed)), ..self.clone() }
    }

    /// The monotonic clock, which a test advances.
    pub fn timer(&self) -> &ManualTimer {
        &self.timer
    }

    /// The right time, which the wall clock shows unless it is [set](Self::set_ahead).
    pub fn right_time(&self) -> Timestamp {
        self.shared.begun + self.timer.now()
    }

    /// Sets the wall clock to so many milliseconds ahead of the right time, or behind it.
    pub fn set_ahead(&self, millis: i64) {
        self.shared.ahead.store(millis, Ordering::Relaxed);
    }
}

impl Clock for ManualEnvironment {
    fn now(&self) -> Timestamp {
        let right = self.right_time().as_millis();
        Timestamp::from_millis(right.saturating_add_signed(self.shared.ahead.load(Ordering::Relaxed)))
    }
}

impl Timer for ManualEnvironment {
    fn now(&self) -> Duration {
        self.timer.now()
    }

    fn wake_at(&self, at: Duration, waker: Waker) {
        if self.leaps {
            self.timer.advance(at.saturating_sub(self.timer.now()));
            waker.wake();
        } else {
            self.timer.wake_at(at, waker);
        }
    }
}

impl Environment for ManualEnvironment {
    fn random(&self) -> u64 {
        // Spread over all numbers, so that jitter varies.
        self.shared.thrown.fetch_add(1, Ordering::Relaxed).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn run(&self) -> Option<u64> {
        self.run
    }
}
