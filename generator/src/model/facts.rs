//! The model as facts: what the schema claims about the API and nothing else. Comparing a document with the schema is
//! comparing two sets of facts.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{
    Api, Choice, Condition, Deprecated, Duration, Family, JsonType, ListName, Method, Need, Operation, Parameter, Rate,
    RateScope, Response, RuleKind, Statements, Test, WireParameter,
};
use crate::diagnostics::Place;

/// Something that the schema claims about the API. The first member says what it is about: an operation by its id, a
/// family by its name, or a record by both names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fact<'a> {
    Endpoint {
        operation: &'a str,
        method: Method,
        path: &'a str,
    },
    Rate {
        operation: &'a str,
        calls: u32,
        every: Duration,
        scope: RateScope,
        class: &'a str,
    },
    Permission {
        operation: &'a str,
        text: &'a str,
    },
    Header {
        operation: &'a str,
        header: &'a str,
    },
    Window {
        operation: &'a str,
        bound: WindowBound,
        length: Duration,
    },
    Parameter {
        operation: &'a str,
        path: String,
        need: Need,
        json: JsonType,
    },
    ParameterValue {
        operation: &'a str,
        path: String,
        value: &'a str,
    },
    ParameterDefault {
        operation: &'a str,
        path: String,
        default: &'a str,
    },
    ParameterMax {
        operation: &'a str,
        path: String,
        max: String,
    },
    /// An operation or a parameter of it, a field of a record or a value of an enum that the document advises against.
    Deprecated {
        about: Cow<'a, str>,
        path: String,
        says: String,
    },
    /// One of these parameters is sent.
    OneOf {
        operation: &'a str,
        paths: Vec<String>,
    },
    /// The alternative that counts when several are sent.
    Wins {
        operation: &'a str,
        path: String,
    },
    ResponseShape {
        operation: &'a str,
        shape: ResponseShape<'a>,
    },
    ResponseField {
        operation: &'a str,
        path: String,
        json: JsonType,
    },
    RecordField {
        record: String,
        field: &'a str,
        json: JsonType,
    },
    RecordValue {
        record: String,
        field: &'a str,
        value: &'a str,
    },
    Error {
        family: &'a str,
        code: &'a str,
        text: &'a str,
    },
    State {
        family: &'a str,
        state: &'a str,
    },
    Transition {
        family: &'a str,
        from: &'a str,
        trigger: &'a str,
        to: &'a str,
    },
    Rule {
        about: &'a str,
        rule: &'a str,
        kind: RuleKind,
    },
    NotShown {
        about: &'a str,
        says: &'a str,
    },
    Contradiction {
        about: &'a str,
        readings: &'a [String],
    },
    Observed {
        about: &'a str,
        says: String,
    },
}

/// Which length of time a window fact gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowBound {
    Span,
    Access,
    Default,
}

impl WindowBound {
    /// The word for it, which is its key in the schema.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Span => "span",
            Self::Access => "access",
            Self::Default => "default",
        }
    }
}

/// What a response is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseShape<'a> {
    Object,
    Array,
    /// A list and this cursor.
    Page(&'a str),
}

impl std::fmt::Display for ResponseShape<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Object => f.write_str("object"),
            Self::Array => f.write_str("array"),
            Self::Page(cursor) => write!(f, "list+{cursor}"),
        }
    }
}

