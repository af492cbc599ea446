//! The record of a section as it was last reviewed: a digest of the whole section, and a short mark for each sentence,
//! list item and row. With marks, a change is found at its place although the old words are not kept.

use std::collections::BTreeMap;
use std::ops::Range;

use sha2::{Digest as _, Sha256};
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::document::{Block, Document, Section};
use super::findings::{Basis, Findings};
use super::readers::{Columns, endpoint};
use super::text::Span;
use super::wording;
use crate::compiler::model::Reviewed;
use tradeapi_words::MINTED_LETTERS as LETTERS;

/// The length of the hash in a mark. It is followed by the number of facts that were read there.
const HASH: usize = 5;

/// The prefix of headings among the other units.
const HEADING: &str = "# ";

/// The level of headings below the title.
const CHAPTER: u8 = 2;

/// The maximum number of columns of a table for which other orders are tried.
const MAX_COLUMNS: usize = 5;

/// The highest former number that is tried for an item.
const HIGHEST_NUMBER: usize = 50;

/// Words by which a row or an item refers to the one before it.
const POINTING: [&str; 13] = [
    "as above",
    "see above",
    "same",
    "previous",
    "preceding",
    "likewise",
    "former",
    "latter",
    "adds",
    "additionally",
    "first",
    "then",
    "finally",
];

/// A set of units whose order does not matter: the rows of a table, by its position, or the items of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    Table(usize),
    List(usize),
}

/// A sentence, a list item, a row of a table, or the heading of a subsection.
pub(super) struct TextUnit {
    pub(super) at: Range<usize>,
    set: Option<Set>,
    /// The meaning: equal for two texts exactly if no reader can find different facts in them.
    says: String,
}

impl TextUnit {
    fn hash(&self) -> String {
        hash(&self.says)
    }

    fn is_heading(&self) -> bool {
        self.says.starts_with(HEADING)
    }

