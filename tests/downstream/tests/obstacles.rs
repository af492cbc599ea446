//! Hostile names and texts of a schema do not become code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

use downstream::obstacles::Account;
use downstream::obstacles::odd::{ERRORS, Keyword, LIFECYCLE, Loop, OPERATIONS, Try};
use downstream::obstacles::runtime::Operation as _;
use downstream::obstacles::runtime::json::read_json;
use downstream::obstacles::runtime::lifecycle::{HasState as _, Possible};
use downstream::obstacles::runtime::value::OpenEnum as _;

#[test]
fn wire_names_survive_to_the_letter() {
    let wires: Vec<_> = Keyword::ALL.iter().map(Keyword::as_str).collect();
    assert_eq!(wires, ["self", "Self_", "type", "\"", "\\", "`", "*/", "{}", "a\nb", "1m", "1M", "なまえ"]);
    assert_eq!(Keyword::VALUES, wires);
    assert_eq!("1M".parse(), Ok(Keyword::OneMonth));
    assert_eq!(ERRORS[0].code, "\"");
    assert_eq!(OPERATIONS[0].rules[0].says, "{braces} */ } \"quotes\"");
    assert_eq!(OPERATIONS[0].path, "/odd/{type}/x");
    assert_eq!(OPERATIONS[0].section, "*/ [x]");
}

#[test]
fn states_and_intents_with_odd_names_are_what_they_are() {
    assert_eq!(Keyword::Backslash.can_become(&Keyword::Quote), Possible::Yes);
    assert_eq!(Keyword::Braces.can_become(&Keyword::LineBreak), Possible::No);
    assert_eq!(LIFECYCLE.transitions[0].triggers, ["*/ \"", "|"]);
    assert!(Keyword::Namae.is_terminal() && Keyword::Namae.can_become(&Keyword::Quote) == Possible::No);
    let answer: Loop = read_json(r#"{"type": "なまえ", "self": "x"}"#).unwrap();
    assert_eq!((answer.id(), answer.client_id(), answer.state()), (None, Some("x"), Some(&Keyword::Namae)));
    assert_eq!(Try::r#yield(3, "x"), Try::new(Keyword::Quote, 3).self_("x"));
}

#[test]
fn requests_and_answers_with_odd_names_are_written_and_read() {
    let request = Try::from_json(r#"{"type": "\"", "fn": 3, "limited": "a\"\\"}"#).unwrap();
    assert_eq!(request, Try::new(Keyword::Quote, 3).limited("a\"\\".parse().unwrap()));
    assert_eq!(request.clone().quoted("x").validate(&Account::new()).unwrap_err()[0].rule, "*/");

    let answer: Loop =
        read_json(r#"{"type": "a\nb", "q\"uote": true, "list": [{"type": "1M"}], "async": "1"}"#).unwrap();
    assert_eq!(answer.r#type, Some(Keyword::LineBreak));
    assert_eq!(answer.quote, Some(true));
    assert_eq!(answer.list[0].r#type, Some(Keyword::OneMonth));
    assert_eq!(answer.r#async, Some(1));
}