impl Fact<'_> {
    /// The columns of its line: the kind, what it is about, and what it says.
    fn columns(&self) -> Vec<String> {
        let texts =
            |texts: &[&str]| std::iter::once(self.kind()).chain(texts.iter().copied()).map(str::to_owned).collect();
        match self {
            Self::Endpoint { operation, method, path } => texts(&[operation, method.as_str(), path]),
            Self::Rate { operation, calls, every, scope, class } => {
                texts(&[operation, &calls.to_string(), &every.window(), scope.as_str(), class])
            }
            Self::Permission { operation, text } => texts(&[operation, text]),
            Self::Header { operation, header } => texts(&[header, operation]),
            Self::Window { operation, bound, length } => texts(&[operation, bound.as_str(), &length.to_string()]),
            Self::Parameter { operation, path, need, json } => texts(&[operation, path, need.as_fact(), json.as_str()]),
            Self::ParameterValue { operation, path, value } => texts(&[operation, path, value]),
            Self::ParameterDefault { operation, path, default } => texts(&[operation, path, default]),
            Self::ParameterMax { operation, path, max } => texts(&[operation, path, max]),
            Self::Deprecated { about, path, says } => texts(&[about, path, says]),
            Self::OneOf { operation, paths } => texts(&[operation, &paths.join(",")]),
            Self::Wins { operation, path } => texts(&[operation, path]),
            Self::ResponseShape { operation, shape } => texts(&[operation, &shape.to_string()]),
            Self::ResponseField { operation, path, json } => texts(&[operation, path, json.as_str()]),
            Self::RecordField { record, field, json } => texts(&[record, field, json.as_str()]),
            Self::RecordValue { record, field, value } => texts(&[record, field, value]),
            Self::Error { family, code, text } => texts(&[family, code, text]),
            Self::State { family, state } => texts(&[family, state]),
            Self::Transition { family, from, trigger, to } => texts(&[family, from, trigger, to]),
            Self::Rule { about, rule, kind } => texts(&[about, rule, kind.as_str()]),
            Self::NotShown { about, says } => texts(&[about, says]),
            Self::Contradiction { about, readings } => texts(&[about, &readings.join(" / ")]),
            Self::Observed { about, says } => texts(&[about, says]),
        }
    }

    /// The kind, which is the first column.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Endpoint { .. } => "endpoint",
            Self::Rate { .. } => "rate",
            Self::Permission { .. } => "permission",
            Self::Header { .. } => "headeron",
            Self::Window { .. } => "window",
            Self::Parameter { .. } => "param",
            Self::ParameterValue { .. } => "paramenum",
            Self::ParameterDefault { .. } => "paramdefault",
            Self::ParameterMax { .. } => "parammax",
            Self::Deprecated { .. } => "deprecated",
            Self::OneOf { .. } => "oneof",
            Self::Wins { .. } => "wins",
            Self::ResponseShape { .. } => "respshape",
            Self::ResponseField { .. } => "respfield",
            Self::RecordField { .. } => "record",
            Self::RecordValue { .. } => "recordenum",
            Self::Error { .. } => "error",
            Self::State { .. } => "state",
            Self::Transition { .. } => "transition",
            Self::Rule { .. } => "rule",
            Self::NotShown { .. } => "notshown",
            Self::Contradiction { .. } => "contradiction",
            Self::Observed { .. } => "observed",
        }
    }

    /// The columns with tabs between them, and every text on one line.
    pub(crate) fn line(&self) -> String {
        let one_line = |column: &String| column.split_whitespace().collect::<Vec<_>>().join(" ");
        self.columns().iter().map(one_line).collect::<Vec<_>>().join("\t")
    }
}

impl Need {
    /// The word for it in a fact.
    pub(crate) fn as_fact(self) -> &'static str {
        match self {
            Self::Always => "yes",
            Self::Conditional => "conditional",
            Self::Unstated => "unstated",
            Self::No => "no",
        }
    }
}

/// All facts in the order of their lines, each once, with the first place that states it.
pub(crate) fn facts(api: &Api) -> impl Iterator<Item = (Fact<'_>, Place)> {
    let mut facts = Facts::default();
    for family in &api.families {
        for observation in &api.observed {
            facts.add(observation.place, Fact::Observed { about: &family.name, says: observation.says.clone() });
        }
        for code in api.codes.iter().filter(|code| code.is_of(&family.name)) {
            let says = format!("{} {}: {}", code.code, code.proof.proves.as_str(), code.says);
            facts.add(code.place, Fact::Observed { about: &family.name, says });
        }
        facts.family(family);
        for operation in &family.operations {
            facts.operation(family, operation);
        }
    }
    facts.by_line.into_values()
}

