//! Generates again whenever the schema changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use tradeapi_gen::Generator;

use super::Output;

/// The time between two looks at the folder. An editor that saves several files takes less time than this between two
/// of them.
const INTERVAL: Duration = Duration::from_millis(200);

/// Generates after each change, until Ctrl-C. Mistakes are printed, and the next change is awaited.
pub(crate) fn run(generator: &Generator, folder: &Path, output: &Output) -> ! {
    output.done(format_args!("watching {}; Ctrl-C ends it", folder.display()));
    loop {
        // Taken before the run, so that a change during the run counts as one after it.
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

/// Returns when the folder has changed and then stayed the same for an interval.
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

/// The modification time and the length of each file.
type State = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

fn state(folder: &Path) -> State {
    let mut state = State::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        // Editors keep temporary files beside those they edit.
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
