//! The members around the data of an answer.

use std::fmt;

use crate::compiler::diagnostics::Place;
use crate::compiler::words::Around;

use super::{Api, Operation};

/// The members around the data of an answer.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    pub(crate) around: Around,
    /// The paths to the code; the first that exists in an answer counts.
    pub(crate) code: Vec<AnswerPath>,
    pub(crate) message: Vec<AnswerPath>,
    pub(crate) time: Option<String>,
    /// The path to the data; `None` if the whole body is the data.
    pub(crate) data: Option<AnswerPath>,
    /// The code of success; `None` if only failures have a code.
    pub(crate) success: Option<String>,
    pub(crate) success_with: SuccessWith,
    pub(crate) beside: Vec<String>,
    pub(crate) place: Place,
}

/// The member of a success beside its code.
#[derive(Clone, Debug, Default)]
pub(crate) struct SuccessWith {
    pub(crate) message: Option<String>,
    /// The HTTP status.
    pub(crate) status: Option<u16>,
}

/// The path to a value within an answer: `error.code`, `errors[0]`, `[4]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AnswerPath(pub(crate) Vec<Step>);

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Member(String),
    Item(usize),
}

impl AnswerPath {
    /// Parses a path as the schema spells it.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut steps = Vec::new();
        for (place, part) in text.split('.').enumerate() {
            let (name, items) = part.split_once('[').map_or((part, None), |(name, rest)| (name, Some(rest)));
            // The answer itself can be an array.
            let is_item = place == 0 && items.is_some();
            if name.contains(']') || name.is_empty() && !is_item {
                return None;
            }
            if !name.is_empty() {
                steps.push(Step::Member(name.to_owned()));
            }
            for item in items.iter().flat_map(|items| items.split('[')) {
                steps.push(Step::Item(item.strip_suffix(']')?.parse().ok()?));
            }
        }
        Some(Self(steps))
    }

    /// Returns the first member; `None` if it begins with an item of an array.
    pub(crate) fn first(&self) -> Option<&str> {
        match self.0.first() {
            Some(Step::Member(name)) => Some(name),
            Some(Step::Item(_)) | None => None,
        }
    }

    /// Returns the member, if it is a path of one member.
    pub(crate) fn member(&self) -> Option<&str> {
        self.first().filter(|_| self.0.len() == 1)
    }
}

impl fmt::Display for AnswerPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            match step {
                Step::Member(name) if index == 0 => f.write_str(name)?,
                Step::Member(name) => write!(f, ".{name}")?,
                Step::Item(item) => write!(f, "[{item}]")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for SuccessWith {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { message, status } = self;
        let message = message.iter().map(|message| format!("message {message}"));
        let status = status.iter().map(|status| format!("status {status}"));
        f.write_str(&message.chain(status).collect::<Vec<_>>().join(", "))
    }
}

impl Envelope {
    /// Returns the member that is the code itself.
    pub(crate) fn code_member(&self) -> Option<&str> {
        self.code.iter().find_map(AnswerPath::member)
    }

    /// Returns whether the envelope can be an array.
    pub(crate) fn can_be_array(&self) -> bool {
        self.code.iter().chain(&self.message).chain(&self.data).any(|path| path.first().is_none())
    }

    /// Returns the members without duplicates and without the data.
    pub(crate) fn members(&self) -> Vec<&str> {
        let paths = self.code.iter().chain(&self.message).filter_map(AnswerPath::first);
        let all = paths.chain(self.time.as_deref()).chain(self.beside.iter().map(String::as_str));
        let mut members = Vec::new();
        for name in all {
            if !members.contains(&name) {
                members.push(name);
            }
        }
        members
    }
}

impl Operation {
    /// Returns the path to the data of a success; `None` if the data is the whole body.
    pub(crate) fn data_path<'a>(&'a self, api: &'a Api) -> Option<&'a AnswerPath> {
        self.data.as_ref().or_else(|| api.envelope.as_ref()?.data.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::{AnswerPath, Step};

    #[test]
    fn paths_are_members_and_items() {
        let member = |name: &str| Step::Member(name.to_owned());
        assert_eq!(AnswerPath::parse("code"), Some(AnswerPath(vec![member("code")])));
        assert_eq!(
            AnswerPath::parse("error.list[2][0].code"),
            Some(AnswerPath(vec![member("error"), member("list"), Step::Item(2), Step::Item(0), member("code")]))
        );
        assert_eq!(AnswerPath::parse("[1].a"), Some(AnswerPath(vec![Step::Item(1), member("a")])));
        for wrong in ["", ".", "a.", "a.[0]", "[", "a[", "a[]", "a[x]", "a]", "a[0]b"] {
            assert_eq!(AnswerPath::parse(wrong), None, "{wrong}");
        }
        assert_eq!(AnswerPath::parse("[1].a").map(|path| path.to_string()).as_deref(), Some("[1].a"));
        assert_eq!(AnswerPath::parse("a.b[3]").map(|path| path.to_string()).as_deref(), Some("a.b[3]"));
    }
}
