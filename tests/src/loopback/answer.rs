//! The reactions of the server to a request.

use std::time::Duration;

/// The reaction of the server to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer(pub(super) Act);

/// The way an answer is sent, and the end of its connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Answers in full and keeps the connection.
    Whole(Parts),
    /// Answers in full and closes the connection after this pause, unannounced.
    Last(Parts, Duration),
    /// Answers in pieces, with this pause after each.
    Slow(Parts, Duration),
    /// Announces the whole body, sends this many bytes of it, and closes the connection.
    Half(Parts, usize),
    /// Sends these bytes unchanged and closes the connection.
    Raw(Vec<u8>),
    /// Sends the first bytes, then the second ones repeatedly, after a pause each.
    Endless(Vec<u8>, Vec<u8>, Duration),
    /// Closes the connection.
    Close,
    /// Resets the connection.
    Reset,
    /// Starts an outage of this length: every connection is closed, and none can be made.
    Outage(Duration),
    /// Leaves the connection open without an answer.
    Hang,
}

/// The parts of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The status.
    pub status: u16,
    /// The headers, without the length.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// A wrong length to announce.
    pub announced: Option<usize>,
    /// Unsolicited bytes after the answer.
    pub behind: Option<Behind>,
}

/// Unsolicited bytes after an answer, on a connection that stays open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behind {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The pause before the bytes. Zero sends them with the answer; otherwise a request that comes first prevents them.
    pub pause: Duration,
}

impl Answer {
    /// Status 200 and a JSON body.
    pub fn json(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, body).header("content-type", "application/json")
    }

    /// Creates an answer with this status and body.
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self(Act::Whole(Parts { status, headers: Vec::new(), body: body.into(), announced: None, behind: None }))
    }

    /// Answers these bytes unchanged, HTTP or not; then the connection is closed.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self(Act::Raw(bytes.into()))
    }

    /// Answers these bytes unchanged, then `again` after every `pause` until the client closes the connection.
    pub fn endless(begins: impl Into<Vec<u8>>, again: impl Into<Vec<u8>>, pause: Duration) -> Self {
        Self(Act::Endless(begins.into(), again.into(), pause))
    }

    /// Answers nothing: the connection is closed after the request is read.
    pub fn close() -> Self {
        Self(Act::Close)
    }

    /// Answers nothing: the connection is reset after the request is read.
    pub fn reset() -> Self {
        Self(Act::Reset)
    }

    /// Answers nothing, as in an outage: all connections are closed, and new ones are refused for `lasts`.
    pub fn outage(lasts: Duration) -> Self {
        Self(Act::Outage(lasts))
    }

    /// Answers nothing: the connection stays open until the client closes it or the server ends.
    pub fn hang() -> Self {
        Self(Act::Hang)
    }

    /// Returns the same answer with another status.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        if let Some(parts) = self.parts() {
            parts.status = status;
        }
        self
    }

    /// Returns the same answer with a further header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Some(parts) = self.parts() {
            parts.headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// Returns the same answer, cut off after `bytes` of its body, with the full length announced.
    #[must_use]
    pub fn cut_off_after(self, bytes: usize) -> Self {
        self.with_parts(|parts| Act::Half(parts, bytes))
    }

    /// Returns the same answer with a length of `bytes` announced.
    #[must_use]
    pub fn announcing(mut self, bytes: usize) -> Self {
        if let Some(parts) = self.parts() {
            parts.announced = Some(bytes);
        }
        self
    }

    /// Returns the same answer, after which the connection is closed without `connection: close`.
    #[must_use]
    pub fn then_close(self) -> Self {
        self.then_close_after(Duration::ZERO)
    }

    /// Returns the same answer, some time after which the connection is closed without `connection: close`.
    #[must_use]
    pub fn then_close_after(self, pause: Duration) -> Self {
        self.with_parts(|parts| Act::Last(parts, pause))
    }

    /// Returns the same answer in small pieces, with a pause after each.
    #[must_use]
    pub fn in_pieces(self, pause: Duration) -> Self {
        self.with_parts(|parts| Act::Slow(parts, pause))
    }

    /// Returns the same answer followed by the unsolicited bytes `other`, at once or after a `pause` without a request.
    #[must_use]
    pub fn with_behind(mut self, other: impl Into<Vec<u8>>, pause: Duration) -> Self {
        if let Some(parts) = self.parts() {
            parts.behind = Some(Behind { bytes: other.into(), pause });
        }
        self
    }

    /// Returns the reaction, for a network without sockets.
    pub fn into_act(self) -> Act {
        self.0
    }

    /// Returns the bytes of the answer with its head; empty if there is no answer.
    pub fn to_bytes(&self) -> Vec<u8> {
        match &self.0 {
            Act::Whole(parts) | Act::Last(parts, _) | Act::Slow(parts, _) | Act::Half(parts, _) => {
                parts.bytes(usize::MAX)
            }
            Act::Raw(bytes) | Act::Endless(bytes, ..) => bytes.clone(),
            Act::Close | Act::Reset | Act::Outage(_) | Act::Hang => Vec::new(),
        }
    }

    fn with_parts(self, act: impl FnOnce(Parts) -> Act) -> Self {
        match self.0 {
            Act::Whole(parts) => Self(act(parts)),
            other => Self(other),
        }
    }

    fn parts(&mut self) -> Option<&mut Parts> {
        match &mut self.0 {
            Act::Whole(parts) | Act::Last(parts, _) | Act::Slow(parts, _) | Act::Half(parts, _) => Some(parts),
            Act::Raw(_) | Act::Endless(..) | Act::Close | Act::Reset | Act::Outage(_) | Act::Hang => None,
        }
    }
}

impl Parts {
    /// Returns the bytes of the answer with the first `sent` bytes of its body.
    pub(super) fn bytes(&self, sent: usize) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("content-length: {}\r\n\r\n", self.announced.unwrap_or(self.body.len())));
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(&self.body[..sent.min(self.body.len())]);
        bytes
    }
}

/// Clients read the number alone, but HTTP requires a reason phrase.
fn reason(status: u16) -> &'static str {
    match status {
        200..=299 => "OK",
        400..=499 => "Refused",
        500..=599 => "Failed",
        _ => "Other",
    }
}
