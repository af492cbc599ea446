//! The server for assistants as its clients use it: with the official SDKs, Python's `mcp` and TypeScript's
//! `@modelcontextprotocol/sdk`. The programs are those of the guide and those in `clients/`.
//!
//! The SDKs are installed once, below the target folder. Where that is not possible the tests say so and pass, unless
//! `TRADEAPI_CLIENTS=required` is set.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};
use std::{env, fs, io};

use tempfile::TempDir;
use tradeapi_exchange::Mode;

use crate::fixture::{Local, PROGRAM};

const PYTHON: &str = "mcp==2.3.0";
const TYPESCRIPT: &str = "@modelcontextprotocol/sdk@1.32.2";

/// An SDK that is installed.
struct Sdk {
    folder: PathBuf,
    is_python: bool,
}

impl Sdk {
    fn python() -> Option<Self> {
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"];
        installed("mcp-python", PYTHON, |folder| Command::new("python3").args(pip).arg(folder).arg(PYTHON).output())
    }

    fn typescript() -> Option<Self> {
        let npm = ["install", "--no-audit", "--no-fund", "--silent", "--prefix"];
        installed("mcp-typescript", TYPESCRIPT, |folder| {
            Command::new("npm").args(npm).arg(folder).arg(TYPESCRIPT).output()
        })
    }

    /// Runs a program, which finds the server as `tradeapi` and the profile of the exchange.
    fn run(&self, local: &Local, code: &str) -> String {
        let home = TempDir::new().unwrap();
        let (profiles, programs) = (home.path().join(".config/tradeapi"), home.path().join("bin"));
        fs::create_dir_all(&profiles).unwrap();
        fs::create_dir_all(&programs).unwrap();
        fs::copy(local.profiles.path().join("local.env"), profiles.join("local.env")).unwrap();
        std::os::unix::fs::symlink(PROGRAM, programs.join("tradeapi")).unwrap();
        let path = format!("{}:{}", programs.display(), env::var("PATH").unwrap());
        // Modules are found beside the program that imports them.
        let name = if self.is_python { "program.py" } else { "program.mjs" };
        let program = TempDir::new_in(&self.folder).unwrap();
        fs::write(program.path().join(name), code).unwrap();
        let mut command = Command::new(if self.is_python { "python3" } else { "node" });
        command.arg(program.path().join(name)).env("HOME", home.path()).env("PATH", path);
        let output = command.env("PYTHONPATH", &self.folder).output().unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        assert!(output.status.success(), "{name}: {out}\n{err}");
        out
    }
}

/// Installs an SDK unless it is there; one test at a time, since they share the folder.
fn installed(name: &str, package: &str, install: impl FnOnce(&Path) -> io::Result<Output>) -> Option<Sdk> {
    static INSTALLING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let stamp = folder.join("installed");
    let sdk = Sdk { folder: folder.clone(), is_python: package == PYTHON };
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == package) {
        return Some(sdk);
    }
    fs::create_dir_all(&folder).unwrap();
    let why = match install(&folder) {
        Ok(output) if output.status.success() => {
            fs::write(stamp, package).unwrap();
            return Some(sdk);
        }
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(error) => error.to_string(),
    };
    let text = format!("SKIPPED: {package} cannot be installed here, so it does not call the server: {why}");
    assert!(env::var_os("TRADEAPI_CLIENTS").is_none_or(|wish| wish != "required"), "{text}");
    // Not captured, unlike what `eprintln!` writes.
    io::stderr().write_all(format!("{text}\n").as_bytes()).unwrap();
    None
}

/// Returns the program of the guide in a language.
fn of_the_guide(language: &str) -> String {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated/guide/assistants.md");
    let guide = fs::read_to_string(guide).unwrap();
    let (_, code) = guide.split_once(&format!("```{language}\n")).unwrap();
    code.split_once("```").unwrap().0.to_owned()
}

fn client(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("clients").join(name)).unwrap()
}

#[test]
fn sdk_programs_of_the_guide() {
    let sdks = [(Sdk::python(), "python"), (Sdk::typescript(), "js")];
    for (sdk, language) in sdks.into_iter().filter_map(|(sdk, language)| Some((sdk?, language))) {
        let local = Local::start();
        let out = sdk.run(&local, &of_the_guide(language));
        assert!(out.starts_with("done ") && out.contains("my-order-1") && out.trim_end().ends_with("done"), "{out}");
        assert_eq!(local.open(), 0, "{language}");
    }
}

#[test]
fn sdk_hour_of_a_trader_in_hedge_mode() {
    let sdks = [(Sdk::python(), "hour.py"), (Sdk::typescript(), "hour.mjs")];
    for (sdk, name) in sdks.into_iter().filter_map(|(sdk, name)| Some((sdk?, name))) {
        let local = Local::seeded(7, Mode::Hedge);
        sdk.run(&local, &client(name));
        assert_eq!(local.open(), 0, "{name}");
    }
}
