//! The random operations whose money is accounted for: requests of all kinds by accounts of both families, moves of the
//! market, orders of others, and time that passes.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tradeapi_exchange::Side;

use super::{Books, Kind, PAIRS, Pair, USERS, of, pair_of};
use crate::exact;
use crate::number::Num;

/// The time between payments of funding.
const HOURS_8: u64 = 8 * 60 * 60 * 1000;

impl Books {
    /// Returns a pair that an account trades.
    fn any_pair(&mut self, account: usize) -> usize {
        loop {
            let pair = self.chance.place(PAIRS.len());
            if PAIRS[pair].6[account % 2] {
                return pair;
            }
        }
    }

    fn price(&mut self, pair: usize, width: i64) -> String {
        let mark = self.marks[pair];
        let price = (mark + self.chance.number(2 * mark / width) - mark / width).max(1_000);
        (&Num::from(price) * &of(PAIRS[pair].4[0])).to_string()
    }

    fn qty(&mut self, pair: usize) -> String {
        let big = if self.chance.is(8) { 40 } else { 2 };
        let steps = PAIRS[pair].5[1] / 10 + self.chance.number(PAIRS[pair].5[1] * big);
        (&Num::from(steps.max(1)) * &of(PAIRS[pair].4[1])).to_string()
    }

    /// Returns one order of an account in a pair, as an item of a batch or by itself.
    fn order(&mut self, account: usize, pair: usize, is_item: bool) -> Map<String, Value> {
        let unified = account % 2 == 1;
        let Pair(line, symbol, kind, ..) = &PAIRS[pair];
        let (kind, symbol, line) = (*kind, *symbol, *line);
        let (hedged, is_futures) = (self.hedged[account], kind != Kind::Spot);
        let (buys, closes, is_limit) = (self.chance.is(50), self.chance.is(35), self.chance.is(65));
        self.clients += 1;
        let mut order = Map::new();
        let client = format!("a{}", self.clients);
        let mut qty = self.qty(pair);
        let price = self.price(pair, 150);
        if kind == Kind::Spot && buys && !is_limit {
            qty = self.chance.number(3_000).max(10).to_string();
        }
        let mut put = |name: &str, value: &str| _ = order.insert(name.to_owned(), value.into());
        put("clientOid", &client);
        put(if unified { "qty" } else { "size" }, &qty);
        put("orderType", if is_limit { "limit" } else { "market" });
        if is_limit {
            put("price", &price);
            let force = self.chance.one(&["gtc", "gtc", "gtc", "ioc", "fok", "post_only"]);
            put(if unified { "timeInForce" } else { "force" }, force);
        }
        put("stpMode", self.chance.one(&["none", "none", "cancel_taker", "cancel_maker", "cancel_both"]));
        let opens_long = buys != closes;
        let side = if buys { "buy" } else { "sell" };
        if unified {
            put("symbol", symbol);
            let is_margin = kind == Kind::Spot && self.chance.is(30);
            put("category", if is_margin { "MARGIN" } else { line.as_str() });
            put("side", side);
            if is_futures && hedged {
                put("posSide", if opens_long { "long" } else { "short" });
            }
            if !is_item {
                if is_futures && !hedged {
                    put("reduceOnly", if closes { "yes" } else { "no" });
                }
                if is_futures {
                    put("marginMode", self.chance.one(&["crossed", "crossed", "isolated"]));
                } else if !is_margin && self.chance.is(20) {
                    put("autoBorrow", "yes");
                }
                if kind != Kind::ByQuote && self.chance.is(25) {
                    put("takeProfit", &self.near(pair, buys));
                    put("tpOrderType", "market");
                }
                if kind != Kind::ByQuote && self.chance.is(25) {
                    put("stopLoss", &self.near(pair, !buys));
                    put("slOrderType", "market");
                }
            }
        } else {
            put("side", if hedged && closes { if buys { "sell" } else { "buy" } } else { side });
            if hedged {
                put("tradeSide", if closes { "close" } else { "open" });
            } else {
                put("reduceOnly", if closes { "YES" } else { "NO" });
            }
            if self.chance.is(25) {
                put("presetStopSurplusPrice", &self.near(pair, buys));
            }
            if self.chance.is(25) {
                put("presetStopLossPrice", &self.near(pair, !buys));
            }
            if !is_item {
                put("symbol", symbol);
                put("productType", line.as_str());
                put("marginCoin", PAIRS[pair].settle());
                put("marginMode", self.chance.one(&["crossed", "crossed", "isolated"]));
            }
        }
        order
    }

    /// Returns a trigger above or below the market.
    fn near(&mut self, pair: usize, above: bool) -> String {
        let mark = self.marks[pair];
        let off = mark / 400 + self.chance.number(mark / 50);
        (&Num::from(if above { mark + off } else { mark - off }) * &of(PAIRS[pair].4[0])).to_string()
    }

