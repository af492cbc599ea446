use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use super::clock::Moment;
use crate::value::Timestamp;

/// No more requests than this are remembered, some megabytes of them.
const MOST: usize = 1 << 14;

/// What requests made that left further apart is told from one another by its age.
const AROUND: Duration = Duration::from_secs(5 * 60);

/// Requests are remembered for this long, in which a program asks for what is unknown.
const AGE: Duration = Duration::from_secs(2 * 60 * 60);

/// The requests that were sent of late: to see whether an id was used for two of them, and when one of them left. They
/// share their bytes with what was sent.
#[derive(Debug, Default)]
pub(super) struct RecentRequests(Mutex<VecDeque<Recent>>);

/// A request that was sent.
#[derive(Debug)]
pub(super) struct Recent {
    pub(super) signed_at: Timestamp,
    pub(super) left: Moment,
    pub(super) body: Bytes,
    /// Whether it gives an id to something new.
    pub(super) names: bool,
    /// When its outcome was known.
    pub(super) settled: Option<Moment>,
}

impl RecentRequests {
    /// Remembers a request, and forgets old ones.
    pub(super) fn remember(&self, request: Recent) {
        let mut recent = self.lock();
        let is_old = |oldest: &Recent| request.left.steady_since(oldest.left) > AGE;
        while recent.front().is_some_and(is_old) || recent.len() >= MOST {
            recent.pop_front();
        }
        recent.push_back(request);
    }

    /// Notes that the outcome of the request with this `body` is known.
    pub(super) fn settle(&self, body: &Bytes, now: Moment) {
        let is_it = |recent: &&mut Recent| recent.body.as_ptr() == body.as_ptr();
        if let Some(recent) = self.lock().iter_mut().rev().find(is_it) {
            recent.settled = Some(now);
        }
    }

    /// Whether another request gave `id` to something, about when the one that left at `left` did. Where that is not
    /// known, one request alone is taken to be the one that is asked for.
    pub(super) fn is_named_twice(&self, id: &str, left: Option<Moment>) -> bool {
        let recent = self.lock();
        let is_around = |recent: &&Recent| left.is_none_or(|left| recent.is_around(left));
        recent
            .iter()
            .filter(|recent| recent.names)
            .filter(is_around)
            .filter(|recent| recent.carries(id))
            .nth(1)
            .is_some()
    }

    /// Whether a request other than the one that left at `left` was under way since then, to change what has `id`.
    pub(super) fn has_contender(&self, id: &str, left: Moment) -> bool {
        let is_since =
            |recent: &Recent| recent.left != left && recent.settled.is_none_or(|settled| settled.steady >= left.steady);
        self.lock().iter().any(|recent| is_since(recent) && recent.carries(id))
    }

    /// When the only request left that was signed at `signed_at` and carries `id`.
    pub(super) fn left(&self, id: &str, signed_at: Timestamp) -> Option<Moment> {
        let recent = self.lock();
        let mut found = recent.iter().filter(|recent| recent.signed_at == signed_at && recent.carries(id));
        found.next().filter(|_| found.next().is_none()).map(|recent| recent.left)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Recent>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recent {
    fn is_around(&self, other: Moment) -> bool {
        self.left.steady_since(other) + other.steady_since(self.left) <= AROUND
    }

    fn carries(&self, id: &str) -> bool {
        let body = &self.body[..];
        let follows = |at: usize| {
            let rest = body[at + 1..].strip_prefix(id.as_bytes());
            rest.is_some_and(|rest| rest.first() == Some(&b'"'))
        };
        body.iter().enumerate().any(|(at, byte)| *byte == b'"' && follows(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remember(recent: &RecentRequests, signed_at: u64, now: u64, body: &str) {
        let left = Moment { wall: Timestamp::default(), steady: Duration::from_secs(now) };
        let (signed_at, body) = (Timestamp::from_millis(signed_at), Bytes::copy_from_slice(body.as_bytes()));
        recent.remember(Recent {
            signed_at,
            left,
            settled: None,
            names: body.starts_with(b"{\"id") || body.starts_with(b"["),
            body,
        });
    }

    #[test]
    fn what_only_speaks_of_an_id_does_not_use_it() {
        let recent = RecentRequests::default();
        remember(&recent, 1, 0, r#"{"id":"a"}"#);
        remember(&recent, 2, 7, r#"{"amends":"a"}"#);
        assert!(!recent.is_named_twice("a", None));
        let left = |id, signed_at| recent.left(id, Timestamp::from_millis(signed_at)).map(|left| left.steady.as_secs());
        assert_eq!((left("a", 1), left("a", 2), left("a", 3), left("b", 1)), (Some(0), Some(7), None, None));
        remember(&recent, 2, 8, r#"{"amends":"a"}"#);
        assert_eq!(left("a", 2), None, "it may be either");
    }

    fn at(seconds: u64) -> Moment {
        Moment { wall: Timestamp::default(), steady: Duration::from_secs(seconds) }
    }

    #[test]
    fn an_id_that_two_requests_have_is_seen() {
        let recent = RecentRequests::default();
        let is_reused = |left| recent.is_named_twice("a", Some(at(left)));
        remember(&recent, 1, 0, r#"{"id":"a"}"#);
        remember(&recent, 2, 0, r#"{"id":"ab"}"#);
        assert!(!is_reused(0) && !recent.is_named_twice("a", None));
        remember(&recent, 3, 1, r#"[{"id":"b"},{"id":"a"}]"#);
        assert!(is_reused(0) && is_reused(1) && recent.is_named_twice("a", None));
        // Minutes apart, their times tell them from one another.
        remember(&recent, 4, 400, r#"{"id":"a"}"#);
        assert!(is_reused(0) && !is_reused(400));
    }

    #[test]
    fn a_request_that_was_under_way_since_contends() {
        let recent = RecentRequests::default();
        remember(&recent, 1, 1, r#"{"amends":"a"}"#);
        remember(&recent, 2, 5, r#"{"amends":"a"}"#);
        assert!(recent.has_contender("a", at(5)), "its outcome is not known");
        assert!(!recent.has_contender("b", at(5)));
        let first = recent.lock()[0].body.clone();
        recent.settle(&first, at(4));
        assert!(!recent.has_contender("a", at(5)), "it was over before");
        recent.settle(&first, at(5));
        assert!(recent.has_contender("a", at(5)), "it was over only after");
        // What makes the order changes it too, when it lands late.
        recent.settle(&first, at(4));
        remember(&recent, 3, 3, r#"{"id":"a"}"#);
        assert!(recent.has_contender("a", at(5)));
    }

    #[test]
    fn two_requests_of_one_moment_are_told_apart() {
        let recent = RecentRequests::default();
        remember(&recent, 1, 0, r#"{"id":"a"}"#);
        remember(&recent, 1, 0, r#"{"id":"a"}"#);
        assert!(recent.is_named_twice("a", Some(at(0))));
    }

    #[test]
    fn what_is_old_is_forgotten_and_memory_is_bounded() {
        let recent = RecentRequests::default();
        remember(&recent, 1, 0, r#"{"id":"a"}"#);
        remember(&recent, 2, 7200, r#"{"id":"a"}"#);
        assert!(recent.is_named_twice("a", None));
        remember(&recent, 3, 7201, "{}");
        assert!(!recent.is_named_twice("a", None));
        for index in 0..=MOST as u64 {
            remember(&recent, index, 7201, "{}");
        }
        assert_eq!(recent.0.lock().map(|recent| recent.len()).ok(), Some(MOST));
    }
}
