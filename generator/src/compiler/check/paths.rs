//! The place of each parameter: paths, headers, and parameters that travel apart from the others.

use std::collections::HashMap;

use super::reserved;
use crate::compiler::diagnostics::{Code, Diagnostics, Kind, Place};
use crate::compiler::model::{
    Access, Api, Choice, Family, Lookup, NameOf, Need, Operation, Parameter, PathPiece, Role, Sent, Shape, Type,
};
use crate::compiler::words::{In, Lists, Objects, Sends};

/// Checks that no two operations have the same method and path.
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

/// Checks that a choice that holds objects, lists of them or maps travels as JSON.
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

/// Checks that a map travels as JSON, not in a query or a form.
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

/// Checks that null travels as JSON, which alone has it.
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

/// Checks that an empty list travels as JSON, which alone has a place for it.
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

/// Checks that a name in braces is a required parameter with a single value.
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

/// Checks that a query holds no objects, unless the schema states how they are written.
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

/// Checks that header names are distinct, ignoring case, and not reserved.
pub(super) fn headers_are_distinct(api: &Api, to: &mut Diagnostics) {
    let own: Vec<_> = api.credentials.iter().flat_map(|own| own.headers()).map(|own| &own.name).collect();
    for (index, header) in api.headers.iter().enumerate() {
        if own.iter().any(|name| name.eq_ignore_ascii_case(&header.name)) {
            to.at(
                header.place,
                Code::BadHeader,
                format!("the header `{}` is already one of the credentials", header.name),
            )
            .help("remove it; signed calls carry it anyway");
        }
        if reserved::HEADERS.has(&header.name.to_ascii_lowercase()) {
            to.at(
                header.place,
                Code::BadHeader,
                format!("the header `{}` cannot be set: {}", header.name, reserved::HEADERS.why),
            )
            .help("remove it");
        }
        if let Some(first) = api.headers.iter().take(index).find(|first| first.name.eq_ignore_ascii_case(&header.name))
        {
            to.at(
                header.place,
                Code::BadHeader,
                format!("duplicate header `{}`; header names ignore case", header.name),
            )
            .related(first.place, "the first one")
            .help("remove one of them");
        }
    }
}

/// Checks that a header of some operations is listed by one of them.
pub(super) fn are_used(api: &Api, to: &mut Diagnostics) {
    let lists = |operation: &Operation, name: &str| {
        to.is_unread(operation.place.file, "headers")
            || operation.headers.iter().any(|own| own.text.eq_ignore_ascii_case(name))
    };
    let is_used = |name: &str| api.operations().any(|(_, operation)| lists(operation, name));
    let unused: Vec<_> = api
        .headers
        .iter()
        .filter(|header| api.is_whole && header.sent == Sent::ByOperation && !is_used(&header.name))
        .collect();
    for header in unused {
        to.at(header.place, Code::Unused, format!("unused header `{}`: no operation lists it", header.name))
            .kind(Kind::Header)
            .help("remove it, add it to the `headers` of an operation, or write `sent: always`");
    }
}

/// Checks that signed operations require credentials.
pub(super) fn signed_calls_have_credentials(api: &Api, to: &mut Diagnostics) {
    let signed = api.operations().find(|(_, operation)| operation.access == Access::Signed);
    if let Some((_, operation)) = signed.filter(|_| api.credentials.is_none() && api.is_sound) {
        to.at(api.place, Code::MissingKey, "missing `credentials`, although operations are signed")
            .related(operation.place, format!("`{}`, for example, is signed", operation.name))
            .help("add `credentials`, or mark the operations `access: public`");
    }
}

/// Checks that the headers of an operation are listed once, and not already sent with every call.
pub(super) fn are_declared(api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in family.operations.iter().filter(|_| api.is_sound) {
        for (index, name) in operation.headers.iter().enumerate() {
            let is_same = |first: &&NameOf<_>| first.text.eq_ignore_ascii_case(&name.text);
            if let Some(first) = operation.headers[..index].iter().find(is_same) {
                to.at(name.place, Code::BadHeader, format!("duplicate header `{name}`"))
                    .related(first.place, "first listed here")
                    .help("remove one of them");
            }
            if let Some(header) = api.header(name).filter(|header| header.sent == Sent::Always) {
                to.at(name.place, Code::BadHeader, format!("the header `{name}` is already sent with every call"))
                    .related(header.place, "it is defined here")
                    .help("remove it here, or write `sent: by_operation` there");
            }
        }
    }
}

/// Checks that a parameter that travels apart belongs to the request itself, has a simple value, and has its place for
/// itself.
pub(super) fn parameters(api: &Api, family: &Family, to: &mut Diagnostics) {
    for parameter in family.all_parameters() {
        let Some((apart, place)) = parameter.apart else {
            if let Some((_, place)) = &parameter.sent_as {
                to.at(*place, Code::Misplaced, "`sent_as` requires `in`")
                    .help("add `in: query` or `in: header`, or name the parameter as it is sent");
            }
            continue;
        };
        another_name_is_needed(parameter, to);
        let is_own = family
            .operations
            .iter()
            .any(|operation| operation.members().iter().any(|own| std::ptr::eq(own, parameter)));
        if let Some(why) = why_unfit(parameter, apart, is_own) {
            to.at(place, Code::Misplaced, message(parameter, apart, why)).help("remove `in`");
        }
    }
    for operation in &family.operations {
        for (index, parameter) in operation.in_headers().enumerate() {
            header_is_free(api, operation, index, parameter, to);
        }
        for (index, parameter) in operation.beside_body().enumerate() {
            query_is_beside(operation, parameter, to);
            if let Some(first) =
                operation.beside_body().take(index).find(|one| one.sent_name() == parameter.sent_name())
            {
                is_sent_twice(parameter, first, to);
            }
        }
        for parameter in operation.members().iter().filter(|own| !operation.is_elsewhere(own)) {
            array_has_no_members(operation, parameter, to);
        }
    }
}

