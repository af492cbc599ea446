//! Parameters by their names on the wire, as tables refer to them.

use std::borrow::Cow;

use super::{Parameters, json_of};
use crate::json::{Form, Json, JsonWriter, ReadError, Reader, RecordTable, Travels, read_json};

/// The members of a JSON object by their names, each with its JSON text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    /// The names and the values, one after the other: a record has thirty members, and is read for each query.
    text: String,
    members: Vec<Span>,
}

/// The place of the name and, after it, the value of a member.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    middle: usize,
    end: usize,
}

impl Named {
    /// The parameters of a request; the items of a body that is a list stand under `[]`.
    pub(crate) fn of(parameters: &dyn Parameters) -> Self {
        let json = json_of(parameters);
        if !json.starts_with('[') {
            return Self::read(&json);
        }
        let mut named = Self::default();
        named.push("[]", &json);
        named
    }

    /// The members of an object; of anything else, none.
    pub(crate) fn read(json: &str) -> Self {
        Self::read_from(&mut Reader::new(json), json.len()).unwrap_or_default()
    }

    /// The fields of a record by their names, however it is written in JSON.
    pub(crate) fn of_record(json: &str, form: Form) -> Self {
        let Form::Record(table) = form else { return Self::read(json) };
        let RecordTable { travels, fields, .. } = table();
        let values = match travels {
            Travels::AsObject => return Self::read(json),
            Travels::AsArray => read_json::<Vec<Json>>(json).unwrap_or_default(),
            Travels::AsValue => read_json::<Json>(json).into_iter().collect(),
        };
        let mut named = Self::default();
        for (field, value) in fields.iter().zip(&values) {
            named.push(field.name, value.as_str());
        }
        named
    }

    fn read_from(from: &mut Reader<'_>, length: usize) -> Result<Self, ReadError> {
        // A member has rarely less than 16 bytes; those of a record then take one allocation, not five.
        let mut named = Self { text: String::with_capacity(length), members: Vec::with_capacity(length / 16) };
        let mut members = from.object(&[])?;
        while let Some(name) = members.next_name(from)? {
            named.push(&name, from.raw_value()?);
        }
        Ok(named)
    }

    fn push(&mut self, name: &str, json: &str) {
        let start = self.text.len();
        self.text.push_str(name);
        let middle = self.text.len();
        self.text.push_str(json);
        self.members.push(Span { start, middle, end: self.text.len() });
    }

    /// The names and the JSON texts of the members.
    fn members(&self) -> impl Iterator<Item = (&str, &str)> {
        self.members.iter().map(|span| (&self.text[span.start..span.middle], &self.text[span.middle..span.end]))
    }

    /// The objects in the list `name`.
    pub(crate) fn items(&self, name: &str) -> Vec<Self> {
        let items = self.json(name).and_then(|json| read_json::<Vec<Json>>(json).ok()).unwrap_or_default();
        items.iter().map(|json| Self::read(json.as_str())).collect()
    }

    /// The text of a single value; `None` if it is empty, `null` or missing. The value of a nested object has a path,
    /// such as `fee.coin`.
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        match self.json_within(name)? {
            Cow::Borrowed(json) => text_of(json),
            Cow::Owned(json) => text_of(&json).map(|text| Cow::Owned(text.into_owned())),
        }
    }

    /// The same members, followed by those of `other`.
    pub(crate) fn and(mut self, other: &Self) -> Self {
        other.members().for_each(|(name, json)| self.push(name, json));
        self
    }

    /// Whether a member has this text.
    pub(crate) fn has_text(&self, text: &str) -> bool {
        self.members().any(|(_, json)| text_of(json).as_deref() == Some(text))
    }

    /// Whether there is no member.
    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Whether there is a member with this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.json(name).is_some()
    }

    /// Writes the members into an object.
    pub(crate) fn write(&self, out: &mut JsonWriter) {
        for (name, json) in self.members() {
            out.member(name).raw(json);
        }
    }

    /// An object with some of the members, also those of nested objects, under other names. A name that is a path, such
    /// as `filter.id`, leads into a nested object.
    pub(crate) fn renamed<'n>(&self, pairs: impl IntoIterator<Item = (&'n str, &'n str)>) -> String {
        let found = pairs.into_iter().filter_map(|(new, old)| Some((new, self.json_within(old)?)));
        nested(&found.collect::<Vec<_>>())
    }

    /// The JSON text of a member; with a path, that of a member of a nested object.
    fn json_within(&self, path: &str) -> Option<Cow<'_, str>> {
        if let Some(json) = self.json(path) {
            return Some(Cow::Borrowed(json));
        }
        let (object, within) = path.split_once('.')?;
        let object = Self::read(self.json(object)?);
        object.json_within(within).map(|json| Cow::Owned(json.into_owned()))
    }

    fn json(&self, name: &str) -> Option<&str> {
        let is_it = |span: &&Span| self.text.as_bytes()[span.start..span.middle] == *name.as_bytes();
        self.members.iter().find(is_it).map(|span| &self.text[span.middle..span.end])
    }
}

