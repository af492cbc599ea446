//! Makes the signatures of a client: with a shared secret, in their text forms, and as JSON Web Tokens.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE, URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Sha256, Sha384, Sha512};
use zeroize::Zeroizing;

use super::credentials::{Credentials, Signer, wrong};
use super::text::Sources;
use crate::data::error::BuildError;
use crate::data::json::JsonWriter;
use crate::data::tables::{Algorithm, Content, Encoding, Part, SecretForm, Signature, Token};

/// The way signatures are made.
#[derive(Clone)]
pub(super) struct Signing {
    signer: Arc<dyn Signer>,
    content: Content,
    algorithm: Algorithm,
    encoding: Encoding,
}

impl Signing {
    pub(super) fn new(signature: &Signature, credentials: &Credentials) -> Result<Self, BuildError> {
        let signer = match credentials.signer() {
            Some(signer) => signer,
            None => signer_of(signature, &credentials.secret())?,
        };
        let accepted = match signer.algorithm() {
            None => signature.algorithms.first(),
            Some(own) => signature.algorithms.iter().find(|(algorithm, _)| *algorithm == own),
        };
        let (algorithm, encoding) =
            *accepted.ok_or_else(|| wrong("the exchange does not accept signatures of this kind of key"))?;
        Ok(Self { signer, content: signature.content, algorithm, encoding })
    }

    /// Returns the signer, and how its signatures are written.
    pub(super) fn signer(&self) -> (&dyn Signer, Encoding) {
        (&*self.signer, self.encoding)
    }

    pub(super) fn sign(&self, from: &Sources<'_>) -> String {
        match &self.content {
            Content::Text(parts) => encoded(&self.signer.sign(&from.text(parts)), self.encoding),
            Content::Token(table) => {
                token(table, self.algorithm, &*self.signer, from, from.stamp.at.as_millis() / 1000)
            }
        }
    }
}

/// The beginning of the text of a private key.
const PEM: &str = "-----BEGIN ";

/// Returns the signer for `secret`: a private key in PEM, or a text as `signature` describes.
fn signer_of(signature: &Signature, secret: &str) -> Result<Arc<dyn Signer>, BuildError> {
    if secret.trim_start().starts_with(PEM) {
        return private_key_in_pem(secret, signature);
    }
    let Some((algorithm, _)) = signature.algorithms.first() else { return Err(wrong("the API has no algorithm")) };
    let secret = match signature.secret {
        SecretForm::Text => Zeroizing::new(secret.as_bytes().to_vec()),
        SecretForm::Base64 => decoded(&STANDARD, secret)?,
        SecretForm::Base64Url => decoded(&URL_SAFE, secret)?,
    };
    Ok(match algorithm {
        Algorithm::HmacSha256 => Arc::new(HmacSha256::new(&*secret)),
        Algorithm::HmacSha384 => Arc::new(HmacSha384::new(&*secret)),
        Algorithm::HmacSha512 => Arc::new(HmacSha512::new(&*secret)),
        #[cfg(feature = "md5")]
        Algorithm::HmacMd5 => Arc::new(super::HmacMd5::new(&*secret)),
        #[cfg(not(feature = "md5"))]
        Algorithm::HmacMd5 => {
            return Err(wrong("HMAC-MD5 needs the feature `md5` of tradeapi-runtime, or a signer of your own"));
        }
        Algorithm::Ed25519 => return ed25519_of(&secret),
        Algorithm::RsaSha256 | Algorithm::RsaPssSha256 | Algorithm::EcdsaSha256 => {
            return Err(wrong("the secret is not a private key in PEM"));
        }
    })
}

fn decoded(alphabet: &impl Engine, secret: &str) -> Result<Zeroizing<Vec<u8>>, BuildError> {
    alphabet.decode(secret.trim_ascii()).map(Zeroizing::new).map_err(|_| wrong("the secret is not valid Base64"))
}

#[cfg(feature = "asymmetric")]
fn private_key_in_pem(text: &str, signature: &Signature) -> Result<Arc<dyn Signer>, BuildError> {
    let key = super::PrivateKey::from_pem(text)?;
    // Of the paddings of RSA, the kind of the key shows none.
    let of_rsa = |algorithm: &&Algorithm| matches!(algorithm, Algorithm::RsaSha256 | Algorithm::RsaPssSha256);
    let first = signature.algorithms.iter().map(|(algorithm, _)| algorithm).find(of_rsa);
    Ok(Arc::new(if first == Some(&Algorithm::RsaPssSha256) { key.with_pss() } else { key }))
}

#[cfg(feature = "asymmetric")]
fn ed25519_of(bytes: &[u8]) -> Result<Arc<dyn Signer>, BuildError> {
    Ok(Arc::new(super::PrivateKey::ed25519(bytes)?))
}

#[cfg(not(feature = "asymmetric"))]
fn private_key_in_pem(_: &str, _: &Signature) -> Result<Arc<dyn Signer>, BuildError> {
    Err(wrong(NEEDS_FEATURE))
}

