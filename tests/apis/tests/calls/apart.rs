//! Parameters that travel apart from the others: in the query beside a body, and beside a body that is an array.

use apis::assorted::vault::{FileItems, FiledItem, MoveItem, Relabel, Shelf, Side, SwapItem};
use apis::assorted::{Client, Error, dec};
use tradeapi_runtime::batches::ItemOutcome;
use tradeapi_runtime::counterpart::HasCounterpart;
use tradeapi_runtime::{Account, Operation};
use tradeapi_tests::loopback::{Answer, ScriptedServer};

fn start() -> (ScriptedServer, Client) {
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url()).build().unwrap();
    (server, client)
}

#[tokio::test]
async fn a_query_can_be_beside_a_body() {
    let (server, client) = start();
    server.answer_next(Answer::json("{}"));
    let fields = vec!["place".to_owned(), "weight".to_owned()];
    let moved = MoveItem::new("7/a", 2, "shelf").fields(fields);
    client.vault().move_item(&moved).await.unwrap();
    let request = server.take_requests().remove(0);
    assert_eq!(
        (request.path.as_str(), request.query.as_deref()),
        ("/v1/items/7%2Fa", Some("fields=place,weight&version=2"))
    );
    assert_eq!(request.text(), r#"{"place":"shelf"}"#);
    let whole = r#"{"item":"7/a","fields":["place","weight"],"version":2,"place":"shelf"}"#;
    assert_eq!(serde_json::to_string(&moved).unwrap(), whole);
    assert_eq!(MoveItem::from_json(whole).unwrap(), moved);
}

/// One name in the query, in a header and in the body.
#[tokio::test]
async fn what_travels_apart_can_have_the_name_of_another_parameter() {
    let (server, client) = start();
    server.answer_otherwise(|_| Answer::json("{}"));
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let bare = Relabel::new("a", 1, texts(&["y", "z"])).rank(2).loud(true);
    let whole = bare.clone().old_marks(texts(&["x", "w"])).is_tried(true).reader("r");
    client.vault().relabel(&whole).await.unwrap();
    client.vault().relabel(&bare).await.unwrap();
    let requests = server.take_requests();
    let [first, second] = requests.as_slice() else { panic!("{requests:?}") };
    assert_eq!(first.query.as_deref(), Some("marks=x,w&rank=1&loud=1"));
    assert_eq!((first.path.as_str(), first.header("rank")), ("/v1/labels/a", Some("r")));
    assert_eq!(first.text(), r#"{"marks":["y","z"],"rank":2,"loud":true}"#);
    assert_eq!((second.query.as_deref(), second.header("rank")), (Some("rank=1"), None));
    assert_eq!(second.text(), first.text());
    let stored = serde_json::to_string(&whole).unwrap();
    assert_eq!(
        stored,
        r#"{"labels":"a","old_marks":["x","w"],"old_rank":1,"is_tried":1,"reader":"r","marks":["y","z"],"rank":2,"loud":true}"#
    );
    assert_eq!(Relabel::from_json(&stored).unwrap(), whole);
    let Err(Error::Refused(refusal)) = client.vault().relabel(&bare.rank(1)).await else { panic!("it is refused") };
    assert_eq!(refusal.violations[0].rule, "rank-rises");
}

#[tokio::test]
async fn what_is_in_the_query_is_checked() {
    let (server, client) = start();
    let Err(Error::Refused(refusal)) = client.vault().move_item(&MoveItem::new("7", 0, "shelf")).await else {
        panic!()
    };
    assert_eq!(refusal.violations[0].rule, "version.min");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn an_array_can_be_beside_a_path_a_query_and_a_header() {
    let (server, client) = start();
    server.answer_next(Answer::json(r#"[{"name": "a"}, {"name": "b", "code": "7"}]"#));
    let items = vec![FiledItem::new("a").weight(dec!(1.5)), FiledItem::new("b")];
    let filed = FileItems::new("north", items).dry(true).desk("d-1");
    let _ = client.vault().file_items(&filed).await.unwrap();
    let request = server.take_requests().remove(0);
    assert_eq!((request.path.as_str(), request.query.as_deref()), ("/v1/vaults/north/items", Some("dry=true")));
    assert_eq!(
        (request.header("x-desk"), request.text().as_str()),
        (Some("d-1"), r#"[{"name":"a","weight":1.5},{"name":"b"}]"#)
    );
    let whole = r#"{"vault":"north","dry":true,"X-Desk":"d-1","[]":[{"name":"a","weight":"1.5"},{"name":"b"}]}"#;
    assert_eq!(serde_json::to_string(&filed).unwrap(), whole);
    assert_eq!(FileItems::from_json(whole).unwrap(), filed);
}

/// Parameters around the items stay around them, and a value that is left out counts as its default.
#[test]
fn an_array_beside_others_has_a_counterpart_that_is_an_object() {
    let items = vec![FiledItem::new("a").weight(dec!(1.5)).place(Side::Right), FiledItem::new("b")];
    let filed = FileItems::new("north", items).dry(true).desk("d-1");
    let stored = filed.to_counterpart(&Account::default()).unwrap();
    assert_eq!((stored.store.as_str(), stored.tried), ("north", Some(true)));
    let items: Vec<_> = stored.items.iter().map(|item| (item.label.as_str(), &item.weight, &item.shelf)).collect();
    assert_eq!(items, [("a", &dec!(1.5), &Shelf::East), ("b", &dec!(1), &Shelf::West)]);
}

#[tokio::test]
async fn items_beside_others_are_checked_and_split() {
    let (server, client) = start();
    let items = |names: &[&str]| names.iter().map(|name| FiledItem::new(*name)).collect::<Vec<_>>();
    let twice = FileItems::new("north", vec![FiledItem::new("a").weight(dec!(0)), FiledItem::new("a")]);
    let Err(Error::Refused(refusal)) = client.vault().file_items(&twice).await else { panic!("it is refused") };
    let rules: Vec<_> = refusal.violations.iter().map(|one| (one.rule.as_str(), one.parameter.as_str())).collect();
    assert_eq!(rules, [("[].weight.min", "[0].weight"), ("own-names", "")]);
    server.answer_next(Answer::json(r#"[{"name": "a"}, {"name": "b"}]"#));
    server.answer_next(Answer::json(r#"[{"name": "c", "code": "7"}]"#));
    let report = client.batch(FileItems::new("north", items(&["a", "b", "c"])).dry(true)).send().await.unwrap();
    assert!(matches!(report.items[1].outcome, ItemOutcome::Done(_)), "{report}");
    assert!(matches!(report.items[2].outcome, ItemOutcome::Failed(_)), "{report}");
    let queries: Vec<_> = server.requests().iter().map(|request| request.query.clone()).collect();
    assert_eq!(queries, [Some("dry=true".to_owned()), Some("dry=true".to_owned())]);
}

#[tokio::test]
async fn a_part_of_the_path_and_a_member_of_the_body_are_two_parameters() {
    let (server, client) = start();
    server.answer_next(Answer::json("{}"));
    client.vault().swap_item(&SwapItem::new("7", "a")).await.unwrap();
    let request = server.take_requests().remove(0);
    assert_eq!((request.path.as_str(), request.text().as_str()), ("/v1/swaps/7", r#"{"id":"a"}"#));
}
