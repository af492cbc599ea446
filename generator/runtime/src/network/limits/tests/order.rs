//! The order in which calls are admitted.

use std::time::Duration;

use super::driver::{Driver, SECOND, limits, make_all, operation, per_uid};
use crate::data::tables::{Effect, Meta, Scope};
use crate::network::limits::{Call, LimitSettings};

fn place() -> &'static Meta {
    operation("place", Effect::Create, &[per_uid(100, "default")])
}

fn cancel() -> &'static Meta {
    operation("cancel", Effect::Cancel, &[per_uid(100, "default")])
}

/// One call a second for all operations together.
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
