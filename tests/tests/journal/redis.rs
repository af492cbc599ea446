//! A journal on a real Redis server, if it is installed.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tradeapi::runtime::confirm::ConfirmPolicy;
use tradeapi::runtime::error::JournalError;
use tradeapi::runtime::journal::{ChangeNumber, Ending, Journal, RedisJournal, Selection};
use tradeapi::runtime::tables::Outcome;
use tradeapi::{Client, Error};
use tradeapi_exchange::{Exchange, Seed};

use crate::{by_id, order};

struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Starts a server without persistence. Prints a note and returns `None` if `redis-server` is not installed.
    fn start() -> Option<Self> {
        if Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().is_err() {
            // Without a macro, whose output tests capture.
            let mut stderr = std::io::stderr();
            writeln!(stderr, "SKIPPED, because redis-server is not installed").unwrap();
            return None;
        }
        loop {
            // Another process may take the port before the server does.
            let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
            let mut command = Command::new("redis-server");
            command.args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", "", "--appendonly", "no"]);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            while child.try_wait().unwrap().is_none() {
                if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                    return Some(Self { child, port });
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }

    async fn journal(&self) -> Arc<RedisJournal> {
        Arc::new(RedisJournal::open(&self.url(), "desk").await.unwrap())
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    async fn command(&self, words: &[&str]) {
        let client = redis::Client::open(self.url()).unwrap();
        let mut connection = client.get_multiplexed_async_connection().await.unwrap();
        let mut command = redis::cmd(words[0]);
        command.arg(&words[1..]);
        command.query_async::<()>(&mut connection).await.unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn client(exchange: &Exchange, journal: Arc<RedisJournal>) -> Client {
    exchange.client_of(exchange.keys()).journal(journal).build().unwrap()
}

async fn all(journal: &RedisJournal) -> Vec<tradeapi::runtime::journal::StoredChange> {
    journal.read(Selection::After(ChangeNumber(0))).await.unwrap()
}

#[tokio::test]
async fn another_process_resolves_open_changes() {
    let (Some(server), exchange) = (Server::start(), Exchange::new(Seed(1))) else { return };
    let one = client(&exchange, server.journal().await);
    one.unified().place_order(&order("known")).await.unwrap();
    exchange.refuse_next("40762");
    one.unified().place_order(&order("refused")).await.unwrap_err();
    exchange.hide_next("40725");
    one.unified().place_order(&order("hidden")).await.unwrap_err();
    drop(one);

    let journal = server.journal().await;
    let open = journal.read(Selection::Open).await.unwrap();
    assert_eq!(open.iter().map(|stored| stored.change.client_ids.concat()).collect::<Vec<_>>(), ["hidden"]);
    let recovered = client(&exchange, journal.clone()).recover(&ConfirmPolicy::new()).await.unwrap();
    assert_eq!(recovered.iter().map(|change| change.outcome()).collect::<Vec<_>>(), [Outcome::Done]);
    let stored = all(&journal).await;
    let ends: Vec<_> = stored.iter().map(|stored| (stored.number.0, stored.ending.clone().unwrap())).collect();
    let refused = Ending::new(Outcome::NotDone).code("40762");
    assert_eq!(ends, [(1, Ending::new(Outcome::Done)), (2, refused), (3, Ending::new(Outcome::Done))]);
    assert_eq!(all(&journal).await.len(), 3);
    assert_eq!(journal.read(Selection::After(ChangeNumber(2))).await.unwrap().len(), 1);
    assert_eq!(journal.prune(stored[2].change.signed_at).await.unwrap(), 0, "all are of one moment");
    exchange.time().advance(Duration::from_secs(1));
    assert_eq!(journal.prune(exchange.time().now()).await.unwrap(), 3);
    assert!(all(&journal).await.is_empty());
}

#[tokio::test]
async fn changes_of_many_clients_have_different_numbers_and_keep_their_first_outcome() {
    let (Some(server), exchange) = (Server::start(), Exchange::new(Seed(2))) else { return };
    let mut tasks = tokio::task::JoinSet::new();
    for process in 0..4 {
        let client = client(&exchange, server.journal().await);
        tasks.spawn(async move {
            for number in 0..10 {
                client.unified().place_order(&order(&format!("{process}-{number}"))).await.unwrap();
            }
        });
    }
    tasks.join_all().await;
    let journal = server.journal().await;
    let numbers: Vec<_> = all(&journal).await.iter().map(|stored| stored.number.0).collect();
    assert_eq!(numbers, (1..=40).collect::<Vec<_>>());
    let first = all(&journal).await.remove(0);
    journal.end(first.number, Ending::new(Outcome::NotDone)).await.unwrap();
    assert_eq!(all(&journal).await[0].ending, first.ending);
    journal.end(ChangeNumber(99), Ending::new(Outcome::Done)).await.unwrap();
    assert_eq!(all(&journal).await.len(), 40);
}

#[tokio::test]
async fn a_change_that_the_server_cannot_store_is_not_sent() {
    let (Some(server), exchange) = (Server::start(), Exchange::new(Seed(3))) else { return };
    let client = client(&exchange, server.journal().await);
    client.unified().place_order(&order("one")).await.unwrap();
    // As after a restart of a server without persistence.
    server.command(&["FLUSHALL"]).await;
    let lost = client.unified().place_order(&order("two")).await;
    let Err(Error::NotStored(not)) = lost else { panic!("{lost:?}") };
    assert!(matches!(not.why, JournalError::Damaged { .. }), "{not:?}");
    drop(server);
    let gone = client.unified().place_order(&order("three")).await;
    assert!(matches!(&gone, Err(Error::NotStored(not)) if matches!(not.why, JournalError::Store { .. })), "{gone:?}");
    for id in ["two", "three"] {
        let ask = tradeapi::unified::GetOrderDetails::new(by_id(id));
        assert!(client.unified().get_order_details(&ask).await.is_err(), "{id} was sent");
    }
}

#[tokio::test]
async fn another_format_is_refused_and_stays() {
    let Some(server) = Server::start() else { return };
    server.command(&["SET", "desk:journal:about", "7 abc"]).await;
    let opened = RedisJournal::open(&server.url(), "desk").await;
    assert!(matches!(&opened, Err(JournalError::Format { found, .. }) if found == "7"), "{opened:?}");
    let nowhere = RedisJournal::open("redis://:secret@127.0.0.1:1", "desk").await.unwrap_err();
    assert!(!format!("{nowhere} {nowhere:?}").contains("secret"));
    assert!(!format!("{:?}", RedisJournal::open("nonsense://secret", "desk").await).contains("secret"));
}
