//! A report contains no private data: no free text, number or id, at any place.

use serde_json::{Map, Value, json};
use tradeapi::Operation;
use tradeapi::runtime::drift::Drift;
use tradeapi_tests::schema;

use super::record;

/// Values that no report may show: an id, an amount, a text, and an id of the caller.
const CANARIES: [&str; 4] = ["1461937205548810241", "73519.2468", "Canary, the bird", "canary-7:000731"];

macro_rules! for_each {
    ($($operation:ty),+ $(,)?) => {
        fn all(drift: &Drift) {
            $(answers_with_canaries::<$operation>(drift);)+
        }
    };
}
tradeapi::for_each_operation!(for_each);

fn answers_with_canaries<O: Operation>(drift: &Drift) {
    for example in schema::examples(O::META) {
        let body: Value = serde_json::from_str(&example.response).unwrap();
        for canary in CANARIES {
            let number = serde_json::from_str(canary).ok();
            for canary in [Some(json!(canary)), number, Some(json!({ canary: [canary] })), Some(json!([[canary]]))] {
                let Some(canary) = canary else { continue };
                let mut body = body.clone();
                put_everywhere(&mut body, &canary);
                let _ = record::<O>(drift, &body.to_string());
                // The same for a refusal.
                body["code"] = canary;
                let _ = record::<O>(drift, &body.to_string());
            }
        }
    }
}

/// Replaces every value except the code by a canary, and adds a member with a canary as name and value to every object.
fn put_everywhere(value: &mut Value, canary: &Value) {
    match value {
        Value::Object(members) => {
            for (_, value) in members.iter_mut().filter(|(name, _)| *name != "code") {
                put_everywhere(value, canary);
            }
            put_beside(members, canary);
        }
        Value::Array(values) if !values.is_empty() => values.iter_mut().for_each(|value| put_everywhere(value, canary)),
        _ => *value = canary.clone(),
    }
}

fn put_beside(members: &mut Map<String, Value>, canary: &Value) {
    members.insert("newField".to_owned(), canary.clone());
    for name in CANARIES {
        members.insert(name.to_owned(), canary.clone());
    }
}

#[test]
fn no_value_of_a_free_field_is_in_a_report() {
    let drift = Drift::new();
    all(&drift);
    let report = drift.report();
    assert_eq!(report.operations.len(), schema::operations().len());
    let printed = [report.to_string(), report.to_json(), format!("{report:?}"), format!("{drift:?}")];
    for canary in CANARIES {
        for printed in &printed {
            assert!(!printed.contains(canary), "{canary} is in {printed}");
        }
    }
    // The places are reported, so the test has compared reports with content.
    assert!(printed[0].contains("data.list[].newField"), "{}", printed[0]);
    assert!(printed[0].contains("data.list[].*"), "{}", printed[0]);
}
