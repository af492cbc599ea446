//! Modules of the runtime import only from layers below their own. The layers stand in the documentation of the crate.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

type Tested = Result<(), Box<dyn std::error::Error>>;

/// The heading in the documentation of the crate under which the layers are listed, the lowest first.
const HEADING: &str = "//! # Layers";

/// The layer of each module, from the items of the list, each of which begins with the names of its modules.
fn layers(lib: &str) -> BTreeMap<&str, usize> {
    let section = lib.split_once(HEADING).map_or("", |(_, rest)| rest);
    let section = section.split_once("//! # ").map_or(section, |(section, _)| section);
    let items = section.lines().filter_map(|line| line.strip_prefix("//! - "));
    let names = items.map(|item| item.split_once(':').map_or("", |(names, _)| names));
    let named = names.enumerate().flat_map(|(layer, names)| names.split(", ").map(move |name| (name, layer)));
    named.map(|(name, layer)| (name.trim_matches('`'), layer)).collect()
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The Rust files below `folder`, those of tests aside.
fn files(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match (path.file_stem().and_then(|stem| stem.to_str()), path.is_dir()) {
            (Some("tests"), _) => {}
            (_, true) => files(&path, found)?,
            (_, false) if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            _ => {}
        }
    }
    Ok(())
}

/// The code of a file without its comments and its unit tests.
fn code(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut code = String::new();
    let (mut is_test, mut follows_attribute) = (false, false);
    for line in lines {
        is_test |= follows_attribute && line.trim_end().ends_with('{') && line.contains("mod ");
        follows_attribute = line == "#[cfg(test)]";
        if !is_test {
            code.extend([line, "\n"]);
        }
        is_test &= line != "}";
    }
    code
}

/// The modules at the root of the crate that `code` names, which stands `depth` modules below the root. A name that is
/// re-exported at the root counts as one as well, so that no import hides behind it.
fn imports(code: &str, depth: usize) -> Vec<String> {
    let up = "super::".repeat(depth);
    let mut found = Vec::new();
    for prefix in ["crate::", &up] {
        for (at, _) in code.match_indices(prefix) {
            let before = &code[..at];
            // `$crate::` is for the users of a macro; more of `super::` is found at its beginning.
            if before.ends_with('$') || before.ends_with("super::") {
                continue;
            }
            let rest = &code[at + prefix.len()..];
            if rest.starts_with("super::") {
                continue;
            }
            let name: String = rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
            let is_macro = rest[name.len()..].starts_with('!');
            if !is_macro {
                found.push(name);
            }
        }
    }
    found
}

#[test]
fn modules_import_only_from_layers_below() -> Tested {
    let lib = fs::read_to_string(source().join("lib.rs"))?;
    let layers = layers(&lib);
    let mut paths = Vec::new();
    files(&source(), &mut paths)?;
    let mut wrong = Vec::new();
    for path in paths.iter().filter(|path| !path.ends_with("lib.rs")) {
        let within = path.strip_prefix(source())?.with_extension("");
        let top = within.iter().next().and_then(|name| name.to_str()).ok_or("a file has no name")?;
        let own = *layers.get(top).ok_or_else(|| format!("the layers do not name {top}"))?;
        for import in imports(&code(&fs::read_to_string(path)?), within.iter().count()) {
            match layers.get(import.as_str()) {
                _ if import == top => {}
                Some(layer) if *layer < own => {}
                _ => wrong.push(format!("{} imports {import}", within.display())),
            }
        }
    }
    assert!(wrong.is_empty(), "not from a layer below:\n{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn every_module_has_a_layer() -> Tested {
    let lib = fs::read_to_string(source().join("lib.rs"))?;
    let layers = layers(&lib);
    let declared = lib.lines().filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod "));
    let mut declared: Vec<_> = declared.map(|name| name.trim_end_matches(';')).collect();
    declared.sort_unstable();
    assert_eq!(layers.keys().copied().collect::<Vec<_>>(), declared);
    Ok(())
}

#[test]
fn an_import_is_found_however_it_is_written() {
    let text = "use crate::client::ClientCore;\n// crate::pages\nfn f(a: crate::Error, b: super::super::limits::Plan) {}\n\
                macro_rules! m { () => { $crate::json::Reader } }\ncrate::identifier! {}\n#[cfg(test)]\nmod tests {\n    \
                use crate::blocking;\n}\nuse super::super::{retry};\n";
    assert_eq!(imports(&code(text), 2), ["client", "Error", "limits", ""]);
}
