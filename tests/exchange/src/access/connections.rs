//! The open connections of a server. When there are as many as it serves, one that is idle makes room for a new one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// The idle connections in the order in which they became idle, each with what closes it.
#[derive(Debug, Default)]
struct Idle {
    next: u64,
    waiting: BTreeMap<u64, Arc<Notify>>,
}

/// The connections of a server. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Connections {
    room: Arc<Semaphore>,
    idle: Arc<Mutex<Idle>>,
}

impl Connections {
    /// Room for this many.
    pub(crate) fn new(most: usize) -> Self {
        Self { room: Arc::new(Semaphore::new(most)), idle: Arc::default() }
    }

    /// A new connection, idle at first. If there is no room, the one that has been idle the longest is closed.
    pub(crate) async fn open(&self) -> Option<Connection> {
        let place = match Arc::clone(&self.room).try_acquire_owned() {
            Ok(place) => place,
            Err(_) => {
                self.close_one();
                Arc::clone(&self.room).acquire_owned().await.ok()?
            }
        };
        let connection =
            Connection { all: self.clone(), close: Arc::default(), number: Mutex::default(), _place: place };
        connection.rest();
        Some(connection)
    }

    /// Closes the connection that has been idle the longest.
    pub(crate) fn close_one(&self) {
        if let Some((_, close)) = self.idle().waiting.pop_first() {
            close.notify_one();
        }
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An open connection.
#[derive(Debug)]
pub(crate) struct Connection {
    all: Connections,
    close: Arc<Notify>,
    /// The number among the idle ones.
    number: Mutex<Option<u64>>,
    _place: OwnedSemaphorePermit,
}

impl Connection {
    /// Waits until it has to be closed for another one.
    pub(crate) async fn is_to_be_closed(&self) {
        self.close.notified().await;
    }

    /// Begins a request.
    pub(crate) fn work(&self) {
        let number = self.number.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(number) = number {
            self.all.idle().waiting.remove(&number);
        }
    }

    /// Becomes idle.
    pub(crate) fn rest(&self) {
        let mut idle = self.all.idle();
        idle.next += 1;
        let number = idle.next;
        idle.waiting.insert(number, Arc::clone(&self.close));
        *self.number.lock().unwrap_or_else(PoisonError::into_inner) = Some(number);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.work();
    }
}
