//! The admission of one call.

use std::time::Duration;

/// The admission of one call. It takes room until it is used or given back.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a reservation takes room until it is used or given back"]
pub struct Reservation {
    /// An identifier for the limiter.
    pub key: u64,
    /// A time for the limiter: when the call was sent, or from when on it counts.
    pub counted_at: Duration,
    /// How long the caller waited for it.
    pub waited: Duration,
    /// The remaining calls after it, for the limiter.
    pub left: u32,
}

impl Reservation {
    /// A reservation that the limiter identifies by `key`.
    pub fn new(key: u64, waited: Duration) -> Self {
        Self { key, counted_at: Duration::ZERO, waited, left: u32::MAX }
    }
}
