//! The money of all accounts, recomputed after random requests of all operations from what the exchange shows: its fills,
//! positions, open orders and balances. Nothing is predicted, so it needs no rules of matching:
//!
//! - What a coin's balances change by is what fills brought, less fees, with funding, debts and the insurance account, so
//!   that the sum of all money is constant.
//! - The profits of all fills of a contract are what the fills took in, less what the open positions cost.
//! - The margin of a position is its value at entry divided by its leverage; what is available is what open orders and
//!   positions leave; and what is frozen is what the open orders need.
//! - No balance is below zero.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tradeapi_exchange::{AccountView, Family, Line, Side};

use crate::chance::Chance;
use crate::desk::Desk;
use crate::number::Num;
use crate::number_of;

mod operations;

/// The unit that a contract counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Spot,
    Linear,
    Inverse,
    /// The quantity is in the quote coin.
    ByQuote,
}

/// A pair: its line, symbol, coins, steps, usual price and quantity in steps, and whether classic and unified accounts
/// trade it.
struct Pair(Line, &'static str, Kind, [&'static str; 2], [&'static str; 2], [i64; 2], [bool; 2]);

const PAIRS: &[Pair] = &[
    Pair(Line::Spot, "BTCUSDT", Kind::Spot, ["BTC", "USDT"], ["0.01", "0.000001"], [6_400_000, 20_000], [false, true]),
    Pair(Line::Spot, "ETHUSDT", Kind::Spot, ["ETH", "USDT"], ["0.01", "0.0001"], [315_000, 4_000], [false, true]),
    Pair(Line::UsdtFutures, "BTCUSDT", Kind::Linear, ["BTC", "USDT"], ["0.1", "0.001"], [640_000, 40], [true, true]),
    Pair(Line::UsdtFutures, "ETHUSDT", Kind::Linear, ["ETH", "USDT"], ["0.01", "0.01"], [315_000, 80], [true, true]),
    Pair(Line::UsdcFutures, "BTCPERP", Kind::Linear, ["BTC", "USDC"], ["0.5", "0.0001"], [128_000, 400], [true, true]),
    Pair(Line::CoinFutures, "BTCUSD", Kind::Inverse, ["BTC", "USD"], ["0.1", "0.001"], [640_000, 20], [true, false]),
    Pair(Line::CoinFutures, "ETHUSD", Kind::Inverse, ["ETH", "USD"], ["0.01", "0.01"], [315_000, 40], [true, false]),
    Pair(Line::CoinFutures, "BTCUSD_CM", Kind::ByQuote, ["BTC", "USD"], ["0.1", "1"], [640_000, 900], [false, true]),
    Pair(Line::CoinFutures, "ETHUSD_CM", Kind::ByQuote, ["ETH", "USD"], ["0.01", "1"], [315_000, 900], [false, true]),
];

const USERS: [bool; 4] = [false, true, false, true];
const RICH: &[(&str, i64)] = &[("USDT", 100_000), ("USDC", 100_000), ("BTC", 5), ("ETH", 100)];
const POOR: &[(&str, i64)] = &[("USDT", 3_000), ("USDC", 2_000), ("BTC", 0), ("ETH", 1)];

impl Pair {
    fn settle(&self) -> &'static str {
        match self.2 {
            Kind::Spot | Kind::Linear => self.3[1],
            Kind::Inverse | Kind::ByQuote => self.3[0],
        }
    }

    fn is_spot(&self) -> bool {
        self.2 == Kind::Spot
    }

    /// Returns what a quantity is worth in the coin that settles, in which fees and margins are.
    fn worth(&self, price: &Num, qty: &Num) -> Num {
        match self.2 {
            Kind::Spot | Kind::Linear => price * qty,
            Kind::Inverse => qty.clone(),
            Kind::ByQuote => qty.over(price),
        }
    }
}

/// A fill as it is shown.
#[derive(Debug)]
struct Fill {
    pair: usize,
    buys: bool,
    price: Num,
    qty: Num,
    /// The fee that was paid; negative if it was received.
    fee: Num,
    coin: String,
    profit: Num,
}

