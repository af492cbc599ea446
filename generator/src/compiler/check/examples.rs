//! Examples: wire JSON that conforms to the schema.
//!
//! An example is compared only if the files that it depends on are valid; otherwise it would repeat their mistakes.

mod response;

use super::identifiers::Fault;
use crate::compiler::check::values;
use crate::compiler::diagnostics::{Code, Diagnostics, Help, Kind, Place, name_list, nearest};
use crate::compiler::json::{self, Member, Node, Value};
use crate::compiler::model::{
    Api, Case, ChoiceKind, Echoes, Family, JsonForm, Lookup, NamesWithin, Need, Number, Operation, Parameter, Placed,
    Record, RecordForm, Shape, Truth, Type, number,
};

/// Checks the examples of all operations.
pub(super) fn check(api: &Api, to: &mut Diagnostics) {
    for (family, operation) in comparable(api, to) {
        for example in &operation.examples {
            let (sent, place) = &example.request;
            read(family, sent, *place, to, |example, root| request_is_sent(example, operation, root));
            if operation.beside_data.form.is_some() {
                continue;
            }
            let sent = json::parse(sent).ok();
            let (text, place) = &example.response;
            read(family, text, *place, to, |example, root| {
                response::check(example, api, operation, sent.as_ref(), root);
            });
        }
    }
}

/// Returns the operations whose examples can be compared: the files that they depend on have no mistake so far.
pub(crate) fn comparable<'a>(api: &'a Api, to: &Diagnostics) -> Vec<(&'a Family, &'a Operation)> {
    let mistaken = to.mistaken_files();
    let is_sound = |file: &u32| !mistaken.contains(file);
    if !api.is_whole || !is_sound(&api.place.file) {
        return Vec::new();
    }
    // Parameters may be taken over from the file of another operation.
    let files = |operation: &Operation| -> Vec<u32> {
        let parameters = operation.sets().flat_map(|(_, parameters)| parameters);
        parameters.map(|parameter| parameter.written.file).chain([operation.place.file]).collect()
    };
    let sound = api.operations().filter(|(family, _)| family.shared_files.iter().all(is_sound));
    sound.filter(|(_, operation)| files(operation).iter().all(is_sound)).collect()
}

/// Checks a request that is not an example in the same way.
pub(super) fn request(api: &Api, family: &Family, operation: &Operation, (text, place): &Placed, to: &mut Diagnostics) {
    let mistaken = to.mistaken_files();
    let built_on = family.shared_files.iter().chain([&api.place.file, &operation.place.file]);
    // The request is in the file of the family, so mistakes in this file do not count.
    let is_sound = built_on.filter(|file| **file != place.file).all(|file| !mistaken.contains(file));
    if api.is_whole && is_sound {
        read(family, text, *place, to, |example, root| request_is_sent(example, operation, root));
    }
}

/// Returns whether the types of an operation accept a request.
pub(crate) fn is_readable(family: &Family, operation: &Operation, json: &str) -> bool {
    let mut to = Diagnostics::default();
    read(family, json, operation.place, &mut to, |example, root| request_is_sent(example, operation, root));
    to.is_empty()
}

fn read(family: &Family, text: &str, place: Place, to: &mut Diagnostics, check: impl FnOnce(&mut Example<'_>, &Node)) {
    let mut example = Example { family, text, place, to };
    match json::parse(text) {
        Ok(root) => check(&mut example, &root),
        Err((offset, why)) => example.report(offset, format!("invalid JSON: {why}"), "write the JSON as it is sent"),
    }
}

/// A request or an answer that is being compared with the schema.
struct Example<'a> {
    family: &'a Family,
    text: &'a str,
    place: Place,
    to: &'a mut Diagnostics,
}

