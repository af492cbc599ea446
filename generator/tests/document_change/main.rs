//! A document changed, what now? The guide's answer, played from its own commands on copies of documents, schema and
//! crates: a change of each class for a small API that is always there, and changes of the real documents where they
//! are.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

mod exchange;
mod garden;
mod guide;
mod play;
mod project;

use std::path::{Path, PathBuf};

use project::{Project, Sources, house};

/// One after the other, as the years go by.
#[test]
fn changes_of_a_small_api() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit");
    let sources = Sources {
        name: "garden",
        documents: fixture.join("docs"),
        schema: fixture.join("schema"),
        families: play::families(garden::CHANGES),
        desk: garden::DESK,
    };
    let project = Project::new(&sources);
    for change in garden::CHANGES {
        let transcript = play::play(&project, change);
        insta::assert_snapshot!(change.name.replace(' ', "_"), transcript);
    }
}

#[test]
fn changes_of_the_real_documents() {
    let Some(documents) = documents() else { return };
    let sources = Sources {
        name: "tradeapi",
        documents,
        schema: house().join("schema"),
        families: play::families(exchange::CHANGES),
        desk: exchange::DESK,
    };
    let project = Project::new(&sources);
    for change in exchange::CHANGES {
        play::play(&project, change);
    }
}

/// Returns the folder with the documents: beside the project, or named by `TRADEAPI_DOCS`.
fn documents() -> Option<PathBuf> {
    let named = std::env::var_os("TRADEAPI_DOCS").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| house().join("../shared/docs"));
    let is_there = exchange::DOCUMENTS.iter().all(|file| folder.join(file).is_file());
    if !is_there {
        eprintln!("SKIPPED: no documents in {}; name their folder with TRADEAPI_DOCS", folder.display());
    }
    is_there.then_some(folder)
}
