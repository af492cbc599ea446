//! Calls that their callers drop: the client remembers when they were signed, and whether they left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Waker};
use std::time::Duration;

use tradeapi_runtime::client::LimitMode;
use tradeapi_runtime::confirm::{self, ConfirmPolicy, Confirmation};
use tradeapi_runtime::limits::{Admission, Call, Limiter, RateLimitFeedback, Reservation};
use tradeapi_runtime::tables::Outcome;

use crate::Tested;
use crate::confirmations::{Act, Line, answers, code, order, seconds};
use crate::orders::{Orders, PlaceBatch};

/// The answer of a machine whose clock is an hour ahead, which moves the clock of signatures.
const HOUR_AHEAD: &str = r#"{"code":"40008","requestTime":HOUR-AHEAD,"data":null}"#;

/// Lets every call wait for ever but the first.
#[derive(Default)]
struct RoomForOne(AtomicBool);

impl Limiter for RoomForOne {
    fn admit<'a>(&'a self, _: Call<'a>, _: bool) -> Admission<'a> {
        match self.0.swap(true, Ordering::Relaxed) {
            false => Admission::Now(Ok(Reservation::new(0, Duration::ZERO))),
            true => Admission::Later(Box::pin(std::future::pending())),
        }
    }

    fn sent(&self, _: &mut Reservation) {}

    fn answered(&self, _: Reservation, _: RateLimitFeedback) {}

    fn give_back(&self, _: Reservation) {}
}

/// Begins a call, and drops it.
fn drop_call<T>(call: impl Future<Output = T>) {
    let mut call = Box::pin(call);
    assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
}

/// By the caller's time, the record may be of another request.
#[tokio::test]
async fn a_call_that_was_dropped_is_settled_by_what_the_client_remembers() -> Tested {
    let record = answers(r#"{"clientOid":"a1","created":NOW}"#);
    let policy = ConfirmPolicy::new().deadline(seconds(5_000));
    for (shown, outcome, settled) in [(record, Outcome::Done, 0), (code("40404"), Outcome::NotDone, 3_760)] {
        let line = Line::new([Act::Answers(HOUR_AHEAD.to_owned()), Act::Hangs, code("40008"), shown]);
        let (client, order) = (line.client()?, order("a1")?);
        let core = client.core();
        assert!(client.call(&Orders::default()).await.is_err());
        drop_call(client.call(&order));
        assert!(client.call(&Orders::default()).await.is_err());
        if outcome == Outcome::Done {
            let brief = ConfirmPolicy::new().deadline(seconds(0));
            assert_eq!(confirm::settle(core, &order, core.now(), &brief).await.outcome(), Outcome::Unknown);
        }
        let confirmation = confirm::settle(core, &order, None, &policy).await;
        assert_eq!(confirmation.outcome(), outcome, "{confirmation}");
        let last = line.seen().last().map(|(at, _)| at.as_secs()).unwrap_or_default();
        assert!((settled..=settled + 10).contains(&last), "{last}");
    }
    Ok(())
}

#[tokio::test]
async fn a_call_that_was_dropped_before_it_left_had_no_effect() -> Tested {
    let line = Line::new([answers(r#"{"orderId":"7"}"#)]);
    let client = line.builder().limits(LimitMode::Wait).limiter(Arc::new(RoomForOne::default())).build()?;
    client.call(&order("a1")?).await?;
    let (given_up, policy) = (order("b")?, ConfirmPolicy::new());
    drop_call(client.call(&given_up));
    let Confirmation::NotDone(not) = confirm::settle(client.core(), &given_up, None, &policy).await else {
        return Err("it is not known".into());
    };
    assert_eq!((not.queries, not.to_string().as_str()), (0, "it was not sent, or it was refused"));
    assert_eq!(line.seen().len(), 1);
    // An earlier order with the id may be meant as well.
    let again = order("a1")?;
    drop_call(client.call(&again));
    let confirmation = confirm::settle(client.core(), &again, None, &policy).await;
    let because = "its outcome is unknown after 0 queries: the client remembers none or several that it may be, and \
                   not when it was signed";
    assert_eq!(confirmation.to_string(), because);
    Ok(())
}

#[tokio::test]
async fn each_item_of_a_batch_is_settled_by_its_own_request() -> Tested {
    let line = Line::new([Act::Hangs, answers(r#"{"clientOid":"a1","created":NOW}"#)]);
    let (client, policy) = (line.client()?, ConfirmPolicy::new().deadline(seconds(0)));
    let batch = |ids: &[&str]| -> Result<PlaceBatch, Box<dyn std::error::Error>> {
        Ok(PlaceBatch { orders: ids.iter().map(|id| order(id)).collect::<Result<_, _>>()? })
    };
    drop_call(client.call(&batch(&["a1"])?));
    let confirmations = confirm::settle_each(client.core(), &batch(&["a1", "a2"])?, None, &policy).await;
    let outcomes: Vec<_> = confirmations.iter().map(Confirmation::outcome).collect();
    assert_eq!(outcomes, [Outcome::Done, Outcome::Unknown], "nothing is remembered of the second");
    Ok(())
}
