//! `export site`: everything that the schema says is on the pages, and nothing else; every link leads somewhere.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

mod codes;
mod facts;
mod files;
#[path = "../../../tests/src/folders.rs"]
mod folders;
mod links;
mod page;
mod rules;
mod search;
mod texts;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use tradeapi_gen::{Generator, Schema, Site, SiteOptions};

/// The schema of the project, and two of other exchanges.
const SCHEMAS: [&str; 3] = ["../schema", "../tests/downstream/schema", "../tests/fixtures/base"];

fn folder(schema: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(schema)
}

fn read(folder: &Path) -> Schema {
    Generator::new().schema_dir(folder).read().unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

fn site_of(folder: &Path) -> Site {
    read(folder).site(&SiteOptions::default()).unwrap()
}

/// Returns one of [`SCHEMAS`], read once: finding the cases of its rules takes longer than all else.
fn schema_in(name: &str) -> &'static Schema {
    static READ: LazyLock<[Schema; 3]> = LazyLock::new(|| SCHEMAS.map(|schema| read(&folder(schema))));
    let index = SCHEMAS.iter().position(|schema| *schema == name).expect("it is one of the three");
    &READ[index]
}

/// Returns the sites of [`SCHEMAS`], made once.
fn sites() -> impl Iterator<Item = (&'static str, &'static Site)> {
    static SITES: LazyLock<[Site; 3]> =
        LazyLock::new(|| SCHEMAS.map(|schema| schema_in(schema).site(&SiteOptions::default()).unwrap()));
    SCHEMAS.into_iter().zip(SITES.iter())
}

/// Returns the folder with the documents: beside the project, or named by `TRADEAPI_DOCS`.
fn documents() -> Option<PathBuf> {
    let named = std::env::var_os("TRADEAPI_DOCS").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| folder("../../shared/docs"));
    if !folder.is_dir() {
        eprintln!("SKIPPED: no documents in {}; name their folder with TRADEAPI_DOCS", folder.display());
    }
    folder.is_dir().then_some(folder)
}
