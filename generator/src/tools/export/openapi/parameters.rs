//! Parameters and choices -> properties of a body, or parameters of a query and a path.

use std::collections::BTreeSet;

use super::object::{self, Location, Object, among_others, any_of, having, schema, typed};
use super::rules;
use crate::compiler::model::{
    Case, Choice, ChoiceKind, Condition, EnumValue, Family, Item, ListName, Name, Need, Operation, Parameter, Rule,
    Shape, Test, Type,
};
use crate::compiler::words::{Lists, Objects};
use serde_json::{Map, Value, json};

/// The context of the parameters of a request.
#[derive(Clone, Copy)]
pub(super) struct Parameters<'a> {
    pub(super) family: &'a Family,
    /// The rules about the parameters; `None` for the members of a choice.
    pub(super) rules: Option<&'a [Rule]>,
}

impl<'a> Parameters<'a> {
    /// The object with these parameters; `list` is the list whose items are such objects.
    pub(super) fn object(self, parameters: &[&Parameter], list: Option<&ListName>) -> Value {
        let (chosen, plain): (Vec<&Parameter>, Vec<&Parameter>) =
            parameters.iter().partition(|parameter| parameter.shape.choice().is_some());
        let choices = chosen.iter().filter_map(|parameter| choice_here(self.family, parameter));
        let is_meant = |rule: &&Rule| rule.within.as_ref().map(|(within, _)| within) == list;
        let conditions = rules::schemas(self.family, self.rules.into_iter().flatten().filter(is_meant), parameters);
        self.plain_object(&plain).list("allOf", choices.chain(conditions)).into_value()
    }

    /// An object of parameters that are not choices.
    pub(super) fn plain_object(self, parameters: &[&Parameter]) -> Object {
        let required = parameters.iter().filter(|parameter| parameter.need == Need::Always);
        let property = |parameter: &&Parameter| (parameter.name.wire.clone(), self.value(parameter));
        Object::new()
            .with("type", "object")
            .with("properties", parameters.iter().map(property).collect::<Map<_, _>>())
            .list("required", required.map(|parameter| parameter.name.wire.as_str()))
    }

    /// The object of a parameter, or one of its list.
    fn item(self, item: &Item) -> Value {
        let Item { list, rust: _, place: _, parameters } = item;
        self.object(&parameters.iter().collect::<Vec<_>>(), Some(list))
    }

    /// The schema of a parameter with all statements about it.
    pub(super) fn value(self, parameter: &Parameter) -> Value {
        let schema = self.constraints(parameter, Location::Body);
        schema.text("description", &parameter.doc).and(self.beyond(parameter)).into_value()
    }

    /// The parameters of a query, a path or headers, in which members of choices are beside the others.
    pub(super) fn outside_body(self, operation: &Operation, parameter: &Parameter) -> Vec<Value> {
        match self.family.choice_of(parameter) {
            Some(choice) => {
                let members = flattened(choice, parameter);
                members.iter().map(|member| self::members(self.family).one_outside_body(operation, member)).collect()
            }
            None => vec![self.one_outside_body(operation, parameter)],
        }
    }

    fn one_outside_body(self, operation: &Operation, parameter: &Parameter) -> Value {
        let is_in_path = operation.is_in_path(parameter);
        let place = match parameter.apart {
            Some((apart, _)) => apart.as_str(),
            None if is_in_path => "path",
            None => "query",
        };
        let schema = self.constraints(parameter, Location::Query);
        let example = example(operation, parameter).map(|value| match value {
            Value::String(text) => typed(&text, schema.json_type()),
            Value::Number(number) => typed(&number.to_string(), schema.json_type()),
            other => other,
        });
        Object::new()
            .with("name", parameter.sent_name())
            .with("in", place)
            .flag("required", is_in_path || parameter.need == Need::Always)
            .text("description", &parameter.doc)
            .and(if place == "query" { written(operation, &parameter.shape) } else { Object::new() })
            .with("schema", schema)
            .maybe("example", example)
            .and(self.beyond(parameter))
            .into_value()
    }

