//! YAML with comments, in the subset of the schema language: block notation, no anchors, no tags.
//!
//! Common serializers do not write comments, and drafts consist largely of comments.

use crate::compiler::diagnostics::is_invisible;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Yaml {
    /// No value; a person has to fill it in.
    Gap,
    Text(String),
    /// A word of the language or a number, which needs no quotes.
    Word(String),
    /// Texts on one line.
    Texts(Vec<String>),
    Map(Vec<Entry>),
    List(Vec<Vec<Entry>>),
}

/// A key with its value and the comments above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) comments: Vec<String>,
    pub(super) key: String,
    pub(super) value: Yaml,
}

impl Entry {
    pub(super) fn new(key: impl Into<String>, value: Yaml) -> Self {
        Self { comments: Vec::new(), key: key.into(), value }
    }

    pub(super) fn gap(key: impl Into<String>) -> Self {
        Self::new(key, Yaml::Gap)
    }

    pub(super) fn text(key: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(key, Yaml::Text(text.into()))
    }

    pub(super) fn word(key: impl Into<String>, word: impl Into<String>) -> Self {
        Self::new(key, Yaml::Word(word.into()))
    }

    pub(super) fn comments(mut self, comments: impl IntoIterator<Item = String>) -> Self {
        self.comments.extend(comments);
        self
    }
}

/// Writes entries, indented by `indent` spaces.
pub(super) fn write(entries: &[Entry], indent: usize) -> String {
    entries.iter().map(|entry| written(entry, indent, "")).collect()
}

/// Returns comment lines.
pub(super) fn comments(comments: &[String], indent: usize) -> String {
    comments.iter().map(|comment| format!("{:indent$}# {}\n", "", one_line(comment))).collect()
}

/// Writes an entry; `dash` precedes the key of the first entry of an item.
fn written(entry: &Entry, indent: usize, dash: &str) -> String {
    let outer = indent - dash.len();
    let head = format!("{}{:outer$}{dash}{}:", comments(&entry.comments, outer), "", scalar(&entry.key));
    match &entry.value {
        Yaml::Gap => format!("{head}\n"),
        Yaml::Text(text) => format!("{head} {}\n", scalar(text)),
        Yaml::Word(word) => format!("{head} {word}\n"),
        Yaml::Texts(texts) => {
            format!("{head} [{}]\n", texts.iter().map(|text| scalar(text)).collect::<Vec<_>>().join(", "))
        }
        Yaml::Map(entries) if entries.is_empty() => format!("{head} {{}}\n"),
        Yaml::Map(entries) => format!("{head}\n{}", write(entries, indent + 2)),
        Yaml::List(items) if items.is_empty() => format!("{head} []\n"),
        Yaml::List(items) => {
            let item = |entries: &Vec<Entry>| -> String {
                let mut dashes = std::iter::once("- ").chain(std::iter::repeat(""));
                entries.iter().zip(dashes.by_ref()).map(|(entry, dash)| written(entry, indent + 4, dash)).collect()
            };
            format!("{head}\n{}", items.iter().map(item).collect::<String>())
        }
    }
}

/// Words that other YAML readers do not take for text.
const OTHER_MEANING: [&str; 9] = ["yes", "no", "true", "false", "on", "off", "null", "y", "n"];

/// Returns a text, in quotes where it needs them.
pub(super) fn scalar(text: &str) -> String {
    // A text that starts with a digit may be a number or a time, unless a word follows.
    let has_word = text.split_once(' ').is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    let starts_plain = |c: char| c.is_ascii_alphabetic() || c == '/' || c.is_ascii_digit() && has_word;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " /._-()".contains(c);
    let means_text = !OTHER_MEANING.contains(&text.to_ascii_lowercase().as_str());
    if text.starts_with(starts_plain) && text.chars().all(is_plain) && !text.ends_with(' ') && means_text {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c if !is_shown(c) => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// Returns whether a character may be written unescaped in a schema file.
fn is_shown(c: char) -> bool {
    !is_invisible(c) && !matches!(c, '\u{fffe}' | '\u{ffff}')
}

fn one_line(text: &str) -> String {
    let shown: String = text.chars().map(|c| if is_shown(c) { c } else { ' ' }).collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the key that marks something as deprecated, if it is.
pub(super) fn deprecated(is_so: bool, keys: &[(&'static str, String)]) -> Option<Entry> {
    let keys = keys.iter().map(|(key, text)| Entry::text(*key, text)).collect();
    is_so.then(|| Entry::new("deprecated", Yaml::Map(keys)))
}

#[cfg(test)]
#[allow(clippy::panic, reason = "a test that fails panics")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the value that another YAML reader makes of entries, as JSON.
    fn read(entries: &[Entry]) -> serde_json::Value {
        let text = write(entries, 0);
        serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"))
    }

    proptest! {
        #[test]
        fn any_text_is_read_back(key in ".{1,20}", text in "\\PC{0,40}|.{0,40}|[ -~\n]{0,40}") {
            let entries = [
                Entry::text(key.clone(), text.clone()).comments([text.clone()]),
                Entry::new("list of", Yaml::Texts(vec![text.clone(), key.clone()])),
                Entry::new("items", Yaml::List(vec![vec![
                    Entry::text("a", text.clone()).comments([key.clone()]),
                    Entry::new("b", Yaml::Map(vec![Entry::text("c", text.clone())])),
                ]])),
            ];
            prop_assume!(!["list of", "items"].contains(&key.as_str()));
            let read = read(&entries);
            prop_assert_eq!(&read[&key], &text);
            prop_assert_eq!(&read["list of"], &serde_json::json!([text, key]));
            prop_assert_eq!(&read["items"][0]["a"], &text);
            prop_assert_eq!(&read["items"][0]["b"]["c"], &text);
        }
    }

    #[test]
    fn gaps_stay_what_they_are() {
        let entries =
            [Entry::gap("doc").comments(["line 3: what\nit is".to_owned()]), Entry::new("none", Yaml::Map(Vec::new()))];
        assert_eq!(write(&entries, 0), "# line 3: what it is\ndoc:\nnone: {}\n");
        assert_eq!(read(&entries)["doc"], serde_json::Value::Null);
    }
}
