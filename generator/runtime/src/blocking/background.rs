use std::cell::Cell;
use std::process;

use tokio::runtime::{Builder, Handle, Runtime};

use super::block_on::block_on;
use crate::client::{BuildError, ClientCore};
use crate::limits::refusing_calls;

thread_local! {
    /// Whether this thread belongs to a [`Background`].
    static IS_BACKGROUND: Cell<bool> = const { Cell::new(false) };
}

/// The thread on which connections are looked after, also while no one calls: an end that was closed is noticed then, and
/// not by the next order.
///
/// It does not survive a fork, and a child must not use the connections of its parent: calls are refused there.
#[derive(Debug)]
pub(super) struct Background {
    process: u32,
    handle: Handle,
    /// Taken when it ends.
    runtime: Option<Runtime>,
    /// What must not end in a child.
    kept: Option<ClientCore>,
}

impl Background {
    pub(super) fn start() -> Result<Self, BuildError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("tradeapi-blocking")
            .on_thread_start(|| IS_BACKGROUND.set(true))
            .enable_all()
            .build()
            .map_err(|error| BuildError::Thread { why: error.to_string() })?;
        Ok(Self { process: process::id(), handle: runtime.handle().clone(), runtime: Some(runtime), kept: None })
    }

    /// Keeps the connections of `core` where they must not be closed: a child shares what its parent watches them with.
    pub(super) fn keeping(self, core: ClientCore) -> Self {
        let mut keeping = self;
        keeping.kept = Some(core);
        keeping
    }

    /// Waits for `future` on this thread.
    ///
    /// It is polled here and not handed over, so it may borrow, and a thread of another runtime can be blocked by it.
    pub(super) fn wait<F: Future>(&self, future: F) -> F::Output {
        if self.is_copy() {
            return refusing_calls(|| block_on(future));
        }
        let _context = self.handle.enter();
        if IS_BACKGROUND.get() {
            // Someone calls from what a connection has called: another thread takes over what this one looked after.
            return tokio::task::block_in_place(|| block_on(future));
        }
        block_on(future)
    }

    /// Whether this is the copy that a forked process has of its parent's.
    fn is_copy(&self) -> bool {
        self.process != process::id()
    }
}

impl Drop for Background {
    /// Waits for nothing, so that it may happen anywhere, also within a runtime.
    fn drop(&mut self) {
        let (runtime, kept) = (self.runtime.take(), self.kept.take());
        if self.is_copy() {
            // Locks of the parent's threads may be held for ever, and the parent would hear no more of its connections.
            std::mem::forget((runtime, kept));
        } else if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_runs_on_it_may_wait_for_it() -> Result<(), BuildError> {
        let background = Arc::new(Background::start()?);
        let same = Arc::clone(&background);
        let waits = async move { same.wait(async { tokio::time::sleep(Duration::from_millis(1)).await }) };
        let ended = background.wait(async { tokio::spawn(waits).await });
        assert!(ended.is_ok(), "{ended:?}");
        Ok(())
    }

    /// In a forked child its thread is not there.
    #[test]
    fn a_copy_of_it_waits_for_nothing_and_ends() -> Result<(), BuildError> {
        let mut background = Background::start()?;
        background.process = background.process.wrapping_add(1);
        assert_eq!(background.wait(async { 7 }), 7);
        let ended = background.wait(std::future::poll_fn(|_| std::task::Poll::Ready(Handle::try_current().is_err())));
        assert!(ended, "the parent's runtime is used");
        Ok(())
    }

    #[test]
    fn it_waits_and_ends_within_any_runtime() -> Result<(), Box<dyn std::error::Error>> {
        for mut runtime in [Builder::new_current_thread(), Builder::new_multi_thread()] {
            runtime.build()?.block_on(async {
                let background = Background::start()?;
                // The outer runtime has no timer, so this is the background's.
                background.wait(async { tokio::time::sleep(Duration::from_millis(1)).await });
                Ok::<_, BuildError>(())
            })?;
        }
        Ok(())
    }
}
