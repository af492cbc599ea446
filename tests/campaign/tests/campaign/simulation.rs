//! Campaigns in virtual time: a hundred seeds, and incorrect clients that have to be detected.

use tradeapi::runtime::tables::CallResult;
use tradeapi_campaign::{
    Assumption, ClaimedOutcome, ClientVariant, Figures, Scenario, Settings, Situation, shrink, simulate,
};
use tradeapi_exchange::{EffectTime, HostileEvent, HostileFault, Quirk};

/// Returns the first account of a campaign with this seed, in an environment that depends on the seed.
fn first(seed: u64) -> Scenario {
    Scenario::new(&Settings { seed, ..Settings::default() }, 0)
}

#[test]
fn a_hundred_seeds_have_no_violation_and_cover_every_situation() {
    let (mut all, mut killed, mut alive) = (Figures::default(), (0, 0), (0, 0));
    // The one beyond has an account whose orders share their ids with earlier ones.
    for seed in (0..100).chain([150]) {
        let figures = first(seed).run();
        if let Some(violation) = figures.violations.first() {
            let shortest = shrink(first(seed), violation.kind());
            panic!(
                "{violation}\n\nThe shortest scenario that reproduces it:\n\n{shortest}\n{}",
                shortest.trace().trace
            );
        }
        let placements = figures.placements();
        let (placed, unknown) = if figures.counts.times(Situation::Killed) > 0 { &mut killed } else { &mut alive };
        (*placed, *unknown) = (*placed + placements.0, *unknown + placements.1);
        all.add(figures);
    }
    println!("{all}");
    println!("placed and unknown: {killed:?} of killed processes, {alive:?} of others");
    assert!(all.count(ClaimedOutcome::Done) > 8_000 && all.count(ClaimedOutcome::NotDone) > 2_000);
    assert!(alive.1 * 1_000 < alive.0, "placed and unknown: {alive:?}");
    // A killed process leaves many outcomes open at once, whose queries share the limits and the deadlines of the next
    // ones. What those do not find before the exchange may delete its records stays unknown.
    assert!(killed.1 * 50 < killed.0, "placed and unknown, of killed processes: {killed:?}");
    assert_everything_is_covered(&all);
}

/// Call results that do not occur in a campaign: its requests keep the documents' rules, its clients wait for their
/// limits, no answer is too long, and the simulated network accepts a request unless it does not connect. Results of
/// items are counted separately.
const NOT_COVERED: [CallResult; 6] = [
    CallResult::Refused,
    CallResult::Limited,
    CallResult::AnswerTooLong,
    CallResult::NotWritten,
    CallResult::ItemFailed,
    CallResult::ItemUnaccounted,
];

/// The grounds on which outcomes are decided, apart from call results, and why queries leave them open.
const DECIDED: [(&str, &str); 39] = [
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
    ("not done", "the state of the order"),
    ("item", "an unknown outcome"),
    ("item", "done"),
    ("item", "given up"),
    ("item", "not mentioned"),
    ("item", "not sent"),
    ("item", "refused"),
    ("item", "the call failed"),
    ("open", "another request, in flight or shortly before, may have changed it so"),
    ("open", "it does not, or not yet, have the values of the request"),
    ("open", "it has the values of the request, but its last change may be older than the request"),
    ("open", "it has the values of the request, but its last change may have been a fill or its end"),
    ("open", "it is another record with the same id: it differs from the request"),
    ("open", "it is not documented how long a record is kept, so its absence proves nothing"),
    ("open", "it was not found, but not often enough in a row"),
    ("open", "it was not found, but may have been deleted already"),
    ("open", "it was not found, but may still appear"),
    ("open", "it was not found, but the request does several things and may have done another"),
    ("open", "something earlier has the same id"),
    ("open", "something older has the same id"),
    ("open", "the deadline passed before a query was answered"),
    ("open", "the order is still open, and the request may still arrive"),
    ("open", "the query failed with a code that does not mean \"not found\""),
    ("open", "the query got no response"),
    ("open", "the response does not contain the exchange's time"),
    ("open", "the time in the response cannot be the exchange's"),
    ("open", "two requests had the same id, and the record may be of either"),
];

