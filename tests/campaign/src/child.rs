//! A process that may be killed at any moment. It stores each request before it sends it, and queries the outcomes that
//! an earlier process left unknown.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tradeapi::runtime::ClientCore;
use tradeapi::runtime::client::Callable;
use tradeapi::runtime::confirm::{self, ConfirmPolicy, Confirmable};
use tradeapi::runtime::tables::Outcome;
use tradeapi::{Error, Timestamp, classic, unified};
use tradeapi_exchange::Keys;

use crate::account;
use crate::clock::FastClock;
use crate::journal::{Entry, Journal};
use crate::operation::Family;
use crate::orders::{self, Order};
use crate::settings::Settings;

/// The number of orders in a batch.
const BATCH: usize = 5;

/// The number of orders that are queried concurrently at the end: as many as the limits admit before the deadline.
const QUERIED_AT_ONCE: usize = 12;

/// The pause after a refused connection.
const PAUSE_AFTER_REFUSED_CONNECTION: Duration = Duration::from_millis(200);

/// A process of the client under test, with its arguments.
#[derive(Clone, Debug)]
pub struct Child {
    /// The address of the exchange.
    pub url: String,
    /// The credentials.
    pub keys: Keys,
    /// The path of the journal.
    pub journal: PathBuf,
    /// When the fast clock was right, in milliseconds.
    pub clock_right_at: u64,
    /// The speed of the fast clock.
    pub speed: u32,
    /// The number of orders in the journal at the end.
    pub orders: usize,
}

/// The shared state of a child's tasks.
#[derive(Clone)]
struct Context {
    client: ClientCore,
    journal: Arc<Journal>,
    policy: ConfirmPolicy,
}

impl Child {
    /// Settles the unknown outcomes of the journal, sends the missing orders, and returns when no query can find
    /// another outcome.
    ///
    /// # Errors
    ///
    /// The journal cannot be read or written.
    pub fn run(self) -> io::Result<()> {
        tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(self.trade())
    }

    async fn trade(self) -> io::Result<()> {
        let settings = Arc::new(Settings { speed: self.speed, ..Settings::default() });
        let clock = FastClock::synchronized(self.clock_right_at, self.speed);
        let client =
            account::client_over_sockets(&settings, &self.url, &self.keys, &clock).map_err(io::Error::other)?;
        let journal = Arc::new(Journal::open(&self.journal)?);
        let context = Context { client: client.core().clone(), journal, policy: settings.brief_policy() };
        let before = Journal::read(&self.journal)?;
        let mut tasks = JoinSet::new();
        let missing = self.orders.saturating_sub(before.len());
        for (id, entry) in open(before) {
            tasks.spawn(context.clone().settle(id, entry));
        }
        for task in 0..4 {
            tasks.spawn(context.clone().place(task, missing.div_ceil(4)));
        }
        finish(tasks).await?;
        tokio::time::sleep(clock.real_duration(settings.absence_proof_delay())).await;
        let context = Context { policy: settings.final_policy(), ..context };
        let open: Vec<_> = open(Journal::read(&self.journal)?).collect();
        // Queries sent all at once would wait for each other until their deadlines pass.
        for chunk in open.chunks(QUERIED_AT_ONCE) {
            let chunk = chunk.iter().cloned();
            finish(chunk.map(|(id, entry)| context.clone().settle(id, entry)).collect()).await?;
        }
        Ok(())
    }
}

async fn finish(tasks: JoinSet<io::Result<()>>) -> io::Result<()> {
    tasks.join_all().await.into_iter().collect()
}

/// Returns the order of this kind with this id.
pub(crate) fn order(kind: &str, id: &str) -> Order {
    match kind {
        "classic" => Order::new(Family::Classic, id),
        "reversal" => Order::reversal(id),
        _ => Order::new(Family::Unified, id),
    }
}

fn open(entries: impl IntoIterator<Item = (String, Entry)>) -> impl Iterator<Item = (String, Entry)> {
    entries.into_iter().filter(|(_, entry)| entry.outcome == Outcome::Unknown)
}

impl Context {
    async fn place(self, task: usize, orders: usize) -> io::Result<()> {
        for number in 0..orders {
            match (task + number) % 4 {
                0 => self.batch_of_orders().await?,
                1 => {
                    let id = classic::ClientOid::mint().to_string();
                    self.one("classic", &id, orders::classic_order(&order("classic", &id))).await?;
                }
                2 => {
                    let id = classic::ClientOid::mint().to_string();
                    self.one("reversal", &id, orders::reversal(&order("reversal", &id))).await?;
                }
                _ => {
                    let id = unified::ClientOid::mint().to_string();
                    self.one("unified", &id, orders::unified_order(&order("unified", &id))).await?;
                }
            }
        }
        Ok(())
    }

    async fn one<O: Confirmable>(&self, kind: &str, id: &str, order: O) -> io::Result<()> {
        let (sent, signed_at) = self.send(kind, &order).await?;
        let outcome = match sent {
            Ok(()) => Outcome::Done,
            Err(Error::Unknown(_)) => confirm::settle(&self.client, &order, signed_at, &self.policy).await.outcome(),
            Err(error) => {
                self.wait_for_connections(&error).await;
                error.outcome()
            }
        };
        self.journal.known(id, outcome)
    }

    /// Waits after a refused connection. Otherwise all orders would fail within one outage.
    async fn wait_for_connections(&self, error: &Error) {
        if matches!(error, Error::Transport(_)) {
            tokio::time::sleep(PAUSE_AFTER_REFUSED_CONNECTION).await;
        }
    }

    async fn batch_of_orders(&self) -> io::Result<()> {
        let ids: Vec<_> = (0..BATCH).map(|_| unified::ClientOid::mint().to_string()).collect();
        let batch = orders::unified_batch(&ids.iter().map(|id| order("unified", id)).collect::<Vec<_>>());
        let (sent, signed_at) = self.send("unified", &batch).await?;
        let outcomes = match sent {
            Err(error) if error.outcome() == Outcome::NotDone => {
                self.wait_for_connections(&error).await;
                vec![Outcome::NotDone; BATCH]
            }
            _ => {
                let confirmations = confirm::settle_each(&self.client, &batch, signed_at, &self.policy).await;
                confirmations.iter().map(tradeapi::runtime::confirm::Confirmation::outcome).collect()
            }
        };
        ids.iter().zip(outcomes).try_for_each(|(id, outcome)| self.journal.known(id, outcome))
    }

    /// Stores a request in the journal, and sends it.
    async fn send<O: Callable>(&self, kind: &str, operation: &O) -> io::Result<(Result<(), Error>, Timestamp)> {
        let prepared = self.client.prepare(operation).map_err(io::Error::other)?;
        let signed_at = prepared.signed_at();
        self.journal.sent(kind, &prepared.client_ids(), signed_at)?;
        Ok((self.client.send(prepared).await.map(drop), signed_at))
    }

    /// Queries an order that another process sent or was about to send.
    async fn settle(self, id: String, entry: Entry) -> io::Result<()> {
        let (signed_at, policy, order) = (entry.signed_at, &self.policy, order(&entry.kind, &id));
        let outcome = match entry.kind.as_str() {
            "classic" => {
                confirm::settle(&self.client, &orders::classic_order(&order), signed_at, policy).await.outcome()
            }
            "reversal" => confirm::settle(&self.client, &orders::reversal(&order), signed_at, policy).await.outcome(),
            _ => confirm::settle(&self.client, &orders::unified_order(&order), signed_at, policy).await.outcome(),
        };
        self.journal.known(&id, outcome)
    }
}
