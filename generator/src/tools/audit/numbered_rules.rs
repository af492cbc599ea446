//! Compares the numbered rules of a section with the rules of the schema that refer to their numbers, and
//! finds the lines that places such as `Place Order, rule 4` refer to.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Documents;
use super::claims::Claims;
use super::document::{Block, Document, Section};
use super::measures::number;
use super::text::{Span, overlaps};
use super::wording::is_parameter_list;
use crate::compiler::diagnostics::Place;
use crate::compiler::model::Rule;

/// The result of comparing rules.
pub(super) struct ComparedRules<'a> {
    /// The number of rules of the schema whose place is in the document.
    pub(super) matched: usize,
    pub(super) rules: usize,
    /// Numbered rules of the document that no rule of the schema refers to, each with the place of the rule before it.
    pub(super) in_document_only: Vec<(Span<'a>, Option<Place>)>,
    /// Rules of the schema that refer to a missing section, number or row, each with the byte of the section.
    pub(super) in_schema_only: Vec<(&'a Rule, usize)>,
}

/// Compares the places of the schema's rules with the document.
pub(super) fn compare<'a>(
    document: &'a Document,
    claims: &Claims<'a>,
    skip: impl Fn(usize) -> bool,
) -> ComparedRules<'a> {
    let mut found = ComparedRules {
        matched: 0,
        rules: claims.rules.len(),
        in_document_only: Vec::new(),
        in_schema_only: Vec::new(),
    };
    let mut named: BTreeMap<(usize, u64), Place> = BTreeMap::new();
    for rule in &claims.rules {
        let places: Vec<(&str, Option<&Section>, Vec<u64>)> =
            rule.at.split(';').map(|at| (at, section(document, at), rule_numbers(at))).collect();
        let mut holds = !rule.at.is_empty();
        let (mut at, mut is_at) = (0, true);
        for (place, section, numbers) in places {
            let Some(section) = section else {
                holds = false;
                continue;
            };
            let known: BTreeSet<u64> = numbered(document, section).map(|(number, _)| number).collect();
            let is_there = numbers.iter().all(|number| known.contains(number)) && has_row(document, section, place);
            // The first place that is gone counts.
            if is_at {
                (at, is_at) = (section.at.start, is_there);
            }
            holds &= is_there;
            named.extend(numbers.iter().map(|number| ((section.at.start, *number), rule.place)));
        }
        match holds {
            true => found.matched += 1,
            false => found.in_schema_only.push((rule, at)),
        }
    }
    // In other sections, numbers count the steps of a guide.
    let has_rules = |section: &Section| {
        named.keys().any(|(start, _)| *start == section.at.start)
            || claims.operations.iter().any(|known| document.is_section(known.heading, section))
    };
    for section in document.sections.iter().filter(|section| !skip(section.at.start) && has_rules(section)) {
        let parameters = lists_of_parameters(document, section);
        let rules =
            numbered(document, section).filter(|(_, text)| !parameters.iter().any(|list| list.contains(&text.at)));
        for (number, text) in rules {
            let own = section.at.start;
            if !named.contains_key(&(own, number)) {
                let before = named.range((own, 0)..(own, number)).next_back();
                found.in_document_only.push((text, before.map(|(_, place)| *place)));
            }
        }
    }
    found
}

/// Returns whether a section has the rows that a place names, as in `parameter table, qty and price`: for each, a cell
/// or an item of a list with a part that begins with the name.
fn has_row(document: &Document, section: &Section, at: &str) -> bool {
    let Some((_, named)) = at.split_once("table, ") else { return true };
    let items = section.blocks.iter().filter_map(|block| match block {
        Block::Item { text, .. } => Some(document.span(text)),
        Block::Text(_) | Block::Table { .. } => None,
    });
    let cells = section.tables(document).flat_map(|table| table.rows.into_iter().flatten());
    let parts: Vec<Span<'_>> = cells.chain(items).flat_map(|text| text.split(&[","])).collect();
    named.split(" and ").all(|name| {
        let name = lower_words(Span::new(name, 0));
        parts.iter().any(|part| lower_words(*part).starts_with(&name))
    })
}

fn lower_words(text: Span<'_>) -> Vec<String> {
    text.words().into_iter().map(|word| word.without_footnote().text.to_lowercase()).collect()
}

/// Returns the places of all rules that refer to a section, each with the start of the section.
pub(super) fn places<'a>(document: &Document, claims: &Claims<'a>) -> Vec<(usize, &'a Rule, &'a str)> {
    let places = claims.rules.iter().flat_map(|rule| rule.at.split(';').map(move |at| (*rule, at)));
    places.filter_map(|(rule, at)| Some((section(document, at)?.at.start, rule, at))).collect()
}

/// Returns the number of the item that a sentence stands in.
pub(super) fn number_of(document: &Document, section: &Section, unit: Span<'_>) -> Option<u64> {
    let found = numbered(document, section).find(|(_, text)| overlaps(&text.range(), &unit.range()));
    found.map(|(number, _)| number)
}

