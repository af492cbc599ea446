//! The comparison of both sides after an operation.

use std::collections::BTreeSet;

use serde_json::Value;
use tradeapi_exchange::{Family, Side};

use crate::number::Num;
use crate::world::{End, Fill, Kind};
use crate::{Run, near};

impl Run {
    /// Reads both markets until all quotes are renewed, as they are for whoever reads a market. Renewed quotes may fill
    /// orders, and a liquidation after that takes quotes again.
    fn renew_quotes(&mut self) {
        loop {
            for pair in 0..self.world.pairs.len() {
                let (line, symbol) = (self.line(pair), self.symbol(pair));
                let target = if self.world.pairs[pair].kind == Kind::Inverse {
                    format!("/api/v2/mix/market/merge-depth?productType={line}&symbol={symbol}")
                } else {
                    format!("/api/v3/market/orderbook?category={line}&symbol={symbol}")
                };
                let answer = self.desk.get(0, &target);
                assert_eq!(answer["code"], "00000", "{target}: {answer}");
                self.world.read_market(pair);
            }
            if !self.world.has_taken_quotes() {
                return;
            }
        }
    }

    pub(super) fn compare(&mut self, told: &str) {
        self.renew_quotes();
        for pair in 0..self.world.pairs.len() {
            let book = self.desk.exchange.book(self.line_of(pair), self.symbol(pair));
            for (buys, levels) in [(true, book.bids), (false, book.asks)] {
                let levels: Vec<_> =
                    levels.iter().map(|(price, qty)| (price.to_string(), qty.to_string())).map(near).collect();
                let expected = self.world.levels(pair, buys).into_iter();
                let expected: Vec<_> =
                    expected.map(|(price, qty)| (self.price(pair, price), self.qty(pair, qty))).map(near).collect();
                assert_eq!(levels, expected, "book: {told}");
            }
        }
        for (account, pair, client) in std::mem::take(&mut self.last) {
            self.compare_order(account, pair, client, told);
        }
        self.turn = (self.turn + 1) % self.world.accounts.len();
        for account in 0..self.world.accounts.len() {
            self.compare_account(account, told);
            self.compare_fills(account, told);
        }
        self.world.ended.clear();
        for (coin, amount) in self.desk.exchange.insurance() {
            let expected = self.world.insurance.get(coin.as_str()).cloned().unwrap_or_default();
            assert!(
                Num::read(&amount.to_string()).is_near(&expected),
                "insurance of {coin} {amount} {expected:?}: {told}"
            );
        }
    }

    fn compare_order(&self, account: usize, pair: usize, client: u64, told: &str) {
        let unified = account % 2 == 1;
        let target = if unified {
            format!("/api/v3/trade/order-info?clientOid=m{client}")
        } else {
            let (symbol, line) = (self.symbol(pair), self.line(pair));
            format!("/api/v2/mix/order/detail?symbol={symbol}&productType={line}&clientOid=m{client}")
        };
        let answer = self.desk.get(account, &target);
        let record = &answer["data"];
        let open = self.world.order(client).map(|order| (End::Open, order));
        let known = open.or_else(|| self.world.ended.get(&client).map(|(end, order)| (*end, order)));
        let (end, order) = known.unwrap_or_else(|| panic!("{told}: {answer}"));
        let state = record[if unified { "orderStatus" } else { "state" }]
            .as_str()
            .unwrap_or_else(|| panic!("{told}: {answer}"));
        let (filled, value, fee) = order.shown();
        let expected = match end {
            End::Open if order.filled > 0 => "partially_filled",
            End::Open => "live",
            End::Filled => "filled",
            End::Cancelled if unified => "cancelled",
            End::Cancelled => "canceled",
        };
        assert_eq!(state, expected, "{told}: {answer}");
        let shown = |name: &str| Num::read(record[name].as_str().unwrap_or("0"));
        let (names, paid) = if unified {
            (
                ["cumExecQty", "cumExecValue"],
                Num::read(record["feeDetail"][0]["fee"].as_str().filter(|fee| !fee.is_empty()).unwrap_or("0")),
            )
        } else {
            (["baseVolume", "quoteVolume"], -shown("fee"))
        };
        let is_near = shown(names[0]).is_near(&filled) && shown(names[1]).is_near(&value) && paid.is_near(&fee);
        assert!(is_near, "{filled} {value} {fee}: {told}: {answer}");
    }