/// The state that an account showed last.
#[derive(Default)]
struct Seen {
    view: AccountView,
    last_fill: u64,
    /// By pair: what the fills took in, and the profits that were shown.
    taken: BTreeMap<usize, [Num; 2]>,
}

struct Books {
    desk: Desk,
    chance: Chance,
    seen: Vec<Seen>,
    insurance: BTreeMap<String, Num>,
    /// The funding that the last operation paid, by account and coin.
    funding: BTreeMap<(usize, &'static str), Num>,
    marks: Vec<i64>,
    hedged: Vec<bool>,
    clients: u64,
    /// True if an order is about to be created that replaces a modified one.
    is_replacing: bool,
    /// The number of times that each kind of request was done, and refused by which codes.
    done: BTreeMap<&'static str, u64>,
    refused: BTreeSet<String>,
}

fn of(text: &str) -> Num {
    Num::read(text)
}

fn shown(value: &Value) -> Num {
    Num::read(value.as_str().filter(|text| !text.is_empty()).unwrap_or("0"))
}

impl Books {
    fn new(seed: u64) -> Self {
        let desk = Desk::open(&USERS, &[RICH, RICH, POOR, POOR]);
        let mut books = Self {
            desk,
            chance: Chance(seed),
            seen: Vec::new(),
            insurance: BTreeMap::new(),
            funding: BTreeMap::new(),
            marks: PAIRS.iter().map(|pair| pair.5[0]).collect(),
            hedged: USERS.iter().flat_map(|hedged| [*hedged; 2]).collect(),
            clients: 0,
            is_replacing: false,
            done: BTreeMap::new(),
            refused: BTreeSet::new(),
        };
        for account in 0..2 * USERS.len() {
            books.seen.push(Seen { view: books.view(account), ..Seen::default() });
        }
        books
    }

    fn view(&self, account: usize) -> AccountView {
        let family = if account % 2 == 1 { Family::Unified } else { Family::Classic };
        self.desk.exchange.account(&self.desk.keys[account / 2], family)
    }

    /// Returns the fills of an account since the last ones, the oldest first.
    fn new_fills(&mut self, account: usize) -> Vec<Fill> {
        let mut all = Vec::new();
        let lines = ["SPOT", "MARGIN", "USDT-FUTURES", "USDC-FUTURES", "COIN-FUTURES"];
        if account % 2 == 1 {
            let answer = self.desk.get(account, "/api/v3/trade/fills");
            all.extend(answer["data"]["list"].as_array().into_iter().flatten().cloned());
        } else {
            for line in &lines[2..] {
                let answer = self.desk.get(account, &format!("/api/v2/mix/order/fills?productType={line}"));
                let mut list = answer["data"]["fillList"].as_array().cloned().unwrap_or_default();
                list.iter_mut().for_each(|fill| fill["category"] = (*line).into());
                all.extend(list);
            }
        }
        let id = |fill: &Value| fill["execId"].as_str().or(fill["tradeId"].as_str()).unwrap().parse::<u64>().unwrap();
        let last = self.seen[account].last_fill;
        all.retain(|fill| id(fill) > last);
        all.sort_by_key(id);
        self.seen[account].last_fill = all.last().map_or(last, id);
        assert!(all.len() < 100, "more fills than a page shows");
        all.iter().map(fill).collect()
    }

    /// Checks everything that an operation may have changed.
    fn check(&mut self, told: &str) {
        let mut changes: BTreeMap<String, Num> = BTreeMap::new();
        for account in 0..self.seen.len() {
            let view = self.view(account);
            // Funding that the insurance account pays changes no view.
            let is_funded = self.funding.keys().any(|(of, _)| *of == account);
            if view == self.seen[account].view && !is_funded {
                continue;
            }
            let fills = self.new_fills(account);
            self.check_money(account, &view, &fills, &mut changes, told);
            self.note(account, &fills);
            self.seen[account].view = view;
            self.check_holdings(account, told);
        }
        // What is missing comes from the insurance account.
        let insurance: BTreeMap<String, Num> =
            self.desk.exchange.insurance().into_iter().map(|(coin, sum)| (coin, of(&sum.to_string()))).collect();
        for (coin, missing) in changes {
            let paid = self.insurance.get(&coin).cloned().unwrap_or_default()
                - insurance.get(&coin).cloned().unwrap_or_default();
            assert!(missing.is_near(&paid), "{coin}: {missing} came from nowhere, insurance paid {paid}: {told}");
        }
        self.insurance = insurance;
    }

