//! Evidence from outside: records of orders that no query of this client returned, and what they prove about requests
//! whose outcome is unknown.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

use super::Recovery;
use super::look::OrderLookup;
use crate::client::{ClientCore, SETTLING};
use crate::error::JournalError;
use crate::evidence::{Evidence, OutsideRecord, Target};
use crate::journal::{ChangeNumber, Ending, Journal, Selection, StoredChange};
use crate::json::{Decode, Encode};
use crate::tables::Outcome;

/// What a record from outside proves about the requests that it may belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "it may contradict what is known"]
pub struct Weighed {
    /// The requests with the id of the record whose outcome is unknown, or which had no effect as far as is known.
    /// Empty if there is none: the record was remembered, for calls that are in progress.
    pub requests: Vec<WeighedRequest>,
}

/// What a record proves of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WeighedRequest {
    /// The operation.
    pub operation: &'static str,
    /// The id that the request and the record share.
    pub id: String,
    /// The change in the journal; `None` for a request that is being confirmed.
    pub change: Option<ChangeNumber>,
    /// What the record proves.
    pub weight: Weight,
}

/// What a record proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weight {
    /// The request had its effect. Calls that wait for it are notified, and the change in the journal is closed.
    Proves,
    /// The item of a batch had its effect. The change stays open in the journal because of the other items.
    ProvesItem,
    /// Nothing, and why.
    Nothing(&'static str),
    /// It cannot be the record of the request, although it has its id, and why.
    Another(&'static str),
    /// It shows the effect of a request that had none as far as was known, and how that was known. Query the order.
    Contradicts(&'static str),
}

impl Weighed {
    /// The requests that the record contradicts: something else has their id, or they had an effect although none was
    /// known.
    pub fn contradictions(&self) -> impl Iterator<Item = &WeighedRequest> {
        self.requests.iter().filter(|request| matches!(request.weight, Weight::Another(_) | Weight::Contradicts(_)))
    }

    /// The requests that the record proves to have had their effect.
    pub fn proven(&self) -> impl Iterator<Item = &WeighedRequest> {
        self.requests.iter().filter(|request| matches!(request.weight, Weight::Proves | Weight::ProvesItem))
    }
}

impl ClientCore {
    /// Evaluates a record of an order from outside: from the user's own stream, another process or a person. Like a
    /// record that a query returns, it can settle confirmations in progress and changes that the journal has open. It
    /// is a proof only if nothing in it contradicts the request; see [`place_and_confirm`](Self::place_and_confirm).
    ///
    /// A call in progress still waits for its response, which often comes a moment later. If there is none, the record
    /// counts; if the call is refused, its outcome is [`Unknown`](crate::Error::Unknown) and
    /// [`is_contradicted`](crate::error::UnknownOutcome::is_contradicted) is set.
    ///
    /// The record is compared with the stated properties of the account, as every response is; see
    /// [`account_mismatches`](Self::account_mismatches).
    ///
    /// The caller vouches for the record, and that it is of this account. Its type must be one that queries return; a
    /// message of a stream is read as such with [`read_json`](crate::json::read_json), when its fields have the same
    /// names and meanings.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be read or written. Weighing the record again is safe.
    pub async fn evidence<R: Decode + Encode + 'static>(
        &self,
        recoveries: &[Recovery],
        record: &R,
    ) -> Result<Weighed, JournalError> {
        let shown: Vec<_> = recoveries.iter().filter(|recovery| (recovery.record)() == TypeId::of::<R>()).collect();
        let operations = shown.iter().map(|recovery| recovery.operation()).collect();
        let outside = Arc::new(OutsideRecord::of(record, operations));
        let look = shown.iter().find_map(|recovery| recovery.look);
        if let Some(look) = look {
            self.show_outside(&look, &outside.json);
        }
        // Remembered first, so that a confirmation that begins meanwhile finds it.
        self.awaited().remember(Arc::clone(&outside));
        let mut requests = self.weigh_confirmations(&outside);
        if let Some(journal) = self.journal() {
            self.weigh_changes(journal, &shown, &outside, &mut requests).await?;
        }
        Ok(Weighed { requests })
    }

    /// Passes on what the JSON of a record shows of the order and of the account.
    fn show_outside(&self, look: &OrderLookup, json: &str) {
        if let Some(order) = (look.shown)(json) {
            self.note_order(look.family, &order);
            if let Some(orders) = self.tracked_orders() {
                orders.observe(look.family, order, None);
            }
        }
        if self.states_properties() {
            (look.properties)(json, &mut |shown| self.compare_shown(None, shown));
        }
    }

    fn weigh_confirmations(&self, outside: &Arc<OutsideRecord>) -> Vec<WeighedRequest> {
        let pending = self.awaited().pending(outside);
        let weighed = pending.iter().map(|pending| {
            let sent = (pending.signed_at, pending.left, pending.settling);
            let weight = match self.weigh(&pending.target, (&outside.fields, outside.form), sent) {
                Evidence::Proof if pending.ended().is_some() => {
                    Weight::Contradicts("queries concluded that it had no effect")
                }
                Evidence::Proof => {
                    pending.prove(Arc::clone(outside));
                    Weight::Proves
                }
                other @ (Evidence::Older | Evidence::Another(_) | Evidence::Nothing(_)) => unproven(other),
            };
            let id = pending.target.key().to_owned();
            WeighedRequest { operation: pending.operation, id, change: None, weight }
        });
        weighed.collect()
    }

    async fn weigh_changes(
        &self,
        journal: &Arc<dyn Journal>,
        shown: &[&Recovery],
        outside: &OutsideRecord,
        requests: &mut Vec<WeighedRequest>,
    ) -> Result<(), JournalError> {
        if self.awaited().begin_refused() {
            let all = journal.read(Selection::After(ChangeNumber(0))).await?;
            let is_refused =
                |stored: &StoredChange| stored.ending.as_ref().is_some_and(|ending| ending.outcome != Outcome::Done);
            self.awaited().add_refused(all.into_iter().filter(is_refused));
        }
        let mut changes = journal.read(Selection::Open).await?;
        changes.extend(self.awaited().refused());
        let name = self.account().name();
        for stored in changes.iter().filter(|stored| stored.change.account.as_deref().unwrap_or_default() == name) {
            let Some(recovery) = shown.iter().find(|recovery| recovery.operation() == stored.change.operation) else {
                continue;
            };
            // The stored ids rule most changes out, before a request is read.
            if !stored.change.client_ids.is_empty() && !outside.names_any(&stored.change.client_ids) {
                continue;
            }
            let targets = recovery.targets(&stored.change.request);
            for target in targets.iter().flatten().filter(|target| outside.is_about(recovery.operation(), target)) {
                let weight = self.weigh_change(journal, stored, (target, targets.len() == 1), outside).await?;
                let (operation, id, change) = (recovery.operation(), target.key().to_owned(), Some(stored.number));
                requests.push(WeighedRequest { operation, id, change, weight });
            }
        }
        Ok(())
    }

    async fn weigh_change(
        &self,
        journal: &Arc<dyn Journal>,
        stored: &StoredChange,
        (target, is_only): (&Target, bool),
        outside: &OutsideRecord,
    ) -> Result<Weight, JournalError> {
        let signed_at = stored.change.signed_at;
        let sent = (signed_at, self.left(target.key(), signed_at), SETTLING);
        match self.weigh(target, (&outside.fields, outside.form), sent) {
            Evidence::Proof => {}
            other @ (Evidence::Older | Evidence::Another(_) | Evidence::Nothing(_)) => return Ok(unproven(other)),
        }
        match stored.ending.as_ref().map(|ending| ending.outcome) {
            Some(Outcome::NotDone) => Ok(Weight::Contradicts("the journal has it as a request without an effect")),
            _ if !is_only => Ok(Weight::ProvesItem),
            None | Some(Outcome::Unknown | Outcome::Done) => {
                journal.end(stored.number, Ending::new(Outcome::Done)).await?;
                self.awaited().forget_refused(stored.number);
                Ok(Weight::Proves)
            }
        }
    }
}

/// The weight of a record that is not a proof.
fn unproven(evidence: Evidence) -> Weight {
    match evidence {
        Evidence::Proof => Weight::Proves,
        Evidence::Older => Weight::Another("something older has the same id"),
        Evidence::Another(because) => Weight::Another(because),
        Evidence::Nothing(because) => Weight::Nothing(because),
    }
}

impl fmt::Display for Weight {
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

impl fmt::Display for WeighedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for {}: {}", self.operation, self.id, self.weight)
    }
}
