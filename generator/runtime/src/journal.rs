//! Journals: what a client stores of each change before the change leaves, so that a later run of the program can
//! resolve what a crash left open.
//!
//! A client with a journal ([`ClientBuilder::journal`](crate::ClientBuilder::journal)) stores each change, which is
//! every request but a read, before it sends it, and the outcome after. A change that cannot be stored is not sent: the
//! call fails with [`Error::NotStored`](crate::Error::NotStored). After a restart,
//! [`ClientCore::recover`](crate::ClientCore::recover) queries the outcomes of the changes that are still open.
//!
//! A journal has no secrets: it stores parameters and the time of the signature, never a header.

#[cfg(any(feature = "journal", feature = "redis"))]
mod entry;
#[cfg(feature = "journal")]
mod file;
mod gap;
#[cfg(feature = "redis")]
mod redis;

use std::fmt;
use std::pin::Pin;

use crate::error::JournalError;
use crate::tables::Outcome;
use crate::value::Timestamp;

#[cfg(feature = "journal")]
pub use self::file::{Durability, FileJournal};
pub use self::gap::{Gap, GapReason};
#[cfg(feature = "redis")]
pub use self::redis::RedisJournal;

/// The future result of a function of a journal.
pub type JournalFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, JournalError>> + Send + 'a>>;

/// Stores changes and their outcomes. `FileJournal` keeps them in a folder, `RedisJournal` on a server for a fleet.
///
/// An implementation stores a change as a whole or not at all, whenever the process ends, and accepts nothing after a
/// failed write until it is opened again.
pub trait Journal: Send + Sync {
    /// Stores a change that is about to be sent. It is sent only if this succeeds.
    fn begin(&self, change: Change) -> JournalFuture<'_, ChangeNumber>;

    /// Stores how a change ended. A change whose end is not stored stays open.
    fn end(&self, number: ChangeNumber, ending: Ending) -> JournalFuture<'_, ()>;

    /// Reads changes, the oldest first.
    fn read(&self, which: Selection) -> JournalFuture<'_, Vec<StoredChange>>;

    /// Why changes of an account that were sent may be missing, until [`close_gap`](Self::close_gap). `None` if the
    /// journal has every change, as far as it can know. An account without a name has an empty one.
    fn gap(&self, account: &str) -> Option<Gap> {
        let _ = account;
        None
    }

    /// Notes that the account was compared with the exchange, so that none of its changes is missing any more.
    fn close_gap<'a>(&'a self, account: &'a str) -> JournalFuture<'a, ()> {
        let _ = account;
        Box::pin(std::future::ready(Ok(())))
    }
}

/// Identifies a change in its journal. Later changes have higher numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChangeNumber(pub u64);

/// A change that is about to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The id of the operation.
    pub operation: String,
    /// The JSON text of the parameters, which [`Operation::from_json`](crate::Operation::from_json) reads.
    pub request: String,
    /// The client ids in the request.
    pub client_ids: Vec<String>,
    /// The time in the signature.
    pub signed_at: Timestamp,
    /// The name of the account, if the client was given one.
    pub account: Option<String>,
}

/// A change as a journal stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredChange {
    /// Its number.
    pub number: ChangeNumber,
    /// The change.
    pub change: Change,
    /// How it ended; `None` if it is open.
    pub ending: Option<Ending>,
}

/// How a change ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ending {
    /// The outcome. For a batch, `Done` means that the exchange answered for each item.
    pub outcome: Outcome,
    /// The code of the exchange, if it responded with an error.
    pub code: Option<String>,
}

/// Which changes to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Selection {
    /// Those whose end is not stored.
    Open,
    /// Those that were stored after a change with this number, open or not; all of them after number 0.
    After(ChangeNumber),
}

impl StoredChange {
    /// A change with this number, for implementations of [`Journal`].
    pub fn new(number: ChangeNumber, change: Change, ending: Option<Ending>) -> Self {
        Self { number, change, ending }
    }
}

impl Change {
    /// A change without client ids and of an account without a name, for implementations of [`Journal`].
    pub fn new(operation: impl Into<String>, request: impl Into<String>, signed_at: Timestamp) -> Self {
        let (operation, request) = (operation.into(), request.into());
        Self { operation, request, client_ids: Vec::new(), signed_at, account: None }
    }
}

impl Ending {
    /// Ends with this outcome. [`Outcome::Unknown`] closes a change whose outcome will not be queried again.
    pub fn new(outcome: Outcome) -> Self {
        Self { outcome, code: None }
    }

    /// With the code of the exchange.
    #[must_use]
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }
}

impl fmt::Display for ChangeNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for StoredChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "change {}, {}", self.number, self.change.operation)?;
        match self.change.client_ids.as_slice() {
            [] => {}
            [id] => write!(f, " for {id}")?,
            [first, others @ ..] => write!(f, " for {first} and {} more", others.len())?,
        }
        match &self.ending {
            None => f.write_str(": open"),
            Some(ending) => write!(f, ": {}", ending.outcome),
        }
    }
}
