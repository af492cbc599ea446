//! Four judges of one request: the rules of the schema as they are interpreted, the exported document, the emitted
//! crate, and the strict local exchange. What one of the first two refuses, and nothing else, the other two refuse.

use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

use bytes::Bytes;
use http::Request;
use serde_json::{Value, json};
use tradeapi::Operation;
use tradeapi::runtime::account::PropertyValue;
use tradeapi::runtime::checks::CheckContext;
use tradeapi::runtime::tables::Meta;
use tradeapi::runtime::{Account, Timestamp};
use tradeapi_exchange::{Exchange, Profile, Settings, SignedQuery, Time};
use tradeapi_gen::Schema;
use tradeapi_tests::schema::examples;
use tradeapi_tests::{query, signature};

use super::validator::OpenApiValidator;
use super::{forms, mangled, read, schema};

/// A text that stands for a parameter that is left out.
const BLANK: &str =
    "The export is for who writes a request. A reader takes the blank, as a key of the export announces.";
const INSTRUMENT: &str = "Only the exchange knows the least quantity of the pair here.";
const LARGE: &str = "The export bounds no number in a text. The crate holds 64 bits.";
const ONE_OF: &str = "OpenAPI has no relation between the parameters of a query.";

/// Changes of examples of which the judges say different things, and why.
const EXCEPTIONS: [(&str, &[&str], &str); 9] = [
    ("classic.cancel-all-orders", &["requestTime far too large", "receiveWindow far too large"], LARGE),
    ("unified.place-order", &["qty below zero"], INSTRUMENT),
    ("classic.close-positions", &["holdSide empty"], BLANK),
    ("classic.modify-order", &["newSize below zero"], INSTRUMENT),
    ("classic.modify-order", &["newPresetStopSurplusPrice empty", "newPresetStopLossPrice empty"], BLANK),
    ("classic.place-order", &["presetStopSurplusPrice empty", "presetStopLossPrice empty"], BLANK),
    (
        "unified.modify-order",
        &[
            "takeProfit empty",
            "tpTriggerBy empty",
            "tpLimitPrice empty",
            "stopLoss empty",
            "slTriggerBy empty",
            "slLimitPrice empty",
        ],
        BLANK,
    ),
    ("classic.detail", &["orderId left out", "clientOid left out"], ONE_OF),
    ("unified.order-info", &["orderId left out", "clientOid left out"], ONE_OF),
];

/// The properties of the first account of the local exchange, for the rules of the schema.
const ACCOUNT: &str = r#"{"positionMode": "one_way_mode", "rpiMarketMaker": false}"#;

/// Returns the same account for the emitted crate.
fn account() -> Account {
    let mut account = Account::default();
    account.set("positionMode", PropertyValue::Word("one_way_mode".into()));
    account.set("rpiMarketMaker", PropertyValue::Flag(false));
    account
}

