//! Requests of users, on both sides.

use serde_json::{Map, Value, json};

use crate::number::Num;
use crate::world::{Force, Kind, Order, Pos, Presets, Prevention, Refused, Wish};
use crate::{Run, Told, USUAL};

/// Returns the code of a refusal, which public clients of the exchange know; 40762 is in the document.
fn code(unified: bool, is_spot: bool, refused: Refused) -> &'static str {
    let [of_unified, of_classic] = match refused {
        Refused::Funds if is_spot => ["25202", "25202"],
        Refused::Above => ["25206", "43009"],
        Refused::Below => ["25205", "43008"],
        Refused::Profit(true) => ["25585", "40830"],
        Refused::Profit(false) => ["25587", "40832"],
        Refused::Loss(true) => ["25586", "40834"],
        Refused::Loss(false) => ["25588", "40836"],
        Refused::Funds => ["40762", "40762"],
        Refused::NoPosition => ["25227", "22002"],
        Refused::Occupied => ["25225", "40755"],
        Refused::NotOpen => ["45134", "45031"],
        Refused::BelowFilled => ["25568", "25568"],
        Refused::Fixed | Refused::OtherMargin => ["25200", "40017"],
    };
    if unified { of_unified } else { of_classic }
}

impl Run {
    /// Compares whether a request is done, or why it is refused.
    fn agree(
        &mut self,
        kind: &'static str,
        (account, pair): (usize, usize),
        expected: Result<(), Refused>,
        answer: &Value,
        told: &str,
    ) {
        let wanted = self.wanted(account, pair, expected);
        assert_eq!(answer["code"], wanted, "{expected:?}: {told}: {answer}");
        if expected.is_ok() {
            *self.done.entry(kind).or_default() += 1;
        }
    }

