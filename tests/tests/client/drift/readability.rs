//! A report calls exactly those values unreadable that the types cannot read.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use tradeapi::Operation;
use tradeapi::runtime::drift::{Drift, DriftKind};
use tradeapi_tests::schema;

use super::record;

macro_rules! for_each {
    ($($operation:ty),+ $(,)?) => {
        /// An answer of each operation, by its id.
        static BODIES: LazyLock<BTreeMap<&str, Value>> = LazyLock::new(|| BTreeMap::from([$(body_of::<$operation>()),+]));

        /// Puts `value` at one place of an answer of each operation.
        fn each_with(place: usize, value: &Value) -> Result<(), TestCaseError> {
            $(one_with::<$operation>(place, value)?;)+
            Ok(())
        }
    };
}
tradeapi::for_each_operation!(for_each);

fn body_of<O: Operation>() -> (&'static str, Value) {
    let example = schema::examples(O::META).swap_remove(0);
    (O::META.id, serde_json::from_str(&example.response).unwrap())
}

fn one_with<O: Operation>(place: usize, value: &Value) -> Result<(), TestCaseError>
where
    O::Response: Debug,
{
    let mut body = BODIES[O::META.id].clone();
    let mut places = Vec::new();
    find_places(&mut Vec::new(), &body["data"], &mut places);
    let Some(place) = places.get(place % places.len().max(1)) else { return Ok(()) };
    *body.pointer_mut(&format!("/data{place}")).unwrap() = value.clone();

    let drift = Drift::new();
    let was_read = match record::<O>(&drift, &body.to_string()) {
        // Lists print what they could not read.
        Ok(reply) => !format!("{:?}", reply.data).contains("BadItem {"),
        Err(_) => false,
    };
    let report = drift.report();
    let is_readable = report.operations[0].entries.iter().all(|entry| entry.kind != DriftKind::Unreadable);
    // Data that shows nothing is refused as a whole, although no value of it is unreadable.
    prop_assert_eq!(
        was_read,
        is_readable && (was_read || !place.is_empty()),
        "{} with {} at {}: {}",
        O::META.id,
        value,
        place,
        report
    );
    Ok(())
}

/// Lists the places of all values in the data, as pointers.
fn find_places(path: &mut Vec<String>, value: &Value, places: &mut Vec<String>) {
    places.push(path.iter().map(|step| format!("/{step}")).collect());
    let children: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(values) => values.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    for (step, child) in children {
        path.push(step);
        find_places(path, child, places);
        path.pop();
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let single = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(json!(1.5)),
        Just(json!("")),
        Just(json!("1.50")),
        Just(json!("true")),
        "[a-z]{1,8}".prop_map(Value::from),
    ];
    let list = single.clone().prop_map(|value| json!([value]));
    let object = single.clone().prop_map(|value| json!({ "orderId": value }));
    prop_oneof![4 => single, 1 => list, 1 => object, 1 => Just(json!([])), 1 => Just(json!({}))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn unreadable_values_in_the_report_were_not_read(place in 0_usize..60, value in any_value()) {
        each_with(place, &value)?;
    }
}
