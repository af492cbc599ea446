//! The instruments that the exchange lists, which a client shares with its clones.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use crate::account::ListedInstruments;

/// The instruments that were listed last.
#[derive(Debug, Default)]
pub(super) struct Listed(RwLock<ListedInstruments>);

impl Listed {
    pub(super) fn read(&self) -> RwLockReadGuard<'_, ListedInstruments> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn replace(&self, listed: ListedInstruments) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = listed;
    }
}
