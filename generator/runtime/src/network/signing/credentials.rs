//! A key, its passphrase, and what signs for it: an implementation of `Signer`.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::HeaderValue;
use zeroize::Zeroizing;

use crate::data::error::BuildError;
use crate::data::tables::{Algorithm, Authentication, Part};

/// A key, its passphrase, and what signs for it. They are never printed, and are wiped from memory with the last
/// request that contains them.
#[derive(Clone)]
pub struct Credentials {
    key: Secret,
    passphrase: Secret,
    proof: Proof,
    /// The variables of the environment that were not set.
    unset: Option<Unset>,
}

/// The proof that a caller holds the key.
#[derive(Clone)]
enum Proof {
    Secret(Secret),
    Signer(Arc<dyn Signer>),
}

/// The names of variables that only some APIs need.
#[derive(Clone, Debug, Default)]
struct Unset {
    secret: Option<String>,
    passphrase: Option<String>,
}

impl Credentials {
    /// Creates a key, its secret, and a passphrase, which is empty for an API without one. The secret is a text, or a
    /// private key in PEM, as the exchange gave it; the API decides what is signed with it.
    ///
    /// Building a client fails if one of them cannot be right: if it is empty although the API needs it, has a line
    /// break, or begins or ends with white space, as a text from a file often does. Only a key in PEM has line breaks.
    pub fn new(key: impl Into<String>, secret: impl Into<String>, passphrase: impl Into<String>) -> Self {
        Self::of(key, passphrase, Proof::Secret(Secret::new(secret.into())))
    }

    /// Creates a key that is itself the proof, such as a bearer token, for an API that has no signatures.
    pub fn of_key(key: impl Into<String>) -> Self {
        Self::new(key, "", "")
    }

    /// Takes key, secret and passphrase from the environment: for the prefix `TRADEAPI`, from `TRADEAPI_KEY`,
    /// `TRADEAPI_SECRET` and `TRADEAPI_PASSPHRASE`. Several accounts have several prefixes. An API without passphrases
    /// or signatures needs no variable for them; for another API, building the client fails.
    ///
    /// # Errors
    ///
    /// Fails if the variable of the key is not set or is empty. The error names the variable, and never its value.
    pub fn from_env(prefix: &str) -> Result<Self, BuildError> {
        let key = variable(prefix, "KEY").map_err(|name| BuildError::Environment { name })?;
        let (secret, passphrase) = (variable(prefix, "SECRET"), variable(prefix, "PASSPHRASE"));
        let unset = Unset { secret: secret.clone().err(), passphrase: passphrase.clone().err() };
        let credentials = Self::new(key, secret.unwrap_or_default(), passphrase.unwrap_or_default());
        Ok(Self { unset: Some(unset), ..credentials })
    }

    /// Signs with `signer`.
    pub fn with_signer(key: impl Into<String>, passphrase: impl Into<String>, signer: impl Signer + 'static) -> Self {
        Self::of(key, passphrase, Proof::Signer(Arc::new(signer)))
    }

    fn of(key: impl Into<String>, passphrase: impl Into<String>, proof: Proof) -> Self {
        Self { key: Secret::new(key.into()), passphrase: Secret::new(passphrase.into()), proof, unset: None }
    }

    /// Fails if a part cannot be right for `api`. The error names the part, and never its value.
    pub(super) fn check_for(&self, api: Option<&Authentication>) -> Result<(), BuildError> {
        check_part(&self.key, &KEY)?;
        if !self.passphrase.is_empty() || api.is_some_and(|api| self.unset.is_none() && api.carries(Part::Passphrase)) {
            check_part(&self.passphrase, &PASSPHRASE)?;
        }
        let Some(api) = api else { return Ok(()) };
        self.check_environment(api)?;
        match &self.proof {
            Proof::Secret(secret) if api.signature.is_some() => check_secret(secret),
            _ => Ok(()),
        }
    }

    /// Fails if a variable of the environment that the API needs was not set.
    fn check_environment(&self, api: &Authentication) -> Result<(), BuildError> {
        let Some(Unset { secret, passphrase }) = &self.unset else { return Ok(()) };
        let secret = secret.as_ref().filter(|_| api.signature.is_some());
        let passphrase = passphrase.as_ref().filter(|_| api.carries(Part::Passphrase));
        match secret.or(passphrase) {
            Some(name) => Err(BuildError::Environment { name: name.clone() }),
            None => Ok(()),
        }
    }

    /// Returns the key as a header.
    pub(super) fn key_header(&self) -> Option<HeaderValue> {
        self.key.header()
    }

    /// Returns the passphrase as a header.
    pub(super) fn passphrase_header(&self) -> Option<HeaderValue> {
        self.passphrase.header()
    }

    pub(super) fn key(&self) -> &[u8] {
        self.key.bytes()
    }

    pub(super) fn passphrase(&self) -> &[u8] {
        self.passphrase.bytes()
    }