    /// Checks that the balances changed by no more than what fills and funding explain.
    fn check_money(
        &self,
        account: usize,
        view: &AccountView,
        fills: &[Fill],
        changes: &mut BTreeMap<String, Num>,
        told: &str,
    ) {
        let mut explained: BTreeMap<String, Num> = BTreeMap::new();
        let mut add = |coin: &str, amount: Num| *explained.entry(coin.to_owned()).or_default() += amount;
        for fill in fills {
            let pair = &PAIRS[fill.pair];
            add(&fill.coin, -fill.fee.clone());
            if pair.is_spot() {
                let (value, sign) = (&fill.price * &fill.qty, Num::from(if fill.buys { 1 } else { -1 }));
                add(pair.3[0], &fill.qty * &sign);
                add(pair.3[1], -(&value * &sign));
            } else {
                add(pair.settle(), fill.profit.clone());
            }
        }
        for ((of, coin), amount) in &self.funding {
            if *of == account {
                add(coin, amount.clone());
            }
        }
        for (coin, balance) in &view.balances {
            let before = self.seen[account].view.balances.get(coin).copied().unwrap_or_default();
            let [total, frozen, available] =
                [balance.total, balance.frozen, balance.available].map(|number| of(&number.to_string()));
            let zero = Num::zero();
            let is_sound = total >= zero && frozen >= zero && available >= zero;
            assert!(is_sound, "{coin} of {account} is below zero: {balance:?}: {told}");
            let margins = view
                .positions
                .iter()
                .filter(|position| PAIRS[pair_of(position.line, &position.symbol)].settle() == coin);
            let margins: Num = margins.map(|position| of(&position.margin.to_string())).sum();
            let left = (total - frozen - margins).max(zero);
            assert!(available.is_near(&left), "available {coin} of {account}: {available} {left}: {told}");
            let change = of(&(balance.total - balance.debt - before.total + before.debt).to_string());
            *changes.entry(coin.clone()).or_default() += change - explained.remove(coin).unwrap_or_default();
        }
        let rest: Vec<_> = explained.iter().filter(|(_, amount)| **amount != Num::zero()).collect();
        assert!(rest.is_empty(), "coins that the account does not have: {rest:?}: {told}");
    }

    /// Adds the fills to what the account took in.
    fn note(&mut self, account: usize, fills: &[Fill]) {
        for fill in fills.iter().filter(|fill| !PAIRS[fill.pair].is_spot()) {
            let pair = &PAIRS[fill.pair];
            // A sale takes in the quote coin; a contract by quote that is bought takes in the base coin.
            let worth = pair.worth(&fill.price, &fill.qty);
            let takes_in = fill.buys == (pair.2 == Kind::ByQuote);
            let [taken, profit] = self.seen[account].taken.entry(fill.pair).or_default();
            *taken += if takes_in { worth } else { -worth };
            *profit += fill.profit.clone();
        }
    }

