//! Every small world with few deviations, and each assumption with a world in which it does not hold.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

#[path = "../../shared/empty_arguments.rs"]
mod empty_arguments;

use tradeapi_worlds::{Assumption, Failure, Laws, Moves, SCENARIOS, Scenario, Words, explore, run};

/// The most deviations of the worlds that are run here; the program goes further.
const DEVIATIONS: usize = 1;

/// Scenarios that go one deviation further.
const FURTHER: &[&str] = &["place", "classic", "batch", "flash-close"];

#[test]
fn the_client_says_nothing_false_in_any_small_world() {
    // Those with hundreds of points are run by the program; here, what lets a change arrive late is enough.
    for scenario in SCENARIOS.iter().filter(|scenario| scenario.moves != Moves::One) {
        let deviations = DEVIATIONS + usize::from(FURTHER.contains(&scenario.name));
        let explored = explore(scenario, deviations, Laws::default(), 3);
        let replays = explored.failures.iter().map(|failure| {
            let Failure { words, wrong_claims } = failure;
            format!("--scenario {} --replay \"{words}\": {wrong_claims:?}\n", scenario.name)
        });
        assert_eq!(replays.collect::<String>(), "");
        assert!(explored.worlds > 1 && explored.said.iter().sum::<usize>() > 0, "{}", scenario.name);
    }
}

#[test]
fn a_kind_world_has_no_unknown_outcome() {
    // Two orders of one id cannot be told apart.
    let is_told_apart = |scenario: &&Scenario| !scenario.name.starts_with("same-id") && scenario.moves != Moves::One;
    for scenario in SCENARIOS.iter().filter(is_told_apart) {
        let run = run(scenario, &Words::default(), Laws::default());
        let is_half_refused = scenario.conduct.refuses_second_part;
        assert_eq!(run.said[2] > 0, is_half_refused, "{}:\n{}", scenario.name, run.story.join("\n"));
    }
}

#[test]
fn a_world_is_replayed_by_its_words() {
    let scenario = Scenario::named("place").unwrap();
    let words = Words::read("place-order 1: request = is lost; order-info 2: answer = is cut").unwrap();
    let (one, other) = (run(scenario, &words, Laws::default()), run(scenario, &words, Laws::default()));
    assert_eq!(words.missed_by(&one.choices), Vec::<String>::new());
    assert_eq!(Words::of(&one.choices), words);
    assert_eq!(Words::read(&words.to_string()).unwrap(), words);
    assert_eq!((&one.choices, &one.story), (&other.choices, &other.story));
    assert_ne!(one.story, run(scenario, &Words::default(), Laws::default()).story);
}

/// Two orders get one id, and a machine of the exchange whose clock is ten minutes ahead moves that of signatures in
/// between. Only the second one is carried out, and the process is killed before it learns of it.
#[test]
fn a_clock_that_was_moved_distinguishes_no_two_orders_of_an_id() {
    let scenario = Scenario::named("same-id-later").unwrap();
    for clock in ["the exchange's are ahead", "the exchange's are behind"] {
        let words = format!(
            "place-order 1: request = is lost; place-order 1: answer = is a lost connection; \
             place-order 1: clocks = {clock}; process 0, place-order 2, sent = is killed"
        );
        let words = Words::read(&words).unwrap();
        let run = run(scenario, &words, Laws::default());
        let story = run.story.join("\n");
        assert_eq!(words.missed_by(&run.choices), Vec::<String>::new(), "{story}");
        assert_eq!(run.wrong_claims, [], "{story}");
    }
}

/// A renewal arrives after the first end, and the further ends are signed by a clock that is ahead: their failure says that
/// everything may have been cancelled.
#[test]
fn a_countdown_whose_end_fails_is_told() {
    let words = "countdown-cancel-all 3: request = is 25 s late and held; \
                 countdown-cancel-all 7: clocks = machine and answers are ahead";
    let words = Words::read(words).unwrap();
    let run = run(Scenario::named("guard").unwrap(), &words, Laws::default());
    let story = run.story.join("\n");
    assert_eq!(words.missed_by(&run.choices), Vec::<String>::new(), "{story}");
    assert_eq!(run.wrong_claims, [], "{story}");
}

