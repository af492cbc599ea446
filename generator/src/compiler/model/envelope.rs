//! The members around the data of an answer, and those that name the call of a request.

use std::fmt;

use super::builder::Builder;
use super::elements::{Element, Key, behaviour, list, maybe};
use super::{Api, Around, Operation};
use crate::compiler::diagnostics::{Code, Place};
use crate::compiler::load::{Spanned, Text, raw};

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

/// The members of a request that name its call.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    pub(crate) id: Option<String>,
    /// The member with the name; `None` if the name is only signed.
    pub(crate) method: Option<String>,
    /// The member with the parameters; `None` if the parameters are members themselves.
    pub(crate) params: Option<String>,
    /// Where the schema describes them; `None` if they follow JSON-RPC 2.0.
    pub(crate) place: Option<Place>,
}

impl Default for Calls {
    /// Returns the members of JSON-RPC 2.0.
    fn default() -> Self {
        let named = |name: &str| Some(name.to_owned());
        Self { id: named("id"), method: named("method"), params: named("params"), place: None }
    }
}

impl Calls {
    /// Returns members that every call begins with.
    pub(crate) fn fixed(&self) -> &'static [(&'static str, &'static str)] {
        if self.place.is_none() { &[("jsonrpc", "2.0")] } else { &[] }
    }

    /// Returns the members beside the parameters.
    pub(crate) fn members(&self) -> impl Iterator<Item = &str> {
        let fixed = self.fixed().iter().map(|(name, _)| *name);
        fixed.chain(self.id.as_deref()).chain(self.method.as_deref())
    }
}

impl Builder<'_> {
    pub(super) fn envelope(&mut self, raw: &Spanned<raw::Envelope>) -> Envelope {
        let [code, message] =
            [&raw.code, &raw.message].map(|texts| texts.iter().cloned().map(Some).collect::<Vec<_>>());
        let names: Vec<_> = code.iter().chain(&message).chain([&raw.time, &raw.data]).collect();
        self.refuse_twice(&names, Code::DefinedTwice, "two members of the envelope");
        let success = raw.success.as_ref().map(|_| self.need(&raw.success, "success", raw.place));
        if raw.code.is_empty() && (raw.success.is_some() || raw.data.is_none()) {
            self.missing("code", raw.place);
        }
        let around = raw.around.as_ref().map_or(Around::All, |around| around.value);
        let of_successes = [("success", &raw.success), ("data", &raw.data)];
        let key = of_successes.into_iter().find_map(|(key, text)| Some((key, text.as_ref()?.place)));
        if let (Some((key, place)), Around::Failures) = (key, around) {
            self.at(place, Code::Misplaced, format!("`around: failures` and `{key}` exclude each other"))
                .help("remove one of them: a success without an envelope has neither `data` nor `success`");
        }
        Envelope {
            around,
            code: self.paths(&raw.code, "code"),
            message: self.paths(&raw.message, "message"),
            time: raw.time.as_ref().map(|text| text.value.clone()),
            data: raw.data.as_ref().and_then(|data| self.path(&data.value, data.place, "data")),
            success,
            success_with: raw.success_with.as_ref().map(|with| self.success_with(raw, with)).unwrap_or_default(),
            beside: raw.beside.iter().map(|text| text.value.clone()).collect(),
            place: raw.place,
        }
    }

    /// Returns what a success has beside its code.
    fn success_with(&mut self, envelope: &raw::Envelope, raw: &Spanned<raw::SuccessWith>) -> SuccessWith {
        if envelope.success.is_none() {
            self.at(raw.place, Code::Misplaced, "`success_with` requires `success`")
                .help("add the code of success, or remove `success_with`");
        }
        if let (Some(message), true) = (&raw.message, envelope.message.is_empty()) {
            self.at(message.place, Code::Misplaced, "`message` of `success_with` requires `message` of the envelope")
                .help("add `message` to the envelope, or remove this one");
        }
        let status = raw.status.as_ref().and_then(|status| match u16::try_from(status.value) {
            Ok(value @ 200..=299) => Some(value),
            Ok(_) | Err(_) => {
                self.at(
                    status.place,
                    Code::BadNumber,
                    format!("invalid HTTP status `{}` of a success: expected 200 to 299", status.value),
                )
                .help("write the status of a success, or leave it out");
                None
            }
        });
        SuccessWith { message: raw.message.as_ref().map(|text| text.value.clone()), status }
    }

    pub(super) fn paths(&mut self, texts: &[Text], key: &str) -> Vec<AnswerPath> {
        texts.iter().filter_map(|text| self.path(&text.value, text.place, key)).collect()
    }

    pub(super) fn calls(&mut self, raw: &Spanned<raw::Calls>) -> Calls {
        let mut named = |name: &Option<Text>, key| name.as_ref().map(|text| self.need(name, key, text.place));
        let (method, id, params) = (named(&raw.method, "method"), named(&raw.id, "id"), named(&raw.params, "params"));
        if method.is_none() && (id.is_some() || params.is_some()) {
            self.missing("method", raw.place);
        }
        Calls { id, method, params, place: Some(raw.place) }
    }
}

impl Envelope {
    pub(super) fn element(&self) -> Element {
        let Self { around, code, message, time, data, success, success_with, beside, place } = self;
        let key = |name, value: String| Key::new(name, value, behaviour("how answers are read"));
        let paths = |paths: &[AnswerPath]| list(paths.iter().map(ToString::to_string));
        let around = if *around == Around::All { "" } else { around.as_str() };
        Element::new("envelope", "api", ["envelope", "envelope"], *place)
            .when(behaviour("codes and data are read from it"), behaviour("the whole body is the data"))
            .keys([
                key("code", paths(code)),
                key("message", paths(message)),
                key("time", maybe(time.as_ref())),
                key("data", maybe(data.as_ref())),
                key("success", maybe(success.as_ref())),
                key("success_with", success_with.to_string()),
                key("around", around.to_owned()),
                key("beside", list(beside)),
            ])
    }
}

pub(super) fn calls(Calls { id, method, params, place: _ }: &Calls, place: Place) -> Element {
    let key =
        |name, value: &Option<String>| Key::new(name, maybe(value.as_ref()), behaviour("how requests name calls"));
    let keys = [key("method", method), key("id", id), key("params", params)];
    Element::new("calls", "api", ["calls", "calls"], place).keys(keys)
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
