//! Amendments whose outcome is unknown keep their places until that ends.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::time::Duration;

use super::TrackedOrders;
use crate::tables::{Amends, Effect, Meta, Outcome};

static META: Meta = Meta {
    id: "family.amend",
    family: "family",
    effect: Effect::Amend,
    amends: Some(Amends { list: None, ids: &["orderId"], in_flight: Some(1) }),
    ..Meta::DEFAULT
};

/// Whether the order takes an amendment now.
fn is_free(orders: &TrackedOrders, seconds: u64) -> bool {
    orders.amend(&META, &[vec!["7".to_owned()]], Duration::from_secs(seconds)).is_ok()
}

/// A view in which an amendment of the order has an unknown outcome, until a time.
fn held(until: Option<u64>) -> TrackedOrders {
    let orders = TrackedOrders::default();
    let pass = orders.amend(&META, &[vec!["7".to_owned()]], Duration::ZERO).unwrap().unwrap();
    assert!(!is_free(&orders, 0));
    orders.hold(&META, pass, vec!["7".to_owned()], until.map(Duration::from_secs));
    orders
}

#[test]
fn a_conclusion_frees_the_place() {
    for outcome in [Outcome::Done, Outcome::NotDone] {
        let orders = held(None);
        orders.concluded(&META, "7", Outcome::Unknown);
        orders.concluded(&META, "8", outcome);
        assert!(!is_free(&orders, 1_000_000));
        orders.concluded(&META, "7", outcome);
        assert!(is_free(&orders, 0));
    }
}

#[test]
fn the_place_is_free_when_the_amendment_can_no_longer_arrive() {
    let orders = held(Some(10));
    assert!(!is_free(&orders, 9));
    assert!(is_free(&orders, 10));
}
