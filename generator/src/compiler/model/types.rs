//! Types of values: their names in the schema language, and their properties.

use super::builder::FamilyBuilder;
use super::{Family, Format, Name, Shape, formats};
use crate::compiler::diagnostics::Code;
use crate::compiler::load::raw;
use crate::compiler::words::{Numbers, Times, Travels};

/// The JSON form of a boolean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// `true` and `false`.
    Bare,
    /// `"true"` and `"false"`.
    Text,
    /// 1 and 0.
    Number,
}

/// The type of a value. The indices refer to the lists of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    String,
    Decimal,
    /// A decimal that travels as an integer: its value times ten to the power of this scale.
    Scaled(u8),
    Integer,
    /// A whole number that may be negative.
    Signed,
    Boolean(Truth),
    Time(Times),
    /// A text in a format of its own.
    Formatted(Format),
    /// JSON of any form.
    Json,
    Enum(usize),
    Identifier(usize),
    Choice(usize),
    Record(usize),
    /// A type that was reported as undefined, so that nothing more is reported about it.
    Undefined,
}

/// The form of a value in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonForm {
    /// A JSON string.
    Text,
    /// A number in a JSON string.
    QuotedNumber,
    /// A JSON number.
    Number,
    Boolean(Truth),
    /// An object or an array of fields; the index of the record.
    Record(usize),
    /// JSON of any form, or nothing is known about the form.
    Any,
}

/// The way a condition compares values of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    /// With values of the enum.
    Enum(usize),
    Boolean,
    /// As whole numbers.
    Whole,
    Text,
}

/// The lists of a family that define its types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Definition {
    Enum,
    Identifier,
    Choice,
    Record,
}

impl Type {
    /// Returns the form of its values in JSON, where numbers travel as texts or not. Texts that are not quoted are
    /// numbers.
    pub(crate) fn json(self, as_text: bool) -> JsonForm {
        match self {
            Self::Time(Times::Iso8601) | Self::Formatted(_) => JsonForm::Text,
            Self::Decimal | Self::Scaled(_) | Self::Integer | Self::Signed | Self::Time(_) if as_text => {
                JsonForm::QuotedNumber
            }
            Self::String | Self::Identifier(_) | Self::Enum(_) if as_text => JsonForm::Text,
            Self::Decimal
            | Self::Scaled(_)
            | Self::Integer
            | Self::Signed
            | Self::Time(_)
            | Self::String
            | Self::Identifier(_)
            | Self::Enum(_) => JsonForm::Number,
            Self::Boolean(truth) => JsonForm::Boolean(truth),
            Self::Record(index) => JsonForm::Record(index),
            Self::Json | Self::Choice(_) | Self::Undefined => JsonForm::Any,
        }
    }

    /// Returns whether its values are numbers, which travel as JSON numbers or as texts. Times are, too, except those
    /// of ISO 8601.
    pub(crate) fn is_number(self) -> bool {
        self.json(true) == JsonForm::QuotedNumber
    }

    /// Returns whether its values can travel as JSON numbers.
    pub(crate) fn can_be_bare(self) -> bool {
        self.json(false) == JsonForm::Number
    }

    /// Returns whether its values are quantities, which have bounds.
    pub(crate) fn is_quantity(self) -> bool {
        match self {
            Self::Decimal | Self::Scaled(_) | Self::Integer | Self::Signed => true,
            Self::String
            | Self::Boolean(_)
            | Self::Time(_)
            | Self::Formatted(_)
            | Self::Json
            | Self::Enum(_)
            | Self::Identifier(_)
            | Self::Choice(_)
            | Self::Record(_)
            | Self::Undefined => false,
        }
    }

    /// Returns whether its values are decimal numbers, in any form.
    pub(crate) fn is_decimal(self) -> bool {
        matches!(self, Self::Decimal | Self::Scaled(_))
    }

    /// Returns the scale of a decimal that travels as an integer.
    pub(crate) fn scale(self) -> Option<u8> {
        if let Self::Scaled(scale) = self { Some(scale) } else { None }
    }

    /// Returns the value of this type whose text on the wire is `wire`.
    pub(crate) fn value_of_wire(self, wire: &str) -> String {
        self.scale().map_or_else(|| wire.to_owned(), |scale| formats::to_value(wire, scale))
    }

    /// Returns the text on the wire of a value of this type.
    pub(crate) fn wire_of_value(self, value: &str) -> String {
        self.scale().map_or_else(|| value.to_owned(), |scale| formats::to_wire(value, scale))
    }

    /// Returns whether its values are times.
    pub(crate) fn is_time(self) -> bool {
        matches!(self, Self::Time(_))
    }

