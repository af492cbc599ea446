//! A process that trades with a journal is killed at random times, and a later run accounts for every order.
//!
//! The long run kills a thousand times: `cargo test -p tradeapi-tests --test journal -- --ignored --nocapture`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::net::TcpListener;
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::confirm::ConfirmPolicy;
use tradeapi::runtime::tables::Outcome;
use tradeapi::unified::{BatchOrder, ClientOid};
use tradeapi::{Client, Credentials, Decimal, classic};
use tradeapi_exchange::{Exchange, Family, Profile, Seed, Settings, Time, server};
use tradeapi_tests::dice::Dice;

use crate::{all, item, journal, order};

/// The variables with the exchange, its keys and the journal of the killed process.
const CHILD: &str = "TRADEAPI_TEST_CHILD";

/// The line that the killed process prints before each call.
const CALLING: &str = "calling";

/// Trades until it is killed, starting with the recovery of the journal like a program.
#[tokio::test]
async fn child() {
    let Ok(arguments) = std::env::var(CHILD) else { return };
    let arguments: Vec<_> = arguments.split('|').collect();
    let [url, key, secret, passphrase, folder] = arguments[..] else { panic!("{arguments:?}") };
    let client = Client::builder(url)
        .credentials(Credentials::new(key, secret, passphrase))
        .limits(LimitMode::Off)
        .journal(journal(Path::new(folder)))
        .build()
        .unwrap();
    let recovered = client.recover(&ConfirmPolicy::new().deadline(Duration::from_millis(100))).await.unwrap();
    assert!(recovered.gap.is_none(), "{recovered}");
    println!("ready");
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..4 {
        tasks.spawn(trade(client.clone(), task));
    }
    tasks.join_all().await;
}

async fn trade(client: Client, task: usize) {
    for number in task.. {
        println!("{CALLING}");
        // Failures are in the journal.
        let _ = match number % 3 {
            0 => client.unified().place_order(&order(ClientOid::mint().as_str())).await.map(drop),
            1 => client.call(&classic_order()).await.map(drop),
            _ => client.call(&batch()).await.map(drop),
        };
    }
}

fn classic_order() -> classic::PlaceOrder {
    let (size, price): (Decimal, Decimal) = ("0.001".parse().unwrap(), "50000".parse().unwrap());
    let (product, execution) =
        (classic::ProductType::UsdtFutures, classic::Execution::limit(price, classic::Force::Gtc));
    let (margin, side) = (classic::MarginMode::Crossed, classic::Side::Buy);
    classic::PlaceOrder::new("BTCUSDT", product, margin, "USDT", size, side, execution)
        .client_oid(classic::ClientOid::mint())
}

fn batch() -> BatchOrder {
    BatchOrder::new((0..3).map(|_| item(ClientOid::mint().as_str())).collect())
}

/// Kills a trader `kills` times at times that follow from `seed`, and compares its journal with the exchange.
async fn kill(kills: u64, seed: u64) {
    let mut settings = Settings::default();
    (settings.seed, settings.rate_limits, settings.ceilings) = (Seed(seed), false, false);
    let exchange = Exchange::with(settings, Time::running(1), Profile::new().both().balance("USDT", 1_000_000_000));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (url, keys) = (format!("http://{}", listener.local_addr().unwrap()), exchange.keys().clone());
    let serving = tokio::spawn(server::serve(listener, exchange.clone()));
    let folder = tempfile::tempdir().unwrap();
    let arguments =
        [url.as_str(), &keys.key, &keys.secret, &keys.passphrase, folder.path().to_str().unwrap()].join("|");
    let killing = {
        let (exchange, arguments) = (exchange.clone(), arguments.clone());
        tokio::task::spawn_blocking(move || {
            let mut dice = Dice::new(seed, "kill");
            for _ in 0..kills {
                run_and_kill(&arguments, &mut dice, &exchange);
            }
        })
    };
    killing.await.unwrap();
    serving.abort();

    exchange.clear_faults();
    exchange.time().advance(Duration::from_secs(250));
    let journal = journal(folder.path());
    let client = Client::builder(&url)
        .credentials(keys.credentials())
        .transport(exchange.clone())
        .clock(exchange.time().clone())
        .limits(LimitMode::Off)
        .journal(journal.clone())
        .build()
        .unwrap();
    let recovered = client.recover(&ConfirmPolicy::new()).await.unwrap();
    assert!(recovered.iter().all(|change| !change.is_open), "{recovered:#?}");
    assert_eq!(recovered.gap, None, "the machine still has what a killed process stored");

    let open = [Family::Classic, Family::Unified].map(|family| exchange.account(&keys, family).open_orders);
    let mut book = BTreeSet::new();
    for id in open.into_iter().flatten().map(|order| order.client_id.unwrap()) {
        assert!(book.insert(id.clone()), "{id} is there twice");
    }
    let mut journaled = BTreeMap::new();
    for stored in all(&*journal) {
        for (place, id) in stored.change.client_ids.iter().enumerate() {
            let outcome = stored.outcome_of(place).unwrap();
            assert_eq!(journaled.insert(id.clone(), outcome), None, "{id} was made twice");
        }
    }
    for (id, outcome) in &journaled {
        let is_there = book.remove(id);
        assert_eq!(*outcome, if is_there { Outcome::Done } else { Outcome::NotDone }, "{id}");
    }
    assert_eq!(book, BTreeSet::new(), "sent, and not in the journal");
    let count = |outcome| journaled.values().filter(|other| **other == outcome).count();
    println!(
        "{kills} kills: {} orders done, {} not done; the last run recovered {}",
        count(Outcome::Done),
        count(Outcome::NotDone),
        recovered.len()
    );
    assert!(count(Outcome::Done) as u64 > kills);
}

/// Starts the trader, and kills it during its start or some calls later, however long they take. Some of its changes are refused, and some are
/// done with an ambiguous answer.
fn run_and_kill(arguments: &str, dice: &mut Dice, exchange: &Exchange) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["killed::child", "--exact", "--nocapture"]).env(CHILD, arguments);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    // Kept until the end, because the trader panics where nobody reads.
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    if dice.percent(80) {
        assert!(lines.any(|line| line.ends_with("ready")), "the trader did not start");
        for _ in 0..dice.below(3) {
            match dice.percent(50) {
                true => exchange.hide_next("40725"),
                false => exchange.refuse_next("40725"),
            }
        }
        let calls = 10 + usize::try_from(dice.below(40)).unwrap();
        assert_eq!(lines.by_ref().filter(|line| line == CALLING).take(calls).count(), calls, "the trader ended");
    }
    std::thread::sleep(Duration::from_micros(dice.below(10_000)));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_order_of_a_killed_process_is_accounted_for() {
    kill(12, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes many minutes"]
async fn every_order_is_accounted_for_after_a_thousand_kills() {
    kill(1_000, 2).await;
}
