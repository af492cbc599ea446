//! Headers: their names, and the operations that send them.

use super::reserved;
use crate::diagnostics::{Code, Diagnostics, Kind, Place, name_list, unknown};
use crate::model::{Access, Api, Family, Operation, Parameter, Sent, Shape, Type};

/// Header names are distinct, ignoring case, and not reserved.
pub(super) fn are_distinct(api: &Api, to: &mut Diagnostics) {
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

/// A header of some operations is listed by one of them.
pub(super) fn are_used(api: &Api, to: &mut Diagnostics) {
    let lists = |operation: &Operation, name: &str| {
        to.is_unread(operation.place.file, "headers")
            || operation.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name))
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

/// Signed operations require credentials.
pub(super) fn signed_calls_have_credentials(api: &Api, to: &mut Diagnostics) {
    let signed = api.operations().find(|(_, operation)| operation.access == Access::Signed);
    if let Some((_, operation)) = signed.filter(|_| api.credentials.is_none() && api.is_sound) {
        to.at(api.place, Code::MissingKey, "missing `credentials`, although operations are signed")
            .related(operation.place, format!("`{}`, for example, is signed", operation.name))
            .help("add `credentials`, or mark the operations `access: public`");
    }
}

/// A parameter that travels in a header belongs to the request itself, has a simple value, and shares its name with no
/// other header.
pub(super) fn parameters(api: &Api, family: &Family, to: &mut Diagnostics) {
    for parameter in family.all_parameters() {
        let Some(place) = parameter.in_header else { continue };
        let is_own = family
            .operations
            .iter()
            .any(|operation| operation.members().iter().any(|own| std::ptr::eq(own, parameter)));
        let why = match parameter.shape {
            Shape::One(Type::Undefined) => continue,
            _ if !is_own => "it is not a parameter of the request itself",
            _ if parameter.edit.is_some() => "it has `edit`",
            Shape::One(Type::Boolean(_)) => continue,
            Shape::One(ty) | Shape::List(ty) if ty.is_one_text() => continue,
            Shape::One(_) => "it is not a text, a number, a time, a boolean, an enum or an identifier",
            Shape::List(_) => "its values are not texts, numbers, times, enums or identifiers",
            Shape::Map(_) | Shape::Items(_) | Shape::Object(_) => "it is neither one value nor a list of values",
        };
        to.at(place, Code::Misplaced, format!("`{}` cannot be a header: {why}", parameter.name.wire))
            .help("remove `in`");
    }
    for operation in &family.operations {
        for (index, parameter) in operation.in_headers().enumerate() {
            header_is_free(api, operation, index, parameter, to);
        }
    }
}

/// No other part of the request sends a header with the name of the parameter.
fn header_is_free(api: &Api, operation: &Operation, index: usize, parameter: &Parameter, to: &mut Diagnostics) {
    let (name, place) = (&parameter.name.wire, parameter.name.place);
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let credentials = api.credentials.iter().flat_map(|own| own.headers()).map(|own| (&own.name, own.place));
    let declared = api.headers.iter().map(|header| (&header.name, header.place));
    let before = operation.in_headers().take(index).map(|other| (&other.name.wire, other.name.place));
    let all: Vec<(&String, Place)> = credentials.chain(declared).chain(before).collect();
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
        to.at(place, Code::Misplaced, format!("`{name}` cannot be a header: it is part of the path"))
            .related(operation.path.place, "the path is here")
            .help("remove `in`");
    }
}

/// The headers of an operation are defined in `api.yaml`, listed once, and not already sent with every call.
pub(super) fn are_declared(api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in family.operations.iter().filter(|_| api.is_sound) {
        for (index, (name, place)) in operation.headers.iter().enumerate() {
            if let Some((_, first)) =
                operation.headers.iter().take(index).find(|(first, _)| first.eq_ignore_ascii_case(name))
            {
                to.at(*place, Code::BadHeader, format!("duplicate header `{name}`"))
                    .related(*first, "first listed here")
                    .help("remove one of them");
            }
            let names = || api.headers.iter().map(|header| header.name.as_str());
            match api.headers.iter().find(|header| header.name == *name) {
                Some(header) if header.sent == Sent::Always => {
                    to.at(*place, Code::BadHeader, format!("the header `{name}` is already sent with every call"))
                        .related(header.place, "it is defined here")
                        .help("remove it here, or write `sent: by_operation` there");
                }
                Some(_) => {}
                None => {
                    let file = to.api_file();
                    let known = api.headers.iter().map(|header| (header.name.as_str(), Some(header.place)));
                    let help = unknown(name, known, || match name_list(names()) {
                        known if known.is_empty() => format!("define it under `headers` in {file}"),
                        known => format!("define it under `headers` in {file}, which has: {known}"),
                    });
                    to.at(*place, Code::UndefinedName, format!("unknown header `{name}`")).help(help.of_api());
                }
            }
        }
    }
}
