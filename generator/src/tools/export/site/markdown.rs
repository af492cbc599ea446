//! Markdown in which texts stay plain text.

use std::fmt::Write;

/// A page under construction.
#[derive(Debug, Default)]
pub(super) struct MarkdownPage {
    text: String,
    in_list: bool,
}

impl MarkdownPage {
    pub(super) fn heading(&mut self, level: usize, text: &str) {
        self.gap();
        let _ = writeln!(self.text, "{} {}", "#".repeat(level), escaped(text));
        self.in_list = false;
    }

    pub(super) fn prose(&mut self, text: &str) {
        self.gap();
        let _ = writeln!(self.text, "{}", escaped(text));
        self.in_list = false;
    }

    /// An item of a list.
    pub(super) fn item(&mut self, depth: usize, text: &str) {
        self.line(depth, &escaped(text));
    }

    /// An item of a list with a name.
    pub(super) fn entry(&mut self, name: &str, text: &str) {
        self.line(0, &format!("**{}**: {}", escaped(name), escaped(text)));
    }

    /// A name of the wire with its description.
    pub(super) fn named(&mut self, depth: usize, name: &str, text: &str) {
        self.line(depth, &format!("`{}`: {}", name.replace('`', "'"), escaped(text)));
    }

    /// A block of code, whose fence is longer than any run of backticks in it.
    pub(super) fn code(&mut self, language: &str, code: &str) {
        let longest = code.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        self.gap();
        let _ = writeln!(self.text, "{fence}{language}\n{}\n{fence}", code.trim_end());
        self.in_list = false;
    }

    /// A line of Markdown.
    pub(super) fn raw(&mut self, line: &str) {
        self.line_of(line);
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.line_of(&format!("{}- {}", "  ".repeat(depth), text.trim_end()));
    }

    fn line_of(&mut self, line: &str) {
        if !self.in_list {
            self.gap();
        }
        let _ = writeln!(self.text, "{line}");
        self.in_list = true;
    }

    fn gap(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }
}

/// A text on one line, with its markup escaped.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}
