//! How the signatures of a client are made.

use std::sync::Arc;

use super::Signer;
use super::credentials::Credentials;
use super::encoding::encoded;
use super::signer::{signer_of, wrong};
use super::text::Sources;
use super::token::token;
use crate::error::BuildError;
use crate::tables::{Algorithm, Content, Encoding, Signature};

/// How signatures are made.
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
