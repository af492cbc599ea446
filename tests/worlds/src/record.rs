//! The requests that were sent, and the statements of the client.

use serde_json::Value;
use tradeapi::runtime::journal::ChangeNumber;
use tradeapi::runtime::reconcile::{Action, Difference, Reconciled};
use tradeapi::runtime::rust_decimal::Decimal;
use tradeapi::runtime::tables::Outcome;

use crate::exchange::RequestNumber;

/// A change in one of the journals.
pub(crate) type ChangeOf = (usize, ChangeNumber);

/// One call of a program: its process and its number in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ActionOf {
    pub(crate) process: usize,
    pub(crate) number: usize,
}

/// A request that left a client.
pub(crate) struct Sent {
    pub(crate) action: ActionOf,
    pub(crate) operation: String,
    /// The exchange's id and the client id that it names.
    pub(crate) ids: [Option<String>; 2],
    /// The change that was stored before.
    pub(crate) change: Option<ChangeOf>,
}

/// Returns the exchange's id and the client id in the parameters of a request.
pub(crate) fn ids_in(parameters: &Value) -> [Option<String>; 2] {
    ["orderId", "clientOid"].map(|name| parameters[name].as_str().map(str::to_owned))
}

/// A statement of the client that nothing sent so far can have an effect any more, and, of an account that it made flat,
/// that nothing is left.
pub(crate) struct Quiet {
    pub(crate) action: ActionOf,
    pub(crate) journal: usize,
    /// When it was said, by the right clock.
    pub(crate) at: i64,
    pub(crate) is_flat: bool,
}

/// Whom a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Action(ActionOf),
    Change(ChangeOf),
}

/// A statement of the client about the outcome of a request, or of one of its items.
pub(crate) struct Claim {
    pub(crate) subject: Subject,
    pub(crate) item: Option<usize>,
    pub(crate) outcome: Outcome,
}

/// An account, as a client compared it with a journal.
pub(crate) struct Report {
    pub(crate) journal: usize,
    /// When it was returned, by the right clock.
    pub(crate) at: i64,
    pub(crate) is_final: bool,
    pub(crate) orders: Vec<ReportedOrder>,
}

/// An order in a report.
pub(crate) struct ReportedOrder {
    pub(crate) id: Option<String>,
    pub(crate) client_id: Option<String>,
    pub(crate) change: Option<ChangeNumber>,
    pub(crate) difference: Difference,
    pub(crate) is_open: bool,
    pub(crate) is_cancelled: bool,
    pub(crate) says: String,
}

/// The position that a ledger shows.
pub(crate) struct Shown {
    /// When the fills were asked for, and when they were read, by the right clock.
    pub(crate) asked: i64,
    pub(crate) until: i64,
    /// The size; `None` if it is not known.
    pub(crate) size: Option<Decimal>,
}

/// A countdown that a process keeps running, by the right clock.
pub(crate) struct Guard {
    pub(crate) account: &'static str,
    pub(crate) begun: i64,
    /// When it was told that everything may have been cancelled, and whether that can happen afterwards, too.
    pub(crate) told: Vec<(i64, bool)>,
    /// Until when the process kept it; `None` if that was killed meanwhile.
    pub(crate) kept: Option<i64>,
    /// When its end was answered.
    pub(crate) ended: Option<i64>,
}

/// Everything that the judge needs to know of the client's side.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) sent: Vec<Sent>,
    pub(crate) claims: Vec<Claim>,
    pub(crate) reports: Vec<Report>,
    pub(crate) shown: Vec<Shown>,
    pub(crate) quiet: Vec<Quiet>,
    pub(crate) guards: Vec<Guard>,
    /// Statements about items of a stopped batch, by their ids.
    pub(crate) items: Vec<(String, Outcome)>,
    /// The number of times that a client could not make the account flat.
    pub(crate) not_flat: usize,
    /// When each call of a program began, by the right clock, and the journal of the program.
    pub(crate) begun: Vec<(ActionOf, i64, usize)>,
}

impl Record {
    /// Returns the requests of a call or of a stored change that were to change something.
    pub(crate) fn requests(&self, subject: Subject) -> impl Iterator<Item = RequestNumber> {
        let is_meant = move |sent: &Sent| match subject {
            Subject::Action(action) => sent.change.is_some() && sent.action == action,
            Subject::Change(change) => sent.change == Some(change),
        };
        self.sent.iter().enumerate().filter(move |(_, sent)| is_meant(sent)).map(|(number, _)| number)
    }
}

impl Report {
    pub(crate) fn of(journal: usize, at: i64, is_final: bool, reconciled: &Reconciled) -> Self {
        let orders = reconciled.orders.iter().map(|order| ReportedOrder {
            id: order.id.clone(),
            client_id: order.client_id.clone(),
            change: order.change,
            difference: order.difference,
            is_open: order.is_open,
            is_cancelled: matches!(order.action, Action::Cancelled | Action::NotCancelled(_)),
            says: order.to_string(),
        });
        Self { journal, at, is_final, orders: orders.collect() }
    }
}
