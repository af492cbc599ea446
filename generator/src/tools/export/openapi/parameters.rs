//! Parameters and choices -> properties of a body, or parameters of a query and a path.
//!
//! In the form that tools of other languages read, a choice is a `oneOf` of whole objects, each with a name of its own.
//! Many tools lose members that stand beside an `allOf`, and read `if` and `then` as anything. An object has all its
//! members in one place there, and a rule that needs a condition is left to `x-rules`.

use std::collections::BTreeSet;

use super::object::{self, Location, Object, among_others, any_of, component, having, reference, schema, typed};
use super::rules;
use crate::compiler::model::{
    Case, Choice, ChoiceKind, Condition, EnumValue, Family, Item, ListName, Name, Need, Operation, Parameter, Rule,
    Shape, Test, Type,
};
use crate::compiler::words::{Lists, Objects};
use heck::ToUpperCamelCase as _;
use serde_json::{Map, Value, json};

/// The forms of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Whole objects, for tools that generate code.
    Whole,
    /// Everything that JSON Schema can state, for validators and for drafts.
    Exact,
}

/// The context of the parameters of a request.
#[derive(Clone, Copy)]
pub(super) struct Parameters<'a> {
    pub(super) family: &'a Family,
    /// The rules about the parameters; `None` for the members of a choice.
    pub(super) rules: Option<&'a [Rule]>,
    pub(super) form: Form,
}

impl<'a> Parameters<'a> {
    /// Returns the object with these parameters, of a type with this name; `list` is the list whose items are such
    /// objects.
    pub(super) fn object(self, owner: &str, parameters: &[&Parameter], list: Option<&ListName>) -> Value {
        if self.form == Form::Whole {
            return whole_object(self, owner, parameters).into_value();
        }
        let (chosen, plain): (Vec<&Parameter>, Vec<&Parameter>) =
            parameters.iter().partition(|parameter| parameter.shape.choice().is_some());
        let choices = chosen.iter().filter_map(|parameter| choice_here(self.family, parameter));
        let is_meant = |rule: &&Rule| rule.within.as_ref().map(|(within, _)| within) == list;
        let conditions = rules::schemas(self.family, self.rules.into_iter().flatten().filter(is_meant), parameters);
        self.plain_object(&plain).list("allOf", choices.chain(conditions)).into_value()
    }

    /// Returns an object of parameters that are not choices.
    pub(super) fn plain_object(self, parameters: &[&Parameter]) -> Object {
        let required = parameters.iter().filter(|parameter| parameter.need == Need::Always);
        let property = |parameter: &&Parameter| (parameter.name.wire.clone(), self.value(parameter));
        Object::new()
            .with("type", "object")
            .with("properties", parameters.iter().map(property).collect::<Map<_, _>>())
            .list("required", required.map(|parameter| parameter.name.wire.as_str()))
    }

    /// Returns the object of a parameter, or one of its list.
    fn item(self, item: &Item) -> Value {
        let Item { list, rust, place: _, parameters } = item;
        self.object(rust, &parameters.iter().collect::<Vec<_>>(), Some(list))
    }

    /// Returns the schema of a parameter with all statements about it.
    pub(super) fn value(self, parameter: &Parameter) -> Value {
        let schema = self.constraints(parameter, Location::Body);
        schema.text("description", &parameter.doc).and(self.beyond(parameter)).into_value()
    }

    /// Returns the parameters of a query, a path or headers, in which members of choices are beside the others.
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

