//! Credentials, and the headers that authenticate a request.

mod authenticator;
mod credentials;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

pub use authenticator::Authenticator;
pub use credentials::Credentials;

/// Signs requests.
///
/// Implement it if the secret is held elsewhere (a hardware module, another process) or the key is of another kind.
pub trait Signer: Send + Sync {
    /// The bytes of the signature of `text`.
    fn sign(&self, text: &[u8]) -> Vec<u8>;
}

/// Signs with HMAC-SHA256. The key is wiped from memory when this is dropped.
#[derive(Clone)]
pub struct HmacSha256 {
    /// The state after hashing the key. The key itself is not kept.
    keyed: Hmac<Sha256>,
}

impl HmacSha256 {
    /// Signs with `secret`, which may have any length.
    pub fn new(secret: impl AsRef<[u8]>) -> Self {
        // HMAC accepts keys of any length, so this does not fail.
        let keyed = Hmac::new_from_slice(secret.as_ref())
            .unwrap_or_else(|_| Hmac::new(&hmac::digest::Key::<Hmac<Sha256>>::default()));
        Self { keyed }
    }
}

impl Signer for HmacSha256 {
    fn sign(&self, text: &[u8]) -> Vec<u8> {
        let mut mac = self.keyed.clone();
        mac.update(text);
        mac.finalize().into_bytes().to_vec()
    }
}

impl std::fmt::Debug for HmacSha256 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HmacSha256")
    }
}
