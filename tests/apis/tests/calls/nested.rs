//! Lists of objects in lists and objects, maps, and choices that hold them, in requests.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use apis::assorted::vault::{FetchedItem, Home, HomeSpot, Robot, RobotName, StartRobot, StartingPlace, Task};
use apis::assorted::vault::{SortItems, SortedDrawer, SortedItem, SortedMark, SortingDesk, SortingTool};
use apis::assorted::{Client, Error, dec};
use tradeapi_runtime::confirm::ConfirmPolicy;
use tradeapi_runtime::tables::Outcome;
use tradeapi_runtime::{Credentials, Operation};
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

fn robot(name: &str, task: impl Into<Task>) -> Robot {
    Robot::new(RobotName::new(name).unwrap(), task)
}

/// A request may send one of several objects: a member decides, or which of them is there.
#[tokio::test]
async fn choices_hold_objects_lists_of_objects_and_maps() {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|request| {
        let name = request.text().split('"').nth(5).unwrap_or_default().to_owned();
        Answer::json(format!(r#"{{"name": "{name}"}}"#))
    });
    let client = Client::builder(server.url()).credentials(Credentials::new("key", "secret", "")).build().unwrap();
    let fetch = Task::fetch(StartingPlace::new("7"), vec![FetchedItem::new("a"), FetchedItem::new("b")]);
    let weigh = Task::weigh().weights(BTreeMap::from([("a".to_owned(), dec!(1.50))]));
    for (start, body) in [
        (
            StartRobot::new(robot("r2", fetch)).home(HomeSpot::new(1).y(2)),
            r#"{"robot":{"name":"r2","kind":"fetch","start":{"shelf":"7"},"items":[{"name":"a"},{"name":"b"}]},"spot":{"x":1,"y":2}}"#,
        ),
        (
            StartRobot::new(robot("r3", weigh)).home(Home::Shelf("7".to_owned())),
            r#"{"robot":{"name":"r3","kind":"weigh","weights":{"a":1.50}},"shelf":"7"}"#,
        ),
        (StartRobot::new(robot("r4", Task::Wait)), r#"{"robot":{"name":"r4","kind":"wait"}}"#),
    ] {
        client.vault().start_robot(&start).await.unwrap();
        assert_eq!(server.requests().last().unwrap().text(), body);
        assert_eq!(StartRobot::from_json(body).unwrap(), start);
    }
    let sent = server.requests().len();
    let many = ["a", "b", "c"].map(FetchedItem::new).to_vec();
    let start = StartRobot::new(robot("r2", Task::fetch(StartingPlace::new(""), many))).home(HomeSpot::new(10));
    let Err(Error::Refused(refusal)) = client.vault().start_robot(&start).await else { panic!("it is refused") };
    let rules: Vec<_> = refusal.violations.iter().map(|one| one.rule.as_str()).collect();
    assert_eq!(rules, ["robot.start.shelf.empty", "robot.items.max-items", "spot.x.max"]);
    let unread = |json: &str| {
        let violations = StartRobot::from_json(json).unwrap_err();
        violations.iter().map(|one| one.rule.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        unread(r#"{"robot": {"name": "a", "kind": "fetch", "items": [{"name": "a"}]}}"#),
        ["robot.start.required"]
    );
    assert_eq!(unread(r#"{"robot": {"name": "a", "kind": "wait", "weights": {"a": 1}}}"#).len(), 1);
    assert_eq!(unread(r#"{"robot": {"name": "a", "kind": "wait"}, "shelf": "7", "spot": {"x": 1}}"#).len(), 1);
    assert_eq!(server.requests().len(), sent);
}

/// The caller's own id stands in an object: it is in the error of an unknown outcome, and the query finds what it names.
#[tokio::test]
async fn an_own_id_in_an_object_settles_an_unknown_outcome() {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|request| match request.method.as_str() {
        "POST" => Answer::new(502, ""),
        _ => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
            Answer::json(format!(r#"{{"name": "r2", "started": {now}}}"#))
        }
    });
    let client = Client::builder(server.url()).credentials(Credentials::new("key", "secret", "")).build().unwrap();
    let start = |name| StartRobot::new(robot(name, Task::Wait));
    let confirmation = client.place_and_confirm(&start("r2"), &ConfirmPolicy::new()).await;
    assert_eq!(confirmation.outcome(), Outcome::Done);
    let requests = server.requests();
    let query = requests.last().unwrap();
    assert_eq!((query.method.as_str(), query.path.as_str()), ("GET", "/v1/robots/r2"));
    // Another robot's answer is not this one's.
    server.answer_next(Answer::json(r#"{"name": "r2"}"#));
    let Err(Error::Unknown(unknown)) = client.vault().start_robot(&start("r3")).await else { panic!("it is unknown") };
    assert_eq!(unknown.client_id(), Some("r3"));
}
