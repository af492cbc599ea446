//! Types whose values are texts in a format of their own, which the client reads as a type of its runtime.

use tradeapi_words::calendar::Date;

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
}

#[cfg(feature = "cli")]
impl Format {
    pub(crate) const fn openapi(self) -> &'static str {
        self.row().openapi
    }

    /// The format with this name in OpenAPI.
    pub(crate) fn of_openapi(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.openapi() == name)
    }
}

/// Returns whether a text is a date of the calendar, such as `2026-09-08`.
fn is_date(text: &str) -> bool {
    let has_form = text.len() == 10 && text.split('-').map(str::len).eq([4, 2, 2]);
    let parts: Vec<i64> = text.split('-').filter_map(|part| part.parse::<u16>().ok()).map(i64::from).collect();
    matches!(parts.as_slice(), [year, month, day] if Date { year: *year, month: *month, day: *day }.day().is_some())
        && has_form
}
