//! Days of the calendar in requests and answers.

use apis::assorted::vault::FindItems;
use apis::assorted::{Client, Date};
use tradeapi_runtime::Operation;
use tradeapi_tests::loopback::{Answer, ScriptedServer};

fn date(text: &str) -> Date {
    text.parse().unwrap()
}

#[tokio::test]
async fn dates_are_sent_and_read() {
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url()).build().unwrap();
    server.answer_next(Answer::json(r#"{"day": "2024-02-29", "days": ["2026-09-22", "2026-02-29", "yesterday"]}"#));
    let find = FindItems::new(date("2026-09-21"))
        .until(date("2026-09-30"))
        .except(vec![date("2026-09-22"), date("2026-09-23")]);
    let found = client.vault().find_items(&find).await.unwrap().data;
    assert_eq!(found.day, Date::new(2024, 2, 29));
    assert_eq!((found.days.items.as_slice(), found.days.bad.len()), (&[date("2026-09-22")][..], 2));
    let request = server.take_requests().remove(0);
    assert_eq!(request.path, "/v1/found/2026-09-21");
    assert_eq!(request.query.as_deref(), Some("until=2026-09-30&except=2026-09-22,2026-09-23"));
    assert_eq!(FindItems::from_json(&serde_json::to_string(&find).unwrap()).unwrap(), find);
    let refused = FindItems::from_json(r#"{"day": "2026-02-29"}"#).unwrap_err();
    assert!(refused.to_string().contains("day"), "{refused}");
}