    fn compare_account(&self, account: usize, told: &str) {
        let family = if account % 2 == 1 { Family::Unified } else { Family::Classic };
        let view = self.desk.exchange.account(&self.desk.keys[account / 2], family);
        let about = |what: &str| format!("{what} of {account}: {told}");
        for (coin, total) in &self.world.accounts[account].total {
            let balance = view.balances[*coin];
            for (what, shown, expected) in [
                ("total", balance.total, total.clone()),
                ("frozen", balance.frozen, self.world.frozen(account, coin)),
                ("available", balance.available, self.world.available(account, coin)),
            ] {
                let shown = Num::read(&shown.to_string());
                assert!(shown.is_near(&expected), "{coin} {} {shown:?} {expected:?}", about(what));
            }
        }
        let orders: Vec<_> = view
            .open_orders
            .iter()
            .map(|order| {
                let [price, qty, filled] = [order.price.unwrap_or_default(), order.qty, order.filled]
                    .map(|number| Num::read(&number.to_string()));
                (order.client_id.clone(), order.side == Side::Buy, price, qty, filled)
            })
            .collect();
        let own = self.world.open.iter().filter(|order| order.wish.account == account);
        let mut expected: Vec<_> = own
            .map(|order| {
                let (pair, wish) = (order.wish.pair, &order.wish);
                let [price, qty, filled] =
                    [self.price(pair, wish.price), self.qty(pair, wish.qty), self.qty(pair, order.filled)]
                        .map(|text| Num::read(&text));
                (wish.client.map(|client| format!("m{client}")), wish.buys, price, qty, filled)
            })
            .collect();
        expected.sort_by_key(|order| order.0.as_ref().map(|client| client[1..].parse::<u64>().unwrap()));
        assert_eq!(orders, expected, "{}", about("orders"));
        assert_eq!(view.positions.len(), self.world.accounts[account].positions.len(), "{}", about("positions"));
        let is_due = account == self.turn || !self.world.accounts[account].fills.is_empty();
        if is_due && !view.positions.is_empty() {
            self.compare_positions(account, told);
        }
    }

    fn compare_positions(&self, account: usize, told: &str) {
        let (unified, of) = (account % 2 == 1, &self.world.accounts[account]);
        let mut all = Vec::new();
        let lines: BTreeSet<&str> = of.positions.keys().map(|key| self.line(key.0)).collect();
        for line in lines {
            let target = if unified {
                format!("/api/v3/position/current-position?category={line}")
            } else {
                format!("/api/v2/mix/position/all-position?productType={line}")
            };
            let answer = self.desk.get(account, &target);
            let list = if unified { &answer["data"]["list"] } else { &answer["data"] };
            all.extend(list.as_array().into_iter().flatten().cloned());
        }
        let (list, answer) = (&all, &all);
        assert_eq!(list.len(), of.positions.len(), "positions of {account}: {told}: {answer:?}");
        for (key, position) in &of.positions {
            let pair = &self.world.pairs[key.0];
            let side = if position.buys { "long" } else { "short" };
            let is_it = |shown: &&Value| {
                shown["symbol"] == pair.symbol && shown[if unified { "posSide" } else { "holdSide" }] == side
            };
            let shown = list.iter().find(is_it).unwrap_or_else(|| panic!("{key:?} of {account}: {told}: {answer:?}"));
            // A quantity is shown in the base coin, at the mark price.
            let qty = pair.base_qty(pair.marked(), position.qty);
            let occupied = pair.base_qty(pair.marked(), self.world.occupied(account, *key).min(position.qty));
            let liquidation = self.world.liquidation_price(account, *key).unwrap_or_default();
            let mut expected = vec![
                (["available", "available"], qty.clone() - occupied.clone()),
                (["frozen", "locked"], occupied),
                (["total", "total"], qty.clone()),
                (["avgPrice", "openPriceAvg"], pair.entry_price(position)),
                (["positionBalance", "marginSize"], position.margin.clone()),
                (["unrealisedPnl", "unrealizedPL"], pair.profit(position)),
                (["curRealisedPnl", "achievedProfits"], position.realised.clone()),
                (["leverage", "leverage"], self.world.leverage(account, key.0).into()),
                (["markPrice", "markPrice"], pair.price(pair.marked())),
            ];
            if unified {
                expected.extend([
                    (["openFeeTotal", ""], -position.open_fee.clone()),
                    (["closeFeeTotal", ""], -position.close_fee.clone()),
                    (["totalFunding", ""], position.funding.clone()),
                ]);
            }
            let read = |name: &str| Num::read(shown[name].as_str().unwrap_or_else(|| panic!("{name}: {answer:?}")));
            for (names, expected) in expected {
                let name = names[usize::from(!unified)];
                // A price of entry is a quotient of an amount that is one, and as exact as that.
                let most = if pair.kind == Kind::ByQuote && names[0] == "avgPrice" { "0.05" } else { "0.000000001" };
                assert!(
                    read(name).is_within(&expected, most),
                    "{name} of {key:?} of {account}: {expected:?}: {told}: {shown}"
                );
            }
            let off = read("liquidationPrice") - liquidation.clone();
            // Of a position that hardly anything can liquidate, it is a quotient by almost nothing.
            let most = pair.tick.clone().max(liquidation.over(&Num::from(10_000_000)));
            let is_off = off > most || -off > most;
            assert!(!is_off, "liquidation price of {key:?} of {account}: {liquidation:?}: {told}: {shown}");
            let mode = if position.isolated { "isolated" } else { "crossed" };
            assert_eq!(shown["marginMode"], mode, "{key:?} of {account}: {told}");
        }
    }

