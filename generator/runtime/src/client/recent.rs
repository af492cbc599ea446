use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use crate::value::Timestamp;

/// More requests than this are not kept; no rate limit allows as many while they matter.
const MOST: usize = 1 << 14;

/// The requests that were sent of late, to see whether an id was used for two of them. They share their bytes with what
/// was sent.
#[derive(Debug, Default)]
pub(super) struct RecentRequests(Mutex<VecDeque<Recent>>);

#[derive(Debug)]
struct Recent {
    signed_at: Timestamp,
    sent_at: Duration,
    body: Bytes,
}

impl RecentRequests {
    /// Remembers a request that is sent at `now`, by a steady clock, and forgets those that are older than `age`.
    pub(super) fn remember(&self, signed_at: Timestamp, body: Bytes, now: Duration, age: Duration) {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_old = |oldest: &Recent| now.saturating_sub(oldest.sent_at) > age;
        while recent.front().is_some_and(is_old) || recent.len() >= MOST {
            recent.pop_front();
        }
        recent.push_back(Recent { signed_at, sent_at: now, body });
    }

    /// Whether a request other than the one that was signed at `signed_at` has `id`.
    pub(super) fn has_another(&self, id: &str, signed_at: Timestamp) -> bool {
        let quoted = format!("\"{id}\"");
        let has_id = |body: &[u8]| body.windows(quoted.len()).any(|part| part == quoted.as_bytes());
        let recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let with_id = recent.iter().filter(|recent| has_id(&recent.body));
        let (own, others): (Vec<_>, Vec<_>) = with_id.partition(|recent| recent.signed_at == signed_at);
        own.len() > 1 || !others.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGE: Duration = Duration::from_secs(60);

    fn remember(recent: &RecentRequests, signed_at: u64, now: u64, body: &str) {
        let signed_at = Timestamp::from_millis(signed_at);
        recent.remember(signed_at, Bytes::copy_from_slice(body.as_bytes()), Duration::from_secs(now), AGE);
    }

    #[test]
    fn an_id_that_two_requests_have_is_seen() {
        let recent = RecentRequests::default();
        let is_reused = |signed_at| recent.has_another("a", Timestamp::from_millis(signed_at));
        remember(&recent, 1, 0, r#"{"id":"a"}"#);
        remember(&recent, 2, 0, r#"{"id":"ab"}"#);
        assert!(!is_reused(1) && is_reused(2));
        remember(&recent, 3, 1, r#"[{"id":"b"},{"id":"a"}]"#);
        assert!(is_reused(1) && is_reused(3));
    }

    #[test]
    fn two_requests_of_one_moment_are_told_apart() {
        let recent = RecentRequests::default();
        remember(&recent, 1, 0, r#"{"id":"a"}"#);
        remember(&recent, 1, 0, r#"{"id":"a"}"#);
        assert!(recent.has_another("a", Timestamp::from_millis(1)));
    }

    #[test]
    fn what_is_old_is_forgotten_and_memory_is_bounded() {
        let recent = RecentRequests::default();
        remember(&recent, 1, 0, r#"{"id":"a"}"#);
        remember(&recent, 2, 60, "{}");
        assert!(recent.has_another("a", Timestamp::from_millis(2)));
        remember(&recent, 3, 61, "{}");
        assert!(!recent.has_another("a", Timestamp::from_millis(2)));
        for index in 0..=MOST as u64 {
            remember(&recent, index, 61, "{}");
        }
        assert_eq!(recent.0.lock().map(|recent| recent.len()).ok(), Some(MOST));
    }
}
