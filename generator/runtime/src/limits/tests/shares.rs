//! A part of the rate.

use std::time::Duration;

use super::driver::{Driver, SECOND, limited_to, limits, make_all};
use crate::limits::{Admission, Call, Denied, LimitSettings, Limiter, Share, Trouble};

#[test]
fn a_share_is_a_part_of_every_limit() {
    let settings = LimitSettings::new().margin(Duration::ZERO).share(Share::new(1, 4));
    let made = make_all(&mut Driver::new(&limits(settings)), &[Call::new(limited_to(10)); 5]);
    assert_eq!(made, [0, 0, 1, 1, 2].map(|second| SECOND * second));
}

#[test]
fn less_than_one_call_is_refused_whoever_waits() {
    let limits = limits(LimitSettings::new().share(Share::new(1, 4)));
    for wait in [false, true] {
        let Admission::Now(Err(Denied::Unavailable(unavailable))) = limits.0.ask(Call::new(limited_to(3)), wait) else {
            unreachable!("it is known at once")
        };
        assert_eq!(unavailable.trouble, Trouble::NoShare);
        let text = "the limiter has no share of the rate: it has less than one call of limited in a window";
        assert_eq!(unavailable.to_string(), text);
    }
    // But a plan comes to an end.
    assert_eq!(limits.0.plan(&[Call::new(limited_to(3)); 2]).requests, 2);
}

#[test]
fn shares_together_have_no_more_than_there_is() {
    for calls in 0..100 {
        for whole in 0..20 {
            assert!((0..whole).map(|_| Share::new(1, whole).of(calls)).sum::<u32>() <= calls);
            assert_eq!(Share::new(whole + 1, whole).of(calls), calls);
        }
    }
    assert_eq!(Share::new(u32::MAX - 1, u32::MAX).of(u32::MAX), u32::MAX - 1);
}
