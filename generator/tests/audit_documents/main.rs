//! The audit over the real documents, as they are and changed in many ways. The documents are not part of the project:
//! where their folder is not there, these tests say so and pass.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

mod announced;
mod by_hand;
mod needs;
mod same;
mod steps;
mod turned;

use std::ops::Range;
use std::path::{Path, PathBuf};

use tradeapi_gen::{Audit, Auditor, Documents, Generator, Schema};

/// The documents by their keys in `api.yaml`.
const DOCUMENTS: [&str; 2] = ["classic-futures-v2", "unified-v3"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The schema and the texts of the documents, which are beside the project, or in the folder that `TRADEAPI_DOCS`
/// names.
struct Subject {
    auditor: Auditor<'static>,
    texts: [String; 2],
}

impl Subject {
    fn read() -> Option<Self> {
        let named = std::env::var_os("TRADEAPI_DOCS").map(PathBuf::from);
        let folder = named.unwrap_or_else(|| root().join("../shared/docs"));
        let texts = DOCUMENTS.map(|id| std::fs::read_to_string(folder.join(format!("{id}.md"))));
        let [Ok(classic), Ok(unified)] = texts else {
            eprintln!("SKIPPED: no documents in {}; name their folder with TRADEAPI_DOCS", folder.display());
            return None;
        };
        let schema: &'static Schema =
            Box::leak(Box::new(Generator::new().schema_dir(root().join("schema")).read().unwrap()));
        Some(Self { auditor: schema.auditor(), texts: [classic, unified] })
    }

    /// Returns the audit of one document with another text.
    fn audit(&self, document: usize, text: &str) -> Audit {
        self.auditor.audit(&Documents::one(DOCUMENTS[document], text), &Documents::default())
    }
}

/// Returns the code with which the program exits.
fn code(audit: &Audit) -> u8 {
    match (audit.differences(), audit.reviews()) {
        (0, 0) => 0,
        (0, _) => 3,
        _ => 1,
    }
}

/// A change of a document.
#[derive(Clone, Debug)]
struct Change {
    document: usize,
    at: Range<usize>,
    to: String,
}

impl Change {
    fn shown(&self, subject: &Subject) -> String {
        let text = &subject.texts[self.document];
        let line = text[..self.at.start].matches('\n').count() + 1;
        format!("{}:{line}: `{}` -> `{}`", DOCUMENTS[self.document], &text[self.at.clone()], self.to)
    }
}

/// Returns a document's text with some changes, none of which touches another.
fn changed(text: &str, changes: &[&Change]) -> String {
    let mut sorted: Vec<&&Change> = changes.iter().collect();
    sorted.sort_by_key(|change| std::cmp::Reverse(change.at.start));
    let mut text = text.to_owned();
    for change in sorted {
        text.replace_range(change.at.clone(), &change.to);
    }
    text
}

/// Does the same with all of them, on all cores.
fn on_all_cores<T: Sync, R: Send>(all: &[T], each: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let each = &each;
    std::thread::scope(|scope| {
        // By turns, so that no core has all of what takes long.
        let cores: Vec<_> = (0..cores)
            .map(|core| scope.spawn(move || all.iter().skip(core).step_by(cores).map(each).collect::<Vec<_>>()))
            .collect();
        cores.into_iter().flat_map(|core| core.join().unwrap()).collect()
    })
}

#[test]
fn the_current_documents_have_no_differences_and_are_understood() {
    let Some(subject) = Subject::read() else { return };
    for (document, text) in subject.texts.iter().enumerate() {
        let audit = subject.audit(document, text);
        let (all, found) = audit.facts();
        assert_eq!(code(&audit), 0, "{audit}");
        assert!(found * 100 >= all * 95, "{found} of {all}\n{audit}");
    }
}

/// A document may be cut off, as by a download that broke, and any of its sections may be missing.
#[test]
fn a_document_that_is_cut_off_is_audited() {
    let Some(subject) = Subject::read() else { return };
    let mut cut = Vec::new();
    for (document, text) in subject.texts.iter().enumerate() {
        let ends = (0..text.len()).step_by(2_000).filter(|end| text.is_char_boundary(*end));
        cut.extend(ends.map(|end| (document, text[..end].to_owned())));
        let starts: Vec<usize> = text.match_indices("\n#").map(|(at, _)| at).chain([text.len()]).collect();
        cut.extend(
            starts.windows(2).map(|section| (document, format!("{}{}", &text[..section[0]], &text[section[1]..]))),
        );
    }
    let codes = on_all_cores(&cut, |(document, text)| code(&subject.audit(*document, text)));
    assert!(codes.contains(&1), "what is missing is reported");
}
