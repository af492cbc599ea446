//! Reading of requests by the emitted types, of numbers, and of the orders, fills and positions that a request selects.

use percent_encoding::percent_decode_str;
use rust_decimal::Decimal;
use serde_json::Value;
use tradeapi::runtime::checks::{CheckContext, CheckPolicy};
use tradeapi::runtime::parameters::{ParameterWriter, Parameters};
use tradeapi::runtime::tables::Sends;
use tradeapi::{Operation, Violations};

use crate::operations::tolerance::Repairs;
use crate::state::core::Core;
use crate::state::instruments::MAX_NUMBER;
use crate::state::orders::Order;
use crate::state::refusal::Reason;
use crate::state::words::Line;

/// The most decimal places of prices and quantities, so that products are exact.
const MAX_PLACES: u32 = 12;

/// The policy for reading requests; rules are checked afterwards.
static NO_RULES: CheckPolicy = CheckPolicy::nothing();

/// The most rounds of changes that let a request be read: each shows what the ones before hid.
const ROUNDS: usize = 6;

/// A request as it was read.
pub(crate) struct Read<O> {
    pub(crate) request: Result<O, Violations>,
    /// The names of the parameters that were ignored.
    pub(crate) ignored: Vec<String>,
    /// The path of the first parameter that the documents write otherwise: as a number or as a text, as a number
    /// without an exponent, a plus, or a point at an end, or not at all in place of `null`.
    pub(crate) miswritten: Option<String>,
}

/// Reads the request of an operation; its rules are checked by the caller. What is not as documented is
/// [repaired](Repairs) as far as the exchange takes it.
pub(crate) fn read<O: Operation>(parameters: &str, mut repairs: Repairs, is_tolerant: bool) -> Read<O> {
    let is_query = O::META.sends() == Sends::Query;
    let context = CheckContext { policy: &NO_RULES, ..CheckContext::default() };
    let read = |parameters: &str| match is_query {
        true => O::from_query_in(parameters, context),
        false => O::from_json_in(parameters, context),
    };
    let named = if repairs.is_empty() { None } else { repairs.apply(parameters, is_query) };
    let mut request = read(named.as_deref().unwrap_or(parameters));
    for _ in 0..ROUNDS {
        let Err(violations) = &request else { break };
        if !repairs.add(violations, O::META.effect, is_tolerant) {
            break;
        }
        let Some(repaired) = repairs.apply(parameters, is_query) else { break };
        request = read(&repaired);
    }
    if let Err(violations) = &request
        && repairs.drop_spellings(violations)
        && let Some(repaired) = repairs.apply(parameters, is_query)
    {
        request = read(&repaired);
    }
    let strict = request.as_ref().ok().filter(|_| !is_tolerant);
    let miswritten = strict.and_then(|request| match is_query {
        true => miswritten_in_query(parameters, request),
        false => miswritten(parameters, request),
    });
    Read { request, ignored: repairs.ignored().map(str::to_owned).collect(), miswritten }
}

/// Returns whether a request has one of these parameters, in an item or by itself.
pub(crate) fn has_any(request: &impl Parameters, names: &[&str]) -> bool {
    fn has(value: &Value, names: &[&str]) -> bool {
        match value {
            Value::Object(members) => {
                members.iter().any(|(name, value)| names.contains(&name.as_str()) || has(value, names))
            }
            Value::Array(items) => items.iter().any(|item| has(item, names)),
            _ => false,
        }
    }
    let mut out = ParameterWriter::json();
    request.write(&mut out);
    serde_json::from_str(&out.finish()).is_ok_and(|written| has(&written, names))
}

/// Returns the name of the first number of a query that the request writes otherwise.
fn miswritten_in_query(given: &str, request: &impl Parameters) -> Option<String> {
    let mut out = ParameterWriter::query();
    request.write(&mut out);
    let documented = out.finish();
    given.split('&').filter_map(|pair| pair.split_once('=')).find_map(|(name, value)| {
        let mut written = documented.split('&').filter_map(|pair| pair.split_once('='));
        let (_, written) = written.find(|(other, _)| *other == name)?;
        (is_number(written) && !percent_decode_str(value).eq(written.bytes())).then(|| name.to_owned())
    })
}

