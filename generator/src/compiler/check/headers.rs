//! Headers: their names, and the operations that send them.

use super::reserved;
use crate::compiler::diagnostics::{Code, Diagnostics, Kind, name_list, unknown};
use crate::compiler::model::{Access, Api, Family, Operation, Sent};

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
