//! The reasons why a call fails, and why a client cannot be built.

mod budget;
mod build;
mod exchange;
mod journal;
mod limit;
mod transport;
mod unknown;

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;

use crate::data::account::AccountMismatch;
use crate::data::checks::Violations;
use crate::data::clock::Skew;
use crate::data::tables::{CallResult, CredentialCause, Effect, Outcome};

pub use self::budget::{BudgetBound, BudgetEffects, BudgetObstacle, OverBudget};
pub use self::build::BuildError;
pub use self::exchange::{Code, ExchangeError, UnreadableAnswer};
pub use self::journal::{JournalError, NotStored};
pub use self::limit::{BindingLimit, Limited, LimiterErrorKind, LimiterFailure};
pub use self::transport::{Delivery, TransportError, TransportErrorKind};
pub use self::unknown::{SentRequest, UnknownOutcome};

/// The length of the longest code that an exchange sends; a longer text may contain anything.
pub(crate) const LONGEST_CODE: usize = 32;

/// The reason why a call did not succeed.
///
/// `{:?}` prints the sentence of the error and what to do, for programs that return it from `main`; `{:#?}` prints all
/// fields.
///
/// A call that changes something has one of three outcomes: it had its effect, which is `Ok`; its outcome is unknown,
/// which is always [`Error::Unknown`]; or it had no effect, which is every other error.
#[non_exhaustive]
pub enum Error {
    /// The request breaks a rule of the documents; it was not sent.
    Refused(Box<Refusal>),
    /// The request cannot be signed, or may not leave; it was not sent.
    Unsigned(Box<Unsigned>),
    /// A rate limit is used up, and the client is set not to wait; the request was not sent.
    Limited(Box<Limited>),
    /// The limiter failed, so it is not known whether there is room; the request was not sent.
    LimiterFailed(Box<LimiterFailure>),
    /// The journal cannot store the change; it was not sent.
    NotStored(Box<NotStored>),
    /// The order cannot be amended now, as far as the client, which tracks orders, knows; the request was not sent.
    NotAmendable(Box<NotAmendable>),
    /// The budget of the client does not cover the request; it was not sent.
    OverBudget(Box<OverBudget>),
    /// The exchange refused the request.
    Exchange(Box<ExchangeError>),
    /// There is no response.
    Transport(Box<TransportFailure>),
    /// The response cannot be read.
    Unreadable(Box<UnreadableAnswer>),
    /// The request may or may not have had its effect. Query what it was to change: a repeat could have the effect
    /// twice.
    Unknown(Box<UnknownOutcome>),
}

/// A request that was not sent because it breaks a rule of the documents.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refusal {
    /// The id of the operation.
    pub operation: &'static str,
    /// The broken rules.
    pub violations: Violations,
    /// The properties of the account whose stated values contradict the exchange's answers; rules may depend on them.
    pub mismatches: Vec<AccountMismatch>,
}

impl Refusal {
    /// Returns the refusal of a request whose check does not depend on the account.
    pub(crate) fn new(operation: &'static str, violations: Violations) -> Self {
        Self { operation, violations, mismatches: Vec::new() }
    }
}

/// A request that was not sent because it cannot be signed, or may not leave any more.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unsigned {
    /// The id of the operation.
    pub operation: &'static str,
    /// The missing part, or the reason that keeps the request from leaving.
    pub why: &'static str,
    /// The offset of the exchange's clock, if that is the reason.
    pub skew: Option<Skew>,
    /// True if the time within which it had to leave is over.
    pub is_late: bool,
    /// The time that the call waited for its rate limits.
    pub waited: Duration,
}

/// A request without a response.
#[derive(Debug)]
#[non_exhaustive]
pub struct TransportFailure {
    /// The id of the operation.
    pub operation: &'static str,
    /// The effect of the operation; reads have none.
    pub effect: Effect,
    /// The outcome of the request.
    pub outcome: Outcome,
    /// The failure.
    pub error: TransportError,
    /// The time that the call waited for its rate limits.
    pub waited: Duration,
}

