//! Clients with a journal, against the local exchange.
#![allow(clippy::panic, clippy::unwrap_used, reason = "tests fail by panicking")]

mod attacks;
mod calls;
mod evidence;
mod file;
mod gap;
mod ids;
mod items;
mod killed;
mod lagging;
mod owner;
mod recovery;
mod redis;
mod twice;
mod unanswered;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tradeapi::runtime::clock::{Clock, Environment, Timer};
use tradeapi::runtime::journal::{Durability, FileJournal, Journal, Selection, StoredChange};
use tradeapi::unified::{BatchOrderItem, Category, ClientOid, Execution, OrderRef, PlaceOrder, Side};
use tradeapi::{Decimal, Timestamp};

/// The clocks of a machine, as another process sees them: what this one remembers is unknown there.
struct AnotherProcess<E>(E);

impl<E: Environment> Clock for AnotherProcess<E> {
    fn now(&self) -> Timestamp {
        Clock::now(&self.0)
    }
}

impl<E: Environment> Timer for AnotherProcess<E> {
    fn now(&self) -> Duration {
        Timer::now(&self.0)
    }

    fn wake_at(&self, at: Duration, waker: Waker) {
        self.0.wake_at(at, waker);
    }
}

impl<E: Environment> Environment for AnotherProcess<E> {
    fn random(&self) -> u64 {
        self.0.random()
    }
}

/// Returns a journal in a folder.
fn journal(folder: &Path) -> Arc<FileJournal> {
    Arc::new(FileJournal::open(folder.join("journal"), Durability::Process).unwrap())
}

/// Returns the content of a journal. A journal whose changes need not outlive the machine answers at once.
fn read(journal: &dyn Journal, which: Selection) -> Vec<StoredChange> {
    match journal.read(which).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result.unwrap(),
        Poll::Pending => panic!("the journal is not ready"),
    }
}

/// Copies a folder as it is.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

/// Returns the file of a journal that the store appends to.
fn log(folder: &Path) -> PathBuf {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "jnl")).max().unwrap()
}

/// Returns how much of it is written.
fn written(folder: &Path) -> u64 {
    let bytes = fs::read(log(folder)).unwrap();
    bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last as u64 + 1)
}

/// Cuts it off.
fn cut(folder: &Path, length: u64) {
    fs::OpenOptions::new().write(true).open(log(folder)).unwrap().set_len(length).unwrap();
}

fn all(journal: &dyn Journal) -> Vec<StoredChange> {
    read(journal, Selection::After(tradeapi::runtime::journal::ChangeNumber(0)))
}

/// Returns an order that stays open.
fn order(id: &str) -> PlaceOrder {
    let (qty, execution) = waiting();
    PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", qty, Side::Buy, execution).client_oid(ClientOid::new(id).unwrap())
}

/// Returns the same order as an item of a batch.
fn item(id: &str) -> BatchOrderItem {
    let (qty, execution) = waiting();
    BatchOrderItem::new(Category::UsdtFutures, "BTCUSDT", qty, Side::Buy, execution)
        .client_oid(ClientOid::new(id).unwrap())
}

fn waiting() -> (Decimal, Execution) {
    ("0.001".parse().unwrap(), Execution::limit("50000".parse::<Decimal>().unwrap()).into())
}

fn by_id(id: &str) -> OrderRef {
    OrderRef::ClientOid(ClientOid::new(id).unwrap())
}
