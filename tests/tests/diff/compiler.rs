//! The compiler as an oracle for breaking changes: code that uses every public item of one emitted crate is compiled
//! against another one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Crates to compile, each with the code that uses it.
pub(crate) struct DownstreamCrates {
    room: PathBuf,
    names: Vec<String>,
    features: BTreeSet<String>,
}

impl DownstreamCrates {
    pub(crate) fn new() -> Self {
        let room = Path::new(env!("CARGO_TARGET_TMPDIR")).join("diff");
        std::fs::create_dir_all(&room).unwrap();
        Self { room, names: Vec::new(), features: BTreeSet::new() }
    }

    /// Adds a crate, and a module that uses it.
    pub(crate) fn add(&mut self, name: &str, files: &BTreeMap<String, String>, downstream: &str) {
        let folder = self.room.join(name);
        for (file, text) in files {
            let is_root = file == "lib.rs";
            let text = if is_root { format!("{text}\nmod downstream;\nfn main() {{}}\n") } else { text.clone() };
            write(&folder.join(file), &text);
            self.features.extend(file.split_once('/').map(|(family, _)| family.to_owned()));
        }
        write(&folder.join("downstream.rs"), downstream);
        self.names.push(name.to_owned());
    }

    /// Returns the crates whose downstream code does not compile, each with its first error.
    pub(crate) fn broken(&self) -> BTreeMap<String, String> {
        write(&self.room.join("Cargo.toml"), &self.manifest());
        std::fs::copy(house().join("Cargo.lock"), self.room.join("Cargo.lock")).unwrap();
        let output = Command::new(env!("CARGO"))
            .args(["check", "--bins", "--keep-going", "--offline", "--quiet", "--message-format=json"])
            // Tests share the results of their checks.
            .args(["--target-dir", "../checked"])
            .env("CARGO_INCREMENTAL", "0")
            .current_dir(&self.room)
            .output()
            .unwrap();
        let (messages, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let finished = messages.lines().any(|line| line.contains(r#""reason":"build-finished""#));
        assert!(finished, "nothing was compiled: {said}");
        errors(&messages)
    }

    fn manifest(&self) -> String {
        let features: Vec<_> = self.features.iter().collect();
        let mut text = format!(
            "[package]\nname = \"compiler\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
             tradeapi-runtime = {{ path = {:?}, default-features = false }}\n\n[features]\ndefault = {features:?}\n",
            house().join("generator/runtime")
        );
        for feature in features {
            writeln!(text, "{feature} = []").unwrap();
        }
        for name in &self.names {
            write!(text, "\n[[bin]]\nname = {name:?}\npath = \"{name}/lib.rs\"\n").unwrap();
        }
        text
    }
}

fn house() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Writes a file only if it changes, so that cargo does not rebuild.
fn write(path: &Path, text: &str) {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn errors(messages: &str) -> BTreeMap<String, String> {
    let mut broken = BTreeMap::new();
    for message in messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let diagnostic = &message["message"];
        let (Some(name), Some("error")) = (message["target"]["name"].as_str(), diagnostic["level"].as_str()) else {
            continue;
        };
        let said = diagnostic["rendered"].as_str().unwrap_or_default();
        let mut files = diagnostic["spans"].as_array().unwrap().iter().filter_map(|span| span["file_name"].as_str());
        // An error of the emitted crate itself proves nothing.
        assert!(
            diagnostic["spans"] == Value::Array(Vec::new()) || files.any(|file| file.ends_with("downstream.rs")),
            "{name}: {said}"
        );
        broken.entry(name.to_owned()).or_insert_with(|| said.to_owned());
    }
    broken
}
