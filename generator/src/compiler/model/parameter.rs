//! Parameters of requests, of items and of choices, and those of an operation as they are sent: the members of a choice
//! beside the others, and the parameters of items after the list that holds them.

use tradeapi_words::words;

use super::{
    Choice, ChoiceKind, Deprecated, Edit, Enum, Family, Item, JsonType, ListName, Name, NamesWithin, Operation, Placed,
    Shape, Type,
};
use crate::compiler::diagnostics::{Code, Diagnostics, Help, Place, name_list, unknown};
use crate::compiler::words::{In, Required};

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

/// A parameter of a request, of an item or of a choice.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    /// Where it is written out; differs from the place of its name if it is `as` another.
    pub(crate) written: Place,
    pub(crate) shape: Shape,
    /// Where it travels, if not beside the others.
    pub(crate) apart: Option<(In, Place)>,
    /// The name there, if another parameter has it.
    pub(crate) sent_as: Option<Placed>,
    pub(crate) need: Need,
    /// The value that every request sends.
    pub(crate) fixed: Option<Placed>,
    pub(crate) default: Option<Placed>,
    pub(crate) default_note: Option<String>,
    pub(crate) min: Option<Placed>,
    pub(crate) max: Option<Placed>,
    pub(crate) min_items: Option<(u64, Place)>,
    pub(crate) max_items: Option<(u64, Place)>,
    pub(crate) digits: Option<(u32, Place)>,
    pub(crate) places: Option<(u32, Place)>,
    pub(crate) significant_digits: Option<(u32, Place)>,
    /// The shortest and the longest length of a text, in characters.
    pub(crate) length: Option<((u32, u32), Place)>,
    /// The regular expression that a text matches.
    pub(crate) pattern: Option<Placed>,
    pub(crate) only: Vec<Placed>,
    pub(crate) edit: Option<Edit>,
    /// The place that says that `null` clears the value.
    pub(crate) may_be_null: Option<Place>,
    /// True if an empty text means the same as leaving it out.
    pub(crate) may_be_blank: bool,
    /// True if the document leaves open here which alternative of the choice wins.
    pub(crate) wins_unstated: bool,
    pub(crate) units: Vec<Unit>,
    pub(crate) deprecated: Option<Deprecated>,
    /// True if numbers, times and enums travel as JSON strings.
    pub(crate) as_text: bool,
    pub(crate) doc: String,
    /// Other words that people search for it by.
    pub(crate) called: Vec<Placed>,
}

impl Parameter {
    /// Returns the description of its object, if it is a single object.
    pub(crate) fn object(&self) -> Option<&Item> {
        self.shape.object()
    }

    /// Returns the description of its items, if it is a list of objects.
    pub(crate) fn item(&self) -> Option<&Item> {
        self.shape.items()
    }

    /// Returns whether it travels there, apart from the others.
    pub(crate) fn is_in(&self, place: In) -> bool {
        self.apart.is_some_and(|(apart, _)| apart == place)
    }

    /// Returns the name under which it is sent.
    pub(crate) fn sent_name(&self) -> &str {
        self.sent_as.as_ref().map_or(&self.name.wire, |(name, _)| name)
    }

    /// Returns whether it is always sent.
    pub(crate) fn is_required(&self) -> bool {
        self.need == Need::Always
    }

    /// Returns whether it is an argument of `new`.
    pub(crate) fn is_argument(&self) -> bool {
        self.is_required() && self.fixed.is_none()
    }

    /// Returns the least number of items of a list that is set. An empty one is as likely a mistake as a wish for no
    /// restriction, and in most forms of a query it is not sent at all.
    pub(crate) fn least_items(&self) -> u64 {
        self.min_items.map_or(1, |(least, _)| least)
    }

    /// Returns the text that deletes the value, if the document states one.
    pub(crate) fn deletes_with(&self) -> Option<&str> {
        self.edit.as_ref().and_then(Edit::deletes_with)
    }

    /// Returns whether a request can leave its value as it is, set it, or delete it.
    pub(crate) fn is_edit(&self) -> bool {
        self.deletes_with().is_some() || self.may_be_null.is_some()
    }

    /// Returns, for a value that stays if it is left out, the text that deletes it, if there is one.
    pub(crate) fn kept_unless(&self) -> Option<Option<&str>> {
        match self.may_be_null {
            Some(_) => Some(Some("null")),
            None => self.edit.as_ref().map(Edit::deletes_with),
        }
    }

    /// Returns whether it stands for the body, which is an array.
    pub(crate) fn is_body(&self) -> bool {
        self.name.wire == ListName::BODY
    }
}

impl Edit {
    /// Returns the text that deletes the value, if the document states one.
    pub(crate) fn deletes_with(&self) -> Option<&str> {
        self.delete.as_ref().map(|(delete, _)| delete.as_str())
    }
}

/// A unit, with the values of other parameters under which it applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) when: Vec<NamesWithin>,
    pub(crate) is: String,
    pub(crate) place: Place,
}

words! {
    /// The need to send a parameter; `no` is the absence of a word.
    pub(crate) enum Need {
        Always = "always",
        Conditional = "conditional",
        Unstated = "unstated",
        No = "no",
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