    fn compare_fills(&mut self, account: usize, told: &str) {
        let all = std::mem::take(&mut self.world.accounts[account].fills);
        for line in ["SPOT", "USDT-FUTURES", "COIN-FUTURES"] {
            let of_line: Vec<_> = all.iter().filter(|fill| self.line(fill.pair) == line).collect();
            if !of_line.is_empty() {
                self.compare_fills_of(account, line, &of_line, told);
            }
        }
    }

    fn compare_fills_of(&self, account: usize, line: &str, expected: &[&Fill], told: &str) {
        let unified = account % 2 == 1;
        let target = if unified {
            format!("/api/v3/trade/fills?category={line}")
        } else {
            format!("/api/v2/mix/order/fills?productType={line}")
        };
        let answer = self.desk.get(account, &target);
        let list = &answer["data"][if unified { "list" } else { "fillList" }];
        let shown = list.as_array().unwrap().iter().take(expected.len().min(100)).rev();
        let expected = &expected[expected.len().saturating_sub(100)..];
        assert_eq!(shown.len(), expected.len(), "{told}: {answer}");
        for (shown, fill) in shown.zip(expected) {
            let read = |name: &str| Num::read(shown[name].as_str().unwrap_or_else(|| panic!("{name}: {shown}")));
            let [price, qty, fee, profit] = if unified {
                let fee = Num::read(shown["feeDetail"][0]["fee"].as_str().unwrap());
                [read("execPrice"), read("execQty"), fee, read("execPnl")]
            } else {
                let fee = Num::read(shown["feeDetail"][0]["totalFee"].as_str().unwrap());
                [read("price"), read("baseVolume"), fee, read("profit")]
            };
            assert!(profit.is_near(&fill.profit), "{fill:?}: {told}: {shown}");
            let pair = &self.world.pairs[fill.pair];
            assert_eq!(shown["symbol"], pair.symbol, "{fill:?}: {told}: {shown}");
            let qty_of = pair.base_qty(fill.price, fill.qty);
            let is_near = price == pair.price(fill.price) && qty.is_near(&qty_of) && (-fee).is_near(&fill.fee);
            assert!(is_near, "{qty_of}: {fill:?}: {told}: {shown}");
            let coin = shown["feeDetail"][0]["feeCoin"].as_str();
            assert_eq!(coin, Some(pair.fee_coin(fill.buys)), "{fill:?}: {told}: {shown}");
            let scope = if fill.is_taker { "taker" } else { "maker" };
            assert_eq!(shown["tradeScope"], scope, "{fill:?}: {told}: {shown}");
        }
    }
}
