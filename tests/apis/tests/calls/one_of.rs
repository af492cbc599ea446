//! Answers that are one of several records: a member decides, or the form of the JSON.

use apis::assorted::vault::{CheckOut, CheckedOut, Payment, ReadPayments};
use apis::assorted::{Client, dec};
use tradeapi_runtime::drift::{Drift, DriftKind};
use tradeapi_runtime::json::write_json;
use tradeapi_tests::loopback::{Answer, ScriptedServer};

#[tokio::test]
async fn a_member_decides_which_record_an_answer_is() {
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url()).build().unwrap();
    let body = r#"{"payments": [{"last": "42", "kind": "debit"}, {"amount": 1.50, "parts": [{"kind": "CREDIT"}], "kind": "transfer"},
        {"kind": "cash", "coins": [1, 2]}, {"kind": "credit", "last": []}, 7], "latest": {"kind": "barter"},
        "by_month": {"may": {"kind": "credit"}}}"#;
    server.answer_next(Answer::json(body));
    let paid = client.vault().read_payments(&ReadPayments::new()).await.unwrap().data;
    let [Payment::CardPayment(card), Payment::Transfer(transfer), Payment::Unknown(cash), Payment::Unknown(seven)] =
        &paid.payments[..]
    else {
        panic!("{:?}", paid.payments);
    };
    assert_eq!((card.kind.as_deref(), card.last.as_deref()), (Some("debit"), Some("42")));
    assert_eq!(transfer.amount, Some(dec!(1.50)));
    assert!(matches!(&transfer.parts[..], [Payment::CardPayment(_)]));
    assert_eq!(cash.as_json().as_str(), r#"{"kind": "cash", "coins": [1, 2]}"#);
    assert_eq!(seven.as_json().as_str(), "7");
    // A known record that cannot be read is a bad item, as any other.
    assert_eq!((paid.payments.bad.len(), paid.payments.bad[0].index), (1, 3));
    assert!(matches!(paid.latest, Some(Payment::Unknown(_))));
    assert!(matches!(paid.by_month.get("may"), Some(Payment::CardPayment(_))));
    // What was read is written as the exchange writes it.
    let written = write_json(&paid);
    assert!(
        written.contains(r#"{"kind":"transfer","amount":1.50,"parts":[{"kind":"CREDIT"}]},{"kind": "cash", "#),
        "{written}"
    );
}

#[tokio::test]
async fn the_form_decides_which_record_an_answer_is() {
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url()).build().unwrap();
    let mut answers = Vec::new();
    for body in [
        r#"{"new": 1, "since": 5}"#,
        r#"{"shelf": null, "lent_to": "b"}"#,
        r#""no such item""#,
        "[7, 8]",
        r#"{"new": 1}"#,
    ] {
        server.answer_next(Answer::json(body));
        answers.push(client.vault().check_out(&CheckOut::new("a")).await.unwrap().data);
    }
    let [
        CheckedOut::OnShelf(shelf),
        CheckedOut::Lent(lent),
        CheckedOut::Apology(apology),
        CheckedOut::Places(places),
        CheckedOut::Unknown(unknown),
    ] = &answers[..]
    else {
        panic!("{answers:?}");
    };
    assert_eq!((shelf.since, lent.lent_to.as_deref()), (Some(5), Some("b")));
    assert_eq!((apology.says.as_deref(), places.second), (Some("no such item"), Some(8)));
    assert_eq!(unknown.as_json().as_str(), r#"{"new": 1}"#);
    let written: Vec<String> = answers.iter().map(write_json).collect();
    assert_eq!(written, [r#"{"since":5}"#, r#"{"lent_to":"b"}"#, r#""no such item""#, "[7,8]", r#"{"new": 1}"#]);
}

#[tokio::test]
async fn what_is_none_of_the_records_is_reported_as_drift() {
    let server = ScriptedServer::start().unwrap();
    let drift = Drift::new();
    let client = Client::builder(server.url()).drift(&drift).build().unwrap();
    server.answer_next(Answer::json(
        r#"{"payments": [{"kind": "cash"}, {"kind": "debit", "last": "1", "pin": 3}], "latest": {"last": "1"}, "by_month": {}}"#,
    ));
    client.vault().read_payments(&ReadPayments::new()).await.unwrap();
    let report = drift.report();
    let found: Vec<_> = report.operations[0]
        .entries
        .iter()
        .map(|entry| (entry.kind, entry.path.as_str(), entry.value.as_deref()))
        .collect();
    assert_eq!(
        found,
        [
            (DriftKind::UnknownField, "payments[].pin", None),
            (DriftKind::UnknownValue, "payments[]", Some("cash")),
            (DriftKind::WrittenOtherwise, "latest", None),
        ],
        "{report}"
    );
}
