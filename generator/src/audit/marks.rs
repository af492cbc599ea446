//! What a section was when it was last checked: a digest of its text, and a short mark for each of its lines, so that a
//! change is found at its line although the old text is not kept.

use sha2::{Digest as _, Sha256};

use super::document::{Document, Section};
use super::wording::number;

/// A mark has two parts: one of the whole line, and one of what tells facts in it.
const WHOLE: usize = 3;
const TELLS: usize = 2;

/// Words that change what a sentence says, in any such document.
const TELLING: [&str; 46] = [
    "all",
    "always",
    "any",
    "array",
    "base",
    "both",
    "conditional",
    "default",
    "defaults",
    "digits",
    "each",
    "either",
    "exactly",
    "hour",
    "hours",
    "day",
    "days",
    "week",
    "month",
    "months",
    "maximum",
    "minimum",
    "most",
    "least",
    "must",
    "never",
    "no",
    "string",
    "strings",
    "integer",
    "number",
    "boolean",
    "object",
    "objects",
    "list",
    "null",
    "blank",
    "none",
    "not",
    "only",
    "optional",
    "quote",
    "required",
    "wins",
    "without",
    "yes",
];

/// What became of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// The line; where one is gone, that of what follows it now.
    pub(super) line: usize,
    /// Numbers, names or words of obligation changed, not only the wording.
    pub(super) is_telling: bool,
    pub(super) is_gone: bool,
}

/// The digest of a section as a schema file records it.
pub(super) fn digest(document: &Document, section: &Section) -> String {
    let lines = lines(document, section);
    let mut whole = Sha256::new();
    for (_, text) in &lines {
        whole.update(text.as_bytes());
        whole.update(b"\n");
    }
    let mut digest = String::new();
    for byte in whole.finalize().iter().take(4) {
        digest.push_str(&format!("{byte:02x}"));
    }
    for (_, text) in &lines {
        digest.push(' ');
        digest.push_str(&mark(text));
    }
    digest
}

/// Whether a text is a digest, and not a word that asks for one.
pub(super) fn is_digest(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    first.len() == 8 && first.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The lines that differ from what was recorded; nothing when the section is as it was.
pub(super) fn changes(document: &Document, section: &Section, recorded: &str) -> Option<Vec<Change>> {
    let now = digest(document, section);
    if now.split(' ').next() == recorded.split(' ').next() {
        return None;
    }
    let old: Vec<&str> = recorded.split(' ').skip(1).collect();
    let new: Vec<&str> = now.split(' ').skip(1).collect();
    let lines = lines(document, section);
    let line_at = |index: usize| {
        let next = lines.get(index).map(|(line, _)| *line);
        next.unwrap_or_else(|| lines.last().map_or_else(|| first_line(document, section), |(line, _)| line + 1))
    };
    let mut changes = Vec::new();
    // Which words tell facts may change with this program; whether a line is the same may not.
    let of_line =
        |marks: &[&str]| marks.iter().map(|mark| mark.get(..WHOLE).unwrap_or_default().to_owned()).collect::<Vec<_>>();
    for op in similar::capture_diff_slices(similar::Algorithm::Myers, &of_line(&old), &of_line(&new)) {
        let (_, old_range, new_range) = op.as_tag_tuple();
        if op.tag() == similar::DiffTag::Equal {
            continue;
        }
        let paired = old_range.len().min(new_range.len());
        for (old_mark, index) in old_range.clone().map(|index| old[index]).zip(new_range.clone()) {
            let is_telling = old_mark.get(WHOLE..) != new[index].get(WHOLE..);
            changes.push(Change { line: line_at(index), is_telling, is_gone: false });
        }
        for index in new_range.clone().skip(paired) {
            let is_telling = lines.get(index).is_some_and(|(_, text)| !telling(text).is_empty());
            changes.push(Change { line: line_at(index), is_telling, is_gone: false });
        }
        for old_mark in old_range.skip(paired).map(|index| old[index]) {
            let is_telling = old_mark.get(WHOLE..) != mark("").get(WHOLE..);
            changes.push(Change { line: line_at(new_range.end), is_telling, is_gone: true });
        }
    }
    if changes.is_empty() {
        // Two texts of one mark: the section is known, the line is not.
        changes.push(Change { line: document.line(section.at.start), is_telling: true, is_gone: false });
    }
    Some(changes)
}

/// Where a line that is no more stood, by its text.
pub(super) fn place_of_gone(document: &Document, section: &Section, recorded: &str, text: &str) -> Option<usize> {
    let old: Vec<&str> = recorded.split(' ').skip(1).collect();
    let wanted = mark(&normal(text));
    let index = old.iter().position(|mark| mark.get(..WHOLE) == wanted.get(..WHOLE))?;
    let lines = lines(document, section);
    let now = digest(document, section);
    let new: Vec<&str> = now.split(' ').skip(1).collect();
    // The line before it that is still there.
    let before = old[..index].iter().rev().find_map(|mark| new.iter().rposition(|now| now == mark));
    before
        .and_then(|before| lines.get(before + 1).map(|(line, _)| *line))
        .or_else(|| Some(document.line(section.at.start)))
}

/// The line on which the text of an empty section stood.
fn first_line(document: &Document, section: &Section) -> usize {
    let next = document.line(section.at.end.saturating_sub(1)) + 1;
    let is_blank = document.text.get(document.line_range(next)).is_some_and(|line| line.trim().is_empty());
    next + usize::from(is_blank)
}

/// The lines of a section that hold text, and the headings right below it.
fn lines(document: &Document, section: &Section) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let mut add = |from: usize, to: usize| {
        let first = document.line(from);
        for (n, text) in document.text.get(from..to).unwrap_or_default().lines().enumerate() {
            let text = normal(text);
            if !text.is_empty() {
                lines.push((first + n, text));
            }
        }
    };
    add(section.body.start, section.body.end);
    let after = document.sections.iter().filter(|other| other.at.start > section.at.start);
    for below in after.take_while(|other| other.level > section.level) {
        if below.level == section.level + 1 {
            add(below.at.start, below.at.end);
        }
    }
    lines
}

/// A table's rule may be drawn in any length.
fn normal(text: &str) -> String {
    if text.chars().all(|c| "|-: ".contains(c)) {
        return String::new();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a section had a line when it was recorded.
pub(super) fn has_line(recorded: &str, line: &str) -> bool {
    let wanted = mark(&normal(line));
    recorded.split(' ').skip(1).any(|mark| mark.get(..WHOLE) == wanted.get(..WHOLE))
}

fn mark(text: &str) -> String {
    short(text, WHOLE) + &short(&telling(text).join(" "), TELLS)
}

/// A hash of a few characters, of digits and letters that are not mistaken for one another.
fn short(text: &str, length: usize) -> String {
    const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().take(length).map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
}

/// Numbers, names and words of obligation.
fn telling(text: &str) -> Vec<String> {
    let words = super::text::Span::new(text, 0).words();
    let tells = |word: &str| {
        let has_inner_capital = word.chars().skip(1).any(char::is_uppercase);
        let has_digit = word.chars().any(|c| c.is_ascii_digit());
        let lower = word.to_lowercase();
        has_inner_capital
            || has_digit
            || word.contains(['_', '/'])
            || number(&lower).is_some()
            || TELLING.contains(&lower.as_str())
    };
    words.into_iter().filter(|word| tells(word.text)).map(|word| word.text.to_lowercase()).collect()
}