    fn wanted(&self, account: usize, pair: usize, expected: Result<(), Refused>) -> &'static str {
        let is_spot = !self.world.pairs[pair].is_futures();
        expected.map_or_else(|refused| code(account % 2 == 1, is_spot, refused), |()| "00000")
    }

    /// Returns what a user wants in a pair, alone or as one of many: many of the unified family cannot only reduce in
    /// one-way mode.
    fn wish(&mut self, account: usize, pair: usize, is_item: bool) -> Wish {
        let (unified, hedged) = (account % 2 == 1, self.world.accounts[account].hedged);
        let force =
            [Force::Market, Force::Gtc, Force::Gtc, Force::Gtc, Force::Ioc, Force::Fok, Force::PostOnly][self.any(7)];
        let is_futures = self.world.pairs[pair].is_futures();
        let (buys, mut closes) = (self.chance.is(50), self.chance.is(35) && is_futures);
        if unified && is_item && !hedged {
            closes = false;
        }
        let quoted = self.world.pairs[pair].quoted;
        let width = if self.chance.is(5) { quoted / 8 } else { quoted / 200 };
        let price = quoted + self.below(2 * width) - width;
        let usual = USUAL[pair].1;
        let big = if self.chance.is(10) { 25 * usual } else { usual };
        let mut qty = 10 + self.below(big);
        let isolated = is_futures && self.chance.is(30) && !(unified && is_item);
        let prevention =
            [Prevention::Off, Prevention::Off, Prevention::Taker, Prevention::Maker, Prevention::Both][self.any(5)];
        self.clients += 1;
        // In hedge mode a long position is closed by a sale; the classic family names it by the side that opened it.
        let pos = if !hedged || !is_futures {
            Pos::Net
        } else if buys != closes {
            Pos::Long
        } else {
            Pos::Short
        };
        let mut amount = None;
        if !is_futures && buys && force == Force::Market {
            (amount, qty) = (Some(Num::from(10 + self.below(8_000))), 0);
        }
        let client = Some(self.clients);
        let presets = if is_item || closes { Presets::default() } else { self.presets(account, (pair, pos), buys) };
        Wish { account, pair, client, buys, force, price, qty, amount, pos, closes, isolated, prevention, presets }
    }

    /// Returns a take-profit and a stop-loss of a position that an order opens or adds to. What those of an order
    /// against a position do, is in neither document.
    fn presets(&mut self, account: usize, key: (usize, Pos), buys: bool) -> Presets {
        let pair = &self.world.pairs[key.0];
        let is_against = self.world.accounts[account].positions.get(&key).is_some_and(|position| position.buys != buys);
        let mut presets = Presets::default();
        if is_against || !matches!(pair.kind, Kind::Linear | Kind::Inverse) {
            return presets;
        }
        // A few are on the wrong side.
        let sign = if buys != self.chance.is(4) { 1 } else { -1 };
        let last = pair.last;
        let mut off = || last / 300 + self.chance.number(last / 100);
        let (profit, loss) = (last + sign * off(), last - sign * off());
        presets.profit = self.chance.is(25).then_some(profit);
        presets.loss = self.chance.is(25).then_some(loss);
        presets
    }

    /// Returns the request that a wish stands for.
    fn body(&self, wish: &Wish, is_item: bool) -> Value {
        let (pair, unified, hedged) = (wish.pair, wish.account % 2 == 1, self.world.accounts[wish.account].hedged);
        let mut body = Map::new();
        let mut put = |name: &str, value: &str| _ = body.insert(name.into(), value.into());
        let word = |yes, one, other| if yes { one } else { other };
        if unified || !is_item {
            put("symbol", self.symbol(pair));
            put(word(unified, "category", "productType"), self.line(pair));
        }
        put("clientOid", &format!("m{}", wish.client.unwrap()));
        put("orderType", word(wish.force == Force::Market, "market", "limit"));
        if wish.force != Force::Market {
            put("price", &self.price(pair, wish.price));
            let force = ["gtc", "ioc", "fok", "post_only"][match wish.force {
                Force::Ioc => 1,
                Force::Fok => 2,
                Force::PostOnly => 3,
                Force::Gtc | Force::Market => 0,
            }];
            put(word(unified, "timeInForce", "force"), force);
        }
        let qty = wish.amount.as_ref().map_or_else(|| self.qty(pair, wish.qty), Num::to_string);
        put(word(unified, "qty", "size"), &qty);
        let prevention = match wish.prevention {
            Prevention::Off => "none",
            Prevention::Taker => "cancel_taker",
            Prevention::Maker => "cancel_maker",
            Prevention::Both => "cancel_both",
        };
        put("stpMode", prevention);
        for (price, names) in [
            (wish.presets.profit, ["takeProfit", "presetStopSurplusPrice"]),
            (wish.presets.loss, ["stopLoss", "presetStopLossPrice"]),
        ] {
            if let Some(price) = price {
                put(names[usize::from(!unified)], &self.price(pair, price));
            }
        }
        let is_futures = self.world.pairs[pair].is_futures();
        if is_futures && !is_item {
            put("marginMode", word(wish.isolated, "isolated", "crossed"));
        }
        if unified {
            put("side", word(wish.buys, "buy", "sell"));
            if is_futures && hedged {
                put("posSide", word(wish.pos == Pos::Long, "long", "short"));
            } else if is_futures && !is_item {
                put("reduceOnly", word(wish.closes, "yes", "no"));
            }
        } else {
            if !is_item {
                put("marginCoin", self.world.pairs[pair].settle());
            }
            if hedged {
                put("side", word(wish.pos == Pos::Long, "buy", "sell"));
                put("tradeSide", word(wish.closes, "close", "open"));
            } else {
                put("side", word(wish.buys, "buy", "sell"));
                put("reduceOnly", word(wish.closes, "YES", "NO"));
            }
        }
        Value::Object(body)
    }

    pub(super) fn place(&mut self) -> Told {
        let account = self.any(8);
        let pair = self.any_pair(account);
        let wish = self.wish(account, pair, false);
        let body = self.body(&wish, false);
        let expected = self.world.place(wish.clone());
        let told = format!("{wish:?}");
        let unified = account % 2 == 1;
        let path = if unified { "/api/v3/trade/place-order" } else { "/api/v2/mix/order/place-order" };
        let answer = self.desk.post(account, path, &body);
        self.agree("place", (account, pair), expected, &answer, &told);
        if expected.is_ok() {
            self.last.push((account, pair, wish.client.unwrap()));
        }
        told
    }

    pub(super) fn place_many(&mut self) -> Told {
        let account = self.any(8);
        let (pair, unified) = (self.any_pair(account), account % 2 == 1);
        let isolated = !unified && self.chance.is(30);
        let count = 1 + self.any(5);
        let mut wishes: Vec<Wish> = (0..count).map(|_| self.wish(account, pair, true)).collect();
        wishes.iter_mut().for_each(|wish| wish.isolated = isolated);
        let items: Vec<Value> = wishes.iter().map(|wish| self.body(wish, true)).collect();
        let expected = self.world.place_many(&wishes);
        let told = format!("many: {wishes:?}");
        let answer = if unified {
            self.desk.post(account, "/api/v3/trade/place-batch", &Value::Array(items))
        } else {
            let body = json!({"symbol": self.symbol(pair), "productType": self.line(pair),
                "marginCoin": self.world.pairs[pair].settle(),
                "marginMode": if isolated { "isolated" } else { "crossed" }, "orderList": items});
            self.desk.post(account, "/api/v2/mix/order/batch-place-order", &body)
        };
        self.agree("place many", (account, pair), Ok(()), &answer, &told);
        for (place, (wish, expected)) in wishes.iter().zip(&expected).enumerate() {
            let client = wish.client.unwrap();
            let found = self.outcome(unified, &answer, place, client, &told);
            let wanted = self.wanted(account, pair, *expected);
            assert_eq!(found, wanted, "item {place}: {told}: {answer}");
            if expected.is_ok() {
                self.last.push((account, pair, client));
            }
        }
        told
    }

    /// Returns the code of an item of a batch.
    fn outcome(&self, unified: bool, answer: &Value, place: usize, client: u64, told: &str) -> String {
        let data = &answer["data"];
        if unified {
            let code = data[place]["code"].as_str().filter(|code| !code.is_empty() && *code != "0");
            return code.unwrap_or("00000").to_owned();
        }
        let client = format!("m{client}");
        let list = |name: &str| data[name].as_array().unwrap_or_else(|| panic!("{told}: {answer}")).clone();
        let find = |name: &str| list(name).into_iter().find(|item| item["clientOid"] == client.as_str());
        match (find("successList"), find("failureList")) {
            (Some(_), None) => "00000".to_owned(),
            (None, Some(failed)) => failed["errorCode"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned(),
            _ => panic!("{client} is in neither list, or in both: {told}: {answer}"),
        }
    }

    /// Returns the open orders of users, by account, pair and number.
    fn open(&self) -> Vec<(usize, usize, u64)> {
        let of = |order: &Order| Some((order.wish.account, order.wish.pair, order.wish.client?));
        self.world.open.iter().filter_map(of).collect()
    }

    fn any_open(&mut self) -> Option<(usize, usize, u64)> {
        let open = self.open();
        let place = self.any(open.len().max(1));
        open.get(place).copied()
    }

    /// Returns some open orders of one account and pair.
    fn some_open(&mut self) -> Option<(usize, usize, Vec<u64>)> {
        let (account, pair, _) = self.any_open()?;
        let same = self.open().into_iter().filter(|open| (open.0, open.1) == (account, pair));
        let count = 1 + self.any(4);
        Some((account, pair, same.map(|open| open.2).take(count).collect()))
    }

    pub(super) fn cancel(&mut self) -> Told {
        let Some((account, pair, client)) = self.any_open() else { return String::new() };
        let expected = self.world.cancel(account, client);
        let body =
            json!({"symbol": self.symbol(pair), "productType": self.line(pair), "clientOid": format!("m{client}")});
        let unified = json!({"clientOid": format!("m{client}")});
        let answer = if account % 2 == 1 {
            self.desk.post(account, "/api/v3/trade/cancel-order", &unified)
        } else {
            self.desk.post(account, "/api/v2/mix/order/cancel-order", &body)
        };
        let told = format!("cancel {client} of {account}");
        self.agree("cancel", (account, pair), expected, &answer, &told);
        self.last.push((account, pair, client));
        told
    }

    pub(super) fn cancel_many(&mut self) -> Told {
        let Some((account, pair, mut clients)) = self.some_open() else { return String::new() };
        let (unified, known) = (account % 2 == 1, clients.len());
        if self.chance.is(30) {
            // Nobody has placed it.
            clients.push(999_999_999);
        }
        let (symbol, line) = (self.symbol(pair), self.line(pair));
        let answer = if unified {
            let item = |client: &u64| json!({"category": line, "symbol": symbol, "clientOid": format!("m{client}")});
            let items = clients.iter().map(item).collect();
            self.desk.post(account, "/api/v3/trade/cancel-batch", &Value::Array(items))
        } else {
            let items: Vec<_> = clients.iter().map(|client| json!({"clientOid": format!("m{client}")})).collect();
            let body = json!({"symbol": symbol, "productType": line, "orderIdList": items});
            self.desk.post(account, "/api/v2/mix/order/batch-cancel-orders", &body)
        };
        let told = format!("cancel {clients:?} of {account}");
        self.agree("cancel many", (account, pair), Ok(()), &answer, &told);
        for (place, client) in clients.iter().enumerate() {
            let found = self.outcome(unified, &answer, place, *client, &told);
            assert_eq!(found == "00000", place < known, "item {place}: {told}: {answer}");
            if place < known {
                self.world.cancel(account, *client).unwrap();
                self.last.push((account, pair, *client));
            }
        }
        told
    }

    pub(super) fn cancel_all(&mut self) -> Told {
        let account = self.any(8);
        let pair = self.any_pair(account);
        let line = self.line(pair);
        let same: Vec<bool> = self.world.pairs.iter().map(|pair| pair.line == line).collect();
        self.world.cancel_all(account, |pair| same[pair]);
        let answer = if account % 2 == 1 {
            self.desk.post(account, "/api/v3/trade/cancel-symbol-order", &json!({"category": line}))
        } else {
            self.desk.post(account, "/api/v2/mix/order/cancel-all-orders", &json!({"productType": line}))
        };
        assert_eq!(answer["code"], "00000", "{answer}");
        format!("cancel all of {account} in {line}")
    }

    /// Returns another price and quantity of an order of the unified family that can be amended.
    fn change(&mut self, account: usize, pair: usize, client: u64) -> Option<(i64, i64)> {
        let order = self.world.order(client).filter(|order| account % 2 == 1 && !order.wish.closes)?;
        let (price, qty) = (order.wish.price, order.wish.qty);
        if self.world.pairs[pair].kind == Kind::ByQuote {
            // That line does not support modifying orders.
            return None;
        }
        let width = self.world.pairs[pair].quoted / 200;
        let price = if self.chance.is(50) { price } else { price + self.below(width) - width / 2 };
        Some((price, if self.chance.is(30) { qty } else { 10 + self.below(2 * qty) }))
    }

    pub(super) fn amend(&mut self) -> Told {
        let Some((account, pair, client)) = self.any_open() else { return String::new() };
        let Some((price, qty)) = self.change(account, pair, client) else { return String::new() };
        let told = format!("amend {client} of {account} to {price} {qty}: {:?}", self.world.order(client));
        let expected = self.world.amend(account, client, price, qty);
        let body =
            json!({"clientOid": format!("m{client}"), "price": self.price(pair, price), "qty": self.qty(pair, qty)});
        let answer = self.desk.post(account, "/api/v3/trade/modify-order", &body);
        self.agree("amend", (account, pair), expected, &answer, &told);
        self.last.push((account, pair, client));
        told
    }

    /// Amends several orders at once. One that has ended meanwhile, or cannot be amended, changes nothing else.
    pub(super) fn amend_many(&mut self) -> Told {
        let Some((account, pair, clients)) = self.some_open() else { return String::new() };
        let mut items = Vec::new();
        let mut changes = Vec::new();
        for client in clients {
            let Some((price, qty)) = self.change(account, pair, client) else { continue };
            items.push(json!({"clientOid": format!("m{client}"), "price": self.price(pair, price),
                "qty": self.qty(pair, qty), "symbol": self.symbol(pair), "category": self.line(pair)}));
            changes.push((client, price, qty));
        }
        if items.is_empty() {
            return String::new();
        }
        let told = format!("amend many of {account}: {changes:?}");
        let answer = self.desk.post(account, "/api/v3/trade/batch-modify-order", &Value::Array(items));
        self.agree("amend many", (account, pair), Ok(()), &answer, &told);
        for (client, price, qty) in changes {
            let _ = self.world.amend(account, client, price, qty);
            self.last.push((account, pair, client));
        }
        told
    }

    /// Modifies size and price of an order of the classic family: 20 milliseconds later another one replaces it.
    pub(super) fn replace(&mut self) -> Told {
        let Some((account, pair, client)) = self.any_open().filter(|open| open.0.is_multiple_of(2)) else {
            return String::new();
        };
        // What becomes of its presets is in neither document.
        if self.world.order(client).is_some_and(|order| order.wish.presets != Presets::default()) {
            return String::new();
        }
        let width = self.world.pairs[pair].quoted / 200;
        let (price, qty) =
            (self.world.pairs[pair].quoted + self.below(2 * width) - width, 10 + self.below(USUAL[pair].1));
        self.clients += 1;
        let fresh = self.clients;
        let told = format!("replace {client} of {account} by {fresh}, {price} {qty}: {:?}", self.world.order(client));
        let replacing = self.world.replace(account, client, fresh, price, qty);
        let body = json!({"symbol": self.symbol(pair), "productType": self.line(pair), "clientOid": format!("m{client}"),
            "newClientOid": format!("m{fresh}"), "newPrice": self.price(pair, price), "newSize": self.qty(pair, qty)});
        let answer = self.desk.post(account, "/api/v2/mix/order/modify-order", &body);
        assert_eq!(answer["code"] == "00000", replacing.is_some(), "{told}: {answer}");
        let Some(wish) = replacing else { return told };
        *self.done.entry("replace").or_default() += 1;
        self.last.push((account, pair, client));
        self.pass(20);
        if self.world.place(wish).is_ok() {
            self.last.push((account, pair, fresh));
        }
        told
    }

    /// Returns a position of an account.
    fn any_position(&mut self, account: usize) -> Option<(usize, Pos)> {
        let keys: Vec<_> = self.world.accounts[account].positions.keys().copied().collect();
        let place = self.any(keys.len().max(1));
        keys.get(place).copied()
    }

    pub(super) fn close(&mut self) -> Told {
        let account = self.any(8);
        let Some(key) = self.any_position(account) else { return String::new() };
        let expected = self.world.close(account, key);
        let (symbol, line) = (self.symbol(key.0), self.line(key.0));
        let side = match key.1 {
            Pos::Net => None,
            Pos::Long => Some("long"),
            Pos::Short => Some("short"),
        };
        let answer = if account % 2 == 1 {
            let body = json!({"category": line, "symbol": symbol, "posSide": side});
            self.desk.post(account, "/api/v3/trade/close-positions", &without_nulls(body))
        } else {
            let body = json!({"productType": line, "symbol": symbol, "holdSide": side});
            self.desk.post(account, "/api/v2/mix/order/close-positions", &without_nulls(body))
        };
        let told = format!("close {key:?} of {account}");
        self.agree("close", (account, key.0), expected, &answer, &told);
        told
    }

    pub(super) fn reverse(&mut self) -> Told {
        let account = 2 * self.any(4);
        let Some(key) = self.any_position(account) else { return String::new() };
        // What becomes of orders that close the position is in neither document.
        if self.world.occupied(account, key) > 0 {
            return String::new();
        }
        let position = &self.world.accounts[account].positions[&key];
        let (is_long, all) = (position.buys, position.qty);
        let size = self.chance.is(50).then(|| 1 + self.below(all + all / 4 + 1));
        self.clients += 1;
        let client = self.clients;
        let pair = key.0;
        let told = format!(
            "reverse {size:?} of {key:?} of {account} by {client}: {position:?}",
            position = self.world.accounts[account].positions[&key]
        );
        let expected = self.world.reverse(account, key, size, client);
        let mut body = json!({"symbol": self.symbol(pair), "productType": self.line(pair),
            "marginCoin": self.world.pairs[pair].settle(), "side": if is_long { "buy" } else { "sell" },
            "clientOid": format!("m{client}")});
        if key.1 != Pos::Net {
            body["tradeSide"] = "open".into();
        }
        if let Some(size) = size {
            body["size"] = self.qty(pair, size).into();
        }
        let answer = self.desk.post(account, "/api/v2/mix/order/click-backhand", &body);
        self.agree("reverse", (account, pair), expected, &answer, &told);
        if expected.is_ok() {
            self.last.push((account, pair, client));
        }
        told
    }

    pub(super) fn set_leverage(&mut self) -> Told {
        let account = self.any(8);
        let pair = self.any_pair(account);
        if !self.world.pairs[pair].is_futures() {
            return String::new();
        }
        let leverage = [1, 2, 3, 5, 7, 10, 10, 20, 25, 50, 75, 100][self.any(12)];
        let expected = self.world.set_leverage(account, pair, leverage);
        let (symbol, line, text) = (self.symbol(pair), self.line(pair), leverage.to_string());
        let answer = if account % 2 == 1 {
            let body = json!({"category": line, "symbol": symbol, "leverage": text});
            self.desk.post(account, "/api/v3/account/set-leverage", &body)
        } else {
            let coin = self.world.pairs[pair].settle();
            let body = json!({"productType": line, "symbol": symbol, "marginCoin": coin, "leverage": text});
            self.desk.post(account, "/api/v2/mix/account/set-leverage", &body)
        };
        let told = format!("leverage of {account} in {symbol} {leverage}");
        self.agree("leverage", (account, pair), expected, &answer, &told);
        told
    }

    pub(super) fn set_mode(&mut self) -> Told {
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
        self.agree("mode", (account, 1), expected, &answer, &told);
        told
    }
}

fn without_nulls(mut body: Value) -> Value {
    body.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    body
}
