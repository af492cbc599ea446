//! Drafts of requests, changed step by step until a condition holds or fails.

use std::cmp::Ordering;

use serde_json::{Map, Value, json};

use super::cases::Goal;
use super::evaluate::{has_pattern, moment, text};
use crate::compiler::model::{
    Account, Api, Case, ChoiceKind, Comparison, Condition, Family, ListName, Number, Operand, Operation, Parameter,
    PropertyKind, Relation, Truth, Type,
};
use crate::compiler::words::Times;
use tradeapi_words::ACCESS_TOLERANCE_MS;

/// A request, with the properties of the account.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Draft {
    pub(super) request: Value,
    pub(super) account: Map<String, Value>,
}

impl Draft {
    /// Returns the object that a rule applies to: the request, or the first item of a list.
    pub(super) fn set(&mut self, list: Option<&ListName>) -> Option<&mut Map<String, Value>> {
        match list {
            None => self.request.as_object_mut(),
            Some(ListName::Object(name)) => value_in(&mut self.request, name)?.as_object_mut(),
            Some(ListName::Within(name)) => {
                value_in(&mut self.request, name)?.as_array_mut()?.first_mut()?.as_object_mut()
            }
            Some(list) => self.items(list)?.first_mut()?.as_object_mut(),
        }
    }

    /// Returns the items of a list.
    pub(super) fn items(&mut self, list: &ListName) -> Option<&mut Vec<Value>> {
        match list {
            ListName::Body if self.request.is_object() => self.request.get_mut(ListName::BODY)?.as_array_mut(),
            ListName::Body => self.request.as_array_mut(),
            ListName::Parameter(list) => self.request.get_mut(list)?.as_array_mut(),
            ListName::Within(name) => value_in(&mut self.request, name)?.as_array_mut(),
            ListName::Object(_) => None,
        }
    }

    /// Returns the draft with only the first item of a list.
    pub(super) fn with_one_item(&self, list: &ListName) -> Option<Self> {
        let mut draft = self.clone();
        if !list.is_below() {
            draft.items(list)?.truncate(1);
        }
        Some(draft)
    }

    /// Returns the text of a parameter of the item, or otherwise of the request.
    fn text(&mut self, list: Option<&ListName>, name: &str) -> Option<String> {
        let own = self.set(list).and_then(|set| text(set.get(name)?));
        own.or_else(|| text(self.request.get(name)?))
    }
}

/// Returns the member with that name, at any depth.
fn value_in<'a>(value: &'a mut Value, name: &str) -> Option<&'a mut Value> {
    match value {
        Value::Object(members) => {
            if members.contains_key(name) {
                return members.get_mut(name);
            }
            members.values_mut().find_map(|inner| value_in(inner, name))
        }
        Value::Array(items) => items.iter_mut().find_map(|inner| value_in(inner, name)),
        _ => None,
    }
}

/// Makes drafts for one operation.
pub(super) struct Drafts<'a> {
    pub(super) api: &'a Api,
    pub(super) family: &'a Family,
    pub(super) operation: &'a Operation,
    /// The first drafts, made from the examples.
    pub(super) bases: Vec<Draft>,
    /// The requests of the family's examples, and the items of array requests.
    pub(super) seen: Vec<Value>,
    /// The time around which the times of requests lie.
    pub(super) now: u64,
}

