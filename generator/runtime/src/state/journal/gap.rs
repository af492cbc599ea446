//! Changes that a journal does not have: why it may lack some that were sent, and which it lost or no longer keeps.
//!
//! Without `fsync` a loss of power drops the end of the store's log, a backup is an older state, and the store drops
//! what follows damage; what is left looks whole. Refusing such a journal would stop a trader after every loss of
//! power, with positions open, and requiring `fsync` would cost milliseconds a change. So the journal opens, and
//! reports the gap. A file system that is set back as a whole is not noticed.
//!
//! Lost and pruned changes are noted as a change, so that every store keeps the note, and what was stored before stays
//! readable. An order of that time may be of this program although the journal does not have it.

use std::fmt;
use std::time::Duration;

use super::{Change, StoredChange};
use crate::data::json::{read_json, write_json};
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
    /// Creates a gap after a change signed at `after`, for implementations of [`Journal`](super::Journal).
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

/// The operation of a change that notes that the journal no longer has others: it lost or pruned them. No request has
/// this operation.
pub const LOST: &str = "journal/lost";

/// The time by which an order may be created earlier or later than by the times in a journal: requests are signed
/// before they are stored and arrive after it, and clocks are set.
const MARGIN: Duration = Duration::from_secs(600);

/// The time within which orders were created that a journal may have had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LostSpan {
    since: Timestamp,
    until: Option<Timestamp>,
}

crate::record! {
    /// The request of a change that notes a span.
    struct Stored {
        #[wire("since")]
        since: Option<Timestamp>,
        #[wire("until")]
        until: Option<Timestamp>,
    }
}

impl LostSpan {
    /// Creates a gap whose missing changes were signed at about `after` or later, all of them if it is not known.
    pub(crate) fn after(after: Option<Timestamp>) -> Self {
        let since = after.and_then(|after| after.checked_sub(MARGIN)).unwrap_or_default();
        Self { since, until: None }
    }

    /// States that none of the missing changes arrived after `time`.
    pub(crate) fn until(self, time: Timestamp) -> Self {
        Self { until: time.checked_add(MARGIN), ..self }
    }

    /// Returns when the first of them may have been signed.
    pub(crate) fn since(self) -> Timestamp {
        self.since
    }

    /// Returns whether an order may be one of them. Without a time of creation, it may.
    pub(crate) fn has(self, created: Option<Timestamp>) -> bool {
        created.is_none_or(|created| self.since <= created && self.until.is_none_or(|until| created <= until))
    }

    /// Returns the change that notes it, as signed at a time.
    pub(crate) fn change(self, signed_at: Timestamp) -> Change {
        let request = write_json(&Stored { since: Some(self.since), until: self.until, ..Stored::default() });
        Change::new(LOST, request, signed_at)
    }

    /// Returns the span that a change notes, if it notes one.
    pub(crate) fn noted_by(stored: &StoredChange) -> Option<Self> {
        let change = Some(&stored.change).filter(|change| change.operation == LOST)?;
        let Stored { since, until, .. } = read_json(&change.request).unwrap_or_default();
        Some(Self { since: since.unwrap_or_default(), until })
    }
}

#[cfg(test)]
mod tests {
    use super::super::ChangeNumber;
    use super::*;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_millis(1_000 * seconds)
    }

    #[test]
    fn a_span_covers_what_may_have_been_created_within_it_and_is_stored_as_a_change() {
        let span = LostSpan::after(Some(at(2_000))).until(at(3_000));
        let stored = StoredChange::new(ChangeNumber(1), span.change(at(9)), None);
        assert_eq!(LostSpan::noted_by(&stored), Some(span));
        for (second, is_covered) in [(1_399, false), (1_400, true), (3_600, true), (3_601, false)] {
            assert_eq!(span.has(Some(at(second))), is_covered, "{second}");
        }
        assert!(span.has(None), "it may have been created at any time");
        assert!(LostSpan::after(Some(at(2_000))).has(Some(at(1 << 30))), "it is not over");
        assert!(LostSpan::after(None).has(Some(at(0))), "nothing is left of the journal");
        let other = StoredChange::new(ChangeNumber(1), Change::new("a.b", "{}", at(9)), None);
        assert_eq!(LostSpan::noted_by(&other), None);
    }
}
