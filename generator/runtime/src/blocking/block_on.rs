use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// A thread that waits. Whether it was woken stands here, for what it polls may use up the mark that threads have
/// themselves.
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
    use std::sync::mpsc;

    use super::*;

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
    fn to_be_woken_while_it_polls_is_not_lost() {
        let mut polls = 0;
        block_on(poll_fn(|context| {
            polls += 1;
            context.waker().wake_by_ref();
            // Takes the thread's own mark away, as a channel in a future may.
            thread::park_timeout(std::time::Duration::from_millis(1));
            if polls == 3 { Poll::Ready(()) } else { Poll::Pending }
        }));
        assert_eq!(polls, 3);
    }
}
