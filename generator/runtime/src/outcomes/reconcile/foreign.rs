//! Cancels orders of others that a comparison listed and a caller picked.
//!
//! A comparison cancels nothing: what it calls foreign may be an order of a journal that it does not see, so the caller
//! picks, and after a gap nothing is cancelled.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use super::report::{Action, Reconciled, ReconciledOrder};
use crate::calls::client::ClientCore;
use crate::data::error::JournalError;
use crate::state::journal::{CHUNK, ChangeNumber, Gap, Journal, StoredChange};

/// The reason why orders of others were not cancelled. None of them was.
#[non_exhaustive]
pub enum CancelForeignError {
    /// The client has no journal.
    NoJournal,
    /// The journal lacked changes when the account was compared, or may lack them now, so an order that it does not
    /// have may be of this program. Compare again once the gap is closed.
    Gap {
        /// The reason why the journal may lack changes, if it still may.
        gap: Option<Gap>,
    },
    /// The report does not list it as an open order of others, or the journal has it meanwhile.
    NotForeign {
        /// The exchange's id.
        id: String,
    },
    /// No operation is known that cancels the orders of a listing.
    NoCancel {
        /// The id of the operation.
        operation: &'static str,
    },
    /// The journal cannot be read.
    Journal(JournalError),
}

impl From<JournalError> for CancelForeignError {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

impl fmt::Display for CancelForeignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no order of others was cancelled: ")?;
        match self {
            Self::NoJournal => f.write_str("the client has no journal; set one with `ClientBuilder::journal`"),
            Self::Gap { gap: Some(gap) } => gap.fmt(f),
            Self::Gap { gap: None } => f.write_str("the journal lacked changes when the account was compared"),
            Self::NotForeign { id } => write!(f, "{id} is not listed as one, or the journal has it meanwhile"),
            Self::NoCancel { operation } => write!(f, "it is not known how an order of {operation} is cancelled"),
            Self::Journal(error) => error.fmt(f),
        }
    }
}

debug_as_sentence!(CancelForeignError);

impl StdError for CancelForeignError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            // Its text is part of this one.
            Self::Journal(error) => error.source(),
            Self::NoJournal | Self::Gap { .. } | Self::NotForeign { .. } | Self::NoCancel { .. } => None,
        }
    }
}

/// Cancels open orders of others: those with these ids of the exchange, which `reconciled` has to list as
/// [`foreign`](Reconciled::foreign). Returns each with what was done with it.
///
/// Nothing is cancelled if the journal lacked changes when the account was compared or may lack them now, or if it
/// has one of the orders meanwhile, under any name of the account: then an order may be of this program.
///
/// # Errors
///
/// See [`CancelForeignError`]. A cancellation that fails is not an error: it is the
/// [`action`](ReconciledOrder::action) of its order.
pub async fn cancel_foreign(
    client: &ClientCore,
    reconciled: &Reconciled,
    ids: &[&str],
) -> Result<Vec<ReconciledOrder>, CancelForeignError> {
    let journal = client.bound_journal().await?.ok_or(CancelForeignError::NoJournal)?;
    let gap = journal.gap(client.account().name());
    if gap.is_some() || reconciled.has_gap {
        return Err(CancelForeignError::Gap { gap });
    }
    let mut orders = Vec::with_capacity(ids.len());
    for id in ids {
        let listed = reconciled.foreign().find(|order| order.id.as_deref() == Some(*id));
        let order = listed.filter(|order| order.open_in.is_some());
        orders.push(order.cloned().ok_or_else(|| CancelForeignError::NotForeign { id: (*id).to_owned() })?);
    }
    let listings = orders.iter().filter_map(|order| Some(order.open_in?.0));
    if let Some(listing) = listings.into_iter().find(|listing| !listing.can_cancel()) {
        return Err(CancelForeignError::NoCancel { operation: listing.operation });
    }
    if let Some(order) = taken(journal, &orders).await? {
        return Err(CancelForeignError::NotForeign { id: order.id.clone().unwrap_or_default() });
    }
    for order in &mut orders {
        let (Some((listing, turn)), Some(seen)) = (order.open_in, &order.seen) else { continue };
        order.action = match listing.cancel(client, turn, seen).await {
            Ok(()) => Action::Cancelled,
            Err(error) => Action::NotCancelled(Arc::new(error)),
        };
    }
    Ok(orders)
}

/// Returns an order that the journal has, under whatever name of the account.
async fn taken<'a>(
    journal: &Arc<dyn Journal>,
    orders: &'a [ReconciledOrder],
) -> Result<Option<&'a ReconciledOrder>, JournalError> {
    let mut after = ChangeNumber(0);
    loop {
        let chunk = journal.read_after(after, CHUNK).await?;
        let has = |order: &&ReconciledOrder| chunk.iter().any(|stored| is_of(stored, order));
        if let Some(order) = orders.iter().find(has) {
            return Ok(Some(order));
        }
        after = chunk.last().map_or(after, |last| last.number);
        if chunk.len() < CHUNK {
            return Ok(None);
        }
    }
}

/// Returns whether a change has the client id of an order, or adopted the order.
fn is_of(stored: &StoredChange, order: &ReconciledOrder) -> bool {
    let is_named = order.client_id.as_ref().is_some_and(|id| stored.change.client_ids.contains(id));
    let is_adopted = || {
        let (listing, _) = order.open_in?;
        let adopted = (listing.operation == stored.change.operation).then(|| listing.read(&stored.change.request));
        Some(adopted??.id == order.id)
    };
    is_named || is_adopted() == Some(true)
}