impl Error {
    /// Returns the id of the operation that was called.
    pub fn operation(&self) -> &'static str {
        match self {
            Self::Refused(refusal) => refusal.operation,
            Self::Unsigned(unsigned) => unsigned.operation,
            Self::Limited(limited) => limited.operation,
            Self::LimiterFailed(failure) => failure.operation,
            Self::NotStored(change) => change.operation,
            Self::NotAmendable(refusal) => refusal.operation,
            Self::OverBudget(refusal) => refusal.operation,
            Self::Exchange(error) => error.operation,
            Self::Transport(failure) => failure.operation,
            Self::Unreadable(answer) => answer.operation,
            Self::Unknown(unknown) => unknown.operation,
        }
    }

    /// Returns how long the call waited for its rate limits. A call that is refused at once has not waited.
    pub fn waited(&self) -> Duration {
        match self {
            Self::Refused(_) | Self::Limited(_) | Self::NotAmendable(_) | Self::OverBudget(_) => Duration::ZERO,
            Self::Unsigned(unsigned) => unsigned.waited,
            Self::LimiterFailed(failure) => failure.waited,
            Self::NotStored(change) => change.waited,
            Self::Exchange(error) => error.waited,
            Self::Transport(failure) => failure.waited,
            Self::Unreadable(answer) => answer.waited,
            Self::Unknown(unknown) => unknown.why.waited(),
        }
    }

    /// Returns the same error of a call that waited for `time`.
    pub(crate) fn after_waiting(mut self, time: Duration) -> Self {
        self.set_waited(time);
        self
    }

    fn set_waited(&mut self, time: Duration) {
        match self {
            Self::Refused(_) | Self::Limited(_) | Self::NotAmendable(_) | Self::OverBudget(_) => {}
            Self::Unsigned(unsigned) => unsigned.waited = time,
            Self::LimiterFailed(failure) => failure.waited = time,
            Self::NotStored(change) => change.waited = time,
            Self::Exchange(error) => error.waited = time,
            Self::Transport(failure) => failure.waited = time,
            Self::Unreadable(answer) => answer.waited = time,
            Self::Unknown(unknown) => unknown.why.set_waited(time),
        }
    }

    /// Returns whether the request had no effect, or may have had one.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Refused(_)
            | Self::Unsigned(_)
            | Self::Limited(_)
            | Self::LimiterFailed(_)
            | Self::NotStored(_)
            | Self::NotAmendable(_)
            | Self::OverBudget(_) => Outcome::NotDone,
            Self::Exchange(error) => error.outcome,
            Self::Transport(failure) => failure.outcome,
            Self::Unreadable(answer) => answer.outcome,
            Self::Unknown(_) => Outcome::Unknown,
        }
    }

    /// Returns what to do about the error, unless its text says so.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::Limited(_) => Some("wait, or let the client wait with `LimitMode::Wait`"),
            Self::Transport(failure) if failure.error.is_about_certificate() => Some(
                "the certificate of the server is not accepted: check the address, or trust its root with \
                 `ClientBuilder::tls`",
            ),
            Self::Transport(failure) if failure.error.sent() == Delivery::NotSent => {
                Some("check the address and the network, and call again")
            }
            Self::NotAmendable(refusal) => Some(refusal.why.remedy()),
            Self::OverBudget(refusal) => refusal.remedy(),
            Self::Exchange(error) => error.remedy(),
            Self::Unknown(unknown) => Some(unknown.remedy),
            Self::Refused(_)
            | Self::Unsigned(_)
            | Self::LimiterFailed(_)
            | Self::NotStored(_)
            | Self::Transport(_)
            | Self::Unreadable(_) => None,
        }
    }

    /// Returns the code, if the exchange or a gateway before it responded with an error.
    pub fn code(&self) -> Option<&str> {
        self.exchange().map(|error| error.code.as_str())
    }

    /// Returns the code, unless it is too long to be one.
    pub(crate) fn short_code(&self) -> Option<&str> {
        self.code().filter(|code| code.len() <= LONGEST_CODE)
    }

    /// Returns the HTTP status, if there is a response.
    pub fn status(&self) -> Option<StatusCode> {
        self.response().map(|(status, _)| status)
    }

    /// Returns the whole response, if there is one.
    pub fn raw(&self) -> Option<&Bytes> {
        self.response().map(|(_, raw)| raw)
    }

    /// Returns the status and the body of the response, if there is one.
    fn response(&self) -> Option<(StatusCode, &Bytes)> {
        match self {
            Self::Exchange(error) => Some((error.status, &error.raw)),
            Self::Unreadable(answer) => Some((answer.status, &answer.raw)),
            Self::Unknown(unknown) => unknown.why.response(),
            Self::Refused(_)
            | Self::Unsigned(_)
            | Self::Limited(_)
            | Self::LimiterFailed(_)
            | Self::NotStored(_)
            | Self::NotAmendable(_)
            | Self::OverBudget(_)
            | Self::Transport(_) => None,
        }
    }

    /// Returns the message, if the exchange or a gateway before it responded with an error.
    pub fn message(&self) -> Option<&str> {
        self.exchange().map(|error| error.message.as_str())
    }

    /// Returns the error that the exchange or a gateway before it responded with, if it is one.
    pub fn exchange(&self) -> Option<&ExchangeError> {
        match self {
            Self::Exchange(error) => Some(error),
            Self::Unknown(unknown) => unknown.why.exchange(),
            Self::Refused(_)
            | Self::Unsigned(_)
            | Self::Limited(_)
            | Self::LimiterFailed(_)
            | Self::NotStored(_)
            | Self::NotAmendable(_)
            | Self::OverBudget(_)
            | Self::Transport(_)
            | Self::Unreadable(_) => None,
        }
    }

    /// Returns the likely reason why the credentials or the signature were refused, if they were.
    pub fn credential_cause(&self) -> Option<CredentialCause> {
        self.exchange().and_then(ExchangeError::credential_cause)
    }

    /// Returns how the call ended. Of requests that were not sent, one that the state of its order rules out counts as
    /// [`Refused`](CallResult::Refused), like one that a budget does not cover; one that the journal could not store as
    /// [`Unsigned`](CallResult::Unsigned), and one whose limiter failed as [`Limited`](CallResult::Limited).
    pub fn call_result(&self) -> CallResult {
        match self {
            Self::Refused(_) | Self::NotAmendable(_) | Self::OverBudget(_) => CallResult::Refused,
            Self::Unsigned(_) | Self::NotStored(_) => CallResult::Unsigned,
            Self::Limited(_) | Self::LimiterFailed(_) => CallResult::Limited,
            Self::Exchange(error) => error.call_result,
            Self::Transport(failure) => call_result_of(&failure.error),
            Self::Unreadable(_) => CallResult::Unreadable,
            Self::Unknown(unknown) => unknown.why.call_result(),
        }
    }
}

