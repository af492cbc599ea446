//! Texts in a format that the client reads as a type of its runtime, alphabets, and decimals that travel as scaled integers.

use std::collections::BTreeSet;

use super::Day;

/// A format of texts, which is a type of the schema language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// A day of the calendar.
    Date,
}

/// The facts about a format, said once for the schema language, emitted code, OpenAPI and drafts.
struct Row {
    /// The name of the type in the schema language.
    word: &'static str,
    /// The noun for one value in a message.
    noun: &'static str,
    /// The name of the type in the runtime, which has `FromStr` and `Scalar`.
    rust: &'static str,
    /// The `format` of OpenAPI.
    openapi: &'static str,
    /// A value.
    example: &'static str,
    /// True if a text is one of its values.
    has: fn(&str) -> bool,
}

impl Format {
    /// All formats.
    pub(crate) const ALL: [Self; 1] = [Self::Date];

    const fn row(self) -> Row {
        match self {
            Self::Date => {
                Row { word: "date", noun: "a date", rust: "Date", openapi: "date", example: "2026-09-08", has: is_date }
            }
        }
    }

    pub(crate) const fn word(self) -> &'static str {
        self.row().word
    }

    pub(crate) const fn noun(self) -> &'static str {
        self.row().noun
    }

    pub(crate) const fn rust(self) -> &'static str {
        self.row().rust
    }

    pub(crate) const fn example(self) -> &'static str {
        self.row().example
    }

    pub(crate) fn has(self, text: &str) -> bool {
        (self.row().has)(text)
    }

    pub(crate) const fn openapi(self) -> &'static str {
        self.row().openapi
    }

    /// Returns the format with this name in OpenAPI.
    pub(crate) fn of_openapi(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.openapi() == name)
    }
}

/// Returns whether a text is a date of the calendar, such as `2026-09-08`.
fn is_date(text: &str) -> bool {
    Day::parse(text).is_some()
}

/// Returns the integer on the wire for a value. Decimal places beyond the scale stay as a fraction.
pub(crate) fn to_wire(value: &str, scale: u8) -> String {
    let (sign, digits) = signed(value);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let places = usize::from(scale);
    let fraction = format!("{fraction:0<places$}");
    let (moved, rest) = fraction.split_at(places);
    join(sign, &[whole, moved].concat(), rest)
}

/// Returns the value of an integer on the wire.
pub(crate) fn to_value(wire: &str, scale: u8) -> String {
    let (sign, digits) = signed(wire);
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = format!("{whole:0>width$}", width = usize::from(scale) + 1);
    let (whole, moved) = whole.split_at(whole.len() - usize::from(scale));
    join(sign, whole, &[moved, rest].concat())
}

fn signed(text: &str) -> (&str, &str) {
    text.strip_prefix('-').map_or(("", text), |digits| ("-", digits))
}

fn join(sign: &str, whole: &str, fraction: &str) -> String {
    let whole = Some(whole.trim_start_matches('0')).filter(|whole| !whole.is_empty()).unwrap_or("0");
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

/// Returns the ranges of an alphabet; a single character is a range of one. An error says why it is invalid.
pub(crate) fn ranges(alphabet: &str) -> Result<Vec<(char, char)>, String> {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut ranges = Vec::new();
    let mut rest = letters.as_slice();
    loop {
        rest = match rest {
            [] => return Ok(ranges),
            [first, '-', last, ..] if first > last => {
                return Err(format!("the range `{first}-{last}` runs backwards"));
            }
            [first, '-', last, after @ ..] => {
                ranges.push((*first, *last));
                after
            }
            [only, after @ ..] => {
                ranges.push((*only, *only));
                after
            }
        };
    }
}

/// Returns the characters of an alphabet; empty if it is invalid.
pub(crate) fn characters(alphabet: &str) -> BTreeSet<char> {
    ranges(alphabet).unwrap_or_default().into_iter().flat_map(|(first, last)| first..=last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_decimal_point_moves() {
        for (value, wire) in [("64000.5", "640005000"), ("0.0001", "1"), ("-1.5", "-15000"), ("0", "0"), ("7", "70000")]
        {
            assert_eq!((to_wire(value, 4).as_str(), to_value(wire, 4).as_str()), (wire, value));
        }
        assert_eq!(to_wire("1.00005", 4), "10000.5");
        assert_eq!(to_value("10000.5", 4), "1.00005");
    }
}
