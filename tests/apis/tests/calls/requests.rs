//! The places of parameters, and how lists and objects are written there, in an invented API.

use apis::assorted::desk::{
    AccountLine, AccountStop, CloseAccount, FindAccounts, MergeAccount, MoveAccount, OpenAccount, SettleAccount,
    SplitAccount, SplitLine, SplitStop,
};
use apis::assorted::{Client, Credentials, Error, dec};
use apis::bitmex::trade::GetInstruments;
use apis::gateio::spot::CancelASingleOrder;
use tradeapi_runtime::client::Callable;
use tradeapi_runtime::{CheckPolicy, Operation};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

async fn sent<O: Callable>(operation: &O) -> Request {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json("{}"));
    let client = Client::builder(server.url()).build().unwrap();
    client.call(operation).await.unwrap();
    server.take_requests().remove(0)
}

/// Checks the form of a request, and what a server reads from it.
async fn there_and_back<O: Callable + PartialEq + std::fmt::Debug>(operation: &O, form: &str) {
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

/// Returns the rule that refuses a request and its whole message. Nothing is sent.
async fn refused<O: Callable>(operation: &O, checks: CheckPolicy) -> (String, String) {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|_| Answer::json("{}"));
    let client = Client::builder(server.url()).credentials(Credentials::new("key", "secret", ""));
    let error = client.checks(checks).build().unwrap().call(operation).await.err().expect("it is refused");
    let Error::Refused(refusal) = &error else { panic!("{error}") };
    assert!(server.requests().is_empty());
    (refusal.violations[0].rule.clone(), error.to_string())
}

fn texts(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

/// The case `comma-list-ambiguous`: a list with an item `a,b` was sent as another list. Rules that are not checked do
/// not change it.
#[tokio::test]
async fn an_item_with_a_comma_is_not_sent_between_commas() {
    let items = || texts(&["a,b", "c"]);
    for checks in [CheckPolicy::new(), CheckPolicy::nothing()] {
        let in_query = FindAccounts::new("g").names(items());
        let (rule, says) = refused(&in_query, checks.clone()).await;
        assert_eq!(rule, "names.comma");
        assert!(says.contains(r#""a,b" given; an item without a comma is needed"#), "{says}");
        let in_form = SplitAccount::new("n").stop(SplitStop::new(dec!(2)).tags(items()));
        assert_eq!(refused(&in_form, checks.clone()).await.0, "stop.tags.comma");
        let in_header = SettleAccount::new("n").tags(items());
        let (rule, says) = refused(&in_header, checks).await;
        assert_eq!(rule, "X-Tags.comma");
        assert!(says.contains("a comma separates the items"), "{says}");
    }
    let request = sent(&FindAccounts::new("g").names(texts(&["a", "b", "c"]))).await;
    assert_eq!(request.query.as_deref(), Some("names=a,b,c"));
    // Elsewhere, a comma is a character as any other.
    let stop = AccountStop::new(dec!(1)).tags(items());
    there_and_back(
        &OpenAccount::new("n").stop(stop),
        "name=n&stop%5Bprice%5D=1&stop%5Btags%5D%5B%5D=a%2Cb&stop%5Btags%5D%5B%5D=c",
    )
    .await;
}

/// The case `empty-list-left-out`: an empty list was sent as no list, in forms of lists that have no place for it.
#[tokio::test]
async fn an_empty_list_is_not_left_out() {
    let checks = CheckPolicy::new;
    let in_objects = OpenAccount::new("n").stop(AccountStop::new(dec!(1)).tags(vec![]));
    for (form, (rule, says)) in [
        ("repeated in a query", refused(&MoveAccount::new("n").ids(vec![]), checks()).await),
        ("indexed in a form", refused(&MergeAccount::new("n").ids(vec![]), checks()).await),
        ("in brackets in a form", refused(&OpenAccount::new("n").ids(vec![]), checks()).await),
        ("of an object", refused(&in_objects, checks()).await),
        ("with commas in a query", refused(&FindAccounts::new("g").names(vec![]), checks()).await),
        ("with commas in a form", refused(&SplitAccount::new("n").ids(vec![]), checks()).await),
        ("JSON in a body", refused(&CloseAccount::new("n").ids(vec![]), checks()).await),
        ("JSON in a query", refused(&GetInstruments::new().columns(vec![]), checks()).await),
        ("in a header", refused(&SettleAccount::new("n").tags(vec![]), checks()).await),
    ] {
        assert!(rule.ends_with(".min-items"), "{form}: {rule}");
        assert!(says.contains("0 items given; at least 1 item needed"), "{form}: {says}");
        assert!(says.contains("add items, or leave it out"), "{form}: {says}");
    }
}

/// The case `dot-segment-in-path`: such a request went to another path. Rules that are not checked do not change it.
#[tokio::test]
async fn a_parameter_does_not_lead_to_another_path() {
    for checks in [CheckPolicy::new(), CheckPolicy::nothing()] {
        for group in [".", "..", "...", "%2e%2E", ".%2e", "%252e%252e", "../accounts", "a/../b", "..\\a", "..%2fa"] {
            let (rule, says) = refused(&FindAccounts::new(group), checks.clone()).await;
            assert_eq!(rule, "group.shape", "{group}");
            assert!(says.contains("leads to another path"), "{says}");
        }
        let cancel = CancelASingleOrder::new("..", "BTC_USDT");
        assert_eq!(refused(&cancel, checks.clone()).await.0, "order_id.shape");
    }
    assert_eq!(refused(&FindAccounts::new(""), CheckPolicy::new()).await.0, "group.empty");
    assert_eq!(refused(&FindAccounts::new(""), CheckPolicy::nothing()).await.0, "group.shape");
    for (group, path) in [("a.b", "a.b"), ("..a", "..a"), ("a/b", "a%2Fb"), ("a%2e", "a%252e"), ("a?b#c", "a%3Fb%23c")]
    {
        assert_eq!(sent(&FindAccounts::new(group)).await.path, format!("/v1/groups/{path}/accounts"));
    }
}

/// A list of texts in a text is no parameter that comes twice.
#[test]
fn a_parameter_within_an_object_that_comes_twice_is_told_so() {
    let twice = [
        OpenAccount::from_query("name=n&stop[price]=1&stop[price]=2").unwrap_err().to_string(),
        OpenAccount::from_query("name=n&lines[0][text]=t&lines[0][text]=u").unwrap_err().to_string(),
        SplitAccount::from_query("name=n&stop.price=1&stop.price=2").unwrap_err().to_string(),
    ];
    for (text, path) in twice.iter().zip(["stop.price", "lines[0].text", "stop.price"]) {
        assert!(text.contains("it comes more than once") && text.contains(path), "{text}");
    }
    let list = SplitAccount::from_query(r#"name=n&stop.price=1&lines=[{"text":["t","u"]}]"#).unwrap_err().to_string();
    assert!(list.contains("found an array"), "{list}");
}
