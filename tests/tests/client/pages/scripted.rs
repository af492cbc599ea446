//! Listings over HTTP: cursors that move and that do not, missing lists, unreadable items, and failing calls.

use std::pin::Pin;
use std::time::Duration;

use futures_core::Stream;
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::pages::{PageError, Paged};
use tradeapi::runtime::retry::RetryPolicy;
use tradeapi::unified::{GetFillHistory, GetInsiderTrades, GetOpenOrders};
use tradeapi::{Client, Credentials, Error, classic};
use tradeapi_tests::loopback::{Answer, ScriptedServer};
use tradeapi_tests::{query, schema};

use super::exchange::INSIDERS;

fn client(server: &ScriptedServer) -> Client {
    let credentials = Credentials::new("key", "secret", "passphrase");
    Client::builder(server.url()).credentials(credentials).limits(LimitMode::Off).build().unwrap()
}

fn page(list: &str, cursor: &str) -> Answer {
    let data = format!(r#"{{"list": {list}, "cursor": {cursor}}}"#);
    Answer::json(format!(r#"{{"code": "00000", "msg": "success", "requestTime": 1790000000000, "data": {data}}}"#))
}

fn cursors(server: &ScriptedServer) -> Vec<Option<String>> {
    let cursor = |query: Option<String>| {
        let pairs = query::pairs(query.as_deref().unwrap_or_default());
        pairs.into_iter().find(|(name, _)| name == "cursor").map(|(_, value)| value)
    };
    server.take_requests().into_iter().map(|request| cursor(request.query)).collect()
}

#[tokio::test(flavor = "current_thread")]
async fn cursors_are_sent_back_as_they_came() {
    let server = ScriptedServer::start().unwrap();
    for (list, cursor) in [
        (r#"[{"execId": "1"}, {"execId": "2"}]"#, r#""a b/+=&é""#),
        ("null", "18446744073709551617"),
        (r#"[{"execId": "3"}, {"execId": "2"}]"#, r#""~""#),
        ("[]", "null"),
    ] {
        server.answer_next(page(list, cursor));
    }
    let mut pages = client(&server).pages(GetFillHistory::new().cursor("from here"));
    let mut found = Vec::new();
    while let Some(page) = pages.next_page().await {
        let page = page.unwrap();
        let ids: Vec<_> = page.list.iter().map(|fill| fill.exec_id.clone().unwrap().to_string()).collect();
        found.push((ids.join(" "), page.repeated));
    }
    let found: Vec<_> = found.iter().map(|(ids, repeated)| (ids.as_str(), *repeated)).collect();
    assert_eq!(found, [("1 2", 0), ("", 0), ("3", 1), ("", 0)]);
    let sent: Vec<_> = cursors(&server).into_iter().flatten().collect();
    assert_eq!(sent, ["from here", "a b/+=&é", "18446744073709551617", "~"]);
}

/// Returns the scripted answers, the listed items, and the end of the listing.
async fn walk(answers: &[(&str, &str)]) -> (Vec<String>, Option<String>, usize) {
    let server = ScriptedServer::start().unwrap();
    answers.iter().for_each(|(list, cursor)| server.answer_next(page(list, cursor)));
    let mut pages = client(&server).pages(GetFillHistory::new());
    let (mut ids, mut end) = (Vec::new(), None);
    while let Some(page) = pages.next_page().await {
        match page {
            Ok(page) => ids.extend(page.list.iter().map(|fill| fill.exec_id.clone().unwrap().to_string())),
            Err(error) => end = Some(error.to_string()),
        }
    }
    assert!(end.is_none() || !pages.position().is_at_end(), "what is not complete does not say that it is");
    (ids, end, server.requests().len())
}

#[tokio::test(flavor = "current_thread")]
async fn a_cursor_that_does_not_move_ends_the_listing_with_an_error() {
    let stuck = |cursor: &str| {
        Some(format!("the listing of unified.fills is incomplete: the cursor \"{cursor}\" occurred twice"))
    };
    let [one, two] = [r#"[{"execId": "1"}]"#, r#"[{"execId": "2"}]"#];
    let found = walk(&[(one, r#""a""#), (two, r#""a""#)]).await;
    assert_eq!(found, (vec!["1".to_owned(), "2".to_owned()], stuck("a"), 2));
    let found = walk(&[(one, r#""a""#), (one, r#""a""#)]).await;
    assert_eq!(found, (vec!["1".to_owned()], stuck("a"), 2));
    let found = walk(&[(one, r#""a""#), (two, r#""b""#), ("[]", r#""c""#), (one, r#""a""#)]).await;
    assert_eq!(found, (vec!["1".to_owned(), "2".to_owned()], stuck("a"), 4));
    let unreadable = r#"["what"]"#;
    let found = walk(&[(one, r#""a""#), (unreadable, r#""a""#)]).await;
    assert_eq!(found, (vec!["1".to_owned()], stuck("a"), 2));
}

#[tokio::test(flavor = "current_thread")]
async fn an_empty_page_with_the_same_cursor_is_the_end() {
    let found = walk(&[(r#"[{"execId": "1"}]"#, r#""a""#), ("null", r#""a""#)]).await;
    assert_eq!(found, (vec!["1".to_owned()], None, 2));
}

#[tokio::test(flavor = "current_thread")]
async fn a_listing_of_empty_pages_ends() {
    let server = ScriptedServer::start().unwrap();
    let count = std::sync::atomic::AtomicUsize::new(0);
    server.answer_otherwise(move |_| {
        let next = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        page("[]", &format!("\"{next}\""))
    });
    let mut items = client(&server).pages(GetFillHistory::new()).items();
    let error = items.next().await.unwrap().unwrap_err();
    assert!(matches!(error, PageError::Barren { pages: 1000, .. }), "{error}");
    assert!(items.next().await.is_none());
}

#[tokio::test(flavor = "current_thread")]
async fn items_that_cannot_be_read_stay_apart() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(page(r#"[{"execId": "1"}, 7, {"execId": "2"}]"#, r#""a""#));
    server.answer_next(page(r#"["x", {"execId": "3"}]"#, "\"\""));
    let mut items = client(&server).pages(GetFillHistory::new()).items();
    let mut ids = Vec::new();
    while let Some(fill) = items.next().await {
        ids.push(fill.unwrap().exec_id.unwrap().to_string());
    }
    assert_eq!(ids, ["1", "2", "3"]);
    assert_eq!(
        items.bad().iter().map(|bad| (bad.index, bad.raw.as_str())).collect::<Vec<_>>(),
        [(1, "7"), (0, "\"x\"")]
    );
}

#[tokio::test(flavor = "current_thread")]
async fn a_failed_page_is_requested_again_on_the_next_call() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(page(r#"[{"execId": "1"}]"#, r#""a""#));
    server.answer_next(Answer::close());
    server.answer_next(Answer::new(503, "busy"));
    server.answer_next(page(r#"[{"execId": "2"}]"#, "null"));
    let mut pages = client(&server).pages(GetFillHistory::new());
    assert_eq!(pages.next_page().await.unwrap().unwrap().list.len(), 1);
    let position = pages.position().clone();
    assert!(matches!(pages.next_page().await, Some(Err(PageError::Call(Error::Transport(_))))));
    assert!(matches!(pages.next_page().await, Some(Err(PageError::Call(Error::Exchange(_))))));
    assert_eq!(*pages.position(), position);
    assert_eq!(pages.next_page().await.unwrap().unwrap().list.len(), 1);
    assert!(pages.next_page().await.is_none());
    let a = || Some("a".to_owned());
    assert_eq!(cursors(&server), [None, a(), a(), a()]);
}

#[tokio::test(flavor = "current_thread")]
async fn the_position_of_an_item_is_that_of_its_page_until_the_page_is_complete() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(page(r#"[{"execId": "1"}, {"execId": "2"}]"#, r#""a""#));
    let mut items = client(&server).pages(GetFillHistory::new()).items();
    let begin = items.position().clone();
    items.next().await.unwrap().unwrap();
    assert_eq!(*items.position(), begin);
    items.next().await.unwrap().unwrap();
    assert_ne!(*items.position(), begin);
}

#[tokio::test(flavor = "current_thread")]
async fn pending_orders_are_requested_in_both_states_unless_one_is_named() {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|_| Answer::json(r#"{"code": "00000", "data": {"entrustedList": null, "endId": null}}"#));
    let request = classic::GetPendingOrders::new(classic::ProductType::UsdtFutures);
    let named = request.clone().status(classic::OrderState::PartiallyFilled);
    for request in [request, named] {
        let mut pages = client(&server).pages(request);
        while let Some(page) = pages.next_page().await {
            page.unwrap();
        }
    }
    let queries: Vec<_> = server.requests().into_iter().map(|request| request.query.unwrap()).collect();
    let both = ["live", "partially_filled", "partially_filled"];
    assert_eq!(queries, both.map(|status| format!("productType=USDT-FUTURES&status={status}")));
}

#[tokio::test(flavor = "current_thread")]
async fn a_public_listing_needs_no_credentials_and_can_be_spawned() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(page(&format!(r#"[{{"{}": "Doe"}}]"#, INSIDERS.id), "null"));
    let client = Client::builder(server.url()).build().unwrap();
    let mut items = client.pages(GetInsiderTrades::new("ACME")).items();
    let names = tokio::spawn(async move {
        let mut names = Vec::new();
        while let Some(trade) = items.next().await {
            names.push(trade.unwrap().reporter_name.unwrap());
        }
        names
    });
    assert_eq!(names.await.unwrap(), ["Doe"]);
}

macro_rules! count_listings {
    ($($operation:ty),+ $(,)?) => { [$(<$operation as tradeapi::Operation>::META),+] };
}

#[tokio::test(flavor = "current_thread")]
async fn every_page_of_the_schema_can_be_followed() {
    let with_a_cursor = |meta: &&tradeapi::runtime::tables::Meta| {
        let example = &schema::examples(meta)[0].response;
        ["\"cursor\"", "\"endId\""].iter().any(|cursor| example.contains(cursor))
    };
    let all = tradeapi::for_each_operation!(count_listings);
    let listings = all.into_iter().filter(with_a_cursor).count();
    let mut followed = 0;
    macro_rules! follow {
        ($($request:expr),+ $(,)?) => {$(
            let server = ScriptedServer::start().unwrap();
            let request = $request;
            let example = &schema::examples(meta_of(&request))[0].response;
            server.answer_next(Answer::json(example.as_str()));
            let mut pages = client(&server).pages(request);
            let first = pages.next_page().await.unwrap().unwrap();
            assert!(!first.list.is_empty());
            let _ = pages.next_page().await;
            followed += 1;
        )+};
    }
    let product = classic::ProductType::UsdtFutures;
    follow!(
        GetFillHistory::new(),
        GetOpenOrders::new(),
        GetInsiderTrades::new("ACME"),
        tradeapi::unified::GetOrderHistory::new(tradeapi::unified::Category::Spot),
        classic::GetOrderFillDetails::new(product.clone()),
        classic::GetHistoricalTransactionDetails::new(product.clone()),
        classic::GetPendingOrders::new(product.clone()),
        classic::GetHistoryOrder::new(product.clone()),
        tradeapi::broker::GetAgentDirectCommissions::new(),
    );
    assert_eq!(followed, listings);
}

fn meta_of<O: Paged>(_: &O) -> &'static tradeapi::runtime::tables::Meta {
    O::META
}

#[tokio::test(flavor = "current_thread")]
async fn a_listing_keeps_the_rate_limits() {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|_| page(r#"[{"reporterName": "Doe"}]"#, "null"));
    let client = Client::builder(server.url()).limits(LimitMode::Refuse).build().unwrap();
    let mut first = client.pages(GetInsiderTrades::new("ACME"));
    let mut second = client.pages(GetInsiderTrades::new("ACME"));
    assert!(first.next_page().await.unwrap().is_ok());
    assert!(matches!(second.next_page().await, Some(Err(PageError::Call(Error::Limited(_))))), "one call a second");
    assert!(second.next_page().await.is_some(), "the page is still to come");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test(flavor = "current_thread")]
async fn pages_are_a_stream() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(page(r#"[{"execId": "1"}]"#, r#""a""#));
    server.answer_next(page(r#"[{"execId": "2"}]"#, "null"));
    let mut stream = client(&server).pages(GetFillHistory::new()).into_stream();
    let mut ids = Vec::new();
    while let Some(page) = std::future::poll_fn(|context| Pin::new(&mut stream).poll_next(context)).await {
        ids.extend(page.unwrap().list.iter().map(|fill| fill.exec_id.clone().unwrap().to_string()));
    }
    assert_eq!(ids, ["1", "2"]);
}

/// The case `error-without-end`: a loop that skips errors ends.
#[tokio::test(flavor = "current_thread")]
async fn items_and_streams_end_after_an_error_and_can_be_resumed() {
    let server = ScriptedServer::start().unwrap();
    let script = [page(r#"[{"execId": "1"}]"#, r#""next""#), Answer::close(), page(r#"[{"execId": "2"}]"#, "null")];
    let listing = || client(&server).pages(GetFillHistory::new());

    script.iter().for_each(|answer| server.answer_next(answer.clone()));
    let mut items = listing().items();
    assert!(items.next().await.is_some_and(|item| item.is_ok()));
    assert!(items.next().await.is_some_and(|item| item.is_err()));
    for _ in 0..3 {
        assert!(items.next().await.is_none());
    }
    let mut rest = listing().resume(items.position()).unwrap().items();
    assert_eq!(rest.next().await.unwrap().unwrap().exec_id.unwrap().to_string(), "2");
    assert!(rest.next().await.is_none());

    script.iter().for_each(|answer| server.answer_next(answer.clone()));
    let mut stream = listing().into_stream();
    let mut results = Vec::new();
    while let Some(page) = std::future::poll_fn(|context| Pin::new(&mut stream).poll_next(context)).await {
        results.push(page.is_ok());
    }
    assert_eq!(results, [true, false]);
    assert!(std::future::poll_fn(|context| Pin::new(&mut stream).poll_next(context)).await.is_none());
    let rest = listing().resume(stream.position()).unwrap().next_page().await.unwrap().unwrap();
    assert_eq!(rest.list[0].exec_id.clone().unwrap().to_string(), "2");
    assert_eq!(server.requests().len(), 6);
}

#[tokio::test(flavor = "current_thread")]
async fn a_page_that_fails_temporarily_is_retried() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(page(r#"[{"execId": "1"}]"#, r#""next""#));
    server.answer_next(Answer::new(502, "<html>"));
    server.answer_next(Answer::close());
    server.answer_next(page(r#"[{"execId": "2"}]"#, "null"));
    let policy = RetryPolicy::new().pauses(Duration::ZERO, Duration::ZERO);
    let mut pages = client(&server).pages(GetFillHistory::new()).retrying(policy);
    let mut count = 0;
    while let Some(page) = pages.next_page().await {
        count += page.unwrap().list.len();
    }
    assert_eq!(count, 2);
    assert_eq!(cursors(&server), [None, Some("next".into()), Some("next".into()), Some("next".into())]);
}
