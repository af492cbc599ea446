//! The limiter learns from answers.

use std::time::Duration;

use super::{Driver, SECOND, limited_to, limits, ms, operation, per_ip, per_uid};
use crate::data::tables::{Effect, Meta, RateLimit};
use crate::network::limits::{
    Admission, AdmissionError, Call, InProcessLimits, LimitSettings, Limiter, RateLimitFeedback, Reservation, TooMany,
};
use crate::network::wire::{MAX_POOLS, PoolReport};

const TOO_MANY: RateLimitFeedback = too_many(false, None);

const fn too_many(of_everything: bool, retry_after: Option<Duration>) -> RateLimitFeedback {
    RateLimitFeedback {
        too_many: Some(TooMany { of_everything, retry_after, refused_for: None }),
        remaining: None,
        remaining_windows: &[1000],
        pools: [None; MAX_POOLS],
        trip: None,
        request_time: None,
    }
}

const fn left(remaining: u32) -> RateLimitFeedback {
    RateLimitFeedback {
        too_many: None,
        remaining: Some(remaining),
        remaining_windows: &[1000],
        pools: [None; MAX_POOLS],
        trip: None,
        request_time: None,
    }
}

/// Makes a call that is answered after `trip`, if there is room for it. Returns the key of its reservation.
fn call(driver: &mut Driver<'_>, most: u32, trip: Duration, feedback: RateLimitFeedback) -> Option<u64> {
    let Admission::Now(Ok(mut reservation)) = driver.limits.admit(Call::new(limited_to(most)), false) else {
        return None;
    };
    let key = reservation.key;
    driver.limits.sent(&mut reservation);
    driver.timer.advance(trip);
    driver.limits.answered(reservation, feedback);
    Some(key)
}

/// Returns how many calls can be made now.
fn room(limits: &InProcessLimits, most: u32) -> usize {
    let call = Call::new(limited_to(most));
    let admissions = std::iter::repeat_with(|| limits.admit(call, false));
    let reservations: Vec<_> = admissions
        .map_while(|answer| if let Admission::Now(Ok(reservation)) = answer { Some(reservation) } else { None })
        .collect();
    let count = reservations.len();
    reservations.into_iter().for_each(|reservation| limits.give_back(reservation));
    count
}

fn free_in(limits: &InProcessLimits, most: u32) -> Option<Duration> {
    match limits.admit(Call::new(limited_to(most)), false) {
        Admission::Now(Err(AdmissionError::Full(full))) => Some(full.free_in),
        _ => None,
    }
}

#[test]
fn after_one_too_many_nothing_goes_for_a_window() {
    let limits = limits(LimitSettings::new().margin(Duration::ZERO));
    let mut driver = Driver::new(&limits);
    call(&mut driver, 10, ms(100), TOO_MANY);
    assert_eq!(free_in(&limits.0, 10), Some(SECOND));
    limits.1.advance(SECOND);
    assert_eq!(room(&limits.0, 10), 10);
}

#[test]
fn waiting_calls_wait_longer() {
    let limits = limits(LimitSettings::new().margin(Duration::ZERO));
    let mut driver = Driver::new(&limits);
    let key = call(&mut driver, 1, ms(100), RateLimitFeedback::default());
    let (number, _) = driver.admit(Call::new(limited_to(1)));
    driver.timer.advance(ms(400));
    assert_eq!(free_in(&limits.0, 1), Some(ms(600)));
    // An answer that comes late.
    limits.0.answered(Reservation::new(key.unwrap_or_default(), Duration::ZERO), TOO_MANY);
    driver.timer.advance(SECOND - Duration::from_nanos(1));
    assert!(driver.woken().is_empty());
    driver.timer.advance(Duration::from_nanos(1));
    assert_eq!(
        driver.woken().first().map(|(number, reservation)| (*number, reservation.waited)),
        Some((number, ms(1_400)))
    );
}

