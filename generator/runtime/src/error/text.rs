//! What errors say to people.

use std::error::Error as StdError;
use std::fmt;

use crate::tables::Certainty;

use super::{Error, ExchangeError, Limited, UnreadableAnswer};

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operation = self.operation();
        match self {
            Self::Refused(refusal) => {
                write!(f, "{operation} was not sent, because it is forbidden:\n{}", refusal.violations)
            }
            Self::Unsigned(unsigned) => {
                write!(f, "{operation} was not sent, because it cannot be signed: {}", unsigned.why)?;
                unsigned.skew.map_or(Ok(()), |skew| write!(f, ", for {skew}"))
            }
            Self::Limited(limited) => write!(f, "{operation} was not sent: {limited}"),
            Self::LimiterFailed(failure) => write!(f, "{operation} was not sent: {}: {}", failure.trouble, failure.why),
            Self::Exchange(error) => write!(f, "{operation} failed: {error}; {}", self.outcome()),
            Self::Transport(failure) => {
                write!(f, "{operation} has no answer: {}; {}", failure.error, self.outcome())
            }
            Self::Unreadable(answer) => {
                let UnreadableAnswer { status, error, .. } = &**answer;
                write!(
                    f,
                    "{operation} has an answer that cannot be read (HTTP status {status}): {error}; {}",
                    self.outcome()
                )
            }
            Self::Unknown(unknown) => unknown.fmt(f),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            // What is not named here is part of the text already.
            Self::Transport(failure) => failure.error.source(),
            Self::Unknown(unknown) => unknown.why.source(),
            _ => None,
        }
    }
}

impl fmt::Display for Limited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.binding {
            Some(binding) => write!(f, "{binding} is used up"),
            None => f.write_str("its rate limit is used up"),
        }?;
        write!(f, " for another {:.3} s at least", self.free_in.as_secs_f64())
    }
}

impl fmt::Display for ExchangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "code {}, HTTP status {}, {:?}", self.code, self.status, self.message)?;
        if let Some(known) = self.known {
            match (known.certainty, known.doc) {
                (Certainty::Documented, "") => {}
                (Certainty::Documented, doc) => write!(f, " ({doc})")?,
                (Certainty::Named | Certainty::Several, _) => write!(f, " (observed: {})", known.text)?,
                (Certainty::Single, _) => write!(f, " (observed by one source: {})", known.text)?,
                (Certainty::Conflicting, _) => write!(f, " (observed, sources disagree: {})", known.text)?,
            }
        }
        if let Some(cause) = self.credential_cause() {
            write!(f, "; likely cause: {cause}")?;
        }
        self.skew.map_or(Ok(()), |skew| write!(f, ": {skew}"))
    }
}

impl fmt::Debug for UnreadableAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 200;
        let beginning = &self.raw[..self.raw.len().min(SHOWN)];
        f.debug_struct("UnreadableAnswer")
            .field("operation", &self.operation)
            .field("status", &self.status)
            .field("error", &self.error)
            .field("raw_length", &self.raw.len())
            .field("raw_beginning", &String::from_utf8_lossy(beginning))
            .finish()
    }
}
