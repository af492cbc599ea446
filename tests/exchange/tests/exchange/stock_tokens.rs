//! Tokens of stocks among thousands of pairs, which only the listing tells from coins whose names begin alike.

use std::fmt::Write as _;

use tradeapi::observed::{self, GetInstruments};
use tradeapi::unified::{
    CancelRealityOrder, Category, Execution, GetRealityFills, OrderType, PlaceOrder, PlaceRealityOrder,
    RealityExecution, Side, Symbol,
};
use tradeapi::{Account, Client, Credentials, Error, Instrument, Reply};
use tradeapi_exchange::{Exchange, Setup, Time};

use crate::fixture::number;

/// The numbers of spot pairs of a whole listing, and of tokens among them. Five pairs are those of every exchange, two of
/// which are tokens.
const PAIRS: usize = 3_393;
const TOKENS: usize = 2_813;

/// Coins whose names begin and end like those of tokens.
const COINS: [&str; 3] = ["RUNE", "RAY", "RENDER"];

/// Returns four letters that no two numbers have in common.
fn ticker(number: usize) -> String {
    let letter = |place: u32| char::from(b'A' + u8::try_from(number / 26_usize.pow(place) % 26).unwrap());
    ['Z', letter(2), letter(1), letter(0)].iter().collect()
}

fn exchange() -> Exchange {
    let mut setup = String::from("settings: { rate_limits: true }\nusers: [{ whitelisted: true }]\ninstruments:\n");
    let mut pair = |base: &str| {
        let (symbol, opening) = (base.to_uppercase(), 20);
        let line =
            format!("symbol: {symbol}USDT, base: {base}, quote: USDT, tick: 0.01, step: 0.01, opening: {opening}");
        writeln!(setup, "- {{ line: SPOT, {line} }}").unwrap();
    };
    COINS.iter().for_each(|coin| pair(coin));
    (0..TOKENS - 2).for_each(|number| pair(&format!("r{}", ticker(number))));
    // Every seventh of the other coins begins with the letter, too.
    let others = PAIRS - TOKENS - 3 - COINS.len();
    (0..others).for_each(|number| {
        let first = if number % 7 == 0 { "RQ" } else { "Q" };
        pair(&format!("{first}{}", ticker(number)));
    });
    Exchange::of(Setup::from_yaml(&setup).unwrap(), Time::by_hand())
}

fn client(exchange: &Exchange) -> Client {
    exchange.client_of(exchange.keys()).account(Account::new().whitelisted(false)).build().unwrap()
}

/// Returns a limit order with a take-profit that is a limit order, which tokens do not have.
fn order(symbol: &str) -> PlaceOrder {
    let order = PlaceOrder::new(Category::Spot, symbol, number("1"), Side::Buy, Execution::limit(number("15")));
    order.take_profit(number("30")).tp_order_type(OrderType::Limit).tp_limit_price(number("30"))
}

/// Returns the limits that a call of this order counts in.
fn limits(client: &Client, symbol: &str) -> Vec<u32> {
    client.core().limited(&order(symbol)).limits().map(|row| row.calls).collect()
}

