//! The emitted client, and incorrect ones, as processes on trial: over sockets, judged by the books of the exchange.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::task::JoinSet;
use tradeapi_campaign::ClientVariant;
use tradeapi_exchange::judge::{FindingKind, Level, Trial, Verdict};
use tradeapi_exchange::{Profile, Seed, Setup};

/// The speed of both clocks. A thread that stalls for some seconds still signs within the window.
const SPEED: u32 = 4;

/// A client on trial, with an account of each family.
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

async fn judged(trials: impl Iterator<Item = Trial>) -> Vec<(Trial, Verdict)> {
    let mut running = JoinSet::new();
    trials.for_each(|trial| drop(running.spawn(async move { (trial.clone(), trial.run().await.unwrap()) })));
    running.join_all().await
}

#[tokio::test]
async fn the_emitted_client_passes_on_ten_seeds_of_the_highest_level() {
    for (trial, verdict) in judged((1..=10).map(|seed| trial(ClientVariant::Correct, seed, [12, 3]))).await {
        assert_eq!(trial.level, Level::Whole);
        println!("seed {}: {} requests, {:?}", trial.seed.0, verdict.requests, verdict.beliefs);
        assert!(verdict.is_good() && verdict.ended.ends_with("status 0"), "{verdict}");
        assert!(verdict.requests > 50 && verdict.faults.len() > 10 && verdict.beliefs[0] > 5, "{verdict}");
    }
}

#[tokio::test]
async fn incorrect_clients_are_found() {
    let trials =
        ClientVariant::ALL.iter().skip(1).flat_map(|variant| (1..=2).map(|seed| trial(*variant, seed, [60, 4])));
    let mut found = JoinSet::<()>::new();
    found.spawn(async {});
    for (trial, verdict) in judged(trials).await {
        let kinds: BTreeSet<FindingKind> = verdict.findings.iter().map(|finding| finding.kind).collect();
        println!("{:?} seed {}: {} {kinds:?} {}", trial.program[6], trial.seed.0, verdict.requests, verdict.ended);
    }
}
