//! The model as flat facts: what the schema claims about the API and nothing else. Comparing two versions, or prose
//! with schema, is a comparison of two sets of facts.

use std::collections::BTreeMap;

use super::{
    Api, Body, Choice, ChoiceKind, Condition, Enum, Family, Field, Need, Operation, Parameter, Response, Shape,
    Statements, Test, Type,
};
use crate::diagnostics::Place;

/// A fact and where the schema states it.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    /// The kind, then what the kind has.
    pub(crate) columns: Vec<String>,
    pub(crate) place: Place,
}

/// One line each: a kind and its columns, separated by tabs; sorted, each once.
pub(crate) fn facts(api: &Api) -> Vec<String> {
    collect(api).into_keys().collect()
}

/// The same facts with their places.
pub(crate) fn placed_facts(api: &Api) -> Vec<Fact> {
    let split = |line: &str| line.split('\t').map(str::to_owned).collect();
    collect(api).iter().map(|(line, place)| Fact { columns: split(line), place: *place }).collect()
}

fn collect(api: &Api) -> BTreeMap<String, Place> {
    let mut facts = Facts::default();
    for family in &api.families {
        for observation in &api.observed {
            facts.add(observation.place, ["observed", &family.name, &observation.says]);
        }
        for code in api.codes.iter().filter(|code| code.is_of(&family.name)) {
            let says = format!("{} {}: {}", code.code, code.proof.proves.as_str(), code.says);
            facts.add(code.place, ["observed", &family.name, &says]);
        }
        facts.family(family);
        for operation in &family.operations {
            facts.operation(family, operation);
        }
    }
    facts.lines
}

#[derive(Default)]
struct Facts {
    lines: BTreeMap<String, Place>,
}

impl Facts {
    fn add<const N: usize>(&mut self, place: Place, columns: [&str; N]) {
        let clean = columns.map(|column| column.split_whitespace().collect::<Vec<_>>().join(" "));
        self.lines.entry(clean.join("\t")).or_insert(place);
    }

    fn family(&mut self, family: &Family) {
        let name = &family.name;
        for error in &family.errors {
            self.add(error.place, ["error", name, &error.code, &error.text]);
        }
        if let Some(lifecycle) = &family.lifecycle {
            for state in &lifecycle.states {
                self.add(state.place, ["state", name, &state.value]);
            }
            for transition in &lifecycle.transitions {
                for from in &transition.from {
                    let to = if transition.to == "unchanged" { from } else { &transition.to };
                    for (trigger, _) in &transition.trigger {
                        self.add(transition.place, ["transition", name, from, trigger, to]);
                    }
                }
            }
        }
        for record in family.records.iter().filter(|record| !record.is_abstract && !record.is_observed) {
            let id = format!("{name}.{}", record.name.wire);
            for field in &record.fields {
                self.add(
                    field.name.place,
                    ["record", &id, &field.name.wire, json_type(family, &field.shape, field.as_text)],
                );
                for (value, place) in field_values(family, field) {
                    self.add(place, ["recordenum", &id, &field.name.wire, value]);
                }
            }
        }
        self.statements(name, &family.statements);
    }

    fn statements(&mut self, id: &str, statements: &Statements) {
        for rule in &statements.rules {
            self.add(rule.place, ["rule", id, &rule.id, rule.kind.as_str()]);
        }
        for open in &statements.not_shown {
            self.add(open.place, ["notshown", id, &open.says]);
        }
        for contradiction in &statements.contradictions {
            self.add(contradiction.place, ["contradiction", id, &contradiction.readings.join(" / ")]);
        }
        for observation in &statements.observed {
            self.add(observation.place, ["observed", id, &observation.says]);
        }
    }

    fn operation(&mut self, family: &Family, operation: &Operation) {
        let id = &operation.id;
        self.add(operation.path.place, ["endpoint", id, operation.method.as_str(), &operation.path.text]);
        for rate in &operation.rates {
            self.add(rate.place, ["rate", id, &rate.calls.to_string(), "s", rate.scope.as_str(), &rate.class]);
        }
        if let Some(permission) = &operation.permission {
            self.add(operation.said_at.permission, ["permission", id, permission]);
        }
        for (header, place) in &operation.headers {
            self.add(*place, ["headeron", header, id]);
        }
        if let Some(window) = &operation.window {
            let at = &operation.said_at;
            let lengths = [
                ("span", window.span, at.span),
                ("access", window.access, at.access),
                ("default", window.default, at.default),
            ];
            for (kind, length, place) in lengths {
                if let Some(length) = length {
                    self.add(place, ["window", id, kind, &length.to_string()]);
                }
            }
        }
        if let Some(history) = operation.history {
            self.add(operation.said_at.history, ["window", id, "access", &history.to_string()]);
        }
        self.parameters(family, id, "", operation.body.parameters());
        self.at_least_one(id, operation);
        self.response(family, operation);
        self.statements(id, &operation.statements);
    }

