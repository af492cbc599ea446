//! Types that operations share: enums, identifiers, choices, records, and the fields of these.

use super::{Family, Name, Source};
use crate::diagnostics::Place;
use crate::words::{Numbers, Required, Times, Travels};

/// What a boolean is in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Truth {
    /// `true` and `false`.
    Bare,
    /// The same as strings.
    Text,
    /// 1 and 0.
    Number,
}

/// What a value is. The indices lead into the lists of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    String,
    Decimal,
    Integer,
    /// A whole number that may be negative.
    Signed,
    Boolean(Truth),
    Time(Times),
    /// JSON of any form.
    Json,
    Enum(usize),
    Identifier(usize),
    Choice(usize),
    Record(usize),
    /// It was reported as undefined; nothing more is said about it.
    Undefined,
}

impl Type {
    /// Whether its values are numbers, which travel as JSON numbers or as texts. So are times, but those of ISO 8601.
    pub(crate) fn is_number(self) -> bool {
        self.is_quantity() || matches!(self, Self::Time(times) if times != Times::Iso8601)
    }

    /// Whether its values can travel as JSON numbers.
    pub(crate) fn can_be_bare(self) -> bool {
        self.is_number() || matches!(self, Self::Enum(_))
    }

    /// Whether its values can be counted or measured, and so have bounds.
    pub(crate) fn is_quantity(self) -> bool {
        matches!(self, Self::Decimal | Self::Integer | Self::Signed)
    }

    /// Whether the schema language has it, so that no document describes it.
    pub(crate) fn is_built_in(self) -> bool {
        !self.built_in_name().is_empty()
    }

    /// What the schema language calls it; empty where a schema has to define it.
    fn built_in_name(self) -> &'static str {
        match self {
            Self::Time(Times::Seconds) => "time in seconds",
            Self::Time(Times::Microseconds) => "time in microseconds",
            Self::Time(Times::Nanoseconds) => "time in nanoseconds",
            Self::Time(Times::Iso8601) => "time in ISO 8601",
            Self::Boolean(_) => "boolean",
            _ => BUILT_IN.iter().find(|(_, ty)| *ty == self).map_or("", |(name, _)| name),
        }
    }
}

/// The types of the schema language.
pub(crate) const BUILT_IN: [(&str, Type); 7] = [
    ("string", Type::String),
    ("decimal", Type::Decimal),
    ("integer", Type::Integer),
    ("signed", Type::Signed),
    ("boolean", Type::Boolean(Truth::Bare)),
    ("time", Type::Time(Times::Milliseconds)),
    ("json", Type::Json),
];

/// One value, or several.
#[derive(Clone, Debug, Hash)]
pub(crate) enum Shape {
    One(Type),
    List(Type),
    /// An object whose names are values, each with a value of that type.
    Map(Type),
    /// A list of objects with parameters of their own.
    Items(Item),
    /// A single object with parameters of its own.
    Object(Item),
}

/// What a value is in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum JsonType {
    Array,
    Any,
    Boolean,
    Number,
    Object,
    String,
}

impl JsonType {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::Any => "any",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::Object => "object",
            Self::String => "string",
        }
    }
}

impl Shape {
    /// The type of the value, or of the values of a list or map; `None` of objects with parameters of their own.
    pub(crate) fn element(&self) -> Option<Type> {
        match self {
            Self::One(ty) | Self::List(ty) | Self::Map(ty) => Some(*ty),
            Self::Items(_) | Self::Object(_) => None,
        }
    }

    /// Whether it is a list.
    pub(crate) fn is_list(&self) -> bool {
        match self {
            Self::List(_) | Self::Items(_) => true,
            Self::One(_) | Self::Map(_) | Self::Object(_) => false,
        }
    }

    /// The record that it is a list of.
    pub(crate) fn listed_record(&self) -> Option<usize> {
        match self {
            Self::List(Type::Record(index)) => Some(*index),
            Self::One(_) | Self::List(_) | Self::Map(_) | Self::Items(_) | Self::Object(_) => None,
        }
    }

    /// Whether it holds what can travel as JSON numbers.
    pub(crate) fn can_be_bare(&self) -> bool {
        self.element().is_some_and(Type::can_be_bare)
    }

    /// The index of the choice that it is.
    pub(crate) fn choice(&self) -> Option<usize> {
        match self {
            Self::One(Type::Choice(index)) => Some(*index),
            Self::One(_) | Self::List(_) | Self::Map(_) | Self::Items(_) | Self::Object(_) => None,
        }
    }

