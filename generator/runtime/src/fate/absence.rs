//! What proves that something is not there.
//!
//! A "not found" can be too early, because the request may still arrive or what it made may not be visible yet, and too
//! late, because it may be forgotten already. Between the two it proves that the request had no effect.
//!
//! Both limits are judged twice: by the exchange's time in the answer, as the exchange judges signatures by its clock, and
//! by the time that passed here. The clock of the machine that answers proves nothing about that of the machine that got
//! the request.

use std::time::Duration;

use super::evidence::Sent;
use crate::tables::Confirm;
use crate::value::Timestamp;

/// When a question was put and answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct AskedAt {
    /// The exchange's time, as the answer tells it.
    pub(super) there: Option<Timestamp>,
    /// How long ago the request was signed at least when the question left, by clocks here.
    pub(super) at_least: Duration,
    /// How long ago it was signed at most when the answer came.
    pub(super) at_most: Duration,
    /// How much later than here the signature may have run out there.
    pub(super) uncertainty: Duration,
}

/// A time in an answer that is further ahead than this of all that can be is no time of the exchange.
const SLACK: Duration = Duration::from_secs(1);

/// Whether the absence of what `confirm` speaks of proves that it never was.
pub(super) fn proves(confirm: &Confirm, sent: &Sent, asked: &AskedAt) -> Result<(), &'static str> {
    let kept = confirm.kept_ms.map(Duration::from_millis);
    let kept = kept.ok_or("nothing shows how long it would be there, so its absence proves nothing")?;
    let window = sent.window.ok_or("nothing shows how long the request can be under way")?;
    let there = asked.there.ok_or("the answer does not tell the exchange's time")?;
    let first = window.saturating_add(sent.settling);
    if asked.at_least <= first.saturating_add(asked.uncertainty) || is_until(there, sent.signed_at, first) {
        return Err("it is not there, but could still come");
    }
    let latest = window.saturating_add(asked.at_most).saturating_add(SLACK);
    if !is_until(there, sent.signed_at, latest) {
        return Err("the answer tells a time that cannot be the exchange's");
    }
    // It may have come to be as early as the signature could be accepted.
    let last = kept.checked_sub(window).ok_or("it is forgotten before its absence can prove anything")?;
    if asked.at_most >= last || sent.signed_at.checked_add(last).is_some_and(|end| there >= end) {
        return Err("it is not there, but may have been and be forgotten already");
    }
    Ok(())
}

/// Whether `time` is no later than `after` its beginning.
fn is_until(time: Timestamp, begin: Timestamp, after: Duration) -> bool {
    begin.checked_add(after).is_none_or(|end| time <= end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNED: u64 = 1_700_000_000_000;

    fn confirm(kept_s: Option<u64>) -> Confirm {
        let kept_ms = kept_s.map(|seconds| seconds * 1000);
        Confirm {
            ask: &[],
            with: &[],
            list: None,
            matches: &[],
            agrees: &[],
            created: None,
            changed: None,
            changed_while: &[],
            kept_ms,
        }
    }

    fn sent(window_s: Option<u64>) -> Sent {
        Sent {
            signed_at: Timestamp::from_millis(SIGNED),
            window: window_s.map(Duration::from_secs),
            settling: Duration::from_secs(10),
            ..Sent::default()
        }
    }

    /// Asked when as many seconds have passed there and here.
    fn asked(there_s: u64, here_s: u64) -> AskedAt {
        let here = Duration::from_secs(here_s);
        let there = Some(Timestamp::from_millis(SIGNED + there_s * 1000));
        AskedAt { there, at_least: here, at_most: here, uncertainty: Duration::ZERO }
    }

    #[test]
    fn absence_proves_something_between_too_early_and_too_late() {
        for (after, is_proof) in [(0, false), (39, false), (40, false), (41, true), (7169, true), (7170, false)] {
            let judged = proves(&confirm(Some(7200)), &sent(Some(30)), &asked(after, after));
            assert_eq!(judged.is_ok(), is_proof, "{after}");
        }
    }

    #[test]
    fn a_clock_elsewhere_proves_nothing_alone() {
        // Of a machine whose clock is ahead, or behind.
        for (there, here, is_proof) in
            [(45, 0, false), (3600, 1, false), (41, 40, false), (41, 41, true), (40, 41, false), (3600, 41, false)]
        {
            let judged = proves(&confirm(Some(7200)), &sent(Some(30)), &asked(there, here));
            assert_eq!(judged.is_ok(), is_proof, "{there} there and {here} here");
        }
        assert!(proves(&confirm(Some(7200)), &sent(Some(30)), &asked(100, 7171)).is_err());
    }

    #[test]
    fn what_is_uncertain_takes_longer() {
        let uncertain = AskedAt { uncertainty: Duration::from_secs(5), ..asked(45, 45) };
        assert!(proves(&confirm(Some(7200)), &sent(Some(30)), &uncertain).is_err());
        let uncertain = AskedAt { uncertainty: Duration::from_secs(5), ..asked(46, 46) };
        assert!(proves(&confirm(Some(7200)), &sent(Some(30)), &uncertain).is_ok());
    }

    #[test]
    fn what_is_not_known_proves_nothing() {
        assert!(proves(&confirm(None), &sent(Some(30)), &asked(100, 100)).is_err());
        assert!(proves(&confirm(Some(7200)), &sent(None), &asked(100, 100)).is_err());
        let untold = AskedAt { there: None, ..asked(100, 100) };
        assert!(proves(&confirm(Some(7200)), &sent(Some(30)), &untold).is_err());
        assert!(proves(&confirm(Some(60)), &sent(Some(30)), &asked(41, 41)).is_err());
        assert!(proves(&confirm(Some(20)), &sent(Some(30)), &asked(41, 41)).is_err());
    }

    #[test]
    fn no_duration_overflows() {
        let sent = Sent { settling: Duration::MAX, ..sent(Some(30)) };
        let asked = AskedAt { at_most: Duration::MAX, ..asked(100, 100) };
        assert!(proves(&confirm(Some(u64::MAX / 1000)), &sent, &asked).is_err());
    }
}