    /// Returns the parts that requests contain, which a response may repeat. The secret itself is never sent.
    pub(crate) fn sent(&self) -> [&[u8]; 2] {
        [self.key.bytes(), self.passphrase.bytes()]
    }

    pub(super) fn signer(&self) -> Option<Arc<dyn Signer>> {
        match &self.proof {
            Proof::Signer(signer) => Some(Arc::clone(signer)),
            Proof::Secret(_) => None,
        }
    }

    /// Returns the secret; empty where a signer holds it.
    pub(super) fn secret(&self) -> Zeroizing<String> {
        match &self.proof {
            // It was made from a text.
            Proof::Secret(secret) => Zeroizing::new(String::from_utf8_lossy(secret.bytes()).into_owned()),
            Proof::Signer(_) => Zeroizing::default(),
        }
    }

    /// Returns the same without the secret.
    pub(super) fn without_secret(&self) -> Self {
        Self { proof: Proof::Secret(Secret::new(String::new())), ..self.clone() }
    }
}

/// The faults of a part of credentials: it is empty, has a line break, white space around it, or no plain text.
type PartFaults = [&'static str; 4];

const KEY: PartFaults = [
    "the key is empty",
    "the key has a line break",
    "the key begins or ends with white space",
    "the key is not plain text",
];

const SECRET: PartFaults = [
    "the secret is empty",
    "the secret has a line break",
    "the secret begins or ends with white space",
    "the secret has a control character",
];

const PASSPHRASE: PartFaults = [
    "the passphrase is empty",
    "the passphrase has a line break",
    "the passphrase begins or ends with white space",
    "the passphrase is not plain text",
];

/// Returns a part that is sent in a header.
fn check_part(part: &Secret, faults: &PartFaults) -> Result<(), BuildError> {
    check_text(part, faults)?;
    if part.header().is_some() { Ok(()) } else { Err(wrong(faults[3])) }
}

/// Checks a secret, which is not sent, so any text may be one, but files and secret stores add line breaks and spaces.
/// A private key in PEM has line breaks.
fn check_secret(secret: &Secret) -> Result<(), BuildError> {
    let is_pem = secret.bytes().trim_ascii_start().starts_with(b"-----BEGIN ");
    if is_pem {
        return Ok(());
    }
    check_text(secret, &SECRET)?;
    if secret.bytes().iter().any(u8::is_ascii_control) { Err(wrong(SECRET[3])) } else { Ok(()) }
}

fn check_text(part: &Secret, [empty, broken, spaced, _]: &PartFaults) -> Result<(), BuildError> {
    let text = part.bytes();
    if text.trim_ascii().is_empty() {
        return Err(wrong(empty));
    }
    if text.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
        return Err(wrong(broken));
    }
    if text.trim_ascii().len() < text.len() { Err(wrong(spaced)) } else { Ok(()) }
}

/// Returns the value of the variable `{prefix}_{name}`, or its name if it is not set, is empty or is not text.
pub(crate) fn variable(prefix: &str, name: &str) -> Result<String, String> {
    let name = format!("{prefix}_{name}");
    match std::env::var(&name) {
        Ok(value) if !value.is_empty() => Ok(value),
        _ => Err(name),
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
        Self::of_bytes(text.into_bytes())
    }

    /// Takes over `bytes`, which are not copied.
    pub(super) fn of_bytes(bytes: Vec<u8>) -> Self {
        Self(Bytes::from_owner(Zeroizing::new(bytes)))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the text itself.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the header with this text, marked as sensitive; `None` if it is not valid in a header.
    pub(super) fn header(&self) -> Option<HeaderValue> {
        let is_plain = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~');
        let mut header = HeaderValue::from_maybe_shared(self.0.clone()).ok()?;
        header.set_sensitive(true);
        header.as_bytes().iter().all(is_plain).then_some(header)
    }
}

/// Signs requests.
///
/// Implement it if the secret is held elsewhere (a hardware module, another process) or the key is of another kind.
pub trait Signer: Send + Sync {
    /// Returns the bytes of the signature of `text`.
    fn sign(&self, text: &[u8]) -> Vec<u8>;

    /// Returns the algorithm, for an exchange that accepts several; `None` for the first one that its schema names.
    fn algorithm(&self) -> Option<Algorithm> {
        None
    }
}

pub(super) fn wrong(why: &'static str) -> BuildError {
    BuildError::Credentials { why }
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
    fn invalid_values_make_no_header() {
        for text in ["a\nb", "a\r", "\0", "\u{7f}", "\u{e9}", "\u{1f511}"] {
            assert!(Secret::new(text.to_owned()).header().is_none(), "{text:?}");
        }
        assert!(Secret::new("a \t~".to_owned()).header().is_some());
    }

    #[test]
    fn secrets_are_wiped() {
        fn is_wiped<T: ZeroizeOnDrop>() {}
        is_wiped::<Zeroizing<Vec<u8>>>();
        // The parts of an HMAC, and of each copy of it that signs something.
        is_wiped::<<Sha256 as CoreProxy>::Core>();
        is_wiped::<Buffer<HmacCore<Sha256>>>();
    }
}
