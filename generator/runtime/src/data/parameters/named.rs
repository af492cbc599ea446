//! Parameters by their names on the wire, as tables refer to them, and choices by the value of a parameter.

use std::borrow::Cow;
use std::ops::Range;

use super::{BODY, Parameters, json_of};
use crate::data::json::{Form, Json, JsonWriter, ReadError, Reader, RecordTable, Travels, read_json};

/// The members of a JSON object by their names, each with its JSON text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    /// The object, which contains the names and values, and after it the added texts.
    text: String,
    members: Vec<Place>,
}

/// The places of the name and of the value of a member.
#[derive(Clone, Debug)]
struct Place {
    name: Range<usize>,
    value: Range<usize>,
}

impl Named {
    /// Returns the parameters of a request; the items of a body that is a list are under `[]`.
    pub(crate) fn of(parameters: &dyn Parameters) -> Self {
        Self::of_request(json_of(parameters))
    }

    /// Returns the same for a request as JSON.
    pub(crate) fn of_request(json: String) -> Self {
        if !json.starts_with('[') {
            return Self::of_json(json);
        }
        let mut named = Self::default();
        named.push(BODY, &json);
        named
    }

    /// Returns the members of an object; of anything else, none.
    pub(crate) fn read(json: &str) -> Self {
        Self::of_json(json.to_owned())
    }

    /// Returns the same for a text that is not needed any more.
    fn of_json(json: String) -> Self {
        Self::read_from(json).unwrap_or_default()
    }

    /// Returns the fields of a record by their names, however it is written in JSON.
    pub(crate) fn of_record(json: String, form: Form) -> Self {
        let Form::Record(table) = form else { return Self::of_json(json) };
        let RecordTable { travels, fields, .. } = table();
        let values = match travels {
            Travels::AsObject => return Self::of_json(json),
            Travels::AsArray => read_json::<Vec<Json>>(&json).unwrap_or_default(),
            Travels::AsValue => read_json::<Json>(&json).into_iter().collect(),
        };
        let mut named = Self::default();
        for (field, value) in fields.iter().zip(&values) {
            named.push(field.name, value.as_str());
        }
        named
    }

    fn read_from(mut text: String) -> Result<Self, ReadError> {
        let mut from = Reader::new(&text);
        // A member has rarely less than 16 bytes; those of a record then take one allocation, not five.
        let mut places = Vec::with_capacity(text.len() / 16);
        let mut unescaped = String::new();
        let mut members = from.object(&[])?;
        while let Some(name) = members.next_name(&mut from)? {
            let name = match name {
                Cow::Borrowed(name) => range_of(name, &text),
                Cow::Owned(name) => {
                    unescaped.push_str(&name);
                    text.len() + unescaped.len() - name.len()..text.len() + unescaped.len()
                }
            };
            places.push(Place { name, value: range_of(from.raw_value()?, &text) });
        }
        text.push_str(&unescaped);
        Ok(Self { text, members: places })
    }

    fn push(&mut self, name: &str, json: &str) {
        let start = self.text.len();
        self.text.push_str(name);
        let middle = self.text.len();
        self.text.push_str(json);
        self.members.push(Place { name: start..middle, value: middle..self.text.len() });
    }

    /// Returns the names and the JSON texts of the members.
    fn members(&self) -> impl Iterator<Item = (&str, &str)> {
        self.members.iter().map(|place| (&self.text[place.name.clone()], &self.text[place.value.clone()]))
    }

    /// Returns the objects in the list `name`.
    pub(crate) fn items(&self, name: &str) -> Vec<Self> {
        self.json(name).and_then(|json| Self::read_items(json).ok()).unwrap_or_default()
    }

    /// Returns the objects in a JSON array.
    pub(crate) fn read_items(json: &str) -> Result<Vec<Self>, ReadError> {
        let (mut from, mut items) = (Reader::new(json), Vec::new());
        let mut elements = from.array()?;
        while elements.next(&mut from)?.is_some() {
            items.push(Self::read(from.raw_value()?));
        }
        Ok(items)
    }

