//! The table of the guide's chapter on the judge: what public clients do when the answer to an order does not come as they
//! expect. Each places one order by its defaults, on an exchange with one fault.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tradeapi::unified::{Category, ClientOid, Execution, PlaceOrder, Side};
use tradeapi::{Client, ConfirmPolicy, Confirmation, dec};
use tradeapi_exchange::judge::{FindingKind, Level, Trial, Verdict};
use tradeapi_exchange::{Accounts, Fault, FaultKind, FaultTarget, Profile, Setup};

use super::{
    BITGET_API, CCXT, CCXT_JS, FREQTRADE, PYBOTTERS, TYPED_BITGET, ccxt_for_rust, folder, has_node, has_python,
    is_tried, program,
};

/// By how much the exchange's clock is ahead where clocks differ, in milliseconds.
const CLOCK: i64 = 40_000;

/// A situation: the head of its column, and the fault of the order, if it is one.
type Situation = (&'static str, fn() -> Option<Fault>);

const SITUATIONS: [Situation; 7] = [
    ("no answer", || Some(Fault::new(FaultKind::Lose))),
    ("12 s late", || Some(Fault::new(FaultKind::Slow).delay(Duration::from_secs(12)))),
    ("504, no code", || Some(Fault::new(FaultKind::LateGateway))),
    ("code 40010", || Some(Fault::new(FaultKind::Hide("40010".to_owned())))),
    ("cut off", || Some(Fault::new(FaultKind::Cut))),
    ("429", || Some(Fault::new(FaultKind::Refuse("429".to_owned())))),
    ("clock off by 40 s", || None),
];

/// A client: its name and version, the folder of its installation, and its program.
type Row = (&'static str, &'static str, &'static str);

/// Returns the operation that is faulted. freqtrade opens nothing with a unified account.
fn place((_, client, _): &Row) -> &'static str {
    if *client == "freqtrade" { "classic.place-order" } else { "unified.place-order" }
}

/// Each runs in its turn, so that none is late because of the others.
static TURNS: Semaphore = Semaphore::const_new(6);

const CLIENTS: [Row; 9] = [
    (CCXT, "ccxt", "situations.py ccxt"),
    (CCXT_JS, "ccxt-js", "situations.mjs ccxt-js"),
    ("ccxt 4.5.91", "ccxt-rs", ""),
    (BITGET_API, "bitget-api", "situations.mjs bitget-api"),
    (TYPED_BITGET, "typed-bitget", "situations.py typed-bitget"),
    (PYBOTTERS, "pybotters", "situations.py pybotters"),
    (FREQTRADE, "freqtrade", "situations.py freqtrade"),
    ("the pattern \"repeat by client id\"", "", "situations.py repeats"),
    ("tradeapi", "", ""),
];

/// The table stands between these lines of the chapter.
const MARKS: [&str; 2] = ["<!-- situations -->\n", "<!-- end of situations -->\n"];

fn chapter() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated/guide/judge.md")
}

fn is_installed((package, client, program): &Row) -> bool {
    match *client {
        "" => true,
        "ccxt-rs" => ccxt_for_rust().is_some(),
        "freqtrade" => is_tried(client) && has_python(client, package),
        _ if program.starts_with("situations.py") => has_python(client, package),
        _ => has_node(client, package),
    }
}

/// Returns a client in a situation, as a trial without other faults.
fn trial(row: &Row, (_, fault): &Situation, says: &Path) -> Trial {
    let ((_, client, with), place) = (row, place(row));
    let accounts = if place.starts_with("classic") { Accounts::Classic } else { Accounts::Unified };
    let mut setup = Setup::default();
    setup.users.push(Profile::new().accounts(accounts).balance("USDT", 1_000_000));
    match fault() {
        Some(fault) => setup.faults.push(fault.target(FaultTarget::Operation(place.to_owned())).times(1)),
        None => setup.conditions.clocks = vec![CLOCK],
    }
    let command = match with.split_once(' ') {
        None if *client == "ccxt-rs" => {
            let compiled = ccxt_for_rust().expect("it is installed").display().to_string();
            vec![compiled, "situation".to_owned()]
        }
        Some((file, name)) => {
            let interpreter = if file.ends_with(".py") { "python3" } else { "node" };
            vec![interpreter.to_owned(), program(file).display().to_string(), name.to_owned()]
        }
        None => {
            let own = env::current_exe().unwrap().display().to_string();
            [&own, "--ignored", "--exact", "situations::places_one_order"].map(str::to_owned).to_vec()
        }
    };
    let mut trial = Trial::of(command, setup);
    let installed = folder().join(client);
    trial.variables.extend([
        ("PYTHONPATH".to_owned(), installed.display().to_string()),
        ("CLIENTS".to_owned(), installed.join("node_modules").display().to_string()),
        ("SAYS".to_owned(), says.display().to_string()),
    ]);
    let allowed = vec![FindingKind::LeftOpen, FindingKind::Forbidden, FindingKind::OutOfTime];
    (trial.level, trial.quiet, trial.allowed) = (Level::None, true, allowed);
    trial
}

