//! Campaigns in virtual time: many seeds in each run of the tests, and clients that are wrong.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use tradeapi::runtime::tables::CallResult;
use tradeapi_campaign::{Conduct, Figures, Reached, Script, Settings, Word, shrink, simulate};
use tradeapi_exchange::{Landing, Quirk, Reached as OfExchange, Wrong};

/// The first account of a campaign with this seed, which has a world of its own.
fn first(seed: u64) -> Script {
    Script::of(&Settings { seed, ..Settings::default() }, 0)
}

#[test]
fn a_hundred_seeds_lose_double_and_claim_nothing_and_reach_everything() {
    let mut all = Figures::default();
    for seed in 0..100 {
        let figures = first(seed).run();
        if let Some(violation) = figures.violations.first() {
            let shortest = shrink(first(seed), violation.kind());
            panic!("{violation}\n\nThe shortest script that shows it:\n\n{shortest}\n{}", shortest.trace().trace);
        }
        all.add(figures);
    }
    println!("{all}");
    assert!(all.count(Word::Happened) > 8_000 && all.count(Word::DidNot) > 2_000);
    let (placed, unknown) = all.placements();
    assert!(unknown * 1_000 < placed, "{unknown} of {placed} are unknown");
    reaches_everything(&all);
}

/// The ends of calls that a campaign does not lead to: its requests keep the documents' rules, its clients wait for their
/// limits, no answer is too long, and the simulated network either takes a request or does not connect. The outcome of
/// items is counted as such.
const ELSEWHERE: [CallResult; 6] = [
    CallResult::Refused,
    CallResult::Limited,
    CallResult::AnswerTooLong,
    CallResult::NotWritten,
    CallResult::ItemFailed,
    CallResult::ItemUnaccounted,
];

/// What else decides an outcome, or leaves it open.
const DECIDED: [(&str, &str); 35] = [
    ("code", "a timestamp refused"),
    ("code", "an id used before"),
    ("code", "an unknown outcome"),
    ("code", "credentials refused"),
    ("code", "no effect"),
    ("code", "no such order"),
    ("code", "nothing known"),
    ("code", "too many requests"),
    ("done", "a record"),
    ("done", "the answer"),
    ("not done", "an absence"),
    ("not done", "the answer"),
    ("item", "an unknown outcome"),
    ("item", "done"),
    ("item", "not mentioned"),
    ("item", "refused"),
    ("item", "the call failed"),
    ("open", "another request was in flight that may have changed it"),
    ("open", "it does not, or not yet, have the values of the request"),
    ("open", "it has the values of the request, but its last change may be older than the request"),
    ("open", "it has the values of the request, but its last change may have been a fill or its end"),
    ("open", "it is another record with the same id: it differs from the request"),
    ("open", "it is not documented how long a record is kept, so its absence proves nothing"),
    ("open", "it was not found, according to a single response"),
    ("open", "it was not found, but may have been deleted already"),
    ("open", "it was not found, but may still appear"),
    ("open", "it was not found, but the request does several things and may have done another"),
    ("open", "something earlier has the same id"),
    ("open", "something older has the same id"),
    ("open", "the deadline passed before a query was answered"),
    ("open", "the query failed with a code that does not mean \"not found\""),
    ("open", "the query got no response"),
    ("open", "the response does not contain the exchange's time"),
    ("open", "the time in the response cannot be the exchange's"),
    ("open", "two requests had the same id, and the record may be of either"),
];

fn reaches_everything(figures: &Figures) {
    let counts = &figures.counts;
    let hostile = &counts.hostile;
    let wrongs = Wrong::ALL.iter().filter(|wrong| !hostile.wrongs.contains_key(wrong));
    assert_eq!(wrongs.collect::<Vec<_>>(), [&Wrong::None; 0], "what did not go wrong");
    let quirks = Quirk::ALL.iter().filter(|quirk| !hostile.quirks.contains_key(quirk));
    assert_eq!(quirks.collect::<Vec<_>>(), [&Quirk::None; 0], "quirks that did not come about");
    let landings = [Landing::Now, Landing::Late, Landing::VeryLate, Landing::Never];
    assert!(landings.iter().all(|landing| hostile.landings.contains_key(landing)), "{:?}", hostile.landings);
    let reached = OfExchange::ALL.iter().filter(|what| !hostile.reached.contains_key(what));
    assert_eq!(reached.collect::<Vec<_>>(), [&OfExchange::DoneHalf; 0], "what was not reached");
    let reached = Reached::ALL.iter().filter(|what| counts.times(**what) == 0);
    assert_eq!(reached.collect::<Vec<_>>(), [&Reached::Twin; 0], "what was not reached");
    let ends = CallResult::ALL.iter().filter(|end| !ELSEWHERE.contains(end)).map(|end| ("call", end.as_str()));
    let missing = ends.chain(DECIDED).filter(|what| !figures.decided.contains_key(what));
    assert_eq!(missing.collect::<Vec<_>>(), [("", ""); 0], "nothing was decided by these: {:#?}", figures.decided);
}

