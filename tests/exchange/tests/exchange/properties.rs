//! Properties after random requests: the book never crosses, and balances, positions and ledgers follow from the fills.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use rust_decimal::Decimal;
use tradeapi::classic::{self, TradeSide};
use tradeapi::runtime::ledger::{Ledger, PositionKey, PositionSide};
use tradeapi::runtime::value::days;
use tradeapi::unified::{self, Category};
use tradeapi::{Account, PositionMode};
use tradeapi_exchange::{AccountView, Exchange, Family, Line, Mode, Profile, Seed};

use crate::fixture::Fixture;

/// An action of a user.
#[derive(Clone, Debug)]
enum Action {
    Place { user: usize, buys: bool, closes: bool, lots: u32, offset: i32, force: usize, stp: usize },
    Cancel { user: usize, index: usize },
    Amend { user: usize, index: usize, lots: u32, offset: i32 },
    Spot { user: usize, buys: bool, lots: u32, offset: i32 },
    Coin { user: usize, buys: bool, closes: bool, lots: u32, offset: i32 },
    Reverse { user: usize, buys: bool },
    CloseAll { user: usize },
    Wait { millis: u64 },
    Move { offset: i32 },
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let user = 0..2_usize;
    let act = prop_oneof![
        8 => (user.clone(), any::<[bool; 2]>(), 1..60_u32, -30..30_i32, 0..5_usize, 0..4_usize)
            .prop_map(|(user, [buys, closes], lots, offset, force, stp)| Action::Place { user, buys, closes, lots, offset, force, stp }),
        2 => (user.clone(), 0..9_usize).prop_map(|(user, index)| Action::Cancel { user, index }),
        2 => (user.clone(), 0..9_usize, 1..60_u32, -30..30_i32)
            .prop_map(|(user, index, lots, offset)| Action::Amend { user, index, lots, offset }),
        2 => (user.clone(), any::<bool>(), 1..900_u32, -30..30_i32)
            .prop_map(|(user, buys, lots, offset)| Action::Spot { user, buys, lots, offset }),
        3 => (user.clone(), any::<[bool; 2]>(), 1..60_u32, -900..900_i32)
            .prop_map(|(user, [buys, closes], lots, offset)| Action::Coin { user, buys, closes, lots, offset }),
        1 => (user.clone(), any::<bool>()).prop_map(|(user, buys)| Action::Reverse { user, buys }),
        1 => user.prop_map(|user| Action::CloseAll { user }),
        2 => (1..2_000_u64).prop_map(|millis| Action::Wait { millis }),
        1 => (-60..60_i32).prop_map(|offset| Action::Move { offset }),
    ];
    proptest::collection::vec(act, 1..60)
}

fn price(offset: i32) -> tradeapi::Decimal {
    (64_000 + i64::from(offset)).into()
}

fn qty(lots: u32, scale: u32) -> tradeapi::Decimal {
    Decimal::new(lots.into(), scale).into()
}

