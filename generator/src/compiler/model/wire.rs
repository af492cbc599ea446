//! Parameters as they are sent: the members of a choice beside the others, and the parameters of items after the list that
//! holds them.

use super::facts::Fact;
use super::{
    Choice, ChoiceKind, Enum, Family, Item, JsonType, ListName, Name, Need, Operation, Parameter, Shape, Type,
};
use crate::compiler::diagnostics::{Code, Diagnostics, Help, Place, name_list, unknown};

/// A parameter as it is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WireParameter<'a> {
    pub(crate) name: &'a Name,
    /// The parameter of the request or of the item; for a part of a choice, the choice.
    pub(crate) of: &'a Parameter,
    pub(crate) role: Role<'a>,
    /// The list whose items have it.
    pub(crate) list: Option<&'a ListName>,
}

/// The role of a name on the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Role<'a> {
    Plain(&'a Parameter),
    /// One of several alternatives; exactly one is sent.
    Alternative(&'a Parameter),
    /// The deciding parameter of a choice, with the index of its enum.
    Decider(usize),
    /// A parameter that goes with some values of the deciding one.
    Member(&'a Parameter),
}

impl<'a> WireParameter<'a> {
    /// Returns the parameter as the schema writes it; a deciding parameter is written as a part of its choice.
    pub(crate) fn parameter(&self) -> Option<&'a Parameter> {
        match self.role {
            Role::Plain(parameter) | Role::Alternative(parameter) | Role::Member(parameter) => Some(parameter),
            Role::Decider(_) => None,
        }
    }

    /// Returns the name with its list as a prefix: `symbol`, `orderList[].size`, `[].size`.
    pub(crate) fn path(&self) -> String {
        self.list.map(ListName::item_prefix).unwrap_or_default() + &self.name.wire
    }

    /// Returns the JSON type; the deciding parameter of a choice is an enum.
    pub(crate) fn json_type(&self) -> JsonType {
        self.parameter().map_or(JsonType::String, |parameter| parameter.shape.json_type(parameter.as_text))
    }

    /// Returns the values that it can have, if they are listed, each with the place that lists it.
    pub(crate) fn values(&self, family: &'a Family) -> Vec<(&'a str, Place)> {
        match self.role {
            Role::Plain(parameter) | Role::Alternative(parameter) | Role::Member(parameter) => match &parameter.fixed {
                Some((fixed, place)) => vec![(parameter.shape.wire_of_fixed(fixed), *place)],
                None => family.values_of(&parameter.shape, &parameter.only),
            },
            Role::Decider(index) => family.enums.get(index).map(Enum::placed_wires).unwrap_or_default(),
        }
    }

    /// Returns whether it has to be sent. An alternative, or a parameter that goes with some values only, is required
    /// conditionally.
    pub(crate) fn need(&self) -> Need {
        let within_choice = |need: Need| if need == Need::Always { Need::Conditional } else { need };
        match self.role {
            Role::Plain(parameter) => parameter.need,
            Role::Alternative(_) => within_choice(self.of.need),
            Role::Decider(_) => self.of.need,
            Role::Member(parameter) => within_choice(parameter.need),
        }
    }
}

/// The names of parameters that are sent side by side, in their order. A member of several cases of a choice occurs
/// once for each.
#[derive(Clone)]
pub(crate) struct WireNames<'a> {
    all: Vec<WireParameter<'a>>,
    /// True if one of them could not be read, so that there may be more.
    are_more: bool,
}

/// The result of looking up a name.
pub(crate) enum Lookup<'a> {
    Found(WireParameter<'a>),
    /// No parameter has the name; the help suggests a correction.
    Missing(Help),
    /// A parameter that could not be read may have the name.
    Unresolved,
}

impl<'a> Lookup<'a> {
    /// Returns the parameter, if there is one.
    pub(crate) fn found(self) -> Option<WireParameter<'a>> {
        if let Self::Found(found) = self { Some(found) } else { None }
    }

    /// Returns the parameter; reports that the operation `of` has none with this name.
    pub(crate) fn or_report(
        self,
        of: &str,
        name: &str,
        place: Place,
        to: &mut Diagnostics,
    ) -> Option<WireParameter<'a>> {
        match self {
            Self::Found(found) => Some(found),
            Self::Missing(help) => {
                to.at(place, Code::UndefinedName, format!("`{of}` has no parameter `{name}`")).help(help);
                None
            }
            Self::Unresolved => None,
        }
    }
}

