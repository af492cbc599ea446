//! Compares what a document leaves open explicitly (`… : not shown`) with the open questions of the schema.

use std::collections::BTreeSet;

use super::claims::Claims;
use super::document::Document;
use super::text::Span;
use super::wording::{have_same_stem, likeness, stems};
use crate::compiler::model::OpenQuestion;

const MARK: &str = "not shown";

/// The result of comparing open questions.
pub(super) struct ComparedQuestions<'a> {
    /// The number of statements of the document that the schema lists.
    pub(super) matched: usize,
    pub(super) statements: usize,
    pub(super) listed: usize,
    pub(super) in_document_only: Vec<Span<'a>>,
    /// Entries that the document does not state, each with the byte of the section.
    pub(super) in_schema_only: Vec<(&'a OpenQuestion, usize)>,
    pub(super) read: Vec<Span<'a>>,
}

impl ComparedQuestions<'_> {
    /// Returns the number of entries that the document lacks in one of their sections at least.
    pub(super) fn unstated(&self) -> usize {
        self.in_schema_only.iter().map(|(entry, _)| entry.place).collect::<BTreeSet<_>>().len()
    }
}

/// An entry of the schema with the name of its family.
type Entry<'a> = (&'a str, &'a OpenQuestion);

/// Compares the sentences of each section with the entries that name the section.
pub(super) fn compare<'a>(
    document: &'a Document,
    claims: &Claims<'a>,
    skip: impl Fn(usize) -> bool,
) -> ComparedQuestions<'a> {
    let listed = claims.not_shown.iter().filter(|(_, entry)| !entry.at.is_empty());
    let of_section = |at: &str| document.section(at).map(|section| section.at.start);
    let entries: Vec<(Entry<'a>, Option<usize>)> =
        listed.clone().flat_map(|entry| entry.1.at.iter().map(|(at, _)| (*entry, of_section(at)))).collect();
    let mut found = ComparedQuestions {
        matched: 0,
        statements: 0,
        listed: listed.count(),
        in_document_only: Vec::new(),
        in_schema_only: Vec::new(),
        read: Vec::new(),
    };
    for section in document.sections.iter().filter(|section| !skip(section.at.start)) {
        let questions = questions(document.span(&section.body));
        let own = entries.iter().filter(|(_, at)| *at == Some(section.at.start));
        let own: Vec<Entry<'a>> = own.map(|(entry, _)| *entry).collect();
        let (answered, taken) = pair(&own, &questions);
        let unanswered = own.iter().enumerate().filter(|(index, _)| !answered.contains(index));
        found.in_schema_only.extend(unanswered.map(|(_, (_, entry))| (*entry, section.at.start)));
        for (index, question) in questions.iter().enumerate() {
            found.statements += 1;
            found.read.push(question.clause);
            if taken.contains(&index) {
                found.matched += 1;
            } else {
                found.in_document_only.push(question.clause);
            }
        }
    }
    let without_section = entries.iter().filter(|(_, at)| at.is_none());
    found.in_schema_only.extend(without_section.map(|((_, entry), _)| (*entry, 0)));
    found
}

/// Returns the entries and the questions that match each other: the most similar first, and each question at most once
/// in a family.
fn pair(entries: &[Entry<'_>], questions: &[Question<'_>]) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let mut pairs: Vec<(usize, usize, usize)> = Vec::new();
    for (entry_at, (_, entry)) in entries.iter().enumerate() {
        let words = stems(&entry.says.0);
        let scored = questions.iter().enumerate().map(|(index, question)| (score(&words, question), entry_at, index));
        pairs.extend(scored.filter(|(score, ..)| *score > 0));
    }
    pairs.sort_by(|a, b| b.cmp(a));
    let (mut answered, mut taken) = (BTreeSet::new(), BTreeSet::new());
    for (_, entry, question) in &pairs {
        let family = entries[*entry].0;
        if !answered.contains(entry) && !taken.contains(&(family, *question)) {
            answered.insert(*entry);
            taken.insert((family, *question));
        }
    }
    // Several entries may come from one sentence, which then contains all of their words.
    for (index, (_, entry)) in entries.iter().enumerate() {
        let words = stems(&entry.says.0);
        let has = |of: &[String], word: &String| of.iter().any(|of| have_same_stem(of, word));
        let has_all =
            |question: &Question<'_>| words.iter().all(|word| has(&question.own, word) || has(&question.context, word));
        if questions.iter().any(has_all) {
            answered.insert(index);
        }
    }
    (answered, taken.into_iter().map(|(_, question)| question).collect())
}

/// Returns the clauses of a section that state that something is not shown.
pub(super) fn clauses(body: Span<'_>) -> Vec<Span<'_>> {
    questions(body).into_iter().map(|question| question.clause).collect()
}

struct Question<'a> {
    clause: Span<'a>,
    own: Vec<String>,
    context: Vec<String>,
}

/// Returns the similarity of an entry and a question; the words around the question break ties.
fn score(words: &[String], question: &Question<'_>) -> usize {
    100 * likeness(words, &question.own)
        + if question.own.is_empty() { 0 } else { likeness(words, &question.context).min(99) }
}

/// Returns each clause that ends with the mark, with its words.
fn questions(body: Span<'_>) -> Vec<Question<'_>> {
    let mut questions = Vec::new();
    let mut from = 0;
    while let Some(found) = body.text[from..].find(MARK) {
        let end = from + found + MARK.len();
        let start = clause_start(body.text, from + found);
        let clause = body.after(body.at + start).before(body.at + end).trim();
        let line_start = body.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let context = body.after(body.at + line_start).before(body.at + start);
        questions.push(Question { clause, own: stems(clause.text), context: stems(context.text) });
        from = end;
    }
    questions
}

/// Returns the start of the clause that ends at a byte: after a full stop, a semicolon, an opening parenthesis or the
/// border of a cell.
fn clause_start(text: &str, end: usize) -> usize {
    let mut depth = 0usize;
    for (at, c) in text[..end].char_indices().rev() {
        let next_is_space = text[at + c.len_utf8()..].starts_with(' ');
        match c {
            ')' => depth += 1,
            '(' if depth == 0 => return at + 1,
            '(' => depth -= 1,
            '\n' | '|' | ';' if depth == 0 => return at + 1,
            '.' if depth == 0 && next_is_space => return at + 1,
            _ => {}
        }
    }
    0
}
