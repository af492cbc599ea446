//! Properties of requests with arbitrary contents: they are sent without loss, signed as sent, and can be read back.

use std::fmt::Debug;
use std::sync::LazyLock;

use proptest::option::of as optional;
use proptest::prelude::*;
use proptest::sample::select;
use serde::Serialize;
use serde_json::Value;
use tradeapi::runtime::checks::CheckContext;
use tradeapi::runtime::client::Callable;
use tradeapi::runtime::clock::FixedClock;
use tradeapi::runtime::tables::Method;
use tradeapi::runtime::value::OpenEnum;
use tradeapi::{Client, Credentials, Decimal, Edit, Error, Operation, Timestamp, Violations, broker, classic, unified};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};
use tradeapi_tests::{query, signature};

const SECRET: &str = "secret \u{e9}\u{1f600}";
const NOW: u64 = 1_790_000_000_123;

static CLIENT: LazyLock<Client> = LazyLock::new(|| client("http://localhost:1", true));

fn client(url: &str, checks: bool) -> Client {
    let credentials = Credentials::new("key", SECRET, "passphrase");
    let clock = FixedClock(Timestamp::from_millis(NOW));
    Client::builder(url).credentials(credentials).clock(clock).checks(checks).build().unwrap()
}

fn value_of<E: OpenEnum + Clone + Debug + 'static>() -> impl Strategy<Value = E> {
    select((0..E::VALUES.len()).filter_map(E::known).collect::<Vec<_>>())
}

/// Returns nonzero numbers in all notations.
fn decimal() -> impl Strategy<Value = Decimal> {
    "[1-9][0-9]{0,24}(\\.[0-9]{1,24})?([eE][-+]?[0-9]{1,2})?".prop_map(|text| text.parse().unwrap())
}

fn edit() -> impl Strategy<Value = Edit<Decimal>> {
    prop_oneof![Just(Edit::Keep), Just(Edit::Delete), decimal().prop_map(Edit::Set)]
}

fn time() -> impl Strategy<Value = Timestamp> {
    (NOW - 100 * 86_400_000..=NOW).prop_map(Timestamp::from_millis)
}

/// Returns any texts except the empty one, which is read back as absent.
fn text() -> impl Strategy<Value = String> {
    let any = any::<String>().prop_filter("empty", |text| !text.is_empty());
    prop_oneof![3 => "\\PC{1,20}", 1 => any, 1 => "[&=?%+# /\"\\\\]{1,8}"]
}

fn client_oid() -> impl Strategy<Value = unified::ClientOid> {
    "[.:/A-Za-z0-9_-]{1,32}".prop_map(|text| unified::ClientOid::new(text).unwrap())
}

prop_compose! {
    fn unified_limit()(price in decimal(), force in optional(value_of()), amend in optional(value_of())) -> unified::Execution {
        let mut limit = unified::Execution::limit(price);
        limit.time_in_force = force;
        limit.px_amend_type = amend;
        limit.into()
    }
}

fn unified_execution() -> impl Strategy<Value = unified::Execution> {
    let market = optional(value_of()).prop_map(|force| {
        let mut market = unified::Execution::market();
        market.time_in_force = force;
        market.into()
    });
    prop_oneof![market, unified_limit()]
}

prop_compose! {
    fn unified_order()(
        (category, symbol, qty, side, execution) in (value_of(), text(), decimal(), value_of(), unified_execution()),
        (pos_side, client_oid, reduce_only) in (optional(value_of()), optional(client_oid()), optional(value_of())),
        (take_profit, tp_order_type, tp_limit_price) in (optional(decimal()), optional(value_of()), optional(decimal())),
        (stp_mode, margin_mode, auto_borrow) in (optional(value_of()), optional(value_of()), optional(value_of())),
    ) -> unified::PlaceOrder {
        let mut order = unified::PlaceOrder::new(category, symbol, qty, side, execution);
        (order.pos_side, order.client_oid, order.reduce_only) = (pos_side, client_oid, reduce_only);
        (order.take_profit, order.tp_order_type, order.tp_limit_price) = (take_profit, tp_order_type, tp_limit_price);
        (order.stp_mode, order.margin_mode, order.auto_borrow) = (stp_mode, margin_mode, auto_borrow);
        order
    }
}

