//! A plan says what will happen, in the order in which calls are admitted.

use std::time::Duration;

use proptest::prelude::*;

use super::{Driver, SECOND, limited_to, limits, make_all, ms, operation, per_ip, per_uid};
use crate::data::clock::Timer;
use crate::data::tables::{Effect, Meta, Scope};
use crate::network::limits::{Call, LimitSettings, Limiter, Plan, RateLimitFeedback};

#[test]
fn a_plan_reports_duration_and_reason() {
    let call = Call::new(operation("place", Effect::Create, &[per_uid(10, "default")]));
    let limits = limits(LimitSettings::new().margin(Duration::ZERO));
    let plan = limits.0.plan(&[call; 95]);
    assert_eq!((plan.requests, plan.lasts), (95, SECOND * 9));
    assert_eq!(
        plan.to_string(),
        "95 requests in 9.000 s, because of the limit of place, 10 calls in 1 s per UID (default)"
    );
    assert_eq!(limits.0.plan(&[call; 10]).to_string(), "10 requests in 0.000 s");
    assert_eq!(Plan::from_nothing(&[call; 11]).lasts, SECOND + ms(5));
    assert_eq!(Plan::from_nothing(&[]).requests, 0);
}

#[test]
fn the_overall_limit_can_be_the_binding_one() {
    let place = Call::new(operation("place", Effect::Create, &[per_uid(10, "default")]));
    let list = Call::new(operation("list", Effect::Read, &[per_uid(20, "default")]));
    let limits = limits(LimitSettings::new().overall(5, 1, Scope::Ip));
    let plan = limits.0.plan(&[place, list].repeat(5));
    assert_eq!(plan.binding.map(|binding| (binding.operation, binding.limit.calls)), Some((None, 5)));
}

#[test]
fn a_plan_includes_waiting_calls() {
    let call = Call::new(limited_to(1));
    let limits = limits(LimitSettings::new().margin(Duration::ZERO));
    let mut driver = Driver::new(&limits);
    let (_, about_to_go) = driver.admit(call);
    let (_, waits) = driver.admit(call);
    assert!(about_to_go.is_some() && waits.is_none());
    assert_eq!(limits.0.plan(&[call; 2]).lasts, SECOND * 3);
}

/// Trips take room, too, once it is known how long they are.
#[test]
fn a_plan_uses_measured_trips() {
    let call = Call::new(limited_to(1));
    let limits = limits(LimitSettings::new().margin(Duration::ZERO));
    let mut driver = Driver::new(&limits);
    let mut next = || {
        let (number, reservation) = driver.admit(call);
        let reservation = reservation.or_else(|| {
            driver.step(Duration::MAX);
            driver.woken().into_iter().find(|(woken, _)| *woken == number).map(|(_, reservation)| reservation)
        });
        let (mut reservation, sent) = (reservation.unwrap_or_else(|| unreachable!("it is the only one")), driver.now());
        limits.0.sent(&mut reservation);
        driver.timer.advance(ms(200));
        limits.0.answered(reservation, RateLimitFeedback::default().after(ms(200)));
        sent
    };
    (0..100).for_each(|_| _ = next());
    let (now, plan) = (limits.1.now(), limits.0.plan(&[call; 3]));
    let last = (0..3).map(|_| next()).last();
    assert_eq!(Some(now + plan.lasts), last);
}

proptest! {
    #[test]
    fn a_plan_equals_the_admissions(
        before in prop::collection::vec((0..4_usize, 0..300_u64), 0..30),
        calls in prop::collection::vec(0..4_usize, 0..60),
        overall in prop::option::of(1..15_u32),
    ) {
        let operations = [
            limited_to(5),
            operation("cancel", Effect::Cancel, &[per_uid(3, "default")]),
            operation("address", Effect::Read, &[per_ip(2), per_uid(4, "default")]),
            operation("free", Effect::Read, &[]),
        ].map(Call::new);
        let settings = LimitSettings::new();
        let limits = limits(match overall {
            Some(calls) => settings.overall(calls, 1, Scope::Uid),
            None => settings,
        });
        let mut driver = Driver::new(&limits);
        for (operation, pause) in before {
            driver.timer.advance(ms(pause));
            make_all(&mut driver, &[operations[operation]]);
        }
        let calls: Vec<_> = calls.into_iter().map(|operation| operations[operation]).collect();
        let start = driver.now();
        let plan = limits.0.plan(&calls);
        let made = make_all(&mut driver, &calls);
        prop_assert_eq!(plan.requests, calls.len());
        prop_assert_eq!(plan.lasts, made.iter().max().map_or(Duration::ZERO, |last| *last - start));
        prop_assert_eq!(plan.binding.is_some(), plan.lasts > Duration::ZERO);
    }
}

