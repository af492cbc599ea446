//! Each control call with each of its parameters missing, doubled, unknown, empty, malformed and out of range: the error
//! names it, and neither the state nor the journal changes. What is answered with 200 was done, and is in the journal.

use std::net::SocketAddr;

use tradeapi::dec;
use tradeapi::unified::Side;
use tradeapi_exchange::Exchange;

use crate::control::{ask, client, json, served};
use crate::fixture::limit;

/// A call that is valid, in which parameters it needs, and values that they cannot have.
struct Call {
    path: &'static str,
    valid: &'static [(&'static str, &'static str)],
    needed: &'static [&'static str],
    wrong: &'static [(&'static str, &'static [&'static str])],
}

const NO_NUMBERS: &[&str] = &["x", "-1", "1e", "%FF", "99999999999999999999"];

const CALLS: &[Call] = &[
    Call {
        path: "time",
        valid: &[("speed", "0"), ("step", "60000")],
        needed: &[],
        wrong: &[("speed", NO_NUMBERS), ("speed", &["1001"]), ("step", NO_NUMBERS), ("step", &["0", "86400001"])],
    },
    Call {
        path: "price",
        valid: &[("symbol", "BTCUSDT"), ("line", "SPOT"), ("price", "64010.05")],
        needed: &["symbol", "price"],
        wrong: &[
            ("symbol", &["NOUSDT", "btcusdt", "%FF"]),
            ("line", &["spot", "USDC-FUTURES", "x"]),
            ("price", NO_NUMBERS),
            ("price", &["64010.005", "0", "19.19", "6400000.01", "1e99"]),
        ],
    },
    Call {
        path: "price",
        valid: &[("symbol", "ETHUSDT"), ("last", "3120.5")],
        needed: &["symbol", "last"],
        wrong: &[
            ("symbol", &["NOUSDT"]),
            ("last", NO_NUMBERS),
            ("last", &["3120.005", "0", "1e99"]),
            ("price", &["1"]),
        ],
    },
    Call {
        path: "price",
        valid: &[("symbol", "ETHUSDT"), ("mark", "3110.5"), ("line", "USDT-FUTURES")],
        needed: &["symbol", "mark"],
        wrong: &[("symbol", &["NOUSDT"]), ("mark", NO_NUMBERS), ("mark", &["3110.005", "0", "1e99"]), ("last", &["1"])],
    },
    Call { path: "price", valid: &[("symbol", "ETHUSDT"), ("mark", "none")], needed: &["mark"], wrong: &[] },
    Call {
        path: "book",
        valid: &[("symbol", "BTCUSDT"), ("line", "USDT-FUTURES"), ("bids", "63990:0.5"), ("asks", "64010:1,64020:2")],
        needed: &["symbol"],
        wrong: &[
            ("symbol", &["NOUSDT"]),
            ("line", &["USDC-FUTURES"]),
            ("bids", &["63990", "x:1", "63990:x", "63990:-1", "63990:0", "63990.05:1", "63990:0.0005", "63990:1e11"]),
            ("asks", &["64010:0", "64010:1,", "63990:1"]),
            ("quotes", &["manual", "auto"]),
        ],
    },
    Call {
        path: "book",
        valid: &[("symbol", "BTCUSDT"), ("quotes", "auto")],
        needed: &["symbol", "quotes"],
        wrong: &[],
    },
    Call {
        path: "order",
        valid: &[("symbol", "ETHUSDT"), ("line", "SPOT"), ("side", "sell"), ("qty", "0.5"), ("price", "3150.01")],
        needed: &["symbol", "side", "qty"],
        wrong: &[
            ("symbol", &["NOUSDT"]),
            ("line", &["COIN-FUTURES"]),
            ("side", &["Sell", "both"]),
            ("qty", NO_NUMBERS),
            ("qty", &["0", "0.00005", "1e11"]),
            ("price", NO_NUMBERS),
            ("price", &["0", "3150.001", "1e99"]),
        ],
    },
    Call {
        path: "fill",
        valid: &[("order", "waits"), ("qty", "0.004")],
        needed: &["order", "qty"],
        wrong: &[("order", &["nobody"]), ("qty", NO_NUMBERS), ("qty", &["0", "0.0005", "0.011"])],
    },
    Call {
        path: "suspend",
        valid: &[("symbol", "SOLUSDT"), ("line", "SPOT"), ("on", "yes")],
        needed: &["symbol"],
        wrong: &[("symbol", &["NOUSDT"]), ("line", &["USDC-FUTURES"]), ("on", &["maybe", "true"])],
    },
    Call {
        path: "users",
        valid: &[("mode", "hedge_mode"), ("accounts", "classic"), ("balances", "USDT:500"), ("permissions", "all")],
        needed: &[],
        wrong: &[
            ("mode", &["both"]),
            ("accounts", &["spot"]),
            ("balances", &["USDT", "USDT:x", "USDT:-1", "NONE:5", "USDT:1,USDT:2", "USDT:1e99"]),
            ("permissions", &["everything", "all,all"]),
        ],
    },
    Call {
        path: "account",
        valid: &[("user", "1000000"), ("family", "classic"), ("coin", "USDT"), ("balance", "700")],
        needed: &["user", "coin", "balance"],
        wrong: &[
            ("user", NO_NUMBERS),
            ("user", &["1"]),
            ("family", &["spot"]),
            ("coin", &["NONE"]),
            ("balance", NO_NUMBERS),
            ("balance", &["1e99"]),
            ("mode", &["hedge_mode"]),
        ],
    },
    Call {
        path: "account",
        valid: &[("user", "1000001"), ("mode", "hedge_mode")],
        needed: &["user", "mode"],
        wrong: &[("mode", &["both"]), ("family", &["classic"]), ("coin", &["USDT"])],
    },
    Call {
        path: "account",
        valid: &[("user", "1000001"), ("permissions", "none")],
        needed: &["user", "permissions"],
        wrong: &[("permissions", &["everything"]), ("family", &["classic"])],
    },
    Call {
        path: "faults",
        valid: &[
            ("kind", "refuse"),
            ("code", "40762"),
            ("aim", "unified.place-order"),
            ("times", "2"),
            ("share", "0.5"),
            ("delay", "5"),
        ],
        needed: &["code"],
        wrong: &[
            ("kind", &["fire", "drop", "slow"]),
            ("code", &["%22", "12345678901234567"]),
            ("aim", &["unified.nothing", "everything"]),
            ("times", NO_NUMBERS),
            ("times", &["0"]),
            ("share", &["x", "1.1", "-1", "0", "0.0004"]),
            ("delay", NO_NUMBERS),
            ("delay", &["3600001"]),
            ("clear", &["all", "some"]),
        ],
    },
    Call {
        path: "faults",
        valid: &[("kind", "slow"), ("delay", "5")],
        needed: &["delay"],
        wrong: &[("delay", &["0"])],
    },
    Call { path: "faults", valid: &[("clear", "all")], needed: &["clear"], wrong: &[("clear", &["some"])] },
    Call {
        path: "conditions",
        valid: &[
            ("latency", "5,20"),
            ("clocks", "0,-300"),
            ("lag", "500"),
            ("maintenance", "off"),
            ("hostile", "0"),
            ("quirks", "3"),
            ("seed", "9"),
            ("nodes", "2,1:lag=2500"),
        ],
        needed: &[],
        wrong: &[
            ("latency", &["x", "-1", "3600001", "5,"]),
            ("clocks", &["x", "86400001"]),
            ("lag", NO_NUMBERS),
            ("lag", &["3600001"]),
            ("maintenance", &["maybe"]),
            ("hostile", &["x", "101", "-1", "off"]),
            ("quirks", &["101"]),
            ("seed", NO_NUMBERS),
            ("nodes", &["0", "1:speed=5", "x"]),
        ],
    },
    Call { path: "conditions", valid: &[("hostile", "off")], needed: &["hostile"], wrong: &[("seed", &["5"])] },
    Call { path: "reset", valid: &[], needed: &[], wrong: &[] },
];

