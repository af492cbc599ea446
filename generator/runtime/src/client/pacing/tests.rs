use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::tables::{Meta, Scope};

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
    /// A call leaves as soon as each of its limits allows after the calls before it, and no later: a limit over a
    /// longer window, or of another account, does not delay it.
    #[test]
    fn a_call_leaves_as_soon_as_all_its_limits_allow(
        calls in prop::collection::vec((0..OPERATIONS.len(), 0..ACCOUNTS.len(), 0_u64..500), 1..60),
    ) {
        let (slots, mut now, mut before) = (Slots::default(), 0, HashMap::<String, u64>::new());
        for (operation, account, later) in calls {
            now += later;
            let limits = spread_by(operation, account);
            let free = limits.iter().filter_map(|(limit, _)| before.get(limit)).max().copied();
            let at = take(&slots, operation, account, now);
            prop_assert_eq!(at, free.unwrap_or_default().max(now));
            before.extend(limits.into_iter().map(|(limit, interval)| (limit, at + interval)));
        }
    }

    /// Calls that are given up while they wait leave nothing behind, as if they had not been made.
    #[test]
    fn calls_that_are_given_up_delay_nobody(
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

/// A call that waits behind one that is given up keeps its distance to the call before that.
#[test]
fn a_slot_that_others_wait_behind_is_not_given_back() {
    let slots = Slots::default();
    assert_eq!(take(&slots, 0, 0, 0), 0);
    let given_up = slots.take(call(0, 0), Duration::ZERO);
    assert_eq!(take(&slots, 0, 0, 0), 200);
    drop(given_up);
    assert_eq!(take(&slots, 0, 0, 0), 300);
    assert_eq!(call(1, 0).counted(Scope::Ip), "10.0.0.1");
}
