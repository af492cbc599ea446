//! Journals: what a client stores of each change before the change leaves, so that a later run of the program can
//! resolve what a crash left open.
//!
//! A client with a journal ([`ClientBuilder::journal`](crate::ClientBuilder::journal)) stores each change, which is
//! every request but a read, before it sends it, and the outcome after. A change that cannot be stored is not sent: the
//! call fails with [`Error::NotStored`](crate::Error::NotStored). After a restart,
//! [`confirm::recover`](crate::outcomes::confirm::recover()) queries the outcomes of the changes that are still open.
//!
//! A journal belongs to the clients of one account at one address: a client with another key is refused before anything
//! is read, stored or sent; see [`ClientCore::claim_journal`](crate::ClientCore::claim_journal).
//!
//! A journal has no secrets: it stores parameters and the time of the signature, never a header, and of the key a
//! salted digest.
//!
//! Each item of a batch ends by itself, as a line within the stored change; a change for each item would lose that they
//! were sent and signed together. A long journal is read and pruned by numbers, some at a time, because a Redis server
//! does nothing else meanwhile. A call with a journal is a future on the heap, so that one without is not larger.

#[cfg(any(feature = "journal", feature = "redis"))]
mod entry;
#[cfg(feature = "journal")]
mod file;
mod gap;
mod owner;
#[cfg(feature = "redis")]
mod redis;

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use crate::data::error::JournalError;
use crate::data::tables::Outcome;
use crate::data::value::Timestamp;

#[cfg(feature = "journal")]
pub use self::file::{Durability, FileJournal};
pub(crate) use self::gap::LostSpan;
pub use self::gap::{Gap, GapReason, LOST};
pub(crate) use self::owner::Owner;
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

    /// Stores how items of a batch ended. The change stays open. By default nothing is stored, and a recovery queries
    /// every item of an open batch again.
    fn end_items(&self, number: ChangeNumber, items: Vec<ItemEnding>) -> JournalFuture<'_, ()> {
        let _ = (number, items);
        Box::pin(std::future::ready(Ok(())))
    }

    /// Returns whether other processes share it. By default, none does.
    fn is_shared(&self) -> bool {
        false
    }

    /// Reads changes, the oldest first.
    fn read(&self, which: Selection) -> JournalFuture<'_, Vec<StoredChange>>;

    /// Reads the next changes after a number, at most `most` and the oldest first, open or not. Fewer are the last
    /// ones. By default all of them are read.
    fn read_after(&self, after: ChangeNumber, most: usize) -> JournalFuture<'_, Vec<StoredChange>> {
        Box::pin(async move {
            let mut all = self.read(Selection::After(after)).await?;
            all.truncate(most);
            Ok(all)
        })
    }

    /// Reads the last changes before a number, at most `most` and the oldest first, open or not. Fewer are the first
    /// ones. By default all changes are read.
    fn read_before(&self, before: ChangeNumber, most: usize) -> JournalFuture<'_, Vec<StoredChange>> {
        Box::pin(async move {
            let mut all = self.read(Selection::After(ChangeNumber(0))).await?;
            all.truncate(all.partition_point(|stored| stored.number < before));
            Ok(all.split_off(all.len().saturating_sub(most)))
        })
    }

    /// Stores whom the changes of an account belong to, unless that is known, and returns what is known. An account
    /// without a name has an empty one. The text is the client's, which compares it; it has no key and no secret. By
    /// default nothing is stored, and any client is taken for the owner.
    fn claim<'a>(&'a self, account: &'a str, owner: &'a str) -> JournalFuture<'a, String> {
        let _ = account;
        Box::pin(std::future::ready(Ok(owner.to_owned())))
    }

    /// Stores whom the changes of an account belong to from now on, whatever was known.
    fn claim_again<'a>(&'a self, account: &'a str, owner: &'a str) -> JournalFuture<'a, ()> {
        let _ = (account, owner);
        Box::pin(std::future::ready(Ok(())))
    }

    /// Returns why changes of an account that were sent may be missing, until [`close_gap`](Self::close_gap). `None` if
    /// the journal has every change, as far as it can know. An account without a name has an empty one.
    fn gap(&self, account: &str) -> Option<Gap> {
        let _ = account;
        None
    }

    /// Notes that the account was compared with the exchange, so that none of its changes is missing any more. A
    /// comparison stores when the missing ones were signed before, as a change with the operation [`LOST`].
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
    /// The id of the operation, or [`LOST`].
    pub operation: String,
    /// The JSON text of the parameters, which [`Operation::from_json`](crate::Operation::from_json) reads.
    pub request: String,
    /// The client ids in the request.
    pub client_ids: Vec<String>,
    /// The time in the signature, by the machine's clock as answers of the exchange correct it.
    pub signed_at: Timestamp,
    /// When it was signed by the machine's clock alone; `None` in a change that an earlier release stored.
    pub made_at: Option<Timestamp>,
    /// The name of the account, if the client was given one.
    pub account: Option<String>,
}

/// A change as a journal stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredChange {
    /// The number.
    pub number: ChangeNumber,
    /// The change.
    pub change: Change,
    /// The end of the change; `None` if it is open.
    pub ending: Option<Ending>,
    /// The ends of the items of a batch, as far as they are known. The change is open until all items have ended.
    pub items: Vec<ItemEnding>,
}

