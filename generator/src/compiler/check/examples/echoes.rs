//! Ids of the request that the answer of an example repeats.

use super::Example;
use crate::compiler::json::{Node, Value};
use crate::compiler::model::{Echoes, NamesWithin, Number, Record, RecordForm};

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
pub(super) fn check(example: &mut Example<'_>, echoes: &Echoes, record: &Record, request: &Node, data: &Node) {
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

/// The members whose value the request has.
fn pairs<'a>(members: &'a [NamesWithin], record: &Record, request: &'a Node, data: &'a Node) -> Vec<Pair<'a>> {
    let pair = |of: &'a NamesWithin| {
        let ((member, _), parameters) = of;
        let sent = parameters.iter().filter_map(|(path, _)| text(within(request, path)?)).collect();
        Pair { of, sent, answered: answered(member, record, data) }
    };
    members.iter().map(pair).filter(|pair| !pair.sent.is_empty()).collect()
}

/// The texts of a member in an answer, or in the items of one, each with its place.
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

/// The field of a record, in the form in which the record travels.
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

/// The member at a path such as `order.id`.
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

/// The text of a value; an empty one counts as absent.
fn text(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Text(text) | Value::Number(text) if !text.is_empty() => Some(text),
        _ => None,
    }
}
