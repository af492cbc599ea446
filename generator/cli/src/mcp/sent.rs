//! The changes that a server sent, and what became of them.
//!
//! An answer can be lost on its way to the assistant: a client that cancels the call of a tool, or that gives up after a
//! minute, gets none. The tool `sent` tells what the answer was.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::watch;
use tradeapi_runtime::Timestamp;

/// The number of changes that are kept.
const KEPT: usize = 1000;
/// The facts known about a change under way.
const UNDER_WAY: &str = "under way";

/// The changes of a server, the oldest first.
pub(super) struct Sent {
    changes: Mutex<Changes>,
    /// The number of amendments under way.
    count: watch::Sender<usize>,
}

#[derive(Default)]
struct Changes {
    begun: u64,
    kept: VecDeque<Change>,
}

struct Change {
    number: u64,
    tool: String,
    request: Value,
    begun: Timestamp,
    /// When it ended, and the answer of its tool.
    ended: Option<(Timestamp, Value)>,
    is_cancelled: bool,
}

impl Sent {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { changes: Mutex::default(), count: watch::Sender::new(0) })
    }

    /// Keeps a change that is about to be sent, with the parameters of its request.
    pub(super) fn begin(self: &Arc<Self>, tool: &str, request: Value, begun: Timestamp) -> UnderWay {
        let mut changes = self.changes();
        changes.begun += 1;
        let number = changes.begun;
        if changes.kept.len() >= KEPT {
            changes.kept.pop_front();
        }
        let tool = tool.to_owned();
        changes.kept.push_back(Change { number, tool, request, begun, ended: None, is_cancelled: false });
        drop(changes);
        self.count.send_modify(|count| *count += 1);
        UnderWay { sent: Arc::clone(self), number }
    }

    /// Keeps the answer of the tool. What was refused was not sent.
    pub(super) fn end(&self, under_way: UnderWay, answer: &Value, is_refused: bool, now: Timestamp) {
        match is_refused {
            true => self.changes().kept.retain(|change| change.number != under_way.number),
            false => under_way.with(|change| change.ended = Some((now, answer.clone()))),
        }
    }

    /// Returns the changes, the newest first.
    pub(super) fn lines(&self) -> Vec<Value> {
        self.changes().kept.iter().rev().map(Change::line).collect()
    }

    /// Returns the changes under way, each with its request, a line each.
    pub(super) fn under_way(&self) -> Vec<String> {
        let changes = self.changes();
        let under_way = changes.kept.iter().filter(|change| change.ended.is_none());
        under_way.map(|change| format!("{} {}", change.tool, change.request)).collect()
    }

    /// Waits until no change is under way.
    pub(super) async fn all_ended(&self) {
        // It fails if the sender is dropped, which this value owns.
        let _ = self.count.subscribe().wait_for(|count| *count == 0).await;
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Change {
    fn line(&self) -> Value {
        let mut line = json!({
            "number": self.number.to_string(),
            "tool": self.tool,
            "request": self.request,
            "begun": self.begun.to_string(),
        });
        match &self.ended {
            None => line["outcome"] = UNDER_WAY.into(),
            Some((ended, answer)) => {
                line["ended"] = ended.to_string().into();
                for name in ["outcome", "results", "notes", "failure"] {
                    if let Some(value) = answer.get(name) {
                        line[name] = value.clone();
                    }
                }
            }
        }
        if self.is_cancelled {
            line["cancelled"] = "its client cancelled the call of the tool, and got no answer".into();
        }
        line
    }
}

/// A change under way.
pub(super) struct UnderWay {
    sent: Arc<Sent>,
    number: u64,
}

impl UnderWay {
    /// Keeps that the client has cancelled the call, so that it gets no answer.
    pub(super) fn cancel(&self) {
        self.with(|change| change.is_cancelled = true);
    }

    fn with(&self, change: impl FnOnce(&mut Change)) {
        self.sent.changes().kept.iter_mut().find(|one| one.number == self.number).map(change);
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.sent.count.send_modify(|count| *count = count.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_is_kept_with_what_became_of_it() {
        let (sent, time) = (Sent::new(), Timestamp::from_millis(1_790_000_000_000));
        let first = sent.begin("place", json!({ "id": "a" }), time);
        let second = sent.begin("cancel", json!({ "id": "b" }), time);
        assert_eq!(sent.under_way(), [r#"place {"id":"a"}"#, r#"cancel {"id":"b"}"#]);
        first.cancel();
        sent.end(first, &json!({ "outcome": "done", "results": [1] }), false, time);
        let lines = sent.lines();
        assert_eq!((&lines[0]["outcome"], &lines[0]["tool"]), (&json!(UNDER_WAY), &json!("cancel")));
        assert_eq!((&lines[1]["outcome"], &lines[1]["results"]), (&json!("done"), &json!([1])));
        assert!(lines[1]["cancelled"].is_string() && lines[0].get("cancelled").is_none());
        assert_eq!(*sent.count.borrow(), 1);
        sent.end(second, &json!({}), true, time);
        assert_eq!((*sent.count.borrow(), sent.lines().len()), (0, 1), "what was refused was not sent");
    }

    #[test]
    fn the_latest_are_kept() {
        let sent = Sent::new();
        for n in 0..KEPT + 5 {
            let change = sent.begin("place", json!(n), Timestamp::default());
            sent.end(change, &json!({}), false, Timestamp::default());
        }
        let lines = sent.lines();
        assert_eq!((lines.len(), &lines[0]["number"]), (KEPT, &json!((KEPT + 5).to_string())));
    }
}
