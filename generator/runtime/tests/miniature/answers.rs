//! From HTTP responses to replies and errors.

use bytes::Bytes;
use http::Response;
use proptest::prelude::*;
use tradeapi_runtime::tables::Outcome;
use tradeapi_runtime::value::OpenEnum;
use tradeapi_runtime::wire::read_response;
use tradeapi_runtime::{Error, Operation, Reply, Timestamp};

use crate::Tested;
use crate::api::{API, Side};
use crate::books::{BARE_API, Book};
use crate::orders::{AmendOrder, Orders, PlaceOrder, Placed};

fn response(status: u16, body: &str) -> Response<Bytes> {
    let mut response = Response::new(Bytes::copy_from_slice(body.as_bytes()));
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
    response
}

fn answer<O: Operation>(status: u16, body: &str) -> Result<Reply<O::Response>, Error> {
    read_response::<O>(&API, response(status, body))
}

#[test]
fn success_carries_data() -> Tested {
    let body = r#"{"code":"00000","msg":"success","requestTime":1730271234567,"data":{"orderId":"7","price":0.10}}"#;
    let mut response = response(200, body);
    response.headers_mut().insert("x-remaining", "9".parse()?);
    let reply = read_response::<PlaceOrder>(&API, response)?;
    assert_eq!(reply.request_time, Some(Timestamp::from_millis(1_730_271_234_567)));
    assert_eq!((reply.status.as_u16(), reply.remaining), (200, Some(9)));
    assert_eq!(reply.price, Some("0.1".parse()?));
    assert_eq!(reply.into_data().order_id, Some("7".into()));
    Ok(())
}

#[test]
fn the_order_of_members_does_not_matter() -> Tested {
    let bodies = [
        r#"{"data":{"orderId":"7"},"requestTime":"5","msg":"","code":"00000"}"#,
        r#"{"code":0,"code2":[{}],"data":{"orderId":"7"},"requestTime":5,"code":"00000"}"#,
        r#" { "new" : { "data" : 1 } , "code" : "00000" , "data" : { "orderId" : 7 } , "requestTime" : 5 } "#,
    ];
    for body in [bodies[0], bodies[2]] {
        let reply = answer::<PlaceOrder>(200, body)?;
        assert_eq!((reply.request_time, reply.order_id.as_ref()), (Some(Timestamp::from_millis(5)), Some(&"7".into())));
    }
    assert!(answer::<PlaceOrder>(200, bodies[1]).is_err());
    Ok(())
}

