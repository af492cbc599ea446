//! Lists of objects in lists and objects, and maps, in requests.

use std::collections::BTreeMap;

use apis::assorted::vault::{SortItems, SortedDrawer, SortedItem, SortedMark, SortingDesk, SortingTool};
use apis::assorted::{Client, Error, dec};
use tradeapi_runtime::Operation;
use tradeapi_tests::loopback::{Answer, ScriptedServer};

fn sort(colour: &str, number: u64) -> SortItems {
    let items = vec![SortedItem::new("a").marks(vec![SortedMark::new(colour)]), SortedItem::new("b")];
    let drawers = vec![SortedDrawer::new(number).items(items), SortedDrawer::new(2)];
    let desk = SortingDesk::new().tools(vec![SortingTool::new("tongs")]);
    SortItems::new(drawers).desk(desk)
}

#[tokio::test]
async fn lists_of_objects_hold_others() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json("{}"));
    let client = Client::builder(server.url()).build().unwrap();
    let labels = BTreeMap::from([("a \"b\"".to_owned(), "x".to_owned()), ("c".to_owned(), "y".to_owned())]);
    let sort = sort("red", 1).labels(labels).weights(BTreeMap::from([("a".to_owned(), dec!(1.50))]));
    client.vault().sort_items(&sort).await.unwrap();
    let body = r#"{"labels":{"a \"b\"":"x","c":"y"},"weights":{"a":1.50},"drawers":[{"number":1,"items":[{"name":"a","marks":[{"colour":"red"}]},{"name":"b"}]},{"number":2}],"desk":{"tools":[{"name":"tongs"}]}}"#;
    assert_eq!(server.requests()[0].text(), body);
    assert_eq!(SortItems::from_json(body).unwrap(), sort);
}

#[tokio::test]
async fn what_is_within_is_checked() {
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url()).build().unwrap();
    let labels = ["a", "b", "c"].map(|name| (name.to_owned(), "123456789".to_owned())).into();
    let sort = sort("yellow", 0).labels(labels);
    let Err(Error::Refused(refusal)) = client.vault().sort_items(&sort).await else { panic!("it is refused") };
    let rules: Vec<_> = refusal.violations.iter().map(|one| (one.rule.as_str(), one.parameter.as_str())).collect();
    let expected = [
        ("labels.max-items", "labels"),
        ("labels.length", "labels"),
        ("labels.length", "labels"),
        ("labels.length", "labels"),
        ("drawers[].number.min", "drawers[0].number"),
        ("drawers[].items[].marks[].colour.length", "drawers[0].items[0].marks[0].colour"),
    ];
    assert_eq!(rules, expected);
    let unread =
        SortItems::from_json(r#"{"drawers": [{"number": 1, "items": [{}]}], "labels": {"a": {}}}"#).unwrap_err();
    let rules: Vec<_> = unread.iter().map(|one| one.rule.as_str()).collect();
    assert_eq!(rules, ["labels.unreadable", "drawers[].items[].name.required"]);
    assert!(server.requests().is_empty());
}
