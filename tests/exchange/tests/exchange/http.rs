//! The exchange over sockets.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tradeapi::Client;
use tradeapi::unified::{GetInsiderTrades, GetOpenOrders, Side};
use tradeapi_exchange::{Exchange, Profile, Seed, Settings, Time, server};

use crate::fixture::limit;

/// Returns an exchange on its own port.
async fn started() -> (Exchange, SocketAddr) {
    let mut settings = Settings::default();
    (settings.seed, settings.rate_limits) = (Seed(7), false);
    let exchange = Exchange::with(settings, Time::running(1), Profile::new().both());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(server::serve(listener, exchange.clone()));
    (exchange, address)
}

#[tokio::test]
async fn the_emitted_client_trades_over_loopback() {
    let (exchange, address) = started().await;
    let client =
        Client::builder(format!("http://{address}")).credentials(exchange.keys().credentials()).build().unwrap();
    client.unified().place_order(&limit("a", Side::Buy, "0.01", "63000")).await.unwrap();
    let open = client.unified().get_open_orders(&GetOpenOrders::new()).await.unwrap();
    assert_eq!(open.list.len(), 1);
    assert_eq!(client.unified().get_insider_trades(&GetInsiderTrades::new("AAPL")).await.unwrap().list.len(), 20);
}

#[tokio::test]
async fn a_reset_corrects_an_advanced_clock() {
    let (exchange, address) = started().await;
    let builder = || Client::builder(format!("http://{address}")).credentials(exchange.keys().credentials());
    let query = GetOpenOrders::new();
    exchange.time().advance(std::time::Duration::from_secs(3600));
    let refused = builder().build().unwrap().unified().get_open_orders(&query).await.unwrap_err();
    assert_eq!(refused.code(), Some("40008"), "a client that has just started knows the system's clock only");
    exchange.reset();
    builder().build().unwrap().unified().get_open_orders(&query).await.unwrap();
}

