//! What no longer matters is forgotten.

use std::time::Duration;

use proptest::prelude::*;

use super::driver::{Driver, SECOND, limits, most_in_any, ms, operation, per_ip, per_uid};
use crate::limits::book::Book;
use crate::limits::{Admission, Call, LimitSettings, Limiter, RateLimitFeedback, TooMany};
use crate::tables::{Effect, Scope};

fn settings() -> LimitSettings {
    LimitSettings::new().margin(Duration::ZERO)
}

#[test]
fn idle_lanes_and_windows_are_dropped() {
    let meta = operation("place", Effect::Create, &[per_uid(10, "default"), per_ip(20)]);
    let mut book = Book::new(settings().overall(100, 1, Scope::Uid));
    for number in 0..100_000_u32 {
        let (account, address) = (format!("account {number}"), format!("address {}", number / 7));
        let now = ms(10) * number;
        let bucket = book.bucket(&Call::new(meta).counted_for(&account, &address), now);
        book.hold(bucket);
        book.answered(bucket, now, now, None);
    }
    // A hundred are called in a second.
    assert!(book.buckets.len() < 500, "{}", book.buckets.len());
    assert!(book.windows.len() < 1_500, "{}", book.windows.len());
    assert_eq!(book.window_of.len(), book.windows.len());
    assert_eq!(book.lanes_of.values().map(Vec::len).sum::<usize>(), book.buckets.len());
}

/// A slot that was let go long ago still counts when it is used.
#[test]
fn what_is_held_is_not_dropped() {
    let meta = operation("place", Effect::Create, &[per_uid(1, "default")]);
    let limits = limits(settings());
    let driver = Driver::new(&limits);
    let ask = |account| limits.0.ask(Call::new(meta).counted_for(account, ""), false);
    let Admission::Now(Ok(slot)) = ask("slow") else { unreachable!("there is room") };
    for number in 0..1_000 {
        limits.1.advance(SECOND);
        let name = number.to_string();
        let call = Call::new(meta).counted_for(&name, "");
        assert!(matches!(limits.0.ask(call, false), Admission::Now(Ok(_))));
    }
    driver.make(slot);
    assert!(matches!(ask("slow"), Admission::Now(Err(_))));
}

/// An answer that comes when its bucket is gone is not taken for another's.
#[test]
fn late_answers_meet_no_other_lane() {
    let meta = operation("place", Effect::Create, &[per_uid(1, "default")]);
    let limits = limits(settings());
    let ask = |account| limits.0.ask(Call::new(meta).counted_for(account, ""), false);
    let Admission::Now(Ok(mut slot)) = ask("late") else { unreachable!("there is room") };
    limits.0.sent(&mut slot);
    limits.1.advance(SECOND);
    let names: Vec<_> = (0..500).map(|number| number.to_string()).collect();
    for name in &names {
        let Admission::Now(Ok(slot)) = ask(name) else { unreachable!("there is room") };
        limits.0.give_back(slot);
    }
    limits.0.answered(slot, RateLimitFeedback::new(Some(TooMany::default()), None));
    assert!(names.iter().all(|name| matches!(ask(name), Admission::Now(Ok(_)))));
}

proptest! {
    /// However often buckets are dropped and made anew, no window has too many.
    #[test]
    fn nothing_is_gained_by_being_dropped(
        calls in prop::collection::vec((0..400_usize, 0..20_u64), 1..600),
    ) {
        let meta = operation("place", Effect::Create, &[per_uid(2, "default")]);
        let limits = limits(settings());
        let driver = Driver::new(&limits);
        let names: Vec<_> = (0..400).map(|number| number.to_string()).collect();
        let mut made = vec![Vec::new(); names.len()];
        for (number, pause) in calls {
            limits.1.advance(ms(pause));
            for number in [number, number % 3] {
                if let Admission::Now(Ok(slot)) = limits.0.ask(Call::new(meta).counted_for(&names[number], ""), false) {
                    made[number].push(driver.make(slot));
                }
            }
        }
        prop_assert!(made.iter().all(|made| most_in_any(made, SECOND) <= 2));
    }
}
