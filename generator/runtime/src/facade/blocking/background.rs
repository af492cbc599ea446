//! The thread that drives the connections of a blocking client.

use std::cell::Cell;
use std::pin::pin;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::runtime::{Builder, Handle, Runtime};

use crate::calls::client::{ClientCore, refusing_calls};
use crate::data::error::BuildError;

thread_local! {
    /// True if this thread belongs to a [`Background`].
    static IS_BACKGROUND: Cell<bool> = const { Cell::new(false) };
}

/// The thread that drives the connections, also between calls: a connection that the peer closes is noticed at once,
/// and not by the next order.
///
/// It does not survive a fork, and a child must not use the connections of its parent: calls are refused there.
#[derive(Debug)]
pub(super) struct Background {
    process: u32,
    handle: Handle,
    /// Taken when it ends.
    runtime: Option<Runtime>,
    /// A client that a forked child must not drop.
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

    /// Keeps the connections of `core` open in a child, which shares the file descriptors that its parent polls.
    pub(super) fn keeping(self, core: ClientCore) -> Self {
        let mut keeping = self;
        keeping.kept = Some(core);
        keeping
    }

    /// Waits for `future` on this thread.
    ///
    /// It is polled on the calling thread, so it may borrow, and the thread may belong to another runtime.
    pub(super) fn wait<F: Future>(&self, future: F) -> F::Output {
        if self.is_copy() {
            return refusing_calls(|| block_on(future));
        }
        let _context = self.handle.enter();
        if IS_BACKGROUND.get() {
            // The call comes from a task of a connection: another thread takes over the tasks of this one.
            return tokio::task::block_in_place(|| block_on(future));
        }
        block_on(future)
    }

    /// Returns whether this is a copy in a forked child.
    fn is_copy(&self) -> bool {
        self.process != process::id()
    }
}

impl Drop for Background {
    /// Does not wait, so that a client may be dropped anywhere, also within a runtime.
    fn drop(&mut self) {
        let (runtime, kept) = (self.runtime.take(), self.kept.take());
        if self.is_copy() {
            // Threads of the parent may hold locks, and the parent would no longer be notified of its connections.
            std::mem::forget((runtime, kept));
        } else if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }
}

/// A waiting thread. It has a flag of its own, because the future that it polls may consume the token of `park`.
struct Waiting {
    thread: Thread,
    woken: AtomicBool,
}

impl Wake for Waiting {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.woken.swap(true, Ordering::Release) {
            self.thread.unpark();
        }
    }
}

/// Polls `future` on this thread until it is done, and sleeps in between.
pub(super) fn block_on<F: Future>(future: F) -> F::Output {
    let waiting = Arc::new(Waiting { thread: thread::current(), woken: AtomicBool::new(false) });
    let waker = Waker::from(Arc::clone(&waiting));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        while !waiting.woken.swap(false, Ordering::Acquire) {
            thread::park();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{poll_fn, ready};
    use std::sync::{Arc, mpsc};
    use std::time::Duration;

    use super::*;

    #[test]
    fn its_tasks_may_wait_on_it() -> Result<(), BuildError> {
        let background = Arc::new(Background::start()?);
        let same = Arc::clone(&background);
        let waits = async move { same.wait(async { tokio::time::sleep(Duration::from_millis(1)).await }) };
        let ended = background.wait(async { tokio::spawn(waits).await });
        assert!(ended.is_ok(), "{ended:?}");
        Ok(())
    }

    /// A forked child does not have the thread.
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

    #[test]
    fn it_waits_until_it_is_woken_from_elsewhere() {
        assert_eq!(block_on(ready(7)), 7);
        let (to, from) = mpsc::channel::<Waker>();
        let other = thread::spawn(move || from.iter().for_each(Waker::wake));
        let mut polls = 0;
        let polled = block_on(poll_fn(|context| {
            polls += 1;
            let _ = to.send(context.waker().clone());
            if polls == 100 { Poll::Ready(polls) } else { Poll::Pending }
        }));
        drop(to);
        assert!(other.join().is_ok());
        assert_eq!(polled, 100);
    }

    #[test]
    fn a_wake_up_during_a_poll_is_not_lost() {
        let mut polls = 0;
        block_on(poll_fn(|context| {
            polls += 1;
            context.waker().wake_by_ref();
            // Consumes the thread's own token, as a channel in a future may.
            thread::park_timeout(std::time::Duration::from_millis(1));
            if polls == 3 { Poll::Ready(()) } else { Poll::Pending }
        }));
        assert_eq!(polls, 3);
    }
}
