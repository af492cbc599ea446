//! Waits of queries and repeats, the end of a call after several attempts, and the time until which a request is
//! repeated by its key.

use std::sync::Arc;
use std::time::Duration;

use tradeapi_runtime::checks::Checks;
use tradeapi_runtime::client::{Callable, LimitMode};
use tradeapi_runtime::confirm::{self, ConfirmPolicy};
use tradeapi_runtime::limits::{InProcessLimits, LimitSettings};
use tradeapi_runtime::operation::Repeatable;
use tradeapi_runtime::parameters::{ParameterReader, ParameterWriter, Parameters};
use tradeapi_runtime::retry::{RetryPolicy, Retrying};
use tradeapi_runtime::tables::{CallResult, Effect, Meta, Outcome, RepeatKey};
use tradeapi_runtime::{Error, Operation, Reply};

use crate::Tested;
use crate::api::ClientOid;
use crate::confirmations::{Act, Line, OneOrder, answers, code, confirmation, lost, order, seconds};
use crate::orders::{Orders, PlaceOrder};

/// An order of the size 1 that has the id `a1`.
const FOUND: &str = r#"{"clientOid":"a1","created":NOW}"#;

fn times(line: &Line) -> Vec<Duration> {
    line.seen().into_iter().map(|(at, _)| at).collect()
}

#[tokio::test]
async fn the_next_query_waits_as_long_as_the_exchange_requests() -> Tested {
    let line = Line::new([lost(), Act::Status(429, "7", "slow down"), answers(FOUND)]);
    assert_eq!(confirmation(&line, &ConfirmPolicy::new()).await?.outcome(), Outcome::Done);
    assert_eq!(times(&line), [seconds(0), seconds(0), seconds(7)]);
    Ok(())
}

/// A client that refuses to wait for limits cannot send a query before there is room.
#[tokio::test]
async fn the_next_query_waits_until_its_limit_has_room() -> Tested {
    let used = (0..10).map(|_| answers(r#"{"clientOid":"a2"}"#));
    let line = Line::new(used.chain([lost(), answers(FOUND)]));
    let limiter = InProcessLimits::with_timer(LimitSettings::new(), line.time.timer().clone());
    let client = line.builder().limits(LimitMode::Refuse).limiter(Arc::new(limiter)).build()?;
    let other = OneOrder { client_oid: ClientOid::new("a2")? };
    for _ in 0..10 {
        client.call(&other).await?;
    }
    let Err(Error::Limited(limited)) = client.call(&other).await else { return Err("there is room".into()) };
    assert!(limited.free_in >= seconds(1), "{limited}");
    let confirmation = confirm::place_and_confirm(client.core(), &order("a1")?, &ConfirmPolicy::new()).await;
    assert_eq!(confirmation.outcome(), Outcome::Done);
    assert_eq!(times(&line).last(), Some(&limited.free_in));
    Ok(())
}

/// Changes something, and may be repeated with the same key for a minute.
struct Pay(OneOrder);

impl Parameters for Pay {
    fn write(&self, out: &mut ParameterWriter) {
        self.0.write(out);
    }

    fn read(from: &mut ParameterReader<'_>) -> Option<Self> {
        OneOrder::read(from).map(Self)
    }

    fn check(&self, to: &mut Checks<'_>) {
        self.0.check(to);
    }
}

impl Operation for Pay {
    type Response = ();

    const META: &'static Meta = &Meta {
        id: "mini.pay",
        effect: Effect::Create,
        client_id: None,
        confirm: None,
        repeat_key: Some(RepeatKey { parameter: "clientOid", kept_ms: Some(60_000) }),
        ..*<PlaceOrder as Operation>::META
    };
}

impl Callable for Pay {
    type Reply = Reply<()>;
}

impl Repeatable for Pay {}

/// Repeats without pauses of its own.
fn at_once(attempts: u32) -> RetryPolicy {
    RetryPolicy::new().attempts(attempts).pauses(Duration::ZERO, Duration::ZERO).deadline(Duration::MAX)
}

async fn pay(acts: impl IntoIterator<Item = Act>) -> Result<(Error, usize), Box<dyn std::error::Error>> {
    let line = Line::new(acts);
    let pay = Pay(OneOrder { client_oid: ClientOid::new("a1")? });
    match Retrying::new(line.client()?.core(), &at_once(2)).call(&pay).await {
        Err(error) => Ok((error, line.seen().len())),
        Ok(_) => Err("it was paid".into()),
    }
}

/// A repeat may arrive as late as its signature allows, which is half a minute.
#[tokio::test]
async fn a_key_that_may_be_forgotten_when_the_repeat_arrives_is_not_repeated() -> Tested {
    for (wait, attempts) in [("29", 2), ("30", 1)] {
        let (error, sent) = pay([Act::Status(503, wait, "busy")]).await?;
        assert_eq!((error.outcome(), sent), (Outcome::Unknown, attempts), "{wait}: {error}");
    }
    Ok(())
}

#[tokio::test]
async fn a_refused_repeat_leaves_the_outcome_of_the_first_attempt_unknown() -> Tested {
    let (error, sent) = pay([lost(), code("40786")]).await?;
    assert_eq!((error.outcome(), error.call_result(), sent), (Outcome::Unknown, CallResult::ConnectionLost, 2));
    // Of two attempts with an unknown outcome, the last one is reported.
    let (error, _) = pay([lost(), Act::Status(503, "", "busy")]).await?;
    assert_eq!(error.outcome(), Outcome::Unknown);
    assert_ne!(error.call_result(), CallResult::ConnectionLost);
    Ok(())
}

#[tokio::test]
async fn a_refused_timestamp_is_not_repeated_unless_the_time_is_known() -> Tested {
    let without_time = r#"{"code":"40008","data":null}"#;
    let with_time = r#"{"code":"40008","requestTime":HOUR-AHEAD,"data":null}"#;
    for (answer, attempts) in [(without_time, 1), (with_time, 2)] {
        let line = Line::new([Act::Answers(answer.to_owned())]);
        assert!(Retrying::new(line.client()?.core(), &at_once(2)).call(&Orders::default()).await.is_err());
        assert_eq!(line.seen().len(), attempts);
    }
    Ok(())
}
