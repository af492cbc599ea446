use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;

use super::alone::Alone;
use super::lane::{Booked, Lane};
use super::link::Link;
use super::question::{Answer, Asking, Question};
use super::registry::Registry;
use super::settings::RedisSettings;
use crate::limits::call::Call;
use crate::limits::limiter::{Denied, Full, Slot, Trouble, Unavailable};
use crate::limits::signs::Signs;
use crate::limits::slab::Key;

/// The longest to wait without asking again: room may come earlier than was told, when others give back.
const PATIENCE: Duration = Duration::from_secs(1);

/// What those who ask have in common.
pub(super) struct Shared {
    pub(super) settings: RedisSettings,
    pub(super) link: Link,
    pub(super) alone: Option<Alone>,
    registry: Mutex<Registry>,
}

/// Since when answers come too late to be of use.
#[derive(Default)]
struct Lateness(Option<Instant>);

impl Shared {
    pub(super) fn new(link: Link, settings: RedisSettings) -> Self {
        Self { alone: Alone::new(&settings), link, registry: Mutex::new(Registry::new()), settings }
    }

    pub(super) fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A slot, from Redis if it can be asked.
    pub(super) async fn admit(self: &Arc<Self>, call: Call<'_>, wait: bool) -> Result<Slot, Denied> {
        let start = Instant::now();
        loop {
            if let Some(alone) = self.alone.as_ref().filter(|alone| alone.is_alone()) {
                self.look_out();
                match alone.ask(call, wait).await {
                    Some(given) => return given.map(|slot| Slot { waited: start.elapsed(), ..slot }),
                    None => continue,
                }
            }
            let (key, lane) = self.registry().lane(&call, &self.settings);
            match (self.slot(key, &lane, wait).await, &self.alone) {
                // Without a runtime there is no way back.
                (Err(Denied::Unavailable(why)), Some(alone)) if Handle::try_current().is_ok() => alone.lose(why),
                (Err(Denied::Unavailable(why)), _) => return Err(why.after(start.elapsed()).into()),
                (given, _) => return given.map(|slot| Slot { waited: start.elapsed(), ..slot }),
            }
        }
    }

    async fn slot(&self, key: Key, lane: &Lane, wait: bool) -> Result<Slot, Denied> {
        let mut lateness = Lateness::default();
        loop {
            let booked = if wait { self.next_in(lane).await? } else { self.at_once(lane).await? };
            let unused = Unused { lane, moment: booked.moment };
            let left = booked.from.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                tokio::time::sleep(left).await;
            }
            if Instant::now() <= booked.until {
                std::mem::forget(unused);
                let counted_at = Duration::from_micros(u64::try_from(booked.moment).unwrap_or_default());
                return Ok(Slot { counted_at, left: booked.left, ..Slot::new(key.into(), Duration::ZERO) });
            }
            lateness.bear(&self.settings)?;
        }
    }

    /// A call, for who does not wait.
    async fn at_once(&self, lane: &Lane) -> Result<Booked, Denied> {
        let (answer, booked) = self.ask(lane, 1, Duration::ZERO).await?;
        booked.into_iter().next().ok_or_else(|| {
            let binding = answer.binding().and_then(|index| lane.windows.get(index));
            Full::new(answer.wait(), binding.map(|window| window.binding)).into()
        })
    }

    /// The next call of those who wait. Whoever is first asks for all.
    async fn next_in(&self, lane: &Lane) -> Result<Booked, Unavailable> {
        let _waits = lane.wait();
        let mut front = lane.front.lock().await;
        let mut lateness = Lateness::default();
        loop {
            while let Some(booked) = front.pop_front() {
                if Instant::now() <= booked.until {
                    return Ok(booked);
                }
                lane.give_back(booked.moment);
            }
            let (answer, booked) = self.ask(lane, lane.wanted(), self.settings.ahead).await?;
            if booked.iter().any(|booked| booked.until < Instant::now()) {
                lateness.bear(&self.settings)?;
            }
            if booked.is_empty() {
                let pause = answer.wait().saturating_sub(self.settings.ahead);
                tokio::time::sleep(pause.clamp(Duration::from_millis(1), PATIENCE)).await;
            }
            front.extend(booked);
        }
    }

    async fn ask(&self, lane: &Lane, count: usize, booking: Duration) -> Result<(Answer, Vec<Booked>), Unavailable> {
        let RedisSettings { ahead, trip, .. } = self.settings;
        let asking = Asking { count, booking, returned: lane.take_returned() };
        // The server's moment is between these two of one's own clock.
        let asked = Instant::now();
        let answer = self.link.ask(&Question::ask_for(lane, ahead, &asking)).await?;
        let heard = Instant::now();
        let booked = answer.booked().map(|ahead| Booked {
            moment: answer.now() + i64::try_from(ahead.as_micros()).unwrap_or(i64::MAX),
            from: heard + ahead,
            until: asked + ahead + trip,
            left: answer.left(),
        });
        let booked = booked.collect();
        Ok((answer, booked))
    }

    /// Tells the fleet what an answer taught, where it is not known already.
    pub(super) fn learn(self: &Arc<Self>, slot: &Slot, signs: Signs) {
        let remaining = signs.remaining.filter(|remaining| *remaining < slot.left);
        let (Ok(runtime), Some(lane)) = (Handle::try_current(), self.registry().get(slot.key.into())) else { return };
        if signs.too_many.is_none() && remaining.is_none() {
            return;
        }
        let (shared, counted_at) = (Arc::clone(self), slot.counted_at);
        runtime.spawn(async move {
            let ahead = shared.settings.ahead;
            // When it cannot be told, whoever asks next finds out that Redis is gone.
            if let Some(too_many) = signs.too_many {
                let _ = shared.link.ask(&Question::too_many(&lane, ahead, too_many)).await;
            }
            if let Some(remaining) = remaining {
                let _ = shared.link.ask(&Question::remaining(&lane, ahead, counted_at, remaining)).await;
            }
        });
    }
}

/// A call that was booked; unless it is made, others may have it.
struct Unused<'a> {
    lane: &'a Lane,
    moment: i64,
}

impl Drop for Unused<'_> {
    fn drop(&mut self) {
        self.lane.give_back(self.moment);
    }
}

impl Lateness {
    /// Tries again for a while.
    fn bear(&mut self, settings: &RedisSettings) -> Result<(), Unavailable> {
        if self.0.get_or_insert_with(Instant::now).elapsed() < settings.timeout {
            return Ok(());
        }
        let why = format!("answers come later than {:?}, the trip that was allowed for", settings.trip);
        Err(Unavailable::new(Trouble::TooSlow, why))
    }
}
