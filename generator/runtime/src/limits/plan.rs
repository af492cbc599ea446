use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use super::book::Book;
use super::call::Call;
use super::settings::LimitSettings;
use super::slab::Key;
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

    /// The plan for `calls` that are asked for at `now`, one after the other, each of which goes out as soon as it may.
    pub(super) fn after(mut book: Book, now: Duration, calls: &[Call<'_>]) -> Self {
        book.expect_all(now);
        let mut first = None;
        let mut left = calls.len();
        for call in calls {
            let lane = book.lane(call, now);
            first.get_or_insert(book.line_up(lane));
            left -= book.go(now, first).len();
        }
        let mut plan = Self::new(calls.len(), Duration::ZERO, None);
        while let Some(moment) = book.next_at().filter(|_| left > 0) {
            let waited_for: HashMap<_, _> = book.busy().iter().map(|lane| (*lane, book.binding(*lane))).collect();
            let gone = book.go(moment, first);
            left -= gone.len();
            if let Some(last) = gone.last() {
                plan.lasts = moment.saturating_sub(now);
                plan.binding = waited_for.get(last).copied().flatten();
            }
        }
        plan
    }
}

impl Book {
    /// Everyone goes who may. Gives the lanes of those who came `first` or later.
    fn go(&mut self, now: Duration, first: Option<u64>) -> Vec<Key> {
        let granted = self.settle(now);
        granted.iter().for_each(|granted| self.expect(granted.lane, now));
        granted.iter().filter(|granted| first <= Some(granted.turn)).map(|granted| granted.lane).collect()
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
