//! The elements of parameters, and the facts about what they send.

use super::types::{deprecated, named, own_doc, scale, travels, ty, unit};
use super::{
    Element, Key, Means, Order, additive, behaviour, breaking, documentation, first, flag, in_any_order, maybe, names,
    path,
};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::facts::Fact;
use crate::compiler::model::phrases;
use crate::compiler::model::{Choice, Edit, Family, Item, ListName, Need, Parameter, Shape, WireParameter, declared};

impl Parameter {
    /// Returns the keys.
    pub(crate) fn keys(&self, family: &Family) -> Vec<Key> {
        let Self {
            name,
            written: _,
            shape,
            apart,
            sent_as,
            need,
            fixed,
            default,
            default_note,
            min,
            max,
            min_items,
            max_items,
            digits,
            places,
            significant_digits,
            length,
            pattern,
            only,
            edit,
            may_be_null,
            may_be_blank,
            wins_unstated,
            units,
            deprecated: is_deprecated,
            as_text,
            doc,
            called,
        } = self;
        let checked = || behaviour("checked before sending");
        let note = phrases::default_sentence(default_note.as_deref());
        let blank =
            if *may_be_blank { "An empty text in a stored request means the same as leaving it out." } else { "" };
        let required = matches!(need, Need::Conditional | Need::Unstated).then(|| need.as_str());
        // An array that is the whole body has no name; the operation states the form of its body.
        let wire = Key::new("name", &name.wire, behaviour("it has another name on the wire"));
        let wire = (!self.is_body()).then_some(wire);
        let keys = [
            Key::new("rust", name.bare(), breaking("its field and what sets it have another name")),
            ty(family, shape, "its field and what sets it have another type"),
            Key::new("in", apart.map_or("", |(apart, _)| apart.as_str()), behaviour("it travels elsewhere"))
                .at(apart.map(|(_, place)| place))
                .says(apart.map_or("", |(apart, _)| phrases::apart(apart)))
                .documented(),
            Key::placed("sent_as", sent_as.as_ref(), behaviour("it has another name on the wire"))
                .says(sent_as.as_ref().map_or(String::new(), |(name, _)| phrases::sent_as(name)))
                .data("x-name", sent_as.as_ref().map(|_| name.wire.as_str()))
                .documented(),
            deprecated(is_deprecated.as_ref()),
            Key::new("required", need.as_str(), Means::Need(*need)).data("x-required", required),
            Key::placed(
                "fixed",
                fixed.as_ref(),
                Means::Each {
                    added: breaking("its field, and the argument or setter that sets it, are removed"),
                    removed: breaking("requests have to set it"),
                    changed: behaviour("another value is sent"),
                },
            ),
            Key::prose("default_note", &maybe(default_note.as_ref())).says(note).documented(),
            self::edit(edit.as_ref()),
            Key::new(
                "may_be",
                if may_be_null.is_some() { "null" } else { "" },
                Means::Each {
                    added: breaking("its field becomes an `Edit`"),
                    removed: breaking("its field is no longer an `Edit`"),
                    changed: documentation(""),
                },
            )
            .at(*may_be_null),
            Key::new("blank", flag(*may_be_blank), behaviour("whether an empty text is read as left out"))
                .says(blank)
                .data("x-blank", may_be_blank.then_some("left_out"))
                .documented(),
            unit(units),
            Key::placed(
                "default",
                default.as_ref(),
                behaviour("the exchange assumes another value when it is not sent"),
            ),
            Key::placed("min", min.as_ref(), checked()),
            Key::placed("max", max.as_ref(), checked()),
            Key::placed("min_items", min_items.as_ref(), checked()),
            Key::placed("max_items", max_items.as_ref(), checked()),
            Key::placed("digits", digits.as_ref(), checked()),
            Key::placed("places", places.as_ref(), checked()).data("x-places", places.map(|(places, _)| places)),
            Key::placed("significant_digits", significant_digits.as_ref(), checked())
                .data("x-significant-digits", significant_digits.map(|(digits, _)| digits)),
            Key::new("length", length.map_or(String::new(), |((min, max), _)| format!("{min} to {max}")), checked())
                .at(length.map(|(_, place)| place)),
            Key::placed("pattern", pattern.as_ref(), checked()),
            Key::new("only", names(only), Means::Values(only.iter().map(|(value, _)| value.clone()).collect()))
                .same_as(in_any_order(only.iter().map(|(value, _)| value)))
                .at(first(only)),
            Key::new("wins unstated", flag(*wins_unstated), documentation("")),
            Key::prose("doc", own_doc(family, shape, doc)),
            super::called(called),
        ];
        let travels = travels(family, shape, *as_text, || behaviour("it is written another way"));
        wire.into_iter().chain(keys).chain(travels).chain(scale(shape)).collect()
    }

