//! An independent model of the exchange: rules, books, orders, positions and balances in `world`, written from
//! the documents and the stated decisions, with numbers of its own. Random requests of four users go to both, and all
//! that the exchange shows is compared after each. `accounting` recomputes all money without any rules.
//!
//! `TRADEAPI_MODEL_OPERATIONS=5000` sets the number of operations of each seed, and `TRADEAPI_MODEL_SEEDS=6` the number
//! of seeds; `TRADEAPI_ACCOUNTING_OPERATIONS` and `TRADEAPI_ACCOUNTING_SEEDS` those of the recomputation.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a panic is how a test fails")]

mod accounting;
mod chance;
mod compare;
mod desk;
mod market;
mod number;
mod requests;
mod world;

use std::collections::BTreeMap;

use chance::Chance;
use desk::Desk;
use number::Num;
use world::{Kind, Pair, World};

const HOURS_8: u64 = 8 * 60 * 60 * 1000;

/// True if the users keep a long and a short position side by side at first, and their coins.
const USERS: [(bool, [(&str, i64); 2]); 4] = [
    (false, [("USDT", 100_000), ("BTC", 5)]),
    (true, [("USDT", 100_000), ("BTC", 5)]),
    (false, [("USDT", 3_000), ("BTC", 1)]),
    (true, [("USDT", 2_000), ("BTC", 0)]),
];

/// The prices of the pairs at first, and a usual quantity, in steps.
const USUAL: [(i64, i64); 5] = [(6_400_000, 120_000), (640_000, 120), (315_000, 120), (640_000, 60), (640_000, 4_000)];

/// Both sides, and what they were told so far.
struct Run {
    desk: Desk,
    world: World,
    chance: Chance,
    clients: u64,
    /// The orders of the last request, by account, pair and number.
    last: Vec<(usize, usize, u64)>,
    /// The account whose positions are compared after this operation, besides those that have traded.
    turn: usize,
    /// The number of times that each operation was done.
    done: BTreeMap<&'static str, u64>,
}

/// The effect of a request, for the message of a difference.
type Told = String;

impl Run {
    fn new(seed: u64) -> Self {
        let balances: Vec<&[(&str, i64)]> = USERS.iter().map(|(_, coins)| &coins[..]).collect();
        let desk = Desk::open(&USERS.map(|(hedged, _)| hedged), &balances);
        let contract = |line, symbol, kind, coins, steps, place: usize| {
            Pair::new((line, symbol, kind), coins, steps, USUAL[place].0)
        };
        // In the order in which the exchange lists them.
        let pairs = vec![
            contract("SPOT", "BTCUSDT", Kind::Spot, ["BTC", "USDT"], ["0.01", "0.000001"], 0),
            contract("USDT-FUTURES", "BTCUSDT", Kind::Linear, ["BTC", "USDT"], ["0.1", "0.001"], 1),
            contract("USDT-FUTURES", "ETHUSDT", Kind::Linear, ["ETH", "USDT"], ["0.01", "0.01"], 2),
            contract("COIN-FUTURES", "BTCUSD", Kind::Inverse, ["BTC", "USD"], ["0.1", "0.001"], 3),
            contract("COIN-FUTURES", "BTCUSD_CM", Kind::ByQuote, ["BTC", "USD"], ["0.1", "1"], 4),
        ];
        let mut world = World::new(pairs);
        for (user, (hedged, coins)) in USERS.iter().enumerate() {
            world.open_account(user, *hedged, coins);
            world.open_account(user, *hedged, coins);
        }
        let (last, done) = (Vec::new(), BTreeMap::new());
        let mut run = Self { desk, world, chance: Chance(seed), clients: 0, last, turn: 0, done };
        for pair in 0..run.world.pairs.len() {
            let quoted = run.world.pairs[pair].quoted;
            run.set_quotes(pair, quoted);
        }
        run
    }

    fn symbol(&self, pair: usize) -> &'static str {
        self.world.pairs[pair].symbol
    }

    fn line(&self, pair: usize) -> &'static str {
        self.world.pairs[pair].line
    }

    fn price(&self, pair: usize, ticks: i64) -> String {
        self.world.pairs[pair].price(ticks).to_string()
    }

    fn qty(&self, pair: usize, steps: i64) -> String {
        self.world.pairs[pair].qty(steps).to_string()
    }

    fn below(&mut self, end: i64) -> i64 {
        self.chance.number(end)
    }

    fn any(&mut self, end: usize) -> usize {
        self.chance.place(end)
    }

    /// Returns a pair that an account trades.
    fn any_pair(&mut self, account: usize) -> usize {
        loop {
            let pair = self.any(self.world.pairs.len());
            let is_listed = match self.world.pairs[pair].kind {
                Kind::Linear => true,
                Kind::Inverse => account.is_multiple_of(2),
                Kind::Spot | Kind::ByQuote => account % 2 == 1,
            };
            if is_listed {
                return pair;
            }
        }
    }

    /// Performs one random operation on both sides.
    fn act(&mut self) -> Told {
        match self.chance.below(100) {
            0..36 => self.place(),
            36..42 => self.place_many(),
            42..49 => self.cancel(),
            49..52 => self.cancel_many(),
            52..54 => self.cancel_all(),
            54..61 => self.amend(),
            61..64 => self.amend_many(),
            64..67 => self.replace(),
            67..76 => self.move_market(),
            76..84 => self.trade_as_other(),
            84..88 => self.wait(),
            88..91 => self.close(),
            91..94 => self.reverse(),
            94..99 => self.set_leverage(),
            _ => self.set_mode(),
        }
    }
}

fn exact(text: &str) -> rust_decimal::Decimal {
    text.parse().unwrap()
}

fn near((price, qty): (String, String)) -> (Num, Num) {
    (Num::read(&price), Num::read(&qty))
}

fn number_of(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().unwrap())
}

#[test]
fn the_exchange_does_what_an_independent_model_does() {
    let mut done: BTreeMap<&'static str, u64> = BTreeMap::new();
    for seed in 1..=number_of("TRADEAPI_MODEL_SEEDS", 3) {
        let mut run = Run::new(seed);
        for operation in 0..number_of("TRADEAPI_MODEL_OPERATIONS", 500) {
            let told = run.act();
            run.compare(&format!("seed {seed}, operation {operation}: {told}"));
        }
        for (kind, count) in run.done {
            *done.entry(kind).or_default() += count;
        }
    }
    let kinds = ["place", "place many", "cancel", "cancel many", "amend", "amend many", "replace", "reverse", "close"];
    assert!(kinds.iter().all(|kind| done.get(kind).is_some_and(|count| *count > 0)), "{done:?}");
    println!("{done:?}");
}