    /// Returns whether its values are texts without a fixed list, such as ids.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::String | Self::Identifier(_))
    }

    /// Returns whether each of its values has a single text form, the same in every position, such as a header.
    pub(crate) fn is_one_text(self) -> bool {
        match self {
            Self::String
            | Self::Decimal
            | Self::Scaled(_)
            | Self::Integer
            | Self::Signed
            | Self::Time(_)
            | Self::Formatted(_)
            | Self::Enum(_)
            | Self::Identifier(_) => true,
            Self::Boolean(_) | Self::Json | Self::Choice(_) | Self::Record(_) | Self::Undefined => false,
        }
    }

    /// Returns whether its values can be compared with a number.
    pub(crate) fn takes_number(self, number: &str) -> bool {
        match self {
            Self::Decimal | Self::Scaled(_) | Self::Undefined => true,
            Self::Integer => number.parse::<u64>().is_ok(),
            Self::Signed => number.parse::<i64>().is_ok(),
            Self::String
            | Self::Boolean(_)
            | Self::Time(_)
            | Self::Formatted(_)
            | Self::Json
            | Self::Enum(_)
            | Self::Identifier(_)
            | Self::Choice(_)
            | Self::Record(_) => false,
        }
    }

    /// Returns whether its values can be cursors, as ids are.
    pub(crate) fn is_cursor(self) -> bool {
        self.is_text() || self == Self::Integer
    }

    /// Returns whether its values can be keys of a map, as ids are.
    pub(crate) fn can_be_key(self) -> bool {
        self.is_text() || matches!(self, Self::Integer | Self::Signed)
    }

    /// Returns whether its values are true and false.
    pub(crate) fn is_boolean(self) -> bool {
        matches!(self, Self::Boolean(_))
    }

    /// Returns whether its values are identifiers of a type that the schema defines.
    pub(crate) fn is_identifier(self) -> bool {
        matches!(self, Self::Identifier(_))
    }

    /// Returns whether its values are listed in the schema.
    pub(crate) fn is_enum(self) -> bool {
        matches!(self, Self::Enum(_))
    }

    /// Returns the index of the record, if it is one.
    pub(crate) fn record(self) -> Option<usize> {
        if let Self::Record(index) = self { Some(index) } else { None }
    }

    /// Returns how a condition compares its values; `None` if it cannot.
    pub(crate) fn compared(self) -> Option<Compared> {
        match self {
            Self::Enum(index) => Some(Compared::Enum(index)),
            Self::Boolean(_) => Some(Compared::Boolean),
            Self::Integer | Self::Signed => Some(Compared::Whole),
            Self::String | Self::Identifier(_) => Some(Compared::Text),
            Self::Decimal
            | Self::Scaled(_)
            | Self::Time(_)
            | Self::Formatted(_)
            | Self::Json
            | Self::Choice(_)
            | Self::Record(_)
            | Self::Undefined => None,
        }
    }

    /// Returns the noun for one value in a message.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::String => "a text",
            Self::Decimal | Self::Scaled(_) => "a decimal number",
            Self::Integer | Self::Signed => "a whole number",
            Self::Boolean(_) => "a boolean",
            Self::Time(_) => "a time",
            Self::Formatted(format) => format.noun(),
            Self::Json => "JSON of any form",
            Self::Enum(_) => "an enum",
            Self::Identifier(_) => "an identifier",
            Self::Choice(_) => "a choice",
            Self::Record(_) => "a record",
            Self::Undefined => "of unknown type",
        }
    }

    /// Returns the definition that it refers to, as a list and an index into it; `None` for built-in types.
    pub(crate) fn definition(&mut self) -> Option<(Definition, &mut usize)> {
        match self {
            Self::Enum(index) => Some((Definition::Enum, index)),
            Self::Identifier(index) => Some((Definition::Identifier, index)),
            Self::Choice(index) => Some((Definition::Choice, index)),
            Self::Record(index) => Some((Definition::Record, index)),
            Self::String
            | Self::Decimal
            | Self::Scaled(_)
            | Self::Integer
            | Self::Signed
            | Self::Boolean(_)
            | Self::Time(_)
            | Self::Formatted(_)
            | Self::Json
            | Self::Undefined => None,
        }
    }

    /// Returns whether the schema language defines it, so that no document describes it.
    pub(crate) fn is_built_in(self) -> bool {
        !self.built_in_name().is_empty()
    }

    /// Returns the name in the schema language; empty if a schema defines it.
    fn built_in_name(self) -> &'static str {
        match self {
            Self::Time(Times::Seconds) => "time in seconds",
            Self::Time(Times::Microseconds) => "time in microseconds",
            Self::Time(Times::Nanoseconds) => "time in nanoseconds",
            Self::Time(Times::Iso8601) => "time in ISO 8601",
            Self::Boolean(_) => "boolean",
            Self::Scaled(_) => "decimal as an integer",
            Self::Formatted(format) => format.word(),
            _ => PLAIN.iter().find(|(_, ty)| *ty == self).map_or("", |(name, _)| name),
        }
    }
}

/// The types of the schema language that are not formats of texts.
const PLAIN: [(&str, Type); 7] = [
    ("string", Type::String),
    ("decimal", Type::Decimal),
    ("integer", Type::Integer),
    ("signed", Type::Signed),
    ("boolean", Type::Boolean(Truth::Bare)),
    ("time", Type::Time(Times::Milliseconds)),
    ("json", Type::Json),
];

