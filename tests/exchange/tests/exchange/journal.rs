//! The journal, its replay, and setups.

use std::fs;
use std::time::Duration;

use tradeapi::dec;
use tradeapi::unified::{Category, Execution, PlaceOrder, Side};
use tradeapi_exchange::{
    Conditions, Exchange, Family, Fault, FaultKind, Mode, Profile, Recording, ReplayError, Seed, Settings, Setup, Time,
};

use crate::fixture::{Fixture, limit, market, number};
use crate::http::Program;

/// The longest jump in time: of what is before its last day, nothing is simulated.
const LONG: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// Enough time for orders to be filled; without optimisation, a day of it takes ten seconds.
const SHORT: Duration = Duration::from_secs(10 * 60);

/// Returns a history with requests and actions of all kinds, and a pause before its last order.
async fn history(pause: Duration) -> Fixture {
    let fixture = Fixture::with(|settings| (settings.journal, settings.lively) = (true, true), Profile::new().both());
    let other = fixture.another(Profile::new().both().mode(Mode::Hedge).balance("USDT", 500));
    fixture.exchange.set_price("BTCUSDT", 64_000).unwrap();
    for index in 0..20 {
        let price = (63_960 + index * 3).to_string();
        let _ = fixture.client.unified().place_order(&limit(&format!("o{index}"), Side::Buy, "0.02", &price)).await;
        let _ = other.client.unified().place_order(&market(&format!("m{index}"), Side::Sell, "0.001")).await;
        fixture.exchange.time().advance(Duration::from_millis(900));
        let _ = fixture.unified();
    }
    fixture.exchange.add_fault(Fault::new(FaultKind::Any).per_mille(500));
    for index in 0..20 {
        let _ = fixture.client.unified().place_order(&limit(&format!("f{index}"), Side::Sell, "0.01", "64500")).await;
    }
    fixture.exchange.clear_faults();
    let mut conditions = Conditions::default();
    conditions.clocks = vec![0, 700];
    fixture.exchange.set_conditions(conditions);
    let waiting = &fixture.unified().open_orders[0];
    let (id, rest) = (waiting.id.clone(), waiting.qty - waiting.filled);
    fixture.exchange.fill(id, rest).unwrap();
    fixture.exchange.suspend("ETHUSDT", true).unwrap();
    fixture.exchange.time().advance(pause);
    let _ = fixture.client.unified().place_order(&limit("late", Side::Buy, "0.02", "61000")).await;
    fixture
}

#[tokio::test]
async fn a_replayed_journal_restores_the_state_with_the_same_answers() {
    let fixture = history(LONG).await;
    let journal = fixture.exchange.journal().unwrap();
    let again = Exchange::replay(&journal).unwrap();
    assert_eq!(again.keys(), fixture.exchange.keys());
    for family in [Family::Classic, Family::Unified] {
        assert_eq!(again.account(&fixture.keys, family), fixture.exchange.account(&fixture.keys, family));
    }
    assert_eq!((again.journal().unwrap(), again.violations()), (journal, fixture.exchange.violations()));
    // The restored exchange continues.
    let order = limit("after", Side::Buy, "0.01", "60000");
    again.client().unified().place_order(&order).await.unwrap();
    assert_eq!(
        again.account(&fixture.keys, Family::Unified).open_orders.last().unwrap().client_id.as_deref(),
        Some("after")
    );
}

#[tokio::test]
async fn a_reset_is_in_the_journal() {
    let fixture = history(SHORT).await;
    fixture.exchange.reset();
    fixture.client.unified().place_order(&limit("o1", Side::Buy, "0.02", "61000")).await.unwrap();
    let again = Exchange::replay(&fixture.exchange.journal().unwrap()).unwrap();
    assert_eq!(again.account(&fixture.keys, Family::Unified), fixture.exchange.account(&fixture.keys, Family::Unified));
}