/// The text of a single value; `None` if it is empty or `null`.
fn text_of(json: &str) -> Option<Cow<'_, str>> {
    // Most values are texts without escapes, which need no reader.
    let quoted = json.strip_prefix('"').and_then(|json| json.strip_suffix('"'));
    let text = match quoted.filter(|text| !text.contains('\\')) {
        Some(plain) => Cow::Borrowed(plain),
        None => Reader::new(json).scalar().ok()?,
    };
    (!text.is_empty() && text != "null").then_some(text)
}

/// An object of members by their paths.
fn nested(members: &[(&str, Cow<'_, str>)]) -> String {
    let mut out = JsonWriter::new();
    out.begin_object();
    let mut written: Vec<&str> = Vec::new();
    for (path, json) in members {
        let Some((object, _)) = path.split_once('.') else {
            out.member(path).raw(json);
            continue;
        };
        if !written.contains(&object) {
            written.push(object);
            let within = members.iter().filter_map(|(path, json)| {
                let (own, rest) = path.split_once('.')?;
                (own == object).then(|| (rest, json.clone()))
            });
            out.member(object).raw(&nested(&within.collect::<Vec<_>>()));
        }
    }
    out.end_object();
    out.finish()
}

/// A given parameter, and whether it has been read.
#[derive(Debug)]
pub(super) struct Member<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) json: Cow<'a, str>,
    pub(super) taken: bool,
}

impl Member<'_> {
    /// Whether it is an empty text.
    pub(super) fn is_blank(&self) -> bool {
        self.json == r#""""#
    }

    /// Whether it is `null`, which says that the parameter is left out.
    pub(super) fn is_null(&self) -> bool {
        self.json == "null"
    }
}

/// The members of an object.
pub(super) fn members<'a>(from: &mut Reader<'a>) -> Result<Vec<Member<'a>>, ReadError> {
    // Requests have rarely more members.
    let mut found = Vec::with_capacity(16);
    let mut members = from.object(&[])?;
    while let Some(name) = members.next_name(from)? {
        found.push(Member { name, json: Cow::Borrowed(from.raw_value()?), taken: false });
    }
    Ok(found)
}

/// The texts of the parameters with these names, each where it is set.
pub(crate) fn texts_of(parameters: &dyn Parameters, names: &[&str]) -> Vec<Option<String>> {
    let json = json_of(parameters);
    // The parameters have just been written as JSON, so reading them does not fail.
    let members = members(&mut Reader::new(&json)).unwrap_or_default();
    let text_of = |name: &str| {
        let member: &Member<'_> = members.iter().find(|member| member.name == name)?;
        read_json::<Option<String>>(&member.json).ok().flatten()
    };
    names.iter().map(|name| text_of(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_single_values() {
        let json = r#"{"plain": "a b", "escaped": "a\"b\\\u0063", "end": "a\\", "number": -1.50, "flag": true,
            "fee": {"coin": "BTC", "note": "\u0041"}, "empty": "", "quoted": "null", "null": null, "list": ["a"]}"#;
        let named = Named::read(json);
        let text = |name: &str| named.text(name).map(Cow::into_owned);
        let expected = [
            ("plain", Some("a b")),
            ("escaped", Some(r#"a"b\c"#)),
            ("end", Some(r"a\")),
            ("number", Some("-1.50")),
            ("flag", Some("true")),
            ("fee.coin", Some("BTC")),
            ("fee.note", Some("A")),
            ("fee", None),
            ("empty", None),
            ("quoted", None),
            ("null", None),
            ("list", None),
            ("missing", None),
        ];
        for (name, expected) in expected {
            assert_eq!(text(name).as_deref(), expected, "{name}");
        }
        assert!(named.has_text("a b") && named.has_text(r#"a"b\c"#) && named.has_text("-1.50"));
        assert!(!named.has_text("BTC") && !named.has_text("") && !named.has_text("null"));
    }
}