    /// Whether nothing is known of it, because it was reported.
    pub(crate) fn is_undefined(&self) -> bool {
        self.element() == Some(Type::Undefined)
    }

    /// The JSON type on the wire, where numbers may travel as texts.
    pub(crate) fn json_type(&self, as_text: bool) -> JsonType {
        match self {
            Self::List(_) | Self::Items(_) => JsonType::Array,
            Self::Map(_) | Self::Object(_) => JsonType::Object,
            Self::One(Type::Json) => JsonType::Any,
            Self::One(Type::Boolean(Truth::Bare)) => JsonType::Boolean,
            Self::One(Type::Boolean(Truth::Number)) => JsonType::Number,
            Self::One(Type::Record(_)) => JsonType::Object,
            Self::One(ty) if ty.can_be_bare() && !as_text => JsonType::Number,
            Self::One(_) => JsonType::String,
        }
    }
}

/// A list of objects that a request sends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ListName {
    /// The body itself.
    Body,
    /// The parameter of this name.
    Parameter(String),
    /// No list, but the single object that is the parameter of this name.
    Object(String),
}

impl ListName {
    /// What the schema calls the body where it is a list.
    pub(crate) const BODY: &str = "[]";

    /// Reads the name as the schema writes it.
    pub(crate) fn new(text: &str) -> Self {
        if text == Self::BODY { Self::Body } else { Self::Parameter(text.to_owned()) }
    }

    /// The name as the schema writes it.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Body => Self::BODY,
            Self::Parameter(name) | Self::Object(name) => name,
        }
    }

    /// What stands before a parameter of an item: `[].`, `orderList[].`, or `stop.` of a single object.
    pub(crate) fn item_prefix(&self) -> String {
        match self {
            Self::Body => "[].".to_owned(),
            Self::Parameter(name) => format!("{name}[]."),
            Self::Object(name) => format!("{name}."),
        }
    }
}

impl std::fmt::Display for ListName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The objects of a list parameter, or a single one.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Item {
    /// The list that holds them.
    pub(crate) list: ListName,
    pub(crate) rust: String,
    pub(crate) place: Place,
    pub(crate) parameters: Vec<Parameter>,
}

/// Whether a parameter has to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Need {
    Always,
    Conditional,
    Unstated,
    No,
}

impl Need {
    /// The word of the schema, where `no` stands for none.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Conditional => "conditional",
            Self::Unstated => "unstated",
            Self::No => "no",
        }
    }
}

impl From<Option<Required>> for Need {
    fn from(required: Option<Required>) -> Self {
        match required {
            Some(Required::Always) => Self::Always,
            Some(Required::Conditional) => Self::Conditional,
            Some(Required::Unstated) => Self::Unstated,
            None => Self::No,
        }
    }
}

/// A parameter of a request, of an item or of a choice.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    /// Where it is written out; elsewhere than its name when it is `as` another.
    pub(crate) written: Place,
    pub(crate) shape: Shape,
    pub(crate) need: Need,
    pub(crate) default: Option<(String, Place)>,
    pub(crate) default_note: Option<String>,
    pub(crate) min: Option<(String, Place)>,
    pub(crate) max: Option<(String, Place)>,
    pub(crate) min_items: Option<(u64, Place)>,
    pub(crate) max_items: Option<(u64, Place)>,
    pub(crate) digits: Option<(u32, Place)>,
    pub(crate) only: Vec<(String, Place)>,
    pub(crate) edit: Option<Edit>,
    /// An empty text stands for leaving it out.
    pub(crate) may_be_blank: bool,
    /// The document does not say which alternative of the choice wins here.
    pub(crate) wins_unstated: bool,
    pub(crate) units: Vec<Unit>,
    pub(crate) deprecated: Option<Deprecated>,
    /// Numbers, times and enums travel as JSON strings.
    pub(crate) as_text: bool,
    pub(crate) doc: String,
}

/// That a document advises against something.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Deprecated {
    /// The version or the day from which on.
    pub(crate) since: Option<String>,
    /// What it advises instead.
    pub(crate) instead: Option<(String, Place)>,
    pub(crate) place: Place,
}

impl Parameter {
    /// The object that it is.
    pub(crate) fn object(&self) -> Option<&Item> {
        match &self.shape {
            Shape::Object(object) => Some(object),
            Shape::One(_) | Shape::List(_) | Shape::Map(_) | Shape::Items(_) => None,
        }
    }

    /// The objects that it is a list of.
    pub(crate) fn item(&self) -> Option<&Item> {
        match &self.shape {
            Shape::Items(item) => Some(item),
            Shape::One(_) | Shape::List(_) | Shape::Map(_) | Shape::Object(_) => None,
        }
    }

