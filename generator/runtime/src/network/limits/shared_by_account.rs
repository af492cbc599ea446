//! Values that the clients of one account share, or those of one address, as long as they are in one process.

use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

/// A value for each account of a process, or for each address. Only a hash of what identifies it is kept.
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

    use super::*;

    const ACCOUNT: &[&[u8]] = &[b"api", b"exchange", b"key"];

    #[test]
    fn a_value_lasts_as_long_as_a_client_has_it_or_needs_it() {
        let shared = SharedByAccount::<AtomicU8>::new();
        let value = || shared.of(ACCOUNT, &|_| false);
        value().store(1, Relaxed);
        drop(shared.of(&[b"second"], &|_| true));
        assert_eq!(value().load(Relaxed), 1);
        let client = value();
        drop(shared.of(&[b"third"], &|_| false));
        assert!(Arc::ptr_eq(&client, &value()));
        drop(client);
        drop(shared.of(&[b"fourth"], &|_| false));
        assert_eq!(value().load(Relaxed), 0);
    }

    #[test]
    fn accounts_are_told_apart_by_each_part() {
        let shared = SharedByAccount::<AtomicU8>::new();
        let joined: &[&[u8]] = &[b"apiexchange", b"key"];
        let moved: &[&[u8]] = &[b"api", b"exchangekey"];
        let turned: &[&[u8]] = &[b"key", b"exchange", b"api"];
        let values = [ACCOUNT, joined, moved, turned].map(|parts| shared.of(parts, &|_| true));
        let is_shared = |value: &Arc<_>| values.iter().filter(|other| Arc::ptr_eq(value, other)).count() > 1;
        assert!(!values.iter().any(is_shared));
    }
}
