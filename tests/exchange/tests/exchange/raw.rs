//! Requests that are written by hand from the documents, signed without the client, and answers read as plain JSON.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http::{Request, Response};
use serde_json::{Value, json};
use sha2::Sha256;
use tradeapi_exchange::{Accounts, Exchange, Keys, Mode, Profile, Seed, Settings, SignedQuery, Time};

/// A request before it is signed.
pub(crate) struct Raw<'a> {
    method: &'a str,
    target: &'a str,
    body: String,
    age_ms: i64,
}

pub(crate) fn post<'a>(target: &'a str, body: &Value) -> Raw<'a> {
    Raw { method: "POST", target, body: body.to_string(), age_ms: 0 }
}

pub(crate) fn get(target: &str) -> Raw<'_> {
    Raw { method: "GET", target, body: String::new(), age_ms: 0 }
}

/// Adds the headers of the authentication at this time.
fn sign_at(mut request: Request<Bytes>, keys: &Keys, at: u64) -> Request<Bytes> {
    let (at, target) = (at.to_string(), request.uri().path_and_query().unwrap().to_string());
    let body = if request.method() == "GET" { Bytes::new() } else { request.body().clone() };
    let mut mac = Hmac::<Sha256>::new_from_slice(keys.secret.as_bytes()).unwrap();
    mac.update(format!("{at}{}{target}", request.method()).as_bytes());
    mac.update(&body);
    *request.body_mut() = body;
    let signature = STANDARD.encode(mac.finalize().into_bytes());
    for (name, value) in [
        ("ACCESS-KEY", &keys.key),
        ("ACCESS-SIGN", &signature),
        ("ACCESS-PASSPHRASE", &keys.passphrase),
        ("ACCESS-TIMESTAMP", &at),
        ("Content-Type", &"application/json".to_owned()),
    ] {
        let name: http::HeaderName = name.parse().unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    request
}

/// Signs a request of the first user now.
pub(crate) fn sign(request: Request<Bytes>, exchange: &Exchange) -> Request<Bytes> {
    sign_at(request, exchange.keys(), exchange.time().now().as_millis())
}

impl Raw<'_> {
    fn signed(&self, exchange: &Exchange, keys: &Keys) -> Request<Bytes> {
        let at = exchange.time().now().as_millis().checked_add_signed(-self.age_ms).unwrap();
        let request = Request::builder().method(self.method).uri(self.target);
        sign_at(request.body(Bytes::from(self.body.clone())).unwrap(), keys, at)
    }

    pub(crate) fn send(&self, exchange: &Exchange) -> Value {
        value(&exchange.answer(&self.signed(exchange, exchange.keys()), [127, 0, 0, 1].into()))
    }
}

fn value(response: &Response<Bytes>) -> Value {
    serde_json::from_slice(response.body()).unwrap()
}

fn code_of(exchange: &Exchange, request: &Request<Bytes>) -> (u16, String) {
    let response = exchange.answer(request, [127, 0, 0, 1].into());
    (response.status().as_u16(), value(&response)["code"].as_str().unwrap().to_owned())
}

fn exchange() -> Exchange {
    Exchange::for_user(Seed(7), Profile::new().both())
}

const PLACE: &str = "/api/v3/trade/place-order";

fn order() -> Value {
    json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": "limit",
           "price": "63000", "clientOid": "a"})
}

#[test]
fn an_order_is_placed_queried_and_cancelled() {
    let exchange = exchange();
    let placed = post(PLACE, &order()).send(&exchange);
    assert_eq!((&placed["code"], &placed["msg"]), (&json!("00000"), &json!("success")));
    assert_eq!(placed["requestTime"].as_u64(), Some(exchange.time().now().as_millis()));
    let id = placed["data"]["orderId"].as_str().unwrap();
    assert_eq!(placed["data"]["clientOid"], "a");
    let target = format!("/api/v3/trade/order-info?orderId={id}");
    let info = get(&target).send(&exchange);
    let data = &info["data"];
    assert_eq!(
        [&data["orderStatus"], &data["qty"], &data["price"], &data["side"], &data["category"]],
        ["live", "0.01", "63000", "buy", "USDT-FUTURES"]
    );
    assert_eq!(data["createdTime"], exchange.time().now().as_millis().to_string());
    let cancelled = post("/api/v3/trade/cancel-order", &json!({"orderId": id})).send(&exchange);
    assert_eq!(cancelled["data"]["orderId"], id);
}