    /// Sends a request, and notes whether it was done.
    fn send(&mut self, kind: &'static str, account: usize, path: &str, body: &Value) -> String {
        let answer = self.desk.post(account, path, body);
        let code = answer["code"].as_str().unwrap_or_else(|| panic!("{path} {body}: {answer}"));
        if code == "00000" {
            *self.done.entry(kind).or_default() += 1;
        } else {
            self.refused.insert(format!("{kind} {code}"));
        }
        format!("{kind} of {account}: {body}: {answer}")
    }

    /// Does a random operation, and says what it was.
    pub(super) fn act(&mut self) -> String {
        self.funding.clear();
        let account = self.chance.place(2 * USERS.len());
        let (unified, pair) = (account % 2 == 1, self.any_pair(account));
        let (Pair(line, symbol, ..), hedged) = (&PAIRS[pair], self.hedged[account]);
        let (line, symbol) = (line.as_str(), *symbol);
        match self.chance.below(100) {
            0..34 => {
                let order = Value::Object(self.order(account, pair, false));
                let path = if unified { "/api/v3/trade/place-order" } else { "/api/v2/mix/order/place-order" };
                self.send("place", account, path, &order)
            }
            34..42 => {
                let count = 1 + self.chance.place(4);
                let mut items: Vec<_> = (0..count).map(|_| self.order(account, pair, true)).collect();
                if unified {
                    items.iter_mut().for_each(|item| _ = item.insert("category".to_owned(), line.into()));
                    let items = Value::Array(items.into_iter().map(Value::Object).collect());
                    return self.send("place many", account, "/api/v3/trade/place-batch", &items);
                }
                let mode = self.chance.one(&["crossed", "isolated"]);
                let body = json!({"symbol": symbol, "productType": line, "marginCoin": PAIRS[pair].settle(),
                    "marginMode": mode, "orderList": items});
                self.send("place many", account, "/api/v2/mix/order/batch-place-order", &body)
            }
            42..60 => self.change_open(account),
            60..64 => {
                let side = if self.chance.is(50) { "buy" } else { "sell" };
                if unified {
                    let body = json!({"category": line, "symbol": symbol});
                    return self.send("close", account, "/api/v3/trade/close-positions", &body);
                }
                let mut body =
                    json!({"symbol": symbol, "productType": line, "marginCoin": PAIRS[pair].settle(), "side": side});
                if hedged {
                    body["tradeSide"] = "open".into();
                }
                if self.chance.is(50) {
                    body["size"] = self.qty(pair).into();
                }
                self.send("reverse", account, "/api/v2/mix/order/click-backhand", &body)
            }
            64..68 if !unified => {
                let body = json!({"symbol": symbol, "productType": line});
                self.send("close", account, "/api/v2/mix/order/close-positions", &body)
            }
            64..70 => {
                if unified {
                    return self.send(
                        "cancel all",
                        account,
                        "/api/v3/trade/cancel-symbol-order",
                        &json!({"category": line}),
                    );
                }
                let path = "/api/v2/mix/order/cancel-all-orders";
                self.send("cancel all", account, path, &json!({"productType": line}))
            }
            70..82 => self.move_market(),
            82..88 => {
                let pair = self.chance.place(PAIRS.len());
                let Pair(line, symbol, ..) = &PAIRS[pair];
                let side = self.chance.one(&[Side::Buy, Side::Sell]);
                let (price, qty) = (self.price(pair, 300), self.qty(pair));
                self.desk
                    .exchange
                    .place_for_others(*line, symbol, side, Some(exact(&price).into()), exact(&qty))
                    .unwrap();
                format!("other in {symbol} {side} {qty} at {price}")
            }
            88..92 => self.wait(),
            92..98 => {
                let leverage = self.chance.one(&["1", "2", "5", "10", "10", "20", "50", "100"]);
                if unified {
                    let body = json!({"category": line, "symbol": symbol, "leverage": leverage});
                    return self.send("leverage", account, "/api/v3/account/set-leverage", &body);
                }
                let body = json!({"productType": line, "symbol": symbol, "marginCoin": PAIRS[pair].settle(), "leverage": leverage});
                self.send("leverage", account, "/api/v2/mix/account/set-leverage", &body)
            }
            _ => {
                let hedged = self.chance.is(50);
                let mode = if hedged { "hedge_mode" } else { "one_way_mode" };
                let before = self.done.get("mode").copied();
                let told = if unified {
                    self.send("mode", account, "/api/v3/account/set-hold-mode", &json!({"holdMode": mode}))
                } else {
                    let body = json!({"productType": line, "posMode": mode});
                    self.send("mode", account, "/api/v2/mix/account/set-position-mode", &body)
                };
                if self.done.get("mode").copied() != before {
                    self.hedged[account] = hedged;
                }
                told
            }
        }
    }

