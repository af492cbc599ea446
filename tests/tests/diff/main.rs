//! The classification of changes by `diff`, compared with the compiler.
//!
//! The table in `cases.rs` edits a small schema. For each case both crates are emitted, and code that uses every public
//! item of the older one is compiled against the newer one. `diff` must find a breaking change if and only if that
//! fails.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

mod cases;
mod compiler;
mod downstream;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use cases::{CASES, Case, Edit};
use tempfile::TempDir;
use tradeapi_gen::diff::{Bump, Change, Class, Diff, Difference, Format};
use tradeapi_gen::{Generator, Layout, Schema};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/change")
}

/// Most files of a case are those of the fixture.
static GENERATOR: LazyLock<Generator> = LazyLock::new(|| Generator::new().remember());

fn read(folder: &Path) -> Schema {
    GENERATOR.clone().schema_dir(folder).read().unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// The schema of the fixture, read once for all tests.
static OLD: LazyLock<Schema> = LazyLock::new(|| read(&fixture()));

/// A case with its schema, and with what differs from that of the fixture.
struct Compared {
    case: &'static Case,
    new: Schema,
    diff: Diff,
}

static COMPARED: LazyLock<Vec<Compared>> = LazyLock::new(|| {
    let compared = |case: &'static Case| {
        let new = read(edited(case.edits).path());
        Compared { case, diff: OLD.diff(&new), new }
    };
    CASES.iter().map(compared).collect()
});

/// Returns the schema of the fixture with the edits of a case.
fn edited(edits: &[Edit]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for family in ["", "house", "office"] {
        std::fs::create_dir_all(folder.path().join(family)).unwrap();
        for entry in std::fs::read_dir(fixture().join(family)).unwrap().map(Result::unwrap) {
            if entry.path().is_file() {
                std::fs::copy(entry.path(), folder.path().join(family).join(entry.file_name())).unwrap();
            }
        }
    }
    edits.iter().for_each(|edit| apply(folder.path(), edit));
    // A family without files does not exist.
    for family in ["house", "office"] {
        let _ = std::fs::remove_dir(folder.path().join(family));
    }
    folder
}

fn apply(folder: &Path, edit: &Edit) {
    let path = |name: &str| folder.join(format!("{name}.yaml"));
    match edit {
        Edit::Remove(name) => std::fs::remove_file(path(name)).unwrap(),
        Edit::Write(name, text) => {
            std::fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            std::fs::write(path(name), text).unwrap();
        }
        Edit::Replace(name, from, to) => {
            let text = std::fs::read_to_string(path(name)).unwrap();
            assert_eq!(text.matches(from).count(), 1, "{from:?} in {name}.yaml");
            std::fs::write(path(name), text.replace(from, to)).unwrap();
        }
    }
}

fn line(difference: &Difference) -> String {
    let change = match &difference.change {
        Change::Added => "new".to_owned(),
        Change::Removed => "gone".to_owned(),
        Change::Changed { what, old, new, prose } => match (old.as_str(), new.as_str(), prose) {
            ("", _, true) => format!("{what}: new text"),
            (_, "", true) => format!("{what}: text removed"),
            (_, _, true) => format!("{what}: reworded"),
            ("", new, _) => format!("{what}: {new} now"),
            (old, "", _) => format!("{what}: {old} no longer"),
            (old, new, _) => format!("{what}: {old} -> {new}"),
        },
        _ => panic!("{difference:?}"),
    };
    format!("{} {} {} {change}", difference.class, difference.kind, difference.subjects.join(", "))
}

fn has(diff: &Diff, class: Class) -> bool {
    diff.count(class) > 0
}

