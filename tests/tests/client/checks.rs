//! Checks before a request is sent: every checked rule and documented bound, just kept and just broken.

use tradeapi::runtime::checks::{CheckContext, Violation};
use tradeapi::runtime::clock::FixedClock;
use tradeapi::runtime::json::read_json;
use tradeapi::runtime::tables::{Meta, Severity};
use tradeapi::runtime::value::{ExchangeTime, OpenEnum};
use tradeapi::runtime::{Account, CheckPolicy};
use tradeapi::unified::{BatchOrderItem, Category, ClientOid, Execution, LimitExecution, Side};
use tradeapi::{Client, Credentials, Decimal, Error, Operation, Timestamp, Violations, broker, classic, unified};
use tradeapi_gen::Generator;
use tradeapi_tests::loopback::ScriptedServer;

const DAY: u64 = 86_400_000;
/// 2026-09-21, 14:13:20 UTC.
const NOW: u64 = 1_790_000_000_000;

fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// Returns the rule kind (the last word of its id) and the parameter of each violation.
fn wrong(checked: Result<(), Violations>) -> Vec<(&'static str, String)> {
    // Leaked, so that expectations can be literals.
    let kind = |rule: String| String::leak(rule).rsplit('.').next().unwrap_or_default();
    let violations = checked.err().into_iter().flatten();
    let refusing = violations.filter(|violation| violation.severity == Severity::Refuse);
    refusing.map(|violation| (kind(violation.rule), violation.parameter)).collect()
}

/// Returns the violations that refuse a request at this time.
fn validate(request: &impl Operation, now: Option<Timestamp>) -> Result<(), Violations> {
    let found = request.inspect(CheckContext { now, ..CheckContext::default() });
    if found.refuse() { Err(found) } else { Ok(()) }
}

fn checked(request: &impl Operation) -> Vec<(&'static str, String)> {
    wrong(validate(request, Some(at(NOW))))
}