    /// Statements about a parameter that no schema can express.
    fn beyond(self, parameter: &Parameter) -> Object {
        Object::new().flag("deprecated", parameter.deprecated.is_some()).keys(&parameter.keys(self.family))
    }

    fn constraints(self, parameter: &Parameter, location: Location) -> Object {
        let Parameter {
            shape,
            default,
            fixed,
            only,
            as_text,
            may_be_null,
            // Depend on the form.
            min: _,
            max: _,
            min_items: _,
            max_items: _,
            digits: _,
            length: _,
            pattern: _,
            edit: _,
            // Beside the schema.
            name: _,
            apart: _,
            sent_as: _,
            need: _,
            deprecated: _,
            doc: _,
            wins_unstated: _,
            // Among the keys.
            default_note: _,
            may_be_blank: _,
            units: _,
            places: _,
            significant_digits: _,
            // Of the search, and of the files.
            called: _,
            written: _,
        } = parameter;
        let only: Vec<_> = only.iter().map(|(value, _)| value.as_str()).collect();
        let one = |ty| with_length(schema(self.family, ty, *as_text, &only, location), ty, parameter);
        let schema = match shape {
            Shape::One(ty) => or_deletion(bounded(one(*ty), parameter), *ty, parameter),
            Shape::List(ty) => list(one(*ty).into_value(), parameter),
            Shape::Items(item) => list(self.item(item), parameter),
            Shape::Object(object) => Object::of(self.item(object)),
            Shape::Map(ty) => {
                let least = Some(parameter.least_items()).filter(|least| *least > 0);
                Object::new()
                    .with("type", "object")
                    .with("additionalProperties", one(*ty).into_value())
                    .maybe("minProperties", least)
                    .maybe("maxProperties", parameter.max_items.map(|(n, _)| n))
            }
        };
        let ty = shape.single();
        let wire = |value: &str| ty.map_or_else(|| value.to_owned(), |ty| ty.wire_of_value(value));
        let default = default.as_ref().map(|(default, _)| typed(&wire(default), schema.json_type()));
        let fixed = fixed.as_ref().map(|(fixed, _)| typed(shape.wire_of_fixed(fixed), schema.json_type()));
        let key = if self.may_always_send(parameter) { "default" } else { "x-default" };
        let schema = schema.maybe(key, default).maybe("const", fixed);
        if may_be_null.is_some() { object::or_null(schema) } else { schema }
    }

    /// Returns whether a request may have the parameter whatever else it has. Readers fill in what is called `default`.
    fn may_always_send(self, parameter: &Parameter) -> bool {
        let name = parameter.name.wire.as_str();
        let is_in = |all: &[Condition]| all.iter().any(|condition| condition.names().contains(&name));
        let concerns = |rule: &Rule| {
            rule.unsupported.iter().any(|(unsupported, _)| unsupported == name)
                || matches!(&rule.test, Some(Test::Condition { when, require, forbid })
                    if is_in(when) || is_in(require) || is_in(forbid))
        };
        let is_free = |rules: &[Rule]| !rules.iter().any(concerns);
        let means_itself = parameter.edit.is_none() && parameter.need != Need::Conditional;
        means_itself && self.rules.is_some_and(is_free)
    }
}

/// Adds the length and the pattern of a text. An empty one is never sent, unless it deletes a value.
fn with_length(schema: Object, ty: Type, parameter: &Parameter) -> Object {
    let length = parameter.length.map(|(length, _)| length);
    let is_text = matches!(ty, Type::String | Type::Identifier(_)) && parameter.deletes_with() != Some("");
    let least = length.map(|(least, _)| least).into_iter().chain(is_text.then_some(1)).max().filter(|least| *least > 0);
    let pattern = parameter.pattern.as_ref().map(|(pattern, _)| pattern.as_str());
    schema.maybe("minLength", least).maybe("maxLength", length.map(|(_, most)| most)).maybe("pattern", pattern)
}