    /// Checks positions and open orders against the rest.
    fn check_holdings(&self, account: usize, told: &str) {
        let shown = self.shown_positions(account);
        let view = &self.seen[account].view;
        assert_eq!(shown.len(), view.positions.len(), "positions of {account}: {told}");
        let mut costs: BTreeMap<usize, Num> = BTreeMap::new();
        for position in &view.positions {
            let index = pair_of(position.line, &position.symbol);
            let pair = &PAIRS[index];
            let is_long = position.side == Side::Buy;
            let is_it = |shown: &&Value| {
                let side = shown["posSide"].as_str().or(shown["holdSide"].as_str());
                shown["symbol"] == pair.1 && side == Some(if is_long { "long" } else { "short" })
            };
            let shown_one = shown.iter().find(is_it).unwrap_or_else(|| panic!("{position:?}: {told}"));
            let entry = shown_one["avgPrice"].as_str().or(shown_one["openPriceAvg"].as_str()).unwrap();
            let (entry, qty) = (of(entry), of(&position.qty.to_string()));
            let leverage = shown_one["leverage"].as_str().unwrap();
            let worth = pair.worth(&entry, &qty);
            let (margin, wanted) = (of(&position.margin.to_string()), worth.over(&of(leverage)));
            assert!(margin.is_close(&wanted), "margin {margin} {wanted} of {position:?} of {account}: {told}");
            let is_paid = is_long != (pair.2 == Kind::ByQuote);
            *costs.entry(index).or_default() += if is_paid { worth } else { -worth };
        }
        for (index, [taken, profit]) in &self.seen[account].taken {
            // The profit of an inverse contract follows from the price of its closing.
            if PAIRS[*index].2 == Kind::Inverse {
                continue;
            }
            let wanted = taken.clone() + costs.get(index).cloned().unwrap_or_default();
            assert!(profit.is_close(&wanted), "profits {profit} {wanted} of {} of {account}: {told}", PAIRS[*index].1);
        }
        self.check_frozen(account, told);
    }

    fn shown_positions(&self, account: usize) -> Vec<Value> {
        let mut all = Vec::new();
        for line in ["USDT-FUTURES", "USDC-FUTURES", "COIN-FUTURES"] {
            if self.seen[account].view.positions.iter().all(|position| position.line.as_str() != line) {
                continue;
            }
            let target = if account % 2 == 1 {
                format!("/api/v3/position/current-position?category={line}")
            } else {
                format!("/api/v2/mix/position/all-position?productType={line}")
            };
            let answer = self.desk.get(account, &target);
            let list = answer["data"]["list"].as_array().or(answer["data"].as_array());
            all.extend(list.unwrap_or_else(|| panic!("{answer}")).iter().cloned());
        }
        all
    }

    /// Checks what open orders freeze: of spot exactly, of contracts within bounds, because an order that closes a
    /// position needs less, and a sale is valued at the best bid if that is higher.
    fn check_frozen(&self, account: usize, told: &str) {
        let view = &self.seen[account].view;
        let mut bounds: BTreeMap<&str, [Num; 2]> = BTreeMap::new();
        for order in self.shown_orders(account) {
            let text = |names: [&str; 2]| {
                names.iter().find_map(|name| order[*name].as_str()).filter(|text| !text.is_empty()).unwrap_or("0")
            };
            let line = text(["category", "category"]);
            let line = if line == "MARGIN" { "SPOT" } else { line };
            let index = PAIRS.iter().position(|pair| pair.0.as_str() == line && order["symbol"] == pair.1);
            let pair = &PAIRS[index.unwrap_or_else(|| panic!("{order}"))];
            let price = of(text(["price", "price"]));
            let id = text(["orderId", "orderId"]);
            let of_view = view.open_orders.iter().find(|one| one.id == id).unwrap_or_else(|| panic!("{order}: {told}"));
            let left = of(&(of_view.qty - of_view.filled).to_string());
            let buys = of_view.side == Side::Buy;
            let (coin, exactly) = match (pair.2, buys) {
                (Kind::Spot, false) => (pair.3[0], left.clone()),
                (Kind::Spot, true) => (pair.3[1], &price * &left),
                _ => (pair.settle(), pair.worth(&price, &left)),
            };
            let [least, most] = bounds.entry(coin).or_default();
            if pair.is_spot() {
                *least += exactly.clone();
                *most += exactly;
                continue;
            }
            let leverage = text(["leverage", "leverage"]);
            let leverage = if leverage == "0" { "1" } else { leverage };
            *most += &(exactly.over(&of(leverage)) + &exactly * &of("0.0006")) * &of("1.3");
        }
        for (coin, balance) in &view.balances {
            let [least, most] = bounds.get(coin.as_str()).cloned().unwrap_or_default();
            let frozen = of(&balance.frozen.to_string());
            let slack = of("0.0000001");
            assert!(
                frozen.clone() + slack.clone() >= least && frozen <= most.clone() + slack,
                "frozen {coin} of {account}: {frozen}, expected {least} to {most}: {told}: {:?}",
                view.open_orders
            );
        }
    }