#[test]
fn each_case_gives_the_differences_of_the_table() {
    let mut wrong = Vec::new();
    for Compared { case: Case { name, expected, .. }, diff, .. } in &*COMPARED {
        let found: Vec<_> = diff.differences.iter().map(line).collect();
        if found != *expected {
            wrong.push(format!("{name}:\n  expected {expected:#?}\n  found {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(CASES.len() >= 40);
}

#[test]
fn the_table_has_every_class() {
    for class in Class::ALL {
        let named = |case: &&Case| case.expected.iter().any(|line| line.starts_with(class.as_str()));
        assert!(CASES.iter().filter(named).count() >= 5, "{class}");
    }
}

/// Returns the emitted files without the program, which needs a crate that is not compiled here and has no item for
/// others.
fn library(schema: &Schema) -> BTreeMap<String, String> {
    let mut files = schema.emit(Layout::Crate);
    files.retain(|file, _| !file.starts_with("cli"));
    files
}

/// Downstream code compiles if and only if `diff` finds nothing breaking.
#[test]
fn the_compiler_agrees_in_every_case() {
    let used = downstream::uses(&library(&OLD));
    let module = downstream::module(&used);
    let mut compiler = compiler::DownstreamCrates::new();
    let mut verdicts = BTreeMap::new();
    for Compared { case, new, diff } in &*COMPARED {
        let files = library(new);
        compiler.add(case.name, &files, &module);
        verdicts.insert(case.name, (diff, downstream::uses(&files)));
    }
    let broken = compiler.broken();
    let mut wrong = Vec::new();
    for (name, (diff, uses)) in &verdicts {
        let lines: Vec<_> = diff.differences.iter().map(line).collect();
        let (breaks, reason) = (broken.contains_key(*name), broken.get(*name).cloned().unwrap_or_default());
        // A number with another unit compiles with another meaning.
        let other_unit = |one: &&Difference| matches!(&one.change, Change::Changed { what, .. } if *what == "unit");
        let breaking = diff.differences.iter().filter(|one| one.class == Class::Breaking);
        if breaks != (breaking.filter(|one| !other_unit(one)).count() > 0) {
            wrong.push(format!("{name}: diff says {lines:#?}, the compiler says {breaks}: {reason}"));
        }
        // An addition has further uses; a change of texts has none.
        let (more, same) = (uses != &used, diff.bump() <= Bump::Patch);
        if (has(diff, Class::Additive) && !more) || (same && more) {
            wrong.push(format!(
                "{name}: diff says {lines:#?}, and there is {} to use",
                if more { "something else" } else { "the same" }
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn the_compiler_warns_of_deprecated_items() {
    let parameter = Edit::Replace(
        "house/lend-book",
        "gift: { type: YesNo,",
        "gift: { type: YesNo, deprecated: { since: v2, use: note },",
    );
    let operation = Edit::Replace("house/find-books", "effect: read\n", "effect: read\ndeprecated: {}\n");
    let field = Edit::Replace("house/types", "made: { type: time,", "made: { type: time, deprecated: { use: due },");
    let lawn = "lawn: { doc: On the lawn., deprecated: { since: v2, use: room } }";
    let value = Edit::Replace("house/types", "lawn: On the lawn.", lawn);
    let schema = read(edited(&[parameter, operation, field, value]).path());
    let files = schema.emit(Layout::Crate);
    let setter = "#[wire(\"gift\" from impl Into)]\n        #[deprecated(note = \"since v2; use note\")]\n";
    assert!(files["house/lend_book.rs"].contains(setter), "{}", files["house/lend_book.rs"]);
    let function = "#[deprecated(note = \"the document advises against it\")]\n    fn find_books(";
    assert!(files["house/mod.rs"].contains(function), "{}", files["house/mod.rs"]);
    let field = "#[deprecated(note = \"use due\")]\n        #[wire(\"made\"";
    assert!(files["house/records.rs"].contains(field), "{}", files["house/records.rs"]);
    let value = "#[deprecated(note = \"since v2; use room\")]\n        Lawn = ";
    assert!(files["house/enums.rs"].contains(value), "{}", files["house/enums.rs"]);
    // The crate itself uses them without warnings.
    assert!(files["lib.rs"].contains("#[allow(deprecated)]\npub mod house;"), "{}", files["lib.rs"]);
    let facts = schema.facts();
    for fact in [
        "house.find-books\t\t",
        "house.lend-book\tgift\t",
        "house.Loan\tmade\tuse due",
        "house.Place\tlawn\tsince v2; use room",
    ] {
        assert!(facts.iter().any(|line| line.starts_with(&format!("deprecated\t{fact}"))), "{fact}: {facts:#?}");
    }
}

/// Two arguments of one type: old code compiles, but sends each under the other's name.
#[test]
fn swapped_arguments_are_breaking_even_if_they_compile() {
    let two = |first: &str, second: &str| {
        let text = format!(
            "operation: move\ntitle: Move\nhttp: POST /v1/move\ndoc: Moves a book.\neffect: amend\nrequest:\n  \
             {first}: {{ type: integer, required: always, doc: A shelf. }}\n  {second}: {{ type: integer, required: always, doc: A shelf. }}\n\
             response: {{ object: Loan }}\nexamples: [{{ about: One., request: '{{\"source\": 1, \"target\": 2}}', response: '{{\"status\": \"fine\", \"answer\": {{}}}}' }}]\n"
        );
        let folder = edited(&[]);
        std::fs::write(folder.path().join("house/move.yaml"), text).unwrap();
        read(folder.path())
    };
    let diff = two("source", "target").diff(&two("target", "source"));
    let lines: Vec<_> = diff.differences.iter().map(line).collect();
    assert_eq!(lines, ["breaking arguments house.move order: source, target -> target, source"]);
}

/// A change that touches every class, in each format.
#[test]
fn the_three_formats() {
    let edits = [
        Edit::Replace("house/lend-book", "type: Borrower, required: always", "type: Borrower"),
        Edit::Replace("house/lend-book", "    min: 1\n", "    min: 2\n"),
        Edit::Replace("house/lend-book", "doc: A note.", "doc: A short note."),
        Edit::Replace("house/types", "It is not so. }", "It is not so., perhaps: Who knows. }"),
        Edit::Replace("house/find-books", "20/s per IP for branches", "30/s per UID for branches"),
    ];
    let folder = edited(&edits);
    let diff = read(&fixture()).diff(&read(folder.path()));
    let here = |text: String| {
        let text = text.replace(folder.path().to_str().unwrap(), "new");
        text.replace(fixture().to_str().unwrap(), "old")
    };
    assert_eq!(diff.bump(), Bump::Major);
    insta::assert_snapshot!("table", here(diff.render(Format::Table)));
    insta::assert_snapshot!("markdown", here(diff.render(Format::Markdown)));
    insta::assert_snapshot!("json", here(diff.render(Format::Json)));
    let nothing = read(&fixture()).diff(&read(&fixture()));
    assert_eq!(nothing.render(Format::Table), "no differences\n");
    assert_eq!(nothing.render(Format::Markdown), "Nothing differs.\n");
    assert!(nothing.render(Format::Json).contains(r#""bump": "none""#));
}

/// A reversed difference has the same subject, and the reverse of an addition is breaking.
#[test]
fn reversed_versions_give_reversed_differences() {
    for Compared { case, new, diff: there } in &*COMPARED {
        let back = new.diff(&OLD);
        let subjects = |diff: &Diff, change: &Change| -> BTreeSet<Vec<String>> {
            let of = diff.differences.iter().filter(|difference| difference.change == *change);
            of.map(|difference| difference.subjects.clone()).collect()
        };
        assert_eq!(subjects(there, &Change::Added), subjects(&back, &Change::Removed), "{}", case.name);
        assert_eq!(there.differences.len(), back.differences.len(), "{}", case.name);
    }
}
