//! Tracing: a span for each call, and events for waits, pauses and queries.
//!
//! Without the feature `tracing`, the same functions do nothing. Spans and events contain what the schema says about
//! the operation and how the call went, but nothing of the request or the response, no ids and no credentials.

#[cfg(feature = "tracing")]
mod on;

#[cfg(not(feature = "tracing"))]
pub(crate) use self::off::{
    CallSpan, account_mismatch, end_not_stored, journal_has_gap, pauses, queried, waits_for_address, waits_for_room,
};
#[cfg(feature = "tracing")]
pub(crate) use self::on::{
    CallSpan, account_mismatch, end_not_stored, journal_has_gap, pauses, queried, waits_for_address, waits_for_room,
};

#[cfg(not(feature = "tracing"))]
mod off {
    use std::pin::Pin;
    use std::time::Duration;

    use bytes::Bytes;
    use http::Response;

    use crate::data::error::{Error, JournalError};
    use crate::data::tables::{Api, Meta, Outcome};

    pub(crate) struct CallSpan;

    impl CallSpan {
        pub(crate) fn new(_: &Api, _: &'static Meta, _: u32) -> Self {
            Self
        }

        pub(crate) fn around<T>(&self, call: Pin<&mut impl Future<Output = T>>) -> impl Future<Output = T> {
            call
        }

        pub(crate) fn sent(&self, _: &Bytes) {}

        pub(crate) fn answered(&self, _: &Response<Bytes>) {}

        pub(crate) fn ended<T>(&self, _: &Result<T, Error>) {}
    }

    pub(crate) fn waits_for_room(_: &Meta) {}

    pub(crate) fn waits_for_address(_: &Meta, _: Duration) {}

    pub(crate) fn pauses(_: &Meta, _: u32, _: Duration, _: &Error) {}

    pub(crate) fn queried(_: &Meta, _: u32, _: Outcome, _: Option<&'static str>) {}

    pub(crate) fn end_not_stored(_: &Meta, _: &JournalError) {}

    pub(crate) fn journal_has_gap(_: &impl std::fmt::Display) {}

    pub(crate) fn account_mismatch(_: Option<&Meta>, _: &'static str) {}
}
