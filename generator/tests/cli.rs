//! The command line as a maintainer uses it: what it prints, how it exits, what it leaves on disk.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tradeapi-gen")).args(arguments).output().unwrap()
}

fn schema() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema").canonicalize().unwrap();
    folder.to_str().unwrap().to_owned()
}

fn generate(out: &Path) -> Output {
    run(&["generate", "--schema", &schema(), "--out", out.to_str().unwrap()])
}

/// Every file below a folder with its bytes, hidden ones among them.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.insert(entry.path(), std::fs::read(entry.path()).unwrap());
        }
    }
    found
}

#[test]
fn a_second_run_writes_nothing_and_touches_no_time() {
    let out = tempfile::tempdir().unwrap();
    let first = generate(out.path());
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    let times = |folder: &Path| -> Vec<_> {
        files(folder).into_keys().map(|path| path.metadata().unwrap().modified().unwrap()).collect()
    };
    let before = times(out.path());
    let second = String::from_utf8(generate(out.path()).stdout).unwrap();
    assert!(second.contains("0 written,"), "{second}");
    assert!(second.starts_with("read    3 families, 30 operations,"), "{second}");
    assert_eq!(before, times(out.path()));
}

#[test]
fn check_names_what_differs_and_the_command_that_mends_it() {
    let out = tempfile::tempdir().unwrap();
    let path = out.path().to_str().unwrap().to_owned();
    let check = || run(&["generate", "--check", "--schema", &schema(), "--out", &path]);
    generate(out.path());
    assert_eq!(check().status.code(), Some(0));

    std::fs::write(out.path().join("lib.rs"), "// edited by hand\n").unwrap();
    std::fs::remove_file(out.path().join("broker/mod.rs")).unwrap();
    let surplus = out.path().join("classic/gone.rs");
    std::fs::write(&surplus, "").unwrap();
    let manifest = out.path().join(".manifest");
    let names = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, names + "classic/gone.rs\n").unwrap();

    let before = files(out.path());
    let result = check();
    let said = String::from_utf8(result.stderr).unwrap();
    assert_eq!(result.status.code(), Some(1));
    for expected in ["stale: ", "-// edited by hand", "missing: ", "surplus: ", "cargo run --release -- generate"] {
        assert!(said.contains(expected), "{expected:?} is not in:\n{said}");
    }
    assert_eq!(before, files(out.path()), "--check wrote something");

    generate(out.path());
    assert_eq!(check().status.code(), Some(0));
    assert!(!surplus.exists());
}

#[test]
fn what_was_never_emitted_is_left_alone() {
    let out = tempfile::tempdir().unwrap();
    std::fs::create_dir(out.path().join("classic")).unwrap();
    std::fs::write(out.path().join("classic/notes.txt"), "mine").unwrap();
    std::fs::write(out.path().join(".manifest"), "../outside.rs\n/etc/hostname\nclassic/notes.txt\n").unwrap();
    assert!(generate(out.path()).status.success());
    assert_eq!(std::fs::read_to_string(out.path().join("classic/notes.txt")).unwrap(), "mine");
}

#[test]
fn exit_codes_tell_a_wrong_schema_from_wrong_usage() {
    let empty = tempfile::tempdir().unwrap();
    let missing = empty.path().join("nowhere");
    assert_eq!(run(&["check", "--schema", missing.to_str().unwrap()]).status.code(), Some(1));
    assert_eq!(run(&["check", "--schema", &schema()]).status.code(), Some(0));
    assert_eq!(run(&["generate", "--nonsense"]).status.code(), Some(2));
    assert_eq!(run(&[]).status.code(), Some(2));
}

#[test]
fn facts_and_list_print_the_model() {
    let facts = String::from_utf8(run(&["facts", "--schema", &schema()]).stdout).unwrap();
    assert!(facts.lines().is_sorted());
    assert!(facts.contains("rate\tclassic.batch-place-order\t1\ts\tUID\tcopy-trading\n"), "{facts}");
    assert!(facts.contains("oneof\tclassic.modify-order\torderId,clientOid\n"));
    let list = String::from_utf8(run(&["list", "--schema", &schema()]).stdout).unwrap();
    assert_eq!(list.lines().count(), 31);
    assert!(list.contains("unified.inner-trades"));
}

/// A run that is killed at any moment leaves each file old or new, and the next run mends the rest.
#[test]
fn a_killed_run_leaves_no_half_file() {
    let new = tempfile::tempdir().unwrap();
    generate(new.path());
    let new = files(new.path());
    for milliseconds in [1, 5, 20, 60, 120, 200, 300, 450] {
        let out = tempfile::tempdir().unwrap();
        let old = old_output(out.path(), &new);
        let mut child = Command::new(env!("CARGO_BIN_EXE_tradeapi-gen"))
            .args(["generate", "--schema", &schema(), "--out", out.path().to_str().unwrap()])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // The moment does not matter: whatever it hits must hold.
        std::thread::sleep(Duration::from_millis(milliseconds));
        let _ = child.kill();
        child.wait().unwrap();
        for (path, bytes) in
            files(out.path()).iter().filter(|(path, _)| path.extension().is_some_and(|kind| kind == "rs"))
        {
            let name = path.strip_prefix(out.path()).unwrap();
            let is_new = new.iter().any(|(path, new)| path.ends_with(name) && new == bytes);
            assert!(is_new || old.get(path) == Some(bytes), "{} is neither old nor new", name.display());
        }
        assert!(generate(out.path()).status.success());
        let mended: Vec<_> = files(out.path()).into_values().collect();
        assert_eq!(mended, new.values().cloned().collect::<Vec<_>>());
    }
}

/// A folder as an earlier version of the schema might have left it.
fn old_output(folder: &Path, new: &BTreeMap<PathBuf, Vec<u8>>) -> BTreeMap<PathBuf, Vec<u8>> {
    generate(folder);
    let sources = files(folder).into_keys().filter(|path| path.extension().is_some_and(|kind| kind == "rs"));
    for path in sources {
        std::fs::write(path, "// an older file\n").unwrap();
    }
    assert_eq!(files(folder).len(), new.len());
    files(folder)
}
