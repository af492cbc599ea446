//! Prose against schema: what the documents state and what the schema states, compared as facts.
//!
//! The documents are Markdown. [`readers`] turn sentences, lists and tables into statements, each with its place; what
//! no reader knows is listed as such. [`claims`] are what the schema says of one document, by the same keys. [`marks`]
//! tell which lines changed since a schema file was last checked against their section, so that no change goes unseen.

mod accept;
mod claims;
mod compare;
mod describe;
mod document;
mod findings;
mod headings;
mod marks;
mod numbered_rules;
mod open_questions;
mod operations;
mod readers;
mod report;
mod review;
mod text;
mod unread;
mod wording;

use std::path::{Path, PathBuf};

use crate::diagnostics::{Code, Diagnostics};
use crate::model::Api;
use claims::Claims;
use compare::{Difference, Kind};
use document::Document;
use findings::{FactKind, Findings};
pub use report::Audit;
use report::{Line, Share};

/// Compares the documents of a folder with the schema.
pub(crate) fn audit(api: &Api, files: &[PathBuf], folder: &Path) -> Result<Audit, Diagnostics> {
    let mut to = Diagnostics::default();
    let mut audit = Audit::default();
    for known in &api.documents {
        let file = format!("{}.md", known.id);
        match std::fs::read(folder.join(&file)) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                document(api, files, Document::parse(&known.id, &file, text), &mut audit);
            }
            Err(error) => {
                to.whole(
                    Code::CannotRead,
                    format!("cannot read the document {}: {error}", folder.join(&file).display()),
                )
                .help("name the folder that holds each of the `documents` of api.yaml as a Markdown file");
            }
        }
    }
    to.into_result().map(|()| audit)
}

/// Compares the text of one document; also what the tests call.
fn document(api: &Api, files: &[PathBuf], mut document: Document, audit: &mut Audit) {
    let claims = Claims::of(api, &document.id);
    let renamed = headings::rename(api, &claims, &mut document);
    let document = &document;
    let mut found = readers::read(document, &claims);
    let new_sections = found.new_sections.clone();
    let is_new = |at: usize| new_sections.iter().any(|range| range.contains(&at));
    let questions = open_questions::compare(document, &claims, is_new);
    let rules = numbered_rules::compare(document, &claims, is_new);
    found.read.extend(questions.read.iter().map(|clause| clause.range()));
    let mut compared = compare::compare(document, &claims, &found);
    compared.differences.extend(renamed);
    let gone = gone_files(&claims, &found);
    let is_left = |difference: &Difference| difference.place.is_none_or(|place| !gone.contains(&place.file));
    compared.differences.extend(free_wording(&questions, &rules).into_iter().filter(is_left));

    let review = review::review(api, document, &found);
    review.place(document, &claims, &mut compared.differences);
    let shown = |difference: &Difference| Line::of(document, files, difference);
    audit.lines.extend(compared.differences.iter().map(shown));
    let told: Vec<usize> =
        audit.lines.iter().filter(|line| line.file == document.file).flat_map(Line::document_lines).collect();
    audit.lines.extend(review.lines(document, files, &found, &told, &gone));
    audit.accept.extend(review.accepted(document, files, &told));
    audit.shares.push(share(files, document, &claims, &found, &compared, (&questions, &rules)));
}

/// The files of operations that the document no longer describes: that is told once.
fn gone_files(claims: &Claims<'_>, found: &Findings) -> Vec<u32> {
    let ids = found.missing.iter().filter(|(key, _)| key.kind == FactKind::Endpoint);
    ids.filter_map(|(key, _)| claims.operation_by_id(key.owner()?)).map(|operation| operation.place.file).collect()
}

/// Differences of what is compared by its place and its words rather than by a key.
fn free_wording(questions: &open_questions::Compared<'_>, rules: &numbered_rules::Compared<'_>) -> Vec<Difference> {
    let difference =
        |kind, at, says: String, place, has: String| Difference { kind, at, says, place, has, elsewhere: None };
    let asked = questions.in_document_only.iter().map(|clause| {
        difference(Kind::DocumentOnly, clause.at, format!("`{}`", clause.text), None, "not there".to_owned())
    });
    let open = questions.in_schema_only.iter().map(|(entry, at)| {
        let has = format!("not shown: {}", entry.says);
        difference(Kind::SchemaOnly, *at, "not there".to_owned(), Some(entry.place), has)
    });
    let told = rules.in_document_only.iter().map(|text| {
        difference(
            Kind::DocumentOnly,
            text.at,
            "a numbered rule".to_owned(),
            None,
            "no rule names its number".to_owned(),
        )
    });
    let named = rules.in_schema_only.iter().map(|(rule, at)| {
        let has = format!("rule {} at `{}`", rule.id, rule.at);
        difference(Kind::SchemaOnly, *at, "not there".to_owned(), Some(rule.place), has)
    });
    asked.chain(open).chain(told).chain(named).collect()
}

fn share(
    files: &[PathBuf],
    document: &Document,
    claims: &Claims<'_>,
    found: &Findings,
    compared: &compare::Compared,
    (questions, rules): (&open_questions::Compared<'_>, &numbered_rules::Compared<'_>),
) -> Share {
    let mut facts = compared.facts.clone();
    facts.insert("rule", (rules.rules, rules.matched));
    facts.insert("notshown", (questions.listed, questions.listed - questions.in_schema_only.len()));
    facts.retain(|_, (all, _)| *all > 0);
    Share {
        file: document.file.clone(),
        statements: compared.statements + questions.statements,
        matched_statements: compared.matched_statements + questions.matched,
        facts,
        not_found: compared
            .not_found
            .iter()
            .map(|(key, place)| format!("{key} · {}", report::shown_place(files, Some(*place))))
            .collect(),
        silent: claims.own.not_shown.saturating_sub(questions.listed),
        contradictions: claims.own.contradictions,
        observed: claims.own.observed,
        unread: unread::lines(document, found),
    }
}
