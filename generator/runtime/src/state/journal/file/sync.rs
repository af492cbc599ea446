//! The thread by which changes that are made at the same time share an `fsync`.

use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};

use tokio::sync::oneshot;

use crate::data::error::JournalError;

/// A thread that writes the store to disk. Changes that are made meanwhile wait for the next write, which they share.
pub(super) struct SyncThread {
    waiting: Option<mpsc::Sender<Waiter>>,
    thread: Option<JoinHandle<()>>,
}

type Waiter = oneshot::Sender<fjall::Result<()>>;

impl SyncThread {
    pub(super) fn start(mut sync: impl FnMut() -> fjall::Result<()> + Send + 'static) -> Result<Self, JournalError> {
        let (waiting, arrivals) = mpsc::channel::<Waiter>();
        let run = move || {
            while let Ok(first) = arrivals.recv() {
                let waiters: Vec<_> = std::iter::once(first).chain(arrivals.try_iter()).collect();
                let result = sync();
                for waiter in waiters {
                    // The store's errors cannot be copied; after one, it refuses everything.
                    let result = if result.is_ok() { Ok(()) } else { Err(fjall::Error::Poisoned) };
                    let _ = waiter.send(result);
                }
            }
        };
        let thread = thread::Builder::new().name("journal".to_owned()).spawn(run).map_err(|error| {
            let source: Arc<dyn std::error::Error + Send + Sync> = Arc::new(error);
            JournalError::Store { source }
        })?;
        Ok(Self { waiting: Some(waiting), thread: Some(thread) })
    }

    pub(super) async fn sync(&self) -> fjall::Result<()> {
        let (waiter, done) = oneshot::channel();
        let is_sent = self.waiting.as_ref().is_some_and(|waiting| waiting.send(waiter).is_ok());
        match is_sent {
            true => done.await.unwrap_or(Err(fjall::Error::Poisoned)),
            false => Err(fjall::Error::Poisoned),
        }
    }
}

impl Drop for SyncThread {
    /// Another journal can open the folder only after the thread has ended.
    fn drop(&mut self) {
        self.waiting = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
