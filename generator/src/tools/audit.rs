//! Compares the documents with the schema: the statements of both, as facts.
//!
//! The documents are Markdown. [`readers`] turn sentences, lists and tables into statements, each with its place; text
//! that no reader understands is listed. [`claims`] are the statements of the schema about one document, under the same
//! keys. [`marks`] show which sentences have changed since a schema file was last checked against their section. So
//! each sentence is either unchanged, or differs in a fact, or is a change to review, even if no reader understands it.
//!
//! Beside documents, [`announced`] reads lists of changes.
//!
//! The readers are a grammar of words such as *required*, *default*, *at most*, *as above*; every name comes from the
//! document or the schema.

mod announced;
mod claims;
mod compare;
mod describe;
mod document;
mod drafting;
mod findings;
mod headings;
mod marks;
mod measures;
mod named;
mod numbered_rules;
mod open_questions;
mod operations;
mod readers;
mod report;
mod review;
mod text;
mod wording;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::model::{Api, Reading};
pub use announced::{Announced, Standing};
use claims::Claims;
use compare::{Discrepancy, DiscrepancyKind};
use document::Document;
pub(crate) use drafting::drafts;
use findings::{FactKind, Findings};
use readers::Elsewhere;
pub use report::Audit;
use report::{Group, Line, Share};
use review::Context;
use text::Span;

/// The texts of documents by their keys in `api.yaml`.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    texts: BTreeMap<String, String>,
    /// Further Markdown files of the folder by their names, which no document of `api.yaml` stands for.
    others: BTreeMap<String, String>,
}

impl Documents {
    /// Creates a single document.
    pub fn one(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { texts: BTreeMap::from([(id.into(), text.into())]), others: BTreeMap::new() }
    }

    /// Reads every document that a schema names.
    pub(crate) fn read(api: &Api, folder: &Path) -> Result<Self, Diagnostics> {
        let mut to = Diagnostics::default();
        let mut texts = BTreeMap::new();
        if api.documents.is_empty() {
            to.whole(Code::MissingKey, "the schema names no documents")
                .help("add `documents` to api.yaml, such as `shop-v1: { title: Shop }` for the file shop-v1.md");
        }
        for known in &api.documents {
            let path = folder.join(file_of(&known.id));
            match crate::compiler::plain_text::read(&path) {
                Ok(text) if text.trim().is_empty() => {
                    to.whole(Code::CannotRead, format!("the document {} is empty", path.display()))
                        .help("fetch it again: without its words, every fact would seem to be gone");
                }
                Ok(text) => {
                    texts.insert(known.id.clone(), text);
                }
                Err(error) => {
                    to.whole(Code::CannotRead, format!("cannot read the document {}: {error}", path.display()))
                        .help("name the folder that holds each of the `documents` of api.yaml as a Markdown file");
                }
            }
        }
        let is_other =
            |name: &String| name.strip_suffix(".md").is_some_and(|id| api.documents.iter().all(|known| known.id != id));
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let names = files.filter_map(|file| file.file_name().into_string().ok()).filter(is_other);
        let text = |name: &String| crate::compiler::plain_text::read(&folder.join(name)).unwrap_or_default();
        let others = names.map(|name| (text(&name), name)).map(|(text, name)| (name, text)).collect();
        to.into_result().map(|()| Self { texts, others })
    }

    /// Returns the files that are not compared, each with the operations of the schema whose paths stand there: a vendor
    /// may split a document.
    fn not_compared(&self, api: &Api) -> Vec<String> {
        let shown = |(name, text): (&String, &String)| {
            let words: BTreeSet<&str> = text.split(|c: char| c.is_whitespace() || "`.,;|?\"".contains(c)).collect();
            let has = api.operations().filter(|(_, operation)| words.contains(operation.path.text.as_str()));
            let ids: Vec<&str> = has.map(|(_, operation)| operation.id.as_str()).collect();
            if ids.is_empty() { name.clone() } else { format!("{name} (has {})", ids.join(", ")) }
        };
        self.others.iter().map(shown).collect()
    }

    fn parse(&self, id: &str, reading: Option<Reading>) -> Option<Document> {
        self.texts.get(id).map(|text| Document::parse(id, &file_of(id), text.clone(), reading))
    }

