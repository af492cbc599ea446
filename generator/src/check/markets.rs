//! Markets, which become functions of the client, example programs, and chapters of the guide.

use super::reserved;
use crate::diagnostics::{Code, Diagnostics, Place, unknown};
use crate::model::Api;

/// The name of a market is that of a function, and its headers are defined.
pub(super) fn check(api: &Api, to: &mut Diagnostics) {
    let headers = || api.headers.iter().map(|header| (header.name.as_str(), Some(header.place)));
    for market in &api.markets {
        is_a_name("market", &market.name, market.place, to);
        if reserved::FAMILIES.has(&market.name) || api.families.iter().any(|family| family.name == market.name) {
            let why = reserved::FAMILIES.why;
            to.at(market.place, Code::ReservedName, format!("a market cannot be named `{}`: {why}", market.name))
                .help("choose another name");
        }
        for ((header, place), value) in &market.headers {
            if !headers().any(|(name, _)| name.eq_ignore_ascii_case(header)) {
                let help = unknown(header, headers(), || "declare it under `headers`".to_owned());
                to.at(*place, Code::UndefinedName, format!("unknown header `{header}`")).help(help);
            }
            if value.is_empty() || !value.chars().all(|letter| letter.is_ascii_graphic() || letter == ' ') {
                to.at(*place, Code::BadHeader, format!("invalid value of the header `{header}`"))
                    .help("write printable ASCII");
            }
        }
    }
}

/// The name of a program is a valid file name.
pub(super) fn examples(api: &Api, to: &mut Diagnostics) {
    for program in &api.examples {
        is_a_name("program", &program.name, program.place, to);
    }
}

/// The name of a chapter is a valid file name, and leads to that of a module.
pub(super) fn guide(api: &Api, to: &mut Diagnostics) {
    for chapter in &api.guide {
        let is_word = |word: &str| word.starts_with(|first: char| first.is_ascii_lowercase());
        let is_valid = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        if !chapter.name.split('-').all(is_word) || !chapter.name.chars().all(is_valid) {
            to.at(chapter.place, Code::NotAnIdentifier, format!("invalid name of a chapter `{}`", chapter.name))
                .help("write lower-case words with hyphens between them, such as `first-steps` for `first-steps.md`");
        }
    }
}

fn is_a_name(what: &str, name: &str, place: Place, to: &mut Diagnostics) {
    let is_word = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_');
    if !is_word {
        to.at(place, Code::NotAnIdentifier, format!("invalid name of a {what} `{name}`"))
            .help("write lower-case letters, digits and underscores");
    }
}
