//! Times that travel in other forms than milliseconds, each form with a type of its own.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;
use std::time::SystemTime;

use tradeapi_words::calendar::Date;

use super::scalar::{Scalar, Scratch};
use super::timestamp::Timestamp;

/// The form in which times travel.
pub trait TimeFormat: 'static {
    /// The name that errors give a time in this form.
    const WANTED: &'static str;

    /// Returns nanoseconds since 1970 of a text in this form.
    fn read(text: &str) -> Option<u64>;

    /// Returns the text of a number of nanoseconds.
    fn write(nanos: u64) -> String;

    /// Returns the part of a number of nanoseconds that a request carries.
    fn cut(nanos: u64) -> u64;
}

/// A point in time as it travels in the form `F`, with the precision in which it came.
///
/// It is made from a [`Timestamp`] and becomes one; what is finer than a millisecond is cut off then.
///
/// ```
/// use tradeapi_runtime::Timestamp;
/// use tradeapi_runtime::value::UnixSeconds;
///
/// let time = UnixSeconds::from(Timestamp::from_millis(1_730_271_234_567));
/// assert_eq!(time.timestamp(), Timestamp::from_millis(1_730_271_234_000));
/// ```
pub struct TimeIn<F> {
    nanos: u64,
    form: PhantomData<fn() -> F>,
}

/// Seconds since 1970, with a fraction where the exchange sends one. Requests carry whole seconds.
pub type UnixSeconds = TimeIn<Seconds>;
/// Microseconds since 1970.
pub type UnixMicros = TimeIn<Micros>;
/// Nanoseconds since 1970.
pub type UnixNanos = TimeIn<Nanos>;
/// A date and time as in ISO 8601 and RFC 3339. Requests carry milliseconds and `Z`.
pub type IsoTime = TimeIn<Iso8601>;

/// The form of [`UnixSeconds`].
#[derive(Debug)]
pub enum Seconds {}
/// The form of [`UnixMicros`].
#[derive(Debug)]
pub enum Micros {}
/// The form of [`UnixNanos`].
#[derive(Debug)]
pub enum Nanos {}
/// The form of [`IsoTime`].
#[derive(Debug)]
pub enum Iso8601 {}

const NANOS_PER_SECOND: u64 = 1_000_000_000;
const NANOS_PER_MILLI: u64 = 1_000_000;

impl<F> TimeIn<F> {
    pub(crate) const fn from_nanos(nanos: u64) -> Self {
        Self { nanos, form: PhantomData }
    }

    /// Returns nanoseconds since the beginning of 1970 (UTC).
    pub const fn as_nanos(self) -> u64 {
        self.nanos
    }

    /// Returns the time in whole milliseconds.
    pub const fn timestamp(self) -> Timestamp {
        Timestamp::from_millis(self.nanos / NANOS_PER_MILLI)
    }
}

impl TimeFormat for Seconds {
    const WANTED: &'static str = "a time in seconds";

    fn read(text: &str) -> Option<u64> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        whole.parse::<u64>().ok()?.checked_mul(NANOS_PER_SECOND)?.checked_add(fraction_of_a_second(fraction)?)
    }

    fn write(nanos: u64) -> String {
        let (whole, rest) = (nanos / NANOS_PER_SECOND, nanos % NANOS_PER_SECOND);
        if rest == 0 { whole.to_string() } else { format!("{whole}.{rest:09}").trim_end_matches('0').to_owned() }
    }

    fn cut(nanos: u64) -> u64 {
        nanos - nanos % NANOS_PER_SECOND
    }
}

impl TimeFormat for Micros {
    const WANTED: &'static str = "a time in microseconds";

    fn read(text: &str) -> Option<u64> {
        text.parse::<u64>().ok()?.checked_mul(1000)
    }

    fn write(nanos: u64) -> String {
        (nanos / 1000).to_string()
    }

    fn cut(nanos: u64) -> u64 {
        nanos
    }
}

impl TimeFormat for Nanos {
    const WANTED: &'static str = "a time in nanoseconds";

    fn read(text: &str) -> Option<u64> {
        text.parse().ok()
    }

    fn write(nanos: u64) -> String {
        nanos.to_string()
    }

    fn cut(nanos: u64) -> u64 {
        nanos
    }
}

impl TimeFormat for Iso8601 {
    const WANTED: &'static str = "a time as in ISO 8601";

