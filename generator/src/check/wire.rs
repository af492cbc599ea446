//! Parameters as they stand on the wire: the members of a choice beside the others.

use std::collections::HashSet;

use crate::diagnostics::{Help, Place, did_you_mean};
use crate::model::{Body, Choice, ChoiceKind, Family, Item, Operation, Parameter, Shape, Type};

/// A name on the wire, and what stands behind it.
#[derive(Clone, Copy)]
pub(super) struct Wire<'a> {
    pub(super) name: &'a str,
    pub(super) place: Place,
    /// The parameter that stands in the request; the choice, where the name is part of one.
    pub(super) parameter: &'a Parameter,
    pub(super) meaning: Meaning<'a>,
}

/// What a name on the wire is.
#[derive(Clone, Copy)]
pub(super) enum Meaning<'a> {
    Plain(&'a Parameter),
    /// One of several of which one is sent.
    Alternative(&'a Parameter),
    /// The parameter that decides a choice; its enum.
    Decider(usize),
    /// A parameter that goes with some values of the deciding one.
    Member(&'a Parameter),
}

/// The names of a set of parameters, in their order. A member of several cases of a choice comes once for each.
#[derive(Clone)]
pub(super) struct Names<'a> {
    all: Vec<Wire<'a>>,
    /// Something among them could not be read, so there may be more.
    are_more: bool,
}

/// What stands behind a name.
pub(super) enum Found<'a> {
    Wire(Wire<'a>),
    /// Nothing does, and what to do about it.
    Nothing(Help),
    /// Something may, among what could not be read.
    Perhaps,
}

/// All names of a set of parameters.
pub(super) fn names<'a>(family: &'a Family, parameters: &'a [Parameter]) -> Names<'a> {
    let all = parameters.iter().flat_map(|parameter| names_of(family, parameter)).collect();
    Names { all, are_more: parameters.iter().any(|parameter| is_unread(family, parameter)) }
}

/// Whether a parameter was reported as something that cannot be.
fn is_unread(family: &Family, parameter: &Parameter) -> bool {
    let is_empty =
        |choice: &Choice| matches!(&choice.kind, ChoiceKind::Presence { alternatives, .. } if alternatives.len() < 2);
    match parameter.shape {
        Shape::One(Type::Undefined | Type::Record(_)) => true,
        Shape::List(ty) => matches!(ty, Type::Undefined | Type::Record(_) | Type::Choice(_)),
        _ => choice_of(family, parameter).is_some_and(is_empty),
    }
}

impl<'a> Names<'a> {
    /// Every name with what it is.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Wire<'a>> {
        self.all.iter()
    }

    /// These names, and after them others.
    pub(super) fn and(mut self, others: &Self) -> Self {
        self.all.extend(others.iter().copied());
        self.are_more |= others.are_more;
        self
    }

    /// What a name is.
    pub(super) fn find(&self, name: &str) -> Found<'a> {
        match self.all.iter().find(|wire| wire.name == name) {
            Some(wire) => Found::Wire(*wire),
            None if self.are_more => Found::Perhaps,
            None => Found::Nothing(self.nearest(name)),
        }
    }

    fn nearest(&self, name: &str) -> Help {
        if let Some(help) = did_you_mean(name, self.all.iter().map(|wire| wire.name)) {
            return help;
        }
        let members = list(self.all.iter().filter(|wire| wire.parameter.name.wire == name).map(|wire| wire.name));
        if !members.is_empty() {
            return format!("a choice is not on the wire, its members are: {members}").into();
        }
        match list(self.all.iter().map(|wire| wire.name)) {
            known if known.is_empty() => "there are no parameters here".into(),
            known => format!("the parameters here are: {known}").into(),
        }
    }
}

fn names_of<'a>(family: &'a Family, parameter: &'a Parameter) -> Vec<Wire<'a>> {
    let wire = |name: &'a str, place, meaning| Wire { name, place, parameter, meaning };
    let Some(choice) = choice_of(family, parameter) else {
        return vec![wire(&parameter.name.wire, parameter.name.place, Meaning::Plain(parameter))];
    };
    match &choice.kind {
        ChoiceKind::Presence { alternatives, .. } => alternatives
            .iter()
            .map(|member| wire(&member.name.wire, member.name.place, Meaning::Alternative(member)))
            .collect(),
        ChoiceKind::Value { decider, enum_index, cases } => {
            let decider = wire(&decider.wire, decider.place, Meaning::Decider(*enum_index));
            let members = cases.iter().flat_map(|case| &case.parameters);
            std::iter::once(decider)
                .chain(members.map(|member| wire(&member.name.wire, member.name.place, Meaning::Member(member))))
                .collect()
        }
    }
}

/// The choice that a parameter stands for.
pub(super) fn choice_of<'a>(family: &'a Family, parameter: &Parameter) -> Option<&'a Choice> {
    match parameter.shape {
        Shape::One(Type::Choice(index)) => family.choices.get(index),
        _ => None,
    }
}

/// Names with commas between them, each once, and no more than anyone reads.
pub(super) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const MOST: usize = 20;
    let mut seen = HashSet::new();
    let distinct: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
    let (shown, more) = distinct.split_at(distinct.len().min(MOST));
    let rest = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    format!("{}{rest}", shown.join(", "))
}

/// The objects of a list, or of an array body, and the parameter that holds them.
pub(super) fn items(operation: &Operation) -> impl Iterator<Item = (&Parameter, &Item)> {
    operation.body.parameters().iter().filter_map(|parameter| match &parameter.shape {
        Shape::Items(item) => Some((parameter, item)),
        Shape::One(_) | Shape::List(_) => None,
    })
}

/// The parameters of a request that stand side by side; none where the body is an array.
pub(super) fn top(operation: &Operation) -> &[Parameter] {
    match &operation.body {
        Body::Parameters(parameters) => parameters,
        Body::Array(_) => &[],
    }
}

/// Every parameter of a family once: those of requests, of their items, and of choices.
pub(super) fn all_parameters(family: &Family) -> impl Iterator<Item = &Parameter> {
    let of_operation = |operation| {
        let outer: &Operation = operation;
        let inner = items(outer).flat_map(|(_, item)| &item.parameters);
        outer.body.parameters().iter().chain(inner)
    };
    family.choices.iter().flat_map(Choice::members).chain(family.operations.iter().flat_map(of_operation))
}
