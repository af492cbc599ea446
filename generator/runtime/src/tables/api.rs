use super::{KnownError, OutcomeRow};

/// What holds for all operations of an API.
#[derive(Clone, Copy, Debug)]
pub struct Api {
    /// The name of the API.
    pub name: &'static str,
    /// How answers are wrapped; `None` when the whole body is the data.
    pub envelope: Option<Envelope>,
    /// How requests are signed; `None` when they never are.
    pub credentials: Option<CredentialHeaders>,
    /// The further headers that can be given a value.
    pub headers: &'static [Header],
    /// The response header that counts the calls left.
    pub remaining_calls: Option<&'static str>,
    /// The outcome of a request that changes something, by how its call ends.
    pub outcomes: &'static [OutcomeRow],
    /// Codes that no document lists, as they were observed.
    pub observed_codes: &'static [KnownError],
}

/// The members of the object that wraps every answer.
#[derive(Clone, Copy, Debug)]
pub struct Envelope {
    /// The member with the code that tells success from failure.
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

/// The headers that prove who sends a request, and what is signed.
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
    /// How far the timestamp may be from the server's clock, in milliseconds.
    pub window_ms: Option<u64>,
}

/// A part of the text that is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedPart {
    /// The timestamp as it stands in its header.
    Timestamp,
    /// The method, in capitals.
    Method,
    /// The path as it is sent.
    Path,
    /// A question mark and the query as it is sent; nothing when there is no query.
    Query,
    /// The body as it is sent; nothing when there is none.
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

/// A header that can be given a value.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// Its name.
    pub name: &'static str,
    /// On which requests it goes.
    pub sent: Sent,
    /// What it is for.
    pub doc: &'static str,
}

/// On which requests a header goes once it has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// On every one.
    Always,
    /// On those of the operations that name it.
    ByOperation,
}
