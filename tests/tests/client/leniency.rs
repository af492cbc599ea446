//! Undocumented answers: every field of every example is changed in every way that is known from the wire. Reading must
//! not fail, and must not lose a value.

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::tables::{Effect, Shows};
use tradeapi::runtime::wire::read_response;
use tradeapi::{API, Client, Credentials, Error, Operation, Reply, classic, unified};
use tradeapi_tests::json::compare;
use tradeapi_tests::loopback::{Answer, ScriptedServer};
use tradeapi_tests::schema::{self, Scalar, Shape};

/// More digits than any number type has.
const LONG: &str = "1234567890123456789012345678.901234567890";

/// Changes the answers of each operation. Has the number of changed answers as its value.
macro_rules! change_each {
    ($($operation:ty),+ $(,)?) => { [$(ChangedAnswer::<$operation>::all()),+].into_iter().sum::<usize>() };
}

#[test]
fn undocumented_answers_are_read_without_loss() {
    let counts = [tradeapi::for_each_operation!(change_each), tradeapi::for_each_observed_operation!(change_each)];
    assert!(counts.iter().all(|count| *count > 8_000), "only {counts:?} answers were bent");
}

fn read<O: Operation>(body: &str) -> Result<Reply<O::Response>, Error> {
    read_response::<O>(&API, http::Response::new(Bytes::from(body.to_owned())))
}

/// An answer of an operation, which is changed in one place at a time.
struct ChangedAnswer<O> {
    about: String,
    shape: Shape,
    /// The answer of the example.
    body: Value,
    /// The place of the data in the answer.
    data: &'static str,
    count: usize,
    operation: std::marker::PhantomData<O>,
}

