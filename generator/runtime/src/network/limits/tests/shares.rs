//! Shares of a rate.

use std::time::Duration;

use super::driver::{Driver, SECOND, limited_to, limits, make_all};
use crate::data::error::LimiterErrorKind;
use crate::network::limits::{Admission, AdmissionError, Call, LimitSettings, Limiter, Plan, QuotaShare};

#[test]
fn a_share_is_a_part_of_every_limit() {
    let settings = LimitSettings::new().margin(Duration::ZERO).share(QuotaShare::new(1, 4));
    let made = make_all(&mut Driver::new(&limits(settings)), &[Call::new(limited_to(10)); 5]);
    assert_eq!(made, [0, 0, 1, 1, 2].map(|second| SECOND * second));
}

#[test]
fn a_share_below_one_call_is_refused() {
    let limits = limits(LimitSettings::new().share(QuotaShare::new(1, 4)));
    for wait in [false, true] {
        let Admission::Now(Err(AdmissionError::Unavailable(unavailable))) =
            limits.0.admit(Call::new(limited_to(3)), wait)
        else {
            unreachable!("it is known at once")
        };
        assert_eq!(unavailable.kind, LimiterErrorKind::NoShare);
        let text = "the limiter has no share of the rate: the share is less than one call of limited in a window";
        assert_eq!(unavailable.to_string(), text);
    }
}

/// A plan promises no time for calls that never go out.
#[test]
fn a_plan_reports_refused_calls() {
    let limits = limits(LimitSettings::new().margin(Duration::ZERO).share(QuotaShare::new(1, 4)));
    let [none, one] = [3, 4].map(|calls| Call::new(limited_to(calls)));
    let plan = limits.0.plan(&[none; 2]);
    assert_eq!((plan.requests, plan.refused, plan.lasts), (2, 2, Duration::ZERO));
    let text = "all 2 requests are refused: the share of their limit is less than one call in a window";
    assert_eq!(plan.to_string(), text);
    let plan = limits.0.plan(&[one, none, one]);
    assert_eq!((plan.requests, plan.refused, plan.lasts), (3, 1, SECOND));
    let text = "2 requests in 1.000 s, because of the limit of limited, 4 calls in 1 s per UID (default); 1 more are \
                refused: the share of their limit is less than one call in a window";
    assert_eq!(plan.to_string(), text);
    assert_eq!(Plan::from_nothing(&[one]).refused, 0);
}

#[test]
fn a_share_of_zero_admits_nothing() {
    for whole in 0..3 {
        assert_eq!(QuotaShare::new(0, whole).of(10), 0);
    }
}

#[test]
fn shares_together_have_no_more_than_there_is() {
    for calls in 0..100 {
        for whole in 0..20 {
            assert!((0..whole).map(|_| QuotaShare::new(1, whole).of(calls)).sum::<u32>() <= calls);
            assert_eq!(QuotaShare::new(whole + 1, whole).of(calls), calls);
        }
    }
    assert_eq!(QuotaShare::new(u32::MAX - 1, u32::MAX).of(u32::MAX), u32::MAX - 1);
}