fn assert_everything_is_covered(figures: &Figures) {
    let counts = &figures.counts;
    let hostile = &counts.hostile;
    let wrongs = HostileFault::ALL.iter().filter(|wrong| !hostile.faults.contains_key(wrong));
    assert_eq!(wrongs.collect::<Vec<_>>(), [&HostileFault::None; 0], "faults that did not occur");
    let quirks = Quirk::ALL.iter().filter(|quirk| !hostile.quirks.contains_key(quirk));
    assert_eq!(quirks.collect::<Vec<_>>(), [&Quirk::None; 0], "quirks that did not occur");
    let effect_times = [EffectTime::Now, EffectTime::Late, EffectTime::VeryLate, EffectTime::Never];
    assert!(
        effect_times.iter().all(|effect_time| hostile.effect_times.contains_key(effect_time)),
        "{:?}",
        hostile.effect_times
    );
    let reached = HostileEvent::ALL.iter().filter(|what| !hostile.events.contains_key(what));
    assert_eq!(reached.collect::<Vec<_>>(), [&HostileEvent::DoneHalf; 0], "situations that did not occur");
    let reached = Situation::ALL.iter().filter(|what| counts.times(**what) == 0);
    assert_eq!(reached.collect::<Vec<_>>(), [&Situation::DuplicateId; 0], "situations that did not occur");
    let ends = CallResult::ALL.iter().filter(|end| !NOT_COVERED.contains(end)).map(|end| ("call", end.as_str()));
    let missing = ends.chain(DECIDED).filter(|what| !figures.decided.contains_key(what));
    assert_eq!(missing.collect::<Vec<_>>(), [("", ""); 0], "these decided no outcome: {:#?}", figures.decided);
}

#[test]
fn accounts_that_failed_before_no_longer_fail() {
    // Two queries did not find an order that a query between them did: as one of several with its id, in an unreadable
    // answer, or in the answer to another call.
    const OF_SEED_7: &[u64] = &[13_947, 15_750, 15_986, 32_842, 37_169, 40_838, 46_234, 66_295];
    // A listing of ninety days began where a machine whose clock is ahead gives no access.
    const OF_SEED_549: &[u64] = &[0];
    // An exchange kept the leverage, which was the requested one.
    const OF_SEED_601: &[u64] = &[4_919, 7_612];
    // A listing of ninety days waited for five minutes until its times were too old.
    const OF_SEED_607: &[u64] = &[6_146];
    // A late amendment changed the next order with the id; the comparison took it for one that nobody requested.
    const OF_SEED_609: &[u64] = &[993];
    for (seed, accounts) in [
        (7, OF_SEED_7),
        (8, &[44_950]),
        (51, &[7_838]),
        (53, &[3_423]),
        (57, &[6_198]),
        (58, &[3_338]),
        (549, OF_SEED_549),
        (601, OF_SEED_601),
        (607, OF_SEED_607),
        (609, OF_SEED_609),
    ] {
        for &account in accounts {
            let scenario = Scenario::new(&Settings { seed, ..Settings::default() }, account);
            assert_eq!(scenario.run().violations, [], "account {account} of seed {seed}");
        }
    }
}

#[test]
fn the_same_seed_has_the_same_trace() {
    for seed in [3, 4, 5, 6] {
        let [one, other] = [first(seed), first(seed)].map(|scenario| scenario.trace());
        assert!(one.trace.lines().count() > 200);
        assert!(one.trace == other.trace, "seed {seed} has two traces");
        assert_eq!(one.figures.to_string(), other.figures.to_string());
    }
    assert_ne!(first(3).trace().trace, first(4).trace().trace);
}