    /// Returns all documents with the parts of each operation in one section, and the lists of values that links between
    /// them lead to.
    fn folded(&self, api: &Api) -> (Vec<Document>, Elsewhere) {
        let pages = api.documents.iter().filter_map(|known| self.parse(&known.id, known.reading.clone()));
        let mut pages: Vec<Document> = pages.collect();
        let elsewhere = Elsewhere::of(&pages);
        pages.iter_mut().for_each(|page| headings::fold(api, page));
        (pages, elsewhere)
    }
}

fn file_of(id: &str) -> String {
    format!("{id}.md")
}

/// Compares documents with a schema, any number of times.
pub struct Auditor<'a> {
    api: &'a Api,
    files: &'a [PathBuf],
    /// The claims of the schema about each document.
    claims: Vec<Claims<'a>>,
}

/// Compares a list of announced changes with a schema.
pub(crate) fn announced(api: &Api, files: &[PathBuf], path: &Path) -> Result<Announced, Diagnostics> {
    const FORM: &str =
        "name a Markdown file in which entries have dates, such as 2026-08-18, or stand below headings with dates";
    let shown = path.display().to_string();
    let found = crate::compiler::plain_text::read(path)
        .map_err(|error| format!("cannot read the list of changes {shown}: {error}"))
        .map(|text| announced::compare(api, files, &shown, text));
    let mut to = Diagnostics::default();
    match found {
        Ok(found) if found.is_empty() => {
            to.whole(Code::CannotRead, format!("no entry of {shown} has a date")).help(FORM)
        }
        Ok(found) => return Ok(found),
        Err(message) => to.whole(Code::CannotRead, message).help(FORM),
    };
    Err(to)
}

impl<'a> Auditor<'a> {
    pub(crate) fn new(api: &'a Api, files: &'a [PathBuf]) -> Self {
        Self { api, files, claims: api.documents.iter().map(|known| Claims::of(api, &known.id)).collect() }
    }

    /// Compares documents with the schema. `were` holds the documents as last reviewed; with them, changed words are
    /// reported together with the former text.
    pub fn audit(&self, documents: &Documents, were: &Documents) -> Audit {
        let mut audit = Audit::default();
        audit.not_compared = documents.not_compared(self.api);
        let (pages, elsewhere) = documents.folded(self.api);
        let (were, _) = were.folded(self.api);
        for now in pages {
            let known = self.api.documents.iter().position(|known| known.id == now.id);
            let was = were.iter().find(|was| was.id == now.id);
            if let Some(claims) = known.and_then(|known| self.claims.get(known)) {
                document(self, claims, now, was, &elsewhere, &mut audit);
            }
        }
        audit
    }
}

fn document(
    &Auditor { api, files, .. }: &Auditor<'_>,
    claims: &Claims<'_>,
    mut document: Document,
    was: Option<&Document>,
    elsewhere: &Elsewhere,
    audit: &mut Audit,
) {
    headings::restore(api, &mut document);
    if is_another(claims, &document) {
        let text = format!(
            "{}:1: neither a path nor half of the headings of its {} operations stand there: is it another document, or a \
             page about an error?",
            document.file,
            claims.operations.len()
        );
        audit.lines.push(Line { group: Group::SchemaOnly, file: document.file, line: 1, text });
        return;
    }
    let renamed = headings::rename(api, claims, &mut document);
    marks::restore_columns(&api.reviewed, &mut document);
    let document = &document;
    let had_name = |now: Span<'_>, old: &str| marks::had_name(document, now, old);
    let mut found = readers::read(document, claims, &[], elsewhere, &had_name);
    let new_sections = found.new_sections.clone();
    // A section that stands there twice is read once.
    let is_read = |at: usize| document.section_of(at).is_some_and(|own| document.is_section(&own.heading, own));
    let is_new = |at: usize| new_sections.iter().any(|range| range.contains(&at)) || !is_read(at);
    let questions = open_questions::compare(document, claims, is_new);
    let rules = numbered_rules::compare(document, claims, is_new);
    found.read.extend(questions.read.iter().map(|clause| clause.range()));
    let mut compared = compare::compare(document, claims, &found);
    compared.differences.extend(renamed);
    let removed = removed_files(claims, &found);
    let is_left = |difference: &Discrepancy| difference.place.is_none_or(|place| !removed.contains(&place.file));
    compared.differences.extend(free_wording(&questions, &rules).into_iter().filter(is_left));

    let review = review::review(api, document, &found);
    review.place(document, claims, &mut compared.differences);
    let (standing, differences) = review.standing(document, std::mem::take(&mut compared.differences));
    compared.differences = differences;
    audit.standing += standing.len();
    audit.lines.extend(compared.differences.iter().map(|difference| Line::of(document, files, difference)));
    let elsewhere = |difference: &Discrepancy| difference.elsewhere.as_ref().map(|(at, _)| *at);
    let reported: Vec<usize> = compared
        .differences
        .iter()
        .flat_map(|difference| [Some(difference.at), elsewhere(difference)])
        .flatten()
        .collect();
    let (found, compared) = (&found, &compared);
    let rules_at = numbered_rules::places(document, claims);
    let (rules_at, removed) = (&rules_at, &removed);
    let context =
        Context { files, document, was, claims, found, compared, rules: rules_at, reported: &reported, removed };
    audit.lines.extend(review.lines(&context));
    audit.accept.extend(review.accepted(document, files, found, &[&standing, &compared.differences]));
    audit.shares.push(share(files, document, claims, found, compared, (&questions, &rules)));
}

