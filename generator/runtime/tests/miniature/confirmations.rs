//! The outcomes of requests, queries of unknown ones, and repeats of what may be repeated.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tradeapi_runtime::batches::BatchCall;
use tradeapi_runtime::checks::Checks;
use tradeapi_runtime::client::{Callable, LimitMode};
use tradeapi_runtime::clock::{ManualEnvironment, Timer};
use tradeapi_runtime::confirm::{self, ConfirmPolicy, Confirmable, ConfirmableItems, Confirmation, Queryable};
use tradeapi_runtime::error::{BuildError, Delivery, TransportError, TransportErrorKind};
use tradeapi_runtime::operation::Repeatable;
use tradeapi_runtime::parameters::{ParameterReader, ParameterWriter, Parameters};
use tradeapi_runtime::retry::{RetryBudget, RetryPolicy, Retrying};
use tradeapi_runtime::tables::{Amends, CallResult, ClientId, Confirm, Effect, Meta, Method, Outcome};
use tradeapi_runtime::transport::{ResponseFuture, Transport};
use tradeapi_runtime::{
    ClientBuilder, Credentials, Decimal, Error, Operation, Reply, Timestamp, name, record, serde_parameters,
};

use crate::Tested;
use crate::api::{Client, ClientOid, Side};
use crate::orders::{Execution, Orders, PlaceBatch, PlaceOrder};

pub(crate) const START: u64 = 1_000_000_000_000;

/// Reads one order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OneOrder {
    pub(crate) client_oid: ClientOid,
}

impl Parameters for OneOrder {
    fn write(&self, out: &mut ParameterWriter) {
        out.text(name!("clientOid"), &self.client_oid);
    }

    fn read(from: &mut ParameterReader<'_>) -> Option<Self> {
        Some(Self { client_oid: from.required("clientOid")? })
    }

    fn check(&self, to: &mut Checks<'_>) {
        to.identifier("clientOid", Some(&self.client_oid));
    }
}

serde_parameters!(OneOrder);

impl Operation for OneOrder {
    type Response = Found;

    const META: &'static Meta = &Meta {
        id: "mini.order",
        effect: Effect::Read,
        method: Method::Get,
        path: "/v1/order",
        confirm: None,
        client_id: None,
        ..*<PlaceOrder as Operation>::META
    };
}

impl Callable for OneOrder {
    type Reply = Reply<Found>;
}

impl Repeatable for OneOrder {}
impl Repeatable for Orders {}

record! {
    /// An order that was found.
    pub(crate) struct Found {
        #[wire("clientOid")]
        client_oid: Option<ClientOid>,
        #[wire("size")]
        size: Option<Decimal>,
        #[wire("price")]
        price: Option<Decimal>,
        #[wire("created")]
        created: Option<Timestamp>,
        #[wire("updated")]
        updated: Option<Timestamp>,
    }
}

impl Queryable for PlaceOrder {
    type Query = OneOrder;
    type Record = Found;
}

impl Confirmable for PlaceOrder {}

impl Queryable for PlaceBatch {
    type Query = OneOrder;
    type Record = Found;
}

impl ConfirmableItems for PlaceBatch {}

/// Changes the size of an order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Resize(pub(crate) OneOrder, pub(crate) Decimal);

impl Parameters for Resize {
    fn write(&self, out: &mut ParameterWriter) {
        self.0.write(out);
        out.text(name!("newSize"), &self.1);
    }

    fn read(from: &mut ParameterReader<'_>) -> Option<Self> {
        Some(Self(OneOrder::read(from)?, from.required("newSize")?))
    }

    fn check(&self, to: &mut Checks<'_>) {
        self.0.check(to);
    }
}

serde_parameters!(Resize);

impl Operation for Resize {
    type Response = ();

