//! The evidence that a request had its effect, or had none: tried with each piece of the evidence missing or wrong in
//! turn.

use std::time::Duration;

use tradeapi_runtime::batches::BatchCall;
use tradeapi_runtime::checks::Checks;
use tradeapi_runtime::client::Callable;
use tradeapi_runtime::confirm::{self, ConfirmPolicy, Confirmable, Confirmation, Queryable};
use tradeapi_runtime::parameters::{ParameterReader, ParameterWriter, Parameters};
use tradeapi_runtime::tables::{Compound, Meta, Outcome};
use tradeapi_runtime::{Operation, Reply, Timestamp};

use crate::Tested;
use crate::api::ClientOid;
use crate::confirmations::{Act, Line, OneOrder, Resize, answers, code, confirmation, lost, order, seconds};
use crate::orders::{PlaceBatch, PlaceOrder, Placed, with_parameters_of_order};

/// An order of the size 1 that has the id `a1`.
const FOUND: &str = r#"{"clientOid":"a1","created":NOW}"#;

/// Returns the outcome of an order without an answer, given this record of it.
async fn found(record: &str) -> Result<Outcome, Box<dyn std::error::Error>> {
    Ok(confirmation(&Line::new([lost(), answers(record)]), &ConfirmPolicy::new()).await?.outcome())
}

