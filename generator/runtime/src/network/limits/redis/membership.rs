//! Membership of a fleet: a process reports its presence, and returns when Redis answers again.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::runtime::Handle;

use super::alone::Alone;
use super::bucket::Bucket;
use super::link::PAUSE;
use super::question::Question;
use super::shared::Shared;

/// The number of answers in a row after which a process returns to the fleet.
const ANSWERS: u32 = 3;

impl Shared {
    /// Starts a task, unless it runs already, that reports the presence to the server, and returns to the fleet when
    /// Redis answers again.
    pub(super) fn watch_presence(self: &Arc<Self>) {
        let (Some(alone), Ok(runtime)) = (&self.alone, Handle::try_current()) else { return };
        if alone.looking.swap(true, Ordering::AcqRel) {
            return;
        }
        let looking = WatchGuard(Arc::downgrade(self));
        runtime.spawn(async move {
            let mut answers = 0;
            loop {
                tokio::time::sleep(PAUSE).await;
                let Some(shared) = looking.0.upgrade() else { return };
                answers = shared.maintain_presence(answers).await;
            }
        });
    }

    /// Maintains the presence after `answers` answers in a row, and returns the new number of answers in a row.
    async fn maintain_presence(self: &Arc<Self>, answers: u32) -> u32 {
        let Some(alone) = &self.alone else { return 0 };
        if !alone.is_alone() {
            if alone.presence.is_due() {
                self.announce_presence(alone).await;
            }
            return 0;
        }
        let Ok(answer) = self.link.hello().await else { return 0 };
        // A server that has just lost its state grants nothing for a while, but the share can be used.
        let known_for =
            Duration::from_micros(u64::try_from(answer.now().saturating_sub(answer.since())).unwrap_or_default());
        if answers + 1 < ANSWERS || known_for < alone.granted_after() {
            return answers.saturating_add(1);
        }
        self.return_to_fleet(alone).await;
        0
    }

    /// Reports the calls that were made without Redis, and uses it from now on.
    async fn return_to_fleet(&self, alone: &Alone) {
        let until = alone.presence.publish_state();
        let mut paused = Paused { alone, has_returned: false };
        let made = alone.limits().pause();
        let bucket = Bucket::over(made.iter().map(|(window, _)| window), &self.settings);
        let counts = made.iter().map(|(_, counts)| *counts);
        let question = Question::join(&bucket, &self.settings, self.member(Some(until)), counts);
        match self.link.ask(&question).await {
            Ok(answer) if !answer.is_late() => {
                paused.has_returned = true;
                alone.end(until);
            }
            _ => {}
        }
    }
}

/// Pauses the share of a process that is about to return. If it does not return, the server may take it for a member
/// for a while nevertheless.
struct Paused<'a> {
    alone: &'a Alone,
    has_returned: bool,
}

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        if !self.has_returned {
            self.alone.go_on();
        }
    }
}

/// The right to watch for Redis. Dropping it lets another caller watch.
struct WatchGuard(Weak<Shared>);

impl Drop for WatchGuard {
    fn drop(&mut self) {
        if let Some(alone) = self.0.upgrade().as_ref().and_then(|shared| shared.alone.as_ref()) {
            alone.looking.store(false, Ordering::Release);
        }
    }
}
