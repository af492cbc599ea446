//! The texts that differ in each request.

use std::fmt::{self, Write};

use arrayvec::ArrayString;

use super::nonce::LONGEST_NONCE;
use crate::data::operation::Call;
use crate::data::tables::TimestampForm;
use crate::data::value::Timestamp;

/// A timestamp in nanoseconds takes 26 digits at most; as in ISO 8601 it has fewer characters.
const LONGEST_TIMESTAMP: usize = 32;

/// The texts that are different in each request.
#[derive(Debug, Default)]
pub(crate) struct Stamp {
    pub(crate) at: Timestamp,
    pub(crate) timestamp: ArrayString<LONGEST_TIMESTAMP>,
    pub(crate) expires: ArrayString<LONGEST_TIMESTAMP>,
    pub(crate) nonce: ArrayString<LONGEST_NONCE>,
    /// The call that the request makes.
    pub(crate) call: Option<Call>,
    /// True if the parameters are a form.
    pub(crate) is_form: bool,
}

/// A time as it is sent.
pub(super) fn written(at: Timestamp, form: TimestampForm) -> ArrayString<LONGEST_TIMESTAMP> {
    let millis = at.as_millis();
    match form {
        TimestampForm::Seconds => text_of(format_args!("{}", millis / 1000)),
        TimestampForm::Milliseconds => text_of(format_args!("{millis}")),
        TimestampForm::Microseconds => text_of(format_args!("{millis}000")),
        TimestampForm::Nanoseconds => text_of(format_args!("{millis}000000")),
        TimestampForm::Iso8601 => text_of(format_args!("{at}")),
        TimestampForm::Iso8601Seconds => {
            text_of(format_args!("{}", at.to_string().split('.').next().unwrap_or_default()))
        }
    }
}

fn text_of(what: fmt::Arguments<'_>) -> ArrayString<LONGEST_TIMESTAMP> {
    let mut text = ArrayString::new();
    // It is long enough for every time.
    let _ = text.write_fmt(what);
    text
}
