//! Rules: sentences of the documents, with their conditions as data.
//!
//! Conditions are data, because a string language would need a parser and a type checker of its own. They have three
//! values: some depend on the account or an instrument, and a rule with an unknown condition is skipped. Every rule has
//! an id, also one that comes from another key (`limit.max`), so that each can be switched off or turned into a warning
//! at run time.

use std::collections::BTreeSet;

use tradeapi_words::words;

use super::{Duration, EnumValue, Family, ListName, Name, Parameter, Placed};
use crate::compiler::diagnostics::Place;
use crate::compiler::words::{RuleKind, Severity};

/// A binding sentence of a document.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) place: Place,
    /// Where it is written out; differs from its place if it is `as` another.
    pub(crate) written: Place,
    pub(crate) at: String,
    pub(crate) kind: RuleKind,
    pub(crate) severity: Severity,
    /// The place of the severity, if it is written.
    pub(crate) severity_place: Option<Place>,
    pub(crate) says: String,
    pub(crate) why: Option<String>,
    /// The list to whose items it applies.
    pub(crate) within: Option<(ListName, Place)>,
    pub(crate) test: Option<Test>,
    /// Parameters that the operation, or the items of the list, do not support although the family has them.
    pub(crate) unsupported: Vec<Placed>,
}

impl Rule {
    /// Returns the paths of the parameters that are not supported: `[].reduceOnly`.
    pub(crate) fn unsupported_paths(&self) -> impl Iterator<Item = Placed> {
        let prefix = self.within.as_ref().map(|(list, _)| list.item_prefix()).unwrap_or_default();
        self.unsupported.iter().map(move |(name, place)| (format!("{prefix}{name}"), *place))
    }

    /// Returns the parameters that it says are not supported: `not supported: reduceOnly, takeProfit`.
    pub(crate) fn unsupported_in_words(&self) -> Option<String> {
        let names: Vec<&str> = self.unsupported.iter().map(|(name, _)| name.as_str()).collect();
        (!names.is_empty()).then(|| format!("not supported: {}", names.join(", ")))
    }
}

/// The condition that a rule requires.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    /// When all of `when` hold, all of `require` hold and not all of `forbid` do.
    Condition { when: Vec<Condition>, require: Vec<Condition>, forbid: Vec<Condition> },
    /// All items have the same value.
    Same(String, Place),
    /// No two items share a value of any of these.
    Unique(Vec<Placed>),
}

/// One entry of `when`, `require` or `forbid`.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// All of these are set.
    Given(Vec<Placed>),
    /// At least one of these is set.
    AnyGiven(Vec<Placed>),
    /// The parameter is set, and its text has one of these forms.
    HasForm { parameter: Placed, forms: Vec<Placed> },
    /// The parameter is set to one of these values.
    Is { parameter: Placed, values: Vec<Placed> },
    /// A property of the account has one of these values. Undecided while the property is unknown.
    AccountIs { property: Placed, values: Vec<Placed> },
    /// The parameter compares in this way with a property of the account or the instrument. Undecided if one of the two
    /// is missing.
    Compares { parameter: Placed, comparison: Comparison, property: Placed },
    /// The parameter is below or above a number, another parameter or a moment. Undecided if one of the two is missing,
    /// or within a minute of the moment.
    Relates { parameter: Placed, relation: Relation, operand: Operand, place: Place },
    /// The condition does not hold. Undecided if the condition is.
    Not(Box<Condition>),
}

words! {
    /// The order of a parameter relative to its operand; the word follows the name of the parameter and a dot.
    pub(crate) enum Relation {
        Below = "below",
        Above = "above",
        NotBelow = "not_below",
        NotAbove = "not_above",
    }

    /// The comparison of a parameter with a property of the account or of the instrument; the word follows the name of
    /// the parameter and a dot.
    pub(crate) enum Comparison {
        /// The text is among the names of the account's property.
        Among = "among",
        /// The time is not before that of the account's property.
        NotBefore = "not_before",
        /// The number is a multiple of the instrument's property.
        MultipleOf = "multiple_of",
        /// The number has no more decimal places than the instrument's property says.
        Places = "places",
        /// The number is not below the instrument's property.
        AtLeast = "at_least",
        /// The number is not above the instrument's property.
        AtMost = "at_most",
    }
}

impl Relation {
    /// Returns the relation that holds where this one does not.
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Below => Self::NotBelow,
            Self::Above => Self::NotAbove,
            Self::NotBelow => Self::Below,
            Self::NotAbove => Self::Above,
        }
    }

    /// Returns whether it holds for a parameter that has this order relative to the other.
    pub(crate) fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Below => order.is_lt(),
            Self::Above => order.is_gt(),
            Self::NotBelow => order.is_ge(),
            Self::NotAbove => order.is_le(),
        }
    }
}

