//! Everything that the schema states about one operation, for a terminal or as JSON.

use std::fmt::Write as _;

use crate::compiler::diagnostics::{Code, Diagnostics, Place, did_you_mean};
use crate::compiler::model::elements::{Element, Key};
use crate::compiler::model::phrases::{self, PLAIN, joined, sentence};
use crate::compiler::model::{
    Api, Certainty, Choice, ChoiceKind, Effect, EnumValue, Family, Field, ListName, Operation, Parameter, Record,
    Response, Rule, RuleKind, Severity, Shape, Statements, Type,
};
use serde_json::{Map, Value, json};

/// Returns the page of the operation with this id, such as `unified.place-order`, or with this name if only one family
/// has it.
pub(crate) fn operation(api: &Api, id: &str) -> Result<String, Diagnostics> {
    find(api, id).map(|(family, operation)| describe(api, family, operation))
}

/// Returns an operation as JSON.
pub(crate) fn operation_as_json(api: &Api, id: &str) -> Result<String, Diagnostics> {
    let (_, operation) = find(api, id)?;
    let root = api.element();
    Ok(find_element(&root, "operation", &operation.id).map(element_as_json).unwrap_or_default().to_string())
}

fn find<'a>(api: &'a Api, id: &str) -> Result<(&'a Family, &'a Operation), Diagnostics> {
    let has_it = |operation: &Operation| operation.id == id || operation.name == id;
    let found: Vec<_> = api.operations().filter(|(_, operation)| has_it(operation)).collect();
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(unknown(api, id)),
        several => {
            let ids: Vec<_> = several.iter().map(|(_, operation)| operation.id.as_str()).collect();
            let mut to = Diagnostics::default();
            to.whole(Code::UndefinedName, format!("ambiguous operation `{id}`: several families have it"))
                .help(format!("name one of: {}", ids.join(", ")));
            Err(to)
        }
    }
}

fn unknown(api: &Api, id: &str) -> Diagnostics {
    let by_id = api.operations().map(|(_, operation)| operation.id.as_str());
    let by_name = api.operations().map(|(_, operation)| operation.name.as_str());
    let known = by_id.chain(by_name);
    let mut to = Diagnostics::default();
    to.whole(Code::UndefinedName, format!("unknown operation `{id}`"))
        .help(did_you_mean(id, known).unwrap_or_else(|| "`tradeapi-gen list` prints all operations".into()));
    to
}

/// Returns the page of an operation: its own keys first, then the elements within.
fn describe(api: &Api, family: &Family, operation: &Operation) -> String {
    let mut page = TextPage::default();
    page.line(&format!("{}: {}", operation.id, operation.title));
    page.line(&format!("{} {}", operation.method.as_str(), operation.path.text));
    page.line(&operation.doc);
    page.heading("In short");
    for key in operation.keys(family).iter().filter(|key| !key.says.is_empty()) {
        page.named(1, 10, key.name, &key.says);
    }
    page.named(1, 10, "source", &source(api, operation));
    pools(&mut page, api, operation);
    add_parameters(&mut page, family, operation);
    add(&mut page, family, &operation.response);
    rules(&mut page, "Rules", &operation.statements);
    intents(&mut page, operation);
    states(&mut page, family, operation);
    errors(&mut page, api, family, operation);
    counterpart(&mut page, api, family, operation);
    other_statements(&mut page, &operation.statements);
    for example in &operation.examples {
        page.heading(&format!("Example: {}", example.about));
        page.verbatim(1, &example.request.0);
        page.entry(1, "is answered with");
        page.verbatim(1, &example.response.0);
    }
    page.finish()
}

/// Writes the pools that a call counts in, and what answers report about them.
fn pools(page: &mut TextPage, api: &Api, operation: &Operation) {
    let takes = |name: &str| operation.rates.iter().filter_map(|rate| rate.of_pool.as_ref()).any(|of| of.pool == name);
    let pools: Vec<_> = api.pools.iter().filter(|pool| takes(&pool.name)).collect();
    if !pools.is_empty() {
        page.heading("Pools");
    }
    for pool in pools {
        let reported = pool.reporting.as_ref().map(|reported| format!(" Answers report its use: {reported}."));
        let text = format!("{}: {}{}", pool.rate, sentence(&pool.doc), reported.unwrap_or_default());
        page.named(1, 10, &pool.name, &text);
    }
}

