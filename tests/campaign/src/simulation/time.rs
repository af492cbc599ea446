//! Virtual time: a single-threaded executor whose clock moves to the next event.

use std::fmt::{self, Write};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use tradeapi::Timestamp;
use tradeapi::runtime::clock::{Clock, Environment, ManualEnvironment, Timer};
use tradeapi_tests::dice::Dice;

/// The limit for a simulation in virtual time. The longest wait, for the deletion of records, takes two hours.
const LONGEST: Duration = Duration::from_secs(12 * 60 * 60);

/// Virtual time, as a process sees it, with random numbers that follow from the seed. Clones share it.
#[derive(Clone)]
pub(super) struct Time {
    environment: ManualEnvironment,
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    dice: Dice,
    /// A line for each event, if the scenario is traced.
    trace: Option<String>,
}

impl Time {
    pub(super) fn new(environment: &ManualEnvironment, dice: Dice, is_traced: bool) -> Self {
        let shared = Shared { dice, trace: is_traced.then(String::new) };
        Self { environment: environment.in_another_process(), shared: Arc::new(Mutex::new(shared)) }
    }

    /// Returns the same time, as another process sees it.
    #[must_use]
    pub(super) fn in_new_process(&self) -> Self {
        Self { environment: self.environment.in_another_process(), ..self.clone() }
    }

    /// Runs `future` to completion, together with all events. Returns `None` if no event is left that could wake it, or
    /// if it takes too long.
    pub(super) fn run<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        let waker = Waker::from(Arc::clone(&woken));
        let mut future = pin!(future);
        loop {
            if woken.0.swap(false, Ordering::Relaxed) {
                if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                    return Some(output);
                }
                continue;
            }
            let timer = self.environment.timer();
            if timer.next_wake()? > LONGEST {
                return None;
            }
            timer.advance_to_next();
        }
    }

    pub(super) fn now(&self) -> Duration {
        self.environment.timer().now()
    }

    /// Sets the wall clock of the machine, to so many milliseconds ahead of the true time. Its steady clock goes on.
    pub(super) fn set_wall(&self, ahead: i64) {
        self.environment.set_ahead(ahead);
    }

    /// Schedules `act`.
    pub(super) fn at(&self, at: Duration, act: impl FnOnce() + Send + 'static) {
        self.environment.timer().call_at(at, act);
    }

    /// Writes a line into the trace.
    pub(super) fn trace(&self, line: fmt::Arguments<'_>) {
        let now = self.now();
        if let Some(trace) = &mut self.shared().trace {
            // Writing to a string cannot fail.
            let _ = writeln!(trace, "{now:?} {line}");
        }
    }

    pub(super) fn take_trace(&self) -> String {
        self.shared().trace.take().unwrap_or_default()
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for Time {
    fn now(&self) -> Timestamp {
        Clock::now(&self.environment)
    }
}

impl Timer for Time {
    fn now(&self) -> Duration {
        Self::now(self)
    }

    fn wake_at(&self, at: Duration, waker: Waker) {
        self.environment.wake_at(at, waker);
    }
}

impl Environment for Time {
    fn random(&self) -> u64 {
        self.shared().dice.throw()
    }

    fn run(&self) -> Option<u64> {
        Environment::run(&self.environment)
    }
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}
