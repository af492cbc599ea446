//! Recorded markets that are played back, and reports from a setup.

use std::fs;
use std::time::Duration;

use tradeapi::broker::GetAgentDirectCommissions;
use tradeapi::observed::{self, GetCandles, GetOrderBook, GetRecentTrades, Interval};
use tradeapi::unified::{GetInsiderTrades, OrderStatus, Side};
use tradeapi_exchange::{Exchange, Recording, Setup, Time};

use crate::fixture::{limit, number};

const USDT: observed::Category = observed::Category::UsdtFutures;

/// Reads a text as a file of a recording, and returns the setup that plays it.
fn from_csv(
    add: impl Fn(&mut Recording, &str, &std::path::Path) -> std::io::Result<()>,
    text: &str,
) -> std::io::Result<Setup> {
    let mut recording = Recording::default();
    add_csv(&mut recording, add, text)?;
    let mut setup = Setup::default();
    recording.play_in(&mut setup);
    Ok(setup)
}

fn add_csv(
    recording: &mut Recording,
    add: impl Fn(&mut Recording, &str, &std::path::Path) -> std::io::Result<()>,
    text: &str,
) -> std::io::Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recorded.csv");
    fs::write(&path, text).unwrap();
    add(recording, "BTCUSDT", &path)
}

fn exchange(setup: &str) -> Exchange {
    Exchange::of(Setup::from_yaml(setup).unwrap(), Time::by_hand())
}

#[test]
fn candles_become_prices_in_the_order_in_which_they_probably_came() {
    let csv = "time,open,high,low,close,volume\n60000,100,120,90,110,5\n120000,110,115,80,85,7\n";
    let prices = from_csv(Recording::candles, csv).unwrap().prices;
    let steps: Vec<_> = prices[0].steps.iter().map(|(at, price)| format!("{at} {}", price.0)).collect();
    let rising = ["0 100", "20000 90", "40000 120", "59999 110"];
    let falling = ["60000 110", "80000 115", "100000 80", "119999 85"];
    assert_eq!(steps, [rising, falling].concat());
}

#[test]
fn a_line_that_is_no_row_is_named() {
    let wrong = "5,64000,1,buy\n4,64000,1,buy\n";
    assert!(from_csv(Recording::trades, wrong).unwrap_err().to_string().contains("line 2: the time is earlier"));
    let wrong = "time,price,quantity,side\n5,64000,1,both\n";
    assert!(from_csv(Recording::trades, wrong).unwrap_err().to_string().contains("line 2: expected a time"));
    let wrong = "5,bid,64000,1\n5,middle,64001,1\n";
    assert!(from_csv(Recording::books, wrong).unwrap_err().to_string().contains("line 2"));
    let crossing = "books: [{ symbol: BTCUSDT, steps: [[0, { bids: [[64001, 1]], asks: [[64001, 1]] }]] }]";
    assert!(Setup::from_yaml(crossing).unwrap_err().to_string().contains("crosses"));
    let nothing = "trades: [{ symbol: BTCUSDT, steps: [[0, 64000, 0, buy]] }]";
    assert!(Setup::from_yaml(nothing).unwrap_err().to_string().contains("quantity 0 of BTCUSDT"));
    assert!(Setup::from_yaml("trades: [{ symbol: NOUSDT, steps: [[0, 1, 1, buy]] }]").is_err());
}

#[tokio::test]
async fn recorded_trades_fill_orders_and_are_seen() {
    let csv = "time,price,quantity,side\n1000,64000,0.5,buy\n2000,63990,0.2,sell\n62000,64010,0.1,buy\n";
    let mut setup = from_csv(Recording::trades, csv).unwrap();
    setup.settings.rate_limits = false;
    let exchange = Exchange::of(setup, Time::by_hand());
    let client = exchange.client();
    client.unified().place_order(&limit("waits", Side::Buy, "0.05", "63990")).await.unwrap();
    exchange.time().advance(Duration::from_secs(2));
    let order = tradeapi::unified::OrderRef::ClientOid("waits".parse().unwrap());
    let details = tradeapi::unified::GetOrderDetails::new(order);
    let order = client.unified().get_order_details(&details).await.unwrap().data;
    assert_eq!((order.order_status, order.avg_price), (Some(OrderStatus::Filled), Some(number("63990"))));

    let trades = client.observed().get_recent_trades(&GetRecentTrades::new(USDT, "BTCUSDT")).await.unwrap().data;
    let at_price = trades.iter().filter(|trade| trade.price == Some(number("63990")));
    let sizes = at_price.filter_map(|trade| trade.size.as_ref()?.to_rust_decimal().ok());
    assert_eq!(
        sizes.sum::<rust_decimal::Decimal>().normalize().to_string(),
        "0.2",
        "the part that filled the order, and the rest"
    );

    exchange.time().advance(Duration::from_secs(120));
    let minutes = GetCandles::new(USDT, "BTCUSDT", Interval::Minute1);
    let minutes = client.observed().get_candles(&minutes).await.unwrap().data;
    assert_eq!(minutes[1].close, Some(number("64010")));
}

