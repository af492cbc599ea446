//! Decides what a record proves about a request that may have created or changed it.
//!
//! A record with the right id may be of another request: an older or a later one with the same id, or of the same order
//! before the change. It is a proof only if nothing contradicts the request and something confirms it.
//!
//! Attempts that carry one key of repeats are one request, where the schema says that the exchange recognizes it. They
//! are attempts only if their whole stored form is equal and the key is still kept; anything else with the id is a
//! rival. A record of any of them is a proof.

use std::time::Duration;

use tradeapi_words::Assumptions;

use crate::data::json::Form;
use crate::data::operation::DynOperation;
use crate::data::parameters::Named;
use crate::data::tables::{Confirm, Ends};
use crate::data::value::{Decimal, Timestamp};
use crate::state::journal::SigningTimes;

/// When a request was signed and left, and other facts that its outcome is evaluated by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sent {
    /// The time in its signature, by which the exchange checks it, whichever clock it came from.
    pub(crate) signed_at: Timestamp,
    /// The distance from the exchange's clock within which a request is accepted, if known.
    pub(crate) window: Option<Duration>,
    /// The assumptions that its outcome is evaluated by.
    pub(crate) assumptions: Assumptions,
    /// The earliest and the latest time of departure by the exchange's clock, if known.
    pub(crate) left: Option<(Timestamp, Timestamp)>,
    /// When it was sent, by every clock that shows it.
    pub(crate) departure: Departure,
    /// The attempts that it is one of, if the exchange recognizes them as one request.
    pub(crate) attempts: Option<Attempts>,
}

/// When a request was sent, its first attempt if it has several. A machine of the exchange whose clock is wrong may have
/// corrected that of the signature, and this machine's may be wrong, so a record counts that fits either.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    pub(crate) at: SigningTimes,
    /// The time by which the request may have been earlier by the exchange's clock.
    pub(crate) earlier: Duration,
    /// The time by which the last attempt was signed later.
    pub(crate) attempted_for: Duration,
}

impl Default for Departure {
    fn default() -> Self {
        Self { at: Timestamp::default().into(), earlier: Duration::ZERO, attempted_for: Duration::ZERO }
    }
}

/// Several attempts of one request; the exchange serves one of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempts {
    /// The time in the signature of the first one, and the earliest and latest time of its departure by the exchange's
    /// clock, if known.
    pub(crate) first: (Timestamp, Option<(Timestamp, Timestamp)>),
    /// The time in the signature of the last one.
    pub(crate) last: Timestamp,
}

impl Sent {
    /// Returns the time in the signature of the first attempt, and when that left.
    pub(crate) fn first(&self) -> (Timestamp, Option<(Timestamp, Timestamp)>) {
        self.attempts.map_or((self.signed_at, self.left), |attempts| attempts.first)
    }

    /// Returns the time in the signature of the last attempt.
    pub(crate) fn last(&self) -> Timestamp {
        self.attempts.map_or(self.signed_at, |attempts| attempts.last)
    }
}

