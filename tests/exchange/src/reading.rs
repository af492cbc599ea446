//! Reading of requests by the emitted types, and of numbers.

use rust_decimal::Decimal;
use tradeapi::runtime::checks::{CheckContext, CheckPolicy};
use tradeapi::runtime::json::{JsonWriter, Kind, ReadError, Reader};
use tradeapi::runtime::tables::Sends;
use tradeapi::{Operation, Violations};

use crate::refusal::Reason;

/// An upper bound of prices and quantities, and of their decimal places, so that products are exact.
const MAX_NUMBER: Decimal = Decimal::from_parts(3_567_587_328, 232, 0, false, 0);
const MAX_PLACES: u32 = 12;

/// The depth of requests: a list of objects in an object.
const DEPTH: u32 = 4;

/// The policy for reading requests; rules are checked afterwards.
static NO_RULES: CheckPolicy = CheckPolicy::nothing();

/// Reads the request of an operation; its rules are checked by the caller.
///
/// The emitted types take one name of an order. A request may have both, and the orderId takes precedence: if the types
/// refuse a request with two names, it is read without the clientOid.
pub(crate) fn read<O: Operation>(parameters: &str) -> Result<O, Violations> {
    let context = CheckContext { policy: &NO_RULES, ..CheckContext::default() };
    let read = |parameters: &str| match O::META.sends() == Sends::Query {
        true => O::from_query_in(parameters, context),
        false => O::from_json_in(parameters, context),
    };
    read(parameters).or_else(|violations| {
        let names_two = violations.iter().any(|violation| violation.rule.ends_with("one-of"));
        let one = if names_two { without_ignored_ids(parameters, O::META.sends() == Sends::Query) } else { None };
        one.map_or(Err(violations), |one| read(&one))
    })
}

fn without_ignored_ids(parameters: &str, is_query: bool) -> Option<String> {
    if is_query {
        let pairs = || parameters.split('&');
        let has = |name: &str| pairs().any(|pair| pair.strip_prefix(name).is_some_and(|value| value.len() > 1));
        let kept: Vec<&str> = pairs().filter(|pair| !pair.starts_with("clientOid=")).collect();
        return (has("orderId") && has("clientOid")).then(|| kept.join("&"));
    }
    let mut out = JsonWriter::new();
    copy(&mut Reader::new(parameters), &mut out, DEPTH).ok()?;
    Some(out.finish())
}

/// Copies a JSON value without the clientOid of objects that have an orderId. Values nested deeper than any request are
/// copied unchanged.
fn copy(from: &mut Reader<'_>, out: &mut JsonWriter, depth: u32) -> Result<(), ReadError> {
    match from.peek() {
        _ if depth == 0 => out.raw(from.raw_value()?),
        Kind::Object => {
            let mut found = Vec::new();
            let mut members = from.object(&[])?;
            while let Some(name) = members.next_name(from)? {
                found.push((name, from.raw_value()?));
            }
            let is_given = |json: &str| !matches!(json, "null" | r#""""#);
            let names_order = found.iter().any(|(name, json)| name == "orderId" && is_given(json));
            out.begin_object();
            for (name, json) in found.iter().filter(|(name, _)| !(names_order && name == "clientOid")) {
                copy(&mut Reader::new(json), out.member(name), depth - 1)?;
            }
            out.end_object();
        }
        Kind::Array => {
            out.begin_array();
            let mut elements = from.array()?;
            while elements.next(from)?.is_some() {
                copy(from, out.element(), depth - 1)?;
            }
            out.end_array();
        }
        _ => out.raw(from.raw_value()?),
    }
    Ok(())
}

/// A number of a request.
pub(crate) fn number(text: &tradeapi::Decimal) -> Result<Decimal, Reason> {
    let number = text.to_rust_decimal().map_err(|_| Reason::Parameter)?.normalize();
    let is_fine = !number.is_sign_negative() && number <= MAX_NUMBER && number.scale() <= MAX_PLACES;
    if is_fine { Ok(number) } else { Err(Reason::Parameter) }
}

/// A number of a request, if it is set.
pub(crate) fn optional(text: Option<&tradeapi::Decimal>) -> Result<Option<Decimal>, Reason> {
    text.map(number).transpose()
}

/// A number of an answer.
pub(crate) fn wire(number: Decimal) -> tradeapi::Decimal {
    number.normalize().into()
}

#[cfg(test)]
mod tests {
    use tradeapi::unified::{BatchCancel, CancelOrder, OrderRef};

    use super::*;

    #[test]
    fn the_order_id_wins() {
        let read_one = read::<CancelOrder>(r#"{"orderId": "7", "clientOid": "a"}"#);
        assert!(matches!(read_one.map(|request| request.order), Ok(OrderRef::OrderId(id)) if id.as_str() == "7"));
        let items = r#"[{"category": "SPOT", "symbol": "BTCUSDT", "orderId": "7", "clientOid": "a"}]"#;
        let read_items = read::<BatchCancel>(items).map(|request| request.orders.len());
        assert_eq!(read_items.ok(), Some(1));
        assert!(read::<CancelOrder>("{}").is_err());
    }
}