    /// Whether it is an argument of `new`.
    pub(crate) fn is_required(&self) -> bool {
        self.need == Need::Always
    }

    /// The text that deletes the value, if the document has one.
    pub(crate) fn deletes_with(&self) -> Option<&str> {
        self.edit.as_ref().and_then(|edit| edit.delete.as_deref())
    }

    /// Whether it stands for the body, which is an array.
    pub(crate) fn is_body(&self) -> bool {
        self.name.wire == ListName::BODY
    }
}

/// What leaving a parameter out, or a special text, does.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Edit {
    pub(crate) delete: Option<String>,
    pub(crate) place: Place,
}

/// A unit, with the values of other parameters under which it holds.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Unit {
    pub(crate) when: Vec<(String, Vec<String>, Place)>,
    pub(crate) is: String,
}

/// An enum, open in answers and strict in requests.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Enum {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) values: Vec<EnumValue>,
    /// Which value is true and which is false.
    pub(crate) truth: Option<(usize, usize)>,
    pub(crate) truth_places: Vec<(String, Place)>,
}

/// A value of an enum.
#[derive(Clone, Debug, Hash)]
pub(crate) struct EnumValue {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) also: Vec<(String, Place)>,
    pub(crate) deprecated: Option<Deprecated>,
}

impl EnumValue {
    /// A value with nothing but its name and what it means.
    pub(crate) fn new(name: Name, doc: String) -> Self {
        Self { name, doc, also: Vec::new(), deprecated: None }
    }
}

impl Enum {
    /// Whether a text is one of the values, or another spelling of one.
    pub(crate) fn index_of(&self, text: &str) -> Option<usize> {
        let spelled = |value: &EnumValue| value.name.wire == text || value.also.iter().any(|(also, _)| also == text);
        self.values.iter().position(spelled)
    }

    /// The wire texts of all values, each with its place.
    pub(crate) fn placed_wires(&self) -> Vec<(&str, Place)> {
        self.values.iter().map(|value| (value.name.wire.as_str(), value.name.place)).collect()
    }

    /// The wire texts of all values.
    pub(crate) fn wires(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|value| value.name.wire.as_str())
    }
}

/// A newtype over text.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Identifier {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) length: Option<(u32, u32)>,
    pub(crate) alphabet: Option<(String, Place)>,
    /// Forms that tell kinds of values apart.
    pub(crate) forms: Vec<Form>,
    /// Whether the client makes new ones.
    pub(crate) mint: Option<Place>,
}

/// A form that a text can have: a beginning and an end, and something between, perhaps of certain characters only.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Form {
    pub(crate) name: Name,
    pub(crate) pattern: String,
    pub(crate) place: Place,
    pub(crate) prefix: String,
    pub(crate) alphabet: Option<String>,
    pub(crate) suffix: String,
}

impl Identifier {
    /// Whether its values are checked when they are made.
    pub(crate) fn is_constrained(&self) -> bool {
        self.length.is_some() || self.alphabet.is_some()
    }
}

/// Parameters of which only some go together.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Choice {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) kind: ChoiceKind,
}

/// How a choice is made.
#[derive(Clone, Debug, Hash)]
pub(crate) enum ChoiceKind {
    /// Exactly one of these is sent.
    Presence { alternatives: Vec<Parameter>, wins: Option<(String, Place)> },
    /// The value of one parameter decides which others go with it.
    Value { decider: Name, enum_index: usize, cases: Vec<Case> },
}

/// What goes with one value of the deciding parameter.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Case {
    /// Index into the values of the deciding enum.
    pub(crate) value: usize,
    pub(crate) parameters: Vec<Parameter>,
}

impl Choice {
    /// All parameters that may stand on the wire for it, the deciding one aside.
    pub(crate) fn members(&self) -> Vec<&Parameter> {
        match &self.kind {
            ChoiceKind::Presence { alternatives, .. } => alternatives.iter().collect(),
            ChoiceKind::Value { cases, .. } => cases.iter().flat_map(|case| &case.parameters).collect(),
        }
    }

    /// The parameter whose value decides it, and the index of its enum.
    pub(crate) fn decider(&self) -> Option<(&Name, usize)> {
        match &self.kind {
            ChoiceKind::Presence { .. } => None,
            ChoiceKind::Value { decider, enum_index, .. } => Some((decider, *enum_index)),
        }
    }

