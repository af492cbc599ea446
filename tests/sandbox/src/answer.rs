/// What the sandbox does with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer(pub(crate) Act);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Answers in full and keeps the connection.
    Whole(Parts),
    /// Promises the whole body, sends this many bytes of it, and closes the connection.
    Half(Parts, usize),
    /// Sends these bytes as they are and closes the connection.
    Raw(Vec<u8>),
    /// Closes the connection.
    Close,
    /// Leaves the connection open and says nothing.
    Hang,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Answer {
    /// Status 200 and a JSON body.
    pub fn json(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, body).header("content-type", "application/json")
    }

    /// Any status and body.
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self(Act::Whole(Parts { status, headers: Vec::new(), body: body.into() }))
    }

    /// These bytes as they are, HTTP or not; then the connection is closed.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self(Act::Raw(bytes.into()))
    }

    /// No answer: the connection is closed once the request was read.
    pub fn close() -> Self {
        Self(Act::Close)
    }

    /// No answer: the connection stays open until the client closes it or the sandbox ends.
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
        match self.0 {
            Act::Whole(parts) => Self(Act::Half(parts, bytes)),
            other => Self(other),
        }
    }

    fn parts(&mut self) -> Option<&mut Parts> {
        match &mut self.0 {
            Act::Whole(parts) | Act::Half(parts, _) => Some(parts),
            Act::Raw(_) | Act::Close | Act::Hang => None,
        }
    }
}

impl Parts {
    /// The answer as it travels, with `sent` bytes of its body.
    pub(crate) fn bytes(&self, sent: usize) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("content-length: {}\r\n\r\n", self.body.len()));
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