    const META: &'static Meta = &Meta {
        id: "mini.resize",
        effect: Effect::Amend,
        amends: Some(Amends { list: None, ids: &["clientOid"], in_flight: Some(1) }),
        confirm: Some(Confirm {
            matches: &[("size", "newSize")],
            created: None,
            changed: Some("updated"),
            kept_ms: None,
            ..CONFIRM
        }),
        ..*<PlaceOrder as Operation>::META
    };
}

impl Callable for Resize {
    type Reply = Reply<()>;
}

impl Queryable for Resize {
    type Query = OneOrder;
    type Record = Found;
}

impl Confirmable for Resize {}

pub(crate) const CLIENT_ID: ClientId = ClientId { parameter: "clientOid", list: None };

pub(crate) const CONFIRM: Confirm = Confirm {
    ids: &[("clientOid", "clientOid")],
    created: Some("created"),
    kept_ms: Some(7_200_000),
    agrees: &[("size", &["size"])],
    ..Confirm::DEFAULT
};

/// The treatment of a request by the line.
#[derive(Clone)]
pub(crate) enum Act {
    Answers(String),
    /// There is never an answer.
    Hangs,
    Status(u16, &'static str, &'static str),
    Breaks(TransportErrorKind, Delivery),
}

/// A line that follows a script, and repeats its last act for ever. Time moves on when a task waits for it.
#[derive(Clone)]
pub(crate) struct Line {
    acts: Arc<Mutex<VecDeque<Act>>>,
    seen: Arc<Mutex<Vec<(Duration, String, String)>>>,
    pub(crate) time: ManualEnvironment,
}

impl Line {
    pub(crate) fn new(acts: impl IntoIterator<Item = Act>) -> Self {
        let acts = Arc::new(Mutex::new(acts.into_iter().collect()));
        Self { acts, seen: Arc::default(), time: ManualEnvironment::leaping(Timestamp::from_millis(START)) }
    }

    pub(crate) fn client(&self) -> Result<Client, BuildError> {
        self.builder().build()
    }

    pub(crate) fn builder(&self) -> ClientBuilder<Client> {
        self.builder_at("https://mini.example")
    }

    /// Returns a builder for a client of the same line that is told another address, or another spelling of it.
    pub(crate) fn builder_at(&self, address: &str) -> ClientBuilder<Client> {
        Client::builder(address)
            .credentials(Credentials::new("key", "secret", "pass"))
            .limits(LimitMode::Off)
            .transport(self.clone())
            .environment(self.time.clone())
    }

    /// Returns when requests came, and where they went.
    pub(crate) fn seen(&self) -> Vec<(Duration, String)> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter().map(|(at, target, _)| (*at, target.clone())).collect()
    }

    fn signatures(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter().map(|(_, _, signature)| signature.clone()).collect()
    }
}

impl Transport for Line {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        let mut acts = self.acts.lock().unwrap_or_else(PoisonError::into_inner);
        let act = if acts.len() > 1 { acts.pop_front() } else { acts.front().cloned() };
        let signature = format!("{:?}", request.headers()["MINI-SIGN"].as_bytes());
        let seen = (self.time.timer().now(), request.uri().to_string(), signature);
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
        let now = self.time.right_time().as_millis();
        let dated = move |body: String| {
            let body = body.replace("HOUR-AHEAD", &(now + 3_600_000).to_string());
            Bytes::from(body.replace("NOW", &now.to_string()))
        };
        Box::pin(async move {
            match act {
                Some(Act::Answers(body)) => Ok(http::Response::new(dated(body))),
                Some(Act::Hangs) => std::future::pending().await,
                Some(Act::Status(status, wait, body)) => {
                    let response = http::Response::builder().status(status).header("retry-after", wait);
                    response.body(Bytes::from(body)).map_err(|_| failure(TransportErrorKind::Other, Delivery::NotSent))
                }
                Some(Act::Breaks(kind, sent)) => Err(failure(kind, sent)),
                None => Err(failure(TransportErrorKind::Other, Delivery::NotSent)),
            }
        })
    }
}

fn failure(kind: TransportErrorKind, sent: Delivery) -> TransportError {
    TransportError::new(kind, sent)
}

