//! Whether a client still trades once the exchange works again.

use std::time::Duration;

use crate::operation::Family;
use tradeapi::runtime::tables::Outcome;
use tradeapi::runtime::{ClientCore, Operation};
use tradeapi::{Error, unified};

use crate::clock::within;
use crate::judge::Violation;
use crate::ledger::{Known, Ledger, Naming};
use crate::orders::{self, Name, Order};
use crate::settings::Settings;

/// How many calls it may take until a client has seen that the exchange works.
const TRIES: usize = 4;

/// How long a call may wait for room.
const PATIENCE: Duration = Duration::from_secs(20);

/// Places an order and cancels it. Whatever was answered before, this has to work.
pub(crate) async fn check(client: &ClientCore, ledger: &Ledger, settings: &Settings, name: &str) {
    let patience = settings.real(PATIENCE);
    let mut trouble = Vec::new();
    for number in 0..TRIES {
        let order = Order::new(Family::Unified, &format!("{name}-well{number}"));
        let ticket = ledger.open(order.placed(), "unified.place-order", Naming::Own);
        let placed = call(client, &orders::unified_order(&order), patience).await;
        let outcome = placed.as_ref().map_or_else(|error| error.outcome(), |()| Outcome::Done);
        // What is unknown now is not queried.
        let known = if outcome == Outcome::Unknown { Known::TooLate } else { Known::ByAnswer };
        ledger.note(&ticket, outcome, known, "call");
        if let Err(error) = placed {
            trouble.push(error.why);
            continue;
        }
        let ticket = ledger.open(order.cancelled(), "unified.cancel-order", Naming::Own);
        let cancel = unified::CancelOrder::new(Name::ClientOid(order.client_oid.clone()).unified());
        match call(client, &cancel, patience).await {
            Ok(()) => {
                ledger.note(&ticket, Outcome::Done, Known::ByAnswer, "call");
                return;
            }
            Err(error) => {
                ledger.note(&ticket, error.outcome(), Known::ByAnswer, "call");
                trouble.push(error.why);
            }
        }
    }
    ledger.complain(Violation::LockedOut(trouble.join("; ")));
}

struct Trouble {
    error: Option<Error>,
    why: String,
}

impl Trouble {
    fn outcome(&self) -> Outcome {
        self.error.as_ref().map_or(Outcome::Unknown, Error::outcome)
    }
}

async fn call<O: Operation>(client: &ClientCore, operation: &O, patience: Duration) -> Result<(), Trouble> {
    match within(client, patience, client.call(operation)).await {
        Some(Ok(_)) => Ok(()),
        Some(Err(error)) => Err(Trouble { why: error.to_string(), error: Some(error) }),
        None => Err(Trouble { why: format!("{} takes too long", O::META.id), error: None }),
    }
}
