//! Answers that are not JSON, and what answers have beside their data: the body of a refusal, and data in headers.

use apis::assorted::vault::{MoveItem, ReadPicture, ReadReport};
use apis::assorted::{Client, Error, dec};
use tradeapi_runtime::drift::Drift;
use tradeapi_tests::loopback::{Answer, ScriptedServer};

#[tokio::test]
async fn the_body_of_a_refusal_has_fields() {
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url()).build().unwrap();
    let body = r#"{"reason": "full", "needed": 2.5, "errors": [{"field": "place", "says": "it is full"}], "new": 1}"#;
    server.answer_next(Answer::new(422, body));
    let error = client.vault().move_item(&MoveItem::new("7", 1, "shelf")).await.err().unwrap();
    let refusal = error.refusal::<MoveItem>().unwrap();
    assert_eq!((refusal.reason.as_deref(), refusal.needed), (Some("full"), Some(dec!(2.5))));
    assert_eq!(refusal.errors[0].field.as_deref(), Some("place"));
    assert_eq!(error.code(), Some("422"));
    server.answer_next(Answer::new(502, "<html>bad gateway</html>"));
    let error = client.vault().move_item(&MoveItem::new("7", 1, "shelf")).await.err().unwrap();
    assert!(error.refusal::<MoveItem>().is_none() && error.raw().is_some());
}

#[tokio::test]
async fn headers_of_an_answer_are_fields() {
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url()).build().unwrap();
    server.answer_next(Answer::json("{}").header("etag", "v2").header("x-moves", "3"));
    let reply = client.vault().move_item(&MoveItem::new("7", 1, "shelf")).await.unwrap();
    let state = reply.headers_of::<MoveItem>().unwrap();
    assert_eq!((state.etag.as_deref(), state.moves, state.fragile), (Some("v2"), Some(3), None));
    server.answer_next(Answer::json("{}").header("x-moves", "often"));
    let reply = client.vault().move_item(&MoveItem::new("7", 1, "shelf")).await.unwrap();
    let error = reply.headers_of::<MoveItem>().unwrap_err();
    assert!(error.to_string().starts_with("X-Moves"), "{error}");
}

#[tokio::test]
async fn an_answer_can_be_a_text_or_bytes() {
    let server = ScriptedServer::start().unwrap();
    let drift = Drift::new();
    let client = Client::builder(server.url()).drift(&drift).build().unwrap();
    server.answer_next(Answer::new(200, "name,\"weight\"\na,1\n"));
    let report = client.vault().read_report(&ReadReport::new()).await.unwrap().data;
    assert_eq!(report.text.as_deref(), Some("name,\"weight\"\na,1\n"));
    server.answer_next(Answer::new(422, r#"{"reason": "busy"}"#));
    let error = client.vault().read_report(&ReadReport::new()).await.err().unwrap();
    assert_eq!(error.refusal::<ReadReport>().unwrap().reason.as_deref(), Some("busy"));
    server.answer_next(Answer::new(200, b"\x89PNG\xff\x00".to_vec()));
    let reply = client.vault().read_picture(&ReadPicture::new()).await.unwrap();
    assert_eq!(&reply.raw[..], b"\x89PNG\xff\x00");
    server.answer_next(Answer::new(200, b"\xff".to_vec()));
    let error = client.vault().read_report(&ReadReport::new()).await.err().unwrap();
    assert!(matches!(error, Error::Unreadable(_)), "{error}");
    // Only the one that should have been a text is not what is documented.
    let report = drift.report();
    let counts = report.operations.iter().map(|operation| (operation.answers, operation.broken));
    assert_eq!(counts.collect::<Vec<_>>(), [(1, 0), (1, 1)], "{report}");
    assert!(report.is_empty(), "{report}");
}
