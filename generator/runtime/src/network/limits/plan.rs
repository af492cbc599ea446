//! Plans how long a set of calls takes.

use std::fmt;
use std::time::Duration;

use super::bucket::Key;
use super::call::Call;
use super::settings::LimitSettings;
use super::state::LimiterState;
use crate::data::error::BindingLimit;

/// Plans how long a set of calls takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// The number of requests.
    pub requests: usize,
    /// The number of calls that are refused, because the share of a limit is less than one call in a window.
    pub refused: usize,
    /// The time until the last of the others can be sent.
    pub lasts: Duration,
    /// The limit that the last one waits for; `None` if no call waits.
    pub binding: Option<BindingLimit>,
}

impl Plan {
    /// A plan of a custom limiter.
    pub fn new(requests: usize, lasts: Duration, binding: Option<BindingLimit>) -> Self {
        Self { requests, refused: 0, lasts, binding }
    }

    /// The plan for `calls` if there were none before.
    pub fn from_nothing(calls: &[Call<'_>]) -> Self {
        Self::after(LimiterState::new(LimitSettings::default()), Duration::ZERO, calls)
    }

    /// The plan for `calls` that are made at `now`, one after the other, each of which is sent as soon as it is
    /// admitted and takes as long as usual.
    pub(super) fn after(mut state: LimiterState, now: Duration, calls: &[Call<'_>]) -> Self {
        state.expect_all(now);
        let mut plan = Self::new(calls.len(), Duration::ZERO, None);
        let mut first = None;
        let mut left = 0;
        for call in calls {
            let bucket = state.bucket(call, now);
            if state.is_closed(bucket) {
                plan.refused += 1;
                continue;
            }
            first.get_or_insert(state.line_up(bucket));
            left += 1;
            left -= state.go(now, first).len();
        }
        let mut latest = now;
        while let Some(moment) = state.next_at(latest).filter(|_| left > 0) {
            latest = moment;
            let mut waited_for = Vec::new();
            for bucket in state.busy() {
                waited_for.push((*bucket, state.binding(*bucket)));
            }
            let gone = state.go(moment, first);
            left -= gone.len();
            if let Some(last) = gone.last() {
                plan.lasts = moment.saturating_sub(now);
                plan.binding = waited_for.iter().find(|(bucket, _)| bucket == last).and_then(|(_, binding)| *binding);
            }
        }
        plan
    }
}

impl LimiterState {
    /// Admits all calls that there is room for. Returns the buckets of those with the turn `first` or later.
    fn go(&mut self, now: Duration, first: Option<u64>) -> Vec<Key> {
        let mut gone = Vec::new();
        for granted in self.settle(now) {
            self.expect(granted.bucket, now);
            if first <= Some(granted.turn) {
                gone.push(granted.bucket);
            }
        }
        gone
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
