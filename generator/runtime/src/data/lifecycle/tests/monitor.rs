//! The reports on one record after another.

use super::{Phase, Record, at, record, undocumented};
use crate::data::lifecycle::{Monitor, Observed};

fn all(records: impl IntoIterator<Item = Record>) -> Vec<Observed<Phase>> {
    let mut monitor = Monitor::new(8);
    records.into_iter().map(|record| monitor.observe(&record)).collect()
}

/// The report on the last one.
fn last(records: impl IntoIterator<Item = Record>) -> Observed<Phase> {
    all(records).pop().unwrap_or(Observed::Unidentified)
}

fn is_impossible(observed: &Observed<Phase>) -> bool {
    matches!(observed, Observed::Impossible(_))
}

#[test]
fn a_documented_sequence_of_states_raises_no_alarm() {
    let observed = all([at(1, Phase::New), at(2, Phase::Partly), at(2, Phase::Partly), at(4, Phase::Gone)]);
    let changed = |from, is_shown| Observed::Changed { from, is_shown };
    assert_eq!(observed, [Observed::First, changed(Phase::New, false), Observed::Same, changed(Phase::Partly, true)]);
}

#[test]
fn a_final_state_stays() {
    let change = last([at(1, Phase::Done), at(2, Phase::New)]).check().err();
    assert_eq!(change.as_ref().map(|change| (&change.from, &change.to)), Some((&Phase::Done, &Phase::New)));
    assert_eq!(
        change.map(|change| change.to_string()).as_deref(),
        Some(
            "the order 1 was done at 1970-01-01T00:00:00.001Z and is new at 1970-01-01T00:00:00.002Z, which the documents rule out; query it and compare"
        )
    );
}

#[test]
fn an_impossible_record_changes_nothing() {
    let observed = all([at(1, Phase::Done), at(2, Phase::New), at(3, Phase::Done), at(4, Phase::Gone)]);
    assert!(is_impossible(&observed[1]) && is_impossible(&observed[3]), "{observed:?}");
    assert_eq!(observed[2], Observed::Same);
}

#[test]
fn late_records_are_placed_by_their_times() {
    assert_eq!(last([at(5, Phase::Done), at(1, Phase::New)]), Observed::Late);
    assert_eq!(last([at(5, Phase::Done), at(5, Phase::New)]), Observed::Late);
    let change = last([at(5, Phase::New), at(1, Phase::Done)]).check().err();
    assert_eq!(change.map(|change| (change.from, change.to)), Some((Phase::Done, Phase::New)));
    assert!(is_impossible(&last([at(5, Phase::Done), at(5, Phase::Gone)])), "whichever came first");
    // A late record does not stand in for the latest one.
    assert!(is_impossible(&last([at(5, Phase::Partly), at(1, Phase::New), at(6, Phase::New)])));
}

#[test]
fn a_record_without_a_time_is_the_latest() {
    assert!(is_impossible(&last([at(5, Phase::Done), record("1", "", Phase::New)])));
    assert!(is_impossible(&last([record("1", "", Phase::Done), at(1, Phase::New)])));
}

#[test]
fn missing_fields_are_unidentified() {
    assert_eq!(last([record("", "", Phase::New)]), Observed::Unidentified);
    assert_eq!(last([Record { phase: None, ..at(1, Phase::New) }]), Observed::Unidentified);
    assert_eq!(last([at(1, Phase::Done), at(2, undocumented())]), Observed::Undocumented);
    assert!(is_impossible(&last([at(1, Phase::Done), at(2, undocumented()), at(3, Phase::New)])));
}

#[test]
fn an_order_is_known_by_either_id() {
    let only = |client_id, phase| record("", client_id, phase);
    assert!(is_impossible(&last([record("1", "a", Phase::Done), only("a", Phase::New)])));
    assert!(is_impossible(&last([only("a", Phase::Done), record("1", "a", Phase::New)])));
    // The exchange's id came later, and then alone.
    let observed = last([only("a", Phase::New), record("1", "a", Phase::Done), record("1", "", Phase::New)]);
    assert!(is_impossible(&observed));
    // Two entries turn out to be one order.
    let observed = last([record("1", "", Phase::New), only("a", Phase::Done), record("1", "a", Phase::Gone)]);
    assert!(is_impossible(&observed));
}

#[test]
fn another_order_may_have_the_same_client_id() {
    let mut monitor = Monitor::new(8);
    let observed = [record("1", "a", Phase::Done), record("2", "a", Phase::New)].map(|one| monitor.observe(&one));
    assert_eq!(observed, [Observed::First, Observed::First]);
    assert_eq!((monitor.state("1"), monitor.state_of_client_id("a")), (Some(&Phase::Done), Some(&Phase::New)));
    assert_eq!(monitor.observe(&record("", "a", Phase::New)), Observed::Same);
}

#[test]
fn ended_orders_are_forgotten_first() {
    let mut monitor = Monitor::new(2);
    for (id, phase) in [("1", Phase::New), ("2", Phase::New), ("2", Phase::Done), ("3", Phase::Partly)] {
        let _ = monitor.observe(&record(id, "", phase));
    }
    assert_eq!((monitor.len(), monitor.capacity()), (2, 2));
    assert_eq!((monitor.state("1"), monitor.state("2")), (Some(&Phase::New), None));
    assert_eq!(monitor.observe(&record("1", "", Phase::New)), Observed::Same);
    let _ = monitor.observe(&record("4", "", Phase::New));
    assert_eq!((monitor.state("3"), monitor.state("1").is_some()), (None, true), "3 was not seen for longest");
}

#[test]
fn a_monitor_may_have_no_room_at_all() {
    let mut monitor = Monitor::new(0);
    assert_eq!(monitor.observe(&at(1, Phase::Done)), Observed::First);
    assert_eq!(monitor.observe(&at(2, Phase::New)), Observed::First);
    assert!(monitor.is_empty());
}
