//! Values that a request keeps, sets or clears with `null`.

use apis::assorted::vault::{ChangeDrawer, Latch};
use apis::assorted::{Client, Edit, Error, dec};
use tradeapi_runtime::Operation;
use tradeapi_tests::loopback::{Answer, ScriptedServer};

/// Returns the body of a request.
async fn body(change: &ChangeDrawer) -> String {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"object": "drawer"}"#));
    let client = Client::builder(server.url()).build().unwrap();
    client.vault().change_drawer(change).await.unwrap();
    server.take_requests().remove(0).text()
}

#[tokio::test]
async fn a_value_is_kept_set_or_cleared() {
    let kept = ChangeDrawer::new(7).loud(true);
    assert_eq!(body(&kept).await, r#"{"loud":true}"#);
    let latch = Latch::new("bolt").until(Edit::Delete);
    let set = ChangeDrawer::new(7).label("a").weight(dec!(2.5)).owners(vec!["b".to_owned()]).latch(latch);
    let all = r#"{"label":"a","weight":2.5,"owners":["b"],"latch":{"kind":"bolt","until":null}}"#;
    assert_eq!(body(&set).await, all);
    let cleared = ChangeDrawer::new(7).label(Edit::Delete).weight(Edit::Delete).loud(Edit::Delete);
    let cleared = cleared.owners(Edit::Delete).latch(Edit::Delete);
    let none = r#"{"label":null,"weight":null,"loud":null,"owners":null,"latch":null}"#;
    assert_eq!(body(&cleared).await, none);
}

#[test]
fn a_stored_request_keeps_the_difference() {
    let read = |json: &str| ChangeDrawer::from_json(json).unwrap();
    let mixed = r#"{"number":7,"label":null,"loud":false,"owners":["a"],"latch":{"kind":"bolt","until":null}}"#;
    let change = read(mixed);
    assert_eq!(
        (change.label.clone(), change.weight.clone(), change.loud),
        (Edit::Delete, Edit::Keep, Edit::Set(false))
    );
    assert_eq!(serde_json::to_string(&change).unwrap(), mixed);
    assert_eq!(read(&serde_json::to_string(&change).unwrap()), change);
    let empty = ChangeDrawer::from_json(r#"{"number":7,"label":""}"#).unwrap_err();
    assert_eq!(empty[0].rule, "label.empty");
}

#[tokio::test]
async fn new_values_are_checked_and_clearing_is_a_change() {
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url()).build().unwrap();
    let long = ChangeDrawer::new(7).label("123456789").weight(dec!(0.5)).owners(vec![]);
    for (change, broken) in [
        (long, &["label.length", "weight.min", "owners.min-items"][..]),
        (ChangeDrawer::new(7), &["something-changes"]),
    ] {
        let Err(Error::Refused(refusal)) = client.vault().change_drawer(&change).await else { panic!("{broken:?}") };
        let rules: Vec<_> = refusal.violations.iter().map(|one| one.rule.as_str()).collect();
        assert_eq!(rules, broken);
    }
    assert!(server.requests().is_empty());
    assert_eq!(body(&ChangeDrawer::new(7).latch(Edit::Delete)).await, r#"{"latch":null}"#);
}

#[tokio::test]
async fn numbers_that_are_too_fine_are_not_sent() {
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url()).build().unwrap();
    for (price, broken) in [
        (dec!(0.00012), &["price.places"][..]),
        (dec!(1.23456), &["price.places", "price.significant-digits"]),
        (dec!(123456), &["price.significant-digits"]),
    ] {
        let Err(Error::Refused(refusal)) =
            client.vault().change_drawer(&ChangeDrawer::new(7).loud(true).price(price)).await
        else {
            panic!("{broken:?}")
        };
        let rules: Vec<_> = refusal.violations.iter().map(|one| one.rule.as_str()).collect();
        assert_eq!(rules, broken);
    }
    assert!(server.requests().is_empty());
    assert_eq!(body(&ChangeDrawer::new(7).loud(true).price(dec!(0.012300))).await, r#"{"price":0.012300,"loud":true}"#);
    assert_eq!(
        body(&ChangeDrawer::new(7).loud(true).price(dec!(123450000))).await,
        r#"{"price":123450000,"loud":true}"#
    );
}