    /// Returns the text of a single value; `None` if it is empty, `null` or missing. The value of a nested object has a
    /// path, such as `fee.coin`.
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        match self.json_within(name)? {
            Cow::Borrowed(json) => text_of(json),
            Cow::Owned(json) => text_of(&json).map(|text| Cow::Owned(text.into_owned())),
        }
    }

    /// Returns the same members, followed by those of `other`.
    pub(crate) fn and(mut self, other: &Self) -> Self {
        other.members().for_each(|(name, json)| self.push(name, json));
        self
    }

    /// Returns the same members without `name`.
    pub(crate) fn without(mut self, name: &str) -> Self {
        let Self { text, members } = &mut self;
        members.retain(|place| text[place.name.clone()] != *name);
        self
    }

    /// Returns whether a member has this text.
    pub(crate) fn has_text(&self, text: &str) -> bool {
        // An escaped text is longer than what it stands for, so most values need no further look.
        let can_be = |json: &str| json.len() >= text.len();
        self.members().any(|(_, json)| can_be(json) && text_of(json).as_deref() == Some(text))
    }

    /// Returns whether there is a member with this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.json(name).is_some()
    }

    /// Returns an object with some of the members, also those of nested objects, under other names, and with `more`. A
    /// name that is a path, such as `filter.id`, leads into a nested object.
    pub(crate) fn renamed(&self, pairs: &[(&str, &str)], more: &[(&str, String)]) -> String {
        let mut members = Vec::new();
        for (new, old) in pairs {
            if let Some(json) = self.json_within(old) {
                members.push((*new, json));
            }
        }
        for (name, json) in more {
            members.push((*name, Cow::Borrowed(json)));
        }
        nested(&members)
    }

    /// Returns the JSON text of a member; with a path, that of a member of a nested object.
    fn json_within(&self, path: &str) -> Option<Cow<'_, str>> {
        if let Some(json) = self.json(path) {
            return Some(Cow::Borrowed(json));
        }
        let (object, within) = path.split_once('.')?;
        let object = Self::read(self.json(object)?);
        object.json_within(within).map(|json| Cow::Owned(json.into_owned()))
    }

    /// Returns the JSON text of a member.
    pub(crate) fn json(&self, name: &str) -> Option<&str> {
        let is_it = |place: &&Place| self.text.as_bytes()[place.name.clone()] == *name.as_bytes();
        self.members.iter().find(is_it).map(|place| &self.text[place.value.clone()])
    }
}

/// Returns the place of `part` within `text`; it must be a slice of it.
fn range_of(part: &str, text: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}

/// Returns the text of a single value; `None` if it is empty or `null`.
fn text_of(json: &str) -> Option<Cow<'_, str>> {
    // Most values are texts without escapes, which need no reader.
    let quoted = json.strip_prefix('"').and_then(|json| json.strip_suffix('"'));
    let text = match quoted.filter(|text| !text.contains('\\')) {
        Some(plain) => Cow::Borrowed(plain),
        None => Reader::new(json).scalar().ok()?,
    };
    (!text.is_empty() && text != "null").then_some(text)
}

/// Returns an object of members by their paths.
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
            let mut within = Vec::new();
            for (path, json) in members {
                if let Some((own, rest)) = path.split_once('.')
                    && own == object
                {
                    within.push((rest, json.clone()));
                }
            }
            out.member(object).raw(&nested(&within));
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
    /// Returns whether it is an empty text.
    pub(super) fn is_blank(&self) -> bool {
        self.json == r#""""#
    }

    /// Returns whether it is `null`, which says that the parameter is left out.
    pub(super) fn is_null(&self) -> bool {
        self.json == "null"
    }
}

/// Returns the members of an object.
pub(super) fn members<'a>(from: &mut Reader<'a>) -> Result<Vec<Member<'a>>, ReadError> {
    // Requests have rarely more members.
    let mut found = Vec::with_capacity(16);
    let mut members = from.object(&[])?;
    while let Some(name) = members.next_name(from)? {
        found.push(Member { name, json: Cow::Borrowed(from.raw_value()?), taken: false });
    }
    Ok(found)
}

/// Returns the texts of the parameters with these names, each where it is set.
pub(crate) fn texts_of(parameters: &dyn Parameters, names: &[&str]) -> Vec<Option<String>> {
    let json = json_of(parameters);
    // The parameters have just been written as JSON, so reading them does not fail.
    let members = members(&mut Reader::new(&json)).unwrap_or_default();
    let mut texts = Vec::with_capacity(names.len());
    for name in names {
        let member = members.iter().find(|member| member.name == *name);
        texts.push(member.and_then(|member| read_json::<Option<String>>(&member.json).ok().flatten()));
    }
    texts
}