/// An operation, with the violations of a request in JSON.
struct Checking {
    meta: &'static Meta,
    wrong: fn(&str) -> Vec<(&'static str, String)>,
}

macro_rules! checkings_of {
    ($($operation:ty),+ $(,)?) => {
        fn checkings() -> Vec<Checking> {
            vec![$(Checking {
                meta: <$operation as Operation>::META,
                wrong: |json| wrong(<$operation as Operation>::from_json(json).map(drop)),
            }),+]
        }
    };
}
tradeapi::for_each_operation!(checkings_of);

fn wrong_with(operation: &str, json: &str) -> Vec<(&'static str, String)> {
    let checking = checkings().into_iter().find(|checking| checking.meta.id == operation).expect(operation);
    (checking.wrong)(json)
}

#[test]
fn pages_are_bounded() {
    let limit =
        |operation: &str, more: &str, limit: u64| wrong_with(operation, &format!(r#"{{{more}"limit":"{limit}"}}"#));
    let product = r#""productType":"USDT-FUTURES","#;
    let bounds = [
        ("classic.fills", product, 100),
        ("classic.fill-history", product, 100),
        ("classic.orders-pending", product, 100),
        ("classic.orders-history", product, 100),
        ("unified.fills", "", 100),
        ("unified.history-orders", r#""category":"SPOT","#, 100),
        ("unified.unfilled-orders", "", 100),
        ("unified.reality-fills", r#""symbol":"rAMDUSDT","#, 100),
        ("unified.inner-trades", r#""code":"AMD","#, 100),
        ("broker.customer-commissions", "", 1000),
    ];
    for (operation, more, most) in bounds {
        assert_eq!(limit(operation, more, most), [], "{operation}");
        assert_eq!(limit(operation, more, most + 1), [("max", "limit".to_owned())], "{operation}");
    }
}

#[test]
fn batches_are_bounded() {
    fn batch(wrong_with: &str, around: (&str, &str), item: &str, most: usize, path: &str) {
        let of = |count: usize| {
            let items: Vec<_> = (0..count).map(|id| item.replace('#', &id.to_string())).collect();
            self::wrong_with(wrong_with, &format!("{}[{}]{}", around.0, items.join(","), around.1))
        };
        assert_eq!(of(1), [], "{wrong_with}");
        assert_eq!(of(most), [], "{wrong_with}");
        assert_eq!(of(most + 1), [("max-items", path.to_owned())], "{wrong_with}");
        // An empty list differs from a missing one, which cancels all orders of the pair.
        assert_eq!(of(0), [("min-items", path.to_owned())], "{wrong_with}");
    }
    let classic =
        r#"{"symbol":"S","productType":"USDT-FUTURES","marginCoin":"USDT","marginMode":"crossed","orderList":"#;
    batch("classic.batch-place-order", (classic, "}"), r#"{"size":"1"}"#, 50, "orderList");
    let classic = r#"{"symbol":"S","productType":"USDT-FUTURES","orderIdList":"#;
    batch("classic.batch-cancel-orders", (classic, "}"), r##"{"orderId":"#"}"##, 50, "orderIdList");
    let order = r##"{"category":"SPOT","symbol":"S","qty":"1","side":"buy","orderType":"market","clientOid":"#"}"##;
    batch("unified.place-batch", ("", ""), order, 20, "");
    batch("unified.batch-modify-order", ("", ""), r##"{"orderId":"#","qty":"1"}"##, 20, "");
    batch("unified.cancel-batch", ("", ""), r##"{"category":"SPOT","symbol":"S","orderId":"#"}"##, 20, "");
}

#[test]
fn a_new_value_is_not_written_as_a_deletion() {
    let amend = |value: &str| {
        let request = unified::ModifyOrder::new(ClientOid::new("1").unwrap()).qty(1).stop_loss(decimal(value));
        checked(&request)
    };
    assert_eq!(amend("0.1"), []);
    assert_eq!(amend("0"), [("edit", "stopLoss".to_owned())]);
    assert_eq!(amend("0.00"), [("edit", "stopLoss".to_owned())]);
    let delete = unified::ModifyOrder::new(ClientOid::new("1").unwrap()).qty(1).stop_loss(tradeapi::Edit::Delete);
    assert_eq!(checked(&delete), []);
}

#[test]
fn request_numbers_are_short() {
    let modify =
        |number: u64| checked(&unified::ModifyOrder::new(ClientOid::new("1").unwrap()).qty(1).request_id(number));
    assert_eq!(modify(999_999_999_999_999_999), []);
    assert_eq!(modify(1_000_000_000_000_000_000), [("digits", "requestId".to_owned())]);
}

#[test]
fn spans_are_bounded() {
    let end = |rule: &'static str| vec![(rule, "endTime".to_owned())];
    // Three months of the calendar: 2026-01-15 to 2026-04-15, in milliseconds of UTC.
    let (january, april) = (1_768_435_200_000, 1_776_211_200_000);
    // 2026-02-28 to 2026-05-31: three months counted from the end.
    let (february, may) = (1_772_236_800_000, 1_780_185_600_000);
    let late = classic::GetOrderFillDetails::new(classic::ProductType::UsdtFutures).between(at(february), at(may));
    assert_eq!(wrong(validate(&late, None)), []);
    let fills = |to| {
        checked(&classic::GetOrderFillDetails::new(classic::ProductType::UsdtFutures).between(at(january), at(to)))
    };
    assert_eq!(fills(april), []);
    assert_eq!(fills(april + 1), end("span"));
    let pending =
        |to| checked(&classic::GetPendingOrders::new(classic::ProductType::UsdtFutures).between(at(january), at(to)));
    assert_eq!(pending(april), []);
    assert_eq!(pending(april + 1), end("span"));

    let week = |to| {
        checked(
            &classic::GetHistoricalTransactionDetails::new(classic::ProductType::UsdtFutures).between(at(0), at(to)),
        )
    };
    assert_eq!(week(7 * DAY), []);
    assert_eq!(week(7 * DAY + 1), end("span"));

    let from = NOW - 60 * DAY;
    let month = |to| checked(&unified::GetFillHistory::new().between(at(from), at(to)));
    assert_eq!(month(from + 30 * DAY), []);
    assert_eq!(month(from + 30 * DAY + 1), end("span"));
    let month = |to| checked(&unified::GetOrderHistory::new(Category::Spot).between(at(from), at(to)));
    assert_eq!(month(from + 30 * DAY), []);
    assert_eq!(month(from + 30 * DAY + 1), end("span"));
    let month = |to| checked(&broker::GetAgentDirectCommissions::new().between(at(from), at(to)));
    assert_eq!(month(from + 30 * DAY), []);
    assert_eq!(month(from + 30 * DAY + 1), end("span"));
}

#[test]
fn access_ends_after_ninety_days() {
    const TOLERANCE: u64 = 60_000;
    let oldest = NOW - 90 * DAY;
    let starts: [fn(u64) -> Result<(), Violations>; 2] = [
        |from| validate(&unified::GetFillHistory::new().start_time(at(from)), Some(at(NOW))),
        |from| validate(&unified::GetOrderHistory::new(Category::Spot).start_time(at(from)), Some(at(NOW))),
    ];
    for check in starts {
        assert_eq!(wrong(check(oldest)), []);
        assert_eq!(wrong(check(oldest - TOLERANCE - 1)), [("access", "startTime".to_owned())]);
    }
    // If the document limits the data, an older start finds nothing older, and is not a mistake.
    let ends: [fn(u64) -> Result<(), Violations>; 2] = [
        |to| {
            let history = classic::GetHistoryOrder::new(classic::ProductType::UsdtFutures);
            validate(&history.between(at(to - DAY), at(to)), Some(at(NOW)))
        },
        |to| validate(&broker::GetAgentDirectCommissions::new().between(at(to - DAY), at(to)), Some(at(NOW))),
    ];
    for check in ends {
        assert_eq!(wrong(check(oldest)), []);
        assert_eq!(wrong(check(oldest - TOLERANCE - 1)), [("access", "endTime".to_owned())]);
    }
    // Without a clock, the rule is not checked.
    assert_eq!(wrong(validate(&unified::GetFillHistory::new().start_time(at(0)), None)), []);
}

#[test]
fn between_sets_both_ends_and_they_must_be_in_order() {
    let fills = unified::GetFillHistory::new().between(at(NOW - 2), at(NOW - 1));
    assert_eq!((fills.start_time, fills.end_time), (Some(at(NOW - 2)), Some(at(NOW - 1))));
    assert_eq!(checked(&fills), []);
    assert_eq!(checked(&unified::GetFillHistory::new().between(at(NOW), at(NOW))), []);
    let reversed = unified::GetFillHistory::new().between(at(NOW), at(NOW - 1));
    assert_eq!(checked(&reversed), [("order", "startTime".to_owned())]);
}

#[test]
fn both_ends_of_a_range_are_required_where_documented() {
    let commissions = broker::GetAgentDirectCommissions::new;
    assert_eq!(checked(&commissions()), []);
    assert_eq!(checked(&commissions().start_time(at(NOW))), [("pair", "endTime".to_owned())]);
    assert_eq!(checked(&commissions().end_time(at(NOW))), [("pair", "startTime".to_owned())]);
    assert_eq!(checked(&unified::GetFillHistory::new().end_time(at(NOW))), []);
}

#[test]
fn the_shape_of_client_oids_is_checked_before_they_are_sent() {
    for good in ["a", ".:/-_", &"Z".repeat(32)] {
        assert_eq!(ClientOid::new(good).unwrap().as_str(), good);
    }
    for bad in ["", &"Z".repeat(33), "a b", "\u{e9}", "a\n", "a+b", "[", "\\"] {
        let error = ClientOid::new(bad).expect_err(bad);
        assert_eq!(error.given(), bad);
    }
    // An answer may contain another shape, which can be stored and compared, but not sent.
    let foreign: ClientOid = read_json(r#""made by another client, and long""#).unwrap();
    assert_eq!(checked(&unified::CancelOrder::new(foreign)), [("shape", "clientOid".to_owned())]);
    assert_eq!(checked(&classic_cancel("")), [("shape", "clientOid".to_owned())]);
    assert_eq!(checked(&classic_cancel("a\u{0}")), [("shape", "clientOid".to_owned())]);
    assert_eq!(checked(&classic_cancel(&"any text, the documents say nothing ".repeat(9))), []);
}

fn classic_cancel(client_oid: &str) -> classic::CancelOrder {
    classic::CancelOrder::new("S", classic::ProductType::UsdtFutures, classic::ClientOid::from(client_oid))
}

#[test]
fn values_that_no_document_lists_are_refused() {
    let unknown: Category = read_json(r#""OPTIONS""#).unwrap();
    assert_eq!((unknown.as_str(), OpenEnum::index(&unknown)), ("OPTIONS", None));
    let fills = unified::GetFillHistory::new().category(unknown);
    assert_eq!(checked(&fills), [("values", "category".to_owned())]);
    assert_eq!(wrong_with("unified.fills", r#"{"category":"OPTIONS"}"#), [("values", "category".to_owned())]);
    // A value of the enum is not always allowed for the operation.
    let reality = r#"{"category":"USDT-FUTURES","symbol":"rAMDUSDT","orderId":"1"}"#;
    assert_eq!(wrong_with("unified.cancel-reality-order", reality), [("values", "category".to_owned())]);
}

#[test]
fn a_request_in_json_is_read_strictly() {
    let cases = [
        (
            r#"{}"#,
            vec![
                ("required", "category"),
                ("required", "symbol"),
                ("required", "qty"),
                ("required", "side"),
                ("required", "orderType"),
            ],
        ),
        (
            r#"{"category":"SPOT","symbol":"S","qty":"1","side":"buy","orderType":"market","price":"1"}"#,
            vec![("not-applicable", "price")],
        ),
        (r#"{"category":"SPOT","symbol":"S","qty":"1","side":"buy","orderType":"limit"}"#, vec![("required", "price")]),
        (
            r#"{"category":"SPOT","symbol":"S","qty":"1","side":"buy","orderType":"stop"}"#,
            vec![("values", "orderType")],
        ),
        (
            r#"{"category":"SPOT","symbol":"S","qty":"one","side":"buy","orderType":"market"}"#,
            vec![("unreadable", "qty")],
        ),
        (
            r#"{"category":"SPOT","symbol":"S","qty":"1","side":"buy","orderType":"market","size":"1"}"#,
            vec![("unknown-parameter", "size")],
        ),
        (r#"["category"]"#, vec![("unreadable", "")]),
        (
            r#"{"category":"spot","symbol":"S","qty":"1","side":"BUY","orderType":"market"}"#,
            vec![("values", "category"), ("values", "side")],
        ),
        (
            r#"{"category":"SPOT","qty":"1","side":"buy","orderType":"market","sise":"1"}"#,
            vec![("required", "symbol"), ("unknown-parameter", "sise")],
        ),
        (r#"{"category":"SPOT","symbol":"S","qty":"1","side":"buy","price":"1"}"#, vec![("required", "orderType")]),
    ];
    for (json, expected) in cases {
        let expected: Vec<_> = expected.into_iter().map(|(rule, path)| (rule, path.to_owned())).collect();
        assert_eq!(wrong_with("unified.place-order", json), expected, "{json}");
    }
    let both = r#"{"orderId":"1","clientOid":"2"}"#;
    assert_eq!(wrong_with("unified.cancel-order", both), [("one-of", "orderId".to_owned())]);
    assert_eq!(wrong_with("unified.cancel-order", "{}"), [("one-of", "orderId".to_owned())]);
    // A parameter that is null is left out, also one that another excludes.
    let neither = r#"{"orderId":null,"clientOid":null}"#;
    assert_eq!(wrong_with("unified.cancel-order", neither), [("one-of", "orderId".to_owned())]);
    assert_eq!(wrong_with("unified.cancel-order", r#"{"orderId":null,"clientOid":"2"}"#), []);
    let market = r#"{"category":"SPOT","symbol":"S","qty":"1","side":"buy","orderType":"market","price":null}"#;
    assert_eq!(wrong_with("unified.place-order", market), []);
    assert!(!wrong_with("unified.cancel-order", "{").is_empty());
    assert!(!wrong_with("unified.cancel-order", "").is_empty());
    // An empty text keeps a value, 0 deletes it.
    let edit = unified::ModifyOrder::from_json(r#"{"orderId":"1","qty":2,"takeProfit":"","stopLoss":0}"#).unwrap();
    assert_eq!((edit.take_profit, edit.stop_loss), (tradeapi::Edit::Keep, tradeapi::Edit::Delete));
}

#[test]
fn all_violations_are_reported_at_once_with_their_places() {
    let order = |category: Category, symbol: &str, execution: Execution| {
        BatchOrderItem::new(category, symbol, decimal("1"), Side::Buy, execution)
    };
    let mut limit = LimitExecution::new(decimal("64000"));
    limit.time_in_force = Some(read_json(r#""someday""#).unwrap());
    let mut orders = vec![
        order(Category::Spot, "BTCUSDT", Execution::Market).pos_side(unified::PosSide::Long),
        order(Category::Spot, "", limit.into()),
        order(Category::Margin, "BTCUSDT", Execution::Market).client_oid(read_json(r#""not one""#).unwrap()),
    ];
    orders.extend((3..21).map(|_| order(Category::Spot, "BTCUSDT", Execution::Market)));
    let request = unified::BatchOrder::new(orders);
    let violations = validate(&request, None).unwrap_err();
    let expected = [
        ("max-items", ""),
        ("pos-side-futures-only", "[0].category"),
        ("shape", "[1].symbol"),
        ("values", "[1].timeInForce"),
        ("shape", "[2].clientOid"),
        ("one-category", ""),
    ];
    assert_eq!(wrong(Err(violations.clone())), expected.map(|(rule, path)| (rule, path.to_owned())));
    assert!(violations.iter().all(|violation| violation.source.starts_with("unified-v3, ")), "{violations}");
    let refusals = violations.iter().filter(|violation| violation.severity == Severity::Refuse).count();
    assert_eq!(refusals, expected.len());
    assert_eq!(violations.to_string().lines().count(), violations.len() + 1, "one a line, and the warnings' heading");
}

#[tokio::test]
async fn a_refused_request_is_not_sent_unless_checks_are_off() {
    let server = ScriptedServer::start().unwrap();
    let builder =
        || Client::builder(server.url()).credentials(Credentials::new("k", "s", "p")).clock(FixedClock(at(NOW)));
    let request = unified::GetFillHistory::new().limit(101).between(at(NOW), at(NOW - 1));
    match builder().build().unwrap().call(&request).await {
        Err(Error::Refused(refusal)) => {
            assert_eq!((refusal.operation, refusal.violations.len()), ("unified.fills", 2));
            assert_eq!(Err(refusal.violations), validate(&request, Some(at(NOW))));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(server.requests(), []);
    let _ = builder().checks(false).build().unwrap().call(&request).await;
    assert_eq!(server.requests().len(), 1);
}

/// The parameters that may be blank by the documents, which keeps the current value.
const MAY_BE_BLANK: [(&str, &[&str]); 5] = [
    ("classic.place-order", &["presetStopSurplusPrice", "presetStopLossPrice"]),
    ("classic.close-positions", &["holdSide"]),
    ("broker.customer-commissions", &["startTime", "endTime"]),
    ("classic.modify-order", &["newSize", "newPrice", "newPresetStopSurplusPrice", "newPresetStopLossPrice"]),
    ("unified.modify-order", &["tpTriggerBy", "slTriggerBy", "takeProfit", "stopLoss", "tpLimitPrice", "slLimitPrice"]),
];

#[test]
fn an_empty_text_counts_as_given_in_every_parameter() {
    let facts = Generator::new().schema_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../schema")).read().unwrap().facts();
    let mut tried = 0;
    for fact in &facts {
        let [kind, operation, name, ..] = fact.split('\t').collect::<Vec<_>>()[..] else { continue };
        if kind != "param" || name == "[]" {
            continue;
        }
        let may_be = MAY_BE_BLANK.iter().any(|(id, names)| *id == operation && names.contains(&name));
        let (json, path) = match name.split_once("[].") {
            None => (format!(r#"{{"{name}":""}}"#), name.to_owned()),
            Some(("", item)) => (format!(r#"[{{"{item}":""}}]"#), format!("[0].{item}")),
            Some((list, item)) => (format!(r#"{{"{list}":[{{"{item}":""}}]}}"#), format!("{list}[0].{item}")),
        };
        let wrong = wrong_with(operation, &json);
        let is_refused = wrong.contains(&("empty", path.clone()));
        assert_eq!(is_refused, !may_be, "{operation}: {json}: {wrong:?}");
        assert!(!wrong.contains(&("required", path)), "{operation}: {json}: reported twice: {wrong:?}");
        tried += 1;
    }
    assert!(tried > 200, "{tried}");
}

#[test]
fn an_id_that_is_an_empty_text_is_refused_wherever_it_is_read() {
    let order = r#"{"category":"SPOT","symbol":"BTCUSDT","qty":"1","side":"buy","orderType":"market","clientOid":""}"#;
    assert_eq!(wrong_with("unified.place-order", order), [("empty", "clientOid".to_owned())]);
    let text = unified::PlaceOrder::from_json(order).unwrap_err().to_string();
    assert!(text.starts_with(r#"clientOid: "" given; an empty text is not a value (rule clientOid.empty;"#), "{text}");
    let by_serde = serde_json::from_str::<unified::PlaceOrder>(order).unwrap_err().to_string();
    assert!(by_serde.contains("clientOid.empty"), "{by_serde}");
    let null = order.replace(r#""""#, "null");
    assert_eq!(unified::PlaceOrder::from_json(&null).unwrap().client_oid, None, "null says that there is none");

    let listed = wrong(unified::GetOpenOrders::from_query("category=SPOT&cursor=&limit=").map(drop));
    assert_eq!(listed, [("empty", "cursor".to_owned()), ("empty", "limit".to_owned())]);
    let list = wrong_with("classic.batch-cancel-orders", r#"{"productType":"USDT-FUTURES","orderIdList":""}"#);
    assert_eq!(list, [("empty", "orderIdList".to_owned())]);
    // Both of two members count.
    let twice = order.replace(r#""clientOid":"""#, r#""clientOid":"a","clientOid":"""#);
    assert!(wrong_with("unified.place-order", &twice).contains(&("empty", "clientOid".to_owned())));
    let other = wrong_with("unified.cancel-order", r#"{"orderId":"","clientOid":"a"}"#);
    assert_eq!(other, [("empty", "orderId".to_owned())]);
}

#[test]
fn a_parameter_that_comes_twice_is_told_so_in_either_form() {
    let said = [
        unified::GetOrderDetails::from_query("orderId=1&orderId=2").unwrap_err().to_string(),
        unified::GetOrderDetails::from_json(r#"{"orderId":"1","orderId":"2"}"#).unwrap_err().to_string(),
        unified::GetOpenOrders::from_query("limit=1&limit=1").unwrap_err().to_string(),
        unified::GetOpenOrders::from_query("category=SPOT&category=MARGIN").unwrap_err().to_string(),
    ];
    for text in said {
        assert!(text.contains("it comes more than once") && text.contains("leave out all but one"), "{text}");
    }
}

#[test]
fn a_decimal_has_as_many_digits_as_any_amount_and_not_more() {
    let order = |qty: &str| {
        let order = unified::PlaceOrder::new(Category::Spot, "BTCUSDT", decimal(qty), Side::Buy, Execution::Market);
        order.client_oid(ClientOid::mint())
    };
    let longest = "9".repeat(64);
    for kept in [&*longest, "1e-63", "0.1e-62", "1e63", "-1e63", "12345678901234567890123456789012.12345678"] {
        assert_eq!(checked(&order(kept)), [], "{kept}");
    }
    for broken in [&*format!("{longest}9"), "1e-64", "1e64", "1e1000", "-1e-1000", &format!("0.{longest}")] {
        assert_eq!(checked(&order(broken)), [("digits", "qty".to_owned())], "{broken}");
    }
    let mut amend = unified::ModifyOrder::new(unified::OrderId::from("1")).qty(decimal("1"));
    amend.take_profit = tradeapi::Edit::Set(decimal("1e999"));
    assert_eq!(checked(&amend), [("digits", "takeProfit".to_owned())]);
    // The value to be sent is shown.
    let text = validate(&order("1e1000"), None).unwrap_err().to_string();
    let zeros = "0".repeat(79);
    let expected = "at most 64 digits, written without an exponent, are sent (rule qty.digits): use a shorter number";
    assert_eq!(text, format!("qty: 1{zeros}... given; {expected}"));
}

#[test]
fn violations_name_given_parameters_only() {
    let order = |symbol: &str| {
        let execution = Execution::from(LimitExecution::new(decimal("64000")));
        unified::PlaceOrder::new(Category::CoinFutures, symbol, decimal("1"), Side::Buy, execution)
            .client_oid(ClientOid::mint())
    };
    let mut coin_m = order("BTCUSD_CM");
    coin_m.stop_loss = Some(decimal("60000"));
    assert_eq!(checked(&coin_m), [("new-coin-m-no-preset-tp-sl", "stopLoss".to_owned())]);
    let text = validate(&coin_m, None).unwrap_err().to_string();
    assert!(text.starts_with("stopLoss: 60000 given; "), "{text}");
    coin_m.sl_order_type = Some(read_json(r#""market""#).unwrap());
    let both = ["stopLoss", "slOrderType"].map(|name| ("new-coin-m-no-preset-tp-sl", name.to_owned()));
    assert_eq!(checked(&coin_m), both);

    let amend = r#"{"orderId":"1","symbol":"BTCUSDT","productType":"USDT-FUTURES","newClientOid":"b","newPrice":"2",
                    "newPresetStopLossPrice":"1"}"#;
    static NOTHING: CheckPolicy = CheckPolicy::nothing();
    static NOBODY: Account = Account::new();
    let unchecked = CheckContext { account: &NOBODY, policy: &NOTHING, ..CheckContext::default() };
    let warned = classic::ModifyOrder::from_json_in(amend, unchecked).unwrap().inspect(CheckContext::default());
    let is_of_presets = |violation: &Violation| violation.rule.ends_with("presets-without-size-and-price");
    let named: Vec<_> = warned.into_iter().filter(is_of_presets).map(|violation| violation.parameter).collect();
    assert!(named.contains(&"newPrice".to_owned()) && !named.contains(&"newSize".to_owned()), "{named:?}");
}

/// Coin-M futures of classic accounts ended on 2026-09-17.
#[test]
fn a_value_that_has_ended_is_warned_of_by_the_clock_of_the_exchange() {
    let close = classic::FlashClosePosition::new(classic::ProductType::CoinFutures);
    let at = |millis| ExchangeTime::exactly(Timestamp::from_millis(millis));
    let found = |time| close.inspect(CheckContext { time, ..CheckContext::default() });
    assert!(found(at(1_787_000_000_000)).is_empty(), "2026-08-17");
    assert!(found(at(1_789_600_000_000)).is_empty(), "2026-09-16, the day before");
    assert!(found(ExchangeTime::UNKNOWN).is_empty());
    let warned = found(at(1_790_000_000_000));
    assert!(!warned.refuse());
    let text = "productType: \"COIN-FUTURES\" given; the exchange takes it until 2026-09-17";
    assert!(warned.to_string().contains(text), "{warned}");
    let policy = CheckPolicy::new().off("productType.dates");
    let context = CheckContext { time: at(1_790_000_000_000), policy: &policy, ..CheckContext::default() };
    assert!(close.inspect(context).is_empty());
}

#[test]
fn refusals_come_before_warnings() {
    let item = |index: u32| {
        BatchOrderItem::new(Category::Spot, "BTCUSDT", decimal(&index.to_string()), Side::Buy, Execution::Market)
    };
    let mut orders: Vec<_> = (1..=20).map(item).collect();
    orders[19].qty = decimal("1e99");
    let request = unified::BatchOrder::new(orders);
    let violations = validate(&request, None).unwrap_err();
    assert_eq!((violations.refusals().count(), violations.warnings().count()), (1, 20));
    let text = violations.to_string();
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("[19].qty: 1000"), "{text}");
    assert_eq!((lines[1], lines.len()), ("Warnings, for which it is not refused:", 22));
    assert!(lines[2..].iter().all(|line| line.contains("client-oid-recommended")), "{text}");

    // There is no heading without warnings, nor with warnings alone.
    let warned = unified::BatchOrder::new(vec![item(1)]).inspect(CheckContext::default());
    assert!(!warned.refuse() && warned.to_string().lines().count() == 1);
}

#[test]
fn reality_operations_take_reality_pairs_only() {
    let cancel =
        |symbol: &str| wrong_with("unified.cancel-reality-order", &format!(r#"{{"symbol":"{symbol}","orderId":"1"}}"#));
    assert_eq!(cancel("rAMDUSDT"), []);
    assert_eq!(cancel("BTCUSDT"), [("reality-pairs-only", "symbol".to_owned())]);
    assert_eq!(cancel("RAMDUSDT"), [], "the instrument decides");
}
