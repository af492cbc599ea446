//! Parameters that travel apart from the others: in a header, or in the query beside a body.

use super::reserved;
use crate::compiler::diagnostics::{Code, Diagnostics, Place};
use crate::compiler::model::{Api, Family, Operation, Parameter, Shape, Type};
use crate::compiler::words::In;

/// A parameter that travels apart belongs to the request itself, has a simple value, and has its place for itself.
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

/// Another name is a text, and not the one that the parameter has anyway.
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

/// Why a parameter cannot travel there.
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

/// A query is beside the body only if there is one, and not in the path.
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

/// A body that is an array has no place for named parameters. One without items is reported already.
fn array_has_no_members(operation: &Operation, parameter: &Parameter, to: &mut Diagnostics) {
    let Some(array) = operation.body.array().filter(|array| array.item().is_some()) else { return };
    to.at(parameter.name.place, Code::Misplaced, format!("an array body has no place for `{}`", parameter.name.wire))
        .related(array.name.place, "the body is an array")
        .help("move it into `fields` of the items, or say with `in` that it is in the query or a header");
}

/// No other part of the request sends a header with the name of the parameter.
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
