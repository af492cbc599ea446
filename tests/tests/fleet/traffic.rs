//! Calls from the exchange's point of view.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tradeapi::runtime::limits::{Call, Limiter, RateLimitFeedback, RedisLimits};

use super::callers::{ask, ms};

/// A call, which the exchange counts at some time between these two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallInterval {
    pub(crate) sent: Instant,
    pub(crate) answered: Instant,
}

/// Callers that make one call after the other, until they are dropped.
#[derive(Default)]
pub(crate) struct Traffic {
    made: Arc<Mutex<Vec<CallInterval>>>,
    callers: JoinSet<()>,
}

/// The behaviour of a caller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallerBehavior {
    /// The duration of a call.
    pub(crate) takes: Duration,
    /// The pause before the next request.
    pub(crate) patience: Duration,
    /// The number of permits of which one is given back.
    pub(crate) returns_one_of: usize,
}

/// Short calls of patient callers.
pub(crate) const PLAIN: CallerBehavior =
    CallerBehavior { takes: Duration::ZERO, patience: Duration::from_secs(3600), returns_one_of: usize::MAX };

impl Traffic {
    /// Adds a caller.
    pub(crate) fn caller(&mut self, limits: &RedisLimits, call: Call<'static>, habit: CallerBehavior) {
        let (limits, made) = (limits.clone(), Arc::clone(&self.made));
        self.callers.spawn(async move {
            for round in 1.. {
                let Ok(admission) = tokio::time::timeout(habit.patience, ask(&limits, call, true)).await else {
                    continue;
                };
                let Ok(mut reservation) = admission else {
                    tokio::time::sleep(ms(5)).await;
                    continue;
                };
                if round % habit.returns_one_of == 0 {
                    limits.give_back(reservation);
                    continue;
                }
                limits.sent(&mut reservation);
                let sent = Instant::now();
                if !habit.takes.is_zero() {
                    tokio::time::sleep(habit.takes).await;
                }
                made.lock().unwrap().push(CallInterval { sent, answered: Instant::now() });
                limits.answered(reservation, RateLimitFeedback::default());
                tokio::task::yield_now().await;
            }
        });
    }

    pub(crate) fn made(&self) -> Vec<CallInterval> {
        self.made.lock().unwrap().clone()
    }

    /// Returns the number of calls sent within the latest `span`.
    pub(crate) fn lately(&self, span: Duration) -> usize {
        let now = Instant::now();
        self.made.lock().unwrap().iter().filter(|made| now - made.sent <= span).count()
    }

    /// Waits until this number of further calls were made, which takes longer on a slow machine.
    pub(crate) async fn more(&self, count: usize) {
        let before = self.made().len();
        while self.made().len() < before + count {
            tokio::time::sleep(ms(10)).await;
        }
    }
}

/// Returns the most calls that the exchange can count in any `span`, for any count time within each call's interval.
pub(crate) fn most_possible(made: &[CallInterval], span: Duration) -> usize {
    // A call may be in the span that begins at x when x is after `sent - span` and not after `answered`.
    let mut turns: Vec<_> = made.iter().flat_map(|made| [(made.sent, 1_i32), (made.answered + span, -1)]).collect();
    // Intervals that only touch do not overlap.
    turns.sort();
    let mut now = 0;
    turns
        .iter()
        .map(|(_, step)| {
            now += step;
            now
        })
        .max()
        .map_or(0, |most| most as usize)
}