#[test]
fn when_others_used_up_the_limit_nothing_goes_for_a_window() {
    let limits = limits(LimitSettings::new().margin(Duration::ZERO));
    let mut driver = Driver::new(&limits);
    call(&mut driver, 10, ms(100), left(0));
    assert_eq!(free_in(&limits.0, 10), Some(SECOND));
    limits.1.advance(SECOND);
    assert_eq!(room(&limits.0, 10), 10);
}

#[test]
fn calls_of_others_are_counted() {
    let limits = limits(LimitSettings::new().margin(Duration::ZERO));
    let mut driver = Driver::new(&limits);
    call(&mut driver, 10, ms(100), left(3));
    assert_eq!(room(&limits.0, 10), 3);
    // All of them were counted when the answer came, at the latest.
    limits.1.advance(SECOND - Duration::from_nanos(1));
    assert_eq!(room(&limits.0, 10), 3);
    limits.1.advance(Duration::from_nanos(1));
    assert_eq!(room(&limits.0, 10), 10);
}

/// The exchange no longer counts calls that have expired, and does not count those yet that are about to be sent.
#[test]
fn only_calls_that_matter_are_compared() {
    let limits = limits(LimitSettings::new().margin(Duration::ZERO));
    let mut driver = Driver::new(&limits);
    (0..4).for_each(|_| _ = call(&mut driver, 10, Duration::ZERO, RateLimitFeedback::default()));
    limits.1.advance(SECOND);
    let (_, held) = driver.admit(Call::new(limited_to(10)));
    call(&mut driver, 10, Duration::ZERO, left(5));
    // One call was made and one is about to be; of the eight that would be left, others made three.
    assert_eq!(room(&limits.0, 10), 5);
    held.into_iter().for_each(|reservation| limits.0.give_back(reservation));
    assert_eq!(room(&limits.0, 10), 6);
}

#[test]
fn a_number_is_taken_to_be_of_the_tightest_limit() {
    let meta = operation("both", Effect::Read, &[per_ip(30), per_uid(10, "default")]);
    let limits = limits(LimitSettings::new());
    let room_of = |account| {
        let admissions = std::iter::repeat_with(|| limits.0.admit(Call::new(meta).counted_for(account, ""), false));
        admissions.take_while(|answer| matches!(answer, Admission::Now(Ok(_)))).count()
    };
    if let Admission::Now(Ok(mut reservation)) = limits.0.admit(Call::new(meta).counted_for("a", ""), false) {
        limits.0.sent(&mut reservation);
        limits.0.answered(reservation, left(4));
    }
    assert_eq!((room_of("a"), room_of("b")), (4, 10));
}

/// The number is what is left of one second, so it says nothing about a limit over another window.
#[test]
fn remaining_calls_do_not_concern_windows_other_than_a_second() {
    let a_minute = per_uid(600, "default").every(60);
    for (table, room) in [(&[a_minute][..], 599), (&[a_minute, per_uid(10, "default")], 4)] {
        let meta = operation("by-the-minute", Effect::Read, table);
        let limits = limits(LimitSettings::new());
        let admit = || limits.0.admit(Call::new(meta), false);
        if let Admission::Now(Ok(mut reservation)) = admit() {
            limits.0.sent(&mut reservation);
            limits.0.answered(reservation, left(4));
        }
        let admissions =
            std::iter::repeat_with(admit).take(600).filter(|answer| matches!(answer, Admission::Now(Ok(_))));
        assert_eq!(admissions.count(), room);
    }
}

#[test]
fn a_window_of_a_minute_has_room_again_after_a_minute() {
    let meta = operation("by-the-minute", Effect::Create, &[per_uid(2, "default").every(60)]);
    let limits = limits(LimitSettings::new().margin(Duration::ZERO));
    let make = || match limits.0.admit(Call::new(meta), false) {
        Admission::Now(Ok(mut reservation)) => {
            limits.0.sent(&mut reservation);
            limits.0.answered(reservation, RateLimitFeedback::default());
            true
        }
        _ => false,
    };
    assert_eq!([make(), make(), make()], [true, true, false]);
    limits.1.advance(SECOND * 59);
    assert!(!make());
    limits.1.advance(SECOND);
    assert!(make());
}