const READS: &[Call] = &[
    Call {
        path: "state",
        valid: &[("pair", "3"), ("account", "1")],
        needed: &[],
        wrong: &[("pair", NO_NUMBERS), ("pair", &["99"]), ("account", NO_NUMBERS), ("account", &["99"])],
    },
    Call { path: "journal", valid: &[("from", "1")], needed: &[], wrong: &[("from", &["x", "-1"])] },
];

impl Call {
    /// Returns the target of the call with other parameters.
    fn target(&self, parameters: &[(&str, &str)]) -> String {
        let method = if READS.iter().any(|call| call.path == self.path) { "GET" } else { "POST" };
        let query: Vec<String> = parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{method} /-/{}?{}", self.path, query.join("&"))
    }

    /// Returns the targets that are to be refused, each with a word of its error.
    fn refused(&self) -> Vec<(String, &'static str)> {
        let valid = self.valid.to_vec();
        let mut refused = vec![(self.target(&[&valid[..], &[("prise", "1")]].concat()), "\"prise\"")];
        for (name, value) in self.valid {
            let others: Vec<_> = valid.iter().copied().filter(|(other, _)| other != name).collect();
            refused.push((self.target(&[&valid[..], &[(*name, *value)]].concat()), name));
            refused.push((self.target(&[&others[..], &[(*name, "")]].concat()), name));
            if self.needed.contains(name) {
                refused.push((self.target(&others), name));
            }
        }
        for (name, values) in self.wrong {
            for value in *values {
                let mut changed: Vec<_> = valid.iter().copied().filter(|(other, _)| other != name).collect();
                changed.push((name, value));
                refused.push((self.target(&changed), name));
            }
        }
        refused
    }
}

