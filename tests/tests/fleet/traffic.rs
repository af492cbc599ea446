//! Calls as the exchange sees them.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tradeapi::runtime::limits::{Call, Limiter, RateLimitFeedback, RedisLimits};

use super::callers::{ask, ms};

/// A call, of which the exchange counts the moment somewhere between these two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    pub(crate) sent: Instant,
    pub(crate) answered: Instant,
}

/// Callers that make one call after the other, until this is dropped.
#[derive(Default)]
pub(crate) struct Traffic {
    made: Arc<Mutex<Vec<Made>>>,
    callers: JoinSet<()>,
}

/// How a caller behaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habit {
    /// How long a call is under way.
    pub(crate) takes: Duration,
    /// How long the caller waits before its next request.
    pub(crate) patience: Duration,
    /// Of how many permits one is given back.
    pub(crate) returns_one_of: usize,
}

/// Calls that take a moment, of callers who wait.
pub(crate) const PLAIN: Habit =
    Habit { takes: Duration::ZERO, patience: Duration::from_secs(3600), returns_one_of: usize::MAX };

impl Traffic {
    /// One more caller.
    pub(crate) fn caller(&mut self, limits: &RedisLimits, call: Call<'static>, habit: Habit) {
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
                made.lock().unwrap().push(Made { sent, answered: Instant::now() });
                limits.answered(reservation, RateLimitFeedback::default());
                tokio::task::yield_now().await;
            }
        });
    }

    pub(crate) fn made(&self) -> Vec<Made> {
        self.made.lock().unwrap().clone()
    }

    /// How many calls were sent within the latest `span`.
    pub(crate) fn lately(&self, span: Duration) -> usize {
        let now = Instant::now();
        self.made.lock().unwrap().iter().filter(|made| now - made.sent <= span).count()
    }

    /// Waits until so many calls were made from now on. A machine that is slow takes longer.
    pub(crate) async fn more(&self, count: usize) {
        let before = self.made().len();
        while self.made().len() < before + count {
            tokio::time::sleep(ms(10)).await;
        }
    }
}

/// The most calls that the exchange may count in any `span`, whenever in its interval it counts each of them.
pub(crate) fn most_possible(made: &[Made], span: Duration) -> usize {
    // A call may be in the span that begins at x when x is after `sent - span` and not after `answered`.
    let mut turns: Vec<_> = made.iter().flat_map(|made| [(made.sent, 1_i32), (made.answered + span, -1)]).collect();
    // Where one ends and another begins at the same moment, they do not meet.
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