/// The new content of a place.
enum Content {
    Nothing,
    Json(Value),
    /// Raw text, for what serde_json would change, such as a long number.
    Raw(&'static str),
}

impl<O> ChangedAnswer<O>
where
    O: Operation,
    O::Response: Serialize,
{
    fn all() -> usize {
        let examples = schema::examples(O::META).into_iter();
        examples.map(|example| Self::of(example.about, &example.response)).sum()
    }

    fn of(about: String, response: &str) -> usize {
        let body: Value = serde_json::from_str(response).unwrap();
        let is_wrapped = O::META.list_member.is_some_and(|list| body["data"].get(list).is_some());
        let data = if is_wrapped { "/data/list" } else { "/data" };
        let shape = schema::response(O::META);
        let mut bent = Self { about, shape, body, data, count: 0, operation: std::marker::PhantomData };
        bent.add_unknown_members();
        bent.write_in_other_ways();
        for (place, shape) in bent.places() {
            match &shape {
                Shape::Scalar(scalar) => bent.scalar(&place, scalar),
                Shape::List(_) => bent.list(&place),
                Shape::Record(..) => bent.nothing_at(&place),
            }
        }
        bent.count
    }

    /// Returns all places in the data that the schema knows.
    fn places(&self) -> Vec<(String, Shape)> {
        let mut places = Vec::new();
        find_places(self.data, &self.shape, self.body.pointer(self.data).unwrap(), &mut places);
        places
    }

    fn scalar(&mut self, place: &str, scalar: &Scalar) {
        self.nothing_at(place);
        match scalar {
            Scalar::Text => self.any_text(place),
            Scalar::Enum(values) => {
                self.any_text(place);
                for value in values {
                    for text in value.also.iter().chain([&value.text.to_uppercase(), &value.text.to_lowercase()]) {
                        self.becomes(place, Content::Json(json!(text)), json!(value.text));
                    }
                }
            }
            Scalar::Decimal => {
                for number in ["0E-8", "-0.00", "1.50", "1e-3", "7", LONG] {
                    self.becomes(place, Content::Json(json!(number)), json!(number));
                    self.becomes(place, Content::Raw(number), json!(number));
                }
            }
            Scalar::Integer | Scalar::Time => {
                for number in ["0", "1790000000123", "18446744073709551615"] {
                    self.becomes(place, Content::Json(json!(number)), json!(number));
                    self.becomes(place, Content::Raw(number), json!(number));
                }
            }
            Scalar::Boolean => {
                for (given, means) in
                    [(json!("true"), true), (json!(false), false), (json!(1), true), (json!("0"), false)]
                {
                    self.becomes(place, Content::Json(given), json!(means));
                }
            }
        }
        self.unreadable(place);
    }

    fn any_text(&mut self, place: &str) {
        for text in ["brand-new", "a \"quoted\"\nline\\ \u{e9}\u{1f600}"] {
            self.becomes(place, Content::Json(json!(text)), json!(text));
        }
        for text in ["42", "-1.50", "true", LONG] {
            self.becomes(place, Content::Raw(text), json!(text));
        }
    }

    fn list(&mut self, place: &str) {
        self.nothing_at(place);
        self.becomes(place, Content::Json(json!([])), Value::Null);
        // Invalid items before, between and after others do not hide any of them.
        let apart = json!("not an item");
        let mut given = self.body.pointer(place).and_then(Value::as_array).cloned().unwrap_or_default();
        let mut expected = self.canonical().pointer(place).and_then(Value::as_array).cloned().unwrap_or_default();
        for index in (0..=given.len()).rev() {
            given.insert(index, apart.clone());
            expected.insert(index, apart.clone());
        }
        self.becomes(place, Content::Json(Value::Array(given)), Value::Array(expected));
    }

    fn nothing_at(&mut self, place: &str) {
        // A missing item is not an item, and `null` or `""` is an unreadable one.
        if is_item(place) {
            return;
        }
        let is_data = place == "/data";
        // Where nothing is documented, nothing can be missing.
        if is_data && O::META.shows == Shows::Nothing {
            for content in [Content::Nothing, Content::Json(Value::Null)] {
                self.becomes(place, content, Value::Null);
            }
            return;
        }
        if is_data || self.is_promised(place) {
            self.shows_nothing(Content::Nothing, place);
        } else {
            self.becomes(place, Content::Nothing, Value::Null);
        }
        let has_results = place == self.data && O::META.shows == Shows::List && O::META.effect != Effect::Read;
        for empty in [Value::Null, json!("")] {
            match is_data && O::META.shows != Shows::List || has_results {
                true => self.shows_nothing(Content::Json(empty), place),
                false => self.becomes(place, Content::Json(empty), Value::Null),
            }
        }
    }

    /// Returns whether an answer without the member at `place` is not the answer of the operation.
    fn is_promised(&self, place: &str) -> bool {
        let Some(name) = place.strip_prefix("/data/") else { return false };
        let is_alone = || self.body["data"].as_object().is_some_and(|members| members.len() == 1);
        match O::META.shows {
            Shows::Each(lists) => lists.contains(&name),
            Shows::OneOf(_) => !name.contains('/') && is_alone(),
            // Without its list, an object is not recognized as a wrapper.
            Shows::List | Shows::Nothing => O::META.list_member == Some(name),
        }
    }

    fn shows_nothing(&mut self, instead: Content, place: &str) {
        self.count += 1;
        let body = self.with(place, instead);
        assert!(matches!(read::<O>(&body), Err(Error::Unreadable(_))), "{}, {place}\n{body}", self.about);
    }

    /// A value of the wrong type makes its item unreadable, or the answer if it is in no item.
    fn unreadable(&mut self, place: &str) {
        let wrong = json!({"wrong": ["kind"]});
        let body = self.with(place, Content::Json(wrong.clone()));
        let Some(item) = item_around(place) else {
            return self.refused(place, &body);
        };
        let mut spoilt = self.body.pointer(&item).cloned().unwrap();
        *spoilt.pointer_mut(&place[item.len()..]).unwrap() = wrong;
        self.expect(place, &body, &item, spoilt);
    }

    fn refused(&mut self, place: &str, body: &str) {
        self.count += 1;
        match read::<O>(body) {
            Err(Error::Unreadable(answer)) => {
                assert_eq!((answer.operation, &answer.raw[..]), (O::META.id, body.as_bytes()), "{}", self.about);
                assert_eq!(format!("/{}", answer.error.path().replace('.', "/")), place, "{}", self.about);
            }
            other => panic!("{}, {place}: {:?}", self.about, other.map(|_| "was read")),
        }
    }

    fn becomes(&mut self, place: &str, instead: Content, expected: Value) {
        let body = self.with(place, instead);
        self.expect(place, &body, place, expected);
    }

    /// Reads `body` and compares the result with the example, apart from `expected` at `changed`.
    fn expect(&mut self, place: &str, body: &str, changed: &str, expected: Value) {
        let about = format!("{}, {place}\n{body}", self.about);
        self.count += 1;
        let mut all = self.canonical();
        *all.pointer_mut(changed).unwrap() = expected;
        let reply = read::<O>(body).unwrap_or_else(|error| panic!("{about}\n{error}"));
        let kept = serde_json::to_value(&reply.data).unwrap();
        compare(all.pointer(self.data).unwrap(), &kept).unwrap_or_else(|error| panic!("{about}\n{error}"));
        assert_eq!(reply.request_time.map(|time| time.as_millis()), self.body["requestTime"].as_u64(), "{about}");
    }

    /// Returns the body with enum values in their first spelling.
    fn canonical(&self) -> Value {
        let mut all = self.body.clone();
        let data = all.pointer_mut(self.data).unwrap();
        *data = self.shape.canonical(data.take());
        all
    }

    /// Returns the data of [`canonical`](Self::canonical).
    fn canonical_data(&self) -> Value {
        self.canonical().pointer(self.data).cloned().unwrap_or_default()
    }

    /// Returns the body as text, with new content at `place`.
    fn with(&self, place: &str, instead: Content) -> String {
        const MARK: &str = "@here@";
        let mut body = self.body.clone();
        match instead {
            Content::Nothing => {
                let (parent, name) = place.rsplit_once('/').unwrap();
                let parent = body.pointer_mut(parent).unwrap();
                parent.as_object_mut().expect("only members are left out").remove(name);
            }
            Content::Json(value) => *body.pointer_mut(place).unwrap() = value,
            Content::Raw(text) => {
                *body.pointer_mut(place).unwrap() = json!(MARK);
                return body.to_string().replace(&format!("\"{MARK}\""), text);
            }
        }
        body.to_string()
    }

    fn add_unknown_members(&mut self) {
        let mut body = self.body.clone();
        body.as_object_mut().unwrap().insert("more".to_owned(), json!({"data": null, "code": [1]}));
        each_object(body.pointer_mut(self.data).unwrap(), &mut |object| {
            // One name that sorts before all others, and one after them, because serde_json sorts members.
            object.insert("!new".to_owned(), json!({"a": [1, {"b": null, "orderId": "other"}], "c": "}\"]"}));
            object.insert("~new".to_owned(), json!(0.5));
        });
        self.expect("unknown members", &body.to_string(), self.data, self.canonical_data());
    }

    fn write_in_other_ways(&mut self) {
        self.expect("members in reverse", &reversed(&self.body), self.data, self.canonical_data());
        let spaced = serde_json::to_string_pretty(&self.body).unwrap();
        self.expect("with white space", &spaced, self.data, self.canonical_data());
    }
}

fn find_places(place: &str, shape: &Shape, value: &Value, places: &mut Vec<(String, Shape)>) {
    places.push((place.to_owned(), shape.clone()));
    match (shape, value) {
        (Shape::List(item), Value::Array(items)) => {
            items.iter().enumerate().for_each(|(i, value)| find_places(&format!("{place}/{i}"), item, value, places));
        }
        (Shape::Record(_, fields), Value::Object(members)) => {
            let known = fields.iter().filter_map(|(name, field)| Some((name, field, members.get(name)?)));
            known.for_each(|(name, field, value)| find_places(&format!("{place}/{name}"), field, value, places));
        }
        _ => {}
    }
}

fn is_item(place: &str) -> bool {
    place.rsplit('/').next().is_some_and(|step| step.parse::<usize>().is_ok())
}

/// Returns the innermost item of a list that contains `place`.
fn item_around(place: &str) -> Option<String> {
    let steps: Vec<_> = place.split('/').collect();
    let last = steps.iter().rposition(|step| step.parse::<usize>().is_ok())?;
    Some(steps[..=last].join("/"))
}

fn each_object(value: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| each_object(item, change)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| each_object(member, change));
            change(members);
        }
        _ => {}
    }
}