    /// Cancels or amends one or several open orders of an account.
    fn change_open(&mut self, account: usize) -> String {
        let orders = &self.seen[account].view.open_orders;
        let Some(symbol) = orders.get(self.chance.place(orders.len().max(1))).map(|order| order.symbol.clone()) else {
            return String::new();
        };
        let same = orders.iter().filter(|order| order.symbol == symbol && order.client_id.is_some());
        let clients: Vec<String> = same.filter_map(|order| order.client_id.clone()).take(4).collect();
        let Some(first) = clients.first().cloned() else { return String::new() };
        let traded = |pair: &&usize| PAIRS[**pair].1 == symbol && PAIRS[**pair].6[account % 2];
        let pairs: Vec<usize> = (0..PAIRS.len()).collect();
        // Spot and futures share symbols; then one of them is the wrong one, and is refused.
        let pairs: Vec<usize> = pairs.iter().filter(traded).copied().collect();
        let pair = self.chance.one(&pairs);
        let (line, unified) = (PAIRS[pair].0.as_str(), account % 2 == 1);
        let (price, qty) = (self.price(pair, 150), self.qty(pair));
        self.clients += 1;
        let fresh = format!("a{}", self.clients);
        match (self.chance.below(5), unified) {
            (0 | 1, true) => {
                let mut body = json!({"clientOid": first, "price": price, "qty": qty});
                if self.chance.is(40) {
                    body.as_object_mut().unwrap().remove("price");
                }
                if self.chance.is(20) {
                    body["autoCancel"] = "yes".into();
                }
                if self.chance.is(20) {
                    body["takeProfit"] = self.near(pair, true).into();
                }
                self.send("amend", account, "/api/v3/trade/modify-order", &body)
            }
            (2, true) => {
                let item = |client: &String| json!({"clientOid": client, "price": price, "qty": qty, "symbol": symbol, "category": line});
                let items = Value::Array(clients.iter().map(item).collect());
                self.send("amend many", account, "/api/v3/trade/batch-modify-order", &items)
            }
            (3, true) => {
                let item = |client: &String| json!({"clientOid": client, "symbol": symbol, "category": line});
                let items = Value::Array(clients.iter().map(item).collect());
                self.send("cancel many", account, "/api/v3/trade/cancel-batch", &items)
            }
            (_, true) => self.send("cancel", account, "/api/v3/trade/cancel-order", &json!({"clientOid": first})),
            (0 | 1, false) => {
                let mut body = json!({"symbol": symbol, "productType": line, "clientOid": first, "newClientOid": fresh,
                    "newSize": qty, "newPrice": price});
                if self.chance.is(30) {
                    for name in ["newSize", "newPrice"] {
                        body.as_object_mut().unwrap().remove(name);
                    }
                    body["newPresetStopLossPrice"] = self.near(pair, false).into();
                }
                self.is_replacing = true;
                self.send("amend", account, "/api/v2/mix/order/modify-order", &body)
            }
            (2 | 3, false) => {
                let list: Vec<_> = clients.iter().map(|client| json!({"clientOid": client})).collect();
                let body = json!({"symbol": symbol, "productType": line, "orderIdList": list});
                self.send("cancel many", account, "/api/v2/mix/order/batch-cancel-orders", &body)
            }
            (_, false) => {
                let body = json!({"symbol": symbol, "productType": line, "clientOid": first});
                self.send("cancel", account, "/api/v2/mix/order/cancel-order", &body)
            }
        }
    }

    fn move_market(&mut self) -> String {
        let pair = self.chance.place(PAIRS.len());
        let Pair(line, symbol, _, _, [tick, _], [usual, _], _) = &PAIRS[pair];
        let width = if self.chance.is(12) { self.marks[pair] / 12 } else { self.marks[pair] / 200 };
        let price = (self.marks[pair] + self.chance.number(2 * width) - width).clamp(usual / 2, usual * 2);
        self.marks[pair] = price;
        let text = (&Num::from(price) * &of(tick)).to_string();
        self.desk.exchange.set_price((*line, *symbol), exact(&text)).unwrap();
        format!("price of {symbol} in {line} {text}")
    }

    /// Lets time pass. Funding is due at most once, and is paid by the positions that there are now.
    fn wait(&mut self) -> String {
        let mut millis = if self.chance.is(30) { self.chance.below(HOURS_8) } else { self.chance.below(60_000) };
        if std::mem::take(&mut self.is_replacing) {
            // It may trade, and funding is paid by what there is then.
            millis = 50;
        }
        let begun = self.desk.exchange.time().now().as_millis();
        if (begun + millis) / HOURS_8 > begun / HOURS_8 {
            for account in 0..self.seen.len() {
                for position in &self.seen[account].view.positions {
                    let pair = pair_of(position.line, &position.symbol);
                    let mark = &Num::from(self.marks[pair]) * &of(PAIRS[pair].4[0]);
                    let worth = PAIRS[pair].worth(&mark, &of(&position.qty.to_string()));
                    let paid = (&worth * &of("0.0001")).rounded();
                    let received = if position.side == Side::Buy { -paid } else { paid };
                    *self.funding.entry((account, PAIRS[pair].settle())).or_default() += received;
                }
            }
        }
        self.desk.exchange.time().advance(Duration::from_millis(millis));
        self.desk.exchange.advance_to(self.desk.exchange.time().now());
        format!("wait {millis}")
    }
}
