//! The text of a signed query, against a server over plain sockets that verifies signatures over the query without its
//! percent-escapes, as several public clients found the exchange to do.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::Sha256;
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::confirm::{ConfirmPolicy, Confirmation};
use tradeapi::runtime::tables::{Access, Meta, Method, SignedQuery};
use tradeapi::runtime::transport::TransportLimits;
use tradeapi::unified::{Category, ClientOid, Cursor, Execution, GetOpenOrders, PlaceOrder, Side, Symbol};
use tradeapi::{Client, Credentials, Error, Operation, dec};
use tradeapi_tests::transports::Over;
use tradeapi_tests::{over_each_transport, query, schema, signature};

/// The characters beside letters and digits that a query may have as they are, but `&`, `+` and `=`, which have a
/// meaning between values, and the apostrophe, which the WHATWG form of addresses escapes.
const SAFE: &str = "-._~:/@$,;!()*?";

/// The way in which the server reads the query that was signed.
#[derive(Clone, Copy, PartialEq)]
enum Reading {
    Sent,
    Decoded,
}

/// The targets of the requests to the server, in their order.
#[derive(Clone, Default)]
struct Targets(Arc<Mutex<Vec<String>>>);

impl Targets {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

struct Server {
    reading: Reading,
    orders: Mutex<HashMap<String, Value>>,
    targets: Targets,
}

/// Returns a server that takes orders, loses the answers to them, and shows them. It lives as long as the tests.
fn serve(reading: Reading) -> (String, Targets) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, targets) = (listener.local_addr().unwrap(), Targets::default());
    let server = Arc::new(Server { reading, orders: Mutex::default(), targets: targets.clone() });
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (server, stream) = (Arc::clone(&server), stream.unwrap());
            thread::spawn(move || server.answer(stream));
        }
    });
    (format!("http://{address}"), targets)
}

impl Server {
    /// Answers one request, and closes the connection.
    fn answer(&self, stream: TcpStream) -> Option<()> {
        let mut from = BufReader::new(stream.try_clone().unwrap());
        let mut first = String::new();
        from.read_line(&mut first).ok()?;
        let (method, rest) = first.split_once(' ')?;
        let target = rest.strip_suffix(" HTTP/1.1\r\n")?;
        let mut headers = HashMap::new();
        loop {
            let mut line = String::new();
            from.read_line(&mut line).ok()?;
            let Some((name, value)) = line.split_once(':') else { break };
            headers.insert(name.to_lowercase(), value.trim().to_owned());
        }
        let mut body = vec![0; headers.get("content-length").map_or(0, |length| length.parse().unwrap())];
        from.read_exact(&mut body).ok()?;
        self.targets.0.lock().unwrap().push(target.to_owned());
        let answer = self.reply(method, target, &headers, &String::from_utf8(body).unwrap());
        if let Some((status, code, data)) = answer {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as u64;
            let msg = if code == "00000" { "success" } else { "error" };
            let text = json!({"code": code, "msg": msg, "requestTime": now, "data": data}).to_string();
            let length = text.len();
            write!(&stream, "HTTP/1.1 {status} -\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{text}")
                .ok()?;
        }
        Some(())
    }

    /// Returns status, code and data; `None` for an answer that is lost.
    fn reply(
        &self,
        method: &str,
        target: &str,
        headers: &HashMap<String, String>,
        body: &str,
    ) -> Option<(u16, &'static str, Value)> {
        let text = format!("{}{method}{}{body}", headers["access-timestamp"], self.signed(target));
        let mac = Hmac::<Sha256>::new_from_slice(b"secret").unwrap().chain_update(text).finalize();
        if headers["access-sign"] != STANDARD.encode(mac.into_bytes()) {
            return Some((400, "40009", Value::Null));
        }
        let mut orders = self.orders.lock().unwrap();
        if method == "POST" {
            let mut order: Value = serde_json::from_str(body).unwrap();
            order["orderId"] = (orders.len() + 1).to_string().into();
            order["orderStatus"] = "live".into();
            order["createdTime"] = headers["access-timestamp"].clone().into();
            orders.insert(order["clientOid"].as_str().unwrap().to_owned(), order);
            return None;
        }
        let asked = parameters(target);
        if target.starts_with("/api/v3/trade/unfilled-orders") {
            return Some((200, "00000", json!({"list": [], "cursor": null})));
        }
        Some(match asked.get("clientOid").and_then(|id| orders.get(id)) {
            Some(order) => (200, "00000", order.clone()),
            None => (400, "25204", Value::Null),
        })
    }

