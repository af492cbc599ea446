//! Headers: which there are, and which operations send them.

use super::taken;
use crate::diagnostics::{Code, Diagnostics, did_you_mean, name_list};
use crate::model::{Access, Api, Family, Sent};

/// A header is one header, however it is written.
pub(super) fn are_distinct(api: &Api, to: &mut Diagnostics) {
    let credentials = api.credentials.as_ref();
    let own = credentials.into_iter().flat_map(|own| {
        [Some(&own.key), Some(&own.signature), own.passphrase.as_ref(), Some(&own.timestamp)].into_iter().flatten()
    });
    let own: Vec<&String> = own.collect();
    for (index, header) in api.headers.iter().enumerate() {
        if own.iter().any(|name| name.eq_ignore_ascii_case(&header.name)) {
            to.at(header.place, Code::BadHeader, format!("the header `{}` belongs to the credentials", header.name))
                .help("take it away here; signed calls carry it");
        }
        if taken::HEADERS.has(&header.name.to_ascii_lowercase()) {
            to.at(
                header.place,
                Code::BadHeader,
                format!("no value can be given to `{}`: {}", header.name, taken::HEADERS.why),
            )
            .help("take it away");
        }
        if let Some(first) = api.headers.iter().take(index).find(|first| first.name.eq_ignore_ascii_case(&header.name))
        {
            to.at(
                header.place,
                Code::BadHeader,
                format!("the header `{}` is there twice, upper and lower case alike", header.name),
            )
            .related(first.place, "the first one")
            .help("take one of the two away");
        }
    }
}

/// What is signed needs something to sign with.
pub(super) fn signed_calls_have_credentials(api: &Api, to: &mut Diagnostics) {
    let signed = api.operations().find(|(_, operation)| operation.access == Access::Signed);
    if let Some((_, operation)) = signed.filter(|_| api.credentials.is_none() && api.is_sound) {
        to.at(
            api.place,
            Code::MissingKey,
            "operations are signed, and nothing says how: `credentials` is missing here",
        )
        .related(operation.place, format!("`{}` is signed, for example", operation.name))
        .help("add `credentials`, or say `access: public` where nothing is signed");
    }
}

/// An operation names headers of `api.yaml`, each once, and only those that are not sent anyway.
pub(super) fn are_declared(api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in family.operations.iter().filter(|_| api.is_sound) {
        for (index, (name, place)) in operation.headers.iter().enumerate() {
            if let Some((_, first)) =
                operation.headers.iter().take(index).find(|(first, _)| first.eq_ignore_ascii_case(name))
            {
                to.at(*place, Code::BadHeader, format!("the header `{name}` is listed twice"))
                    .related(*first, "first listed here")
                    .help("take one of the two away");
            }
            let names = || api.headers.iter().map(|header| header.name.as_str());
            match api.headers.iter().find(|header| header.name == *name) {
                Some(header) if header.sent == Sent::Always => {
                    to.at(*place, Code::BadHeader, format!("the header `{name}` is sent with every call already"))
                        .related(header.place, "it says so here")
                        .help("take it away here, or write `sent: by_operation` there");
                }
                Some(_) => {}
                None => {
                    let help = did_you_mean(name, names()).unwrap_or_else(|| match name_list(names()) {
                        known if known.is_empty() => "declare it under `headers` in api.yaml".into(),
                        known => format!("declare it under `headers` in api.yaml, where there are: {known}").into(),
                    });
                    to.at(*place, Code::UndefinedName, format!("api.yaml has no header `{name}`")).help(help);
                }
            }
        }
    }
}
