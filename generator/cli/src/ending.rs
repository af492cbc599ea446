//! How a command ends.

use std::process::ExitCode;

use tradeapi_runtime::json::JsonWriter;
use tradeapi_runtime::tables::Outcome;
use tradeapi_runtime::{Error, Violations};

/// How a command ends, which its exit status states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything was done: 0.
    Done,
    /// Something was not done, and had no effect: 1.
    NotDone,
    /// Nothing was sent: 2.
    Refused,
    /// It is not known whether something had its effect: 3.
    Unknown,
}

impl Ending {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::Done, Self::NotDone, Self::Refused, Self::Unknown];

    /// The word for it in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::NotDone => "not done",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
        }
    }

    /// The exit status.
    pub const fn status(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::NotDone => 1,
            Self::Refused => 2,
            Self::Unknown => 3,
        }
    }

    /// What it means, for the help.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::NotDone => "not done; it had no effect",
            Self::Refused => "refused before anything was sent",
            Self::Unknown => "unknown, also after queries: do not repeat it before it is known",
        }
    }

    /// That of several, of which some are done: an unknown one counts most.
    pub(crate) fn of_all(all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().fold(None, |sum, one| Some(Self::and(sum, one))).unwrap_or(Self::Done)
    }

    fn and(sum: Option<Self>, one: Self) -> Self {
        match (sum, one) {
            (None, one) => one,
            (Some(Self::Unknown), _) | (_, Self::Unknown) => Self::Unknown,
            (Some(sum), one) if sum == one => sum,
            _ => Self::NotDone,
        }
    }
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        ending.status().into()
    }
}

impl From<Outcome> for Ending {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::Done,
            Outcome::NotDone => Self::NotDone,
            Outcome::Unknown => Self::Unknown,
        }
    }
}

/// How a command ended, and why it is not done.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) ending: Ending,
    pub(crate) failure: Option<Failure>,
}

/// Why something is not done, or not known to be done.
#[derive(Debug, Default)]
pub(crate) struct Failure {
    /// A sentence, or several lines.
    pub(crate) message: String,
    /// The exchange's code.
    pub(crate) code: Option<String>,
    /// The broken rules.
    pub(crate) violations: Violations,
    /// What to do.
    pub(crate) remedy: Option<&'static str>,
}

impl Ended {
    pub(crate) const DONE: Self = Self { ending: Ending::Done, failure: None };

    /// Nothing was sent, for this reason.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::failed(Ending::Refused, message)
    }

    /// It ended so, for this reason.
    pub(crate) fn failed(ending: Ending, message: impl Into<String>) -> Self {
        Self { ending, failure: Some(Failure { message: message.into(), ..Failure::default() }) }
    }

    /// It ended so, and what there is to say of it was reported.
    pub(crate) const fn reported(ending: Ending) -> Self {
        Self { ending, failure: None }
    }
}

impl From<Violations> for Ended {
    fn from(violations: Violations) -> Self {
        let message = format!("not sent, because it breaks a rule:\n{violations}");
        Self { ending: Ending::Refused, failure: Some(Failure { message, violations, ..Failure::default() }) }
    }
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        let (ending, failure) = of_error(&error);
        Self { ending, failure: Some(failure) }
    }
}

/// How a call ended that failed.
pub(crate) fn of_error(error: &Error) -> (Ending, Failure) {
    let (ending, violations) = match error {
        Error::Refused(refusal) => (Ending::Refused, refusal.violations.clone()),
        Error::Unsigned(_)
        | Error::Limited(_)
        | Error::LimiterFailed(_)
        | Error::NotStored(_)
        | Error::NotAmendable(_) => (Ending::Refused, Violations::default()),
        Error::Unknown(_) => (Ending::Unknown, Violations::default()),
        // Reads have no effect, and of a change every other error shows that there was none.
        _ => (Ending::NotDone, Violations::default()),
    };
    let remedy = if ending == Ending::Unknown { None } else { error.remedy() };
    (ending, Failure { message: error.to_string(), code: error.code().map(str::to_owned), violations, remedy })
}

impl Failure {
    /// The members that state it in JSON.
    pub(crate) fn write(&self, out: &mut JsonWriter) {
        out.member("error").string(&self.message);
        if let Some(code) = &self.code {
            out.member("code").string(code);
        }
        if let Some(remedy) = self.remedy {
            out.member("remedy").string(remedy);
        }
        if !self.violations.is_empty() {
            write_violations("violations", &self.violations, out);
        }
    }
}

/// A list of violations.
pub(crate) fn write_violations(name: &str, violations: &Violations, out: &mut JsonWriter) {
    out.member(name).begin_array();
    for violation in violations {
        let out = out.element();
        out.begin_object();
        for (name, text) in [
            ("rule", &violation.rule),
            ("parameter", &violation.parameter),
            ("given", &violation.given),
            ("allowed", &violation.allowed),
            ("source", &violation.source),
            ("hint", &violation.hint),
        ] {
            if !text.is_empty() {
                out.member(name).string(text);
            }
        }
        out.end_object();
    }
    out.end_array();
}

#[cfg(test)]
mod tests {
    use super::Ending::{Done, NotDone, Refused, Unknown};
    use super::*;

    #[test]
    fn one_unknown_item_makes_the_whole_unknown() {
        for (all, whole) in [
            (vec![], Done),
            (vec![Done, Done], Done),
            (vec![Done, NotDone], NotDone),
            (vec![NotDone, Unknown, Done], Unknown),
            (vec![Refused, Refused], Refused),
            (vec![Done, Refused], NotDone),
        ] {
            assert_eq!(Ending::of_all(all.clone()), whole, "{all:?}");
        }
    }
}
