//! Generator and runtime contain no facts about an exchange; these belong in its schema.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::fs;
use std::path::{Path, PathBuf};

/// Returns all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn generator_and_runtime_name_no_exchange() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let schemas = fs::read_dir(here.join("schema")).unwrap();
    let names: Vec<String> =
        schemas.map(|entry| entry.unwrap().file_name().to_string_lossy().to_ascii_lowercase()).collect();
    assert!(names.len() > 1, "{names:?}");
    let mut seen = 0;
    for folder in ["../../generator/src", "../../generator/runtime/src"] {
        // Keys may contain any letters.
        let is_text = |file: &PathBuf| file.extension().is_none_or(|kind| kind != "pem");
        for file in files(&here.join(folder)).into_iter().filter(is_text) {
            let text = String::from_utf8_lossy(&fs::read(&file).unwrap()).to_ascii_lowercase();
            let named = names.iter().find(|name| text.contains(name.as_str()));
            assert!(named.is_none(), "{} names {}", file.display(), named.unwrap());
            seen += 1;
        }
    }
    assert!(seen > 100, "only {seen} files were read");
}
