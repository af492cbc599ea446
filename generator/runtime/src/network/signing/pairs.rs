//! The parameters of a request as pairs of names and values, without the form in which they travel.

use bytes::Bytes;
use http::Request;

use crate::data::json::{Kind, ReadError, Reader};
use crate::data::operation::Call;
use crate::data::parameters::pairs as pairs_of_query;
use crate::data::tables::Pairs;

/// The text of the parameters of `request`, as `form` describes; empty without parameters.
pub(super) fn text(request: &Request<Bytes>, call: Option<&Call>, form: Pairs) -> String {
    let body = std::str::from_utf8(request.body()).unwrap_or_default();
    match body.as_bytes().first() {
        // The client writes its bodies itself, as valid JSON.
        Some(b'{' | b'[') => of_body(body, call, form).unwrap_or_default(),
        Some(_) => of_query(body, form),
        None => of_query(request.uri().query().unwrap_or_default(), form),
    }
}

fn of_query(query: &str, form: Pairs) -> String {
    // The client writes its queries itself, so they can be decoded.
    let mut decoded = Vec::new();
    for (name, value) in pairs_of_query(query).into_iter().flatten() {
        decoded.push((name.into_owned(), value.into_owned()));
    }
    joined(decoded, form)
}

fn of_body(body: &str, call: Option<&Call>, form: Pairs) -> Result<String, ReadError> {
    let mut from = Reader::new(body);
    let Some(parameters) = call.and_then(|call| call.calls.parameters) else { return value(&mut from, form) };
    let mut members = from.object(&[])?;
    while let Some(name) = members.next_name(&mut from)? {
        if name == parameters {
            return value(&mut from, form);
        }
        from.skip()?;
    }
    Ok(String::new())
}

/// The text of a value: for an object its pairs, for a list its items one after the other.
fn value(from: &mut Reader<'_>, form: Pairs) -> Result<String, ReadError> {
    match from.peek() {
        Kind::Object => {
            let mut all = Vec::new();
            let mut members = from.object(&[])?;
            while let Some(name) = members.next_name(from)? {
                all.push((name.into_owned(), value(from, form)?));
            }
            Ok(joined(all, form))
        }
        Kind::Array => {
            let mut all = String::new();
            let mut elements = from.array()?;
            while elements.next(from)?.is_some() {
                all.push_str(&value(from, form)?);
            }
            Ok(all)
        }
        Kind::String | Kind::Number | Kind::Boolean => from.scalar().map(|text| text.into_owned()),
        Kind::Null | Kind::Nothing => from.raw_value().map(str::to_owned),
    }
}

fn joined(pairs: Vec<(String, String)>, form: Pairs) -> String {
    let mut in_order: Vec<&(String, String)> = Vec::with_capacity(pairs.len());
    for pair in &pairs {
        // Pairs of one name stay in their order.
        let place = match form.sorted {
            true => in_order.partition_point(|(before, _)| *before <= pair.0),
            false => in_order.len(),
        };
        in_order.insert(place, pair);
    }
    let mut text = String::new();
    for (index, (name, value)) in in_order.into_iter().enumerate() {
        let between = if index == 0 { "" } else { form.between };
        text.extend([between, name, form.equals, value]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_one_name_stay_in_their_order() {
        for (sorted, expected) in [(true, "a:1,b:2,b:1,b-:3"), (false, "b:2,b-:3,a:1,b:1")] {
            assert_eq!(of_query("b=2&b-=3&a=1&b=1", Pairs { sorted, equals: ":", between: "," }), expected);
        }
    }
}