    /// The names of all that may be sent for it, the deciding one first. A member of several cases comes once for each.
    pub(crate) fn wires(&self) -> impl Iterator<Item = &str> {
        let decider = self.decider().map(|(decider, _)| decider.wire.as_str());
        decider.into_iter().chain(self.members().into_iter().map(|member| member.name.wire.as_str()))
    }
}

/// What the exchange answers with.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Record {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) source: Option<Source>,
    pub(crate) is_abstract: bool,
    /// It was seen on the wire and stands in no document.
    pub(crate) is_observed: bool,
    /// It travels as an array, in which places tell the fields apart.
    pub(crate) by_position: bool,
    /// All fields, those of the included record first.
    pub(crate) fields: Vec<Field>,
    /// Whether these are all: what it includes can be unknown.
    pub(crate) is_whole: bool,
}

impl Record {
    /// The field by its name on the wire.
    pub(crate) fn field(&self, wire: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name.wire == wire)
    }
}

/// A field of a record.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Field {
    pub(crate) name: Name,
    pub(crate) shape: Shape,
    pub(crate) may_be_null: bool,
    /// The condition under which it comes, behind "comes only".
    pub(crate) comes_only: Option<String>,
    pub(crate) deprecated: Option<Deprecated>,
    pub(crate) only: Vec<(String, Place)>,
    pub(crate) units: Vec<Unit>,
    pub(crate) as_text: bool,
    pub(crate) doc: String,
}

impl Field {
    /// A field with nothing but its name, its type and what it is; numbers travel as text.
    pub(crate) fn new(name: Name, shape: Shape, doc: String) -> Self {
        Self {
            name,
            shape,
            may_be_null: false,
            comes_only: None,
            deprecated: None,
            only: Vec::new(),
            units: Vec::new(),
            as_text: true,
            doc,
        }
    }
}

impl Family {
    /// The choice that a parameter stands for.
    pub(crate) fn choice_of(&self, parameter: &Parameter) -> Option<&Choice> {
        parameter.shape.choice().and_then(|index| self.choices.get(index))
    }

    /// The enum that a shape holds values of.
    pub(crate) fn enum_of(&self, shape: &Shape) -> Option<&Enum> {
        let Some(Type::Enum(index)) = shape.element() else { return None };
        self.enums.get(index)
    }

    /// The identifier that a shape holds values of.
    pub(crate) fn identifier_of(&self, shape: &Shape) -> Option<&Identifier> {
        let Some(Type::Identifier(index)) = shape.element() else { return None };
        self.identifiers.get(index)
    }

    /// The values of an enum that a parameter or a field can have, each with the place that lists it: those of `only`, or
    /// all.
    pub(crate) fn values_of<'a>(&'a self, shape: &Shape, only: &'a [(String, Place)]) -> Vec<(&'a str, Place)> {
        match self.enum_of(shape) {
            Some(_) if !only.is_empty() => only.iter().map(|(value, place)| (value.as_str(), *place)).collect(),
            Some(all) => all.placed_wires(),
            None => Vec::new(),
        }
    }

    /// What the schema calls a type; empty where it is undefined.
    pub(crate) fn type_name(&self, ty: Type) -> &str {
        self.named_type(ty).map_or_else(|| ty.built_in_name(), |(name, _)| &name.wire)
    }

    /// What a type is called in Rust; a built-in one as in the schema.
    pub(crate) fn type_rust(&self, ty: Type) -> &str {
        self.named_type(ty).map_or_else(|| ty.built_in_name(), |(name, _)| &name.rust)
    }

    /// What a type is, as a field of it says that has no words of its own.
    pub(crate) fn type_doc(&self, ty: Type) -> &str {
        self.named_type(ty).map_or("", |(_, doc)| doc)
    }

    /// The names of a type that the schema defines, and what it says of it.
    fn named_type(&self, ty: Type) -> Option<(&Name, &String)> {
        match ty {
            Type::String
            | Type::Decimal
            | Type::Integer
            | Type::Signed
            | Type::Boolean(_)
            | Type::Time(_)
            | Type::Json
            | Type::Undefined => None,
            Type::Enum(index) => self.enums.get(index).map(|all| (&all.name, &all.doc)),
            Type::Identifier(index) => self.identifiers.get(index).map(|all| (&all.name, &all.doc)),
            Type::Choice(index) => self.choices.get(index).map(|all| (&all.name, &all.doc)),
            Type::Record(index) => self.records.get(index).map(|all| (&all.name, &all.doc)),
        }
    }
}

/// How numbers travel, where a field says nothing else.
pub(crate) fn travels_as_text(family: Option<Numbers>, own: Option<Travels>) -> bool {
    own.map_or(family == Some(Numbers::Text), |own| own == Travels::Text)
}