#[tokio::test]
async fn a_record_proves_an_order_only_when_nothing_speaks_against_it() -> Tested {
    assert_eq!(found(FOUND).await?, Outcome::Done);
    assert_eq!(found(r#"{"clientOid":"a1","created":NOW,"size":"1.0"}"#).await?, Outcome::Done);
    for (record, what) in [
        (r#"{"clientOid":"a1","created":NOW,"size":"2"}"#, "another size"),
        (r#"{"clientOid":"a1","size":"1"}"#, "no time"),
        (r#"{"clientOid":"a1","created":""}"#, "an empty time"),
        (r#"{"clientOid":"a1","created":HOUR-AHEAD}"#, "a later time"),
        (r#"{"clientOid":"a1","created":"999999997000"}"#, "an earlier time"),
        (r#"{"created":NOW}"#, "no id"),
    ] {
        assert_eq!(found(record).await?, Outcome::Unknown, "{what}");
    }
    Ok(())
}

#[tokio::test]
async fn an_id_that_was_used_twice_proves_neither() -> Tested {
    let line = Line::new([answers(r#"{"orderId":"7"}"#), lost(), answers(FOUND)]);
    let (client, order) = (line.client()?, order("a1")?);
    client.core().call(&order).await?;
    let confirmation =
        confirm::place_and_confirm(client.core(), &order, &ConfirmPolicy::new().deadline(Duration::ZERO)).await;
    let Confirmation::Unknown(still) = confirmation else { return Err("known".into()) };
    assert_eq!(still.because.why(), "two requests had the same id, and the record may be of either");
    // Long after, the first one is too old to be taken for the second.
    let line = Line::new([answers(r#"{"orderId":"7"}"#), lost(), answers(FOUND)]);
    let client = line.client()?;
    client.core().call(&order).await?;
    line.time.timer().advance(seconds(7201));
    let confirmation = confirm::place_and_confirm(client.core(), &order, &ConfirmPolicy::new()).await;
    assert_eq!(confirmation.outcome(), Outcome::Done);
    Ok(())
}

#[tokio::test]
async fn a_duplicate_id_is_queried() -> Tested {
    let line = Line::new([code("43118"), answers(FOUND)]);
    assert_eq!(confirmation(&line, &ConfirmPolicy::new()).await?.outcome(), Outcome::Done);
    // The order with the id existed before, so the request had no effect.
    let line = Line::new([code("43118"), answers(r#"{"clientOid":"a1","created":"999999900000"}"#)]);
    let confirmation = confirmation(&line, &ConfirmPolicy::new()).await?;
    assert!(
        matches!(confirmation, Confirmation::NotDone(ref not) if !not.by_absence && not.queries == 1),
        "{confirmation}"
    );
    Ok(())
}

#[tokio::test]
async fn an_absence_proves_nothing_sooner_on_a_fast_clock() -> Tested {
    let ahead = || Act::Answers(r#"{"code":"40404","requestTime":HOUR-AHEAD}"#.to_owned());
    let line = Line::new([lost(), ahead()]);
    let confirmation = confirmation(&line, &ConfirmPolicy::new()).await?;
    assert_eq!(confirmation.outcome(), Outcome::Unknown, "{confirmation}");
    // Also of an earlier run: its own clock has to agree.
    let line = Line::new([ahead()]);
    let signed = Timestamp::from_millis(1_000_000_000_000);
    let confirmation =
        confirm::settle(line.client()?.core(), &order("a1")?, signed, &ConfirmPolicy::new().deadline(seconds(30)))
            .await;
    assert_eq!(confirmation.outcome(), Outcome::Unknown, "{confirmation}");
    Ok(())
}

/// Closes one thing and opens another.
struct Swap(PlaceOrder);

with_parameters_of_order!(Swap);

impl Operation for Swap {
    type Response = Placed;

    const META: &'static Meta = &Meta {
        compound: Some(Compound { when: None, why: "closes, then opens" }),
        ..*<PlaceOrder as Operation>::META
    };
}

impl Callable for Swap {
    type Reply = Reply<Placed>;
}

impl Queryable for Swap {
    type Query = OneOrder;
    type Record = <PlaceOrder as Queryable>::Record;
}

impl Confirmable for Swap {}

#[tokio::test]
async fn an_absence_proves_nothing_about_the_other_part_of_a_compound_request() -> Tested {
    let line = Line::new([lost(), code("40404")]);
    let confirmation =
        confirm::place_and_confirm(line.client()?.core(), &Swap(order("a1")?), &ConfirmPolicy::new()).await;
    let Confirmation::Unknown(still) = confirmation else { return Err("known".into()) };
    assert_eq!(still.because.why(), "it was not found, but the request does several things and may have done another");
    Ok(())
}

#[tokio::test]
async fn clocks_that_contradict_each_other_take_longer_to_prove_an_absence() -> Tested {
    let at = |time: &str| Act::Answers(format!(r#"{{"code":"40404","requestTime":{time}}}"#));
    let contradicting = [lost(), at("HOUR-AHEAD"), at("NOW")];
    let line = Line::new(contradicting);
    // The first one is not learned, for its signature cannot have been accepted by that clock.
    assert_eq!(confirmation(&line, &ConfirmPolicy::new()).await?.outcome(), Outcome::NotDone);
    Ok(())
}

#[tokio::test]
async fn an_amendment_is_proven_by_a_change_after_it_left() -> Tested {
    let resize = Resize(OneOrder { client_oid: ClientOid::new("a1")? }, "2".parse()?);
    let answer = |rest: &str| answers(&format!(r#"{{"clientOid":"a1"{rest}}}"#));
    for (record, outcome) in [
        (r#","size":"2","updated":NOW"#, Outcome::Done),
        (r#","size":"2","updated":"999999999999""#, Outcome::Unknown),
        (r#","size":"2""#, Outcome::Unknown),
        (r#","updated":NOW"#, Outcome::Unknown),
        (r#","size":"3","updated":NOW"#, Outcome::Unknown),
    ] {
        let line = Line::new([lost(), answer(record)]);
        let confirmation = confirm::place_and_confirm(line.client()?.core(), &resize, &ConfirmPolicy::new()).await;
        assert_eq!(confirmation.outcome(), outcome, "{record}: {confirmation}");
    }
    Ok(())
}

#[tokio::test]
async fn the_deadline_bounds_a_question_that_has_no_answer() -> Tested {
    let line = Line::new([lost(), Act::Hangs]);
    let policy = ConfirmPolicy::new().deadline(Duration::from_millis(200));
    let Confirmation::Unknown(still) = confirmation(&line, &policy).await? else { return Err("known".into()) };
    assert_eq!(still.because.why(), "the deadline passed before a query was answered");
    assert_eq!(tradeapi_runtime::clock::Timer::now(line.time.timer()), Duration::from_millis(200));
    Ok(())
}

#[tokio::test]
async fn no_duration_is_too_long() -> Tested {
    let longest = ConfirmPolicy::new()
        .deadline(Duration::MAX)
        .settling(Duration::MAX)
        .pauses(Duration::from_secs(1), Duration::MAX);
    let line = Line::new([lost(), code("40404"), answers(FOUND)]);
    assert_eq!(confirmation(&line, &longest).await?.outcome(), Outcome::Done);
    Ok(())
}

#[tokio::test]
async fn every_item_that_is_settled_has_its_answer() -> Tested {
    let nameless = PlaceOrder { client_oid: None, ..order("a1")? };
    let orders = vec![order("a1")?, nameless, order("a2")?, order("a3")?, order("a2")?];
    let line = Line::new([answers(FOUND), answers(r#"{"clientOid":"a3","created":NOW}"#)]);
    let signed = Timestamp::from_millis(1_000_000_000_000);
    let policy = ConfirmPolicy::new();
    let confirmations = confirm::settle_each(line.client()?.core(), &PlaceBatch { orders }, signed, &policy).await;
    let outcomes: Vec<_> = confirmations.iter().map(Confirmation::outcome).collect();
    let (done, unknown) = (Outcome::Done, Outcome::Unknown);
    assert_eq!(outcomes, [done, unknown, unknown, done, unknown]);
    assert_eq!(line.seen().len(), 2, "only what can be distinguished is queried");
    Ok(())
}

#[tokio::test]
async fn an_item_without_a_code_and_without_an_id_is_not_done() -> Tested {
    for (item, is_done) in [
        (r#"{"orderId":"1","clientOid":"a1"}"#, true),
        (r#"{"clientOid":"a1","code":"00000"}"#, true),
        ("{}", false),
        (r#"{"orderId":null,"clientOid":""}"#, false),
    ] {
        let line = Line::new([answers(&format!("[{item}]"))]);
        let report =
            BatchCall::new(line.client()?.core().clone(), PlaceBatch { orders: vec![order("a1")?] }).send().await?;
        assert_eq!(report.items[0].outcome.is_done(), is_done, "{item}");
        assert_eq!(report.items[0].outcome.is_unknown(), !is_done, "{item}");
    }
    Ok(())
}
