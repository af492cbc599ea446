//! Calls that end in random ways, in virtual time and without sockets, and the client's outcomes of them compared with
//! those of the [interpreter](crate::outcomes).

mod palette;
mod queries;

use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use serde_json::Value;
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::clock::ManualEnvironment;
use tradeapi::runtime::error::{BuildError, Delivery, TransportError, TransportErrorKind};
use tradeapi::runtime::transport::{ResponseFuture, Transport};
use tradeapi::runtime::{ClientBuilder, ClientCore, Credentials, Error, Timestamp, tables};

use crate::dice::Dice;
use crate::json::text;
use crate::outcomes::{Answer, Change, File, Outcome};
use crate::schema;
use palette::Palette;

pub use queries::compare_queries;

const START: Timestamp = Timestamp::from_millis(1_790_000_000_000);

/// The end of a call without an answer: its name in the file, and the error of the transport.
const UNANSWERED: [(&str, TransportErrorKind, Delivery); 5] = [
    ("not-connected", TransportErrorKind::Connect, Delivery::NotSent),
    ("not-written", TransportErrorKind::Closed, Delivery::NotSent),
    ("connection-lost", TransportErrorKind::Closed, Delivery::MaybeSent),
    ("timed-out", TransportErrorKind::Timeout, Delivery::MaybeSent),
    ("answer-too-long", TransportErrorKind::BodyTooLarge, Delivery::MaybeSent),
];

/// The end of a call.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// One of [`UNANSWERED`], by its place.
    Unanswered(usize),
    Answered {
        status: u16,
        body: Vec<u8>,
        took: Duration,
    },
}

/// Ends a call, given its request and the time.
type Script = Box<dyn FnMut(&http::Request<Bytes>, i64) -> End + Send>;

/// A transport without sockets, whose answers follow a script.
#[derive(Clone)]
pub struct Wire {
    clocks: ManualEnvironment,
    script: Arc<Mutex<Script>>,
}

impl Wire {
    fn new(script: impl FnMut(&http::Request<Bytes>, i64) -> End + Send + 'static) -> Self {
        Self { clocks: ManualEnvironment::leaping(START), script: Arc::new(Mutex::new(Box::new(script))) }
    }

    /// Returns a client whose requests go here.
    ///
    /// # Panics
    ///
    /// The client cannot be built.
    pub fn client<C>(self, builder: ClientBuilder<C>, secret: &str) -> C
    where
        C: TryFrom<ClientCore>,
        C::Error: Into<BuildError>,
    {
        let credentials = Credentials::new("key", secret, "phrase");
        let builder = builder.limits(LimitMode::Off).environment(self.clocks.clone()).credentials(credentials);
        builder.transport(self).build().unwrap_or_else(|_| panic!("the client is built"))
    }

    fn millis(&self) -> i64 {
        i64::try_from(self.clocks.right_time().as_millis()).unwrap_or_default()
    }
}

impl Transport for Wire {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        let end = (self.script.lock().expect("no test panics with it"))(&request, self.millis());
        let response = match end {
            End::Unanswered(which) => {
                let (_, kind, sent) = UNANSWERED[which];
                Err(TransportError::new(kind, sent))
            }
            End::Answered { status, body, took } => {
                self.clocks.timer().advance(took);
                let date =
                    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_millis(self.clocks.right_time().as_millis()));
                let response = http::Response::builder().status(status).header("Date", date);
                Ok(response.body(Bytes::from(body)).expect("the status is one"))
            }
        };
        Box::pin(std::future::ready(response))
    }
}

/// A call under way.
pub type Called<T> = Pin<Box<dyn Future<Output = T>>>;

/// An operation that changes something, and how it is called over a wire.
#[derive(Clone, Copy)]
pub struct Caller<T> {
    /// The id of the operation.
    pub operation: &'static str,
    /// Calls the operation with a request as JSON.
    pub call: fn(Wire, String) -> Called<T>,
}

/// Ends so many calls of an operation in random ways, and returns those after which the client and the file disagree.
///
/// # Panics
///
/// A call is not sent.
pub async fn compare(file: &File, folder: &Path, caller: Caller<Result<(), Error>>, calls: usize) -> Vec<String> {
    let (id, mut disagreements) = (caller.operation, Vec::new());
    let mut dice = Dice::new(7, id);
    let examples = schema::examples_below(folder, id);
    for turn in 0..calls {
        let example = &examples[turn % examples.len()];
        let request: Value = serde_json::from_str(&example.request).expect("an example is JSON");
        let palette = Palette::new(file, id, request.clone(), &example.response);
        let (mut thrown, member) = (dice.clone(), call_id(file, id));
        dice.throw();
        let (seen, sees) = shared(None);
        let wire = Wire::new(move |request, _| {
            let number = member.as_deref().and_then(|member| number_of(request, member));
            let end = palette.end(&mut thrown, number.as_deref());
            *sees.lock().expect("no test panics with it") = Some((end.clone(), number));
            end
        });
        let result = (caller.call)(wire, example.request.clone()).await;
        let seen = seen.lock().expect("no test panics with it").take();
        let (end, number) = seen.unwrap_or_else(|| panic!("{id} was not sent: {result:?}"));
        let (found, expected) = (of(&result), outcome(&file.change(id, &request, number.as_deref()), &end));
        if found != expected {
            let shown = show(&end);
            disagreements.push(format!("{id}: {found:?}, not {expected:?}\n{request}\n{shown}\n{result:?}"));
        }
    }
    disagreements
}

/// Returns the same value in two hands.
fn shared<T>(value: T) -> (Arc<Mutex<T>>, Arc<Mutex<T>>) {
    let one = Arc::new(Mutex::new(value));
    (Arc::clone(&one), one)
}

/// Returns the member with the number of a call, if the operation makes one.
fn call_id(file: &File, id: &str) -> Option<String> {
    let has_call = file.json()["operations"][id].get("call").is_some();
    file.json()["call_id"].as_str().filter(|_| has_call).map(str::to_owned)
}

/// Returns the number of a call.
fn number_of(request: &http::Request<Bytes>, member: &str) -> Option<String> {
    text(&serde_json::from_slice::<Value>(request.body()).ok()?[member])
}

/// Returns the outcome by the file.
fn outcome(change: &Change<'_>, end: &End) -> Outcome {
    match end {
        End::Unanswered(which) => change.ended(UNANSWERED[*which].0),
        End::Answered { .. } => answer_of(end).map_or(Outcome::Unknown, |answer| change.answered(answer)),
    }
}

fn answer_of(end: &End) -> Option<Answer<'_>> {
    match end {
        End::Unanswered(_) => None,
        End::Answered { status, body, took } => {
            Some(Answer { status: *status, body, is_late: *took >= Duration::from_secs(1) })
        }
    }
}

/// Returns the outcome of the client.
fn of(result: &Result<(), Error>) -> Outcome {
    match result {
        Ok(()) => Outcome::Done,
        Err(error) => same(error.outcome()),
    }
}

/// Returns an outcome of the client as one of the interpreter.
pub fn same(outcome: tables::Outcome) -> Outcome {
    match outcome {
        tables::Outcome::Done => Outcome::Done,
        tables::Outcome::NotDone => Outcome::NotDone,
        tables::Outcome::Unknown => Outcome::Unknown,
    }
}

fn show(end: &End) -> String {
    match end {
        End::Unanswered(which) => UNANSWERED[*which].0.to_owned(),
        End::Answered { status, body, took } => format!("{status} after {took:?}: {}", String::from_utf8_lossy(body)),
    }
}
