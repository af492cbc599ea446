//! Mistakes as text: for people, for logs, for programs.

mod excerpt;
mod human;
mod json;
mod short;

use super::Diagnostics;

/// The form in which mistakes are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Each mistake underlined in its file, with explanations and help.
    Human {
        /// True if to use the escape sequences that colour a terminal.
        colour: bool,
    },
    /// One line for each mistake, followed by one for each explanation and for the help.
    Short,
    /// One object per line, for editors and annotations.
    Json,
}

pub(super) fn render(all: &Diagnostics, format: Format) -> String {
    match format {
        Format::Human { colour } => human::render(all, colour),
        Format::Short => short::render(all),
        Format::Json => json::render(all),
    }
}

/// The number of mistakes in words.
fn total(all: &Diagnostics) -> String {
    let count = all.len();
    format!("{count} mistake{}", if count == 1 { "" } else { "s" })
}

/// Makes a text of the input safe to print: it must not control a terminal, begin a new line, or fill the screen.
pub(crate) fn printable(text: &str) -> String {
    const LONGEST_NAME: usize = 100;
    let mut shown = String::with_capacity(text.len().min(4096));
    let mut length_of_name = None;
    for c in text.chars() {
        length_of_name = match length_of_name {
            _ if c == '`' => {
                if length_of_name.is_none() {
                    Some(0)
                } else {
                    None
                }
            }
            length => length.map(|length: usize| length + 1),
        };
        match length_of_name {
            Some(length) if length > LONGEST_NAME + 1 => {}
            Some(length) if length == LONGEST_NAME + 1 => shown.push_str("..."),
            _ => shown.push(if is_invisible(c) { '\u{fffd}' } else { c }),
        }
    }
    shown
}

/// Returns whether it is a control character, has no width, or changes the text direction.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
