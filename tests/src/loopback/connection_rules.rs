//! Delays and time-outs of connections.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The time that a request waits to be read, by the number of its connection and its number on that connection.
type Delay = Arc<dyn Fn(usize, usize) -> Duration + Send + Sync>;

/// The delays and time-outs of connections.
#[derive(Default)]
pub(super) struct ConnectionRules {
    rules: Mutex<Rules>,
    idle_closes: AtomicUsize,
    unsolicited: AtomicUsize,
}

#[derive(Default)]
struct Rules {
    delay: Option<Delay>,
    idle: Option<Duration>,
}

impl ConnectionRules {
    pub(super) fn set_delay(&self, delay: Delay) {
        self.rules().delay = Some(delay);
    }

    pub(super) fn set_idle(&self, idle: Duration) {
        self.rules().idle = Some(idle);
    }

    pub(super) fn delay(&self, connection: usize, nth: usize) -> Duration {
        let delay = self.rules().delay.clone();
        delay.map(|delay| delay(connection, nth)).unwrap_or_default()
    }

    pub(super) fn idle(&self) -> Option<Duration> {
        self.rules().idle
    }

    pub(super) fn note_idle_close(&self) {
        self.idle_closes.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn note_unsolicited(&self) {
        self.unsolicited.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn idle_closes(&self) -> usize {
        self.idle_closes.load(Ordering::Relaxed)
    }

    pub(super) fn unsolicited(&self) -> usize {
        self.unsolicited.load(Ordering::Relaxed)
    }

    fn rules(&self) -> MutexGuard<'_, Rules> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
