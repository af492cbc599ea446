//! Query strings: pairs of names and values.

use std::borrow::Cow;

use super::percent;

/// Appends `name=value` to `query`, encoded.
pub(super) fn push_pair(query: &mut String, name: &str, value: &str) {
    if !query.is_empty() {
        query.push('&');
    }
    percent::encode(name, query);
    query.push('=');
    percent::encode(value, query);
}

/// The pairs of `query`, decoded; a pair that cannot be decoded is an error and is given as it stands.
pub(super) fn pairs(query: &str) -> impl Iterator<Item = Result<(Cow<'_, str>, Cow<'_, str>), &str>> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        percent::decode(name).zip(percent::decode(value)).ok_or(pair)
    })
}
