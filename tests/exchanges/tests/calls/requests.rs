//! The places of parameters, and how lists and objects are written there, in an invented API.

use exchanges::assorted::desk::{
    AccountLine, AccountStop, CloseAccount, MergeAccount, MoveAccount, OpenAccount, SplitAccount, SplitLine, SplitStop,
};
use exchanges::assorted::{Client, Operation, dec};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

async fn sent<O: Operation>(operation: &O) -> Request {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json("{}"));
    let client = Client::builder(server.url()).build().unwrap();
    client.call(operation).await.unwrap();
    server.take_requests().remove(0)
}

/// The request, and what a server reads from it.
async fn there_and_back<O: Operation + PartialEq + std::fmt::Debug>(operation: &O, form: &str) {
    let request = sent(operation).await;
    let text = request.query.clone().filter(|query| !query.is_empty()).unwrap_or_else(|| request.text());
    assert_eq!(text, form);
    assert_eq!(O::from_query(&text).unwrap(), *operation);
}

#[tokio::test]
async fn a_form_holds_lists_and_objects() {
    let stop = AccountStop::new(dec!(1.5)).tags(vec!["x".to_owned(), "y".to_owned()]);
    let lines = vec![AccountLine::new("t"), AccountLine::new("u")];
    let open = OpenAccount::new("a&b").ids(vec![1, 2]).stop(stop).lines(lines);
    let form = "name=a%26b&ids%5B%5D=1&ids%5B%5D=2&stop%5Bprice%5D=1.5&stop%5Btags%5D%5B%5D=x&stop%5Btags%5D%5B%5D=y\
                &lines%5B0%5D%5Btext%5D=t&lines%5B1%5D%5Btext%5D=u";
    there_and_back(&open, form).await;
    let request = sent(&open).await;
    assert_eq!(request.header("content-type"), Some("application/x-www-form-urlencoded"));
    assert_eq!(request.query.unwrap_or_default(), "");
    there_and_back(&OpenAccount::new("a").ids(vec![7]), "name=a&ids%5B%5D=7").await;
}

#[tokio::test]
async fn lists_are_written_as_the_schema_says() {
    there_and_back(&MoveAccount::new("a").ids(vec![1, 2]), "name=a&ids=1&ids=2").await;
    there_and_back(&MoveAccount::new("a").ids(vec![1]), "name=a&ids=1").await;
    there_and_back(&MergeAccount::new("a").ids(vec![3, 4]), "name=a&ids%5B0%5D=3&ids%5B1%5D=4").await;
    let split = SplitAccount::new("a").ids(vec![1, 2]).stop(SplitStop::new(dec!(2))).lines(vec![SplitLine::new("t")]);
    there_and_back(&split, "name=a&ids=1%2C2&stop.price=2&lines=%5B%7B%22text%22%3A%22t%22%7D%5D").await;
}

#[tokio::test]
async fn parameters_travel_where_the_operation_says() {
    let request = sent(&MoveAccount::new("a")).await;
    assert_eq!((request.query.as_deref(), request.text().as_str()), (Some("name=a"), ""));
    let request = sent(&CloseAccount::new("a").ids(vec![1])).await;
    assert_eq!(request.text(), r#"{"name":"a","ids":[1]}"#);
    assert_eq!((request.method.as_str(), request.header("content-type")), ("DELETE", Some("application/json")));
}

/// Some APIs name an action on a resource after a colon, and have answers without a body.
#[tokio::test]
async fn a_path_can_have_a_colon_and_an_answer_no_body() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::new(204, ""));
    let client = Client::builder(server.url()).build().unwrap();
    client.call(&MergeAccount::new("a")).await.unwrap();
    assert_eq!(server.requests()[0].path, "/v1/accounts:merge");
}