#[tokio::test]
async fn recorded_books_are_quoted() {
    let csv = "0,bid,63999,0.5\n0,ask,64001,0.4\n0,ask,64002,1\n5000,bid,63900,0.3\n5000,ask,63901,0.2\n";
    let setup = from_csv(Recording::books, csv).unwrap();
    let exchange = Exchange::of(setup, Time::by_hand());
    let client = exchange.client();
    let best = async || {
        let book = client.observed().get_order_book(&GetOrderBook::new(USDT, "BTCUSDT")).await.unwrap().data;
        let level = |levels: &[observed::Level]| (levels[0].price.clone(), levels[0].size.clone(), levels.len());
        (level(&book.bids), level(&book.asks))
    };
    let at = |price: &str, size: &str, count| (Some(number(price)), Some(number(size)), count);
    exchange.time().advance(Duration::from_millis(1));
    assert_eq!(best().await, (at("63999", "0.5", 1), at("64001", "0.4", 2)));
    exchange.time().advance(Duration::from_secs(5));
    assert_eq!(best().await, (at("63900", "0.3", 1), at("63901", "0.2", 1)));
}

#[test]
fn files_of_a_recording_share_one_clock() {
    let mut recording = Recording::default();
    add_csv(&mut recording, Recording::trades, "1767000003000,64000,0.5,buy\n1767000009000,63990,0.2,sell\n").unwrap();
    add_csv(&mut recording, Recording::books, "1767000001000,bid,63999,0.5\n1767000007000,bid,63990,1\n").unwrap();
    add_csv(&mut recording, Recording::prices, "1767000002000,63998\n").unwrap();
    let mut setup = Setup::default();
    recording.play_in(&mut setup);
    let trades: Vec<u64> = setup.trades[0].steps.iter().map(|(at, ..)| *at).collect();
    let books: Vec<u64> = setup.books[0].steps.iter().map(|(at, _)| *at).collect();
    let prices: Vec<u64> = setup.prices[0].steps.iter().map(|(at, _)| *at).collect();
    assert_eq!((trades, books, prices), (vec![2000, 8000], vec![0, 6000], vec![1000]));
}

#[tokio::test]
async fn reports_of_a_setup_are_answered() {
    let exchange = exchange(
        "
        settings: { rate_limits: false }
        reports:
          insider_trades: { AAPL: [{ reporterName: A, tradeDate: 2025-12-01 }, { reporterName: B }, { reporterName: C }] }
          commissions:
            - { uid: '7', date: '1767088800000', coin: USDT, fee: '2' }
            - { uid: '8', date: '1767002400000', coin: USDT, fee: '1' }
        ",
    );
    let client = exchange.client();
    let first = client.unified().get_insider_trades(&GetInsiderTrades::new("AAPL").limit(2)).await.unwrap().data;
    let names = |list: &[tradeapi::unified::InsiderTrade]| -> Vec<_> {
        list.iter().filter_map(|trade| trade.reporter_name.clone()).collect()
    };
    assert_eq!(names(&first.list), ["A", "B"]);
    let next = GetInsiderTrades::new("AAPL").limit(2).cursor(first.cursor.unwrap());
    let next = client.unified().get_insider_trades(&next).await.unwrap().data;
    assert_eq!((names(&next.list), next.cursor), (vec!["C".to_owned()], None));
    let none = client.unified().get_insider_trades(&GetInsiderTrades::new("TSLA")).await.unwrap().data;
    assert!(none.list.is_empty());

    let week = GetAgentDirectCommissions::new()
        .start_time(tradeapi::Timestamp::from_millis(1_766_800_000_000))
        .end_time(exchange.time().now());
    let found = client.broker().get_agent_direct_commissions(&week).await.unwrap().data;
    let users: Vec<_> =
        found.commission_list.iter().filter_map(|one| one.uid.as_ref()).map(|uid| uid.as_str()).collect();
    assert_eq!(users, ["7", "8"]);
    let older = client.broker().get_agent_direct_commissions(&week.id_less_than(found.end_id.unwrap())).await.unwrap();
    assert!(older.commission_list.is_empty());
    assert!(Setup::from_yaml("reports: { commissions: [{ uid: '7' }] }").is_err(), "without a date");
}
