//! Paths: each belongs to one operation, and names in braces are parameters.

use std::collections::HashMap;

use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::model::{Api, Choice, Family, Lookup, Need, Operation, Parameter, PathPiece, Role, Shape};
use crate::compiler::words::{In, Lists, Objects, Sends};

/// No two operations have the same method and path.
pub(super) fn are_distinct(api: &Api, to: &mut Diagnostics) {
    let mut first: HashMap<(&str, Option<&str>, Vec<&str>), &Operation> = HashMap::new();
    for (_, operation) in api.operations().filter(|(_, operation)| !operation.path.pieces.is_empty()) {
        // The names of path parameters do not distinguish paths.
        let pieces = operation.path.pieces.iter().map(|piece| match piece {
            PathPiece::Literal(text) => text.as_str(),
            PathPiece::Parameter(_) => "{}",
        });
        let call = operation.call.as_ref().map(|(method, _)| method.as_str());
        let key = (operation.method.as_str(), call, pieces.filter(|piece| !piece.is_empty()).collect());
        let Some(other) = first.get(&key) else {
            first.insert(key, operation);
            continue;
        };
        to.at(
            operation.path.place,
            Code::BadPath,
            format!("duplicate method and path `{}`, also used by `{}`", http(operation), other.id),
        )
        .related(other.path.place, format!("`{}` is here", other.id))
        .help("correct the method or the path of one of them");
    }
}

fn http(operation: &Operation) -> String {
    format!("{} {}", operation.method.as_str(), operation.path.text)
}

/// Checks the paths of a family's operations.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        parameters_are_there(family, operation, to);
        lists_have_a_body(operation, to);
        empty_lists_are_sent(operation, to);
        nulls_are_json(operation, to);
        maps_are_json(operation, to);
        choices_of_objects_are_json(family, operation, to);
    }
}

/// A choice that holds objects, lists of them or maps has no form but JSON.
fn choices_of_objects_are_json(family: &Family, operation: &Operation, to: &mut Diagnostics) {
    let is_json = operation.sends() == Sends::Json;
    let own = operation.members().iter().filter(|parameter| !is_json || operation.is_elsewhere(parameter));
    let of_items = operation.items().map(|(_, item)| item).chain(operation.objects());
    let within = of_items.flat_map(|item| &item.parameters).filter(|_| !is_json);
    for parameter in own.chain(within) {
        let members = family.choice_of(parameter).into_iter().flat_map(Choice::members);
        let is_object =
            |member: &&Parameter| matches!(member.shape, Shape::Map(_) | Shape::Items(_) | Shape::Object(_));
        for member in members.filter(is_object) {
            let what =
                format!("`{}`, which `{}` may send, does not travel in JSON", member.name.wire, parameter.name.wire);
            to.at(parameter.name.place, Code::Misplaced, what)
                .related(member.name.place, "the member of the choice is here")
                .help("send the parameters as JSON");
        }
    }
}

/// A map has no form in a query and in a form.
fn maps_are_json(operation: &Operation, to: &mut Diagnostics) {
    let of_items = operation.items().map(|(_, item)| item).chain(operation.objects());
    let all = operation.members().iter().chain(of_items.flat_map(|item| &item.parameters));
    let is_map = |parameter: &&Parameter| matches!(parameter.shape, Shape::Map(_)) && parameter.apart.is_none();
    for parameter in all.filter(is_map).filter(|_| operation.sends() != Sends::Json) {
        let name = &parameter.name.wire;
        to.at(parameter.name.place, Code::Misplaced, format!("the map `{name}` does not travel in JSON"))
            .help("send the parameters as JSON, or use `type: json`, which is written as a text");
    }
}

/// Only JSON has a null.
fn nulls_are_json(operation: &Operation, to: &mut Diagnostics) {
    let is_json = operation.sends() == Sends::Json;
    let own = operation.members().iter().map(|parameter| (parameter, is_json && !operation.is_elsewhere(parameter)));
    let of_items = operation.items().map(|(_, item)| item).chain(operation.objects());
    let within = of_items.flat_map(|item| &item.parameters).map(|parameter| (parameter, is_json));
    for (parameter, is_json) in own.chain(within) {
        if let Some(place) = parameter.may_be_null.filter(|_| !is_json) {
            let name = &parameter.name.wire;
            to.at(place, Code::Misplaced, format!("`{name}` cannot be null: it does not travel in JSON"))
                .help("remove `may_be`, or write with `edit` which text deletes it");
        }
    }
}