impl<'a> WireNames<'a> {
    /// Returns every name with its role.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &WireParameter<'a>> {
        self.all.iter()
    }

    /// Returns whether one of them could not be read, so that there may be more.
    pub(crate) fn are_more(&self) -> bool {
        self.are_more
    }

    /// Returns these names, followed by others.
    pub(crate) fn and(mut self, others: &Self) -> Self {
        self.all.extend(others.iter().copied());
        self.are_more |= others.are_more;
        self
    }

    /// Looks up a name.
    pub(crate) fn find(&self, name: &str) -> Lookup<'a> {
        match self.all.iter().find(|wire| wire.name.wire == name) {
            Some(wire) => Lookup::Found(*wire),
            None if self.are_more => Lookup::Unresolved,
            None => Lookup::Missing(self.nearest(name)),
        }
    }

    fn nearest(&self, name: &str) -> Help {
        let wires = self.all.iter().map(|wire| (wire.name.wire.as_str(), Some(wire.name.place)));
        unknown(name, wires, || self.others(name))
    }

    /// Returns the names that could replace an unknown one, as a help.
    fn others(&self, name: &str) -> String {
        let members = self.all.iter().filter(|wire| wire.of.name.wire == name);
        let members = name_list(members.map(|wire| wire.name.wire.as_str()));
        if !members.is_empty() {
            return format!("use the members of the choice: {members}");
        }
        match name_list(self.all.iter().map(|wire| wire.name.wire.as_str())) {
            known if known.is_empty() => "there are no parameters".to_owned(),
            known => format!("expected one of: {known}"),
        }
    }
}

impl Operation {
    /// Returns every parameter that the request can carry; the parameters of items follow their list.
    pub(crate) fn wire_parameters<'a>(&'a self, family: &'a Family) -> Vec<WireParameter<'a>> {
        let with_items = |parameter: &'a Parameter| {
            let of_choice = family.choice_of(parameter).into_iter().flat_map(Choice::objects);
            let items =
                parameter.item().into_iter().chain(objects_in(std::slice::from_ref(parameter))).chain(of_choice);
            let items = items.flat_map(|item| {
                item.parameters.iter().flat_map(|inner| family.wire_parameters(Some(&item.list), inner))
            });
            family.wire_parameters(None, parameter).into_iter().chain(items)
        };
        self.body.parameters().iter().flat_map(with_items).collect()
    }

    /// Returns the number of parameters that the schema writes out, including those of choices and items.
    pub(crate) fn parameter_count(&self, family: &Family) -> usize {
        // The parameter that stands for an array body has no name on the wire.
        self.wire_parameters(family).iter().filter(|wire| !wire.of.is_body()).count()
    }

    /// Returns every parameter that stands for a choice, with the choice and the list whose items make it.
    pub(crate) fn choices<'a>(
        &'a self,
        family: &'a Family,
    ) -> impl Iterator<Item = (Option<&'a ListName>, &'a Parameter, &'a Choice)> {
        let with_items = |parameter: &'a Parameter| {
            let items = parameter.item().into_iter();
            let inner = items.flat_map(|item| item.parameters.iter().map(|inner| (Some(&item.list), inner)));
            std::iter::once((None, parameter)).chain(inner)
        };
        let all = self.body.parameters().iter().flat_map(with_items);
        all.filter_map(|(list, parameter)| Some((list, parameter, family.choice_of(parameter)?)))
    }

    /// Returns the lists of objects, including a body that is one, with the description of their items.
    pub(crate) fn items(&self) -> impl Iterator<Item = (&Parameter, &Item)> {
        self.body.parameters().iter().filter_map(|parameter| Some((parameter, parameter.item()?)))
    }

    /// Returns the single objects of the request, and the items of lists in objects and other lists, with those within
    /// them.
    pub(crate) fn objects(&self) -> Vec<&Item> {
        objects_in(self.body.parameters())
    }

    /// Returns the parameters of the request with a name on the wire, without the array that is the body.
    pub(crate) fn members(&self) -> &[Parameter] {
        self.body.members()
    }

    /// Returns the parameters of the request, and those of the items of each list.
    pub(crate) fn sets(&self) -> impl Iterator<Item = (Option<&ListName>, &[Parameter])> {
        let items = self.items().map(|(_, item)| (Some(&item.list), item.parameters.as_slice()));
        std::iter::once((None, self.body.parameters())).chain(items)
    }

    /// Returns the parameters of the request, or of the items of a list; empty if there is no such list.
    pub(crate) fn set_of(&self, list: Option<&ListName>) -> &[Parameter] {
        self.sets().find(|(known, _)| *known == list).map_or(&[], |(_, parameters)| parameters)
    }
}

/// Returns the single objects and the items of inner lists among parameters, each followed by those within it.
fn objects_in(parameters: &[Parameter]) -> Vec<&Item> {
    let within = |parameter| -> Vec<&Item> {
        let parameter: &Parameter = parameter;
        let inner = parameter.object().or(parameter.item());
        inner
            .filter(|item| item.list.is_below())
            .into_iter()
            .chain(inner.iter().flat_map(|inner| objects_in(&inner.parameters)))
            .collect()
    };
    parameters.iter().flat_map(within).collect()
}

