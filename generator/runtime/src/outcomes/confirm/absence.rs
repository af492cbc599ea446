//! When an absence proves that a request had no effect.
//!
//! A "not found" can be too early, because the request may still arrive or its effect may not be visible yet, or too
//! late, because the exchange may have deleted the record already. In between, it proves that the request had no
//! effect.
//!
//! Both limits are checked twice: by the exchange's time in the response, because the exchange checks signatures by its
//! clock, and by the local time that passed. The clock of the machine that responds proves nothing about the clock of
//! the machine that received the request, and may be wrong by as much as the local one; the policy says how far.
//!
//! What is assumed of lag, clocks and denials is a setting of [`ConfirmPolicy`](super::ConfirmPolicy). The defaults of
//! a minute for lag and clocks make an absence take 160 seconds, because a false "not done" costs more than a late one.
//! The steady clock bounds what this process sent; of an earlier run only wall clocks are known, so they count less the
//! error that is assumed.

use std::time::Duration;

use super::ConfirmPolicy;
use crate::data::tables::Confirm;
use crate::data::value::Timestamp;
use crate::state::evidence::Sent;

/// When a query was sent and answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueryTimes {
    /// The exchange's time in the response.
    pub(super) there: Option<Timestamp>,
    /// The least time by local clocks from the signing of the request to the departure of the query.
    pub(super) at_least: Duration,
    /// The greatest time from the signing of the request to the arrival of the response.
    pub(super) at_most: Duration,
    /// The time by which the signature may expire later by the exchange's clock than by local ones.
    pub(super) uncertainty: Duration,
}

/// A time in a response is not the exchange's if it is later by more than this than every possible time.
const SLACK: Duration = Duration::from_secs(1);

/// Returns whether an absence proves that the request had no effect.
pub(super) fn proves(
    confirm: &Confirm,
    sent: &Sent,
    times: &QueryTimes,
    policy: &ConfirmPolicy,
) -> Result<(), &'static str> {
    let kept = confirm.kept_ms.map(Duration::from_millis);
    let kept = kept.ok_or("it is not documented how long a record is kept, so its absence proves nothing")?;
    let Arrived { window, there } = has_arrived(sent, times, policy)?;
    // The record may be as old as the signature window allows, and both clocks may be behind.
    let last = kept.checked_sub(window.saturating_add(policy.assumptions.clock_error));
    let last = last.ok_or("a record is deleted before its absence can prove anything")?;
    let before = sent.signed_at - sent.first().0;
    if times.at_most.saturating_add(before) >= last || there.saturating_add(before) >= last {
        return Err("it was not found, but may have been deleted already");
    }
    Ok(())
}

/// The window of a request that has arrived, and the time since its signature by the exchange's clock.
pub(super) struct Arrived {
    window: Duration,
    there: Duration,
}

