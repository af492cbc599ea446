//! What it proves that something is not there.
//!
//! A "not found" can be too early, for the request may still be on its way or what it made may not be visible yet, and too
//! late, for it may be forgotten already. Between the two it proves that the request had no effect. All times are the
//! exchange's own, by which it judges signatures too.

use std::time::Duration;

use crate::tables::{Api, Confirm};
use crate::value::Timestamp;

/// The times that an absence is judged by.
pub(super) struct Times {
    /// When the request was signed, as it says itself and the exchange judges it, whichever clock that came from.
    pub(super) signed_at: Timestamp,
    /// How far that may be from the exchange's clock for the request to be taken; `None` when nothing is known of it.
    pub(super) window: Option<Duration>,
    /// How long the exchange may take until what it accepted can be seen.
    pub(super) settling: Duration,
}

impl Times {
    pub(super) fn new(api: &Api, signed_at: Timestamp, settling: Duration) -> Self {
        let window = api.credentials.as_ref().and_then(|credentials| credentials.window_ms);
        Self { signed_at, window: window.map(Duration::from_millis), settling }
    }

    /// Whether something that came to be at `created` was there before the request could be.
    pub(super) fn is_older(&self, created: Option<String>) -> bool {
        let created = created.and_then(|millis| millis.parse().ok()).map(Timestamp::from_millis);
        let earliest = self.signed_at.checked_sub(self.window.unwrap_or_default());
        // Without a window nothing is known of the two clocks.
        self.window.is_some() && created.zip(earliest).is_some_and(|(created, earliest)| created < earliest)
    }
}

/// Whether the absence of what `confirm` speaks of, told at the exchange's time `asked_at`, proves that it never was.
pub(super) fn proves(confirm: &Confirm, times: &Times, asked_at: Option<Timestamp>) -> Result<(), &'static str> {
    let kept = confirm.kept_ms.ok_or("nothing shows how long it would be there, so its absence proves nothing")?;
    let window = times.window.ok_or("nothing shows how long the request can be under way")?;
    let asked_at = asked_at.ok_or("the answer does not tell the exchange's time")?;
    let first = times.signed_at.checked_add(window + times.settling);
    if first.is_none_or(|first| asked_at <= first) {
        return Err("it is not there, but could still come");
    }
    // It may have come to be as early as the signature could be taken.
    let last = times.signed_at.checked_add(Duration::from_millis(kept)).and_then(|last| last.checked_sub(window));
    match last {
        Some(last) if asked_at < last => Ok(()),
        _ => Err("it is not there, but may have been and be forgotten already"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNED: u64 = 1_000_000;

    fn judged(kept_ms: Option<u64>, window_s: Option<u64>, asked_after_s: Option<u64>) -> Result<(), &'static str> {
        let confirm =
            Confirm { ask: &[], with: &[], list: None, matches: &[], created: None, kept_ms, absent: &["none"] };
        let window = window_s.map(Duration::from_secs);
        let times = Times { signed_at: Timestamp::from_millis(SIGNED), window, settling: Duration::from_secs(10) };
        proves(&confirm, &times, asked_after_s.map(|after| Timestamp::from_millis(SIGNED + after * 1000)))
    }

    #[test]
    fn absence_proves_something_between_too_early_and_too_late() {
        let two_hours = Some(7_200_000);
        for (after, is_proof) in [(0, false), (39, false), (40, false), (41, true), (7169, true), (7170, false)] {
            assert_eq!(judged(two_hours, Some(30), Some(after)).is_ok(), is_proof, "{after}");
        }
    }

    #[test]
    fn what_is_not_known_proves_nothing() {
        assert!(judged(None, Some(30), Some(100)).is_err());
        assert!(judged(Some(7_200_000), None, Some(100)).is_err());
        assert!(judged(Some(7_200_000), Some(30), None).is_err());
        assert!(judged(Some(60_000), Some(30), Some(41)).is_err());
    }

    #[test]
    fn what_is_older_than_the_request_is_something_else() {
        let times = |window| Times { signed_at: Timestamp::from_millis(SIGNED), window, settling: Duration::ZERO };
        let known = times(Some(Duration::from_secs(30)));
        assert!(known.is_older(Some("969999".into())));
        assert!(!known.is_older(Some("970000".into())));
        assert!(!known.is_older(None) && !known.is_older(Some("soon".into())));
        assert!(!times(None).is_older(Some("1".into())));
    }
}
