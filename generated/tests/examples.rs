//! Each example runs against the exchange, as a program of its own with the keys in its environment.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use tokio::net::TcpListener;
use tradeapi::runtime::value::days;
use tradeapi::unified::{Category, Execution, PlaceOrder, PosSide, Side};
use tradeapi::{Client, Decimal, Timestamp, classic};
use tradeapi_exchange::{
    Accounts, Exchange, Family, Fault, FaultKind, FaultTarget, Mode, Profile, Seed, Settings, Time, server,
};

struct Running {
    exchange: Exchange,
    url: String,
}

impl Running {
    /// Creates an exchange with a lively market on a port of its own.
    async fn start(mode: Mode) -> Self {
        Self::of(Profile::new().mode(mode)).await
    }

    async fn of(profile: Profile) -> Self {
        Self::start_at(Time::running(1), profile, true).await
    }

    /// Creates an exchange whose clock stands still nine days ago, until it is advanced.
    async fn nine_days_ago() -> Self {
        Self::start_at(Time::by_hand_from(Timestamp::now() - days(9)), Profile::new(), false).await
    }

    async fn start_at(time: Time, profile: Profile, is_lively: bool) -> Self {
        let mut settings = Settings::default();
        (settings.seed, settings.lively, settings.rate_limits) = (Seed(7), is_lively, is_lively);
        let exchange = Exchange::with(settings, time, profile);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(server::serve(listener, exchange.clone()));
        Self { exchange, url }
    }

    /// Runs an example to its end.
    async fn run(&self, example: &str, arguments: &[&str]) -> Output {
        let mut command = self.command(example, arguments);
        tokio::task::spawn_blocking(move || command.output().expect("the example runs")).await.unwrap()
    }

    /// Returns the command that runs an example, which cargo has built beside this test.
    fn command(&self, example: &str, arguments: &[&str]) -> Command {
        let folder: PathBuf = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("examples");
        let program = folder.join(format!("{example}{}", std::env::consts::EXE_SUFFIX));
        assert!(program.exists(), "no {}: build it with `cargo build -p tradeapi --examples`", program.display());
        let mut command = Command::new(program);
        let keys = self.exchange.keys();
        command
            .args(arguments)
            .env("TRADEAPI_URL", &self.url)
            .env("TRADEAPI_KEY", &keys.key)
            .env("TRADEAPI_SECRET", &keys.secret)
            .env("TRADEAPI_PASSPHRASE", &keys.passphrase);
        command
    }

    /// Advances the clock.
    fn pass(&self, minutes: u64) {
        self.exchange.time().advance(Duration::from_secs(60 * minutes));
    }

    /// Fills a market order with this client id, in another direction each time.
    async fn fill(&self, number: usize) {
        let client = self.exchange.client();
        let qty: Decimal = "0.001".parse().unwrap();
        let side = if number.is_multiple_of(2) { Side::Buy } else { Side::Sell };
        let order = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", qty, side, Execution::Market);
        client.unified().place_order(&order.client_oid(format!("fill-{number}").parse().unwrap())).await.unwrap();
    }

    fn client(&self) -> Client {
        Client::builder(&self.url).credentials(self.exchange.keys().credentials()).build().unwrap()
    }
}

fn text(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    out.into_owned()
}

