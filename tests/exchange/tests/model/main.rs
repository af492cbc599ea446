//! An independent model of the exchange: rules, books, orders, positions and balances in `world`, written from
//! the documents and the stated decisions, with numbers of its own. Random requests of four users go to both, and all
//! that the exchange shows is compared after each.
//!
//! `TRADEAPI_MODEL_OPERATIONS=5000` sets the number of operations of each seed, and `TRADEAPI_MODEL_SEEDS=6` the number
//! of seeds.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a panic is how a test fails")]

mod accounting;
mod chance;
mod compare;
mod desk;
mod number;
mod world;

use std::time::Duration;

use serde_json::{Map, Value, json};
use tradeapi_exchange::{BookView, Line, Side};

use chance::Chance;
use desk::Desk;
use number::Num;
use world::{End, Force, Pair, Pos, Prevention, Refused, Wish, World};

const HOURS_8: u64 = 8 * 60 * 60 * 1000;

/// Whether the users keep a long and a short position side by side at first, and their USDT.
const USERS: [(bool, i64); 4] = [(false, 100_000), (true, 100_000), (false, 3_000), (true, 2_000)];

/// Both sides, and what they were told so far.
struct Run {
    desk: Desk,
    world: World,
    chance: Chance,
    clients: u64,
    /// The order of the last request, by its account, pair and number.
    last: Option<(usize, usize, u64)>,
}

/// What a request did, for the message of a difference.
type Told = String;

impl Run {
    fn new(seed: u64) -> Self {
        let balances = USERS.map(|(_, usdt)| [("USDT", usdt)]);
        let desk = Desk::open(&USERS.map(|(hedged, _)| hedged), &balances.each_ref().map(|one| &one[..]));
        let pairs = vec![Pair::new("BTCUSDT", "0.1", "0.001", 640_000), Pair::new("ETHUSDT", "0.01", "0.01", 315_000)];
        let mut world = World::new(pairs);
        for (user, (hedged, usdt)) in USERS.iter().enumerate() {
            world.open_account(user, *hedged, *usdt);
            world.open_account(user, *hedged, *usdt);
        }
        let mut run = Self { desk, world, chance: Chance(seed), clients: 0, last: None };
        for pair in 0..2 {
            let quoted = run.world.pairs[pair].quoted;
            run.set_quotes(pair, quoted);
        }
        run
    }

