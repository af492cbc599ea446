//! Values that the clients of one process share because they are of the same account.

use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

/// A value for each account of a process. Only a hash of what identifies an account is kept.
pub(crate) struct SharedByAccount<T>(Mutex<Vec<([u8; 32], Arc<T>)>>);

impl<T: Default> SharedByAccount<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Returns the value of the account that `parts` identify: the API, the exchange and the key. It is kept as long as
    /// a client has it or `is_needed` says so. A forked process has its own.
    pub(crate) fn of(&self, parts: &[&[u8]], is_needed: &dyn Fn(&T) -> bool) -> Arc<T> {
        let key = hash_of(parts);
        let mut values = self.lock();
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == key) {
            return Arc::clone(value);
        }
        values.retain(|(_, value)| Arc::strong_count(value) > 1 || is_needed(value));
        let value = Arc::new(T::default());
        values.push((key, Arc::clone(&value)));
        value
    }

    fn lock(&self) -> MutexGuard<'_, Vec<([u8; 32], Arc<T>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a hash of what identifies an account, in this process.
fn hash_of(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new_with_prefix(process::id().to_le_bytes());
    for part in parts {
        hash.update(Sha256::digest(part));
    }
    hash.finalize().into()
}
