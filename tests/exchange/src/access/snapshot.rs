//! The data of the page as JSON: bounded lists, the newest first, with total counts.
//!
//! One file that polls: a snapshot of bounded lists costs the same with any number of orders, nothing is sent while no
//! page is open, and a slow reader delays no one. The exchange gives its key to its own pages only, because only a
//! signed request shows anything.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rust_decimal::Decimal;
use tradeapi::runtime::json::JsonWriter;

use crate::state::core::Core;
use crate::state::faults::{Conditions, Fault, FaultKind, FaultTarget};
use crate::state::hostile::{HostileFault, Hostility, Node, Quirk};
use crate::state::instruments::quotient;
use crate::state::limits::CallerId;
use crate::state::log::{Entry, RequestOutcome};
use crate::state::orders::{Fill, Order, State};
use crate::state::words::{Line, Side};

/// The most accounts, orders, positions, balances and limits.
const MAX_ROWS: usize = 50;
/// The most requests.
const MAX_REQUESTS: usize = 100;
/// The most levels of each side of a book.
const MAX_LEVELS: usize = 8;

/// The selected pair and account, by their numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Selection {
    /// One pair, or the first of the futures.
    pub(crate) pair: Option<usize>,
    /// One account, or all.
    pub(crate) account: Option<usize>,
}

impl Selection {
    /// Returns the numbers of the selected accounts.
    fn accounts(self, core: &Core) -> impl Iterator<Item = usize> {
        (0..core.accounts.len()).filter(move |index| self.account.is_none_or(|one| one == *index))
    }
}

/// Returns the state of an exchange, with the speed of its clock.
pub(crate) fn snapshot(core: &Core, view: Selection, speed: u32) -> String {
    let pair = view.pair.filter(|index| *index < core.pairs.len()).unwrap_or_else(|| usual_pair(core));
    let mut out = JsonWriter::new();
    out.begin_object();
    out.member("now").number(&core.now);
    out.member("speed").number(&u64::from(speed));
    out.member("seed").scalar(&core.settings.seed.0);
    out.member("lively").boolean(core.settings.lively);
    out.member("limited").boolean(core.settings.rate_limits);
    pairs(&mut out, core);
    accounts(&mut out, core);
    market(&mut out, core, pair);
    orders(&mut out, core, view);
    ended(&mut out, core, view);
    fills(&mut out, core, view);
    positions(&mut out, core, view);
    balances(&mut out, core, view);
    insurance(&mut out, core);
    limits(&mut out, core);
    faults(&mut out, core);
    conditions(&mut out, core);
    hostility(&mut out, core);
    counts(&mut out, "violations", &core.violations);
    counts(&mut out, "ignored", &core.ignored);
    requests(&mut out, core);
    out.end_object();
    out.finish()
}

/// Returns the pair that is shown unless another is selected: that of the latest order, or the first of the futures.
fn usual_pair(core: &Core) -> usize {
    let latest = core.accounts.iter().flat_map(|account| account.open.last().into_iter().chain(account.closed.last()));
    let latest = latest.max().and_then(|id| core.orders.get(id)).map(|order| order.ticket.pair);
    let first = || core.pairs.iter().position(|pair| pair.line == Line::UsdtFutures);
    latest.or_else(first).unwrap_or_default()
}

fn text(out: &mut JsonWriter, name: &str, value: &str) {
    out.member(name).string(value);
}

fn decimal(out: &mut JsonWriter, name: &str, value: Decimal) {
    text(out, name, &value.normalize().to_string());
}

fn count(out: &mut JsonWriter, name: &str, value: usize) {
    out.member(name).number(&u64::try_from(value).unwrap_or(u64::MAX));
}

/// Writes a bounded list of objects, with the number of objects that were left out.
fn list<T>(
    out: &mut JsonWriter,
    name: &str,
    items: impl IntoIterator<Item = T>,
    total: usize,
    mut write: impl FnMut(&mut JsonWriter, T),
) {
    out.member(name).begin_object();
    count(out, "count", total);
    out.member("list").begin_array();
    for item in items {
        out.element().begin_object();
        write(out, item);
        out.end_object();
    }
    out.end_array();
    out.end_object();
}

/// Returns the name of an account: its user and its family.
fn name(core: &Core, account: usize) -> String {
    let account = &core.accounts[account];
    format!("{} {}", account.family, core.users[account.user].id)
}

