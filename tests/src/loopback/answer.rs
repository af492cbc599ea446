use std::time::Duration;

/// What the server does with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer(pub(super) Act);

/// How an answer is sent, and how its connection ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Answers in full and keeps the connection.
    Whole(Parts),
    /// Answers in full and closes the connection after this pause, without having said that it would.
    Last(Parts, Duration),
    /// Answers in pieces, with this pause behind each.
    Slow(Parts, Duration),
    /// Promises the whole body, sends this many bytes of it, and closes the connection.
    Half(Parts, usize),
    /// Sends these bytes as they are and closes the connection.
    Raw(Vec<u8>),
    /// Sends the first bytes, and the second ones again and again, after a pause each.
    Endless(Vec<u8>, Vec<u8>, Duration),
    /// Closes the connection.
    Close,
    /// Resets the connection.
    Reset,
    /// Goes away for this long: every connection is closed, and none can be made.
    Outage(Duration),
    /// Leaves the connection open and says nothing.
    Hang,
}

/// What an answer consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The status.
    pub status: u16,
    /// The headers, but for the length.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// How long the body is said to be, when that is not true.
    pub announced: Option<usize>,
    /// What follows the answer without a request.
    pub behind: Option<Behind>,
}

/// Bytes that are sent behind an answer, on a connection that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behind {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// With the answer where it is zero; otherwise only if no request comes meanwhile.
    pub pause: Duration,
}

impl Answer {
    /// Status 200 and a JSON body.
    pub fn json(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, body).header("content-type", "application/json")
    }

    /// Any status and body.
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self(Act::Whole(Parts { status, headers: Vec::new(), body: body.into(), announced: None, behind: None }))
    }

    /// These bytes as they are, HTTP or not; then the connection is closed.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self(Act::Raw(bytes.into()))
    }

    /// These bytes as they are, and then `again` without end, each time after `pause`, until the client closes the
    /// connection.
    pub fn endless(begins: impl Into<Vec<u8>>, again: impl Into<Vec<u8>>, pause: Duration) -> Self {
        Self(Act::Endless(begins.into(), again.into(), pause))
    }

    /// No answer: the connection is closed once the request was read.
    pub fn close() -> Self {
        Self(Act::Close)
    }

    /// No answer: the connection is reset once the request was read.
    pub fn reset() -> Self {
        Self(Act::Reset)
    }

    /// No answer: the server goes away for `lasts`. All its connections are closed, and new ones are refused.
    pub fn outage(lasts: Duration) -> Self {
        Self(Act::Outage(lasts))
    }

    /// No answer: the connection stays open until the client closes it or the server ends.
    pub fn hang() -> Self {
        Self(Act::Hang)
    }

    /// The same with another status.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        if let Some(parts) = self.parts() {
            parts.status = status;
        }
        self
    }

    /// The same with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Some(parts) = self.parts() {
            parts.headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// The same, broken off after `bytes` of its body; the length of the whole is still announced.
    #[must_use]
    pub fn cut_off_after(self, bytes: usize) -> Self {
        self.with_parts(|parts| Act::Half(parts, bytes))
    }

    /// The same, saying that the body has `bytes` bytes, whatever it has.
    #[must_use]
    pub fn announcing(mut self, bytes: usize) -> Self {
        if let Some(parts) = self.parts() {
            parts.announced = Some(bytes);
        }
        self
    }

    /// The same, and the connection is closed behind it, without `connection: close`.
    #[must_use]
    pub fn then_close(self) -> Self {
        self.then_close_after(Duration::ZERO)
    }

    /// The same, and the connection is closed a while behind it, without `connection: close`.
    #[must_use]
    pub fn then_close_after(self, pause: Duration) -> Self {
        self.with_parts(|parts| Act::Last(parts, pause))
    }

    /// The same in small pieces, with a pause behind each.
    #[must_use]
    pub fn in_pieces(self, pause: Duration) -> Self {
        self.with_parts(|parts| Act::Slow(parts, pause))
    }

    /// The same with `other` behind it, without a request: right away, or after a `pause` in which no request comes.
    #[must_use]
    pub fn with_behind(mut self, other: impl Into<Vec<u8>>, pause: Duration) -> Self {
        if let Some(parts) = self.parts() {
            parts.behind = Some(Behind { bytes: other.into(), pause });
        }
        self
    }

    /// The same for a network without sockets.
    pub fn into_act(self) -> Act {
        self.0
    }

    /// The answer as it travels, head and all; empty where there is none.
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
    /// The answer as it travels, with `sent` bytes of its body.
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

/// Clients look at the number alone, but HTTP wants a word behind it.
fn reason(status: u16) -> &'static str {
    match status {
        200..=299 => "OK",
        400..=499 => "Refused",
        500..=599 => "Failed",
        _ => "Other",
    }
}
