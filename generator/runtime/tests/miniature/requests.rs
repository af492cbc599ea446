//! From operations to HTTP requests, and back.

use bytes::Bytes;
use http::Request;
use proptest::prelude::*;
use std::sync::{Arc, Mutex};
use tradeapi_runtime::checks::Checks;
use tradeapi_runtime::clock::FixedClock;
use tradeapi_runtime::error::BuildError;
use tradeapi_runtime::parameters::{ParameterReader, ParameterWriter, Parameters};
use tradeapi_runtime::signing::{Authenticator, HmacSha256, Signer};
use tradeapi_runtime::wire::{BaseUrl, HeaderValues, build_request};
use tradeapi_runtime::{ClientBuilder, Credentials, Edit, Error, Operation, Timestamp, name};

use crate::Tested;
use crate::api::{API, Client, ClientOid, Side};
use crate::books::{BARE_API, Book};
use crate::calls::canned;
use crate::orders::{AmendOrder, Execution, Orders, PlaceBatch, PlaceOrder};

const NOW: Timestamp = Timestamp::from_millis(1_730_271_234_567);

fn limit_order() -> Result<PlaceOrder, Box<dyn std::error::Error>> {
    let execution = Execution::Limit { price: "6.40E4".parse()? };
    Ok(PlaceOrder {
        client_oid: Some(ClientOid::new("mine-1")?),
        ..PlaceOrder::new("BTCUSDT", Side::Buy, 2_u32, execution)
    })
}

fn json(parameters: &impl Parameters) -> String {
    let mut out = ParameterWriter::json();
    parameters.write(&mut out);
    out.finish()
}

fn query(parameters: &impl Parameters) -> String {
    let mut out = ParameterWriter::query();
    parameters.write(&mut out);
    out.finish()
}

/// A number, texts and numbers, and an object with the same inside, as deep as this.
struct Nested(usize);

impl Parameters for Nested {
    fn write(&self, out: &mut ParameterWriter) {
        if self.0 == 0 {
            return;
        }
        out.number(name!("depth"), &7_u64);
        out.texts(name!("texts"), &["a", "\"b\""]);
        out.numbers(name!("numbers"), &[1_u64, 2]);
        out.object(name!("inner"), &Self(self.0 - 1));
        out.boolean(name!("last"), true);
    }

    fn read(_: &mut ParameterReader<'_>) -> Option<Self> {
        None
    }

    fn check(&self, _: &mut Checks<'_>) {}
}

fn client() -> Result<Client, BuildError> {
    let credentials = Credentials::new("the-key", "the-secret", "the-passphrase");
    let builder = at("https://mini.example/gate/").credentials(credentials).clock(FixedClock(NOW));
    builder.header("Locale", "en-US").header("x-channel", "friend").build()
}

fn at(address: &str) -> ClientBuilder<Client> {
    Client::builder(address).transport(canned(None))
}

fn header<'r>(request: &'r Request<Bytes>, name: &str) -> Option<&'r str> {
    request.headers().get(name).and_then(|value| value.to_str().ok())
}

#[test]
fn a_post_carries_json() -> Tested {
    let request = client()?.prepare(&limit_order()?)?;
    assert_eq!(request.method(), http::Method::POST);
    assert_eq!(request.uri(), "https://mini.example/gate/v1/orders");
    assert_eq!(header(&request, "content-type"), Some("application/json"));
    let body =
        r#"{"symbol":"BTCUSDT","side":"buy","size":"2","orderType":"limit","price":"64000","clientOid":"mine-1"}"#;
    assert_eq!(request.body(), body);
    Ok(())
}

#[test]
fn a_get_carries_a_query() -> Tested {
    let orders = Orders { symbol: Some("BTC/USDT &c".into()), limit: Some(5), ..Orders::default() };
    let request = client()?.prepare(&orders)?;
    assert_eq!(request.uri(), "https://mini.example/gate/v1/orders?symbol=BTC/USDT%20%26c&limit=5");
    assert!(request.body().is_empty());
    assert_eq!(header(&request, "content-type"), None);
    assert_eq!(client()?.prepare(&Orders::default())?.uri(), "https://mini.example/gate/v1/orders");
    Ok(())
}