/// Returns what a refused call must not change.
fn seen(exchange: &Exchange, address: SocketAddr) -> (String, Option<String>) {
    (String::from_utf8(ask(address, "GET /-/state", &[], b"").1).unwrap(), exchange.journal())
}

#[tokio::test(flavor = "multi_thread")]
async fn each_control_call_is_done_and_journalled_or_refused_by_the_name_of_a_parameter() {
    let (exchange, address) = served(|settings| settings.journal = true).await;
    exchange.open_account(tradeapi_exchange::Profile::new().both());
    let order = limit("waits", Side::Buy, "0.01", "60000");
    client(&exchange, address).unified().place_order(&order).await.unwrap();
    let mut wrong = Vec::new();
    for call in CALLS.iter().chain(READS) {
        let before = seen(&exchange, address);
        for (target, word) in call.refused() {
            let (status, answer) = json(address, &target, &[]);
            let error = answer["error"].as_str().unwrap_or_default();
            if status != 400 || !error.contains(word) || seen(&exchange, address) != before {
                wrong.push(format!("{target}: {status} {answer}"));
            }
        }
        let lines = exchange.journal().unwrap().lines().count();
        let (head, body) = ask(address, &call.target(call.valid), &[], b"");
        let is_read = READS.iter().any(|read| read.path == call.path);
        let grew = exchange.journal().unwrap().lines().count() > lines;
        if !head.starts_with("HTTP/1.1 200") || grew == is_read {
            wrong.push(format!("{}: {} {grew}", call.target(call.valid), String::from_utf8_lossy(&body)));
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_parameter_is_refused_with_the_known_ones() {
    let (exchange, address) = served(|settings| settings.journal = true).await;
    let before = seen(&exchange, address);
    for call in CALLS.iter().chain(READS) {
        let (_, answer) = json(address, &call.target(&[("prise", "1")]), &[]);
        let error = answer["error"].as_str().unwrap();
        assert!(call.valid.iter().all(|(name, _)| error.contains(name)), "{}: {error}", call.path);
    }
    let (head, body) = ask(address, "POST /-/reset", &[], b"symbol=BTCUSDT");
    assert!(head.starts_with("HTTP/1.1 400"), "{head} {}", String::from_utf8_lossy(&body));
    assert_eq!(seen(&exchange, address), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_without_parameters_that_needs_some_is_refused() {
    let (exchange, address) = served(|settings| settings.journal = true).await;
    let before = seen(&exchange, address);
    for call in CALLS.iter().filter(|call| !["users", "reset"].contains(&call.path)) {
        let (status, answer) = json(address, &call.target(&[]), &[]);
        assert_eq!(status, 400, "{}: {answer}", call.path);
    }
    assert_eq!(seen(&exchange, address), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_with_the_wrong_code_is_refused_with_what_is_wrong() {
    let (_, address) = served(|_| {}).await;
    for (query, expected) in [
        ("kind=refuse", "missing code: refuse needs one, such as 40762"),
        ("kind=hide&times=1", "missing code: hide needs one, such as 40762"),
        ("kind=drop&code=40762", "code beside kind drop: it means nothing there"),
        ("code=40762", "missing kind: a code needs kind=refuse or kind=hide"),
    ] {
        let (status, answer) = json(address, &format!("POST /-/faults?{query}"), &[]);
        assert_eq!((status, &answer["error"]), (400, &expected.into()), "{query}");
    }
}

/// The guide has a row for each call, and each example does what it says.
#[tokio::test(flavor = "multi_thread")]
async fn the_control_address_lists_its_calls() {
    const GUIDE: &str = include_str!("../../../../generated/guide/local-exchange.md");
    let (exchange, address) = served(|settings| settings.journal = true).await;
    let order = limit("waits", Side::Buy, "0.01", "60000");
    let placed = client(&exchange, address).unified().place_order(&order).await.unwrap();
    let id = placed.data.order_id.unwrap().to_string();
    let (_, calls) = json(address, "GET /-/", &[]);
    for call in calls.as_array().unwrap() {
        let example = call["example"].as_str().unwrap();
        let (status, answer) = {
            let (head, body) = ask(address, &example.replace("ID", &id), &[], b"");
            (head.lines().next().unwrap_or_default().to_owned(), String::from_utf8(body).unwrap())
        };
        assert!(status.contains(" 200 "), "{example}: {status} {answer}");
        let name = example.split_once("/-/").unwrap().1.split('?').next().unwrap();
        let is_in_guide = GUIDE.contains(&format!("`{name}?")) || GUIDE.contains(&format!("`{name}`"));
        assert!(is_in_guide || GUIDE.contains(&format!("/-/{name}")), "{example}");
    }
    let named = |call: &Call| {
        calls.as_array().unwrap().iter().any(|listed| {
            let example = listed["example"].as_str().unwrap();
            example.split('?').next().unwrap().ends_with(&format!("/-/{}", call.path))
        })
    };
    assert!(CALLS.iter().chain(READS).all(named), "{calls}");
    let (status, answer) = json(address, "GET /-/nothing", &[]);
    assert!(status == 404 && answer["error"].as_str().unwrap().contains("GET /-/ lists them"), "{answer}");
}

/// A pair that exists in several business lines is meant by its line.
#[tokio::test(flavor = "multi_thread")]
async fn a_line_names_one_of_several_pairs_of_a_symbol() {
    let (exchange, address) = served(|_| {}).await;
    let done = |target: &str| crate::control::done(address, target);
    let mid = |line| {
        let book = exchange.book(line, "BTCUSDT");
        (book.bids[0].0 + book.asks[0].0) / rust_decimal::Decimal::TWO
    };
    let (spot, futures) = (tradeapi_exchange::Line::Spot, tradeapi_exchange::Line::UsdtFutures);
    done("POST /-/price?symbol=BTCUSDT&price=64000");
    done("POST /-/price?line=SPOT&symbol=BTCUSDT&price=65000.05");
    assert_eq!([mid(spot), mid(futures)], [dec!(65000.05), dec!(64000)]);
    done("POST /-/suspend?line=SPOT&symbol=BTCUSDT");
    let client = client(&exchange, address);
    client.unified().place_order(&limit("futures", Side::Buy, "0.01", "60000")).await.unwrap();
    let mut order = limit("spot", Side::Buy, "0.01", "60000");
    order.category = tradeapi::unified::Category::Spot;
    client.unified().place_order(&order).await.unwrap_err();
    done("POST /-/suspend?symbol=BTCUSDT&on=no");
    client.unified().place_order(&order).await.unwrap();
}

/// Quotes that are set far below the market leave no space for automatic ones, which come back where there is.
#[tokio::test(flavor = "multi_thread")]
async fn automatic_quotes_come_back_after_a_book_at_the_lowest_prices() {
    let (exchange, address) = served(|_| {}).await;
    crate::control::done(address, "POST /-/book?symbol=BTCUSDT&bids=0.1:1&asks=0.3:1");
    crate::control::done(address, "POST /-/book?symbol=BTCUSDT&quotes=auto");
    assert_eq!(exchange.book(tradeapi_exchange::Line::UsdtFutures, "BTCUSDT").bids.len(), 5);
}
