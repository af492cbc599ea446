//! A market that a test sets: books, orders of others, prices apart, balances, modes and permissions. Each action is done
//! as a whole or not at all, and replayed.

use tradeapi::unified::{GetAccountAssets, OrderStatus, Side as OrderSide};
use tradeapi::{Decimal, observed};
use tradeapi_exchange::{BookView, Exchange, Family, Line, Mode, Profile, Side};

use crate::control::{client, json, served};
use crate::fixture::{Fixture, code, limit, market, number};

const FUTURES: Line = Line::UsdtFutures;

fn exact(text: &str) -> rust_decimal::Decimal {
    text.parse().unwrap()
}

fn book(bids: &[(&str, &str)], asks: &[(&str, &str)]) -> Option<BookView> {
    let levels = |levels: &[(&str, &str)]| levels.iter().map(|(price, qty)| (exact(price), exact(qty))).collect();
    let mut book = BookView::default();
    (book.bids, book.asks) = (levels(bids), levels(asks));
    Some(book)
}

async fn place(fixture: &Fixture, order: tradeapi::unified::PlaceOrder) {
    fixture.client.unified().place_order(&order).await.unwrap();
}

#[tokio::test]
async fn a_book_is_what_a_test_sets() {
    let fixture = Fixture::one_way();
    let set = |book| fixture.exchange.set_book(FUTURES, "BTCUSDT", book);
    set(book(&[("63990", "0.5"), ("63980", "1")], &[("64010", "0.2"), ("64020", "3")])).unwrap();
    let shown = fixture.exchange.book(FUTURES, "BTCUSDT");
    assert_eq!(shown.asks, [(exact("64010"), exact("0.2")), (exact("64020"), exact("3"))]);
    place(&fixture, market("a", OrderSide::Buy, "0.300")).await;
    let filled = fixture.details("a").await.unwrap();
    assert_eq!(filled.cum_exec_value, Some(number("19204")), "0.2 at 64010 and 0.1 at 64020");
    for wrong in [book(&[("63990.05", "1")], &[]), book(&[("64000", "1")], &[("64000", "1")])] {
        assert!(set(wrong).is_err());
        assert_eq!(fixture.exchange.book(FUTURES, "BTCUSDT").bids.len(), 2, "nothing is changed");
    }
    set(None).unwrap();
    assert_eq!(fixture.exchange.book(FUTURES, "BTCUSDT").bids.len(), 5);
}

#[tokio::test]
async fn orders_of_others_trade_with_those_of_users() {
    let fixture = Fixture::one_way();
    place(&fixture, limit("a", OrderSide::Buy, "0.010", "64000")).await;
    let other =
        |qty| fixture.exchange.place_for_others(FUTURES, "BTCUSDT", Side::Sell, Some(number("64000")), number(qty));
    other("0.004").unwrap();
    assert_eq!(fixture.details("a").await.unwrap().order_status, Some(OrderStatus::PartiallyFilled));
    other("0.008").unwrap();
    assert_eq!(fixture.details("a").await.unwrap().order_status, Some(OrderStatus::Filled));
    assert_eq!(fixture.exchange.book(FUTURES, "BTCUSDT").asks[0], (exact("64000"), exact("0.002")), "the rest waits");
    assert!(other("0.0005").is_err());
}

#[tokio::test]
async fn last_and_mark_prices_move_apart() {
    let fixture = Fixture::one_way();
    place(&fixture, market("a", OrderSide::Buy, "0.100").stop_loss(number("63000"))).await;
    let profit = || async {
        let assets = fixture.client.unified().get_account_assets(&GetAccountAssets::new()).await.unwrap().data;
        assets.unrealised_pnl.unwrap().to_rust_decimal().unwrap()
    };
    fixture.exchange.set_mark_price("BTCUSDT", Some(number("62000"))).unwrap();
    assert!(profit().await < exact("-199"), "profits go by the mark price");
    assert_eq!(fixture.unified().positions.len(), 1, "the stop-loss watches the latest trade");
    fixture.exchange.set_mark_price("BTCUSDT", None).unwrap();
    assert!(profit().await > exact("-1"));
    fixture.exchange.set_last_price("BTCUSDT", 62_990).unwrap();
    assert_eq!(fixture.unified().positions.len(), 0);
}

