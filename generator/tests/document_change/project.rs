//! A project of its own, as this one is laid out: documents beside it, a schema, the crate that is generated from it,
//! and a crate that depends on that one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The files that are copied into a project.
pub(crate) struct Sources {
    /// The generated crate, which is named after the API; the examples in its documentation say so.
    pub(crate) name: &'static str,
    pub(crate) documents: PathBuf,
    pub(crate) schema: PathBuf,
    /// The families that are compiled: those that the changes are about.
    pub(crate) families: BTreeSet<&'static str>,
    /// The code of the crate that depends on the generated one.
    pub(crate) desk: &'static str,
}

/// The project, in a git repository of its own, with its first commit.
pub(crate) struct Project {
    room: PathBuf,
}

/// The end of a command, and its output.
pub(crate) struct Said {
    /// The exit code.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Said {
    pub(crate) fn succeeded(&self) -> bool {
        self.code == Some(0)
    }
}

impl Project {
    /// Makes the project anew, in a place that stays the same, so that what it depends on is compiled once.
    pub(crate) fn new(sources: &Sources) -> Self {
        let project = Self { room: room().join(sources.name) };
        if project.room.exists() {
            std::fs::remove_dir_all(&project.room).unwrap();
        }
        copy(&sources.documents, &project.room.join("shared/docs"), &|path| {
            path.extension().is_some_and(|e| e == "md")
        });
        copy(&sources.schema, &project.root().join("schema"), &|_| true);
        project.leave_out_programs();
        project.write("Cargo.toml", WORKSPACE);
        project.write("generated/Cargo.toml", &project.manifest_of_generated(sources));
        project.write("desk/Cargo.toml", &manifest_of_desk(sources.name));
        project.write("desk/src/lib.rs", sources.desk);
        project.write(".gitignore", "/target\n");
        std::fs::copy(house().join("Cargo.lock"), project.root().join("Cargo.lock")).unwrap();
        for command in ["generate", "export openapi", "export outcomes"] {
            project.must(&mut project.generator(&command.split(' ').collect::<Vec<_>>()));
        }
        // Cargo takes out what is not needed here.
        project.must(&mut project.cargo(&["update", "--workspace", "--quiet"]));
        for arguments in [&["init", "--quiet"][..], &["add", "--all"], &["commit", "--quiet", "--message", "First"]] {
            project.must(&mut project.git(arguments));
        }
        project
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.room.join("project")
    }

    pub(crate) fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.root().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Puts a text in the place of another, which stands in the file once; returns its line.
    pub(crate) fn replace(&self, file: &str, from: &str, to: &str) -> usize {
        let text = self.read(file);
        assert_eq!(text.matches(from).count(), 1, "{from:?} in {file}");
        self.write(file, &text.replace(from, to));
        text[..text.find(from).unwrap()].matches('\n').count() + 1
    }

    /// Runs a command of the guide.
    pub(crate) fn run(&self, words: &[String]) -> Said {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        said(match words.as_slice() {
            ["cargo", "run", "--", rest @ ..] => self.generator(rest).output().unwrap(),
            ["cargo", rest @ ..] => self.cargo(rest).output().unwrap(),
            ["git", rest @ ..] => self.git(rest).output().unwrap(),
            _ => panic!("{words:?}"),
        })
    }

    /// Returns files that git would commit.
    pub(crate) fn uncommitted(&self) -> String {
        self.must(&mut self.git(&["status", "--short"]))
    }

    fn generator(&self, arguments: &[&str]) -> Command {
        self.command(env!("CARGO_BIN_EXE_tradeapi-gen"), arguments)
    }

    /// Runs cargo without the network, into a folder that all projects share, also those of `build_script`. Nobody
    /// debugs what is built here, and most of it is built once.
    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut cargo = self.command(env!("CARGO"), arguments);
        let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mit Leerzeichen/übung/target");
        cargo.env("CARGO_NET_OFFLINE", "true").env("CARGO_TARGET_DIR", shared);
        cargo.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
        cargo.env("CARGO_TERM_COLOR", "never").env_remove("RUSTFLAGS");
        cargo
    }

    fn git(&self, arguments: &[&str]) -> Command {
        let mut git = self.command("git", &["-c", "user.name=A Maintainer", "-c", "user.email=m@example.com"]);
        git.args(["-c", "commit.gpgsign=false"]).args(arguments);
        git
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.root());
        command
    }

    fn must(&self, command: &mut Command) -> String {
        let said = said(command.output().unwrap());
        assert!(said.succeeded(), "{command:?}: {}", said.stderr);
        said.stdout
    }

    /// Programs are written by hand, and corrected by hand where a change breaks them.
    fn leave_out_programs(&self) {
        let path = self.root().join("schema/api.yaml");
        let text = std::fs::read_to_string(&path).unwrap();
        let Some((before, rest)) = text.split_once("\nexamples:\n") else { return };
        let after = rest.split_inclusive('\n').skip_while(|line| line.starts_with(' ')).collect::<String>();
        std::fs::write(path, format!("{before}\n{after}")).unwrap();
    }

    /// Returns the generated crate with a feature for each family; the default ones are compiled. Its dependencies are
    /// those of the projects of `build_script`, so that cargo builds the runtime once for all.
    fn manifest_of_generated(&self, sources: &Sources) -> String {
        let folders = std::fs::read_dir(self.root().join("schema")).unwrap().map(|entry| entry.unwrap());
        let families = folders.filter(|entry| entry.path().join("family.yaml").is_file());
        let mut families: Vec<String> = families.map(|entry| entry.file_name().into_string().unwrap()).collect();
        families.sort();
        let compiled: Vec<_> = sources.families.iter().collect();
        let features: String = families.iter().map(|family| format!("{family} = []\n")).collect();
        format!(
            "[package]\nname = {:?}\nversion.workspace = true\nedition = \"2024\"\n\n[dependencies]\n\
             tradeapi-runtime = {{ path = {:?} }}\n\
             tokio = {{ version = \"1\", features = [\"macros\", \"rt\"] }}\n\n\
             [features]\ndefault = {compiled:?}\nhyper = []\n{features}",
            sources.name,
            house().join("generator/runtime"),
        )
    }
}

const WORKSPACE: &str = "[workspace]\nresolver = \"3\"\nmembers = [\"generated\", \"desk\"]\n\n\
                         [workspace.package]\nversion = \"0.1.0\"\n";

fn manifest_of_desk(depends_on: &str) -> String {
    format!(
        "[package]\nname = \"desk\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\n{depends_on} = {{ path = \"../generated\" }}\n"
    )
}

fn said(output: Output) -> Said {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

pub(crate) fn house() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

fn room() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("document-change")
}

fn copy(from: &Path, to: &Path, wanted: &dyn Fn(&Path) -> bool) {
    std::fs::create_dir_all(to).unwrap();
    for path in std::fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target, wanted);
        } else if wanted(&path) {
            std::fs::copy(&path, target).unwrap();
        }
    }
}
