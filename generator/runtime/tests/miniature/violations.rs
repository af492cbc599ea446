//! Requests that the documents forbid are refused before they are sent or when they are read.

use tradeapi_runtime::checks::CheckContext;
use tradeapi_runtime::parameters::ParameterReader;
use tradeapi_runtime::{Decimal, Edit, Operation, Timestamp, Violations};

use crate::Tested;
use crate::api::{ClientOid, Side, Symbol};
use crate::orders::{AmendOrder, Execution, Orders, PlaceBatch, PlaceOrder};

const DAY: u64 = 24 * 60 * 60 * 1000;
const NOW: Timestamp = Timestamp::from_millis(20_000 * DAY);

/// Returns the kinds of the broken rules, which are the last words of their ids, and the parameters.
fn rules(result: Result<(), Violations>) -> Vec<(String, String)> {
    let kind = |rule: String| rule.rsplit('.').next().unwrap_or_default().to_owned();
    result.err().into_iter().flatten().map(|violation| (kind(violation.rule), violation.parameter)).collect()
}

/// Returns the violations that refuse a request, checked as of `now` if that is given.
fn validate(request: &impl Operation, now: Option<Timestamp>) -> Result<(), Violations> {
    let found = request.inspect(CheckContext { now, ..CheckContext::default() });
    if found.refuse() { Err(found) } else { Ok(()) }
}

fn order(symbol: &str, side: Side) -> PlaceOrder {
    PlaceOrder::new(symbol, side, 1_u32, Execution::Market)
}

fn range(from: u64, to: u64) -> Orders {
    let day = |day: u64| Some(Timestamp::from_millis(day * DAY));
    Orders { start_time: day(from), end_time: day(to), ..Orders::default() }
}

fn owned(rules: &[(&str, &str)]) -> Vec<(String, String)> {
    rules.iter().map(|(rule, parameter)| ((*rule).to_owned(), (*parameter).to_owned())).collect()
}

#[test]
fn all_violations_are_reported_at_once() {
    let batch = PlaceBatch { orders: vec![order("", Side::Buy), order("A", Side::Sell), order("B", Side::Buy)] };
    let two = rules(validate(&batch, None));
    assert_eq!(two, owned(&[("shape", "[0].symbol"), ("same-side", "[].side")]));
}

#[test]
fn errors_have_a_remedy() {
    let limit = Orders { limit: Some(150), ..Orders::default() };
    let text = validate(&limit, None).map_err(|violations| violations.to_string());
    assert_eq!(
        text,
        Err("limit: 150 given; at most 100 is allowed (rule limit.max; mini-v1, Orders): lower it".to_owned())
    );
    let batch = PlaceBatch { orders: vec![order("A", Side::Buy), order("B", Side::Sell)] };
    let text = validate(&batch, None).map_err(|violations| violations.to_string());
    let expected = "[].side: buy and sell given; all orders must have the same side \
                    (rule same-side; mini-v1, Place Batch, rule 2): send one batch for each side";
    assert_eq!(text, Err(expected.to_owned()));
}

#[test]
fn numbers_have_bounds() -> Tested {
    assert_eq!(rules(validate(&Orders { limit: Some(0), ..Orders::default() }, None)), owned(&[("min", "limit")]));
    let mut order = order("A", Side::Buy);
    order.execution = Execution::Limit { price: "0.0099".parse()? };
    assert_eq!(rules(validate(&order, None)), owned(&[("min", "price")]));
    let amend = |sequence| AmendOrder {
        order_id: "1".into(),
        take_profit: Edit::Keep,
        tags: vec![],
        legs: vec![PlaceOrder::new("", Side::Buy, 1_u32, Execution::Market)],
        sequence: Some(sequence),
    };
    let both = owned(&[("shape", "legs[0].symbol"), ("digits", "sequence")]);
    assert_eq!(rules(validate(&amend(1_000_000_000_000_000_000), None)), both);
    assert_eq!(rules(validate(&amend(999_999_999_999_999_999), None)).len(), 1);
    Ok(())
}

#[test]
fn lists_have_bounds() -> Tested {
    let batch = |count| PlaceBatch { orders: vec![order("A", Side::Buy); count] };
    assert_eq!(rules(validate(&batch(0), None)), owned(&[("min-items", "")]));
    assert_eq!(rules(validate(&batch(3), None)), owned(&[]));
    assert_eq!(rules(validate(&batch(4), None)), owned(&[("max-items", "")]));
    let mut twice = batch(2);
    twice.orders.iter_mut().for_each(|order| order.client_oid = ClientOid::new("a").ok());
    assert_eq!(rules(validate(&twice, None)), owned(&[("each-once", "[].clientOid")]));
    Ok(())
}

#[test]
fn ranges_have_rules() {
    assert_eq!(rules(validate(&range(19_970, 20_000), Some(NOW))), owned(&[]));
    assert_eq!(rules(validate(&range(19_969, 20_000), Some(NOW))), owned(&[("span", "endTime")]));
    assert_eq!(rules(validate(&range(19_999, 19_998), Some(NOW))), owned(&[("order", "startTime")]));
    assert_eq!(rules(validate(&range(19_910, 19_920), Some(NOW))), owned(&[]));
    assert_eq!(rules(validate(&range(19_909, 19_920), Some(NOW))), owned(&[("access", "startTime")]));
    assert_eq!(rules(validate(&range(19_909, 19_920), None)), owned(&[]));
    let half = Orders { start_time: Some(NOW), ..Orders::default() };
    assert_eq!(rules(validate(&half, Some(NOW))), owned(&[("pair", "endTime")]));
}

