//! Clients of the real exchange, unmodified but for the address, trade on the local one, each with a program in `clients/`:
//! ccxt, typed-bitget, which validates all answers, and pybotters in Python, ccxt and bitget-api in JavaScript; with
//! `TRADEAPI_CLIENTS=all` also freqtrade and ccxt for Rust, which take long to install.
//!
//! The test installs them once, below the target folder. Where that is not possible it says so and passes, unless
//! `TRADEAPI_CLIENTS=required` is set.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a panic is how a test fails")]

mod openapi;
mod situations;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;
use std::{env, fs, io};

const CCXT: &str = "ccxt==4.5.90";
const TYPED_BITGET: &str = "typed-bitget==0.6.0";
const PYBOTTERS: &str = "pybotters==1.11.2";
const BITGET_API: &str = "bitget-api@3.2.3";
const CCXT_JS: &str = "ccxt@4.5.84";
const FREQTRADE: &str = "freqtrade==2026.9";
const CCXT_RS: &str = r#"
ccxt = { version = "=4.5.91", default-features = false, features = ["bitget"] }
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt"] }"#;

/// A running exchange, which is killed when it is dropped.
struct Program(Child);

impl Program {
    /// Starts it, and returns the variables that it prints.
    fn start(family: &str) -> (Self, Vec<(String, String)>) {
        Self::start_with(&[&format!("--{family}")])
    }

    fn start_with(options: &[&str]) -> (Self, Vec<(String, String)>) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tradeapi-exchange"));
        command.args(["--port", "0", "--seed", "7"]).args(options).stdout(Stdio::piped());
        let mut program = Self(command.spawn().unwrap());
        let lines = BufReader::new(program.0.stdout.take().unwrap()).lines().map(Result::unwrap);
        let exports = lines.take_while(|line| !line.contains("Ctrl-C"));
        let exports = exports.filter_map(|line| {
            let (name, value) = line.strip_prefix("export ")?.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        });
        let exports = exports.collect();
        (program, exports)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients")
}

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("clients").join(name)
}

/// Installs a client below a folder, once. Returns whether it is there.
fn is_installed(client: &str, install: impl FnOnce(&Path) -> io::Result<Output>) -> bool {
    let folder = folder().join(client);
    let stamp = folder.join("installed");
    if stamp.exists() {
        return true;
    }
    fs::create_dir_all(&folder).unwrap();
    let why = match install(&folder) {
        Ok(output) if output.status.success() => {
            fs::write(stamp, "").unwrap();
            return true;
        }
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(error) => error.to_string(),
    };
    assert!(!is_wished("required"), "{client} cannot be installed: {why}");
    skip(client, &format!("cannot be installed here, so it does not trade on the local exchange: {why}"));
    false
}

/// Returns whether `TRADEAPI_CLIENTS` has this value.
fn is_wished(wish: &str) -> bool {
    env::var_os("TRADEAPI_CLIENTS").is_some_and(|given| given == wish)
}

/// Prints that a client is not tried, and why; not captured, unlike what `eprintln!` writes.
fn skip(client: &str, why: &str) {
    io::stderr().write_all(format!("SKIPPED: {client} {why}\n").as_bytes()).unwrap();
}

/// Returns whether a client is tried that is not tried always, because it takes long to install.
fn is_tried(client: &str) -> bool {
    let all = is_wished("all");
    if !all {
        skip(client, "is tried with TRADEAPI_CLIENTS=all only, because it takes long to install");
    }
    all
}

/// Runs the program of a client against an exchange of its own.
fn trade(mut command: Command, family: &str) {
    let (exchange, variables) = Program::start(family);
    let output = command.arg(family).envs(variables).output().unwrap();
    drop(exchange);
    let [out, error] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(output.status.success(), "{family}: {out}\n{error}");
}

/// Installs a package of Python. Returns whether it is there.
fn has_python(client: &str, package: &str) -> bool {
    is_installed(client, |folder| {
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"];
        Command::new("python3").args(pip).arg(folder).args(package.split(' ')).output()
    })
}

/// Installs a package of Node. Returns whether it is there.
fn has_node(client: &str, package: &str) -> bool {
    is_installed(client, |folder| {
        let npm = ["install", "--no-audit", "--no-fund", "--silent", "--prefix"];
        Command::new("npm").args(npm).arg(folder).args(package.split(' ')).output()
    })
}