/// Returns a cell of the table: how often the order was sent, what the client told its caller, and what was wrong.
fn cell(row: &Row, verdict: &Verdict, says: &Path) -> String {
    let sent = match verdict.calls.get(place(row)).copied().unwrap_or_default() {
        0 => "not sent".to_owned(),
        1 => "sent once".to_owned(),
        times => format!("sent {times} times"),
    };
    let told = fs::read_to_string(says).unwrap_or_else(|_| "nothing within a minute".to_owned());
    let mut cell = format!("{sent}: {told}");
    let kinds: BTreeSet<_> = verdict.findings.iter().map(|finding| finding.kind).collect();
    for kind in kinds {
        write!(cell, "; `{kind}`").unwrap();
    }
    cell
}

/// Returns the lines of the table: its head, and a line for each client, or `None` for one that is not tried, or cannot
/// be installed, here.
async fn table() -> Vec<Option<String>> {
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let heads = SITUATIONS.map(|(name, _)| name).join(" | ");
    let mut lines =
        vec![Some(format!("| client | {heads} |")), Some(format!("|---|{}", "---|".repeat(SITUATIONS.len())))];
    let mut runs: Vec<Vec<JoinHandle<String>>> = Vec::new();
    for row in &CLIENTS {
        if !is_installed(row) {
            runs.push(Vec::new());
            continue;
        }
        let run = |(index, situation): (usize, &'static Situation)| {
            let folder = Arc::clone(&folder);
            tokio::spawn(async move {
                let _turn = TURNS.acquire().await.unwrap();
                let says = folder.path().join(format!("{index}-{}", row.2.replace(' ', "-")));
                let verdict = trial(row, situation, &says).run().await.unwrap();
                cell(row, &verdict, &says)
            })
        };
        runs.push(SITUATIONS.iter().enumerate().map(run).collect());
    }
    for ((package, client, program), runs) in CLIENTS.iter().zip(runs) {
        let language = match *client {
            "ccxt-rs" => " (Rust)",
            "freqtrade" => " (classic account)",
            _ if program.starts_with("situations.mjs") => " (JavaScript)",
            _ => "",
        };
        let mut line = format!("| {}{language} |", package.replace("==", " ").replace('@', " "));
        let is_tried = !runs.is_empty();
        for run in runs {
            write!(line, " {} |", run.await.unwrap()).unwrap();
        }
        lines.push(is_tried.then_some(line));
    }
    lines
}

/// With `UPDATE=1`, as in the command of the guide, the lines are written there.
#[tokio::test(flavor = "multi_thread")]
async fn the_table_of_the_guide_is_what_the_clients_do() {
    let lines = table().await;
    let text = fs::read_to_string(chapter()).unwrap();
    let (before, rest) = text.split_once(MARKS[0]).unwrap();
    let (written, after) = rest.split_once(MARKS[1]).unwrap();
    if env::var_os("UPDATE").is_some() {
        let table: String = lines.into_iter().map(|line| line.expect("every client is installed") + "\n").collect();
        fs::write(chapter(), [before, MARKS[0], &table, MARKS[1], after].concat()).unwrap();
    } else {
        let written: Vec<_> = written.lines().collect();
        assert_eq!(written.len(), lines.len(), "run with UPDATE=1");
        for (written, line) in written.into_iter().zip(lines) {
            assert!(line.as_deref().is_none_or(|line| line == written), "{written}\n{line:?}");
        }
    }
}

/// The program of this crate's row: one order, whose outcome is confirmed.
#[tokio::test]
#[ignore = "the table starts it as a program"]
async fn places_one_order() {
    let client = Client::from_env("TRADEAPI").unwrap();
    let execution = Execution::limit(dec!(40000));
    let order = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", dec!(0.01), Side::Buy, execution)
        .client_oid(ClientOid::new("situation-1").unwrap());
    let says = match client.place_and_confirm(&order, &ConfirmPolicy::new()).await {
        Confirmation::Done(done) if done.record.is_some() => "done, by a query".to_owned(),
        Confirmation::Done(_) => "an order".to_owned(),
        Confirmation::NotDone(not) => {
            let code = not.why.as_ref().and_then(|why| why.code().map(ToString::to_string));
            format!("not done, code {}", code.unwrap_or_default())
        }
        Confirmation::Unknown(_) => "unknown".to_owned(),
    };
    fs::write(env::var_os("SAYS").unwrap(), says).unwrap();
}