fn pairs(out: &mut JsonWriter, core: &Core) {
    list(out, "pairs", core.pairs.iter().enumerate(), core.pairs.len(), |out, (index, pair)| {
        count(out, "index", index);
        text(out, "symbol", pair.symbol);
        text(out, "line", pair.line.as_str());
        text(out, "coin", pair.settle());
        if let Some(only) = pair.only {
            text(out, "only", only.as_str());
        }
        decimal(out, "last", pair.price(core.markets[index].last));
    });
}

fn accounts(out: &mut JsonWriter, core: &Core) {
    let newest = (0..core.accounts.len()).take(MAX_ROWS);
    list(out, "accounts", newest, core.accounts.len(), |out, index| {
        let account = &core.accounts[index];
        count(out, "index", index);
        text(out, "name", &name(core, index));
        text(out, "family", account.family.as_str());
        // A key may be of one family only.
        out.member("used").boolean(core.users[account.user].profile.accounts.serve(account.family));
        text(out, "mode", account.mode.as_str());
        count(out, "orders", account.open.len());
        count(out, "positions", account.positions.values().filter(|position| position.lots > 0).count());
    });
}

/// Writes the prices and the book of a pair.
fn market(out: &mut JsonWriter, core: &Core, index: usize) {
    let (pair, market) = (&core.pairs[index], &core.markets[index]);
    out.member("market").begin_object();
    count(out, "pair", index);
    text(out, "symbol", pair.symbol);
    text(out, "line", pair.line.as_str());
    decimal(out, "last", pair.price(market.last));
    decimal(out, "mark", pair.price(market.mark()));
    decimal(out, "tick", pair.tick);
    for (name, side) in [("bids", Side::Buy), ("asks", Side::Sell)] {
        out.member(name).begin_array();
        for (ticks, lots) in core.books[index].best_levels(side, MAX_LEVELS) {
            out.element().begin_object();
            decimal(out, "price", pair.price(ticks));
            decimal(out, "qty", pair.qty(lots));
            let own = core.books[index].lots_of_orders(side, ticks);
            if own > 0 {
                decimal(out, "own", pair.qty(own));
            }
            out.end_object();
        }
        out.end_array();
    }
    out.member("prices").begin_array();
    for (at, ticks) in &market.prices {
        out.element().begin_object();
        out.member("at").number(at);
        decimal(out, "price", pair.price(*ticks));
        out.end_object();
    }
    out.end_array();
    out.end_object();
}

fn orders(out: &mut JsonWriter, core: &Core, view: Selection) {
    let total = view.accounts(core).map(|index| core.accounts[index].open.len()).sum();
    let newest = |index: usize| core.accounts[index].open.iter().rev().take(MAX_ROWS);
    let mut ids: Vec<u64> = view.accounts(core).flat_map(newest).copied().collect();
    ids.sort_unstable_by_key(|id| Reverse(*id));
    ids.truncate(MAX_ROWS);
    let shown = ids.iter().filter_map(|id| core.orders.get(id));
    list(out, "orders", shown, total, |out, order| write_order(out, core, order));
}

/// Writes the orders that have ended, the latest first.
fn ended(out: &mut JsonWriter, core: &Core, view: Selection) {
    let total = view.accounts(core).map(|index| core.accounts[index].closed.len()).sum();
    let newest = |index: usize| core.accounts[index].closed.iter().rev().take(MAX_ROWS);
    let mut ids: Vec<u64> = view.accounts(core).flat_map(newest).copied().collect();
    ids.sort_unstable_by_key(|id| Reverse(*id));
    ids.truncate(MAX_ROWS);
    let shown = ids.iter().filter_map(|id| core.orders.get(id));
    list(out, "ended", shown, total, |out, order| write_order(out, core, order));
}

/// Writes the latest fills.
fn fills(out: &mut JsonWriter, core: &Core, view: Selection) {
    let total = view.accounts(core).map(|index| core.accounts[index].fills.len()).sum();
    let newest = |index: usize| core.accounts[index].fills.iter().rev().take(MAX_ROWS);
    let mut all: Vec<&Fill> = view.accounts(core).flat_map(newest).collect();
    all.sort_unstable_by_key(|fill| Reverse(fill.id));
    all.truncate(MAX_ROWS);
    list(out, "fills", all, total, |out, fill| {
        let pair = &core.pairs[fill.pair];
        text(out, "id", &fill.id.to_string());
        text(out, "symbol", pair.symbol);
        text(out, "line", fill.line.as_str());
        text(out, "side", fill.side.as_str());
        decimal(out, "price", pair.price(fill.ticks));
        decimal(out, "qty", pair.qty(fill.lots));
        decimal(out, "fee", fill.fee);
        text(out, "coin", fill.fee_coin);
        decimal(out, "profit", fill.profit.round_dp(8));
        out.member("at").number(&fill.at);
    });
}