/// Returns whether a request can no longer arrive, and the machine that answered shows its effect.
pub(super) fn has_arrived(sent: &Sent, times: &QueryTimes, policy: &ConfirmPolicy) -> Result<Arrived, &'static str> {
    let window = sent.window.ok_or("it is not known how long the request can be in flight")?;
    let there = times.there.ok_or("the response does not contain the exchange's time")?;
    // Since it was signed, by the exchange's clock.
    let there = there - sent.signed_at;
    // The last attempt may arrive later than this one.
    let behind = sent.last() - sent.signed_at;
    let first = policy.assumptions.visible_after(window).saturating_add(behind);
    if times.at_least <= first.saturating_add(times.uncertainty) || there <= first {
        return Err("it was not found, but may still appear");
    }
    if there > window.saturating_add(times.at_most).saturating_add(SLACK) {
        return Err("the time in the response cannot be the exchange's");
    }
    Ok(Arrived { window, there })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::evidence::Attempts;

    const SIGNED: u64 = 1_700_000_000_000;

    fn confirm(kept_s: Option<u64>) -> Confirm {
        let kept_ms = kept_s.map(|seconds| seconds * 1000);
        Confirm { kept_ms, ..Confirm::DEFAULT }
    }

    fn sent(window_s: Option<u64>) -> Sent {
        Sent { signed_at: Timestamp::from_millis(SIGNED), window: window_s.map(Duration::from_secs), ..Sent::default() }
    }

    /// Returns the times of a query when as many seconds have passed there and here.
    fn queried(there_s: u64, here_s: u64) -> QueryTimes {
        let here = Duration::from_secs(here_s);
        let there = Some(Timestamp::from_millis(SIGNED + there_s * 1000));
        QueryTimes { there, at_least: here, at_most: here, uncertainty: Duration::ZERO }
    }

    /// Returns a policy that assumes the most, beside ten seconds of settling.
    fn strict() -> ConfirmPolicy {
        ConfirmPolicy::new().lag(Duration::ZERO).clock_error(Duration::ZERO)
    }

    fn proves_by(kept_s: u64, times: &QueryTimes, policy: &ConfirmPolicy) -> bool {
        proves(&confirm(Some(kept_s)), &sent(Some(30)), times, policy).is_ok()
    }

    #[test]
    fn absence_proves_something_between_too_early_and_too_late() {
        for (after, is_proof) in [(0, false), (39, false), (40, false), (41, true), (7169, true), (7170, false)] {
            assert_eq!(proves_by(7200, &queried(after, after), &strict()), is_proof, "{after}");
        }
        // By default, the machine that answers may be a minute behind, and both clocks wrong by a minute.
        for (after, is_proof) in [(41, false), (100, false), (160, false), (161, true), (7109, true), (7110, false)] {
            assert_eq!(proves_by(7200, &queried(after, after), &ConfirmPolicy::new()), is_proof, "{after}");
        }
    }

    #[test]
    fn each_assumption_delays_the_proof() {
        let second = Duration::from_secs(1);
        for policy in [strict().settling(11 * second), strict().lag(second), strict().clock_error(second)] {
            assert!(!proves_by(7200, &queried(41, 41), &policy), "{policy:?}");
            assert!(proves_by(7200, &queried(42, 42), &policy), "{policy:?}");
        }
    }

    #[test]
    fn the_clock_of_the_exchange_alone_proves_nothing() {
        // The machine's clock may be ahead or behind.
        for (there, here, is_proof) in
            [(45, 0, false), (3600, 1, false), (41, 40, false), (41, 41, true), (40, 41, false), (3600, 41, false)]
        {
            assert_eq!(proves_by(7200, &queried(there, here), &strict()), is_proof, "{there} there and {here} here");
        }
        // No clock can be further ahead than the signature allows plus the duration of the query.
        for (there, is_proof) in [(72, true), (73, false)] {
            assert_eq!(proves_by(7200, &queried(there, 41), &strict()), is_proof, "{there}");
        }
        // Either clock may show that the record may be deleted.
        for (there, here, is_proof) in [(7169, 7169, true), (7169, 7170, false), (7170, 7169, false)] {
            assert_eq!(proves_by(7200, &queried(there, here), &strict()), is_proof, "{there} there and {here} here");
        }
    }

    #[test]
    fn a_greater_uncertainty_takes_longer() {
        let uncertain = |seconds| QueryTimes { uncertainty: Duration::from_secs(5), ..queried(seconds, seconds) };
        assert_eq!([45, 46].map(|seconds| proves_by(7200, &uncertain(seconds), &strict())), [false, true]);
    }

    #[test]
    fn without_a_fact_an_absence_proves_nothing() {
        let nothing = |kept, window, times| proves(&confirm(kept), &sent(window), &times, &strict()).is_err();
        assert!(nothing(None, Some(30), queried(100, 100)));
        assert!(nothing(Some(7200), None, queried(100, 100)));
        assert!(nothing(Some(7200), Some(30), QueryTimes { there: None, ..queried(100, 100) }));
        assert!(nothing(Some(60), Some(30), queried(41, 41)));
        assert!(nothing(Some(20), Some(30), queried(41, 41)));
    }

    #[test]
    fn no_duration_overflows() {
        let times = QueryTimes { at_most: Duration::MAX, ..queried(100, 100) };
        for longest in
            [strict().settling(Duration::MAX), strict().lag(Duration::MAX), strict().clock_error(Duration::MAX)]
        {
            assert!(!proves_by(u64::MAX / 1000, &times, &longest));
        }
    }

    #[test]
    fn the_last_attempt_may_still_arrive_and_the_first_one_is_the_oldest() {
        let at = |seconds: u64| Timestamp::from_millis(SIGNED + seconds * 1000);
        let earlier = Timestamp::from_millis(SIGNED - 100_000);
        let attempts = |first, last| Some(Attempts { first: (first, None), last });
        let alone = sent(Some(30));
        let proves_after = |attempts, seconds| {
            let sent = Sent { attempts, ..alone };
            proves(&confirm(Some(200)), &sent, &queried(seconds, seconds), &strict()).is_ok()
        };
        assert_eq!([41, 90, 91, 169].map(|seconds| proves_after(None, seconds)), [true; 4]);
        let later = attempts(at(0), at(50));
        assert_eq!([41, 90, 91, 169].map(|seconds| proves_after(later, seconds)), [false, false, true, true]);
        let first = attempts(earlier, at(0));
        assert_eq!([41, 69, 70, 169].map(|seconds| proves_after(first, seconds)), [true, true, false, false]);
    }
}
