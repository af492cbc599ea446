//! Regular expressions of texts.

use serde_json::{Value, json};

use crate::compiler::model::{Decided, Form, Pattern};

/// A form: its regular expression, or an object with that and what an instrument decides.
pub(super) fn form(Form { name: _, pattern, decided }: &Form) -> Value {
    let pattern = regular_expression(pattern);
    match decided {
        None => Value::from(pattern),
        Some(Decided { also, by: (by, _) }) => {
            json!({"pattern": pattern, "also": regular_expression(also), "decided_by": by})
        }
    }
}

/// The regular expressions of the texts that have a form; with `may_be`, also of those that an instrument decides.
pub(super) fn form_patterns(Form { name: _, pattern, decided }: &Form, may_be: bool) -> Vec<String> {
    let also = decided.iter().filter(|_| may_be).map(|Decided { also, by: _ }| also);
    std::iter::once(pattern).chain(also).map(regular_expression).collect()
}

fn regular_expression(Pattern { text: _, place: _, prefix, alphabet, suffix }: &Pattern) -> String {
    let between = alphabet.as_deref().map_or_else(|| ".".to_owned(), class);
    format!("^{}{between}*{}$", literal(prefix), literal(suffix))
}

/// The bracket expression of an alphabet, in which only `-` has a special meaning.
pub(super) fn class(alphabet: &str) -> String {
    let escaped =
        alphabet.chars().flat_map(|c| matches!(c, '\\' | '[' | ']' | '^').then_some('\\').into_iter().chain([c]));
    let escaped: String = escaped.collect();
    // A trailing hyphen is literal, and is escaped because some dialects of regular expressions require it.
    match escaped.strip_suffix('-') {
        Some(rest) => format!("[{rest}\\-]"),
        None => format!("[{escaped}]"),
    }
}

fn literal(text: &str) -> String {
    text.chars().flat_map(|c| r"\^$.|?*+()[]{}/".contains(c).then_some('\\').into_iter().chain([c])).collect()
}