/// The first position to be closed moves the price away from the take-profits of the others.
#[tokio::test]
async fn a_price_closes_all_positions_whose_trigger_it_reaches() {
    let first = Fixture::one_way();
    let others = [first.another(Profile::new().both()), first.another(Profile::new().both())];
    for fixture in others.iter().chain([&first]) {
        place(fixture, market("a", OrderSide::Buy, "0.1").take_profit(number("65000"))).await;
    }
    first.exchange.set_price("BTCUSDT", 65_000).unwrap();
    for fixture in others.iter().chain([&first]) {
        assert!(fixture.unified().positions.is_empty());
    }
}

#[tokio::test]
async fn a_trigger_waits_until_its_pair_is_no_longer_suspended() {
    let fixture = Fixture::one_way();
    place(&fixture, market("a", OrderSide::Buy, "0.1").stop_loss(number("63000"))).await;
    fixture.exchange.suspend("BTCUSDT", true).unwrap();
    fixture.exchange.set_price("BTCUSDT", 62_900).unwrap();
    assert_eq!(fixture.unified().positions.len(), 1);
    fixture.exchange.suspend("BTCUSDT", false).unwrap();
    assert!(fixture.unified().positions.is_empty());
}

#[tokio::test]
async fn a_fok_order_fills_wholly_or_not_at_all_beside_orders_of_its_user() {
    use tradeapi::unified::{Category, Execution, PlaceOrder, StpMode, TimeInForce};
    for (mode, filled) in [
        (StpMode::Off, "0.03"),
        (StpMode::CancelMaker, "0.03"),
        (StpMode::CancelTaker, "0"),
        (StpMode::CancelBoth, "0"),
    ] {
        let fixture = Fixture::one_way();
        let asks = book(&[("63999", "1")], &[("64000.5", "0.01"), ("64002", "0.05")]);
        fixture.exchange.set_book(FUTURES, "BTCUSDT", asks).unwrap();
        place(&fixture, limit("own", OrderSide::Sell, "0.01", "64001")).await;
        let execution = Execution::limit(number("64002")).time_in_force(TimeInForce::Fok);
        let fok = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", number("0.03"), OrderSide::Buy, execution)
            .client_oid("fok".parse::<tradeapi::unified::ClientOid>().unwrap())
            .stp_mode(mode.clone());
        place(&fixture, fok).await;
        assert_eq!(fixture.details("fok").await.unwrap().cum_exec_qty, Some(number(filled)), "{mode:?}");
    }
}

#[tokio::test]
async fn quotes_and_amended_orders_reach_triggers() {
    let quotes = |bid: &str, ask: &str| book(&[(bid, "5")], &[(ask, "5")]);
    for by_amending in [false, true] {
        let holder = Fixture::one_way();
        let trader = holder.another(Profile::new().both());
        let exchange = &holder.exchange;
        place(&holder, market("a", OrderSide::Buy, "0.1").take_profit(number("64900"))).await;
        if by_amending {
            place(&trader, limit("b", OrderSide::Buy, "0.1", "63000")).await;
            exchange.set_book(FUTURES, "BTCUSDT", quotes("63990", "65000")).unwrap();
            assert_eq!(holder.unified().positions.len(), 1);
            let name = tradeapi::unified::OrderRef::ClientOid("b".parse().unwrap());
            let amend = tradeapi::unified::ModifyOrder::new(name).price(number("65000"));
            trader.client.unified().modify_order(&amend).await.unwrap();
            exchange.time().advance(std::time::Duration::from_secs(60));
        } else {
            exchange.set_book(FUTURES, "BTCUSDT", quotes("65001", "65010")).unwrap();
        }
        assert!(holder.unified().positions.is_empty(), "{by_amending}");
    }
}

