//! The reasons why a client cannot be built.

use std::convert::Infallible;
use std::error::Error as StdError;
use std::fmt;

/// The reason why a client cannot be built.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// The address cannot be used.
    BaseUrl {
        /// The mistake in the value.
        why: &'static str,
    },
    /// A header cannot be sent.
    Header {
        /// The name.
        name: String,
        /// The mistake in the value.
        why: String,
    },
    /// The key, the secret or the passphrase cannot be right.
    Credentials {
        /// The mistake in the value.
        why: &'static str,
    },
    /// A variable of the environment is not set, is empty, or is not text.
    Environment {
        /// The name.
        name: String,
    },
    /// The default transport cannot be set up, or settings of it are combined with another transport.
    Transport {
        /// The mistake.
        why: String,
    },
    /// The thread of a blocking client cannot be started.
    Thread {
        /// The error of the operating system.
        why: String,
    },
    /// The budget cannot be kept.
    Budget {
        /// The reason, and what to do.
        why: &'static str,
    },
    /// There is no transport: the features `hyper` and `reqwest` are off, and none is set.
    NoTransport,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BaseUrl { why } => write!(f, "the base address {why}"),
            Self::Header { name, why } => write!(f, "the header {name:?} {why}"),
            Self::Credentials { why } => write!(f, "the credentials cannot be used: {why}"),
            Self::Environment { name } => {
                write!(f, "the environment variable {name} is missing, empty or not text; export it")
            }
            Self::Transport { why } => write!(f, "the transport cannot be set up: {why}"),
            Self::Thread { why } => write!(f, "the thread of a blocking client cannot be started: {why}"),
            Self::Budget { why } => write!(f, "the budget cannot be kept: {why}"),
            Self::NoTransport => {
                f.write_str("there is no transport: set one, or enable the feature `hyper` or `reqwest`")
            }
        }
    }
}

debug_as_sentence!(BuildError);

impl StdError for BuildError {}

impl From<Infallible> for BuildError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
