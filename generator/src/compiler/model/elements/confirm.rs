//! The keys for how an unknown outcome is queried, and what may be repeated.

use super::{Element, Key, Means, additive, behaviour, breaking, declared_keys, in_any_order, list, maybe};
use crate::compiler::load::declared::KeyValue;
use crate::compiler::model::{Compound, Confirm, ConfirmContext, Echoes, Family, NamesWithin, Operation, Repeat};

impl Repeat {
    pub(super) fn element(&self, operation: &str) -> Element {
        Element::new("repeat", operation, ["repeat", "repeat"], self.place)
            .when(additive("it can be repeated"), breaking("it can no longer be repeated"))
            .keys(declared_keys(self, |never| match never {}))
    }
}

impl Confirm {
    pub(super) fn element(&self, family: &Family, operation: &Operation) -> Element {
        let types = operation.first_query(family);
        let types = types.map(|(query, record)| format!("{} {}", query.rust.rust, record.name.rust));
        let by = |ConfirmContext::Query| Means::Rust {
            name: types.clone(),
            other: breaking("the query and the record that it returns have other types"),
            same: behaviour("another operation is queried"),
        };
        Element::new("confirmation", &operation.id, ["confirmation", "confirmation"], self.place)
            .when(additive("it can be confirmed"), breaking("it can no longer be confirmed"))
            .keys(declared_keys(self, by))
    }
}

pub(super) fn several(all: &[NamesWithin]) -> String {
    let words = all.iter().map(|((one, _), others)| {
        let others: Vec<_> = others.iter().map(|(other, _)| other.as_str()).collect();
        format!("{one}: {}", others.join(" or "))
    });
    list(words)
}

pub(super) fn echoes(echoes: Option<&Echoes>) -> Key {
    let said = |several: &dyn Fn(&[NamesWithin]) -> String| {
        maybe(echoes.map(|Echoes { place: _, ids, also, one_is_enough }| {
            let one_of = if *one_is_enough { "one of " } else { "" };
            let also = if also.is_empty() { String::new() } else { format!("; also {}", several(also)) };
            format!("{one_of}{}{also}", several(ids))
        }))
    };
    let unordered = |all: &[NamesWithin]| {
        in_any_order(all.iter().map(|((one, _), others)| format!("{one}: {:?}", others.same_as())))
    };
    let means = behaviour("which ids match an answer to its request");
    Key::new("echoes", said(&several), means).same_as(said(&unordered)).at(echoes.map(|echoes| echoes.place))
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