    fn shown_orders(&self, account: usize) -> Vec<Value> {
        if self.seen[account].view.open_orders.is_empty() {
            return Vec::new();
        }
        let mut all = Vec::new();
        if account % 2 == 1 {
            let answer = self.desk.get(account, "/api/v3/trade/unfilled-orders");
            all.extend(answer["data"]["list"].as_array().into_iter().flatten().cloned());
        } else {
            for line in ["USDT-FUTURES", "USDC-FUTURES", "COIN-FUTURES"] {
                for status in ["live", "partially_filled"] {
                    let target = format!("/api/v2/mix/order/orders-pending?productType={line}&status={status}");
                    let answer = self.desk.get(account, &target);
                    let mut list = answer["data"]["entrustedList"].as_array().cloned().unwrap_or_default();
                    list.iter_mut().for_each(|order| order["category"] = line.into());
                    all.extend(list);
                }
            }
        }
        let count = self.seen[account].view.open_orders.len();
        assert_eq!(all.len(), count.min(100), "open orders of {account}");
        all
    }
}

fn pair_of(line: Line, symbol: &str) -> usize {
    PAIRS.iter().position(|pair| pair.0 == line && pair.1 == symbol).unwrap()
}

/// Reads a fill of either family.
fn fill(record: &Value) -> Fill {
    let text = |names: [&str; 2]| names.iter().find_map(|name| record[*name].as_str()).unwrap_or("0");
    let line = text(["category", "category"]);
    let line = if line == "MARGIN" { "SPOT" } else { line };
    let pair = PAIRS.iter().position(|pair| pair.0.as_str() == line && record["symbol"] == pair.1);
    let pair = pair.unwrap_or_else(|| panic!("{record}"));
    let fee = &record["feeDetail"][0];
    // Both families show what was paid as a negative amount.
    let paid = -shown(if fee["fee"].is_string() { &fee["fee"] } else { &fee["totalFee"] });
    let price = of(text(["execPrice", "price"]));
    let mut qty = of(text(["execQty", "baseVolume"]));
    if PAIRS[pair].2 == Kind::ByQuote {
        qty = of(text(["execValue", "execValue"]));
    }
    let is_close = text(["tradeSide", "tradeSide"]).contains("close") && record["tradeId"].is_string();
    Fill {
        pair,
        // The classic family names what closes a side of a hedge by the side that opened it.
        buys: (record["side"] == "buy") != (record["posMode"] == "hedge_mode" && is_close),
        price,
        qty,
        fee: paid,
        coin: fee["feeCoin"].as_str().unwrap().to_owned(),
        profit: of(text(["execPnl", "profit"])),
    }
}

#[test]
fn all_money_is_accounted_for() {
    let mut done: BTreeMap<&'static str, u64> = BTreeMap::new();
    for seed in 1..=number_of("TRADEAPI_ACCOUNTING_SEEDS", 1) {
        let mut books = Books::new(seed);
        for operation in 0..number_of("TRADEAPI_ACCOUNTING_OPERATIONS", 1_000) {
            let told = books.act();
            books.check(&format!("seed {seed}, operation {operation}: {told}"));
        }
        for (kind, count) in books.done {
            *done.entry(kind).or_default() += count;
        }
        if std::env::var_os("TRADEAPI_ACCOUNTING_SHOWN").is_some() {
            println!("seed {seed}: refused {:?}, insurance {:?}", books.refused, books.insurance);
        }
    }
    let kinds =
        ["place", "place many", "amend", "amend many", "cancel", "cancel many", "cancel all", "close", "reverse"];
    assert!(kinds.iter().all(|kind| done.contains_key(kind)), "{done:?}");
    println!("{done:?}");
}
