use std::ops::Deref;
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;

use crate::checks::Violations;
use crate::client::Moment;
use crate::value::Timestamp;

/// The successful answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reply<T> {
    /// What was asked for.
    pub data: T,
    /// The time of the request by the exchange's clock.
    pub request_time: Option<Timestamp>,
    /// When the request was signed, as it says itself; `None` where no client made it.
    pub signed_at: Option<Timestamp>,
    pub(crate) left: Option<Moment>,
    /// The HTTP status.
    pub status: StatusCode,
    /// How many calls are left, where the exchange tells.
    pub remaining: Option<u32>,
    /// How long the call waited for room within its rate limits before it was sent.
    pub waited: Duration,
    /// Rules that the request broke without being refused for it.
    pub warnings: Violations,
    /// The whole answer as it came; what the types do not know is found here.
    pub raw: Bytes,
}

impl<T> Reply<T> {
    /// What was asked for, alone.
    pub fn into_data(self) -> T {
        self.data
    }
}

impl<T> Deref for Reply<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}