#[test]
fn the_code_decides_for_any_status() -> Tested {
    assert!(answer::<PlaceOrder>(400, r#"{"code":"00000","data":{}}"#).is_ok());
    let body = r#"{"code":"40786","msg":"Duplicate \"clientOid\"","requestTime":5,"data":{"orderId":[]}}"#;
    let Err(Error::Exchange(error)) = answer::<PlaceOrder>(200, body) else { return Err("no exchange error".into()) };
    assert_eq!((error.code.as_str(), error.message.as_str()), ("40786", "Duplicate \"clientOid\""));
    assert_eq!((error.request_time, error.raw.as_ref()), (Some(Timestamp::from_millis(5)), body.as_bytes()));
    assert_eq!(error.known.map(|known| known.text), Some("duplicate"));
    assert_eq!(error.code.typed::<Side>().index(), None);
    assert!(answer::<PlaceOrder>(200, r#"{"code":20000,"data":null}"#).is_ok());
    Ok(())
}

#[test]
fn an_error_has_an_outcome() {
    let outcome = |status, body| answer::<PlaceOrder>(status, body).map_err(|error| error.outcome()).map(drop);
    assert_eq!(outcome(200, r#"{"code":"40786"}"#), Err(Outcome::NotDone));
    assert_eq!(outcome(200, r#"{"code":"40010"}"#), Err(Outcome::Unknown));
    assert_eq!(outcome(400, r#"{"code":"99999"}"#), Err(Outcome::Unknown));
    assert_eq!(outcome(200, "{"), Err(Outcome::Unknown));
    assert_eq!(outcome(429, r#"{"code":"00000","data":{"ord"#), Err(Outcome::Unknown));
    assert_eq!(outcome(502, "<html>"), Err(Outcome::Unknown));
}

#[test]
fn an_answer_from_elsewhere_is_judged_by_its_status() -> Tested {
    for body in ["<html>Too many requests", "", "[]", "{}", r#"{"message":"slow"}"#] {
        let Err(Error::Exchange(error)) = answer::<Orders>(429, body) else { return Err(body.into()) };
        assert_eq!((error.code.as_str(), error.message.as_str(), error.known.is_none()), ("429", body, true));
        assert!(matches!(answer::<Orders>(200, body), Err(Error::Unreadable(_))), "{body}");
    }
    Ok(())
}

#[test]
fn an_unreadable_answer_is_kept() -> Tested {
    let body = r#"{"code":"00000","data":{"orderId":"7","price":"cheap"}}"#;
    let Err(error) = answer::<PlaceOrder>(200, body) else { return Err("read".into()) };
    let text = "mini.orders got a response that cannot be read (HTTP status 200 OK): data.price: expected a decimal \
                number, found \"cheap\" (at byte 46); its outcome is unknown, so query it before repeating it";
    assert_eq!(error.to_string(), text);
    let Error::Unreadable(answer) = error else { return Err("not unreadable".into()) };
    assert_eq!((answer.raw.as_ref(), answer.error.path()), (body.as_bytes(), "data.price"));
    Ok(())
}

#[test]
fn lists_come_bare_or_in_an_object() -> Tested {
    let page = |data: &str| answer::<Orders>(200, &format!(r#"{{"code":"00000","data":{data},"requestTime":1}}"#));
    let list = r#"[{"orderId":"1"},{"orderId":{}},{"orderId":"3"}]"#;
    for data in [list.to_owned(), format!(r#"{{"cursor":"x","list":{list},"more":[1]}}"#)] {
        let reply = page(&data)?;
        assert_eq!((reply.len(), reply.data.bad.len()), (2, 1), "{data}");
        assert_eq!(reply.request_time, Some(Timestamp::from_millis(1)));
    }
    for nothing in ["null", "\"\"", "[]", r#"{"list":null}"#, r#"{"list":[]}"#] {
        assert!(page(nothing)?.is_empty(), "{nothing}");
    }
    assert!(matches!(page(r#"{"items":[]}"#), Err(Error::Unreadable(_))));
    assert!(answer::<Orders>(200, r#"{"code":"00000"}"#)?.is_empty());
    Ok(())
}

#[test]
fn absent_data_is_an_empty_record_or_nothing() -> Tested {
    assert_eq!(answer::<PlaceOrder>(200, r#"{"code":"00000","data":null}"#)?.data, Placed::default());
    assert_eq!(answer::<AmendOrder>(200, r#"{"code":"00000"}"#)?.data, ());
    assert_eq!(answer::<AmendOrder>(200, r#"{"code":"00000","data":["any",{}]}"#)?.data, ());
    Ok(())
}

#[test]
fn a_contradictory_answer_is_unreadable() {
    for body in [
        r#"{"code":"00000","data":{},"code":"40786"}"#,
        r#"{"code":{"code":"00000"},"code":"40786"}"#,
        r#"{"code":null,"data":{},"code":"00000"}"#,
        r#"{"code":"00000","data":{},"data":{}}"#,
        r#"{"code":"00000","data":{}} {}"#,
        r#"{"code":"00000","data":{}"#,
    ] {
        assert!(matches!(answer::<PlaceOrder>(200, body), Err(Error::Unreadable(_))), "{body}");
    }
}

#[test]
fn without_an_envelope_the_status_decides() -> Tested {
    let book = |status, body| read_response::<Book>(&BARE_API, response(status, body));
    assert_eq!(*book(200, r#"["1","2"]"#)?, ["1", "2"]);
    assert!(matches!(book(200, r#"["1"] x"#), Err(Error::Unreadable(_))));
    assert!(book(204, "")?.is_empty());
    let Err(Error::Exchange(error)) = book(404, "no such book") else { return Err("found".into()) };
    assert_eq!((error.code.as_str(), error.message.as_str()), ("404", "no such book"));
    Ok(())
}

#[test]
fn bytes_that_are_no_text_are_unreadable() {
    let response = Response::new(Bytes::from_static(b"{\"code\":\"00000\",\"msg\":\"\xff\"}"));
    assert!(matches!(read_response::<Orders>(&API, response), Err(Error::Unreadable(_))));
}

proptest! {
    #[test]
    fn any_answer_is_read_or_refused(status in 100_u16..600, body: Vec<u8>) {
        let mut answer = response(status, "");
        *answer.body_mut() = Bytes::from(body);
        let _ = read_response::<Orders>(&API, answer);
    }

    #[test]
    fn any_envelope_is_read_or_refused(
        members in proptest::collection::vec(
            (r#"code|data|msg|requestTime|x"#, r#""00000"|"1"|null|5|\[\{"orderId":(1|\{\}|")\}\]|\{"list":\[\]\}|\{|tru"#),
            0..6,
        ),
    ) {
        let members: Vec<_> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        let _ = answer::<Orders>(200, &format!("{{{}}}", members.join(",")));
    }
}

#[test]
fn a_byte_order_mark_is_not_part_of_an_answer() -> Tested {
    let body = "{\"code\":\"00000\",\"data\":{\"orderId\":\"7\"}}";
    for status in [200, 400, 502] {
        let reply = answer::<PlaceOrder>(status, &format!("\u{feff}{body}"))?;
        assert_eq!(reply.order_id, Some("7".into()));
    }
    let torn = format!("\u{feff}{}", &body[..body.len() - 3]);
    assert!(matches!(answer::<PlaceOrder>(200, &torn), Err(Error::Unreadable(_))));
    assert!(answer::<PlaceOrder>(200, &format!("\u{feff}\u{feff}{body}")).is_err());
    Ok(())
}

#[test]
fn the_error_names_a_compressed_answer_as_such() {
    let packed = Response::new(Bytes::from_static(b"\x1f\x8b\x08\x00\x00\x00\x00\x00"));
    let read = read_response::<PlaceOrder>(&API, packed).map(drop).map_err(|error| error.to_string());
    assert!(read.is_err_and(|error| error.contains("compressed with gzip")));
}