pub(crate) fn lost() -> Act {
    Act::Breaks(TransportErrorKind::Closed, Delivery::MaybeSent)
}

pub(crate) fn answers(data: &str) -> Act {
    Act::Answers(format!(r#"{{"code":"00000","requestTime":NOW,"data":{data}}}"#))
}

pub(crate) fn code(code: &str) -> Act {
    Act::Answers(format!(r#"{{"code":"{code}","msg":"said","requestTime":NOW,"data":null}}"#))
}

pub(crate) fn order(id: &str) -> Result<PlaceOrder, tradeapi_runtime::value::InvalidIdentifier> {
    let order = PlaceOrder::new("BTCUSDT", Side::Buy, 1_u32, Execution::Market);
    Ok(PlaceOrder { client_oid: Some(ClientOid::new(id)?), ..order })
}

/// Confirms an order over a line.
pub(crate) async fn confirmation(
    line: &Line,
    policy: &ConfirmPolicy,
) -> Result<Confirmation<Reply<crate::orders::Placed>, Found>, Box<dyn std::error::Error>> {
    Ok(confirm::place_and_confirm(line.client()?.core(), &order("a1")?, policy).await)
}

pub(crate) fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

#[tokio::test]
async fn an_unknown_outcome_names_the_query() -> Tested {
    let line = Line::new([lost()]);
    let Err(Error::Unknown(unknown)) = line.client()?.call(&order("a1")?).await else { return Err("known".into()) };
    assert_eq!((unknown.operation, unknown.client_id()), ("mini.orders", Some("a1")));
    assert_eq!(
        (unknown.why.call_result(), unknown.sent.signed_at),
        (CallResult::ConnectionLost, Timestamp::from_millis(START))
    );
    assert_eq!((unknown.sent.method.as_str(), unknown.sent.uri.path()), ("POST", "/v1/orders"));
    assert!(unknown.sent.body.starts_with(br#"{"symbol":"BTCUSDT""#));
    let text = "mini.orders got no response: the connection was closed; its outcome is unknown, so query it before repeating \
                it; it was signed at 2001-09-09T01:46:40.000Z for a1";
    assert_eq!(unknown.to_string(), text);
    assert_eq!(line.seen().len(), 1);
    Ok(())
}

#[tokio::test]
async fn only_requests_that_may_have_arrived_are_unknown() -> Tested {
    for kind in [TransportErrorKind::Connect, TransportErrorKind::Closed, TransportErrorKind::Timeout] {
        let sent = Line::new([Act::Breaks(kind, Delivery::NotSent)]).client()?.call(&order("a1")?).await;
        assert!(matches!(sent, Err(Error::Transport(failure)) if failure.outcome == Outcome::NotDone), "{kind:?}");
        let sent = Line::new([Act::Breaks(kind, Delivery::MaybeSent)]).client()?.call(&order("a1")?).await;
        assert!(matches!(sent, Err(Error::Unknown(_))), "{kind:?}");
        let read = Line::new([Act::Breaks(kind, Delivery::MaybeSent)]).client()?.call(&Orders::default()).await;
        assert!(matches!(read, Err(Error::Transport(_))), "{kind:?}");
    }
    let refused = Line::new([code("40786")]).client()?.call(&order("a1")?).await;
    assert!(matches!(refused, Err(Error::Exchange(error)) if error.outcome == Outcome::NotDone));
    Ok(())
}

#[tokio::test]
async fn an_order_that_landed_is_found() -> Tested {
    let line = Line::new([lost(), code("40404"), lost(), answers(r#"{"clientOid":"a1","created":NOW}"#)]);
    let Confirmation::Done(happened) = confirmation(&line, &ConfirmPolicy::new()).await? else {
        return Err("not found".into());
    };
    assert_eq!(happened.queries, 3);
    let posts = line.seen().iter().filter(|(_, target)| target.ends_with("/v1/orders")).count();
    assert_eq!((posts, line.seen().len()), (1, 4));
    Ok(())
}

/// A machine whose clock is an hour ahead has moved that of signatures. A proxy sends the order twice, and the second
/// copy is refused because the first one has its id: the record is an hour older than the signature, and fits the clock
/// of this machine.
#[tokio::test]
async fn a_record_older_than_a_wrong_signature_shows_no_other_use_of_the_id() -> Tested {
    let hour_ahead = Act::Answers(r#"{"code":"40008","requestTime":HOUR-AHEAD,"data":null}"#.to_owned());
    let record = answers(r#"{"clientOid":"a1","created":NOW}"#);
    for moved in [true, false] {
        let first = if moved { hour_ahead.clone() } else { answers("[]") };
        let line = Line::new([first, code("43118"), record.clone()]);
        let client = line.client()?;
        assert_eq!(client.call(&Orders::default()).await.is_err(), moved);
        let policy = ConfirmPolicy::new().deadline(seconds(5));
        let confirmation = confirm::place_and_confirm(client.core(), &order("a1")?, &policy).await;
        assert_eq!(confirmation.outcome(), Outcome::Done, "{confirmation}");
    }
    // One that is older by every clock shows that the refusal was right.
    let line = Line::new([code("43118"), answers(&format!(r#"{{"clientOid":"a1","created":"{}"}}"#, START - 91_000))]);
    let confirmation = confirmation(&line, &ConfirmPolicy::new().deadline(seconds(5))).await?;
    assert_eq!(confirmation.outcome(), Outcome::NotDone, "{confirmation}");
    Ok(())
}

#[tokio::test]
async fn answered_requests_are_not_queried() -> Tested {
    let line = Line::new([answers(r#"{"orderId":"7"}"#)]);
    let Confirmation::Done(happened) = confirmation(&line, &ConfirmPolicy::new()).await? else {
        return Err("unknown".into());
    };
    assert!(happened.answer.is_some() && line.seen().len() == 1);
    let line = Line::new([code("40786")]);
    assert!(matches!(confirmation(&line, &ConfirmPolicy::new()).await?, Confirmation::NotDone(not) if !not.by_absence));
    assert_eq!(line.seen().len(), 1);
    Ok(())
}

#[tokio::test]
async fn absence_proves_nothing_while_the_order_can_still_come() -> Tested {
    let line = Line::new([lost(), code("40404")]);
    let brief = ConfirmPolicy::new().deadline(seconds(159));
    let Confirmation::Unknown(still) = confirmation(&line, &brief).await? else { return Err("known".into()) };
    assert_eq!(still.because.why(), "it was not found, but may still appear");
    let call = still.call.ok_or("the error of the call is missing")?;
    assert!(matches!(&*call, Error::Unknown(unknown) if unknown.client_id() == Some("a1")), "{call}");
    // The last query is sent when the time is up.
    assert_eq!(line.seen().last().map(|(at, _)| *at), Some(seconds(159)));

    let line = Line::new([lost(), code("40404")]);
    let confirmation = confirmation(&line, &ConfirmPolicy::new()).await?;
    assert!(matches!(confirmation, Confirmation::NotDone(ref not) if not.by_absence), "{confirmation}");
    let seen = line.seen();
    assert!(seen.last().is_some_and(|(at, _)| (seconds(160)..seconds(171)).contains(at)), "{seen:?}");
    Ok(())
}

#[tokio::test]
async fn absence_proves_nothing_once_a_record_with_the_id_was_shown() -> Tested {
    let another = answers(r#"{"clientOid":"a1","created":"999999000000"}"#);
    let line = Line::new([lost(), another, code("40404")]);
    let (client, order, policy) = (line.client()?, order("a1")?, ConfirmPolicy::new());
    let first = confirm::place_and_confirm(client.core(), &order, &policy).await;
    let again = confirm::settle(client.core(), &order, Timestamp::from_millis(START), &policy).await;
    for confirmation in [first, again] {
        let Confirmation::Unknown(still) = confirmation else { return Err("it is known".into()) };
        assert_eq!(still.because.why(), "it was not found, but an earlier answer showed a record with its id");
    }
    Ok(())
}

/// An answer between two absences that cannot be read may have been the record.
#[tokio::test]
async fn absences_count_only_one_after_the_other() -> Tested {
    let signed = Timestamp::from_millis(START - 200_000);
    for between in [Act::Answers("{".to_owned()), lost(), answers(r#"{"clientOid":"a2"}"#)] {
        let line = Line::new([code("40404"), between, code("40404")]);
        let confirmation = confirm::settle(line.client()?.core(), &order("a1")?, signed, &ConfirmPolicy::new()).await;
        let Confirmation::NotDone(not) = confirmation else { return Err("it is not known".into()) };
        assert_eq!(not.queries, 4);
    }
    Ok(())
}

/// Another task asks for the order between two absences: without an answer, or while it waits for one. It may have been the
/// record.
#[tokio::test]
async fn a_query_of_another_task_without_an_answer_comes_between_absences() -> Tested {
    let signed = Timestamp::from_millis(START - 200_000);
    let policy = ConfirmPolicy::new();
    for (other, is_dropped, queries) in [
        (lost(), false, 3),
        (Act::Answers("{".to_owned()), false, 3),
        (Act::Hangs, true, 3),
        (code("40404"), false, 2),
        (answers(r#"{"clientOid":"a2"}"#), false, 2),
    ] {
        // Where the task asks for another order, nothing comes between.
        for (asked, queries) in [("a1", queries), ("a2", 2)] {
            let line = Line::new([code("40404"), other.clone(), code("40404")]);
            let (client, order) = (line.client()?, order("a1")?);
            let mut confirming = std::pin::pin!(confirm::settle(client.core(), &order, signed, &policy));
            let asks = OneOrder { client_oid: ClientOid::new(asked)? };
            // The pause after the first query.
            let first =
                std::future::poll_fn(|context| std::task::Poll::Ready(confirming.as_mut().poll(context).is_ready()));
            assert!(!first.await);
            let mut asking = Box::pin(client.call(&asks));
            let answer = std::future::poll_fn(|context| std::task::Poll::Ready(asking.as_mut().poll(context)));
            assert_eq!(answer.await.is_pending(), is_dropped);
            drop(asking);
            let Confirmation::NotDone(not) = confirming.await else { return Err("it is not known".into()) };
            assert_eq!(not.queries, queries, "{asked}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_query_of_another_task_under_way_comes_between_absences() -> Tested {
    let (signed, policy) = (Timestamp::from_millis(START - 200_000), ConfirmPolicy::new());
    let line = Line::new([code("40404"), Act::Hangs, code("40404")]);
    let (client, order) = (line.client()?, order("a1")?);
    let asks = OneOrder { client_oid: ClientOid::new("a1")? };
    let mut confirming = std::pin::pin!(confirm::settle(client.core(), &order, signed, &policy));
    let first = std::future::poll_fn(|context| std::task::Poll::Ready(confirming.as_mut().poll(context).is_ready()));
    assert!(!first.await);
    let mut asking = Box::pin(client.call(&asks));
    let answer = std::future::poll_fn(|context| std::task::Poll::Ready(asking.as_mut().poll(context).is_ready()));
    assert!(!answer.await);
    assert_eq!(confirming.await.outcome(), Outcome::Unknown);
    Ok(())
}

#[tokio::test]
async fn an_undocumented_code_proves_nothing_unless_the_caller_overrides_it() -> Tested {
    let line = Line::new([lost(), code("25204")]);
    assert_eq!(confirmation(&line, &ConfirmPolicy::new()).await?.outcome(), Outcome::Unknown);
    let line = Line::new([lost(), code("25204")]);
    assert_eq!(confirmation(&line, &ConfirmPolicy::new().absent("25204")).await?.outcome(), Outcome::NotDone);
    Ok(())
}

#[tokio::test]
async fn a_late_absence_proves_nothing() -> Tested {
    let line = Line::new([code("40404")]);
    let (client, order) = (line.client()?, order("a1")?);
    let signed = |ago: u64| Timestamp::from_millis(START - ago * 1000);
    for (ago, outcome) in [
        (0, Outcome::Unknown),
        // The clocks of this machine and of the one that answers may both be 45 seconds ahead of the others.
        (61, Outcome::Unknown),
        (200, Outcome::NotDone),
        (7_100, Outcome::NotDone),
        (7_140, Outcome::Unknown),
    ] {
        let confirmation =
            confirm::settle(client.core(), &order, signed(ago), &ConfirmPolicy::new().deadline(seconds(1))).await;
        assert_eq!(confirmation.outcome(), outcome, "{ago}: {confirmation}");
    }
    assert!(line.seen().iter().all(|(_, target)| target.contains("/v1/order?")));
    let once = ConfirmPolicy::new().deadline(Duration::ZERO);
    let Confirmation::Unknown(still) = confirm::settle(client.core(), &order, signed(200), &once).await else {
        return Err("one answer proves nothing".into());
    };
    assert_eq!((still.queries, still.because.why()), (1, "it was not found, but not often enough in a row"));
    Ok(())
}

#[tokio::test]
async fn something_else_under_the_id_is_not_taken_for_the_order() -> Tested {
    for other in [r#"{"clientOid":"a2"}"#, "{}", "null", r#"{"clientOid":"a1","created":"999999000000"}"#] {
        let confirmation = confirmation(&Line::new([lost(), answers(other)]), &ConfirmPolicy::new()).await?;
        assert_eq!(confirmation.outcome(), Outcome::Unknown, "{other}: {confirmation}");
    }
    Ok(())
}

#[tokio::test]
async fn an_amendment_happened_when_the_record_is_as_wanted() -> Tested {
    let resize = Resize(OneOrder { client_oid: ClientOid::new("a1")? }, "2".parse()?);
    let sized = |size: &str| answers(&format!(r#"{{"clientOid":"a1","size":"{size}","updated":NOW}}"#));
    // What the exchange's clock shows is known from the first answer on.
    let line = Line::new([lost(), sized("1"), sized("2.0")]);
    let confirmation = confirm::place_and_confirm(line.client()?.core(), &resize, &ConfirmPolicy::new()).await;
    assert!(matches!(confirmation, Confirmation::Done(ref happened) if happened.queries == 2), "{confirmation}");
    // A record without the new size proves nothing: it may have had it, and have changed again.
    let line = Line::new([lost(), sized("1")]);
    let confirmation = confirm::place_and_confirm(line.client()?.core(), &resize, &ConfirmPolicy::new()).await;
    assert_eq!(confirmation.outcome(), Outcome::Unknown);
    // Nor does a record with the new size, if an earlier amendment may have set it.
    let line = Line::new([lost(), lost(), sized("2"), sized("2")]);
    let client = line.client()?;
    assert!(client.call(&resize).await.is_err());
    line.time.timer().advance(seconds(1));
    let confirmation = confirm::place_and_confirm(client.core(), &resize, &ConfirmPolicy::new()).await;
    assert_eq!(confirmation.outcome(), Outcome::Unknown, "{confirmation}");
    Ok(())
}

#[tokio::test]
async fn an_order_that_cannot_be_queried_is_not_sent() -> Tested {
    let line = Line::new([lost()]);
    let nameless = PlaceOrder { client_oid: None, ..order("a1")? };
    let confirmation = confirm::place_and_confirm(line.client()?.core(), &nameless, &ConfirmPolicy::new()).await;
    let Confirmation::NotDone(not) = confirmation else { return Err("sent".into()) };
    assert!(
        matches!(not.why.as_deref(), Some(Error::Refused(_))) && not.to_string().contains("set clientOid"),
        "{not}"
    );
    let twins = PlaceBatch { orders: vec![order("a1")?, order("a1")?] };
    let batch = BatchCall::new(line.client()?.core().clone(), twins);
    let Err(refused) = batch.send_and_confirm(&ConfirmPolicy::new()).await else { return Err("sent".into()) };
    assert!(refused.to_string().contains("no two items of a batch may share it"), "{refused}");
    assert_eq!(line.seen().len(), 0);
    Ok(())
}

#[tokio::test]
async fn each_item_of_a_batch_is_confirmed() -> Tested {
    let batch = PlaceBatch { orders: vec![order("a1")?, order("a2")?, order("a3")?] };
    let answer = r#"[{"orderId":"1","clientOid":"a1"},{"clientOid":"a2","code":"40786","msg":"no"}]"#;
    let line = Line::new([answers(answer), answers(r#"{"clientOid":"a3","created":NOW}"#)]);
    let found =
        BatchCall::new(line.client()?.core().clone(), batch.clone()).send_and_confirm(&ConfirmPolicy::new()).await?;
    let outcomes: Vec<_> = found.outcomes().collect();
    assert_eq!(outcomes, [Outcome::Done, Outcome::NotDone, Outcome::Done]);
    // Only the item that the answer left out was queried.
    assert_eq!(line.seen().len(), 2);
    let line = Line::new([
        lost(),
        answers(r#"{"clientOid":"a1","created":NOW}"#),
        code("40404"),
        answers(r#"{"clientOid":"a3","created":NOW}"#),
        code("40404"),
    ]);
    let found =
        BatchCall::new(line.client()?.core().clone(), batch.clone()).send_and_confirm(&ConfirmPolicy::new()).await?;
    let outcomes: Vec<_> = found.outcomes().collect();
    assert_eq!(outcomes, [Outcome::Done, Outcome::NotDone, Outcome::Done]);
    Ok(())
}

#[tokio::test]
async fn a_prepared_request_is_sent_once_before_it_expires() -> Tested {
    let line = Line::new([answers(r#"{"orderId":"7"}"#)]);
    let (client, order) = (line.client()?, order("a1")?);
    let prepared = client.core().prepare(&order)?;
    assert_eq!((prepared.client_id().as_deref(), line.seen().len()), (Some("a1"), 0));
    line.time.timer().advance(seconds(29));
    assert_eq!(client.core().send(prepared).await?.order_id, Some("7".into()));
    let prepared = client.core().prepare(&order)?;
    line.time.timer().advance(seconds(30));
    let late = client.core().send(prepared).await;
    assert!(matches!(late, Err(Error::Unsigned(_))) && line.seen().len() == 1);
    Ok(())
}

/// A prepared request has the address and the key of its client, whose journal and limits are not those of another.
#[tokio::test]
async fn a_prepared_request_is_sent_by_its_own_client() -> Tested {
    let [one, other] = [Line::new([answers(r#"{"orderId":"7"}"#)]), Line::new([answers(r#"{"orderId":"8"}"#)])];
    let (client, order) = (one.client()?, order("a1")?);
    let strange = other.client()?.core().send(client.core().prepare(&order)?).await;
    assert!(matches!(&strange, Err(Error::Unsigned(_))), "{strange:?}");
    assert_eq!((one.seen().len(), other.seen().len()), (0, 0));
    client.core().clone().with_account("desk").send(client.core().prepare(&order)?).await?;
    assert_eq!(one.seen().len(), 1);
    Ok(())
}

#[tokio::test]
async fn a_query_without_a_usable_response_says_what_it_lacks() -> Tested {
    let policy = ConfirmPolicy::new().deadline(seconds(5));
    for (act, why) in [
        (lost(), "the query got no response"),
        (answers("[]"), "the response to the query cannot be read"),
        (answers(r#"{"clientOid":"a1","created":"soon"}"#), "the response to the query cannot be read"),
    ] {
        let Confirmation::Unknown(still) = confirmation(&Line::new([lost(), act]), &policy).await? else {
            return Err("known".into());
        };
        assert_eq!(still.because.why(), why);
    }
    Ok(())
}

#[tokio::test]
async fn reads_are_repeated_and_signed_anew() -> Tested {
    let acts = [lost(), code("40010"), Act::Status(503, "", "busy"), answers("[]")];
    let line = Line::new(acts);
    let (client, policy) = (line.client()?, RetryPolicy::new());
    Retrying::new(client.core(), &policy).call(&Orders::default()).await?;
    assert_eq!(line.seen().len(), 4);
    // Chance may make a pause shorter than a millisecond, and then the signature is the same again.
    let signatures: std::collections::HashSet<_> = line.signatures().into_iter().collect();
    assert!(signatures.len() > 1);
    Ok(())
}

#[tokio::test]
async fn permanent_errors_are_not_repeated() -> Tested {
    for act in [
        code("40786"),
        code("99999"),
        Act::Status(404, "", "no"),
        Act::Breaks(TransportErrorKind::BodyTooLarge, Delivery::MaybeSent),
    ] {
        let line = Line::new([act]);
        let (client, policy) = (line.client()?, RetryPolicy::new());
        assert!(Retrying::new(client.core(), &policy).call(&Orders::default()).await.is_err());
        assert_eq!(line.seen().len(), 1);
    }
    Ok(())
}

#[tokio::test]
async fn repeats_end_by_number_by_deadline_and_by_budget() -> Tested {
    let count = async |policy: &RetryPolicy, calls: usize| -> Result<usize, Box<dyn std::error::Error>> {
        let line = Line::new([Act::Status(429, "7", "slow down")]);
        for _ in 0..calls {
            assert!(Retrying::new(line.client()?.core(), policy).call(&Orders::default()).await.is_err());
        }
        let seen = line.seen();
        // The client waits as long as the exchange requests.
        assert!(calls > 1 || seen.windows(2).all(|pair| pair[1].0 - pair[0].0 >= seconds(7)), "{seen:?}");
        Ok(seen.len())
    };
    assert_eq!(count(&RetryPolicy::new().attempts(3), 1).await?, 3);
    assert_eq!(count(&RetryPolicy::new().attempts(9).deadline(seconds(8)), 1).await?, 2);
    let budget = Arc::new(RetryBudget::new(3));
    assert_eq!(count(&RetryPolicy::new().attempts(3).budget(Arc::clone(&budget)), 4).await?, 4 + 3);
    assert_eq!(budget.left(), 0);
    // No length of time is too long to be added to another.
    let endless = RetryPolicy::new().attempts(3).deadline(Duration::MAX);
    assert_eq!(count(&endless, 1).await?, 3);
    Ok(())
}

#[tokio::test]
async fn no_length_of_time_makes_a_retry_policy_panic() -> Tested {
    for (first, longest) in [(Duration::MAX, Duration::MAX), (Duration::MAX, seconds(1)), (seconds(1), Duration::MAX)] {
        let line = Line::new([Act::Status(503, "", "busy")]);
        let policy = RetryPolicy::new().attempts(3).pauses(first, longest).budget(Arc::new(RetryBudget::new(u32::MAX)));
        let bounded = Retrying::new(line.client()?.core(), &policy).call(&Orders::default()).await;
        assert!(bounded.is_err() && !line.seen().is_empty());
        Retrying::new(line.client()?.core(), &policy.deadline(Duration::MAX))
            .call(&Orders::default())
            .await
            .map(drop)
            .ok();
    }
    Ok(())
}

#[test]
fn minted_ids_can_be_sent() -> Tested {
    let (one, other) = (ClientOid::mint(), ClientOid::mint());
    assert!(one != other && ClientOid::new(one.as_str())? == one);
    assert!(ClientOid::mint_with("desk-7-")?.as_str().starts_with("desk-7-"));
    assert!(ClientOid::mint_with("DESK").is_err());
    Ok(())
}