    /// Reads `2024-10-30T06:53:54.567Z`, with a space for the `T`, another offset or none, and up to nine digits of a
    /// fraction.
    fn read(text: &str) -> Option<u64> {
        let (day, time) = text.split_at_checked(10)?;
        let mut day = day.split('-');
        let (year, month, day_of_month, end) = (day.next()?, day.next()?, day.next()?, day.next());
        let [year, month, day] = [digits(year, 4)?, digits(month, 2)?, digits(day_of_month, 2)?].map(u64::cast_signed);
        let days = u64::try_from(Date { year, month, day }.day()?).ok().filter(|_| end.is_none())?;
        let time = time.strip_prefix(['T', 't', ' '])?;
        let (time, offset) = split_offset(time)?;
        let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
        let mut clock = time.split(':');
        let (hour, minute, second) = (digits(clock.next()?, 2)?, digits(clock.next()?, 2)?, digits(clock.next()?, 2)?);
        let is_time = hour < 24 && minute < 60 && second <= 60 && clock.next().is_none();
        let seconds = (days * 24 + hour) * 3600 + minute * 60 + second;
        let seconds = seconds.checked_add_signed(-offset).filter(|_| is_time)?;
        seconds.checked_mul(NANOS_PER_SECOND)?.checked_add(fraction_of_a_second(fraction)?)
    }

    fn write(nanos: u64) -> String {
        let seconds = nanos / NANOS_PER_SECOND;
        let Date { year, month, day } = Date::of((seconds / 86_400).cast_signed());
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        let fraction = format!("{:09}", nanos % NANOS_PER_SECOND);
        // Three digits at least, as most exchanges write it.
        let fraction = fraction.split_at(3 + fraction[3..].trim_end_matches('0').len()).0;
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction}Z")
    }

    fn cut(nanos: u64) -> u64 {
        nanos
    }
}

/// Returns the nanoseconds that the digits after the point stand for; what is finer is cut off.
fn fraction_of_a_second(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let digits = text.get(..text.len().min(9)).filter(|_| is_number)?;
    format!("{digits:0<9}").parse().ok()
}

/// Returns a number of exactly so many digits.
fn digits(text: &str, count: usize) -> Option<u64> {
    let is_number = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// Returns a time of day and how far ahead of UTC it is, in seconds. Without an offset it is UTC.
fn split_offset(text: &str) -> Option<(&str, i64)> {
    if let Some(time) = text.strip_suffix(['Z', 'z']) {
        return Some((time, 0));
    }
    let Some(at) = text.rfind(['+', '-']) else { return Some((text, 0)) };
    let (time, offset) = text.split_at(at);
    let (sign, offset) = offset.split_at(1);
    let (hours, minutes) = match offset.split_once(':') {
        Some(parts) => parts,
        None => offset.split_at_checked(2)?,
    };
    let minutes = if minutes.is_empty() { 0 } else { digits(minutes, 2)? };
    let seconds = i64::try_from(digits(hours, 2)? * 3600 + minutes * 60).ok()?;
    Some((time, if sign == "-" { -seconds } else { seconds }))
}

// Derived implementations would require the same traits of the form, which is not a value.
impl<F> Clone for TimeIn<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for TimeIn<F> {}

impl<F> Default for TimeIn<F> {
    fn default() -> Self {
        Self::from_nanos(0)
    }
}

impl<F> PartialEq for TimeIn<F> {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

impl<F> Eq for TimeIn<F> {}

impl<F> PartialOrd for TimeIn<F> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<F> Ord for TimeIn<F> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.nanos.cmp(&other.nanos)
    }
}

impl<F> Hash for TimeIn<F> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.nanos.hash(state);
    }
}

impl<F: TimeFormat> fmt::Debug for TimeIn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// As in ISO 8601, whatever its form on the wire.
impl<F> fmt::Display for TimeIn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&Iso8601::write(self.nanos))
    }
}

impl<F: TimeFormat> From<Timestamp> for TimeIn<F> {
    /// Cuts off what the form cannot carry; a time after the year 2554 becomes the last one that it can.
    fn from(time: Timestamp) -> Self {
        Self::from_nanos(F::cut(time.as_millis().saturating_mul(NANOS_PER_MILLI)))
    }
}

