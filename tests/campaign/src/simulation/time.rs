//! Virtual time: a single-threaded executor whose clock moves to the next event.

use std::fmt::{self, Write};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use tradeapi::Timestamp;
use tradeapi::runtime::clock::{Clock, Environment, ManualTimer, Timer};
use tradeapi_tests::dice::Dice;

use crate::clock::FastClock;

/// The limit for a simulation in virtual time. The longest wait, for the deletion of records, takes two hours.
const LONGEST: Duration = Duration::from_secs(12 * 60 * 60);

/// Virtual time, as a machine sees it. Clones share it.
#[derive(Clone)]
pub(super) struct Time {
    clock: FastClock,
    events: ManualTimer,
    shared: Arc<Mutex<Shared>>,
    /// How many milliseconds the wall clock of the machine is ahead.
    wall: Arc<AtomicI64>,
    /// The number of the process. The clients of a process know each other's requests.
    process: u64,
}

struct Shared {
    dice: Dice,
    /// A line for each event, if the scenario is traced.
    trace: Option<String>,
}

impl Time {
    pub(super) fn new(clock: FastClock, dice: Dice, is_traced: bool) -> Self {
        let shared = Shared { dice, trace: is_traced.then(String::new) };
        Self {
            clock,
            events: ManualTimer::new(),
            shared: Arc::new(Mutex::new(shared)),
            wall: Arc::default(),
            process: new_process(),
        }
    }

    /// The same time, as another process sees it.
    #[must_use]
    pub(super) fn in_new_process(&self) -> Self {
        Self { process: new_process(), ..self.clone() }
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
            let at = self.events.next_wake()?;
            // The clock may have leapt beyond the event.
            self.clock.leap(at.saturating_sub(self.clock.steady()));
            if at > LONGEST {
                return None;
            }
            self.events.advance_to_next();
        }
    }

    pub(super) fn now(&self) -> Duration {
        self.clock.steady()
    }

    /// Sets the wall clock of the machine, to so many milliseconds ahead of the true time. Its steady clock goes on.
    pub(super) fn set_wall(&self, ahead: i64) {
        self.wall.store(ahead, Ordering::Relaxed);
    }

    /// Schedules `act`.
    pub(super) fn at(&self, at: Duration, act: impl FnOnce() + Send + 'static) {
        self.events.call_at(at, act);
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
        Timestamp::from_millis(self.clock.now().saturating_add_signed(self.wall.load(Ordering::Relaxed)))
    }
}

impl Timer for Time {
    fn now(&self) -> Duration {
        self.clock.steady()
    }

    fn wake_at(&self, at: Duration, waker: Waker) {
        self.events.wake_at(at, waker);
    }
}

impl Environment for Time {
    fn random(&self) -> u64 {
        self.shared().dice.throw()
    }

    fn run(&self) -> Option<u64> {
        Some(self.process)
    }
}

/// A number that no process of another simulation has.
fn new_process() -> u64 {
    static PROCESSES: AtomicU64 = AtomicU64::new(1);
    PROCESSES.fetch_add(1, Ordering::Relaxed)
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
