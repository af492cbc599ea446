//! When an absence proves that a request had no effect.
//!
//! A "not found" can be too early, because the request may still arrive or its effect may not be visible yet, or too
//! late, because the exchange may have deleted the record already. In between, it proves that the request had no
//! effect.
//!
//! Both limits are checked twice: by the exchange's time in the response, because the exchange checks signatures by its
//! clock, and by the local time that passed. The clock of the machine that responds proves nothing about the clock of
//! the machine that received the request.

use std::time::Duration;

use crate::evidence::Sent;
use crate::tables::Confirm;
use crate::value::Timestamp;

/// When a query was sent and answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueryTimes {
    /// The exchange's time in the response.
    pub(super) there: Option<Timestamp>,
    /// The least time by local clocks from the signing of the request to the departure of the query.
    pub(super) at_least: Duration,
    /// The greatest time from the signing of the request to the arrival of the response.
    pub(super) at_most: Duration,
    /// How much later than by local clocks the signature may expire by the exchange's.
    pub(super) uncertainty: Duration,
}

/// A time in a response is not the exchange's if it is later by more than this than every possible time.
const SLACK: Duration = Duration::from_secs(1);

/// Whether an absence proves that the request had no effect.
pub(super) fn proves(confirm: &Confirm, sent: &Sent, times: &QueryTimes) -> Result<(), &'static str> {
    let kept = confirm.kept_ms.map(Duration::from_millis);
    let kept = kept.ok_or("it is not documented how long a record is kept, so its absence proves nothing")?;
    let window = sent.window.ok_or("it is not known how long the request can be in flight")?;
    let there = times.there.ok_or("the response does not contain the exchange's time")?;
    // Since it was signed, by the exchange's clock.
    let there = Duration::from_millis(there.as_millis().saturating_sub(sent.signed_at.as_millis()));
    // The last attempt may arrive later than this one, and the record may be of the first one.
    let apart =
        |one: Timestamp, other: Timestamp| Duration::from_millis(other.as_millis().saturating_sub(one.as_millis()));
    let (before, behind) = (apart(sent.first().0, sent.signed_at), apart(sent.signed_at, sent.last()));
    let first = window.saturating_add(sent.settling).saturating_add(behind);
    if times.at_least <= first.saturating_add(times.uncertainty) || there <= first {
        return Err("it was not found, but may still appear");
    }
    if there > window.saturating_add(times.at_most).saturating_add(SLACK) {
        return Err("the time in the response cannot be the exchange's");
    }
    // The record may be as old as the signature window allows.
    let last = kept.checked_sub(window).ok_or("a record is deleted before its absence can prove anything")?;
    if times.at_most.saturating_add(before) >= last || there.saturating_add(before) >= last {
        return Err("it was not found, but may have been deleted already");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Attempts;

    const SIGNED: u64 = 1_700_000_000_000;

    fn confirm(kept_s: Option<u64>) -> Confirm {
        let kept_ms = kept_s.map(|seconds| seconds * 1000);
        Confirm { kept_ms, ..Confirm::DEFAULT }
    }

    fn sent(window_s: Option<u64>) -> Sent {
        Sent {
            signed_at: Timestamp::from_millis(SIGNED),
            window: window_s.map(Duration::from_secs),
            settling: Duration::from_secs(10),
            ..Sent::default()
        }
    }

    /// Queried when as many seconds have passed there and here.
    fn queried(there_s: u64, here_s: u64) -> QueryTimes {
        let here = Duration::from_secs(here_s);
        let there = Some(Timestamp::from_millis(SIGNED + there_s * 1000));
        QueryTimes { there, at_least: here, at_most: here, uncertainty: Duration::ZERO }
    }

    #[test]
    fn absence_proves_something_between_too_early_and_too_late() {
        for (after, is_proof) in [(0, false), (39, false), (40, false), (41, true), (7169, true), (7170, false)] {
            let evaluated = proves(&confirm(Some(7200)), &sent(Some(30)), &queried(after, after));
            assert_eq!(evaluated.is_ok(), is_proof, "{after}");
        }
    }

    #[test]
    fn the_clock_of_the_exchange_alone_proves_nothing() {
        // The machine's clock may be ahead or behind.
        for (there, here, is_proof) in
            [(45, 0, false), (3600, 1, false), (41, 40, false), (41, 41, true), (40, 41, false), (3600, 41, false)]
        {
            let evaluated = proves(&confirm(Some(7200)), &sent(Some(30)), &queried(there, here));
            assert_eq!(evaluated.is_ok(), is_proof, "{there} there and {here} here");
        }
        // No clock can be further ahead than the signature allows plus the duration of the query.
        for (there, is_proof) in [(72, true), (73, false)] {
            assert_eq!(proves(&confirm(Some(7200)), &sent(Some(30)), &queried(there, 41)).is_ok(), is_proof, "{there}");
        }
        // Either clock may show that the record may be deleted.
        for (there, here, is_proof) in [(7169, 7169, true), (7169, 7170, false), (7170, 7169, false)] {
            let evaluated = proves(&confirm(Some(7200)), &sent(Some(30)), &queried(there, here));
            assert_eq!(evaluated.is_ok(), is_proof, "{there} there and {here} here");
        }
    }

    #[test]
    fn a_greater_uncertainty_takes_longer() {
        let uncertain = QueryTimes { uncertainty: Duration::from_secs(5), ..queried(45, 45) };
        assert!(proves(&confirm(Some(7200)), &sent(Some(30)), &uncertain).is_err());
        let uncertain = QueryTimes { uncertainty: Duration::from_secs(5), ..queried(46, 46) };
        assert!(proves(&confirm(Some(7200)), &sent(Some(30)), &uncertain).is_ok());
    }

    #[test]
    fn without_a_fact_an_absence_proves_nothing() {
        assert!(proves(&confirm(None), &sent(Some(30)), &queried(100, 100)).is_err());
        assert!(proves(&confirm(Some(7200)), &sent(None), &queried(100, 100)).is_err());
        let without_time = QueryTimes { there: None, ..queried(100, 100) };
        assert!(proves(&confirm(Some(7200)), &sent(Some(30)), &without_time).is_err());
        assert!(proves(&confirm(Some(60)), &sent(Some(30)), &queried(41, 41)).is_err());
        assert!(proves(&confirm(Some(20)), &sent(Some(30)), &queried(41, 41)).is_err());
    }

    #[test]
    fn no_duration_overflows() {
        let sent = Sent { settling: Duration::MAX, ..sent(Some(30)) };
        let times = QueryTimes { at_most: Duration::MAX, ..queried(100, 100) };
        assert!(proves(&confirm(Some(u64::MAX / 1000)), &sent, &times).is_err());
    }

    #[test]
    fn the_last_attempt_may_still_arrive_and_the_first_one_is_the_oldest() {
        let at = |seconds: u64| Timestamp::from_millis(SIGNED + seconds * 1000);
        let earlier = Timestamp::from_millis(SIGNED - 100_000);
        let attempts = |first, last| Some(Attempts { first: (first, None), last });
        let alone = sent(Some(30));
        let proves_after = |attempts, seconds| {
            proves(&confirm(Some(200)), &Sent { attempts, ..alone }, &queried(seconds, seconds)).is_ok()
        };
        assert_eq!([41, 90, 91, 169].map(|seconds| proves_after(None, seconds)), [true; 4]);
        let later = attempts(at(0), at(50));
        assert_eq!([41, 90, 91, 169].map(|seconds| proves_after(later, seconds)), [false, false, true, true]);
        let first = attempts(earlier, at(0));
        assert_eq!([41, 69, 70, 169].map(|seconds| proves_after(first, seconds)), [true, true, false, false]);
    }
}
