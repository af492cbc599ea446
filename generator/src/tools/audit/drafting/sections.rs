//! The sections of documents: those that describe an operation, calls of one that another describes, and the others.

use std::collections::BTreeSet;

use super::super::document::{Document, Section};
use super::super::readers::endpoint;
use crate::compiler::diagnostics::{Code, Diagnostics, did_you_mean};
use crate::compiler::model::Api;
use crate::tools::draft::name_of_path;

/// The number of headings that a message lists.
const SHOWN: usize = 12;

/// Returns the sections of a document that describe an operation.
pub(super) fn described(document: &Document) -> impl Iterator<Item = (&Document, &Section)> {
    let describes = |section: &&Section| endpoint::find(document, section).is_some();
    document.sections.iter().filter(describes).map(move |section| (document, section))
}

/// Returns the sections that describe no operation and that no file lists in `reviewed`, each once.
pub(super) fn general(api: &Api, documents: &[Document]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for document in documents {
        let is_reviewed = |section: &Section| {
            let mut own = api.reviewed.iter().filter(|reviewed| reviewed.document == document.id);
            own.any(|reviewed| document.is_section(&reviewed.section.0, section))
        };
        let describes = |section: &Section| {
            endpoint::find(document, section).is_some() && !endpoint::is_in_a_call(document, section)
        };
        let general = document.sections.iter().filter(|section| !describes(section) && !is_reviewed(section));
        let general = general.filter(|section| document.is_section(&section.heading, section));
        found.extend(general.map(|section| (document.id.clone(), section.heading.clone())));
    }
    found
}

/// Returns a line about each section that names a method, as those of operations do, and no path beside it.
pub(super) fn without_address(documents: &[Document]) -> Vec<String> {
    let mut found = Vec::new();
    for document in documents {
        let is_one = |section: &&Section| {
            endpoint::find(document, section).is_none() && endpoint::names_a_method(document, section)
        };
        for section in document.sections.iter().filter(is_one) {
            let line = document.line(section.at.start);
            let heading = &section.heading;
            found.push(format!(
                "line {line} of {}: {heading} names a method, and no path was read beside it",
                document.file
            ));
        }
    }
    found
}

/// Returns the method and the path of an operation that a section describes.
pub(super) fn address(document: &Document, section: &Section) -> Option<(String, String)> {
    let (method, path) = endpoint::find(document, section)?;
    Some((method.text.to_owned(), endpoint::template(path)))
}

/// Takes out the sections that only show a call of what another section describes, and returns a line about each.
pub(super) fn take_calls(all: &mut Vec<(&Document, &Section)>) -> Vec<String> {
    let is_call = |(document, section): (&Document, &Section)| endpoint::is_in_a_call(document, section);
    let (calls, own): (Vec<_>, Vec<_>) = all.iter().copied().partition(|section| is_call(*section));
    let mut left_out = Vec::new();
    for (document, section) in calls {
        let described = own.iter().find(|(of, other)| address(of, other) == address(document, section));
        if let Some((_, other)) = described {
            let line = document.line(section.at.start);
            left_out.push(format!("line {line} of {}: a call of what {} describes", document.file, other.heading));
            all.retain(|(_, one)| !std::ptr::eq(*one, section));
        }
    }
    left_out
}

pub(super) fn no_section(title: &str, all: &[(&Document, &Section)]) -> Diagnostics {
    let headings: Vec<&str> = all.iter().map(|(_, section)| section.heading.as_str()).collect();
    let mut to = Diagnostics::default();
    let help = did_you_mean(title, headings.iter().copied()).unwrap_or_else(|| {
        let shown = headings.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
        let rest = headings.len().saturating_sub(SHOWN);
        match (shown.is_empty(), rest) {
            (true, _) => "use the heading of a section with a method and a path".into(),
            (false, 0) => format!("use the heading of a section with a method and a path: {shown}").into(),
            (false, rest) => {
                format!("use the heading of a section with a method and a path: {shown} and {rest} others").into()
            }
        }
    });
    to.whole(Code::UndefinedName, format!("no section `{title}` of the documents describes an operation")).help(help);
    to
}

/// Returns the name of an operation that no other has: of the last part of its path, with its method, or of more parts.
pub(super) fn free_name(document: &Document, section: &Section, taken: &BTreeSet<String>) -> String {
    let (method, path) = address(document, section).unwrap_or_default();
    let method = method.to_lowercase();
    let usual = name_of_path(&path);
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && !part.contains('{')).collect();
    let longer = (2..=parts.len()).map(|count| name_of_path(&parts[parts.len() - count..].join("-")));
    let numbered = (2..10_000).map(|n| format!("{usual}-{n}"));
    let names = [usual.clone(), format!("{method}-{usual}")].into_iter().chain(longer).chain(numbered);
    names.into_iter().find(|name| !taken.contains(name)).unwrap_or_else(|| usual.clone())
}
