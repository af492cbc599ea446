//! Choices: parameters of which only certain combinations are allowed.

use super::{EnumValue, Family, Name, Parameter};
use crate::compiler::diagnostics::Place;

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
    Presence { alternatives: Vec<Parameter>, wins: Option<(String, Place)> },
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

    /// The variant with its parameters, such as `Limit`, or `MarketWith` if the value alone is enough.
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
    /// All parameters that may be sent for it, except the deciding one.
    pub(crate) fn members(&self) -> Vec<&Parameter> {
        match &self.kind {
            ChoiceKind::Presence { alternatives, .. } => alternatives.iter().collect(),
            ChoiceKind::Value { cases, .. } => cases.iter().flat_map(|case| &case.parameters).collect(),
        }
    }

    /// The alternatives, if exactly one is sent; `None` if a value decides.
    pub(crate) fn alternatives(&self) -> Option<&[Parameter]> {
        match &self.kind {
            ChoiceKind::Presence { alternatives, .. } => Some(alternatives),
            ChoiceKind::Value { .. } => None,
        }
    }

    /// The alternative that wins when several are sent.
    pub(crate) fn wins(&self) -> Option<&str> {
        match &self.kind {
            ChoiceKind::Presence { wins, .. } => wins.as_ref().map(|(wins, _)| wins.as_str()),
            ChoiceKind::Value { .. } => None,
        }
    }

    /// The parameters that go with each value of the deciding parameter; empty if there is no deciding parameter.
    pub(crate) fn cases<'a>(&'a self, family: &'a Family) -> impl Iterator<Item = (&'a EnumValue, &'a Case)> {
        let (enum_index, cases) = match &self.kind {
            ChoiceKind::Presence { .. } => (None, [].as_slice()),
            ChoiceKind::Value { enum_index, cases, .. } => (Some(*enum_index), cases.as_slice()),
        };
        let values = enum_index.and_then(|index| family.enums.get(index)).map_or([].as_slice(), |all| &all.values);
        cases.iter().filter_map(|case| Some((values.get(case.value)?, case)))
    }

    /// The parameter whose value decides, and the index of its enum.
    pub(crate) fn decider(&self) -> Option<(&Name, usize)> {
        match &self.kind {
            ChoiceKind::Presence { .. } => None,
            ChoiceKind::Value { decider, enum_index, .. } => Some((decider, *enum_index)),
        }
    }

    /// The names of all parameters that may be sent for it, the deciding one first. A member of several cases occurs
    /// once for each.
    pub(crate) fn wires(&self) -> impl Iterator<Item = &str> {
        let decider = self.decider().map(|(decider, _)| decider.wire.as_str());
        decider.into_iter().chain(self.members().into_iter().map(|member| member.name.wire.as_str()))
    }

    /// The same, each once.
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
