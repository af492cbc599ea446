use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::HeaderValue;
use zeroize::Zeroizing;

use super::{HmacSha256, Signer};
use crate::error::BuildError;

/// A key, its passphrase, and the signer for it. They are never printed, and are wiped from memory with the last
/// request that contains them.
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

    /// Takes key, secret and passphrase from the environment: for the prefix `TRADEAPI`, from `TRADEAPI_KEY`,
    /// `TRADEAPI_SECRET` and `TRADEAPI_PASSPHRASE`. Several accounts have several prefixes.
    ///
    /// # Errors
    ///
    /// Fails if a variable is not set or is empty. The error names the variable, and never its value.
    pub fn from_env(prefix: &str) -> Result<Self, BuildError> {
        let variable = |name: &str| {
            let name = format!("{prefix}_{name}");
            match std::env::var(&name) {
                Ok(value) if !value.is_empty() => Ok(value),
                _ => Err(BuildError::Environment { name }),
            }
        };
        Ok(Self::new(variable("KEY")?, variable("SECRET")?, variable("PASSPHRASE")?))
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

    /// The parts that requests contain, which a response may repeat. The secret itself is never sent.
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

/// A text that is never printed. Clones and headers share its bytes, which are wiped from memory when the last of them
/// is dropped. Copies that a transport makes of a header are not wiped.
#[derive(Clone)]
pub(super) struct Secret(Bytes);

impl Secret {
    /// Takes over `text`, which is not copied.
    pub(super) fn new(text: String) -> Self {
        Self(Bytes::from_owner(Zeroizing::new(text.into_bytes())))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text itself.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The header with this text, marked as sensitive; `None` if it is not valid in a header.
    pub(super) fn header(&self) -> Option<HeaderValue> {
        let is_plain = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~');
        let mut header = HeaderValue::from_maybe_shared(self.0.clone()).ok()?;
        header.set_sensitive(true);
        header.as_bytes().iter().all(is_plain).then_some(header)
    }
}

#[cfg(test)]
mod tests {
    use hmac::block_api::HmacCore;
    use hmac::digest::block_api::{Buffer, CoreProxy};
    use sha2::Sha256;
    use zeroize::ZeroizeOnDrop;

    use super::*;

    #[test]
    fn a_secret_is_in_memory_once() -> Result<(), &'static str> {
        let text = String::from("canary");
        let at = text.as_ptr();
        let secret = Secret::new(text);
        let (clone, header) = (secret.clone(), secret.header().ok_or("no header")?);
        assert!([secret.0.as_ptr(), clone.0.as_ptr(), header.as_bytes().as_ptr()].iter().all(|other| *other == at));
        assert!(header.is_sensitive() && format!("{header:?}") == "Sensitive");
        // A header outlives the credentials, and its bytes with it.
        drop((secret, clone));
        assert_eq!(header, "canary");
        Ok(())
    }

    #[test]
    fn what_cannot_be_sent_makes_no_header() {
        for text in ["a\nb", "a\r", "\0", "\u{7f}", "\u{e9}", "\u{1f511}"] {
            assert!(Secret::new(text.to_owned()).header().is_none(), "{text:?}");
        }
        assert!(Secret::new("a \t~".to_owned()).header().is_some());
    }

    #[test]
    fn what_holds_a_secret_is_wiped() {
        fn is_wiped<T: ZeroizeOnDrop>() {}
        is_wiped::<Zeroizing<Vec<u8>>>();
        // What an HMAC is made of, and each copy of it that signs something.
        is_wiped::<<Sha256 as CoreProxy>::Core>();
        is_wiped::<Buffer<HmacCore<Sha256>>>();
    }
}