impl Example<'_> {
    fn report(&mut self, offset: usize, message: impl Into<String>, help: impl Into<Help>) {
        self.to.at(place_in(self.place, self.text, offset), Code::BadExample, message).help(help);
    }

    /// Reports a value of the wrong kind.
    fn expected(&mut self, node: &Node, name: &str, what: &str) {
        let message = format!("`{name}`: expected {what}, found {}", node.kind());
        self.report(node.offset, message, format!("write {what}"));
    }

    /// Checks that a boolean has the form that the schema states.
    fn boolean(&mut self, node: &Node, name: &str, truth: Truth) {
        let (is_one, what) = match truth {
            Truth::Bare => (matches!(node.value, Value::Boolean(_)), "a boolean without quotes"),
            Truth::Text => {
                let is_word = |text: &str| matches!(text, "true" | "false");
                (matches!(&node.value, Value::Text(text) if is_word(text)), "a boolean in quotes")
            }
            Truth::Number => {
                let is_bit = |number: &str| matches!(number, "0" | "1");
                (matches!(&node.value, Value::Number(number) if is_bit(number)), "1 or 0")
            }
        };
        if !is_one {
            self.expected(node, name, what);
        }
    }

    /// Reports a value that should be a number, with or without quotes.
    fn expected_number(&mut self, node: &Node, name: &str, as_text: bool) {
        let what = if as_text { "a number in quotes" } else { "a number without quotes" };
        let message = format!("`{name}`: expected {what}, found {}", node.kind());
        let file = self.to.beside(self.place, "family.yaml");
        self.report(node.offset, message, format!("correct it, or `numbers` in {file} or `json` of the field"));
    }

    /// Reports a value that is not allowed.
    fn fault(&mut self, node: &Node, name: &str, fault: Fault) {
        fault.report(self.to, place_in(self.place, self.text, node.offset), Code::BadExample, &format!("`{name}`"));
    }

    /// Checks that the members of an object are distinct.
    fn members_are_distinct(&mut self, members: &[json::Member]) {
        for (index, member) in members.iter().enumerate() {
            if members.iter().take(index).any(|first| first.name == member.name) {
                self.to
                    .at(
                        place_in(self.place, self.text, member.offset),
                        Code::BadExample,
                        format!("duplicate member `{}`", member.name),
                    )
                    .kind(Kind::DuplicateMember)
                    .help("remove one of them");
            }
        }
    }
}

/// Returns the place in the file of a byte of a text: exact in a literal block, in which JSON is usually written,
/// otherwise the start of the text.
fn place_in(block: Place, text: &str, offset: usize) -> Place {
    let begin = text.len() - text.trim_start_matches('\n').len();
    let Some(before) = text.get(begin..offset) else { return block };
    let lines = text.trim_end().lines().count();
    let indentation = block.column.saturating_sub(1) as usize;
    // A folded block or a quoted text is longer than its lines with their indentation.
    let longest = text.len() + indentation * lines;
    if (block.end.saturating_sub(block.start)) as usize > longest || !text.contains('\n') {
        return block;
    }
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
    let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let start = small(block.start as usize + before.len() + indentation * line);
    let end = start + small(json::word(&text[offset..]).len());
    Place { line: block.line + small(line), column: block.column + small(column), start, end, ..block }
}

/// A member with the texts of the request that it may repeat, and the texts that the answer has in it.
struct Pair<'a> {
    of: &'a NamesWithin,
    sent: Vec<&'a str>,
    answered: Vec<(&'a str, usize)>,
}

impl Pair<'_> {
    fn agrees(&self) -> bool {
        self.answered.iter().any(|(text, _)| self.sent.iter().any(|sent| is_same(sent, text)))
    }
}

/// Compares the ids and the other values that an answer repeats with those of the request. A client takes an answer with
/// another id, or without any, for that of another request.
fn check_echoes(example: &mut Example<'_>, echoes: &Echoes, record: &Record, request: &Node, data: &Node) {
    let ids = pairs(&echoes.ids, record, request, data);
    let is_enough = echoes.one_is_enough && ids.iter().any(Pair::agrees);
    for pair in ids.iter().filter(|_| !is_enough).chain(&pairs(&echoes.also, record, request, data)) {
        if let Some((text, offset)) = pair.answered.first().filter(|_| !pair.agrees()) {
            let ((member, _), _) = pair.of;
            let sent = pair.sent.join("` or `");
            let message = format!("`{member}` is `{text}`, but the request has `{sent}`");
            example.report(*offset, message, "repeat the value of the request: another one shows another request");
        }
    }
    for ((parameter, _), members) in &echoes.by_one {
        let Some(sent) = within(request, parameter).and_then(text) else { continue };
        let answered = members.iter().flat_map(|(member, _)| answered(member, record, data));
        let answered: Vec<_> = answered.collect();
        if let Some((shown, offset)) =
            answered.first().filter(|_| !answered.iter().any(|(text, _)| is_same(sent, text)))
        {
            let message = format!("`{parameter}` is `{sent}`, but the answer has `{shown}`");
            example.report(*offset, message, "repeat the value of the request in one of the members of `echoed_by`");
        }
    }
    if !ids.is_empty() && ids.iter().all(|pair| pair.answered.is_empty()) {
        let members: Vec<_> = ids.iter().map(|pair| format!("`{}`", pair.of.0.0)).collect();
        let message = format!("the answer does not repeat {} of the request", members.join(" or "));
        example.report(data.offset, message, "add it: an answer without an id is not that of this request");
    }
}

