//! Finds the lines of a document that places such as `Place Order, rule 4` refer to.

use super::Documents;
use super::document::{Document, Section};
use super::numbered_rules::{numbered, rule_numbers, section};

/// A document whose lines can be looked up by place.
pub(crate) struct Places {
    document: Document,
}

impl Documents {
    /// Indexes the lines of a document.
    pub(crate) fn places(&self, id: &str) -> Option<Places> {
        self.parse(id, None).map(|document| Places { document })
    }

    /// The text of a document.
    pub(crate) fn text(&self, id: &str) -> Option<&str> {
        self.texts.get(id).map(String::as_str)
    }
}

impl Places {
    /// The line of the numbered rule or the row that a place refers to; otherwise that of the section.
    pub(crate) fn line(&self, at: &str) -> Option<usize> {
        let section = section(&self.document, at)?;
        let at = self.rule(section, at).or_else(|| self.row(section, at)).unwrap_or(section.at.start);
        Some(self.document.line(at))
    }

    fn rule(&self, section: &Section, at: &str) -> Option<usize> {
        let first = *rule_numbers(at).first()?;
        numbered(&self.document, section).find(|(number, _)| *number == first).map(|(_, text)| text.at)
    }

    /// The row for the name at the end of a place: `Batch Order, orderList[].size`.
    fn row(&self, section: &Section, at: &str) -> Option<usize> {
        let path = at.rsplit(", ").next()?.trim();
        let name = path.rsplit(['.', ']']).next()?;
        let tables: Vec<_> = section.tables(&self.document).collect();
        let mut first_cells = tables.iter().flat_map(|table| &table.rows).filter_map(|row| row.first());
        first_cells.find(|cell| cell.texts().contains(&name)).map(|cell| cell.at)
    }
}
