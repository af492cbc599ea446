//! The memory of an answer: a small multiple of its length, whatever its content. An answer that would take more is
//! unreadable as a whole, so that no item is hidden. Answers like the documented examples are read at any length.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::alloc::System;

use alloc_tracker::{Allocator, Session};
use bytes::Bytes;
use http::Response;
use serde_json::Value;
use tradeapi::runtime::drift::Drift;
use tradeapi::runtime::wire::read_response;
use tradeapi::unified::{BatchCancel, GetOpenOrders};
use tradeapi::{API, Error, Operation};
use tradeapi_tests::schema;

#[global_allocator]
static ALLOCATOR: Allocator<System> = Allocator::system();

/// The allocations while an answer is read, per byte of the answer. Freed memory is included, so the peak is lower.
const MAX_PER_BYTE: u64 = 8;

const HOSTILE: usize = 4 << 20;
const HONEST: usize = 3 << 20;

/// Items of few bytes: empty and nearly empty objects, and non-objects.
const ITEMS: [&str; 9] = [
    "{}",
    r#"{"a":1}"#,
    r#"{"orderId":"1"}"#,
    "1",
    "null",
    "[]",
    "\"\"",
    r#""abcdefghijklmnopqrstuvwxyz""#,
    r#"{"x":[{}]}"#,
];

macro_rules! for_each {
    ($($operation:ty),+ $(,)?) => {
        fn hostile_lists() -> usize {
            [$(hostile::<$operation>(&ITEMS[..1])),+].into_iter().sum()
        }

        fn honest_lists() -> usize {
            [$(honest::<$operation>()),+].into_iter().sum()
        }
    };
}
tradeapi::for_each_operation!(for_each);

fn read<O: Operation>(body: String) -> Result<(), Error> {
    read_response::<O>(&API, Response::new(Bytes::from(body))).map(drop)
}

/// Returns the places of lists in the examples of an operation, each once, with its example.
fn lists_of<O: Operation>() -> Vec<(Value, String)> {
    let mut found: Vec<(Value, String)> = Vec::new();
    for example in schema::examples(O::META) {
        let body: Value = serde_json::from_str(&example.response).unwrap();
        let mut places = Vec::new();
        find_lists(&body, String::new(), &mut places);
        for place in places {
            if found.iter().all(|(_, known)| *known != place) {
                found.push((body.clone(), place));
            }
        }
    }
    found
}

fn find_lists(value: &Value, place: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| find_lists(value, format!("{place}/{name}"), found))
        }
        Value::Array(items) => {
            if let Some(first) = items.first() {
                found.push(place.clone());
                find_lists(first, format!("{place}/0"), found);
            }
        }
        _ => {}
    }
}

/// Returns the answer with other items in the list at `place`, repeated up to a length.
fn with_items(mut body: Value, place: &str, items: &[String], length: usize) -> String {
    const MARK: &str = "the list";
    *body.pointer_mut(place).unwrap() = MARK.into();
    let items = items.join(",") + ",";
    let list = items.repeat(length / items.len() + 1);
    let list = format!("[{}]", list.trim_end_matches(','));
    body.to_string().replace(&format!("{MARK:?}"), &list)
}

fn hostile<O: Operation>(items: &[&str]) -> usize {
    let lists = lists_of::<O>();
    for (body, place) in &lists {
        for item in items {
            let body = with_items(body.clone(), place, &[(*item).to_owned()], HOSTILE);
            let bound = MAX_PER_BYTE * body.len() as u64;
            let session = Session::new();
            let reads = session.operation("read");
            let span = reads.measure_thread();
            let _ = read::<O>(body);
            drop(span);
            let taken = reads.total_bytes_allocated();
            assert!(taken <= bound, "{}, {item} in {place}: {taken} bytes", O::META.id);
        }
    }
    lists.len()
}

#[test]
fn no_answer_takes_more_than_a_small_multiple_of_its_length() {
    assert!(hostile_lists() > 20);
    // The largest and the smallest records, and non-objects.
    hostile::<GetOpenOrders>(&ITEMS);
    hostile::<BatchCancel>(&ITEMS);
}

/// Returns many times the documented length of a page.
fn honest<O: Operation>() -> usize {
    let lists = lists_of::<O>();
    for (body, place) in &lists {
        let items: Vec<String> =
            body.pointer(place).unwrap().as_array().unwrap().iter().map(Value::to_string).collect();
        let body = with_items(body.clone(), place, &items, HONEST);
        assert!(body.len() >= HONEST);
        if let Err(error) = read::<O>(body) {
            panic!("{}, {place}: {error}", O::META.id);
        }
    }
    lists.len()
}

#[test]
fn answers_like_those_of_the_documents_are_read_at_any_length() {
    assert!(honest_lists() > 20);
}

#[test]
fn no_item_is_hidden_for_missing_fields() {
    // Forty times the longest page of orders.
    let items = vec!["{}"; 4_000].join(",");
    let body = format!(r#"{{"code":"00000","msg":"","requestTime":1,"data":{{"list":[{items},7],"cursor":"1"}}}}"#);
    let answer = read_response::<GetOpenOrders>(&API, Response::new(Bytes::from(body))).unwrap();
    assert_eq!((answer.list.len(), answer.list.bad.len()), (4_000, 1));
}

#[test]
fn an_answer_with_too_many_items_is_unreadable_as_a_whole() {
    let items = vec!["{}"; 1_000_000].join(",");
    let body = format!(r#"{{"code":"00000","msg":"","requestTime":1,"data":{{"list":[{items}],"cursor":"1"}}}}"#);
    let response = || Response::new(Bytes::from(body.clone()));
    let answer = read_response::<GetOpenOrders>(&API, response());
    let error = answer.as_ref().unwrap_err().to_string();
    assert!(error.contains("take more memory than an answer of this length may"), "{error}");
    let Err(Error::Unreadable(answer)) = answer else { panic!("{answer:?}") };
    assert_eq!(answer.raw.len(), body.len(), "nothing of it is lost");

    // Drift is still collected from the whole answer.
    let drift = Drift::new();
    drift.record::<GetOpenOrders>(&API, &read_response::<GetOpenOrders>(&API, response()));
    assert_eq!(drift.report().operations[0].answers, 1);
}