#[tokio::test]
async fn balances_modes_and_permissions_change_while_it_runs() {
    let fixture = Fixture::one_way();
    let (exchange, keys) = (&fixture.exchange, &fixture.keys);
    exchange.set_balance(keys, Family::Unified, "USDT", 700).unwrap();
    assert_eq!(fixture.unified().balances["USDT"].available, exact("700"));
    place(&fixture, limit("a", OrderSide::Buy, "0.100", "60000")).await;
    assert!(exchange.set_balance(keys, Family::Unified, "USDT", 500).is_err(), "the order uses more");
    assert!(exchange.set_balance(keys, Family::Unified, "NONE", 500).is_err());
    assert!(exchange.set_mode(keys, Mode::Hedge).is_err());
    let other = exchange.open_account(Profile::new().both());
    exchange.set_mode(&other, Mode::Hedge).unwrap();
    exchange.set_permissions(keys, Some(Vec::new())).unwrap();
    let cancel = tradeapi::unified::CancelAllOrders::new(tradeapi::unified::Category::UsdtFutures);
    assert_eq!(code(fixture.client.unified().cancel_all_orders(&cancel).await).as_deref(), Some("40014"));
    exchange.set_permissions(keys, None).unwrap();
    assert!(fixture.client.unified().cancel_all_orders(&cancel).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn control_requests_are_done_as_a_whole_and_replayed() {
    let (exchange, address) = served(|settings| (settings.journal, settings.lively) = (true, true)).await;
    let client = client(&exchange, address);
    // The step of the futures is 0.1, that of spot 0.01: none of them moves.
    for (path, status) in [
        ("/-/price?symbol=BTCUSDT&price=50000.05", 400),
        ("/-/price?symbol=BTCUSDT&price=0", 400),
        ("/-/price?symbol=BTCUSDT&price=1&last=2", 400),
        ("/-/book?symbol=BTCUSDT&bids=63990:0.5&asks=64010:x", 400),
        ("/-/book?symbol=BTCUSDT&bids=63990:0.5&quotes=auto", 400),
        ("/-/suspend?symbol=NOUSDT", 400),
        ("/-/faults?kind=drop&times=0", 400),
        ("/-/faults?clear=all&kind=drop", 400),
        ("/-/users?balances=USDT:5,NONE:5", 400),
        ("/-/users?permissions=everything", 400),
        ("/-/account?user=1&family=unified&coin=USDT&balance=5", 400),
        ("/-/book?symbol=BTCUSDT&bids=63990:0.5&asks=64010:0.5", 200),
        ("/-/order?symbol=BTCUSDT&side=sell&qty=0.1&price=64000", 200),
        ("/-/price?symbol=ETHUSDT&mark=3100", 200),
        ("/-/price?symbol=ETHUSDT&last=3120", 200),
        ("/-/account?user=1000000&coin=USDT&balance=5000", 200),
        ("/-/account?user=1000000&mode=hedge_mode", 200),
        ("/-/suspend?symbol=SOLUSDT", 200),
        ("/-/users?mode=hedge_mode&balances=USDT:500&accounts=classic", 200),
    ] {
        exchange.time().advance(std::time::Duration::from_millis(700));
        let (answered, why) = json(address, &format!("POST {path}"), &[]);
        assert_eq!(answered, status, "{path}: {why}");
    }
    let mids: Vec<Decimal> = {
        let tickers = observed::GetTickers::new(observed::Category::Spot).symbol("BTCUSDT");
        let tickers = client.observed().get_tickers(&tickers).await.unwrap().data;
        tickers.iter().filter_map(|ticker| ticker.last_price.clone()).collect()
    };
    assert_eq!(mids, [number("64000")], "a refused price moves nothing");
    let (_, keys) = json(address, "POST /-/users", &[]);
    assert!(keys["secret"].is_string());
    let journal = exchange.journal().unwrap();
    let replayed = Exchange::replay(&journal).unwrap();
    assert_eq!(replayed.book(FUTURES, "BTCUSDT"), exchange.book(FUTURES, "BTCUSDT"));
    assert_eq!(replayed.account(exchange.keys(), Family::Unified), exchange.account(exchange.keys(), Family::Unified));
}