/// Returns the section of the document, with the title of the document.
fn source(api: &Api, operation: &Operation) -> String {
    let source = operation.source.as_ref().map(|source| {
        let section = source.section().map(|section| format!(", section {section}")).unwrap_or_default();
        format!("{}{section}", api.document_title(source.document()))
    });
    source.unwrap_or_else(|| phrases::observed(&operation.sources))
}

/// Writes the state transitions that the operation triggers.
fn states(page: &mut TextPage, family: &Family, operation: &Operation) {
    let of_family = family.lifecycle.iter().flat_map(|lifecycle| &lifecycle.transitions);
    let caused: Vec<_> = of_family.filter(|transition| transition.is_caused_by(operation)).collect();
    let never = family.lifecycle.iter().flat_map(|lifecycle| &lifecycle.never);
    let ruled_out: Vec<_> = never.filter(|never| never.what.is_of(operation)).collect();
    if caused.is_empty() && ruled_out.is_empty() {
        return;
    }
    page.heading("States");
    for transition in caused {
        let text = [format!("{}.", transition.in_words()), sentence(&transition.condition), sentence(&transition.doc)];
        page.entry(1, &joined(&text, " "));
    }
    for never in ruled_out {
        page.entry(1, &format!("Never takes effect on {}. {}", never.from.join(", "), sentence(&never.why)));
    }
}

/// Writes the operation that does the same, and what becomes of each parameter.
fn counterpart(page: &mut TextPage, api: &Api, family: &Family, operation: &Operation) {
    let Some(counterpart) = &operation.counterpart else { return };
    page.heading("Counterpart");
    page.entry(1, &counterpart.in_short());
    for [what, becomes] in api.conversion(family, operation).iter().flat_map(|conversion| conversion.rows(&PLAIN)) {
        page.entry(2, &format!("{what}: {becomes}"));
    }
    counterpart.differs.iter().for_each(|(says, _)| page.entry(1, &format!("differs: {}", sentence(says))));
}

/// Writes the constructors for documented purposes.
fn intents(page: &mut TextPage, operation: &Operation) {
    if !operation.intents.is_empty() {
        page.heading("Intents");
    }
    for intent in &operation.intents {
        let set: Vec<_> = intent.set.iter().map(|setting| format!("{} {}", setting.name, setting.text)).collect();
        let take: Vec<_> = intent.take.iter().map(|(name, _)| name.as_str()).collect();
        let list = |word: &str, names: String| {
            if names.is_empty() { names } else { format!("{word} {names}.") }
        };
        let parts = [sentence(&intent.says), list("Sends", set.join(", ")), list("Takes", take.join(", "))];
        page.entry(1, &format!("{}: {}", intent.id, joined(&parts, " ")));
    }
}

/// Writes the refusals after which the outcome is unknown; reads have none.
fn errors(page: &mut TextPage, api: &Api, family: &Family, operation: &Operation) {
    if operation.effect == Effect::Read {
        return;
    }
    compound(page, operation);
    let open: Vec<_> = operation.open_errors(family).collect();
    if !open.is_empty() {
        page.heading("Errors after which the outcome is unknown");
    }
    let width = open.iter().map(|error| error.code.chars().count()).max().unwrap_or(0);
    for error in open {
        page.named(1, width, &error.code, &joined(&[sentence(&error.text), sentence(&error.doc)], " "));
    }
    observed_codes(page, api, family);
}

fn compound(page: &mut TextPage, operation: &Operation) {
    let Some(compound) = &operation.compound else { return };
    page.heading("Several things in one request");
    let when = compound.when.as_ref().map(|((name, _), (value, _))| format!("When {name} is {value}."));
    page.entry(1, &joined(&[sentence(&compound.why.0), when.unwrap_or_default()], " "));
}

/// Writes the number of codes that no document lists; there are too many to print all.
fn observed_codes(page: &mut TextPage, api: &Api, family: &Family) {
    let all: Vec<_> = api.observed_of(family).collect();
    let trusted = all.iter().filter(|code| code.certainty == Certainty::Several).count();
    if !all.is_empty() {
        page.heading("Codes that no document lists");
        let count = all.len();
        page.entry(
            1,
            &format!("codes.yaml has {count}; {trusted} of them are trusted, because several sources agree."),
        );
    }
}

