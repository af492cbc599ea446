//! The journal of a client, and whether it is known to belong to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::journal::Journal;

/// The journal of a client for one account.
pub(super) struct OwnJournal {
    pub(super) journal: Arc<dyn Journal>,
    /// Whether the journal belongs to the client.
    is_bound: AtomicBool,
    /// Whether its requests of earlier runs are remembered.
    is_recalled: AtomicBool,
}

impl OwnJournal {
    pub(super) fn new(journal: Arc<dyn Journal>) -> Arc<Self> {
        Arc::new(Self { journal, is_bound: AtomicBool::new(false), is_recalled: AtomicBool::new(false) })
    }

    /// Whether the journal is known to belong to the client.
    pub(super) fn is_bound(&self) -> bool {
        self.is_bound.load(Ordering::Acquire)
    }

    pub(super) fn set_bound(&self) {
        self.is_bound.store(true, Ordering::Release);
    }

    /// Whether its requests of earlier runs are remembered.
    pub(super) fn is_recalled(&self) -> bool {
        self.is_recalled.load(Ordering::Acquire)
    }

    pub(super) fn set_recalled(&self) {
        self.is_recalled.store(true, Ordering::Release);
    }
}
