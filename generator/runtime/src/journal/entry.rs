//! A change as journals write it: JSON with short names, to which later releases may add members.

use super::{Change, ChangeNumber, Ending, StoredChange};
use crate::json::{read_json, write_json};
use crate::tables::Outcome;
use crate::value::Timestamp;

crate::record! {
    /// The stored form of a change.
    struct Entry {
        #[wire("op")]
        operation: Option<String>,
        #[wire("request")]
        request: Option<String>,
        #[wire("ids")]
        client_ids: Option<Vec<String>>,
        #[wire("signed")]
        signed_at: Option<Timestamp>,
        #[wire("account")]
        account: Option<String>,
        #[wire("outcome")]
        outcome: Option<String>,
        #[wire("code")]
        code: Option<String>,
    }
}

/// The text of a change that is open.
pub(super) fn written(change: Change) -> String {
    let Change { operation, request, client_ids, signed_at, account } = change;
    write_json(&Entry {
        operation: Some(operation),
        request: Some(request),
        client_ids: Some(client_ids).filter(|ids| !ids.is_empty()),
        signed_at: Some(signed_at),
        account,
        ..Entry::default()
    })
}

/// The text of an open change with the members of its end. `None` if it is not the text of an object.
// The change is not read and written again, which takes as long as a call of the system.
#[cfg(feature = "journal")]
pub(super) fn with_ending(open: &str, ending: &Ending) -> Option<String> {
    let outcome = Some(word(ending.outcome).to_owned());
    let end = write_json(&Entry { outcome, code: ending.code.clone(), ..Entry::default() });
    Some([open.strip_suffix('}')?, ",", end.strip_prefix('{')?].concat())
}

/// Reads a change.
///
/// # Errors
///
/// Returns why the text is invalid.
pub(super) fn read(number: ChangeNumber, text: &str) -> Result<StoredChange, String> {
    let entry: Entry = read_json(text).map_err(|error| format!("change {number}: {error}"))?;
    entry.into_change(number).ok_or_else(|| format!("change {number} is incomplete"))
}

impl Entry {
    fn into_change(self, number: ChangeNumber) -> Option<StoredChange> {
        let Self { operation, request, client_ids, signed_at, account, outcome, code } = self;
        let client_ids = client_ids.unwrap_or_default();
        let change = Change { operation: operation?, request: request?, client_ids, signed_at: signed_at?, account };
        let ending = match outcome {
            Some(word) => Some(Ending { outcome: outcome_of(&word)?, code }),
            None => None,
        };
        Some(StoredChange { number, change, ending })
    }
}

const fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::NotDone => "not-done",
        Outcome::Unknown => "unknown",
    }
}

fn outcome_of(text: &str) -> Option<Outcome> {
    [Outcome::Done, Outcome::NotDone, Outcome::Unknown].into_iter().find(|outcome| word(*outcome) == text)
}
