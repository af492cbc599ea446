//! The modules of the crate form layers: a module imports only from lower layers, and no imports form a circle between
//! folders. Files of one folder are one subject and may import each other.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules at the root of the crate, from the bottom to the top.
const ROOT: [&str; 6] = ["compiler", "tools", "generator", "guide", "cli", "main"];

/// The modules of the folders at the root, from the bottom to the top, as ARCHITECTURE.md lists them.
const FOLDERS: [(&str, &[&str]); 2] = [
    (
        "compiler",
        &[
            "json",
            "plain_text",
            "diagnostics",
            "words",
            "values",
            "references",
            "load",
            "model",
            "check",
            "select",
            "emit",
            "write",
            "earlier",
        ],
    ),
    (
        "tools",
        &[
            "compare",
            "revision",
            "rules",
            "list",
            "skeleton",
            "init",
            "draft",
            "operation_page",
            "drift",
            "diff",
            "export",
            "audit",
        ],
    ),
];

/// Modules that read the raw documents. Everything else reads the model.
const READERS_OF_LOAD: [&str; 3] = ["compiler::load", "compiler::model", "generator"];

/// Returns the source files by the paths of their modules, such as `model::builder`.
fn modules() -> BTreeMap<String, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = BTreeMap::new();
    let mut folders: Vec<PathBuf> = vec![source.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|ending| ending == "rs") {
                let path = entry.strip_prefix(&source).unwrap().with_extension("");
                let parts: Vec<_> = path.iter().map(|part| part.to_str().unwrap()).collect();
                assert!(
                    !parts.contains(&"mod"),
                    "{} stands in the folder of its module, not beside it",
                    path.display()
                );
                found.insert(parts.join("::"), fs::read_to_string(&entry).unwrap());
            }
        }
    }
    found.remove("lib");
    found
}

/// Returns the modules of the crate that a module names in a path: `crate::a::{b, c}` or `super::b::C`.
fn imports(module: &str, text: &str, known: &BTreeMap<String, String>) -> BTreeSet<String> {
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let starts = ["crate::", "super::"].into_iter().flat_map(|start| code.match_indices(start));
    let starts = starts.filter(|(at, _)| !code[..*at].ends_with("super::"));
    let paths = starts.flat_map(|(at, _)| paths(&code[at..]));
    paths.filter_map(|path| innermost(&absolute(module, &path), known)).filter(|other| other != module).collect()
}

/// Returns the paths that a text begins with: one, or each of a group in braces.
fn paths(text: &str) -> Vec<String> {
    let is_path = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let path: String = text.chars().take_while(|c| is_path(*c)).collect();
    let Some(group) = text[path.len()..].strip_prefix('{').filter(|_| path.ends_with("::")) else { return vec![path] };
    members(group).into_iter().flat_map(|member| paths(&format!("{path}{member}"))).collect()
}

/// Returns the members of a group, whose text begins behind its brace.
fn members(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut members) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth < 0 || (c == ',' && depth == 0) {
            members.push(group[start..at].trim());
            start = at + 1;
        }
        if depth < 0 {
            break;
        }
    }
    members
}

/// Returns a path from the root of the crate.
fn absolute(module: &str, path: &str) -> String {
    let mut base: Vec<&str> = module.split("::").collect();
    let mut rest = path;
    if let Some(path) = path.strip_prefix("crate::") {
        (base, rest) = (Vec::new(), path);
    }
    while let Some(path) = rest.strip_prefix("super::") {
        base.pop();
        rest = path;
    }
    base.into_iter().chain(rest.split("::")).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("::")
}

/// Returns the module that a path leads into.
fn innermost(path: &str, known: &BTreeMap<String, String>) -> Option<String> {
    let mut path = path;
    loop {
        if known.contains_key(path) {
            return Some(path.to_owned());
        }
        path = path.rsplit_once("::")?.0;
    }
}

/// Returns which modules import which, of those that stand side by side.
fn between_siblings() -> BTreeSet<(String, String)> {
    let known = modules();
    let mut edges = BTreeSet::new();
    for (module, text) in &known {
        for other in imports(module, text, &known) {
            let (own, other): (Vec<&str>, Vec<&str>) = (module.split("::").collect(), other.split("::").collect());
            let shared = own.iter().zip(&other).take_while(|(a, b)| a == b).count();
            // A module that holds the other one is not a sibling of it.
            if shared < own.len() && shared < other.len() {
                edges.insert((own[..=shared].join("::"), other[..=shared].join("::")));
            }
        }
    }
    edges
}

#[test]
fn no_module_imports_upward() {
    let height = |module: &str| {
        let (folder, name) = module.rsplit_once("::").unwrap_or(("", module));
        let layers = FOLDERS.into_iter().find(|(of, _)| *of == folder).map_or(&ROOT[..], |(_, layers)| layers);
        layers.iter().position(|layer| *layer == name).unwrap_or_else(|| panic!("`{module}` has no layer"))
    };
    let has_layers = |module: &str| {
        module.rsplit_once("::").is_none_or(|(folder, _)| FOLDERS.into_iter().any(|(of, _)| of == folder))
    };
    for (module, other) in between_siblings().iter().filter(|(module, _)| has_layers(module)) {
        assert!(height(other) < height(module), "`{module}` imports `{other}`, which stands above it");
    }
}

#[test]
fn no_folders_import_each_other_in_a_circle() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let is_folder = |module: &str| source.join(module.replace("::", "/")).is_dir();
    let mut edges = between_siblings();
    edges.retain(|(module, other)| is_folder(module) || is_folder(other));
    // A module that imports nothing is in no circle. Without it, the same holds for its importers.
    let mut before = usize::MAX;
    while edges.len() < before {
        before = edges.len();
        let importers: BTreeSet<String> = edges.iter().map(|(module, _)| module.clone()).collect();
        edges.retain(|(_, other)| importers.contains(other));
    }
    assert!(edges.is_empty(), "these imports are in circles, or lead to one: {edges:?}");
}

#[test]
fn only_the_model_reads_raw_documents() {
    let known = modules();
    for (module, text) in &known {
        let is_in = |module: &str, of: &str| module == of || module.starts_with(&format!("{of}::"));
        let reads = imports(module, text, &known).iter().any(|other| is_in(other, "compiler::load"));
        let may_read = READERS_OF_LOAD.iter().any(|reader| is_in(module, reader));
        assert!(!reads || may_read, "`{module}` imports `load`");
    }
}

/// A module without a line of the map in ARCHITECTURE.md is not found there.
#[test]
fn the_map_names_every_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("../ARCHITECTURE.md")).unwrap();
    let map = text.split("```").nth(1).unwrap();
    let words: BTreeSet<&str> = map.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).collect();
    let inner =
        FOLDERS.into_iter().flat_map(|(folder, layers)| layers.iter().map(move |name| format!("{folder}/{name}")));
    for module in inner.chain(ROOT.map(str::to_owned)).filter(|module| module != "guide") {
        let has_folder = root.join("src").join(&module).is_dir();
        let name = module.rsplit('/').next().unwrap();
        let name = if has_folder { name.to_owned() } else { format!("{name}.rs") };
        assert!(words.contains(name.as_str()), "the map of ARCHITECTURE.md does not name {name}");
    }
}
