//! Recorded markets that are played back, and reports from a setup.

use std::fs;
use std::time::Duration;

use tradeapi::Timestamp;
use tradeapi::broker::GetAgentDirectCommissions;
use tradeapi::dec;
use tradeapi::observed::{self, GetCandles, GetOrderBook, GetRecentTrades, Interval};
use tradeapi::unified::{GetInsiderTrades, OrderStatus, Side};
use tradeapi_exchange::{Exchange, PairName, Recording, Setup, Time};

use crate::fixture::{limit, number};

const USDT: observed::Category = observed::Category::UsdtFutures;
const USDT_FUTURES: tradeapi_exchange::Line = tradeapi_exchange::Line::UsdtFutures;

/// Reads a text as a file of a recording, and returns the setup that plays it.
fn from_csv(
    add: impl Fn(&mut Recording, PairName, &std::path::Path) -> std::io::Result<()>,
    text: &str,
) -> std::io::Result<Setup> {
    let mut recording = Recording::default();
    add_csv(&mut recording, add, text)?;
    let mut setup = Setup::default();
    recording.play_in(&mut setup)?;
    Ok(setup)
}

fn add_csv(
    recording: &mut Recording,
    add: impl Fn(&mut Recording, PairName, &std::path::Path) -> std::io::Result<()>,
    text: &str,
) -> std::io::Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recorded.csv");
    fs::write(&path, text).unwrap();
    add(recording, "BTCUSDT".into(), &path)
}

fn exchange(setup: &str) -> Exchange {
    Exchange::of(Setup::from_yaml(setup).unwrap(), Time::by_hand())
}

/// Returns the candles of an exchange, as time, open, highest, lowest and closing price.
async fn candles(exchange: &Exchange, category: observed::Category, interval: Interval) -> Vec<[String; 5]> {
    let list = GetCandles::new(category, "BTCUSDT", interval);
    let list = exchange.client().observed().get_candles(&list).await.unwrap().data;
    let text =
        |number: &Option<tradeapi::Decimal>| number.clone().unwrap().to_rust_decimal().unwrap().normalize().to_string();
    let row = |candle: &observed::Candle| {
        let start = candle.start.unwrap().as_millis().to_string();
        [start, text(&candle.open), text(&candle.high), text(&candle.low), text(&candle.close)]
    };
    list.iter().map(row).collect()
}

/// Within a minute of 2026-01-01, 12 o'clock.
const MIDDAY: u64 = 1_767_268_800_000;

#[tokio::test]
async fn the_exchange_makes_the_candles_that_are_played_back() {
    // The second one does not open where the first one closes, and one is missing.
    let minutes = [
        (0, ["64000", "64120.5", "63900", "64110"]),
        (1, ["64050", "64060", "63800", "63850"]),
        (3, ["63700", "63990", "63700", "63990"]),
        (4, ["63990", "63990", "63990", "63990"]),
    ];
    for (length, interval) in [(1, Interval::Minute1), (5, Interval::Minutes5), (60, Interval::Hour1)] {
        let begun = 1_700_000_000_000 - 1_700_000_000_000 % (length * 60_000);
        let row = |(at, prices): &(u64, [&str; 4])| format!("{},{}\n", begun + at * length * 60_000, prices.join(","));
        let csv: String = minutes.iter().map(row).collect();
        for (phase, is_lively) in [(0, false), (17_345, true), (59_999, true)] {
            let mut setup = from_csv(Recording::candles, &csv).unwrap();
            (setup.settings.rate_limits, setup.settings.lively) = (false, is_lively && length < 60);
            let exchange = Exchange::of(setup, Time::by_hand_from(Timestamp::from_millis(MIDDAY + phase)));
            // Whoever looks before it begins sees its first price.
            let seen = candles(&exchange, USDT, Interval::Minute1).await;
            assert!(phase == 0 || seen.iter().all(|candle| candle[4] == "64000"), "{seen:?}");
            exchange.client().unified().place_order(&limit("low", Side::Buy, "0.01", "60000")).await.unwrap();
            exchange.time().advance(Duration::from_millis(6 * length * 60_000));
            let made = candles(&exchange, USDT, interval.clone()).await;
            let start = (MIDDAY + phase).div_ceil(length * 60_000) * length * 60_000;
            for (at, prices) in &minutes {
                let wanted = [&(start + at * length * 60_000).to_string(), prices[0], prices[1], prices[2], prices[3]];
                assert!(made.iter().any(|candle| *candle == wanted), "{length} {phase}: {wanted:?}: {made:#?}");
            }
            let missing = (start + 2 * length * 60_000).to_string();
            assert!(made.iter().any(|candle| *candle == [&missing, "63850", "63850", "63850", "63850"]), "{made:?}");
        }
    }
}

