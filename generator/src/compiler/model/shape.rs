//! Shapes of parameters and fields: values, lists, maps and objects, with their JSON types and their units.

use super::builder::{FamilyBuilder, placed};
use super::{Choice, Enum, Family, Identifier, NamesWithin, Parameter, Placed, Truth, Type};
use crate::compiler::diagnostics::{Code, Place};
use crate::compiler::load::raw;
use tradeapi_words::words;

/// The shape of a parameter or a field.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    One(Type),
    List(Type),
    /// An object with arbitrary names and values of that type.
    Map(Type),
    /// A list of objects with parameters of their own.
    Items(Item),
    /// A single object with parameters of its own.
    Object(Item),
}

impl Shape {
    /// Returns the type of the value, or of the values of a list or map; `None` for objects with parameters of their
    /// own.
    pub(crate) fn element(&self) -> Option<Type> {
        match self {
            Self::One(ty) | Self::List(ty) | Self::Map(ty) => Some(*ty),
            Self::Items(_) | Self::Object(_) => None,
        }
    }

    /// Returns the type, if the shape is a single value.
    pub(crate) fn single(&self) -> Option<Type> {
        match self {
            Self::One(ty) => Some(*ty),
            Self::List(_) | Self::Map(_) | Self::Items(_) | Self::Object(_) => None,
        }
    }

    /// Returns the type, if the shape is a single value with a text form: neither a choice nor a record.
    pub(crate) fn value(&self) -> Option<Type> {
        self.single().filter(|ty| !matches!(ty, Type::Choice(_) | Type::Record(_)))
    }

    /// Returns the record, if the shape is a record or a list of records.
    pub(crate) fn record(&self) -> Option<usize> {
        self.single().or(self.listed())?.record()
    }

    /// Returns the type of the values, if the shape is a list of values.
    pub(crate) fn listed(&self) -> Option<Type> {
        match self {
            Self::List(ty) => Some(*ty),
            Self::One(_) | Self::Map(_) | Self::Items(_) | Self::Object(_) => None,
        }
    }

    /// Returns the description of the objects, if the shape is a list of objects.
    pub(crate) fn items(&self) -> Option<&Item> {
        match self {
            Self::Items(item) => Some(item),
            Self::One(_) | Self::List(_) | Self::Map(_) | Self::Object(_) => None,
        }
    }

    /// Returns the description of the object, or of the objects of a list.
    pub(crate) fn objects_mut(&mut self) -> Option<&mut Item> {
        match self {
            Self::Items(item) | Self::Object(item) => Some(item),
            Self::One(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// Returns the description of the object, if the shape is a single one with parameters of its own.
    pub(crate) fn object(&self) -> Option<&Item> {
        match self {
            Self::Object(object) => Some(object),
            Self::One(_) | Self::List(_) | Self::Map(_) | Self::Items(_) => None,
        }
    }

    /// Returns whether it is a single value of a type that matches. A type that was reported as undefined passes.
    pub(crate) fn is_one(&self, is_meant: impl Fn(Type) -> bool) -> bool {
        self.single().is_some_and(|ty| ty == Type::Undefined || is_meant(ty))
    }

    /// Returns whether it is a list.
    pub(crate) fn is_list(&self) -> bool {
        match self {
            Self::List(_) | Self::Items(_) => true,
            Self::One(_) | Self::Map(_) | Self::Object(_) => false,
        }
    }

    /// Returns the record, if the shape is a list of records.
    pub(crate) fn listed_record(&self) -> Option<usize> {
        self.listed()?.record()
    }

    /// Returns the text on the wire of a fixed value of this shape.
    pub(crate) fn wire_of_fixed<'a>(&self, fixed: &'a str) -> &'a str {
        match (self, fixed) {
            (Self::One(Type::Boolean(Truth::Number)), "true") => "1",
            (Self::One(Type::Boolean(Truth::Number)), "false") => "0",
            _ => fixed,
        }
    }

    /// Returns whether it contains values that can travel as JSON numbers.
    pub(crate) fn can_be_bare(&self) -> bool {
        self.element().is_some_and(Type::can_be_bare)
    }

    /// Returns the index of the choice, if the shape is one.
    pub(crate) fn choice(&self) -> Option<usize> {
        if let Some(Type::Choice(index)) = self.single() { Some(index) } else { None }
    }

    /// Returns the index of the enum, if the shape is a single value of one.
    pub(crate) fn single_enum(&self) -> Option<usize> {
        if let Some(Type::Enum(index)) = self.single() { Some(index) } else { None }
    }

    /// Returns the index of the identifier, if the shape is a single value of one.
    pub(crate) fn single_identifier(&self) -> Option<usize> {
        if let Some(Type::Identifier(index)) = self.single() { Some(index) } else { None }
    }

    /// Returns whether its type was reported as undefined.
    pub(crate) fn is_undefined(&self) -> bool {
        self.element() == Some(Type::Undefined)
    }

    /// Returns the JSON type on the wire; with `as_text`, numbers travel as strings.
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

words! {
    /// The JSON type of a value.
    pub(crate) enum JsonType {
        Array = "array",
        Any = "any",
        Boolean = "boolean",
        Number = "number",
        Object = "object",
        String = "string",
    }
}

/// The objects of a list parameter, or a single object.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// The list that holds them.
    pub(crate) list: ListName,
    pub(crate) rust: String,
    pub(crate) place: Place,
    pub(crate) parameters: Vec<Parameter>,
}

/// A list of objects that a request sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ListName {
    /// The body itself.
    Body,
    /// The parameter of this name.
    Parameter(String),
    /// Not a list, but the single object of the parameter with this name.
    Object(String),
    /// The parameter of this name in an object, or in the items of another list.
    Within(String),
}

