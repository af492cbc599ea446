use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::builder::ClientBuilder;
use super::clock::Clock;
use super::credentials::Credentials;
use super::transport::Transport;
use crate::checks::Violations;
use crate::error::{Error, Refusal, TransportFailure};
use crate::exchange::{BaseUrl, HeaderValues, Reply, build_request, read_response};
use crate::operation::Operation;
use crate::tables::{Api, Meta};
use crate::value::Timestamp;

/// What every emitted client holds: an address, credentials, a clock and a transport. Cheap to clone.
#[derive(Clone)]
pub struct ClientCore(Arc<Parts>);

pub(super) struct Parts {
    pub(super) api: &'static Api,
    pub(super) base: BaseUrl,
    pub(super) credentials: Option<Credentials>,
    pub(super) headers: HeaderValues,
    pub(super) clock: Box<dyn Clock>,
    pub(super) transport: Box<dyn Transport>,
    pub(super) checks: bool,
}

impl ClientCore {
    /// Begins a client of `api` at the address `base_url`.
    pub fn builder(api: &'static Api, base_url: impl Into<String>) -> ClientBuilder<Self> {
        ClientBuilder::new(api, base_url)
    }

    pub(super) fn of(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// Checks `operation`, sends it once, and reads the answer.
    ///
    /// # Errors
    ///
    /// See [`Error`]; [`Error::outcome`] tells whether the request may have taken effect.
    pub async fn call<O: Operation>(&self, operation: &O) -> Result<Reply<O::Response>, Error> {
        let request = self.prepare(operation)?;
        let response = self.send(O::META, request).await?;
        read_response::<O>(self.0.api, response)
    }

    /// Checks `operation` and makes the signed request for it, which is not sent.
    ///
    /// # Errors
    ///
    /// When the documents forbid it or it cannot be signed.
    pub fn prepare<O: Operation>(&self, operation: &O) -> Result<http::Request<Bytes>, Error> {
        let Parts { api, base, credentials, headers, .. } = &*self.0;
        let now = self.0.clock.now();
        if self.0.checks {
            operation.validate(Some(now)).map_err(|violations| refused(O::META, violations))?;
        }
        build_request(api, operation, base, credentials.as_ref(), headers, now)
    }

    /// The API that is called.
    pub fn api(&self) -> &'static Api {
        self.0.api
    }

    /// The time by the client's clock.
    pub fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    async fn send(&self, meta: &'static Meta, request: http::Request<Bytes>) -> Result<http::Response<Bytes>, Error> {
        let answer = self.0.transport.send(request).await;
        answer.map_err(|error| {
            Error::Transport(Box::new(TransportFailure { operation: meta.id, effect: meta.effect, error }))
        })
    }
}

impl fmt::Debug for ClientCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCore").field("api", &self.0.api.name).field("base", &self.0.base).finish_non_exhaustive()
    }
}

fn refused(meta: &'static Meta, violations: Violations) -> Error {
    Error::Refused(Box::new(Refusal { operation: meta.id, violations }))
}