/// The order arrives after the first round of `flatten`, and the first listing of the second one lacks it.
#[test]
fn an_account_is_not_flat_because_one_listing_lacks_an_order() {
    let words = "place-order 1: request = is 25 s late and held; unfilled-orders 16: answer = denies it";
    let words = Words::read(words).unwrap();
    let run = run(Scenario::named("flatten-beside-late").unwrap(), &words, Laws::default());
    let story = run.story.join("\n");
    assert_eq!(words.missed_by(&run.choices), Vec::<String>::new(), "{story}");
    assert_eq!(run.wrong_claims, [], "{story}");
}

/// The clock of the machine is set forward by twenty minutes, between the attempt that got no answer and the success.
#[test]
fn a_clock_that_is_set_does_not_end_the_wait_for_an_earlier_attempt() {
    for moment in ["cancel-symbol-order 1", "cancel-symbol-order 2"] {
        let words = format!(
            "start: clocks = the machine's is behind; cancel-symbol-order 1: request = is 25 s late and held; \
             {moment}: clocks = the machine's is ahead"
        );
        let words = Words::read(&words).unwrap();
        let run = run(Scenario::named("cancel-all-repeated").unwrap(), &words, Laws::default());
        let story = run.story.join("\n");
        assert_eq!(words.missed_by(&run.choices), Vec::<String>::new(), "{story}");
        assert_eq!(run.wrong_claims, [], "{story}");
    }
}

/// An earlier process gave the order its quantity, which the journal knows, and the clock of the exchange is ahead.
#[test]
fn what_an_earlier_process_gave_proves_no_amendment() {
    let words = "place-order 1: clocks = machine and answers are behind; modify-order 2: request = is lost";
    let words = Words::read(words).unwrap();
    let run = run(Scenario::named("amend-after-a-crash").unwrap(), &words, Laws::default());
    let story = run.story.join("\n");
    assert_eq!(words.missed_by(&run.choices), Vec::<String>::new(), "{story}");
    assert_eq!(run.wrong_claims, [], "{story}");
}

/// Changes are lost, and the orders that they placed have ended before the comparison that closes the gap. Later ones
/// still list them.
#[test]
fn what_a_journal_lost_is_not_foreign_once_its_gap_is_closed() {
    for (lost, order) in [
        ("lost the last change", "place-order 2: order = is filled at once"),
        ("lost the first change", "place-order 1: order = is filled at once"),
        ("lost all", "place-order 1: order = is filled at once; place-order 2: order = is filled at once"),
    ] {
        let words = Words::read(&format!("journal of process 1 = {lost}; {order}")).unwrap();
        let run = run(Scenario::named("lost-changes").unwrap(), &words, Laws::default());
        let story = run.story.join("\n");
        assert_eq!(words.missed_by(&run.choices), Vec::<String>::new(), "{story}");
        assert_eq!(run.wrong_claims, [], "{story}");
    }
}

/// The process is dead, and the exchange cancels its order in its place; while it lives, the order stays.
#[test]
fn the_orders_of_a_dead_process_are_cancelled() {
    let scenario = Scenario::named("guard").unwrap();
    let fires = |words: &str| {
        let words = Words::read(words).unwrap();
        let run = run(scenario, &words, Laws::default());
        let story = run.story.join("\n");
        assert_eq!((words.missed_by(&run.choices), run.wrong_claims), (Vec::new(), Vec::new()), "{story}");
        story.contains("the countdown of key is over")
    };
    assert!(!fires(""));
    assert!(fires("process 0, countdown-cancel-all 2, sent = is killed"));
    assert!(!fires("countdown-cancel-all 2: request = is lost; countdown-cancel-all 3: request = is lost"));
    // The renewal that is under way at the end is carried out after it.
    assert!(!fires("countdown-cancel-all 5: request = is 25 s late and held"));
}

