//! The command that cancels and closes everything: its status is judged by the books of the exchange.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, thread};

use tradeapi::unified::{self, Category};
use tradeapi::{Decimal, classic};
use tradeapi_exchange::{Conditions, Family, Fault, FaultKind, FaultTarget, Hostility, Mode, Node, OrderView, Seed};

use crate::fixture::{Local, Ran};

/// The number of hostile exchanges that are tried. None unless the variable says so: where outcomes are unknown, a run
/// waits for minutes until an absence proves something.
const RUNS: &str = "TRADEAPI_FLATTEN_RUNS";

/// The number of them that run side by side.
const AT_ONCE: usize = 50;

/// Orders and positions in both accounts.
fn trade(local: &Local, mode: Mode) {
    let client = local.exchange.client();
    let number = |text: &str| text.parse::<Decimal>().unwrap();
    local.runtime.block_on(async {
        for (index, buys) in [true, false, true].into_iter().enumerate() {
            let qty = number(["0.119", "0.05", "0.2"][index]);
            let limit = number(if buys { "60000" } else { "70000" });
            let side = if buys { unified::Side::Buy } else { unified::Side::Sell };
            let pos = if buys { unified::PosSide::Long } else { unified::PosSide::Short };
            for execution in [unified::Execution::Market, unified::Execution::limit(limit.clone()).into()] {
                let order =
                    unified::PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", qty.clone(), side.clone(), execution);
                let order = if mode == Mode::Hedge { order.pos_side(pos.clone()) } else { order };
                client.unified().place_order(&order).await.unwrap();
            }
            let side = if buys { classic::Side::Buy } else { classic::Side::Sell };
            let force = classic::Force::Gtc;
            for execution in [classic::Execution::Market, classic::Execution::limit(limit.clone(), force).into()] {
                let (line, margin) = (classic::ProductType::UsdtFutures, classic::MarginMode::Crossed);
                let order =
                    classic::PlaceOrder::new("ETHUSDT", line, margin, "USDT", qty.clone(), side.clone(), execution);
                let order = if mode == Mode::Hedge { order.trade_side(classic::TradeSide::Open) } else { order };
                // A limit far from the price of this pair may be refused.
                let _ = client.classic().place_order(&order).await;
            }
        }
    });
    assert!(left(local).iter().any(|left| left.contains("position")), "{:?}", left(local));
}

/// Returns what the books have.
fn left(local: &Local) -> Vec<String> {
    let mut left = Vec::new();
    for family in [Family::Unified, Family::Classic] {
        let account = local.exchange.account(local.exchange.keys(), family);
        left.extend(account.open_orders.iter().map(|order| format!("{family:?} order {order:?}")));
        left.extend(account.positions.iter().map(|position| format!("{family:?} position {position:?}")));
    }
    left
}

/// Returns the ids of all orders of both accounts.
fn orders(local: &Local) -> BTreeSet<u64> {
    let of = |family| local.exchange.order_ids(local.exchange.keys(), family);
    [Family::Unified, Family::Classic].map(of).into_iter().flatten().flatten().collect()
}

/// Returns the orders among these that can open a position.
fn opening(local: &Local, ids: impl Iterator<Item = u64>) -> Vec<OrderView> {
    ids.filter_map(|id| local.exchange.order(id)).filter(|order| !order.closes).collect()
}

/// Makes the exchange hostile: four of ten changes are lost, late, answered with garbage or twice, and one of two nodes
/// lags.
fn be_hostile(local: &Local, seed: u64) {
    let mut hostility = Hostility::new(Seed(seed), 40, 8);
    (hostility.settling, hostility.lag) = (300, 300);
    hostility.nodes = vec![Node::new(2), Node::new(1).lagging(300)];
    let mut conditions = Conditions::default();
    conditions.hostility = Some(hostility);
    local.exchange.set_conditions(conditions);
}

