//! The elements of the account and its instruments, whose properties a caller may state.

use super::types::named;
use super::{Element, Key, additive, behaviour, breaking, names, path};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{Account, Instrument, InstrumentProperty, Property, PropertyKind};

impl Account {
    pub(super) fn element(&self, place: Place) -> Element {
        let Self { doc, properties, instrument } = self;
        Element::new("account", "account", ["account", "account"], place)
            .when(
                breaking("`Account` is a type of the crate"),
                breaking("`Account` is the type of the runtime, without properties"),
            )
            .keys([Key::prose("doc", doc)])
            .holds(properties.iter().map(Property::element))
            .holds(instrument.iter().map(|instrument| instrument.element(place)))
    }
}

impl Property {
    pub(super) fn element(&self) -> Element {
        let Self { name, doc, kind, shown_as, denied_by } = self;
        let path = path("account", &name.wire);
        let (word, form, values) = match kind {
            PropertyKind::Words(name, values) => (name.rust.as_str(), "words", values.as_slice()),
            PropertyKind::Flag => ("flag", "flag", &[][..]),
            PropertyKind::Time => ("time", "time", &[][..]),
            PropertyKind::Names => ("names", "names", &[][..]),
        };
        let values: Vec<_> = values.iter().map(|value| value.element(&path)).collect();
        let element = named("property", path, name)
            .when(additive("a setter sets it"), breaking("its setter is removed"))
            .keys([
                Key::new("name", &name.wire, behaviour("rules know it by another name")),
                Key::new("rust", name.bare(), breaking("its setter has another name")),
                Key::new("type", word, breaking("its setter takes another type")),
                Key::prose("doc", doc),
                Key::new("shown_as", names(shown_as), behaviour("other records are compared with it")),
                Key::new("denied_by", names(denied_by), behaviour("other codes contradict it")),
            ])
            .holds(values);
        Element { form, ..element }
    }
}

impl Instrument {
    pub(super) fn element(&self, place: Place) -> Element {
        let Self { doc, properties } = self;
        Element::new("instrument", "instrument", ["instrument", "instrument"], place)
            .when(additive("a new type"), breaking("the type is removed"))
            .keys([Key::prose("doc", doc)])
            .holds(properties.iter().map(InstrumentProperty::element))
    }
}

impl InstrumentProperty {
    pub(super) fn element(&self) -> Element {
        let Self { name, doc, is_flag } = self;
        named("property", path("instrument", &name.wire), name)
            .when(additive("a setter sets it"), breaking("its setter is removed"))
            .keys([
                Key::new("name", &name.wire, behaviour("rules know it by another name")),
                Key::new("rust", name.bare(), breaking("its setter has another name")),
                Key::new("type", if *is_flag { "flag" } else { "number" }, breaking("its setter takes another type")),
                Key::prose("doc", doc),
            ])
    }
}