/// Returns the path of the first parameter that is not in the form that the request is written with.
fn miswritten(given: &str, request: &impl Parameters) -> Option<String> {
    let mut out = ParameterWriter::json();
    request.write(&mut out);
    let documented = out.finish();
    // As clients of this crate write it.
    if documented == given {
        return None;
    }
    differing_form(&serde_json::from_str(given).ok()?, &serde_json::from_str(&documented).ok()?, "")
}

/// Returns the path of the first scalar that has another kind in the other value, or is a number that is written
/// otherwise.
fn differing_form(given: &Value, documented: &Value, path: &str) -> Option<String> {
    match (given, documented) {
        (Value::Object(given), Value::Object(documented)) => given.iter().find_map(|(name, value)| {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            documented.get(name).map_or_else(
                || value.is_null().then(|| path.clone()),
                |as_documented| differing_form(value, as_documented, &path),
            )
        }),
        (Value::Array(given), Value::Array(documented)) => given
            .iter()
            .zip(documented)
            .enumerate()
            .find_map(|(index, (given, documented))| differing_form(given, documented, &format!("{path}[{index}]"))),
        (Value::Number(_) | Value::Bool(_), Value::String(_))
        | (Value::String(_), Value::Number(_) | Value::Array(_) | Value::Object(_)) => Some(path.to_owned()),
        (Value::String(given), Value::String(documented)) => {
            (is_number(documented) && given != documented).then(|| path.to_owned())
        }
        _ => None,
    }
}

/// Returns whether a text is a number as the documents write it.
fn is_number(text: &str) -> bool {
    text.parse::<tradeapi::Decimal>().is_ok_and(|number| number.to_plain() == text)
}

/// Returns the number of a parameter of a request.
pub(crate) fn number(parameter: &'static str, text: &tradeapi::Decimal) -> Result<Decimal, Reason> {
    let why = "a number from 0 to 1000000000000 with at most 12 decimal places is needed";
    let refused = Reason::value([parameter, "digits"], why);
    let number = text.to_rust_decimal().map_err(|_| refused)?.normalize();
    let is_fine = !number.is_sign_negative() && number <= MAX_NUMBER && number.scale() <= MAX_PLACES;
    if is_fine { Ok(number) } else { Err(refused) }
}

/// Returns the number of a parameter of a request, if it is set.
pub(crate) fn optional(parameter: &'static str, text: Option<&tradeapi::Decimal>) -> Result<Option<Decimal>, Reason> {
    text.map(|text| number(parameter, text)).transpose()
}

/// Returns a number of an answer.
pub(crate) fn wire(number: Decimal) -> tradeapi::Decimal {
    number.normalize().into()
}

/// The orders, fills and positions that a request selects: those of a business line, of a pair, of pairs that are margined in a coin,
/// or all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'a> {
    pub(crate) line: Option<&'a str>,
    pub(crate) symbol: Option<&'a str>,
    pub(crate) coin: Option<&'a str>,
}

impl<'a> Wanted<'a> {
    /// Returns what belongs to a pair of a business line.
    pub(crate) fn of(line: &'a str, symbol: &'a str) -> Self {
        Self { line: Some(line), symbol: Some(symbol), coin: None }
    }

    /// Returns whether what belongs to a pair of a line is selected.
    pub(crate) fn holds(self, core: &Core, line: Line, pair: usize) -> bool {
        self.line.is_none_or(|wanted| line.as_str() == wanted)
            && self.symbol.is_none_or(|wanted| core.pairs[pair].is_named(wanted))
            && self.coin.is_none_or(|wanted| core.is_margined_in(pair, wanted))
    }

    /// Returns whether an order is selected.
    pub(crate) fn is(self, core: &Core, order: &Order) -> bool {
        self.holds(core, order.ticket.line, order.ticket.pair)
    }
}

#[cfg(test)]
mod tests {
    use tradeapi::unified::{
        BatchCancel, BatchModifyOrders, CancelOrder, Category, GetOpenOrders, OrderRef, PlaceOrder, Side,
    };

    use super::*;

