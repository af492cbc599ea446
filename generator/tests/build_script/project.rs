//! A crate with a build script, made for a test in a folder with an odd name.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::Permissions;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard};

use serde_json::Value;

/// A workspace with one member, and the folder that it is built into.
pub(crate) struct Project {
    pub(crate) root: PathBuf,
    name: &'static str,
    _turn: MutexGuard<'static, ()>,
}

impl Project {
    /// Makes the project anew. What it depends on is built once, into a folder that all projects and runs share.
    pub(crate) fn new(name: &'static str, build_script: &str) -> Self {
        let project = Self::empty(name);
        let generator = Path::new(env!("CARGO_MANIFEST_DIR"));
        project.write("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"client\"]\n");
        project.write("client/Cargo.toml", &manifest(name, generator));
        project.write("client/build.rs", build_script);
        project.write("client/src/lib.rs", "#![deny(warnings)]\n");
        project.settle();
        project
    }

    /// Creates a folder for a project, without files.
    fn empty(name: &'static str) -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let project = Self { root: room().join(name), name, _turn: turn };
        if project.root.exists() {
            project.set_read_only(false);
            std::fs::remove_dir_all(&project.root).unwrap();
        }
        project
    }

    /// Takes the versions of this workspace, which are at hand.
    fn settle(&self) {
        let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
        std::fs::copy(lock, self.root.join("Cargo.lock")).unwrap();
        // Cargo takes out what is not needed here, and writes the file once more.
        let settled = self.cargo(&["update", "--workspace", "--offline", "--quiet"]).output().unwrap();
        assert!(settled.status.success(), "{}", String::from_utf8_lossy(&settled.stderr));
    }

    /// Returns the project that `tradeapi-gen init` writes.
    pub(crate) fn init(name: &'static str) -> Self {
        let project = Self::empty(name);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_tradeapi-gen"))
            .args(["init", project.root.to_str().unwrap(), "--crates", root.to_str().unwrap()])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        project.settle();
        project
    }

    /// Appends a module that includes generated code.
    pub(crate) fn include(&self, module: &str, file: &str) {
        let mut text = self.read("client/src/lib.rs");
        let path = format!("concat!(env!(\"OUT_DIR\"), \"/{file}\")");
        let _ = write!(text, "\n/// Generated.\npub mod {module} {{\n    include!({path});\n}}\n");
        self.write("client/src/lib.rs", &text);
    }

    pub(crate) fn copy_schema(&self, from: &str, to: &str) {
        crate::folders::copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(from), &self.root.join(to));
    }

    pub(crate) fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.root.join(file)).unwrap()
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Builds without the network. Messages are JSON on standard output.
    pub(crate) fn build(&self) -> Output {
        let mut build = self.cargo(&["build", "--offline", "--message-format=json", "--target-dir"]);
        build.arg(room().join("target")).output().unwrap()
    }

    /// Runs a command of cargo without the network, in the shared folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.cargo(arguments).args(["--offline", "--target-dir"]).arg(room().join("target")).output().unwrap()
    }

    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut cargo = Command::new(env!("CARGO"));
        // Nobody debugs what is built here, and most of it is built once.
        cargo.args(arguments).current_dir(&self.root).env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
        cargo
    }

    /// Takes away the right to write anything of the project, or gives it back.
    pub(crate) fn set_read_only(&self, is_read_only: bool) {
        set_read_only(&self.root, is_read_only);
    }

    /// Builds, and returns whether cargo took the client as it was.
    pub(crate) fn is_fresh(&self) -> bool {
        let output = self.build();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let is_client = |message: &Value| {
            message["reason"] == "compiler-artifact"
                && message["target"]["name"] == self.name
                && message["target"]["kind"][0] == "lib"
        };
        let message = messages(&output).into_iter().find(is_client).expect("the client is built");
        message["fresh"].as_bool().unwrap()
    }

    /// Returns every generated file with its bytes and the time it was written.
    pub(crate) fn generated(&self) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
        let output = self.build();
        let is_script = |message: &Value| {
            let package = message["package_id"].as_str().unwrap_or_default();
            message["reason"] == "build-script-executed" && package.contains(&format!("{}/client", self.name))
        };
        let message = messages(&output).into_iter().find(is_script).expect("the build script has run");
        let folder = PathBuf::from(message["out_dir"].as_str().unwrap());
        let facts = |path: PathBuf| {
            let facts = (std::fs::read(&path).unwrap(), path.metadata().unwrap().modified().unwrap());
            (path, facts)
        };
        files(&folder).into_iter().map(facts).collect()
    }
}

/// Returns every file below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn messages(output: &Output) -> Vec<Value> {
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Returns a folder whose name has spaces, and letters beyond ASCII.
fn room() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("mit Leerzeichen").join("übung")
}

/// Returns a manifest, whose dependencies are those of a project of `init`, so that cargo builds the generator and the
/// runtime once for all.
fn manifest(name: &str, generator: &Path) -> String {
    let runtime = generator.join("runtime");
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\ntradeapi-runtime = {{ path = {runtime:?} }}\n\
         tokio = {{ version = \"1\", features = [\"macros\", \"rt\"] }}\n\n\
         [build-dependencies]\ntradeapi-gen = {{ path = {generator:?}, default-features = false }}\n"
    )
}

/// Sets the permissions; an administrator may write all the same, so the test also compares what is there.
fn set_read_only(root: &Path, is_read_only: bool) {
    let paths = files(root);
    let folders = paths.iter().filter_map(|path| path.parent()).map(Path::to_path_buf);
    for path in folders.chain(paths.iter().cloned()) {
        let mut permissions: Permissions = path.metadata().unwrap().permissions();
        change(&mut permissions, is_read_only, path.is_dir());
        std::fs::set_permissions(path, permissions).unwrap();
    }
}

#[cfg(unix)]
fn change(permissions: &mut Permissions, is_read_only: bool, is_folder: bool) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = if is_read_only { 0o444 } else { 0o644 };
    permissions.set_mode(if is_folder { mode | 0o111 } else { mode });
}

#[cfg(not(unix))]
fn change(permissions: &mut Permissions, is_read_only: bool, _: bool) {
    permissions.set_readonly(is_read_only);
}
