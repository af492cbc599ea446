//! The forms of values, in an invented API.

use apis::assorted::desk::{DoSeveral, Thing};
use apis::assorted::market::{GetQuotes, GetTick, Level, Limits, SetUnits, Stop, Watch};
use apis::assorted::{Client, Error, Json, Timestamp, dec};
use tradeapi_runtime::batches::ItemOutcome;
use tradeapi_runtime::value::Scaled;
use tradeapi_tests::loopback::{Answer, ScriptedServer};

const TICK: &str = r#"{"change": -7, "level": 2, "active": 0, "frozen": "true", "at": 1790000000.25,
    "exact": 1790000000250000001, "micro": "1790000000250001", "milli": 1790000000250,
    "iso": "2026-09-21T16:13:20.25+01:00", "extra": {"a": [1]}, "prices": ["1.5", "1.4"], "best": ["1.5", "10", "new"],
    "candles": [[1790000000, 1.5, null], "broken", [1790000060]], "books": {"north": ["1.5", "2"], "south": 5},
    "sizes": {"north": 2.0}}"#;

fn start() -> (ScriptedServer, Client) {
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url()).build().unwrap();
    (server, client)
}

#[tokio::test]
async fn every_form_of_a_value_is_read() {
    let (server, client) = start();
    server.answer_next(Answer::json(TICK));
    let tick = client.market().get_tick(&GetTick::new()).await.unwrap().data;
    assert_eq!(
        (tick.change, tick.level, tick.active, tick.frozen),
        (Some(-7), Some(Level::High), Some(false), Some(true))
    );
    let time = Timestamp::from_millis(1_790_000_000_250);
    assert_eq!(tick.at.map(Timestamp::from), Some(time));
    assert_eq!(tick.exact.map(|exact| exact.as_nanos()), Some(1_790_000_000_250_000_001));
    assert_eq!(tick.micro.map(|micro| micro.as_nanos()), Some(1_790_000_000_250_001_000));
    assert_eq!(tick.milli, Some(time));
    assert_eq!(tick.iso.map(Timestamp::from), Some(time + std::time::Duration::from_secs(3600)));
    assert_eq!(tick.extra.as_ref().map(Json::as_str), Some(r#"{"a": [1]}"#));
    assert_eq!(tick.prices.items, [dec!(1.5), dec!(1.4)]);
    assert_eq!(tick.best.and_then(|best| best.size), Some("10".parse().unwrap()));
    let candles: Vec<_> = tick.candles.iter().map(|candle| candle.begins.unwrap().timestamp().as_millis()).collect();
    assert_eq!((candles, tick.candles.bad.len()), (vec![1_790_000_000_000, 1_790_000_060_000], 1));
    assert_eq!(tick.books.get("north").and_then(|book| book.size.clone()), Some("2".parse().unwrap()));
    assert_eq!((tick.books.len(), tick.books.bad[0].name.as_str()), (1, "south"));
    assert_eq!(tick.sizes.get("north"), Some(&"2.0".parse().unwrap()));
}

#[tokio::test]
async fn every_form_of_a_value_is_sent() {
    let (server, client) = start();
    server.answer_otherwise(|_| Answer::json(r#"{"milli": 1790000000000}"#));
    let time = Timestamp::from_millis(1_790_000_000_250);
    let tick = GetTick::new().between(time, time).shift(-2).level(Level::Low).active(true);
    client.market().get_tick(&tick).await.unwrap();
    let stop = Stop::new(dec!(2.5)).limits(Limits::new().count(2));
    let watch =
        Watch::new(-1, Level::High, false, stop).late(true).until(time).payload(Json::new(r#"{"k": [1]}"#).unwrap());
    let watch = watch.note("äöü").words(vec!["a".to_owned(), "abc".to_owned()]);
    client.market().watch(&watch).await.unwrap();
    let requests = server.requests();
    let query = "since=1790000000&until=2026-09-21T14:13:20.250Z&shift=-2&level=1&active=1";
    assert_eq!(requests[0].query.as_deref(), Some(query));
    let body = r#"{"shift":-1,"level":2,"loud":0,"late":"true","until":1790000000250000000,"payload":{"k": [1]},"note":"äöü","words":["a","abc"],"stop":{"price":2.5,"limits":{"count":2}}}"#;
    assert_eq!(requests[1].text(), body);
}

#[tokio::test]
async fn members_of_an_object_are_checked() {
    let (_sandbox, client) = start();
    let stop = Stop::new(dec!(0.5)).limits(Limits::new().count(9));
    let refused = client.market().watch(&Watch::new(-1, Level::High, false, stop)).await;
    let Err(Error::Refused(refusal)) = refused else { panic!("it is refused") };
    let rules: Vec<_> = refusal.violations.iter().map(|one| (one.rule.as_str(), one.parameter.as_str())).collect();
    assert_eq!(rules, [("stop.price.min", "stop.price"), ("stop.limits.count.max", "stop.limits.count")]);
    let tick = GetTick::new().shift(-6);
    assert!(matches!(client.market().get_tick(&tick).await, Err(Error::Refused(_))));
}

#[tokio::test]
async fn texts_that_are_too_short_or_too_long_are_not_sent() {
    let (server, client) = start();
    server.answer_otherwise(|_| Answer::json("{}"));
    let stop = || Stop::new(dec!(2.5));
    let watch = |note: &str, word: &str| {
        Watch::new(-1, Level::High, false, stop()).note(note).words(vec!["ab".to_owned(), word.to_owned()])
    };
    for (note, word, broken) in [("a", "ab", "note"), ("123456789", "ab", "note"), ("ab", "abcd", "words")] {
        let refused = client.market().watch(&watch(note, word)).await;
        let Err(Error::Refused(refusal)) = refused else { panic!("{note} and {word} are refused") };
        let rules: Vec<_> = refusal.violations.iter().map(|one| one.rule.as_str()).collect();
        assert_eq!(rules, [format!("{broken}.length")]);
    }
    // Characters count, not bytes.
    client.market().watch(&watch("ääääääää", "äöü")).await.unwrap();
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn the_data_can_be_a_list_with_named_places() {
    let (server, client) = start();
    server.answer_next(Answer::json(r#"{"BTCUSD": {"best": 1.5}, "ETHUSD": 7, "LTCUSD": {}}"#));
    let quotes = client.market().get_quotes(&GetQuotes::new()).await.unwrap().data;
    let read: Vec<_> = quotes.iter().map(|quote| (quote.pair.as_deref().unwrap(), quote.best.clone())).collect();
    assert_eq!((read, quotes.bad.len()), (vec![("BTCUSD", Some(dec!(1.5))), ("LTCUSD", None)], 1));
}

#[tokio::test]
async fn decimals_travel_as_integers_wherever_they_stand() {
    let (server, client) = start();
    server.answer_next(Answer::json(
        r#"{"price": 1250, "fee": "-5", "steps": [1, "250", 1e3], "all": {"north": 99, "south": "x"}}"#,
    ));
    let units = SetUnits::new(dec!(12.5)).steps(vec![dec!(0.01).into(), 2.into()]).fee(dec!(0.125)).edge(dec!(0.0001));
    let set = client.market().set_units(&units).await.unwrap().data;
    assert_eq!(server.requests()[0].text(), "price=1250&steps=1%2C200&fee=125&edge=1");
    assert_eq!((set.price, set.fee), (Some(dec!(12.5).into()), Some(dec!(-0.005).into())));
    assert_eq!(set.steps.items, [dec!(0.01), dec!(2.5), dec!(10)].map(Scaled::from));
    assert_eq!((set.all.get("north"), set.all.bad.len()), (Some(&dec!(9.9).into()), 1));
    let json = serde_json::to_string(&units).unwrap();
    assert_eq!(json, r#"{"price":1250,"steps":[1,200],"fee":"125","edge":1}"#);
    assert_eq!(serde_json::from_str::<SetUnits>(&json).unwrap(), units);
}

#[tokio::test]
async fn rules_apply_to_the_decimal_and_not_to_the_integer() {
    let (server, client) = start();
    let dear = || SetUnits::new(dec!(99.5));
    for (units, expected) in [
        (SetUnits::new(dec!(0.49)), "price.min"),
        (SetUnits::new(dec!(1000.01)).edge(1), "price.max"),
        (SetUnits::new(dec!(1.001)), "price.scale"),
        (SetUnits::new(dec!(1)).steps(vec![dec!(0.001).into()]), "steps.scale"),
        (SetUnits::new(dec!(1)).fee(dec!(1)), "fee-is-below"),
        (dear(), "edge"),
    ] {
        let Err(Error::Refused(refusal)) = client.market().set_units(&units).await else { panic!("{expected}") };
        let rules: Vec<_> = refusal.violations.iter().map(|one| one.rule.as_str()).collect();
        assert_eq!(rules, [expected]);
    }
    assert!(server.requests().is_empty());
}

/// Only a success has the object. An item with neither the object nor an error is not accounted for.
#[tokio::test]
async fn a_result_is_a_success_by_its_object() {
    let (server, client) = start();
    server.answer_next(Answer::json(
        r#"{"results": [{"result": {"own": "a", "theirs": "1"}, "error": null},
            {"result": null, "error": {"code": 7, "text": "no"}}, {"result": null, "error": null}]}"#,
    ));
    let things = ["a", "b", "c"].map(|own| Thing::new().own(own)).into();
    let report = client.batch(DoSeveral::new(things)).send().await.unwrap();
    let [ItemOutcome::Done(done), ItemOutcome::Failed(error), ItemOutcome::Unaccounted] =
        [0, 1, 2].map(|item| &report.items[item].outcome)
    else {
        panic!("{report}")
    };
    assert_eq!(done.result.as_ref().unwrap().theirs.as_deref(), Some("1"));
    assert_eq!((error.code.as_str(), error.message.as_str()), ("7", "no"));
}

#[tokio::test]
async fn a_result_with_both_is_not_accounted_for() {
    let (server, client) = start();
    server.answer_next(Answer::json(
        r#"{"results": [{"result": {"own": "a"}, "error": {"code": 7}}, {"result": {"own": "b"}}]}"#,
    ));
    let things = ["b", "a"].map(|own| Thing::new().own(own)).into();
    let report = client.batch(DoSeveral::new(things)).send().await.unwrap();
    assert!(matches!(report.items[0].outcome, ItemOutcome::Done(_)), "by its id: {report}");
    assert!(matches!(report.items[1].outcome, ItemOutcome::Unaccounted), "{report}");
}
