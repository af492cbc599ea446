use super::{KnownError, OutcomeRow};

/// The properties that all operations of an API share.
#[derive(Clone, Copy, Debug)]
pub struct Api {
    /// The name of the API.
    pub name: &'static str,
    /// The envelope of responses; `None` if the whole body is the data.
    pub envelope: Option<Envelope>,
    /// How requests are signed; `None` if they never are.
    pub credentials: Option<CredentialHeaders>,
    /// Further headers with values that the client sets.
    pub headers: &'static [Header],
    /// The response header with the remaining calls.
    pub remaining_calls: Option<&'static str>,
    /// The outcome of a request that changes something, by how its call ends.
    pub outcomes: &'static [OutcomeRow],
    /// Observed codes that no document lists.
    pub observed_codes: &'static [KnownError],
}

/// The members of the object around every response.
#[derive(Clone, Copy, Debug)]
pub struct Envelope {
    /// The member with the code, which distinguishes success from failure.
    pub code: &'static str,
    /// The member with the message for people.
    pub message: Option<&'static str>,
    /// The member with the time of the request, in Unix milliseconds.
    pub time: Option<&'static str>,
    /// The member with the data.
    pub data: &'static str,
    /// The code of success.
    pub success: &'static str,
}

/// The headers that authenticate a request, and what is signed.
#[derive(Clone, Copy, Debug)]
pub struct CredentialHeaders {
    /// The header with the API key.
    pub key: &'static str,
    /// The header with the signature.
    pub signature: &'static str,
    /// The header with the passphrase.
    pub passphrase: Option<&'static str>,
    /// The header with the time of the request, in Unix milliseconds.
    pub timestamp: &'static str,
    /// The parts of the signed text, in order.
    pub signed_text: &'static [SignedPart],
    /// How the signature is written.
    pub encoding: Encoding,
    /// How far the timestamp may differ from the server's clock, in milliseconds.
    pub window_ms: Option<u64>,
}

/// A part of the text that is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedPart {
    /// The timestamp as sent in its header.
    Timestamp,
    /// The method, in capitals.
    Method,
    /// The path as it is sent.
    Path,
    /// A question mark and the query as it is sent; nothing when there is no query.
    Query,
    /// The body as it is sent; empty without a body.
    Body,
}

/// How the bytes of a signature become text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// The standard alphabet, padded.
    Base64,
    /// Two lower-case hexadecimal digits a byte.
    Hex,
}

/// A header with a value that the client sets.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// Its name.
    pub name: &'static str,
    /// The requests that it is sent with.
    pub sent: Sent,
    /// What it is for.
    pub doc: &'static str,
}

/// The requests that a header is sent with, if it has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// All requests.
    Always,
    /// Those of the operations that name it.
    ByOperation,
}
