//! The comparison of an account with a journal: at the start of a program, and after an outage.
//!
//! [`reconcile::reconcile`](crate::outcomes::reconcile::reconcile) recovers the changes that the journal has open, reads the
//! open orders, the past orders and the fills of an account, and reports for each order how it differs from the
//! journal. Which operations list them is emitted.
//!
//! The journal is read after the listings, so that it has each listed order of this program. Adopted orders are changes
//! of the journal whose operation is the listing, and whose request is the record.

mod compare;
mod fills;
mod foreign;
mod known;
mod listing;
mod report;
mod run;

use std::fmt;

use crate::calls::retry::RetryPolicy;
use crate::data::value::Timestamp;
use crate::outcomes::confirm::ConfirmPolicy;

pub use fills::{LedgerUpdateError, trades_since, update_ledger};
pub use foreign::{CancelForeignError, cancel_foreign};
pub(crate) use listing::ask;
pub use listing::{FillFields, Listing, RefusedFamily, ServedFamilies, served_families};
pub(crate) use listing::{ListingPages, Part};
pub use report::{Action, Difference, Gone, ListingError, ListingFailure, ReconcileError, Reconciled, ReconciledOrder};
pub use run::{RefreshError, reconcile, refresh_orders};

use run::Progress;

/// The treatment of open orders of others: those that the journal does not have, and that have no id with a prefix of
/// this program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForeignOrders {
    /// Nothing.
    #[default]
    Leave,
    /// They are stored in the journal, which has them from then on.
    Adopt,
}

/// A comparison of an account with a journal: what it covers, what it does, and how far it has come.
///
/// If [`reconcile::reconcile`](crate::outcomes::reconcile::reconcile) fails, calling it again with the same value goes on where
/// it stopped. When it has succeeded, the next call begins a new comparison, from [`Reconciled::next_since`] on.
#[must_use = "it does nothing until a client reconciles it"]
pub struct Reconciliation {
    since: Timestamp,
    families: Vec<String>,
    own_prefixes: Vec<String>,
    foreign: ForeignOrders,
    confirm: ConfirmPolicy,
    retry: RetryPolicy,
    progress: Option<Progress>,
}

impl Reconciliation {
    /// Compares orders that are open, whenever they were placed, and those that were placed since a time. Foreign
    /// orders are left alone.
    pub fn since(time: Timestamp) -> Self {
        Self {
            since: time,
            families: Vec::new(),
            own_prefixes: Vec::new(),
            foreign: ForeignOrders::Leave,
            confirm: ConfirmPolicy::new(),
            retry: RetryPolicy::new(),
            progress: None,
        }
    }

    /// Compares orders of this family only, such as `unified`. May be called for several. By default, all families with
    /// listings are compared that serve the key; see [`served_families`].
    pub fn family(mut self, family: impl Into<String>) -> Self {
        self.families.push(family.into());
        self
    }

    /// Orders whose client id begins with `prefix` are this program's, also if the journal does not have them: they are
    /// reported as [`Difference::Unjournaled`], and neither adopted nor cancelled. May be called for several.
    pub fn own_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.own_prefixes.push(prefix.into());
        self
    }

    /// Sets what is done with open orders of others.
    pub fn foreign_orders(mut self, foreign: ForeignOrders) -> Self {
        self.foreign = foreign;
        self
    }

    /// Sets how changes are recovered that the journal has open. By default, queries end after four minutes.
    pub fn confirming(mut self, policy: ConfirmPolicy) -> Self {
        self.confirm = policy;
        self
    }

    /// Sets how queries are retried after transient failures.
    pub fn retrying(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }
}

impl fmt::Debug for Reconciliation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reconciliation")
            .field("since", &self.since)
            .field("families", &self.families)
            .field("foreign", &self.foreign)
            .field("is_begun", &self.progress.is_some())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
