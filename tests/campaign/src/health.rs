//! A check that a client still trades after the exchange has recovered.

use std::time::Duration;

use tradeapi::runtime::ClientCore;
use tradeapi::runtime::client::Callable;
use tradeapi::runtime::tables::Outcome;
use tradeapi::{Error, unified};

use crate::claim::{Known, Naming};
use crate::clock::within;
use crate::ledger::Ledger;
use crate::operation::Family;
use crate::orders::{self, Name, Order};
use crate::settings::Settings;
use crate::violation::Violation;

/// The number of calls after which a client must have noticed that the exchange works.
const TRIES: usize = 4;

/// The longest time that a call may wait for its limits.
const PATIENCE: Duration = Duration::from_secs(20);

/// Places an order and cancels it, which must succeed whatever the exchange answered before.
pub(crate) async fn check(client: &ClientCore, ledger: &Ledger, settings: &Settings, name: &str) {
    let patience = settings.scaled(PATIENCE);
    let mut failures = Vec::new();
    for number in 0..TRIES {
        let order = Order::new(Family::Unified, &format!("{name}-well{number}"));
        let handle = ledger.open(order.placed(), "unified.place-order", Naming::UniqueId);
        let placed = call(client, &orders::unified_order(&order), patience).await;
        let outcome = placed.as_ref().map_or_else(|error| error.outcome(), |()| Outcome::Done);
        // No query follows.
        let known = if outcome == Outcome::Unknown { Known::TooLate } else { Known::ByAnswer };
        ledger.record(&handle, outcome, known, "call");
        if let Err(error) = placed {
            failures.push(error.why);
            continue;
        }
        let handle = ledger.open(order.cancelled(), "unified.cancel-order", Naming::UniqueId);
        let cancel = unified::CancelOrder::new(Name::ClientOid(order.client_oid.clone()).unified());
        match call(client, &cancel, patience).await {
            Ok(()) => {
                ledger.record(&handle, Outcome::Done, Known::ByAnswer, "call");
                return;
            }
            Err(error) => {
                ledger.record(&handle, error.outcome(), Known::ByAnswer, "call");
                failures.push(error.why);
            }
        }
    }
    ledger.report(Violation::LockedOut(failures.join("; ")));
}

struct Failure {
    error: Option<Error>,
    why: String,
}

impl Failure {
    fn outcome(&self) -> Outcome {
        self.error.as_ref().map_or(Outcome::Unknown, Error::outcome)
    }
}

async fn call<O: Callable>(client: &ClientCore, operation: &O, patience: Duration) -> Result<(), Failure> {
    match within(client, patience, client.call(operation)).await {
        Some(Ok(_)) => Ok(()),
        Some(Err(error)) => Err(Failure { why: error.to_string(), error: Some(error) }),
        None => Err(Failure { why: format!("{} takes too long", O::META.id), error: None }),
    }
}
