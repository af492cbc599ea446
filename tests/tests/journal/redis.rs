//! A journal on a real Redis server, if it is installed.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tradeapi::runtime::confirm::ConfirmPolicy;
use tradeapi::runtime::error::JournalError;
use tradeapi::runtime::journal::{
    Change, ChangeNumber, Ending, GapReason, ItemEnding, Journal, LOST, RedisJournal, Selection,
};
use tradeapi::runtime::reconcile::{CancelForeignError, Difference, Reconciliation};
use tradeapi::runtime::tables::Outcome;
use tradeapi::{Client, Error, Timestamp};
use tradeapi_exchange::{Exchange, Family, Profile, Seed};

use crate::{by_id, order};

struct Server {
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl Server {
    /// Starts a server that saves nothing by itself. Prints a note and returns `None` if `redis-server` is not
    /// installed.
    fn start() -> Option<Self> {
        if Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().is_err() {
            // Without a macro, whose output tests capture.
            let mut stderr = std::io::stderr();
            writeln!(stderr, "SKIPPED, because redis-server is not installed").unwrap();
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        loop {
            // Another process may take the port before the server does.
            let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
            if let Some(child) = Self::run(port, folder.path()) {
                return Some(Self { child, port, folder });
            }
        }
    }

    /// Runs a server with what is saved in a folder. `None` if it ends at once.
    fn run(port: u16, folder: &Path) -> Option<Child> {
        let mut command = Command::new("redis-server");
        command.args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", "", "--appendonly", "no"]);
        command.arg("--dir").arg(folder);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while child.try_wait().unwrap().is_none() {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Some(child);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        None
    }

    /// Kills the server, and starts it with what it saved last.
    fn restart(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.child = Self::run(self.port, self.folder.path()).unwrap();
    }

    /// Returns a journal of an account that is new itself.
    async fn journal(&self) -> Arc<RedisJournal> {
        let journal = self.reopened().await;
        if journal.gap("").is_some_and(|gap| gap.reason == GapReason::New) {
            journal.close_gap("").await.unwrap();
        }
        journal
    }

    async fn reopened(&self) -> Arc<RedisJournal> {
        Arc::new(RedisJournal::open(&self.url(), "desk").await.unwrap())
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Removes a key of the journal.
    async fn lose(&self, key: &str) {
        self.command(&["DEL", &format!("desk:journal:{key}")]).await;
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
    let (Some(server), exchange) = (Server::start(), Exchange::for_user(Seed(1), Profile::new().both())) else {
        return;
    };
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
    let left: Vec<_> = all(&journal).await.into_iter().map(|stored| stored.change.operation).collect();
    assert_eq!(left, [LOST], "it notes that changes were pruned");
}

#[tokio::test]
async fn changes_of_many_clients_have_different_numbers_and_keep_their_first_outcome() {
    let (Some(server), exchange) = (Server::start(), Exchange::for_user(Seed(2), Profile::new().both())) else {
        return;
    };
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
    let (Some(server), exchange) = (Server::start(), Exchange::for_user(Seed(3), Profile::new().both())) else {
        return;
    };
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

/// Makes calls until one gets through to a server that was started again.
async fn through<T>(mut call: impl AsyncFnMut() -> Result<T, JournalError>) -> Result<T, JournalError> {
    for _ in 0..200 {
        match call().await {
            Err(JournalError::Store { .. }) => tokio::time::sleep(Duration::from_millis(10)).await,
            other => return other,
        }
    }
    panic!("the server does not answer")
}

/// As after a crash of a server that saves its state now and then.
#[tokio::test]
async fn a_server_that_comes_back_with_an_older_state_leaves_a_gap() {
    let (Some(mut server), exchange) = (Server::start(), Exchange::for_user(Seed(4), Profile::new().both())) else {
        return;
    };
    let journal = server.journal().await;
    let client = client(&exchange, journal.clone());
    let kept = exchange.time().now();
    client.unified().place_order(&order("kept")).await.unwrap();
    server.command(&["SAVE"]).await;
    exchange.time().advance(Duration::from_secs(1));
    client.unified().place_order(&order("lost")).await.unwrap();
    assert_eq!(journal.gap(""), None);
    server.restart();

    let noticed = through::<()>(async || match client.unified().place_order(&order("unsent")).await {
        Err(Error::NotStored(not)) => Err(not.why),
        other => panic!("{other:?}"),
    });
    let noticed = noticed.await.unwrap_err();
    assert!(matches!(&noticed, JournalError::Damaged { why, .. } if why.contains("an older state")), "{noticed}");
    let gap = journal.gap("").unwrap();
    assert_eq!((gap.reason, gap.after), (GapReason::Damaged, Some(kept)));

    // What is stored from then on has other numbers than what is missing.
    client.unified().place_order(&order("next")).await.unwrap();
    let stored: Vec<_> = all(&journal).await.into_iter().map(|stored| (stored.number.0, stored.change)).collect();
    assert_eq!(stored.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(stored[1].1.client_ids, ["next"]);

    let other = server.journal().await;
    assert_eq!(other.gap(""), Some(gap.clone()), "a later run knows of it");
    other.close_gap("").await.unwrap();
    assert_eq!((other.gap(""), other.gap("another account")), (None, Some(gap)));
    client.unified().place_order(&order("last")).await.unwrap();
    assert_eq!(journal.gap(""), None, "the next write learns it");
}

#[tokio::test]
async fn the_end_of_a_change_that_is_missing_is_not_that_of_another() {
    let Some(mut server) = Server::start() else { return };
    let change = |second: u64| Change::new("a.b", "{}", Timestamp::from_millis(1_000 * second));
    let (one, two) = (server.journal().await, server.journal().await);
    server.command(&["SAVE"]).await;
    let number = one.begin(change(1)).await.unwrap();
    server.restart();
    // The second process has written nothing that could be missing.
    assert_eq!(through(async || two.begin(change(2)).await).await.unwrap(), number);
    let ended = through(async || one.end(number, Ending::new(Outcome::Done)).await).await;
    assert!(matches!(ended, Err(JournalError::Damaged { .. })), "{ended:?}");
    let gap = one.gap("").unwrap();
    assert_eq!((gap.after, two.gap("")), (None, None), "nothing is left of the time before");
    let stored = all(&two).await;
    assert_eq!((stored.len(), &stored[0].change, &stored[0].ending), (1, &change(2), &None));
    two.begin(change(3)).await.unwrap();
    assert_eq!(two.gap(""), Some(gap));
}

/// The server has as many changes again as it lost.
#[tokio::test]
async fn an_older_state_with_as_many_changes_as_were_lost_leaves_a_gap() {
    let Some(mut server) = Server::start() else { return };
    let change = |second: u64| Change::new("a.b", "{}", Timestamp::from_millis(1_000 * second));
    let one = server.journal().await;
    one.begin(change(1)).await.unwrap();
    server.command(&["SAVE"]).await;
    for second in [2, 3] {
        one.begin(change(second)).await.unwrap();
    }
    server.restart();
    // A process that is started now cannot know.
    let two = through(async || RedisJournal::open(&server.url(), "desk").await).await.unwrap();
    for second in [12, 13] {
        two.begin(change(second)).await.unwrap();
    }
    assert_eq!(two.gap(""), None);
    let noticed = through(async || one.begin(change(4)).await).await;
    assert!(matches!(noticed, Err(JournalError::Damaged { .. })), "{noticed:?}");
    let gap = one.gap("").unwrap();
    assert_eq!((gap.reason, gap.after), (GapReason::Damaged, Some(Timestamp::from_millis(1_000))));
    two.begin(change(14)).await.unwrap();
    assert_eq!((two.gap(""), server.reopened().await.gap("")), (Some(gap.clone()), Some(gap)));
}

/// Each key is lost alone, and with the one that counts.
#[tokio::test]
async fn keys_that_are_lost_one_by_one_leave_a_gap_and_no_number_is_given_twice() {
    let keys = ["about", "next", "changes", "open", "endings", "gap", "first", "items", "owners", "count"];
    for (key, is_reopened) in keys.into_iter().flat_map(|key| [(key, false), (key, true)]) {
        let (Some(server), exchange) = (Server::start(), Exchange::for_user(Seed(5), Profile::new().both())) else {
            return;
        };
        let journal = server.journal().await;
        let change = |second: u64| Change::new("a.b", "{}", Timestamp::from_millis(1_000 * second));
        let ended = async |second: u64| {
            let number = journal.begin(change(second)).await.unwrap();
            journal.end_items(number, vec![ItemEnding::new(0, Outcome::Done)]).await.unwrap();
            journal.end(number, Ending::new(Outcome::Done)).await.unwrap();
        };
        ended(1).await;
        assert_eq!(journal.prune(Timestamp::from_millis(1_500)).await.unwrap(), 1);
        ended(2).await;
        client(&exchange, journal.clone()).unified().place_order(&order("a")).await.unwrap();
        journal.begin(change(3)).await.unwrap();
        assert_eq!((journal.gap(""), all(&journal).await.len()), (None, 4));
        server.lose(key).await;
        let journal = if is_reopened { server.reopened().await } else { journal };
        if !is_reopened {
            let noticed = journal.begin(change(4)).await;
            assert!(matches!(noticed, Err(JournalError::Damaged { .. })), "{key}: {noticed:?}");
        }
        assert!(journal.gap("").is_some(), "{key}");
        assert!(server.reopened().await.gap("").is_some(), "{key}: a later run does not know");
        let again = server.reopened().await;
        assert_eq!(again.begin(change(5)).await.unwrap(), ChangeNumber(6), "{key}: a number is given twice");
    }
}

#[tokio::test]
async fn a_server_that_was_flushed_and_started_again_leaves_a_gap() {
    let (Some(mut server), exchange) = (Server::start(), Exchange::for_user(Seed(6), Profile::new().both())) else {
        return;
    };
    let before = client(&exchange, server.journal().await);
    before.unified().place_order(&order("own")).await.unwrap();
    server.command(&["FLUSHALL"]).await;
    server.restart();
    let journal = through(async || RedisJournal::open(&server.url(), "desk").await).await.unwrap();
    assert_eq!(journal.gap("").unwrap().reason, GapReason::New);
    let client = client(&exchange, Arc::new(journal));
    let mut account = Reconciliation::since(Timestamp::from_millis(0)).family("unified");
    let mut reconciling = std::pin::pin!(client.reconcile(&mut account));
    let reconciled = loop {
        tokio::select! {
            biased;
            reconciled = &mut reconciling => break reconciled.unwrap(),
            () = tokio::time::sleep(Duration::from_millis(1)) => exchange.time().advance(Duration::from_millis(500)),
        }
    };
    let differences: Vec<_> = reconciled.orders.iter().map(|order| order.difference).collect();
    assert_eq!(differences, [Difference::PerhapsLost], "{reconciled}");
    let id = reconciled.orders[0].id.clone().unwrap();
    let cancelled = client.cancel_foreign(&reconciled, &[&id]).await;
    assert!(matches!(cancelled, Err(CancelForeignError::Gap { .. })), "{cancelled:?}");
    assert_eq!(exchange.account(exchange.keys(), Family::Unified).open_orders.len(), 1, "it was cancelled");
}

#[tokio::test]
async fn a_client_of_another_account_is_refused() {
    let (Some(server), exchange) = (Server::start(), Exchange::for_user(Seed(7), Profile::new().both())) else {
        return;
    };
    let journal = server.journal().await;
    exchange.hide_next("40725");
    client(&exchange, journal.clone()).unified().place_order(&order("own")).await.unwrap_err();
    let stranger = exchange.client_of(&exchange.open_account(Profile::new())).journal(journal.clone()).build().unwrap();
    let refused = stranger.recover(&ConfirmPolicy::new()).await;
    assert!(matches!(refused, Err(JournalError::Foreign { .. })), "{refused:?}");
    assert_eq!(journal.read(Selection::Open).await.unwrap().len(), 1);
    stranger.claim_journal().await.unwrap();
    assert!(stranger.recover(&ConfirmPolicy::new().deadline(Duration::ZERO)).await.is_ok());
}

/// No step keeps the server, and with it the placements of others, for longer than any of them waits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_journal_is_read_and_pruned_while_others_place() {
    const MANY: u64 = 100_000;
    let Some(server) = Server::start() else { return };
    let journal = server.journal().await;
    // As this release stores changes.
    let fill = "for number = tonumber(ARGV[1]) - 999, tonumber(ARGV[1]) do \
        local change = '{\"op\":\"a.b\",\"request\":\"{}\",\"signed\":\"' .. string.format('%.0f', number) .. '\"}' \
        redis.call('HSET', KEYS[1], number, change) \
        if number % 1000 == 0 then redis.call('SADD', KEYS[2], number) else redis.call('HSET', KEYS[3], number, 'done') end \
      end \
      redis.call('SET', KEYS[4], ARGV[1])";
    let keys = ["changes", "open", "endings", "next"].map(|key| format!("desk:journal:{key}"));
    for number in (1_000..=MANY).step_by(1_000).map(|number| number.to_string()) {
        let words = [["EVAL", fill, "4"].as_slice(), &keys.each_ref().map(String::as_str), &[&number]].concat();
        server.command(&words).await;
    }
    server.lose("count").await;
    let other = server.reopened().await;
    let placing = {
        let other = other.clone();
        tokio::spawn(async move {
            for _ in 0..200 {
                let change = Change::new("a.b", "{}", Timestamp::from_millis(u64::MAX >> 12));
                let number = other.begin(change).await.unwrap();
                other.end(number, Ending::new(Outcome::Done)).await.unwrap();
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        })
    };
    let count = usize::try_from(MANY).unwrap();
    assert!(all(&journal).await.len() >= count);
    assert_eq!(journal.read(Selection::Open).await.unwrap().len() / 100, 1);
    let first: Vec<_> = journal.read_after(ChangeNumber(7), 3).await.unwrap().iter().map(|one| one.number.0).collect();
    assert_eq!(first, [8, 9, 10]);
    assert_eq!(journal.prune(Timestamp::from_millis(MANY + 1)).await.unwrap(), count - count / 1000);
    let left: Vec<_> = journal.read_after(ChangeNumber(1), 2).await.unwrap().iter().map(|one| one.number.0).collect();
    assert_eq!(left, [1000, 2000]);
    let last = journal.read_before(ChangeNumber(MANY), 2).await.unwrap();
    assert_eq!(last.iter().map(|one| one.number.0).collect::<Vec<_>>(), [98_000, 99_000]);
    placing.await.unwrap();
    assert_eq!(journal.prune(Timestamp::from_millis(MANY + 1)).await.unwrap(), 0);
}