/// Returns the JSON text with the members of every object in reverse order.
fn reversed(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(reversed).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let members = members.iter().rev().map(|(name, value)| format!("{}:{}", json!(name), reversed(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        scalar => scalar.to_string(),
    }
}

#[test]
fn a_bad_item_of_a_page_is_kept_apart_as_it_came() {
    let bad = r#"{ "tradeId": "2", "price": "cheap",  "more": 1.50 }"#;
    let body = format!(
        r#"{{"code":"00000","data":{{"fillList":[{{"tradeId":"1"}},{bad},null,{{"tradeId":"4"}}],"endId":"4"}}}}"#
    );
    let page = read::<classic::GetOrderFillDetails>(&body).unwrap().into_data();
    let ids: Vec<_> = page.fill_list.iter().filter_map(|fill| fill.trade_id.as_ref()).map(|id| id.as_str()).collect();
    assert_eq!(ids, ["1", "4"]);
    assert!(!page.fill_list.is_complete());
    let apart: Vec<_> = page.fill_list.bad.iter().map(|item| (item.index, item.raw.as_str())).collect();
    assert_eq!(apart, [(1, bad), (2, "null")]);
    assert_eq!(page.fill_list.bad[0].error.path(), "price");
    assert_eq!(page.end_id.unwrap().as_str(), "4");
}

#[test]
fn a_member_that_comes_twice_is_refused_where_it_stands() {
    fn refused<O: Operation>(body: &str) -> String {
        match read::<O>(body) {
            Err(Error::Unreadable(answer)) => answer.error.path().to_owned(),
            other => panic!("{body}: {:?}", other.map(|_| "was read")),
        }
    }
    let order = r#"{"code":"00000","data":{"orderId":"1","price":"2","price":null}}"#;
    assert_eq!(refused::<unified::GetOrderDetails>(order), "data.price");
    let page = r#"{"code":"00000","data":{"fillList":[{"tradeId":"1"}],"fillList":[],"endId":"1"}}"#;
    assert_eq!(refused::<classic::GetOrderFillDetails>(page), "data.fillList");
    let results = r#"{"code":"00000","data":{"list":[{"orderId":"1"}],"list":[]}}"#;
    assert_eq!(refused::<unified::CancelAllOrders>(results), "data.list");
    let codes = r#"{"code":"00000","msg":"success","code":"40762","data":{"orderId":"1"}}"#;
    assert_eq!(refused::<unified::CancelOrder>(codes), "code");

    let orders = r#"{"code":"00000","data":{"list":[{"orderId":"1"},{"orderId":"2","orderId":"3"},{"orderId":"4"}]}}"#;
    let orders = read::<unified::GetOpenOrders>(orders).unwrap().into_data().list;
    let ids: Vec<_> = orders.iter().filter_map(|order| order.order_id.as_ref()).map(|id| id.as_str()).collect();
    assert_eq!((ids, orders.bad[0].raw.as_str()), (vec!["1", "4"], r#"{"orderId":"2","orderId":"3"}"#));
}

#[test]
fn a_list_of_results_may_be_the_data_or_stand_in_it() {
    let items = r#"[{"orderId":"1"},{"orderId":"2","code":"24056","msg":"gone"}]"#;
    let shapes = [
        items.to_owned(),
        format!(r#"{{"list":{items}}}"#),
        format!(r#"{{"before":{{"list":1}},"list":{items},"after":[]}}"#),
    ];
    for data in shapes {
        let body = format!(r#"{{"code":"00000","msg":"success","data":{data}}}"#);
        let results =
            read::<unified::CancelAllOrders>(&body).unwrap_or_else(|error| panic!("{data}: {error}")).into_data();
        assert_eq!(results.iter().filter_map(|result| result.code.as_deref()).collect::<Vec<_>>(), ["24056"], "{data}");
        assert_eq!(results.len(), 2, "{data}");
    }
    let read = |data: &str| {
        let body = format!(r#"{{"code":"00000","msg":"success","data":{data}}}"#);
        read::<unified::CancelAllOrders>(&body).map(Reply::into_data)
    };
    for data in ["[]", r#"{"list":[]}"#] {
        assert!(read(data).unwrap().is_empty(), "{data}");
    }
    // A change without any results shows nothing of what was done.
    for data in ["null", r#"{"list":null}"#, r#""""#] {
        assert!(read(data).unwrap_err().to_string().contains("there is no list of results"), "{data}");
    }
}

#[test]
fn numbers_of_forty_digits_are_kept_and_do_not_convert_silently() {
    let body = format!(r#"{{"code":"00000","data":{{"fillList":[{{"price":{LONG},"profit":"0E-8"}}]}}}}"#);
    let page = read::<classic::GetOrderFillDetails>(&body).unwrap().into_data();
    let price = page.fill_list[0].price.as_ref().unwrap();
    assert_eq!(price.as_str(), LONG);
    assert!(price.to_rust_decimal().is_err());
    let profit = page.fill_list[0].profit.as_ref().unwrap();
    assert_eq!((profit.as_str(), &*profit.to_plain(), profit.is_zero()), ("0E-8", "0.00000000", true));
}

#[tokio::test]
async fn a_client_keeps_members_that_nobody_declared_if_it_is_asked_to() {
    let server = ScriptedServer::start().unwrap();
    let builder = || {
        let client = Client::builder(server.url()).credentials(Credentials::new("key", "secret", "passphrase"));
        client.limits(LimitMode::Off)
    };
    let orders =
        r#"[{"orderId":"1","newest":{"a": [1]},"feeDetail":[{"feeCoin":"USDT","tax":"0.1"}]},{"orderId":"2"}]"#;
    let query = unified::GetOpenOrders::new();
    for (client, keeps) in [(builder().build().unwrap(), false), (builder().keep_unknown().build().unwrap(), true)] {
        server.answer_next(Answer::json(format!(
            r#"{{"code":"00000","msg":"success","data":{{"list":{orders},"cursor":"2"}}}}"#
        )));
        let list = client.call(&query).await.unwrap().into_data().list;
        assert_eq!(
            list[0].unknown_members().get("newest").map(|value| value.as_str()),
            keeps.then_some(r#"{"a": [1]}"#)
        );
        let fee = list[0].fee_detail[0].unknown_members();
        assert_eq!(fee.iter().map(|(name, value)| (name, value.as_str())).next(), keeps.then_some(("tax", r#""0.1""#)));
        assert!(list[1].unknown_members().is_empty());
    }
}

/// A query of one order gets its record or an error, never the record of another order or an empty one.
#[tokio::test]
async fn a_query_of_an_order_is_not_answered_by_another_one() {
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url()).credentials(Credentials::new("key", "secret", "passphrase"));
    let client = client.limits(LimitMode::Off).build().unwrap();
    let by_order_id = unified::GetOrderDetails::new(unified::OrderRef::OrderId("5".into()));
    let by_client_oid = unified::GetOrderDetails::new(unified::ClientOid::new("a").unwrap());
    let classic = |order| classic::GetOrderDetail::new("BTCUSDT", classic::ProductType::UsdtFutures, order);
    let classic = classic(classic::OrderRef::OrderId("5".into()));
    for (data, is_own) in [
        (r#"{"orderId":"5","clientOid":"a","qty":"1"}"#, true),
        (r#"{"orderId":5,"clientOid":"a"}"#, true),
        (r#"{"symbol":"BTCUSDT","side":"buy"}"#, false),
        (r#"{"orderId":"6","clientOid":"b"}"#, false),
        ("{}", false),
        ("null", false),
        (r#"{"orderId":null}"#, false),
    ] {
        let answer = || Answer::json(format!(r#"{{"code":"00000","msg":"success","data":{data}}}"#));
        for _ in 0..3 {
            server.answer_next(answer());
        }
        let results = [
            client.call(&by_order_id).await.map(drop),
            client.call(&by_client_oid).await.map(drop),
            client.call(&classic).await.map(drop),
        ];
        for result in results {
            match result {
                Ok(()) => assert!(is_own, "{data}"),
                Err(Error::Unreadable(answer)) => assert!(!is_own, "{data}: {}", answer.error),
                Err(other) => panic!("{data}: {other}"),
            }
        }
    }
}