/// Returns the members whose value the request has.
fn pairs<'a>(members: &'a [NamesWithin], record: &Record, request: &'a Node, data: &'a Node) -> Vec<Pair<'a>> {
    let pair = |of: &'a NamesWithin| {
        let ((member, _), parameters) = of;
        let sent = parameters.iter().filter_map(|(path, _)| text(within(request, path)?)).collect();
        Pair { of, sent, answered: answered(member, record, data) }
    };
    members.iter().map(pair).filter(|pair| !pair.sent.is_empty()).collect()
}

/// Returns the texts of a member in an answer, or in the items of one, each with its place.
fn answered<'a>(member: &str, record: &Record, data: &'a Node) -> Vec<(&'a str, usize)> {
    let items = match &data.value {
        Value::List(items) if !matches!(record.travels, RecordForm::Array) || are_lists(items) => {
            items.iter().collect()
        }
        _ => vec![data],
    };
    let nodes = items.into_iter().filter_map(|item| field(record, item, member));
    nodes.filter_map(|node| Some((text(node)?, node.offset))).collect()
}

fn are_lists(nodes: &[Node]) -> bool {
    nodes.iter().all(|node| matches!(node.value, Value::List(_)))
}

/// Returns the field of a record, in the form in which the record travels.
fn field<'n>(record: &Record, node: &'n Node, name: &str) -> Option<&'n Node> {
    match &record.travels {
        RecordForm::Object | RecordForm::OneOf(_) => within(node, name),
        RecordForm::Array => {
            let at = record.fields.iter().position(|field| field.name.wire == name)?;
            node.value.items()?.get(at)
        }
        RecordForm::Value(_) => Some(node),
    }
}

/// Returns the member at a path such as `order.id`.
fn within<'n>(node: &'n Node, path: &str) -> Option<&'n Node> {
    path.split('.').try_fold(node, |node, name| {
        let members = node.value.members()?;
        members.iter().find(|member| member.name == name).map(|member| &member.value)
    })
}

/// Returns whether two texts are the same, or stand for the same number.
fn is_same(one: &str, other: &str) -> bool {
    one == other || Number::parse(one).zip(Number::parse(other)).is_some_and(|(one, other)| one == other)
}

/// Returns the text of a value; an empty one counts as absent.
fn text(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Text(text) | Value::Number(text) if !text.is_empty() => Some(text),
        _ => None,
    }
}

/// Compares a request with its operation.
fn request_is_sent(example: &mut Example<'_>, operation: &Operation, root: &Node) {
    match operation.body.bare_array() {
        Some(array) => value(example, array, root),
        None => object(example, operation.body.parameters(), "the request", root),
    }
}
fn object(example: &mut Example<'_>, parameters: &[Parameter], what: &str, node: &Node) {
    let Value::Object(members) = &node.value else {
        return example.report(
            node.offset,
            format!("expected an object as {what}, found {}", node.kind()),
            "write an object with its parameters",
        );
    };
    let family = example.family;
    let names = family.names(parameters);
    example.members_are_distinct(members);
    let mut members = members.clone();
    for index in 0..members.len() {
        let (name, offset) = (members[index].name.clone(), members[index].offset);
        let Lookup::Missing(help) = names.find(&name) else { continue };
        example.report(offset, format!("{what} has no parameter `{name}`"), help);
        // What is meant goes on in its place, so that it is not reported as missing, too.
        let meant = nearest(&name, names.iter().map(|known| known.name.wire.as_str()))
            .or_else(|| only_missing(parameters, &members));
        if let Some(meant) = meant.filter(|meant| members.iter().all(|one| one.name != *meant)) {
            members[index].name = meant.to_owned();
        }
    }
    let members = &members;
    for parameter in parameters {
        match family.choice_of(parameter).map(|choice| &choice.kind) {
            None => plain(example, parameter, members, node),
            Some(ChoiceKind::Presence { alternatives, .. }) => one_of(example, parameter, alternatives, members, node),
            Some(ChoiceKind::Value { decider, enum_index, cases }) => {
                let deciding = Parameter {
                    name: decider.clone(),
                    shape: Shape::One(Type::Enum(*enum_index)),
                    only: Vec::new(),
                    ..parameter.clone()
                };
                by_value(example, &deciding, cases, members, node);
            }
        }
    }
}

