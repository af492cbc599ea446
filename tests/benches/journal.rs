//! Changes per second with a journal: without one, with one in the page cache, and with one that is on the disk before
//! a change is sent, where concurrent changes share an `fsync`.
//!
//! Each call is answered at once and without a network, so the difference between the rows is the journal. The cost of
//! an `fsync` depends on the disk of `TMPDIR`.
//!
//! `cargo bench -p tradeapi-tests --bench journal`

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::journal::{Durability, FileJournal};
use tradeapi::runtime::transport::{self, Transport};
use tradeapi::unified::{Category, Execution, PlaceOrder, Side};
use tradeapi::{Client, Credentials, Decimal};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The number of concurrent calls.
const CONCURRENCY: [usize; 3] = [1, 8, 64];

/// The duration of a row in each round, and the number of rounds. The median is printed.
const ROUND: Duration = Duration::from_millis(400);
const ROUNDS: usize = 5;

const ANSWER: &[u8] = br#"{"code":"00000","msg":"success","requestTime":1788912000123,"data":{"orderId":"1"}}"#;

/// Returns a transport that answers at once.
fn immediate() -> impl Transport {
    transport::from_fn(|_| async { Ok(http::Response::new(Bytes::from_static(ANSWER))) })
}

fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let journal = |name: &str, durability| FileJournal::open(folder.path().join(name), durability).map(Arc::new);
    let client = || {
        Client::builder("http://127.0.0.1")
            .credentials(Credentials::new("key-of-some-length", "secret-of-some-length", "passphrase"))
            .transport(immediate())
            .limits(LimitMode::Off)
    };
    let ways = [
        ("without a journal", client().build()?),
        ("with a journal, without fsync", client().journal(journal("process", Durability::Process)?).build()?),
        ("with a journal, with fsync", client().journal(journal("machine", Durability::Machine)?).build()?),
    ];
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    println!("journal: changes a second, and the time of one change, by the calls in progress");
    println!("  {:<32} {}", "", CONCURRENCY.map(|calls| format!("{calls:>22}")).concat());
    let mut rates = ways.each_ref().map(|_| CONCURRENCY.map(|_| Vec::new()));
    for _ in 0..ROUNDS {
        for ((_, client), rates) in ways.iter().zip(&mut rates) {
            for (calls, rates) in CONCURRENCY.into_iter().zip(rates) {
                rates.push(rate(&runtime, client, calls)?);
            }
        }
    }
    for ((name, _), rates) in ways.iter().zip(rates) {
        let shown = rates.map(|mut rates| {
            rates.sort_by(f64::total_cmp);
            let median = rates[rates.len() / 2];
            format!("{median:>10.0} {:>8.1} us", 1e6 / median)
        });
        println!("  {name:<32} {}", shown.concat());
    }
    Ok(())
}

/// Returns the changes per second of `calls` tasks, each of which makes one after the other.
fn rate(runtime: &Runtime, client: &Client, calls: usize) -> Result<f64> {
    runtime.block_on(async {
        let begun = Instant::now();
        let mut tasks = JoinSet::new();
        for _ in 0..calls {
            tasks.spawn(place(client.clone(), begun));
        }
        let mut count = 0;
        while let Some(placed) = tasks.join_next().await {
            count += placed??;
        }
        Ok(f64::from(count) / begun.elapsed().as_secs_f64())
    })
}

/// Places orders until the round is over, and returns their number.
async fn place(client: Client, begun: Instant) -> Result<u32> {
    let execution = Execution::limit("3150.25".parse::<Decimal>()?);
    let order = PlaceOrder::new(Category::UsdtFutures, "ETHUSDT", "0.75".parse::<Decimal>()?, Side::Buy, execution);
    let mut count = 0;
    while begun.elapsed() < ROUND {
        client.call(&order).await?;
        count += 1;
        // A call that is answered at once does not yield.
        tokio::task::yield_now().await;
    }
    Ok(count)
}
