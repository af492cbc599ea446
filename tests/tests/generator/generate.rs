//! Generation is deterministic, and the committed files are up to date.

use std::path::{Path, PathBuf};

use tradeapi_gen::{Generator, Layout};
use tradeapi_tests::folders;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

#[test]
fn the_committed_output_is_up_to_date() {
    let generator = Generator::new()
        .schema_dir(workspace().join("schema"))
        .out_dir(workspace().join("generated/src"))
        .layout(Layout::Crate);
    let differences = generator.compare().unwrap();
    let stale: Vec<_> =
        differences.iter().map(|one| format!("{}: {}\n{}", one.change, one.path.display(), one.diff)).collect();
    assert!(stale.is_empty(), "run `cargo run -- generate` and commit the result\n{}", stale.join("\n"));
}

/// Documentation is replaced by marks while code is formatted, and restored afterwards.
#[test]
fn no_mark_of_documentation_is_left() {
    for folder in ["schema", "tests/downstream/schema"] {
        let schema = Generator::new().schema_dir(workspace().join(folder)).read().unwrap();
        for layout in [Layout::Crate, Layout::Module] {
            for (name, text) in schema.emit(layout) {
                let line = text.lines().find(|line| line.contains('\u{1}') || line.contains("\\u{1}"));
                assert_eq!(line, None, "{name}");
            }
        }
    }
}

/// Copies the files of a schema to a folder in a given order.
fn copy(backwards: bool) -> tempfile::TempDir {
    let to = tempfile::Builder::new().prefix("ein Ordner, größer ").tempdir().unwrap();
    let mut files = yaml_files(&workspace().join("schema"));
    files.sort();
    if backwards {
        files.reverse();
    }
    for file in files {
        let target = to.path().join(file.strip_prefix(workspace().join("schema")).unwrap());
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(file, target).unwrap();
    }
    to
}

fn yaml_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => yaml_files(&path),
            false if path.extension().is_some_and(|kind| kind == "yaml") => vec![path],
            false => Vec::new(),
        })
        .collect()
}

#[test]
fn the_same_schema_gives_the_same_bytes_from_any_path_in_any_file_order() {
    let emit = |folder: &Path| Generator::new().schema_dir(folder).read().unwrap().emit(Layout::Crate);
    let (forwards, backwards) = (copy(false), copy(true));
    let here = emit(&workspace().join("schema"));
    assert_eq!(here, emit(forwards.path()));
    assert_eq!(here, emit(backwards.path()));
}

#[test]
fn emitted_files_are_clean_rust() {
    let schema = Generator::new().schema_dir(workspace().join("schema")).read().unwrap();
    for layout in [Layout::Crate, Layout::Module] {
        for (name, text) in schema.emit(layout) {
            syn::parse_file(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!text.contains("#[allow(") && !text.contains("#![allow("), "{name} silences lints");
            assert!(!text.contains("unsafe"), "{name} has unsafe code");
            assert!(text.lines().all(|line| !line.ends_with(' ')), "{name} has trailing spaces");
            assert!(text.ends_with("}\n") || text.ends_with(";\n"), "{name} has an odd end");
        }
    }
}

/// Each edit is seen, and what was read before an edit counts again after it is undone.
#[test]
fn a_generator_that_remembers_reads_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    folders::copy(&workspace().join("tests/fixtures/base"), folder.path());
    let plain = Generator::new().schema_dir(folder.path());
    let remembering = plain.clone().remember();
    let path = folder.path().join("house/lend-book.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    let other = text.replacen("title: Lend Book", "title: Lend A Book", 1);
    let facts = [&text, &text, &other, &text].map(|text| {
        std::fs::write(&path, text).unwrap();
        let [one, other] = [&plain, &remembering].map(|generator| generator.read().unwrap());
        assert_eq!(one.emit(Layout::Crate), other.emit(Layout::Crate));
        other.emit(Layout::Crate)
    });
    assert!(facts[0] == facts[1] && facts[1] != facts[2] && facts[3] == facts[0]);

    // The files behind a new one have other numbers, which mistakes refer to.
    std::fs::write(folder.path().join("codes.yaml"), "codes: {}\n").unwrap();
    std::fs::write(&path, text.replacen("effect: create", "effect: crate", 1)).unwrap();
    let [one, other] = [&plain, &remembering].map(|generator| generator.read().unwrap_err());
    assert_eq!(one, other);
}

/// A module is `include!`d, so its root cannot have inner attributes.
#[test]
fn the_root_of_a_module_can_be_included() {
    let schema = Generator::new().schema_dir(workspace().join("schema")).read().unwrap();
    let root = &schema.emit(Layout::Module)["api.rs"];
    assert!(!root.contains("//!") && !root.contains("#!["));
    assert!(!root.contains("feature ="), "a module has no cargo features of its own");
}

#[test]
fn counts_match_the_schema() {
    let schema = || Generator::new().schema_dir(workspace().join("schema")).read().unwrap();
    let (counts, facts) = (schema().documented().counts(), schema().facts());
    let of_kind = |kind: &str| facts.iter().filter(|fact| fact.split('\t').next() == Some(kind)).count();
    assert_eq!(counts.operations, of_kind("endpoint"));
    assert_eq!(counts.rules, of_kind("rule"));
    assert_eq!(counts.families, 3);
    assert_eq!(schema().counts().families, 4);
}