/// Returns the name of the required parameter that a request lacks, if it lacks one.
fn only_missing<'a>(parameters: &'a [Parameter], members: &[Member]) -> Option<&'a str> {
    let is_choice = |parameter: &Parameter| matches!(parameter.shape, Shape::One(Type::Choice(_)));
    let lacks = |parameter: &&Parameter| {
        parameter.need == Need::Always && !is_choice(parameter) && given(members, parameter).is_none()
    };
    let mut missing = parameters.iter().filter(lacks).map(|parameter| parameter.name.wire.as_str());
    missing.next().filter(|_| missing.next().is_none())
}

fn given<'a>(members: &'a [Member], parameter: &Parameter) -> Option<&'a Member> {
    members.iter().find(|member| member.name == parameter.name.wire)
}
fn plain(example: &mut Example<'_>, parameter: &Parameter, members: &[Member], node: &Node) {
    match given(members, parameter) {
        Some(member) => value(example, parameter, &member.value),
        None if parameter.need == Need::Always && !matches!(parameter.shape, Shape::One(Type::Undefined)) => {
            let name = &parameter.name.wire;
            example.report(
                node.offset,
                format!("missing required parameter `{name}`"),
                format!("add `\"{name}\": ..`"),
            );
        }
        None => {}
    }
}
fn one_of(example: &mut Example<'_>, choice: &Parameter, alternatives: &[Parameter], members: &[Member], node: &Node) {
    let chosen: Vec<_> =
        alternatives.iter().filter_map(|alternative| Some((alternative, given(members, alternative)?))).collect();
    for (alternative, member) in &chosen {
        value(example, alternative, &member.value);
    }
    let names = name_list(alternatives.iter().map(|alternative| alternative.name.wire.as_str()));
    match chosen.as_slice() {
        [] if choice.need == Need::Always => {
            example.report(node.offset, format!("missing one of {names}"), "add one of them");
        }
        [_, (_, second), ..] => {
            example.report(second.offset, format!("only one of {names} can be sent"), "remove the others");
        }
        _ => {}
    }
}
fn by_value(example: &mut Example<'_>, decider: &Parameter, cases: &[Case], members: &[Member], node: &Node) {
    plain(example, decider, members, node);
    let decided = given(members, decider).and_then(|member| match &member.value.value {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let wires = |case: &Case| example_value(example, decider, case.value);
    let case = cases.iter().find(|case| decided.is_some_and(|decided| wires(case) == Some(decided)));
    if decided.is_some() && case.is_none() {
        // The parameters of the intended value are unknown.
        return;
    }
    let mut unexpected: Vec<&Member> = Vec::new();
    for member in cases.iter().flat_map(|case| &case.parameters) {
        let belongs = case.is_some_and(|case| case.parameters.iter().any(|own| own.name.wire == member.name.wire));
        if let Some(found) = given(members, member).filter(|_| !belongs)
            && !unexpected.iter().any(|seen| seen.offset == found.offset)
        {
            unexpected.push(found);
        }
    }
    for member in unexpected {
        let with = cases.iter().filter(|case| case.parameters.iter().any(|own| own.name.wire == member.name));
        let with: Vec<_> = with.filter_map(|case| example_value(example, decider, case.value)).collect();
        let (name, with) = (&decider.name.wire, with.join(" or "));
        example.report(
            member.offset,
            format!("`{}` can only be sent if `{name}` is {with}", member.name),
            format!("remove it, or correct `{name}`"),
        );
    }
    for parameter in case.into_iter().flat_map(|case| &case.parameters) {
        plain(example, parameter, members, node);
    }
}

/// Returns the wire text of a value of the deciding enum.
fn example_value<'a>(example: &Example<'a>, decider: &Parameter, value: usize) -> Option<&'a str> {
    let Shape::One(Type::Enum(index)) = decider.shape else { return None };
    example.family.enums.get(index)?.values.get(value).map(|value| value.name.wire.as_str())
}
fn value(example: &mut Example<'_>, parameter: &Parameter, node: &Node) {
    let name = parameter.name.wire.as_str();
    if parameter.may_be_null.is_some() && node.value == Value::Null {
        return;
    }
    match &parameter.shape {
        Shape::One(ty) => scalar(example, parameter, *ty, node),
        Shape::List(ty) => {
            for node in list(example, parameter, node) {
                scalar(example, parameter, *ty, node);
            }
        }
        Shape::Items(item) => {
            let what =
                if parameter.is_body() { "an item of the body".to_owned() } else { format!("an item of `{name}`") };
            for node in list(example, parameter, node) {
                object(example, &item.parameters, &what, node);
            }
        }
        Shape::Object(item) => object(example, &item.parameters, &format!("`{name}`"), node),
        Shape::Map(ty) => match &node.value {
            Value::Object(members) => {
                example.members_are_distinct(members);
                members.iter().for_each(|member| scalar(example, parameter, *ty, &member.value));
            }
            _ => example.expected(node, name, "an object"),
        },
    }
}
fn list<'n>(example: &mut Example<'_>, parameter: &Parameter, node: &'n Node) -> &'n [Node] {
    let name = if parameter.is_body() { "the body" } else { parameter.name.wire.as_str() };
    let Value::List(nodes) = &node.value else {
        example.expected(node, name, "a list");
        return &[];
    };
    let count = nodes.len() as u64;
    let least = parameter.least_items();
    if count < least {
        example.report(node.offset, format!("`{name}` has {count} items, but the minimum is {least}"), "add items");
    }
    if let Some((most, _)) = parameter.max_items.filter(|(most, _)| count > *most) {
        example.report(node.offset, format!("`{name}` has {count} items, but the maximum is {most}"), "remove items");
    }
    nodes
}
fn scalar(example: &mut Example<'_>, parameter: &Parameter, ty: Type, node: &Node) {
    let name = parameter.name.wire.as_str();
    if matches!(node.value, Value::Null) {
        let help = "leave it out, or set it to a value";
        return example.report(node.offset, format!("`{name}` cannot be null in a request"), help);
    }
    let text = match (ty.json(parameter.as_text), &node.value) {
        (JsonForm::Any | JsonForm::Record(_), _) => return,
        (JsonForm::Boolean(truth), _) => {
            let text = match &node.value {
                Value::Boolean(value) => value.to_string(),
                Value::Number(bit) => (bit == "1").to_string(),
                Value::Text(text) => text.clone(),
                Value::Null | Value::List(_) | Value::Object(_) => String::new(),
            };
            return match values::not_the_fixed(&parameter.name, parameter.fixed.as_ref(), &text) {
                Some(fault) => example.fault(node, name, fault),
                None => example.boolean(node, name, truth),
            };
        }
        (JsonForm::Text | JsonForm::QuotedNumber, Value::Text(text)) | (JsonForm::Number, Value::Number(text)) => text,
        (JsonForm::Text, _) => return example.expected(node, name, "a JSON string"),
        (JsonForm::QuotedNumber | JsonForm::Number, _) => {
            return example.expected_number(node, name, parameter.as_text);
        }
    };
    if parameter.deletes_with() == Some(text) {
        return;
    }
    let family = example.family;
    if ty.scale().is_some() && !number::is_whole(text) {
        return example.report(
            node.offset,
            format!("`{name}` travels as an integer, found {text}"),
            "write the value times ten to the power of `scale`",
        );
    }
    let value = ty.value_of_wire(text);
    if let Some(fault) = values::find_fault(family, ty, &value)
        .or_else(|| values::out_of_bounds(family, parameter, &value))
        .or_else(|| values::wrong_length(parameter, text))
        .or_else(|| values::no_match(parameter, text))
        .or_else(|| values::not_the_fixed(&parameter.name, parameter.fixed.as_ref(), text))
    {
        example.fault(node, name, fault);
    }
}
