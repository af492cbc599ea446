//! Pages over loopback: the request for the next page, and the end of a listing.

use std::collections::HashMap;

use apis::{assorted, binance, deribit, okx};
use tradeapi_runtime::Credentials;
use tradeapi_runtime::pages::{PageError, Paged, Pages};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

/// Returns the number of items on each page.
async fn lengths<O: Paged>(mut pages: Pages<O>) -> Result<Vec<usize>, PageError> {
    let mut lengths = Vec::new();
    while let Some(page) = pages.next_page().await {
        lengths.push(page?.list.len());
    }
    Ok(lengths)
}

fn query(request: &Request) -> HashMap<String, String> {
    let pairs = request.query.as_deref().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn sent(server: &ScriptedServer, name: &str) -> Vec<Option<String>> {
    server.requests().iter().map(|request| query(request).remove(name)).collect()
}

fn texts(texts: &[&str]) -> Vec<Option<String>> {
    std::iter::once(None).chain(texts.iter().map(|text| Some((*text).to_owned()))).collect()
}

#[tokio::test]
async fn a_page_begins_behind_the_last_id() {
    let server = ScriptedServer::start().unwrap();
    for ids in [&["9", "8"][..], &["7", "5"], &["4"]] {
        let list: Vec<_> = ids.iter().map(|id| format!(r#"{{"ordId": "{id}", "state": "filled"}}"#)).collect();
        server.answer_next(Answer::json(format!(r#"{{"code": "0", "msg": "", "data": [{}]}}"#, list.join(","))));
    }
    let credentials = Credentials::new("key", "secret", "phrase");
    let client = okx::Client::builder(server.url()).credentials(credentials).build().unwrap();
    let request = okx::trade::GetOrderHistory::new("SPOT").limit(2);
    assert_eq!(lengths(client.pages(request)).await.unwrap(), [2, 2, 1]);
    assert_eq!(sent(&server, "after"), texts(&["8", "5"]));
}

#[tokio::test]
async fn a_number_that_is_included_is_counted_up() {
    let server = ScriptedServer::start().unwrap();
    for list in [r#"[{"orderId": 3}, {"orderId": 7}]"#, r#"[{"orderId": 8}, {"orderId": 9}]"#, "[]"] {
        server.answer_next(Answer::json(list));
    }
    let credentials = Credentials::new("key", "secret", "");
    let client = binance::Client::builder(server.url()).credentials(credentials).build().unwrap();
    let request = binance::spot::AllOrders::new("LTCBTC").limit(2);
    assert_eq!(lengths(client.pages(request)).await.unwrap(), [2, 2, 0]);
    assert_eq!(sent(&server, "orderId"), texts(&["8", "10"]));
}

#[tokio::test]
async fn a_body_has_an_offset() {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|request| {
        let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
        let list = match body["params"]["offset"].as_u64() {
            None => r#"[{"order_id": "9"}, {"order_id": "8"}]"#,
            // A new item was added, so one is repeated.
            Some(2) => r#"[{"order_id": "8"}, {"order_id": "7"}]"#,
            Some(4) => r#"[{"order_id": "6"}]"#,
            Some(offset) => panic!("offset {offset}"),
        };
        Answer::json(format!(r#"{{"jsonrpc": "2.0", "id": {}, "result": {list}}}"#, body["id"]))
    });
    let credentials = Credentials::new("key", "secret", "");
    let client = deribit::Client::builder(server.url()).credentials(credentials).build().unwrap();
    let request = deribit::trading::GetOrderHistoryByCurrency::new("ETH").count(2);
    assert_eq!(lengths(client.pages(request)).await.unwrap(), [2, 1, 1]);
}

#[tokio::test]
async fn a_success_without_the_list_is_not_a_page() {
    let server = ScriptedServer::start().unwrap();
    for data in ["null", "{}", "\"\""] {
        server.answer_next(Answer::json(format!(r#"{{"code": "0", "msg": "", "data": {data}}}"#)));
        let credentials = Credentials::new("key", "secret", "phrase");
        let client = okx::Client::builder(server.url()).credentials(credentials).build().unwrap();
        let found = lengths(client.pages(okx::trade::GetOrderHistory::new("SPOT"))).await;
        assert!(matches!(found, Err(PageError::Call(_))), "{data}: {found:?}");
    }
}

/// The rest of the link is ignored, and the request has the address of the first one.
#[tokio::test]
async fn only_the_cursor_is_taken_from_a_link() {
    let server = ScriptedServer::start().unwrap();
    let entry = r#"[{"id": "e1", "n": 1, "at": 1790000000000}]"#;
    let links =
        [r#"<https://elsewhere.example/v1/secrets?size=50&page=a%2Fb>; rel="next""#, r#"</?page=a>; rel="prev""#];
    links.iter().for_each(|link| server.answer_next(Answer::json(entry).header("link", link)));
    let client = assorted::Client::builder(server.url()).build().unwrap();
    assert_eq!(lengths(client.pages(assorted::log::ListLinked::new().size(1))).await.unwrap(), [1, 0]);
    assert_eq!(sent(&server, "page"), texts(&["a/b"]));
    assert_eq!(sent(&server, "size"), [Some("1".to_owned()), Some("1".to_owned())]);
    assert!(server.requests().iter().all(|request| request.path == "/v1/log/linked"));
    // There is another page, but no cursor.
    server.answer_next(Answer::json(entry).header("link", r#"</v1/log/linked>; rel="next""#));
    let found = lengths(client.pages(assorted::log::ListLinked::new().size(1))).await;
    assert!(matches!(found, Err(PageError::Stuck { .. })), "{found:?}");
}

#[tokio::test]
async fn each_page_carries_the_headers_of_the_request() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"[{"id": "e2"}]"#).header("x-after", "17"));
    server.answer_next(Answer::json(r#"[{"id": "e1"}]"#));
    let client = assorted::Client::builder(server.url()).build().unwrap();
    let request = assorted::log::ListHeaded::new().size(1).reader("me");
    assert_eq!(lengths(client.pages(request)).await.unwrap(), [1, 1]);
    assert_eq!(sent(&server, "after"), texts(&["17"]));
    assert!(server.requests().iter().all(|request| request.header("X-Reader") == Some("me")));
}
