//! A short campaign, and clients that are used wrongly: a campaign that cannot fail proves nothing.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::collections::BTreeMap;

use tradeapi_campaign::{Conduct, Figures, Settings, Violation, Word, run};

/// Small enough for every run of the tests; the clock that signatures are judged by runs fast.
fn short(seed: u64, conduct: Conduct) -> Figures {
    let faults = if conduct == Conduct::IgnoresLimits { 0 } else { 40 };
    let (placements, accounts, tasks) = (250, 8, 8);
    run(Settings { seed, placements, accounts, tasks, faults, speed: 20, conduct }).unwrap()
}

#[test]
fn none_is_lost_none_is_doubled_and_none_is_claimed_falsely() {
    for seed in [1, 2] {
        let figures = short(seed, Conduct::Careful);
        println!("seed {seed}\n{figures}");
        assert_eq!(figures.violations, []);
        let [happened, did_not, unknown] =
            [Word::Happened, Word::DidNot, Word::Unknown].map(|word| figures.count(word));
        assert!(happened > 300 && did_not > 20, "{happened} {did_not}");
        assert!(unknown < happened / 5, "{unknown}");
        assert!(figures.changes() > 300 && figures.tally.came_after_all > 0);
        assert!(figures.tally.faults.len() > 20, "{:?}", figures.tally.faults);
    }
}

/// How many violations of each kind a conduct leads to.
fn violations(conduct: Conduct) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for violation in short(3, conduct).violations {
        let kind = match violation {
            Violation::Lost(..) => "lost",
            Violation::Doubled(..) => "doubled",
            Violation::ClaimedFalsely(..) => "claimed falsely",
            Violation::TooFast(..) => "too fast",
            other => panic!("{other}"),
        };
        *counts.entry(kind).or_default() += 1;
    }
    counts
}

#[test]
fn who_uses_the_client_wrongly_is_found_out() {
    for (conduct, kind) in [
        (Conduct::TakesUnknownForFailure, "lost"),
        (Conduct::TakesUnknownForSuccess, "claimed falsely"),
        (Conduct::SendsAgain, "doubled"),
        (Conduct::TrustsTheFirstAbsence, "lost"),
        (Conduct::IgnoresLimits, "too fast"),
    ] {
        let found = violations(conduct);
        assert!(found.contains_key(kind), "{conduct:?}: {found:?}");
    }
}
