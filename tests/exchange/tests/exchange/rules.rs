//! The rules of the schema: each simulated rule has a test that shows it, and each checked rule is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use serde_json::{Map, Value, json};
use tradeapi::runtime::tables::Meta;
use tradeapi::{broker, classic, observed, unified};
use tradeapi_exchange::{DECISIONS, Exchange, Mode, Profile, Seed, Settings, SignedQuery, Time};
use tradeapi_gen::{Case, Generator, Schema};

use crate::raw::post;

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema");
    Generator::new().schema_dir(folder).read().unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
});

/// The operation of a rule, its id, and the test that shows it.
const TESTS: &str = include_str!("rules.tsv");

/// A decision, and the test that shows it.
const DECIDED: &str = include_str!("decisions.tsv");

const SOURCES: &[(&str, &str)] = &[
    ("amending", include_str!("amending.rs")),
    ("decided", include_str!("decided.rs")),
    ("faults", include_str!("faults.rs")),
    ("members", include_str!("members.rs")),
    ("observed", include_str!("observed.rs")),
    ("plans", include_str!("plans.rs")),
    ("presets", include_str!("presets.rs")),
    ("raw", include_str!("raw.rs")),
    ("rules_classic", include_str!("rules_classic.rs")),
    ("rules_unified", include_str!("rules_unified.rs")),
    ("order_lifecycle", include_str!("order_lifecycle.rs")),
    ("tolerance", include_str!("tolerance.rs")),
];

#[test]
fn each_simulated_rule_has_a_test() {
    let table = SCHEMA.rules();
    let columns =
        |line: &str| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect();
    let rows =
        table.lines().map(columns).filter(|row: &Vec<String>| row.get(2).is_some_and(|kind| kind == "simulated"));
    let simulated: BTreeSet<(String, String)> = rows.map(|row| (row[0].clone(), row[1].clone())).collect();
    let tests = TESTS.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let named: BTreeMap<(String, String), &str> =
        tests.map(|row| ((row[0].to_owned(), row[1].to_owned()), row[2])).collect();
    assert_eq!(named.keys().cloned().collect::<BTreeSet<_>>(), simulated, "rules.tsv has each simulated rule once");
    for (rule, test) in named {
        assert!(is_test(test), "{rule:?} names {test}, which does not exist");
    }
}

/// Returns whether there is a test of this name, such as `raw::the_order_id_wins`.
fn is_test(name: &str) -> bool {
    let (module, function) = name.split_once("::").unwrap();
    let source = SOURCES.iter().find(|(other, _)| *other == module);
    source.is_some_and(|(_, source)| source.contains(&format!("fn {function}()")))
}

#[test]
fn each_decision_has_a_test() {
    let named: Vec<_> = DECIDED.lines().map(|line| line.split_once('\t').unwrap()).collect();
    let questions: Vec<_> = DECISIONS.iter().map(|decision| decision.question).collect();
    let rows: Vec<_> = named.iter().map(|(question, _)| *question).collect();
    assert_eq!(rows, questions, "decisions.tsv has each decision, in the order of the table");
    for (question, test) in named {
        assert!(is_test(test), "`{question}` names {test}, which does not exist");
    }
}

fn operations() -> impl Iterator<Item = &'static Meta> {
    [unified::OPERATIONS, classic::OPERATIONS, broker::OPERATIONS, observed::OPERATIONS].into_iter().flatten().copied()
}