/// Returns the types of the schema language, with their names.
pub(crate) fn built_in() -> impl Iterator<Item = (&'static str, Type)> {
    let formats = Format::ALL.into_iter().map(|format| (format.word(), Type::Formatted(format)));
    PLAIN.into_iter().chain(formats)
}

impl Family {
    /// Returns the texts that stand for true and for false in a value of this shape, if it is a yes or no.
    pub(crate) fn truth_of(&self, shape: &Shape) -> Option<[String; 2]> {
        match shape.single()? {
            Type::Boolean(truth) => Some([true, false].map(|value| match truth {
                Truth::Bare | Truth::Text => value.to_string(),
                Truth::Number => u8::from(value).to_string(),
            })),
            Type::Enum(index) => {
                let all = self.enums.get(index)?;
                let (yes, no) = all.truth?;
                Some([yes, no].map(|index| all.values[index].name.wire.clone()))
            }
            _ => None,
        }
    }

    /// Returns the name of a type in the schema; empty if it is undefined.
    pub(crate) fn type_name(&self, ty: Type) -> &str {
        self.named_type(ty).map_or_else(|| ty.built_in_name(), |(name, _)| &name.wire)
    }

    /// Returns the Rust name of a type; for a built-in type, its name in the schema language.
    pub(crate) fn type_rust(&self, ty: Type) -> &str {
        self.named_type(ty).map_or_else(|| ty.built_in_name(), |(name, _)| &name.rust)
    }

    /// Returns the description of a type, for fields that have none of their own.
    pub(crate) fn type_doc(&self, ty: Type) -> &str {
        self.named_type(ty).map_or("", |(_, doc)| doc)
    }

    /// Returns a single value of a type in a message: ``the enum `side` ``, `a time`.
    pub(crate) fn described(&self, ty: Type) -> String {
        match self.named_type(ty) {
            Some((name, _)) => {
                let noun = ty.noun().trim_start_matches("an ").trim_start_matches("a ");
                format!("the {noun} `{}`", name.wire)
            }
            None => ty.noun().to_owned(),
        }
    }

    /// Returns the names of a type that the schema defines, and its description.
    fn named_type(&self, mut ty: Type) -> Option<(&Name, &String)> {
        let (list, &mut index) = ty.definition()?;
        match list {
            Definition::Enum => self.enums.get(index).map(|all| (&all.name, &all.doc)),
            Definition::Identifier => self.identifiers.get(index).map(|all| (&all.name, &all.doc)),
            Definition::Choice => self.choices.get(index).map(|all| (&all.name, &all.doc)),
            Definition::Record => self.records.get(index).map(|all| (&all.name, &all.doc)),
        }
    }
}

/// Returns whether numbers travel as text, by the family and the field.
pub(crate) fn travels_as_text(family: Option<Numbers>, own: Option<Travels>) -> bool {
    own.map_or(family == Some(Numbers::Text), |own| own == Travels::Text)
}

/// The largest scale.
const MAX_PLACES: u8 = 30;

impl FamilyBuilder<'_, '_> {
    /// Returns a built-in type in the form that the field or the family states.
    pub(super) fn formed(&mut self, raw: &raw::Field, ty: Type) -> Type {
        if let Some(times) = raw.times.as_ref().filter(|_| !matches!(ty, Type::Time(_) | Type::Undefined)) {
            self.refuse_keys(&[("times", Some(times.place))], "is only allowed for a time");
        }
        if let Some(scale) = raw.scale.as_ref().filter(|_| !matches!(ty, Type::Decimal | Type::Undefined)) {
            self.refuse_keys(&[("scale", Some(scale.place))], "is only allowed for a decimal");
        }
        let own = raw.times.as_ref().map(|times| times.value);
        match (ty, raw.json.as_ref().map(|json| json.value)) {
            (Type::Time(as_usual), _) => Type::Time(own.or(self.family.family.times).unwrap_or(as_usual)),
            (Type::Decimal, _) => self.scaled(raw).map_or(ty, Type::Scaled),
            (Type::Boolean(_), Some(Travels::Text)) => Type::Boolean(Truth::Text),
            (Type::Boolean(_), Some(Travels::Number)) => Type::Boolean(Truth::Number),
            _ => ty,
        }
    }

    /// Returns the scale of a decimal, if the field states a valid one.
    fn scaled(&mut self, raw: &raw::Field) -> Option<u8> {
        let scale = raw.scale.as_ref()?;
        let fitting = u8::try_from(scale.value).ok().filter(|scale| (1..=MAX_PLACES).contains(scale));
        if fitting.is_none() {
            self.at(
                scale.place,
                Code::BadNumber,
                format!("expected a `scale` from 1 to {MAX_PLACES}, found {}", scale.value),
            )
            .help("write by how many places the point moves: 4, where 12.5 travels as 125000");
        }
        fitting
    }
}