    fn parameters(&mut self, family: &Family, id: &str, prefix: &str, parameters: &[Parameter]) {
        for parameter in parameters {
            match parameter.shape {
                Shape::One(Type::Choice(index)) => self.choice(family, id, prefix, parameter, &family.choices[index]),
                _ => self.parameter(family, id, prefix, parameter, parameter.need),
            }
        }
    }

    fn parameter(&mut self, family: &Family, id: &str, prefix: &str, parameter: &Parameter, need: Need) {
        let name = format!("{prefix}{}", parameter.name.wire);
        let place = parameter.name.place;
        self.add(place, ["param", id, &name, need_word(need), json_type(family, &parameter.shape, parameter.as_text)]);
        for (value, place) in parameter_values(family, parameter) {
            self.add(place, ["paramenum", id, &name, value]);
        }
        if let Some((default, place)) = &parameter.default {
            self.add(*place, ["paramdefault", id, &name, default]);
        }
        if let Some((max, place)) = &parameter.max {
            self.add(*place, ["parammax", id, &name, max]);
        }
        if let Some((max, place)) = parameter.max_items {
            self.add(place, ["parammax", id, &name, &max.to_string()]);
        }
        if let Shape::Items(item) = &parameter.shape {
            let prefix = if name.ends_with("[]") { format!("{name}.") } else { format!("{name}[].") };
            self.parameters(family, id, &prefix, &item.parameters);
        }
    }

    fn choice(&mut self, family: &Family, id: &str, prefix: &str, parameter: &Parameter, choice: &Choice) {
        let names = |parameters: &[Parameter]| {
            let names: Vec<_> = parameters.iter().map(|member| format!("{prefix}{}", member.name.wire)).collect();
            names.join(",")
        };
        match &choice.kind {
            ChoiceKind::Presence { alternatives, wins } => {
                let need = if parameter.need == Need::Always { Need::Conditional } else { parameter.need };
                for alternative in alternatives {
                    self.parameter(family, id, prefix, alternative, need);
                }
                if parameter.need == Need::Always {
                    self.add(parameter.name.place, ["oneof", id, &names(alternatives)]);
                }
                if let Some((wins, _)) = wins.as_ref().filter(|_| !parameter.wins_unstated) {
                    self.add(parameter.name.place, ["wins", id, &format!("{prefix}{wins}")]);
                }
            }
            ChoiceKind::Value { decider, enum_index, cases } => {
                let name = format!("{prefix}{}", decider.wire);
                self.add(parameter.name.place, ["param", id, &name, need_word(parameter.need), "string"]);
                for (value, place) in values(family.enums.get(*enum_index), &[]) {
                    self.add(place, ["paramenum", id, &name, value]);
                }
                for member in cases.iter().flat_map(|case| &case.parameters) {
                    let need = if member.need == Need::Always { Need::Conditional } else { member.need };
                    self.parameter(family, id, prefix, member, need);
                }
            }
        }
    }

    /// A rule that always wants one of several parameters states a one-of too.
    fn at_least_one(&mut self, id: &str, operation: &Operation) {
        for rule in &operation.statements.rules {
            let Some(Test::Condition { when, require, .. }) = &rule.test else { continue };
            let prefix = match &rule.within {
                Some((list, _)) if list == "[]" => "[].".to_owned(),
                Some((list, _)) => format!("{list}[]."),
                None => String::new(),
            };
            for condition in require.iter().filter(|_| when.is_empty()) {
                if let Condition::AnyGiven(names) = condition {
                    let names: Vec<_> = names.iter().map(|(name, _)| format!("{prefix}{name}")).collect();
                    self.add(rule.place, ["oneof", id, &names.join(",")]);
                }
            }
        }
    }

