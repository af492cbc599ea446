//! Headers of requests, and times in the headers of responses.

use std::time::{Duration, SystemTime};

use http::header::{DATE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue};
use httpdate::parse_http_date;

use crate::data::error::BuildError;
use crate::data::sorting::sort_by;
use crate::data::tables::{Api, Header, Meta, Sent};
use crate::data::value::Timestamp;

/// Values for the headers of an API other than credentials.
#[derive(Clone, Debug, Default)]
pub struct HeaderValues {
    values: Vec<(&'static Header, HeaderName, HeaderValue)>,
}

impl HeaderValues {
    /// The headers with these names and values. If a name occurs twice, the last value applies.
    ///
    /// # Errors
    ///
    /// Fails if the API has no header with a name, or if a value cannot be sent.
    pub fn new(api: &'static Api, given: &[(String, String)]) -> Result<Self, BuildError> {
        let mut values = Self::default();
        for (name, value) in given {
            values.set(api, name, value).map_err(|why| BuildError::Header { name: name.clone(), why })?;
        }
        Ok(values)
    }

    fn set(&mut self, api: &'static Api, name: &str, value: &str) -> Result<(), String> {
        let header = api.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        let Some(header) = header else {
            let mut known = Vec::new();
            for header in api.headers {
                known.push(header.name);
            }
            return Err(format!("is not one of {}", known.join(", ")));
        };
        keep_window(api, header, value)?;
        let name = HeaderName::from_bytes(header.name.as_bytes()).map_err(|error| error.to_string())?;
        let value = HeaderValue::from_str(value).map_err(|_| "has a value that is not valid in a header".to_owned())?;
        self.values.retain(|(_, other, _)| *other != name);
        self.values.push((header, name, value));
        Ok(())
    }

    /// Returns the headers that select a market, with their values; empty for the default market.
    pub(crate) fn market(&self) -> String {
        let mut lines = Vec::new();
        for (header, _, value) in self.values.iter().filter(|(header, ..)| header.selects_market) {
            lines.push(format!("{}: {}", header.name, value.to_str().unwrap_or_default()));
        }
        sort_by(&mut lines, &Ord::cmp);
        lines.join(", ")
    }

    /// Adds those that requests of the operation `meta` carry to `headers`.
    pub(super) fn add_to(&self, headers: &mut HeaderMap, meta: &Meta) {
        let takes = |header: &Header| meta.headers.iter().any(|name| header.name.eq_ignore_ascii_case(name));
        for (header, name, value) in &self.values {
            if header.sent == Sent::Always || takes(header) {
                headers.insert(name.clone(), value.clone());
            }
        }
    }
}

/// Refuses a window of signatures that is longer than the API's: a later run of the program, which may send another
/// one, has to know how long a stored request could arrive.
fn keep_window(api: &Api, header: &Header, value: &str) -> Result<(), String> {
    let is_window = |name: &str| name.eq_ignore_ascii_case(header.name);
    let credentials = api.credentials.as_ref().filter(|all| all.window_set_by.is_some_and(is_window));
    match credentials.and_then(|credentials| credentials.window_ms) {
        Some(longest) if value.parse::<u64>().map_or(true, |own| own > longest) => {
            Err(format!("must be a number of milliseconds, at most {longest}"))
        }
        Some(_) | None => Ok(()),
    }
}

/// Longer waits are shortened to this.
const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// The time of a response, by its header `Date`.
pub(crate) fn date(headers: &HeaderMap) -> Option<Timestamp> {
    let since_1970 = time_of(headers, DATE)?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    u64::try_from(since_1970.as_millis()).ok().map(Timestamp::from_millis)
}

/// The wait that the header `Retry-After` requires, at most a day. A date is compared with that of the response itself,
/// because clocks differ.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let after = text(headers, RETRY_AFTER)?;
    if !after.is_empty() && after.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that does not fit exceeds the maximum.
        return Some(after.parse().map_or(MAX_WAIT, Duration::from_secs).min(MAX_WAIT));
    }
    // A date before that of the response requires no wait.
    let wait = parse_http_date(after).ok()?.duration_since(time_of(headers, DATE)?).unwrap_or_default();
    Some(wait.min(MAX_WAIT))
}

fn time_of(headers: &HeaderMap, name: HeaderName) -> Option<SystemTime> {
    parse_http_date(text(headers, name)?).ok()
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(after: &str, date: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, after.parse().ok()?);
        headers.insert(DATE, date.parse().ok()?);
        retry_after(&headers)
    }

    fn dated(text: &str) -> Option<Timestamp> {
        date(&HeaderMap::from_iter([(DATE, text.parse().ok()?)]))
    }

    #[test]
    fn seconds_and_dates() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(dated(date), Some(Timestamp::from_millis(784_111_777_000)));
        assert_eq!(read("7", ""), Some(Duration::from_secs(7)));
        assert_eq!(read("Sun, 06 Nov 1994 08:50:40 GMT", date), Some(Duration::from_secs(63)));
        assert_eq!(read("Thu, 01 Jan 1970 00:00:00 GMT", date), Some(Duration::ZERO));
        // The two old forms of RFC 9110.
        assert_eq!(read("Sunday, 06-Nov-94 08:50:40 GMT", date), Some(Duration::from_secs(63)));
        assert_eq!(read("Sun Nov  6 08:50:40 1994", date), Some(Duration::from_secs(63)));
    }

    #[test]
    fn malformed_headers_are_ignored() {
        assert_eq!(retry_after(&HeaderMap::new()), None);
        let years = ["10000", "65536", "4294967296", "9999999999999999999", "99999999999999999999", "-1"];
        let dates = years.map(|year| format!("Sun, 06 Nov {year} 08:49:37 GMT"));
        let others =
            ["", "-1", "+1", "1.5", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Now 1994 08:49:37 GMT", ", GMT"];
        let times = ["Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 9223372036854775807 Nov 1994 08:49:37 GMT"];
        for after in dates.iter().map(String::as_str).chain(others).chain(times) {
            assert_eq!(read(after, "Sun, 06 Nov 1994 08:49:37 GMT"), None, "{after}");
            assert_eq!(dated(after), None, "{after}");
        }
        assert_eq!(read("Sun, 06 Nov 1994 08:49:37 GMT", "today"), None);
    }

    #[test]
    fn waits_are_at_most_a_day() {
        let digits = "9".repeat(1_000);
        for after in ["86401", "18446744073709551615", "18446744073709551616", &digits, "Sat, 06 Nov 9999 08:49:37 GMT"]
        {
            assert_eq!(read(after, "Sun, 06 Nov 1994 08:49:37 GMT"), Some(MAX_WAIT), "{after}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_ignored(
            after in "[ -~]{0,40}|[0-9]{1,30}|Sun, [0-9]{1,25} Nov [0-9]{1,25} [0-9]{1,3}:[0-9]{2}:[0-9]{2} GMT",
            date in "[ -~]{0,40}|Sun, [0-9]{2} Nov [0-9]{1,20} 08:49:37 GMT",
        ) {
            prop_assert!(read(&after, &date).is_none_or(|wait| wait <= MAX_WAIT));
            let _ = dated(&after);
        }
    }
}