#[test]
fn objects_and_lists_are_json_in_both_forms() {
    let inner = r#"{"depth":7,"texts":["a","\"b\""],"numbers":[1,2],"inner":{},"last":true}"#;
    let outer = format!(r#"{{"depth":7,"texts":["a","\"b\""],"numbers":[1,2],"inner":{inner},"last":true}}"#);
    assert_eq!(json(&Nested(2)), outer);
    let pairs = ["depth=7", "texts=[\"a\",\"\\\"b\\\"\"]", "numbers=[1,2]", "inner={}", "last=true"];
    let encoded = |pair: &str| pair.replace('[', "%5B").replace(']', "%5D").replace('{', "%7B").replace('}', "%7D");
    let encoded = |pair: &str| encoded(pair).replace('"', "%22").replace('\\', "%5C");
    assert_eq!(query(&Nested(1)), pairs.map(encoded).join("&"));
}

#[test]
fn a_parameter_in_the_path_stays_one_segment() -> Tested {
    let book = Book { symbol: "a..BTC/USDT?".into(), depth: Some(5) };
    let base = BaseUrl::parse("https://books.example", false)?;
    let request = build_request(&BARE_API, &book, &base, None, &HeaderValues::default(), NOW)?;
    assert_eq!(request.uri(), "https://books.example/v1/books/a..BTC%2FUSDT%3F/levels?depth=5");
    assert!(request.headers().is_empty());
    Ok(())
}

#[test]
fn headers_go_where_they_belong() -> Tested {
    let order = client()?.prepare(&limit_order()?)?;
    let orders = client()?.prepare(&Orders::default())?;
    assert_eq!((header(&order, "locale"), header(&orders, "locale")), (Some("en-US"), Some("en-US")));
    assert_eq!((header(&order, "x-channel"), header(&orders, "x-channel")), (Some("friend"), None));
    Ok(())
}

#[test]
fn the_signature_is_the_documented_one() -> Tested {
    let request = client()?.prepare(&Orders { limit: Some(5), ..Orders::default() })?;
    let text = b"1730271234567GET/gate/v1/orders?limit=5";
    let signature = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, HmacSha256::new("the-secret").sign(text));
    assert_eq!(header(&request, "mini-sign"), Some(&*signature));
    assert_eq!(header(&request, "mini-key"), Some("the-key"));
    assert_eq!(header(&request, "mini-passphrase"), Some("the-passphrase"));
    assert_eq!(header(&request, "mini-timestamp"), Some("1730271234567"));
    Ok(())
}