fn write_order(out: &mut JsonWriter, core: &Core, order: &Order) {
    let pair = &core.pairs[order.ticket.pair];
    text(out, "id", &order.id.to_string());
    text(out, "client", order.client().unwrap_or_default());
    text(out, "account", &name(core, order.ticket.account));
    text(out, "symbol", pair.symbol);
    text(out, "line", order.ticket.line.as_str());
    text(out, "side", order.ticket.side.as_str());
    if let Some(ticks) = order.ticks {
        decimal(out, "price", pair.price(ticks));
    }
    decimal(out, "qty", pair.qty(order.lots));
    decimal(out, "filled", pair.qty(order.filled));
    let state = match order.state {
        State::Live => "waits",
        State::PartlyFilled => "partly filled",
        State::Filled => "filled",
        State::Cancelled(_) => "cancelled",
    };
    text(out, "state", state);
    out.member("created").number(&order.created);
    out.member("updated").number(&order.updated);
}

fn positions(out: &mut JsonWriter, core: &Core, view: Selection) {
    let open = |index: usize| {
        let positions = core.accounts[index].positions.iter().filter(|(_, position)| position.lots > 0);
        positions.map(move |(key, position)| (index, *key, position))
    };
    let all = || view.accounts(core).flat_map(open);
    list(out, "positions", all().take(MAX_ROWS), all().count(), |out, (account, (index, pos), position)| {
        let pair = &core.pairs[index];
        let mark = core.markets[index].mark();
        let profit = pair.profit(position.side, position.cost, mark, position.lots);
        text(out, "account", &name(core, account));
        text(out, "symbol", pair.symbol);
        text(out, "line", pair.line.as_str());
        text(out, "pos", pos.as_str());
        text(out, "side", if position.side == Side::Buy { "long" } else { "short" });
        decimal(out, "qty", pair.qty(position.lots));
        decimal(out, "entry", pair.entry_price(position.cost, position.lots).round_dp(pair.price_places() + 2));
        decimal(out, "mark", pair.price(mark));
        if let Some(price) = core.liquidation_price(index, account, pos) {
            decimal(out, "liquidation", price.round_dp(pair.price_places()));
        }
        decimal(out, "margin", position.margin);
        decimal(out, "profit", profit.round_dp(8));
        text(out, "coin", pair.settle());
    });
}

fn balances(out: &mut JsonWriter, core: &Core, view: Selection) {
    let held = |index: usize| {
        let balances = core.accounts[index].balances.iter();
        balances.filter(|(_, balance)| !balance.total.is_zero() || !balance.debt.is_zero()).map(move |of| (index, of))
    };
    let all = || view.accounts(core).flat_map(held);
    list(out, "balances", all().take(MAX_ROWS), all().count(), |out, (account, (coin, balance))| {
        text(out, "account", &name(core, account));
        text(out, "coin", coin);
        decimal(out, "total", balance.total.round_dp(8));
        decimal(out, "available", balance.available().round_dp(8));
        decimal(out, "frozen", balance.frozen.round_dp(8));
        decimal(out, "margin", balance.margin.round_dp(8));
        decimal(out, "debt", balance.debt.round_dp(8));
    });
}

/// Writes what liquidations cost beyond the funds of their accounts.
fn insurance(out: &mut JsonWriter, core: &Core) {
    list(out, "insurance", &core.insurance, core.insurance.len(), |out, (coin, amount)| {
        text(out, "coin", coin);
        decimal(out, "total", *amount);
    });
}

/// Writes the most used limits, in the order of their names.
fn limits(out: &mut JsonWriter, core: &Core) {
    let mut all: Vec<_> = core.limits.usage(core.now).collect();
    let total = all.len();
    let name = |caller: CallerId| match caller {
        CallerId::User(id) => id.to_string(),
        CallerId::Address(address) => address.to_string(),
    };
    all.sort_by_key(|usage| (Reverse(quotient(usage.used.into(), usage.calls.into())), usage.operation));
    all.truncate(MAX_ROWS);
    all.sort_by_key(|usage| (usage.operation, usage.class, name(usage.caller)));
    list(out, "limits", all, total, |out, usage| {
        text(out, "caller", &name(usage.caller));
        text(out, "operation", usage.operation);
        text(out, "class", usage.class);
        out.member("used").number(&u64::from(usage.used));
        out.member("calls").number(&u64::from(usage.calls));
        out.member("seconds").number(&u64::from(usage.per_millis / 1000));
    });
}

