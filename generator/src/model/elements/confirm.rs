//! The keys for how an unknown outcome is queried, and what may be repeated.

use super::{Element, Key, Means, additive, behaviour, breaking, list, maybe, names};
use crate::model::{Compound, Confirm, Echoes, Family, NamesWithin, Operation, Pair, Repeat};

impl Repeat {
    pub(super) fn element(&self, operation: &str) -> Element {
        let Self { place, key, kept, why } = self;
        let by_key = behaviour("which parameter has to be the same in a repeat");
        Element::new("repeat", operation, ["repeat", "repeat"], *place)
            .when(additive("it can be repeated"), breaking("it can no longer be repeated"))
            .keys([
                Key::placed("by_key", key.as_ref(), by_key),
                Key::new("kept", maybe(*kept), behaviour("how late it can be repeated")),
                Key::prose("why", why),
            ])
    }
}

impl Confirm {
    pub(super) fn element(&self, family: &Family, operation: &Operation) -> Element {
        let Self {
            place,
            by,
            then,
            ids,
            find,
            with,
            with_as,
            set,
            since,
            matches,
            agrees,
            beside,
            created,
            creates_with,
            changed,
            changed_while,
            expires,
            kept,
        } = self;
        let types = operation.first_query(family);
        let types = types.map(|(query, record)| format!("{} {}", query.rust.rust, record.name.rust));
        let by_means = Means::Rust {
            name: types,
            other: breaking("the query and the record that it returns have other types"),
            same: behaviour("another operation is queried"),
        };
        let queried = || behaviour("what the query looks for");
        let proves = || behaviour("what an answer proves");
        Element::new("confirmation", &operation.id, ["confirmation", "confirmation"], *place)
            .when(additive("it can be confirmed"), breaking("it can no longer be confirmed"))
            .keys([
                Key::placed("by", Some(by), by_means),
                Key::placed("then", then.as_ref(), behaviour("which query follows when the first one finds nothing")),
                Key::new("ids", pairs(ids), queried()),
                Key::new("find", pairs(find), proves()),
                Key::new("with", names(with), queried()),
                Key::new("with_as", pairs(with_as), queried()),
                Key::new("set", pairs(set), queried()),
                Key::placed("since", since.as_ref(), queried()),
                Key::new("matches", pairs(matches), proves()),
                Key::new("agrees", several(agrees), proves()),
                Key::new("beside", names(beside), proves()),
                Key::placed("created", created.as_ref(), proves()),
                Key::new("creates_with", names(creates_with), behaviour("which requests create something")),
                Key::placed("changed", changed.as_ref(), proves()),
                Key::new("changed_while", several(changed_while), proves()),
                Key::placed("expires", expires.as_ref(), proves()),
                Key::new("kept", maybe(*kept), proves()),
            ])
    }
}

pub(super) fn several(all: &[NamesWithin]) -> String {
    let words = all.iter().map(|((one, _), others)| {
        let others: Vec<_> = others.iter().map(|(other, _)| other.as_str()).collect();
        format!("{one}: {}", others.join(" or "))
    });
    list(words)
}

pub(super) fn pairs(pairs: &[Pair]) -> String {
    list(pairs.iter().map(|((one, _), (other, _))| format!("{one}: {other}")))
}

pub(super) fn echoes(echoes: Option<&Echoes>) -> Key {
    let words = echoes.map(|Echoes { place: _, ids, also, one_is_enough }| {
        let one_of = if *one_is_enough { "one of " } else { "" };
        let also = if also.is_empty() { String::new() } else { format!("; also {}", several(also)) };
        format!("{one_of}{}{also}", several(ids))
    });
    let means = behaviour("which ids match an answer to its request");
    Key::new("echoes", maybe(words), means).at(echoes.map(|echoes| echoes.place))
}

/// When it has several effects; the reason is a separate text.
pub(super) fn compound(compound: Option<&Compound>) -> Key {
    let words = compound.map(|Compound { place: _, when, why: _ }| match when {
        Some(((name, _), (value, _))) => format!("when {name} is {value}"),
        None => "always".to_owned(),
    });
    let means = behaviour("which refusals prove that nothing was done");
    Key::new("compound", maybe(words), means).at(compound.map(|compound| compound.place))
}
