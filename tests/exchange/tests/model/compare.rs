//! What both sides show after an operation.

use serde_json::Value;
use tradeapi_exchange::{Family, Line, Side};

use crate::number::Num;
use crate::{Run, near};

impl Run {
    /// Reads both markets until all quotes are renewed, as they are for whoever reads a market. Renewed quotes may fill
    /// orders, and a liquidation after that takes quotes again.
    fn renew_quotes(&mut self) {
        loop {
            for pair in 0..2 {
                let symbol = self.symbol(pair);
                self.desk.get(0, &format!("/api/v3/market/orderbook?category=USDT-FUTURES&symbol={symbol}"));
                self.world.read_market(pair);
            }
            if !self.world.has_taken_quotes() {
                return;
            }
        }
    }

    pub(super) fn compare(&mut self, told: &str) {
        self.renew_quotes();
        for pair in 0..2 {
            let book = self.desk.exchange.book(Line::UsdtFutures, self.symbol(pair));
            for (buys, levels) in [(true, book.bids), (false, book.asks)] {
                let levels: Vec<_> =
                    levels.iter().map(|(price, qty)| (price.to_string(), qty.to_string())).map(near).collect();
                let expected = self.world.levels(pair, buys).into_iter();
                let expected: Vec<_> =
                    expected.map(|(price, qty)| (self.price(pair, price), self.qty(pair, qty))).map(near).collect();
                assert_eq!(levels, expected, "book: {told}");
            }
        }
        if let Some((account, pair, client)) = self.last.take() {
            self.compare_order(account, pair, client, told);
        }
        for account in 0..self.world.accounts.len() {
            self.compare_account(account, told);
            self.compare_fills(account, told);
        }
        self.world.ended.clear();
    }

    fn compare_account(&self, account: usize, told: &str) {
        let family = if account % 2 == 1 { Family::Unified } else { Family::Classic };
        let view = self.desk.exchange.account(&self.desk.keys[account / 2], family);
        let about = |what: &str| format!("{what} of {account}: {told}");
        let balance = view.balances["USDT"];
        for (what, shown, expected) in [
            ("total", balance.total, self.world.accounts[account].total.clone()),
            ("frozen", balance.frozen, self.world.frozen(account)),
            ("available", balance.available, self.world.available(account)),
        ] {
            let shown = Num::read(&shown.to_string());
            assert!(shown.is_near(&expected), "{} {shown:?} {expected:?}", about(what));
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
        if !view.positions.is_empty() {
            self.compare_positions(account, told);
        }
    }

    fn compare_positions(&self, account: usize, told: &str) {
        let (unified, of) = (account % 2 == 1, &self.world.accounts[account]);
        let target = if unified {
            "/api/v3/position/current-position?category=USDT-FUTURES"
        } else {
            "/api/v2/mix/position/all-position?productType=USDT-FUTURES&marginCoin=USDT"
        };
        let answer = self.desk.get(account, target);
        let list = if unified { &answer["data"]["list"] } else { &answer["data"] };
        let list = list.as_array().unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(list.len(), of.positions.len(), "positions of {account}: {told}: {answer}");
        for (key, position) in &of.positions {
            let pair = &self.world.pairs[key.0];
            let side = if position.buys { "long" } else { "short" };
            let is_it = |shown: &&Value| {
                shown["symbol"] == pair.symbol && shown[if unified { "posSide" } else { "holdSide" }] == side
            };
            let shown = list.iter().find(is_it).unwrap_or_else(|| panic!("{key:?} of {account}: {told}: {answer}"));
            let qty = &Num::from(position.qty) * &pair.step;
            let occupied = &Num::from(self.world.occupied(account, *key).min(position.qty)) * &pair.step;
            let liquidation = self.world.liquidation_price(account, *key).unwrap_or_default();
            let mut expected = vec![
                (["available", "available"], qty.clone() - occupied.clone()),
                (["frozen", "locked"], occupied),
                (["total", "total"], qty.clone()),
                (["avgPrice", "openPriceAvg"], position.cost.over(&qty)),
                (["positionBalance", "marginSize"], position.margin.clone()),
                (["unrealisedPnl", "unrealizedPL"], pair.profit(position)),
                (["curRealisedPnl", "achievedProfits"], position.realised.clone()),
                (["leverage", "leverage"], self.world.leverage(account, key.0).into()),
                (["markPrice", "markPrice"], &Num::from(pair.marked()) * &pair.tick),
            ];
            if unified {
                expected.extend([
                    (["openFeeTotal", ""], -position.open_fee.clone()),
                    (["closeFeeTotal", ""], -position.close_fee.clone()),
                    (["totalFunding", ""], position.funding.clone()),
                ]);
            }
            let read = |name: &str| Num::read(shown[name].as_str().unwrap_or_else(|| panic!("{name}: {answer}")));
            for (names, expected) in expected {
                let name = names[usize::from(!unified)];
                assert!(read(name).is_near(&expected), "{name} of {key:?} of {account}: {expected:?}: {told}: {shown}");
            }
            let off = read("liquidationPrice") - liquidation.clone();
            let is_off = off > pair.tick || -off > pair.tick;
            assert!(!is_off, "liquidation price of {key:?} of {account}: {liquidation:?}: {told}: {shown}");
            let mode = if position.isolated { "isolated" } else { "crossed" };
            assert_eq!(shown["marginMode"], mode, "{key:?} of {account}: {told}");
        }
    }

    fn compare_fills(&mut self, account: usize, told: &str) {
        let expected = std::mem::take(&mut self.world.accounts[account].fills);
        if expected.is_empty() {
            return;
        }
        let unified = account % 2 == 1;
        let target = if unified {
            "/api/v3/trade/fills?category=USDT-FUTURES"
        } else {
            "/api/v2/mix/order/fills?productType=USDT-FUTURES"
        };
        let answer = self.desk.get(account, target);
        let list = &answer["data"][if unified { "list" } else { "fillList" }];
        let shown = list.as_array().unwrap().iter().take(expected.len().min(100)).rev();
        let expected = &expected[expected.len().saturating_sub(100)..];
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
            let pair = usize::from(shown["symbol"] == "ETHUSDT");
            let [price_of, qty_of] =
                [self.price(pair, fill.price), self.qty(pair, fill.qty)].map(|text| Num::read(&text));
            assert_eq!((price, qty, -fee), (price_of, qty_of, fill.fee.clone()), "{fill:?}: {told}: {shown}");
            // The document of the classic family shows takers only.
            let scope = if fill.is_taker { Some("taker") } else { unified.then_some("maker") };
            assert_eq!(shown["tradeScope"].as_str(), scope, "{fill:?}: {told}: {shown}");
        }
    }
}