fn order(client: &str, price: &str, qty: &str) -> PlaceOrder {
    let (price, qty): (Decimal, Decimal) = (price.parse().unwrap(), qty.parse().unwrap());
    PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", qty, Side::Buy, Execution::limit(price))
        .client_oid(client.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn hello() {
    let running = Running::start(Mode::OneWay).await;
    let output = text(&running.run("hello", &[]).await);
    assert!(output.starts_with("Order { order_id: ") && output.contains("price: 50000"), "{output}");
    assert!(running.exchange.account(running.exchange.keys(), Family::Unified).open_orders.is_empty());
}

/// The first programs are for an account in one-way mode, and say what one in hedge mode needs.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_programs_name_no_position() {
    for name in ["examples/hello.rs", "examples/first_order.rs", "examples/blocking.rs", "../README.md"] {
        let text = std::fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
        let is_code = |line: &&str| !line.starts_with("//") && !line.contains('`');
        assert!(!text.lines().filter(is_code).any(|line| line.contains("pos_side")), "{name}");
    }
    let running = Running::start(Mode::Hedge).await;
    let client = running.client();
    let refused = client.unified().place_order(&order("a", "60000", "0.01")).await.unwrap_err();
    assert!(refused.to_string().contains("hedge-mode-needs-pos-side"), "{refused}");
    client.unified().place_order(&order("b", "60000", "0.01").pos_side(PosSide::Long)).await.unwrap();
}

/// Whoever copies a program out of the README finds there which features it needs.
#[test]
fn the_readme_names_the_features_that_its_examples_need() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(folder.join("../README.md")).unwrap();
    let (_, dependencies) = readme.split_once("```toml\n").unwrap();
    let (dependencies, _) = dependencies.split_once("```").unwrap();
    let mut named = 0;
    for example in std::fs::read_dir(folder.join("examples")).unwrap() {
        let path = example.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let is_shown = [format!("`{name}`"), format!("--example {name}")].iter().any(|text| readme.contains(text));
        let code = std::fs::read_to_string(&path).unwrap();
        if is_shown && code.contains("use tradeapi::observed") {
            named += 1;
            let is_named = ["observed", name].iter().all(|text| dependencies.contains(&format!("`{text}`")));
            assert!(is_named, "{name} needs `observed`:\n{dependencies}");
        }
    }
    assert!(named >= 2, "{named}");
}

