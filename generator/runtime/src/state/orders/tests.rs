//! Which orders a view has, and which amendments keep their places.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::sync::Arc;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;

use super::book::Number;
use super::gate::AmendGate;
use super::{Standing, TrackedOrder, TrackedOrders};
use crate::data::lifecycle::{Lifecycle, OrderShown, Possible, StateRow};
use crate::data::tables::{Amends, Ceiling, Effect, Meta, Outcome};
use crate::data::value::Timestamp;

static META: Meta = Meta {
    id: "family.amend",
    family: "family",
    effect: Effect::Amend,
    amends: Some(Amends { list: None, ids: &["orderId"], in_flight: Some(1) }),
    ..Meta::DEFAULT
};

/// Returns whether the order takes an amendment now.
fn is_free(orders: &TrackedOrders, seconds: u64) -> bool {
    orders.amend(&META, &[vec!["7".to_owned()]], Duration::from_secs(seconds)).is_ok()
}

/// Returns a view in which an amendment of the order has an unknown outcome, until a time.
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

#[test]
fn another_family_frees_no_place() {
    static OTHER: Meta = Meta { id: "other.amend", family: "other", ..META };
    let orders = held(None);
    orders.concluded(&OTHER, "7", Outcome::Done);
    assert!(!is_free(&orders, 0));
}

#[test]
fn an_order_with_one_of_its_names_in_the_gate_is_busy() {
    let (gate, names) = (AmendGate::new(), |all: &[&str]| vec![all.iter().map(|name| (*name).to_owned()).collect()]);
    let pass = gate.enter_all(names(&["7"]), 1).unwrap();
    // The caller's id came later.
    assert_eq!(gate.enter_all(names(&["a", "7"]), 1).unwrap_err().in_flight, 1);
    drop(pass);
    let _pass = gate.enter_all(names(&["a", "7"]), 1).unwrap();
    for one in ["a", "7"] {
        assert!(gate.enter_all(names(&[one]), 1).is_err(), "{one}");
    }
}

static STATES: Lifecycle = Lifecycle { states: &[], transitions: &[] };

/// Returns the record of an order that is open.
fn record<'a>(id: Option<&'a str>, client_id: Option<&'a str>) -> OrderShown<'a> {
    OrderShown { id, client_id, kind: None, lifecycle: &STATES, state: None, at: None }
}

fn place(orders: &TrackedOrders, client_id: &str) -> Vec<Number> {
    orders.place(&META, vec![(client_id.to_owned(), None)])
}

fn open(orders: &TrackedOrders) -> Vec<(Option<String>, Option<String>, Standing)> {
    orders.open().iter().map(|order| (order.id.clone(), order.client_id.clone(), order.standing)).collect()
}

fn text(id: &str) -> Option<String> {
    Some(id.to_owned())
}

#[test]
fn an_id_that_an_open_order_has_places_no_other_one() {
    let orders = TrackedOrders::default();
    let first = place(&orders, "a");
    assert_eq!((first.len(), place(&orders, "a").len()), (1, 0));
    // The refusal of the second request says nothing about the first one.
    orders.not_placed(&META, &[]);
    assert_eq!(open(&orders), [(None, text("a"), Standing::Unknown)]);
}

#[test]
fn an_order_that_was_known_by_each_of_its_ids_is_one() {
    let orders = TrackedOrders::default();
    place(&orders, "a");
    orders.observe("family", record(Some("7"), None), None);
    assert_eq!(orders.open().len(), 2);
    orders.observe("family", record(Some("7"), Some("a")), None);
    assert_eq!(open(&orders), [(text("7"), text("a"), Standing::Open)]);
    assert_eq!(orders.get("family", "a"), orders.get("family", "7"));
}

/// A listing that does not show an order ends it only if the listing was certain to show it when it began.
#[test]
fn an_order_that_a_listing_lacks_has_ended() {
    let second = Duration::from_secs;
    for (visible, begun, is_over) in [(None, 1_000, false), (Some(10), 9, false), (Some(10), 10, true)] {
        let orders = TrackedOrders::default();
        let placed = place(&orders, "a");
        orders.may_be_placed(&META, &placed, visible.map(second));
        orders.listed("family", orders.turn(), second(begun));
        assert_eq!(orders.open().is_empty(), is_over, "visible from {visible:?}, listed at {begun}");
    }
}

#[test]
fn a_conclusion_that_nothing_was_placed_removes_the_order() {
    let orders = TrackedOrders::default();
    place(&orders, "a");
    orders.concluded(&META, "a", Outcome::Unknown);
    assert_eq!(orders.open().len(), 1);
    orders.concluded(&META, "a", Outcome::NotDone);
    assert!(orders.open().is_empty());
    // What a record has shown stays.
    place(&orders, "b");
    orders.observe("family", record(Some("8"), Some("b")), None);
    orders.concluded(&META, "b", Outcome::NotDone);
    assert_eq!(orders.open().len(), 1);
}

/// Partly filled, until the order is filled.
static LIFE: Lifecycle = {
    use Possible::{No, Yes};
    const fn row(value: &'static str, is_terminal: bool, becomes: &'static [Possible]) -> StateRow {
        StateRow { value, doc: "", is_terminal, can_cancel: No, can_modify: No, becomes }
    }
    Lifecycle {
        states: &[
            row("new", false, &[Yes, Yes, Yes]),
            row("partly", false, &[No, Yes, Yes]),
            row("done", true, &[No, No, Yes]),
        ],
        transitions: &[],
    }
};

