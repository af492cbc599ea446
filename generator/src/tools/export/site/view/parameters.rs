//! Parameters in the form of rows, and choices among them.

use super::rules::RuleView;
use super::types::{TypeView, ValueView, described, type_view, values};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{
    Choice, ChoiceKind, Deprecated, Family, ListName, Need, Parameter, Role, Shape, Type, Unit, WireParameter,
};
use crate::tools::export::site::address::Anchors;

/// A parameter, or several that form a choice.
pub(in crate::tools::export::site) enum Block<'a> {
    One(Box<ParameterView<'a>>),
    /// Exactly one of these is sent.
    OneOf {
        choice: &'a Choice,
        of: &'a Parameter,
        wins: Precedence<'a>,
        parameters: Vec<ParameterView<'a>>,
    },
    /// The value of the first parameter decides which others go with it.
    ByValue {
        choice: &'a Choice,
        of: &'a Parameter,
        decider: Box<ParameterView<'a>>,
        cases: Vec<CaseView<'a>>,
    },
}

/// The alternative that counts when several are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tools::export::site) enum Precedence<'a> {
    Name(&'a str),
    Unstated,
    Nothing,
}

/// The parameters that go with one value.
pub(in crate::tools::export::site) struct CaseView<'a> {
    pub(in crate::tools::export::site) value: &'a str,
    pub(in crate::tools::export::site) doc: &'a str,
    pub(in crate::tools::export::site) parameters: Vec<ParameterView<'a>>,
}

/// A parameter in the form of a row.
pub(in crate::tools::export::site) struct ParameterView<'a> {
    pub(in crate::tools::export::site) anchor: String,
    pub(in crate::tools::export::site) path: String,
    pub(in crate::tools::export::site) name: &'a str,
    pub(in crate::tools::export::site) ty: TypeView<'a>,
    pub(in crate::tools::export::site) need: Need,
    /// The need in words, which say more for parts of a choice.
    pub(in crate::tools::export::site) need_in_words: String,
    pub(in crate::tools::export::site) doc: &'a str,
    pub(in crate::tools::export::site) default: Option<&'a str>,
    pub(in crate::tools::export::site) default_note: Option<&'a str>,
    /// The largest value or number of items.
    pub(in crate::tools::export::site) max: Vec<String>,
    /// Other bounds, in words.
    pub(in crate::tools::export::site) bounds: Vec<String>,
    pub(in crate::tools::export::site) values: Vec<ValueView<'a>>,
    /// The text that deletes the value, if there is one; `None` if leaving the parameter out does not keep the value.
    pub(in crate::tools::export::site) edit: Option<Option<&'a str>>,
    pub(in crate::tools::export::site) may_be_blank: bool,
    pub(in crate::tools::export::site) units: &'a [Unit],
    pub(in crate::tools::export::site) deprecated: Option<&'a Deprecated>,
    pub(in crate::tools::export::site) items: Vec<Block<'a>>,
    pub(in crate::tools::export::site) place: Place,
    /// The rules about it, by their index among those of the operation.
    pub(in crate::tools::export::site) rules: Vec<usize>,
}

pub(super) struct ParameterReader<'a, 'r> {
    pub(super) family: &'a Family,
    pub(super) rules: &'r [RuleView<'a>],
    pub(super) anchors: Anchors,
}

