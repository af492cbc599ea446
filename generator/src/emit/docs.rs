//! Texts of the schema -> documentation that cannot become anything else.
//!
//! A text of the schema is prose. What Markdown, HTML or rustdoc would read as markup is escaped, so that a document's
//! `<BASE>` stays what it is and no text opens a code block that the compiler would run.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::elements::Key;
use crate::model::phrases::Markup;

const WIDTH: usize = 100;

/// Stands between the lines of documentation until it is printed. No text has it, because it is a control character.
const BREAK: &str = "\u{1}";

/// Documentation under construction: lines of Markdown.
#[derive(Clone, Debug, Default)]
pub(super) struct Docs {
    lines: Vec<String>,
}

impl Docs {
    /// Begins with a paragraph of prose; `fallback` when there is none.
    pub(super) fn new(text: &str, fallback: &str) -> Self {
        let mut docs = Self::default();
        docs.prose(if text.trim().is_empty() { fallback } else { text });
        docs
    }

    /// Adds a paragraph of prose.
    pub(super) fn prose(&mut self, text: &str) {
        self.markdown(&escape(text));
    }

    /// Adds a paragraph that is Markdown already.
    pub(super) fn markdown(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.gap();
        self.lines.extend(wrap(text, "", ""));
    }

    /// Adds paragraphs of what the keys say that have no form of their own.
    pub(super) fn documented(&mut self, keys: &[Key]) {
        documented(keys).for_each(|says| self.markdown(&says));
    }

    /// Adds an entry of a list, which is Markdown already.
    pub(super) fn entry(&mut self, text: &str) {
        let in_list = self.lines.last().is_some_and(|line| line.starts_with("- ") || line.starts_with("  "));
        if !in_list {
            self.gap();
        }
        self.lines.extend(wrap(text, "- ", "  "));
    }

    /// Adds a heading.
    pub(super) fn heading(&mut self, text: &str) {
        self.gap();
        self.lines.push(format!("# {text}"));
    }

    /// Adds a block of code with its marker, such as `text` or nothing for Rust.
    pub(super) fn code(&mut self, marker: &str, code: &[String]) {
        self.gap();
        self.lines.push(format!("```{marker}"));
        self.lines.extend(code.iter().cloned());
        self.lines.push("```".to_owned());
    }

    /// Adds a block of HTML, which has no empty lines.
    pub(super) fn html(&mut self, lines: Vec<String>) {
        self.gap();
        self.lines.extend(lines);
        self.lines.push(String::new());
    }

    /// Begins a part that is folded, under a summary; [`Self::unfold`] ends it.
    pub(super) fn fold(&mut self, summary: &str) {
        self.html(vec!["<details>".to_owned(), format!("<summary>{}</summary>", html(summary))]);
    }

    /// Ends the part that is folded.
    pub(super) fn unfold(&mut self) {
        self.html(vec!["</details>".to_owned()]);
    }

    /// Adds a line as it is, such as a row of a table.
    pub(super) fn line(&mut self, line: String) {
        self.lines.push(line);
    }