#[test]
fn parameters_from_a_response_are_checked_again() -> Tested {
    let mut order = order("A", Side::Buy);
    order.side = tradeapi_runtime::json::read_json("\"short\"")?;
    order.client_oid = Some(tradeapi_runtime::json::read_json("\"not of the shape\"")?);
    assert_eq!(rules(validate(&order, None)), owned(&[("values", "side"), ("shape", "clientOid")]));
    Ok(())
}

fn refused<O: Operation>(json: &str) -> Vec<(String, String)> {
    rules(O::from_json(json).map(drop))
}

#[test]
fn reading_reports_all_mistakes() {
    let json = r#"{"size":"x","orderType":"stop","clientOid":"UPPER","reduceOnly":"maybe"}"#;
    let wrong = owned(&[
        ("required", "symbol"),
        ("required", "side"),
        ("unreadable", "size"),
        ("values", "orderType"),
        ("unreadable", "reduceOnly"),
    ]);
    assert_eq!(refused::<PlaceOrder>(json), wrong);
}

#[test]
fn reading_refuses_foreign_members() {
    let json = r#"{"symbol":"A","side":"buy","size":1,"orderType":"market","price":"5","colour":"red","sized":1}"#;
    let violations = PlaceOrder::from_json(json).map(drop).map_err(|violations| violations.to_string());
    let expected = "price: it does not go with the others (rule price.not-applicable; mini-v1, Place Order): leave it out\n\
                    colour: the parameters here are clientOid, orderType, price, reduceOnly, side, size, symbol \
                    (rule colour.unknown-parameter; mini-v1, Place Order): leave it out or correct its name\n\
                    sized: the parameters here are clientOid, orderType, price, reduceOnly, side, size, symbol \
                    (rule sized.unknown-parameter; mini-v1, Place Order): did you mean `size`?";
    assert_eq!(violations, Err(expected.to_owned()));
}

#[test]
fn reading_follows_lists() {
    let json = r#"[{"symbol":"A","side":"buy","size":1,"orderType":"market"},
                   {"symbol":"B","side":"short","size":1,"orderType":"limit"},
                   5]"#;
    let wrong = owned(&[("required", "[1].price"), ("unreadable", "[2]")]);
    let found = refused::<PlaceBatch>(json);
    assert_eq!(found, wrong);
    let nested = r#"{"orderId":"1","legs":[{"symbol":"A","size":1,"orderType":"market"}],"tags":"[\"a\"]"}"#;
    assert_eq!(refused::<AmendOrder>(nested), owned(&[("required", "legs[0].side")]));
}

#[test]
fn stored_requests_are_checked_when_read() {
    let json = r#"{"symbol":"A","side":"short","size":1,"orderType":"market"}"#;
    assert_eq!(refused::<PlaceOrder>(json), owned(&[("values", "side")]));
    assert_eq!(rules(Orders::from_query("limit=101").map(drop)), owned(&[("max", "limit")]));
    assert_eq!(rules(Orders::from_query("limit=%zz").map(drop)), owned(&[("unreadable", "")]));
}

#[test]
fn edits_are_read() -> Tested {
    let edit = |value: &str| AmendOrder::from_json(&format!(r#"{{"orderId":"1","takeProfit":{value}}}"#));
    assert_eq!(edit("\"\"")?.take_profit, Edit::Keep);
    assert_eq!(edit("null")?.take_profit, Edit::Keep);
    assert_eq!(edit("\"0\"")?.take_profit, Edit::Delete);
    assert_eq!(edit("1.50")?.take_profit, Edit::Set("1.50".parse::<Decimal>()?));
    Ok(())
}

#[test]
fn reading_any_input_gives_violations() {
    for json in ["", "null", "5", "{", "[", "\"", "{}", "[]", "[{}]", "[null]", "{\"symbol\":{}}"] {
        assert!(!refused::<PlaceOrder>(json).is_empty(), "{json}");
        assert!(!refused::<PlaceBatch>(json).is_empty(), "{json}");
        let _ = ParameterReader::read::<Orders>(json);
        let _ = Orders::from_query(json);
    }
    assert_eq!(refused::<AmendOrder>("{}"), owned(&[("required", "orderId")]));
    let symbol = Symbol::from("A");
    assert_eq!(symbol.as_str(), "A");
}

#[test]
fn a_parameter_is_given_once() {
    let twice = r#"{"symbol":"A","side":"buy","side":"sell","size":"1","orderType":"market"}"#;
    assert_eq!(refused::<PlaceOrder>(twice), owned(&[("unreadable", "side")]));
    let same = r#"{"symbol":"A","side":"buy","side":"buy","size":"1","orderType":"market"}"#;
    assert_eq!(refused::<PlaceOrder>(same), owned(&[("unreadable", "side")]));
}

#[test]
fn a_batch_that_is_no_list_is_refused_for_that_alone() {
    let object = r#"{"symbol":"A","side":"buy","size":"1","orderType":"market"}"#;
    assert_eq!(refused::<PlaceBatch>(object), owned(&[("unreadable", "")]));
}
