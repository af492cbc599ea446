//! Words about how calls end, what codes prove, and how answers differ from the documents.

use std::fmt;
use std::time::Duration;

use crate::Effect;

crate::words! {
    /// The end of a call, from the results before sending to those after the response.
    pub enum CallResult {
        /// The documents forbid the request.
        Refused = "refused",
        /// The request cannot be signed.
        Unsigned = "unsigned",
        /// A rate limit is used up.
        Limited = "limited",
        /// No connection was established.
        NotConnected = "not-connected",
        /// The connection was lost before anything of the request was written.
        NotWritten = "not-written",
        /// The connection was lost while the request was written, after that, or within the response.
        ConnectionLost = "connection-lost",
        /// There was no complete response in time.
        TimedOut = "timed-out",
        /// The response exceeds the maximum length.
        AnswerTooLong = "answer-too-long",
        /// The response is a success.
        Success = "success",
        /// The response has a documented code.
        ListedCode = "listed-code",
        /// The response has an undocumented code that several independent sources have observed.
        ObservedCode = "observed-code",
        /// The response has a code for a refused timestamp.
        TimestampRefused = "timestamp-refused",
        /// The response has a code for refused credentials.
        CredentialsRefused = "credentials-refused",
        /// The response has a code that is not trusted.
        UnlistedCode = "unlisted-code",
        /// HTTP status 429 without an envelope.
        TooManyRequests = "too-many-requests",
        /// An HTTP status from 500 on without an envelope.
        ServerError = "server-error",
        /// Another HTTP status than that of success, without an envelope.
        OtherStatus = "other-status",
        /// The response has the status of a success and cannot be read.
        Unreadable = "unreadable",
        /// The response is a success and lists an item of the request as failed, without a code.
        ItemFailed = "item-failed",
        /// The response is a success and does not mention an item of the request.
        ItemUnaccounted = "item-unaccounted",
    }

    /// The outcome of a change whose call ends in a certain way.
    pub enum RowOutcome {
        /// The change had no effect.
        NotDone = "not_done",
        /// The change had its effect.
        Done = "done",
        /// The change may have had its effect.
        Unknown = "unknown",
        /// The outcome that the code of the answer proves.
        ByCode = "by_code",
    }

    /// The proof that a code gives about the request that it answers. It proves nothing about an earlier attempt.
    pub enum CodeProof {
        /// The request had no effect.
        NotDone = "not_done",
        /// Nothing: the request may have had its effect.
        Unknown = "unknown",
        /// The order does not exist: an amendment, a cancel or a close had no effect, or the query has its result.
        NoSuchOrder = "no_such_order",
        /// The client id of a new order was used before: query the order that has it.
        DuplicateId = "duplicate_id",
        /// The timestamp of the request was refused, so the request was not processed.
        Timestamp = "timestamp",
        /// The credentials were refused, so the request was not processed.
        Credentials = "credentials",
        /// There were too many requests, so this one was refused.
        Rate = "rate",
    }

    /// The stage of processing at which a request was refused.
    #[derive(PartialOrd, Ord)]
    pub enum Stage {
        /// The gateway, before the request was read.
        Gateway = "gateway",
        /// The check of permissions.
        Permission = "permission",
        /// The check of parameters, by the request alone.
        Parameters = "parameters",
        /// The rules of trading: a balance, a price, the state of an order.
        Trading = "trading",
    }

    /// The likely reason why credentials were refused.
    pub enum CredentialCause {
        /// The clock of this machine differs from the exchange's.
        Clock = "clock",
        /// The API key is wrong, empty or deleted.
        Key = "key",
        /// The secret is wrong, so the signature does not match.
        Secret = "secret",
        /// The passphrase is wrong.
        Passphrase = "passphrase",
        /// The key does not allow this address.
        Ip = "ip",
        /// The key lacks the permission.
        Permission = "permission",
        /// A demo key is used on the live market, or a live key on the demo market.
        Environment = "environment",
        /// The operation does not serve this kind of account.
        Account = "account",
    }

    /// A difference between an answer and the documents, as reports of drift spell it.
    #[derive(PartialOrd, Ord)]
    pub enum DriftKind {
        /// An undocumented field.
        UnknownField = "unknown field",
        /// An undocumented value of an enum.
        UnknownValue = "unknown value",
        /// A value of the enum that is not listed for this field.
        ValueNotListedHere = "value not listed here",
        /// A field that never occurred, and has no condition.
        MissingField = "missing field",
        /// A readable value that is written as another kind of JSON.
        WrittenOtherwise = "written otherwise",
        /// A value that could not be read.
        Unreadable = "unreadable",
        /// An undocumented error code.
        UnlistedCode = "unlisted code",
        /// Something undocumented that the schema contains because it was observed before.
        Observed = "observed",
    }
}