/// Returns whether a document is another one than the schema names: it has no path and few headings of the operations.
fn is_another(claims: &Claims<'_>, document: &Document) -> bool {
    let known = &claims.operations;
    let has_path =
        |path: &str| document.sections.iter().any(|section| document.span(&section.body).text.contains(path));
    let headings = known.iter().filter(|known| document.section(known.heading).is_some()).count();
    known.len() > 1 && headings * 2 < known.len() && !known.iter().any(|known| has_path(&known.operation.path.text))
}

/// Returns the files of operations that a document no longer describes. Each is reported once.
fn removed_files(claims: &Claims<'_>, found: &Findings) -> Vec<u32> {
    let ids = found.missing.iter().filter(|(key, _)| key.kind == FactKind::Endpoint);
    ids.filter_map(|(key, _)| claims.operation_by_id(key.owner()?)).map(|operation| operation.place.file).collect()
}

/// Returns differences in statements that are compared by place and words rather than by a key.
fn free_wording(
    questions: &open_questions::ComparedQuestions<'_>,
    rules: &numbered_rules::ComparedRules<'_>,
) -> Vec<Discrepancy> {
    let only_document = |at, says| Discrepancy {
        kind: DiscrepancyKind::DocumentOnly,
        at,
        says: Some(says),
        place: None,
        has: None,
        elsewhere: None,
    };
    let only_schema = |at, place, has| Discrepancy {
        kind: DiscrepancyKind::SchemaOnly,
        at,
        says: None,
        place: Some(place),
        has: Some(has),
        elsewhere: None,
    };
    let unknown =
        questions.in_document_only.iter().map(|clause| only_document(clause.at, format!("`{}`", clause.text)));
    let open = questions
        .in_schema_only
        .iter()
        .map(|(entry, at)| only_schema(*at, entry.place, format!("not shown: {}", entry.says.0)));
    let unnamed = rules.in_document_only.iter().map(|(text, before)| Discrepancy {
        place: *before,
        has: Some("no rule names its number".to_owned()),
        ..only_document(text.at, "a numbered rule".to_owned())
    });
    let named = rules
        .in_schema_only
        .iter()
        .map(|(rule, at)| only_schema(*at, rule.place, format!("rule {} at `{}`", rule.id, rule.at)));
    unknown.chain(open).chain(unnamed).chain(named).collect()
}

fn share(
    files: &[PathBuf],
    document: &Document,
    claims: &Claims<'_>,
    found: &Findings,
    compared: &compare::ComparedFacts,
    (questions, rules): (&open_questions::ComparedQuestions<'_>, &numbered_rules::ComparedRules<'_>),
) -> Share {
    let mut facts = compared.facts.clone();
    facts.insert("rule", (rules.rules, rules.matched));
    facts.insert("notshown", (questions.listed, questions.listed - questions.unstated()));
    facts.retain(|_, (all, _)| *all > 0);
    Share {
        file: document.file.clone(),
        statements: compared.statements + questions.statements,
        matched_statements: compared.matched_statements + questions.matched,
        facts,
        not_found: compared
            .not_found
            .iter()
            .map(|(key, _, place)| format!("{key} · {}", report::shown_place(files, Some(*place))))
            .collect(),
        silent: claims.own.not_shown.saturating_sub(questions.listed),
        contradictions: claims.own.contradictions,
        observed: claims.own.observed,
        unread: findings::unread_lines(document, found),
    }
}