#[test]
fn a_replacing_reduce_only_order_is_answered_with_a_null_id() {
    let exchange = exchange();
    let market = json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy",
                        "orderType": "market"});
    post(PLACE, &market).send(&exchange);
    let mut close = order();
    (close["side"], close["price"], close["reduceOnly"]) = (json!("sell"), json!("65000"), json!("yes"));
    assert!(post(PLACE, &close).send(&exchange)["data"]["orderId"].is_string());
    close["clientOid"] = json!("b");
    assert_eq!(post(PLACE, &close).send(&exchange)["data"], json!({"orderId": null, "clientOid": "b"}));
}

#[test]
fn reality_operations_answer_with_an_empty_client_id() {
    let exchange = Exchange::with(Settings::default(), Time::by_hand(), Profile::new().both().whitelisted());
    let order = json!({"symbol": "rAAPLUSDT", "side": "buy", "orderType": "limit", "qty": "1", "price": "225"});
    let placed = post("/api/v3/trade/place-reality-order", &order).send(&exchange);
    assert_eq!(placed["data"]["clientOid"], "", "{placed}");
    let cancel = json!({"symbol": "rAAPLUSDT", "orderId": placed["data"]["orderId"]});
    let cancelled = post("/api/v3/trade/cancel-reality-order", &cancel).send(&exchange);
    assert_eq!(cancelled["data"]["clientOid"], "", "{cancelled}");
}

#[test]
fn the_order_id_takes_precedence_over_the_client_id() {
    let exchange = exchange();
    let first = post(PLACE, &order()).send(&exchange);
    let mut other = order();
    other["clientOid"] = json!("b");
    post(PLACE, &other).send(&exchange);
    let both = json!({"orderId": first["data"]["orderId"], "clientOid": "b"});
    let cancelled = post("/api/v3/trade/cancel-order", &both).send(&exchange);
    assert_eq!(cancelled["data"], json!({"orderId": first["data"]["orderId"], "clientOid": "a"}));
}

#[test]
fn a_batch_is_an_array_and_succeeded_items_have_two_members() {
    let exchange = exchange();
    let mut bad = order();
    (bad["clientOid"], bad["price"]) = (json!("b"), json!("63000.05"));
    let results = post("/api/v3/trade/place-batch", &json!([order(), bad])).send(&exchange);
    let members = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(members(&results["data"][0]), BTreeSet::from(["clientOid".to_owned(), "orderId".to_owned()]));
    assert_eq!(results["data"][1]["code"], "25244", "{results}");
}

/// Escapes are signed as the schema states it or as the settings say; a character without one is the same in both.
#[test]
fn a_query_is_signed_as_the_settings_say() {
    const SENT: &str = "/api/v3/trade/order-info?clientOid=a%3Ab";
    const DECODED: &str = "/api/v3/trade/order-info?clientOid=a:b";
    let (refused, read) = ("40009", "25204");
    for (setting, tolerant, expected) in [
        (None, false, [refused, read]),
        (None, true, [read, read]),
        (Some(SignedQuery::Decoded), true, [refused, read]),
        (Some(SignedQuery::Sent), true, [read, refused]),
    ] {
        let mut settings = Settings::default();
        (settings.signed_query, settings.tolerant) = (setting, tolerant);
        let exchange = Exchange::with(settings, Time::by_hand(), Profile::new().both());
        let code = |signed: &'static str| {
            let mut request = get(signed).signed(&exchange, exchange.keys());
            *request.uri_mut() = SENT.parse().unwrap();
            code_of(&exchange, &request).1
        };
        assert_eq!([SENT, DECODED].map(code), expected, "{setting:?}");
        assert_eq!(code_of(&exchange, &get(DECODED).signed(&exchange, exchange.keys())).1, read, "without an escape");
    }
}

