//! Short campaigns, and clients that are used or made wrongly: a campaign that cannot fail proves nothing.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::thread;

use tradeapi_campaign::{Conduct, Figures, Settings, Word, run};
use tradeapi_hostile::{Fault, Quirk, Reached};

/// Small enough for every run of the tests; the clock that signatures are judged by runs fast.
fn short(seed: u64) -> Figures {
    let (placements, accounts, tasks) = (160, 8, 8);
    run(Settings { seed, placements, accounts, tasks, speed: 20, ..Settings::default() }).unwrap()
}

#[test]
fn none_is_lost_none_is_doubled_and_none_is_claimed_falsely() {
    let mut all = Figures::default();
    for seed in [1, 2, 3] {
        let figures = short(seed);
        println!("seed {seed}\n{figures}");
        assert_eq!(figures.violations, []);
        all.add(figures);
    }
    let (happened, did_not) = (all.count(Word::Happened), all.count(Word::DidNot));
    assert!(happened > 500 && did_not > 50, "{happened} {did_not}");
    let (placed, unknown) = all.placements();
    assert!(unknown * 100 < placed, "{unknown} of {placed} are unknown");
    every_trouble_was_reached(&all);
}

/// What depends on ids and seeds alone comes about in every run; the rest needs more time than a test has.
fn every_trouble_was_reached(figures: &Figures) {
    let tally = &figures.tally;
    assert!(tally.faults.len() > 30, "{:?}", tally.faults);
    assert!(tally.quirks.len() > 10, "{:?}", tally.quirks);
    for fault in [Fault::Refused, Fault::DoubtfulCode, Fault::OpenCode, Fault::MixedUp, Fault::Hidden, Fault::Outage] {
        assert!(tally.faults.contains_key(&fault), "{fault:?}");
    }
    for quirk in [Quirk::AbsurdTime, Quirk::AnotherAge, Quirk::AbsurdNumbers, Quirk::UnsolicitedAnswer] {
        assert!(tally.quirks.contains_key(&quirk), "{quirk:?}");
    }
    for what in [
        Reached::CameAfterAll,
        Reached::Twin,
        Reached::RefusedTwin,
        Reached::NamedByOrderId,
        Reached::WithoutId,
        Reached::AmendedTwoFields,
        Reached::AmendedWithoutChange,
        Reached::AnotherNode,
        Reached::JudgedByWrongClock,
        Reached::IdleClose,
        Reached::Unsolicited,
        Reached::DoneHalf,
        Reached::AskedEarly,
        Reached::AskedLate,
        Reached::LateFirstRequest,
        Reached::Dropped,
        Reached::Blocked,
        Reached::CancelledUnknown,
    ] {
        assert!(tally.times(what) > 0, "{what:?}");
    }
}

/// Clients that are wrong, what each of them is found out by, and how much must go wrong until it is.
const WRONG: [(Conduct, &str, u64, u64); 17] = [
    (Conduct::TakesUnknownForFailure, "lost", 60, 60),
    (Conduct::TakesUnknownForSuccess, "claimed falsely", 60, 60),
    (Conduct::BelievesEveryCode, "lost", 60, 100),
    (Conduct::TakesHalfForNothing, "half done", 80, 300),
    (Conduct::SendsAgain, "doubled", 60, 60),
    (Conduct::GivesUp, "lost", 60, 150),
    (Conduct::TrustsTheFirstAbsence, "lost", 60, 100),
    (Conduct::BelievesOneNodesTime, "lost", 60, 150),
    (Conduct::ForgetsTheForgotten, "lost", 60, 150),
    (Conduct::BelievesAnyRecord, "claimed falsely", 60, 300),
    (Conduct::BelievesThePrice, "claimed falsely", 60, 300),
    (Conduct::TakesAnyAnswer, "claimed falsely", 60, 300),
    (Conduct::TakesMissingForDone, "claimed falsely", 90, 200),
    (Conduct::TakesMissingForNotDone, "lost", 90, 200),
    (Conduct::IgnoresLimits, "too fast", 0, 150),
    (Conduct::CountsWhenLetGo, "too fast", 0, 300),
    (Conduct::BelievesEveryTime, "locked out", 40, 150),
];

#[test]
fn wrong_clients_are_detected() {
    let not_found_out = |(conduct, kind, faults, placements): (Conduct, &str, u64, u64)| {
        let quirks = if conduct == Conduct::BelievesEveryTime { 20 } else { 0 };
        // However slow the machine is, many tasks of one account are faster than a limit.
        let (accounts, tasks) = if conduct == Conduct::IgnoresLimits { (1, 48) } else { (12, 4) };
        let figures =
            run(Settings { seed: 3, placements, accounts, tasks, faults, quirks, speed: 20, conduct }).unwrap();
        (!figures.kinds().contains_key(kind)).then(|| format!("{conduct:?} is not found out by {kind}: {figures}"))
    };
    // A few at once: most of their time, they wait.
    for some in WRONG.chunks(9) {
        let missed: Vec<_> = thread::scope(|scope| {
            let runs: Vec<_> = some.iter().map(|wrong| scope.spawn(|| not_found_out(*wrong))).collect();
            runs.into_iter().filter_map(|run| run.join().unwrap()).collect()
        });
        assert!(missed.is_empty(), "{}", missed.join("\n\n"));
    }
}
