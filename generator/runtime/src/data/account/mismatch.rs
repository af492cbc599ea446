//! Differences between the account as the caller states it and as the exchange's answers show it.
//!
//! A mismatch is reported and changes no requests: a record of an order may be from before the mode was changed, and a
//! client that stops by itself could not close a position.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::data::value::Timestamp;

/// A property of the account whose value at the exchange differs from the stated one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccountMismatch {
    /// The name of the property in the schema.
    pub property: &'static str,
    /// The stated value.
    pub stated: String,
    /// The value at the exchange.
    pub evidence: AccountEvidence,
    /// The time of the record or of the refusal, by the exchange's clock.
    pub at: Option<Timestamp>,
}

/// The answer that shows that a property of the account has another value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccountEvidence {
    /// The record of an order has this value.
    Record(String),
    /// The exchange refused a request that fits the stated value, with this code.
    Refusal(String),
}

impl fmt::Display for AccountMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { property, stated, evidence, at } = self;
        write!(f, "the client's account states {property} {stated}, but ")?;
        match evidence {
            AccountEvidence::Record(value) => write!(f, "the record of an order shows {value}")?,
            AccountEvidence::Refusal(code) => write!(f, "code {code} refuses a request that fits it")?,
        }
        at.map_or(Ok(()), |at| write!(f, " ({at})"))
    }
}

/// The latest evidence for each stated property, in the order of their names. Older records do not count, because the
/// account may have changed since.
#[derive(Debug, Default)]
pub(crate) struct Mismatches(Mutex<Vec<Latest>>);

#[derive(Debug)]
struct Latest {
    property: &'static str,
    at: Option<Timestamp>,
    mismatch: Option<AccountMismatch>,
}

impl Mismatches {
    /// Records what an answer shows about a property: a mismatch, or that the stated value is right. Returns whether
    /// this is the first mismatch since the stated value was last shown to be right.
    pub(crate) fn note(
        &self,
        property: &'static str,
        at: Option<Timestamp>,
        mismatch: Option<AccountMismatch>,
    ) -> bool {
        let mut all = self.lock();
        let place = all.binary_search_by(|known| known.property.cmp(property)).unwrap_or_else(|place| {
            all.insert(place, Latest { property, at: None, mismatch: None });
            place
        });
        let known = &mut all[place];
        if known.at > at {
            return false;
        }
        let is_first = known.mismatch.is_none() && mismatch.is_some();
        (known.at, known.mismatch) = (at, mismatch);
        is_first
    }

    /// The mismatches that no later answer has cleared.
    pub(crate) fn all(&self) -> Vec<AccountMismatch> {
        let mut all = Vec::new();
        for latest in self.lock().iter() {
            all.extend(latest.mismatch.clone());
        }
        all
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Latest>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: &str, at: u64) -> (Option<Timestamp>, AccountMismatch) {
        let at = Some(Timestamp::from_millis(at));
        let evidence = AccountEvidence::Record(value.to_owned());
        (at, AccountMismatch { property: "mode", stated: "a".to_owned(), evidence, at })
    }

    #[test]
    fn the_latest_record_decides() {
        let mismatches = Mismatches::default();
        let (at, mismatch) = shown("b", 5);
        assert!(mismatches.note("mode", at, Some(mismatch.clone())));
        assert!(!mismatches.note("mode", at, Some(mismatch.clone())), "it was noticed before");
        assert_eq!(mismatches.all(), std::slice::from_ref(&mismatch));
        let text = "the client's account states mode a, but the record of an order shows b (1970-01-01T00:00:00.005Z)";
        assert_eq!(mismatch.to_string(), text);

        mismatches.note("mode", Some(Timestamp::from_millis(4)), None);
        mismatches.note("mode", None, None);
        assert_eq!(mismatches.all(), std::slice::from_ref(&mismatch), "an older record clears nothing");
        mismatches.note("mode", Some(Timestamp::from_millis(6)), None);
        assert_eq!(mismatches.all(), []);
        assert!(!mismatches.note("mode", at, Some(mismatch)), "an older record shows no mismatch");
        assert_eq!(mismatches.all(), []);
        let (at, mismatch) = shown("b", 7);
        assert!(mismatches.note("mode", at, Some(mismatch)), "it is wrong again");
        mismatches.note("mode", at, None);
        assert_eq!(mismatches.all(), [], "of the same time, the later answer counts");
    }
}
