//! Mistakes as text: for people, for logs, for programs.

mod excerpt;
mod human;
mod json;
mod short;

use super::Diagnostics;

/// How mistakes are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Each mistake underlined in its file, with what explains it and what to do.
    Human {
        /// Whether to use the escape sequences that colour a terminal.
        colour: bool,
    },
    /// A line each, with a line more for what explains it and for what to do.
    Short,
    /// An object a line, for editors and annotations.
    Json,
}

pub(super) fn render(all: &Diagnostics, format: Format) -> String {
    match format {
        Format::Human { colour } => human::render(all, colour),
        Format::Short => short::render(all),
        Format::Json => json::render(all),
    }
}

/// How many mistakes there are, in words.
fn total(all: &Diagnostics) -> String {
    let count = all.len();
    format!("{count} mistake{}", if count == 1 { "" } else { "s" })
}