#[derive(Default)]
struct Facts<'a> {
    by_line: BTreeMap<String, (Fact<'a>, Place)>,
}

impl<'a> Facts<'a> {
    fn add(&mut self, place: Place, fact: Fact<'a>) {
        self.by_line.entry(fact.line()).or_insert((fact, place));
    }

    fn family(&mut self, family: &'a Family) {
        let name = family.name.as_str();
        for error in &family.errors {
            self.add(error.place, Fact::Error { family: name, code: &error.code, text: &error.text });
        }
        if let Some(lifecycle) = &family.lifecycle {
            for state in &lifecycle.states {
                self.add(state.place, Fact::State { family: name, state: &state.value });
            }
            for transition in &lifecycle.transitions {
                for from in &transition.from {
                    let to = if transition.to == "unchanged" { from } else { &transition.to };
                    for (trigger, _) in &transition.trigger {
                        self.add(transition.place, Fact::Transition { family: name, from, trigger, to });
                    }
                }
            }
        }
        for record in family.records.iter().filter(|record| !record.is_abstract && !record.is_observed) {
            let id = format!("{name}.{}", record.name.wire);
            for field in &record.fields {
                let (wire, json) = (field.name.wire.as_str(), field.shape.json_type(field.as_text));
                self.add(field.name.place, Fact::RecordField { record: id.clone(), field: wire, json });
                self.deprecated(id.clone(), wire, field.deprecated.as_ref());
                for (value, place) in family.values_of(&field.shape, &field.only) {
                    self.add(place, Fact::RecordValue { record: id.clone(), field: wire, value });
                }
            }
        }
        for all in &family.enums {
            for value in &all.values {
                let about = format!("{name}.{}", all.name.wire);
                self.deprecated(about, &value.name.wire, value.deprecated.as_ref());
            }
        }
        self.statements(name, &family.statements);
    }

    fn statements(&mut self, about: &'a str, statements: &'a Statements) {
        let Statements { rules, not_shown, contradictions, observed } = statements;
        for rule in rules {
            self.add(rule.place, Fact::Rule { about, rule: &rule.id, kind: rule.kind });
        }
        for open in not_shown {
            self.add(open.place, Fact::NotShown { about, says: &open.says });
        }
        for contradiction in contradictions {
            self.add(contradiction.place, Fact::Contradiction { about, readings: &contradiction.readings });
        }
        for observation in observed {
            self.add(observation.place, Fact::Observed { about, says: observation.says.clone() });
        }
    }

    fn operation(&mut self, family: &'a Family, operation: &'a Operation) {
        let id = operation.id.as_str();
        let path = &operation.path;
        self.add(path.place, Fact::Endpoint { operation: id, method: operation.method, path: &path.text });
        for rate in operation.rates.iter().filter(|rate| rate.of_pool.is_none()) {
            let Rate { calls, every, scope, ref class, place, of_pool: _ } = *rate;
            self.add(place, Fact::Rate { operation: id, calls, every, scope, class });
        }
        self.deprecated(id, "", operation.deprecated.as_ref());
        if let Some(text) = &operation.permission {
            self.add(operation.said_at.permission, Fact::Permission { operation: id, text });
        }
        for (header, place) in &operation.headers {
            self.add(*place, Fact::Header { operation: id, header });
        }
        self.window(operation);
        for wire in operation.wire_parameters(family) {
            self.parameter(family, id, &wire);
        }
        for (list, parameter, choice) in operation.choices(family) {
            self.choice(id, list, parameter, choice);
        }
        self.at_least_one(id, operation);
        self.response(family, operation);
        self.statements(id, &operation.statements);
    }

    fn window(&mut self, operation: &'a Operation) {
        let at = &operation.said_at;
        let window = operation.window.as_ref();
        let lengths = [
            (WindowBound::Span, window.and_then(|window| window.span), at.span),
            (WindowBound::Access, window.and_then(|window| window.access), at.access),
            (WindowBound::Default, window.and_then(|window| window.default), at.default),
            (WindowBound::Access, operation.history, at.history),
        ];
        for (bound, length, place) in lengths {
            if let Some(length) = length {
                self.add(place, Fact::Window { operation: &operation.id, bound, length });
            }
        }
    }