#[cfg(not(feature = "asymmetric"))]
fn ed25519_of(_: &[u8]) -> Result<Arc<dyn Signer>, BuildError> {
    Err(wrong(NEEDS_FEATURE))
}

#[cfg(not(feature = "asymmetric"))]
const NEEDS_FEATURE: &str = "a private key needs the feature `asymmetric` of tradeapi-runtime, or a signer of your own";

macro_rules! hmacs {
    ($($(#[$doc:meta])* $name:ident($hash:ty);)*) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name {
            /// The state after hashing the key. The key itself is not kept.
            keyed: Hmac<$hash>,
        }

        impl $name {
            /// Signs with `secret`, which may have any length.
            pub fn new(secret: impl AsRef<[u8]>) -> Self {
                // HMAC accepts keys of any length, so this does not fail.
                let keyed = Hmac::new_from_slice(secret.as_ref())
                    .unwrap_or_else(|_| Hmac::new(&hmac::digest::Key::<Hmac<$hash>>::default()));
                Self { keyed }
            }
        }

        impl Signer for $name {
            fn sign(&self, text: &[u8]) -> Vec<u8> {
                let mut mac = self.keyed.clone();
                mac.update(text);
                mac.finalize().into_bytes().to_vec()
            }

            fn algorithm(&self) -> Option<Algorithm> {
                Some(Algorithm::$name)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    )*};
}

hmacs! {
    /// Signs with HMAC-SHA256. The key is wiped from memory when this is dropped.
    HmacSha256(Sha256);
    /// Signs with HMAC-SHA384. The key is wiped from memory when this is dropped.
    HmacSha384(Sha384);
    /// Signs with HMAC-SHA512. The key is wiped from memory when this is dropped.
    HmacSha512(Sha512);
}

#[cfg(feature = "md5")]
hmacs! {
    /// Signs with HMAC-MD5. The key is wiped from memory when this is dropped.
    HmacMd5(md5::Md5);
}

/// Returns `bytes` as text.
pub(super) fn encoded(bytes: &[u8], encoding: Encoding) -> String {
    match encoding {
        Encoding::Base64 => {
            // Not by `encode`, which allocates zeroed memory.
            let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
            STANDARD.encode_string(bytes, &mut text);
            text
        }
        Encoding::Base64Url => URL_SAFE.encode(bytes),
        Encoding::Hex => hex(bytes),
        Encoding::HexCapitals => hex(bytes).to_ascii_uppercase(),
    }
}

/// Returns `bytes` in the alphabet of JSON Web Tokens.
pub(super) fn in_token(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(hex_digit(byte >> 4));
        text.push(hex_digit(byte & 0xf));
    }
    text
}

fn hex_digit(digit: u8) -> char {
    char::from_digit(u32::from(digit), 16).unwrap_or('0')
}

/// Returns the token of a request, signed by `signer`. `now` is in Unix seconds.
pub(super) fn token(token: &Token, algorithm: Algorithm, signer: &dyn Signer, from: &Sources<'_>, now: u64) -> String {
    let mut header = JsonWriter::with_capacity(128);
    header.begin_object();
    push(&mut header, "alg", name(algorithm));
    push(&mut header, "typ", "JWT");
    push_all(&mut header, token.header, from);
    header.end_object();
    let mut claims = JsonWriter::with_capacity(256);
    claims.begin_object();
    push_all(&mut claims, token.claims, from);
    if let Some(lasts) = token.lasts {
        for (name, at) in [("nbf", now), ("exp", now.saturating_add(lasts))] {
            claims.member(name);
            claims.raw(&at.to_string());
        }
    }
    claims.end_object();
    let mut text = [in_token(header.finish().as_bytes()), in_token(claims.finish().as_bytes())].join(".");
    let signature = in_token(&signer.sign(text.as_bytes()));
    text.push('.');
    text.push_str(&signature);
    text
}

/// Adds the members that have a text.
fn push_all(out: &mut JsonWriter, members: &[(&'static str, &'static [Part])], from: &Sources<'_>) {
    for (name, parts) in members {
        let text = from.text(parts);
        if !text.is_empty() {
            push(out, name, &String::from_utf8_lossy(&text));
        }
    }
}

fn push(out: &mut JsonWriter, name: &str, value: &str) {
    out.member(name);
    out.string(value);
}

/// Returns the name of an algorithm in the header of a token.
const fn name(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::HmacSha256 => "HS256",
        Algorithm::HmacSha384 => "HS384",
        Algorithm::HmacSha512 => "HS512",
        Algorithm::Ed25519 => "EdDSA",
        Algorithm::HmacMd5 => "HMD5",
        Algorithm::RsaSha256 => "RS256",
        Algorithm::RsaPssSha256 => "PS256",
        Algorithm::EcdsaSha256 => "ES256",
    }
}