    fn response(&mut self, family: &Family, operation: &Operation) {
        let id = &operation.id;
        match &operation.response {
            Response::Object { record } => {
                self.add(operation.said_at.response, ["respshape", id, "object"]);
                self.response_fields(family, id, "", *record);
            }
            Response::Array { record, .. } => {
                self.add(operation.said_at.response, ["respshape", id, "array"]);
                self.response_fields(family, id, "[].", *record);
            }
            Response::Page { list, cursor, .. } => {
                self.add(operation.said_at.response, ["respshape", id, &format!("list+{}", cursor.wire)]);
                self.add(list.place, ["respfield", id, &list.wire, "array"]);
                self.add(cursor.place, ["respfield", id, &cursor.wire, "string"]);
            }
            Response::Undefined => {}
        }
    }

    fn response_fields(&mut self, family: &Family, id: &str, prefix: &str, record: usize) {
        for field in &family.records[record].fields {
            let name = format!("{prefix}{}", field.name.wire);
            self.add(field.name.place, ["respfield", id, &name, json_type(family, &field.shape, field.as_text)]);
        }
    }
}

fn need_word(need: Need) -> &'static str {
    match need {
        Need::Always => "yes",
        Need::Conditional => "conditional",
        Need::Unstated => "unstated",
        Need::No => "no",
    }
}

/// The JSON type on the wire.
fn json_type(_family: &Family, shape: &Shape, as_text: bool) -> &'static str {
    match shape {
        Shape::List(_) | Shape::Items(_) => "array",
        Shape::One(Type::Boolean) => "boolean",
        Shape::One(Type::Record(_)) => "object",
        Shape::One(Type::Decimal | Type::Integer | Type::Time) if !as_text => "number",
        Shape::One(_) => "string",
    }
}

fn enum_of<'a>(family: &'a Family, shape: &Shape) -> Option<&'a Enum> {
    match shape {
        Shape::One(Type::Enum(index)) | Shape::List(Type::Enum(index)) => family.enums.get(*index),
        _ => None,
    }
}

fn parameter_values<'a>(family: &'a Family, parameter: &'a Parameter) -> Vec<(&'a str, Place)> {
    values(enum_of(family, &parameter.shape), &parameter.only)
}

fn field_values<'a>(family: &'a Family, field: &'a Field) -> Vec<(&'a str, Place)> {
    values(enum_of(family, &field.shape), &field.only)
}

fn values<'a>(all: Option<&'a Enum>, only: &'a [(String, Place)]) -> Vec<(&'a str, Place)> {
    match all {
        Some(_) if !only.is_empty() => only.iter().map(|(value, place)| (value.as_str(), *place)).collect(),
        Some(all) => all.values.iter().map(|value| (value.name.wire.as_str(), value.name.place)).collect(),
        None => Vec::new(),
    }
}

/// What was read, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Families of operations.
    pub families: usize,
    /// Operations.
    pub operations: usize,
    /// Parameters of requests, those of choices and items among them.
    pub parameters: usize,
    /// Fields of records.
    pub fields: usize,
    /// Values of enums.
    pub values: usize,
    /// Rates, and ceilings that are no rate.
    pub limits: usize,
    /// Rules.
    pub rules: usize,
}

impl Counts {
    /// Counts what a model holds.
    pub(crate) fn of(api: &Api) -> Self {
        let mut counts = Self { families: api.families.len(), ..Self::default() };
        for family in &api.families {
            counts.operations += family.operations.len();
            counts.fields += family
                .records
                .iter()
                .filter(|record| !record.is_abstract)
                .map(|record| record.fields.len())
                .sum::<usize>();
            counts.values += family.enums.iter().map(|all| all.values.len()).sum::<usize>();
            counts.limits += family.limits.len();
            counts.rules += family.statements.rules.len();
            for operation in &family.operations {
                counts.limits += operation.rates.len();
                counts.rules += operation.statements.rules.len();
                counts.parameters += count_parameters(
                    family,
                    match &operation.body {
                        Body::Array(array) => match &array.shape {
                            Shape::Items(item) => &item.parameters,
                            _ => &[],
                        },
                        Body::Parameters(parameters) => parameters,
                    },
                );
            }
        }
        counts
    }
}

fn count_parameters(family: &Family, parameters: &[Parameter]) -> usize {
    let count = |parameter: &Parameter| match &parameter.shape {
        Shape::One(Type::Choice(index)) => {
            let choice = &family.choices[*index];
            choice.members().len() + usize::from(matches!(choice.kind, ChoiceKind::Value { .. }))
        }
        Shape::Items(item) => 1 + count_parameters(family, &item.parameters),
        _ => 1,
    };
    parameters.iter().map(count).sum()
}
