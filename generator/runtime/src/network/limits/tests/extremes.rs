//! Absurd settings and answers.

use std::time::Duration;

use super::driver::{Driver, SECOND, limited_to, limits, ms, operation, per_uid};
use crate::data::clock::{ManualTimer, Timer};
use crate::data::tables::{Effect, Meta, Scope};
use crate::network::limits::{
    Admission, AdmissionError, Call, InProcessLimits, LimitSettings, Limiter, RateLimitFeedback, TooMany,
};

const MAX: Duration = Duration::MAX;

fn free_in(limits: &InProcessLimits, meta: &'static Meta) -> Option<Duration> {
    match limits.admit(Call::new(meta), false) {
        Admission::Now(Ok(reservation)) => {
            limits.give_back(reservation);
            Some(Duration::ZERO)
        }
        Admission::Now(Err(AdmissionError::Full(full))) => Some(full.free_in),
        _ => None,
    }
}

/// Each of the settings alone, and all of them.
fn endless() -> [LimitSettings; 5] {
    let usual = LimitSettings::new;
    [
        usual().margin(MAX),
        usual().way_margin(MAX),
        usual().late_arrival(MAX),
        usual().longest_pause(MAX),
        usual().margin(MAX).way_margin(MAX).late_arrival(MAX).longest_pause(MAX).overall(u32::MAX, u32::MAX, Scope::Ip),
    ]
}

#[test]
fn no_setting_is_too_long() {
    let too_many = TooMany { of_everything: true, retry_after: Some(MAX) };
    let answers = [
        RateLimitFeedback::default(),
        RateLimitFeedback::new(Some(too_many), Some(0)),
        RateLimitFeedback::new(None, Some(u32::MAX)).after(MAX),
    ];
    for settings in endless() {
        let meta = limited_to(2);
        let limits = limits(settings);
        let mut driver = Driver::new(&limits);
        driver.timer.advance(SECOND);
        for feedback in answers {
            if let (_, Some(mut reservation)) = driver.admit(Call::new(meta)) {
                driver.limits.sent(&mut reservation);
                driver.timer.advance(ms(10));
                driver.limits.answered(reservation, feedback);
            }
            if let (_, Some(mut reservation)) = driver.admit(Call::new(meta)) {
                driver.limits.sent(&mut reservation);
                driver.limits.lost(reservation);
            }
        }
        assert!(driver.waiting() > 0);
        assert!(free_in(&limits.0, meta).is_some_and(|wait| wait > Duration::ZERO));
        assert_eq!(limits.0.plan(&[Call::new(meta); 5]).requests, 5);
        // A limiter whose first call comes at the largest possible time.
        driver.timer.advance(MAX);
        driver.timer.advance(MAX);
        let new = Call::new(limited_to(2)).counted_for("another", "elsewhere");
        assert!(driver.admit(new).1.is_some());
    }
}

#[test]
fn no_moment_is_too_late_for_a_timer() {
    let timer = ManualTimer::new();
    timer.wake_at(MAX, std::task::Waker::noop().clone());
    for _ in 0..2 {
        timer.advance(MAX);
        assert_eq!((timer.now(), timer.next_wake()), (MAX, None));
    }
}

/// An answer that requests a pause of a day or more causes one of a minute, by default.
#[test]
fn one_answer_closes_for_a_bounded_time() {
    for (requested, longest, pause) in [
        (SECOND * 86_400, None, SECOND * 60),
        (MAX, None, SECOND * 60),
        (SECOND * 59, None, SECOND * 59),
        (MAX, Some(SECOND * 5), SECOND * 5),
        // The pause is a window at least.
        (MAX, Some(Duration::ZERO), SECOND),
    ] {
        let settings = LimitSettings::new().margin(Duration::ZERO);
        let settings = longest.into_iter().fold(settings, LimitSettings::longest_pause);
        let [one, other] = ["one", "other"].map(|id| operation(id, Effect::Create, &[per_uid(10, "default")]));
        let limits = limits(settings);
        answer(&limits.0, one, TooMany { of_everything: true, retry_after: Some(requested) });
        assert_eq!([one, other].map(|meta| free_in(&limits.0, meta)), [Some(pause); 2]);
    }
}

/// No answer takes away the ability to cancel: neither one to a cancel itself, nor one about everything.
#[test]
fn cancels_are_held_up_for_a_window() {
    let place = operation("place", Effect::Create, &[per_uid(10, "default")]);
    let [cancel, known] = ["cancel", "known"].map(|id| operation(id, Effect::Cancel, &[per_uid(10, "default")]));
    for first in [place, cancel] {
        let limits = limits(LimitSettings::new().margin(Duration::ZERO));
        assert_eq!(free_in(&limits.0, known), Some(Duration::ZERO));
        answer(&limits.0, first, TooMany { of_everything: true, retry_after: Some(MAX) });
        assert_eq!([cancel, known].map(|meta| free_in(&limits.0, meta)), [Some(SECOND); 2]);
        assert_eq!(free_in(&limits.0, place), Some(SECOND * 60));
        limits.1.advance(SECOND);
        assert_eq!([cancel, known].map(|meta| free_in(&limits.0, meta)), [Some(Duration::ZERO); 2]);
        assert_eq!(free_in(&limits.0, place), Some(SECOND * 59));
    }
}

fn answer(limits: &InProcessLimits, meta: &'static Meta, too_many: TooMany) {
    let Admission::Now(Ok(mut reservation)) = limits.admit(Call::new(meta), false) else {
        unreachable!("there is room")
    };
    limits.sent(&mut reservation);
    limits.answered(reservation, RateLimitFeedback::new(Some(too_many), None));
}