/// Returns whether the emitted crate refuses a request.
type Refuses = fn(&str, CheckContext<'_>) -> bool;

fn refuses<O: Operation>(request: &str, context: CheckContext<'_>) -> bool {
    O::from_json_in(request, context).is_err()
}

fn operations() -> Vec<(&'static Meta, Refuses)> {
    macro_rules! all {
        ($($operation:path),*) => { vec![$((<$operation as Operation>::META, refuses::<$operation> as Refuses)),*] };
    }
    tradeapi::for_each_operation!(all)
}

/// Returns requests like an example, each with what was done to it.
fn like(example: &Value, is_query: bool) -> Vec<(String, Value)> {
    let mut requests = vec![("as it is".to_owned(), example.clone())];
    // In a query, every value is a text.
    let others = if is_query { Vec::new() } else { mangled(example) };
    requests.extend(others.into_iter().map(|(name, wrong)| (format!("{name} of another kind"), wrong)));
    for (name, value) in example.as_object().into_iter().flatten() {
        let mut change = |what: &str, value: Option<Value>| {
            let mut members = example.as_object().cloned().unwrap_or_default();
            match value {
                Some(value) => members.insert(name.clone(), value),
                None => members.remove(name),
            };
            requests.push((format!("{name} {what}"), Value::Object(members)));
        };
        change("left out", None);
        if value.is_string() {
            change("empty", Some(json!("")));
            change("of other letters", Some(json!("no-Such_value")));
            change("below zero", Some(json!("-1")));
            change("far too large", Some(json!("9".repeat(30))));
        }
    }
    if let Some(members) = example.as_object() {
        let mut members = members.clone();
        members.insert("noSuchParameter".to_owned(), json!("1"));
        requests.push(("another parameter".to_owned(), Value::Object(members)));
    }
    requests
}

/// Returns what the strict local exchange says of a request, if a rule of the operation refuses it.
fn refusal(meta: &Meta, request: &Value) -> Option<String> {
    let mut settings = Settings::default();
    settings.signed_query = Some(SignedQuery::Sent);
    let exchange = Exchange::with(settings, Time::by_hand(), Profile::new().both().whitelisted());
    let (mut target, mut body) = (meta.path.to_owned(), String::new());
    match request.as_object().filter(|_| meta.method.has_query()) {
        Some(members) => {
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let pairs: Vec<_> = members.iter().map(|(name, value)| (name.clone(), text(value))).collect();
            let query = query::of_pairs(&pairs);
            target += &if query.is_empty() { query } else { format!("?{query}") };
        }
        None => body = request.to_string(),
    }
    let (keys, now) = (exchange.keys(), exchange.time().now().as_millis().to_string());
    let signed = signature::of_text(&keys.secret, format!("{now}{}{target}{body}", meta.method.as_str()));
    let headers = [
        ("ACCESS-KEY", keys.key.as_str()),
        ("ACCESS-SIGN", &signed),
        ("ACCESS-PASSPHRASE", &keys.passphrase),
        ("ACCESS-TIMESTAMP", &now),
        ("Content-Type", "application/json"),
    ];
    let built =
        headers.iter().fold(Request::builder().method(meta.method.as_str()).uri(target), |built, (name, value)| {
            built.header(*name, *value)
        });
    let answer = exchange.answer(&built.body(Bytes::from(body)).unwrap(), Ipv4Addr::LOCALHOST.into());
    // The answer to a batch says it of each item.
    Some(String::from_utf8_lossy(answer.body()).into_owned()).filter(|says| says.contains("(rule "))
}

/// Returns whether an exported document or the rules of the schema refuse a request.
fn is_forbidden(schema: &Schema, document: &OpenApiValidator<'_>, meta: &Meta, request: &Value, now: u64) -> bool {
    let broken = schema.evaluate(meta.id, &request.to_string(), ACCOUNT, Some(now)).unwrap();
    broken.values().any(|refuses| *refuses) || !document.request(meta.id, request).is_empty()
}

#[test]
fn four_judges_say_the_same_of_each_request() {
    let schema = schema();
    let [_, exact] = forms(&schema);
    let document = OpenApiValidator::new(&exact);
    let now = Time::by_hand().now().as_millis();
    let account = account();
    let context =
        || CheckContext { account: &account, now: Some(Timestamp::from_millis(now)), ..CheckContext::default() };
    let (mut verdicts, mut differ, mut used) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
    let cases = schema.cases();
    for (meta, crate_refuses) in operations() {
        let like = |request: &str| like(&read(request), meta.method.has_query());
        let mut requests: Vec<_> = examples(meta).iter().flat_map(|example| like(&example.request)).collect();
        let of_rules = cases.iter().filter(|case| case.operation == meta.id && case.account == "{}");
        requests.extend(of_rules.map(|case| (format!("rule {} {}", case.rule, case.breaks), read(&case.request))));
        for (what, request) in requests {
            let forbidden = is_forbidden(&schema, &document, meta, &request, now);
            let said = refusal(meta, &request);
            *verdicts.entry(forbidden).or_insert(0) += 1;
            if [crate_refuses(&request.to_string(), context()), said.is_some()] == [forbidden; 2] {
                continue;
            }
            match EXCEPTIONS.iter().find(|(id, changes, _)| *id == meta.id && changes.contains(&what.as_str())) {
                Some(_) => drop(used.insert((meta.id, what))),
                None => differ.push(format!("{} {what}: {forbidden}, {said:?}: {request}", meta.id)),
            }
        }
    }
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
    assert_eq!(used.len(), EXCEPTIONS.iter().map(|(_, changes, _)| changes.len()).sum::<usize>(), "{used:?}");
    assert!(verdicts[&true] > 300 && verdicts[&false] > 100, "{verdicts:?}");
}