/// The end of an item of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ItemEnding {
    /// The place in the request.
    pub place: usize,
    /// The outcome.
    pub outcome: Outcome,
    /// The code of the exchange, if it refused the item.
    pub code: Option<String>,
}

/// The end of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ending {
    /// The outcome. A batch is done if one of its items is.
    pub outcome: Outcome,
    /// The code of the exchange, if it responded with an error.
    pub code: Option<String>,
}

/// When a request was signed, by two clocks: a machine of the exchange whose clock is wrong may have corrected that of
/// the signature, and the machine's own may be wrong, or may have been set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SigningTimes {
    /// The time in the signature.
    pub(crate) signed_at: Timestamp,
    /// The time by the machine's clock, if it is known.
    pub(crate) made_at: Option<Timestamp>,
}

impl SigningTimes {
    /// Returns the time by the clock that shows the earlier time.
    pub(crate) fn earliest(self) -> Timestamp {
        self.made_at.map_or(self.signed_at, |made_at| made_at.min(self.signed_at))
    }

    /// Returns the time by the clock that shows the later time.
    pub(crate) fn latest(self) -> Timestamp {
        self.made_at.map_or(self.signed_at, |made_at| made_at.max(self.signed_at))
    }

    /// Returns the times by each clock.
    pub(crate) fn each(self) -> [Timestamp; 2] {
        [self.signed_at, self.made_at.unwrap_or(self.signed_at)]
    }

    /// Returns how far it is apart from another one, as far as that is certain: any clock may have been right each
    /// time.
    pub(crate) fn apart(self, other: Self) -> Duration {
        if self.made_at.is_none() || other.made_at.is_none() {
            return Duration::ZERO;
        }
        let mut least = u64::MAX;
        for one in self.each() {
            for other in other.each() {
                least = least.min(one.as_millis().abs_diff(other.as_millis()));
            }
        }
        Duration::from_millis(least)
    }
}

/// For a request of which only the signature is known.
impl From<Timestamp> for SigningTimes {
    fn from(signed_at: Timestamp) -> Self {
        Self { signed_at, made_at: None }
    }
}

/// Which changes to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Selection {
    /// Changes whose end is not stored.
    Open,
    /// Changes that were stored after the one with this number, open or not; all of them after
    /// `ChangeNumber(0)`.
    After(ChangeNumber),
}

impl StoredChange {
    /// Creates a change with this number, for implementations of [`Journal`].
    pub fn new(number: ChangeNumber, change: Change, ending: Option<Ending>) -> Self {
        Self { number, change, ending, items: Vec::new() }
    }

    /// Adds these endings of its items.
    #[must_use]
    pub fn with_items(mut self, items: Vec<ItemEnding>) -> Self {
        self.items = items;
        self
    }

    /// Returns the outcome of the item at a place of the request, or that of the change if the item has none of its
    /// own. `None` if it is open.
    pub fn outcome_of(&self, place: usize) -> Option<Outcome> {
        let own = self.items.iter().find(|item| item.place == place).map(|item| item.outcome);
        own.or(self.ending.as_ref().map(|ending| ending.outcome))
    }
}

impl ItemEnding {
    /// Returns the item at this place of the request ended with this outcome.
    pub fn new(place: usize, outcome: Outcome) -> Self {
        Self { place, outcome, code: None }
    }

    /// Adds the code of the exchange.
    #[must_use]
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }
}

/// The number of changes that are read at once.
pub(crate) const CHUNK: usize = 1 << 10;

/// The longest time by which a change may be signed after one with a higher number: changes are stored in about the
/// order of their signatures, and clocks are set.
const DISORDER: Duration = Duration::from_secs(600);

/// Returns the changes that were signed at `time` or later by either clock, the oldest first. Reads no more than these
/// and some before them.
///
/// # Errors
///
/// Fails if the journal cannot be read.
pub async fn signed_since(journal: &dyn Journal, time: Timestamp) -> Result<Vec<StoredChange>, JournalError> {
    let (mut before, mut chunks) = (ChangeNumber(u64::MAX), Vec::new());
    let enough = time.checked_sub(DISORDER).unwrap_or_default();
    loop {
        let mut chunk = journal.read_before(before, CHUNK).await?;
        let is_last = chunk.len() < CHUNK || chunk.iter().all(|stored| stored.change.signed().latest() < enough);
        before = chunk.first().map_or(before, |first| first.number);
        chunk.retain(|stored| stored.change.signed().latest() >= time);
        chunks.push(chunk);
        if is_last {
            let mut changes = Vec::new();
            for mut chunk in chunks.into_iter().rev() {
                changes.append(&mut chunk);
            }
            return Ok(changes);
        }
    }
}

impl Change {
    /// Creates a change without client ids and of an account without a name, for implementations of [`Journal`].
    pub fn new(operation: impl Into<String>, request: impl Into<String>, signed_at: Timestamp) -> Self {
        let (operation, request) = (operation.into(), request.into());
        Self { operation, request, client_ids: Vec::new(), signed_at, made_at: None, account: None }
    }

    /// Returns when it was signed.
    pub(crate) fn signed(&self) -> SigningTimes {
        SigningTimes { signed_at: self.signed_at, made_at: self.made_at }
    }
}

impl Ending {
    /// Ends with this outcome. [`Outcome::Unknown`] closes a change whose outcome will not be queried again.
    pub fn new(outcome: Outcome) -> Self {
        Self { outcome, code: None }
    }

    /// Adds the code of the exchange.
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