/// Carries out an action, which may be refused.
async fn act(desks: &[Fixture; 2], act: &Action, family: Family) {
    match *act {
        Action::Place { user, buys, closes, lots, offset, force, stp } => {
            let client = &desks[user].client;
            let market = force == 4;
            if family == Family::Unified {
                use unified::{Execution, Side, StpMode, TimeInForce};
                let forces = [TimeInForce::Gtc, TimeInForce::Ioc, TimeInForce::Fok, TimeInForce::PostOnly];
                let execution = match forces.get(force) {
                    Some(force) if !market => Execution::limit(price(offset)).time_in_force(force.clone()).into(),
                    _ => Execution::Market,
                };
                let side = if buys { Side::Buy } else { Side::Sell };
                let order = unified::PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", qty(lots, 3), side, execution)
                    .reduce_only(closes)
                    .stp_mode(StpMode::ALL[stp].clone());
                let _ = client.unified().place_order(&order).await;
            } else {
                use classic::{Execution, Force, MarginMode, ProductType, Side, StpMode};
                let forces = [Force::Gtc, Force::Ioc, Force::Fok, Force::PostOnly];
                let execution = match forces.get(force) {
                    Some(force) if !market => Execution::limit(price(offset), force.clone()).into(),
                    _ => Execution::Market,
                };
                let (line, mode) = (ProductType::UsdtFutures, MarginMode::Crossed);
                let side = if buys { Side::Buy } else { Side::Sell };
                let order = classic::PlaceOrder::new("BTCUSDT", line, mode, "USDT", qty(lots, 3), side, execution)
                    .trade_side(if closes { TradeSide::Close } else { TradeSide::Open })
                    .stp_mode(StpMode::ALL[stp].clone());
                let _ = client.classic().place_order(&order).await;
            }
        }
        Action::Cancel { user, index } => {
            if let Some(id) = open_id(&desks[user], family, index) {
                let order = unified::OrderRef::OrderId(id.as_str().into());
                let _ = desks[user].client.unified().cancel_order(&unified::CancelOrder::new(order)).await;
                let order = classic::OrderRef::OrderId(id.into());
                let cancel = classic::CancelOrder::new("BTCUSDT", classic::ProductType::UsdtFutures, order);
                let _ = desks[user].client.classic().cancel_order(&cancel).await;
            }
        }
        Action::Amend { user, index, lots, offset } => {
            if let Some(id) = open_id(&desks[user], family, index) {
                let order = unified::OrderRef::OrderId(id.into());
                let amend = unified::ModifyOrder::new(order).qty(qty(lots, 3)).price(price(offset));
                let _ = desks[user].client.unified().modify_order(&amend).await;
            }
        }
        Action::Spot { user, buys, lots, offset } => {
            let side = if buys { unified::Side::Buy } else { unified::Side::Sell };
            let execution = unified::Execution::limit(price(offset));
            let order = unified::PlaceOrder::new(Category::Spot, "BTCUSDT", qty(lots, 4), side, execution);
            let _ = desks[user].client.unified().place_order(&order).await;
        }
        Action::Coin { user, buys, closes, lots, offset } => {
            use classic::{Execution, Force, MarginMode, ProductType, Side};
            let (line, mode) = (ProductType::CoinFutures, MarginMode::Crossed);
            let side = if buys { Side::Buy } else { Side::Sell };
            let execution = Execution::limit(price(offset), Force::Gtc);
            let order = classic::PlaceOrder::new("BTCUSD", line, mode, "BTC", qty(lots, 3), side, execution)
                .trade_side(if closes { TradeSide::Close } else { TradeSide::Open });
            let _ = desks[user].client.classic().place_order(&order).await;
        }
        Action::Reverse { user, buys } => {
            let side = if buys { classic::Side::Buy } else { classic::Side::Sell };
            let reversal = classic::Reversal::new("BTCUSDT", "USDT", classic::ProductType::UsdtFutures, side)
                .trade_side(TradeSide::Open);
            let _ = desks[user].client.classic().reversal(&reversal).await;
        }
        Action::CloseAll { user } => {
            for line in [classic::ProductType::UsdtFutures, classic::ProductType::CoinFutures] {
                let close = classic::FlashClosePosition::new(line);
                let _ = desks[user].client.classic().flash_close_position(&close).await;
            }
        }
        Action::Wait { millis } => desks[0].exchange.time().advance(Duration::from_millis(millis)),
        Action::Move { offset } => {
            for symbol in ["BTCUSDT", "BTCUSD"] {
                desks[0].exchange.set_price(symbol, price(offset * 10)).unwrap();
            }
        }
    }
}

fn account(fixture: &Fixture, family: Family) -> AccountView {
    fixture.exchange.account(&fixture.keys, family)
}

fn open_id(fixture: &Fixture, family: Family, index: usize) -> Option<String> {
    let open = account(fixture, family).open_orders;
    open.get(index % open.len().max(1)).map(|order| order.id.clone())
}

fn book_does_not_cross(exchange: &Exchange) -> Result<(), TestCaseError> {
    for line in [Line::UsdtFutures, Line::Spot] {
        let book = exchange.book(line, "BTCUSDT");
        if let (Some(bid), Some(ask)) = (book.bids.first(), book.asks.first()) {
            prop_assert!(bid.0 < ask.0, "{line}: {bid:?} and {ask:?}");
        }
    }
    Ok(())
}

/// Returns all fills of the classic account, the oldest first.
async fn classic_fills(fixture: &Fixture) -> Vec<classic::Fill> {
    let mut request = classic::GetOrderFillDetails::new(classic::ProductType::UsdtFutures);
    let mut fills = Vec::new();
    loop {
        let page = fixture.client.classic().get_order_fill_details(&request).await.unwrap().data;
        let is_last = page.fill_list.len() < 100;
        fills.extend(page.fill_list);
        match page.end_id {
            Some(end) if !is_last => request = request.id_less_than(end),
            _ => break,
        }
    }
    fills.reverse();
    fills
}

fn exact(number: Option<&tradeapi::Decimal>) -> Decimal {
    number.unwrap().to_rust_decimal().unwrap()
}