/// Returns the bytes that a connection returns for some input, until it ends.
fn exchanged(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn any_bytes_get_an_answer_or_a_closed_connection() {
    let (exchange, address) = started().await;
    let long_body = format!("POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 2000000\r\n\r\n{}", "a".repeat(2_000_000));
    let deep = format!(
        "POST /api/v3/trade/cancel-batch HTTP/1.1\r\nhost: x\r\ncontent-length: 9000\r\n\r\n{}",
        "[".repeat(9_000)
    );
    let requests: Vec<Vec<u8>> = vec![
        b"\x16\x03\x01\x02\x00".to_vec(),
        b"GET".to_vec(),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        b"GET /api/v3/trade/order-info?%zz=%ff HTTP/1.1\r\nhost: x\r\n\r\n".to_vec(),
        b"POST /api/v3/trade/place-order HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_vec(),
        b"GET /api/v3/reality/market/inner-trades?code=A&limit=99999999999999999999 HTTP/1.1\r\nhost: x\r\n\r\n"
            .to_vec(),
        vec![0xff; 100_000],
        long_body.into_bytes(),
        deep.into_bytes(),
    ];
    for request in requests {
        let answer = tokio::task::spawn_blocking(move || exchanged(address, &request)).await.unwrap();
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1."), "{:?}", String::from_utf8_lossy(&answer));
    }
    let client =
        Client::builder(format!("http://{address}")).credentials(exchange.keys().credentials()).build().unwrap();
    client.unified().get_open_orders(&GetOpenOrders::new()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_connections_are_served_at_once() {
    // A separate process, so that each end has enough file descriptors.
    let mut program = Program::start(&["--port", "0"]);
    let client = program.client();
    let address: SocketAddr = program.address.parse().unwrap();
    let request = b"GET /-/state HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n";
    let mut streams = Vec::new();
    for _ in 0..1_000 {
        streams.push(tokio::net::TcpStream::connect(address).await.unwrap());
    }
    // A client connects while all of them are open and silent.
    client.unified().get_open_orders(&GetOpenOrders::new()).await.unwrap();
    for stream in &mut streams {
        stream.write_all(request).await.unwrap();
    }
    for mut stream in streams {
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 200"), "{:?}", String::from_utf8_lossy(&answer));
    }
}

/// Requests in which random bytes replace a part of a valid one.
#[tokio::test(flavor = "multi_thread")]
async fn no_bytes_make_the_exchange_panic() {
    let (exchange, address) = started().await;
    let good = "POST /api/v3/trade/place-order?a=b HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n\
                content-length: 40\r\n\r\n{\"category\":\"SPOT\",\"symbol\":\"\",\"qty\":1}";
    let mut number = 7_u64;
    let mut next = |bound: usize| {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(number >> 33).unwrap() % bound
    };
    for _ in 0..500 {
        let mut bytes = good.as_bytes().to_vec();
        for _ in 0..=next(6) {
            let (at, length) = (next(bytes.len()), next(12));
            let end = (at + length).min(bytes.len());
            let random: Vec<u8> = (0..next(12)).map(|_| u8::try_from(next(256)).unwrap()).collect();
            bytes.splice(at..end, random);
        }
        let answer = tokio::task::spawn_blocking(move || exchanged(address, &bytes)).await.unwrap();
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1."), "{:?}", String::from_utf8_lossy(&answer));
    }
    assert!(exchange.account(exchange.keys(), tradeapi_exchange::Family::Unified).open_orders.is_empty());
}

/// A running program, which is killed when it is dropped.
pub(crate) struct Program {
    child: Child,
    /// The address that the program has printed.
    address: String,
    /// The folder of its profile, unless a test has one.
    _profiles: Option<TempDir>,
}

impl Program {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tradeapi-exchange"));
        let profiles = TempDir::new().unwrap();
        command.env("TRADEAPI_PROFILES", profiles.path());
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self { child: command.spawn().unwrap(), address: String::new(), _profiles: Some(profiles) }
    }

    /// Starts it, waits until it serves, and returns it with a client.
    pub(crate) fn served(arguments: &[&str]) -> (Self, Client) {
        let mut program = Self::start(&[&["--port", "0"], arguments].concat());
        let client = program.client();
        (program, client)
    }

    /// Returns the address, once the program has printed it.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address.parse().unwrap()
    }

    /// Ends the program as a supervisor does, and waits for its end.
    #[cfg(unix)]
    pub(crate) fn terminate(&mut self) {
        let ended = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(ended.success() && self.child.wait().unwrap().success());
    }

    /// Returns what it printed of its failures, once it has ended.
    #[cfg(unix)]
    pub(crate) fn failures(&mut self) -> String {
        let mut text = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        text
    }

    /// Runs the program until it exits.
    pub(crate) fn run(arguments: &[&str]) -> std::process::Output {
        Command::new(env!("CARGO_BIN_EXE_tradeapi-exchange")).args(arguments).output().unwrap()
    }

    /// Returns a client with the address and the keys that the program prints.
    pub(crate) fn client(&mut self) -> Client {
        let lines = BufReader::new(self.child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let exports = lines.take_while(|line| !line.contains("Ctrl-C"));
        let exports: Vec<(String, String)> = exports
            .filter_map(|line| line.strip_prefix("export ")?.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned())))
            .collect();
        let of = |name: &str| exports.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()).unwrap();
        let url = of("TRADEAPI_URL");
        self.address = url.strip_prefix("http://").unwrap().to_owned();
        let credentials =
            tradeapi::Credentials::new(of("TRADEAPI_KEY"), of("TRADEAPI_SECRET"), of("TRADEAPI_PASSPHRASE"));
        Client::builder(url).credentials(credentials).build().unwrap()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn the_program_prints_how_to_reach_it_and_serves() {
    let mut program = Program::start(&["--port", "0", "--seed", "3"]);
    let client = program.client();
    client.unified().place_order(&limit("a", Side::Buy, "0.01", "63000")).await.unwrap();
}

#[tokio::test]
async fn the_program_leaves_a_profile_for_its_owner_while_it_runs() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = TempDir::new().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tradeapi-exchange"));
    command.args(["--port", "0"]).env_remove("TRADEAPI_PROFILES").env("HOME", home.path());
    let child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut program = Program { child, address: String::new(), _profiles: None };
    program.client();
    let file = home.path().join(".config/tradeapi/local.env");
    let text = std::fs::read_to_string(&file).unwrap();
    let names: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("export ")?.split('=').next()).collect();
    assert_eq!(names, ["TRADEAPI_URL", "TRADEAPI_KEY", "TRADEAPI_SECRET", "TRADEAPI_PASSPHRASE"]);
    assert!(text.contains(&program.address), "{text}");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let interrupt = Command::new("kill").args(["-INT", &program.child.id().to_string()]).status().unwrap();
    assert!(interrupt.success() && program.child.wait().unwrap().success());
    assert!(!file.exists(), "it is gone with the exchange");
}