/// Incorrect variants of the client, and the violation that each must show.
const WRONG: [(ClientVariant, &str); 31] = [
    (ClientVariant::TreatsUnknownAsFailure, "lost"),
    (ClientVariant::TreatsUnknownAsSuccess, "claimed falsely"),
    (ClientVariant::TrustsEveryCode, "lost"),
    (ClientVariant::TreatsHalfDoneAsNotDone, "half done"),
    (ClientVariant::Resends, "doubled"),
    (ClientVariant::GivesUp, "lost"),
    (ClientVariant::TrustsFirstAbsence, "lost"),
    (ClientVariant::TrustsOneNodesTime, "lost"),
    (ClientVariant::IgnoresRetention, "lost"),
    (ClientVariant::TrustsAnyRecord, "claimed falsely"),
    (ClientVariant::ComparesPriceOnly, "claimed falsely"),
    (ClientVariant::AcceptsAnyAnswer, "claimed falsely"),
    (ClientVariant::TreatsMissingAsDone, "claimed falsely"),
    (ClientVariant::TreatsMissingAsNotDone, "lost"),
    (ClientVariant::TrustsEveryItemCode, "lost"),
    (ClientVariant::TreatsStoppedAsNotSent, "lost"),
    (ClientVariant::FlattensOnce, "not flat"),
    (ClientVariant::FlattensByReading, "arrived late"),
    (ClientVariant::PlacesAtOnce, "arrived late"),
    (ClientVariant::IgnoresLimits, "too fast"),
    (ClientVariant::CountsWhenSent, "too fast"),
    (ClientVariant::TrustsEveryTime, "locked out"),
    (ClientVariant::RecoversByOneDenial, "lost"),
    (ClientVariant::RecoversAsUnsent, "lost"),
    (ClientVariant::RecoversForAnotherAccount, "lost"),
    (ClientVariant::StoresAnswered, "not requested"),
    (ClientVariant::RecoversByIdOnly, "claimed falsely"),
    (ClientVariant::RecoversByResending, "doubled"),
    (ClientVariant::ClosesBatchesEarly, "lost"),
    (ClientVariant::TakesDenialsForEnds, "compared wrongly"),
    (ClientVariant::MissesLateFills, "wrong ledger"),
];

/// Returns the first account for which a variant shows this violation, and the number of placements until then.
fn detect(variant: ClientVariant, kind: &'static str, placements: u64) -> Option<(u64, Scenario)> {
    find(&Settings { seed: 3, placements, variant, ..Settings::default() }, kind)
}

/// Returns the first account of a campaign that shows this violation, and the number of placements until then.
fn find(settings: &Settings, kind: &'static str) -> Option<(u64, Scenario)> {
    let mut found = None;
    let simulated = simulate(settings, |so_far| {
        if so_far.figures.kinds().contains_key(kind) {
            found = so_far.failed.last().map(|(scenario, _)| scenario.clone());
        }
        found.is_none()
    });
    found.map(|scenario| (simulated.figures.orders(), scenario))
}

#[test]
fn incorrect_clients_are_detected() {
    for (variant, kind) in WRONG {
        let found = detect(variant, kind, 20_000).map(|(placements, _)| placements);
        println!("{variant:?} is detected by a violation ({kind}) within {found:?} placements");
        assert!(found.is_some(), "{variant:?} is not detected by a violation ({kind})");
    }
}

#[test]
fn a_correct_client_fails_beyond_each_assumption() {
    for &assumption in Assumption::ALL {
        let settings = Settings { seed: 3, placements: 20_000, beyond: [assumption].into(), ..Settings::default() };
        let found = find(&settings, assumption.violation()).map(|(placements, _)| placements);
        println!("beyond {}: {} within {found:?} placements", assumption.name(), assumption.violation());
        assert!(found.is_some(), "beyond {} there is no violation ({})", assumption.name(), assumption.violation());
    }
}

#[test]
fn a_failing_scenario_is_shrunk_to_a_few_requests() {
    let (_, scenario) = detect(ClientVariant::TreatsUnknownAsFailure, "lost", 20_000).unwrap();
    let shortest = shrink(scenario, "lost");
    println!("{shortest}");
    assert!(shortest.run().kinds().contains_key("lost"));
    assert!(shortest.requests.as_ref().unwrap().len() <= 2 && shortest.only.as_ref().unwrap().len() <= 2);
}