/// A caller that is alone finds its own count confirmed, and loses nothing.
#[test]
fn a_remaining_count_that_agrees_changes_nothing() {
    let limits = limits(LimitSettings::new().margin(Duration::ZERO));
    let mut driver = Driver::new(&limits);
    for remaining in (0..10).rev() {
        call(&mut driver, 10, ms(20), left(remaining));
    }
    assert_eq!(free_in(&limits.0, 10), Some(ms(820)));
    limits.1.advance(ms(820));
    assert_eq!(room(&limits.0, 10), 1);
    limits.1.advance(ms(180));
    assert_eq!(room(&limits.0, 10), 10);
}

/// A report of more calls than the documents leave is not believed.
#[test]
fn nothing_is_gained_from_answers() {
    let limits = limits(LimitSettings::new());
    let mut driver = Driver::new(&limits);
    (0..10).for_each(|_| _ = call(&mut driver, 10, Duration::ZERO, left(100)));
    assert_eq!(room(&limits.0, 10), 0);
}

#[test]
fn learning_can_be_turned_off() {
    let limits = limits(LimitSettings::new().learns(false));
    let mut driver = Driver::new(&limits);
    call(&mut driver, 10, Duration::ZERO, TOO_MANY);
    call(&mut driver, 10, Duration::ZERO, left(0));
    assert_eq!(room(&limits.0, 10), 8);
}

#[test]
fn an_answer_can_ask_for_a_longer_pause() {
    for (requested, pause) in [(ms(200), SECOND), (SECOND * 7, SECOND * 7)] {
        let limits = limits(LimitSettings::new().margin(Duration::ZERO));
        call(&mut Driver::new(&limits), 10, Duration::ZERO, too_many(false, Some(requested)));
        assert_eq!(free_in(&limits.0, 10), Some(pause));
    }
}

/// No answer states which window is full, so the window of a day stays open.
#[test]
fn one_too_many_closes_a_long_window_for_no_longer_than_the_longest_pause() {
    const DAY: u32 = 86_400;
    for (windows, pause) in [([1, 10], 10), ([1, DAY], 60), ([90, DAY], 90), ([DAY, DAY], DAY)] {
        for of_everything in [false, true] {
            let rows = windows.map(|seconds| per_uid(10, "default").every(seconds));
            let [meta, other] = ["one", "other"].map(|id| operation(id, Effect::Create, &rows));
            let limits = limits(LimitSettings::new().margin(Duration::ZERO));
            let Admission::Now(Ok(mut reservation)) = limits.0.admit(Call::new(meta), false) else {
                unreachable!("there is room")
            };
            limits.0.sent(&mut reservation);
            limits.0.answered(reservation, too_many(of_everything, None));
            let free_in = |meta| match limits.0.admit(Call::new(meta), false) {
                Admission::Now(Err(AdmissionError::Full(full))) => full.free_in.as_secs(),
                _ => 0,
            };
            assert_eq!(free_in(meta), u64::from(pause), "{windows:?}");
            assert_eq!(free_in(other), if of_everything { u64::from(pause) } else { 0 }, "{windows:?}");
        }
    }
}

