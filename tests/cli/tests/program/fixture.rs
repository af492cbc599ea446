//! A local exchange, and the program with a profile for it.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tradeapi_exchange::{Exchange, Mode, Profile, Seed, Settings, Time, server};

/// The program of the emitted crate.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_tradeapi-program");

/// An exchange that serves while this exists, and a folder with the profile `local` for it.
pub(crate) struct Local {
    pub(crate) exchange: Exchange,
    pub(crate) url: String,
    pub(crate) profiles: TempDir,
    pub(crate) runtime: Runtime,
}

impl Local {
    /// Creates an exchange without other participants, whose accounts have a position per instrument.
    pub(crate) fn start() -> Self {
        Self::seeded(7, Mode::OneWay)
    }

    /// Returns the same with another seed, and positions in this mode.
    pub(crate) fn seeded(seed: u64, mode: Mode) -> Self {
        Self::of(seed, Profile::new().both().mode(mode).whitelisted())
    }

    /// Returns the same with a user of this profile.
    pub(crate) fn of(seed: u64, profile: Profile) -> Self {
        let mut settings = Settings::default();
        (settings.seed, settings.rate_limits) = (Seed(seed), false);
        let exchange = Exchange::with(settings, Time::running(1), profile);
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        runtime.spawn(server::serve(listener, exchange.clone()));
        let local = Self { exchange, url, profiles: TempDir::new().unwrap(), runtime };
        let keys = local.exchange.keys();
        write_profile(local.profiles.path(), "local", &local.url, [&keys.key, &keys.secret, &keys.passphrase]);
        local
    }

    /// Runs the program with `--local`.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, "")
    }

    /// Returns the same, with this on standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &str) -> Ran {
        let arguments: Vec<&str> = ["--local"].iter().chain(arguments).copied().collect();
        run(self.profiles.path(), &arguments, input)
    }

    /// Returns the path of a file with a budget that is wide enough for every test.
    pub(crate) fn budget(&self) -> String {
        self.budget_of(r#"{"coins": ["USDT", "USDC", "USD"], "order": "1000000000", "priceAge": 3600}"#)
    }

    /// Returns the path of a file with this budget.
    pub(crate) fn budget_of(&self, json: &str) -> String {
        let path = self.profiles.path().join("budget.json");
        fs::write(&path, json).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Returns the command that starts the program.
    pub(crate) fn command(&self) -> Command {
        command(self.profiles.path())
    }

    /// Places a limit order far from the price, which stays open.
    pub(crate) fn place(&self, id: &str) -> Ran {
        self.run(&[&["unified", "place-order"][..], &order(id)].concat())
    }

    /// Returns the number of open orders.
    pub(crate) fn open(&self) -> usize {
        self.exchange.account(self.exchange.keys(), tradeapi_exchange::Family::Unified).open_orders.len()
    }
}

/// Returns the flags of an order that stays open.
pub(crate) fn order(id: &str) -> [&str; 14] {
    [
        "--category",
        "USDT-FUTURES",
        "--symbol",
        "BTCUSDT",
        "--qty",
        "0.01",
        "--side",
        "buy",
        "--order-type",
        "limit",
        "--price",
        "60000",
        "--client-oid",
        id,
    ]
}

/// Writes a profile that only its owner can read.
pub(crate) fn write_profile(folder: &Path, name: &str, url: &str, [key, secret, passphrase]: [&str; 3]) {
    let path = folder.join(name).with_extension("env");
    let lines = format!(
        "export TRADEAPI_URL={url}\nexport TRADEAPI_KEY={key}\nexport TRADEAPI_SECRET={secret}\nexport TRADEAPI_PASSPHRASE={passphrase}\n"
    );
    fs::write(&path, lines).unwrap();
    set_mode(&path, 0o600);
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;

    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Returns a command whose program hears signals, also where the tests run in the background, with some of them ignored:
/// what is ignored at the start stays ignored.
pub(crate) fn hearing(program: &str) -> Command {
    const DEFAULTS: &str = "--default-signal=HUP,INT,TERM";
    static RESETS: LazyLock<bool> = LazyLock::new(|| {
        let tried = Command::new("env").args([DEFAULTS, "true"]).stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    });
    if !*RESETS {
        return Command::new(program);
    }
    let mut command = Command::new("env");
    command.args([DEFAULTS, program]);
    command
}

/// Returns the program with nothing in its environment but the folder of profiles.
pub(crate) fn command(profiles: &Path) -> Command {
    let mut command = hearing(PROGRAM);
    command.env_clear().env("TRADEAPI_PROFILES", profiles);
    command
}

pub(crate) fn run(profiles: &Path, arguments: &[&str], input: &str) -> Ran {
    ran(command(profiles).args(arguments), input)
}

/// Runs a command to its end.
pub(crate) fn ran(command: &mut Command, input: &str) -> Ran {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that does not read its input may have ended.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    Ran::of(child.wait_with_output().unwrap())
}

/// The end of a program, and what it printed.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { status: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Returns the lines of JSON that the program printed.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{self:?}"))).collect()
    }

    /// Returns the only line of JSON that the program printed.
    pub(crate) fn line(&self) -> Value {
        let [line] = <[Value; 1]>::try_from(self.lines()).unwrap_or_else(|_| panic!("{self:?}"));
        line
    }

    /// Returns the same, after a check of the status.
    pub(crate) fn ended(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }
}
