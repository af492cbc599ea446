//! The instruments that the exchange lists, which a client shares with its clones.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use crate::account::ListedInstruments;

/// The instruments that were listed last, and whether a caller was told that one is not among them.
#[derive(Debug, Default)]
pub(super) struct Listed {
    instruments: RwLock<ListedInstruments>,
    has_said_so: AtomicBool,
}

impl Listed {
    pub(super) fn read(&self) -> RwLockReadGuard<'_, ListedInstruments> {
        self.instruments.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn replace(&self, listed: ListedInstruments) {
        *self.instruments.write().unwrap_or_else(PoisonError::into_inner) = listed;
        self.has_said_so.store(false, Ordering::Relaxed);
    }

    /// Whether a caller was told before that an instrument is not known. From then on, one has been.
    pub(super) fn has_said_so(&self) -> bool {
        self.has_said_so.swap(true, Ordering::Relaxed)
    }
}