#[test]
fn candles_that_cannot_be_played_are_refused_by_their_line() {
    let hour = 3_600_000_u64;
    let row = |at: u64, prices: &str| format!("{at},{prices}\n");
    let flat = "64000,64000,64000,64000";
    for (csv, line, why) in [
        (row(hour + 500, flat), "line 1", "500 ms after the minute"),
        (row(hour, flat) + &row(hour + 90_000, flat), "line 2", "whole minute"),
        (row(hour, flat) + &row(hour, flat), "line 2", "does not come after"),
        (row(hour, flat) + &row(hour + 300_000, flat) + &row(hour + 420_000, flat), "line 2", "one length"),
        (row(hour, "64000,64010,63990,64011"), "line 1", "between the lowest and the highest"),
        (row(hour, "64000,63990,63980,63985"), "line 1", "between the lowest and the highest"),
        (row(hour, flat) + &row(hour + 60_000, "64000.05,64000.05,64000.05,64000.05"), "line 2", "SPOT:BTCUSDT"),
        (row(hour, "0,0,0,0"), "line 1", "invalid price 0"),
        ("time,open\n".to_owned(), "line 1", "there is no row"),
        (format!("36OO000,{flat}\n{}", row(hour, flat)), "line 1", "expected a time"),
    ] {
        let error = from_csv(Recording::candles, &csv).unwrap_err().to_string();
        assert!(error.contains(line) && error.contains(why) && error.contains("recorded.csv"), "{csv}: {error}");
    }
    let spreadsheet = format!("\u{feff}{}{}", row(hour, flat), row(hour + 60_000, "0,0,0,0"));
    let error = from_csv(Recording::candles, &spreadsheet).unwrap_err().to_string();
    assert!(error.contains("line 2"), "{error}");
    let in_setup =
        |steps: &str| Setup::from_yaml(&format!("candles: [{{ symbol: BTCUSDT, interval: 60000, steps: {steps} }}]"));
    let candle = "[64000, 64000, 64000, 64000]";
    in_setup(&format!("[[0, {candle}], [120000, {candle}]]")).unwrap();
    let error = in_setup(&format!("[[0, {candle}], [90000, {candle}]]")).unwrap_err().to_string();
    assert!(error.contains("whole minute"), "{error}");
}

/// Public files have microseconds since 2025; milliseconds would play them a thousand times too slowly.
#[test]
fn times_are_read_in_the_unit_that_their_size_shows() {
    let steps = |csv: &str| {
        let setup = from_csv(Recording::prices, csv)?;
        Ok::<_, std::io::Error>((
            setup.recorded_from,
            setup.prices[0].steps.iter().map(|step| step.0).collect::<Vec<_>>(),
        ))
    };
    let at = 1_735_689_600_000_u64;
    for (first, second) in [
        ("1735689600", "1735689601.5"),
        ("1735689600000", "1735689601500"),
        ("1735689600000000", "1735689601500000"),
        ("1735689600000000000", "1735689601500000999"),
    ] {
        let read = steps(&format!("{first},64000\n{second},64000\n")).unwrap();
        assert_eq!(read, (at, vec![0, 1_500]), "{first}");
    }
    assert_eq!(steps("0,64000\n60000,64000\n").unwrap(), (0, vec![0, 60_000]));
    for (csv, line, why) in [
        ("1735689600000,64000\n1735689601000000,64000\n", "line 2", "microseconds"),
        ("time,price\n1735689600,64000\n1735689601000,64000\n", "line 3", "milliseconds"),
        ("0,64000\n1735689600,64000\n", "line 2", "seconds"),
        ("-1,64000\n", "line 1", "a time"),
        ("1_735_689_600,64000\n", "line 1", "a time"),
        ("1735689600,64_000\n", "line 1", "a price"),
    ] {
        let error = steps(csv).unwrap_err().to_string();
        assert!(error.contains(line) && error.contains(why), "{csv}: {error}");
    }
}

#[test]
fn a_setup_keeps_what_it_says() {
    let users = |balances: &str| Setup::from_yaml(&format!("users: [{{ balances: {balances} }}]"));
    let shown = |setup: &Setup| serde_json::to_value(setup).unwrap()["users"][0]["balances"]["USDT"].clone();
    for number in ["0.12345678901234567", "123456789.01234567891", "'0.5'", "500"] {
        let setup = users(&format!("{{ USDT: {number} }}"));
        let Ok(setup) = setup else { panic!("{number}: {setup:?}") };
        assert_eq!(shown(&setup), number.trim_matches('\''));
        // A journal begins with it as JSON.
        let read: Setup = serde_json::from_str(&serde_json::to_string(&setup).unwrap()).unwrap();
        assert_eq!(shown(&read), shown(&setup));
    }
    for (balances, why) in [
        ("{ USDT: 500, BTC: 1, USDT: 700 }", "`USDT` is there twice"),
        ("{ USDT: 1_000 }", "1_000"),
        ("{ USDT: 0.12345678901234567890123456789012 }", "0.12345678901234567890123456789012"),
        ("{ USDT: .nan }", "nan"),
        ("{ USDT: 0x10 }", "0x10"),
    ] {
        let error = users(balances).unwrap_err().to_string();
        assert!(error.contains(why) && error.contains("line 1"), "{balances}: {error}");
    }
}

