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
    /// How many of them are refused and never go out, because the share of a limit is less than one call in a window.
    pub refused: usize,
    /// How long it takes until the last one of the others can go out.
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
        Self { requests, refused: 0, lasts, binding }
    }

    /// The plan for `calls` when there were none before.
    pub fn from_nothing(calls: &[Call<'_>]) -> Self {
        Self::after(Book::new(LimitSettings::default()), Duration::ZERO, calls)
    }

    /// The plan for `calls` that are asked for at `now`, one after the other, each of which goes out as soon as it may and
    /// takes as long as usual.
    pub(super) fn after(mut book: Book, now: Duration, calls: &[Call<'_>]) -> Self {
        book.expect_all(now);
        let mut plan = Self::new(calls.len(), Duration::ZERO, None);
        let mut first = None;
        let mut left = 0;
        for call in calls {
            let lane = book.lane(call, now);
            if book.is_closed(lane) {
                plan.refused += 1;
                continue;
            }
            first.get_or_insert(book.line_up(lane));
            left += 1;
            left -= book.go(now, first).len();
        }
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
        let Self { requests, refused, lasts, binding } = self;
        if *refused == 0 || refused < requests {
            write!(f, "{} requests in {:.3} s", requests.saturating_sub(*refused), lasts.as_secs_f64())?;
        }
        if let Some(binding) = binding {
            write!(f, ", because of {binding}")?;
        }
        match refused {
            0 => return Ok(()),
            _ if refused >= requests => write!(f, "all {requests} requests are refused")?,
            _ => write!(f, "; {refused} more are refused")?,
        }
        f.write_str(": the share of their limit is less than one call in a window")
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