/// Without comments and empty lines.
#[test]
fn the_programs_are_short() {
    for (name, most) in
        [("hello", 15), ("first_order", 40), ("maker", 48), ("backfill", 40), ("panic_button", 40), ("commissions", 40)]
    {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.rs"));
        let code = std::fs::read_to_string(path).unwrap();
        let lines = code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count();
        assert!(lines <= most, "{name} has {lines} lines");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn first_order() {
    let running = Running::start(Mode::OneWay).await;
    let output = text(&running.run("first_order", &[]).await);
    let at = |text: &str| output.find(text);
    assert!(at("partially_filled  ").is_some(), "{output}");
    assert!(at("partially_filled") < at("\nfilled") && at("\nfilled") < at("\ncancelled"), "{output}");
}

#[tokio::test(flavor = "multi_thread")]
async fn maker() {
    let running = Running::start(Mode::OneWay).await;
    let output = text(&running.run("maker", &["4"]).await);
    assert!(output.contains("sell    0.05 at ") && output.contains("Cancelled 2 quotes"), "{output}");
    assert!(running.exchange.account(running.exchange.keys(), Family::Unified).open_orders.is_empty());
}

/// A refused amendment does not show that the quote is gone.
#[tokio::test(flavor = "multi_thread")]
async fn the_maker_quotes_once_although_amendments_are_refused() {
    let running = Running::start(Mode::OneWay).await;
    let amendments = FaultTarget::Operation("unified.modify-order".into());
    running.exchange.add_fault(Fault::new(FaultKind::Refuse("40762".into())).target(amendments));
    let output = text(&running.run("maker", &["3"]).await);
    assert_eq!(output.matches("0.05 at").count(), 2, "{output}");
    assert!(output.contains("40762") && output.contains("Cancelled 2 quotes"), "{output}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_maker_cancels_its_quotes_when_it_fails() {
    let running = Running::start(Mode::OneWay).await;
    let open = || running.exchange.account(running.exchange.keys(), Family::Unified).open_orders.len();
    let fail = async {
        while open() < 2 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let prices = FaultTarget::Operation("observed.tickers".into());
        running.exchange.add_fault(Fault::new(FaultKind::Refuse("40725".into())).target(prices));
    };
    let (output, ()) = tokio::join!(running.run("maker", &["40"]), fail);
    assert!(!output.status.success(), "{output:?}");
    assert_eq!(open(), 0);
}

/// Checks that the lines of the file name each fill once.
fn assert_lists_each_once(lines: &str, fills: usize) {
    let count = |number| lines.matches(&format!("\"fill-{number}\"")).count();
    let wrong: Vec<_> = (0..fills).map(|number| (number, count(number))).filter(|(_, count)| *count != 1).collect();
    assert!(wrong.is_empty() && lines.lines().count() == fills, "of {fills}, (number, times listed): {wrong:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn backfill() {
    let running = Running::nine_days_ago().await;
    for number in 0..12 {
        running.fill(number).await;
    }
    running.pass(11);
    running.fill(12).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fills.jsonl");
    let backfill = async || text(&running.run("backfill", &[path.to_str().unwrap()]).await);
    backfill().await;
    let first = std::fs::read_to_string(&path).unwrap();
    assert_lists_each_once(&first, 12);
    backfill().await;
    assert_eq!(std::fs::read_to_string(&path).unwrap(), first, "a second run adds nothing that may not be complete");
    running.pass(11);
    backfill().await;
    let lines = std::fs::read_to_string(&path).unwrap();
    assert!(lines.starts_with(&first), "{lines}");
    assert_lists_each_once(&lines, 13);
    let mark = folder.path().join("fills.jsonl.position");
    let position = std::fs::read_to_string(&mark).unwrap();
    for (what, wrong) in [
        ("no position beside fills", Box::new(|| std::fs::remove_file(&mark)) as Box<dyn Fn() -> std::io::Result<()>>),
        ("a position that cannot be read", Box::new(|| std::fs::create_dir(&mark))),
        (
            "a shorter file",
            Box::new(|| {
                std::fs::remove_dir(&mark)?;
                std::fs::write(&mark, &position)?;
                std::fs::write(&path, "{}")
            }),
        ),
    ] {
        wrong().unwrap();
        let before = std::fs::read_to_string(&path).unwrap();
        let output = running.run("backfill", &[path.to_str().unwrap()]).await;
        assert!(!output.status.success(), "{what}: {output:?}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), before, "{what}");
    }
}

/// Each night some runs are killed, at any moment or right after they have written, and then one ends. Fills arrive all
/// the time: through the day, in the minutes before a run, while it lists, and between a killed run and the next.
#[tokio::test(flavor = "multi_thread")]
async fn a_week_of_nightly_backfills_with_kills() {
    let running = Running::nine_days_ago().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fills.jsonl");
    let length = || std::fs::metadata(&path).map_or(0, |file| file.len());
    let (mut fills, mut killed) = (0, 0);
    for night in 0..7 {
        for hour in 0..24 {
            for _ in 0..6 {
                running.fill(fills).await;
                fills += 1;
                running.pass(if hour == 23 { 3 } else { 9 });
            }
        }
        for run in 0..6 {
            let mut command = running.command("backfill", &[path.to_str().unwrap()]);
            let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
            let (begun, before) = (std::time::Instant::now(), length());
            let patience = Duration::from_millis(5 * run + 3 * night);
            let is_last = run == 5;
            let status = loop {
                running.fill(fills).await;
                fills += 1;
                running.exchange.time().advance(Duration::from_millis(150));
                if let Some(status) = child.try_wait().unwrap() {
                    break Some(status);
                }
                let has_written = run % 2 == 1 && length() != before;
                if !is_last && (has_written || begun.elapsed() > patience) {
                    child.kill().unwrap();
                    child.wait().unwrap();
                    break None;
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            };
            assert!(status.is_none_or(|status| status.success()), "night {night}, run {run}");
            killed += usize::from(status.is_none());
            running.pass(run);
        }
    }
    running.pass(60);
    text(&running.run("backfill", &[path.to_str().unwrap()]).await);
    assert!(killed >= 7, "{killed}");
    assert_lists_each_once(&std::fs::read_to_string(&path).unwrap(), fills);
}

/// Opens an order and a position in each family that serves the key.
async fn trade(client: &Client, accounts: Accounts) {
    let qty = "0.119".parse::<Decimal>().unwrap();
    if accounts != Accounts::Classic {
        client.unified().place_order(&order("a", "60000", "0.01")).await.unwrap();
        let market = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", qty.clone(), Side::Buy, Execution::Market);
        client.unified().place_order(&market).await.unwrap();
    }
    if accounts != Accounts::Unified {
        let (line, margin) = (classic::ProductType::UsdtFutures, classic::MarginMode::Crossed);
        let market = classic::Execution::Market;
        let order = classic::PlaceOrder::new("BTCUSDT", line, margin, "USDT", qty, classic::Side::Buy, market);
        client.classic().place_order(&order).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn panic_button() {
    for accounts in [Accounts::Unified, Accounts::Classic, Accounts::Both] {
        let running = Running::of(Profile::new().accounts(accounts)).await;
        trade(&running.client(), accounts).await;
        let output = text(&running.run("panic_button", &["0"]).await);
        assert!(output.starts_with("no order and no position is left"), "{accounts}: {output}");
        assert_eq!(output.contains("does not serve this key"), accounts != Accounts::Both, "{accounts}: {output}");
        for family in [Family::Unified, Family::Classic] {
            let account = running.exchange.account(running.exchange.keys(), family);
            assert!(account.open_orders.is_empty() && account.positions.is_empty(), "{accounts}: {account:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hedge() {
    let running = Running::start(Mode::Hedge).await;
    let output = text(&running.run("hedge", &[]).await);
    let account = running.exchange.account(running.exchange.keys(), Family::Unified);
    let mut held: Vec<_> = account.positions.iter().map(|of| format!("{} {}", of.pos, of.qty.normalize())).collect();
    held.sort();
    assert_eq!(held, ["long 0.01", "short 0.02"]);
    let lines: Vec<_> = output.lines().map(|line| line.split_whitespace().take(2).collect::<Vec<_>>()).collect();
    assert!(lines.contains(&vec!["long", "0.01"]) && lines.contains(&vec!["short", "0.02"]), "{output}");
}

#[tokio::test(flavor = "multi_thread")]
async fn commissions() {
    let running = Running::start(Mode::OneWay).await;
    let output = text(&running.run("commissions", &[]).await);
    let lines = output.lines().filter(|line| line.contains(" 200000") && !line.starts_with("Rebates")).count();
    // Four referred users a day. The last day is not reported yet, and the first may have passed meanwhile.
    assert!((4 * 88..=4 * 90).contains(&lines), "{lines}");
    assert_eq!(output.lines().filter(|line| line.starts_with("Rebates of 200000")).count(), 4, "{output}");
}

#[tokio::test(flavor = "multi_thread")]
async fn strategy() {
    // It needs no exchange but its own.
    let running = Running::start(Mode::OneWay).await;
    let output = text(&running.run("strategy", &[]).await);
    assert!(output.contains("round trips") && output.contains("no order lost or doubled"), "{output}");
    assert!(output.contains("A late request: one order."), "{output}");
}

#[cfg(feature = "blocking")]
#[tokio::test(flavor = "multi_thread")]
async fn blocking() {
    let running = Running::start(Mode::OneWay).await;
    let output = text(&running.run("blocking", &[]).await);
    assert!(output.contains("1 orders are open") && output.contains("is cancelled"), "{output}");
}

#[cfg(feature = "redis")]
#[tokio::test(flavor = "multi_thread")]
async fn fleet() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = Command::new("redis-server");
    command.args(["--bind", "127.0.0.1", "--port", &free.to_string(), "--save", "", "--appendonly", "no"]);
    let Ok(mut redis) = command.stdout(std::process::Stdio::null()).spawn() else {
        eprintln!("SKIPPED, because redis-server is not installed: fleet");
        return;
    };
    while std::net::TcpStream::connect(("127.0.0.1", free)).is_err() {
        assert!(redis.try_wait().unwrap().is_none(), "redis-server has ended");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let running = Running::start(Mode::OneWay).await;
    let output = running.run("fleet", &[&format!("redis://127.0.0.1:{free}"), "3"]).await;
    redis.kill().unwrap();
    redis.wait().unwrap();
    assert!(text(&output).contains("60 calls of 3 processes"));
    assert!(running.exchange.violations().is_empty(), "{:?}", running.exchange.violations());
}
