//! The latest requests with their outcomes, for the page.

use std::collections::VecDeque;

use bytes::Bytes;
use http::Request;

use crate::state::faults::FaultKind;
use crate::state::hostile::{HostileFault, Quirk};
use crate::state::refusal::Refusal;

/// The number of requests that are kept.
const MAX_ENTRIES: usize = 200;

/// The number of bytes that are kept of a path, of parameters, and of an answer.
const MAX_TEXT: usize = 400;

/// The outcome of a request. A batch is done even if some of its items are refused.
#[derive(Clone, Debug)]
pub(crate) enum RequestOutcome {
    Done { answer: String },
    Refused { code: String, message: String, rule: String },
}

/// A request and its outcome. Headers, and with them keys and signatures, are left out.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) at: u64,
    /// The id of the user, if the request proved it.
    pub(crate) user: Option<u64>,
    /// The id of the operation, if there is one at the path.
    pub(crate) operation: Option<&'static str>,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) parameters: String,
    pub(crate) verdict: RequestOutcome,
    /// The fault of the request.
    pub(crate) fault: Option<FaultKind>,
    /// The fault and the quirk of a hostile exchange.
    pub(crate) hostile: Option<(HostileFault, Quirk)>,
}

impl Entry {
    pub(crate) fn new(
        at: u64,
        user: Option<u64>,
        operation: Option<&'static str>,
        request: &Request<Bytes>,
        answer: Result<&str, &Refusal>,
        fault: Option<FaultKind>,
        hostile: Option<(HostileFault, Quirk)>,
    ) -> Self {
        let query = request.uri().query().unwrap_or_default();
        let parameters = if query.is_empty() { request.body() } else { query.as_bytes() };
        let verdict = match answer {
            Ok(data) => RequestOutcome::Done { answer: beginning(data.as_bytes()) },
            Err(refusal) => RequestOutcome::Refused {
                code: beginning(refusal.code.as_bytes()),
                message: beginning(refusal.message.as_bytes()),
                rule: beginning(refusal.rule.as_bytes()),
            },
        };
        Self {
            at,
            user,
            operation,
            method: beginning(request.method().as_str().as_bytes()),
            path: beginning(request.uri().path().as_bytes()),
            parameters: beginning(parameters),
            verdict,
            fault,
            hostile,
        }
    }
}

/// Returns the beginning of a text, with a mark if it is cut off.
fn beginning(text: &[u8]) -> String {
    match text.get(..MAX_TEXT) {
        Some(start) if text.len() > MAX_TEXT => {
            format!("{}…", String::from_utf8_lossy(start).trim_end_matches('\u{fffd}'))
        }
        _ => String::from_utf8_lossy(text).into_owned(),
    }
}

/// A ring of the latest requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    entries: VecDeque<Entry>,
    /// The number of requests, dropped ones included.
    count: u64,
}

impl Log {
    pub(crate) fn push(&mut self, entry: Entry) {
        if self.entries.len() == MAX_ENTRIES {
            self.entries.pop_front();
        }
        self.entries.push_back(entry);
        self.count += 1;
    }

    /// Returns an empty log that continues the count.
    pub(crate) fn cleared(self) -> Self {
        Self { entries: VecDeque::new(), count: self.count }
    }

    /// Returns the number of requests.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Returns the kept requests with their numbers, the newest first.
    pub(crate) fn newest(&self) -> impl Iterator<Item = (u64, &Entry)> {
        (1..=self.count).rev().zip(self.entries.iter().rev())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_and_its_texts_are_bounded() {
        let mut log = Log::default();
        for _ in 0..1_000 {
            let body = Bytes::from("é".repeat(10_000));
            log.push(Entry::new(0, None, None, &Request::new(body), Ok("{}"), None, None));
        }
        assert_eq!((log.count(), log.newest().count()), (1_000, MAX_ENTRIES));
        let (number, newest) = log.newest().next().unwrap_or_else(|| unreachable!("it was filled"));
        assert_eq!(number, 1_000);
        assert_eq!(newest.parameters, format!("{}…", "é".repeat(MAX_TEXT / 2)));
        let cleared = log.cleared();
        assert_eq!((cleared.count(), cleared.newest().count()), (1_000, 0));
    }
}
