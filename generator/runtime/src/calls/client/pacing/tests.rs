//! The slots of spread calls.

use proptest::prelude::*;

use super::*;
use crate::data::tables::{Meta, Scope};

#[test]
fn a_heavy_call_takes_as_many_slots_as_it_weighs() {
    let row = RateLimit::per_uid(10);
    assert_eq!(interval(&row), Duration::from_millis(100));
    assert_eq!(interval(&row.every(5)), Duration::from_millis(500));
    assert_eq!(interval(&row.pool("orders", 4)), Duration::from_millis(400));
}

#[test]
fn calls_that_reduce_risk_are_not_spread() {
    let spread = [Effect::Read, Effect::Create, Effect::Amend, Effect::Cancel, Effect::Close].map(is_spread);
    assert_eq!(spread, [true, true, true, false, false]);
}

const fn operation(id: &'static str, limits: &'static [RateLimit]) -> Meta {
    Meta { id, limits, ..Meta::DEFAULT }
}

/// Operations with one limit, with several, with a pool in common, and with windows that are too long to spread over.
static OPERATIONS: [Meta; 4] = [
    operation("one", &[RateLimit::per_uid(10)]),
    operation("several", &[RateLimit::per_uid(20), RateLimit::per_ip(5).every(2), RateLimit::per_uid(30).every(61)]),
    operation("pooled", &[RateLimit::per_uid(50).pool("orders", 2), RateLimit::per_uid(1).every(3600)]),
    operation("heavy", &[RateLimit::per_uid(50).pool("orders", 10), RateLimit::per_uid(30).every(60)]),
];

const ACCOUNTS: [&str; 2] = ["one", "two"];

/// The limits that a call is spread over: a name for the calls that are counted together, and the time between two.
fn spread_by(operation: usize, account: usize) -> Vec<(String, u64)> {
    let of = |limit: &str| format!("{limit} of {}", ACCOUNTS[account]);
    match operation {
        0 => vec![(of("one"), 100)],
        1 => vec![(of("several"), 50), ("several of the address".to_owned(), 400)],
        2 => vec![(of("orders"), 40)],
        _ => vec![(of("orders"), 200), (of("heavy"), 2000)],
    }
}

fn call(operation: usize, account: usize) -> Call<'static> {
    Call::new(&OPERATIONS[operation]).counted_for(ACCOUNTS[account], "10.0.0.1")
}

fn take(slots: &Slots, operation: usize, account: usize, now: u64) -> u64 {
    let mut slot = slots.take(call(operation, account), Duration::from_millis(now));
    slot.is_used = true;
    u64::try_from(slot.at.as_millis()).unwrap_or(u64::MAX)
}

proptest! {
    /// A call leaves as soon as each of its limits has room between the calls before it, and no later: a limit over a
    /// longer window, or of another account, does not delay it, and neither does a call that waits for another limit.
    #[test]
    fn a_call_leaves_as_soon_as_all_its_limits_allow(
        calls in prop::collection::vec((0..OPERATIONS.len(), 0..ACCOUNTS.len(), 0_u64..500), 1..60),
    ) {
        let (slots, mut now, mut taken) = (Slots::default(), 0, Vec::<(String, u64, u64)>::new());
        for (operation, account, later) in calls {
            now += later;
            let limits = spread_by(operation, account);
            let is_free = |at: &u64| limits.iter().all(|(limit, length)| {
                taken.iter().all(|(of, begins, ends)| of != limit || *ends <= *at || at + length <= *begins)
            });
            let mut moments: Vec<_> = taken.iter().map(|(_, _, ends)| *ends).filter(|ends| *ends > now).collect();
            moments.push(now);
            moments.sort_unstable();
            let at = take(&slots, operation, account, now);
            prop_assert_eq!(Some(at), moments.into_iter().find(is_free));
            taken.extend(limits.into_iter().map(|(limit, length)| (limit, at, at + length)));
        }
    }

    /// Calls that are given up while they wait leave nothing behind, as if they had not been made.
    #[test]
    fn dropped_calls_delay_no_other_calls(
        calls in prop::collection::vec((0..OPERATIONS.len(), 0..ACCOUNTS.len(), 0_u64..500, any::<bool>()), 1..60),
    ) {
        let (slots, alone, mut now) = (Slots::default(), Slots::default(), 0);
        for (operation, account, later, is_given_up) in calls {
            now += later;
            if is_given_up {
                drop(slots.take(call(operation, account), Duration::from_millis(now)));
            } else {
                prop_assert_eq!(take(&slots, operation, account, now), take(&alone, operation, account, now));
            }
        }
    }
}

/// A call that waits behind one that is given up keeps its distance to the others, and the next call takes the free
/// slot.
#[test]
fn a_slot_that_is_given_back_is_taken_by_the_next() {
    let slots = Slots::default();
    assert_eq!(take(&slots, 0, 0, 0), 0);
    let given_up = slots.take(call(0, 0), Duration::ZERO);
    assert_eq!(take(&slots, 0, 0, 0), 200);
    drop(given_up);
    assert_eq!([take(&slots, 0, 0, 0), take(&slots, 0, 0, 0)], [100, 300]);
    assert_eq!(call(1, 0).counted(Scope::Ip), "10.0.0.1");
}

/// The heavy call takes 200 ms of the pool, and waits two seconds for a limit of its own.
#[test]
fn a_heavy_call_that_waits_does_not_delay_lighter_ones_and_keeps_its_turn() {
    let slots = Slots::default();
    assert_eq!([take(&slots, 3, 0, 0), take(&slots, 3, 0, 0)], [0, 2000]);
    let lighter: Vec<_> = (0..46).map(|_| take(&slots, 2, 0, 0)).collect();
    assert_eq!(lighter[..3], [200, 240, 280]);
    // Between 2000 and 2200 is the turn of the heavy one.
    assert_eq!(lighter[44..], [1960, 2200]);
    assert_eq!(take(&slots, 2, 0, 2100), 2240);
}
