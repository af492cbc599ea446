//! Suggestions for unknown names.

use std::collections::HashSet;

use super::Place;
use super::report::Help;
use tradeapi_words::similar::nearest;

/// Help with the most similar of the `known` names, if one is similar enough; an editor can apply it.
pub(crate) fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<Help> {
    nearest(given, known).map(|similar| Help::similar(given, similar))
}

/// Help for an unknown name: the most similar of the `known` names, each given with the place that defines it, or
/// `otherwise`.
///
/// Several uses of an unknown name are one mistake.
pub(crate) fn unknown<'a>(
    given: &str,
    known: impl IntoIterator<Item = (&'a str, Option<Place>)>,
    otherwise: impl FnOnce() -> String,
) -> Help {
    let known: Vec<_> = known.into_iter().collect();
    let similar = nearest(given, known.iter().map(|(name, _)| *name));
    let place = known.iter().find(|(name, _)| Some(*name) == similar).and_then(|(_, place)| *place);
    similar.map_or_else(|| otherwise().into(), |similar| Help::similar(given, similar)).unknown(given, place)
}

/// Help for an unknown name: the most similar of the `known` names, or all of them.
///
/// Several uses of an unknown name are one mistake.
pub(crate) fn one_of<'a>(given: &str, known: impl IntoIterator<Item = (&'a str, Option<Place>)>) -> Help {
    let known: Vec<_> = known.into_iter().collect();
    let names = known.iter().map(|(name, _)| *name);
    unknown(given, known.iter().copied(), || match name_list(names) {
        none if none.is_empty() => "there is none".to_owned(),
        names => format!("expected one of: {names}"),
    })
}

/// Names without duplicates, separated by commas and cut to a readable number.
pub(crate) fn name_list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const MAX_NAMES: usize = 20;
    let mut seen = HashSet::new();
    let distinct: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
    let (shown, more) = distinct.split_at(distinct.len().min(MAX_NAMES));
    let rest = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    format!("{}{rest}", shown.join(", "))
}