/// Returns how a call without a response ended.
pub(crate) fn call_result_of(error: &TransportError) -> CallResult {
    match (error.sent(), error.kind()) {
        (Delivery::NotSent, TransportErrorKind::Connect) => CallResult::NotConnected,
        (Delivery::NotSent, _) => CallResult::NotWritten,
        (Delivery::MaybeSent, TransportErrorKind::Timeout) => CallResult::TimedOut,
        (Delivery::MaybeSent, TransportErrorKind::BodyTooLarge) => CallResult::AnswerTooLong,
        (Delivery::MaybeSent, _) => CallResult::ConnectionLost,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operation = self.operation();
        match self {
            Self::Refused(refusal) => {
                write!(f, "{operation} was not sent, because it breaks a rule:\n{}", refusal.violations)?;
                refusal.mismatches.iter().try_for_each(|mismatch| write!(f, "\n{mismatch}"))
            }
            Self::Unsigned(unsigned) => {
                write!(f, "{operation} was not sent: {}", unsigned.why)?;
                unsigned.skew.map_or(Ok(()), |skew| write!(f, ": {skew}"))
            }
            Self::Limited(limited) => write!(f, "{operation} was not sent: {limited}"),
            Self::LimiterFailed(failure) => write!(f, "{operation} was not sent: {}: {}", failure.kind, failure.why),
            Self::NotStored(change) => write!(f, "{operation} was not sent: {}", change.why),
            Self::NotAmendable(refusal) => write!(f, "{operation} was not sent: {refusal}"),
            Self::OverBudget(refusal) => write!(f, "{operation} was not sent: {refusal}"),
            Self::Exchange(error) => {
                write!(f, "{operation} failed: {error}")?;
                write_outcome(f, error.effect, error.outcome)
            }
            Self::Transport(failure) => {
                write!(f, "{operation} got no response: {}", failure.error)?;
                write_outcome(f, failure.effect, failure.outcome)
            }
            Self::Unreadable(answer) => {
                let UnreadableAnswer { status, error, .. } = &**answer;
                write!(f, "{operation} got a response that cannot be read (HTTP status {status}): {error}")?;
                write_outcome(f, answer.effect, answer.outcome)
            }
            Self::Unknown(unknown) => unknown.fmt(f),
        }
    }
}

