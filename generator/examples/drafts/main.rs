//! Drafts OpenAPI files of one's own, and measures what comes of it: a row of a table for each file.
//!
//! ```sh
//! cargo run --example drafts -- exchange.yaml another.json
//! cargo run --example drafts -- --compile exchange.yaml       # also compiles the client that follows
//! cargo run --example drafts -- --documents folder another    # folders of documents, each with an api.yaml if it has one
//! ```
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a program for maintainers, which may stop")]

mod compare;
mod compile;
mod draft;
mod file;
mod fill;
mod prose;
mod stated;

use std::path::Path;

use tradeapi_gen::{Diagnostics, DraftSource, Format, Generator};

use compare::{Measured, compare};

const API: &str = "api: sample\nlanguage: 1\ndoc: An API to be drafted.\n";
const FAMILY: &str = "family: sample\ntitle: Sample\ndoc: An API to be drafted.\nnumbers: json\nerrors: {}\n";

/// The columns of the table.
const HEAD: &str = "\
| file | operations | parameters | enums | required | fields of answers | empty keys | not read | wrong in silence |
|---|---|---|---|---|---|---|---|---|";

fn main() {
    let (options, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let compiles = options.iter().any(|option| option == "--compile");
    if options.iter().any(|option| option == "--documents") {
        return measure_documents(&files);
    }
    println!("{HEAD}");
    for file in files {
        let room = tempfile::tempdir().unwrap();
        let file = Path::new(&file);
        let name = file.file_name().unwrap().to_string_lossy();
        let (measured, not_read) = match draft(file, room.path()) {
            Ok(found) => found,
            Err(mistakes) => {
                eprintln!("{name} is not drafted:\n{}", mistakes.render(Format::Short));
                continue;
            }
        };
        let Measured { operations, parameters, enums, required, answers, empty_keys, wrong, .. } = &measured;
        println!(
            "| {name} | {operations} | {parameters} | {enums} | {required} | {answers} | {empty_keys} | {not_read} | {} |",
            wrong.len()
        );
        wrong.iter().for_each(|wrong| eprintln!("wrong: {wrong}"));
        fill::fill(&room.path().join("schema/sample"));
        match generator(room.path()).generate() {
            Err(mistakes) => eprintln!("{name} does not pass:\n{}", mistakes.render(Format::Short)),
            Ok(_) if compiles && !compile::compiles(room.path(), &["out"]) => eprintln!("{name} does not compile"),
            Ok(_) => {}
        }
    }
}

/// Prints a row for each folder of documents.
fn measure_documents(folders: &[String]) {
    println!("{}", prose::HEAD);
    for folder in folders.iter().map(Path::new) {
        let room = tempfile::tempdir().unwrap();
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        match prose::measure(folder, room.path()) {
            Ok(measured) => {
                println!("| {name} | {measured} |");
                measured.wrong.iter().for_each(|wrong| eprintln!("wrong: {wrong}"));
            }
            Err(mistakes) => eprintln!("{name} is not drafted:\n{}", mistakes.render(Format::Short)),
        }
    }
}

fn generator(room: &Path) -> Generator {
    Generator::new().schema_dir(room.join("schema")).out_dir(room.join("out"))
}

/// Drafts a file into an empty schema; returns what was measured, and how many statements were not read.
fn draft(file: &Path, room: &Path) -> Result<(Measured, usize), Diagnostics> {
    let family = room.join("schema/sample");
    std::fs::create_dir_all(&family).unwrap();
    std::fs::write(room.join("schema/api.yaml"), API).unwrap();
    std::fs::write(family.join("family.yaml"), FAMILY).unwrap();
    let drafted = generator(room).draft("sample", &DraftSource::OpenApi(file.to_owned()))?;
    let (_, _, not_read) = drafted.statements.unwrap_or_default();
    Ok((compare(file, &family, &drafted), not_read))
}
