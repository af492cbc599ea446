//! Wakes the call that waits for a connection.
//!
//! A connection has one waker and one timer as long as it lives. The waker passes on to the task of the present call,
//! so nothing is registered for each call, and a connection that rests wakes no task.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};

/// The task that waits for a connection, if any.
///
/// All parts of a connection keep one waker, which wakes this task. So nothing has to be registered again for each
/// call, and an idle connection wakes no task.
#[derive(Debug, Default)]
pub(super) struct Caller(Mutex<Option<Waker>>);

impl Caller {
    /// From now on, the task of `waker` is woken.
    pub(super) fn waits(&self, waker: &Waker) {
        let mut task = self.lock();
        match &mut *task {
            Some(known) => known.clone_from(waker),
            None => *task = Some(waker.clone()),
        }
    }

    /// From now on, no task is woken.
    pub(super) fn leaves(&self) {
        // Dropped after the lock.
        let _left = self.lock().take();
    }

    fn lock(&self) -> MutexGuard<'_, Option<Waker>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Caller {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Not under the lock: waking may run the task.
        let task = self.lock().clone();
        if let Some(task) = task {
            task.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Default)]
    struct Task(AtomicUsize);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn the_latest_caller_is_woken_until_it_leaves() {
        let (first, second) = (Arc::new(Task::default()), Arc::new(Task::default()));
        let caller = Arc::new(Caller::default());
        let waker = Waker::from(Arc::clone(&caller));
        let woken = || (first.0.load(Ordering::Relaxed), second.0.load(Ordering::Relaxed));
        waker.wake_by_ref();
        caller.waits(&Waker::from(Arc::clone(&first)));
        waker.wake_by_ref();
        assert_eq!(woken(), (1, 0));
        caller.waits(&Waker::from(Arc::clone(&second)));
        waker.wake_by_ref();
        assert_eq!(woken(), (1, 1));
        caller.leaves();
        waker.wake();
        assert_eq!(woken(), (1, 1));
        assert_eq!((Arc::strong_count(&first), Arc::strong_count(&second)), (1, 1), "no task is held");
    }
}
