use std::fmt;

use super::{Api, Effect};

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It surely had no effect.
    NotDone,
    /// It surely had its effect.
    Done,
    /// It may have had an effect: ask before repeating it.
    Unknown,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotDone => "it surely had no effect",
            Self::Done => "it surely had its effect",
            Self::Unknown => "it may have had an effect, so ask before repeating it",
        })
    }
}

macro_rules! endings {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $sent:literal;)*) => {
        /// How a call can end.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Ending { $($(#[$doc])* $name,)* }

        impl Ending {
            /// Every way a call can end, from those before sending to those after the answer.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The word for it in the schema.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// Whether the exchange may have got the request.
            pub const fn may_be_sent(self) -> bool {
                match self { $(Self::$name => $sent,)* }
            }
        }
    };
}

endings! {
    /// The documents forbid the request.
    Refused = "refused", false;
    /// The request cannot be signed.
    Unsigned = "unsigned", false;
    /// A rate limit is used up.
    Limited = "limited", false;
    /// No connection came about.
    NotConnected = "not-connected", false;
    /// The connection was lost before anything of the request was written.
    NotWritten = "not-written", false;
    /// The connection was lost while the request was written, after it, or within the answer.
    ConnectionLost = "connection-lost", true;
    /// There was no whole answer in time.
    TimedOut = "timed-out", true;
    /// The answer is longer than is taken.
    AnswerTooLong = "answer-too-long", true;
    /// The answer is a success.
    Success = "success", true;
    /// The answer has a code that the documents list.
    ListedCode = "listed-code", true;
    /// The answer has a code that no document lists, but several independent sources do.
    ObservedCode = "observed-code", true;
    /// The answer has a code that says that the request's timestamp was not accepted.
    TimestampRefused = "timestamp-refused", true;
    /// The answer has a code that says that the credentials were not accepted.
    CredentialsRefused = "credentials-refused", true;
    /// The answer has a code that nobody is certain of.
    UnlistedCode = "unlisted-code", true;
    /// HTTP status 429 without an envelope.
    TooManyRequests = "too-many-requests", true;
    /// An HTTP status from 500 on without an envelope.
    ServerError = "server-error", true;
    /// Another HTTP status that is no success, without an envelope.
    OtherStatus = "other-status", true;
    /// The answer has the status of a success and makes no sense.
    Unreadable = "unreadable", true;
    /// The answer is a success and lists an item of the request as failed, without a code.
    ItemFailed = "item-failed", true;
    /// The answer is a success and does not tell of an item of the request.
    ItemUnaccounted = "item-unaccounted", true;
}

/// What a request came to, by how its call ended.
#[derive(Clone, Copy, Debug)]
pub struct OutcomeRow {
    /// How the call ended.
    pub when: Ending,
    /// What became of the request; `None` when the code tells.
    pub outcome: Option<Outcome>,
    /// Why it is so.
    pub why: &'static str,
}

impl Api {
    /// The outcome of a request that changes something. `by_code` is what the code of the answer proves, for the rows
    /// that leave it to the code. Without a row it is unknown as soon as the exchange may have got the request, but for
    /// codes and items that prove something by themselves.
    pub fn outcome(&self, when: Ending, by_code: Outcome) -> Outcome {
        match self.outcomes.iter().find(|row| row.when == when) {
            Some(row) => row.outcome.unwrap_or(by_code),
            None if !when.may_be_sent() => Outcome::NotDone,
            None => match when {
                Ending::Success => Outcome::Done,
                Ending::ListedCode | Ending::ObservedCode | Ending::ItemFailed => by_code,
                _ => Outcome::Unknown,
            },
        }
    }

    /// The same of a request with this effect: one that only reads never has an effect.
    pub(crate) fn outcome_of(&self, effect: Effect, when: Ending, by_code: Outcome) -> Outcome {
        match effect {
            Effect::Read => Outcome::NotDone,
            _ => self.outcome(when, by_code),
        }
    }
}