    /// Returns statements about a parameter that no schema can express.
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
        // Tools that generate types make a member with a default required, or send it always.
        self.form == Form::Exact && means_itself && self.rules.is_some_and(is_free)
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

/// Returns the members of a choice, the deciding one first. Their own schemas cannot express which of them are sent.
fn flattened(choice: &Choice, parameter: &Parameter) -> Vec<Parameter> {
    let decider = choice.decider().map(|(decider, enum_index)| {
        let shape = Shape::One(Type::Enum(enum_index));
        Parameter { name: decider.clone(), shape, ..parameter.clone() }
    });
    let members = choice.members().into_iter().map(|member| Parameter { need: Need::No, ..member.clone() });
    decider.into_iter().chain(members).collect()
}

/// Allows also the text that deletes, if it is not a value of the type.
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

/// Returns the value of the parameter in the first example that has it.
fn example(operation: &Operation, parameter: &Parameter) -> Option<Value> {
    let requests =
        operation.examples.iter().filter_map(|example| serde_json::from_str::<Value>(&example.request.0).ok());
    requests.into_iter().find_map(|request| request.get(&parameter.name.wire).cloned())
}

/// Returns the shared schema of a choice.
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

/// Returns a schema for one alternative. Exactly one of them is sent, so each requires its own.
fn chosen(family: &Family, alternative: &Parameter) -> Value {
    let required = Parameter { need: Need::Always, ..alternative.clone() };
    among_others(members(family).plain_object(&[&required]).into_value())
}

/// Returns a schema for one value of the deciding parameter: it allows the parameters of its case and excludes those of
/// other cases.
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

/// Returns what writes the members of a choice, without rules, which apply to whole requests.
fn members(family: &Family) -> Parameters<'_> {
    Parameters { family, rules: None, form: Form::Exact }
}

/// Returns the schema of a choice in a request. If the choice is optional, it may also have no members.
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

/// Returns a choice among the parameters of a query, for which no schema covers several of them.
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

/// A way to make the choices of an object.
#[derive(Clone, Debug, Default)]
struct Way {
    /// The values and the names of members that tell it.
    told: Vec<String>,
    /// The deciding parameters, each with its value.
    decided: Vec<(String, String)>,
    members: Vec<Parameter>,
    /// The members of a choice that is left out.
    without: Vec<String>,
}

impl Way {
    fn and(&self, other: &Self) -> Self {
        Self {
            told: [self.told.clone(), other.told.clone()].concat(),
            decided: [self.decided.clone(), other.decided.clone()].concat(),
            members: [self.members.clone(), other.members.clone()].concat(),
            without: [self.without.clone(), other.without.clone()].concat(),
        }
    }

    /// Returns the name of the object in Rust, of the one that has the choice.
    fn named(&self, owner: &str) -> String {
        format!("{owner}{}", self.told.join(" ").to_upper_camel_case())
    }
}

/// Returns all ways to make these choices together.
fn ways(family: &Family, chosen: &[&Parameter]) -> Vec<Way> {
    let choices = chosen.iter().filter_map(|parameter| Some((parameter, family.choice_of(parameter)?)));
    choices.fold(vec![Way::default()], |all, (parameter, choice)| {
        let own = ways_of(family, choice, parameter.need == Need::Always);
        all.iter().flat_map(|way| own.iter().map(|more| way.and(more))).collect()
    })
}

/// Returns the ways to make a choice; one that may be left out has a way without any of its members.
fn ways_of(family: &Family, choice: &Choice, is_required: bool) -> Vec<Way> {
    let made: Vec<Way> = match &choice.kind {
        ChoiceKind::Presence { alternatives, wins: _ } => {
            let way = |one: &Parameter| Way {
                told: vec![format!("by {}", one.name.wire)],
                members: vec![Parameter { need: Need::Always, ..one.clone() }],
                ..Way::default()
            };
            alternatives.iter().map(way).collect()
        }
        ChoiceKind::Value { decider, enum_index: _, cases: _ } => {
            let cases = choice.cases(family).map(|(value, case)| Way {
                told: vec![value.name.wire.clone()],
                decided: vec![(decider.wire.clone(), value.name.wire.clone())],
                members: case.parameters.clone(),
                ..Way::default()
            });
            cases.collect()
        }
    };
    let without = choice.wires().map(str::to_owned).collect();
    let none = Way { told: vec!["plain".to_owned()], without, ..Way::default() };
    made.into_iter().chain((!is_required).then_some(none)).collect()
}

/// Returns the choices of some parameters, and the others.
fn parted<'p>(parameters: &[&'p Parameter]) -> (Vec<&'p Parameter>, Vec<&'p Parameter>) {
    parameters.iter().partition(|parameter| parameter.shape.choice().is_some())
}

/// Returns the object with these parameters: where they have choices, one of the shared objects.
fn whole_object(of: Parameters<'_>, owner: &str, parameters: &[&Parameter]) -> Object {
    let (chosen, plain) = parted(parameters);
    if chosen.is_empty() {
        return of.plain_object(&plain);
    }
    let ways = ways(of.family, &chosen);
    let refer = |way: &Way| reference(of.family, &way.named(owner));
    let wins = chosen.iter().find_map(|parameter| match parameter.wins_unstated {
        true => Some("unstated"),
        false => of.family.choice_of(parameter)?.wins(),
    });
    Object::new()
        .list("oneOf", ways.iter().map(refer))
        .maybe("discriminator", discriminator(of.family, owner, &ways))
        .maybe("x-wins", wins)
}

