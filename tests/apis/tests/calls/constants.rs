//! Parameters and fields with one value, and texts of one form.

use apis::assorted::vault::{Lock, MoveItem, OpenDrawer};
use apis::assorted::{Client, Error};
use tradeapi_runtime::Operation;
use tradeapi_runtime::drift::Drift;
use tradeapi_tests::loopback::{Answer, ScriptedServer};

const BODY: &str =
    r#"{"kind":"drawer","version":2,"share":0.5,"loud":0,"side":"left","label":"a","lock":{"kind":"key","number":7}}"#;

#[tokio::test]
async fn a_fixed_value_is_sent_without_being_asked_for() {
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url()).build().unwrap();
    server.answer_next(Answer::json(r#"{"object": "drawer", "version": 2}"#));
    let open = OpenDrawer::new().label("a").lock(Lock::new(7));
    assert_eq!(OpenDrawer::default(), OpenDrawer::new());
    let drawer = client.vault().open_drawer(&open).await.unwrap().data;
    assert_eq!((drawer.object.as_deref(), drawer.version), (Some("drawer"), Some(2)));
    let request = server.take_requests().remove(0);
    assert_eq!((request.text().as_str(), request.header("x-form")), (BODY, Some("plain")));
}

#[test]
fn a_stored_request_has_the_value_or_none() {
    let open = OpenDrawer::new().label("a").lock(Lock::new(7));
    assert_eq!(OpenDrawer::from_json(BODY).unwrap(), open);
    assert_eq!(OpenDrawer::from_json(r#"{"label": "a", "lock": {"number": 7}, "kind": null}"#).unwrap(), open);
    let refused = OpenDrawer::from_json(r#"{"label": "a", "version": 3, "lock": {"kind": "code", "number": 7}}"#);
    let rules: Vec<_> = refused.unwrap_err().iter().map(|one| one.rule.clone()).collect();
    assert_eq!(rules, ["version.fixed", "lock.kind.fixed"]);
}

#[tokio::test]
async fn another_value_of_an_answer_is_read_and_reported() {
    let server = ScriptedServer::start().unwrap();
    let drift = Drift::new();
    let client = Client::builder(server.url()).drift(&drift).build().unwrap();
    server.answer_otherwise(|_| Answer::json(r#"{"object": "shelf", "version": 2}"#));
    let drawer = client.vault().open_drawer(&OpenDrawer::new()).await.unwrap().data;
    assert_eq!(drawer.object.as_deref(), Some("shelf"));
    let report = drift.report().to_string();
    assert!(report.contains("object") && report.contains("shelf"), "{report}");
    assert!(!report.contains("version"), "{report}");
}

#[tokio::test]
async fn a_text_that_does_not_match_is_not_sent() {
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url()).build().unwrap();
    server.answer_otherwise(|_| Answer::json("{}"));
    let moved = |ticket: &str, mark: &str| {
        MoveItem::new("7", 1, "").ticket(ticket).marks(vec!["red".to_owned(), mark.to_owned()])
    };
    let Err(Error::Refused(refusal)) = client.vault().move_item(&moved("AB-", "green")).await else {
        panic!("it is refused")
    };
    let rules: Vec<_> = refusal.violations.iter().map(|one| one.rule.as_str()).collect();
    assert_eq!(rules, ["ticket.pattern", "marks.pattern", "place.empty"]);
    let says = refusal.violations.to_string();
    assert!(says.contains(r#""AB-" given; a text that matches ^[A-Z]{2}-[0-9]+$ is needed"#), "{says}");
    assert!(server.requests().is_empty());
    let moved = MoveItem::new("7", 1, "a").ticket("AB-12").marks(vec!["blue-green".to_owned()]);
    client.vault().move_item(&moved).await.unwrap();
}