prop_compose! {
    fn batch_item()(
        category in select(vec![unified::Category::Spot, unified::Category::UsdtFutures]),
        (symbol, qty, side, execution) in (text(), decimal(), value_of(), unified_execution()),
        (pos_side, client_oid, stp_mode) in (optional(value_of()), optional(client_oid()), optional(value_of())),
    ) -> unified::BatchOrderItem {
        let mut order = unified::BatchOrderItem::new(category, symbol, qty, side, execution);
        (order.pos_side, order.client_oid, order.stp_mode) = (pos_side, client_oid, stp_mode);
        order
    }
}

fn unified_ref() -> impl Strategy<Value = unified::OrderRef> {
    prop_oneof![
        text().prop_map(|id| unified::OrderRef::OrderId(id.into())),
        client_oid().prop_map(unified::OrderRef::ClientOid)
    ]
}

prop_compose! {
    fn unified_modification()(
        order in unified_ref(),
        (qty, price, request_id) in (optional(decimal()), optional(decimal()), optional(any::<u64>())),
        (take_profit, stop_loss) in (edit(), edit()),
        (symbol, category, auto_cancel) in (optional(text()), optional(value_of()), optional(value_of())),
    ) -> unified::ModifyOrder {
        let mut modification = unified::ModifyOrder::new(order).take_profit(take_profit).stop_loss(stop_loss);
        (modification.qty, modification.price, modification.request_id) = (qty, price, request_id);
        (modification.symbol, modification.category) = (symbol.map(Into::into), category);
        modification.auto_cancel = auto_cancel;
        modification
    }
}

prop_compose! {
    fn unified_fills()(
        (category, order_id, cursor) in (optional(value_of()), optional(text()), optional(text())),
        (start_time, end_time, limit) in (optional(time()), optional(time()), optional(0..200u64)),
    ) -> unified::GetFillHistory {
        let mut fills = unified::GetFillHistory::new();
        (fills.category, fills.order_id, fills.cursor) = (category, order_id.map(Into::into), cursor.map(Into::into));
        (fills.start_time, fills.end_time, fills.limit) = (start_time, end_time, limit);
        fills
    }
}

prop_compose! {
    fn classic_order()(
        (symbol, coin, product_type, margin_mode) in (text(), text(), value_of(), value_of()),
        (size, side, limit) in (decimal(), value_of(), optional((decimal(), value_of()))),
        (trade_side, client_oid, reduce_only) in (optional(value_of()), optional(text()), optional(value_of())),
        (stop_surplus, stop_loss, stp_mode) in (optional(decimal()), optional(decimal()), optional(value_of())),
    ) -> classic::PlaceOrder {
        let execution = match limit {
            Some((price, force)) => classic::Execution::limit(price, force).into(),
            None => classic::Execution::Market,
        };
        let mut order = classic::PlaceOrder::new(symbol, product_type, margin_mode, coin, size, side, execution);
        (order.trade_side, order.client_oid) = (trade_side, client_oid.map(Into::into));
        (order.reduce_only, order.stp_mode) = (reduce_only, stp_mode);
        (order.preset_stop_surplus_price, order.preset_stop_loss_price) = (stop_surplus, stop_loss);
        order
    }
}

