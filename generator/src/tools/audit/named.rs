//! Parameters, fields, operations and codes that a changed part of a document names, each with its line in the schema.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;

use super::claims::{Claim, Claims};
use super::describe::{of_key, statement};
use super::document::{Document, Section};
use super::findings::{FactKey, FactKind, Findings};
use super::report::shown_place;
use super::text::Span;
use crate::compiler::diagnostics::Place;

/// Finds names of the schema in a document.
pub(super) struct NameFinder<'a> {
    pub(super) document: &'a Document,
    pub(super) claims: &'a Claims<'a>,
    pub(super) found: &'a Findings,
    pub(super) files: &'a [PathBuf],
}

impl NameFinder<'_> {
    /// Returns the parameters and fields that parts of a sentence name. In a section about no operation and no record,
    /// the operations and codes that they name.
    pub(super) fn in_parts(&self, section: &Section, sentence: Span<'_>, parts: &[Span<'_>]) -> Vec<String> {
        let words: BTreeSet<&str> = parts.iter().flat_map(|part| subject(*part).texts()).collect();
        let has_word = |name: &str| words.contains(name);
        let named = |kind: FactKind| {
            let is_named = |key: &FactKey| key.kind == kind && key.last().is_some_and(|name| has_word(short(name)));
            let named = self.claims.iter().filter(|(key, _)| is_named(key) && self.is_of(key, section));
            named.map(|(key, claim)| self.shown(key, claim)).collect::<Vec<_>>()
        };
        // An answer often repeats the names of parameters.
        let is_answer = sentence.texts().first() == Some(&"Response");
        let kinds = [FactKind::Parameter, FactKind::RecordField, FactKind::ResponseField];
        let mut kinds = kinds.into_iter().skip(usize::from(is_answer));
        let mut named = kinds.find_map(|kind| Some(named(kind)).filter(|named| !named.is_empty())).unwrap_or_default();
        if named.is_empty() && self.owners(section).next().is_none() {
            let has_heading = |heading: &str| parts.iter().any(|part| part.text.contains(heading));
            let operations = self.claims.operations.iter().filter(|known| has_heading(known.heading));
            named.extend(
                operations.map(|known| {
                    format!("operation {} · {}", known.operation.id, self.place(known.operation.path.place))
                }),
            );
            let has_code = |code: &str| parts.iter().any(|part| part.texts().contains(&code));
            let is_named = |key: &FactKey| key.kind == FactKind::Error && key.last().is_some_and(|code| has_code(code));
            let codes = self.claims.iter().filter(|(key, _)| is_named(key));
            named.extend(codes.map(|(key, claim)| self.shown(key, claim)));
        }
        named
    }

    /// Returns facts of the schema that the section does not state: those that documents always state, and those that
    /// the changed part names.
    pub(super) fn silent(
        &self,
        section: &Section,
        changed: &Range<usize>,
        unstated: &[(FactKey, String, Place)],
    ) -> Vec<String> {
        let body = section.at.start..section.body.end;
        let is_read = |key: &FactKey| self.found.about(key).any(|stated| body.contains(&stated.at));
        let text = self.document.span(changed);
        let is_named = |key: &FactKey| key.name().is_some_and(|name| text.texts().contains(&short(name)));
        let is_unstated = |key: &FactKey| is_named(key) && unstated.iter().any(|(other, ..)| other == key);
        let silent = self.claims.iter().filter(|(key, _)| {
            self.is_of(key, section) && !is_read(key) && (key.kind.is_always_stated() || is_unstated(key))
        });
        silent.map(|(key, claim)| format!("{} · {}", statement(key, &claim.value), self.place(claim.place))).collect()
    }

    fn shown(&self, key: &FactKey, claim: &Claim) -> String {
        let of = match (key.kind, key.owner()) {
            (FactKind::Parameter, Some(id)) => format!(" of {id}"),
            _ => String::new(),
        };
        format!("{}{of} · {}", of_key(key), self.place(claim.place))
    }

    fn place(&self, place: Place) -> String {
        shown_place(self.files, Some(place))
    }

    fn is_of(&self, key: &FactKey, section: &Section) -> bool {
        key.owner().is_some_and(|owner| self.owners(section).any(|of_section| of_section == owner))
    }

    /// Returns the operations and records that a section is about.
    fn owners<'b>(&'b self, section: &'b Section) -> impl Iterator<Item = &'b str> {
        let operations = self.claims.operations.iter().map(|known| (known.heading, known.operation.id.as_str()));
        let records = self.claims.records.iter().map(|known| (known.section, known.id.as_str()));
        let of_section = |(heading, _): &(&str, &str)| self.document.is_section(heading, section);
        operations.chain(records).filter(of_section).map(|(_, owner)| owner)
    }
}

/// Returns the first cell of a row, which names its subject, or the whole of any other text.
fn subject(part: Span<'_>) -> Span<'_> {
    part.split(&["|"]).first().copied().unwrap_or(part)
}

/// Returns the name of a parameter without its list.
pub(super) fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
