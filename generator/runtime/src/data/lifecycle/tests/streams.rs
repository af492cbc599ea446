//! Records of whole lives, in order and out of order.

use proptest::prelude::*;

use super::{Phase, Record, at, record, undocumented};
use crate::data::lifecycle::{Monitor, Observed, Possible, State};

/// Phases of which every later one can follow every earlier one.
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