impl ListName {
    /// Returns whether it stands below a list or an object of the request, where rules cannot speak of it.
    pub(crate) fn is_below(&self) -> bool {
        matches!(self, Self::Object(_) | Self::Within(_))
    }

    /// The name of the body in the schema, if the body is a list.
    pub(crate) const BODY: &str = "[]";

    /// Parses a name as the schema writes it.
    pub(crate) fn new(text: &str) -> Self {
        if text == Self::BODY { Self::Body } else { Self::Parameter(text.to_owned()) }
    }

    /// Returns the name as the schema writes it.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Body => Self::BODY,
            Self::Parameter(name) | Self::Object(name) | Self::Within(name) => name,
        }
    }

    /// Returns the prefix of a parameter of an item: `[].`, `orderList[].`, or `stop.` for a single object.
    pub(crate) fn item_prefix(&self) -> String {
        match self {
            Self::Body => "[].".to_owned(),
            Self::Parameter(name) | Self::Within(name) => format!("{name}[]."),
            Self::Object(name) => format!("{name}."),
        }
    }
}

impl std::fmt::Display for ListName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Family {
    /// Returns the choice that a parameter stands for.
    pub(crate) fn choice_of(&self, parameter: &Parameter) -> Option<&Choice> {
        parameter.shape.choice().and_then(|index| self.choices.get(index))
    }

    /// Returns the enum of the values of a shape.
    pub(crate) fn enum_of(&self, shape: &Shape) -> Option<&Enum> {
        let Some(Type::Enum(index)) = shape.element() else { return None };
        self.enums.get(index)
    }

    /// Returns the identifier type of the values of a shape.
    pub(crate) fn identifier_of(&self, shape: &Shape) -> Option<&Identifier> {
        let Some(Type::Identifier(index)) = shape.element() else { return None };
        self.identifiers.get(index)
    }

    /// Returns the values of an enum that a parameter or a field can have, each with the place that lists it: those of
    /// `only`, or all.
    pub(crate) fn values_of<'a>(&'a self, shape: &Shape, only: &'a [Placed]) -> Vec<(&'a str, Place)> {
        match self.enum_of(shape) {
            Some(_) if !only.is_empty() => only.iter().map(|(value, place)| (value.as_str(), *place)).collect(),
            Some(all) => all.placed_wires(),
            None => Vec::new(),
        }
    }
}

/// A unit, with the values of other parameters under which it applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) when: Vec<NamesWithin>,
    pub(crate) is: String,
    pub(crate) place: Place,
}

impl FamilyBuilder<'_, '_> {
    pub(super) fn units(&mut self, raw: &raw::Field) -> Vec<Unit> {
        let Some(units) = raw.unit.as_ref() else { return Vec::new() };
        let last = units.0.len().saturating_sub(1);
        let is_closed = units.0.iter().enumerate().all(|(index, unit)| match (&unit.when, &unit.is, &unit.otherwise) {
            (Some(when), Some(_), None) => index < last && !when.is_empty(),
            (None, None, Some(_)) => index == last,
            _ => false,
        });
        if !is_closed || units.0.is_empty() {
            self.at(
                units.place,
                Code::Misplaced,
                "expected a text, or a list of `when` with `is` that ends with `otherwise`",
            )
            .help("write `[{ when: { side: buy }, is: quote coin }, { otherwise: base coin }]`");
        }
        units.0.iter().map(one_unit).collect()
    }
}

fn one_unit(raw: &raw::Unit) -> Unit {
    let conditions = raw.when.iter().flat_map(|when| when.iter());
    let is = raw.is.as_ref().or(raw.otherwise.as_ref());
    Unit {
        when: conditions.map(|(name, values)| (placed(name), values.iter().map(placed).collect())).collect(),
        is: is.map_or_else(String::new, |is| is.value.trim().to_owned()),
        place: is.map(|is| is.place).unwrap_or_default(),
    }
}
