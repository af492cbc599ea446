//! Why a journal may lack changes that were sent.

use std::fmt;

use crate::value::Timestamp;

/// A journal may lack its last changes, which were sent. [`Journal::gap`](super::Journal::gap) reports it until the account
/// was reconciled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gap {
    /// What happened to the journal.
    pub reason: GapReason,
    /// When the last change was signed that the journal has. What is missing was signed later, or at about that time. `None`
    /// if the journal has no change.
    pub after: Option<Timestamp>,
}

/// What happened to a journal that may lack changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GapReason {
    /// The machine stopped while the journal was open, and changes were not to outlive it
    /// (`Durability::Process`).
    MachineStopped,
    /// It is a copy, as of a backup: what was stored after the copy was made is not in it.
    Copied,
    /// Its files are cut off or damaged: changes are missing that it confirmed.
    Damaged,
}

impl Gap {
    /// A gap after a change that was signed then, for implementations of [`Journal`](super::Journal).
    pub fn new(reason: GapReason, after: Option<Timestamp>) -> Self {
        Self { reason, after }
    }
}

impl fmt::Display for GapReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MachineStopped => "the machine stopped while the journal was open",
            Self::Copied => "the journal is a copy of another folder",
            Self::Damaged => "the journal is cut off or damaged",
        })
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: changes may be missing that were sent", self.reason)?;
        if let Some(after) = self.after {
            write!(f, " after about {after}")?;
        }
        f.write_str("; reconcile the account before anything else is sent")
    }
}