/// Returns how a list or an object is written in a query, as far as OpenAPI has a word for it. A list that says nothing
/// is repeated, and an object spread.
fn written(operation: &Operation, shape: &Shape) -> Object {
    let style = |style: &str, explode: bool| Object::new().with("style", style).with("explode", explode);
    match (shape, operation.style.lists, operation.style.objects) {
        (Shape::List(_) | Shape::Items(_), Lists::Comma, _) => style("form", false),
        (Shape::List(_) | Shape::Items(_), Lists::Repeated, _) => style("form", true),
        (Shape::Object(_), _, Objects::Brackets) => style("deepObject", true),
        _ => Object::new(),
    }
}

/// The members of a choice, the deciding one first. Their own schemas cannot express which of them are sent.
fn flattened(choice: &Choice, parameter: &Parameter) -> Vec<Parameter> {
    let decider = choice.decider().map(|(decider, enum_index)| {
        let shape = Shape::One(Type::Enum(enum_index));
        Parameter { name: decider.clone(), shape, ..parameter.clone() }
    });
    let members = choice.members().into_iter().map(|member| Parameter { need: Need::No, ..member.clone() });
    decider.into_iter().chain(members).collect()
}

/// Also allows the text that deletes, if it is not a value of the type.
fn or_deletion(schema: Object, ty: Type, parameter: &Parameter) -> Object {
    let Some(delete) = parameter.deletes_with() else { return schema };
    let is_value = match ty {
        Type::String => true,
        ty => ty.is_number() && delete.parse::<f64>().is_ok(),
    };
    if is_value { schema } else { Object::new().with("anyOf", [schema.into_value(), json!({"const": delete})]) }
}

fn list(items: Value, parameter: &Parameter) -> Object {
    let least = Some(parameter.least_items()).filter(|least| *least > 0);
    Object::new()
        .with("type", "array")
        .with("items", items)
        .maybe("minItems", least)
        .maybe("maxItems", parameter.max_items.map(|(n, _)| n))
}

/// Adds the bounds of a number. JSON Schema has none for numbers that travel as text.
fn bounded(schema: Object, parameter: &Parameter) -> Object {
    let json_type = schema.json_type();
    let is_number = matches!(json_type, "integer" | "number");
    let ty = parameter.shape.single();
    let wire = |value: &str| ty.map_or_else(|| value.to_owned(), |ty| ty.wire_of_value(value));
    let bound = |bound: &Option<(String, _)>| bound.as_ref().map(|(text, _)| typed(&wire(text), json_type));
    let (least, most) = if is_number { ("minimum", "maximum") } else { ("x-minimum", "x-maximum") };
    let (min, max) = (bound(&parameter.min), bound(&parameter.max));
    let schema = schema.maybe(least, min).maybe(most, max);
    match parameter.digits {
        Some((digits, _)) if is_number => {
            let stated = parameter.max.as_ref().and_then(|(max, _)| max.parse().ok()).unwrap_or(u64::MAX);
            let most = 10_u64.checked_pow(digits).map(|n| (n - 1).min(stated));
            schema.maybe("maximum", most).with("x-digits", digits)
        }
        Some((digits, _)) => schema.with("pattern", format!("^[0-9]{{1,{digits}}}$")),
        None => schema,
    }
}

/// The value of the parameter in the first example that has it.
fn example(operation: &Operation, parameter: &Parameter) -> Option<Value> {
    let requests =
        operation.examples.iter().filter_map(|example| serde_json::from_str::<Value>(&example.request.0).ok());
    requests.into_iter().find_map(|request| request.get(&parameter.name.wire).cloned())
}