/// An answer that is not from the exchange itself concerns all operations of an address, including those not called
/// yet.
#[test]
fn one_too_many_of_everything_closes_the_address() {
    let [one, other, new] = ["one", "other", "new"].map(|id| operation(id, Effect::Read, &[per_uid(10, "default")]));
    let limits = limits(LimitSettings::new().margin(Duration::ZERO));
    let admit = |meta, address| limits.0.admit(Call::new(meta).counted_for("", address), false);
    let is_free = |meta, address| matches!(admit(meta, address), Admission::Now(Ok(_)));
    assert!(is_free(other, "here"));
    for (of_everything, free) in [(false, true), (true, false)] {
        let Admission::Now(Ok(mut reservation)) = admit(one, "here") else { unreachable!("there is room") };
        limits.0.sent(&mut reservation);
        limits.0.answered(reservation, too_many(of_everything, Some(SECOND * 2)));
        assert_eq!((is_free(one, "here"), is_free(other, "here")), (false, free));
        limits.1.advance(SECOND * if of_everything { 1 } else { 2 });
    }
    assert!(!is_free(new, "here"));
    assert!(is_free(new, "there"));
    limits.1.advance(SECOND);
    assert!(is_free(new, "here") && is_free(other, "here") && is_free(one, "here"));
}

/// Returns an operation that counts in a pool of ten calls in two seconds.
fn pooled(weight: u32) -> &'static Meta {
    operation("pooled", Effect::Read, &[RateLimit::per_ip(10).every(2).pool("requests", weight)])
}

fn feedback(report: PoolReport) -> RateLimitFeedback {
    RateLimitFeedback::default().of_pools([Some(report), None, None, None])
}

/// Returns how many calls of `meta` can be made now. All of them give their room back.
fn room_for(limits: &InProcessLimits, meta: &'static Meta) -> usize {
    let admissions = std::iter::repeat_with(|| limits.admit(Call::new(meta), false));
    let all: Vec<_> = admissions
        .map_while(|answer| if let Admission::Now(Ok(reservation)) = answer { Some(reservation) } else { None })
        .collect();
    let count = all.len();
    all.into_iter().for_each(|reservation| limits.give_back(reservation));
    count
}

/// Makes a call of the pool that is answered at once with `feedback`.
fn call_pooled(limits: &InProcessLimits, feedback: RateLimitFeedback) {
    let Admission::Now(Ok(mut reservation)) = limits.admit(Call::new(pooled(1)), false) else { return };
    limits.sent(&mut reservation);
    limits.answered(reservation, feedback);
}

#[test]
fn a_pool_that_others_use_has_less_room() {
    let limits = limits(LimitSettings::new().margin(Duration::ZERO));
    call_pooled(&limits.0, feedback(PoolReport::new("requests", 4)));
    assert_eq!((room_for(&limits.0, pooled(1)), room_for(&limits.0, pooled(2))), (4, 2));
    limits.1.advance(SECOND * 2);
    assert_eq!(room_for(&limits.0, pooled(1)), 10);
}

#[test]
fn a_pool_never_has_more_room_than_documented() {
    let limits = limits(LimitSettings::new().margin(Duration::ZERO));
    for remaining in [9, 10, u32::MAX] {
        call_pooled(&limits.0, feedback(PoolReport::new("requests", remaining).reset_in(Duration::ZERO)));
    }
    assert_eq!(room_for(&limits.0, pooled(1)), 7, "three calls were made");
    call_pooled(&limits.0, feedback(PoolReport::new("another", 0)));
    assert_eq!(room_for(&limits.0, pooled(1)), 6);
}

#[test]
fn calls_of_others_are_free_at_the_announced_reset() {
    let limits = limits(LimitSettings::new().margin(Duration::ZERO));
    call_pooled(&limits.0, feedback(PoolReport::new("requests", 0).reset_in(ms(300))));
    assert_eq!(room_for(&limits.0, pooled(1)), 0);
    limits.1.advance(ms(299));
    assert_eq!(room_for(&limits.0, pooled(1)), 0);
    limits.1.advance(ms(1));
    assert_eq!(room_for(&limits.0, pooled(1)), 9, "the own call still counts");
    limits.1.advance(ms(1_700));
    assert_eq!(room_for(&limits.0, pooled(1)), 10);
    // A reset that is further away than the window is long changes nothing.
    call_pooled(&limits.0, feedback(PoolReport::new("requests", 0).reset_in(SECOND * 60)));
    limits.1.advance(SECOND * 2);
    assert_eq!(room_for(&limits.0, pooled(1)), 10);
}
