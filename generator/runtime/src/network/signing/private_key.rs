//! Signers with a private key.

use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, RSA_PKCS1_SHA256, RSA_PSS_SHA256, RsaEncoding,
    RsaKeyPair,
};
use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject;
use zeroize::Zeroizing;

use super::Signer;
use super::credentials::wrong;
use crate::data::error::BuildError;
use crate::data::tables::Algorithm;

/// Signs with a private key: Ed25519, RSA, or ECDSA on the curve P-256.
///
/// ```
/// # fn f(pem: &str) -> Result<(), tradeapi_runtime::error::BuildError> {
/// use tradeapi_runtime::Credentials;
/// use tradeapi_runtime::signing::PrivateKey;
///
/// let credentials = Credentials::with_signer("key", "", PrivateKey::from_pem(pem)?);
/// # let _ = credentials;
/// # Ok(())
/// # }
/// ```
pub struct PrivateKey(Pair);

/// The padding of a signature with RSA.
#[derive(Clone, Copy, PartialEq)]
enum Padding {
    Fixed,
    Probabilistic,
}

enum Pair {
    Ed25519(Ed25519KeyPair),
    Rsa(Box<RsaKeyPair>, Padding, SystemRandom),
    Ecdsa(EcdsaKeyPair, SystemRandom),
}

impl PrivateKey {
    /// Reads a key in PEM: PKCS #8, PKCS #1 (RSA) or SEC 1 (elliptic curves), without a password. Its kind decides the
    /// algorithm.
    ///
    /// # Errors
    ///
    /// Fails if the text has another form, or the key is of another kind.
    pub fn from_pem(pem: &str) -> Result<Self, BuildError> {
        // A key in an environment variable often has `\n` in place of line breaks.
        let pem = Zeroizing::new(pem.replace("\\n", "\n"));
        let key =
            PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| wrong("the private key is not valid PEM"))?;
        let random = SystemRandom::new();
        let pair = match &key {
            PrivateKeyDer::Pkcs8(der) => of_pkcs8(der.secret_pkcs8_der()),
            PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der())
                .ok()
                .map(|pair| Pair::Rsa(Box::new(pair), Padding::Fixed, random)),
            PrivateKeyDer::Sec1(der) => in_pkcs8(der.secret_sec1_der()).and_then(|der| of_pkcs8(&der)),
            _ => None,
        };
        pair.map(Self).ok_or_else(|| wrong("the private key must be Ed25519, RSA of 2048 bits or more, or P-256"))
    }

    /// Returns the same key, which signs with the probabilistic padding if it is one of RSA (`rsa-pss-sha256`).
    #[must_use]
    pub fn with_pss(self) -> Self {
        match self.0 {
            Pair::Rsa(pair, _, random) => Self(Pair::Rsa(pair, Padding::Probabilistic, random)),
            pair => Self(pair),
        }
    }

    /// Returns the Ed25519 key with this seed of 32 bytes, which the public key may follow.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not a key.
    pub fn ed25519(bytes: &[u8]) -> Result<Self, BuildError> {
        let pair = match bytes.len() {
            32 => Ed25519KeyPair::from_seed_unchecked(bytes).ok(),
            64 => Ed25519KeyPair::from_seed_and_public_key(&bytes[..32], &bytes[32..]).ok(),
            _ => None,
        };
        pair.map(|pair| Self(Pair::Ed25519(pair))).ok_or_else(|| wrong("the secret is not an Ed25519 key"))
    }
}

/// Returns the key in a document of PKCS #8, whose kind only an attempt to read it shows.
fn of_pkcs8(der: &[u8]) -> Option<Pair> {
    let random = SystemRandom::new();
    if let Ok(pair) = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der) {
        return Some(Pair::Ed25519(pair));
    }
    if let Ok(pair) = RsaKeyPair::from_pkcs8(der) {
        return Some(Pair::Rsa(Box::new(pair), Padding::Fixed, random));
    }
    let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der, &random).ok()?;
    Some(Pair::Ecdsa(pair, random))
}

/// Wraps a key on P-256 of SEC 1 as PKCS #8 does, because the library reads only that.
fn in_pkcs8(sec1: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    // Version 0, and the identifiers of elliptic curves and of P-256.
    const HEAD: &[u8] = &[
        0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
        0x48, 0xce, 0x3d, 0x03, 0x01, 0x07,
    ];
    const SEQUENCE: u8 = 0x30;
    const OCTETS: u8 = 0x04;
    let mut content = Zeroizing::new(HEAD.to_vec());
    push(&mut content, OCTETS, sec1)?;
    let mut document = Zeroizing::new(Vec::with_capacity(content.len() + 4));
    push(&mut document, SEQUENCE, &content)?;
    Some(document)
}

/// Appends an element of DER; no key on P-256 needs more than one byte for the length.
fn push(to: &mut Vec<u8>, tag: u8, content: &[u8]) -> Option<()> {
    let length = u8::try_from(content.len()).ok()?;
    to.push(tag);
    if length > 0x7f {
        to.push(0x81);
    }
    to.push(length);
    to.extend_from_slice(content);
    Some(())
}

impl Signer for PrivateKey {
    /// Signs the text; the signature is empty if the operating system has no random numbers, so that the exchange
    /// refuses the request.
    fn sign(&self, text: &[u8]) -> Vec<u8> {
        match &self.0 {
            Pair::Ed25519(pair) => pair.sign(text).as_ref().to_vec(),
            Pair::Rsa(pair, padding, random) => {
                let encoding: &dyn RsaEncoding = match padding {
                    Padding::Fixed => &RSA_PKCS1_SHA256,
                    Padding::Probabilistic => &RSA_PSS_SHA256,
                };
                let mut signature = vec![0; pair.public().modulus_len()];
                let signed = pair.sign(encoding, random, text, &mut signature);
                signed.map(|()| signature).unwrap_or_default()
            }
            Pair::Ecdsa(pair, random) => {
                pair.sign(random, text).map(|signature| signature.as_ref().to_vec()).unwrap_or_default()
            }
        }
    }

    fn algorithm(&self) -> Option<Algorithm> {
        Some(match self.0 {
            Pair::Ed25519(_) => Algorithm::Ed25519,
            Pair::Rsa(_, Padding::Fixed, _) => Algorithm::RsaSha256,
            Pair::Rsa(_, Padding::Probabilistic, _) => Algorithm::RsaPssSha256,
            Pair::Ecdsa(..) => Algorithm::EcdsaSha256,
        })
    }
}

impl std::fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PrivateKey(not shown)")
    }
}
