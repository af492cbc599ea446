//! Choices: parameters that are allowed only in certain combinations.

use super::builder::{FamilyBuilder, placed, text_of};
use super::elements::{Element, Key, additive, behaviour, breaking, documentation, named, path, ty};
use super::facts::Fact;
use super::parameter::mark_inner_lists;
use super::{EnumValue, Family, ListName, Name, Need, Parameter, Placed, Shape, Type, phrases};
use crate::compiler::diagnostics::{Code, Place, unknown};
use crate::compiler::load::{Spanned, Text, raw};

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

impl FamilyBuilder<'_, '_> {
    pub(super) fn choices(&mut self) -> Vec<Choice> {
        let family = self.family;
        self.define(&family.types.choices, Self::choice)
    }

    pub(super) fn choice(&mut self, name: &Text, raw: &Spanned<raw::Choice>) -> Choice {
        let mut kind = match (&raw.choose_by, raw.one_of.has_none()) {
            (None, false) => self.choice_by_presence(raw),
            (Some(decider), true) => self.choice_by_value(decider, raw),
            _ => {
                self.at(
                    name.place,
                    Code::BadChoice,
                    format!("the choice `{}` must have either `one_of` or `choose_by`", name.value),
                )
                .help("`one_of` lists parameters of which one is sent; `choose_by` names the one that decides");
                ChoiceKind::Presence { alternatives: Vec::new(), wins: None }
            }
        };
        match &mut kind {
            ChoiceKind::Presence { alternatives, .. } => mark_inner_lists(alternatives),
            ChoiceKind::Value { cases, .. } => cases.iter_mut().for_each(|case| mark_inner_lists(&mut case.parameters)),
        }
        Choice { name: self.type_name(name, &raw.rust), doc: text_of(&raw.doc), kind }
    }

    fn choice_by_presence(&mut self, raw: &Spanned<raw::Choice>) -> ChoiceKind {
        let cases = raw.cases.first().map(|(name, _)| name.place);
        let ty = raw.r#type.as_ref().map(|ty| ty.place);
        self.refuse_keys(&[("type", ty), ("cases", cases)], "requires `choose_by`");
        let alternatives = raw.one_of.iter().map(|(name, field)| self.parameter(name, field)).collect();
        ChoiceKind::Presence { alternatives, wins: raw.wins.as_ref().map(placed) }
    }

    fn choice_by_value(&mut self, decider: &Text, raw: &Spanned<raw::Choice>) -> ChoiceKind {
        let wins = raw.wins.as_ref().map(|wins| wins.place);
        self.refuse_keys(&[("wins", wins)], "requires `one_of`");
        let Some(ty) = &raw.r#type else {
            self.builder.missing("type", raw.place);
            return ChoiceKind::Presence { alternatives: Vec::new(), wins: None };
        };
        let enum_index = match self.resolve(ty) {
            Type::Enum(index) => index,
            Type::Undefined => return ChoiceKind::Presence { alternatives: Vec::new(), wins: None },
            _ => {
                self.at(ty.place, Code::BadChoice, format!("expected an enum, found `{}`", ty.value))
                    .help("the deciding parameter must be an enum");
                return ChoiceKind::Presence { alternatives: Vec::new(), wins: None };
            }
        };
        let cases = self.cases(raw, enum_index);
        if cases.len() < raw.cases.len() {
            // A parameter may belong to a case that is reported.
            return ChoiceKind::Presence { alternatives: Vec::new(), wins: None };
        }
        ChoiceKind::Value { decider: self.field_name(decider, &None), enum_index, cases }
    }

    pub(super) fn cases(&mut self, raw: &Spanned<raw::Choice>, enum_index: usize) -> Vec<Case> {
        let values: Vec<&Text> = self
            .family
            .types
            .enums
            .get(enum_index)
            .map(|(_, raw)| raw.values.iter().map(|(value, _)| value).collect())
            .unwrap_or_default();
        let mut cases = Vec::new();
        for (value, parameters) in raw.cases.iter() {
            let Some(index) = values.iter().position(|known| known.value == value.value) else {
                if values.is_empty() {
                    continue;
                }
                let known = values.iter().map(|known| (known.value.as_str(), Some(known.place)));
                let help = unknown(&value.value, known, || "the cases are the values of the deciding enum".to_owned());
                self.at(
                    value.place,
                    Code::BadChoice,
                    format!("`{}` has no value `{}`", raw.r#type.as_ref().map_or("", |ty| &ty.value), value.value),
                )
                .help(help);
                continue;
            };
            let parameters = parameters.iter().map(|(name, field)| self.parameter(name, field)).collect();
            cases.push(Case { value: index, parameters });
        }
        // An unknown value is a misspelling of one of those that are missing.
        let are_known = raw.cases.iter().all(|(value, _)| values.iter().any(|known| known.value == value.value));
        for (index, value) in values.iter().enumerate().filter(|_| are_known) {
            if !cases.iter().any(|case| case.value == index) {
                let place = raw.choose_by.as_ref().map_or(raw.place, |decider| decider.place);
                self.at(place, Code::BadChoice, format!("missing case `{}`", value.value))
                    .related(value.place, "the value is defined here")
                    .help(format!("add `{}: {{}}` to `cases` if it has no parameters", value.value));
            }
        }
        cases.sort_by_key(|case| case.value);
        cases
    }
}