    fn symbol(&self, pair: usize) -> &'static str {
        self.world.pairs[pair].symbol
    }

    fn price(&self, pair: usize, ticks: i64) -> String {
        (&Num::from(ticks) * &self.world.pairs[pair].tick).to_string()
    }

    fn qty(&self, pair: usize, steps: i64) -> String {
        (&Num::from(steps) * &self.world.pairs[pair].step).to_string()
    }

    fn below(&mut self, end: i64) -> i64 {
        self.chance.number(end)
    }

    fn any(&mut self, end: usize) -> usize {
        self.chance.place(end)
    }

    /// One random operation on both sides.
    fn act(&mut self) -> Told {
        match self.chance.below(100) {
            0..46 => self.place(),
            46..56 => self.cancel(),
            56..58 => self.cancel_all(),
            58..66 => self.amend(),
            66..76 => self.move_market(),
            76..84 => self.trade_as_other(),
            84..88 => self.wait(),
            88..93 => self.close(),
            93..99 => self.set_leverage(),
            _ => self.set_mode(),
        }
    }

    fn place(&mut self) -> Told {
        let (account, pair) = (self.any(8), self.any(2));
        let (unified, hedged) = (account % 2 == 1, self.world.accounts[account].hedged);
        let force =
            [Force::Market, Force::Gtc, Force::Gtc, Force::Gtc, Force::Ioc, Force::Fok, Force::PostOnly][self.any(7)];
        let (buys, closes) = (self.chance.is(50), self.chance.is(35));
        let quoted = self.world.pairs[pair].quoted;
        let width = if self.chance.is(5) { quoted / 8 } else { quoted / 200 };
        let price = quoted + self.below(2 * width) - width;
        let big = if self.chance.is(10) { 3_000 } else { 120 };
        let qty = 1 + self.below(big);
        let isolated = self.chance.is(30);
        let prevention =
            [Prevention::Off, Prevention::Off, Prevention::Taker, Prevention::Maker, Prevention::Both][self.any(5)];
        self.clients += 1;
        let client = self.clients;
        // In hedge mode a long position is closed by a sale; the classic family names it by the side that opened it.
        let pos = if !hedged {
            Pos::Net
        } else if buys != closes {
            Pos::Long
        } else {
            Pos::Short
        };
        let mut body = Map::new();
        let mut put = |name: &str, value: &str| _ = body.insert(name.into(), value.into());
        put("symbol", self.symbol(pair));
        put("clientOid", &format!("m{client}"));
        let word = |yes, one, other| if yes { one } else { other };
        put("orderType", word(force == Force::Market, "market", "limit"));
        if force != Force::Market {
            put("price", &self.price(pair, price));
            let word = ["gtc", "ioc", "fok", "post_only"][match force {
                Force::Ioc => 1,
                Force::Fok => 2,
                Force::PostOnly => 3,
                Force::Gtc | Force::Market => 0,
            }];
            put(word_of_force(unified), word);
        }
        put(if unified { "qty" } else { "size" }, &self.qty(pair, qty));
        put("marginMode", word(isolated, "isolated", "crossed"));
        put(
            "stpMode",
            match prevention {
                Prevention::Off => "none",
                Prevention::Taker => "cancel_taker",
                Prevention::Maker => "cancel_maker",
                Prevention::Both => "cancel_both",
            },
        );
        let path = if unified {
            put("category", "USDT-FUTURES");
            put("side", word(buys, "buy", "sell"));
            if hedged {
                put("posSide", word(pos == Pos::Long, "long", "short"));
            } else {
                put("reduceOnly", word(closes, "yes", "no"));
            }
            "/api/v3/trade/place-order"
        } else {
            put("productType", "USDT-FUTURES");
            put("marginCoin", "USDT");
            if hedged {
                put("side", word(pos == Pos::Long, "buy", "sell"));
                put("tradeSide", word(closes, "close", "open"));
            } else {
                put("side", word(buys, "buy", "sell"));
                put("reduceOnly", word(closes, "YES", "NO"));
            }
            "/api/v2/mix/order/place-order"
        };
        let wish =
            Wish { account, pair, client: Some(client), buys, force, price, qty, pos, closes, isolated, prevention };
        let expected = self.world.place(wish.clone());
        let told = format!("{wish:?}");
        let body = Value::Object(body);
        let answer = self.desk.post(account, path, &body);
        self.agree(account, expected, &answer, &told);
        if expected.is_ok() {
            self.last = Some((account, pair, client));
        }
        told
    }

    /// Compares whether a request is done, or why it is refused.
    fn agree(&self, account: usize, expected: Result<(), Refused>, answer: &Value, told: &str) {
        let unified = account % 2 == 1;
        let one_of = |unified_code, classic_code| if unified { unified_code } else { classic_code };
        let code = match expected {
            Ok(()) => "00000",
            Err(Refused::Above) => one_of("25206", "43009"),
            Err(Refused::Below) => one_of("25205", "43008"),
            Err(Refused::Funds) => "40762",
            Err(Refused::NoPosition) => one_of("25227", "22002"),
            Err(Refused::Occupied) => one_of("25225", "40755"),
            Err(Refused::NotOpen) => one_of("45134", "45031"),
            Err(Refused::BelowFilled) => "25568",
            Err(Refused::Fixed) => one_of("25200", "40017"),
        };
        assert_eq!(answer["code"], code, "{expected:?}: {told}: {answer}");
    }

    fn compare_order(&mut self, account: usize, pair: usize, client: u64, told: &str) {
        let unified = account % 2 == 1;
        let target = if unified {
            format!("/api/v3/trade/order-info?clientOid=m{client}")
        } else {
            let symbol = self.symbol(pair);
            format!("/api/v2/mix/order/detail?symbol={symbol}&productType=USDT-FUTURES&clientOid=m{client}")
        };
        let answer = self.desk.get(account, &target);
        let record = &answer["data"];
        let open = self.world.open.iter().find(|order| order.wish.client == Some(client));
        let open = open.map(|order| (End::Open, order.clone()));
        let known = open.or_else(|| self.world.ended.remove(&client));
        let (end, order) = known.unwrap_or_else(|| panic!("{told}: {answer}"));
        let state = record[if unified { "orderStatus" } else { "state" }]
            .as_str()
            .unwrap_or_else(|| panic!("{told}: {answer}"));
        let (filled, value, fee) = order.shown();
        let expected = match end {
            End::Open if filled > 0 => "partially_filled",
            End::Open => "live",
            End::Filled => "filled",
            End::Cancelled if unified => "cancelled",
            End::Cancelled => "canceled",
        };
        assert_eq!(state, expected, "{told}: {answer}");
        let shown = |name: &str| Num::read(record[name].as_str().unwrap_or("0"));
        let (names, paid) = if unified {
            (["cumExecQty", "cumExecValue"], Num::read(record["feeDetail"][0]["fee"].as_str().unwrap_or("0")))
        } else {
            (["baseVolume", "quoteVolume"], -shown("fee"))
        };
        let qty = Num::read(&self.qty(pair, filled));
        assert_eq!((shown(names[0]), shown(names[1]), paid), (qty, value, fee), "{told}: {answer}");
    }

    /// An open order of a user, by its account and number.
    fn any_open(&mut self) -> Option<(usize, usize, u64)> {
        let open =
            self.world.open.iter().filter_map(|order| Some((order.wish.account, order.wish.pair, order.wish.client?)));
        let open: Vec<_> = open.collect();
        let place = self.any(open.len().max(1));
        open.get(place).copied()
    }

    fn cancel(&mut self) -> Told {
        let Some((account, pair, client)) = self.any_open() else { return String::new() };
        let expected = self.world.cancel(account, client);
        let body =
            json!({"symbol": self.symbol(pair), "productType": "USDT-FUTURES", "clientOid": format!("m{client}")});
        let unified = json!({"clientOid": format!("m{client}")});
        let answer = if account % 2 == 1 {
            self.desk.post(account, "/api/v3/trade/cancel-order", &unified)
        } else {
            self.desk.post(account, "/api/v2/mix/order/cancel-order", &body)
        };
        let told = format!("cancel {client} of {account}");
        self.agree(account, expected, &answer, &told);
        self.last = Some((account, pair, client));
        told
    }

    fn cancel_all(&mut self) -> Told {
        let account = self.any(8);
        self.world.cancel_all(account, None);
        let answer = if account % 2 == 1 {
            self.desk.post(account, "/api/v3/trade/cancel-symbol-order", &json!({"category": "USDT-FUTURES"}))
        } else {
            self.desk.post(account, "/api/v2/mix/order/cancel-all-orders", &json!({"productType": "USDT-FUTURES"}))
        };
        assert_eq!(answer["code"], "00000", "{answer}");
        format!("cancel all of {account}")
    }

    fn amend(&mut self) -> Told {
        let Some((account, pair, client)) = self.any_open() else { return String::new() };
        let order = self.world.open.iter().find(|order| order.wish.client == Some(client));
        let Some(order) = order.filter(|order| account % 2 == 1 && !order.wish.closes).cloned() else {
            return String::new();
        };
        let width = self.world.pairs[pair].quoted / 200;
        let price =
            if self.chance.is(50) { order.wish.price } else { order.wish.price + self.below(width) - width / 2 };
        let qty = if self.chance.is(30) { order.wish.qty } else { 1 + self.below(2 * order.wish.qty) };
        let expected = self.world.amend(account, client, price, qty);
        let body =
            json!({"clientOid": format!("m{client}"), "price": self.price(pair, price), "qty": self.qty(pair, qty)});
        let told = format!("amend {client} of {account} to {price} {qty}: {order:?}");
        let answer = self.desk.post(account, "/api/v3/trade/modify-order", &body);
        self.agree(account, expected, &answer, &told);
        told
    }

    fn set_quotes(&mut self, pair: usize, mid: i64) {
        let unit = mid / 10_000;
        let mut quotes = Vec::new();
        for level in 1..=3_i64 {
            let qty = if level == 3 { 200_000 } else { 20 + self.below(200) };
            quotes.push((true, mid - level * level * unit - self.below(unit), qty));
            quotes.push((false, mid + level * level * unit + self.below(unit), qty));
        }
        let symbol = self.symbol(pair);
        let mut book = BookView::default();
        for (buys, ticks, steps) in &quotes {
            let level = (exact(&self.price(pair, *ticks)), exact(&self.qty(pair, *steps)));
            if *buys { book.bids.push(level) } else { book.asks.push(level) }
        }
        // The exchange quotes the bids first.
        quotes.sort_by_key(|quote| !quote.0);
        self.world.set_quotes(pair, quotes);
        self.desk.exchange.set_book(Line::UsdtFutures, symbol, Some(book)).unwrap();
    }

    fn move_market(&mut self) -> Told {
        let pair = self.any(2);
        let quoted = self.world.pairs[pair].quoted;
        let width = if self.chance.is(15) { quoted / 20 } else { quoted / 200 };
        let (symbol, opening) = (self.symbol(pair), [640_000, 315_000][pair]);
        let price = (quoted + self.below(2 * width) - width).clamp(opening / 2, opening * 2);
        let text = self.price(pair, price);
        match self.chance.below(10) {
            0..6 => {
                self.set_quotes(pair, price);
                format!("quotes of {symbol} around {text}")
            }
            6..8 => {
                self.world.set_price(pair, price);
                self.desk.exchange.set_price(symbol, exact(&text)).unwrap();
                format!("price of {symbol} {text}")
            }
            apart => {
                let mark = (apart == 8).then_some(price);
                self.world.set_mark(pair, mark);
                self.desk.exchange.set_mark_price(symbol, mark.map(|_| exact(&text).into())).unwrap();
                format!("mark of {symbol} {mark:?}")
            }
        }
    }

    fn trade_as_other(&mut self) -> Told {
        let (pair, buys) = (self.any(2), self.chance.is(50));
        let quoted = self.world.pairs[pair].quoted;
        let width = quoted / 400;
        let limit = self.chance.is(70).then(|| quoted + self.below(2 * width) - width);
        let limit = limit.map(|limit| self.within_reach(pair, buys, limit));
        let qty = 1 + self.below(150);
        self.world.trade_of_others(pair, buys, limit, qty, false);
        let (side, symbol) = (if buys { Side::Buy } else { Side::Sell }, self.symbol(pair));
        let [price, qty] = [limit.map(|limit| self.price(pair, limit)), Some(self.qty(pair, qty))]
            .map(|text| text.map(|text| exact(&text)));
        self.desk
            .exchange
            .place_for_others(Line::UsdtFutures, symbol, side, price.map(Into::into), qty.unwrap())
            .unwrap();
        format!("other in {symbol} {buys} {limit:?}")
    }

    fn within_reach(&self, pair: usize, buys: bool, limit: i64) -> i64 {
        let quoted = self.world.pairs[pair].quoted;
        if buys { limit.min(quoted + quoted / 10) } else { limit.max(quoted - quoted / 10) }
    }

    fn wait(&mut self) -> Told {
        let millis = if self.chance.is(20) { self.chance.below(HOURS_8) } else { self.chance.below(60_000) };
        let begun = self.desk.exchange.time().now().as_millis();
        for _ in 0..(begun + millis) / HOURS_8 - begun / HOURS_8 {
            self.world.pay_funding();
        }
        self.desk.exchange.time().advance(Duration::from_millis(millis));
        self.desk.exchange.advance_to(self.desk.exchange.time().now());
        format!("wait {millis}")
    }

    fn close(&mut self) -> Told {
        let account = self.any(8);
        let keys: Vec<_> = self.world.accounts[account].positions.keys().copied().collect();
        let place = self.any(keys.len().max(1));
        let Some(key) = keys.get(place).copied() else { return String::new() };
        let expected = self.world.close(account, key);
        let symbol = self.symbol(key.0);
        let side = match key.1 {
            Pos::Net => None,
            Pos::Long => Some("long"),
            Pos::Short => Some("short"),
        };
        let answer = if account % 2 == 1 {
            let body = json!({"category": "USDT-FUTURES", "symbol": symbol, "posSide": side});
            self.desk.post(account, "/api/v3/trade/close-positions", &without_nulls(body))
        } else {
            let body = json!({"productType": "USDT-FUTURES", "symbol": symbol, "holdSide": side});
            self.desk.post(account, "/api/v2/mix/order/close-positions", &without_nulls(body))
        };
        let told = format!("close {key:?} of {account}");
        self.agree(account, expected, &answer, &told);
        told
    }

    fn set_leverage(&mut self) -> Told {
        let (account, pair) = (self.any(8), self.any(2));
        let leverage = [1, 2, 3, 5, 7, 10, 10, 20, 25, 50, 75, 100][self.any(12)];
        let expected = self.world.set_leverage(account, pair, leverage);
        let (symbol, text) = (self.symbol(pair), leverage.to_string());
        let answer = if account % 2 == 1 {
            let body = json!({"category": "USDT-FUTURES", "symbol": symbol, "leverage": text});
            self.desk.post(account, "/api/v3/account/set-leverage", &body)
        } else {
            let body = json!({"productType": "USDT-FUTURES", "symbol": symbol, "marginCoin": "USDT", "leverage": text});
            self.desk.post(account, "/api/v2/mix/account/set-leverage", &body)
        };
        let told = format!("leverage of {account} in {symbol} {leverage}");
        self.agree(account, expected, &answer, &told);
        told
    }

    fn set_mode(&mut self) -> Told {
        let (account, hedged) = (self.any(8), self.chance.is(50));
        let expected = self.world.set_mode(account, hedged);
        let mode = if hedged { "hedge_mode" } else { "one_way_mode" };
        let answer = if account % 2 == 1 {
            self.desk.post(account, "/api/v3/account/set-hold-mode", &json!({"holdMode": mode}))
        } else {
            let body = json!({"productType": "USDT-FUTURES", "posMode": mode});
            self.desk.post(account, "/api/v2/mix/account/set-position-mode", &body)
        };
        let told = format!("mode of {account} {mode}");
        self.agree(account, expected, &answer, &told);
        told
    }
}

fn word_of_force(unified: bool) -> &'static str {
    if unified { "timeInForce" } else { "force" }
}

fn exact(text: &str) -> rust_decimal::Decimal {
    text.parse().unwrap()
}

fn near((price, qty): (String, String)) -> (Num, Num) {
    (Num::read(&price), Num::read(&qty))
}

fn without_nulls(mut body: Value) -> Value {
    body.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    body
}

fn number_of(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().unwrap())
}

#[test]
fn the_exchange_does_what_an_independent_model_does() {
    for seed in 1..=number_of("TRADEAPI_MODEL_SEEDS", 2) {
        let mut run = Run::new(seed);
        for operation in 0..number_of("TRADEAPI_MODEL_OPERATIONS", 1_500) {
            let told = run.act();
            run.compare(&format!("seed {seed}, operation {operation}: {told}"));
        }
    }
}
