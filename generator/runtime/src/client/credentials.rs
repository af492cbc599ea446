use std::fmt;
use std::sync::Arc;

use http::HeaderValue;
use zeroize::Zeroizing;

use super::builder::BuildError;
use super::secret::Secret;
use super::signer::{HmacSha256, Signer};

/// Who sends requests: a key, its passphrase, and what signs for it. Never printed; wiped from memory when
/// dropped, together with the last request that carries them.
#[derive(Clone)]
pub struct Credentials {
    key: Secret,
    passphrase: Secret,
    signer: Arc<dyn Signer>,
}

impl Credentials {
    /// Signs with HMAC-SHA256 and this secret.
    pub fn new(key: impl Into<String>, secret: impl Into<String>, passphrase: impl Into<String>) -> Self {
        let secret = Zeroizing::new(secret.into());
        Self::with_signer(key, passphrase, HmacSha256::new(secret.as_bytes()))
    }

    /// Signs with `signer`.
    pub fn with_signer(key: impl Into<String>, passphrase: impl Into<String>, signer: impl Signer + 'static) -> Self {
        Self { key: Secret::new(key.into()), passphrase: Secret::new(passphrase.into()), signer: Arc::new(signer) }
    }

    /// The key and the passphrase as headers.
    pub(crate) fn headers(&self) -> Result<(HeaderValue, HeaderValue), BuildError> {
        if self.key.is_empty() {
            return Err(BuildError::Credentials { why: "the key is empty" });
        }
        let headers = self.key.header().zip(self.passphrase.header());
        headers.ok_or(BuildError::Credentials { why: "key and passphrase must be plain text without line breaks" })
    }

    /// What requests carry of them, which an answer may therefore repeat. The secret itself is never sent.
    pub(crate) fn sent(&self) -> [&[u8]; 2] {
        [self.key.bytes(), self.passphrase.bytes()]
    }

    pub(crate) fn sign(&self, text: &[u8]) -> Vec<u8> {
        self.signer.sign(text)
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(not shown)")
    }
}
