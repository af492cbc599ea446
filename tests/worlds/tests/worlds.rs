//! Every small world with few deviations, and each assumption with a world in which it does not hold.

use tradeapi_worlds::{Failure, Laws, Scenario, Words, explore, run};

/// The most deviations of the worlds that are run here; the program goes further.
const DEVIATIONS: usize = 1;

/// Scenarios that go one deviation further.
const FURTHER: &[&str] = &["place", "classic", "batch", "flash-close"];

#[test]
fn the_client_says_nothing_false_in_any_small_world() {
    for scenario in Scenario::survived() {
        let deviations = DEVIATIONS + usize::from(FURTHER.contains(&scenario.name));
        let explored = explore(scenario, deviations, Laws::default(), 3);
        let replays = explored.failures.iter().map(|failure| {
            let Failure { words, false_words } = failure;
            format!("--scenario {} --replay \"{words}\": {false_words:?}\n", scenario.name)
        });
        assert_eq!(replays.collect::<String>(), "");
        assert!(explored.worlds > 1 && explored.said.iter().sum::<usize>() > 0, "{}", scenario.name);
    }
}

#[test]
fn a_kind_world_has_no_unknown_outcome() {
    for scenario in Scenario::survived() {
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