/// The operand of a comparison with a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Number(String),
    Parameter(String),
    /// A time relative to now; `None` is now itself.
    Moment {
        length: Option<Duration>,
        is_ahead: bool,
    },
}

impl Operand {
    /// Parses `0.5`, `now`, `30 days ago`, `1 hour ahead`; any other text is the name of a parameter.
    pub(crate) fn parse(text: &str) -> Self {
        let moment = |length: &str, is_ahead| {
            Duration::parse(length).map(|length| Self::Moment { length: Some(length), is_ahead })
        };
        let moment = match text.rsplit_once(' ') {
            _ if text == "now" => Some(Self::Moment { length: None, is_ahead: false }),
            Some((length, "ago")) => moment(length, false),
            Some((length, "ahead")) => moment(length, true),
            Some(_) | None => None,
        };
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let number = (is_digits(whole) && is_digits(fraction)).then(|| Self::Number(text.to_owned()));
        moment.or(number).unwrap_or_else(|| Self::Parameter(text.to_owned()))
    }
}

impl Comparison {
    /// Returns whether it compares with a property of the instrument rather than of the account.
    pub(crate) fn is_of_instrument(self) -> bool {
        matches!(self, Self::MultipleOf | Self::Places | Self::AtLeast | Self::AtMost)
    }
}

impl Test {
    /// Returns a text that tests have in common if they refuse the same, whatever the order of their entries.
    pub(crate) fn meaning(&self) -> String {
        match self {
            Self::Condition { when, require, forbid } => {
                let [when, require, forbid] = [when, require, forbid].map(|all| meaning(all));
                format!("when {when:?} require {require:?} forbid {forbid:?}")
            }
            Self::Same(name, _) => format!("same {name}"),
            Self::Unique(names) => format!("unique {:?}", texts(names)),
        }
    }

    /// Returns all conditions of the test.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = &Condition> {
        let lists: [&[Condition]; 3] = match self {
            Self::Condition { when, require, forbid } => [when, require, forbid],
            Self::Same(..) | Self::Unique(_) => [&[], &[], &[]],
        };
        lists.into_iter().flatten()
    }
}

/// Returns the meanings of conditions that hold together.
pub(crate) fn meaning(conditions: &[Condition]) -> BTreeSet<String> {
    conditions.iter().map(Condition::meaning).collect()
}

fn texts(values: &[Placed]) -> BTreeSet<&str> {
    values.iter().map(|(value, _)| value.as_str()).collect()
}

impl Condition {
    fn meaning(&self) -> String {
        match self {
            Self::Given(names) => format!("given {:?}", texts(names)),
            Self::AnyGiven(names) => format!("any_given {:?}", texts(names)),
            Self::HasForm { parameter, forms } => format!("{}.form {:?}", parameter.0, texts(forms)),
            Self::Is { parameter, values } => format!("{} {:?}", parameter.0, texts(values)),
            Self::AccountIs { property, values } => format!("account.{} {:?}", property.0, texts(values)),
            Self::Compares { parameter, comparison, property } => {
                format!("{}.{} {}", parameter.0, comparison.as_str(), property.0)
            }
            Self::Relates { parameter, relation, operand, .. } => {
                format!("{}.{} {operand}", parameter.0, relation.as_str())
            }
            Self::Not(inner) => format!("not.{}", inner.meaning()),
        }
    }

    /// Returns the parameters that it depends on.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.placed_names().into_iter().map(|(name, _)| name).collect()
    }

    /// Returns the parameters that it depends on, each with its place.
    pub(crate) fn placed_names(&self) -> Vec<(&str, Place)> {
        match self {
            Self::Given(names) | Self::AnyGiven(names) => {
                names.iter().map(|(name, place)| (name.as_str(), *place)).collect()
            }
            Self::Is { parameter, .. } | Self::HasForm { parameter, .. } | Self::Compares { parameter, .. } => {
                vec![(parameter.0.as_str(), parameter.1)]
            }
            Self::Relates { parameter, operand: Operand::Parameter(other), place, .. } => {
                vec![(parameter.0.as_str(), parameter.1), (other.as_str(), *place)]
            }
            Self::Relates { parameter, .. } => vec![(parameter.0.as_str(), parameter.1)],
            Self::AccountIs { .. } => Vec::new(),
            Self::Not(inner) => inner.placed_names(),
        }
    }

    /// Returns the condition that it is or negates.
    fn bare(&self) -> &Self {
        if let Self::Not(inner) = self { inner.bare() } else { self }
    }

    /// Returns the property of the account or the instrument that it depends on.
    pub(crate) fn property(&self) -> Option<&str> {
        match self.bare() {
            Self::AccountIs { property, .. } | Self::Compares { property, .. } => Some(&property.0),
            _ => None,
        }
    }

    /// Returns whether it compares with a property of the instrument that the request names.
    pub(crate) fn is_of_instrument(&self) -> bool {
        matches!(self.bare(), Self::Compares { comparison, .. } if comparison.is_of_instrument())
    }

    /// Returns whether it compares anything with a value that is not fixed in the schema.
    pub(crate) fn compares(&self) -> bool {
        matches!(self.bare(), Self::Compares { .. } | Self::Relates { .. })
    }

    /// Returns whether it depends on the current time.
    pub(crate) fn is_of_time(&self) -> bool {
        matches!(self.bare(), Self::Relates { operand: Operand::Moment { .. }, .. })
    }
}