#[test]
fn hmac_sha256_gives_the_answers_of_rfc_4231() {
    let hex = |bytes: Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let signed = |key: &[u8], text: &[u8]| hex(HmacSha256::new(key).sign(text));
    let case_1 = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7";
    assert_eq!(signed(&[0x0b; 20], b"Hi There"), case_1);
    let case_2 = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    assert_eq!(signed(b"Jefe", b"what do ya want for nothing?"), case_2);
    let case_3 = "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe";
    assert_eq!(signed(&[0xaa; 20], &[0xdd; 50]), case_3);
    let case_6 = "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54";
    assert_eq!(signed(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First"), case_6);
}

#[test]
fn secrets_are_not_shown() -> Tested {
    let client = client()?;
    let request = client.prepare(&limit_order()?)?;
    let credentials = Credentials::new("the-key", "the-secret", "the-passphrase");
    let signature = header(&request, "mini-sign").unwrap_or_default();
    for shown in [format!("{client:?}"), format!("{request:?}"), format!("{credentials:?}")] {
        for secret in ["the-key", "the-secret", "the-passphrase", signature] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
    Ok(())
}

#[test]
fn without_credentials_nothing_is_signed() -> Tested {
    let error = at("https://mini.example").build()?.prepare(&limit_order()?).err();
    assert!(matches!(error, Some(Error::Unsigned(_))));
    Ok(())
}

#[test]
fn an_address_has_bounds() -> Tested {
    let orders = Orders { symbol: Some("x".repeat(70_000).into()), ..Orders::default() };
    let error = client()?.prepare(&orders).map_err(|error| error.to_string()).err().unwrap_or_default();
    assert!(error.contains("at most 65,534 bytes"), "{error}");
    Ok(())
}

#[test]
fn invalid_client_settings_are_refused() {
    let error = |builder: ClientBuilder<Client>| builder.build().map(drop).map_err(|e| e.to_string());
    for address in ["", "mini.example", "ftp://mini.example", "https://", "https://a@b", "https://a?b", "https://a#b"] {
        assert!(error(at(address)).is_err(), "{address}");
    }
    assert!(error(at("http://mini.example")).is_err());
    assert_eq!(error(at("http://mini.example").allow_plain_http(true)), Ok(()));
    for address in ["http://localhost:1", "http://127.0.0.1", "http://[::1]:80"] {
        assert_eq!(error(at(address)), Ok(()), "{address}");
    }
    let unknown = error(at("https://a").header("x-other", "1"));
    assert_eq!(unknown, Err("the header \"x-other\" is not one of locale, X-CHANNEL".to_owned()));
    assert!(error(at("https://a").header("locale", "a\nb")).is_err());
    assert!(error(at("https://a").credentials(Credentials::new("key", "secret", "pass\n"))).is_err());
}

#[test]
fn edits_and_lists_are_written() -> Tested {
    let amend = AmendOrder {
        order_id: "7".into(),
        take_profit: Edit::Delete,
        tags: vec!["a\"b".into(), "c".into()],
        legs: vec![PlaceOrder::new("A", Side::Sell, 1_u32, Execution::Market)],
        sequence: Some(12),
    };
    let body = concat!(
        r#"{"orderId":"7","takeProfit":"0","tags":["a\"b","c"],"#,
        r#""legs":[{"symbol":"A","side":"sell","size":"1","orderType":"market"}],"sequence":12}"#
    );
    assert_eq!(json(&amend), body);
    let mut kept = AmendOrder { take_profit: Edit::Keep, tags: vec![], legs: vec![], ..amend };
    assert_eq!(json(&kept), r#"{"orderId":"7","tags":[],"legs":[],"sequence":12}"#);
    kept.take_profit = Edit::Set("1.5".parse()?);
    assert_eq!(query(&kept), "orderId=7&takeProfit=1.5&tags=%5B%5D&legs=%5B%5D&sequence=12");
    assert_eq!(json(&Orders::default()), "{}");
    assert_eq!(json(&PlaceBatch { orders: vec![] }), "[]");
    Ok(())
}

/// Keeps the text it is given to sign.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<u8>>>);

impl Signer for Listener {
    fn sign(&self, text: &[u8]) -> Vec<u8> {
        *self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = text.to_vec();
        vec![0xff, 0x00]
    }
}

prop_compose! {
    fn orders()(symbol in ".{1,40}", limit in proptest::option::of(any::<u64>())) -> Orders {
        Orders { symbol: Some(symbol.into()), limit, ..Orders::default() }
    }
}

prop_compose! {
    fn place_orders()(
        symbol in ".{1,40}",
        buys: bool,
        size in "[0-9]{1,40}(\\.[0-9]{1,40})?",
        price in proptest::option::of("[1-9][0-9]{0,30}"),
        reduce_only: Option<bool>,
        oid in proptest::option::of("[a-z0-9-]{1,8}"),
    ) -> Result<PlaceOrder, Box<dyn std::error::Error>> {
        let side = if buys { Side::Buy } else { Side::Sell };
        let execution = match price {
            Some(price) => Execution::Limit { price: price.parse()? },
            None => Execution::Market,
        };
        let order = PlaceOrder::new(&*symbol, side, size.parse::<tradeapi_runtime::Decimal>()?, execution);
        Ok(PlaceOrder { client_oid: oid.map(ClientOid::try_from).transpose()?, reduce_only, ..order })
    }
}

fn is_signed_as_sent<O: Operation>(operation: &O) -> Result<(), TestCaseError> {
    let listener = Listener::default();
    let credentials = Credentials::with_signer("key", "pass", listener.clone());
    let base = BaseUrl::parse("https://mini.example/gate", false)?;
    let authenticator = Authenticator::new(&API, &credentials)?;
    let request = build_request(&API, operation, &base, authenticator.as_ref(), &HeaderValues::default(), NOW)?;
    let mut sent = format!("{}{}{}", NOW.as_millis(), request.method(), request.uri().path()).into_bytes();
    if let Some(query) = request.uri().query() {
        sent.extend(format!("?{query}").into_bytes());
    }
    sent.extend(request.body());
    let signed = listener.0.lock().map(|text| text.clone()).unwrap_or_default();
    prop_assert_eq!(signed, sent);
    prop_assert_eq!(header(&request, "mini-sign"), Some("/wA="));
    Ok(())
}

proptest! {
    #[test]
    fn the_signed_bytes_are_sent(orders in orders(), order in place_orders()) {
        is_signed_as_sent(&orders)?;
        is_signed_as_sent(&order.map_err(|error| TestCaseError::fail(error.to_string()))?)?;
    }

    #[test]
    fn a_query_is_read_as_it_was_written(mut orders in orders()) {
        orders.limit = orders.limit.map(|limit| limit % 100 + 1);
        let read = Orders::from_query(&query(&orders));
        match read {
            Ok(read) => prop_assert_eq!(read, orders),
            // A generated symbol may have another shape than the documented one.
            Err(violations) => prop_assert!(violations.iter().all(|violation| violation.rule.ends_with(".shape"))),
        }
    }

    #[test]
    fn a_body_is_read_as_it_was_written(order in place_orders()) {
        let order = order.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let value: serde_json::Value = serde_json::from_str(&json(&order))?;
        prop_assert_eq!(value["symbol"].as_str(), Some(order.symbol.as_str()));
        prop_assert_eq!(value["size"].as_str(), Some(&*order.size.to_plain()));
        match PlaceOrder::from_json(&json(&order)) {
            Ok(read) => prop_assert_eq!(read, order),
            Err(violations) => prop_assert!(violations.iter().all(|violation| violation.rule.ends_with(".shape"))),
        }
    }
}