fn flatten(local: &Local) -> Command {
    let mut command = local.command();
    command
        .args(["--local", "--lag", "1", "flatten"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Returns whether a run on a hostile exchange ended with success.
fn ends_truthfully_among_failures(seed: u64) -> bool {
    ends_truthfully(seed, |local| be_hostile(local, seed))
}

/// Returns whether a run ended with success. Then nothing is left, also of what was still under way. No order of the
/// run can have opened a position.
fn ends_truthfully(seed: u64, prepare: impl FnOnce(&Local)) -> bool {
    let mode = if seed.is_multiple_of(2) { Mode::OneWay } else { Mode::Hedge };
    let local = Local::seeded(seed, mode);
    trade(&local, mode);
    prepare(&local);
    let traded = orders(&local);
    let ran = Ran::of(flatten(&local).output().unwrap());
    thread::sleep(Duration::from_secs(3));
    let placed: BTreeSet<u64> = orders(&local).difference(&traded).copied().collect();
    assert!(!placed.is_empty(), "seed {seed}: {ran:?}");
    assert_eq!(opening(&local, placed.into_iter()), [], "seed {seed}: {ran:?}");
    match ran.status {
        0 => {
            assert_eq!(left(&local), Vec::<String>::new(), "seed {seed}: {ran:?}");
            assert_eq!(ran.line()["outcome"], "done");
            true
        }
        status => {
            let line = ran.ended(3).line();
            assert_eq!((status, &line["outcome"]), (3, &"unknown".into()), "seed {seed}: {line}");
            assert!(line["error"].as_str().unwrap().contains("not be flat after"), "seed {seed}: {line}");
            false
        }
    }
}

#[test]
fn success_means_that_the_books_are_empty() {
    for seed in [0, 1] {
        assert!(ends_truthfully(seed, |_| {}), "seed {seed}");
    }
}

#[test]
fn success_among_failures_means_that_the_books_are_empty() {
    let Ok(runs) = env::var(RUNS) else {
        println!("SKIPPED: {RUNS} states no number of hostile exchanges");
        return;
    };
    let runs: u64 = runs.parse().unwrap();
    let mut flat = 0;
    for first in (0..runs).step_by(AT_ONCE) {
        let seeds = first..runs.min(first + AT_ONCE as u64);
        flat += thread::scope(|scope| {
            let runs: Vec<_> = seeds.map(|seed| scope.spawn(move || ends_truthfully_among_failures(seed))).collect();
            runs.into_iter().map(|run| u64::from(run.join().unwrap())).sum::<u64>()
        });
    }
    println!("{flat} of {runs} runs ended flat");
    assert!(flat * 10 >= runs * 8, "{flat} of {runs} runs ended flat");
}

/// The answer to a closing order is lost, and the order may arrive later than the run may take.
#[test]
fn a_run_that_gives_up_does_not_say_that_it_had_no_effect() {
    let local = Local::start();
    trade(&local, Mode::OneWay);
    let close = FaultTarget::Operation("unified.place-order".to_owned());
    local.exchange.add_fault(Fault::new(FaultKind::Lose).target(close).times(1));
    let mut command = local.command();
    let line =
        crate::fixture::ran(command.args(["--local", "--lag", "1", "--deadline", "1", "flatten"]), "").ended(3).line();
    assert_eq!(line["outcome"], "unknown", "{line}");
    assert!(line["error"].as_str().unwrap().contains("flatten it again"), "{line}");
    assert_eq!(local.open(), 0, "it had effects");
}

/// Ctrl-C while orders are cancelled and positions closed: the status is that of an unknown outcome, and nothing is said
/// to be done.
#[test]
fn an_interrupted_run_says_that_something_may_be_left() {
    let local = Local::start();
    trade(&local, Mode::OneWay);
    let child = flatten(&local).spawn().unwrap();
    // It has begun, and its proof takes longer than the lag.
    while left(&local).iter().any(|left| left.contains("order")) {
        thread::sleep(Duration::from_millis(5));
    }
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let ran = Ran::of(child.wait_with_output().unwrap());
    let line = ran.ended(3).line();
    assert_eq!(line["outcome"], "unknown");
    assert!(line["error"].as_str().unwrap().contains("may be left"), "{line}");
}