/// Only JSON has a place for an empty list.
fn empty_lists_are_sent(operation: &Operation, to: &mut Diagnostics) {
    let (style, is_json) = (operation.style, operation.sends() == Sends::Json);
    let is_spread = !is_json && style.objects != Objects::Json;
    let within = operation.objects().into_iter().filter(|_| is_spread).flat_map(|object| &object.parameters);
    for parameter in operation.members().iter().chain(within) {
        let has_place = match parameter.apart {
            Some((In::Header, _)) => false,
            Some((In::Query, _)) => style.lists == Lists::Json,
            None => is_json || style.lists == Lists::Json,
        };
        if let Some((0, place)) = parameter.min_items.filter(|_| !has_place) {
            let name = &parameter.name.wire;
            to.at(place, Code::BadNumber, format!("an empty list `{name}` would be sent as no list"))
                .help("leave `min_items` out, or write lists as JSON with `lists: json`");
        }
    }
}

/// A name in braces is a required parameter with a single value.
fn parameters_are_there(family: &Family, operation: &Operation, to: &mut Diagnostics) {
    let names = family.names(operation.members());
    let in_path: Vec<&str> = operation.path.parameters().collect();
    let place = operation.path.place;
    for (index, name) in in_path.iter().enumerate() {
        if in_path.iter().take(index).any(|first| first == name) {
            to.at(place, Code::BadPath, format!("duplicate parameter `{{{name}}}` in the path"))
                .help("a parameter can occur only once in a path");
            continue;
        }
        let found = match names.find(name) {
            Lookup::Found(found) => found,
            Lookup::Missing(help) => {
                let add = || format!("add `{name}: {{ type: string, required: always }}` to `request`").into();
                let help = if operation.members().is_empty() { add() } else { help };
                to.at(place, Code::UndefinedName, format!("unknown parameter `{{{name}}}` in the path")).help(help);
                continue;
            }
            Lookup::Unresolved => continue,
        };
        let why = match found.role {
            Role::Alternative(_) | Role::Decider(_) | Role::Member(_) => "it is a member of a choice",
            Role::Plain(parameter) if parameter.need != Need::Always => "it is not `required: always`",
            Role::Plain(parameter) if parameter.shape.value().is_none() => "it is not one value",
            Role::Plain(_) => continue,
        };
        to.at(found.of.name.place, Code::BadPath, format!("invalid path parameter `{name}`: {why}"))
            .related(place, "the path is here")
            .help("a path parameter is a single value with `required: always`");
    }
}

/// A query string cannot hold objects, unless the schema states how they are written.
fn lists_have_a_body(operation: &Operation, to: &mut Diagnostics) {
    let method = operation.method;
    let spreads_items = matches!(operation.style.lists, Lists::Brackets | Lists::Indexed);
    let (has_body, has_objects) = (operation.has_body(), operation.style.objects != Objects::Json);
    let is_json = operation.sends() == Sends::Json;
    let holds_items = |parameter: &Parameter| match parameter.is_body() {
        true => is_json,
        false => has_body || has_objects && spreads_items,
    };
    for (parameter, _) in operation.items().filter(|(parameter, _)| !holds_items(parameter)) {
        let what = if parameter.is_body() {
            "an array".to_owned()
        } else {
            format!("the objects of `{}`", parameter.name.wire)
        };
        to.at(
            parameter.name.place,
            Code::Misplaced,
            format!("a {} request has no body to hold {what}", method.as_str()),
        )
        .related(operation.path.place, "the method is here")
        .help("correct the method, or use `list` for a list of plain values");
    }
    let is_written = has_body || operation.style.says_objects;
    let objects = operation.body.parameters().iter().filter(|one| one.object().is_some() && !is_written);
    for object in objects {
        let says = format!("a {} request has no body to hold the object `{}`", method.as_str(), object.name.wire);
        to.at(object.name.place, Code::Misplaced, says)
            .related(operation.path.place, "the method is here")
            .help("correct the method, or say with `objects` how it is written in a query");
    }
}