fn rules<T>(result: &Result<Reply<T>, Error>) -> Vec<&str> {
    match result {
        Err(Error::Refused(refusal)) => {
            refusal.violations.refusals().map(|violation| violation.rule.as_str()).collect()
        }
        Ok(reply) => reply.warnings.iter().map(|violation| violation.rule.as_str()).collect(),
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_listing_of_thousands_tells_tokens_from_coins() {
    let exchange = exchange();
    let client = client(&exchange);
    client.load_instruments().await.unwrap();
    let is_token = |symbol: &str| client.instrument(("unified", "SPOT"), symbol).and_then(|pair| pair.is_reality());
    let spot = GetInstruments::new(observed::Category::Spot);
    let listed = client.observed().get_instruments(&spot).await.unwrap().data.complete().unwrap();
    let symbols: Vec<String> = listed.iter().filter_map(|pair| pair.symbol.as_ref().map(ToString::to_string)).collect();
    let tokens = symbols.iter().filter(|symbol| is_token(symbol) == Some(true)).count();
    assert_eq!((symbols.len(), tokens), (PAIRS, TOKENS));
    assert!(symbols.iter().all(|symbol| *symbol == symbol.to_uppercase()), "names are in capitals");

    // What decides is the listing, not the letter.
    let coins = symbols.iter().filter(|symbol| symbol.starts_with('R') && is_token(symbol) == Some(false));
    let coins: Vec<&String> = coins.collect();
    assert!(coins.len() > 80, "{}", coins.len());
    for coin in coins {
        assert_eq!(limits(&client, coin), [10], "{coin} is a coin");
        assert_eq!(Symbol::from(coin.as_str()).is_reality(), None, "{coin}: the name alone does not tell");
    }
    let token = format!("R{}USDT", ticker(7));
    assert_eq!(limits(&client, &token), [5]);
    assert_eq!(limits(&client, &format!("r{}USDT", ticker(7))), [5]);
}

#[tokio::test]
async fn operations_of_tokens_take_what_the_exchange_lists() {
    let exchange = exchange();
    let client = client(&exchange).with_account(Account::new().whitelisted(true));
    client.load_instruments().await.unwrap();
    let unified = client.unified();
    for symbol in ["RAAPLUSDT", "rAAPLUSDT"] {
        let limit = RealityExecution::limit(number("225.00"));
        let placed = unified.place_reality_order(&PlaceRealityOrder::new(symbol, Side::Buy, limit, number("1"))).await;
        assert!(rules(&placed).is_empty());
        let id = placed.unwrap().data.order_id.unwrap();
        unified.cancel_reality_order(&CancelRealityOrder::new(symbol, id)).await.unwrap();
        unified.get_reality_fills(&GetRealityFills::new(symbol)).await.unwrap();
        let refused = unified.place_order(&order(symbol)).await;
        assert_eq!(rules(&refused), ["reality-tp-market-only"], "{symbol}");
    }
    for coin in COINS.map(|coin| format!("{coin}USDT")) {
        let limit = RealityExecution::limit(number("15"));
        let order = PlaceRealityOrder::new(coin.as_str(), Side::Buy, limit, number("1"));
        assert_eq!(rules(&unified.place_reality_order(&order).await), ["reality-pairs-only"]);
        let fills = unified.get_reality_fills(&GetRealityFills::new(coin.as_str())).await;
        assert_eq!(rules(&fills), ["reality-pairs-only"]);
        assert!(!rules(&unified.place_order(&self::order(&coin)).await).contains(&"reality-tp-market-only"));
    }
}

#[tokio::test]
async fn without_a_listing_a_request_is_sent_and_that_is_said_once() {
    let exchange = exchange();
    let client = client(&exchange);
    let before = exchange.violations();
    let first = client.unified().place_order(&order("RUNEUSDT")).await;
    assert!(rules(&first).contains(&"symbol.form"), "{first:?}");
    let warning = first.unwrap().warnings.iter().find(|one| one.rule == "symbol.form").map(ToString::to_string);
    assert!(warning.unwrap().contains("isReality of the instrument"));
    let again = client.clone().unified().place_order(&order("RAYUSDT")).await;
    assert!(!rules(&again).contains(&"symbol.form"), "it is said once, to the client and its clones");
    // The exchange knows its pairs.
    let token = client.unified().place_order(&order("RAAPLUSDT")).await;
    assert!(matches!(token, Err(Error::Exchange(_))), "{token:?}");
    assert!(exchange.violations() != before);
    // What the caller states decides as well as a listing.
    let stated = Account::new().instrument(Category::Spot, "RAAPLUSDT", Instrument::new().with_is_reality(true));
    let refused = client.with_account(stated).unified().place_order(&order("RAAPLUSDT")).await;
    assert_eq!(rules(&refused), ["reality-tp-market-only"]);
}

#[test]
fn a_call_in_doubt_counts_in_the_limits_of_both_classes() {
    let client = |account: Account| {
        let keys = Credentials::new("key", "secret", "passphrase");
        Client::builder("http://127.0.0.1:1").credentials(keys).account(account).build().unwrap()
    };
    let ordinary = client(Account::new());
    assert_eq!(limits(&ordinary, "BTCUSDT"), [10]);
    assert_eq!(limits(&ordinary, "RUNEUSDT"), [10, 5], "a coin or a token");
    assert_eq!(limits(&ordinary, "rAAPLUSDT"), [5]);
    let listed = client(Account::new().whitelisted(true));
    assert_eq!(limits(&listed, "RUNEUSDT"), [10, 30]);
    let coin = Account::new().instrument(Category::Spot, "RUNEUSDT", Instrument::new().with_is_reality(false));
    assert_eq!(limits(&client(coin), "RUNEUSDT"), [10]);
    // Twenty at ten a second alone would take one second, at five three.
    let orders: Vec<PlaceOrder> = (0..20).map(|_| order("RUNEUSDT")).collect();
    let calls: Vec<_> = orders.iter().map(|order| ordinary.core().limited(order)).collect();
    let plan = ordinary.core().plan(&calls);
    assert_eq!((plan.lasts.as_secs(), plan.binding.unwrap().limit.class), (3, "reality"));
}

#[test]
fn only_tickers_of_tokens_have_the_turnover_of_the_exchange_beside_that_of_the_market() {
    let tickers = crate::raw::get("/api/v3/market/tickers?category=SPOT").send(&exchange());
    let tickers = tickers["data"].as_array().unwrap();
    assert_eq!(tickers.len(), PAIRS);
    assert_eq!(tickers.iter().filter(|ticker| ticker.get("platformTurnover24h").is_some()).count(), TOKENS);
}