    fn parameter(&mut self, family: &'a Family, operation: &'a str, wire: &WireParameter<'a>) {
        let path = wire.path();
        // What is said of a choice is said of the parameter that stands for it.
        let place = wire.parameter().map_or(wire.of.name.place, |parameter| parameter.name.place);
        let fact = Fact::Parameter { operation, path: path.clone(), need: wire.need(), json: wire.json_type() };
        self.add(place, fact);
        for (value, place) in wire.values(family) {
            self.add(place, Fact::ParameterValue { operation, path: path.clone(), value });
        }
        let Some(parameter) = wire.parameter() else { return };
        self.deprecated(operation, &path, parameter.deprecated.as_ref());
        if let Some((default, place)) = &parameter.default {
            self.add(*place, Fact::ParameterDefault { operation, path: path.clone(), default });
        }
        let max_items = parameter.max_items.map(|(max, place)| (max.to_string(), place));
        for (max, place) in parameter.max.iter().cloned().chain(max_items) {
            self.add(place, Fact::ParameterMax { operation, path: path.clone(), max });
        }
    }

    fn deprecated(&mut self, about: impl Into<Cow<'a, str>>, path: &str, deprecated: Option<&Deprecated>) {
        if let Some(deprecated) = deprecated {
            let fact = Fact::Deprecated { about: about.into(), path: path.to_owned(), says: deprecated.to_string() };
            self.add(deprecated.place, fact);
        }
    }

    fn choice(&mut self, operation: &'a str, list: Option<&ListName>, parameter: &'a Parameter, choice: &'a Choice) {
        let Some(alternatives) = choice.alternatives() else { return };
        let prefix = list.map(ListName::item_prefix).unwrap_or_default();
        let place = parameter.name.place;
        if parameter.need == Need::Always {
            let paths = alternatives.iter().map(|one| format!("{prefix}{}", one.name.wire)).collect();
            self.add(place, Fact::OneOf { operation, paths });
        }
        if let Some(wins) = choice.wins().filter(|_| !parameter.wins_unstated) {
            self.add(place, Fact::Wins { operation, path: format!("{prefix}{wins}") });
        }
    }

    /// A rule that always wants one of several parameters states a one-of too.
    fn at_least_one(&mut self, id: &'a str, operation: &'a Operation) {
        for rule in &operation.statements.rules {
            let Some(Test::Condition { when, require, .. }) = &rule.test else { continue };
            let prefix = rule.within.as_ref().map(|(list, _)| list.item_prefix()).unwrap_or_default();
            for condition in require.iter().filter(|_| when.is_empty()) {
                if let Condition::AnyGiven(names) = condition {
                    let paths = names.iter().map(|(name, _)| format!("{prefix}{name}")).collect();
                    self.add(rule.place, Fact::OneOf { operation: id, paths });
                }
            }
        }
    }

    fn response(&mut self, family: &'a Family, operation: &'a Operation) {
        let (id, place) = (operation.id.as_str(), operation.said_at.response);
        let (shape, fields) = match &operation.response {
            Response::Object { record } => (ResponseShape::Object, Some(("", *record))),
            Response::Array { record, .. } => (ResponseShape::Array, Some(("[].", *record))),
            Response::Page { list, cursor, .. } => {
                for (name, json) in [(list, JsonType::Array), (cursor, JsonType::String)] {
                    self.add(name.place, Fact::ResponseField { operation: id, path: name.wire.clone(), json });
                }
                (ResponseShape::Page(&cursor.wire), None)
            }
            Response::Undefined => return,
        };
        self.add(place, Fact::ResponseShape { operation: id, shape });
        let Some((prefix, record)) = fields else { return };
        for field in &family.records[record].fields {
            let (path, json) = (format!("{prefix}{}", field.name.wire), field.shape.json_type(field.as_text));
            self.add(field.name.place, Fact::ResponseField { operation: id, path, json });
        }
    }
}
