use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::task::Poll;

use tokio::sync::watch;

use super::lane::Lane;
use super::link::PAUSE;
use super::question::Question;
use super::settings::{Fallback, FleetChange};
use super::shared::Shared;
use crate::limits::call::Call;
use crate::limits::in_process::InProcessLimits;
use crate::limits::limiter::{Admission, Denied, Limiter, Slot, Unavailable};

/// Marks the slots that were given without Redis.
const ALONE: u64 = 1 << 63;

/// What keeps limits while Redis cannot be asked.
pub(super) struct Alone {
    limits: InProcessLimits,
    told: Arc<dyn Fn(&FleetChange) + Send + Sync>,
    is_alone: watch::Sender<bool>,
    /// Whether someone looks out for Redis.
    looking: AtomicBool,
}

impl Alone {
    /// What the settings ask for, if they do.
    pub(super) fn new(settings: &super::settings::RedisSettings) -> Option<Self> {
        let Fallback::InProcess { share, told } = &settings.fallback else { return None };
        // What Redis let go last goes out a trip later at most, and what it booked is still to come.
        let margin = settings.limits.margin + settings.trip + settings.ahead;
        let limits = InProcessLimits::new(settings.limits.clone().margin(margin).share(*share));
        let is_alone = watch::Sender::new(false);
        Some(Self { limits, told: Arc::clone(told), is_alone, looking: AtomicBool::new(false) })
    }

    pub(super) fn is_alone(&self) -> bool {
        *self.is_alone.borrow()
    }

    /// Redis cannot be asked any more.
    pub(super) fn lose(&self, why: Unavailable) {
        let begins = self.is_alone.send_if_modified(|is_alone| {
            let begins = !*is_alone;
            if begins {
                self.limits.take_over();
            }
            *is_alone = true;
            begins
        });
        if begins {
            (self.told)(&FleetChange::Lost(why));
        }
    }

    /// A slot of this process's share. `None` when Redis can be asked again.
    pub(super) async fn ask(&self, call: Call<'_>, wait: bool) -> Option<Result<Slot, Denied>> {
        let mut changes = self.is_alone.subscribe();
        let given = match self.limits.ask(call, wait) {
            Admission::Now(known) => known,
            Admission::Later(mut later) => {
                let mut found = pin!(changes.wait_for(|is_alone| !is_alone));
                poll_fn(|context| match later.as_mut().poll(context) {
                    Poll::Ready(given) => Poll::Ready(Some(given)),
                    Poll::Pending => found.as_mut().poll(context).map(|_| None),
                })
                .await?
            }
        };
        if given.is_err() && !self.is_alone() {
            return None;
        }
        Some(given.map(|slot| Slot { key: slot.key | ALONE, ..slot }))
    }

    /// The slot as it was given here, if it was.
    pub(super) fn own(slot: &Slot) -> Option<u64> {
        (slot.key & ALONE != 0).then_some(slot.key & !ALONE)
    }

    pub(super) fn limits(&self) -> &InProcessLimits {
        &self.limits
    }
}

/// The way back.
impl Shared {
    /// Has someone look out for Redis, until it is found.
    pub(super) fn look_out(self: &Arc<Self>) {
        let Some(alone) = &self.alone else { return };
        if alone.looking.swap(true, Ordering::AcqRel) {
            return;
        }
        let looking = Looking(Arc::downgrade(self));
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(PAUSE).await;
                let Some(shared) = looking.0.upgrade() else { return };
                if shared.return_to_fleet().await.is_ok() {
                    return;
                }
            }
        });
    }

    /// Tells Redis what was sent without it, and asks it from now on.
    async fn return_to_fleet(&self) -> Result<(), Unavailable> {
        let Some(alone) = &self.alone else { return Ok(()) };
        // Looked for first, so that nothing pauses in vain.
        self.link.ask(&Question::made(&Lane::over([].iter(), &self.settings), self.settings.ahead, &[])).await?;
        let made = alone.limits.pause();
        let lane = Lane::over(made.iter().map(|(window, _)| window), &self.settings);
        let counts: Vec<_> = made.iter().map(|(_, count)| *count).collect();
        let reported = self.link.ask(&Question::made(&lane, self.settings.ahead, &counts)).await;
        if let Err(why) = reported {
            alone.limits.resume();
            return Err(why);
        }
        alone.looking.store(false, Ordering::Release);
        alone.is_alone.send_replace(false);
        (alone.told)(&FleetChange::Found);
        Ok(())
    }
}

/// Someone who looks out; another may when it stops, whyever it does.
struct Looking(Weak<Shared>);

impl Drop for Looking {
    fn drop(&mut self) {
        if let Some(alone) = self.0.upgrade().as_ref().and_then(|shared| shared.alone.as_ref()) {
            alone.looking.store(false, Ordering::Release);
        }
    }
}
