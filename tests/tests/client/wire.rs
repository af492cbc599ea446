//! Every operation over the wire, with every example of the schema: the bytes of the request, and the result.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tradeapi::runtime::client::Callable;
use tradeapi::runtime::clock::FixedClock;
use tradeapi::runtime::tables::{Access, Meta, Method};
use tradeapi::runtime::transport::TransportLimits;
use tradeapi::{Client, Credentials, Error, Operation, Timestamp};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};
use tradeapi_tests::schema::{self, Example, Shape};
use tradeapi_tests::transports::Over;
use tradeapi_tests::{json, query, signature};

const KEY: &str = "wire-key";
const SECRET: &str = "wire-secret";
const PASSPHRASE: &str = "wire-passphrase";

/// The configurable headers of a client; the first is sent only where it is documented.
const GIVEN: [(&str, &str); 3] = [("X-CHANNEL-API-CODE", "channel-9"), ("locale", "zh-CN"), ("paptrading", "1")];

/// The common traits of answers.
trait Answered: Serialize + DeserializeOwned + PartialEq + Debug {}

impl<T: Serialize + DeserializeOwned + PartialEq + Debug> Answered for T {}

macro_rules! call_each {
    ($($operation:ty),+ $(,)?) => {
        /// Calls `call` for every operation.
        async fn each(wire: &Wire) -> Vec<&'static Meta> {
            let mut called = Vec::new();
            $(called.push(operation::<$operation>(wire).await);)+
            called
        }
    };
}
tradeapi::for_each_operation!(call_each);

/// The way to an exchange.
struct Wire {
    server: ScriptedServer,
    over: Over,
}

#[tokio::test]
async fn every_operation_over_the_wire_by_every_transport() {
    for over in Over::ALL {
        let called = each(&Wire { server: ScriptedServer::start().unwrap(), over }).await;
        let ids: BTreeSet<_> = called.iter().map(|meta| meta.id.to_owned()).collect();
        assert_eq!(ids.len(), called.len());
        assert_eq!(ids, schema::operations());
    }
}

async fn operation<O>(wire: &Wire) -> &'static Meta
where
    O: Callable,
    O::Response: Answered,
{
    for example in schema::examples(O::META) {
        let request = O::from_json(&example.request).unwrap_or_else(|error| panic!("{}: {error}", example.about));
        let signed = O::META.access == Access::Signed;
        round_trip(wire, &request, &example, &client(wire, &example, true), signed).await;
        let stranger = client(wire, &example, false);
        if signed {
            is_not_sent(&wire.server, &request, &stranger).await;
        } else {
            round_trip(wire, &request, &example, &stranger, signed).await;
        }
    }
    O::META
}

/// Returns a client whose clock shows the time of the example.
fn client(wire: &Wire, example: &Example, with_credentials: bool) -> Client {
    let builder = wire.over.client(wire.server.url(), TransportLimits::default());
    let builder = builder.clock(FixedClock(Timestamp::from_millis(time(example))));
    let builder = GIVEN.iter().fold(builder, |builder, (name, value)| builder.header(*name, *value));
    let builder = match with_credentials {
        true => builder.credentials(Credentials::new(KEY, SECRET, PASSPHRASE)),
        false => builder,
    };
    builder.build().unwrap()
}

async fn round_trip<O>(wire: &Wire, request: &O, example: &Example, client: &Client, signed: bool)
where
    O: Callable,
    O::Response: Answered,
{
    let Wire { server, over } = wire;
    server.answer_next(Answer::json(example.response.clone()).header("x-mbx-used-remain-limit", "7"));
    let reply = client.call(request).await.unwrap_or_else(|error| panic!("{}: {error}", example.about));
    let reply = reply.as_ref();
    let sent = server.take_requests();
    assert_eq!(sent.len(), 1, "{}", example.about);
    check_request(&sent[0], O::META, example);
    let own = if *over == Over::Reqwest { &[("accept", "*/*")][..] } else { &[] };
    check_headers(&sent[0], O::META, &[own, &[("host", &server.address().to_string())]].concat(), signed);
    if signed {
        check_signature(&sent[0], example);
    }

    let data = serde_json::to_value(&reply.data).unwrap();
    assert_eq!(serde_json::from_value::<O::Response>(data.clone()).unwrap(), reply.data, "{}", example.about);
    let sent = schema::response(O::META).canonical(answered(O::META, example));
    json::compare(&sent, &data).unwrap_or_else(|error| panic!("{}: {error}", example.about));
    assert_eq!(reply.request_time.map(Timestamp::as_millis), Some(time(example)));
    assert_eq!((reply.status.as_u16(), reply.remaining), (200, Some(7)));
}

async fn is_not_sent<O: Callable>(server: &ScriptedServer, request: &O, stranger: &Client) {
    match stranger.call(request).await {
        Err(Error::Unsigned(unsigned)) => assert_eq!(unsigned.operation, O::META.id),
        other => panic!("{}: {:?}", O::META.id, other.map(|_| "answered").err()),
    }
    assert!(server.take_requests().is_empty(), "{} was sent without credentials", O::META.id);
}

fn check_request(sent: &Request, meta: &Meta, example: &Example) {
    let about = &example.about;
    assert_eq!((sent.method.as_str(), sent.path.as_str()), (meta.method.as_str(), meta.path), "{about}");
    assert_eq!(format!("{} {}", sent.method, sent.path), schema::http(meta), "{about}");
    match meta.method {
        Method::Get => check_query(sent, meta, example),
        _ => check_body(sent, example),
    }
}

