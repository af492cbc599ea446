//! `outcomes.json` is up to date, has the form that its JSON Schema describes, and leads to the outcomes of the client,
//! whichever way calls end and queries are answered.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tradeapi::runtime::tables::Effect;
use tradeapi::{Client, ConfirmPolicy, classic, unified};
use tradeapi_gen::{Generator, Outcomes};
use tradeapi_tests::endings::{self, Called, Caller, Wire, same};
use tradeapi_tests::json_schema::JsonSchema;
use tradeapi_tests::outcomes::{File, Outcome};

fn schema() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema")
}

fn exported() -> Outcomes {
    Generator::new().schema_dir(schema()).read().unwrap().outcomes()
}

fn client(wire: Wire) -> Client {
    wire.client(Client::builder("https://exchange.example"), "secret")
}

#[test]
fn the_committed_files_are_up_to_date() {
    let committed = schema().join("../generated/outcomes.json");
    let differences = exported().compare(&committed).unwrap();
    assert!(differences.is_empty(), "run `cargo run -- export outcomes` and commit the result");
}

#[test]
fn the_file_has_the_form_that_its_schema_describes() {
    let outcomes = exported();
    let schema = JsonSchema::draft2020(&serde_json::from_str(outcomes.schema).unwrap());
    let file: Value = serde_json::from_str(&outcomes.text).unwrap();
    assert_eq!(schema.mistakes(&file), [""; 0]);
    for (place, wrong) in [
        ("/assumptions/denials", json!("2")),
        ("/ends/timed-out/outcome", json!("perhaps")),
        ("/codes/40010/0/not_done", json!("create")),
        ("/operations/unified.place-order/effect", json!("buy")),
        ("/operations/unified.place-order/settle/places", json!([])),
        ("/operations/unified.place-order/settle/record/created", json!("createdTime")),
        ("/operations/unified.place-order/repeat", json!({})),
    ] {
        let mut file = file.clone();
        *file.pointer_mut(place).unwrap() = wrong;
        assert!(!schema.mistakes(&file).is_empty(), "{place}");
    }
}

fn caller<O: tradeapi::runtime::client::Callable + 'static>() -> (Effect, Caller<Result<(), tradeapi::Error>>) {
    fn call<O: tradeapi::runtime::client::Callable>(
        wire: Wire,
        request: String,
    ) -> Called<Result<(), tradeapi::Error>> {
        Box::pin(async move { client(wire).call(&O::from_json(&request).unwrap()).await.map(drop) })
    }
    (O::META.effect, Caller { operation: O::META.id, call: call::<O> })
}

macro_rules! callers {
    ($($operation:ty),+ $(,)?) => { vec![$(caller::<$operation>()),+] };
}

/// Ten thousand calls, those of observed operations included.
#[tokio::test]
async fn the_client_decides_as_the_file_whichever_way_a_call_ends() {
    let outcomes = exported();
    let file = File::new(&outcomes.text);
    let mut all = tradeapi::for_each_operation!(callers);
    all.extend(tradeapi::for_each_observed_operation!(callers));
    all.retain(|(effect, _)| *effect != Effect::Read);
    let mut named: Vec<_> = all.iter().map(|(_, caller)| caller.operation).collect();
    named.sort_unstable();
    assert_eq!(named, file.changes());
    for (_, caller) in all {
        assert_eq!(endings::compare(&file, &schema(), caller, 310).await, [""; 0]);
    }
}

fn confirmed<O: tradeapi::runtime::confirm::Confirmable + 'static>() -> Caller<Outcome> {
    fn call<O: tradeapi::runtime::confirm::Confirmable>(wire: Wire, request: String) -> Called<Outcome> {
        Box::pin(async move {
            let minute = Duration::from_secs(60);
            let policy = ConfirmPolicy::new().pauses(minute, minute).deadline(15 * minute);
            let order = O::from_json(&request).unwrap();
            same(client(wire).place_and_confirm(&order, &policy).await.outcome())
        })
    }
    Caller { operation: O::META.id, call: call::<O> }
}

/// Each query a minute after the one before, for a quarter of an hour.
#[tokio::test]
async fn the_client_decides_as_the_file_whatever_queries_are_answered() {
    let outcomes = exported();
    let file = File::new(&outcomes.text);
    for caller in [
        confirmed::<classic::PlaceOrder>(),
        confirmed::<classic::ModifyOrder>(),
        confirmed::<classic::CancelOrder>(),
        confirmed::<classic::Reversal>(),
        confirmed::<unified::PlaceOrder>(),
        confirmed::<unified::ModifyOrder>(),
        confirmed::<unified::CancelOrder>(),
        confirmed::<unified::PlaceRealityOrder>(),
    ] {
        assert_eq!(endings::compare_queries(&file, &schema(), caller, 200).await, [""; 0]);
    }
}
