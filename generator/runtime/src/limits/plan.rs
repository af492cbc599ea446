use std::fmt;
use std::time::Duration;

use super::book::Book;
use super::call::Call;
use super::settings::LimitSettings;
use crate::tables::{RateLimit, Scope};

/// What a set of calls will take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// How many requests it is.
    pub requests: usize,
    /// How long it takes until the last one can go out.
    pub lasts: Duration,
    /// The limit the last one waits for; `None` when nothing has to wait.
    pub binding: Option<Binding>,
}

/// A limit that makes calls wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The operation it is of; `None` for a limit on all of them together.
    pub operation: Option<&'static str>,
    /// The limit.
    pub limit: RateLimit,
}

impl Plan {
    /// A plan as one's own limiter makes it.
    pub fn new(requests: usize, lasts: Duration, binding: Option<Binding>) -> Self {
        Self { requests, lasts, binding }
    }

    /// The plan for `calls` when there were none before.
    pub fn from_nothing(calls: &[Call<'_>]) -> Self {
        Self::after(Book::new(LimitSettings::default()), Duration::ZERO, calls)
    }

    /// The plan for `calls` that are asked for at `now`, each of which goes out as soon as it may.
    pub(super) fn after(mut book: Book, now: Duration, calls: &[Call<'_>]) -> Self {
        book.make_all(now);
        let mut first = None;
        for call in calls {
            let lane = book.lane(call);
            first.get_or_insert(book.line_up(lane));
        }
        let mut plan = Self::new(calls.len(), Duration::ZERO, None);
        let (mut left, mut at) = (calls.len(), Some(now));
        while let Some(moment) = at.filter(|_| left > 0) {
            let waited_for: Vec<_> = book.busy().iter().map(|lane| (*lane, book.binding(*lane))).collect();
            for granted in book.settle(moment) {
                book.make(granted.lane, moment);
                if first.is_none_or(|first| granted.turn < first) {
                    continue;
                }
                left -= 1;
                if moment > now {
                    let lane = waited_for.iter().find(|(lane, _)| *lane == granted.lane);
                    (plan.lasts, plan.binding) = (moment - now, lane.and_then(|(_, binding)| *binding));
                }
            }
            at = book.next_at();
        }
        plan
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} requests in {:.3} s", self.requests, self.lasts.as_secs_f64())?;
        match &self.binding {
            Some(binding) => write!(f, ", because of {binding}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RateLimit { calls, per_seconds, scope, class } = self.limit;
        let who = match scope {
            Scope::Uid => "UID",
            Scope::Ip => "IP",
        };
        let what = self.operation.unwrap_or("all operations");
        write!(f, "the limit of {what}, {calls} calls in {per_seconds} s per {who} ({class})")
    }
}
