//! How long an answer asks to stay away, as RFC 9110 writes it: in seconds, or as a date.

use std::time::Duration;

use http::HeaderMap;
use http::header::{DATE, HeaderName, RETRY_AFTER};

use crate::tables::days_to_first_of;
use crate::value::Timestamp;

/// More is taken for this, so that a slip of the exchange's does not close a client for good.
const MOST: Duration = Duration::from_secs(24 * 60 * 60);

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The time at which an answer was made, by its header.
pub(crate) fn date(headers: &HeaderMap) -> Option<Timestamp> {
    let seconds = seconds_of(headers.get(DATE)?.to_str().ok()?.trim())?;
    seconds.checked_mul(1000).map(Timestamp::from_millis)
}

/// The time a header tells to wait. A date is compared with that of the answer itself, for clocks differ.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok().map(str::trim);
    let after = text(RETRY_AFTER)?;
    let seconds = match after.parse() {
        Ok(seconds) => seconds,
        Err(_) => seconds_of(after)?.saturating_sub(seconds_of(text(DATE)?)?),
    };
    Some(Duration::from_secs(seconds).min(MOST))
}

/// The Unix time of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
fn seconds_of(date: &str) -> Option<u64> {
    let (_, date) = date.strip_suffix(" GMT")?.split_once(", ")?;
    let mut words = date.split(' ');
    let day: i64 = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = (0..).zip(MONTHS).find(|(_, name)| *name == month)?.0;
    let year: u16 = words.next()?.parse().ok()?;
    let mut time = words.next()?.splitn(3, ':').map(|part| part.parse::<u8>().ok().map(u64::from));
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    let days = u64::try_from(days_to_first_of(year.into(), month) + day - 1).ok()?;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(after: &str, date: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, after.parse().ok()?);
        headers.insert(DATE, date.parse().ok()?);
        retry_after(&headers)
    }

    #[test]
    fn seconds_and_dates() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(seconds_of(date), Some(784_111_777));
        assert_eq!(read("7", ""), Some(Duration::from_secs(7)));
        assert_eq!(read("Sun, 06 Nov 1994 08:50:40 GMT", date), Some(Duration::from_secs(63)));
        assert_eq!(read("Thu, 01 Jan 1970 00:00:00 GMT", date), Some(Duration::ZERO));
    }

    #[test]
    fn what_makes_no_sense_tells_nothing() {
        assert_eq!(retry_after(&HeaderMap::new()), None);
        for after in ["", "-1", "1.5", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Now 1994 08:49:37 GMT", ", GMT"] {
            assert_eq!(read(after, "Sun, 06 Nov 1994 08:49:37 GMT"), None, "{after}");
        }
        assert_eq!(read("Sun, 06 Nov 1994 08:49:37 GMT", "today"), None);
    }

    #[test]
    fn a_day_is_the_most() {
        for after in ["86401", "18446744073709551615", "Sun, 06 Nov 9999 08:49:37 GMT"] {
            assert_eq!(read(after, "Sun, 06 Nov 1994 08:49:37 GMT"), Some(MOST));
        }
    }
}
