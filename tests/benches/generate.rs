//! Reading the schema and emitting the client, all in memory.
//!
//! Thirty copies of the schema take thirty times as long as one: the last table puts both beside each other.
//!
//! `cargo bench -p tradeapi-tests --bench generate`

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use measure::Race;
use tempfile::TempDir;
use tradeapi_gen::{Diagnostics, Generator, Layout};

mod measure;

const COPIES: usize = 30;
const ROUNDS: usize = 21;
const FEW_ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema");
    let copies = TempDir::new()?;
    copy_schema(&real, copies.path())?;

    measured("generate: the schema", &real, ROUNDS)?;
    measured(&format!("generate: {COPIES} copies of the schema"), copies.path(), FEW_ROUNDS)?;
    let (one, all) = (Generator::new().schema_dir(real), Generator::new().schema_dir(copies.path()));
    Race::new("generate: growth, all read and emitted")
        .rounds(FEW_ROUNDS)
        .all_threads()
        .way("the copies together", || files(&all))
        .way("the schema, as often as there are copies", || (0..COPIES).try_for_each(|_| files(&one).map(drop)))
        .run();
    Ok(())
}

/// Prints what the schema in `folder` takes.
fn measured(title: &str, folder: &Path, rounds: usize) -> Result<(), Diagnostics> {
    let generator = Generator::new().schema_dir(folder);
    let schema = generator.read()?;
    let files = files(&generator)?;
    let bytes: usize = files.values().map(String::len).sum();
    let operations = schema.counts().operations;
    Race::new(format!("{title}: {operations} operations, {} files of {bytes} bytes", files.len()))
        .rounds(rounds)
        .all_threads()
        .way("read and emit", || self::files(&generator))
        .way("read", || generator.read())
        .way("emit", || schema.emit(Layout::Crate))
        .run();
    Ok(())
}

fn files(generator: &Generator) -> Result<BTreeMap<String, String>, Diagnostics> {
    generator.read().map(|schema| schema.emit(Layout::Crate))
}

/// Writes every family so often, each time under another name and with other paths.
fn copy_schema(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    fs::copy(from.join("api.yaml"), to.join("api.yaml"))?;
    for family in fs::read_dir(from)?.collect::<Result<Vec<_>, _>>()? {
        if !family.file_type()?.is_dir() {
            continue;
        }
        let name = family.file_name().into_string().map_err(|_| "a family has no name")?;
        for copy in 0..COPIES {
            let folder = to.join(format!("{name}{copy:02}"));
            fs::create_dir(&folder)?;
            for file in fs::read_dir(family.path())? {
                let file = file?;
                let text = fs::read_to_string(file.path())?;
                let renamed = text
                    .replacen(&format!("family: {name}\n"), &format!("family: {name}{copy:02}\n"), 1)
                    .replacen("\nhttp: GET /", &format!("\nhttp: GET /{copy:02}/"), 1)
                    .replacen("\nhttp: POST /", &format!("\nhttp: POST /{copy:02}/"), 1);
                fs::write(folder.join(file.file_name()), renamed)?;
            }
        }
    }
    Ok(())
}
