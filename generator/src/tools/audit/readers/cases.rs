//! Records that are one of several: `one of Listing (kind listing) or Halt (kind halt or delisting)`, or a table with a row
//! for each.

use super::super::claims::KnownRecord;
use super::super::document::Section;
use super::super::findings::{FactKind, key};
use super::super::text::Span;
use super::Reader;
use crate::compiler::model::{OneOf, RecordForm};

/// Words around the values or members that tell a record from the others.
const JOINING: [&str; 14] =
    ["when", "if", "where", "is", "are", "has", "have", "with", "by", "the", "a", "and", "or", "="];

impl<'a> Reader<'a> {
    /// Reads which records each record of a section may be.
    pub(super) fn cases(&mut self, section: &'a Section) {
        for known in self.records_of(section) {
            let RecordForm::OneOf(one_of) = &known.record.travels else { continue };
            for table in section.tables(self.document) {
                let entries = table.rows.iter().filter_map(|row| Some((*row.first()?, row.get(1..)?.last().copied())));
                self.cases_of(known, one_of, entries.collect(), table.at());
            }
            for sentence in section.texts(self.document).flat_map(|text| text.sentences()) {
                let words = sentence.words();
                let Some([_, of]) = words.windows(2).find(|pair| pair[0].text == "one" && pair[1].text == "of") else {
                    continue;
                };
                let list = sentence.after(of.at + of.text.len()).trim();
                let entries = list.split(&[",", ";", " or ", " and "]).into_iter().map(Span::head_and_note);
                self.cases_of(known, one_of, entries.collect(), list.at);
            }
        }
    }

    /// States the entries of a list, each a record and what tells it from the others, if the list names a known one.
    fn cases_of(
        &mut self,
        known: &KnownRecord<'a>,
        one_of: &OneOf,
        entries: Vec<(Span<'a>, Option<Span<'a>>)>,
        at: usize,
    ) {
        let claimed = self.claims.last_parts(FactKind::RecordCase, [&known.id]);
        if !entries.iter().any(|(name, _)| claimed.iter().any(|claimed| claimed == name.text)) {
            return;
        }
        for (name, note) in &entries {
            let of = key(FactKind::RecordCase, [&known.id, name.text]);
            let decider = one_of.decider.as_ref().map(|(decider, _)| decider.as_str());
            let told_by = note.map(|note| told_by(note, decider)).filter(|words| !words.is_empty());
            // A list without values says only that the record is one of them.
            let claim = || self.claims.get(&of).first().map(|claim| claim.value.clone()).unwrap_or_default();
            let value = told_by.unwrap_or_else(claim);
            self.found.state(of, value, *name);
            note.iter().for_each(|note| self.found.read(*note));
        }
        for case in claimed.iter().filter(|case| entries.iter().all(|(name, _)| name.text != *case)) {
            self.found.missing.push((key(FactKind::RecordCase, [&known.id, case]), at));
        }
    }
}

/// The values or members in a note, in the form of facts.
fn told_by(note: Span<'_>, decider: Option<&str>) -> String {
    let words = note.texts().into_iter().filter(|word| !JOINING.contains(word) && Some(*word) != decider);
    words.collect::<Vec<_>>().join(",")
}
