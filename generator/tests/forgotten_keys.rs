//! A key of the schema that is forgotten in `diff` or in OpenAPI does not compile: each struct of the model is taken
//! apart there by the names of its members, without `..`.

#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Names, places, markup and what follows from several keys, which no mapping of the schema language becomes.
const NO_MAPPINGS: [&str; 7] = ["Path", "KeyPlaces", "Name", "Number", "Reviewed", "Markup", "Absence"];

/// Mappings of the emitted crate, and those that OpenAPI says in the words of `diff`.
const NOT_IN_OPENAPI: [&str; 7] =
    ["Chapter", "Market", "Program", "PoolReporting", "RefusedAddress", "SuccessWith", "Unit"];

/// Returns the code of a module and of those within it, but for `except`: a line for what each `impl` begins.
fn code(module: &str, except: &[&str]) -> String {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut text = fs::read_to_string(source.join(format!("{module}.rs"))).unwrap_or_default();
    let entries = fs::read_dir(source.join(module)).into_iter().flatten();
    let inner: BTreeSet<PathBuf> = entries.map(|entry| entry.unwrap().path().with_extension("")).collect();
    for path in inner {
        let name = path.file_name().unwrap().to_str().unwrap();
        if !except.contains(&name) {
            text += &code(&format!("{module}/{name}"), except);
        }
    }
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.map(|line| format!("{}{} ", if line.starts_with("impl") { "\n" } else { "" }, line.trim())).collect()
}

/// Returns the structs that a module declares with members.
fn structs(code: &str) -> Vec<&str> {
    let declared = code.split("pub(crate) struct ").skip(1);
    declared.filter_map(|rest| rest.split_once(" {").map(|(name, _)| name)).filter(|name| is_word(name)).collect()
}

fn is_word(text: &str) -> bool {
    text.chars().all(char::is_alphanumeric)
}

/// Returns whether a pattern names all members of a struct.
fn is_taken_apart(code: &str, name: &str) -> bool {
    let own = code.split("\nimpl").skip(1).filter(|item| {
        let head = item.split(" {").next().unwrap_or_default();
        head.rsplit(' ').next() == Some(name)
    });
    own.flat_map(|item| patterns(item, "Self")).chain(patterns(code, name)).any(|members| !members.contains(".."))
}

/// Returns the members in each pattern of a type: braces before `=`, or before the end of a parameter or of another
/// pattern.
fn patterns<'a>(code: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let start = format!("{name} {{ ");
    let starts: Vec<_> = code.match_indices(&start).map(|(at, _)| at).collect();
    starts.into_iter().filter(|at| !code[..*at].ends_with(char::is_alphanumeric)).filter_map(move |at| {
        let is_whole = |part: &&str| part.matches('{').count() == part.matches('}').count();
        let ends = code[at..].match_indices('}').map(|(end, _)| &code[at..=at + end]);
        let pattern = ends.take(20).find(is_whole)?;
        code[at + pattern.len()..].trim_start().starts_with(['=', '|', ')', ':', ',']).then_some(pattern)
    })
}

#[test]
fn each_struct_of_the_model_is_taken_apart_for_differences_and_for_openapi() {
    let declarations = code("compiler/model", &["builder", "elements", "facts"]);
    let all = structs(&declarations);
    assert!(all.len() > 60, "{all:?}");
    let forgotten = |code: &str, except: &[&str]| -> Vec<&str> {
        let mappings = all.iter().filter(|name| !NO_MAPPINGS.contains(name) && !except.contains(name));
        mappings.filter(|name| !is_taken_apart(code, name)).copied().collect()
    };
    let model = code("compiler/model", &["builder"]);
    let of_builders = [" Builder<", " FamilyBuilder<"];
    let items = model.split("\nimpl").filter(|item| !of_builders.iter().any(|of| item.starts_with(of)));
    let taken_apart = items.collect::<Vec<_>>().join("\nimpl");
    assert_eq!(forgotten(&taken_apart, &[]), Vec::<&str>::new(), "`diff`");
    assert_eq!(forgotten(&code("tools/export/openapi", &[]), &NOT_IN_OPENAPI), Vec::<&str>::new(), "OpenAPI");
}

/// Keys that are words of several mappings, or that a builder or a type of their own reads.
const SAID_AGAIN: [&str; 11] = [
    "access_of",
    "before_signature",
    "client_id",
    "dated_by",
    "left_out",
    "not_shown",
    "one_of",
    "refused_address",
    "remaining_calls",
    "remaining_calls_in",
    "significant_digits",
];

/// Keys of mappings that are read as two things: a field as a parameter or as a part of a record, a choice as a
/// parameter or as the cases of a record.
const READ_TWICE: [&str; 5] = ["choose_by", "comes_only", "max_items", "may_be", "rate_limit"];

/// Returns the keys that blocks of a macro declare, as far as nothing else has such a name: those of several words.
fn keys(text: &str, declared_by: &str) -> BTreeSet<String> {
    let begin = format!("\n{declared_by}! {{\n");
    let blocks = text.split(begin.as_str()).skip(1);
    let rows = blocks.flat_map(|block| block.split("\n}\n").next().unwrap_or_default().lines());
    let names = rows.filter_map(|row| row.strip_prefix("        ")?.split_once(": ").map(|(name, _)| name));
    let names = names.map(|name| name.trim_start_matches("@required ").to_owned());
    names.filter(|name| name.contains('_') && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')).collect()
}

/// Returns the files of the language, from the form in files to facts and differences, that name a key in their code.
/// Sentences about keys for pages, in `phrases.rs`, are a use of theirs.
fn files_with(key: &str, all: &[(PathBuf, String)]) -> Vec<PathBuf> {
    let is_named = |code: &str| code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == key);
    all.iter().filter(|(_, code)| is_named(code)).map(|(path, _)| path.clone()).collect()
}

#[test]
fn a_key_is_said_in_few_files() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/compiler");
    let mut files = vec![source.join("model.rs")];
    let mut folders = vec![source.join("load"), source.join("model")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.retain(|path| !path.ends_with("phrases.rs"));
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text.lines().filter(is_code).map(|line| format!("{line}\n")).collect::<String>())
    };
    let all: Vec<_> = files.into_iter().map(read).collect();
    // A row is the form, the model, the comparison and the documentation; a second file may check it. The model, the
    // comparison and the documentation of another key stand in one file.
    for (declared_by, least_keys) in [("declared", 10), ("mappings", 25)] {
        let raw =
            all.iter().filter(|(path, _)| path.ancestors().any(|part| part.with_extension("").ends_with("load/raw")));
        let keys: BTreeSet<String> = raw.flat_map(|(_, text)| keys(text, declared_by)).collect();
        let keys: Vec<_> = keys.iter().filter(|key| !SAID_AGAIN.contains(&key.as_str())).collect();
        assert!(keys.len() >= least_keys, "{keys:?}");
        let said: Vec<_> = keys.iter().map(|key| (key, files_with(key, &all))).collect();
        let most = |key: &str| if READ_TWICE.contains(&key) { 3 } else { 2 };
        let often: Vec<_> = said.iter().filter(|(key, files)| files.is_empty() || files.len() > most(key)).collect();
        assert!(often.is_empty(), "keys of `{declared_by}!` in too many files: {often:#?}");
    }
}
