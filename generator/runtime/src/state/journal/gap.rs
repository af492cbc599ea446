//! Why a journal may lack changes that were sent.
//!
//! Without `fsync` a loss of power drops the end of the store's log, a backup is an older state, and the store drops
//! what follows damage; what is left looks whole. Refusing such a journal would stop a trader after every loss of
//! power, with positions open, and requiring `fsync` would cost milliseconds a change. So the journal opens, and
//! reports the gap. A file system that is set back as a whole is not noticed.

use std::fmt;

use crate::data::value::Timestamp;

/// Changes that were sent and that a journal may lack. [`Journal::gap`](super::Journal::gap) reports them until the
/// account is reconciled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gap {
    /// The event that left the gap.
    pub reason: GapReason,
    /// When the last change in the journal was signed. Missing changes were signed at about that time or later. `None`
    /// if the journal is empty.
    pub after: Option<Timestamp>,
}

/// An event after which a journal may lack changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GapReason {
    /// The machine stopped while the journal was open, with a durability that does not survive that
    /// (`Durability::Process`).
    MachineStopped,
    /// The journal is a copy, for example from a backup, without the changes after the copy was made.
    Copied,
    /// The files are truncated or damaged, or the server has an older state, and they lack changes that the journal
    /// confirmed.
    Damaged,
    /// The server has no journal of this name: it is new, or the server lost it.
    New,
    /// The journal belongs to another process, from which this one was forked.
    Forked,
}

impl Gap {
    /// A gap after a change signed at `after`, for implementations of [`Journal`](super::Journal).
    pub fn new(reason: GapReason, after: Option<Timestamp>) -> Self {
        Self { reason, after }
    }
}

impl fmt::Display for GapReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MachineStopped => "the machine stopped while the journal was open",
            Self::Copied => "the journal is a copy of another folder",
            Self::New => "the journal is new, or its server lost it",
            Self::Forked => "the journal belongs to the process that this one was forked from",
            Self::Damaged => "the journal is truncated, damaged or an older state of itself",
        })
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: changes that were sent may be missing", self.reason)?;
        if let Some(after) = self.after {
            write!(f, " after about {after}")?;
        }
        f.write_str("; compare the account with the journal before anything else is sent (`reconcile` of the library)")
    }
}
