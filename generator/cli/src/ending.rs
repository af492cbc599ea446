//! The end of a command.

use std::process::ExitCode;

use tradeapi_runtime::json::JsonWriter;
use tradeapi_runtime::tables::Outcome;
use tradeapi_runtime::{Error, Violations};

/// The end of a command, which its exit status states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything was done: 0.
    Done,
    /// Nothing was done, and there was no effect: 1.
    NotDone,
    /// Nothing was sent: 2.
    Refused,
    /// Something may have had an effect: 3.
    Unknown,
    /// Some items were done, and the others were not, which is known of each: 4.
    Partly,
    /// A change was done, and its result could not be written: 5.
    Unwritten,
}

impl Ending {
    /// All of them.
    pub(crate) const ALL: [Self; 6] =
        [Self::Done, Self::NotDone, Self::Refused, Self::Unknown, Self::Partly, Self::Unwritten];

    /// Returns the word for it in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::NotDone => "not done",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
            Self::Partly => "partly done",
            Self::Unwritten => "done, not written",
        }
    }

    /// Returns the exit status.
    pub const fn status(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::NotDone => 1,
            Self::Refused => 2,
            Self::Unknown => 3,
            Self::Partly => 4,
            Self::Unwritten => 5,
        }
    }

    /// Returns what it means, for the help.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::NotDone => "not done; it had no effect",
            Self::Refused => "refused before anything was sent",
            Self::Unknown => "unknown, also after queries: do not repeat it before it is known",
            Self::Partly => {
                "partly done: some items had their effect, and the others had none; each states its outcome"
            }
            Self::Unwritten => "done, and its result could not be written; standard error has it",
        }
    }

    /// Returns the ending of several: an unknown one counts most.
    pub(crate) fn of_all(all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().reduce(Self::and).unwrap_or(Self::Done)
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (one, other) if one == other => one,
            (Self::NotDone | Self::Refused, Self::NotDone | Self::Refused) => Self::NotDone,
            _ => Self::Partly,
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

/// The end of a command, and the reason why it is not done.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) ending: Ending,
    pub(crate) failure: Option<Failure>,
}

/// The reason why something is not done, or not known to be done.
#[derive(Debug, Default)]
pub(crate) struct Failure {
    /// A sentence, or several lines.
    pub(crate) message: String,
    /// The exchange's code.
    pub(crate) code: Option<String>,
    /// The request, if its outcome is unknown: its ids tell what to look for.
    pub(crate) request: Option<String>,
    /// The broken rules.
    pub(crate) violations: Violations,
    /// Advice on what to do.
    pub(crate) remedy: Option<&'static str>,
}

impl Ended {
    pub(crate) const DONE: Self = Self { ending: Ending::Done, failure: None };

    /// Creates the ending that nothing was sent, for this reason.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::failed(Ending::Refused, message)
    }

    /// Returns an end for this reason.
    pub(crate) fn failed(ending: Ending, message: impl Into<String>) -> Self {
        Self { ending, failure: Some(Failure { message: message.into(), ..Failure::default() }) }
    }

    /// Returns the same, with the request if the outcome of a change is unknown.
    pub(crate) fn with_request(mut self, json: &str) -> Self {
        if let (Ending::Unknown, Some(failure)) = (self.ending, &mut self.failure) {
            // A result is one line; within texts, JSON has no line breaks.
            failure.request = Some(json.replace(['\r', '\n'], " "));
        }
        self
    }

    /// Returns an end about which everything was reported.
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

/// Returns how a call ended that failed.
pub(crate) fn of_error(error: &Error) -> (Ending, Failure) {
    let (ending, violations) = match error {
        Error::Refused(refusal) => (Ending::Refused, refusal.violations.clone()),
        Error::Unsigned(_)
        | Error::Limited(_)
        | Error::LimiterFailed(_)
        | Error::NotStored(_)
        | Error::NotAmendable(_)
        | Error::OverBudget(_) => (Ending::Refused, Violations::default()),
        Error::Unknown(_) => (Ending::Unknown, Violations::default()),
        // Reads have no effect, and of a change every other error shows that there was none.
        _ => (Ending::NotDone, Violations::default()),
    };
    let remedy = if ending == Ending::Unknown { None } else { error.remedy() };
    let (message, code) = (error.to_string(), error.code().map(str::to_owned));
    (ending, Failure { message, code, violations, remedy, ..Failure::default() })
}

impl Failure {
    /// Writes the members that state it in JSON.
    pub(crate) fn write(&self, out: &mut JsonWriter) {
        out.member("error").string(&self.message);
        if let Some(code) = &self.code {
            out.member("code").string(code);
        }
        if let Some(request) = &self.request {
            out.member("request").raw(request);
        }
        if let Some(remedy) = self.remedy {
            out.member("remedy").string(remedy);
        }
        if !self.violations.is_empty() {
            write_violations("violations", &self.violations, out);
        }
    }
}

/// Writes a list of violations.
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
    use super::Ending::{Done, NotDone, Partly, Refused, Unknown};
    use super::*;

    #[test]
    fn one_unknown_item_makes_the_whole_unknown_and_a_mixture_is_partly_done() {
        for (all, whole) in [
            (vec![], Done),
            (vec![Done, Done], Done),
            (vec![Done, NotDone], Partly),
            (vec![NotDone, Done, NotDone], Partly),
            (vec![NotDone, Unknown, Done], Unknown),
            (vec![Refused, Refused], Refused),
            (vec![NotDone, Refused], NotDone),
            (vec![Done, Refused, Done], Partly),
        ] {
            assert_eq!(Ending::of_all(all.clone()), whole, "{all:?}");
        }
    }
}
