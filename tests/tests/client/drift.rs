//! Drift: differences between answers and the documents, collected while a client runs.

mod bounds;
mod captures;
mod envelope;
mod examples;
mod maintainer;
mod privacy;
mod production;
mod readability;

use bytes::Bytes;
use tradeapi::runtime::drift::Drift;
use tradeapi::runtime::wire::read_response;
use tradeapi::{API, Error, Operation, Reply};

/// Collects the drift of an answer to `O`.
fn record<O: Operation>(drift: &Drift, body: &str) -> Result<Reply<O::Response>, Error> {
    let answer = read_response::<O>(&API, http::Response::new(Bytes::from(body.to_owned())));
    drift.record::<O>(&API, &answer);
    answer
}
