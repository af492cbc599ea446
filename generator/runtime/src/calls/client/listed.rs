//! The facts that a client learnt of the exchange, and shares with its clones: the instruments that it lists, and the
//! families of operations that serve the key.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

use crate::data::account::ListedInstruments;
use crate::data::tables::KnownError;

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

    /// Returns whether a caller was told before that an instrument is not known. From then on, one has been.
    pub(super) fn has_said_so(&self) -> bool {
        self.has_said_so.swap(true, Ordering::Relaxed)
    }
}

/// The answer of each family that was asked about the key: nothing if it serves it, or else the code of the refusal.
#[derive(Debug, Default)]
pub(super) struct KeyFamilies(Mutex<BTreeMap<&'static str, Option<&'static KnownError>>>);

impl KeyFamilies {
    pub(super) fn get(&self, family: &str) -> Option<Option<&'static KnownError>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(family).copied()
    }

    pub(super) fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(super) fn note(&self, family: &'static str, refused: Option<&'static KnownError>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(family, refused);
    }
}
