//! The reasons why a journal cannot be opened, written or read.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The reason why a journal cannot be opened, written or read.
#[derive(Clone)]
#[non_exhaustive]
pub enum JournalError {
    /// Another process, or another journal in this one, has it open.
    InUse {
        /// Where it is.
        place: String,
    },
    /// A release with another format wrote it.
    Format {
        /// Where it is.
        place: String,
        /// The format, as far as it can be read.
        found: String,
    },
    /// The journal cannot be read: something else wrote it, or it is damaged.
    Damaged {
        /// Where it is.
        place: String,
        /// The mistake.
        why: String,
    },
    /// The journal cannot be opened: the folder cannot be read or written, or contains something else.
    NotOpened {
        /// Where it is.
        place: String,
        /// The error of the operating system.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// The journal was made for another client: one of another account, address or market. Nothing was read, stored or
    /// sent.
    Foreign {
        /// The name of the account whose changes are in question; empty if it has none.
        account: String,
        /// The kind of difference.
        why: String,
    },
    /// The process that opened it is another one, from which this process was forked.
    Forked {
        /// Where it is.
        place: String,
    },
    /// The store failed, as on a full disk. The journal accepts nothing more until it is opened again.
    Store {
        /// The error of the store.
        source: Arc<dyn Error + Send + Sync>,
    },
}

/// A change that was not sent because the journal could not store it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NotStored {
    /// The id of the operation.
    pub operation: &'static str,
    /// The reason why it could not be stored.
    pub why: JournalError,
    /// The time that the call waited for its rate limits.
    pub waited: Duration,
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InUse { place } => {
                write!(f, "the journal {place} is in use: end the process that has it open, or share one `Arc` of it")
            }
            Self::Format { place, found } => write!(
                f,
                "the journal {place} has the format {found}, which this release does not read: open it with the \
                 release that wrote it, recover, and begin a new one"
            ),
            Self::Damaged { place, why } => {
                write!(f, "the journal {place} cannot be read: {why}; keep a copy, and compare the account by hand")
            }
            Self::NotOpened { place, source } => {
                write!(f, "the journal {place} cannot be opened: {source}; use a folder of its own that can be written")
            }
            Self::Foreign { account, why } => {
                match account.as_str() {
                    "" => f.write_str("the journal was made for ")?,
                    name => write!(f, "the journal has changes of {name:?}, which were made for ")?,
                }
                write!(
                    f,
                    "{why}: use a journal of its own; if it is the same account, whose key or address was replaced, call \
                     `claim_journal`"
                )
            }
            Self::Forked { place } => {
                write!(f, "the journal {place} belongs to another process, which was forked: open it after the fork")
            }
            Self::Store { source } => {
                write!(f, "the journal cannot be written: {source}; remove the cause, open it again and recover")
            }
        }
    }
}

debug_as_sentence!(JournalError);

impl Error for JournalError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // The text contains the store's error itself, but not the source of that.
            Self::NotOpened { source, .. } | Self::Store { source } => source.source(),
            Self::InUse { .. }
            | Self::Format { .. }
            | Self::Damaged { .. }
            | Self::Foreign { .. }
            | Self::Forked { .. } => None,
        }
    }
}
