//! Makes the signatures of a client.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use zeroize::Zeroizing;

use super::credentials::Credentials;
use super::encoding::encoded;
use super::hmacs::{HmacSha256, HmacSha384, HmacSha512};
use super::signer::{Signer, wrong};
use super::text::Sources;
use super::token::token;
use crate::data::error::BuildError;
use crate::data::tables::{Algorithm, Content, Encoding, SecretForm, Signature};

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

    /// The signer, and how its signatures are written.
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

/// The signer for `secret`: a private key in PEM, or a text as `signature` describes.
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