/// Installs a program from the registry of Rust. Returns whether it is there.
fn has_program(client: &str, program: &str) -> bool {
    is_installed(client, |folder| {
        let mut cargo = Command::new("cargo");
        cargo.args(["install", "--quiet", "--debug", "--locked", program, "--root"]).arg(folder);
        cargo.arg("--target-dir").arg(folder.join("target")).output()
    })
}

/// Writes the manifest of `main.rs` in a folder, which needs these dependencies.
fn write_manifest(room: &Path, dependencies: &str) {
    let package = "[package]\nname = \"judged\"\nedition = \"2024\"\n[workspace]\n";
    let program = "[[bin]]\nname = \"judged\"\npath = \"main.rs\"\n";
    fs::write(room.join("Cargo.toml"), format!("{package}{program}[dependencies]\n{dependencies}\n")).unwrap();
}

/// Compiles the program of a folder with a manifest, and keeps what it depends on with its client.
fn compiled(client: &str, room: &Path) -> Command {
    let target = folder().join(client).join("target");
    let mut cargo = Command::new("cargo");
    let output = cargo.args(["build", "--quiet", "--target-dir"]).arg(&target).current_dir(room).output().unwrap();
    assert!(output.status.success(), "{client}: {}", String::from_utf8_lossy(&output.stderr));
    Command::new(target.join("debug/judged"))
}

/// Returns a program in Python with an installed package.
fn python(client: &str, name: &str) -> Command {
    let mut command = Command::new("python3");
    command.arg(program(name)).env("PYTHONPATH", folder().join(client));
    command
}

/// Returns a program for Node with an installed package.
fn node(client: &str, name: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(program(name)).env("CLIENTS", folder().join(client).join("node_modules"));
    command
}

const FAMILIES: [&str; 2] = ["classic", "unified"];

#[test]
fn ccxt_trades_on_the_exchange() {
    if !has_python("ccxt", CCXT) {
        return;
    }
    for family in FAMILIES {
        for mode in ["one-way", "hedged"] {
            let mut command = python("ccxt", "trade.py");
            command.arg(mode);
            trade(command, family);
        }
    }
}

/// The clock of the exchange is ten times as fast: an order that was lost takes sixteen seconds to settle.
#[test]
fn ccxt_settles_lost_answers_by_the_file_alone() {
    if !has_python("ccxt", CCXT) {
        return;
    }
    let names =
        ["url", "key", "secret", "passphrase"].map(|word| format!("TRADEAPI_{}={{{word}}}", word.to_uppercase()));
    let names = names.into_iter().chain(["SPEED={speed}".to_owned(), "STARTED={started}".to_owned()]);
    let mut judge = Command::new(env!("CARGO_BIN_EXE_tradeapi-exchange"));
    judge.args(["judge", "--json", "--level", "lost", "--seed", "9", "--speed", "10", "--seconds", "180"]);
    for form in names {
        judge.args(["--env", &form]);
    }
    let outcomes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated/outcomes.json");
    judge.arg("--").arg("python3").args([program("settle.py"), outcomes]);
    let output = judge.env("PYTHONPATH", folder().join("ccxt")).output().unwrap();
    let verdict: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(output.status.success(), "{verdict:#}");
    assert_eq!(
        (verdict["ended"].as_str(), &verdict["beliefs"][1]),
        (Some("ended by itself, with status 0"), &0.into())
    );
    assert!(verdict["beliefs"][0].as_u64() >= Some(4), "{verdict:#}");
}

#[test]
fn freqtrade_keeps_its_stop_loss_on_the_exchange() {
    if is_tried("freqtrade") && has_python("freqtrade", FREQTRADE) {
        trade(python("freqtrade", "freq.py"), "classic");
    }
}

#[test]
fn typed_bitget_trades_on_the_exchange() {
    if has_python("typed-bitget", TYPED_BITGET) {
        FAMILIES.into_iter().for_each(|family| trade(python("typed-bitget", "typed.py"), family));
    }
}

#[test]
fn pybotters_trades_on_the_exchange() {
    if has_python("pybotters", PYBOTTERS) {
        FAMILIES.into_iter().for_each(|family| trade(python("pybotters", "botters.py"), family));
    }
}

