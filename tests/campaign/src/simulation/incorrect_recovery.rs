//! Incorrect clients recover the changes that a crash left open.

use tradeapi::runtime::confirm::Confirmable;
use tradeapi::runtime::journal::StoredChange;
use tradeapi::runtime::tables::Outcome;
use tradeapi::{Client, Error, classic, unified};

use crate::codes::{Proof, proof};
use crate::variant::ClientVariant;

/// Returns the outcome that a variant concludes for an open change; `None` if it leaves it open.
pub(super) async fn conclude(client: &Client, variant: ClientVariant, stored: &StoredChange) -> Option<Outcome> {
    if variant == ClientVariant::RecoversAsUnsent {
        return Some(Outcome::NotDone);
    }
    match stored.change.operation.as_str() {
        "unified.place-order" => of_order::<unified::PlaceOrder>(client, variant, stored).await,
        "classic.place-order" => of_order::<classic::PlaceOrder>(client, variant, stored).await,
        _ => None,
    }
}

async fn of_order<O: Confirmable>(client: &Client, variant: ClientVariant, stored: &StoredChange) -> Option<Outcome> {
    let order = O::from_json(&stored.change.request).ok()?;
    if variant == ClientVariant::RecoversByResending {
        return client.without_journal().core().call(&order).await.ok().map(|_| Outcome::Done);
    }
    match client.locate(&order).await {
        Ok(_) => Some(Outcome::Done),
        Err(Error::Exchange(error))
            if variant == ClientVariant::RecoversByOneDenial
                && proof(error.code.as_str()) == Some(Proof::NoSuchOrder) =>
        {
            Some(Outcome::NotDone)
        }
        Err(_) => None,
    }
}
