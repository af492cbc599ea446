//! Texts of the schema -> documentation in which they stay plain text.
//!
//! Texts of the schema are prose. Characters that Markdown, HTML or rustdoc would read as markup are escaped, so that a
//! document's `<BASE>` is shown as written, and no text opens a code block that the compiler would run.

use std::borrow::Cow;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{AttrStyle, Attribute, Expr, ExprLit, Lit, LitStr, Meta, MetaNameValue};

use crate::compiler::model::elements::Key;
use crate::compiler::model::phrases::Markup;

const WIDTH: usize = 100;

/// Ends a line of documentation until code is printed: a text of several lines would be printed as a block comment. No
/// text of the schema contains this control character.
const LINE_END: char = '\u{1}';

/// Splits a printed line of documentation into its lines; returns the text before each of them, and the lines.
pub(super) fn doc_lines(printed: &str) -> Option<(&str, impl Iterator<Item = &str>)> {
    let text = printed.trim_start_matches(' ');
    let text = text.strip_prefix("///").or_else(|| text.strip_prefix("//!"))?;
    Some((&printed[..printed.len() - text.len()], text.split(LINE_END)))
}

/// Documentation under construction: lines of Markdown.
#[derive(Clone, Debug, Default)]
pub(super) struct Docs {
    lines: Vec<String>,
}

impl Docs {
    /// Begins with a paragraph of prose; with `fallback` if the text is empty.
    pub(super) fn new(text: &str, fallback: &str) -> Self {
        let mut docs = Self::default();
        docs.prose(if text.trim().is_empty() { fallback } else { text });
        docs
    }

    /// Adds a paragraph of prose.
    pub(super) fn prose(&mut self, text: &str) {
        self.markdown(&escape(text));
    }

    /// Adds a paragraph of Markdown.
    pub(super) fn markdown(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.gap();
        self.lines.extend(wrap(text, "", ""));
    }

    /// Adds paragraphs for the keys that have no other form in the documentation.
    pub(super) fn documented(&mut self, keys: &[Key]) {
        documented(keys).for_each(|says| self.markdown(&says));
    }

    /// Adds an entry of a list, as Markdown.
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

    /// Adds a block of HTML, which must not contain empty lines.
    pub(super) fn html(&mut self, lines: Vec<String>) {
        self.gap();
        self.lines.extend(lines);
        self.lines.push(String::new());
    }

    /// Begins a folded section with a summary; [`Self::unfold`] ends it.
    pub(super) fn fold(&mut self, summary: &str) {
        self.html(vec!["<details>".to_owned(), format!("<summary>{}</summary>", html(summary))]);
    }

    /// Ends the folded section.
    pub(super) fn unfold(&mut self) {
        self.html(vec!["</details>".to_owned()]);
    }

    /// Adds a line as it is, such as a row of a table.
    pub(super) fn line(&mut self, line: String) {
        self.lines.push(line);
    }

    /// Adds an empty line, unless there is one.
    pub(super) fn gap(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(String::new());
        }
    }

    /// Returns the attribute of the item that follows.
    pub(super) fn outer(&self) -> Option<Attribute> {
        self.text().map(|text| attribute(&text))
    }

    /// Returns the attribute of the file.
    pub(super) fn inner(&self) -> TokenStream {
        self.text().map(|text| quote!(#![doc = #text])).unwrap_or_default()
    }

    /// Returns the lines, each with the space that follows `///`; `None` if there are none.
    fn text(&self) -> Option<String> {
        let mut text = String::with_capacity(self.lines.iter().map(|line| line.len() + 2).sum());
        for (index, line) in self.lines.iter().enumerate() {
            text.extend((index > 0).then_some(LINE_END));
            text.extend([space_before(line), line]);
        }
        (!self.lines.is_empty()).then_some(text)
    }

    /// Returns the text as comments of an item inside a macro call, where attributes are not turned into comments.
    pub(super) fn comments(&self, indent: &str) -> String {
        self.lines.iter().flat_map(|line| [indent, "///", space_before(line), line, "\n"]).collect()
    }
}

/// Returns `#[doc = "text"]`.
fn attribute(text: &str) -> Attribute {
    let lit = Lit::Str(LitStr::new(text, Span::call_site()));
    Attribute {
        pound_token: Default::default(),
        style: AttrStyle::Outer,
        bracket_token: Default::default(),
        meta: Meta::NameValue(MetaNameValue {
            path: Ident::new("doc", Span::call_site()).into(),
            eq_token: Default::default(),
            value: Expr::Lit(ExprLit { attrs: Vec::new(), lit }),
        }),
    }
}

/// Returns the space between `///` and a line.
fn space_before(line: &str) -> &'static str {
    if line.is_empty() { "" } else { " " }
}