/// Checks that the balance and positions of the classic account follow from its fills.
async fn classic_account_follows_from_fills(fixture: &Fixture) -> Result<(), TestCaseError> {
    let (mut balance, mut sizes) = (Decimal::from(100_000), BTreeMap::<String, Decimal>::new());
    // The cash flow of the fills, which equals the profit when nothing is open.
    let mut flow = Decimal::ZERO;
    for fill in classic_fills(fixture).await {
        let fee = exact(fill.fee_detail[0].total_fee.as_ref());
        balance += exact(fill.profit.as_ref()) + fee;
        let (size, value) = (exact(fill.base_volume.as_ref()), exact(fill.quote_volume.as_ref()));
        let (buys, side) = (fill.side == Some(classic::Side::Buy), fill.trade_side.unwrap());
        let (position, opens) = match side.as_str() {
            "open" => (if buys { "long" } else { "short" }, true),
            "close" => (if buys { "long" } else { "short" }, false),
            _ => ("net", buys),
        };
        *sizes.entry(position.to_owned()).or_default() += if opens { size } else { -size };
        let is_bought = if position == "net" { buys } else { opens == (position == "long") };
        flow += if is_bought { -value } else { value };
    }
    let view = account(fixture, Family::Classic);
    prop_assert_eq!(view.balances["USDT"].total, balance);
    let signed = |p: &tradeapi_exchange::PositionView| {
        let sign = if p.pos.as_str() == "net" && p.side.as_str() == "sell" { -p.qty } else { p.qty };
        (p.pos.as_str().to_owned(), sign)
    };
    let positions = view.positions.iter().filter(|position| position.line == Line::UsdtFutures);
    let shown: BTreeMap<String, Decimal> = positions.map(signed).collect();
    sizes.retain(|_, size| !size.is_zero());
    prop_assert_eq!(&shown, &sizes);
    if shown.is_empty() {
        let fills = classic_fills(fixture).await;
        let profit: Decimal = fills.iter().map(|fill| exact(fill.profit.as_ref())).sum();
        prop_assert_eq!(profit, flow, "received less paid");
    }
    Ok(())
}

/// Checks that the positions of the unified account add up to the bought less the sold quantity.
async fn unified_position_follows_from_fills(fixture: &Fixture) -> Result<(), TestCaseError> {
    let mut request = unified::GetFillHistory::new().category(Category::UsdtFutures);
    let mut bought = Decimal::ZERO;
    loop {
        let page = fixture.client.unified().get_fill_history(&request).await.unwrap().data;
        for fill in &page.list {
            let qty = exact(fill.exec_qty.as_ref());
            bought += if fill.side == Some(unified::Side::Buy) { qty } else { -qty };
        }
        let Some(cursor) = page.cursor else { break };
        request = request.cursor(cursor);
    }
    let positions = account(fixture, Family::Unified).positions;
    let held: Decimal = positions.iter().map(|p| if p.side.as_str() == "buy" { p.qty } else { -p.qty }).sum();
    prop_assert_eq!(held, bought);
    Ok(())
}

fn figure(number: &tradeapi::Decimal) -> Decimal {
    number.to_rust_decimal().unwrap()
}