    /// Returns the meanings of the same words in another form: those of an item such as `name (need): note` or `name: note`
    /// as a row, and the other way round.
    fn in_other_forms(&self, document: &Document) -> Vec<String> {
        let as_row = |says: &str| {
            let (head, note) = says.split_once(" : ")?;
            let (name, need) = head.split_once(" ( ").unwrap_or((head, ""));
            let need = need.strip_suffix(" )").and_then(|need| document.need_of(need));
            Some([Some(name), need, Some(note)].into_iter().flatten().collect::<Vec<_>>().join("\t"))
        };
        match (self.set, self.says.split('\t').collect::<Vec<_>>().as_slice()) {
            (Some(Set::Table(_)), [name, note]) => vec![format!("{name} : {note}")],
            (Some(Set::Table(_)), [name, need, note]) => {
                let words = match *need {
                    "yes" => "required",
                    "no" => "optional",
                    other => other,
                };
                [words, need].iter().map(|need| format!("{name} ( {need} ) : {note}")).collect()
            }
            // A row points to the one before it only by words within a cell.
            (Some(Set::List(_)), [says]) => {
                let alone = says.split_once('\n').map(|(_, alone)| alone);
                [Some(*says), alone].into_iter().flatten().filter_map(as_row).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The change of one unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextChange {
    /// The position; `None` if the unit was removed.
    pub(super) now: Option<Range<usize>>,
    /// The byte at which it is, or before which it was.
    pub(super) at: usize,
    /// The mark from the review; `None` if the unit is new.
    pub(super) was: Option<String>,
    /// New units beside it, where some of what it said may stand now: a row that was split in two.
    pub(super) beside: Vec<Range<usize>>,
}

impl TextChange {
    /// Returns the number of facts that were read there at the review.
    pub(super) fn facts_before(&self) -> usize {
        let letter = self.was.as_ref().and_then(|mark| mark.as_bytes().get(HASH).copied());
        letter.and_then(|letter| LETTERS.iter().position(|known| *known == letter)).unwrap_or(0)
    }
}

/// Returns the units of a section.
pub(super) fn units(document: &Document, section: &Section) -> Vec<TextUnit> {
    units_with(document, section, true)
}

/// Returns the units of a section. Either a row has all of its cells, or each column that its table did not have at the
/// review is a unit of its own.
fn units_with(document: &Document, section: &Section, has_all: bool) -> Vec<TextUnit> {
    let mut units = Units::default();
    for (nth, block) in section.blocks.iter().enumerate() {
        match block {
            Block::Text(range) => {
                for sentence in document.span(range).sentences() {
                    let meaning = endpoint::in_tag(sentence).unwrap_or_else(|| document.meaning(sentence));
                    units.add(sentence.range(), None, meaning);
                }
            }
            Block::Item { number: Some(number), text, .. } => {
                for (nth, sentence) in document.span(text).sentences().into_iter().enumerate() {
                    let number = if nth == 0 { format!("{number}. ") } else { String::new() };
                    units.add(sentence.range(), None, number + &document.meaning(sentence));
                }
            }
            Block::Item { list, number: None, text } => {
                units.add(text.clone(), Some(Set::List(*list)), document.meaning(document.span(text)));
            }
            Block::Table { head, rows } => {
                let need = need_column(document, block);
                let new = document.new_columns.iter().filter(|(title, _)| !has_all && head.contains(title));
                let known = head.len() - new.clone().count();
                for (row, set) in
                    std::iter::once((head, None)).chain(rows.iter().map(|row| (row, Some(Set::Table(nth)))))
                {
                    let starts = row.iter().map(|cell| cell.start).min();
                    let Some((start, end)) = starts.zip(row.iter().map(|cell| cell.end).max()) else { continue };
                    let need = need.filter(|_| set.is_some());
                    let columns = if row.len() == head.len() { known } else { row.len() };
                    units.add(start..end, set, cells_meaning(document, row, need, 0..columns));
                }
                for (title, cells) in new {
                    let column: Vec<Range<usize>> = std::iter::once(title).chain(cells).cloned().collect();
                    units.add(title.clone(), None, cells_meaning(document, &column, None, 0..column.len()));
                }
            }
        }
    }
    for heading in headings(document, section) {
        units.add(heading.at.clone(), None, heading_meaning(&heading.heading));
    }
    units.units
}

/// Returns the headings that belong to a section: the chapters to the title, and all headings of a chapter to it,
/// however deep they are.
fn headings<'a>(document: &'a Document, section: &'a Section) -> impl Iterator<Item = &'a Section> {
    let below = document.sections.iter().filter(|other| other.at.start > section.at.start);
    let below = below.take_while(|other| other.level > section.level);
    below.filter(|below| section.level == CHAPTER || section.level < CHAPTER && below.level == CHAPTER)
}

/// Returns the meaning of a row's cells in these columns. A cell of the column `need` counts by the need that it
/// states, however it is worded.
fn cells_meaning(
    document: &Document,
    row: &[Range<usize>],
    need: Option<usize>,
    columns: impl IntoIterator<Item = usize>,
) -> String {
    let cell = |column: usize| {
        let cell = document.span(row.get(column)?);
        let need = document.need_of(cell.text).filter(|_| need == Some(column));
        Some(need.map_or_else(|| document.meaning(cell), str::to_owned))
    };
    columns.into_iter().filter_map(cell).collect::<Vec<_>>().join("\t")
}

fn need_column(document: &Document, block: &Block) -> Option<usize> {
    Columns::labelled(document, &block.table(document)?, None)?.need()
}

/// Restores the order that the columns of each table had at the review, which the mark of its head identifies. A column
/// that it did not have comes last.
pub(super) fn restore_columns(reviewed: &[Reviewed], document: &mut Document) {
    let (mut restored, mut all_marks) = (Vec::new(), BTreeMap::new());
    for (section_at, section) in document.sections.iter().enumerate() {
        let of_section = |reviewed: &&Reviewed| {
            reviewed.document == document.id && document.is_section(&reviewed.section.0, section)
        };
        let digests = reviewed.iter().filter(of_section).flat_map(|reviewed| marks_of(&reviewed.digest.0));
        let marks: Vec<&str> = digests.map(hash_of).collect();
        if !marks.is_empty() {
            all_marks.insert(section.at.start, marks.iter().copied().map(str::to_owned).collect());
        }
        for (block_at, block) in section.blocks.iter().enumerate() {
            let Block::Table { head, rows } = block else { continue };
            let need = need_column(document, block);
            let is_reviewed = |row: &Vec<Range<usize>>, need: Option<usize>, order: &Vec<usize>| {
                marks.contains(&hash(&cells_meaning(document, row, need, order.iter().copied())).as_str())
            };
            let reviewed_in = |order: &Vec<usize>| rows.iter().filter(|row| is_reviewed(row, need, order)).count();
            let all: Vec<usize> = (0..head.len()).collect();
            if is_reviewed(head, None, &all) {
                continue;
            }
            let as_it_is = reviewed_in(&all);
            let is_known = |order: &Vec<usize>| is_reviewed(head, None, order) && reviewed_in(order) >= as_it_is;
            let without = |new: &usize| all.iter().copied().filter(|column| column != new).collect::<Vec<_>>();
            let is_longer = |order: &Vec<usize>| is_known(order) && reviewed_in(order) > 0;
            let longer = || all.iter().flat_map(|new| orders(&without(new))).find(is_longer);
            if let Some(order) = orders(&all).into_iter().find(is_known).or_else(longer) {
                restored.push((section_at, block_at, order));
            }
        }
    }
    document.reviewed = all_marks;
    for (section, block, order) in restored {
        if let Block::Table { head, rows } = &mut document.sections[section].blocks[block] {
            let columns = head.len();
            let new: Vec<usize> = (0..columns).filter(|column| !order.contains(column)).collect();
            for column in &new {
                let cells = rows.iter().filter(|row| row.len() == columns).map(|row| row[*column].clone());
                document.new_columns.push((head[*column].clone(), cells.collect()));
            }
            for row in std::iter::once(head).chain(rows).filter(|row| row.len() == columns) {
                *row = order.iter().chain(&new).map(|column| row[*column].clone()).collect();
            }
        }
    }
}

/// Returns whether a sentence, an item or a row was as it is now at the review, but for a name that has replaced an old
/// one; true in a section that was not reviewed.
pub(super) fn had_name(document: &Document, now: Span<'_>, old: &str) -> bool {
    let Some(section) = document.section_of(now.at) else { return true };
    let Some(marks) = document.reviewed.get(&section.at.start) else { return true };
    let units = units(document, section).into_iter().filter(|unit| unit.at.contains(&now.at));
    units.map(|unit| hash(&unit.says.replace(now.text, old))).any(|hash| marks.contains(&hash))
}

/// Returns every order of some columns of a table, beginning with the current one; only this one if there are many.
fn orders(columns: &[usize]) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    if columns.len() > MAX_COLUMNS {
        return vec![columns.to_vec()];
    }
    for _ in columns {
        let longer = |order: &Vec<usize>| {
            let free = columns.iter().filter(|column| !order.contains(column));
            free.map(|column| [order.as_slice(), &[*column]].concat()).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}

fn heading_meaning(heading: &str) -> String {
    format!("{HEADING}{}", wording::meaning(heading, &[]))
}

#[derive(Default)]
struct Units {
    units: Vec<TextUnit>,
    /// The subject of the previous unit: its first word.
    before: String,
}

impl Units {
    fn add(&mut self, at: Range<usize>, set: Option<Set>, meaning: String) {
        if meaning.is_empty() {
            return;
        }
        let has = |phrase: &&str| format!(" {meaning} ").contains(&format!(" {phrase} "));
        let is_pointing = set.is_some() && POINTING.iter().any(has);
        let says = if is_pointing { format!("{}\n{meaning}", self.before) } else { meaning.clone() };
        self.units.push(TextUnit { at, set, says });
        let subject = Span::new(meaning.split([' ', ',', '\t']).next().unwrap_or_default(), 0);
        self.before = subject.without_footnote().text.to_owned();
    }
}

fn hash(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().take(HASH).map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
}

/// Returns a hash of all units, independent of the order within a set.
fn whole(units: &[TextUnit]) -> String {
    let mut sorted: Vec<&TextUnit> = units.iter().collect();
    for set in sorted.chunk_by_mut(|a, b| a.set.is_some() && a.set == b.set) {
        if set.first().is_some_and(|unit| unit.set.is_some()) {
            set.sort_by(|a, b| a.says.cmp(&b.says));
        }
    }
    let mut whole = Sha256::new();
    for unit in sorted {
        whole.update(format!("{}{}\n", if unit.set.is_some() { "- " } else { "" }, unit.says));
    }
    whole.finalize().iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the digest of a section in the form of schema files.
pub(super) fn digest(document: &Document, section: &Section, found: &Findings) -> String {
    let units = units(document, section);
    let facts = |unit: &TextUnit| facts_in(found, &unit.at).min(LETTERS.len() - 1);
    let marks = units.iter().map(|unit| format!("{}{}", unit.hash(), char::from(LETTERS[facts(unit)])));
    std::iter::once(whole(&units)).chain(marks).collect::<Vec<_>>().join(" ")
}

/// The sign before the hash of a difference that stands as accepted.
const STANDING: char = '~';

/// Returns the hash of a difference, by what the document says and what the schema has.
pub(super) fn standing(difference: &str) -> String {
    format!("{STANDING}{}", hash(difference))
}

/// Returns the hashes of the differences that a record accepts as they are.
pub(super) fn standing_of(recorded: &str) -> impl Iterator<Item = &str> {
    recorded.split(' ').skip(1).filter(|word| word.starts_with(STANDING))
}

/// Returns the marks of a record.
fn marks_of(recorded: &str) -> impl Iterator<Item = &str> {
    recorded.split(' ').skip(1).filter(|word| !word.starts_with(STANDING))
}

/// Returns the number of facts that a part of the document states.
pub(super) fn facts_in(found: &Findings, range: &Range<usize>) -> usize {
    let stated = found.statements.iter().filter(|statement| statement.force == Basis::Stated);
    stated.filter(|statement| range.contains(&statement.at)).count()
}

/// Returns whether a text is a digest rather than a word in place of one.
pub(super) fn is_digest(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    first.len() == 8 && first.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the number of units that a section shares with a record; 0 if they are fewer than half of either.
pub(super) fn shared(document: &Document, section: &Section, recorded: &str) -> usize {
    let old: Vec<&str> = marks_of(recorded).map(hash_of).collect();
    let units = units(document, section);
    let shared = units.iter().filter(|unit| old.contains(&unit.hash().as_str())).count();
    if shared * 2 < old.len().max(units.len()) { 0 } else { shared }
}

/// Returns whether a section is unchanged since it was recorded.
pub(super) fn is_same(document: &Document, section: &Section, recorded: &str) -> bool {
    recorded.split(' ').next() == Some(whole(&units(document, section)).as_str())
}

/// Returns the units that differ from the record.
pub(super) fn changes(document: &Document, section: &Section, recorded: &str) -> Vec<TextChange> {
    if is_same(document, section, recorded) {
        return Vec::new();
    }
    let units = units_with(document, section, false);
    let marks: Vec<&str> = marks_of(recorded).collect();
    let old: Vec<&str> = marks.iter().map(|mark| hash_of(mark)).collect();
    let is_old = |hash: &String| old.contains(&hash.as_str());
    let in_form = |unit: &TextUnit| {
        let own = unit.hash();
        let others = if is_old(&own) { Vec::new() } else { unit.in_other_forms(document) };
        others.iter().map(|says| hash(says)).find(is_old).unwrap_or(own)
    };
    let hashes: Vec<String> = units.iter().map(in_form).collect();
    let new: Vec<&str> = hashes.iter().map(String::as_str).collect();
    let mut runs: Vec<(Vec<usize>, Vec<usize>, usize)> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let (tag, old, new) = op.as_tag_tuple();
        if tag != DiffTag::Equal {
            let end = new.end;
            runs.push((old.collect(), new.collect(), end));
        }
    }
    let is_of_headings = runs.iter().all(|(_, added, _)| added.iter().all(|index| units[*index].is_heading()));
    drop_moved(&mut runs, &old, &new, &units);
    // The order of sections has no meaning.
    if is_of_headings
        && !runs.is_empty()
        && runs.iter().all(|(removed, added, _)| removed.is_empty() && added.is_empty())
    {
        return Vec::new();
    }
    let mut changes = renumbered(&mut runs, &marks, &units);
    for (removed, added, next) in runs {
        let new: Vec<Range<usize>> = added.iter().skip(removed.len()).map(|index| units[*index].at.clone()).collect();
        for nth in 0..removed.len().max(added.len()) {
            let now = added.get(nth).map(|index| units[*index].at.clone());
            let at = now.as_ref().map_or_else(|| place_of_gone(&units, next, section), |now| now.start);
            let was = removed.get(nth).map(|index| marks[*index].to_owned());
            let beside = if was.is_some() { new.clone() } else { Vec::new() };
            changes.push(TextChange { now, at, was, beside });
        }
    }
    if changes.is_empty() {
        // With equal hashes, or rows moved between tables, the section is known but not the place.
        let (now, at) = (Some(section.at.clone()), section.at.start);
        changes.push(TextChange { now, at, was: None, beside: Vec::new() });
    }
    changes
}

/// Returns items that only have another number. They are removed from the runs.
fn renumbered(runs: &mut [(Vec<usize>, Vec<usize>, usize)], marks: &[&str], units: &[TextUnit]) -> Vec<TextChange> {
    let added: Vec<usize> = runs.iter().flat_map(|(_, added, _)| added.clone()).collect();
    let mut changes = Vec::new();
    for index in added {
        let Some((number, says)) = units[index].says.split_once(". ") else { continue };
        if !number.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let before: Vec<String> = (0..=HIGHEST_NUMBER).map(|number| hash(&format!("{number}. {says}"))).collect();
        let was = |removed: &usize| before.iter().any(|hash| hash == hash_of(marks[*removed]));
        let Some(removed) = runs.iter().flat_map(|(removed, ..)| removed).copied().find(was) else { continue };
        for (all_removed, all_added, _) in &mut *runs {
            all_removed.retain(|other| *other != removed);
            all_added.retain(|other| *other != index);
        }
        let now = units[index].at.clone();
        let was = Some(marks[removed].to_owned());
        changes.push(TextChange { at: now.start, now: Some(now), was, beside: Vec::new() });
    }
    changes
}

/// Returns the former place of a removed unit: the start of the next row, item or heading, or otherwise of the sentence
/// before it.
fn place_of_gone(units: &[TextUnit], next: usize, section: &Section) -> usize {
    let before = next.checked_sub(1).and_then(|before| units.get(before));
    match (before, units.get(next)) {
        (_, Some(next)) if next.set.is_some() || next.says.starts_with(HEADING) => next.at.start,
        (Some(before), _) => before.at.start,
        (None, Some(next)) => next.at.start,
        (None, None) => section.at.start,
    }
}

fn hash_of(mark: &str) -> &str {
    mark.get(..HASH).unwrap_or(mark)
}

/// Drops units of a set, and headings, that were only moved.
fn drop_moved(runs: &mut [(Vec<usize>, Vec<usize>, usize)], old: &[&str], new: &[&str], units: &[TextUnit]) {
    let added: Vec<usize> = runs.iter().flat_map(|(_, added, _)| added.clone()).collect();
    for index in added.into_iter().filter(|index| units[*index].set.is_some() || units[*index].is_heading()) {
        let is_it = |removed: &usize| old[*removed] == new[index];
        let Some(from) = runs.iter_mut().find(|(removed, ..)| removed.iter().any(is_it)) else { continue };
        if let Some(at) = from.0.iter().position(is_it) {
            from.0.remove(at);
        }
        runs.iter_mut().for_each(|(_, added, _)| added.retain(|other| *other != index));
    }
}

/// Returns the former place of a removed section's heading in the enclosing section; `None` if it was not there.
pub(super) fn place_of_heading(document: &Document, above: &Section, recorded: &str, heading: &str) -> Option<usize> {
    let wanted = hash(&heading_meaning(&wording::canonical(heading)));
    let old: Vec<&str> = marks_of(recorded).map(hash_of).collect();
    let index = old.iter().position(|hash| *hash == wanted)?;
    let units = units(document, above);
    // The closest earlier unit that still exists.
    let before = old[..index].iter().rev().find_map(|hash| units.iter().rposition(|unit| unit.hash() == *hash));
    let after = before.and_then(|before| units.get(before + 1).or_else(|| units.get(before))).map(|unit| unit.at.start);
    Some(after.unwrap_or(above.at.start))
}

/// Returns the words of the unit that had a mark, in a former version of the document.
pub(super) fn words_of(was: &Document, mark: &str) -> Option<Range<usize>> {
    let units = was.sections.iter().flat_map(|section| units(was, section));
    units.into_iter().find(|unit| unit.hash() == hash_of(mark)).map(|unit| unit.at)
}