/// For each assumption of the client, worlds in which it does not hold and the client says something false: the
/// scenario, how the world deviates from the kind one, and the wrong claim.
const WITHOUT: &[(Assumption, &str, &str, &str)] = &[
    (Assumption::Settling, "place", "place-order 1: request = is held for minutes", NOT_DONE),
    (
        Assumption::Lag,
        "place",
        "process 0, place-order 1, sent = is killed; restart of process 0 = after five minutes; \
         order-info 1: answer = lags by minutes; order-info 2: answer = lags by minutes",
        NOT_DONE,
    ),
    (
        Assumption::Lag,
        "place",
        "process 0, end of change 1 = is killed; restart of process 0 = after five minutes; \
         unfilled-orders 3: answer = lags by minutes; order-info 2: answer = lags by minutes; \
         order-info 3: answer = lags by minutes",
        GONE,
    ),
    (Assumption::Lag, "ledger", "fills 3: answer = lags; fills 8: answer = lags by minutes", POSITION),
    (
        Assumption::ClockError,
        "place",
        "place-order 1: request = is 25 s late and held; process 0, place-order 1, sent = is killed; \
         place-order 1: clocks = machine and answers are far ahead",
        NOT_DONE,
    ),
    (
        Assumption::Denials,
        "place",
        "process 0, place-order 1, sent = is killed; restart of process 0 = after five minutes; \
         order-info 1: answer = denies it; order-info 2: answer = denies it",
        NOT_DONE,
    ),
    (Assumption::Window, "place", "place-order 1: request = is minutes late", NOT_DONE),
    (
        Assumption::Kept,
        "place",
        "place-order 1: answer = is lost; place-order 1: order = is cancelled and forgotten",
        NOT_DONE,
    ),
    (Assumption::Repeats, "funds-for-one", "place-order 1: request = arrives twice at once", NOT_DONE),
    (Assumption::Repeats, "same-id-allowed", "place-order 1: request = arrives twice at once", DOUBLED),
    (
        Assumption::Duplicates,
        "reconcile",
        "place-order 1: request = arrives twice; place-order 1: order = is filled at once",
        DOUBLED,
    ),
    (Assumption::Codes, "place", "place-order 1: answer = is a refusal nevertheless", NOT_DONE),
    (Assumption::Ids, "two-processes", "id of process 1 = a; place-order 2: answer = is lost", DONE),
    (Assumption::Answers, "place", "place-order 1: answer = is another's refusal", NOT_DONE),
    (
        Assumption::Journal,
        "place",
        "process 0, place-order 1, sent = is killed; restart of process 0 = after five minutes; \
         key of process 1 = another account's, which it claims",
        NOT_DONE,
    ),
    (Assumption::Records, "evidence", "place-order 1: request = is lost; record of a = of another account", DONE),
    (Assumption::Gaps, "lost-changes", "journal of process 1 = lost all, and does not notice", OWN),
    (
        Assumption::Amendments,
        "amend-others",
        "place-order 1: clocks = machine and answers are behind; quantity of a = the same; \
         modify-order 1: request = is lost",
        DONE,
    ),
];

const OWN: &str = "an own order is cancelled";
const POSITION: &str = "a ledger shows a wrong position";
const DONE: &str = "said done, and it had no effect";
const GONE: &str = "a live order is said to be gone";
const DOUBLED: &str = "an order is doubled";
const NOT_DONE: &str = "said not done, and it had an effect";

#[test]
fn each_assumption_is_needed() {
    assert!(Assumption::ALL.iter().all(|one| WITHOUT.iter().any(|(assumption, ..)| assumption == one)));
    for &(assumption, scenario, words, kind) in WITHOUT {
        let (scenario, words) = (Scenario::named(scenario).unwrap(), Words::read(words).unwrap());
        let broken = run(scenario, &words, Laws { broken: Some(assumption) });
        let story = broken.story.join("\n");
        assert_eq!(words.missed_by(&broken.choices), Vec::<String>::new(), "{assumption:?}:\n{story}");
        assert!(broken.wrong_claims.iter().any(|word| word.kind == kind), "{assumption:?}:\n{story}");
    }
}

#[test]
fn the_assumptions_are_those_of_the_guide() {
    let guide = include_str!("../../../generated/guide/unknown-outcomes.md");
    let (_, table) = guide.split_once("\n| name | assumption |").unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let names: Vec<_> = rows.map(|row| row.trim_matches('|').split('|').next().unwrap().trim()).collect();
    assert_eq!(names, Assumption::ALL.map(Assumption::name));
}

/// The case flag-takes-the-next-option.
#[test]
fn no_option_takes_the_next_one_or_an_empty_variable_for_its_value() {
    assert_eq!(empty_arguments::tried(env!("CARGO_BIN_EXE_tradeapi-worlds")), 5);
}
