//! Suggestions for unknown names.

use std::collections::HashSet;

use super::Place;
use super::report::Help;

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

/// The most similar of the `known` names, if one is similar enough.
pub(crate) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = given.chars().count().clamp(3, 12) / 3;
    let near = known.into_iter().map(|name| (distance(given, name), name)).filter(|(distance, _)| *distance <= limit);
    near.min().map(|(_, name)| name)
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

/// The edit distance (insert, remove, replace, swap neighbours) between two names, ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(64).flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().take(64).flat_map(char::to_lowercase).collect();
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_only_names_that_are_near() {
        let known = ["required", "default", "max_items"];
        assert_eq!(nearest("requird", known), Some("required"));
        assert_eq!(nearest("max_itmes", known), Some("max_items"));
        assert_eq!(nearest("colour", known), None);
    }
}
