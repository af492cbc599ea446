//! Idle connections, kept for the next request.
//!
//! The newest connection is used first, so that the others can expire. Against a server that closes after 200 ms, 10 ms
//! away, 11 of 800 calls had an unknown outcome, and 57 to 61 with the oldest first.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::runtime;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::connection::Connection;

/// The time for which a reaper without connections waits for another one: most are soon idle again.
const LINGER: Duration = Duration::from_secs(1);

/// The idle connections to one origin.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<IdleConnection>);

#[derive(Debug, Default)]
struct IdleConnection {
    /// The most recently used one is the last.
    #[expect(clippy::vec_box, reason = "a boxed connection keeps the future of a call small")]
    connections: Vec<Box<Connection>>,
    /// One for each runtime with idle connections.
    reapers: Vec<Reaper>,
}

/// The task that closes the connections of `runtime` when they expire.
#[derive(Debug)]
struct Reaper {
    runtime: runtime::Id,
    wakes: Instant,
    /// True if no connection is left. It ends if that is still so when it wakes.
    lingers: bool,
    /// Wakes the task. It ends when this is dropped.
    sooner: watch::Sender<()>,
}

impl IdleConnection {
    /// Takes the connections for which `is_over` holds, to be dropped after the lock.
    #[expect(clippy::vec_box, reason = "they are kept in boxes")]
    fn take_each(&mut self, is_over: &dyn Fn(&Connection) -> bool) -> Vec<Box<Connection>> {
        self.connections.extract_if(.., |one| is_over(one)).collect()
    }
}

impl Pool {
    /// The connection of `runtime` that was used last, unless it has expired by `now`. So connections that are not
    /// needed expire, and a request is the least likely to meet a server that is just closing the connection.
    pub(super) fn take(&self, runtime: runtime::Id, now: Instant) -> Option<Box<Connection>> {
        let mut resting = self.lock();
        let place = resting.connections.iter().rposition(|one| one.is_of(runtime) && now < one.expires())?;
        Some(resting.connections.remove(place))
    }

    /// Keeps `connection`, on which a whole response was read, for the next request, and no more than `max` altogether.
    /// It is closed when it expires.
    pub(super) fn keep(self: &Arc<Self>, connection: Box<Connection>, max: usize) {
        let (runtime, expires) = (connection.runtime(), connection.expires());
        if max == 0 || !connection.is_free() {
            return;
        }
        let mut resting = self.lock();
        // Dropped after the lock, because dropping it closes a socket.
        let _longest = (resting.connections.len() >= max).then(|| resting.connections.remove(0));
        resting.connections.push(connection);
        let begun = match resting.reapers.iter_mut().find(|reaper| reaper.runtime == runtime) {
            Some(reaper) if reaper.wakes <= expires => None,
            Some(reaper) => {
                reaper.wakes = expires;
                reaper.sooner.send_replace(());
                None
            }
            None => {
                let (sooner, receiver) = watch::channel(());
                resting.reapers.push(Reaper { runtime, wakes: expires, lingers: false, sooner });
                Some(receiver)
            }
        };
        drop(resting);
        if let Some(receiver) = begun {
            // Not under the lock: in a runtime that is ending, the task is dropped at once.
            tokio::spawn(reap(Reaping { pool: Arc::downgrade(self), runtime }, receiver));
        }
    }

    /// Closes the connections of `runtime` that have expired by `now`. Returns when to look again; `None` if no
    /// connection has been left for a while. The reaper is removed then.
    fn close_expired(&self, runtime: runtime::Id, now: Instant) -> Option<Instant> {
        let mut resting = self.lock();
        let expired = resting.take_each(&|one| one.is_of(runtime) && one.expires() <= now);
        let next = resting.connections.iter().filter(|one| one.is_of(runtime)).map(|one| one.expires()).min();
        let place = resting.reapers.iter().position(|reaper| reaper.runtime == runtime)?;
        let reaper = &mut resting.reapers[place];
        let wakes = next.or_else(|| (!reaper.lingers).then(|| now + LINGER));
        match wakes {
            Some(wakes) => (reaper.wakes, reaper.lingers) = (wakes, next.is_none()),
            None => drop(resting.reapers.swap_remove(place)),
        }
        drop(resting);
        drop(expired);
        wakes
    }

    fn forget(&self, runtime: runtime::Id) {
        let mut resting = self.lock();
        resting.reapers.retain(|reaper| reaper.runtime != runtime);
        let gone = resting.take_each(&|one| one.is_of(runtime));
        drop(resting);
        drop(gone);
    }

    fn lock(&self) -> MutexGuard<'_, IdleConnection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The scope of a reaper. When its runtime drops it, the connections of that runtime are closed, because they cannot be
/// read any more.
struct Reaping {
    pool: Weak<Pool>,
    runtime: runtime::Id,
}

/// Closes connections when they expire, as long as there are any.
async fn reap(mut reaping: Reaping, mut sooner: watch::Receiver<()>) {
    loop {
        // Reset before the scan, so that connections that are kept after it cause another notification.
        sooner.borrow_and_update();
        let next = reaping.pool.upgrade().and_then(|pool| pool.close_expired(reaping.runtime, Instant::now()));
        let Some(next) = next else { break };
        if let Ok(Err(_)) = timeout_at(next, sooner.changed()).await {
            break;
        }
    }
    // The runtime still runs, and another reaper may have started.
    reaping.pool = Weak::new();
}

impl Drop for Reaping {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.forget(self.runtime);
        }
    }
}
