//! A subscriber that records all spans and events of a thread.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, NoSubscriber};
use tracing::{Dispatch, Event, Metadata, Subscriber};

/// Subscribers that live as long as the process.
///
/// While fewer than two exist, `tracing` asks only the subscriber of the thread that meets a span or an event first.
/// Another test without one would turn it off for all threads.
static LASTING: LazyLock<[Dispatch; 2]> =
    LazyLock::new(|| [NoSubscriber::new(), NoSubscriber::new()].map(Dispatch::new));

/// The recorded spans and events. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Recording(Arc<Mutex<Records>>);

#[derive(Debug, Default)]
struct Records {
    spans: Vec<Span>,
    events: Vec<RecordedEvent>,
    /// The entered spans, the innermost last.
    within: Vec<u64>,
}

/// A recorded span.
#[derive(Clone, Debug)]
pub struct Span {
    /// The name and its fields.
    pub fields: Fields,
    /// True if the span is closed.
    pub closed: bool,
    holders: usize,
}

/// A recorded event with its span.
#[derive(Clone, Debug)]
pub struct RecordedEvent {
    /// The message and its fields.
    pub fields: Fields,
    /// The index of its span.
    pub within: Option<usize>,
}

/// The fields of a span or an event.
#[derive(Clone, Debug)]
pub struct Fields {
    /// The target.
    pub target: String,
    /// The name of a span, or the message of an event.
    pub name: String,
    fields: BTreeMap<&'static str, String>,
}

impl Fields {
    fn of(metadata: &Metadata<'_>) -> Self {
        Self { target: metadata.target().to_owned(), name: metadata.name().to_owned(), fields: BTreeMap::new() }
    }

    /// Returns the text of a recorded field.
    pub fn get(&self, field: &str) -> Option<&str> {
        self.fields.get(field).map(String::as_str)
    }

    /// Returns the names of all recorded fields.
    pub fn fields(&self) -> Vec<&'static str> {
        self.fields.keys().copied().collect()
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let value = format!("{value:?}");
        match field.name() {
            "message" => self.name = value,
            name => drop(self.fields.insert(name, value)),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }
}

impl Recording {
    /// Records this thread until the guard is dropped.
    pub fn start() -> (Self, DefaultGuard) {
        LazyLock::force(&LASTING);
        let recording = Self::default();
        let guard = tracing::subscriber::set_default(recording.clone());
        (recording, guard)
    }

    /// Returns the spans of calls, in the order of their start.
    pub fn calls(&self) -> Vec<Span> {
        self.seen().spans.iter().filter(|span| span.fields.target == "tradeapi_runtime").cloned().collect()
    }

    /// Returns the events of the client, in their order.
    pub fn events(&self) -> Vec<RecordedEvent> {
        self.seen().events.iter().filter(|event| event.fields.target == "tradeapi_runtime").cloned().collect()
    }

    /// Returns the number of entered spans.
    pub fn depth(&self) -> usize {
        self.seen().within.len()
    }

    /// Returns everything recorded, with any target.
    pub fn all(&self) -> Vec<Fields> {
        let seen = self.seen();
        let spans = seen.spans.iter().map(|span| &span.fields);
        spans.chain(seen.events.iter().map(|event| &event.fields)).cloned().collect()
    }

    fn seen(&self) -> MutexGuard<'_, Records> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ids count from 1.
fn place(id: &Id) -> usize {
    usize::try_from(id.into_u64()).expect("an id of ours") - 1
}

impl Subscriber for Recording {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields::of(span.metadata());
        span.record(&mut fields);
        let mut seen = self.seen();
        seen.spans.push(Span { fields, closed: false, holders: 1 });
        Id::from_u64(seen.spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        values.record(&mut self.seen().spans[place(span)].fields);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::of(event.metadata());
        event.record(&mut fields);
        let mut seen = self.seen();
        let within = seen.within.last().map(|id| place(&Id::from_u64(*id)));
        seen.events.push(RecordedEvent { fields, within });
    }

    fn enter(&self, span: &Id) {
        self.seen().within.push(span.into_u64());
    }

    fn exit(&self, span: &Id) {
        let left = self.seen().within.pop();
        assert_eq!(left, Some(span.into_u64()), "a span is left that is not the innermost");
    }

    fn clone_span(&self, span: &Id) -> Id {
        self.seen().spans[place(span)].holders += 1;
        span.clone()
    }

    fn try_close(&self, id: Id) -> bool {
        let mut seen = self.seen();
        let span = &mut seen.spans[place(&id)];
        span.holders -= 1;
        span.closed = span.holders == 0;
        span.closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_that_a_thread_without_a_recording_meets_first_is_recorded() {
        let meet = || drop(tracing::info_span!(target: "tradeapi_runtime", "call").entered());
        let (recording, _guard) = Recording::start();
        std::thread::scope(|scope| drop(scope.spawn(meet)));
        meet();
        assert_eq!(recording.calls().len(), 1);
    }
}