fn write_kind(out: &mut JsonWriter, fault: &FaultKind) {
    let (kind, code) = fault.name();
    text(out, "kind", kind);
    if let Some(code) = code {
        text(out, "code", code);
    }
}

fn write_fault(out: &mut JsonWriter, fault: &Fault) {
    write_kind(out, &fault.kind);
    let target = match &fault.target {
        FaultTarget::Changes => "changes",
        FaultTarget::All => "all",
        FaultTarget::Operation(id) => id,
    };
    text(out, "aim", target);
    out.member("permille").number(&u64::from(fault.per_mille));
    if let Some(times) = fault.times {
        out.member("times").number(&u64::from(times));
    }
    out.member("delay").number(&u64::try_from(fault.delay.as_millis()).unwrap_or(u64::MAX));
}

fn faults(out: &mut JsonWriter, core: &Core) {
    let faults = &core.faults.list;
    list(out, "faults", faults.iter().take(MAX_ROWS), faults.len(), write_fault);
}

/// Writes the conditions of the network and the nodes.
fn conditions(out: &mut JsonWriter, core: &Core) {
    let Conditions { latency, clocks, lag, maintenance, hostility: _ } = &core.faults.conditions;
    out.member("conditions").begin_object();
    out.member("latency").begin_array();
    latency.iter().for_each(|millis| out.element().number(millis));
    out.end_array();
    out.member("clocks").begin_array();
    clocks.iter().for_each(|millis| out.element().number(millis));
    out.end_array();
    out.member("lag").number(lag);
    out.member("maintenance").boolean(*maintenance);
    out.end_object();
}

/// Writes the hostility of the exchange, if any, with the numbers of faults and quirks.
fn hostility(out: &mut JsonWriter, core: &Core) {
    let Some(hostile) = &core.hostile else { return };
    let Hostility { seed, faults, quirks, nodes, .. } = &hostile.settings;
    out.member("hostility").begin_object();
    out.member("faults").number(faults);
    out.member("quirks").number(quirks);
    out.member("seed").scalar(&seed.0);
    text(out, "nodes", &nodes.iter().map(Node::to_string).collect::<Vec<_>>().join(","));
    out.member("wrong").number(&hostile.counts.faulted());
    out.member("odd").number(&hostile.counts.with_quirk());
    out.end_object();
}

/// Names with their numbers, the most frequent first: violated rules and limits, or ignored parameters.
fn counts(out: &mut JsonWriter, name: &str, counts: &BTreeMap<String, u64>) {
    let mut all: Vec<_> = counts.iter().collect();
    all.sort_by_key(|(rule, count)| (Reverse(**count), *rule));
    let total = all.len();
    all.truncate(MAX_ROWS);
    list(out, name, all, total, |out, (rule, count)| {
        text(out, "rule", rule);
        out.member("count").number(count);
    });
}

fn requests(out: &mut JsonWriter, core: &Core) {
    let newest = core.log.iter().flat_map(|log| log.newest()).take(MAX_REQUESTS);
    let total = core.log.as_ref().map_or(0, |log| usize::try_from(log.count()).unwrap_or(usize::MAX));
    list(out, "requests", newest, total, |out, (number, entry)| write_request(out, number, entry));
}

fn write_request(out: &mut JsonWriter, number: u64, entry: &Entry) {
    out.member("number").number(&number);
    out.member("at").number(&entry.at);
    if let Some(user) = entry.user {
        out.member("user").scalar(&user);
    }
    if let Some(operation) = entry.operation {
        text(out, "operation", operation);
    }
    text(out, "method", &entry.method);
    text(out, "path", &entry.path);
    text(out, "parameters", &entry.parameters);
    match &entry.verdict {
        RequestOutcome::Done { answer } => text(out, "answer", answer),
        RequestOutcome::Refused { code, message, rule } => {
            text(out, "code", code);
            text(out, "message", message);
            text(out, "rule", rule);
        }
    }
    if let Some(fault) = &entry.fault {
        out.member("fault").begin_object();
        write_kind(out, fault);
        out.end_object();
    }
    let (fault, quirk) = entry.hostile.unwrap_or((HostileFault::None, Quirk::None));
    if fault != HostileFault::None {
        text(out, "wrong", &format!("{fault:?}"));
    }
    if quirk != Quirk::None {
        text(out, "odd", &format!("{quirk:?}"));
    }
}
