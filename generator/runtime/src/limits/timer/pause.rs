use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use super::Timer;

/// Waits until `timer` is this much further.
pub(crate) async fn pause(timer: &dyn Timer, length: Duration) {
    let end = timer.now().saturating_add(length);
    poll_fn(|context| {
        if timer.now() >= end {
            return Poll::Ready(());
        }
        timer.wake_at(end, context.waker().clone());
        Poll::Pending
    })
    .await;
}