    /// Sets what follows apart.
    pub(super) fn gap(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(String::new());
        }
    }

    /// As an attribute of the item that follows.
    pub(super) fn outer(&self) -> TokenStream {
        let text = self.attribute().into_iter();
        quote!(#(#[doc = #text])*)
    }

    /// As an attribute of the file.
    pub(super) fn inner(&self) -> TokenStream {
        let text = self.attribute().into_iter();
        quote!(#(#![doc = #text])*)
    }

    /// All lines in one attribute, where there are any: an attribute for each takes many times as long to parse.
    fn attribute(&self) -> Option<String> {
        (!self.lines.is_empty()).then(|| self.attribute_lines().collect::<Vec<_>>().join(BREAK))
    }

    /// As comments of an item inside a macro call, where nothing would make comments of attributes.
    pub(super) fn comments(&self, indent: &str) -> String {
        self.attribute_lines().map(|line| format!("{indent}///{line}\n")).collect()
    }

    /// One attribute a line, with the space that `/// ` has.
    fn attribute_lines(&self) -> impl Iterator<Item = String> {
        self.lines.iter().map(|line| if line.is_empty() { String::new() } else { format!(" {line}") })
    }
}

/// Rust as it was printed, with a comment for each line of its documentation.
pub(super) fn break_lines(printed: &str) -> String {
    let mut out = String::with_capacity(printed.len());
    for line in printed.lines() {
        let text = line.trim_start();
        let (indent, mark) = (&line[..line.len() - text.len()], text.get(..3).unwrap_or_default());
        for (index, part) in line.split(BREAK).enumerate() {
            if index > 0 {
                out.extend([indent, mark]);
            }
            out.extend([part.trim_end_matches(' '), "\n"]);
        }
    }
    out
}

/// What the keys say that have no form of their own; Markdown.
pub(super) fn documented(keys: &[Key]) -> impl Iterator<Item = String> {
    keys.iter().filter(|key| key.is_documented && !key.says.is_empty()).map(|key| escape(&key.says))
}

/// The words of the model in Markdown.
pub(super) const MARKDOWN: Markup = Markup { text: escape, code };

/// Words that begin small as a sentence.
pub(super) fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

/// A text as inline code.
pub(super) fn code(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if clean.contains('`') { format!("``` {clean} ```") } else { format!("`{clean}`") }
}

/// Markdown as a cell of a table, which ends at the first bar.
pub(super) fn cell(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    for c in markdown.chars() {
        if c == '|' && !out.ends_with('\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A text as text of HTML.
pub(super) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Escapes what is markup in prose. Paired backticks stay, so that a doc may name `things`.
pub(super) fn escape(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let has_code = !text.contains("``") && text.matches('`').count() % 2 == 0;
    let mut out = String::with_capacity(text.len());
    let mut in_code = false;
    for c in text.chars() {
        match c {
            '`' if has_code => in_code = !in_code,
            _ if in_code => {}
            '`' | '<' | '>' | '[' | ']' | '*' | '_' | '\\' | '|' | '~' | '$' => out.push('\\'),
            _ => {}
        }
        out.push(c);
    }
    // rustdoc wants addresses to be links; ours are none.
    out.replace("://", "\\://")
}

/// Breaks a text into lines; no line begins with what Markdown reads as the start of a block.
fn wrap(text: &str, first: &str, rest: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in text.split(' ') {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(std::mem::replace(&mut line, rest.to_owned()));
            is_empty = true;
        }
        if is_empty {
            line.push_str(&not_a_block(word));
        } else {
            line.push(' ');
            line.push_str(word);
        }
        is_empty = false;
    }
    lines.push(line);
    lines
}

fn not_a_block(word: &str) -> String {
    let number = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered =
        number.len() < word.len() && (number.starts_with('.') || number.starts_with(')')) && number.len() == 1;
    if is_numbered {
        let digits = &word[..word.len() - 1];
        return format!("{digits}\\{number}");
    }
    let is_marker = word.starts_with(['#', '+', '-', '='])
        && (word.len() == 1 || word.starts_with('#') || word.starts_with("--") || word.starts_with("=="));
    if is_marker { format!("\\{word}") } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_prose_is_escaped() {
        assert_eq!(escape("<BASE>USD_CM"), "\\<BASE\\>USD\\_CM");
        assert_eq!(escape("see `order_id` */ and [x](y)"), "see `order_id` \\*/ and \\[x\\](y)");
        assert_eq!(escape("```rust\npanic!()```"), "\\`\\`\\`rust panic!()\\`\\`\\`");
        assert_eq!(escape("one ` alone"), "one \\` alone");
        assert_eq!(escape("https://x.y"), "https\\://x.y");
    }

    #[test]
    fn no_line_starts_a_block() {
        let docs = Docs::new("# one", "");
        assert_eq!(docs.lines, ["\\# one"]);
        assert_eq!(Docs::new("1. one", "").lines, ["1\\. one"]);
        assert_eq!(Docs::new("- one", "").lines, ["\\- one"]);
    }
}