/// A unified key is refused by the classic family before the signature is looked at, and a classic one by the unified
/// family after it.
#[test]
fn a_wrong_signature_is_seen_after_the_kind_of_account_or_before_it() {
    let (assets, pending) =
        (get("/api/v3/account/assets"), get("/api/v2/mix/order/orders-pending?productType=USDT-FUTURES"));
    let commissions = get("/api/v2/broker/customer-commissions");
    let codes = |accounts| {
        let exchange = Exchange::for_user(Seed(7), Profile::new().accounts(accounts));
        let forger = Keys { secret: "wrong".to_owned(), ..exchange.keys().clone() };
        [&assets, &pending, &commissions].map(|request| {
            [exchange.keys(), &forger].map(|keys| code_of(&exchange, &request.signed(&exchange, keys)).1)
        })
    };
    let of_anybody = ["00000", "40009"];
    assert_eq!(codes(Accounts::Unified), [of_anybody, ["40085", "40085"], of_anybody]);
    assert_eq!(codes(Accounts::Classic), [["40084", "40009"], of_anybody, of_anybody]);
    assert_eq!(codes(Accounts::Both), [of_anybody; 3]);
}

#[test]
fn the_headers_of_a_request_are_checked_first() {
    let exchange = exchange();
    let without = |name: &str| {
        let mut request = post(PLACE, &order()).signed(&exchange, exchange.keys());
        request.headers_mut().remove(name);
        code_of(&exchange, &request).1
    };
    let codes = ["ACCESS-KEY", "ACCESS-SIGN", "ACCESS-TIMESTAMP", "ACCESS-PASSPHRASE", "Content-Type"].map(without);
    assert_eq!(codes, ["40001", "40003", "40005", "40011", "40007"]);

    let with = |name: &'static str, value: &'static str| {
        let mut request = post(PLACE, &order()).signed(&exchange, exchange.keys());
        let name: http::HeaderName = name.parse().unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
        code_of(&exchange, &request).1
    };
    assert_eq!(with("ACCESS-KEY", "nobody"), "40037");
    assert_eq!(with("ACCESS-SIGN", "d3Jvbmc="), "40009");
    assert_eq!(with("ACCESS-PASSPHRASE", "wrong"), "40012");
    assert_eq!(with("ACCESS-TIMESTAMP", "soon"), "40005");

    let aged = |age_ms| Raw { age_ms, ..post(PLACE, &order()) }.signed(&exchange, exchange.keys());
    assert_eq!(code_of(&exchange, &aged(30_001)).1, "40008");
    assert_eq!(code_of(&exchange, &aged(-30_001)).1, "40008");
    assert_eq!(code_of(&exchange, &aged(30_000)).1, "00000");

    let mut changed = post(PLACE, &order()).signed(&exchange, exchange.keys());
    *changed.body_mut() = Bytes::from(order().to_string().replace("0.01", "0.02"));
    assert_eq!(code_of(&exchange, &changed), (400, "40009".to_owned()));
    let nowhere = get("/api/v3/trade/nowhere").signed(&exchange, exchange.keys());
    assert_eq!(code_of(&exchange, &nowhere), (404, "40404".to_owned()));
    let wrong_method = get(PLACE).signed(&exchange, exchange.keys());
    assert_eq!(code_of(&exchange, &wrong_method).0, 404);
}

#[test]
fn keys_have_permissions_and_addresses() {
    let exchange = exchange();
    let reader = exchange.open_account(Profile::new().both().permissions(["UTA trade (read)"]));
    let open = get("/api/v3/trade/unfilled-orders").signed(&exchange, &reader);
    assert_eq!(code_of(&exchange, &open).1, "00000");
    let place = post(PLACE, &order()).signed(&exchange, &reader);
    assert_eq!(code_of(&exchange, &place).1, "40014");
    let elsewhere = exchange.open_account(Profile::new().both().addresses([[10, 0, 0, 1].into()]));
    let open = get("/api/v3/trade/unfilled-orders").signed(&exchange, &elsewhere);
    assert_eq!(code_of(&exchange, &open).1, "40038");
}