    #[test]
    fn the_order_id_wins() {
        let read_one = read::<CancelOrder>(r#"{"orderId": "7", "clientOid": "a"}"#, Repairs::default(), false).request;
        assert!(matches!(read_one.map(|request| request.order), Ok(OrderRef::OrderId(id)) if id.as_str() == "7"));
        let items = r#"[{"category": "SPOT", "symbol": "BTCUSDT", "orderId": "7", "clientOid": "a"}]"#;
        let read_items =
            read::<BatchCancel>(items, Repairs::default(), false).request.map(|request| request.orders.len());
        assert_eq!(read_items.ok(), Some(1));
        assert!(read::<CancelOrder>("{}", Repairs::default(), true).request.is_err());
    }

    #[test]
    fn a_tolerant_exchange_ignores_unknown_parameters_and_the_case_of_values() {
        let order = r#"{"category": "usdt-futures", "symbol": "BTCUSDT", "side": "Buy", "orderType": "LIMIT",
            "qty": "1", "price": "2", "timeInForce": "GTC", "colour": "red"}"#;
        let tolerant = read::<PlaceOrder>(order, Repairs::default(), true);
        let read_order = tolerant.request.map(|order| (order.category, order.side));
        assert_eq!(read_order.ok(), Some((Category::UsdtFutures, Side::Buy)));
        assert_eq!(tolerant.ignored, ["colour"]);
        let strict = read::<PlaceOrder>(order, Repairs::default(), false);
        assert!(strict.request.is_err() && strict.ignored.is_empty());
        let query = read::<GetOpenOrders>("category=spot&colour=red&limit=5", Repairs::default(), true);
        assert_eq!(query.request.ok().and_then(|query| query.category), Some(Category::Spot));
        assert_eq!(query.ignored, ["colour"]);
        let items = r#"[{"category": "Spot", "symbol": "BTCUSDT", "orderId": "7", "clientOid": "a", "x": {"y": []}}]"#;
        let batch = read::<BatchCancel>(items, Repairs::default(), true);
        assert!(batch.request.is_ok_and(|batch| batch.orders.len() == 1) && batch.ignored == ["x"]);
        assert!(
            read::<GetOpenOrders>("category=stocks", Repairs::default(), true).request.is_err(),
            "no spelling of it is known"
        );
    }

    #[test]
    fn a_strict_exchange_finds_what_the_documents_write_otherwise() {
        let order = r#"{"symbol": "BTCUSDT", "category": "SPOT", "side": "buy", "orderType": "market", "qty": 1}"#;
        assert_eq!(read::<PlaceOrder>(order, Repairs::default(), false).miswritten.as_deref(), Some("qty"));
        assert_eq!(read::<PlaceOrder>(order, Repairs::default(), true).miswritten, None);
        assert_eq!(read::<PlaceOrder>(&order.replace('1', "\"1\""), Repairs::default(), false).miswritten, None);
        for number in ["1E-2", "+0.01", ".01", "01", "50000.", "1e2"] {
            let order = order.replace('1', &format!("\"{number}\""));
            assert_eq!(
                read::<PlaceOrder>(&order, Repairs::default(), false).miswritten.as_deref(),
                Some("qty"),
                "{number}"
            );
            let tolerant = read::<PlaceOrder>(&order, Repairs::default(), true);
            assert!(tolerant.miswritten.is_none() && tolerant.request.is_ok(), "{number}");
        }
        for number in ["0.010", "0", "100"] {
            let order = order.replace('1', &format!("\"{number}\""));
            assert_eq!(read::<PlaceOrder>(&order, Repairs::default(), false).miswritten, None, "{number}");
        }
        for (query, miswritten) in [("limit=05", Some("limit")), ("limit=5", None), ("limit=%35", None)] {
            let query = format!("category=SPOT&{query}");
            let read = read::<GetOpenOrders>(&query, Repairs::default(), false);
            assert!(read.request.is_err() || read.miswritten.as_deref() == miswritten, "{query}");
        }
        let order = order.replace('1', "\"1\"");
        let changes = [
            ("symbol", r#""BTCUSDT""#, "true"),
            ("clientOid", "\"qty\"", r#""clientOid": false, "qty""#),
            ("price", "\"qty\"", r#""price": null, "qty""#),
        ];
        for (name, from, to) in changes {
            let order = order.replace(from, to);
            assert_eq!(read::<PlaceOrder>(&order, Repairs::default(), false).miswritten.as_deref(), Some(name));
            assert!(read::<PlaceOrder>(&order, Repairs::default(), true).request.is_ok(), "{order}");
        }
        let items = r#"[{"orderId": "7", "qty": "1", "requestId": 5}, {"orderId": "8", "qty": "1", "requestId": "5"}]"#;
        let items = read::<BatchModifyOrders>(items, Repairs::default(), false);
        assert_eq!(items.miswritten.as_deref(), Some("[1].requestId"), "{:?}", items.request.err());
    }
}
