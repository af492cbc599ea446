//! Requests as they were received.

/// A request, unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The method.
    pub method: String,
    /// The target before the first question mark, still encoded.
    pub path: String,
    /// The target after the question mark, still encoded; `None` without a question mark.
    pub query: Option<String>,
    /// Names and values of the headers in their order, with the case of the names.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// The number of its connection, counted from 0.
    pub connection: usize,
}

impl Request {
    /// Creates a request without a socket. The target may have a query.
    pub fn new(
        method: &str,
        target: &str,
        headers: Vec<(String, String)>,
        body: impl Into<Vec<u8>>,
        connection: usize,
    ) -> Self {
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path, Some(query.to_owned())),
            None => (target, None),
        };
        Self { method: method.to_owned(), path: path.to_owned(), query, headers, body: body.into(), connection }
    }

    /// Returns the value of the first header with this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut same = self.headers.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name));
        same.next().map(|(_, value)| value.as_str())
    }

    /// Returns the body as text. Invalid UTF-8 is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Parses a head, without the empty line. `None` if it is invalid.
    pub(super) fn of_head(head: &str, connection: usize) -> Option<Self> {
        let mut lines = head.split("\r\n");
        let (method, rest) = lines.next()?.split_once(' ')?;
        let target = rest.strip_suffix(" HTTP/1.1")?;
        let headers = lines.map(header).collect::<Option<_>>()?;
        Some(Self::new(method, target, headers, Vec::new(), connection))
    }

    /// Returns the length of the body. Requests with chunked bodies are refused.
    pub(super) fn announced_length(&self) -> Option<usize> {
        if self.header("transfer-encoding").is_some() {
            return None;
        }
        self.header("content-length").map_or(Some(0), |length| length.parse().ok())
    }

    /// Returns whether the client announces that it closes the connection.
    pub(super) fn is_last(&self) -> bool {
        self.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }
}

fn header(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once(':')?;
    Some((name.to_owned(), value.trim_matches([' ', '\t']).to_owned()))
}
