//! How long an answer asks to stay away, as RFC 9110 writes it: in seconds, or as a date.

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::{DATE, HeaderName, RETRY_AFTER};
use httpdate::parse_http_date;

use crate::value::Timestamp;

/// More is taken for this.
const MOST: Duration = Duration::from_secs(24 * 60 * 60);

/// The time at which an answer was made, by its header.
pub(crate) fn date(headers: &HeaderMap) -> Option<Timestamp> {
    let since_1970 = time_of(headers, DATE)?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    u64::try_from(since_1970.as_millis()).ok().map(Timestamp::from_millis)
}

/// The time a header tells to wait, a day at most. A date is compared with that of the answer itself, for clocks differ.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let after = text(headers, RETRY_AFTER)?;
    if !after.is_empty() && after.bytes().all(|byte| byte.is_ascii_digit()) {
        // What does not fit is longer than the most.
        return Some(after.parse().map_or(MOST, Duration::from_secs).min(MOST));
    }
    // A date before that of the answer asks for no wait.
    let wait = parse_http_date(after).ok()?.duration_since(time_of(headers, DATE)?).unwrap_or_default();
    Some(wait.min(MOST))
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
    fn what_makes_no_sense_tells_nothing() {
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
    fn a_day_is_the_most() {
        let digits = "9".repeat(1_000);
        for after in ["86401", "18446744073709551615", "18446744073709551616", &digits, "Sat, 06 Nov 9999 08:49:37 GMT"]
        {
            assert_eq!(read(after, "Sun, 06 Nov 1994 08:49:37 GMT"), Some(MOST), "{after}");
        }
    }

    proptest! {
        #[test]
        fn no_text_does_harm(
            after in "[ -~]{0,40}|[0-9]{1,30}|Sun, [0-9]{1,25} Nov [0-9]{1,25} [0-9]{1,3}:[0-9]{2}:[0-9]{2} GMT",
            date in "[ -~]{0,40}|Sun, [0-9]{2} Nov [0-9]{1,20} 08:49:37 GMT",
        ) {
            prop_assert!(read(&after, &date).is_none_or(|wait| wait <= MOST));
            let _ = dated(&after);
        }
    }
}
