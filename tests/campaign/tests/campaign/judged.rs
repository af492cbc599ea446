//! The emitted client, and incorrect ones, as processes on trial: over sockets, judged by the books of the exchange.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tradeapi_campaign::ClientVariant;
use tradeapi_exchange::judge::{FindingKind, Level, Trial, Verdict};
use tradeapi_exchange::{Profile, Seed, Setup};

/// The speed of both clocks. A thread that stalls for some seconds still signs within the window.
const SPEED: u32 = 4;

/// Returns a client on trial, with an account of each family.
fn trial(variant: ClientVariant, seed: u64, [placements, tasks]: [u32; 2]) -> Trial {
    let mut setup = Setup::default();
    setup.users.push(Profile::new().both().balance("USDT", 1_000_000_000));
    setup.settings.ceilings = false;
    let speed = if variant == ClientVariant::IgnoresLimits { 1 } else { SPEED };
    let program = [
        env!("CARGO_BIN_EXE_tradeapi-campaign"),
        "judged",
        &format!("--seed={seed}"),
        &format!("--placements={placements}"),
        &format!("--speed={speed}"),
    ];
    let rest = ["{started}".to_owned(), format!("{variant:?}"), tasks.to_string()];
    let mut trial = Trial::of(program.map(str::to_owned).into_iter().chain(rest).collect(), setup);
    (trial.seed, trial.speed, trial.time, trial.quiet) = (Seed(seed), speed, Duration::from_secs(420), true);
    trial
}

/// The number of clients on trial at once, in all tests of this file.
static PLACES: Semaphore = Semaphore::const_new(10);

async fn judged(trials: impl Iterator<Item = Trial>) -> Vec<(Trial, Verdict)> {
    let mut running = JoinSet::new();
    for trial in trials {
        running.spawn(async move {
            let _place = PLACES.acquire().await.unwrap();
            (trial.clone(), trial.run().await.unwrap())
        });
    }
    running.join_all().await
}

#[tokio::test]
async fn the_emitted_client_passes_on_ten_seeds_of_the_highest_level() {
    for (trial, verdict) in judged((1..=10).map(|seed| trial(ClientVariant::Correct, seed, [12, 3]))).await {
        assert_eq!(trial.level, Level::Whole);
        println!("seed {}: {} requests, {:?}", trial.seed.0, verdict.requests, verdict.beliefs);
        // In a hostile exchange, it may end without a proof that nothing is left, and says so.
        assert!(verdict.is_good() && verdict.ended.starts_with("ended by itself"), "{verdict}");
        assert!(verdict.requests > 50 && verdict.faults.len() > 10 && verdict.beliefs[0] > 5, "{verdict}");
    }
}

/// Clients whose mistake shows within a few requests. That of others needs what one process on trial does not meet: a crash,
/// two orders with one id, a record that was deleted, or thousands of orders, as the campaign sends.
const FOUND: [(ClientVariant, FindingKind); 5] = [
    (ClientVariant::TreatsUnknownAsFailure, FindingKind::Twice),
    (ClientVariant::TreatsUnknownAsSuccess, FindingKind::FalseBelief),
    (ClientVariant::TrustsEveryCode, FindingKind::FalseBelief),
    (ClientVariant::GivesUp, FindingKind::FalseBelief),
    (ClientVariant::Resends, FindingKind::Twice),
];

#[tokio::test]
async fn incorrect_clients_are_found() {
    let mut kinds = BTreeMap::<String, BTreeSet<FindingKind>>::new();
    let trials = FOUND.iter().flat_map(|(variant, _)| [1, 2].map(|seed| trial(*variant, seed, [60, 4])));
    for (trial, verdict) in judged(trials).await {
        let found = verdict.findings.iter().map(|finding| finding.kind);
        kinds.entry(trial.program[6].clone()).or_default().extend(found);
    }
    println!("{kinds:#?}");
    for (variant, kind) in FOUND {
        assert!(kinds[&format!("{variant:?}")].contains(&kind), "{variant:?} is not found by {kind}");
    }
}
