//! A process that may be killed at any moment: it writes down what it is about to send, and queries what an earlier one
//! left open.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::fast::FastClock;
use crate::operation::Family;
use tokio::task::JoinSet;
use tradeapi::runtime::confirm::{ConfirmPolicy, Confirmable};
use tradeapi::runtime::tables::Outcome;
use tradeapi::runtime::{ClientCore, Operation};
use tradeapi::{Error, Timestamp, classic, unified};
use tradeapi_exchange::Keys;

use crate::account;
use crate::journal::{Entry, Journal};
use crate::orders::{self, Order};
use crate::settings::Settings;

/// How many orders are sent at once now and then.
const SEVERAL: usize = 5;

/// How many orders are queried at once in the end: no more than limits let through while their time runs.
const QUERIED_AT_ONCE: usize = 12;

/// The pause after a refused connection.
const AFTER_REFUSED_CONNECTION: Duration = Duration::from_millis(200);

/// The arguments of a child.
#[derive(Clone, Debug)]
pub struct Child {
    /// Where the exchange is.
    pub url: String,
    /// What it signs with.
    pub keys: Keys,
    /// Where the journal is.
    pub journal: PathBuf,
    /// When the fast clock was right.
    pub clock_begun: u64,
    /// How fast it is.
    pub speed: u32,
    /// How many orders there are to be in the journal in the end.
    pub orders: usize,
}

/// What the tasks of a child share.
#[derive(Clone)]
struct Desk {
    client: ClientCore,
    journal: Arc<Journal>,
    policy: ConfirmPolicy,
}

impl Child {
    /// Queries what is open, sends what is missing, and ends when every outcome is known that a query can decide.
    ///
    /// # Errors
    ///
    /// When the journal cannot be written or read.
    pub fn run(self) -> io::Result<()> {
        tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(self.trade())
    }

    async fn trade(self) -> io::Result<()> {
        let settings = Arc::new(Settings { speed: self.speed, ..Settings::default() });
        let clock = FastClock::begun(self.clock_begun, self.speed);
        let client =
            account::client_over_sockets(&settings, &self.url, &self.keys, &clock).map_err(io::Error::other)?;
        let journal = Arc::new(Journal::open(&self.journal)?);
        let desk = Desk { client: client.core().clone(), journal, policy: settings.briefly() };
        let before = Journal::read(&self.journal)?;
        let mut tasks = JoinSet::new();
        let missing = self.orders.saturating_sub(before.len());
        for (id, entry) in open(before) {
            tasks.spawn(desk.clone().settle(id, entry));
        }
        for task in 0..4 {
            tasks.spawn(desk.clone().place(task, missing.div_ceil(4)));
        }
        finish(tasks).await?;
        tokio::time::sleep(clock.takes(settings.until_absence_proves())).await;
        let desk = Desk { policy: settings.finally(), ..desk };
        let open: Vec<_> = open(Journal::read(&self.journal)?).collect();
        // Sent all at once, they would wait for each other until their time runs out.
        for some in open.chunks(QUERIED_AT_ONCE) {
            let some = some.iter().cloned();
            finish(some.map(|(id, entry)| desk.clone().settle(id, entry)).collect()).await?;
        }
        Ok(())
    }
}

async fn finish(tasks: JoinSet<io::Result<()>>) -> io::Result<()> {
    tasks.join_all().await.into_iter().collect()
}

/// The order of this kind that has this id.
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

impl Desk {
    async fn place(self, task: usize, orders: usize) -> io::Result<()> {
        for number in 0..orders {
            match (task + number) % 4 {
                0 => self.several().await?,
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
            Err(Error::Unknown(_)) => self.client.settle(&order, signed_at, &self.policy).await.outcome(),
            Err(error) => {
                self.wait_for_connections(&error).await;
                error.outcome()
            }
        };
        self.journal.known(id, outcome)
    }

    /// Waits after a refused connection. Otherwise all orders would be refused within one outage.
    async fn wait_for_connections(&self, error: &Error) {
        if matches!(error, Error::Transport(_)) {
            tokio::time::sleep(AFTER_REFUSED_CONNECTION).await;
        }
    }

    async fn several(&self) -> io::Result<()> {
        let ids: Vec<_> = (0..SEVERAL).map(|_| unified::ClientOid::mint().to_string()).collect();
        let batch = orders::unified_batch(&ids.iter().map(|id| order("unified", id)).collect::<Vec<_>>());
        let (sent, signed_at) = self.send("unified", &batch).await?;
        let outcomes = match sent {
            Err(error) if error.outcome() == Outcome::NotDone => {
                self.wait_for_connections(&error).await;
                vec![Outcome::NotDone; SEVERAL]
            }
            _ => {
                let confirmations = self.client.settle_each(&batch, signed_at, &self.policy).await;
                confirmations.iter().map(tradeapi::runtime::confirm::Confirmation::outcome).collect()
            }
        };
        ids.iter().zip(outcomes).try_for_each(|(id, outcome)| self.journal.known(id, outcome))
    }

    /// Writes down what is to be sent, and sends it.
    async fn send<O: Operation>(&self, kind: &str, operation: &O) -> io::Result<(Result<(), Error>, Timestamp)> {
        let prepared = self.client.prepare(operation).map_err(io::Error::other)?;
        let signed_at = prepared.signed_at();
        self.journal.sent(kind, &prepared.client_ids(), signed_at)?;
        Ok((self.client.send(prepared).await.map(drop), signed_at))
    }

    /// Queries what another process sent, or was about to.
    async fn settle(self, id: String, entry: Entry) -> io::Result<()> {
        let (signed_at, policy, order) = (entry.signed_at, &self.policy, order(&entry.kind, &id));
        let outcome = match entry.kind.as_str() {
            "classic" => self.client.settle(&orders::classic_order(&order), signed_at, policy).await.outcome(),
            "reversal" => self.client.settle(&orders::reversal(&order), signed_at, policy).await.outcome(),
            _ => self.client.settle(&orders::unified_order(&order), signed_at, policy).await.outcome(),
        };
        self.journal.known(&id, outcome)
    }
}