/// Returns the member whose value tells the objects apart, if each of them has it.
fn discriminator(family: &Family, owner: &str, ways: &[Way]) -> Option<Value> {
    let [(decider, _)] = ways.first()?.decided.as_slice() else { return None };
    let target = |way: &Way| {
        let [(name, value)] = way.decided.as_slice() else { return None };
        let target = reference(family, &way.named(owner)).into_value()["$ref"].take();
        (name == decider).then(|| (value.clone(), target))
    };
    let mapping: Map<_, _> = ways.iter().map(target).collect::<Option<_>>()?;
    (mapping.len() == ways.len()).then(|| json!({"propertyName": decider, "mapping": mapping}))
}

/// Returns the objects of an operation that its choices refer to, by their names.
pub(super) fn shared(family: &Family, operation: &Operation) -> Vec<(String, Value)> {
    let of = Parameters { family, rules: Some(&operation.statements.rules), form: Form::Whole };
    let is_inside = |parameter: &&Parameter| !operation.has_body() || !operation.is_elsewhere(parameter);
    let body: Vec<_> = operation.members().iter().filter(is_inside).chain(operation.body.array()).collect();
    let sets = sets(family, &operation.rust.rust, body).into_iter();
    let in_schemas = sets.skip(usize::from(!operation.has_body()));
    in_schemas.flat_map(|(owner, parameters)| objects(of, owner, &parameters)).collect()
}

/// Returns these parameters and those of the objects in them, each with the name of the object.
fn sets<'a>(family: &'a Family, owner: &'a str, parameters: Vec<&'a Parameter>) -> Vec<(&'a str, Vec<&'a Parameter>)> {
    let members = |parameter: &&'a Parameter| family.choice_of(parameter).map(Choice::members).unwrap_or_default();
    let chosen: Vec<&'a Parameter> = parameters.iter().flat_map(members).collect();
    let inner = parameters.iter().copied().chain(chosen).filter_map(|parameter| match &parameter.shape {
        Shape::Items(item) | Shape::Object(item) => Some((item.rust.as_str(), item.parameters.iter().collect())),
        Shape::One(_) | Shape::List(_) | Shape::Map(_) => None,
    });
    let inner: Vec<_> = inner.flat_map(|(owner, parameters)| sets(family, owner, parameters)).collect();
    std::iter::once((owner, parameters)).chain(inner).collect()
}

/// Returns a schema of the objects that have any of these members.
fn any_required(names: &[String]) -> Value {
    any_of(names.iter().map(|name| json!({"required": [name]})).collect())
}

/// Returns the object of each way to make the choices of these parameters.
fn objects(of: Parameters<'_>, owner: &str, parameters: &[&Parameter]) -> Vec<(String, Value)> {
    let (chosen, plain) = parted(parameters);
    if chosen.is_empty() {
        return Vec::new();
    }
    let object = |way: &Way| {
        let decided = way.decided.iter().map(|(name, value)| {
            // Tools that do not know `const` know an `enum` of one value.
            (name.clone(), json!({"type": "string", "enum": [value], "const": value}))
        });
        let own =
            |parameter: &Parameter| (parameter.name.wire.clone(), Parameters { rules: None, ..of }.value(parameter));
        let beside = plain.iter().map(|parameter| (parameter.name.wire.clone(), of.value(parameter)));
        let properties: Map<_, _> = beside.chain(decided).chain(way.members.iter().map(own)).collect();
        let needed = plain.iter().copied().chain(&way.members).filter(|parameter| parameter.need == Need::Always);
        let needed = needed.map(|parameter| parameter.name.wire.as_str());
        Object::new()
            .with("type", "object")
            .with("properties", properties)
            .list("required", needed.chain(way.decided.iter().map(|(name, _)| name.as_str())))
            .maybe("not", (!way.without.is_empty()).then(|| any_required(&way.without)))
            .into_value()
    };
    ways(of.family, &chosen).iter().map(|way| (component(of.family, &way.named(owner)), object(way))).collect()
}
