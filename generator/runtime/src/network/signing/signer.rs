//! Signs requests.

use crate::data::error::BuildError;
use crate::data::tables::Algorithm;

/// Signs requests.
///
/// Implement it if the secret is held elsewhere (a hardware module, another process) or the key is of another kind.
pub trait Signer: Send + Sync {
    /// The bytes of the signature of `text`.
    fn sign(&self, text: &[u8]) -> Vec<u8>;

    /// The algorithm, for an exchange that accepts several; `None` for the first one that its schema names.
    fn algorithm(&self) -> Option<Algorithm> {
        None
    }
}

pub(super) fn wrong(why: &'static str) -> BuildError {
    BuildError::Credentials { why }
}