/// Declares a choice by the value of a parameter, which decides the others that go with it: an enum with a variant for
/// each value.
///
/// The attribute `wire` has the name of the parameter, its enum, and the names of all that may go with it. A variant is
/// called like the value. It holds the set of parameters that go with the value, if there are any; if all of them can
/// be left out, a second variant after `#[or]` holds the set, whose function `new` leaves them out.
///
/// ```
/// use tradeapi_runtime::parameters::ParameterReader;
///
/// tradeapi_runtime::open_enum! {
///     /// Whether an order names its price.
///     pub enum OrderType { Limit = "limit", Market = "market" }
/// }
///
/// tradeapi_runtime::parameters! {
///     /// What goes with a limit.
///     pub struct LimitExecution {
///         /// `price`: Price of the order.
///         #[wire("price")]
///         pub price: u64,
///     }
/// }
///
/// tradeapi_runtime::by_value! {
///     /// How an order executes.
///     #[wire("type" of OrderType, "price")]
///     pub enum Execution {
///         /// `type` = `limit`: Executes at its price.
///         Limit(LimitExecution),
///         /// `type` = `market`: Executes at once.
///         Market,
///     }
/// }
/// assert_eq!(ParameterReader::read(r#"{"type": "market"}"#), Ok(Execution::Market));
/// assert!(ParameterReader::read::<Execution>(r#"{"type": "market", "price": "7"}"#).is_err());
/// ```
#[macro_export]
macro_rules! by_value {
    (
        $(#[doc = $doc:literal])*
        #[wire($wire:literal of $decider:ident $(, $member:literal)* $(,)?)]
        $vis:vis enum $name:ident {
            $(
                $(#[doc = $about:literal])*
                $value:ident $(($payload:ident $(,)?))?
                $(, #[or] $(#[doc = $or_about:literal])* $with:ident($optional:ident $(,)?))?
            ),* $(,)?
        }
        $($item:item)*
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        $vis enum $name {
            $(
                $(#[doc = $about])* $value $(($payload))?,
                $($(#[doc = $or_about])* $with($optional),)?
            )*
        }

        impl $name {
            /// The parameters it stands for.
            $vis const MEMBERS: &'static [&'static str] = &[$wire $(, $member)*];

            /// Returns the value of the deciding parameter.
            $vis fn kind(&self) -> $decider {
                match self {
                    $(Self::$value { .. } $(| Self::$with($optional { .. }))? => $decider::$value,)*
                }
            }
        }

        $($item)*

        impl $crate::parameters::Parameters for $name {
            fn write(&self, out: &mut $crate::parameters::ParameterWriter) {
                out.text($crate::name!($wire), &self.kind());
                #[allow(unreachable_patterns, reason = "each value may have parameters")]
                match self {
                    $(
                        $(Self::$value(with) => <$payload as $crate::parameters::Parameters>::write(with, out),)?
                        $(Self::$with(with) => <$optional as $crate::parameters::Parameters>::write(with, out),)?
                    )*
                    _ => {}
                }
            }

            fn read(from: &mut $crate::parameters::ParameterReader<'_>) -> ::core::option::Option<Self> {
                match from.decide::<$decider>($wire, Self::MEMBERS)? {
                    $($decider::$value => $crate::__case!(from, Self::$value, [$($payload)?], [$($optional)?]),)*
                    $decider::Unknown(_) => ::core::option::Option::None,
                }
            }

            #[allow(unused_variables, reason = "no value may have parameters")]
            fn check(&self, to: &mut $crate::checks::Checks<'_>) {
                #[allow(unreachable_patterns, reason = "each value may have parameters")]
                match self {
                    $(
                        $(Self::$value(with) => <$payload as $crate::parameters::Parameters>::check(with, to),)?
                        $(Self::$with(with) => <$optional as $crate::parameters::Parameters>::check(with, to),)?
                    )*
                    _ => {}
                }
            }
        }

        $(
            $(impl ::core::convert::From<$payload> for $name {
                fn from(with: $payload) -> Self {
                    Self::$value(with)
                }
            })?

            $(impl ::core::convert::From<$optional> for $name {
                fn from(with: $optional) -> Self {
                    if with == $optional::new() { Self::$value } else { Self::$with(with) }
                }
            })?
        )*

        impl $crate::emitted::ParameterValue for $name {
            type Kind = $crate::emitted::kinds::Choice;
        }

        $crate::__described!(
            by_value $name [$($doc)*] $wire $decider { $($value [$($payload)? $($optional)?])* }
        );
    };
}

/// Reads the parameters that go with a value.
#[doc(hidden)]
#[macro_export]
macro_rules! __case {
    ($from:ident, $variant:expr, [], []) => {
        ::core::option::Option::Some($variant)
    };
    ($from:ident, $variant:expr, [$payload:ident], []) => {
        <$payload as $crate::parameters::Parameters>::read($from).map($variant)
    };
    ($from:ident, $variant:expr, [], [$optional:ident]) => {
        <$optional as $crate::parameters::Parameters>::read($from).map(::core::convert::Into::into)
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_single_values() {
        let json = r#"{"plain": "a b", "n\u0061me": "b", "escaped": "a\"b\\\u0063", "end": "a\\", "number": -1.50, "flag": true,
            "fee": {"coin": "BTC", "note": "\u0041"}, "empty": "", "quoted": "null", "null": null, "list": ["a"]}"#;
        let named = Named::read(json);
        let text = |name: &str| named.text(name).map(Cow::into_owned);
        let expected = [
            ("plain", Some("a b")),
            ("name", Some("b")),
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
        let fewer = named.without("plain").and(&Named::read(r#"{"other": "c"}"#));
        let text = |name: &str| fewer.text(name).map(Cow::into_owned);
        assert_eq!([text("plain"), text("name"), text("other")].map(Option::unwrap_or_default), ["", "b", "c"]);
    }
}
