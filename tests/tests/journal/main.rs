//! Clients with a journal, against the local exchange.
#![allow(clippy::panic, clippy::unwrap_used, reason = "tests fail by panicking")]

mod calls;
mod evidence;
mod file;
mod ids;
mod killed;
mod recovery;
mod redis;

use std::path::Path;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use tradeapi::Decimal;
use tradeapi::runtime::journal::{Durability, FileJournal, Journal, Selection, StoredChange};
use tradeapi::unified::{BatchOrderItem, Category, ClientOid, Execution, OrderRef, PlaceOrder, Side};

/// A journal in a folder.
fn journal(folder: &Path) -> Arc<FileJournal> {
    Arc::new(FileJournal::open(folder.join("journal"), Durability::Process).unwrap())
}

/// The content of a journal. A journal whose changes need not outlive the machine answers at once.
fn read(journal: &dyn Journal, which: Selection) -> Vec<StoredChange> {
    match journal.read(which).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result.unwrap(),
        Poll::Pending => panic!("the journal is not ready"),
    }
}

fn all(journal: &dyn Journal) -> Vec<StoredChange> {
    read(journal, Selection::After(tradeapi::runtime::journal::ChangeNumber(0)))
}

/// An order that stays open.
fn order(id: &str) -> PlaceOrder {
    let (qty, execution) = waiting();
    PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", qty, Side::Buy, execution).client_oid(ClientOid::new(id).unwrap())
}

/// The same order as an item of a batch.
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
