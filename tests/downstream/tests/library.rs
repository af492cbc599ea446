//! The generated client of a library's API, called over HTTP: no envelope, JSON numbers, parameters in paths.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

use downstream::library::catalogue::{Binding, DeleteABook, FindBooks, Isbn, PutABook, ReadBook, Shelf};
use downstream::library::desk::{ExtendALoan, Loan, LoanState, Return, ReturnBooks};
use downstream::library::runtime::Operation as _;
use downstream::library::runtime::checks::CheckContext;
use downstream::library::runtime::drift::Drift;
use downstream::library::runtime::json::read_json;
use downstream::library::runtime::lifecycle::{Monitor, Possible};
use downstream::library::{Client, Credentials, Decimal, Edit, Error, Timestamp};
use tradeapi_tests::loopback::{Answer, ScriptedServer};

fn client(server: &ScriptedServer) -> Client {
    Client::builder(server.url()).credentials(Credentials::new("key", "secret", "unused")).build().unwrap()
}

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

#[tokio::test]
async fn a_parameter_in_the_path_stays_one_segment() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"loanId": "17/1?", "state": "open"}"#));
    let loan = client(&server).desk().extend_a_loan(&ExtendALoan::new("17/1?", 7)).await.unwrap();
    assert_eq!(loan.loan_id.as_ref().unwrap().as_str(), "17/1?");
    let request = &server.requests()[0];
    assert_eq!((request.method.as_str(), request.path.as_str()), ("PATCH", "/v1/loans/17%2F1%3F/due"));
    assert_eq!(request.text(), r#"{"days":7}"#);
}

#[tokio::test]
async fn numbers_travel_as_json_numbers_and_edits_delete() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"isbn": "9783161484", "price": 12.50, "others": [{"born": 1901}]}"#));
    let put = PutABook::new(Isbn::new("9783161484").unwrap(), "The Tin Book", Binding::Paperback)
        .price(decimal("12.5"))
        .weight(Edit::Delete)
        .shelf(Edit::Set(Shelf::from("A 3")))
        .loanable(true)
        .ratings(vec![decimal("4.50"), decimal("5")]);
    let book = client(&server).catalogue().put_a_book(&put).await.unwrap();
    assert_eq!(book.price.as_ref().unwrap().as_str(), "12.50");
    assert_eq!(book.others[0].born, Some(1901));
    let request = &server.requests()[0];
    assert_eq!((request.method.as_str(), request.path.as_str()), ("PUT", "/v1/books/9783161484"));
    assert_eq!(
        request.text(),
        r#"{"title":"The Tin Book","type":"paperback","loanable":"Y","price":12.5,"weight":"0","shelf":"A 3","ratings":[4.50,5]}"#
    );
}

#[tokio::test]
async fn delete_carries_a_query_and_a_hex_signature_and_no_passphrase() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"isbn": "9783161484", "copies": 3}"#));
    let isbn = Isbn::new("9783161484").unwrap();
    client(&server).catalogue().delete_a_book(&DeleteABook::new(isbn).force(true)).await.unwrap();
    let request = &server.requests()[0];
    assert_eq!((request.method.as_str(), request.query.as_deref()), ("DELETE", Some("force=true")));
    let signature = request.header("X-Signature").unwrap();
    assert!(signature.len() == 64 && signature.chars().all(|c| c.is_ascii_hexdigit()), "{signature}");
    assert!(!format!("{request:?}").contains("unused"), "there is no header for a passphrase");
}

#[tokio::test]
async fn without_an_envelope_the_status_decides() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::new(404, "no such book"));
    let isbn = Isbn::new("080442957X").unwrap();
    let error = client(&server).catalogue().read_book(&ReadBook::new(isbn)).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.code.as_str(), refused.message.as_str()), ("404", "no such book"));
    assert_eq!(refused.known.unwrap().text, "No such book");
}

#[tokio::test]
async fn rules_are_checked_before_anything_is_sent() {
    let server = ScriptedServer::start().unwrap();
    let returns = ReturnBooks::new(vec![Return::new("c-1"), Return::new("c-1").damage("wet")]);
    let error = client(&server).desk().return_books(&returns).await.unwrap_err();
    let Error::Refused(refusal) = &error else { panic!("{error}") };
    let mut broken: Vec<_> = refusal.violations.iter().map(|one| (one.rule.as_str(), one.parameter.as_str())).collect();
    broken.sort_unstable();
    assert_eq!(broken, [("damage-costs", "copies[1].fee"), ("each-copy-once", "copies")]);
    assert!(server.requests().is_empty());
}

#[test]
#[expect(deprecated, reason = "the schema says that `late` is deprecated, and the compiler warns of it")]
fn a_lifecycle_is_followed_for_any_api() {
    let (open, late, closed) = (LoanState::Open, LoanState::Late, LoanState::Closed);
    assert_eq!([&open, &late, &closed].map(|one| one.can_modify()), [Possible::Yes, Possible::No, Possible::No]);
    assert_eq!((open.can_become(&late), late.can_become(&open)), (Possible::Yes, Possible::Unspecified));
    let loan = |state: &str| read_json::<Loan>(&format!(r#"{{"loanId": "17", "state": "{state}"}}"#)).unwrap();
    let mut monitor = Monitor::new(1);
    assert!(["open", "late", "closed"].iter().all(|state| monitor.observe(&loan(state)).check().is_ok()));
    assert!(monitor.observe(&loan("late")).check().is_err());
}

#[test]
fn windows_and_bounds_hold_for_any_api() {
    let day = 24 * 60 * 60 * 1000;
    let now = Timestamp::from_millis(200 * day);
    let at = |days: u64| Timestamp::from_millis(days * day);
    let broken = |request: &FindBooks| -> Vec<String> {
        let violations = request.inspect(CheckContext { now: Some(now), ..CheckContext::default() });
        violations.into_iter().map(|violation| violation.rule).collect()
    };
    assert!(broken(&FindBooks::new().between(at(150), at(200))).is_empty());
    assert_eq!(broken(&FindBooks::new().between(at(99), at(101))), ["window.access"]);
    assert_eq!(broken(&FindBooks::new().limit(101)), ["limit.max"]);
    assert_eq!(broken(&FindBooks::new().from(at(190))).len(), 1, "both or neither");
}

#[tokio::test]
async fn drift_is_reported_without_an_envelope() {
    let server = ScriptedServer::start().unwrap();
    let drift = Drift::new();
    let client = Client::builder(server.url()).drift(&drift).build().unwrap();
    let answers = [
        r#"{"books": [{"isbn": "1", "price": "9.9", "genre": "crime", "pages": 7}], "bookmark": null, "total": 1}"#,
        r#"[]"#,
    ];
    for answer in answers {
        server.answer_next(Answer::json(answer));
        let _ = client.catalogue().find_books(&FindBooks::new()).await;
    }
    server.answer_next(Answer::new(404, "{}"));
    client.catalogue().find_books(&FindBooks::new()).await.unwrap_err();
    let report = drift.report().to_string();
    let lines: Vec<_> = report.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let expected = [
        "catalogue.find-books (handbook, Books): 2 answers",
        "unknown field total number: 1 of 1",
        "unknown field books[].pages (Book) number: 1 of 1",
        "unknown value books[].genre (Book) crime: 1 of 1",
        "missing fields books[] (Book) title, type, author, others, weight, copies, added, loanable, missing, shelf: 0 of 1",
        "written otherwise books[].price (Book) number as text: 1 of 1",
        "unreadable (answer) list: 1 of 2",
    ];
    assert_eq!(lines, expected);
}