/// Returns the record of the order 7 in a state, last changed then.
fn in_state(state: &str, second: u64) -> OrderShown<'_> {
    let (state, at) = (Some(state), Some(Timestamp::from_millis(1_000 * second)));
    OrderShown { lifecycle: &LIFE, state, at, ..record(Some("7"), None) }
}

/// Returns the state of the order 7, when it last changed, and whether it is open, after these records.
fn after(records: &[(&str, u64)]) -> (String, u64, bool) {
    let orders = TrackedOrders::default();
    records.iter().for_each(|(state, second)| orders.observe("family", in_state(state, *second), None));
    assert!(orders.take_contradictions().is_empty(), "{records:?}");
    let order = orders.get("family", "7").unwrap();
    (order.state.clone().unwrap(), order.at.unwrap().as_millis() / 1_000, order.may_be_open())
}

#[test]
fn a_record_from_before_changes_nothing() {
    assert_eq!(after(&[("new", 1), ("partly", 5), ("new", 2)]), ("partly".to_owned(), 5, true));
    assert_eq!(after(&[("partly", 5), ("partly", 3)]), ("partly".to_owned(), 5, true));
    let ended = ("done".to_owned(), 5, false);
    for late in [&[("partly", 3)][..], &[("new", 1), ("partly", 3)], &[("nobody documents it", 6)]] {
        assert_eq!(after(&[&[("new", 1), ("done", 5)], late].concat()), ended, "{late:?}");
    }
}

#[test]
fn a_state_that_cannot_follow_is_reported_and_changes_nothing() {
    let orders = TrackedOrders::default();
    orders.observe("family", in_state("new", 1), None);
    orders.observe("family", in_state("done", 5), None);
    orders.observe("family", in_state("new", 6), None);
    let contradictions = orders.take_contradictions();
    assert_eq!(contradictions.len(), 1);
    assert_eq!((contradictions[0].change.from.as_str(), contradictions[0].change.to.as_str()), ("done", "new"));
    assert_eq!(orders.get("family", "7").unwrap().state, text("done"));
}

#[test]
fn a_listing_ends_nothing_that_was_shown_since_it_began() {
    let (second, orders) = (Duration::from_secs, TrackedOrders::default());
    orders.observe("family", in_state("new", 1), Some(second(10)));
    let begun = orders.turn();
    orders.observe("family", in_state("new", 1), Some(second(100)));
    orders.listed("family", begun, second(50));
    assert_eq!(orders.open().len(), 1);
    // From when on a listing shows it, is known since the first record.
    orders.listed("family", orders.turn(), second(9));
    assert_eq!(orders.open().len(), 1);
    orders.listed("family", orders.turn(), second(10));
    assert!(orders.open().is_empty());
}

/// However often its end is shown.
#[test]
fn an_order_that_ended_is_remembered_until_many_others_have_ended() {
    let orders = TrackedOrders::default();
    orders.observe("family", in_state("new", 1), None);
    (0..2_000).for_each(|_| orders.observe("family", in_state("done", 2), None));
    assert_eq!(orders.get("family", "7").unwrap().state, text("done"));
}

crate::open_enum! {
    /// The instrument that is traded.
    enum Kind {
        Spot = "spot",
        Futures = "futures",
    }
}

static CEILINGS: &[Ceiling] = &[
    Ceiling { id: "spot", n: 1_000, over: &["spot"], doc: "" },
    Ceiling { id: "futures", n: 1_000, over: &["futures"], doc: "" },
];

proptest! {
    /// Whatever happened to the orders before.
    #[test]
    fn open_orders_are_listed_by_name_and_counted_by_kind(steps in vec((0..7, 0..4_usize, 0..3_usize, 0..4_u64), 0..60)) {
        let orders = TrackedOrders::default();
        let mut placed = Vec::new();
        for (step, name, kind, second) in steps {
            let name = ["a", "b", "c", "d"][name];
            let kind = [None, Some("spot"), Some("futures")][kind];
            match step {
                0 => placed.extend(orders.place(&META, vec![(name.to_owned(), kind.map(str::to_owned))])),
                1 => orders.not_placed(&META, &placed),
                2 => placed.iter().for_each(|number| orders.in_book("family", |book| book.accept(*number, None))),
                3 => orders.listed("family", orders.turn(), Duration::from_secs(second)),
                4 => orders.concluded(&META, name, Outcome::NotDone),
                5 => orders.open().first().into_iter().for_each(|order| orders.forget(order)),
                _ => {
                    let state = ["new", "partly", "done", "not documented"][second as usize];
                    let (id, client_id) = if second % 2 == 0 { (Some("7"), None) } else { (None, Some(name)) };
                    let shown = OrderShown { id, client_id, kind, ..in_state(state, second) };
                    orders.observe("family", shown, Some(Duration::from_secs(second)));
                }
            }
            let names: Vec<_> = orders.open().iter().map(|order| order.name().to_owned()).collect();
            prop_assert!(names.is_sorted(), "{names:?}");
            let counted = orders.counted("family", CEILINGS);
            for kind in [Kind::Spot, Kind::Futures] {
                let counts = |order: &Arc<TrackedOrder>| order.kind.as_deref().is_none_or(|own| own == kind.as_str());
                let open = orders.open().into_iter().filter(counts).count() as u64;
                prop_assert_eq!(counted.room(&kind), Some(1_000 - open));
            }
        }
    }
}
