//! The requests of a program with what each did, so that the program can be judged.
//!
//! Unlike the log of the page, a trace keeps everything, and the journal, which also does, has neither the effects of
//! a request nor what of its answer arrived.

use bytes::Bytes;
use http::{Request, StatusCode};
use tradeapi::runtime::tables::Meta;

use crate::state::events::Event;
use crate::state::journal_entry::Delivered;
use crate::state::refusal::Refusal;

/// The requests in their order.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) calls: Vec<Call>,
    /// The number of requests after which no further one is served.
    pub(crate) most: Option<usize>,
    /// The request that is served, or whose delayed effect takes place.
    serving: Option<usize>,
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// When it arrived, by the true clock, in Unix milliseconds.
    pub(crate) at: u64,
    /// When it was signed, as it states.
    pub(crate) signed_at: Option<u64>,
    /// The operation, if there is one at the path.
    pub(crate) meta: Option<&'static Meta>,
    /// The id of the user, if the request proved it.
    pub(crate) user: Option<u64>,
    pub(crate) method: String,
    pub(crate) path: String,
    /// The query, or else the body.
    pub(crate) parameters: String,
    /// The reason why it was refused. The refusal of a fault is one, too.
    pub(crate) refusal: Option<Refusal>,
    /// The name of the fault, if there was one.
    pub(crate) fault: Option<String>,
    /// The status and the body, if the whole answer to this request was on its way.
    pub(crate) answer: Option<(StatusCode, Bytes)>,
    /// When the answer had been sent to its end.
    pub(crate) arrived_at: Option<u64>,
    /// When the connection had no more use for the answer, because it had arrived, was lost, or was not awaited.
    pub(crate) ended_at: Option<u64>,
    /// The events that it caused, at once or later.
    pub(crate) events: Vec<Event>,
}

impl Call {
    pub(crate) fn new(at: u64, signed_at: Option<u64>, meta: Option<&'static Meta>, request: &Request<Bytes>) -> Self {
        let query = request.uri().query().unwrap_or_default();
        let parameters = if query.is_empty() { request.body() } else { query.as_bytes() };
        Self {
            at,
            signed_at,
            meta,
            user: None,
            method: request.method().as_str().to_owned(),
            path: request.uri().path().to_owned(),
            parameters: String::from_utf8_lossy(parameters).into_owned(),
            refusal: None,
            fault: None,
            answer: None,
            arrived_at: None,
            ended_at: None,
            events: Vec::new(),
        }
    }

    /// Keeps the answer, if it is delivered as a whole.
    pub(crate) fn note_delivery(&mut self, delivered: &Delivered) {
        self.answer = match delivered {
            Delivered::Whole(answer) | Delivered::Last(answer) | Delivered::Slow(answer, _) => {
                Some((answer.status(), answer.body().clone()))
            }
            _ => None,
        };
    }
}

impl Trace {
    /// Creates an empty trace of so many requests at most.
    pub(crate) fn up_to(most: Option<usize>) -> Self {
        Self { most, ..Self::default() }
    }

    /// Returns whether no further request is served.
    pub(crate) fn is_full(&self) -> bool {
        self.most.is_some_and(|most| self.calls.len() >= most)
    }

    /// Adds a request, which is served from now on.
    pub(crate) fn begin(&mut self, call: Call) {
        self.serving = Some(self.calls.len());
        self.calls.push(call);
    }

    /// Ends what [`begin`](Self::begin) or [`resume`](Self::resume) began, and returns the request.
    pub(crate) fn end(&mut self) -> Option<(usize, &mut Call)> {
        let number = self.serving.take()?;
        Some((number, self.calls.get_mut(number)?))
    }

    /// Returns the request that is served.
    pub(crate) fn serving(&self) -> Option<usize> {
        self.serving
    }

    /// Begins the delayed effect of a request.
    pub(crate) fn resume(&mut self, number: Option<usize>) {
        self.serving = number;
    }

    /// Adds an event to the request that is served.
    pub(crate) fn note(&mut self, event: &Event) {
        if let Some(call) = self.serving.and_then(|number| self.calls.get_mut(number)) {
            call.events.push(event.clone());
        }
    }

    /// Notes that the answer to a request was sent to its end, or that nobody waited for it.
    pub(crate) fn note_arrival(&mut self, number: usize, now: u64, is_whole: bool) {
        if let Some(call) = self.calls.get_mut(number) {
            (call.arrived_at, call.ended_at) = (is_whole.then_some(now), Some(now));
        }
    }
}