#[test]
fn bitget_api_trades_on_the_exchange() {
    if has_node("bitget-api", BITGET_API) {
        FAMILIES.into_iter().for_each(|family| trade(node("bitget-api", "trade.mjs"), family));
    }
}

/// Compiles the program with ccxt for Rust, once. Returns nothing if it is not tried or cannot be installed.
fn ccxt_for_rust() -> Option<&'static Path> {
    static PROGRAM: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        let client = "ccxt-rs";
        let fetch = |room: &Path| {
            write_manifest(room, CCXT_RS);
            fs::copy(program("ccxt.rs"), room.join("main.rs"))?;
            Command::new("cargo").args(["fetch", "--quiet"]).current_dir(room).output()
        };
        if !is_tried(client) || !is_installed(client, fetch) {
            return None;
        }
        let room = folder().join(client);
        fs::copy(program("ccxt.rs"), room.join("main.rs")).unwrap();
        Some(PathBuf::from(compiled(client, &room).get_program()))
    });
    PROGRAM.as_deref()
}

#[test]
fn ccxt_for_rust_trades_on_the_exchange() {
    if let Some(program) = ccxt_for_rust() {
        FAMILIES.into_iter().for_each(|family| trade(Command::new(program), family));
    }
}

#[test]
fn ccxt_for_javascript_trades_on_the_exchange() {
    if has_node("ccxt-js", CCXT_JS) {
        FAMILIES.into_iter().for_each(|family| trade(node("ccxt-js", "ccxt.mjs"), family));
    }
}

/// Returns the paths of the second and third API in a text, as far as they are not put together.
fn paths_in(text: &str) -> impl Iterator<Item = String> {
    let begins = ["/api/v2/", "/api/v3/", "'v2/", "'v3/"];
    let found = begins.into_iter().flat_map(|begin| text.match_indices(begin));
    found.filter_map(|(at, begin)| {
        let rest = &text[at + begin.len() - "v2/".len()..];
        let path = rest.split(|letter: char| !letter.is_ascii_alphanumeric() && !"/_-".contains(letter)).next()?;
        Some(format!("/api/{path}")).filter(|path| !path.ends_with('/'))
    })
}

/// The table of the guide has what ccxt and bitget-api call and the exchange does not serve, and nothing else.
#[test]
fn the_guide_says_which_paths_of_clients_are_not_served() {
    if !has_python("ccxt", CCXT) || !has_node("bitget-api", BITGET_API) {
        return;
    }
    let files = [
        "ccxt/ccxt/abstract/bitget.py",
        "bitget-api/node_modules/bitget-api/dist/mjs/rest-client-v2.js",
        "bitget-api/node_modules/bitget-api/dist/mjs/rest-client-v3.js",
    ];
    let texts = files.map(|file| fs::read_to_string(folder().join(file)).unwrap());
    macro_rules! paths {
        ($($operation:ty),* $(,)?) => { [$(<$operation as tradeapi::Operation>::META.path),*] };
    }
    let served = [&tradeapi::for_each_operation!(paths)[..], &tradeapi::for_each_observed_operation!(paths)].concat();
    let called: BTreeSet<_> = texts.iter().flat_map(|text| paths_in(text)).collect();
    let unserved: Vec<_> = called.iter().filter(|path| !served.contains(&path.as_str())).collect();
    assert!(called.len() > 500 && unserved.len() < called.len() - 70, "{called:#?}");
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated/guide/local-exchange.md");
    let guide = fs::read_to_string(guide).unwrap();
    let (_, table) = guide.split_once("| a path with |").unwrap();
    let rows = table.lines().skip(2).map_while(|row| row.strip_prefix("| ")?.split(" | ").next());
    let words: Vec<&str> = rows.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let unnamed: Vec<_> = unserved.iter().filter(|path| !words.iter().any(|word| path.contains(word))).collect();
    assert!(unnamed.is_empty(), "the guide does not name {unnamed:#?}");
    let unneeded: Vec<_> = words.iter().filter(|word| !unserved.iter().any(|path| path.contains(**word))).collect();
    assert!(unneeded.is_empty(), "served, or called by nobody: {unneeded:#?}");
}
