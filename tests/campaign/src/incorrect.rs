//! Incorrect variants of the client: how they query, and how they send.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use tradeapi::Error;
use tradeapi::runtime::clock::{Environment, Timer, pause};
use tradeapi::runtime::confirm::{self, Confirmable};
use tradeapi::runtime::error::{Delivery, TransportError, TransportErrorKind};
use tradeapi::runtime::tables::Outcome;
use tradeapi::runtime::transport::{ResponseFuture, Transport};

use crate::clock::FastClock;
use crate::codes::Proof;
use crate::context::AccountContext;
use crate::ground_truth::Effect;
use crate::ledger::ClaimHandle;
use crate::operation::Operation;
use crate::settings::Settings;
use crate::variant::ClientVariant;

/// The time after which an absence is a proof by the documents, which a client that trusts a single node applies.
const ABSENCE_PROOF_DELAY: Duration = Duration::from_secs(40);

/// The greatest distance between the time of a signature and the exchange's, in milliseconds.
const WINDOW: u64 = 30_000;

/// Returns the outcome that a variant with incorrect queries concludes; `None` if the variant queries correctly.
pub(crate) async fn queries<O: Confirmable>(
    context: &AccountContext,
    operation: &O,
    error: &Error,
    handle: Option<&ClaimHandle>,
) -> Option<Outcome> {
    let Error::Unknown(unknown) = error else { return None };
    let variant = context.settings.variant;
    let is_amendment = handle.is_some_and(|handle| matches!(handle.effect, Effect::Amended(..)));
    let questions = match variant {
        ClientVariant::TrustsFirstAbsence => 1,
        ClientVariant::TrustsOneNodesTime => 10,
        ClientVariant::TrustsAnyRecord if !is_amendment => 1,
        ClientVariant::ComparesPriceOnly if is_amendment => 1,
        _ => return None,
    };
    for _ in 0..questions {
        match confirm::locate(&context.client, operation).await {
            Ok(_) if variant == ClientVariant::TrustsAnyRecord => return Some(Outcome::Done),
            Ok(reply) if variant == ClientVariant::ComparesPriceOnly => {
                let wanted: Value = serde_json::from_slice(&unknown.sent.body).unwrap_or_default();
                let shown: Value = serde_json::from_slice(&reply.raw).unwrap_or_default();
                let is_so = wanted["price"].is_string() && shown["data"]["price"] == wanted["price"];
                return Some(if is_so { Outcome::Done } else { Outcome::Unknown });
            }
            Err(Error::Exchange(answered))
                if crate::codes::proof(answered.code.as_str()) == Some(Proof::NoSuchOrder) =>
            {
                let late_enough = unknown.sent.signed_at.checked_add(ABSENCE_PROOF_DELAY);
                let is_late = answered.request_time.zip(late_enough).is_some_and(|(answered, late)| answered > late);
                if is_late || variant == ClientVariant::TrustsFirstAbsence {
                    return Some(Outcome::NotDone);
                }
            }
            _ => {}
        }
    }
    Some(Outcome::Unknown)
}

/// Wraps another transport, with the mistake of a variant.
pub(crate) struct IncorrectTransport<T, E> {
    inner: T,
    environment: E,
    settings: Arc<Settings>,
    clock: FastClock,
    /// The assumed lead of the exchange's clock.
    ahead: Mutex<i64>,
    /// When calls were sent, by path.
    let_go: Mutex<HashMap<String, VecDeque<Duration>>>,
}

impl<T: Transport, E: Environment> IncorrectTransport<T, E> {
    pub(crate) fn new(inner: T, environment: E, settings: Arc<Settings>, clock: FastClock) -> Self {
        Self { inner, environment, settings, clock, ahead: Mutex::default(), let_go: Mutex::default() }
    }

    /// Waits until the calls sent within the last second are fewer than the limit.
    async fn pace(&self, request: &http::Request<Bytes>) {
        let path = request.uri().path();
        let Some(operation) = Operation::find(request.method().as_str(), path) else { return };
        let second = self.settings.scaled(Duration::from_millis(1_020));
        loop {
            let wait = {
                let now = Timer::now(&self.environment);
                let mut all = lock(&self.let_go);
                let let_go = all.entry(path.to_owned()).or_default();
                let_go.retain(|at| now - *at < second);
                if let_go.len() < operation.per_second {
                    let_go.push_back(now);
                    return;
                }
                let_go.front().map(|first| (*first + second).saturating_sub(now))
            };
            pause(&self.environment, wait.unwrap_or_default()).await;
        }
    }

    /// Returns whether the signature is outside its window by the time of the latest answer.
    fn is_out_of_time(&self, request: &http::Request<Bytes>) -> bool {
        let signed_at =
            request.headers().get("access-timestamp").and_then(|time| time.to_str().ok()?.parse::<u64>().ok());
        let there = self.clock.now().saturating_add_signed(*lock(&self.ahead));
        signed_at.is_some_and(|signed_at| there.abs_diff(signed_at) > WINDOW)
    }

    fn believe(&self, answer: &http::Response<Bytes>) {
        let answered =
            serde_json::from_slice::<Value>(answer.body()).ok().and_then(|answer| answer["requestTime"].as_i64());
        if let Some(answered) = answered {
            *lock(&self.ahead) = answered.saturating_sub(self.clock.now().cast_signed());
        }
    }
}

impl<T: Transport, E: Environment> Transport for IncorrectTransport<T, E> {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        Box::pin(async move {
            let variant = self.settings.variant;
            if variant == ClientVariant::CountsWhenSent {
                self.pace(&request).await;
            }
            if variant == ClientVariant::TrustsEveryTime && self.is_out_of_time(&request) {
                return Err(TransportError::new(TransportErrorKind::Connect, Delivery::NotSent));
            }
            let sent = request.body().clone();
            let mut answer = self.inner.send(request).await?;
            match variant {
                ClientVariant::TrustsEveryTime => self.believe(&answer),
                ClientVariant::AcceptsAnyAnswer => take_for_ones_own(&sent, &mut answer),
                _ => {}
            }
            Ok(answer)
        })
    }
}

/// Replaces the ids in an answer by those of the request, so that the client cannot compare them.
fn take_for_ones_own(request: &[u8], answer: &mut http::Response<Bytes>) {
    let Ok(request) = serde_json::from_slice::<Value>(request) else { return };
    let Ok(mut answered) = serde_json::from_slice::<Value>(answer.body()) else { return };
    if !answered["data"].is_object() {
        return;
    }
    for name in ["orderId", "clientOid"] {
        if let Some(id) = request.get(name).filter(|_| answered["data"].get(name).is_some()) {
            answered["data"][name] = id.clone();
        }
    }
    *answer.body_mut() = Bytes::from(answered.to_string());
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
