//! Reading the schema and emitting the client, all in memory.
//!
//! The second table has thirty times as many families; the time for an operation must stay what it is.
//!
//! `cargo bench -p tradeapi-tests --bench generate`

use std::error::Error;
use std::fs;
use std::path::Path;

use measure::{Race, readable};
use tempfile::TempDir;
use tradeapi_gen::{Generator, Layout, Schema};

mod measure;

const COPIES: usize = 30;

fn main() -> Result<(), Box<dyn Error>> {
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema");
    let copies = TempDir::new()?;
    copy_schema(&real, copies.path())?;

    let once = measured("generate: the schema", &real, 41)?;
    let often = measured(&format!("generate: {COPIES} copies of the schema"), copies.path(), 5)?;
    println!(
        "\n  for each operation: {} and {}, that is {:.2} times as much",
        readable(once),
        readable(often),
        often / once
    );
    Ok(())
}

/// Prints what the schema in `folder` takes and gives the seconds for one operation.
fn measured(title: &str, folder: &Path, rounds: usize) -> Result<f64, Box<dyn Error>> {
    let generator = Generator::new().schema_dir(folder);
    let schema = generator.read()?;
    let operations = schema.counts().operations;
    let files = schema.emit(Layout::Crate);
    let bytes: usize = files.values().map(String::len).sum();
    let emitted = |schema: Schema| schema.emit(Layout::Crate);
    let medians = Race::new(format!("{title}: {operations} operations, {} files of {bytes} bytes", files.len()))
        .rounds(rounds)
        .way("read and emit", || generator.read().map(emitted))
        .way("read", || generator.read())
        .way("emit", || schema.emit(Layout::Crate))
        .run();
    Ok(medians.first().copied().unwrap_or_default() / operations as f64)
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