    fn signed(&self, target: &str) -> String {
        match target.split_once('?') {
            Some((path, query)) if self.reading == Reading::Decoded => format!("{path}?{}", unescaped(query)),
            _ => target.to_owned(),
        }
    }
}

fn unescaped(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, others @ ..] = rest {
        let escape = (*first == b'%').then(|| std::str::from_utf8(&others[..2]).unwrap());
        bytes.push(escape.map_or(*first, |digits| u8::from_str_radix(digits, 16).unwrap()));
        rest = if escape.is_some() { &others[2..] } else { others };
    }
    String::from_utf8(bytes).unwrap()
}

fn parameters(target: &str) -> HashMap<String, String> {
    let (_, query) = target.split_once('?').unwrap_or_default();
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (unescaped(name), unescaped(value))).collect()
}

fn client(over: Over, url: String) -> Client {
    let client = over.client(url, TransportLimits::default()).credentials(Credentials::new("k", "secret", "p"));
    client.limits(LimitMode::Off).build().unwrap()
}

fn order(id: &str) -> PlaceOrder {
    PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", dec!(0.01), Side::Buy, Execution::limit(dec!(64000)))
        .client_oid(ClientOid::new(id).unwrap())
}

/// The case `signed-query-escapes`: each query that should settle a lost answer was refused with 40009.
async fn lost_answers_are_settled_whatever_the_id(over: Over) {
    for reading in [Reading::Sent, Reading::Decoded] {
        let (url, targets) = serve(reading);
        let client = client(over, url);
        for id in ["desk-1_0001", "desk-1:0001", "desk-1/a.b:7", ".:/_-"] {
            let policy = ConfirmPolicy::new().deadline(Duration::from_secs(6));
            let outcome = client.place_and_confirm(&order(id), &policy).await;
            assert!(matches!(outcome, Confirmation::Done(_)), "{id}: {outcome:?}");
            let sent = targets.take().pop().unwrap();
            assert_eq!(sent, format!("/api/v3/trade/order-info?clientOid={id}"));
        }
    }
}

/// Parameters that need an escape are signed without it.
async fn escapes_are_signed_as_the_schema_says(over: Over) {
    let (url, targets) = serve(Reading::Decoded);
    let client = client(over, url);
    for text in ["BTC USDT", "a+b&c=d#e%41", "MTQ2MTk0/+8=", "\u{e9}\u{4eba}\u{1f600}", "'\"<>[]{}|\\^`", SAFE] {
        let list = GetOpenOrders::new().symbol(Symbol::from(text)).cursor(Cursor::from(text));
        client.unified().get_open_orders(&list).await.unwrap_or_else(|error| panic!("{text}: {error}"));
        let sent = parameters(&targets.take().pop().unwrap());
        assert_eq!((sent["symbol"].as_str(), sent["cursor"].as_str()), (text, text));
    }
}