impl CallResult {
    /// Returns whether the exchange may have received the request.
    pub const fn may_be_sent(self) -> bool {
        !matches!(self, Self::Refused | Self::Unsigned | Self::Limited | Self::NotConnected | Self::NotWritten)
    }

    /// Returns the outcome of a change whose call ends so, in an API that does not state it.
    pub const fn usual_outcome(self) -> RowOutcome {
        match self {
            Self::Success => RowOutcome::Done,
            Self::ListedCode | Self::ObservedCode | Self::ItemFailed => RowOutcome::ByCode,
            _ if !self.may_be_sent() => RowOutcome::NotDone,
            _ => RowOutcome::Unknown,
        }
    }
}

/// The assumptions about an exchange and the clocks that outcomes rest on.
///
/// Where one does not hold, an order that exists can be reported as not placed. Larger values assume less, and take
/// longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assumptions {
    /// The longest time that an exchange may take to carry out a request that it accepted. By default 10 seconds.
    pub settling: Duration,
    /// The longest time that a machine that answers may be behind the one that took a request. By default a minute.
    pub lag: Duration,
    /// The time by which the clocks of this machine and of the one that answers may both be off from the clock that
    /// requests are accepted by. By default a minute.
    pub clock_error: Duration,
    /// The longest distance between clocks of one exchange. By default two seconds.
    pub clock_distance: Duration,
    /// The number of answers in a row that have to deny what a request was to create; at least one. By default two.
    pub denials: u32,
}

impl Assumptions {
    /// The default assumptions.
    pub const DEFAULT: Self = Self {
        settling: Duration::from_secs(10),
        lag: Duration::from_secs(60),
        clock_error: Duration::from_secs(60),
        clock_distance: Duration::from_secs(2),
        denials: 2,
    };

    /// Returns how long after its signature a request with this window may be carried out, by a clock that may be wrong
    /// together with the exchange's.
    pub const fn carried_out_after(&self, window: Duration) -> Duration {
        window.saturating_add(self.clock_error).saturating_add(self.settling)
    }

    /// Returns the same until every machine shows its effect.
    pub const fn visible_after(&self, window: Duration) -> Duration {
        self.carried_out_after(window).saturating_add(self.lag)
    }

    /// Returns how long after the exchange accepted a request its effect is visible on every machine.
    pub const fn shown_after(&self) -> Duration {
        self.settling.saturating_add(self.lag)
    }
}

impl Default for Assumptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The time after a request at which a copy of it may follow, unless a client assumes another one.
pub const REPEATS_AFTER: Duration = Duration::from_secs(1);

impl CodeProof {
    /// Returns the stage of a refusal with this proof, unless another is stated.
    pub const fn usual_stage(self) -> Stage {
        match self {
            Self::Timestamp | Self::Credentials | Self::Rate => Stage::Gateway,
            Self::NotDone | Self::Unknown | Self::NoSuchOrder | Self::DuplicateId => Stage::Trading,
        }
    }

    /// Returns whether a request that was refused at `stage` may have had its effect. A `compound` request does several
    /// things, and some may be done when the rules of trading stop another.
    pub fn leaves_open(self, stage: Stage, effect: Effect, compound: bool) -> bool {
        let may_be_partly_done = compound && stage == Stage::Trading;
        match (self, effect) {
            (_, Effect::Read) | (Self::Timestamp | Self::Credentials | Self::Rate, _) => false,
            (Self::NotDone, _) | (Self::NoSuchOrder, Effect::Amend | Effect::Cancel | Effect::Close) => {
                may_be_partly_done
            }
            (Self::NoSuchOrder | Self::DuplicateId | Self::Unknown, _) => true,
        }
    }
}

impl fmt::Display for CredentialCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Clock => "the clock of this machine",
            Self::Key => "the API key",
            Self::Secret => "the secret, or the clock",
            Self::Passphrase => "the passphrase",
            Self::Ip => "an IP address that the key does not allow",
            Self::Permission => "a missing permission of the key",
            Self::Environment => "a demo key on the live market, or a live key on the demo market",
            Self::Account => "a kind of account that the operation does not serve",
        })
    }
}