/// Returns the statements of keys that have no other form, as Markdown.
pub(super) fn documented(keys: &[Key]) -> impl Iterator<Item = String> {
    keys.iter().filter(|key| key.is_documented && !key.says.is_empty()).map(|key| escape(&key.says))
}

/// Words of the model as Markdown.
pub(super) const MARKDOWN: Markup = Markup { text: escape, code };

/// Returns words that begin in lower case, as a sentence.
pub(super) fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

/// Returns a text as inline code.
pub(super) fn code(text: &str) -> String {
    let clean = text.replace(char::is_control, "\u{fffd}");
    if clean.contains('`') { format!("``` {clean} ```") } else { format!("`{clean}`") }
}

/// Returns Markdown as a cell of a table, in which bars are escaped.
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

/// Returns a text escaped for HTML.
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

/// Escapes markup in prose. Paired backticks stay, so that a text may mark `code`.
pub(super) fn escape(text: &str) -> String {
    let has_code = !text.contains("``") && text.bytes().filter(|byte| *byte == b'`').count() % 2 == 0;
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut in_code = false;
    for (index, word) in words.enumerate() {
        if index > 0 {
            out.push(' ');
        }
        let mut rest = word;
        while let Some(at) = rest.bytes().position(may_be_markup) {
            let (before, from) = rest.split_at(at);
            out.push_str(before);
            let is_escaped = match &from[..1] {
                "`" if has_code => {
                    in_code = !in_code;
                    false
                }
                // rustdoc asks for links in place of bare addresses, and these are not meant as links.
                ":" => from.starts_with("://"),
                // An ampersand begins an entity only if a name or a number follows.
                "&" => !in_code && from[1..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '#'),
                _ => !in_code,
            };
            if is_escaped {
                out.push('\\');
            }
            out.push_str(&from[..1]);
            rest = &from[1..];
        }
        out.push_str(rest);
    }
    out
}

/// Returns whether a byte may be read as markup by Markdown, HTML or rustdoc; a colon is if an address follows, an
/// ampersand if a name or a number does.
fn may_be_markup(byte: u8) -> bool {
    matches!(byte, b'`' | b'<' | b'>' | b'[' | b']' | b'*' | b'_' | b'\\' | b'|' | b'~' | b'$' | b':' | b'&')
}

/// Breaks a text into lines, none of which begins like a Markdown block.
fn wrap(text: &str, first: &str, rest: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = first.to_owned();
    let (mut width, mut is_empty) = (first.len(), true);
    for word in text.split(' ') {
        let length = word.chars().count();
        if !is_empty && width + 1 + length > WIDTH {
            lines.push(std::mem::replace(&mut line, rest.to_owned()));
            (width, is_empty) = (rest.len(), true);
        }
        if is_empty {
            let word = not_a_block(word);
            width += word.chars().count();
            line.push_str(&word);
        } else {
            width += 1 + length;
            line.push(' ');
            line.push_str(word);
        }
        is_empty = false;
    }
    lines.push(line);
    lines
}

fn not_a_block(word: &str) -> Cow<'_, str> {
    let number = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered =
        number.len() < word.len() && (number.starts_with('.') || number.starts_with(')')) && number.len() == 1;
    if is_numbered {
        let digits = &word[..word.len() - 1];
        return format!("{digits}\\{number}").into();
    }
    let is_marker = word.starts_with(['#', '+', '-', '='])
        && (word.len() == 1 || word.starts_with('#') || word.starts_with("--") || word.starts_with("=="));
    if is_marker { format!("\\{word}").into() } else { word.into() }
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
        // The case entities-in-docs.
        assert_eq!(escape("&copy; &#42; a & b `&copy;`"), "\\&copy; \\&#42; a & b `&copy;`");
        assert_eq!(escape("`https://x.y a_b` 10:30 "), "`https\\://x.y a_b` 10:30");
        assert_eq!(escape(" a\tb\u{7}\u{a0}c\n"), "a b c");
    }

    #[test]
    fn printed_documentation_has_its_lines_again() {
        let mut docs = Docs::new("one", "");
        docs.prose("two");
        let text = docs.text().unwrap_or_default();
        for start in ["    ///", "//!"] {
            let printed = format!("{start}{text}");
            let lines = doc_lines(&printed).map(|(before, lines)| (before, lines.collect::<Vec<_>>()));
            assert_eq!(lines, Some((start, vec![" one", "", " two"])));
        }
        for code in ["let a = 1; // a", "\"///\"", ""] {
            assert!(doc_lines(code).is_none(), "{code}");
        }
        assert!(Docs::default().outer().is_none());
    }

    #[test]
    fn no_line_starts_a_block() {
        let docs = Docs::new("# one", "");
        assert_eq!(docs.lines, ["\\# one"]);
        assert_eq!(Docs::new("1. one", "").lines, ["1\\. one"]);
        assert_eq!(Docs::new("- one", "").lines, ["\\- one"]);
    }
}