fn place() -> &'static Meta {
    operation("place", Effect::Create, &[per_uid(100, "default")])
}

fn cancel() -> &'static Meta {
    operation("cancel", Effect::Cancel, &[per_uid(100, "default")])
}

/// Returns settings of one call a second for all operations together.
fn one_at_a_time() -> LimitSettings {
    LimitSettings::new().margin(Duration::ZERO).overall(1, 1, Scope::Uid)
}

#[test]
fn cancels_overtake() {
    let calls = [place(), place(), place(), cancel(), cancel()].map(Call::new);
    let made = make_all(&mut Driver::new(&limits(one_at_a_time())), &calls);
    assert_eq!(made, [0, 3, 4, 1, 2].map(Duration::from_secs));
}

#[test]
fn cancels_can_wait_like_all_others() {
    let calls = [place(), place(), place(), cancel(), cancel()].map(Call::new);
    let made = make_all(&mut Driver::new(&limits(one_at_a_time().cancels_first(false))), &calls);
    assert_eq!(made, [0, 1, 2, 3, 4].map(Duration::from_secs));
}

/// Even one that comes at the very moment at which another could go.
#[test]
fn a_cancel_overtakes_at_the_last_moment() {
    let limits = limits(one_at_a_time());
    let mut driver = Driver::new(&limits);
    let first = driver.admit(Call::new(place())).1.map(|reservation| driver.make(reservation));
    assert_eq!(first, Some(Duration::ZERO));
    let (second, reservation) = driver.admit(Call::new(place()));
    assert_eq!(reservation, None);
    driver.timer.advance(SECOND - Duration::from_nanos(1));
    let (cancel, reservation) = driver.admit(Call::new(cancel()));
    assert_eq!(reservation, None);
    driver.timer.advance(Duration::from_nanos(1));
    let woken = driver.woken();
    assert_eq!(woken.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [cancel]);
    woken.into_iter().for_each(|(_, reservation)| _ = driver.make(reservation));
    driver.timer.advance(SECOND);
    assert_eq!(driver.woken().first().map(|(number, _)| *number), Some(second));
}

#[test]
fn first_come_first_served() {
    let amend = operation("amend", Effect::Amend, &[per_uid(100, "default")]);
    let calls = [place(), amend, place(), place(), amend].map(Call::new);
    let made = make_all(&mut Driver::new(&limits(one_at_a_time())), &calls);
    assert_eq!(made, [0, 1, 2, 3, 4].map(Duration::from_secs));
}

/// A call that waits for a limit of its own does not hold up others.
#[test]
fn a_full_line_does_not_block_the_others() {
    let rare = operation("rare", Effect::Create, &[per_uid(1, "default")]);
    let settings = LimitSettings::new().margin(Duration::ZERO).overall(3, 1, Scope::Uid);
    let calls = [rare, rare, rare, place(), place(), place()].map(Call::new);
    let made = make_all(&mut Driver::new(&limits(settings)), &calls);
    assert_eq!(made, [0, 1, 2, 0, 0, 1].map(Duration::from_secs));
}

#[test]
fn a_newcomer_takes_no_ones_slot() {
    let limits = limits(one_at_a_time());
    let mut driver = Driver::new(&limits);
    let made = driver.admit(Call::new(place())).1.map(|reservation| driver.make(reservation));
    assert_eq!(made, Some(Duration::ZERO));
    let (waiting, _) = driver.admit(Call::new(place()));
    driver.timer.advance(SECOND);
    // The waiting call was admitted, but has not been polled yet.
    let (_, reservation) = driver.admit(Call::new(place()));
    assert_eq!(reservation, None);
    // When it gives up, the newcomer is next at once.
    driver.give_up(waiting);
    assert_eq!(driver.woken().len(), 1);
}