    /// Returns the parameter as a part of a request, of an item or of the case of a choice.
    pub(super) fn element(&self, family: &Family, of: &str) -> Element {
        let is_required = self.is_argument();
        let added = match self.fixed {
            Some(_) => behaviour("every request sends it"),
            None if is_required => breaking("`new` takes it"),
            None => additive("a setter sets it"),
        };
        let order = Order { kind: "arguments", verdict: breaking("`new` takes its arguments in another order") };
        let part = self.part(family, "parameter", of);
        let part = part.when(added, breaking("its field, and the argument or setter that sets it, are removed"));
        Element { order: is_required.then_some(order), ..part }
    }

    /// Returns the parameter as an element of a kind, with the parameters of its object or of its items.
    pub(super) fn part(&self, family: &Family, kind: &'static str, of: &str) -> Element {
        let path = path(of, &self.name.wire);
        let of_item = if self.is_body() || self.object().is_some() { path.clone() } else { format!("{path}[]") };
        let item = self.item().or(self.object());
        let items = item.into_iter().flat_map(|Item { list: _, rust: _, place: _, parameters }| parameters);
        let element = named(kind, path, &self.name)
            .keys(self.keys(family))
            .holds(items.map(|parameter| parameter.element(family, &of_item)));
        let form = match self.shape {
            Shape::Items(_) => "items",
            Shape::Object(_) => "object",
            Shape::One(_) | Shape::List(_) | Shape::Map(_) => "",
        };
        Element { written: self.written, form, ..element }
    }
}

fn edit(edit: Option<&Edit>) -> Key {
    let delete = edit.and_then(Edit::deletes_with);
    let words = edit.map(|_| match delete {
        None => "left out keeps".to_owned(),
        Some(delete) => format!("left out keeps, {delete:?} deletes"),
    });
    let other = match delete {
        Some(_) => "its field becomes an `Edit`",
        None => "its field is no longer an `Edit`",
    };
    let means = Means::Rust {
        name: delete.map(|_| "Edit".to_owned()),
        other: breaking(other),
        same: behaviour("how the value is kept or deleted"),
    };
    Key::new("edit", maybe(words), means).at(edit.map(|edit| edit.place)).data("x-edit", edit.map(declared::data))
}

impl WireParameter<'_> {
    /// Returns the facts that a document states about it.
    pub(super) fn facts(&self, family: &Family, operation: &str) -> Vec<(Place, Fact)> {
        let (operation, path) = (|| operation.to_owned(), || self.path());
        // Statements about a choice are made at the parameter that stands for it.
        let place = self.parameter().map_or(self.of.name.place, |parameter| parameter.name.place);
        let (need, json) = (self.need(), self.json_type());
        let mut facts = vec![(place, Fact::Parameter { operation: operation(), path: path(), need, json })];
        facts.extend(self.values(family).into_iter().map(|(value, place)| {
            (place, Fact::ParameterValue { operation: operation(), path: path(), value: value.to_owned() })
        }));
        let Some(parameter) = self.parameter() else { return facts };
        facts.extend(parameter.deprecated.as_ref().map(|deprecated| deprecated.fact(&operation(), &path())));
        facts.extend(
            parameter.default.iter().cloned().map(|(default, place)| {
                (place, Fact::ParameterDefault { operation: operation(), path: path(), default })
            }),
        );
        let max_items = parameter.max_items.map(|(max, place)| (max.to_string(), place));
        facts.extend(
            parameter
                .max
                .iter()
                .cloned()
                .chain(max_items)
                .map(|(max, place)| (place, Fact::ParameterMax { operation: operation(), path: path(), max })),
        );
        facts
    }
}

impl Choice {
    /// Returns the facts about alternative parameters that the schema combines into one.
    pub(super) fn facts(&self, operation: &str, list: Option<&ListName>, stands_for: &Parameter) -> Vec<(Place, Fact)> {
        let Some(alternatives) = self.alternatives() else { return Vec::new() };
        let prefix = list.map(ListName::item_prefix).unwrap_or_default();
        let paths = || alternatives.iter().map(|one| format!("{prefix}{}", one.name.wire)).collect();
        let one_of =
            (stands_for.need == Need::Always).then(|| Fact::OneOf { operation: operation.to_owned(), paths: paths() });
        let wins = self.wins().filter(|_| !stands_for.wins_unstated);
        let wins = wins.map(|wins| Fact::Wins { operation: operation.to_owned(), path: format!("{prefix}{wins}") });
        one_of.into_iter().chain(wins).map(|fact| (stands_for.name.place, fact)).collect()
    }
}