/// Returns the user of a case; `None` if the exchange has no such user.
fn profile(properties: &str) -> Option<Profile> {
    let properties: Map<String, Value> = serde_json::from_str(properties).unwrap();
    let mut profile = Profile::new().both();
    let pairs = |properties: &Map<String, Value>| {
        let names = properties.get("copyTradingPairs").and_then(Value::as_array).cloned().unwrap_or_default();
        names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    for (property, value) in &properties {
        profile = match (property.as_str(), value) {
            ("positionMode", Value::String(mode)) if mode == "hedge_mode" => profile.mode(Mode::Hedge),
            ("whitelisted", Value::String(yes)) if yes == "true" => profile.whitelisted(),
            ("rpiMarketMaker", Value::String(yes)) if yes == "true" => profile.rpi_market_maker(),
            ("copyTrading", Value::String(yes)) if yes == "true" => profile.copy_trading(pairs(&properties)),
            ("positionMode" | "whitelisted" | "rpiMarketMaker" | "copyTrading" | "copyTradingPairs", _) => profile,
            // Its pairs have steps of their own, and it has no managed sub-accounts.
            _ => return None,
        };
    }
    Some(profile)
}

/// Returns the answer to the request of a case.
fn answer(case: &Case, profile: Profile) -> String {
    let meta = operations().find(|meta| meta.id == case.operation).unwrap();
    let mut settings = Settings::default();
    settings.signed_query = Some(SignedQuery::Sent);
    let exchange = Exchange::with(settings, Time::by_hand(), profile);
    let begun = exchange.time().now().as_millis();
    exchange.time().advance(Duration::from_millis(case.now.saturating_sub(begun)));
    let request = Request::builder().method(meta.method.as_str());
    let request = if meta.method.has_query() {
        let members: Map<String, Value> = serde_json::from_str(&case.request).unwrap();
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let encoded = |text: String| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
        let pairs: Vec<_> = members.iter().map(|(name, value)| format!("{name}={}", encoded(text(value)))).collect();
        request.uri(format!("{}?{}", meta.path, pairs.join("&"))).body(Bytes::new())
    } else {
        request.uri(meta.path).body(Bytes::from(case.request.clone()))
    };
    let response = exchange.answer(&crate::raw::sign(request.unwrap(), &exchange), [127, 0, 0, 1].into());
    String::from_utf8(response.body().to_vec()).unwrap()
}

#[test]
fn checked_rules_are_refused_by_name() {
    let begun = Time::by_hand().now().as_millis();
    let (mut refused, mut kept, mut tried) = (0, 0, BTreeSet::new());
    for case in SCHEMA.cases() {
        let Some(profile) = profile(&case.account).filter(|_| case.now >= begun) else { continue };
        let evaluated = SCHEMA.evaluate(&case.operation, &case.request, &case.account, Some(case.now)).unwrap();
        let answer = answer(&case, profile);
        let names_it = answer.contains(&format!("(rule {};", case.rule));
        if case.breaks && evaluated.get(&case.rule) == Some(&true) {
            assert!(names_it, "{case:?}\n{answer}");
            refused += 1;
            tried.insert((case.operation.clone(), case.rule.clone()));
        } else {
            assert!(!names_it || !answer.contains("\"00000\""), "{case:?}\n{answer}");
            kept += 1;
        }
    }
    assert!(refused > 150 && kept > 150 && tried.len() > 120, "{refused} refused, {kept} kept, {} rules", tried.len());
}

/// A person who reads a refusal of a number learns which one it is and what it must be.
#[test]
fn refusals_of_numbers_name_the_parameter_and_the_bound() {
    let exchange = Exchange::for_user(Seed(7), Profile::new().both());
    exchange.set_price("BTCUSDT", 64_000).unwrap();
    let said = |target: &str, order: Value, more: &[(&str, &str)]| {
        let mut order = order;
        more.iter().for_each(|(name, value)| order[*name] = json!(value));
        post(target, &order).send(&exchange)["msg"].as_str().unwrap().to_owned()
    };
    let unified = |more: &[(&str, &str)]| {
        let order = json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.001", "side": "buy",
            "orderType": "limit", "price": "60000"});
        said("/api/v3/trade/place-order", order, more)
    };
    let classic = |more: &[(&str, &str)]| {
        let order = json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginMode": "crossed", "force": "gtc",
            "marginCoin": "USDT", "size": "0.001", "side": "sell", "orderType": "limit", "price": "66000"});
        said("/api/v2/mix/order/place-order", order, more)
    };
    let spot = |more: &[(&str, &str)]| {
        let order = json!({"category": "SPOT", "symbol": "BTCUSDT", "qty": "1", "side": "buy", "orderType": "market"});
        said("/api/v3/trade/place-order", order, more)
    };
    assert_eq!(unified(&[("clientOid", "a")]), "success");
    assert_eq!(classic(&[("clientOid", "a")]), "success");
    let amended = |more: &[(&str, &str)]| said("/api/v3/trade/modify-order", json!({"clientOid": "a"}), more);
    let replaced = |more: &[(&str, &str)]| {
        let named = json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "clientOid": "a", "newClientOid": "b"});
        said("/api/v2/mix/order/modify-order", named, more)
    };
    let refusals = [
        (unified(&[("price", "71000")]), "price", "at most 70400"),
        (classic(&[("price", "57000")]), "price", "at least 57600"),
        (unified(&[("price", "60000.05")]), "price", "0.1"),
        (classic(&[("price", "66000.05")]), "price", "a positive multiple of 0.1"),
        (unified(&[("qty", "0.00101")]), "qty", "0.001"),
        (classic(&[("size", "0.0001")]), "size", "3"),
        (classic(&[("size", "0")]), "size", "at least 0.001"),
        (classic(&[("size", "99999999999")]), "size", "at most"),
        (spot(&[("qty", "0.01")]), "qty", "at least"),
        (amended(&[("price", "71000")]), "price", "at most 70400"),
        (replaced(&[("newPrice", "1"), ("newSize", "0.002")]), "newPrice", "at least 57600"),
        (replaced(&[("newPrice", "66000"), ("newSize", "0.0001")]), "newSize", "0.001"),
        (replaced(&[("newPresetStopLossPrice", "70000.05")]), "newPresetStopLossPrice", "a positive multiple of 0.1"),
        (unified(&[("takeProfit", "59000")]), "takeProfit", "above 60000"),
        (unified(&[("stopLoss", "65000")]), "stopLoss", "below 64000"),
        (classic(&[("presetStopSurplusPrice", "67000")]), "presetStopSurplusPrice", "below 66000"),
        (classic(&[("presetStopLossPrice", "63000")]), "presetStopLossPrice", "above 64000"),
    ];
    let is_named = |said: &str, parameter, bound| {
        said.contains(&format!("{parameter} must be {bound}")) || is_checked(said, parameter, bound)
    };
    let unnamed: Vec<_> =
        refusals.iter().filter(|(said, parameter, bound)| !is_named(said, parameter, bound)).collect();
    assert!(unnamed.is_empty(), "{unnamed:#?}");
}

/// Returns whether the checks of the documents' rules refuse the parameter, with the bound.
fn is_checked(said: &str, parameter: &str, bound: &str) -> bool {
    said.starts_with(&format!("Parameter verification failed: {parameter}: "))
        && said.contains(&format!(" is {bound})"))
}
