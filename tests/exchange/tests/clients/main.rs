//! Clients of the real exchange, unmodified but for the address, trade on the local one: ccxt in Python and bitget-api in
//! JavaScript, with a program each in `clients/`.
//!
//! The test installs them once, below the target folder. Where that is not possible it says so and passes, unless
//! `TRADEAPI_CLIENTS=required` is set.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::{env, fs, io};

const CCXT: &str = "ccxt==4.5.90";
const BITGET_API: &str = "bitget-api@3.2.3";

/// A running exchange, which is killed when it is dropped.
struct Program(Child);

impl Program {
    /// Starts it, and returns the variables that it prints.
    fn start(family: &str) -> (Self, Vec<(String, String)>) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tradeapi-exchange"));
        command.args(["--port", "0", "--seed", "7", &format!("--{family}")]).stdout(Stdio::piped());
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
    let text = format!("SKIPPED: {client} cannot be installed here, so it does not trade on the local exchange: {why}");
    assert!(env::var_os("TRADEAPI_CLIENTS").is_none_or(|wish| wish != "required"), "{text}");
    // Not captured, unlike what `eprintln!` writes.
    io::stderr().write_all(format!("{text}\n").as_bytes()).unwrap();
    false
}

/// Runs the program of a client against an exchange of its own.
fn trade(mut command: Command, family: &str) {
    let (exchange, variables) = Program::start(family);
    let output = command.arg(family).envs(variables).output().unwrap();
    drop(exchange);
    let [out, error] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(output.status.success(), "{family}: {out}\n{error}");
}

#[test]
fn ccxt_trades_on_the_exchange() {
    let install = |folder: &Path| {
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"];
        Command::new("python3").args(pip).arg(folder).arg(CCXT).output()
    };
    if !is_installed("ccxt", install) {
        return;
    }
    for family in ["classic", "unified"] {
        for mode in ["one-way", "hedged"] {
            let mut command = Command::new("python3");
            command.arg(program("trade.py")).arg(mode).env("PYTHONPATH", folder().join("ccxt"));
            trade(command, family);
        }
    }
}

#[test]
fn bitget_api_trades_on_the_exchange() {
    let install = |folder: &Path| {
        let npm = ["install", "--no-audit", "--no-fund", "--silent", "--prefix"];
        Command::new("npm").args(npm).arg(folder).arg(BITGET_API).output()
    };
    if !is_installed("bitget-api", install) {
        return;
    }
    for family in ["classic", "unified"] {
        let mut command = Command::new("node");
        command.arg(program("trade.mjs")).env("CLIENTS", folder().join("bitget-api/node_modules"));
        trade(command, family);
    }
}
