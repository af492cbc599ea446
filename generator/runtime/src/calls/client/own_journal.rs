//! The journal of a client, and whether it is known to belong to it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::data::value::Timestamp;
use crate::state::journal::Journal;

/// The journal of a client for one account.
pub(super) struct OwnJournal {
    pub(super) journal: Arc<dyn Journal>,
    /// True if the journal belongs to the client.
    is_bound: AtomicBool,
    /// True if its requests of earlier runs are remembered.
    is_recalled: AtomicBool,
    unstored: Arc<Mutex<Vec<UnstoredChanges>>>,
}

/// The changes that the clients of an account sent without the journal.
#[derive(Clone, Debug)]
pub(super) struct UnstoredChanges {
    account: String,
    /// When the first and the last of them were signed or made, by the earlier and the later of both clocks.
    pub(super) first: Timestamp,
    pub(super) last: Timestamp,
}

impl OwnJournal {
    pub(super) fn new(journal: Arc<dyn Journal>) -> Arc<Self> {
        Self::with(journal, Arc::default())
    }

    fn with(journal: Arc<dyn Journal>, unstored: Arc<Mutex<Vec<UnstoredChanges>>>) -> Arc<Self> {
        let [is_bound, is_recalled] = [false, false].map(AtomicBool::new);
        Arc::new(Self { journal, is_bound, is_recalled, unstored })
    }

    /// Returns the same journal for a client of another account, for which it may have another owner.
    pub(super) fn of_another(&self) -> Arc<Self> {
        Self::with(Arc::clone(&self.journal), Arc::clone(&self.unstored))
    }

    /// Remembers a change that is sent without the journal.
    pub(super) fn lacks(&self, account: &str, (earliest, latest): (Timestamp, Timestamp)) {
        let mut all = self.unstored.lock().unwrap_or_else(PoisonError::into_inner);
        match all.iter_mut().find(|unstored| unstored.account == account) {
            Some(known) => {
                (known.first, known.last) = (known.first.min(earliest), known.last.max(latest));
            }
            None => all.push(UnstoredChanges { account: account.to_owned(), first: earliest, last: latest }),
        }
    }

    /// Returns what the account sent without the journal since this was noted.
    pub(super) fn unstored(&self, account: &str) -> Option<UnstoredChanges> {
        let all = self.unstored.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|unstored| unstored.account == account).cloned()
    }

    /// Forgets what the journal notes as missing, unless more was sent meanwhile.
    pub(super) fn noted(&self, noted: &UnstoredChanges) {
        let mut all = self.unstored.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|unstored| unstored.account != noted.account || unstored.last > noted.last);
    }

    /// Returns whether the journal is known to belong to the client.
    pub(super) fn is_bound(&self) -> bool {
        self.is_bound.load(Ordering::Acquire)
    }

    pub(super) fn set_bound(&self) {
        self.is_bound.store(true, Ordering::Release);
    }

    /// Returns whether its requests of earlier runs are remembered.
    pub(super) fn is_recalled(&self) -> bool {
        self.is_recalled.load(Ordering::Acquire)
    }

    pub(super) fn set_recalled(&self) {
        self.is_recalled.store(true, Ordering::Release);
    }
}
