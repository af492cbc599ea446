//! Incremental generation: only changed files are generated, with the same result as a full run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::Index;
use tempfile::TempDir;
use tradeapi_gen::{Diagnostics, Generator, Layout, Report};
use tradeapi_tests::folders;

/// The record of a run for the next one.
const RECORD: &str = ".tradeapi-gen";

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn generate(schema: &Path, out: &Path) -> Result<Report, Diagnostics> {
    Generator::new().schema_dir(schema).out_dir(out).layout(Layout::Crate).generate()
}

/// Returns the files below a folder, other than the record.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let all = paths(folder).into_iter().filter(|path| !path.ends_with(RECORD));
    all.map(|path| (path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap())).collect()
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> = entries.flat_map(|path| if path.is_dir() { paths(&path) } else { vec![path] }).collect();
    all.sort();
    all
}

fn names(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

/// An event between two runs.
#[derive(Clone, Debug)]
enum Event {
    /// A line of the schema is edited.
    Line(Index, Index, Edit),
    /// A file of the schema is deleted.
    SchemaFile(Index),
    /// An emitted file is edited by hand, or deleted.
    Emitted(Index, Option<String>),
    /// The record is truncated and extended.
    Record(Index, Index, String),
    /// The record or the manifest is deleted.
    Hidden(&'static str),
}

#[derive(Clone, Debug)]
enum Edit {
    Delete,
    Repeat,
    /// A word is appended.
    Append(String),
    /// The line changes places with the next one.
    Swap,
    /// An empty line is added, which moves the following lines.
    Gap,
}

fn event() -> impl Strategy<Value = Event> {
    let edit = prop_oneof![
        2 => Just(Edit::Delete),
        1 => Just(Edit::Repeat),
        4 => "[a-z]{1,8}".prop_map(|word| Edit::Append(format!(" {word}"))),
        1 => "[0-9]".prop_map(Edit::Append),
        1 => Just(Edit::Swap),
        1 => Just(Edit::Gap),
    ];
    prop_oneof![
        12 => (any::<Index>(), any::<Index>(), edit).prop_map(|(file, line, edit)| Event::Line(file, line, edit)),
        1 => any::<Index>().prop_map(Event::SchemaFile),
        2 => (any::<Index>(), prop::option::of("[ -~]{0,9}")).prop_map(|(file, text)| Event::Emitted(file, text)),
        2 => (any::<Index>(), any::<Index>(), "[ -~\n]{0,9}").prop_map(|(at, to, with)| Event::Record(at, to, with)),
        1 => prop::sample::select(vec![RECORD, ".manifest"]).prop_map(Event::Hidden),
    ]
}

impl Event {
    fn happen(&self, schema: &Path, out: &Path) {
        match self {
            Self::Line(file, line, edit) => {
                let path = file.get(&paths(schema)).clone();
                let text = fs::read_to_string(&path).unwrap();
                fs::write(path, edit.apply(&text, line)).unwrap();
            }
            Self::SchemaFile(file) => fs::remove_file(file.get(&paths(schema))).unwrap(),
            Self::Emitted(file, text) => {
                let emitted: Vec<_> = paths(out).into_iter().filter(|path| path.extension().is_some()).collect();
                let path = file.get(&emitted);
                match text {
                    Some(text) => fs::write(path, fs::read_to_string(path).unwrap() + text).unwrap(),
                    None => fs::remove_file(path).unwrap(),
                }
            }
            Self::Record(at, to, with) => {
                let whole = fs::read(out.join(RECORD)).unwrap_or_default();
                let (a, b) = (at.index(whole.len() + 1), to.index(whole.len() + 1));
                fs::write(out.join(RECORD), [&whole[..a.min(b)], with.as_bytes(), &whole[a.max(b)..]].concat())
                    .unwrap();
            }
            Self::Hidden(name) => drop(fs::remove_file(out.join(name))),
        }
    }
}

impl Edit {
    fn apply(&self, text: &str, at: &Index) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let at = at.index(lines.len());
        match self {
            Self::Delete => drop(lines.remove(at)),
            Self::Repeat => lines.insert(at, lines[at].clone()),
            Self::Append(word) => lines[at].push_str(word),
            Self::Swap => lines.swap(at, (at + 1).min(text.lines().count() - 1)),
            Self::Gap => lines.insert(at + 1, String::new()),
        }
        lines.join("\n") + "\n"
    }
}

/// Runs after each event, and compares the files with those of a run into an empty folder.
fn live_through(from: &Path, events: &[Event]) {
    let (schema, out) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    folders::copy(from, schema.path());
    // The schemas for editors are not part of it.
    drop(fs::remove_dir_all(schema.path().join(".schema")));
    generate(schema.path(), out.path()).unwrap();
    for event in events {
        let before = TempDir::new().unwrap();
        folders::copy(schema.path(), before.path());
        event.happen(schema.path(), out.path());
        let there = files(out.path());
        let fresh = TempDir::new().unwrap();
        match (generate(schema.path(), out.path()), generate(schema.path(), fresh.path())) {
            (Ok(_), Ok(_)) => assert_eq!(files(out.path()), files(fresh.path()), "after {event:?}"),
            (Err(one), Err(other)) => {
                assert_eq!(one, other);
                assert_eq!(files(out.path()), there, "with a mistake nothing is written: {event:?}");
                // Continues with a valid schema.
                fs::remove_dir_all(schema.path()).unwrap();
                folders::copy(before.path(), schema.path());
            }
            (one, other) => panic!("after {event:?}: {one:?}, but anew {other:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 20, ..ProptestConfig::default() })]

    #[test]
    fn an_incremental_run_equals_a_full_run(events in prop::collection::vec(event(), 1..8)) {
        live_through(&workspace().join("tests/downstream/schema"), &events);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, max_shrink_iters: 4, ..ProptestConfig::default() })]

    #[test]
    fn so_it_is_with_the_schema_of_the_project(events in prop::collection::vec(event(), 4..5)) {
        live_through(&workspace().join("schema"), &events);
    }
}

/// With the inputs of the last run nothing is made; after an edit, the files with the same content stay.
#[test]
fn an_edit_of_an_operation_writes_the_files_that_it_changes() {
    let (schema, out) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    folders::copy(&workspace().join("schema"), schema.path());
    let first = generate(schema.path(), out.path()).unwrap();
    let record = || fs::read_to_string(out.path().join(RECORD)).unwrap();
    let before = record();

    let nothing = generate(schema.path(), out.path()).unwrap();
    assert_eq!((nothing.written.len(), nothing.unchanged.len()), (0, first.written.len()));
    assert_eq!(nothing.read, first.read);
    assert_eq!(record(), before);

    let operation = schema.path().join("unified/assets.yaml");
    let text = fs::read_to_string(&operation).unwrap();
    fs::write(&operation, text.replacen("\ndoc: ", "\ndoc: Really ", 1)).unwrap();
    let edited = generate(schema.path(), out.path()).unwrap();
    let written = names(&edited.written);
    assert!(written.contains(&"get_account_assets.rs".to_owned()), "{written:?}");
    let others = written
        .iter()
        .filter(|name| !["get_account_assets.rs", "mod.rs", "client.rs", "lib.rs"].contains(&name.as_str()));
    assert_eq!(others.collect::<Vec<_>>(), Vec::<&String>::new(), "{written:?}");
}

/// Some files depend on other operations: the module of a family, the table of codes, the records in which a batch
/// finds codes, and a listing in which another operation finds its records.
#[test]
fn a_change_of_another_operation_reaches_the_files_that_read_it() {
    let edits: [(_, &[&str], _, _, _); 4] = [
        ("schema", &["unified/fills.yaml"], "\ndoc: ", "\ndoc: Really ", "mod.rs"),
        (
            "schema",
            &["unified/place-batch.yaml"],
            "{ as: place-order.futures-qty-step,",
            "{ as: place-order.futures-qty-step, id: qty-step,",
            "codes.rs",
        ),
        ("schema", &["classic/batch-cancel-orders.yaml"], "\n    code: errorCode", "", "records.rs"),
        (
            "tests/apis/schema/bybit",
            &["order/create.yaml", "order/create-batch.yaml"],
            "\n  then: history",
            "",
            "get_order_history.rs",
        ),
    ];
    for (from, edited, old, new, reader) in edits {
        let (schema, out, fresh) = (TempDir::new().unwrap(), TempDir::new().unwrap(), TempDir::new().unwrap());
        folders::copy(&workspace().join(from), schema.path());
        generate(schema.path(), out.path()).unwrap();
        for file in edited {
            let text = fs::read_to_string(schema.path().join(file)).unwrap();
            assert!(text.contains(old), "{file} has no {old:?}");
            fs::write(schema.path().join(file), text.replace(old, new)).unwrap();
        }
        let written = generate(schema.path(), out.path()).unwrap().written;
        assert!(names(&written).contains(&reader.to_owned()), "{written:?}");
        generate(schema.path(), fresh.path()).unwrap();
        assert_eq!(files(out.path()), files(fresh.path()), "{edited:?}");
    }
}
