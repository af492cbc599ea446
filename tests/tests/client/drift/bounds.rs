//! Collected drift stays small, whatever an exchange sends.

use std::fmt::Write;

use tradeapi::runtime::drift::Drift;
use tradeapi::unified::GetOpenOrders;

use super::record;

const MANY: usize = 1_000_000;

/// A generous bound for the bytes of a report of one operation.
const SMALL: usize = 200_000;

/// Returns a name of letters only for each number.
fn name(mut number: usize) -> String {
    let mut name = String::from("f");
    while number > 0 {
        name.push(char::from(b'a' + u8::try_from(number % 26).unwrap()));
        number /= 26;
    }
    name
}

fn page(order: &str) -> String {
    format!(r#"{{"code":"00000","msg":"","requestTime":1,"data":{{"cursor":"","list":[{order}]}}}}"#)
}

/// Returns the count of unknown items, with and without a name.
fn counted(drift: &Drift) -> u64 {
    let report = drift.report();
    let unknown = report.operations[0].entries.iter().filter(|entry| entry.kind.as_str().starts_with("unknown"));
    assert!(report.to_json().len() < SMALL, "{} bytes", report.to_json().len());
    unknown.map(|entry| entry.seen).sum::<u64>() + report.operations[0].left_out
}

#[test]
fn a_million_unknown_fields_of_one_answer() {
    let mut order = String::from("{");
    for number in 0..MANY {
        let _ = write!(order, "\"{}\":{number},", name(number));
    }
    order.push_str("\"side\":\"buy\"}");
    let drift = Drift::new();
    record::<GetOpenOrders>(&drift, &page(&order)).unwrap();
    assert_eq!(counted(&drift), u64::try_from(MANY).unwrap());
}

#[test]
fn a_million_unknown_fields_of_many_answers() {
    let drift = Drift::new();
    for answer in 0..100_000 {
        let fields: Vec<_> = (0..10).map(|field| format!("\"{}\":[]", name(10 * answer + field))).collect();
        record::<GetOpenOrders>(&drift, &page(&format!("{{{}}}", fields.join(",")))).unwrap();
    }
    assert_eq!(counted(&drift), u64::try_from(MANY).unwrap());
    let report_text = drift.report().to_string();
    assert!(report_text.contains("data.list[].*"), "names are recorded of an endless number: {report_text}");
}

#[test]
fn an_enum_that_became_a_free_text() {
    let drift = Drift::new();
    for order in 0..1_000 {
        let fields = ["side", "posSide"].map(|field| format!("\"{field}\":\"{}\"", name(order)));
        record::<GetOpenOrders>(&drift, &page(&format!("{{{}}}", fields.join(",")))).unwrap();
    }
    assert_eq!(counted(&drift), 2_000);
    let report = drift.report();
    assert!(report.operations[0].entries.iter().all(|entry| entry.value.is_none()), "{report}");
}

#[test]
fn objects_in_objects_without_end() {
    let drift = Drift::new();
    let deep = format!("{}1{}", "{\"feeDetail\":[".repeat(60), "]}".repeat(60));
    let _ = record::<GetOpenOrders>(&drift, &page(&deep));
    let _ = record::<GetOpenOrders>(&drift, &page(&"[".repeat(100_000)));
    let report = drift.report();
    assert_eq!((report.operations[0].answers, report.operations[0].broken), (1, 1));
    assert!(report.to_json().len() < SMALL);
}