fn add(page: &mut TextPage, family: &Family, response: &Response) {
    let record = |index: usize| family.records.get(index);
    let name = |index: usize| record(index).map_or("", |record| record.name.wire.as_str());
    let (heading, index) = match response {
        Response::Object { record } => (format!("Answer: {}", name(*record)), *record),
        Response::Array { record, observed_under } => {
            let seen = observed_under.as_ref().map(|member| format!("; also seen inside `{member}`"));
            (format!("Answer: a list of {}{}", name(*record), seen.unwrap_or_default()), *record)
        }
        Response::Page { list, record, cursor, next } => {
            let of = format!("Answer: a page, `{}` with a list of {}", list.wire, name(*record));
            (format!("{of}; its `{}` goes into `{}` of the next call", cursor.wire, next), *record)
        }
        Response::Undefined => return,
    };
    page.heading(&heading);
    if let Some(record) = record(index) {
        fields(page, family, 1, record, &mut vec![index]);
    }
}

/// Writes the fields of a record, each followed by the record that it contains; `open` are the enclosing records.
fn fields(page: &mut TextPage, family: &Family, depth: usize, record: &Record, open: &mut Vec<usize>) {
    let width = record.fields.iter().map(|field| field.name.wire.chars().count()).max().unwrap_or(0);
    for field in &record.fields {
        page.named(depth, width, &field.name.wire, &facts(family, field));
        let Some(index) = field.shape.record() else { continue };
        if let Some(inner) = family.records.get(index).filter(|_| !open.contains(&index)) {
            open.push(index);
            fields(page, family, depth + 1, inner, open);
            open.pop();
        }
    }
    for (one_of, case) in record.cases_told() {
        let name = family.type_name(Type::Record(case.record));
        page.entry(depth, &format!("or {name}: {}", phrases::told_by(one_of, case, &PLAIN)));
        if let Some(inner) = family.records.get(case.record).filter(|_| !open.contains(&case.record)) {
            open.push(case.record);
            fields(page, family, depth + 1, inner, open);
            open.pop();
        }
    }
}

fn facts(family: &Family, field: &Field) -> String {
    let null = if field.may_be_null { ", or null" } else { "" };
    let parts = [
        format!("{}{null}.", type_name(family, &field.shape)),
        sentence(&field.doc),
        values(family, &field.shape, &field.only),
        phrases::unit_sentence(&field.units, &PLAIN),
        documented(&field.keys(family)),
    ];
    joined(&parts, " ")
}

/// The width at which text is wrapped.
const WIDTH: usize = 100;

/// A page, built from top to bottom.
#[derive(Default)]
struct TextPage {
    text: String,
}

impl TextPage {
    /// Writes a heading, with a blank line before it.
    fn heading(&mut self, text: &str) {
        let _ = write!(self.text, "\n{text}\n");
    }

    /// Writes a text without indentation.
    fn line(&mut self, text: &str) {
        self.wrapped(0, "", text);
    }

    /// Writes a text under a heading, indented by `depth`.
    fn entry(&mut self, depth: usize, text: &str) {
        self.wrapped(depth * 2, "", text);
    }

    /// Writes a name, with its text in a column beside it.
    fn named(&mut self, depth: usize, width: usize, name: &str, text: &str) {
        if !text.is_empty() {
            self.wrapped(depth * 2, &format!("{name:width$}  "), text);
        }
    }

    /// Writes a text printed line by line without wrapping.
    fn verbatim(&mut self, depth: usize, text: &str) {
        for line in text.trim_end().lines() {
            let _ = writeln!(self.text, "{:indent$}{line}", "", indent = depth * 2);
        }
    }

    fn finish(self) -> String {
        self.text
    }

    fn wrapped(&mut self, indent: usize, name: &str, text: &str) {
        let hanging = indent + name.chars().count().min(WIDTH / 3);
        let mut line = format!("{:indent$}{name}", "");
        let mut is_empty = true;
        for word in text.split_whitespace() {
            if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
                let _ = writeln!(self.text, "{}", line.trim_end());
                line = " ".repeat(hanging);
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line.push_str(word);
            is_empty = false;
        }
        let _ = writeln!(self.text, "{}", line.trim_end());
    }
}

