//! Records from outside: what they prove about requests without an answer, and what they contradict.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tradeapi_runtime::Error;
use tradeapi_runtime::batches::BatchCall;
use tradeapi_runtime::confirm::{self, ConfirmPolicy, Confirmation, EvidenceVerdict, Recovery};
use tradeapi_runtime::json::read_json;
use tradeapi_runtime::tables::Outcome;

use crate::Tested;
use crate::confirmations::{Act, Found, Line, answers, code, lost, order, seconds};
use crate::orders::{PlaceBatch, PlaceOrder};

const RECOVERIES: &[Recovery] = &[Recovery::of::<PlaceOrder>()];

/// An order of the size 1 that was created when the simulated time begins.
const SHOWN: &str = r#"{"clientOid":"a1","created":"1000000000000","size":"1.0"}"#;

fn found(record: &str) -> Result<Found, Box<dyn std::error::Error>> {
    Ok(read_json(record)?)
}

#[tokio::test]
async fn a_record_ends_a_confirmation_between_two_queries() -> Tested {
    let line = Line::new([lost(), code("40404")]);
    let (client, order, policy) = (line.client()?, order("a1")?, ConfirmPolicy::new());
    let mut confirming = pin!(confirm::place_and_confirm(client.core(), &order, &policy));
    let mut context = Context::from_waker(Waker::noop());
    assert!(confirming.as_mut().poll(&mut context).is_pending());
    let other =
        confirm::evidence(client.core(), RECOVERIES, &found(r#"{"clientOid":"b1","created":"1000000000000"}"#)?)
            .await?;
    assert_eq!(other.requests, []);
    let evidence = confirm::evidence(client.core(), RECOVERIES, &found(SHOWN)?).await?;
    let verdicts: Vec<_> = evidence.requests.iter().map(|request| (request.id.as_str(), request.verdict)).collect();
    assert_eq!(verdicts, [("a1", EvidenceVerdict::Proves)]);
    assert_eq!((evidence.proven().count(), evidence.contradictions().count()), (1, 0));
    let Poll::Ready(Confirmation::Done(done)) = confirming.poll(&mut context) else { return Err("unknown".into()) };
    assert_eq!((done.queries, done.outside.as_ref()), (1, Some(&found(SHOWN)?)));
    assert_eq!(line.seen().len(), 2, "no other query was sent");
    Ok(())
}

#[tokio::test]
async fn a_record_ends_a_query_that_hangs() -> Tested {
    let line = Line::new([lost(), code("40404"), Act::Hangs]);
    let (client, order, policy) = (line.client()?, order("a1")?, ConfirmPolicy::new().deadline(Duration::MAX));
    let mut confirming = pin!(confirm::place_and_confirm(client.core(), &order, &policy));
    let mut context = Context::from_waker(Waker::noop());
    while line.seen().len() < 3 {
        assert!(confirming.as_mut().poll(&mut context).is_pending());
    }
    let _ = confirm::evidence(client.core(), RECOVERIES, &found(SHOWN)?).await?;
    let Poll::Ready(confirmation) = confirming.poll(&mut context) else { return Err("it still waits".into()) };
    assert_eq!(confirmation.outcome(), Outcome::Done);
    Ok(())
}

#[tokio::test]
async fn a_record_that_comes_before_the_lost_answer_counts() -> Tested {
    let line = Line::new([lost(), code("40404")]);
    let client = line.client()?;
    let evidence = confirm::evidence(client.core(), RECOVERIES, &found(SHOWN)?).await?;
    assert_eq!(evidence.requests, [], "nothing waits yet");
    let Confirmation::Done(done) =
        confirm::place_and_confirm(client.core(), &order("a1")?, &ConfirmPolicy::new()).await
    else {
        return Err("unknown".into());
    };
    assert_eq!((done.queries, line.seen().len()), (0, 1));
    // The items of a batch, too, where the record is one of theirs.
    let line = Line::new([lost(), code("40404")]);
    let client = line.client()?;
    let _ = confirm::evidence(client.core(), &[Recovery::of::<PlaceBatch>()], &found(SHOWN)?).await?;
    let batch = BatchCall::new(client.core().clone(), PlaceBatch { orders: vec![order("a1")?, order("a2")?] });
    let confirmed = batch.send_and_confirm(&ConfirmPolicy::new().deadline(seconds(5))).await?;
    assert_eq!(confirmed.outcomes().collect::<Vec<_>>(), [Outcome::Done, Outcome::Unknown]);
    Ok(())
}

/// The same rules hold as for the record of a query.
#[tokio::test]
async fn a_record_proves_nothing_when_anything_speaks_against_it() -> Tested {
    for (record, is_another) in [
        (r#"{"clientOid":"a1","created":"1000000000000","size":"2"}"#, true),
        (r#"{"clientOid":"a1","created":"1000003600000"}"#, true),
        (r#"{"clientOid":"a1","created":"999999997000"}"#, true),
        (r#"{"clientOid":"a1","created":"999990000000"}"#, true),
        (r#"{"clientOid":"a1","size":"1"}"#, false),
    ] {
        let line = Line::new([lost(), code("40404")]);
        let (client, order) = (line.client()?, order("a1")?);
        let policy = ConfirmPolicy::new().deadline(seconds(5));
        let mut confirming = pin!(confirm::place_and_confirm(client.core(), &order, &policy));
        assert!(confirming.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let evidence = confirm::evidence(client.core(), RECOVERIES, &found(record)?).await?;
        assert_eq!((evidence.proven().count(), evidence.requests.len()), (0, 1), "{record}: {evidence:?}");
        assert_eq!(evidence.contradictions().count() == 1, is_another, "{record}: {evidence:?}");
        assert_eq!(confirming.await.outcome(), Outcome::Unknown, "{record}");
    }
    Ok(())
}

#[tokio::test]
async fn an_id_that_was_used_twice_is_not_proven_from_outside() -> Tested {
    let line = Line::new([answers(r#"{"orderId":"7"}"#), lost(), code("40404")]);
    let (client, order) = (line.client()?, order("a1")?);
    client.core().call(&order).await?;
    let _ = confirm::evidence(client.core(), RECOVERIES, &found(SHOWN)?).await?;
    let policy = ConfirmPolicy::new().deadline(seconds(5));
    assert_eq!(confirm::place_and_confirm(client.core(), &order, &policy).await.outcome(), Outcome::Unknown);
    Ok(())
}

#[tokio::test]
async fn a_record_that_contradicts_a_conclusion_is_reported() -> Tested {
    let line = Line::new([lost(), code("40404")]);
    let (client, order) = (line.client()?, order("a1")?);
    let confirmation = confirm::place_and_confirm(client.core(), &order, &ConfirmPolicy::new()).await;
    assert_eq!(confirmation.outcome(), Outcome::NotDone);
    let evidence = confirm::evidence(client.core(), RECOVERIES, &found(SHOWN)?).await?;
    assert!(matches!(evidence.requests[0].verdict, EvidenceVerdict::Contradicts(_)), "{evidence:?}");
    assert_eq!(evidence.contradictions().count(), 1);
    Ok(())
}

#[tokio::test]
async fn a_refusal_that_a_record_contradicts_is_unknown_until_a_query() -> Tested {
    let line = Line::new([code("40786"), code("40404")]);
    let client = line.client()?;
    let _ = confirm::evidence(client.core(), RECOVERIES, &found(SHOWN)?).await?;
    let Err(Error::Unknown(unknown)) = client.call(&order("a1")?).await else { return Err("known".into()) };
    assert!(unknown.is_contradicted, "{unknown}");
    assert!(unknown.to_string().contains("a record from outside shows its effect"), "{unknown}");

    let line = Line::new([code("40786"), code("40404")]);
    let client = line.client()?;
    let _ = confirm::evidence(client.core(), RECOVERIES, &found(SHOWN)?).await?;
    let Confirmation::Unknown(still) =
        confirm::place_and_confirm(client.core(), &order("a1")?, &ConfirmPolicy::new()).await
    else {
        return Err("known".into());
    };
    assert_eq!(still.because.why(), "it was not found, but a record from outside shows it");

    let line = Line::new([code("40786"), answers(SHOWN)]);
    let client = line.client()?;
    let _ = confirm::evidence(client.core(), RECOVERIES, &found(SHOWN)?).await?;
    let confirmation = confirm::place_and_confirm(client.core(), &order("a1")?, &ConfirmPolicy::new()).await;
    assert_eq!(confirmation.outcome(), Outcome::Done);
    // A record of another order contradicts no refusal.
    let line = Line::new([code("40786")]);
    let client = line.client()?;
    let other = r#"{"clientOid":"a1","created":"1000000000000","size":"2"}"#;
    let _ = confirm::evidence(client.core(), RECOVERIES, &found(other)?).await?;
    assert!(matches!(client.call(&order("a1")?).await, Err(Error::Exchange(_))));
    Ok(())
}

/// Nobody waits for it any more, so that there is nothing to prove.
#[tokio::test]
async fn a_confirmation_that_was_dropped_is_not_proven() -> Tested {
    let line = Line::new([lost(), code("40404")]);
    let (client, order, policy) = (line.client()?, order("a1")?, ConfirmPolicy::new());
    let mut confirming = Box::pin(confirm::place_and_confirm(client.core(), &order, &policy));
    assert!(confirming.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    drop(confirming);
    assert_eq!(confirm::evidence(client.core(), RECOVERIES, &found(SHOWN)?).await?.requests, []);
    Ok(())
}

/// A request whose refusal is contradicted may have had its effect, so that a record may be of either.
#[tokio::test]
async fn a_contradicted_refusal_is_a_rival_of_the_next_request_with_the_id() -> Tested {
    let line = Line::new([code("40786"), lost(), answers(SHOWN)]);
    let (client, order) = (line.client()?, order("a1")?);
    let _ = confirm::evidence(client.core(), RECOVERIES, &found(SHOWN)?).await?;
    let Err(Error::Unknown(unknown)) = client.call(&order).await else { return Err("it is known".into()) };
    assert!(unknown.is_contradicted);
    line.time.timer().advance(seconds(1));
    let policy = ConfirmPolicy::new().deadline(seconds(1));
    let confirmation = confirm::place_and_confirm(client.core(), &order, &policy).await;
    assert_eq!(confirmation.outcome(), Outcome::Unknown, "{confirmation}");
    Ok(())
}