impl<'a> Drafts<'a> {
    fn parameters(&self, list: Option<&ListName>) -> &'a [Parameter] {
        self.operation.set_of(list)
    }

    /// Returns the drafts that result from changing `draft` to meet a goal, in all known ways.
    pub(super) fn changed_to_meet(&self, draft: &Draft, list: Option<&ListName>, goal: &Goal) -> Vec<Draft> {
        let so = goal.so;
        match (&goal.condition, so) {
            (Condition::Given(names), true) => names.iter().fold(vec![draft.clone()], |drafts, (name, _)| {
                drafts.iter().flat_map(|draft| self.given(draft, list, name).into_iter().take(2)).collect()
            }),
            (Condition::AnyGiven(names), true) => {
                names.iter().flat_map(|(name, _)| self.given(draft, list, name)).collect()
            }
            (Condition::Given(names), false) => {
                names.iter().map(|(name, _)| self.left_out(draft, list, name)).collect()
            }
            (Condition::AnyGiven(names), false) => {
                vec![names.iter().fold(draft.clone(), |draft, (name, _)| self.left_out(&draft, list, name))]
            }
            (Condition::Is { parameter, values }, _) => {
                let name = &parameter.0;
                let is_meant = |value: &Value| values.iter().any(|(meant, _)| text(value).as_ref() == Some(meant));
                let mut samples = self.samples(list, name);
                samples.extend(values.iter().map(|(value, _)| json!(value)));
                let fitting = samples.into_iter().filter(|value| is_meant(value) == so);
                let mut drafts: Vec<_> = fitting.map(|value| self.with(draft, list, name, value)).collect();
                if !so {
                    drafts.push(self.left_out(draft, list, name));
                }
                drafts
            }
            (Condition::HasForm { parameter, forms }, _) => self.in_form(draft, list, &parameter.0, forms, so),
            (Condition::AccountIs { property, values }, _) => {
                let known = self.account_words(&property.0);
                let fitting = known.iter().filter(|word| values.iter().any(|(value, _)| value == *word) == so);
                fitting.map(|word| with_property(draft, &property.0, json!(word))).collect()
            }
            (Condition::Compares { parameter, comparison, property }, _) => {
                self.comparing(draft, list, &parameter.0, *comparison, &property.0, goal)
            }
            (Condition::Relates { parameter, relation, operand, .. }, _) => {
                let relation = if so { *relation } else { relation.negated() };
                self.relating(draft, list, &parameter.0, relation, operand)
            }
            (Condition::Not(inner), _) => {
                self.changed_to_meet(draft, list, &Goal { condition: (**inner).clone(), so: !so, far: goal.far })
            }
        }
    }

    /// Drafts in which a parameter barely satisfies the relation to an operand.
    fn relating(
        &self,
        draft: &Draft,
        list: Option<&ListName>,
        name: &str,
        relation: Relation,
        operand: &Operand,
    ) -> Vec<Draft> {
        let drafts = match operand {
            Operand::Parameter(other) => self.given(draft, list, other),
            Operand::Number(_) | Operand::Moment { .. } => vec![draft.clone()],
        };
        let near = |draft: &Draft| -> Option<Vec<String>> {
            let edge = match operand {
                Operand::Number(number) => number.clone(),
                Operand::Parameter(other) => self.value(list, other, draft.clone().text(list, other)?),
                Operand::Moment { length, is_ahead } => {
                    let moment = moment(*length, *is_ahead, i64::try_from(self.now).ok()?);
                    let away = ACCESS_TOLERANCE_MS as i64;
                    let sides = [(moment - away, Ordering::Less), (moment + away, Ordering::Greater)];
                    let fitting = sides.into_iter().filter(|(_, order)| relation.holds(*order));
                    return Some(fitting.map(|(time, _)| self.time(list, name, time)).collect());
                }
            };
            let edge = Number::parse(&edge)?;
            let holds = |text: &String| Number::parse(text).is_some_and(|near| relation.holds(near.cmp(&edge)));
            Some([-1, 0, 1].into_iter().filter_map(|by| edge.moved(by)).filter(holds).collect())
        };
        drafts
            .iter()
            .flat_map(|draft| {
                let near = near(draft).unwrap_or_default();
                near.into_iter()
                    .map(|text| self.with(draft, list, name, self.number(list, name, &text)))
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    fn in_form(
        &self,
        draft: &Draft,
        list: Option<&ListName>,
        name: &str,
        forms: &[(String, crate::compiler::diagnostics::Place)],
        so: bool,
    ) -> Vec<Draft> {
        let identifiers = self.family.identifiers.iter();
        let all: Vec<_> = identifiers.flat_map(|identifier| &identifier.forms).collect();
        let named: Vec<_> =
            all.iter().filter(|form| forms.iter().any(|(name, _)| *name == form.name.wire)).copied().collect();
        let mut texts: Vec<String> = self.samples(list, name).iter().filter_map(text).collect();
        texts.extend(all.iter().map(|form| format!("{}A{}", form.pattern.prefix, form.pattern.suffix)));
        let lower: Vec<_> = texts.iter().map(|text| text.to_lowercase()).collect();
        texts.extend(lower);
        // A text that an instrument decides neither keeps nor breaks a rule while none is stated.
        let is_open = |text: &String| {
            named.iter().filter_map(|form| form.decided.as_ref()).any(|decided| has_pattern(&decided.also, text))
        };
        let fitting = texts.into_iter().filter(|text| !is_open(text)).filter(|text| {
            let has_it = named.iter().any(|form| has_pattern(&form.pattern, text));
            has_it == so
        });
        fitting.map(|text| self.with(draft, list, name, json!(text))).collect()
    }

    fn comparing(
        &self,
        draft: &Draft,
        list: Option<&ListName>,
        name: &str,
        comparison: Comparison,
        property: &str,
        &Goal { so, far, .. }: &Goal,
    ) -> Vec<Draft> {
        // Sets the property to `value`, and the parameter to the number that keeps or breaks the comparison.
        let number = |value: &str, kept: &str, broken: &str| {
            let number = self.number(list, name, if so { kept } else { broken });
            self.given(draft, list, name)
                .into_iter()
                .filter_map(|draft| {
                    let mut draft = self.with(&draft, list, name, number.clone());
                    self.set_instrument(&mut draft, list, property, value)?;
                    Some(draft)
                })
                .collect()
        };
        match comparison {
            Comparison::MultipleOf => number("0.05", "3.15", "3.16"),
            Comparison::Places => number("2", "3.25", "3.251"),
            Comparison::AtLeast if far => number("2.5", "2.6", "0.5"),
            Comparison::AtLeast => number("2.5", "2.5", "2.49"),
            Comparison::AtMost if far => number("2.5", "2.4", "9"),
            Comparison::AtMost => number("2.5", "2.5", "2.51"),
            Comparison::Among => self.beside_property(draft, list, name, |given| {
                let names = if so { vec!["OTHER".to_owned(), given] } else { vec![format!("{given}X")] };
                Some((property, json!(names)))
            }),
            Comparison::NotBefore => self.beside_property(draft, list, name, |given| {
                let given: u64 = given.parse().ok()?;
                Some((property, json!((given + u64::from(!so)).to_string())))
            }),
        }
    }

    fn parameter(&self, list: Option<&ListName>, name: &str) -> Option<&'a Parameter> {
        let wires = self.parameters(list).iter().flat_map(|parameter| self.family.wire_parameters(None, parameter));
        wires.filter(|wire| wire.name.wire == name).find_map(|wire| wire.parameter())
    }

    /// Returns a number in the form of the parameter.
    fn number(&self, list: Option<&ListName>, name: &str, text: &str) -> Value {
        let parameter = self.parameter(list, name);
        let is_bare = parameter.is_some_and(|parameter| !parameter.as_text);
        let ty = parameter.and_then(|parameter| parameter.shape.single());
        let text = &ty.map_or_else(|| text.to_owned(), |ty| ty.wire_of_value(text));
        is_bare.then(|| serde_json::from_str(text).ok()).flatten().unwrap_or_else(|| json!(text))
    }

    /// Returns the value of a parameter whose text on the wire is `wire`.
    fn value(&self, list: Option<&ListName>, name: &str, wire: String) -> String {
        let ty = self.parameter(list, name).and_then(|parameter| parameter.shape.single());
        ty.map_or_else(|| wire.clone(), |ty| ty.value_of_wire(&wire))
    }

    /// Returns a time, given in Unix milliseconds, as text in the form of the parameter.
    fn time(&self, list: Option<&ListName>, name: &str, millis: i64) -> String {
        let ty = self.parameter(list, name).and_then(|parameter| parameter.shape.single());
        let times = if let Some(Type::Time(times)) = ty { times } else { Times::Milliseconds };
        match times {
            Times::Seconds => (millis / 1000).to_string(),
            Times::Microseconds => format!("{millis}000"),
            Times::Nanoseconds => format!("{millis}000000"),
            Times::Milliseconds | Times::Iso8601 => millis.to_string(),
        }
    }

    /// Sets a parameter, and the property of the account to what `property` returns for its text.
    fn beside_property<'p>(
        &self,
        draft: &Draft,
        list: Option<&ListName>,
        name: &str,
        stated: impl Fn(String) -> Option<(&'p str, Value)>,
    ) -> Vec<Draft> {
        let given = self.given(draft, list, name);
        given
            .into_iter()
            .filter_map(|mut draft| {
                let (property, value) = stated(draft.text(list, name)?)?;
                Some(with_property(&draft, property, value))
            })
            .collect()
    }

    fn set_instrument(&self, draft: &mut Draft, list: Option<&ListName>, property: &str, value: &str) -> Option<()> {
        let names = self.family.instrument.as_ref()?;
        let (line, symbol) = (draft.text(list, &names.line.0)?, draft.text(list, &names.symbol.0)?);
        let instrument = json!({ "line": line, "symbol": symbol, property: value });
        draft.account.insert("instruments".to_owned(), json!([instrument]));
        Some(())
    }

    fn account_words(&self, property: &str) -> Vec<String> {
        let properties = self.api.account.iter().flat_map(|Account { properties, .. }| properties);
        let found = properties.filter(|known| known.name.wire == property);
        found
            .flat_map(|known| match &known.kind {
                PropertyKind::Words(_, words) => words.iter().map(|word| word.name.wire.clone()).collect(),
                PropertyKind::Flag => vec!["true".to_owned(), "false".to_owned()],
                PropertyKind::Time | PropertyKind::Names => Vec::new(),
            })
            .collect()
    }

    /// Returns the draft if the parameter is set, otherwise drafts in which it is set.
    pub(super) fn given(&self, draft: &Draft, list: Option<&ListName>, name: &str) -> Vec<Draft> {
        let mut this = draft.clone();
        if this.set(list).is_some_and(|set| set.get(name).is_some_and(|value| text(value).is_some())) {
            return vec![draft.clone()];
        }
        self.samples(list, name).into_iter().map(|value| self.with(draft, list, name, value)).collect()
    }

    /// Returns the draft with a parameter and those that it requires.
    pub(super) fn with(&self, draft: &Draft, list: Option<&ListName>, name: &str, value: Value) -> Draft {
        let mut draft = draft.clone();
        match self.choice_of(list, name) {
            Some(ChoiceKind::Presence { alternatives, .. }) => {
                for other in alternatives.iter().filter(|other| other.name.wire != name) {
                    draft.set(list).map(|set| set.remove(&other.name.wire));
                }
            }
            Some(ChoiceKind::Value { decider, enum_index, cases }) => {
                let of_case =
                    |case: &Case| Some(self.family.enums.get(*enum_index)?.values.get(case.value)?.name.wire.clone());
                let is_meant = |case: &&Case| match name == decider.wire {
                    true => of_case(case) == text(&value),
                    false => case.parameters.iter().any(|member| member.name.wire == name),
                };
                if let Some(case) = cases.iter().find(is_meant) {
                    self.decide(&mut draft, list, &decider.wire, of_case(case), case, cases);
                }
            }
            None => {}
        }
        draft.set(list).map(|set| set.insert(name.to_owned(), value));
        draft
    }

    /// Sets the deciding parameter, removes the members of other cases, and adds the required ones of this case.
    fn decide(
        &self,
        draft: &mut Draft,
        list: Option<&ListName>,
        decider: &str,
        value: Option<String>,
        case: &Case,
        all: &[Case],
    ) {
        let samples: Vec<_> = case.parameters.iter().map(|member| (member, self.sample_of(member))).collect();
        let Some(set) = draft.set(list) else { return };
        set.insert(decider.to_owned(), json!(value));
        let belongs = |name: &str| case.parameters.iter().any(|own| own.name.wire == name);
        let unexpected = all.iter().flat_map(|case| &case.parameters).filter(|member| !belongs(&member.name.wire));
        for member in unexpected {
            set.remove(&member.name.wire);
        }
        for (member, samples) in
            samples.into_iter().filter(|(member, _)| member.need == crate::compiler::model::Need::Always)
        {
            if let Some(sample) = samples.into_iter().next().filter(|_| !set.contains_key(&member.name.wire)) {
                set.insert(member.name.wire.clone(), sample);
            }
        }
    }

    /// Returns the draft without a parameter; if one of several is required, another one is set.
    pub(super) fn left_out(&self, draft: &Draft, list: Option<&ListName>, name: &str) -> Draft {
        let mut draft = draft.clone();
        match self.choice_of(list, name) {
            Some(ChoiceKind::Presence { alternatives, .. }) => {
                let Some(other) = alternatives.iter().find(|other| other.name.wire != name) else { return draft };
                let sample = self.sample_of(other).into_iter().next().unwrap_or(Value::Null);
                self.with(&draft, list, &other.name.wire, sample)
            }
            Some(ChoiceKind::Value { decider, cases, enum_index }) => {
                let without = |case: &&Case| {
                    !case
                        .parameters
                        .iter()
                        .any(|member| member.name.wire == name && member.need == crate::compiler::model::Need::Always)
                };
                let optional = cases
                    .iter()
                    .flat_map(|case| &case.parameters)
                    .any(|member| member.name.wire == name && member.need != crate::compiler::model::Need::Always);
                if optional {
                    draft.set(list).map(|set| set.remove(name));
                } else if let Some(case) = cases.iter().find(without) {
                    let value = self.family.enums.get(*enum_index).and_then(|all| all.values.get(case.value));
                    let value = value.map(|value| value.name.wire.clone());
                    self.decide(&mut draft, list, &decider.wire, value, case, cases);
                }
                draft
            }
            None => {
                draft.set(list).map(|set| set.remove(name));
                draft
            }
        }
    }

    fn choice_of(&self, list: Option<&ListName>, name: &str) -> Option<&'a ChoiceKind> {
        let choices = self.parameters(list).iter().filter_map(|parameter| self.family.choice_of(parameter));
        choices.into_iter().find(|choice| choice.wires().any(|wire| wire == name)).map(|choice| &choice.kind)
    }

    /// Returns values that a parameter can have.
    pub(super) fn samples(&self, list: Option<&ListName>, name: &str) -> Vec<Value> {
        if let Some(ChoiceKind::Value { decider, enum_index, .. }) = self.choice_of(list, name)
            && decider.wire == name
        {
            return self
                .family
                .enums
                .get(*enum_index)
                .map(|all| all.wires().map(|wire| json!(wire)).collect())
                .unwrap_or_default();
        }
        let wires = self.parameters(list).iter().flat_map(|parameter| self.family.wire_parameters(list, parameter));
        let named = wires.filter(|wire| wire.name.wire == name).filter_map(|wire| wire.parameter());
        named.flat_map(|parameter| self.sample_of(parameter)).collect()
    }

    fn sample_of(&self, parameter: &Parameter) -> Vec<Value> {
        let number = |n: u64| if parameter.as_text { json!(n.to_string()) } else { json!(n) };
        let seen = || self.seen(&parameter.name.wire);
        match parameter.shape.single() {
            Some(Type::Enum(_)) => {
                let values = self.family.values_of(&parameter.shape, &parameter.only);
                values.into_iter().map(|(wire, _)| json!(wire)).collect()
            }
            Some(Type::Boolean(truth)) => vec![boolean(truth, true), boolean(truth, false)],
            Some(ty) if ty.is_text() => seen().into_iter().chain([json!("ABC-1")]).collect(),
            Some(ty) if ty.is_quantity() => {
                let least = parameter.min.as_ref().and_then(|(min, _)| ty.wire_of_value(min).parse().ok()).unwrap_or(1);
                vec![number(least)]
            }
            Some(ty) if ty.is_time() => vec![number(self.now)],
            Some(_) | None => seen(),
        }
    }

    /// Returns the distinct values of a parameter in the examples of the family.
    fn seen(&self, name: &str) -> Vec<Value> {
        let mut seen: Vec<Value> = Vec::new();
        for value in self.seen.iter().filter_map(|request| request.get(name)) {
            if !seen.contains(value) {
                seen.push(value.clone());
            }
        }
        seen
    }
}

/// Returns the requests of the examples of a family, and the items of array requests.
pub(super) fn seen_in(family: &Family) -> Vec<Value> {
    let examples = family.operations.iter().flat_map(|operation| &operation.examples);
    let requests = examples.filter_map(|example| serde_json::from_str::<Value>(&example.request.0).ok());
    requests
        .flat_map(|request| match request {
            Value::Array(items) => items,
            other => vec![other],
        })
        .collect()
}

fn with_property(draft: &Draft, property: &str, value: Value) -> Draft {
    let mut draft = draft.clone();
    draft.account.insert(property.to_owned(), value);
    draft
}

/// Returns the value of a boolean, as it is sent.
pub(crate) fn boolean(form: Truth, value: bool) -> Value {
    match form {
        Truth::Bare => value.into(),
        Truth::Text => value.to_string().into(),
        Truth::Number => u8::from(value).into(),
    }
}
