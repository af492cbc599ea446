//! Windows of time: their length, how far back they may reach, and their defaults.

use super::super::findings::{FactKind, key};
use super::super::measures::{self, duration};
use super::super::text::Span;
use super::super::wording::{have_same_stem, is_parameter_list};
use super::Reader;

/// Returns the subject of a clause with a length of time: `span`, `access` or `default`.
pub(super) fn kind(clause: Span<'_>) -> Option<&'static str> {
    let texts = clause.texts();
    let has = |word: &str| texts.iter().any(|text| have_same_stem(text, word));
    if texts.iter().any(|text| ["default", "defaults"].contains(text)) {
        Some("default")
    } else if has("access") || has("last") {
        Some("access")
    } else if has("span") || has("range") || has("covers") {
        Some("span")
    } else if has("window") || has("within") {
        Some("access")
    } else {
        None
    }
}

impl<'a> Reader<'a> {
    /// Reads the windows of operations in a text.
    pub(super) fn windows(&mut self, text: Span<'a>, ids: &[String]) {
        self.windows_of(text, None, ids);
    }

    /// Reads the windows in the note of a parameter. One of the bounds of a query has a length, and not a range of them.
    pub(super) fn windows_of_note(&mut self, note: Span<'a>, id: &str) {
        let lengths: Vec<Span<'a>> = note.clauses().into_iter().filter(|clause| duration(*clause).is_some()).collect();
        let is_range = |clause: &Span<'a>| measures::range(&clause.texts()).is_some();
        let is_window = |clause: &Span<'a>| kind(*clause).is_some_and(|kind| kind != "default");
        if lengths.iter().any(is_window) && !lengths.iter().any(is_range) {
            lengths.into_iter().for_each(|clause| self.windows(clause, &[id.to_owned()]));
        }
    }

    /// Reads windows, with a label that may state the kind of window.
    pub(super) fn windows_of(&mut self, text: Span<'a>, label: Option<Span<'a>>, ids: &[String]) {
        for clause in text.clauses().into_iter().flat_map(|clause| clause.split(&[" and default "])) {
            if let (Some((length, _)), Some(kind)) = (duration(clause), kind(clause).or(label.and_then(kind))) {
                for id in ids {
                    self.found.state(key(FactKind::Window, [id, kind]), length.to_string(), clause);
                }
            }
        }
    }

    pub(super) fn windows_outside_parameters(&mut self, text: Span<'a>, id: &str) {
        for sentence in text.sentences() {
            let is_list = sentence.label().is_some_and(|(label, _)| is_parameter_list(label));
            let speaks_of_data =
                sentence.texts().iter().any(|word| ["data", "fills", "orders", "default"].contains(word));
            // `When orders within a day exceed ..` is a threshold.
            let is_condition = sentence.texts().first().is_some_and(|word| word.eq_ignore_ascii_case("when"));
            if !is_list && speaks_of_data && !is_condition && self.is_read(id) {
                self.windows(sentence, &[id.to_owned()]);
            }
            if sentence.text.contains("both set or both blank") {
                let clause = sentence.clauses().into_iter().find(|clause| clause.text.contains("both blank"));
                self.found.state(key(FactKind::Both, [id]), "", clause.unwrap_or(sentence));
            }
        }
    }
}
