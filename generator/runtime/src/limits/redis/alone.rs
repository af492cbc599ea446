use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::task::Poll;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::watch;

use super::lane::Lane;
use super::link::PAUSE;
use super::presence::Presence;
use super::question::Question;
use super::settings::{Fallback, FleetChange, RedisSettings};
use super::shared::Shared;
use crate::limits::call::Call;
use crate::limits::in_process::InProcessLimits;
use crate::limits::limiter::{Admission, Denied, Limiter, Slot, Unavailable};
use crate::limits::share::Share;

/// Marks the slots that were given without Redis.
const ALONE: u64 = 1 << 63;

/// So many times in a row Redis has to answer before a process that is alone returns.
const ANSWERS: u32 = 3;

/// What keeps limits while Redis cannot be asked.
pub(super) struct Alone {
    pub(super) presence: Presence,
    pub(super) share: Share,
    limits: InProcessLimits,
    settling: Duration,
    told: Arc<dyn Fn(&FleetChange) + Send + Sync>,
    is_alone: watch::Sender<bool>,
    /// Whether someone looks after the presence.
    looking: AtomicBool,
}

impl Alone {
    /// What the settings ask for, if they do.
    pub(super) fn new(settings: &RedisSettings) -> Option<Self> {
        let Fallback::InProcess { share, told } = &settings.fallback else { return None };
        Some(Self {
            presence: Presence::new(settings.validity()),
            share: *share,
            limits: InProcessLimits::new(settings.limits.clone().share(*share)),
            settling: settings.settling(),
            told: Arc::clone(told),
            is_alone: watch::Sender::new(false),
            looking: AtomicBool::new(false),
        })
    }

    pub(super) fn is_alone(&self) -> bool {
        *self.is_alone.borrow()
    }

    /// Redis did not answer. When it does not for long, the process is alone from now on, and uses its share from when
    /// on the server has long known that it is not there.
    pub(super) fn fail(&self, why: Unavailable) {
        let Some(known_for) = self.presence.lose() else { return };
        self.limits.take_over(known_for + self.settling);
        self.is_alone.send_replace(true);
        (self.told)(&FleetChange::Lost(why));
    }

    /// Waits for `asked`, but no longer than the process is a member of the fleet.
    pub(super) async fn while_member<T>(&self, asked: impl Future<Output = T>) -> Option<T> {
        until(self.is_alone.subscribe(), true, asked).await
    }

    /// A slot of this process's share. `None` when it is a member of the fleet again.
    pub(super) async fn ask(&self, call: Call<'_>, wait: bool) -> Option<Result<Slot, Denied>> {
        let given = match self.limits.ask(call, wait) {
            Admission::Now(known) => known,
            Admission::Later(later) => until(self.is_alone.subscribe(), false, later).await?,
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

/// What `asked` gives, unless the state becomes `end` before.
async fn until<T>(mut state: watch::Receiver<bool>, end: bool, asked: impl Future<Output = T>) -> Option<T> {
    let mut asked = pin!(asked);
    let mut ends = pin!(state.wait_for(|state| *state == end));
    poll_fn(|context| match asked.as_mut().poll(context) {
        Poll::Ready(given) => Poll::Ready(Some(given)),
        Poll::Pending => ends.as_mut().poll(context).map(|_| None),
    })
    .await
}

/// Being there, and the way back.
impl Shared {
    /// Has someone tell the server that the process is there, and look out for it when it is lost.
    pub(super) fn look_out(self: &Arc<Self>) {
        let (Some(alone), Ok(runtime)) = (&self.alone, Handle::try_current()) else { return };
        if alone.looking.swap(true, Ordering::AcqRel) {
            return;
        }
        let looking = Looking(Arc::downgrade(self));
        runtime.spawn(async move {
            let mut answers = 0;
            loop {
                tokio::time::sleep(PAUSE).await;
                let Some(shared) = looking.0.upgrade() else { return };
                answers = shared.look(answers).await;
            }
        });
    }

    /// Looks after the presence, when so many answers came in a row. Gives how many are that now.
    async fn look(self: &Arc<Self>, answers: u32) -> u32 {
        let Some(alone) = &self.alone else { return 0 };
        if !alone.is_alone() {
            if alone.presence.is_due() {
                self.tell_presence(alone).await;
            }
            return 0;
        }
        let Ok(answer) = self.link.hello().await else { return 0 };
        // A server that has just forgotten everything serves nobody for a while, but the share does.
        let known_for =
            Duration::from_micros(u64::try_from(answer.now().saturating_sub(answer.since())).unwrap_or_default());
        if answers + 1 < ANSWERS || known_for < alone.limits.longest_span().saturating_add(alone.settling) {
            return answers.saturating_add(1);
        }
        self.return_to_fleet(alone).await;
        0
    }

    /// Tells Redis what was sent without it, and asks it from now on.
    async fn return_to_fleet(&self, alone: &Alone) {
        let until = alone.presence.tell_again();
        let mut paused = Paused { alone, has_returned: false };
        let made = alone.limits.pause();
        let lane = Lane::over(made.iter().map(|(window, _)| window), &self.settings);
        let counts = made.iter().map(|(_, counts)| *counts);
        let question = Question::join(&lane, &self.settings, self.member(Some(until)), counts);
        match self.link.ask(&question).await {
            Ok(answer) if !answer.is_late() => {
                alone.presence.returned(until);
                paused.has_returned = true;
                alone.is_alone.send_replace(false);
                (alone.told)(&FleetChange::Found);
            }
            _ => {}
        }
    }
}

/// The share of a process that is about to return is not used. If it does not return, the server may take it for a
/// member all the same, for a while.
struct Paused<'a> {
    alone: &'a Alone,
    has_returned: bool,
}

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        if !self.has_returned {
            let Alone { limits, presence, settling, .. } = self.alone;
            limits.take_over(presence.known_for() + *settling);
        }
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