prop_compose! {
    fn classic_modification()(
        (symbol, product_type, new_client_oid, id) in (text(), value_of(), text(), text()),
        (new_size, new_price, stop_surplus, stop_loss) in (optional(decimal()), optional(decimal()), edit(), edit()),
    ) -> classic::ModifyOrder {
        let order = classic::OrderRef::OrderId(id.into());
        let mut modification = classic::ModifyOrder::new(symbol, product_type, new_client_oid, order)
            .new_preset_stop_surplus_price(stop_surplus)
            .new_preset_stop_loss_price(stop_loss);
        (modification.new_size, modification.new_price) = (new_size, new_price);
        modification
    }
}

prop_compose! {
    fn commissions()(
        (start_time, end_time, limit) in (optional(time()), optional(time()), optional(0..2_000u64)),
        (uid, coin, id, show_sub) in (optional(text()), optional(text()), optional(text()), optional(value_of())),
    ) -> broker::GetAgentDirectCommissions {
        let mut commissions = broker::GetAgentDirectCommissions::new();
        (commissions.start_time, commissions.end_time, commissions.limit) = (start_time, end_time, limit);
        (commissions.uid, commissions.coin) = (uid.map(Into::into), coin.map(Into::into));
        (commissions.id_less_than, commissions.show_sub) = (id.map(Into::into), show_sub);
        commissions
    }
}

/// Returns the violations that refuse a request at this time.
fn validate(request: &impl Operation, now: Option<Timestamp>) -> Result<(), Violations> {
    let found = request.inspect(CheckContext { now, ..CheckContext::default() });
    if found.refuse() { Err(found) } else { Ok(()) }
}

/// Checks the properties of every request, valid or not.
fn holds_for<O: Operation + PartialEq + Debug + Serialize>(request: &O) {
    let written = serde_json::to_value(request).unwrap();
    let read_back = O::from_json(&written.to_string());
    match validate(request, None) {
        Ok(()) => assert_eq!(read_back.as_ref(), Ok(request)),
        Err(violations) => assert_eq!(read_back, Err(violations)),
    }
    match (validate(request, Some(Timestamp::from_millis(NOW))), CLIENT.core().prepare(request)) {
        (Ok(()), Ok(prepared)) => is_what_it_says(request, &written, &prepared),
        (Err(violations), Err(Error::Refused(refusal))) => assert_eq!(refusal.violations, violations),
        (checked, prepared) => panic!("{checked:?}, but {prepared:?}"),
    }
}

fn is_what_it_says<O>(request: &O, written: &Value, prepared: &http::Request<bytes::Bytes>)
where
    O: Operation + PartialEq + Debug,
{
    let query = prepared.uri().query();
    if O::META.method == Method::Get {
        assert!(prepared.body().is_empty());
        let query = query.unwrap_or_default();
        assert_eq!(O::from_query(query).as_ref(), Ok(request));
        let pairs = query::pairs(query);
        assert_eq!(query::of_pairs(&pairs), query, "encoded once, in one way only");
        let members: serde_json::Map<_, _> =
            pairs.into_iter().map(|(name, value)| (name, Value::String(value))).collect();
        assert_eq!(&Value::Object(members), written);
    } else {
        assert_eq!(query, None);
        assert_eq!(&serde_json::from_slice::<Value>(prepared.body()).unwrap(), written);
    }
    let target = prepared.uri().path_and_query().unwrap().as_str();
    let expected = signature::expected(SECRET, &NOW.to_string(), prepared.method().as_str(), target, prepared.body());
    assert_eq!(prepared.headers()["ACCESS-SIGN"], expected.as_str());
}

