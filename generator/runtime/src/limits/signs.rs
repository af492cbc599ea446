use std::time::Duration;

use bytes::Bytes;
use http::{Response, StatusCode};

use super::retry_after::retry_after;

use crate::exchange::{is_in_envelope, remaining_calls};
use crate::tables::Api;

/// What an answer tells about limits. The default is an answer that tells nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Signs {
    /// That the call was one too many: HTTP status 429.
    pub too_many: Option<TooMany>,
    /// How many calls are left in the window the exchange counts in.
    pub remaining: Option<u32>,
    /// How long the request took there and back, where the transport tells: see [`RoundTrip`](crate::RoundTrip).
    pub trip: Option<Duration>,
}

/// What the answer to a call that was one too many tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TooMany {
    /// Whether calls of all kinds may have been counted together: the answer is not in the API's form, so it comes from
    /// something before the exchange, which does not know one operation from another.
    pub of_everything: bool,
    /// How long to stay away, where the answer tells.
    pub retry_after: Option<Duration>,
}

impl Signs {
    /// These signs.
    pub fn new(too_many: Option<TooMany>, remaining: Option<u32>) -> Self {
        Self { too_many, remaining, trip: None }
    }

    /// The same, of an answer over a connection that had carried one before, after a round trip of `trip`.
    #[must_use]
    pub fn after(self, trip: Duration) -> Self {
        Self { trip: Some(trip), ..self }
    }

    /// What `response` tells.
    pub fn read(api: &Api, response: &Response<Bytes>) -> Self {
        let too_many = (response.status() == StatusCode::TOO_MANY_REQUESTS).then(|| TooMany {
            of_everything: !is_in_envelope(api, response.body()),
            retry_after: retry_after(response.headers()),
        });
        Self::new(too_many, remaining_calls(api, response.headers()))
    }
}
