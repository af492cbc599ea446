//! Labels of lists of parameters.

use super::super::text::Span;

/// Whether a label introduces a list of parameters.
pub(in super::super) fn is_parameter_list(label: Span<'_>) -> bool {
    parameter_prefix(label).is_some()
}

/// The prefix of the names in a list, from its label.
pub(super) fn parameter_prefix(label: Span<'_>) -> Option<String> {
    match label.texts().as_slice() {
        ["Parameters" | "Parameter", ..] => Some(String::new()),
        ["Each", _] => Some("[].".to_owned()),
        ["Item", "fields", "of", list] => Some(format!("{list}[].")),
        _ => None,
    }
}
