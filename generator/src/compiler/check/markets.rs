//! Markets, which become functions of the client.

use super::names::is_snake_case;
use super::reserved;
use crate::compiler::diagnostics::{Code, Diagnostics, Place, unknown};
use crate::compiler::model::Api;

type Placed = (String, Place);

/// The name of a market is that of a function, and its headers are defined.
pub(super) fn check(api: &Api, to: &mut Diagnostics) {
    let headers = || api.headers.iter().map(|header| (header.name.as_str(), Some(header.place)));
    for market in &api.markets {
        is_snake_case("market", &market.name, market.place, to);
        if reserved::FAMILIES.has(&market.name) || api.families.iter().any(|family| family.name == market.name) {
            let why = reserved::FAMILIES.why;
            to.at(market.place, Code::ReservedName, format!("a market cannot be named `{}`: {why}", market.name))
                .help("choose another name");
        }
        for (index, ((header, place), value)) in market.headers.iter().enumerate() {
            let is_same = |((first, _), _): &&(Placed, String)| first.eq_ignore_ascii_case(header);
            if let Some(((_, first), _)) = market.headers[..index].iter().find(is_same) {
                to.at(*place, Code::BadHeader, format!("duplicate header `{header}`; header names ignore case"))
                    .related(*first, "the first one")
                    .help("remove one of them");
            }
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