/// The shared schema of a choice.
pub(super) fn choice(family: &Family, choice: &Choice) -> Value {
    let Choice { name: _, doc, kind } = choice;
    let described = Object::new().text("description", doc).keys(&choice.keys(family));
    match kind {
        ChoiceKind::Presence { alternatives, wins: _ } => described
            .list("oneOf", alternatives.iter().map(|alternative| chosen(family, alternative)))
            .maybe("x-wins", choice.wins())
            .into_value(),
        ChoiceKind::Value { decider, enum_index: _, cases: _ } => {
            let cases = choice.cases(family).map(|(value, case)| decided(family, choice, decider, value, case));
            described.list("oneOf", cases).into_value()
        }
    }
}

/// A schema for one alternative. Exactly one of them is sent, so each requires its own.
fn chosen(family: &Family, alternative: &Parameter) -> Value {
    let required = Parameter { need: Need::Always, ..alternative.clone() };
    among_others(members(family).plain_object(&[&required]).into_value())
}

/// A schema for one value of the deciding parameter: it allows the parameters of its case and excludes those of other
/// cases.
fn decided(family: &Family, choice: &Choice, decider: &Name, value: &EnumValue, case: &Case) -> Value {
    let (value, Case { value: _, parameters }) = (value.name.wire.as_str(), case);
    let own = members(family).plain_object(&parameters.iter().collect::<Vec<_>>()).into_value();
    let decided = Object::new()
        .with("type", "object")
        .with("properties", json!({&decider.wire: {"type": "string", "const": value}}))
        .with("required", [decider.wire.as_str()])
        .into_value();
    let goes_here = |name: &str| parameters.iter().any(|parameter| parameter.name.wire == name);
    let others: BTreeSet<_> = choice.members().iter().map(|member| member.name.wire.as_str()).collect();
    let others: Vec<_> = others.into_iter().filter(|name| !goes_here(name)).collect();
    Object::new()
        .with("title", value)
        .with("allOf", [decided, own])
        .maybe("not", (!others.is_empty()).then(|| any_of_these(others)))
        .into_value()
}

/// Rules apply to whole requests rather than to the members of a choice.
fn members(family: &Family) -> Parameters<'_> {
    Parameters { family, rules: None }
}

/// The schema of a choice in a request. If the choice is optional, it may also have no members.
fn choice_here(family: &Family, parameter: &Parameter) -> Option<Value> {
    let choice = family.choice_of(parameter)?;
    let made = object::reference(family, &choice.name.rust);
    let made = match parameter.need {
        Need::Always => made,
        Need::Conditional | Need::Unstated | Need::No => {
            let none = json!({"not": any_of_these(choice.wires().collect())});
            Object::new().with("oneOf", [made.into_value(), none])
        }
    };
    let made = made.maybe("x-required", need_in_words(parameter));
    Some(made.maybe("x-wins", parameter.wins_unstated.then_some("unstated")).into_value())
}

/// A choice among the parameters of a query, for which no schema covers several of them.
pub(super) fn choice_of_query(family: &Family, parameter: &Parameter, choice: &Choice) -> Value {
    let made =
        Object::new().flag("required", parameter.need == Need::Always).maybe("x-required", need_in_words(parameter));
    match &choice.kind {
        ChoiceKind::Presence { .. } => {
            let wins = if parameter.wins_unstated { Some("unstated") } else { choice.wins() };
            made.with("one_of", choice.wires().collect::<Vec<_>>()).maybe("wins", wins).into_value()
        }
        ChoiceKind::Value { decider, .. } => {
            let cases = choice.cases(family).map(|(value, case)| {
                let members: Vec<_> = case.parameters.iter().map(|member| member.name.wire.as_str()).collect();
                (value.name.wire.clone(), Value::from(members))
            });
            made.with("choose_by", decider.wire.as_str()).map("cases", cases).into_value()
        }
    }
}

/// Returns how far a choice is required that may be left out, where the document says more than that it may.
fn need_in_words(parameter: &Parameter) -> Option<&'static str> {
    matches!(parameter.need, Need::Conditional | Need::Unstated).then(|| parameter.need.as_str())
}

fn any_of_these(names: Vec<&str>) -> Value {
    any_of(names.into_iter().map(|name| having([(name.to_owned(), json!({}))])).collect())
}