/// The verdict of a record on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// The request had its effect.
    Proof,
    /// The record is older than the request.
    Older,
    /// The record is of something else with the same id, for this reason.
    Another(&'static str),
    /// The record fits another request of the client as well, for this reason.
    Ambiguous(&'static str),
    /// The order that the request was to cancel ended otherwise, so the request had no effect.
    Refuted,
    /// The order that the request was to cancel is still open.
    Open,
    /// The order has ended, and without the values that the request was to give it.
    Ended,
    /// None of these, and why.
    Nothing(&'static str),
}

/// The requests that a record may be of instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rival {
    Any,
    /// One that changes what exists.
    Amendment,
}

/// Returns what `record` of the form `form` proves about `request`. It has the id of what the request was to create or
/// change. `has_rival` searches for another request of the same client that the record may be of.
pub(crate) fn evaluate(
    confirm: &Confirm,
    request: &Named,
    (record, form): (&Named, Form),
    sent: &Sent,
    has_rival: impl Fn(Rival) -> bool,
) -> Evidence {
    if let Some(ends) = confirm.ends.filter(|_| confirm.cancels()) {
        return is_cancelled(&ends, record, has_rival);
    }
    let time = |field: &str| form.time_of(field, &record.text(field)?);
    if let Some(age) = confirm.created.and_then(|field| age(time(field), sent)) {
        return age;
    }
    if !agrees(confirm, request, record) {
        return Evidence::Another("it is another record with the same id: it differs from the request");
    }
    match (confirm.created, confirm.matches) {
        (None, []) => Evidence::Nothing("its time of creation is unknown, so it may be an older one with the same id"),
        (Some(_), []) if has_rival(Rival::Any) => {
            Evidence::Ambiguous("two requests had the same id, and the record may be of either")
        }
        (Some(_), []) => Evidence::Proof,
        (_, matches) => is_changed(confirm, matches, request, record, confirm.changed.and_then(time), sent, has_rival),
    }
}

/// Returns what the state of an order shows about its cancellation. No time counts, because an end is final: an order
/// that is cancelled needs no cancellation any more, whichever request made it so.
fn is_cancelled(ends: &Ends, record: &Named, has_rival: impl Fn(Rival) -> bool) -> Evidence {
    if has_rival(Rival::Any) {
        return Evidence::Ambiguous("two orders had the same id, and the record may be of either");
    }
    for (states, evidence) in
        [(ends.left_in, Evidence::Proof), (ends.others, Evidence::Refuted), (ends.open, Evidence::Open)]
    {
        if is_in(states, ends, record) {
            return evidence;
        }
    }
    Evidence::Nothing("it shows no documented state")
}

/// Returns whether a record shows one of these states.
fn is_in(states: &[&str], ends: &Ends, record: &Named) -> bool {
    record.text(ends.field).is_some_and(|shown| states.iter().any(|state| is_same(&shown, state)))
}

/// Returns what contradicts the request in the time of creation of a record.
fn age(created: Option<Timestamp>, sent: &Sent) -> Option<Evidence> {
    let Some(created) = created else {
        return Some(Evidence::Nothing("it does not contain its time of creation"));
    };
    let Some(window) = sent.window else {
        return Some(Evidence::Nothing("it is not known how far the two clocks may differ"));
    };
    let Departure { at, earlier, attempted_for } = sent.departure;
    let Assumptions { settling, clock_error, clock_distance, .. } = sent.assumptions;
    let later = window.saturating_add(settling).saturating_add(attempted_for);
    let earlier = earlier.clamp(clock_distance, window.max(clock_distance));
    if at.each().into_iter().any(|at| at - created <= earlier && created - at <= later) {
        return None;
    }
    Some(match created {
        _ if at.earliest() - created > window.saturating_add(clock_error) => Evidence::Older,
        _ if created - at.earliest() > later => Evidence::Another("something later has the same id"),
        _ => Evidence::Another("something earlier has the same id"),
    })
}

/// Returns whether every field that the request and the record both have agrees.
fn agrees(confirm: &Confirm, request: &Named, record: &Named) -> bool {
    confirm.agrees.iter().all(|(parameter, fields)| {
        let Some(wanted) = request.text(parameter) else { return true };
        let mut is_stated = false;
        for stated in fields.iter().filter_map(|field| record.text(field)) {
            if is_same(&stated, &wanted) {
                return true;
            }
            is_stated = true;
        }
        !is_stated
    })
}

/// Returns whether every field agrees that the record has and the request creates or changes.
pub(super) fn contradicts_nothing(confirm: &Confirm, request: &Named, record: &Named) -> bool {
    let differs = |(field, own): &(&str, &str)| {
        let both = record.text(field).zip(request.text(own));
        both.is_some_and(|(stated, wanted)| !is_same(&stated, &wanted))
    };
    agrees(confirm, request, record) && !confirm.matches.iter().any(differs)
}

/// Returns whether everything that the request was to change has the wanted value, and has it because of this request.
fn is_changed(
    confirm: &Confirm,
    matches: &[(&str, &str)],
    request: &Named,
    record: &Named,
    changed: Option<Timestamp>,
    sent: &Sent,
    has_rival: impl Fn(Rival) -> bool,
) -> Evidence {
    let (mut changes_any, mut has_all) = (false, true);
    for (field, own) in matches {
        let Some(wanted) = request.text(own) else { continue };
        changes_any = true;
        has_all &= record.text(field).is_some_and(|stated| is_same(&stated, &wanted));
    }
    if !changes_any {
        return Evidence::Nothing("the record has no field that the request changes");
    }
    if !has_all {
        // Of an earlier run, other requests are not known, which may have changed the order since.
        let is_final = sent.left.is_some() && confirm.ends.is_some_and(|ends| is_in(ends.others, &ends, record));
        return match is_final && !has_rival(Rival::Amendment) {
            true => Evidence::Ended,
            false => Evidence::Nothing("it does not, or not yet, have the values of the request"),
        };
    }
    let Some(changed) = changed else {
        return Evidence::Nothing("it has the values of the request, but may have had them before");
    };
    if has_rival(Rival::Any) {
        return Evidence::Ambiguous("another request, in flight or shortly before, may have changed it so");
    }
    let only_amended = confirm.changed_while.iter().all(|(field, values)| {
        record.text(field).is_none_or(|stated| values.iter().any(|value| is_same(&stated, value)))
    });
    if !only_amended {
        return Evidence::Nothing(
            "it has the values of the request, but its last change may have been a fill or its end",
        );
    }
    // In the millisecond of its departure, an earlier change may have been made. What is known now of the exchange's clock
    // at that time may come from a machine that is behind, so every clock that shows the departure counts.
    match sent.first().1 {
        Some((_, latest)) if changed > latest.max(sent.departure.at.latest()) => Evidence::Proof,
        _ => Evidence::Nothing("it has the values of the request, but its last change may be older than the request"),
    }
}

/// Returns whether two texts are the same number, or the same word whatever its case, with spaces or underscores.
fn is_same(one: &str, other: &str) -> bool {
    let letter = |byte: u8| if byte == b' ' { b'_' } else { byte.to_ascii_lowercase() };
    let is_alike = |(one, other): (u8, u8)| letter(one) == letter(other);
    if one.len() == other.len() && one.bytes().zip(other.bytes()).all(is_alike) {
        return true;
    }
    match (one.parse::<Decimal>(), other.parse::<Decimal>()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// One thing that a request was to create or change, and that has an id.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    confirm: &'static Confirm,
    /// The parameters of the request, those of the item first.
    named: Named,
    /// The field that identifies the thing: the field of its record, and its text.
    field: &'static str,
    key: String,
}

impl Target {
    /// Returns the target of a request, or that of each of its items. `None` if it has no id.
    pub(crate) fn all(operation: &dyn DynOperation) -> Vec<Option<Self>> {
        let confirm = operation.meta().confirm.as_ref();
        confirm.map(|confirm| Self::all_in(confirm, Named::of(operation))).unwrap_or_default()
    }

    /// Returns the same for a request with these parameters.
    pub(crate) fn all_in(confirm: &'static Confirm, named: Named) -> Vec<Option<Self>> {
        match confirm.list {
            None => vec![Self::of(confirm, named)],
            Some(list) => {
                let (items, shared) = (named.items(list), named.without(list));
                let mut targets = Vec::with_capacity(items.len());
                for item in items {
                    targets.push(Self::of(confirm, item.and(&shared)));
                }
                targets
            }
        }
    }

    fn of(confirm: &'static Confirm, named: Named) -> Option<Self> {
        let has_id = confirm.ids.is_empty() || confirm.ids.iter().any(|(_, own)| named.text(own).is_some());
        let id = confirm.fields().iter().find_map(|(field, own)| Some((*field, named.text(own)?.into_owned())));
        let (field, key) = id.filter(|_| has_id)?;
        Some(Self { confirm, named, field, key })
    }

    /// Returns the table that it is confirmed by.
    pub(crate) fn confirm(&self) -> &'static Confirm {
        self.confirm
    }

    /// Returns the parameters of the request.
    pub(crate) fn named(&self) -> &Named {
        &self.named
    }

    /// Returns the field of its record that has its id.
    pub(crate) fn field(&self) -> &'static str {
        self.field
    }

    /// Returns the time after which the exchange refuses the request, if it says so.
    pub(crate) fn expires(&self) -> Option<Timestamp> {
        let (parameter, read) = self.confirm.expires?;
        read(&self.named.text(parameter)?)
    }

    /// Returns the id.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Returns whether the request gives the id to something new.
    pub(crate) fn is_new(&self) -> bool {
        self.confirm.created.is_some()
    }

    /// Returns whether the request cancels an order.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.confirm.cancels()
    }

    /// Returns whether a record has its id.
    pub(crate) fn is_shown_by(&self, record: &Named) -> bool {
        record.text(self.field).as_deref() == Some(&self.key)
    }

    /// Returns whether the request may have made the last change that a record of it shows: nothing that it gives
    /// differs there.
    pub(crate) fn may_have_left(&self, record: &Named) -> bool {
        contradicts_nothing(self.confirm, &self.named, record)
    }

    /// Returns what a record of it proves. `has_rival` returns whether another request of the client is about the thing
    /// with an id.
    pub(crate) fn evaluate(
        &self,
        record: &Named,
        form: Form,
        sent: &Sent,
        has_rival: impl Fn(&str, Rival) -> bool,
    ) -> Evidence {
        // The other request may name the thing by its other id.
        let ids = || self.confirm.fields().iter().filter_map(|(field, _)| record.text(field));
        evaluate(self.confirm, &self.named, (record, form), sent, |rival| ids().any(|id| has_rival(&id, rival)))
    }
}

#[cfg(test)]
mod tests;