#[test]
fn a_key_that_only_reads_changes_nothing() {
    let exchange = exchange();
    let contract = json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginCoin": "USDT"});
    let with = |more: Value| {
        let mut request = contract.clone();
        more.as_object().unwrap().iter().for_each(|(name, value)| request[name] = value.clone());
        request
    };
    let line = json!({"productType": "USDT-FUTURES"});
    let changes = [
        ("/api/v3/account/set-leverage", json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "leverage": "5"})),
        ("/api/v3/account/set-hold-mode", json!({"holdMode": "hedge_mode"})),
        ("/api/v3/trade/close-positions", json!({"category": "USDT-FUTURES"})),
        ("/api/v2/mix/account/set-leverage", with(json!({"leverage": "5"}))),
        ("/api/v2/mix/account/set-margin-mode", with(json!({"marginMode": "isolated"}))),
        ("/api/v2/mix/account/set-position-mode", json!({"productType": "USDT-FUTURES", "posMode": "hedge_mode"})),
        ("/api/v2/mix/order/close-positions", line.clone()),
        ("/api/v2/mix/order/cancel-all-orders", line),
    ];
    let reads = ["UTA trade (read)", "UTA mgt. (read)"];
    let reader = exchange.open_account(Profile::new().both().permissions(reads));
    let writes = ["UTA trade (read & write)", "UTA mgt. (read & write)"];
    let writer = exchange.open_account(Profile::new().both().permissions(writes));
    for (path, body) in changes {
        assert_eq!(code_of(&exchange, &post(path, &body).signed(&exchange, &reader)).1, "40014", "{path}");
        assert_ne!(code_of(&exchange, &post(path, &body).signed(&exchange, &writer)).1, "40014", "{path}");
    }
    // No permission is named for this one: any reads it, and without one nothing does.
    let pending = "/api/v2/mix/order/orders-pending?productType=USDT-FUTURES";
    assert_eq!(code_of(&exchange, &get(pending).signed(&exchange, &reader)).1, "00000");
    let nothing = exchange.open_account(Profile::new().both().permissions(Vec::<String>::new()));
    assert_eq!(code_of(&exchange, &get(pending).signed(&exchange, &nothing)).1, "40014");
}

const LISTINGS: &[&str] = &[
    "/api/v3/trade/unfilled-orders?cursor=",
    "/api/v3/trade/history-orders?category=USDT-FUTURES&cursor=",
    "/api/v3/trade/fills?cursor=",
    "/api/v3/reality/market/inner-trades?code=AAPL&cursor=",
    "/api/v2/broker/customer-commissions?idLessThan=",
    "/api/v2/mix/order/orders-pending?productType=USDT-FUTURES&idLessThan=",
    "/api/v2/mix/order/orders-history?productType=USDT-FUTURES&idLessThan=",
    "/api/v2/mix/order/fills?productType=USDT-FUTURES&idLessThan=",
    "/api/v2/mix/order/fill-history?productType=USDT-FUTURES&idLessThan=",
];

#[test]
fn a_page_has_at_least_one_item() {
    let exchange = exchange();
    for listing in LISTINGS {
        let (listing, _) = listing.rsplit_once(['?', '&']).unwrap();
        let separator = if listing.contains('?') { '&' } else { '?' };
        let answer = get(&format!("{listing}{separator}limit=0")).send(&exchange);
        let code = if listing.contains("/mix/") { "40017" } else { "25200" };
        assert_eq!(answer["code"], code, "{listing}: {answer}");
        assert!(answer["msg"].as_str().unwrap().contains("limit: 0 given"), "{answer}");
        assert_eq!(get(&format!("{listing}{separator}limit=1")).send(&exchange)["code"], "00000", "{listing}");
    }
}