/// Where an exchange reads escapes otherwise, the error of a query that has some names them as a likely cause. One of a
/// query without escapes does not.
async fn a_refused_escape_is_a_likely_cause(over: Over) {
    let (url, _) = serve(Reading::Sent);
    let client = client(over, url);
    let list = |symbol: &str| GetOpenOrders::new().symbol(Symbol::from(symbol));
    let refused = client.unified().get_open_orders(&list("BTC USDT")).await.unwrap_err();
    assert!(
        refused.to_string().contains("or the escapes in the query, which was signed without its escapes"),
        "{refused}"
    );
    let Error::Exchange(error) = refused else { panic!("{refused}") };
    assert_eq!(error.escaped_query, Some(SignedQuery::Decoded));
    assert!(error.remedy().unwrap().contains("use texts that need none"));
    client.unified().get_open_orders(&list("BTC:USDT")).await.unwrap();
    let (url, _) = serve(Reading::Sent);
    let stranger = over.client(url, TransportLimits::default()).credentials(Credentials::new("k", "another", "p"));
    let refused = stranger.build().unwrap().unified().get_open_orders(&list("BTC:USDT")).await.unwrap_err();
    assert!(!refused.to_string().contains("escapes"), "{refused}");
}

/// Returns the examples of requests with a query, each with the name of one of its parameters.
fn places(meta: &'static Meta) -> Vec<(Value, String)> {
    let examples = schema::examples(meta).into_iter().filter(|_| meta.method == Method::Get);
    let requests = examples.map(|example| serde_json::from_str::<Value>(&example.request).unwrap());
    let names = schema::parameters(meta);
    requests.flat_map(|request| names.iter().map(move |name| (request.clone(), name.clone()))).collect()
}

/// Puts `text` into every place that takes it, and returns how many there are.
fn fill<O: Operation>(places: &[(Value, String)], text: &str) -> usize {
    let filled = places.iter().filter(|(request, name)| {
        let mut request = request.clone();
        request[name] = text.into();
        let request = O::from_json(&request.to_string());
        request.is_ok_and(|request| is_signed_without_escapes(&request, name, text))
    });
    filled.count()
}

fn is_signed_without_escapes<O: Operation>(request: &O, name: &str, text: &str) -> bool {
    let prepared = UNCHECKED.core().prepare(request).unwrap();
    let sent = prepared.uri().query().unwrap();
    assert!(query::pairs(sent).contains(&(name.to_owned(), text.to_owned())), "{name}: {sent}");
    if O::META.access == Access::Signed {
        let at = prepared.headers()["ACCESS-TIMESTAMP"].to_str().unwrap();
        let text = format!("{at}GET{}?{}", prepared.uri().path(), unescaped(sent));
        assert_eq!(prepared.headers()["ACCESS-SIGN"], signature::of_text("secret", text).as_str(), "{name}: {sent}");
    }
    if text.chars().all(|char| char.is_ascii_alphanumeric() || SAFE.contains(char)) {
        assert_eq!(unescaped(sent), sent, "both readings are one");
    }
    true
}

static UNCHECKED: LazyLock<Client> = LazyLock::new(|| {
    let client = Client::builder("http://127.0.0.1:1").credentials(Credentials::new("k", "secret", "p"));
    client.checks(false).build().unwrap()
});

macro_rules! all_places {
    ($($operation:ty),+ $(,)?) => {
        static PLACES: LazyLock<Vec<Vec<(Value, String)>>> =
            LazyLock::new(|| vec![$(places(<$operation as Operation>::META)),+]);

        fn fill_all(text: &str) -> usize {
            let mut places = PLACES.iter();
            let mut filled = 0;
            $(filled += fill::<$operation>(places.next().unwrap(), text);)+
            filled
        }
    };
}
tradeapi::for_each_operation!(all_places);

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_text_in_every_query_is_signed_as_the_schema_says(
        any in any::<String>().prop_filter("empty", |text| !text.is_empty()),
        safe in "[-._~:/@$,;!()*?A-Za-z0-9]{1,32}",
        id in "[.:/A-Za-z0-9_-]{1,32}",
        base64 in "[A-Za-z0-9+/]{4,40}={0,2}",
    ) {
        let [any, safe, id, base64] = [any, safe, id, base64].map(|text| fill_all(&text));
        prop_assert!([any, safe, id, base64].iter().all(|filled| *filled > 30), "{any}, {safe}, {id}, {base64}");
    }
}

over_each_transport!(
    a_refused_escape_is_a_likely_cause,
    lost_answers_are_settled_whatever_the_id,
    escapes_are_signed_as_the_schema_says,
);
