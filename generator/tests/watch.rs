//! `watch` as a maintainer uses it: edit, save, look; break something, look, fix it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

#[path = "../../tests/src/folders.rs"]
mod folders;

use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Nothing here takes a second; a machine that is busy may take longer.
const PATIENCE: Duration = Duration::from_secs(120);

struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tradeapi-gen"))
            .args(["watch", "--schema", "schema", "--out", "out"])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, lines) = channel();
        let pipes: [Box<dyn Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for pipe in pipes {
            let to = to.clone();
            std::thread::spawn(move || {
                BufReader::new(pipe).lines().map_while(Result::ok).for_each(|line| drop(to.send(line)));
            });
        }
        Self { child, lines }
    }

    /// Returns what is said up to a line with this text.
    fn until(&self, text: &str) -> String {
        let mut said = String::new();
        loop {
            let line =
                self.lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{text:?} does not come; so far:\n{said}"));
            said += &line;
            said.push('\n');
            if line.contains(text) {
                return said;
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn saved_changes_are_generated_and_mistakes_reported() {
    let folder = tempfile::tempdir().unwrap();
    folders::copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/base"), &folder.path().join("schema"));
    let file = folder.path().join("schema/house/find-books.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    let emitted = || std::fs::read_to_string(folder.path().join("out/house/find_books.rs")).unwrap();

    let watch = Watch::start(folder.path());
    watch.until("written, 0 left alone");
    assert!(emitted().contains("Lists books."));

    std::fs::write(&file, text.replace("Lists books.", "Lists all books.")).unwrap();
    let said = watch.until(" ms");
    assert!(said.contains("find_books.rs") && said.contains(" left alone, 0 removed, in "), "{said}");
    assert!(emitted().contains("Lists all books."));

    std::fs::write(&file, text.replace("effect: read", "effect: reed").replace("Lists", "Shows")).unwrap();
    let said = watch.until("for more");
    assert!(said.contains("error[E0203]") && said.contains("did you mean `read`?"), "{said}");
    assert!(emitted().contains("Lists all books."), "a schema with a mistake was written");

    std::fs::write(&file, "operation: [\n").unwrap();
    let said = watch.until("for more");
    assert!(said.contains("error[E0101]"), "{said}");

    std::fs::write(&file, text.replace("Lists", "Shows")).unwrap();
    watch.until(" removed, in ");
    assert!(emitted().contains("Shows books."));
}