#[test]
fn a_time_has_63_bits() {
    let exchange = exchange();
    let fills = |start: u64| get(&format!("/api/v3/trade/fills?startTime={start}")).send(&exchange)["code"].clone();
    assert_eq!([fills(i64::MAX as u64), fills(1 << 63)], ["00000", "25200"]);
}

#[test]
fn a_cursor_is_a_number() {
    let exchange = exchange();
    let fill = json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy",
                      "orderType": "market"});
    post(PLACE, &fill).send(&exchange);
    let waiting = post(PLACE, &order()).send(&exchange);
    for listing in LISTINGS {
        for cursor in ["x", "-1", "1.5", "99999999999999999999999"] {
            let answer = get(&format!("{listing}{cursor}")).send(&exchange);
            assert_eq!(answer["code"], "40020", "{listing}{cursor}: {answer}");
            let (_, parameter) = listing.trim_end_matches('=').rsplit_once(['?', '&']).unwrap();
            assert!(answer["msg"].as_str().unwrap().contains(&format!("{parameter}: {cursor} given")), "{answer}");
        }
        assert_eq!(get(&format!("{listing}1")).send(&exchange)["code"], "00000", "{listing}1");
    }
    // An id of another listing is one, too: what is older than it follows.
    let id = waiting["data"]["orderId"].as_str().unwrap();
    let fills = get(&format!("/api/v3/trade/fills?cursor={id}")).send(&exchange);
    assert_eq!(fills["data"]["list"].as_array().unwrap().len(), 1, "{fills}");
}

#[test]
fn a_refusal_names_the_broken_rule() {
    let exchange = Exchange::with(Settings::default(), Time::by_hand(), Profile::new().both().mode(Mode::Hedge));
    let mut changes = vec![(json!({}), "25236", "hedge-mode-needs-pos-side")];
    for (change, code, rule) in [
        (json!({"qty": "0.0105"}), "25610", "futures-qty-step"),
        (json!({"qty": null}), "40019", "required"),
        (json!({"side": "hold"}), "40020", "side.values"),
        (json!({"price": "63000.05"}), "25244", "futures-price-step"),
        (json!({"clientOid": "not allowed"}), "40020", "clientOid.shape"),
        (json!({"autoBorrow": "yes"}), "25200", "auto-borrow-spot-only"),
        (json!({"leverage": "10"}), "25200", "unknown-parameter"),
    ] {
        let mut with_pos = change;
        with_pos["posSide"] = json!("long");
        changes.push((with_pos, code, rule));
    }
    for (change, code, rule) in changes {
        let mut body = order();
        for (name, value) in change.as_object().unwrap() {
            body[name] = value.clone();
        }
        exchange.time().advance(std::time::Duration::from_secs(1));
        let answer = post(PLACE, &body).send(&exchange);
        assert_eq!(answer["code"], code, "{answer}");
        assert!(answer["msg"].as_str().unwrap().contains(rule), "{answer}");
        assert_eq!(answer["data"], Value::Null);
    }
    let fills =
        get("/api/v2/mix/order/fill-history?productType=USDT-FUTURES&startTime=1767225600000&endTime=1768225600000");
    assert_eq!(fills.send(&exchange)["code"], "00001");
}

#[test]
fn accounts_have_a_family_and_pairs_a_product_line() {
    let exchange = exchange();
    let mut by_quote = order();
    (by_quote["category"], by_quote["symbol"]) = (json!("COIN-FUTURES"), json!("BTCUSD_CM"));
    by_quote["qty"] = json!("100");
    let placed = post(PLACE, &by_quote).send(&exchange);
    assert_eq!(placed["code"], "00000", "{placed}");
    let classic = json!({"symbol": "BTCUSD_CM", "productType": "COIN-FUTURES", "marginMode": "crossed",
                         "marginCoin": "BTC", "size": "100", "side": "buy", "orderType": "market"});
    assert_eq!(post("/api/v2/mix/order/place-order", &classic).send(&exchange)["code"], "40034");
}
