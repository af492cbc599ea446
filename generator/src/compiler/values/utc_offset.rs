//! Offsets of time zones from UTC.

use std::fmt;

/// The greatest offset on Earth.
const MAX_MINUTES: i32 = 14 * 60;

/// A fixed offset, as in `UTC+8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UtcOffset {
    pub(crate) minutes: i32,
}

impl UtcOffset {
    /// Reads `UTC`, `UTC+8` or `UTC-3:30`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix("UTC")?;
        if text.is_empty() {
            return Some(Self { minutes: 0 });
        }
        let (sign, length) = match text.split_at_checked(1)? {
            ("+", length) => (1, length),
            ("-", length) => (-1, length),
            _ => return None,
        };
        let (hours, minutes) = length.split_once(':').unwrap_or((length, "00"));
        let number = |digits: &str, most: usize| {
            let is_number = (1..=most).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| digits.parse::<i32>().ok()).flatten()
        };
        let minutes = number(minutes, 2).filter(|value| minutes.len() == 2 && *value < 60)?;
        let minutes = number(hours, 2)? * 60 + minutes;
        (1..=MAX_MINUTES).contains(&minutes).then_some(Self { minutes: sign * minutes })
    }
}

impl fmt::Display for UtcOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hours, minutes) = (self.minutes.abs() / 60, self.minutes.abs() % 60);
        match (self.minutes.signum(), minutes) {
            (0, _) => f.write_str("UTC"),
            (sign, 0) => write!(f, "UTC{}{hours}", if sign > 0 { '+' } else { '-' }),
            (sign, _) => write!(f, "UTC{}{hours}:{minutes:02}", if sign > 0 { '+' } else { '-' }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_read_and_written() {
        for (text, minutes) in [("UTC", 0), ("UTC+8", 480), ("UTC-3:30", -210), ("UTC+14", 840)] {
            assert_eq!(UtcOffset::parse(text), Some(UtcOffset { minutes }), "{text}");
            assert_eq!(UtcOffset { minutes }.to_string(), text);
        }
        for text in ["", "utc", "+8", "UTC8", "UTC+", "UTC+15", "UTC+8:", "UTC+8:60", "UTC+8:5", "UTC+-8", "UTC+0"] {
            assert_eq!(UtcOffset::parse(text), None, "{text}");
        }
    }
}