#[tokio::test]
async fn a_different_answer_is_reported_with_its_line() {
    let journal = history(SHORT).await.exchange.journal().unwrap();
    let lines: Vec<&str> = journal.lines().collect();
    let (index, line) = lines.iter().enumerate().find(|(_, line)| line.contains(r#"\"code\":\"00000\""#)).unwrap();
    let turned = line.replacen(r#"\"code\":\"00000\""#, r#"\"code\":\"40762\""#, 1);
    let error = Exchange::replay(&journal.replace(line, &turned)).unwrap_err();
    assert!(matches!(&error, ReplayError::Differs { line, .. } if *line == index + 1), "{error}");
    for (text, why) in [("", "empty"), ("{}", "journal"), (r#"{"journal": 9, "begun": 0, "setup": {}}"#, "version 9")] {
        let error = Exchange::replay(text).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
    let broken = format!("{}\n{{\"at\": 1}}\n", lines[0]);
    assert!(Exchange::replay(&broken).unwrap_err().to_string().contains("line 2"));
}

#[tokio::test]
async fn a_setup_has_users_pairs_and_prices() {
    let setup = Setup::from_yaml(
        "
        settings: { seed: 3, rate_limits: false }
        users: [{ mode: hedge_mode, balances: { USDT: 500 } }, { whitelisted: true }]
        instruments:
          - { line: USDT-FUTURES, symbol: DOGEUSDT, base: DOGE, quote: USDT, tick: 0.00001, step: 1, opening: 0.2 }
        prices: [{ symbol: DOGEUSDT, steps: [[0, 0.2], [60000, 0.19], [120000, 0.21]] }]
        ",
    );
    let exchange = Exchange::of(setup.unwrap(), Time::by_hand());
    assert_eq!(exchange.account(exchange.keys(), Family::Unified).balances["USDT"].total, dec!(500));
    let order = |price| {
        let execution = Execution::limit(number(price));
        PlaceOrder::new(Category::UsdtFutures, "DOGEUSDT", number("100"), Side::Buy, execution)
            .pos_side(tradeapi::unified::PosSide::Long)
    };
    exchange.client().unified().place_order(&order("0.19500")).await.unwrap();
    exchange.time().advance(Duration::from_secs(59));
    assert_eq!(exchange.account(exchange.keys(), Family::Unified).open_orders.len(), 1);
    exchange.time().advance(Duration::from_secs(1));
    assert_eq!(exchange.account(exchange.keys(), Family::Unified).positions[0].qty, dec!(100));
}

#[test]
fn the_program_writes_loads_and_replays_a_journal() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first.jsonl"), folder.path().join("second.jsonl"));
    let [first, second] = [&first, &second].map(|path| path.to_str().unwrap());
    let placed = |program: &mut Program, name: &str| {
        let client = program.client();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            client.unified().place_order(&limit(name, Side::Buy, "0.01", "60000")).await.unwrap();
            client.unified().get_open_orders(&tradeapi::unified::GetOpenOrders::new()).await.unwrap().list.len()
        })
    };
    let written = |path: &str, name: &str| {
        // The journal is written five times a second.
        while !fs::read_to_string(path).is_ok_and(|text| text.contains(name) && text.ends_with('\n')) {
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let mut program = Program::start(&["--port", "0", "--quiet", "--journal", first]);
    assert_eq!(placed(&mut program, "one"), 1);
    written(first, "unfilled-orders");
    drop(program);
    let mut program = Program::start(&["--port", "0", "--load", first, "--journal", second]);
    assert_eq!(placed(&mut program, "two"), 2, "the earlier order is still there");
    written(second, "two");
    drop(program);
    let replay = |path: &str| Program::run(&["replay", path]);
    let output = Program::run(&["--port", "0", "--journal", second]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && error.contains("has content; name another file"), "{error}");
    let mut program = Program::start(&["--port", "0", "--load", second, "--journal", second]);
    assert_eq!(placed(&mut program, "three"), 3, "a journal is continued in its own file");
    written(second, "three");
    drop(program);
    let output = replay(second);
    assert!(output.status.success(), "{output:?}");
    fs::write(first, fs::read_to_string(first).unwrap().replace("\\\"live\\\"", "\\\"new\\\"")).unwrap();
    let output = replay(first);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && error.contains("the answer differs"), "{error}");
}

/// Asks a running program.
fn control(program: &Program, target: &str) -> serde_json::Value {
    let (status, answer) = crate::control::json(program.address(), target, &[]);
    assert_eq!(status, 200, "{target}: {answer}");
    answer
}

#[test]
fn a_clock_that_stands_still_does_so_after_a_load_and_a_reset_returns_to_that_of_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first.jsonl", "second.jsonl"].map(|name| folder.path().join(name));
    let [first, second] = [&first, &second].map(|path| path.to_str().unwrap());
    let clock = |program: &Program| {
        let state = control(program, "GET /-/state");
        (state["speed"].as_u64().unwrap(), state["now"].as_u64().unwrap())
    };
    let (program, _) = Program::served(&["--quiet", "--speed", "3", "--journal", first]);
    control(&program, "POST /-/time?speed=0");
    control(&program, "POST /-/time?step=3600000");
    let frozen = clock(&program);
    assert_eq!(frozen.0, 0);
    while !fs::read_to_string(first).is_ok_and(|text| text.matches("{\"clock\":").count() == 2) {
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(program);
    let (program, _) = Program::served(&["--load", first, "--journal", second]);
    assert_eq!(clock(&program), frozen, "it stands still at its time");
    control(&program, "POST /-/reset");
    let (speed, now) = clock(&program);
    assert!(speed == 3 && now < frozen.1, "the start had this speed, at the system's time");
    drop(program);
    let (program, _) = Program::served(&["--load", first, "--speed", "5"]);
    assert!(clock(&program).0 == 5 && clock(&program).1 >= frozen.1);
    drop(program);
    let (program, _) = Program::served(&["--quiet", "--speed", "0"]);
    let stands = clock(&program);
    assert_eq!((stands.0, clock(&program)), (0, stands));
    control(&program, "POST /-/time?speed=1000");
    control(&program, "POST /-/reset");
    assert_eq!(clock(&program).0, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_returns_to_the_setup() {
    let (program, client) = Program::served(&["--quiet", "--faults", "0.5"]);
    control(&program, "POST /-/faults?clear=all");
    control(&program, "POST /-/faults?kind=slow&delay=5");
    control(&program, "POST /-/account?user=1000000&permissions=none");
    control(&program, "POST /-/suspend?symbol=BTCUSDT");
    control(&program, "POST /-/reset");
    let faults = control(&program, "GET /-/state")["faults"].clone();
    assert_eq!((&faults["count"], &faults["list"][0]["kind"]), (&1.into(), &"any".into()));
    control(&program, "POST /-/faults?clear=all");
    client.unified().place_order(&limit("a", Side::Buy, "0.01", "60000")).await.unwrap();
}

#[test]
fn a_journal_is_kept_only_on_request() {
    let exchange = Exchange::with(Settings::default(), Time::by_hand(), Profile::new().both());
    assert_eq!(exchange.journal(), None);
    assert_eq!(Exchange::new(Seed(1)).violations().len(), 0);
}

#[test]
fn an_invalid_setup_is_reported_with_its_line() {
    let error = Setup::from_yaml("settings: { seed: 7 }\nusers:\n  - { modus: hedge_mode }\n").unwrap_err();
    assert!(error.to_string().contains("modus") && error.to_string().contains("line 3"), "{error}");
    let read = Setup::from_yaml("prices: [{ symbol: XRPUSDT, steps: [[5, 0.1], [6, '2']] }]").unwrap();
    assert_eq!(read.prices[0].steps[0].1.0.to_string(), "0.1");
}

#[test]
fn prices_are_read_from_csv() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prices.csv");
    let read = |text: &str| {
        fs::write(&path, text).unwrap();
        let mut recording = Recording::default();
        recording.prices("BTCUSDT", &path)?;
        let mut setup = Setup::default();
        recording.play_in(&mut setup)?;
        std::io::Result::Ok(setup.prices.remove(0))
    };
    let prices = read("time,price\n1000,64000.5,7\n\n1250,64001\n").unwrap();
    assert_eq!(prices.steps.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 250]);
    let quoted = read("\"time\",\"price\"\n\"1000\",\"64000.5\"\n").unwrap();
    assert_eq!(quoted.steps.len(), 1);
    for (text, line) in [
        ("-1000,1\n", "line 1"),
        ("1000,1\nx,2\n", "line 2"),
        ("1000,1\n999,2\n", "line 2"),
        ("1000,1\n1001,a\n", "line 2"),
    ] {
        assert!(read(text).unwrap_err().to_string().contains(line), "{text}");
    }
}
