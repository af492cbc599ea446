//! Regular expressions of texts.

use crate::model::Form;

/// The regular expression of a form.
pub(super) fn form_pattern(form: &Form) -> String {
    let Form { name: _, pattern: _, place: _, prefix, alphabet, suffix } = form;
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
