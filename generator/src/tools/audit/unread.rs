//! Text that no reader understood.

use std::ops::Range;

use super::document::{Block, Document};
use super::findings::Findings;
use super::text::overlaps;

/// A line that was not fully understood, and whether it was in part.
pub(super) type UnreadLine = (usize, bool);

/// The lines with sentences or table rows from which no reader took anything.
pub(super) fn lines(document: &Document, found: &Findings) -> Vec<UnreadLine> {
    let (known, unknown): (Vec<_>, Vec<_>) = units(document, found).into_iter().partition(|(_, is_read)| *is_read);
    let on_line = |(unit, _): &(Range<usize>, bool)| document.line(unit.start);
    let known: Vec<usize> = known.iter().map(on_line).collect();
    let mut lines: Vec<UnreadLine> = unknown.iter().map(on_line).map(|line| (line, known.contains(&line))).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// Returns whether every word of a sentence or a row was understood.
pub(super) fn is_whole(document: &Document, found: &Findings, unit: &Range<usize>) -> bool {
    let words = document.span(unit).words();
    words.into_iter().all(|word| found.read.iter().any(|read| overlaps(read, &word.range())))
}

/// Every sentence and table row, and whether a reader took anything from it.
pub(super) fn units(document: &Document, found: &Findings) -> Vec<(Range<usize>, bool)> {
    let mut read: Vec<Range<usize>> = found.read.clone();
    read.extend(found.statements.iter().map(|statement| statement.at..statement.at + 1));
    let mut units: Vec<Range<usize>> = Vec::new();
    for block in document.sections.iter().flat_map(|section| &section.blocks) {
        match block {
            Block::Text(range) | Block::Item { text: range, .. } => {
                units.extend(document.span(range).sentences().into_iter().map(|sentence| sentence.range()));
            }
            Block::Table { rows, .. } => {
                units.extend(rows.iter().filter_map(|row| Some(row.first()?.start..row.last()?.end)));
            }
        }
    }
    let is_read = |unit: &Range<usize>| read.iter().any(|read| overlaps(read, unit));
    units.into_iter().map(|unit| (unit.clone(), is_read(&unit))).collect()
}
