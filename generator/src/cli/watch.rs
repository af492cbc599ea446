//! Generates again whenever the schema changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use tradeapi_gen::Generator;

use super::Output;

/// How often the folder is looked at. An editor that saves several files takes less than this from one to the next.
const INTERVAL: Duration = Duration::from_millis(200);

/// Generates, waits for a change, and so on. Mistakes are printed and waited upon; Ctrl-C ends it, at any moment.
pub(crate) fn run(generator: &Generator, folder: &Path, output: &Output) -> ! {
    output.done(format_args!("watching {}; Ctrl-C ends it", folder.display()));
    loop {
        // Taken first, so that what is saved during a run is seen after it.
        let before = state(folder);
        match generator.generate() {
            Ok(report) => output.done(report),
            Err(diagnostics) => {
                output.mistakes(&diagnostics);
            }
        }
        wait_for_change(folder, &before);
    }
}

/// Returns when the folder has changed and then been quiet for a while.
fn wait_for_change(folder: &Path, before: &State) {
    let mut last = state(folder);
    loop {
        sleep(INTERVAL);
        let now = state(folder);
        if now == last && now != *before {
            return;
        }
        last = now;
    }
}

/// When each file was changed, and how long it is.
type State = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

fn state(folder: &Path) -> State {
    let mut state = State::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        // Editors keep their own files beside those they edit.
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => state.extend(self::state(&path)),
            Ok(metadata) => {
                state.insert(path, (metadata.modified().ok(), metadata.len()));
            }
            Err(_) => {}
        }
    }
    state
}
