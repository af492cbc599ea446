use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;

use crate::checks::Violations;
use crate::client::{Skew, TransportError, TransportErrorKind, WasSent};
use crate::json::ReadError;
use crate::limits::{Binding, Trouble};
use crate::tables::{CredentialCause, Effect, Ending, KnownError, Outcome, Proves};
use crate::value::{OpenEnum, Timestamp, enum_from_wire};

mod text;
mod unknown;

pub use self::unknown::{SentRequest, UnknownOutcome};

/// Why a call did not succeed.
///
/// A client answers a call that changes something in three ways, never two: it happened, which is `Ok`; it is unknown,
/// which is [`Error::Unknown`] and nothing else; and with every other error it surely did not happen.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The documents forbid the request; it was not sent.
    Refused(Box<Refusal>),
    /// The request cannot be signed; it was not sent.
    Unsigned(Box<Unsigned>),
    /// A rate limit is used up, and the client was told not to wait; the request was not sent.
    Limited(Box<Limited>),
    /// Whether a rate limit has room cannot be told, for the limiter itself is in trouble; the request was not sent.
    LimiterFailed(Box<LimiterFailure>),
    /// The exchange answered that it did not do it.
    Exchange(Box<ExchangeError>),
    /// There is no answer.
    Transport(Box<TransportFailure>),
    /// There is an answer, but it makes no sense.
    Unreadable(Box<UnreadableAnswer>),
    /// Nobody knows whether the request had its effect: repeated, it might have it twice. Ask for what it was to change.
    Unknown(Box<UnknownOutcome>),
}

/// A request that was not sent because the documents forbid it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refusal {
    /// The id of the operation.
    pub operation: &'static str,
    /// All that is forbidden in it.
    pub violations: Violations,
}

/// A request that was not sent because it cannot be signed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unsigned {
    /// The id of the operation.
    pub operation: &'static str,
    /// What is missing.
    pub why: &'static str,
    /// How far the exchange's clock is from the client's, where that is why.
    pub skew: Option<Skew>,
    /// How long the call had waited for room within its rate limits.
    pub waited: Duration,
}

/// A request that was not sent because a rate limit is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limited {
    /// The id of the operation.
    pub operation: &'static str,
    /// How long it takes at least until there is room.
    pub free_in: Duration,
    /// The limit that is used up.
    pub binding: Option<Binding>,
}

/// A request that was not sent because the limiter is in trouble.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimiterFailure {
    /// The id of the operation.
    pub operation: &'static str,
    /// The kind of trouble.
    pub trouble: Trouble,
    /// What happened.
    pub why: String,
    /// How long the call had waited for room within its rate limits.
    pub waited: Duration,
}

/// A request that the exchange, or something before it, answered with an error.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExchangeError {
    /// The id of the operation.
    pub operation: &'static str,
    /// What the operation does; one that only reads never has an effect.
    pub effect: Effect,
    /// What became of the request.
    pub outcome: Outcome,
    /// How the call ended.
    pub ending: Ending,
    /// The code; where the answer has none, the HTTP status.
    pub code: Code,
    /// The message; where the answer has none, the beginning of its body.
    pub message: String,
    /// The HTTP status.
    pub status: StatusCode,
    /// The time of the request by the exchange's clock.
    pub request_time: Option<Timestamp>,
    /// What is known about the code, also where it proves nothing.
    pub known: Option<&'static KnownError>,
    /// What the code proves, as far as the client believes it.
    pub proves: Option<Proves>,
    /// How long the exchange asks to wait before the next request.
    pub retry_after: Option<Duration>,
    /// How far the exchange's clock is from the client's, where the timestamp was not taken. By default the next call is
    /// signed by the exchange's clock then; this one is not sent again.
    pub skew: Option<Skew>,
    /// The whole answer.
    pub raw: Bytes,
    /// How long the call had waited for room within its rate limits.
    pub waited: Duration,
}

/// A request that has no answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct TransportFailure {
    /// The id of the operation.
    pub operation: &'static str,
    /// What the operation does; one that only reads never has an effect.
    pub effect: Effect,
    /// What became of the request.
    pub outcome: Outcome,
    /// What went wrong.
    pub error: TransportError,
    /// How long the call had waited for room within its rate limits.
    pub waited: Duration,
}

/// A request whose answer could not be read.
#[derive(Clone)]
#[non_exhaustive]
pub struct UnreadableAnswer {
    /// The id of the operation.
    pub operation: &'static str,
    /// What the operation does; one that only reads never has an effect.
    pub effect: Effect,
    /// What became of the request.
    pub outcome: Outcome,
    /// The HTTP status.
    pub status: StatusCode,
    /// The whole answer.
    pub raw: Bytes,
    /// What is wrong with it, and the path to where.
    pub error: ReadError,
    /// How long the call had waited for room within its rate limits.
    pub waited: Duration,
}

