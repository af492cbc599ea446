//! The clocks of the system, and a thread that wakes what waits for them.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};
use std::{process, thread};

use super::timer::{Act, Alarms as Wakers, Timer};

/// The system's monotonic clock.
///
/// It wakes from a thread of its own, so that waiting works with any async runtime and is as precise as the system's
/// timers. The thread exists only while there are alarms. A forked process starts its own.
#[derive(Debug)]
pub struct SystemTimer {
    alarms: Arc<Alarms>,
}

/// The alarms of one process. Neither threads nor the locks they hold survive a fork, so a child starts over.
#[derive(Debug)]
struct Alarms {
    start: Instant,
    process: u32,
    of_child: OnceLock<Arc<Alarms>>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    wakers: Wakers,
    running: bool,
}

impl SystemTimer {
    /// Creates a timer that begins at zero.
    pub fn new() -> Self {
        Self::since(Instant::now())
    }

    /// Creates a timer that began at `start`.
    pub(super) fn since(start: Instant) -> Self {
        Self { alarms: Arc::new(Alarms::of(start, process::id())) }
    }
}

impl Default for SystemTimer {
    fn default() -> Self {
        Self::new()
    }
}

impl Timer for SystemTimer {
    fn now(&self) -> Duration {
        self.alarms.start.elapsed()
    }

    fn wake_at(&self, at: Duration, waker: Waker) {
        // An unrepresentable time never comes.
        if self.alarms.start.checked_add(at).is_none() {
            return;
        }
        let alarms = self.alarms.in_process(process::id());
        if !alarms.add(at, waker) {
            return;
        }
        let of_thread = Arc::clone(alarms);
        let thread = thread::Builder::new().name("tradeapi-limits".to_owned()).spawn(move || of_thread.run());
        if thread.is_err() {
            // If no thread can be started, this one carries out the alarms.
            alarms.run();
        }
    }
}

impl Alarms {
    fn of(start: Instant, process: u32) -> Self {
        Self { start, process, of_child: OnceLock::new(), state: Mutex::default(), changed: Condvar::new() }
    }

    /// Returns the alarms of `process`, which is this one or a fork of it.
    fn in_process(self: &Arc<Self>, process: u32) -> &Arc<Self> {
        if self.process == process {
            return self;
        }
        self.of_child.get_or_init(|| Arc::new(Self::of(self.start, process))).in_process(process)
    }

    /// Adds an alarm and returns whether a thread must be started for it.
    fn add(&self, at: Duration, waker: Waker) -> bool {
        let mut state = self.lock();
        state.wakers.add(at, Act::Wake(waker));
        self.changed.notify_one();
        !std::mem::replace(&mut state.running, true)
    }

    /// Calls the wakers in order until none is left.
    fn run(&self) {
        let mut state = self.lock();
        while let Some(at) = state.wakers.next_at() {
            let left = at.saturating_sub(self.start.elapsed());
            if left.is_zero() {
                let act = state.wakers.take_next();
                drop(state);
                if let Some(act) = act {
                    act.carry_out();
                }
                state = self.lock();
            } else {
                state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        state.running = false;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::task::Wake;

    use super::*;

    struct Notify(Mutex<mpsc::Sender<Instant>>);

    impl Wake for Notify {
        fn wake(self: Arc<Self>) {
            let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).send(Instant::now());
        }
    }

    /// In a forked child, the thread of the state is missing, and its lock may never be released.
    #[test]
    fn wakes_in_a_forked_child() -> Result<(), Box<dyn std::error::Error>> {
        let of_parent = Alarms::of(Instant::now(), process::id().wrapping_add(1));
        let timer = SystemTimer { alarms: Arc::new(of_parent) };
        let mut of_parent = timer.alarms.lock();
        of_parent.running = true;
        for _ in 0..2 {
            let (to, from) = mpsc::channel();
            timer.wake_at(timer.now() + Duration::from_millis(1), Waker::from(Arc::new(Notify(Mutex::new(to)))));
            from.recv_timeout(Duration::from_secs(30))?;
        }
        Ok(())
    }

    #[test]
    fn a_moment_beyond_all_clocks_never_comes() {
        let timer = SystemTimer::new();
        timer.wake_at(Duration::MAX, Waker::noop().clone());
        assert_eq!(timer.alarms.lock().wakers.next_at(), None);
    }

    #[test]
    fn wakes_in_time_and_in_order_and_again_after_the_thread_has_ended() -> Result<(), Box<dyn std::error::Error>> {
        let timer = SystemTimer::new();
        for _ in 0..2 {
            let start = timer.now();
            let mut woken = Vec::new();
            // The later one first, so that the thread has to wake earlier than it planned.
            for after in [40, 10] {
                let (to, from) = mpsc::channel();
                let at = start + Duration::from_millis(after);
                timer.wake_at(at, Waker::from(Arc::new(Notify(Mutex::new(to)))));
                woken.push((at, from));
            }
            for (at, from) in woken {
                assert!(from.recv_timeout(Duration::from_secs(30))? >= timer.alarms.start + at);
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}
