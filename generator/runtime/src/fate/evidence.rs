//! What a record proves about a request that may have made or changed it.
//!
//! A record with the right id may be of another request: an older one with the same id, a later one, or the same order
//! before the change. It is a proof only when nothing speaks against it and something speaks for it.

use std::time::Duration;

use crate::parameters::Named;
use crate::tables::Confirm;
use crate::value::{Decimal, Timestamp};

/// When a request was signed and left, and what else its outcome is judged by.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    /// When it was signed, as it says itself and the exchange judges it, whichever clock that came from.
    pub(super) signed_at: Timestamp,
    /// How far that may be from the exchange's clock for the request to be accepted; `None` when that is not known.
    pub(super) window: Option<Duration>,
    /// How long the exchange may take until what it accepted can be seen.
    pub(super) settling: Duration,
    /// The earliest and the latest time by the exchange's clock at which it left, where that is known.
    pub(super) left: Option<(Timestamp, Timestamp)>,
    /// Whether the same client sent another request that the record may be of as well.
    pub(super) has_rival: bool,
}

/// What a record comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    /// The request had its effect.
    Proof,
    /// The record was there before the request could be.
    Older,
    /// Neither.
    Nothing(&'static str),
}

/// Clocks of one exchange are taken to be this close.
const CLOSE: Duration = Duration::from_secs(2);

/// What `record` proves, which carries the id of what `request` was to make or change.
pub(super) fn judge(confirm: &Confirm, request: &Named, record: &Named, sent: &Sent) -> Evidence {
    if let Some(age) = confirm.created.and_then(|field| age(record, field, sent)) {
        return age;
    }
    if !agrees(confirm, request, record) {
        return Evidence::Nothing("it is another one with the same id: it differs from the request");
    }
    match (confirm.created, confirm.matches) {
        (None, []) => Evidence::Nothing("nothing tells when it came to be, so it may be an older one with the same id"),
        (Some(_), []) if sent.has_rival => Evidence::Nothing("two requests had the same id, and it may be of either"),
        (Some(_), []) => Evidence::Proof,
        (_, matches) => is_changed(confirm, matches, request, record, sent),
    }
}

/// What the time at which a record came to be says against it.
fn age(record: &Named, field: &str, sent: &Sent) -> Option<Evidence> {
    let Some(created) = time_of(record, field) else {
        return Some(Evidence::Nothing("it does not tell when it came to be"));
    };
    let Some(window) = sent.window else {
        return Some(Evidence::Nothing("nothing shows how far the two clocks may be apart"));
    };
    if sent.signed_at.checked_sub(window).is_some_and(|earliest| created < earliest) {
        return Some(Evidence::Older);
    }
    let latest = window.saturating_add(sent.settling);
    if sent.signed_at.checked_add(latest).is_some_and(|latest| created > latest) {
        return Some(Evidence::Nothing("something later has the same id"));
    }
    // Where nothing is known of the exchange's clock, the request itself says when it left.
    let earliest = sent.left.map_or(sent.signed_at, |(earliest, _)| earliest).checked_sub(CLOSE);
    earliest
        .is_some_and(|earliest| created < earliest)
        .then_some(Evidence::Nothing("something earlier has the same id"))
}

/// Whether nothing that the request and the record both have speaks against it.
fn agrees(confirm: &Confirm, request: &Named, record: &Named) -> bool {
    confirm.agrees.iter().all(|(parameter, fields)| {
        let Some(wanted) = request.text(parameter) else { return true };
        let told: Vec<_> = fields.iter().filter_map(|field| record.text(field)).collect();
        told.is_empty() || told.iter().any(|told| is_same(told, &wanted))
    })
}

/// Whether everything that the request was to change is as it wants it, and because of it.
fn is_changed(confirm: &Confirm, matches: &[(&str, &str)], request: &Named, record: &Named, sent: &Sent) -> Evidence {
    let wanted: Vec<_> = matches.iter().filter_map(|(field, own)| Some((field, request.text(own)?))).collect();
    if wanted.is_empty() {
        return Evidence::Nothing("nothing that the request changes can be compared");
    }
    let is_as_wanted =
        |(field, wanted): &(&&str, String)| record.text(field).is_some_and(|told| is_same(&told, wanted));
    if !wanted.iter().all(is_as_wanted) {
        return Evidence::Nothing("it is not, or not yet, as the request wants it");
    }
    let Some(changed) = confirm.changed.and_then(|field| time_of(record, field)) else {
        return Evidence::Nothing("it is as the request wants it, but may have been so before");
    };
    if sent.has_rival {
        return Evidence::Nothing("another request was under way that may have changed it");
    }
    let only_amended = confirm
        .changed_while
        .iter()
        .all(|(field, values)| record.text(field).is_none_or(|told| values.iter().any(|value| is_same(&told, value))));
    if !only_amended {
        return Evidence::Nothing(
            "it is as the request wants it, but what changed it last may have been a fill or its end",
        );
    }
    // The exchange tells whole milliseconds.
    match sent.left {
        Some((_, latest)) if changed.checked_add(Duration::from_millis(1)).is_none_or(|end| end >= latest) => {
            Evidence::Proof
        }
        _ => Evidence::Nothing("it is as the request wants it, but was last changed before the request arrived"),
    }
}

fn time_of(record: &Named, field: &str) -> Option<Timestamp> {
    record.text(field)?.parse().ok().map(Timestamp::from_millis)
}

/// Whether two texts are the same number, or the same word: in small or capital letters, with a space or an underscore.
fn is_same(one: &str, other: &str) -> bool {
    let number = |text: &str| text.parse::<Decimal>().ok();
    let letters = |text: &str| text.replace(' ', "_");
    letters(one).eq_ignore_ascii_case(&letters(other))
        || number(one).zip(number(other)).is_some_and(|(one, other)| one == other)
}

#[cfg(test)]
mod tests;