#[test]
fn numbers_off_the_steps_of_a_pair_are_refused_by_their_line() {
    let error = from_csv(Recording::prices, "5,64000\n6,64000.05\n").unwrap_err().to_string();
    assert!(error.contains("line 2") && error.contains("multiple of 0.1"), "{error}");
    let error = from_csv(Recording::trades, "5,64000,0.001,buy\n6,64000,0.0005,buy\n").unwrap_err().to_string();
    assert!(error.contains("line 2") && error.contains("invalid qty 0.0005"), "{error}");
    let error = from_csv(Recording::books, "5,bid,63999,1\n6,bid,64000,1\n6,ask,64000,1\n").unwrap_err().to_string();
    assert!(error.contains("line 2") && error.contains("crosses"), "{error}");
    // Spot has smaller steps.
    let mut recording = Recording::default();
    let add = |recording: &mut Recording, _: PairName, path: &std::path::Path| {
        recording.prices((tradeapi_exchange::Line::Spot, "BTCUSDT"), path)
    };
    add_csv(&mut recording, add, "5,64000.05\n").unwrap();
    let mut setup = Setup::default();
    recording.play_in(&mut setup).unwrap();
    let exchange = Exchange::of(setup, Time::by_hand());
    exchange.time().advance(Duration::from_secs(1));
    let middle = |line| {
        let book = exchange.book(line, "BTCUSDT");
        (book.bids[0].0 + book.asks[0].0) / rust_decimal::Decimal::TWO
    };
    assert_eq!(middle(tradeapi_exchange::Line::Spot).to_string(), "64000.05");
    exchange.set_price((USDT_FUTURES, "BTCUSDT"), 64_000).unwrap();
    assert_eq!(middle(USDT_FUTURES), dec!(64_000), "only spot was recorded");
}

/// Recorded trades and books of a pair come in the order of their times, and trades are seen as they were.
#[tokio::test]
async fn trades_and_books_are_played_in_one_order() {
    let mut recording = Recording::default();
    add_csv(&mut recording, Recording::trades, "1000,64010,0.5,buy\n3000,63980,0.3,sell\n4000,64010,0.2,buy\n")
        .unwrap();
    let books =
        "0,bid,63999,1\n0,ask,64001,1\n2000,bid,63998,2\n2000,ask,64012,1\n4000,bid,64000,3\n4000,ask,64020,1\n";
    add_csv(&mut recording, Recording::books, books).unwrap();
    let mut setup = Setup::default();
    recording.play_in(&mut setup).unwrap();
    (setup.settings.rate_limits, setup.settings.lively) = (false, true);
    let exchange = Exchange::of(setup, Time::by_hand());
    let client = exchange.client();
    client.unified().place_order(&limit("waits", Side::Buy, "0.1", "63985")).await.unwrap();
    let mut bids = Vec::new();
    for _ in 0..5 {
        let best = exchange.book(USDT_FUTURES, "BTCUSDT").bids.first().map(|(price, _)| price.normalize().to_string());
        bids.push(best.unwrap_or_default());
        exchange.time().advance(Duration::from_secs(1));
    }
    // The trade at 63980 went through all bids.
    assert_eq!(bids, ["63999", "63999", "63998", "", "64000"]);
    let trades = client.observed().get_recent_trades(&GetRecentTrades::new(USDT, "BTCUSDT")).await.unwrap().data;
    let shown: Vec<_> = trades
        .iter()
        .rev()
        .map(|trade| format!("{} {}", trade.price.clone().unwrap(), trade.size.clone().unwrap()))
        .collect();
    assert_eq!(shown, ["64010 0.5", "63985 0.1", "63980 0.2", "64010 0.2"]);
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
    assert!(Setup::from_yaml(nothing).unwrap_err().to_string().contains("invalid qty 0 of BTCUSDT"));
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
    recording.play_in(&mut setup).unwrap();
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
    let setup = |trade: &str| Setup::from_yaml(&format!("reports: {{ insider_trades: {{ AAPL: [{trade}] }} }}"));
    let exact = Exchange::of(setup("{ tradePrice: 0.12345678901234567890 }").unwrap(), Time::by_hand());
    let first = exact.client().unified().get_insider_trades(&GetInsiderTrades::new("AAPL")).await.unwrap().data;
    assert_eq!(first.list[0].trade_price.as_ref().map(tradeapi::Decimal::as_str), Some("0.12345678901234567890"));
    assert!(setup("{ tradePrice: 1_000 }").is_err(), "digits are not grouped");
    let twice = Setup::from_yaml("reports: { insider_trades: { AAPL: [], AAPL: [] } }").unwrap_err().to_string();
    assert!(twice.contains("`AAPL` is there twice"), "{twice}");
    let commission = |fields: &str| Setup::from_yaml(&format!("reports: {{ commissions: [{{ {fields} }}] }}"));
    for twice in [setup("{ reporterName: A, reporterName: B }"), commission("date: 1, uid: 2, date: 3")] {
        let twice = twice.unwrap_err().to_string();
        assert!(twice.contains("` is there twice"), "{twice}");
    }
}