/// Checks that another name is a text, and not the one that the parameter has anyway.
fn another_name_is_needed(parameter: &Parameter, to: &mut Diagnostics) {
    let Some((name, place)) = &parameter.sent_as else { return };
    let why = match name.as_str() {
        "" => "`sent_as` is empty",
        name if name == parameter.name.wire => "`sent_as` is the name of the parameter itself",
        _ => return,
    };
    to.at(*place, Code::Misplaced, why).help("write the name under which it is sent, or remove `sent_as`");
}

fn is_sent_twice(parameter: &Parameter, first: &Parameter, to: &mut Diagnostics) {
    let place = |one: &Parameter| one.sent_as.as_ref().map_or(one.name.place, |(_, place)| *place);
    to.at(place(parameter), Code::DefinedTwice, format!("`{}` is in the query twice", parameter.sent_name()))
        .related(place(first), "the other one is here")
        .help("send one of them under another name");
}

/// Returns why a parameter cannot travel there.
fn why_unfit(parameter: &Parameter, apart: In, is_own: bool) -> Option<&'static str> {
    let why = match parameter.shape {
        Shape::One(Type::Undefined) => return None,
        _ if parameter.edit.is_some() && apart == In::Header => Some("it has `edit`"),
        Shape::One(Type::Boolean(_)) => None,
        Shape::One(Type::Json) if apart == In::Query => None,
        Shape::One(ty) | Shape::List(ty) if ty.is_one_text() => None,
        Shape::One(_) => Some("it is not a text, a number, a time, a boolean, an enum or an identifier"),
        Shape::List(_) => Some("its values are not texts, numbers, times, enums or identifiers"),
        Shape::Map(_) | Shape::Items(_) | Shape::Object(_) => Some("it is neither one value nor a list of values"),
    };
    why.or_else(|| (!is_own).then_some("it is not a parameter of the request itself"))
}

fn message(parameter: &Parameter, apart: In, why: &str) -> String {
    let there = match apart {
        In::Header => "be a header",
        In::Query => "be in the query",
    };
    format!("`{}` cannot {there}: {why}", parameter.name.wire)
}

/// Checks that a query is beside the body only if there is one, and not in the path.
fn query_is_beside(operation: &Operation, parameter: &Parameter, to: &mut Diagnostics) {
    let Some((apart, place)) = parameter.apart else { return };
    if operation.is_in_path(parameter) {
        to.at(place, Code::Misplaced, message(parameter, apart, "it is part of the path"))
            .related(operation.path.place, "the path is here")
            .help("remove `in`");
    } else if !operation.has_body() {
        to.at(place, Code::Misplaced, format!("all parameters of `{}` are in the query", operation.name))
            .help("remove `in`, which is for requests with a body");
    }
}

/// Checks that a body that is an array has no place for named parameters. One without items is reported already.
fn array_has_no_members(operation: &Operation, parameter: &Parameter, to: &mut Diagnostics) {
    let Some(array) = operation.body.array().filter(|array| array.item().is_some()) else { return };
    to.at(parameter.name.place, Code::Misplaced, format!("an array body has no place for `{}`", parameter.name.wire))
        .related(array.name.place, "the body is an array")
        .help("move it into `fields` of the items, or say with `in` that it is in the query or a header");
}

/// Checks that no other part of the request sends a header with the name of the parameter.
fn header_is_free(api: &Api, operation: &Operation, index: usize, parameter: &Parameter, to: &mut Diagnostics) {
    let place = parameter.sent_as.as_ref().map_or(parameter.name.place, |(_, place)| *place);
    let name = parameter.sent_name();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let credentials = api.credentials.iter().flat_map(|own| own.headers()).map(|own| (own.name.as_str(), own.place));
    let declared = api.headers.iter().map(|header| (header.name.as_str(), header.place));
    let before = operation.in_headers().take(index).map(|other| (other.sent_name(), other.name.place));
    let all: Vec<(&str, Place)> = credentials.chain(declared).chain(before).collect();
    if reserved::HEADERS.has(&name.to_ascii_lowercase()) {
        to.at(place, Code::BadHeader, format!("the header `{name}` cannot be set: {}", reserved::HEADERS.why))
            .help("remove it");
    } else if !name.bytes().all(is_token) {
        to.at(place, Code::BadHeader, format!("invalid header name `{name}`"))
            .help("header names consist of letters, digits and hyphens");
    } else if let Some((_, first)) = all.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)) {
        to.at(place, Code::BadHeader, format!("duplicate header `{name}`; header names ignore case"))
            .related(*first, "the other one")
            .help("remove one of them");
    } else if operation.is_in_path(parameter) {
        to.at(place, Code::Misplaced, message(parameter, In::Header, "it is part of the path"))
            .related(operation.path.place, "the path is here")
            .help("remove `in`");
    }
}
