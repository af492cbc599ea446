//! A lifecycle of four states, and records of things that go through it: one after another, and whole lives in order
//! and out of order.

use proptest::prelude::*;

use super::{HasState, Lifecycle, Next, Possible, State, StateRow, Transition};
use crate::data::lifecycle::{Monitor, Observed};
use crate::data::value::{Timestamp, enum_from_wire};

crate::open_enum! {
    /// New, then filled in parts, until it is done or gone.
    pub(super) enum Phase {
        New = "new",
        Partly = "partly",
        Done = "done",
        Gone = "gone",
    }
}

const LIFECYCLE: Lifecycle = {
    use Possible::{No, Unspecified, Yes};
    Lifecycle {
        states: &[
            row("new", false, [Yes, Yes], &[Yes, Unspecified, Unspecified, Yes]),
            row("partly", false, [Yes, Unspecified], &[No, Yes, Unspecified, Yes]),
            row("done", true, [No, No], &[No, No, Yes, No]),
            row("gone", true, [No, No], &[No, No, No, Yes]),
        ],
        transitions: &[Transition {
            from: &["new", "partly"],
            triggers: &["cancel"],
            next: Next::State("gone"),
            condition: "",
            doc: "",
        }],
    }
};

const fn row(
    value: &'static str,
    is_terminal: bool,
    [can_cancel, can_modify]: [Possible; 2],
    becomes: &'static [Possible],
) -> StateRow {
    StateRow { value, doc: "", is_terminal, can_cancel, can_modify, becomes }
}

impl State for Phase {
    const LIFECYCLE: &'static Lifecycle = &LIFECYCLE;
}

/// A record; whatever is `None` or empty was left out.
#[derive(Clone, Debug)]
pub(super) struct Record {
    id: &'static str,
    client_id: &'static str,
    phase: Option<Phase>,
    at: Option<u64>,
}

impl HasState for Record {
    type State = Phase;

    fn id(&self) -> Option<&str> {
        (!self.id.is_empty()).then_some(self.id)
    }

    fn client_id(&self) -> Option<&str> {
        (!self.client_id.is_empty()).then_some(self.client_id)
    }

    fn state(&self) -> Option<&Phase> {
        self.phase.as_ref()
    }

    fn at(&self) -> Option<Timestamp> {
        self.at.map(Timestamp::from_millis)
    }
}

/// Returns a record without a time.
pub(super) fn record(id: &'static str, client_id: &'static str, phase: Phase) -> Record {
    Record { id, client_id, phase: Some(phase), at: None }
}

/// Returns a record of the order `1`.
pub(super) fn at(at: u64, phase: Phase) -> Record {
    Record { at: Some(at), ..record("1", "", phase) }
}

pub(super) fn undocumented() -> Phase {
    enum_from_wire("asleep")
}

#[test]
fn a_table_answers_for_documented_states_and_leaves_the_rest_open() {
    assert!(Phase::Done.is_terminal() && !Phase::New.is_terminal() && !undocumented().is_terminal());
    assert_eq!((Phase::New.can_cancel(), Phase::New.can_modify()), (Possible::Yes, Possible::Yes));
    assert_eq!((Phase::Done.can_cancel(), Phase::Partly.can_modify()), (Possible::No, Possible::Unspecified));
    assert_eq!(
        (undocumented().can_cancel(), undocumented().can_modify()),
        (Possible::Unspecified, Possible::Unspecified)
    );
    assert_eq!(Phase::Partly.can_become(&Phase::New), Possible::No);
    assert_eq!(Phase::New.can_become(&Phase::Partly), Possible::Unspecified);
    assert_eq!(Phase::Done.can_become(&undocumented()), Possible::Unspecified);
    assert_eq!(undocumented().can_become(&Phase::New), Possible::Unspecified);
    assert_eq!(undocumented().can_become(&undocumented()), Possible::Yes);
}

fn all(records: impl IntoIterator<Item = Record>) -> Vec<Observed<Phase>> {
    let mut monitor = Monitor::new(8);
    records.into_iter().map(|record| monitor.observe(&record)).collect()
}

/// Returns the report on the last one.
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

/// Returns phases of which every later one can follow every earlier one.
fn life() -> impl Strategy<Value = Vec<Phase>> {
    prop::collection::vec(0..Phase::ALL.len(), 1..12).prop_map(|steps| {
        let mut life: Vec<Phase> = Vec::new();
        for step in steps {
            if life.iter().all(|earlier| earlier.can_become(&Phase::ALL[step]) != Possible::No) {
                life.push(Phase::ALL[step].clone());
            }
        }
        life
    })
}

fn timed(life: &[Phase]) -> Vec<Record> {
    (1..).zip(life).map(|(time, phase)| at(time, phase.clone())).collect()
}

fn alarms(records: &[Record]) -> usize {
    let mut monitor = Monitor::new(4);
    records.iter().filter(|record| matches!(monitor.observe(*record), Observed::Impossible(_))).count()
}

proptest! {
    #[test]
    fn allowed_transitions_raise_no_alarm(life in life()) {
        let untimed: Vec<_> = life.iter().map(|phase| record("1", "", phase.clone())).collect();
        prop_assert_eq!(alarms(&untimed), 0);
        prop_assert_eq!(alarms(&timed(&life)), 0);
    }

    #[test]
    fn repeats_gaps_and_disorder_raise_none(records in life().prop_flat_map(|life| {
        let records = timed(&life);
        prop::collection::vec(prop::sample::select(records), 1..30)
    })) {
        prop_assert_eq!(alarms(&records), 0);
    }

    #[test]
    fn one_impossible_jump_raises_one(life in life(), jump in 0..Phase::ALL.len()) {
        let (Some(end), jump) = (life.last(), &Phase::ALL[jump]) else { return Ok(()) };
        prop_assume!(end.can_become(jump) == Possible::No);
        let mut with_jump = life.clone();
        with_jump.push(jump.clone());
        prop_assert_eq!(alarms(&timed(&with_jump)), 1);
        let untimed: Vec<_> = with_jump.iter().map(|phase| record("1", "", phase.clone())).collect();
        prop_assert_eq!(alarms(&untimed), 1);
    }

    #[test]
    fn no_feed_breaks_it_or_fills_more_than_there_is_room_for(
        capacity in 0..4_usize,
        feed in prop::collection::vec((0..5_usize, 0..5_usize, 0..6_usize, prop::option::of(0..9_u64)), 0..60),
    ) {
        const IDS: [&str; 5] = ["", "1", "2", "3", "4"];
        let mut monitor = Monitor::new(capacity);
        for (id, client_id, phase, at) in feed {
            let phase = (phase < 5).then(|| Phase::ALL.get(phase).cloned().unwrap_or_else(undocumented));
            let _ = monitor.observe(&Record { id: IDS[id], client_id: IDS[client_id], phase, at });
            prop_assert!(monitor.len() <= capacity);
        }
    }
}