fn check_query(sent: &Request, meta: &Meta, example: &Example) {
    let about = &example.about;
    assert!(sent.body.is_empty(), "{about}");
    let members = parsed(&example.request);
    let members = members.as_object().expect("a query is an object");
    let in_order = schema::parameters(meta);
    let of_member = |name: &String| members.get(name).map(|value| (name.clone(), json::text(value).unwrap()));
    let expected: Vec<_> = in_order.iter().filter_map(of_member).collect();
    assert_eq!(expected.len(), members.len(), "{about}: the schema does not name all parameters");
    assert_eq!(query::pairs(sent.query.as_deref().unwrap_or_default()), expected, "{about}");
    let text = (!expected.is_empty()).then(|| query::of_pairs(&expected));
    assert_eq!(sent.query, text, "{about}: encoded in another way, or a question mark without a query");
}

fn check_body(sent: &Request, example: &Example) {
    let about = &example.about;
    assert_eq!(sent.query, None, "{about}");
    let body = parsed(&sent.text());
    assert_eq!(body, parsed(&example.request), "{about}");
    // A doubled member would be read as one.
    assert_eq!(sent.body.len(), serde_json::to_string(&body).unwrap().len(), "{about}: {}", sent.text());
}

/// Checks that each header occurs once, and that there are no others apart from those of HTTP.
fn check_headers(sent: &Request, meta: &Meta, of_http: &[(&str, &str)], signed: bool) {
    let agent = sent.header("user-agent").unwrap_or_default().to_owned();
    assert!(agent.starts_with("tradeapi"), "{}: {agent}", meta.id);
    let mut expected: Vec<_> = of_http.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    expected.push(("user-agent".to_owned(), agent));
    if meta.method != Method::Get {
        expected.push(("content-type".to_owned(), "application/json".to_owned()));
        expected.push(("content-length".to_owned(), sent.body.len().to_string()));
    }
    let given = GIVEN.iter().filter(|(name, _)| *name != "X-CHANNEL-API-CODE" || meta.headers.contains(name));
    expected.extend(given.map(|(name, value)| (name.to_ascii_lowercase(), (*value).to_owned())));
    if signed {
        expected.push(("access-key".to_owned(), KEY.to_owned()));
        expected.push(("access-passphrase".to_owned(), PASSPHRASE.to_owned()));
        for name in ["access-sign", "access-timestamp"] {
            expected.push((name.to_owned(), sent.header(name).unwrap_or_default().to_owned()));
        }
    }
    let mut headers: Vec<_> =
        sent.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect();
    headers.sort();
    expected.sort();
    assert_eq!(headers, expected, "{}", meta.id);
}

fn check_signature(sent: &Request, example: &Example) {
    let timestamp = time(example).to_string();
    assert_eq!(sent.header("access-timestamp"), Some(timestamp.as_str()));
    let query = sent.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
    let target = format!("{}{query}", sent.path);
    let expected = signature::expected(SECRET, &timestamp, &sent.method, &target, &sent.body);
    assert_eq!(sent.header("access-sign"), Some(expected.as_str()), "{}", example.about);
}

/// Returns the data of an example's answer, without an undocumented wrapper of a list.
fn answered(meta: &Meta, example: &Example) -> Value {
    let data = parsed(&example.response)["data"].take();
    match meta.list_member.and_then(|member| data.get(member)) {
        Some(list) => list.clone(),
        None => data,
    }
}

fn time(example: &Example) -> u64 {
    parsed(&example.response)["requestTime"].as_u64().expect("every answer has a time")
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn every_documented_field_of_an_answer_is_in_an_example() {
    let mut seen = Fields::new();
    metas().into_iter().for_each(|meta| find_fields(meta, &mut seen));
    assert!(seen.len() > 200, "only {} fields were found", seen.len());
    let missing: Vec<_> = seen.into_iter().filter(|(_, is_seen)| !is_seen).map(|(field, _)| field).collect();
    assert!(missing.is_empty(), "give these fields a value in an example of the schema: {missing:#?}");
}

macro_rules! metas_of {
    ($($operation:ty),+ $(,)?) => {
        fn metas() -> Vec<&'static Meta> {
            vec![$(<$operation as Operation>::META),+]
        }
    };
}
tradeapi::for_each_operation!(metas_of);

/// Fields by record, and whether an example has a value for them. Operations may leave out fields of a shared record.
type Fields = BTreeMap<String, bool>;

fn find_fields(meta: &'static Meta, seen: &mut Fields) {
    let answers: Vec<_> = schema::examples(meta).iter().map(|example| answered(meta, example)).collect();
    mark(meta.id, &schema::response(meta), &answers.iter().collect::<Vec<_>>(), seen);
}

/// Records the fields; `values` are all values of the examples at one place.
fn mark(place: &str, shape: &Shape, values: &[&Value], seen: &mut Fields) {
    match shape {
        Shape::Scalar(_) => {
            let is_seen = values.iter().any(|value| json::text(value).is_some());
            *seen.entry(place.to_owned()).or_default() |= is_seen;
        }
        Shape::List(item) => {
            let items: Vec<_> = values.iter().filter_map(|value| value.as_array()).flatten().collect();
            mark(place, item, &items, seen);
        }
        Shape::Record(record, fields) => {
            for (name, field) in fields {
                let of_field: Vec<_> = values.iter().filter_map(|value| value.get(name)).collect();
                mark(&format!("{record}.{name}"), field, &of_field, seen);
            }
        }
    }
}