fn add_parameters(page: &mut TextPage, family: &Family, operation: &Operation) {
    let is_array = operation.body.bare_array().is_some();
    page.heading(if is_array { "The body is an array" } else { "Parameters" });
    if operation.body.parameters().is_empty() {
        page.entry(1, "None.");
    }
    list(page, family, 1, operation.body.parameters());
}

fn list(page: &mut TextPage, family: &Family, depth: usize, parameters: &[Parameter]) {
    let names = parameters.iter().filter(|parameter| parameter.shape.choice().is_none());
    let width = names.map(|parameter| parameter.name.wire.chars().count()).max().unwrap_or(0);
    for parameter in parameters {
        if let Some(of) = family.choice_of(parameter) {
            choice(page, family, depth, parameter, of);
            continue;
        }
        page.named(depth, width, &parameter.name.wire, &parameter_facts(family, parameter));
        if let Some(item) = parameter.item().or(parameter.object()) {
            list(page, family, depth + 1, &item.parameters);
        }
    }
}

fn choice(page: &mut TextPage, family: &Family, depth: usize, parameter: &Parameter, choice: &Choice) {
    let need = parameter.need.in_words();
    match &choice.kind {
        ChoiceKind::Presence { alternatives, wins } => {
            let names: Vec<_> = alternatives.iter().map(|parameter| parameter.name.wire.as_str()).collect();
            let wins = match wins {
                Some(_) if parameter.wins_unstated => "Which one wins when several are sent is not stated.".to_owned(),
                Some((wins, _)) => format!("When several are sent, {wins} wins."),
                None => String::new(),
            };
            let text = [format!("one of {} ({need}).", names.join(", ")), sentence(&parameter.doc), wins];
            page.entry(depth, &joined(&text, " "));
            list(page, family, depth + 1, alternatives);
        }
        ChoiceKind::Value { decider, .. } => {
            let text = [format!("{}: {need}; decides what goes with it.", decider.wire), sentence(&parameter.doc)];
            page.entry(depth, &joined(&text, " "));
            for (EnumValue { name: value, .. }, case) in choice.cases(family) {
                let nothing = if case.parameters.is_empty() { "nothing else" } else { "" };
                page.entry(depth + 1, &format!("{} {}: {nothing}", decider.wire, value.wire));
                list(page, family, depth + 2, &case.parameters);
            }
        }
    }
}

fn parameter_facts(family: &Family, parameter: &Parameter) -> String {
    let head = [parameter.need.in_words().to_owned(), type_name(family, &parameter.shape)];
    let head = head.into_iter().chain(phrases::bounds(parameter, &phrases::PLAIN)).collect::<Vec<_>>().join(", ");
    let parts = [
        format!("{head}."),
        sentence(&parameter.doc),
        phrases::default_sentence(parameter.default.as_ref().map(|(value, _)| value.as_str())),
        values(family, &parameter.shape, &parameter.only),
        constraint(family, &parameter.shape),
        phrases::edit_sentence(parameter.kept_unless()),
        phrases::unit_sentence(&parameter.units, &PLAIN),
        documented(&parameter.keys(family)),
    ];
    joined(&parts, " ")
}

/// Returns the type of a value in the words of the schema.
fn type_name(family: &Family, shape: &Shape) -> String {
    match shape {
        Shape::One(_) | Shape::List(_) | Shape::Map(_) => phrases::shape(shape, |ty| family.type_name(ty)),
        Shape::Items(_) => "list of objects".to_owned(),
        Shape::Object(_) => "object".to_owned(),
    }
}

/// Returns the statements of keys that have no other form on the page.
fn documented(keys: &[Key]) -> String {
    let says: Vec<_> = keys.iter().filter(|key| key.is_documented).map(|key| key.says.clone()).collect();
    joined(&says, " ")
}

/// Returns the allowed values of the enum.
fn values(family: &Family, shape: &Shape, only: &[(String, Place)]) -> String {
    let values: Vec<&str> = family.values_of(shape, only).into_iter().map(|(value, _)| value).collect();
    if family.enum_of(shape).is_none() { String::new() } else { format!("Values: {}.", values.join(", ")) }
}

fn constraint(family: &Family, shape: &Shape) -> String {
    let of = family.identifier_of(shape);
    let length = of.and_then(|of| of.length).map(|(min, max)| format!("{min} to {max} characters"));
    let alphabet = of.and_then(|of| of.alphabet.as_ref()).map(|(alphabet, _)| format!("of [{alphabet}]"));
    sentence(&joined(&[length.unwrap_or_default(), alphabet.unwrap_or_default()], " "))
}

