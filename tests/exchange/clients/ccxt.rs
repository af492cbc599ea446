//! ccxt for Rust, unmodified but for the address, trades on the local exchange, as `trade.py` does with ccxt for Python.
//!
//! Reads the family from its argument, and the address and the keys from the variables that the exchange prints. With
//! `situation`, it places one order, and writes what its caller is told to the file that the variable SAYS names.

use std::{env, error, fs};

use ccxt::{Bitget, Params};
use serde_json::{Map, Value, json};

type Failure = Box<dyn error::Error>;

const PAIR: &str = "BTC/USDT:USDT";

fn client(options: Value) -> Result<Bitget, Failure> {
    let address = env::var("TRADEAPI_URL")?;
    // The groups of operations, each with an address of its own.
    let groups = ["spot", "mix", "user", "p2p", "broker", "margin", "common", "tax", "convert", "copy", "earn", "uta"];
    let addresses: Map<_, _> = groups.map(|group| (group.to_owned(), json!(address))).into_iter().collect();
    let settings = json!({
        "apiKey": env::var("TRADEAPI_KEY")?,
        "secret": env::var("TRADEAPI_SECRET")?,
        "password": env::var("TRADEAPI_PASSPHRASE")?,
        "enableRateLimit": false,
        "options": options,
        "urls": {"api": addresses},
    });
    Ok(Bitget::new(Some(settings.into())))
}

/// Returns the ids of the open orders of the pair, sorted.
async fn waiting(exchange: &mut Bitget) -> Result<Vec<String>, Failure> {
    let orders = exchange.fetch_open_orders(Some(PAIR), None, None, Params::none()).await?;
    let mut ids: Vec<_> = orders.into_iter().filter_map(|order| order.id).collect();
    ids.sort();
    Ok(ids)
}

/// Places one order, as `situations.py` does with other clients.
async fn place_one() -> Result<(), Failure> {
    let mut exchange = client(json!({"defaultType": "swap", "uta": true}))?;
    exchange.try_load_markets(false).await?;
    let id = Params::new().with_str("clientOrderId", "situation-1");
    let placed = exchange.create_order(PAIR, "limit", "buy", 0.01, Some(40_000.0), id).await;
    let says = placed.map_or_else(|error| error.kind, |_| "an order".to_owned());
    Ok(fs::write(env::var("SAYS")?, says)?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let wanted = env::args().nth(1).unwrap_or_default();
    if wanted == "situation" {
        return place_one().await;
    }
    let is_unified = wanted == "unified";
    let mut exchange = client(json!({"defaultType": "swap"}))?;
    let markets = exchange.try_load_markets(false).await?;
    assert!(markets.iter().any(|market| market.symbol == PAIR), "{}", markets.len());
    let wallet = exchange.fetch_balance(Params::new().with_str("type", "swap")).await?;
    assert_eq!(wallet.total["USDT"], 100_000.0);
    let price = exchange.fetch_ticker(PAIR, Params::none()).await?.last.ok_or("a ticker without a price")?;
    let low = (price * 0.9).round();

    // A position, and orders that wait.
    exchange.create_order(PAIR, "market", "buy", 0.01, None, Params::none()).await?;
    let held = exchange.fetch_positions(Some(vec![PAIR.to_owned()]), Params::none()).await?;
    // Its typed client cannot set the leverage.
    assert_eq!((held[0].contracts, held[0].leverage), (Some(0.01), Some(10.0)));
    let mut ids = Vec::new();
    for params in [Params::none(), Params::new().with_bool("postOnly", true)] {
        let order = exchange.create_order(PAIR, "limit", "buy", 0.02, Some(low), params).await?;
        ids.push(order.id.ok_or("an order without an id")?);
    }
    ids.sort();
    assert_eq!(waiting(&mut exchange).await?, ids);
    let order = exchange.fetch_order(&ids[0], Some(PAIR), Params::none()).await?;
    assert_eq!((order.status.as_deref(), order.amount, order.price), (Some("open"), Some(0.02), Some(low)));
    exchange.edit_order(&ids[0], PAIR, "limit", "buy", Some(0.03), Some(low), Params::none()).await?;
    exchange.cancel_order(&ids[1], Some(PAIR), Params::none()).await?;
    exchange.cancel_all_orders(Some(PAIR), Params::none()).await?;

    // A stop-loss outside of the book.
    let stop = Params::new().with_float("stopLossPrice", low).with_bool("reduceOnly", true);
    let stop = exchange.create_order(PAIR, "market", "sell", 0.01, None, stop).await?;
    let kind = || match is_unified {
        true => Params::new().with_bool("trigger", true),
        false => Params::new().with_bool("trigger", true).with_str("planType", "profit_loss"),
    };
    let plans = exchange.fetch_open_orders(Some(PAIR), None, None, kind()).await?;
    assert_eq!(plans.len(), 1);
    exchange.cancel_order(&stop.id.ok_or("a stop-loss without an id")?, Some(PAIR), kind()).await?;

    exchange.close_position(PAIR, None, Params::none()).await?;
    let held = exchange.fetch_positions(Some(vec![PAIR.to_owned()]), Params::none()).await?;
    assert!(held.iter().all(|position| position.contracts.unwrap_or_default() == 0.0));
    assert!(!exchange.fetch_my_trades(Some(PAIR), None, None, Params::none()).await?.is_empty());
    println!("ccxt for Rust trades");
    Ok(())
}
