//! Evidence from outside: records of orders that no query of this client returned, and what they prove about requests
//! whose outcome is unknown.

use std::any::TypeId;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use super::Recovery;
use super::recover::OrderLookup;
use crate::calls::client::ClientCore;
use crate::data::error::JournalError;
use crate::data::json::{Decode, Encode};
use crate::data::tables::Outcome;
use crate::state::evidence::{Doubt, MAX_REFUSED, OutsideRecord, Target, Verdict};
use crate::state::journal::{CHUNK, ChangeNumber, Ending, ItemEnding, Journal, Selection, StoredChange};

/// The verdicts on the requests that a record from outside may belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "it may contradict what is known"]
pub struct OutsideEvidence {
    /// The requests with the record's id whose outcome is unknown or was reported as not done. Empty if there is none:
    /// the record was remembered, for calls that are in progress.
    pub requests: Vec<RequestEvidence>,
}

/// The verdict on one request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestEvidence {
    /// The operation.
    pub operation: &'static str,
    /// The id that the request and the record share.
    pub id: String,
    /// The change in the journal; `None` for a request that is being confirmed.
    pub change: Option<ChangeNumber>,
    /// The verdict.
    pub verdict: EvidenceVerdict,
}

/// The verdict of a record on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvidenceVerdict {
    /// The request had its effect. Calls that wait for it are notified, and the change in the journal is closed.
    Proves,
    /// The item of a batch had its effect. The change stays open in the journal until all of its items are settled.
    ProvesItem,
    /// Nothing, and why.
    Nothing(&'static str),
    /// The record cannot be that of the request, although it has its id, for this reason.
    Another(&'static str),
    /// The record shows the effect of a request that had none as far as was known; the text says how that was known.
    /// Query the order.
    Contradicts(&'static str),
}

impl OutsideEvidence {
    /// Returns the requests that the record contradicts: something else has their id, or they had an effect although
    /// none was known.
    pub fn contradictions(&self) -> impl Iterator<Item = &RequestEvidence> {
        self.requests
            .iter()
            .filter(|request| matches!(request.verdict, EvidenceVerdict::Another(_) | EvidenceVerdict::Contradicts(_)))
    }

    /// Returns the requests that the record proves to have had their effect.
    pub fn proven(&self) -> impl Iterator<Item = &RequestEvidence> {
        self.requests
            .iter()
            .filter(|request| matches!(request.verdict, EvidenceVerdict::Proves | EvidenceVerdict::ProvesItem))
    }
}

/// Evaluates a record of an order from outside: from the user's own stream, another process or a person. Like a
/// record that a query returns, it can settle confirmations in progress and changes that the journal has open. It
/// is a proof only if nothing in it contradicts the request; see [`place_and_confirm`](super::place_and_confirm).
///
/// A call in progress still waits for its response, which often comes a moment later. If there is none, the record
/// counts; if the call is refused, its outcome is [`Unknown`](crate::Error::Unknown) and
/// [`is_contradicted`](crate::data::error::UnknownOutcome::is_contradicted) is set.
///
/// The record is compared with the stated properties of the account, as every response is; see
/// [`account_mismatches`](ClientCore::account_mismatches).
///
/// The caller vouches for the record, and that it is of this account. Its type must be one that queries return; a
/// message of a stream is read as such with [`read_json`](crate::data::json::read_json), when its fields have the same
/// names and meanings.
///
/// # Errors
///
/// Fails if the journal cannot be read or written. Evaluating the record again is safe.
pub async fn evidence<R: Decode + Encode + 'static>(
    client: &ClientCore,
    recoveries: &[Recovery],
    record: &R,
) -> Result<OutsideEvidence, JournalError> {
    client.recall().await?;
    let shown: Vec<_> = recoveries.iter().filter(|recovery| (recovery.record)() == TypeId::of::<R>()).collect();
    let operations = shown.iter().map(|recovery| recovery.operation()).collect();
    let outside = Arc::new(OutsideRecord::of(record, operations));
    let look = shown.iter().find_map(|recovery| recovery.look);
    if let Some(look) = look {
        show_outside(client, &look, &outside.json);
    }
    // Remembered first, so that a confirmation that begins meanwhile finds it.
    client.awaited().remember(Arc::clone(&outside));
    let mut requests = evaluate_confirmations(client, &outside);
    if let Some(journal) = client.bound_journal().await? {
        evaluate_changes(client, journal, &shown, &outside, &mut requests).await?;
    }
    Ok(OutsideEvidence { requests })
}

/// The reason for which no record contradicts that a cancellation had no effect.
const CANCELLED_BY_ANY: &str = "the cancellation had no effect, and another request may have cancelled the order since";

/// Passes on what the JSON of a record shows of the order and of the account.
fn show_outside(client: &ClientCore, look: &OrderLookup, json: &str) {
    (look.order)(json, &mut |order| {
        client.note_order(look.family, order);
        if let Some(orders) = client.tracked_orders() {
            orders.observe(look.family, order, None);
        }
    });
    if let Some(stated) = client.stated() {
        (look.properties)(json, &mut |shown| stated.compare_shown(None, shown));
    }
}

fn evaluate_confirmations(client: &ClientCore, outside: &Arc<OutsideRecord>) -> Vec<RequestEvidence> {
    let mut evaluated = Vec::new();
    for pending in client.awaited().pending(outside) {
        let sent = (pending.signed, pending.left, &pending.assumptions);
        let verdict = match client.judge_record(&pending.target, outside, sent) {
            _ if pending.ended().is_some() && pending.target.is_cancelled() => {
                EvidenceVerdict::Nothing(CANCELLED_BY_ANY)
            }
            Verdict::Done if pending.ended().is_some() => {
                EvidenceVerdict::Contradicts("queries concluded that it had no effect")
            }
            Verdict::Done => {
                pending.prove(Arc::clone(outside));
                EvidenceVerdict::Proves
            }
            other => unproven(other),
        };
        let id = pending.target.key().to_owned();
        evaluated.push(RequestEvidence { operation: pending.operation, id, change: None, verdict });
    }
    evaluated
}

async fn evaluate_changes(
    client: &ClientCore,
    journal: &Arc<dyn Journal>,
    shown: &[&Recovery],
    outside: &OutsideRecord,
    requests: &mut Vec<RequestEvidence>,
) -> Result<(), JournalError> {
    if client.awaited().begin_refused() {
        read_refused(client, journal).await?;
    }
    let mut changes = journal.read(Selection::Open).await?;
    let mut refused = client.awaited().refused();
    refused.retain(|stored| changes.iter().all(|open| open.number != stored.number));
    changes.extend(refused);
    let name = client.account().name();
    for stored in changes.iter().filter(|stored| stored.change.account.as_deref().unwrap_or_default() == name) {
        let Some(recovery) = shown.iter().find(|recovery| recovery.operation() == stored.change.operation) else {
            continue;
        };
        // The stored ids rule most changes out, before a request is read.
        if !stored.change.client_ids.is_empty() && !outside.names_any(&stored.change.client_ids) {
            continue;
        }
        let targets = recovery.targets(&stored.change.request);
        let places = targets.iter().enumerate().filter_map(|(place, target)| Some((place, target.as_ref()?)));
        for (place, target) in places.filter(|(_, target)| outside.is_about(recovery.operation(), target)) {
            let verdict = evaluate_change(client, journal, stored, (target, place, targets.len()), outside).await?;
            let (operation, id, change) = (recovery.operation(), target.key().to_owned(), Some(stored.number));
            requests.push(RequestEvidence { operation, id, change, verdict });
        }
    }
    Ok(())
}

/// Reads the changes that ended without an effect or without an outcome, as many of the last ones as are compared
/// with later records.
async fn read_refused(client: &ClientCore, journal: &Arc<dyn Journal>) -> Result<(), JournalError> {
    let (mut before, mut refused) = (ChangeNumber(u64::MAX), VecDeque::new());
    loop {
        let chunk = journal.read_before(before, CHUNK).await?;
        let is_last = chunk.len() < CHUNK;
        before = chunk.first().map_or(before, |first| first.number);
        chunk.into_iter().rev().filter(may_be_contradicted).for_each(|stored| refused.push_front(stored));
        if is_last || refused.len() >= MAX_REFUSED {
            client.awaited().add_refused(refused);
            return Ok(());
        }
    }
}

async fn evaluate_change(
    client: &ClientCore,
    journal: &Arc<dyn Journal>,
    stored: &StoredChange,
    (target, place, count): (&Target, usize, usize),
    outside: &OutsideRecord,
) -> Result<EvidenceVerdict, JournalError> {
    if target.is_new() {
        client.recall_around(journal, stored).await?;
    }
    let signed_at = stored.change.signed_at;
    let sent = (stored.change.signed(), client.left(target.key(), signed_at), client.assumptions());
    let verdict = client.judge_record(target, outside, sent);
    let has_another = || match target.is_new() {
        true => client.may_be_of_another(target.key(), signed_at),
        false => verdict != Verdict::Done,
    };
    match (verdict, stored.outcome_of(place)) {
        // Another request may have cancelled the order.
        (_, Some(Outcome::NotDone)) if target.is_cancelled() => return Ok(EvidenceVerdict::Nothing(CANCELLED_BY_ANY)),
        (Verdict::Done | Verdict::Unknown(Doubt::Ambiguous, _), Some(Outcome::NotDone)) => {
            return Ok(match has_another() {
                true => EvidenceVerdict::Another("another request with its id may have made it"),
                false => EvidenceVerdict::Contradicts("the journal has it as a request without an effect"),
            });
        }
        (Verdict::Done, _) => {}
        (other, _) => return Ok(unproven(other)),
    }
    if count > 1 {
        journal.end_items(stored.number, vec![ItemEnding::new(place, Outcome::Done)]).await?;
        let is_known = |other| matches!(stored.outcome_of(other), Some(Outcome::Done | Outcome::NotDone));
        if !(0..count).all(|other| other == place || is_known(other)) {
            return Ok(EvidenceVerdict::ProvesItem);
        }
    }
    journal.end(stored.number, Ending::new(Outcome::Done)).await?;
    client.awaited().forget_refused(stored.number);
    Ok(EvidenceVerdict::Proves)
}

/// Returns whether a record may show an effect that the journal does not have.
fn may_be_contradicted(stored: &StoredChange) -> bool {
    stored.ending.as_ref().is_some_and(|ending| ending.outcome != Outcome::Done)
        || stored.items.iter().any(|item| item.outcome != Outcome::Done)
}

/// Returns what a record proves that is not a proof of the effect.
fn unproven(verdict: Verdict) -> EvidenceVerdict {
    match verdict {
        Verdict::Done => EvidenceVerdict::Proves,
        Verdict::NotDone(_) => EvidenceVerdict::Nothing("the order ended otherwise"),
        Verdict::Unknown(Doubt::Another, because) => EvidenceVerdict::Another(because),
        Verdict::Unknown(_, because) => EvidenceVerdict::Nothing(because),
    }
}

impl fmt::Display for EvidenceVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proves => f.write_str("it had its effect"),
            Self::ProvesItem => f.write_str("this item had its effect"),
            Self::Nothing(because) => write!(f, "the record proves nothing: {because}"),
            Self::Another(because) => write!(f, "the record is of something else: {because}"),
            Self::Contradicts(known) => write!(f, "the record shows its effect, but {known}"),
        }
    }
}

impl fmt::Display for RequestEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for {}: {}", self.operation, self.id, self.verdict)
    }
}