/// Whoever trades on the first exchange must not find the second one in its place.
#[test]
fn the_profile_of_an_exchange_that_runs_is_kept() {
    let home = TempDir::new().unwrap();
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tradeapi-exchange"));
        command.args(["--port", "0"]).env("TRADEAPI_PROFILES", home.path());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut program = Program { child, address: String::new(), _profiles: None };
        program.client();
        program
    };
    let profile = || std::fs::read_to_string(home.path().join("local.env")).unwrap_or_default();
    let mut first = start();
    let lines = profile();
    assert!(lines.contains(&first.address), "{lines}");
    let mut second = start();
    assert_eq!(profile(), lines);
    second.terminate();
    let warning = second.failures();
    assert!(
        warning.contains("another exchange is running") && warning.contains("export the four variables"),
        "{warning}"
    );
    assert_eq!(profile(), lines);
    // One that was killed leaves its profile, which the next one replaces.
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    assert_eq!(profile(), lines);
    let mut third = start();
    assert!(profile().contains(&third.address), "{}", profile());
    third.terminate();
    assert_eq!(profile(), "");
}

#[test]
fn a_setup_may_begin_with_a_byte_order_mark() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("setup.yaml");
    std::fs::write(&file, "\u{feff}settings: { seed: 5 }\n").unwrap();
    tradeapi_exchange::Setup::read(&file).unwrap();
}

#[tokio::test]
async fn the_program_shows_the_state_of_another_in_a_terminal() {
    let mut program = Program::start(&["--port", "0", "--seed", "3"]);
    let client = program.client();
    client.unified().place_order(&limit("a", Side::Buy, "0.01", "60000")).await.unwrap();
    let watch = |url: String| {
        Command::new(env!("CARGO_BIN_EXE_tradeapi-exchange")).args(["watch", "--once", &url]).output().unwrap()
    };
    let seen = watch(format!("http://{}", program.address));
    let text = String::from_utf8(seen.stdout).unwrap();
    assert!(seen.status.success() && text.contains("orders: 1") && text.contains("BTCUSDT"), "{text}");
    assert!(text.contains("/api/v3/trade/place-order"), "{text}");
    let nowhere = watch("http://127.0.0.1:1".to_owned());
    let error = String::from_utf8(nowhere.stderr).unwrap();
    assert!(!nowhere.status.success() && error.contains("http://127.0.0.1:1/-/state: "), "{error}");
}

#[test]
fn the_program_says_which_account_a_key_has() {
    let greeting = |arguments: &[&str]| {
        let mut program = Program::start(&[&["--port", "0"], arguments].concat());
        let lines = BufReader::new(program.child.stdout.take().unwrap()).lines().map(Result::unwrap);
        lines.take_while(|line| !line.contains("Ctrl-C")).collect::<Vec<_>>().join("\n")
    };
    assert!(greeting(&["--classic"]).contains("the key is of a classic account"));
    assert!(greeting(&[]).contains("the key is of a unified account"));
    assert!(greeting(&["--both"]).contains("as no real key has"));
}

/// The case flag-takes-the-next-option.
#[test]
fn no_option_takes_the_next_one_or_an_empty_variable_for_its_value() {
    assert!(crate::empty_arguments::tried(env!("CARGO_BIN_EXE_tradeapi-exchange")) > 15);
}

#[test]
fn options_that_mean_nothing_are_refused() {
    for (arguments, word) in [
        (&["--speed", "1001"][..], "--speed"),
        (&["--speed", "5", "replay", "journal.jsonl"], "replay"),
        (&["replay", "journal.jsonl", "--port", "5"], "--port"),
        (&["--load", "journal.jsonl", "--strict"], "--strict"),
        (&["--docs", "/nowhere/at/all"], "cannot read the reference in /nowhere/at/all: "),
    ] {
        let output = Program::run(arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(word), "{arguments:?}: {error}");
    }
}

/// The device is one on which every write fails for want of space.
#[cfg(target_os = "linux")]
#[test]
fn a_journal_that_cannot_be_written_ends_the_program_with_its_name() {
    let output = Program::run(&["--port", "0", "--journal", "/dev/full"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains("/dev/full: No space left"), "{error}");
}

#[test]
fn a_port_in_use_is_reported() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_tradeapi-exchange")).args(["--port", &port]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(error.contains(&format!("port {port} is in use")) && error.contains("--port"), "{error}");
}
