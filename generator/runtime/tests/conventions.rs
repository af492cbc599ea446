//! Conventions of the runtime that the compiler does not hold: programs return its errors from `main`, which prints them by
//! `Debug`, and the documentation of a setter does not say that it returns what it sets.

use std::fs;
use std::path::{Path, PathBuf};

type Tested = Result<(), Box<dyn std::error::Error>>;

/// Returns the Rust files below `folder`, with their text.
fn files(folder: &Path, found: &mut Vec<(PathBuf, String)>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            found.push((path, text));
        }
    }
    Ok(())
}

fn sources() -> std::io::Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found)?;
    Ok(found)
}

/// Returns the name of the type that a line implements `Error` for.
fn error_of(line: &str) -> Option<&str> {
    let (before, name) = line.strip_prefix("impl ")?.split_once("Error for ")?;
    let is_trait = ["", "Std", "error::", "std::error::"].contains(&before);
    is_trait.then(|| name.split(|letter: char| !letter.is_alphanumeric()).next()).flatten()
}

#[test]
fn every_error_prints_its_sentence() -> Tested {
    let (mut count, mut wrong) = (0, Vec::new());
    for (path, text) in sources()? {
        for name in text.lines().filter_map(error_of) {
            // Only other errors of its module have a private one.
            let is_public =
                [format!("pub enum {name} "), format!("pub struct {name}")].iter().any(|one| text.contains(one));
            let by_hand = [format!("debug_as_sentence!({name})"), format!("fmt::Debug for {name} ")];
            count += 1;
            if is_public && !by_hand.iter().any(|one| text.contains(one)) {
                wrong.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(count > 20, "only {count} errors were found");
    assert!(wrong.is_empty(), "`main` prints the fields of these, not their sentence:\n{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn the_documentation_of_a_setter_says_that_it_sets() -> Tested {
    let mut wrong = Vec::new();
    for (path, text) in sources()? {
        let mut first = "";
        for line in text.lines().map(str::trim) {
            match line.strip_prefix("///") {
                Some(text) if first.is_empty() => first = text.trim(),
                Some(_) => {}
                None if line.starts_with("#[") => {}
                None => {
                    let sets = line.contains("(mut self, ") && line.ends_with("-> Self {");
                    if sets && first.starts_with("Returns ") && !first.starts_with("Returns the same") {
                        wrong.push(format!("{}: {line}", path.display()));
                    }
                    first = "";
                }
            }
        }
    }
    assert!(wrong.is_empty(), "these set something:\n{}", wrong.join("\n"));
    Ok(())
}