/// Checks a ledger against the sizes of positions, the reported profits and the change of the balance.
async fn ledger_follows_from_fills(fixture: &Fixture, mode: Mode) -> Result<(), TestCaseError> {
    let (mut ledger, since) = (Ledger::new(), fixture.exchange.time().now() - days(1));
    let stated = match mode {
        Mode::OneWay => Account::new().position_mode(PositionMode::OneWayMode),
        Mode::Hedge => Account::new(),
    };
    let client = fixture.client.with_account(stated);
    for (family, name) in [(Family::Classic, "classic"), (Family::Unified, "unified")] {
        let count = client.update_ledger(&mut ledger, name, since).await;
        let count = count.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(client.update_ledger(&mut ledger, name, since).await.unwrap(), 0, "read twice");
        prop_assert!(count <= ledger.len());
        // Spot trades are no positions.
        let is_net = mode == Mode::OneWay;
        let mut shown = BTreeMap::<PositionKey, Decimal>::new();
        for position in account(fixture, family).positions {
            let side = match position.side.as_str() {
                _ if is_net => PositionSide::Net,
                "buy" => PositionSide::Long,
                _ => PositionSide::Short,
            };
            let key = PositionKey::new(name, position.line.as_str(), position.symbol.as_str(), side);
            *shown.entry(key).or_default() +=
                if position.side.as_str() == "buy" { position.qty } else { -position.qty };
        }
        let open = ledger.positions().iter().filter(|(key, position)| {
            key.family == name && key.line != "SPOT" && position.size().is_none_or(|size| !size.is_zero())
        });
        shown.retain(|_, size| !size.is_zero());
        prop_assert_eq!(
            open.map(|(key, position)| (key.clone(), figure(&position.size().unwrap()))).collect::<BTreeMap<_, _>>(),
            shown
        );
    }
    let differences: Vec<_> = ledger.differences().collect();
    prop_assert!(differences.is_empty(), "{:?}", differences);
    // A contract that is settled in coin has its profit and its fees there.
    for (line, coin, begun) in [("USDT-FUTURES", "USDT", 100_000), ("COIN-FUTURES", "BTC", 2)] {
        let of_line = || ledger.positions().iter().filter(|(key, _)| key.family == "classic" && key.line == line);
        let realised: Decimal = of_line().map(|(_, position)| figure(&position.realised().unwrap())).sum();
        let fees: Decimal = of_line().filter_map(|(_, position)| position.fees().get(coin).map(figure)).sum();
        let total = account(fixture, Family::Classic).balances[coin].total;
        prop_assert_eq!(total, Decimal::from(begun) + realised + fees, "{}", line);
    }
    // Spot trades move balances themselves.
    let of_unified = || ledger.positions().iter().filter(|(key, _)| key.family == "unified");
    if mode == Mode::OneWay && of_unified().all(|(key, _)| key.line == "USDT-FUTURES") {
        let realised: Decimal = of_unified().map(|(_, position)| figure(&position.realised().unwrap())).sum();
        let fees: Decimal = of_unified().filter_map(|(_, position)| position.fees().get("USDT").map(figure)).sum();
        let total = account(fixture, Family::Unified).balances["USDT"].total;
        prop_assert_eq!(total, Decimal::from(100_000) + realised + fees, "unified");
    }
    Ok(())
}

/// Checks that reserved funds are those of the open orders, and zero without any.
fn nothing_is_held_back_for_nothing(fixture: &Fixture, family: Family) -> Result<(), TestCaseError> {
    let view = account(fixture, family);
    for (coin, balance) in &view.balances {
        prop_assert!(balance.frozen >= Decimal::ZERO, "{coin}: {balance:?}");
        if view.open_orders.is_empty() {
            prop_assert!(balance.frozen.is_zero(), "{coin}: {balance:?}");
        }
        if view.open_orders.is_empty() && view.positions.is_empty() {
            prop_assert_eq!(balance.available, balance.total, "{}", coin);
        }
    }
    Ok(())
}

fn history(actions: &[Action], mode: Mode, lively: bool, family: Family) -> Result<(), TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let profile = || Profile::new().both().mode(mode);
        let first = Fixture::with(|settings| (settings.seed, settings.lively) = (Seed(5), lively), profile());
        let second = first.another(profile());
        let desks = [first, second];
        for one in actions {
            act(&desks, one, family).await;
            book_does_not_cross(&desks[0].exchange)?;
        }
        for fixture in &desks {
            classic_account_follows_from_fills(fixture).await?;
            unified_position_follows_from_fills(fixture).await?;
            ledger_follows_from_fills(fixture, mode).await?;
            nothing_is_held_back_for_nothing(fixture, Family::Classic)?;
            nothing_is_held_back_for_nothing(fixture, Family::Unified)?;
            for line in [classic::ProductType::UsdtFutures, classic::ProductType::CoinFutures] {
                let all = classic::CancelAllOrders::new(line);
                fixture.client.classic().cancel_all_orders(&all).await.unwrap().done().unwrap();
            }
            for category in [Category::UsdtFutures, Category::Spot] {
                let all = unified::CancelAllOrders::new(category);
                fixture.client.unified().cancel_all_orders(&all).await.unwrap().done().unwrap();
            }
            nothing_is_held_back_for_nothing(fixture, Family::Classic)?;
            nothing_is_held_back_for_nothing(fixture, Family::Unified)?;
            prop_assert!(fixture.unified().open_orders.is_empty() && fixture.classic().open_orders.is_empty());
        }
        Ok(())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn accounts_follow_from_fills(actions in actions(), hedge: bool, lively: bool, is_classic: bool) {
        let mode = if hedge { Mode::Hedge } else { Mode::OneWay };
        let family = if is_classic { Family::Classic } else { Family::Unified };
        history(&actions, mode, lively, family)?;
    }
}