#[test]
fn accounts_that_once_failed_do_not_fail() {
    // The exchange denied an order twice, and showed it in between: as one of several with its id, in an answer that could
    // not be read, or to another call.
    const OF_SEED_7: &[u64] = &[13_947, 15_750, 15_986, 32_842, 37_169, 40_838, 46_234, 66_295];
    for (seed, accounts) in [(7, OF_SEED_7), (8, &[44_950])] {
        for &account in accounts {
            let script = Script::of(&Settings { seed, ..Settings::default() }, account);
            assert_eq!(script.run().violations, [], "account {account} of seed {seed}");
        }
    }
}

#[test]
fn the_same_seed_has_the_same_trace() {
    for seed in [3, 4, 5, 6] {
        let [one, other] = [first(seed), first(seed)].map(|script| script.trace());
        assert!(one.trace.lines().count() > 200);
        assert!(one.trace == other.trace, "seed {seed} has two traces");
        assert_eq!(one.figures.to_string(), other.figures.to_string());
    }
    assert_ne!(first(3).trace().trace, first(4).trace().trace);
}

/// Clients that are wrong, and what each of them is found out by.
const WRONG: [(Conduct, &str); 17] = [
    (Conduct::TakesUnknownForFailure, "lost"),
    (Conduct::TakesUnknownForSuccess, "claimed falsely"),
    (Conduct::BelievesEveryCode, "lost"),
    (Conduct::TakesHalfForNothing, "half done"),
    (Conduct::SendsAgain, "doubled"),
    (Conduct::GivesUp, "lost"),
    (Conduct::TrustsTheFirstAbsence, "lost"),
    (Conduct::BelievesOneNodesTime, "lost"),
    (Conduct::ForgetsTheForgotten, "lost"),
    (Conduct::BelievesAnyRecord, "claimed falsely"),
    (Conduct::BelievesThePrice, "claimed falsely"),
    (Conduct::TakesAnyAnswer, "claimed falsely"),
    (Conduct::TakesMissingForDone, "claimed falsely"),
    (Conduct::TakesMissingForNotDone, "lost"),
    (Conduct::IgnoresLimits, "too fast"),
    (Conduct::CountsWhenLetGo, "too fast"),
    (Conduct::BelievesEveryTime, "locked out"),
];

/// The account of a wrong client that is found out first, within so many placements.
fn found_out(conduct: Conduct, kind: &'static str, placements: u64) -> Option<(u64, Script)> {
    let settings = Settings { seed: 3, placements, conduct, ..Settings::default() };
    let mut found = None;
    let simulated = simulate(&settings, |so_far| {
        let by = so_far.failed.iter().find(|(script, _)| script.run().kinds().contains_key(kind));
        found = by.map(|(script, _)| script.clone());
        found.is_none()
    });
    found.map(|script| (simulated.figures.orders(), script))
}

#[test]
fn wrong_clients_are_found_out() {
    for (conduct, kind) in WRONG {
        let found = found_out(conduct, kind, 20_000).map(|(placements, _)| placements);
        println!("{conduct:?} is found out by {kind} within {found:?} placements");
        assert!(found.is_some(), "{conduct:?} is not found out by {kind}");
    }
}

#[test]
fn a_script_that_fails_is_shrunk_to_a_few_requests() {
    let (_, script) = found_out(Conduct::TakesUnknownForFailure, "lost", 20_000).unwrap();
    let shortest = shrink(script, "lost");
    println!("{shortest}");
    assert!(shortest.run().kinds().contains_key("lost"));
    assert!(shortest.requests.as_ref().unwrap().len() <= 2 && shortest.only.as_ref().unwrap().len() <= 2);
}
