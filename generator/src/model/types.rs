//! Types that operations share: enums, identifiers, choices, records, and the fields of these.

use super::{Name, Source};
use crate::diagnostics::Place;
use crate::load::raw::{Numbers, Required, Travels};

/// What a value is. The indices lead into the lists of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    String,
    Decimal,
    Integer,
    Boolean,
    Time,
    Enum(usize),
    Identifier(usize),
    Choice(usize),
    Record(usize),
    /// It was reported as undefined; nothing more is said about it.
    Undefined,
}

/// One value, or a list.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    One(Type),
    List(Type),
    /// A list of objects with parameters of their own.
    Items(Item),
}

/// The objects of a list parameter.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) rust: String,
    pub(crate) place: Place,
    pub(crate) parameters: Vec<Parameter>,
}

/// Whether a parameter has to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Always,
    Conditional,
    Unstated,
    No,
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
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    /// Where it is written out; elsewhere than its name when it is `as` another.
    #[cfg_attr(not(feature = "cli"), expect(dead_code, reason = "only `diff` asks"))]
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
    /// Numbers and times travel as JSON strings.
    pub(crate) as_text: bool,
    pub(crate) doc: String,
}

/// What leaving a parameter out, or a special text, does.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    pub(crate) delete: Option<String>,
    pub(crate) place: Place,
}

/// A unit, with the values of other parameters under which it holds.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) when: Vec<(String, Vec<String>, Place)>,
    pub(crate) is: String,
}

/// An enum, open in answers and strict in requests.
#[derive(Clone, Debug)]
pub(crate) struct Enum {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) values: Vec<EnumValue>,
    /// Which value is true and which is false.
    pub(crate) truth: Option<(usize, usize)>,
    pub(crate) truth_places: Vec<(String, Place)>,
}

/// A value of an enum.
#[derive(Clone, Debug)]
pub(crate) struct EnumValue {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) also: Vec<(String, Place)>,
}

impl Enum {
    /// Whether a text is one of the values, or another spelling of one.
    pub(crate) fn index_of(&self, text: &str) -> Option<usize> {
        let spelled = |value: &EnumValue| value.name.wire == text || value.also.iter().any(|(also, _)| also == text);
        self.values.iter().position(spelled)
    }

    /// The wire texts of all values.
    pub(crate) fn wires(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|value| value.name.wire.as_str())
    }
}

/// A newtype over text.
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) kind: ChoiceKind,
}

/// How a choice is made.
#[derive(Clone, Debug)]
pub(crate) enum ChoiceKind {
    /// Exactly one of these is sent.
    Presence { alternatives: Vec<Parameter>, wins: Option<(String, Place)> },
    /// The value of one parameter decides which others go with it.
    Value { decider: Name, enum_index: usize, cases: Vec<Case> },
}

/// What goes with one value of the deciding parameter.
#[derive(Clone, Debug)]
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
}

/// What the exchange answers with.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) source: Option<Source>,
    pub(crate) is_abstract: bool,
    /// It was seen on the wire and stands in no document.
    pub(crate) is_observed: bool,
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
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: Name,
    pub(crate) shape: Shape,
    pub(crate) may_be_null: bool,
    /// The condition under which it comes, behind "comes only".
    pub(crate) comes_only: Option<String>,
    pub(crate) only: Vec<(String, Place)>,
    pub(crate) units: Vec<Unit>,
    pub(crate) as_text: bool,
    pub(crate) doc: String,
}

/// How numbers travel, where a field says nothing else.
pub(crate) fn travels_as_text(family: Option<Numbers>, own: Option<Travels>) -> bool {
    own.map_or(family == Some(Numbers::Text), |own| own == Travels::Text)
}