impl Choice {
    /// Returns the keys.
    pub(crate) fn keys(&self, family: &Family) -> Vec<Key> {
        let Self { name, doc, kind } = self;
        let (way, keys) = match kind {
            ChoiceKind::Presence { alternatives: _, wins } => {
                let wins = Key::placed("wins", wins.as_ref(), documentation("two at once cannot be written"));
                ("which one is sent", vec![wins])
            }
            ChoiceKind::Value { decider, enum_index, cases: _ } => {
                let of = Shape::One(Type::Enum(*enum_index));
                let decider = Key::new("choose_by", &decider.wire, behaviour("another parameter decides"));
                ("a value", vec![decider, ty(family, &of, "`kind` returns another type")])
            }
        };
        let chosen = Key::new("chosen by", way, breaking("the enum has other variants"));
        super::elements::type_names(name).into_iter().chain([chosen, Key::prose("doc", doc)]).chain(keys).collect()
    }

    pub(super) fn element(&self, family: &Family) -> Element {
        let path = path(&family.name, &self.name.wire);
        let (form, elements): (_, Vec<_>) = match &self.kind {
            ChoiceKind::Presence { alternatives, .. } => {
                ("presence", alternatives.iter().map(|one| alternative(one, family, &path)).collect())
            }
            ChoiceKind::Value { enum_index, cases, .. } => {
                let values = &family.enums[*enum_index].values;
                let case = |case: &Case| case.element(family, &path, &values[case.value].name, self.name.place);
                ("value", cases.iter().map(case).collect())
            }
        };
        let element = named("choice", path, &self.name)
            .when(additive("a new type"), breaking("the type is removed"))
            .keys(self.keys(family))
            .holds(elements);
        Element { form, ..element }
    }
}

fn alternative(parameter: &Parameter, family: &Family, choice: &str) -> Element {
    let part = parameter.part(family, "alternative", choice);
    let part = part.when(additive("a new variant"), breaking("the variant is removed"));
    Element { converts_from: Some(phrases::shape(&parameter.shape, |ty| family.type_rust(ty))), ..part }
}

impl Case {
    /// Returns a variant that holds the parameters. One without data is there as well if all of them can be left out.
    pub(super) fn element(&self, family: &Family, choice: &str, value: &Name, place: Place) -> Element {
        let Self { value: _, parameters } = self;
        let path = path(choice, &value.wire);
        let parameters: Vec<_> = parameters.iter().map(|parameter| parameter.element(family, &path)).collect();
        Element::new("case", path, [&value.wire, &value.rust], place)
            .when(additive("a new variant"), breaking("the variant is removed"))
            .holds(parameters)
    }
}

impl Choice {
    /// Returns the facts about alternative parameters that the schema combines into one.
    pub(super) fn facts(&self, operation: &str, list: Option<&ListName>, stands_for: &Parameter) -> Vec<(Place, Fact)> {
        let Some(alternatives) = self.alternatives() else { return Vec::new() };
        let prefix = list.map(ListName::item_prefix).unwrap_or_default();
        let paths = || alternatives.iter().map(|one| format!("{prefix}{}", one.name.wire)).collect();
        let one_of =
            (stands_for.need == Need::Always).then(|| Fact::OneOf { operation: operation.to_owned(), paths: paths() });
        let wins = self.wins().filter(|_| !stands_for.wins_unstated);
        let wins = wins.map(|wins| Fact::Wins { operation: operation.to_owned(), path: format!("{prefix}{wins}") });
        one_of.into_iter().chain(wins).map(|fact| (stands_for.name.place, fact)).collect()
    }
}