/// Parameters that are allowed only in certain combinations.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) kind: ChoiceKind,
}

/// The way a choice is made.
#[derive(Clone, Debug)]
pub(crate) enum ChoiceKind {
    /// Exactly one of these parameters is sent.
    Presence { alternatives: Vec<Parameter>, wins: Option<Placed> },
    /// The value of one parameter decides which others go with it.
    Value { decider: Name, enum_index: usize, cases: Vec<Case> },
}

/// The parameters that go with one value of the deciding parameter.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// Index into the values of the deciding enum.
    pub(crate) value: usize,
    pub(crate) parameters: Vec<Parameter>,
}

impl Case {
    /// Returns whether its parameters can all be left out, so that the value alone is enough.
    pub(crate) fn is_optional(&self) -> bool {
        !self.parameters.iter().any(Parameter::is_required)
    }

    /// Returns the variant with its parameters, such as `Limit`, or `MarketWith` if the value alone is enough.
    pub(crate) fn variant_with(&self, value: &EnumValue) -> Option<String> {
        let name = &value.name.rust;
        let beginning = value.name.beginning();
        match (self.parameters.is_empty(), self.is_optional()) {
            (true, _) => None,
            (false, true) => Some(format!("{beginning}With")),
            (false, false) => Some(name.clone()),
        }
    }
}

impl Choice {
    /// Returns all parameters that may be sent for it, except the deciding one.
    pub(crate) fn members(&self) -> Vec<&Parameter> {
        match &self.kind {
            ChoiceKind::Presence { alternatives, .. } => alternatives.iter().collect(),
            ChoiceKind::Value { cases, .. } => cases.iter().flat_map(|case| &case.parameters).collect(),
        }
    }

    /// Returns the alternatives, if exactly one is sent; `None` if a value decides.
    pub(crate) fn alternatives(&self) -> Option<&[Parameter]> {
        match &self.kind {
            ChoiceKind::Presence { alternatives, .. } => Some(alternatives),
            ChoiceKind::Value { .. } => None,
        }
    }

    /// Returns the alternative that wins when several are sent.
    pub(crate) fn wins(&self) -> Option<&str> {
        match &self.kind {
            ChoiceKind::Presence { wins, .. } => wins.as_ref().map(|(wins, _)| wins.as_str()),
            ChoiceKind::Value { .. } => None,
        }
    }

    /// Returns the parameters that go with each value of the deciding parameter; empty if there is no deciding
    /// parameter.
    pub(crate) fn cases<'a>(&'a self, family: &'a Family) -> impl Iterator<Item = (&'a EnumValue, &'a Case)> {
        let (enum_index, cases) = match &self.kind {
            ChoiceKind::Presence { .. } => (None, [].as_slice()),
            ChoiceKind::Value { enum_index, cases, .. } => (Some(*enum_index), cases.as_slice()),
        };
        let values = enum_index.and_then(|index| family.enums.get(index)).map_or([].as_slice(), |all| &all.values);
        cases.iter().filter_map(|case| Some((values.get(case.value)?, case)))
    }

    /// Returns the parameter whose value decides, and the index of its enum.
    pub(crate) fn decider(&self) -> Option<(&Name, usize)> {
        match &self.kind {
            ChoiceKind::Presence { .. } => None,
            ChoiceKind::Value { decider, enum_index, .. } => Some((decider, *enum_index)),
        }
    }

    /// Returns the names of all parameters that may be sent for it, the deciding one first. A member of several cases
    /// occurs once for each.
    pub(crate) fn wires(&self) -> impl Iterator<Item = &str> {
        let decider = self.decider().map(|(decider, _)| decider.wire.as_str());
        decider.into_iter().chain(self.members().into_iter().map(|member| member.name.wire.as_str()))
    }

    /// Returns the names of all parameters that may be sent for it, each once.
    pub(crate) fn distinct_wires(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for name in self.wires() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}