/// Returns whether a place can refer to a sentence, which may have a number, or to a row: it contains its number, or the
/// name at the start of the row, or only the section or a part of it.
pub(super) fn is_place(at: &str, unit: Span<'_>, number: Option<u64>) -> bool {
    let numbers = rule_numbers(at);
    if let Some(number) = number {
        return numbers.contains(&number);
    }
    let Some((first, _)) = unit.text.split_once(" | ") else {
        return numbers.is_empty() && !at.contains("table, ");
    };
    if let Some((_, named)) = at.split_once("table, ")
        && unit.text.split(" | ").any(|cell| cell.to_lowercase().contains(&named.trim().to_lowercase()))
    {
        return true;
    }
    let names = Span::new(at, 0).texts();
    let names_row = Span::new(first, 0).texts().iter().any(|name| names.contains(name));
    names_row || numbers.is_empty() && !at.contains("table, ") && !at.contains("after the ")
}

/// Returns the ranges of lists that a label such as `Parameters:` introduces.
fn lists_of_parameters(document: &Document, section: &Section) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut is_label, mut open) = (false, None);
    for block in &section.blocks {
        match block {
            Block::Item { list, text, .. } if is_label || open == Some(*list) => {
                open = Some(*list);
                found.push(text.clone());
                is_label = false;
            }
            Block::Text(text) => {
                let last = document.span(text).sentences().pop().and_then(Span::label);
                is_label = last.is_some_and(|(label, rest)| rest.is_empty() && is_parameter_list(label));
            }
            Block::Item { .. } | Block::Table { .. } => is_label = false,
        }
    }
    found
}

pub(super) fn numbered<'a>(document: &'a Document, section: &'a Section) -> impl Iterator<Item = (u64, Span<'a>)> {
    section.blocks.iter().filter_map(|block| match block {
        Block::Item { number: Some(number), text, .. } => Some((*number, document.span(text).trim())),
        _ => None,
    })
}

/// Returns the section that a place begins with: the longest matching heading, with or without its part in parentheses.
pub(super) fn section<'a>(document: &'a Document, at: &str) -> Option<&'a Section> {
    let at = at.trim();
    let short = |section: &Section| section.heading.find(" (").unwrap_or(section.heading.len());
    let starts = |heading: &str| {
        !heading.is_empty() && at.strip_prefix(heading).is_some_and(|rest| rest.is_empty() || rest.starts_with(','))
    };
    let old = |section: &Section| document.renamed.iter().any(|(old, start)| *start == section.at.start && starts(old));
    let fits = document
        .sections
        .iter()
        .filter(|section| starts(&section.heading) || starts(&section.heading[..short(section)]) || old(section));
    fits.max_by_key(|section| section.heading.len())
}

/// Returns the numbers in a place such as `rule 4` or `rules 3 and 4`.
pub(super) fn rule_numbers(at: &str) -> Vec<u64> {
    let words = Span::new(at, 0).texts();
    let Some(start) = words.iter().position(|word| ["rule", "rules"].contains(word)) else { return Vec::new() };
    let listed = words[start + 1..].iter().take_while(|word| **word == "and" || number(word).is_some());
    listed.filter_map(|word| number(word)).collect()
}

/// A document whose lines can be looked up by place.
pub(crate) struct Places {
    document: Document,
}

impl Documents {
    /// Indexes the lines of a document.
    pub(crate) fn places(&self, id: &str) -> Option<Places> {
        self.parse(id, None).map(|document| Places { document })
    }

    /// Returns the text of a document.
    pub(crate) fn text(&self, id: &str) -> Option<&str> {
        self.texts.get(id).map(String::as_str)
    }
}

impl Places {
    /// Returns the line of the numbered rule or the row that a place refers to; otherwise that of the section.
    pub(crate) fn line(&self, at: &str) -> Option<usize> {
        let section = section(&self.document, at)?;
        let at = self.rule(section, at).or_else(|| self.row(section, at)).unwrap_or(section.at.start);
        Some(self.document.line(at))
    }

    fn rule(&self, section: &Section, at: &str) -> Option<usize> {
        let first = *rule_numbers(at).first()?;
        numbered(&self.document, section).find(|(number, _)| *number == first).map(|(_, text)| text.at)
    }

    /// Returns the row for the name at the end of a place: `Batch Order, orderList[].size`.
    fn row(&self, section: &Section, at: &str) -> Option<usize> {
        let path = at.rsplit(", ").next()?.trim();
        let name = path.rsplit(['.', ']']).next()?;
        let tables: Vec<_> = section.tables(&self.document).collect();
        let mut first_cells = tables.iter().flat_map(|table| &table.rows).filter_map(|row| row.first());
        first_cells.find(|cell| cell.texts().contains(&name)).map(|cell| cell.at)
    }
}