/// Returns the outcome of a change; a read has none.
fn write_outcome(f: &mut fmt::Formatter<'_>, effect: Effect, outcome: Outcome) -> fmt::Result {
    if effect == Effect::Read { Ok(()) } else { write!(f, "; {outcome}") }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            write!(f, "{self}")?;
            // The remedy of the outcome comes first, and that of the code after it, if it is another one.
            let of_code = self.exchange().and_then(ExchangeError::remedy);
            let mut remedies =
                self.remedy().into_iter().chain(of_code.filter(|of_code| self.remedy() != Some(of_code)));
            return remedies.try_for_each(|remedy| write!(f, "\n{remedy}"));
        }
        let (name, fields): (_, &dyn fmt::Debug) = match self {
            Self::Refused(fields) => ("Refused", fields),
            Self::Unsigned(fields) => ("Unsigned", fields),
            Self::Limited(fields) => ("Limited", fields),
            Self::LimiterFailed(fields) => ("LimiterFailed", fields),
            Self::NotStored(fields) => ("NotStored", fields),
            Self::NotAmendable(fields) => ("NotAmendable", fields),
            Self::OverBudget(fields) => ("OverBudget", fields),
            Self::Exchange(fields) => ("Exchange", fields),
            Self::Transport(fields) => ("Transport", fields),
            Self::Unreadable(fields) => ("Unreadable", fields),
            Self::Unknown(fields) => ("Unknown", fields),
        };
        f.debug_tuple(name).field(fields).finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            // The text contains the other sources already.
            Self::NotStored(change) => change.why.source(),
            Self::Transport(failure) => failure.error.source(),
            Self::Unknown(unknown) => unknown.why.source(),
            Self::Refused(_)
            | Self::Unsigned(_)
            | Self::Limited(_)
            | Self::LimiterFailed(_)
            | Self::NotAmendable(_)
            | Self::OverBudget(_)
            | Self::Exchange(_)
            | Self::Unreadable(_) => None,
        }
    }
}

/// An amendment that was not sent because of the order's tracked state.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotAmendable {
    /// The id of the operation.
    pub operation: &'static str,
    /// The id of the order.
    pub order: String,
    /// The obstacle to the amendment.
    pub why: AmendmentObstacle,
}

/// An obstacle to an amendment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AmendmentObstacle {
    /// A record showed the order in a state in which the documents rule an amendment out.
    State {
        /// The state, as on the wire.
        state: &'static str,
    },
    /// The order already has the maximum number of pending amendments. One whose outcome is unknown counts until a
    /// query or a record shows its result, or until it can no longer arrive.
    InFlight {
        /// The number of amendments under way.
        in_flight: u32,
        /// The number of amendments that may be under way, the refused one included.
        at_most: u32,
    },
}

impl AmendmentObstacle {
    /// Returns what to do.
    fn remedy(self) -> &'static str {
        match self {
            Self::State { .. } => "query the order; if it has ended, place another one",
            Self::InFlight { .. } => "wait for the result of the other amendment, and call again",
        }
    }
}

impl fmt::Display for NotAmendable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { order, .. } = self;
        match self.why {
            AmendmentObstacle::State { state } => write!(f, "the order {order} is {state}, which cannot be amended"),
            AmendmentObstacle::InFlight { in_flight, at_most } => {
                write!(f, "{in_flight} of at most {at_most} amendments of the order {order} are under way")
            }
        }
    }
}

debug_as_sentence!(NotAmendable);

impl StdError for NotAmendable {}