/// Returns settings without files of earlier failures.
fn cases(count: u32) -> ProptestConfig {
    ProptestConfig { cases: count, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn unified_place_order(request in unified_order()) {
        holds_for(&request);
        let body = serde_json::to_value(&request).unwrap();
        prop_assert_eq!(body["symbol"].as_str(), Some(request.symbol.as_str()));
        prop_assert_eq!(body["side"].as_str(), Some(request.side.as_str()));
        prop_assert_eq!(body["clientOid"].as_str(), request.client_oid.as_ref().map(|id| id.as_str()));
        prop_assert_eq!(body.get("price").is_some(), request.execution.kind() == unified::OrderType::Limit);
        let qty = body["qty"].as_str().unwrap();
        prop_assert!(!qty.contains(['e', 'E']), "{}", qty);
        prop_assert_eq!(qty.parse::<Decimal>().unwrap(), request.qty);
    }

    #[test]
    fn unified_batch(mut orders in prop::collection::vec(batch_item(), 0..25), is_mixed in prop::bool::weighted(0.2)) {
        // Random categories would make most batches invalid.
        if !is_mixed {
            orders.iter_mut().for_each(|order| order.category = unified::Category::UsdtFutures);
        }
        let request = unified::BatchOrder::new(orders);
        holds_for(&request);
        prop_assert_eq!(serde_json::to_value(&request).unwrap().as_array().unwrap().len(), request.orders.len());
    }

    #[test]
    fn unified_modify_order(request in unified_modification()) {
        holds_for(&request);
        let body = serde_json::to_value(&request).unwrap();
        prop_assert_eq!(body.get("takeProfit").is_none(), request.take_profit == Edit::Keep);
        prop_assert_eq!(body["stopLoss"] == "0", request.stop_loss == Edit::Delete);
        prop_assert_eq!(body["requestId"].as_u64(), request.request_id);
    }

    #[test]
    fn unified_fill_history(request in unified_fills()) {
        holds_for(&request);
    }

    #[test]
    fn classic_place_order(request in classic_order()) {
        holds_for(&request);
    }

    #[test]
    fn classic_modify_order(request in classic_modification()) {
        holds_for(&request);
    }

    #[test]
    fn broker_commissions(request in commissions()) {
        holds_for(&request);
    }
}

proptest! {
    #![proptest_config(cases(64))]

    /// Over every transport, the received request is the signed one, with any content.
    #[test]
    fn what_arrives_is_what_was_signed(order_id in any::<String>(), cursor in text()) {
        let request = unified::GetFillHistory::new().order_id(order_id.as_str()).cursor(cursor.as_str());
        let arrived = Wire::over(&request);
        let expected = [("orderId".to_owned(), order_id), ("cursor".to_owned(), cursor)];
        let query = query::of_pairs(&expected);
        let target = format!("{}?{query}", arrived.path);
        prop_assert_eq!(&arrived.query, &Some(query));
        let signature = signature::expected(SECRET, &NOW.to_string(), "GET", &target, b"");
        prop_assert_eq!(arrived.header("access-sign"), Some(signature.as_str()));
    }

    #[test]
    fn bodies_arrive_as_they_were_signed(id in any::<String>()) {
        let order = unified::CancelOrder::new(unified::OrderRef::OrderId(id.as_str().into()));
        let arrived = Wire::over(&order);
        let signature = signature::expected(SECRET, &NOW.to_string(), "POST", &arrived.path, &arrived.body);
        prop_assert_eq!(arrived.header("access-sign"), Some(signature.as_str()));
        prop_assert_eq!(serde_json::from_slice::<Value>(&arrived.body).unwrap(), serde_json::json!({"orderId": id}));
    }
}

/// A scripted server and a client without checks, shared by all cases.
struct Wire {
    server: ScriptedServer,
    client: Client,
    runtime: tokio::runtime::Runtime,
}

impl Wire {
    fn over<O: Callable>(request: &O) -> Request {
        thread_local! {
            static WIRE: Wire = Wire::new();
        }
        WIRE.with(|wire| {
            // Only the request counts: the answer repeats no id, so that the outcome of a change is unknown.
            let _reply = wire.runtime.block_on(wire.client.call(request));
            wire.server.take_requests().remove(0)
        })
    }

    fn new() -> Self {
        let server = ScriptedServer::start().unwrap();
        server.answer_otherwise(|_| Answer::json(r#"{"code":"00000","data":null}"#));
        let client = client(&server.url(), false);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { server, client, runtime }
    }
}