impl<F: TimeFormat> From<SystemTime> for TimeIn<F> {
    fn from(time: SystemTime) -> Self {
        Timestamp::from(time).into()
    }
}

impl<F> From<TimeIn<F>> for Timestamp {
    fn from(time: TimeIn<F>) -> Self {
        time.timestamp()
    }
}

/// A text is not a time in the expected form.
#[derive(Clone, PartialEq, Eq)]
pub struct InvalidTime {
    wanted: &'static str,
}

impl fmt::Display for InvalidTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", self.wanted)
    }
}

debug_as_sentence!(InvalidTime);

impl std::error::Error for InvalidTime {}

impl<F: TimeFormat> FromStr for TimeIn<F> {
    type Err = InvalidTime;

    fn from_str(text: &str) -> Result<Self, InvalidTime> {
        F::read(text).map(Self::from_nanos).ok_or(InvalidTime { wanted: F::WANTED })
    }
}

impl<F: TimeFormat> Scalar for TimeIn<F> {
    fn text<'a>(&'a self, scratch: &'a mut Scratch) -> &'a str {
        scratch.keep(F::write(self.nanos))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::json::{read_json, write_json};

    #[test]
    fn each_form_is_read_and_written() {
        let time = 1_730_271_234_567_890_123;
        assert_eq!(read_json("1730271234.567890123").map(UnixSeconds::as_nanos), Ok(time));
        assert_eq!(read_json("\"1730271234\"").map(UnixSeconds::as_nanos), Ok(time - 567_890_123));
        assert_eq!(read_json("1730271234567890").map(UnixMicros::as_nanos), Ok(time - 123));
        assert_eq!(read_json("1730271234567890123").map(UnixNanos::as_nanos), Ok(time));
        for text in
            ["2024-10-30T06:53:54.567890123Z", "2024-10-30 07:53:54.567890123+01:00", "2024-10-30T06:53:54.567890123"]
        {
            assert_eq!(read_json(&format!("\"{text}\"")).map(IsoTime::as_nanos), Ok(time), "{text}");
        }
        assert_eq!(
            read_json("\"2024-02-29T00:00:00-0230\"").map(|time: IsoTime| time.to_string()),
            Ok("2024-02-29T02:30:00.000Z".to_owned())
        );
    }

    #[test]
    fn an_invalid_time_is_refused() {
        for text in [
            "2024-10-30",
            "2024-13-01T00:00:00Z",
            "2023-02-29T00:00:00Z",
            "2024-10-30T24:00:00Z",
            "2024-10-30T06:53Z",
            "2024-10-30T06:53:54.Z",
            "é024-10-30T06:53:54Z",
            "2024-1é-0T06:53:54Z",
        ] {
            assert_eq!(Iso8601::read(text), None, "{text}");
        }
        for text in ["", "-1", "1.", "1.x", "99999999999999999999"] {
            assert_eq!(Seconds::read(text), None, "{text}");
        }
        assert_eq!(Micros::read("18446744073709551615"), None);
    }

    #[test]
    fn a_request_has_the_precision_of_its_form() {
        let time = Timestamp::from_millis(1_730_271_234_567);
        let text = |time: &dyn Scalar| time.text(&mut Scratch::new()).to_owned();
        assert_eq!(text(&UnixSeconds::from(time)), "1730271234");
        assert_eq!(text(&UnixMicros::from(time)), "1730271234567000");
        assert_eq!(text(&UnixNanos::from(time)), "1730271234567000000");
        assert_eq!(text(&IsoTime::from(time)), "2024-10-30T06:53:54.567Z");
    }

    proptest! {
        #[test]
        fn round_trips(nanos: u64) {
            prop_assert_eq!(read_json(&write_json(&UnixSeconds::from_nanos(nanos))), Ok(UnixSeconds::from_nanos(nanos)));
            prop_assert_eq!(read_json(&write_json(&UnixNanos::from_nanos(nanos))), Ok(UnixNanos::from_nanos(nanos)));
            prop_assert_eq!(read_json(&write_json(&IsoTime::from_nanos(nanos))), Ok(IsoTime::from_nanos(nanos)));
        }

        #[test]
        fn any_text_is_a_time_or_an_error(text in ".{0,40}") {
            let _ = (Seconds::read(&text), Micros::read(&text), Nanos::read(&text), Iso8601::read(&text));
        }
    }
}