impl Choice {
    /// Returns the objects that its members are or list, each followed by those within it.
    pub(crate) fn objects(&self) -> Vec<&Item> {
        self.members().into_iter().flat_map(|member| objects_in(std::slice::from_ref(member))).collect()
    }
}

impl Parameter {
    /// Returns whether its type has no form in a request, which was reported.
    fn has_no_form(&self) -> bool {
        match self.shape {
            Shape::One(ty) => matches!(ty, Type::Undefined | Type::Record(_)),
            Shape::List(ty) => matches!(ty, Type::Undefined | Type::Record(_) | Type::Choice(_)),
            Shape::Map(ty) => matches!(ty, Type::Undefined | Type::Record(_) | Type::Choice(_)),
            Shape::Items(_) | Shape::Object(_) => false,
        }
    }
}

impl Family {
    /// Returns the parameters that are sent for a parameter: itself, or every part of a choice.
    pub(crate) fn wire_parameters<'a>(
        &'a self,
        list: Option<&'a ListName>,
        of: &'a Parameter,
    ) -> Vec<WireParameter<'a>> {
        let wire = |name: &'a Name, role| WireParameter { name, of, role, list };
        let Some(choice) = self.choice_of(of) else { return vec![wire(&of.name, Role::Plain(of))] };
        match &choice.kind {
            ChoiceKind::Presence { alternatives, .. } => {
                alternatives.iter().map(|one| wire(&one.name, Role::Alternative(one))).collect()
            }
            ChoiceKind::Value { decider, enum_index, cases } => {
                let members = cases.iter().flat_map(|case| &case.parameters);
                let members = members.map(|member| wire(&member.name, Role::Member(member)));
                std::iter::once(wire(decider, Role::Decider(*enum_index))).chain(members).collect()
            }
        }
    }

    /// Returns the names of parameters that are sent side by side.
    pub(crate) fn names<'a>(&'a self, parameters: &'a [Parameter]) -> WireNames<'a> {
        WireNames {
            all: parameters
                .iter()
                .filter(|parameter| !parameter.has_no_form())
                .flat_map(|parameter| self.wire_parameters(None, parameter))
                .collect(),
            are_more: parameters.iter().any(|parameter| self.is_unread(parameter)),
        }
    }

    /// Returns whether a parameter was reported as impossible to send.
    fn is_unread(&self, parameter: &Parameter) -> bool {
        let alternatives = self.choice_of(parameter).and_then(Choice::alternatives);
        parameter.has_no_form() || alternatives.is_some_and(|alternatives| alternatives.len() < 2)
    }

    /// Returns every parameter of the family once: those of choices, of requests and of items.
    pub(crate) fn all_parameters(&self) -> impl Iterator<Item = &Parameter> {
        let of_operations = self.operations.iter().flat_map(|operation| operation.sets().flat_map(|(_, set)| set));
        let of_choices = self.choices.iter().flat_map(Choice::objects);
        let objects = self.operations.iter().flat_map(Operation::objects).chain(of_choices);
        let of_objects = objects.flat_map(|object| &object.parameters);
        self.choices.iter().flat_map(Choice::members).chain(of_operations).chain(of_objects)
    }
}

impl WireParameter<'_> {
    /// Returns the facts that a document states about it.
    pub(super) fn facts(&self, family: &Family, operation: &str) -> Vec<(Place, Fact)> {
        let (operation, path) = (|| operation.to_owned(), || self.path());
        // Statements about a choice are made at the parameter that stands for it.
        let place = self.parameter().map_or(self.of.name.place, |parameter| parameter.name.place);
        let (need, json) = (self.need(), self.json_type());
        let mut facts = vec![(place, Fact::Parameter { operation: operation(), path: path(), need, json })];
        facts.extend(self.values(family).into_iter().map(|(value, place)| {
            (place, Fact::ParameterValue { operation: operation(), path: path(), value: value.to_owned() })
        }));
        let Some(parameter) = self.parameter() else { return facts };
        facts.extend(parameter.deprecated.as_ref().map(|deprecated| deprecated.fact(&operation(), &path())));
        facts.extend(
            parameter.default.iter().cloned().map(|(default, place)| {
                (place, Fact::ParameterDefault { operation: operation(), path: path(), default })
            }),
        );
        let max_items = parameter.max_items.map(|(max, place)| (max.to_string(), place));
        facts.extend(
            parameter
                .max
                .iter()
                .cloned()
                .chain(max_items)
                .map(|(max, place)| (place, Fact::ParameterMax { operation: operation(), path: path(), max })),
        );
        facts
    }
}
