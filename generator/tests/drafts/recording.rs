//! Drafts from recordings of calls.

use tradeapi_gen::{DraftSource, Drafted, Generator};

use crate::{drafted_from, empty_schema, sources, texts};

#[test]
fn a_recording_becomes_operations_that_are_marked_as_guessed() {
    let (shown, drafted) = drafted_from(&DraftSource::Recording(sources().join("greenhouse.har")));
    insta::assert_snapshot!(shown);
    for secret in ["ABCD-SECRET", "sig-of-a-call", "SIGABCDEF"] {
        assert!(!shown.contains(secret), "{secret} is in a draft");
    }
    assert_eq!(
        drafted.left_out,
        ["OPTIONS /garden/v1/lamps: the schema language does not have this method (1 of the recorded calls)"]
    );
}

#[test]
fn the_journal_of_a_local_exchange_gives_the_drafts_of_a_recording() {
    let har: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(sources().join("greenhouse.har")).unwrap()).unwrap();
    let mut journal = String::from("{\"journal\":1,\"begun\":0,\"setup\":{}}\n{\"at\":1,\"action\":\"look\"}\n");
    for entry in har["log"]["entries"].as_array().unwrap() {
        let (request, response) = (&entry["request"], &entry["response"]);
        let target = request["url"].as_str().unwrap().trim_start_matches("https://garden.example");
        let line = serde_json::json!({
            "at": 2,
            "request": { "address": "127.0.0.1", "method": request["method"], "target": target, "headers": {},
                "body": request["postData"]["text"].as_str().unwrap_or_default() },
            "answer": { "status": response["status"], "body": response["content"]["text"] },
        });
        journal.push_str(&format!("{line}\n"));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("greenhouse.har");
    std::fs::write(&path, journal).unwrap();
    let of_har = drafted_from(&DraftSource::Recording(sources().join("greenhouse.har"))).0;
    assert_eq!(drafted_from(&DraftSource::Recording(path)).0, of_har);
}

/// Drafts of a recording into a garden without operations.
fn drafted_recording(entries: &serde_json::Value) -> (String, Drafted) {
    let folder = tempfile::tempdir().unwrap();
    let schema = empty_schema(folder.path());
    let path = folder.path().join("calls.har");
    std::fs::write(&path, serde_json::json!({"log": {"version": "1.2", "entries": entries}}).to_string()).unwrap();
    let drafted = Generator::new().schema_dir(&schema).draft("garden", &DraftSource::Recording(path)).unwrap();
    (texts(&drafted), drafted)
}

fn entry(method: &str, url: &str, post: serde_json::Value, answer: serde_json::Value) -> serde_json::Value {
    serde_json::json!({"request": {"method": method, "url": url, "headers": [], "postData": post}, "response": answer})
}

fn answered(text: &str) -> serde_json::Value {
    serde_json::json!({"status": 200, "content": {"mimeType": "application/json", "text": text}})
}

/// The case recording-form-body: a form may be recorded as a text, as parameters, or as both.
#[test]
fn a_recorded_form_is_one() {
    let form = "application/x-www-form-urlencoded";
    let params = serde_json::json!([{"name": "q", "value": "1"}, {"name": "side", "value": "buy%20it"}]);
    for post in [
        serde_json::json!({"mimeType": form, "text": "q=1&side=buy", "params": params}),
        serde_json::json!({"mimeType": form, "text": "q=1&side=buy"}),
        serde_json::json!({"mimeType": form, "params": params}),
    ] {
        let entry = entry("POST", "https://api.example.com/api/v1/form", post, answered(r#"{"b":"2"}"#));
        let (shown, _) = drafted_recording(&serde_json::json!([entry]));
        assert!(
            shown.contains("\nsends: form\n") && shown.contains("\n  q:\n") && shown.contains("\n  side:\n"),
            "{shown}"
        );
    }
    let multipart = serde_json::json!({"mimeType": "multipart/form-data; boundary=x", "text": "--x", "params": params});
    let entry = entry("POST", "https://api.example.com/api/v1/form", multipart, answered("{}"));
    let (shown, _) = drafted_recording(&serde_json::json!([entry]));
    assert!(shown.contains("\nrequest:\n\n") && shown.contains("# the body: multipart/form-data"), "{shown}");
}

#[test]
fn a_recording_shows_more_than_json_objects() {
    let none = serde_json::Value::Null;
    let base64 =
        serde_json::json!({"status": 200, "content": {"encoding": "base64", "text": "eyJiIjogLTIsICJjIjogbnVsbH0="}});
    let (shown, _) = drafted_recording(&serde_json::json!([
        entry("GET", "https://a.example/v1/x?id=1&id=2", none.clone(), base64),
        entry("GET", "https://other.example/v1/y", none.clone(), answered("{}")),
        entry("GET", "https://a.example/v1/z", none.clone(), serde_json::json!({"status": 0})),
        entry("POST", "https://a.example/v1/w?limit=-5", none.clone(), answered("[1]")),
        entry(
            "PUT",
            "https://a.example/v1/w?limit=5",
            serde_json::json!({"text": "{\"n\": -3}"}),
            answered("\"done\"")
        ),
    ]));
    assert!(shown.contains("lists: repeated") && shown.contains("  id:\n    list:\n"), "{shown}");
    assert!(shown.contains("      b:\n        type: signed\n") && shown.contains("may_be: null"), "{shown}");
    assert!(shown.contains("sends: query") && shown.contains("  limit:\n    type:\n    in: query\n"), "{shown}");
    assert!(!shown.contains("/v1/y"), "{shown}");
    let (shown, _) = drafted_recording(&serde_json::json!([
        entry("PUT", "https://a.example/v1/w?n=5", serde_json::json!({"text": "{\"n\": true}"}), answered("{}")),
        entry("PUT", "https://a.example/v1/v", serde_json::json!({"text": "[1, 2]"}), answered("{}")),
    ]));
    assert!(shown.contains("  query_n:\n    type:\n    in: query\n    sent_as: \"n\"\n"), "{shown}");
    assert!(shown.contains("\n  # Seen 1 of 1 times.\n  \"n\":\n    type: boolean\n"), "{shown}");
    assert!(
        shown.contains("# the body, a list whose items are not objects\n") && !shown.contains("\"[]\":"),
        "{shown}"
    );
    let (_, drafted) = drafted_recording(&serde_json::json!([
        entry("GET", "https://a.example/v1/x", none.clone(), answered("{}")),
        entry("GET", "https://a.example/v1/z", none.clone(), serde_json::json!({"status": 0})),
        entry("GET", "https://other.example/v1/y", none, answered("{}")),
    ]));
    let said = drafted.left_out.join("\n");
    assert!(
        said.contains("GET /v1/z: without an answer (1 of") && said.contains("other.example: another host"),
        "{said}"
    );
}
