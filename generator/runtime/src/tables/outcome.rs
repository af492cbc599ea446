//! What requests change, how calls end, and what the outcome proves about the change.

use std::fmt;

/// What an operation changes. Reads are always safe to repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Read,
    /// Something is created: a repeat creates another one.
    Create,
    /// Something is amended.
    Amend,
    /// Orders are cancelled.
    Cancel,
    /// Positions are closed.
    Close,
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It had no effect.
    NotDone,
    /// It had its effect.
    Done,
    /// It is unknown whether it had its effect: query it before repeating it.
    Unknown,
}

impl Outcome {
    /// The outcome of a request with items of these outcomes: it is unknown if that of an item is, and done if an item
    /// is done. `None` without items.
    pub(crate) fn of_all(items: impl IntoIterator<Item = Self>) -> Option<Self> {
        items.into_iter().reduce(|one, other| match (one, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Done, _) | (_, Self::Done) => Self::Done,
            (Self::NotDone, Self::NotDone) => Self::NotDone,
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotDone => "it had no effect",
            Self::Done => "it had its effect",
            Self::Unknown => "its outcome is unknown, so query it before repeating it",
        })
    }
}

macro_rules! call_results {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $sent:literal;)*) => {
        /// How a call can end.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum CallResult { $($(#[$doc])* $name,)* }

        impl CallResult {
            /// Every result, from those before sending to those after the response.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The word for it in the schema.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// Whether the exchange may have received the request.
            pub const fn may_be_sent(self) -> bool {
                match self { $(Self::$name => $sent,)* }
            }
        }
    };
}

call_results! {
    /// The documents forbid the request.
    Refused = "refused", false;
    /// The request cannot be signed.
    Unsigned = "unsigned", false;
    /// A rate limit is used up.
    Limited = "limited", false;
    /// No connection was established.
    NotConnected = "not-connected", false;
    /// The connection was lost before anything of the request was written.
    NotWritten = "not-written", false;
    /// The connection was lost while the request was written, after that, or within the response.
    ConnectionLost = "connection-lost", true;
    /// There was no complete response in time.
    TimedOut = "timed-out", true;
    /// The response exceeds the maximum length.
    AnswerTooLong = "answer-too-long", true;
    /// The response is a success.
    Success = "success", true;
    /// The response has a documented code.
    ListedCode = "listed-code", true;
    /// The response has an undocumented code that several independent sources have observed.
    ObservedCode = "observed-code", true;
    /// The response has a code for a refused timestamp.
    TimestampRefused = "timestamp-refused", true;
    /// The response has a code for refused credentials.
    CredentialsRefused = "credentials-refused", true;
    /// The response has a code that is not trusted.
    UnlistedCode = "unlisted-code", true;
    /// HTTP status 429 without an envelope.
    TooManyRequests = "too-many-requests", true;
    /// An HTTP status from 500 on without an envelope.
    ServerError = "server-error", true;
    /// Another HTTP status than that of success, without an envelope.
    OtherStatus = "other-status", true;
    /// The response has the status of a success and cannot be read.
    Unreadable = "unreadable", true;
    /// The response is a success and lists an item of the request as failed, without a code.
    ItemFailed = "item-failed", true;
    /// The response is a success and does not mention an item of the request.
    ItemUnaccounted = "item-unaccounted", true;
}

/// The outcome of a request, by how its call ended.
#[derive(Clone, Copy, Debug)]
pub struct OutcomeRow {
    /// How the call ended.
    pub when: CallResult,
    /// The outcome; `None` if it depends on the code.
    pub outcome: Option<Outcome>,
    /// The reason.
    pub why: &'static str,
}
