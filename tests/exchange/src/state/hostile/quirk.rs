//! Quirks of answers, which do not change what an answer says about its request.

use std::sync::LazyLock;
use std::time::Duration;

use http::{HeaderName, HeaderValue, Response, header};
use serde_json::Value;
use tradeapi::API;

use bytes::Bytes;

use crate::state::dice::Dice;
use crate::state::hostile::listed;
use crate::state::journal_entry::Behind;

listed! {
    /// An oddity of an answer that does not change its meaning for the request.
    Quirk {
        /// Nothing.
        None,
        /// The time in the envelope is absurd.
        AbsurdTime,
        /// The time in the envelope is decades off.
        AnotherAge,
        /// A record has numbers that take gigabytes when they are written in full.
        AbsurdNumbers,
        /// `Retry-After` is absurdly long, or not a number.
        AbsurdRetryAfter,
        /// The number of remaining calls is absurd.
        AbsurdRemaining,
        /// `Date` has a year with many digits.
        AbsurdDate,
        /// Almost as many headers as clients read.
        ManyHeaders,
        /// More headers than any client reads.
        TooManyHeaders,
        /// An unsolicited answer follows at once.
        UnsolicitedAnswer,
        /// Another answer follows later unless a request comes first.
        LateUnsolicitedAnswer,
        /// Bytes follow that are not HTTP.
        UnsolicitedBytes,
    }
}

const WEIGHTS: [(Quirk, u64); 11] = [
    (Quirk::AbsurdTime, 4),
    (Quirk::AnotherAge, 8),
    (Quirk::AbsurdNumbers, 6),
    (Quirk::AbsurdRetryAfter, 3),
    (Quirk::AbsurdRemaining, 3),
    (Quirk::AbsurdDate, 2),
    (Quirk::ManyHeaders, 2),
    (Quirk::TooManyHeaders, 1),
    (Quirk::UnsolicitedAnswer, 6),
    (Quirk::LateUnsolicitedAnswer, 4),
    (Quirk::UnsolicitedBytes, 2),
];

/// Absurd times for an envelope.
const TIMES: &[&str] =
    &["null", "-1", "\"soon\"", "1e400", "18446744073709551616", "9223372036854775807", "{}", "\"1e-2147483648\""];
/// The years 1970 and 2100, in milliseconds.
const AGES: &[&str] = &["0", "1", "4102444800000", "\"4102444800000\""];
const NUMBERS: &[&str] = &["1e-2147483648", "1E+999999999", "-1e2147483647", "1e99999999999999999999", "NaN", "0x10"];
const WAITS: &[&str] = &[
    "-1",
    "1.5",
    "99999999999999999999",
    "",
    "soon",
    "Fri, 31 Dec 9999999999999999999 23:59:59 GMT",
    "Fri, 31 Dec 0000 23:59:59 GMT",
    "Thu, 01 Jan 1970 00:00:00 GMT",
];
const REMAINING: &[&str] = &["-5", "99999999999999999999", "1e9", "", "4294967295"];
const DATES: &[&str] =
    &["Fri, 31 Dec 9999999999999999999 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "1e2147483647"];

/// Fields of order records that state what was traded. The answer to a placement does not have them.
const TRADED: [&str; 5] = ["priceAvg", "baseVolume", "avgPrice", "cumExecQty", "cumExecValue"];

fn one_of(texts: &[&'static str], dice: &mut Dice) -> &'static str {
    let index = dice.below(u64::try_from(texts.len()).unwrap_or(1));
    usize::try_from(index).ok().and_then(|index| texts.get(index)).copied().unwrap_or_default()
}

impl Quirk {
    /// Creates a random quirk with a probability in percent.
    pub(crate) fn random(percent: u64, dice: &mut Dice) -> Self {
        if dice.percent(percent) { dice.weighted(&WEIGHTS).unwrap_or(Self::None) } else { Self::None }
    }

    /// Returns the wrong time in the envelope, if that is the quirk.
    pub(crate) fn time(self, dice: &mut Dice) -> Option<&'static str> {
        match self {
            Self::AbsurdTime => Some(one_of(TIMES, dice)),
            Self::AnotherAge => Some(one_of(AGES, dice)),
            _ => None,
        }
    }

    /// Returns the data of a query with absurd numbers, if this is the quirk.
    pub(crate) fn numbers(self, data: &str, dice: &mut Dice) -> Option<String> {
        if self != Self::AbsurdNumbers {
            return None;
        }
        let mut record: Value = serde_json::from_str(data).ok()?;
        let number = one_of(NUMBERS, dice);
        let record_fields = record.as_object_mut()?;
        for name in TRADED {
            if let Some(field) = record_fields.get_mut(name) {
                *field = Value::from(number);
            }
        }
        Some(record.to_string())
    }

    /// Adds odd headers, and returns the unsolicited bytes after the answer.
    pub(crate) fn around(
        self,
        answer: &mut Response<Bytes>,
        before: Option<&Response<Bytes>>,
        dice: &mut Dice,
    ) -> Option<Behind> {
        let mut add = |name: HeaderName, value: &'static str| {
            answer.headers_mut().append(name, HeaderValue::from_static(value));
        };
        let other =
            || Bytes::from(before.map_or_else(|| b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}".to_vec(), raw));
        let behind = |bytes, pause| Some(Behind { bytes, pause });
        match self {
            Self::AbsurdRetryAfter => add(header::RETRY_AFTER, one_of(WAITS, dice)),
            Self::AbsurdRemaining => {
                let name = API.remaining_calls.map(|counted| HeaderName::from_static(counted.header));
                name.into_iter().for_each(|name| add(name, one_of(REMAINING, dice)));
            }
            Self::AbsurdDate => add(header::DATE, one_of(DATES, dice)),
            Self::ManyHeaders => with_headers(answer, 90),
            Self::TooManyHeaders => with_headers(answer, NAMES.len()),
            Self::UnsolicitedAnswer => return behind(other(), Duration::ZERO),
            Self::LateUnsolicitedAnswer => return behind(other(), Duration::from_millis(1 + dice.below(30))),
            Self::UnsolicitedBytes => return behind(Bytes::from_static(b"HTTP/1.1 2"), Duration::ZERO),
            Self::None | Self::AbsurdTime | Self::AnotherAge | Self::AbsurdNumbers => {}
        }
        None
    }
}

/// More names of headers than any client reads.
static NAMES: LazyLock<Vec<HeaderName>> =
    LazyLock::new(|| (0..300).flat_map(|number| HeaderName::try_from(format!("x-header-{number}"))).collect());

fn with_headers(answer: &mut Response<Bytes>, count: usize) {
    let headers = answer.headers_mut();
    headers.reserve(count);
    for name in NAMES.iter().take(count) {
        headers.append(name, HeaderValue::from_static("of no use to anyone"));
    }
}

/// Returns an answer in the bytes of HTTP.
pub(crate) fn raw(answer: &Response<Bytes>) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {} OK\r\n", answer.status().as_u16()).into_bytes();
    for (name, value) in answer.headers() {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    bytes.extend(format!("content-length: {}\r\n\r\n", answer.body().len()).into_bytes());
    bytes.extend_from_slice(answer.body());
    bytes
}