impl ExchangeError {
    /// The likely reason why the credentials or the signature were not accepted; `None` where that is not the error.
    pub fn credential_cause(&self) -> Option<CredentialCause> {
        match self.proves? {
            Proves::Timestamp => Some(CredentialCause::Clock),
            Proves::Credentials => self.known.and_then(|known| known.cause),
            _ => None,
        }
    }
}

/// The code of an error, as the exchange wrote it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(String);

impl Code {
    pub(crate) fn new(code: &str) -> Self {
        Self(code.to_owned())
    }

    /// The code's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The code as a value of an enum of codes.
    pub fn typed<E: OpenEnum>(&self) -> E {
        enum_from_wire(&self.0)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Error {
    /// The id of the operation that was called.
    pub fn operation(&self) -> &'static str {
        match self {
            Self::Refused(refusal) => refusal.operation,
            Self::Unsigned(unsigned) => unsigned.operation,
            Self::Limited(limited) => limited.operation,
            Self::LimiterFailed(failure) => failure.operation,
            Self::Exchange(error) => error.operation,
            Self::Transport(failure) => failure.operation,
            Self::Unreadable(answer) => answer.operation,
            Self::Unknown(unknown) => unknown.operation,
        }
    }

    /// How long the call had waited for room within its rate limits. What is refused at once has not waited.
    pub fn waited(&self) -> Duration {
        match self {
            Self::Refused(_) | Self::Limited(_) => Duration::ZERO,
            Self::Unsigned(unsigned) => unsigned.waited,
            Self::LimiterFailed(failure) => failure.waited,
            Self::Exchange(error) => error.waited,
            Self::Transport(failure) => failure.waited,
            Self::Unreadable(answer) => answer.waited,
            Self::Unknown(unknown) => unknown.why.waited(),
        }
    }

    /// The same error of a call that had waited.
    pub(crate) fn after_waiting(mut self, time: Duration) -> Self {
        self.set_waited(time);
        self
    }

    fn set_waited(&mut self, time: Duration) {
        match self {
            Self::Refused(_) | Self::Limited(_) => {}
            Self::Unsigned(unsigned) => unsigned.waited = time,
            Self::LimiterFailed(failure) => failure.waited = time,
            Self::Exchange(error) => error.waited = time,
            Self::Transport(failure) => failure.waited = time,
            Self::Unreadable(answer) => answer.waited = time,
            Self::Unknown(unknown) => unknown.why.set_waited(time),
        }
    }

    /// Whether the request surely had no effect, or may have had one.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Refused(_) | Self::Unsigned(_) | Self::Limited(_) | Self::LimiterFailed(_) => Outcome::NotDone,
            Self::Exchange(error) => error.outcome,
            Self::Transport(failure) => failure.outcome,
            Self::Unreadable(answer) => answer.outcome,
            Self::Unknown(_) => Outcome::Unknown,
        }
    }

    /// The code of the answer, where the exchange or something before it answered with an error.
    pub fn code(&self) -> Option<&str> {
        self.exchange().map(|error| error.code.as_str())
    }

    /// The HTTP status of the answer, where there is one.
    pub fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Exchange(error) => Some(error.status),
            Self::Unreadable(answer) => Some(answer.status),
            Self::Unknown(unknown) => unknown.why.status(),
            _ => None,
        }
    }

    /// The message of the answer, where the exchange or something before it answered with an error.
    pub fn message(&self) -> Option<&str> {
        self.exchange().map(|error| error.message.as_str())
    }

    /// The answer of the exchange, or of something before it, where that is the error.
    pub fn exchange(&self) -> Option<&ExchangeError> {
        match self {
            Self::Exchange(error) => Some(error),
            Self::Unknown(unknown) => unknown.why.exchange(),
            _ => None,
        }
    }

    /// The likely reason why the credentials or the signature were not accepted; `None` where that is not the error.
    pub fn credential_cause(&self) -> Option<CredentialCause> {
        self.exchange().and_then(ExchangeError::credential_cause)
    }

    /// How the call ended.
    pub fn ending(&self) -> Ending {
        match self {
            Self::Refused(_) => Ending::Refused,
            Self::Unsigned(_) => Ending::Unsigned,
            Self::Limited(_) | Self::LimiterFailed(_) => Ending::Limited,
            Self::Exchange(error) => error.ending,
            Self::Transport(failure) => ending_of(&failure.error),
            Self::Unreadable(_) => Ending::Unreadable,
            Self::Unknown(unknown) => unknown.why.ending(),
        }
    }
}

/// How a call ends that has no answer.
pub(crate) fn ending_of(error: &TransportError) -> Ending {
    match (error.sent(), error.kind()) {
        (WasSent::No, TransportErrorKind::Connect) => Ending::NotConnected,
        (WasSent::No, _) => Ending::NotWritten,
        (WasSent::Maybe, TransportErrorKind::Timeout) => Ending::TimedOut,
        (WasSent::Maybe, TransportErrorKind::BodyTooLarge) => Ending::AnswerTooLong,
        (WasSent::Maybe, _) => Ending::ConnectionLost,
    }
}