/// The meaning of each kind of rule, in the order of the page.
const KINDS: [(RuleKind, &str); 5] = [
    (RuleKind::Checked, "checked before sending"),
    (RuleKind::Type, "kept by types"),
    (RuleKind::Limit, "kept by the limiter"),
    (RuleKind::Simulated, "what the exchange does"),
    (RuleKind::Stated, "not checked"),
];

fn rules(page: &mut TextPage, heading: &str, statements: &Statements) {
    for (kind, meaning) in KINDS {
        let rules: Vec<_> = statements.rules.iter().filter(|rule| rule.kind == kind).collect();
        if rules.is_empty() {
            continue;
        }
        page.heading(&format!("{heading}: {meaning}"));
        for rule in rules {
            let warns = if rule.severity == Severity::Warn { ", warning only" } else { "" };
            page.entry(1, &format!("{} ({}){warns}", rule.id, rule.at));
            page.entry(3, &joined(&[sentence(&rule.says), rule.why.as_deref().map(sentence).unwrap_or_default()], " "));
            if let Some(test) = &rule.test {
                page.entry(3, &joined(&[within(rule), sentence(&test.to_string())], " "));
            }
            if let Some(parameters) = rule.unsupported_in_words() {
                page.entry(3, &sentence(&parameters));
            }
        }
    }
}

fn other_statements(page: &mut TextPage, statements: &Statements) {
    if !statements.contradictions.is_empty() {
        page.heading("Where the documents contradict themselves");
    }
    for contradiction in &statements.contradictions {
        page.entry(1, &contradiction.id);
        contradiction.readings.iter().for_each(|reading| page.named(3, 7, "reading", &sentence(reading)));
        page.named(3, 7, "chosen", &sentence(&contradiction.chosen));
        page.named(3, 7, "why", &sentence(&contradiction.why));
    }
    if !statements.not_shown.is_empty() {
        page.heading("Not shown in the documents");
    }
    statements.not_shown.iter().for_each(|open| page.entry(1, &sentence(&open.says.0)));
    if !statements.observed.is_empty() {
        page.heading("Observed on the wire, in no document");
    }
    for observation in &statements.observed {
        page.entry(
            1,
            &format!("{}: {} ({})", observation.id, sentence(&observation.says), observation.sources.join(", ")),
        );
    }
}

fn within(rule: &Rule) -> String {
    match &rule.within {
        Some((ListName::Body, _)) => "In each item of the body:".to_owned(),
        Some((ListName::Parameter(list) | ListName::Within(list), _)) => format!("In each item of {list}:"),
        Some((ListName::Object(object), _)) => format!("In {object}:"),
        None => String::new(),
    }
}

/// Returns the element of a kind with this path, among those within another.
fn find_element<'a>(within: &'a Element, kind: &str, path: &str) -> Option<&'a Element> {
    let mut inner = within.elements.iter();
    inner.find_map(|one| if one.kind == kind && one.path == path { Some(one) } else { find_element(one, kind, path) })
}

/// Returns an element with everything that the schema states about it.
fn element_as_json(element: &Element) -> Value {
    let mut keys: Map<String, Value> = Map::new();
    for (name, value) in
        element.keys.iter().map(|key| (key.name, statement(key))).filter(|(_, value)| !value.is_empty())
    {
        match keys.get_mut(name) {
            None => drop(keys.insert(name.to_owned(), value.into())),
            Some(Value::Array(several)) => several.push(value.into()),
            Some(one) => *one = json!([one.take(), value]),
        }
    }
    let elements: Vec<_> = element.elements.iter().map(element_as_json).collect();
    json!({"kind": element.kind, "name": element.path, "keys": keys, "elements": elements})
}

/// Returns the value; of a key that is only shown, its words.
fn statement(key: &Key) -> &str {
    if key.value.is_empty() { &key.says } else { &key.value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_wrap_with_hanging_indentation() {
        let mut page = TextPage::default();
        page.named(1, 6, "price", &"word ".repeat(30));
        let text = page.finish();
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(text.starts_with("  price   word word") && text.contains("\n          word"), "{text}");
    }
}