impl<'a> ParameterReader<'a, '_> {
    pub(super) fn blocks(&mut self, list: Option<&'a ListName>, parameters: &'a [Parameter]) -> Vec<Block<'a>> {
        parameters.iter().map(|of| self.block(list, of)).collect()
    }

    fn block(&mut self, list: Option<&'a ListName>, of: &'a Parameter) -> Block<'a> {
        let wire = |name, role| WireParameter { name, of, role, list };
        let Some(choice) = self.family.choice_of(of) else {
            return Block::One(Box::new(self.parameter(&wire(&of.name, Role::Plain(of)))));
        };
        match &choice.kind {
            ChoiceKind::Presence { alternatives, wins } => {
                let wins = match wins {
                    Some(_) if of.wins_unstated => Precedence::Unstated,
                    Some((name, _)) => Precedence::Name(name),
                    None => Precedence::Nothing,
                };
                let parameters = alternatives.iter().map(|one| {
                    let mut view = self.parameter(&wire(&one.name, Role::Alternative(one)));
                    if view.need == Need::Conditional {
                        view.need_in_words = "one of these".to_owned();
                    }
                    view
                });
                Block::OneOf { choice, of, wins, parameters: parameters.collect() }
            }
            ChoiceKind::Value { decider, enum_index, cases } => {
                let values = self.family.enums.get(*enum_index).map(|all| all.values.as_slice()).unwrap_or_default();
                let decider = Box::new(self.parameter(&wire(decider, Role::Decider(*enum_index))));
                let cases = cases.iter().map(|case| {
                    let value = values.get(case.value);
                    let value = value.map_or(("", ""), |value| (value.name.wire.as_str(), value.doc.as_str()));
                    let members = case.parameters.iter().map(|member| {
                        let mut view = self.parameter(&wire(&member.name, Role::Member(member)));
                        if member.need == Need::Always {
                            view.need_in_words = format!("required with {}", value.0);
                        }
                        view
                    });
                    CaseView { value: value.0, doc: value.1, parameters: members.collect() }
                });
                Block::ByValue { choice, of, decider, cases: cases.collect() }
            }
        }
    }

    fn parameter(&mut self, wire: &WireParameter<'a>) -> ParameterView<'a> {
        let path = wire.path();
        let parameter = wire.parameter();
        let shape = match wire.role {
            Role::Decider(index) => Shape::One(Type::Enum(index)),
            Role::Plain(one) | Role::Alternative(one) | Role::Member(one) => one.shape.clone(),
        };
        let touching = |rule: &&(usize, &RuleView<'a>)| rule.1.concerned_parameters.contains(&path);
        let rules = self.rules.iter().enumerate().collect::<Vec<_>>();
        let rules = rules.iter().filter(touching).map(|(index, _)| *index).collect();
        let max_items = parameter.and_then(|one| one.max_items).map(|(n, _)| n.to_string());
        let max = parameter.and_then(|one| one.max.as_ref()).map(|(max, _)| max.clone());
        ParameterView {
            anchor: self.anchors.of("parameter", &path),
            name: &wire.name.wire,
            ty: type_view(self.family, &shape, wire.json_type().as_str()),
            need: wire.need(),
            need_in_words: wire.need().in_words().to_owned(),
            doc: match wire.role {
                Role::Decider(index) => self.family.enums.get(index).map_or("", |all| all.doc.as_str()),
                Role::Plain(one) | Role::Alternative(one) | Role::Member(one) => {
                    described(self.family, &one.shape, &one.doc)
                }
            },
            default: parameter.and_then(|one| one.default.as_ref()).map(|(default, _)| default.as_str()),
            default_note: parameter.and_then(|one| one.default_note.as_deref()),
            max: max.into_iter().chain(max_items).collect(),
            bounds: bounds(self.family, parameter),
            values: values(self.family, &shape, wire.values(self.family)),
            edit: parameter.and_then(Parameter::kept_unless),
            may_be_blank: parameter.is_some_and(|one| one.may_be_blank),
            units: parameter.map_or(&[], |one| &one.units),
            deprecated: parameter.and_then(|one| one.deprecated.as_ref()),
            items: parameter
                .and_then(Parameter::item)
                .map_or_else(Vec::new, |item| self.blocks(Some(&item.list), &item.parameters)),
            place: parameter.map_or(wire.of.name.place, |one| one.name.place),
            rules,
            path,
        }
    }
}

/// Returns the bounds of a parameter other than its maximum.
fn bounds(family: &Family, parameter: Option<&Parameter>) -> Vec<String> {
    let Some(parameter) = parameter else { return Vec::new() };
    let of = family.identifier_of(&parameter.shape);
    [
        parameter.min.as_ref().map(|(min, _)| format!("at least {min}")),
        parameter.min_items.map(|(n, _)| format!("at least {n} items")),
        parameter.digits.map(|(n, _)| format!("at most {n} digits")),
        parameter.length.map(|((min, max), _)| format!("{min} to {max} characters")),
        parameter.pattern.as_ref().map(|(pattern, _)| format!("matching {pattern}")),
        parameter.fixed.as_ref().map(|(fixed, _)| format!("always {fixed}")),
        of.and_then(|of| of.length).map(|(min, max)| format!("{min} to {max} characters")),
        of.and_then(|of| of.alphabet.as_ref()).map(|(alphabet, _)| format!("characters of [{alphabet}]")),
    ]
    .into_iter()
    .flatten()
    .collect()
}
