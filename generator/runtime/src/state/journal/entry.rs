//! A change as journals write it: JSON with short names, to which later releases may add members.

use std::fmt::Write;

use super::{Change, ChangeNumber, Ending, ItemEnding, StoredChange};
use crate::data::json::{read_json, write_json};
use crate::data::sorting::sort_by;
use crate::data::tables::Outcome;
use crate::data::value::Timestamp;

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
        #[wire("made")]
        made_at: Option<Timestamp>,
        #[wire("account")]
        account: Option<String>,
        #[wire("outcome")]
        outcome: Option<String>,
        #[wire("code")]
        code: Option<String>,
        #[wire("items")]
        items: Option<String>,
    }
}

/// Returns the text of a change that is open.
pub(super) fn written(change: Change) -> String {
    let Change { operation, request, client_ids, signed_at, made_at, account } = change;
    write_json(&Entry {
        operation: Some(operation),
        request: Some(request),
        client_ids: Some(client_ids).filter(|ids| !ids.is_empty()),
        signed_at: Some(signed_at),
        made_at,
        account,
        ..Entry::default()
    })
}

/// Returns the text of an open change with the members of its end. `None` if it is not the text of an object.
// The change is not read and written again, which takes as long as a call of the system.
#[cfg(feature = "journal")]
pub(super) fn with_ending(open: &str, ending: &Ending) -> Option<String> {
    let outcome = Some(word(ending.outcome).to_owned());
    let end = write_json(&Entry { outcome, code: ending.code.clone(), ..Entry::default() });
    Some([open.strip_suffix('}')?, ",", end.strip_prefix('{')?].concat())
}

/// Returns the text of a change with the endings of more of its items.
#[cfg(feature = "journal")]
pub(super) fn with_items(text: &str, items: &[ItemEnding]) -> Result<String, String> {
    let mut entry: Entry = read_json(text).map_err(|error| error.to_string())?;
    entry.items.get_or_insert_default().push_str(&written_items(items));
    Ok(write_json(&entry))
}

/// Returns the endings of items as text, a line each: the place, the outcome and the code. The lines of later endings
/// follow, and the first line of an item counts.
pub(super) fn written_items(items: &[ItemEnding]) -> String {
    let mut text = String::new();
    for ItemEnding { place, outcome, code } in items {
        let code = code.as_deref().filter(|code| !code.contains('\n'));
        // Writing to a text does not fail.
        let _ = writeln!(
            text,
            "{place} {}{}{}",
            word(*outcome),
            if code.is_some() { " " } else { "" },
            code.unwrap_or_default()
        );
    }
    text
}

/// Reads the endings of items.
pub(super) fn read_items(text: &str) -> Option<Vec<ItemEnding>> {
    let mut items: Vec<ItemEnding> = Vec::new();
    for line in text.lines() {
        let (place, ending) = line.split_once(' ')?;
        let place = place.parse().ok()?;
        let Ending { outcome, code } = read_ending(ending)?;
        if !items.iter().any(|item| item.place == place) {
            items.push(ItemEnding { place, outcome, code });
        }
    }
    sort_by(&mut items, &|one, other| one.place.cmp(&other.place));
    Some(items)
}

/// Returns an ending as text: the outcome and the code.
#[cfg(feature = "redis")]
pub(super) fn written_ending(ending: &Ending) -> String {
    let word = word(ending.outcome);
    ending.code.as_ref().map_or_else(|| word.to_owned(), |code| format!("{word} {code}"))
}

/// Reads an ending.
pub(super) fn read_ending(text: &str) -> Option<Ending> {
    let (word, code) = text.split_once(' ').map_or((text, None), |(word, code)| (word, Some(code.to_owned())));
    Some(Ending { outcome: outcome_of(word)?, code })
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
        let Self { operation, request, client_ids, signed_at, made_at, account, outcome, code, items, __unknown: _ } =
            self;
        let client_ids = client_ids.unwrap_or_default();
        let (operation, request, signed_at) = (operation?, request?, signed_at?);
        let change = Change { operation, request, client_ids, signed_at, made_at, account };
        let ending = match outcome {
            Some(word) => Some(Ending { outcome: outcome_of(&word)?, code }),
            None => None,
        };
        let items = read_items(&items.unwrap_or_default())?;
        Some(StoredChange { number, change, ending, items })
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
