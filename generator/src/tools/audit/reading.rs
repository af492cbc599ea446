//! The words of a document for needs, types and the parts of a section: those that the schema declares for it, and those
//! that all documents share.

use super::document::{Document, Table};
use super::readers;
use super::text::Span;
use super::wording::{canonical, stems};
use crate::compiler::model::Reading;
use crate::compiler::model::declared::{Names, Ref};

/// The words of one kind.
type Words = fn(&Reading) -> &Names;

impl Document {
    /// Returns whether the schema declares a text as a word of one kind.
    fn declares(&self, words: Words, text: &str) -> bool {
        let said = text.trim().to_lowercase();
        let is_said = |(own, _): &Ref| canonical(own).trim().to_lowercase() == said;
        self.reading.as_ref().is_some_and(|reading| words(reading).iter().any(is_said))
    }

    /// The column with a declared title.
    pub(super) fn declared_column(&self, words: Words, table: &Table<'_>) -> Option<usize> {
        table.head.iter().position(|title| self.declares(words, title.text))
    }

    /// The need that a mark states, in a cell or behind a name.
    pub(super) fn need_of(&self, mark: &str) -> Option<&'static str> {
        match mark {
            _ if self.declares(|reading| &reading.required, mark) => Some("yes"),
            _ if self.declares(|reading| &reading.optional, mark) => Some("no"),
            _ => readers::need_of_cell(mark),
        }
    }

    /// The type that a cell states, in the form of facts.
    pub(super) fn type_of(&self, cell: &str) -> Option<&'static str> {
        match cell {
            _ if self.declares(|reading| &reading.numbers, cell) => Some("number"),
            _ if self.declares(|reading| &reading.texts, cell) || self.is_enum(cell) => Some("string"),
            _ => readers::type_of_word(cell),
        }
    }

    /// Returns whether a cell names the type of texts with a list of values.
    pub(super) fn is_enum(&self, cell: &str) -> bool {
        self.declares(|reading| &reading.enums, cell) || cell.eq_ignore_ascii_case("enum")
    }

    /// Returns whether a label announces the parameters of a request.
    pub(super) fn is_about_requests(&self, label: Span<'_>) -> bool {
        let is_declared = |words: Words| self.declares(words, label.text.trim_end_matches(':'));
        is_declared(|reading| &reading.requests)
            || readers::is_about_requests(label) && !is_declared(|reading| &reading.answers)
    }

    /// Returns whether a label announces an answer rather than a request: `Response parameters`, `What is returned:`.
    pub(super) fn is_about_answers(&self, label: Span<'_>) -> bool {
        let is_declared = |words: Words| self.declares(words, label.text.trim_end_matches(':'));
        is_declared(|reading| &reading.answers)
            || readers::is_about_answers(label) && !is_declared(|reading| &reading.requests)
    }

    /// Returns whether a section has lists of values.
    pub(super) fn has_values(&self, heading: &str) -> bool {
        let is_usual = |word: &str| ["enum", "enums", "enumerations"].contains(&word);
        self.declares(|reading| &reading.values, heading) || stems(heading).iter().any(|word| is_usual(word))
    }
}
