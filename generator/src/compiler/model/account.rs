//! The properties of an account and of its instruments, which callers state for rules that depend on them.

use super::builder::{Builder, placed, text_of};
use super::elements::{Element, Key, additive, behaviour, breaking, named, names, path};
use super::{Enum, EnumValue, Family, Field, Name, Placed, PropertyType, Record, field_name, type_name, variant_name};
use crate::compiler::diagnostics::{Code, Place};
use crate::compiler::load::{Spanned, Text, raw};

/// The properties of an account that a caller can state.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) doc: String,
    pub(crate) properties: Vec<Property>,
    pub(crate) instrument: Option<Instrument>,
}

/// A property of an account.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) kind: PropertyKind,
    /// The enums that show it, as `family.Enum`.
    pub(crate) shown_as: Vec<Placed>,
    /// The codes that refuse a request because the account has another value.
    pub(crate) denied_by: Vec<Placed>,
}

/// The kind of a property's values.
#[derive(Clone, Debug)]
pub(crate) enum PropertyKind {
    /// One of these words; the name is that of their Rust type.
    Words(Name, Vec<EnumValue>),
    Flag,
    Time,
    Names,
}

/// The properties of an instrument that a caller can state.
#[derive(Clone, Debug)]
pub(crate) struct Instrument {
    pub(crate) doc: String,
    pub(crate) properties: Vec<InstrumentProperty>,
}

/// A property of an instrument: a number, or a flag.
#[derive(Clone, Debug)]
pub(crate) struct InstrumentProperty {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) is_flag: bool,
    /// The codes that refuse a request because the instrument has another value.
    pub(crate) denied_by: Vec<Placed>,
}

impl Property {
    /// Returns whether values of an enum show it.
    pub(crate) fn is_shown_as(&self, family: &str, name: &str) -> bool {
        self.shown_as.iter().any(|(shown, _)| shown.split_once('.') == Some((family, name)))
    }
}

impl Account {
    /// Returns the properties that a record shows, each with the field that shows it.
    pub(crate) fn shown_in<'a>(
        &'a self,
        family: &'a Family,
        record: &'a Record,
    ) -> impl Iterator<Item = (&'a Property, &'a Field)> {
        self.properties.iter().filter_map(|property| {
            let is_it = |shown: &&Enum| property.is_shown_as(&family.name, &shown.name.wire);
            let index = family.enums.iter().position(|shown| is_it(&shown))?;
            Some((property, record.field_of_enum(index)?))
        })
    }
}

impl Instrument {
    /// Returns the names of its properties that are flags, or of those that are numbers.
    pub(crate) fn names(&self, flags: bool) -> impl Iterator<Item = &str> {
        self.properties.iter().filter(move |one| one.is_flag == flags).map(|property| property.name.wire.as_str())
    }
}

impl Builder<'_> {
    pub(super) fn account(&mut self, raw: &Spanned<raw::Account>) -> Account {
        Account {
            doc: self.need(&raw.doc, "doc", raw.place),
            properties: raw.properties.iter().map(|(name, property)| self.property(name, property)).collect(),
            instrument: raw.instrument.as_ref().map(|instrument| self.instrument(instrument)),
        }
    }

    pub(super) fn property(&mut self, name: &Text, raw: &Spanned<raw::Property>) -> Property {
        if let Some(kind) = raw.r#type.as_ref().filter(|_| !raw.values.has_none()) {
            self.at(kind.place, Code::Misplaced, "expected either `type` or `values`").help("remove one of them");
        }
        let kind = match (&raw.r#type, raw.values.has_none()) {
            (Some(kind), _) => match kind.value {
                PropertyType::Flag => PropertyKind::Flag,
                PropertyType::Time => PropertyKind::Time,
                PropertyType::Names => PropertyKind::Names,
            },
            (None, false) => self.words(name, raw),
            (None, true) if self.to.is_unread(raw.place.file, "values") => self.words(name, raw),
            (None, true) => {
                self.missing("type", raw.place);
                PropertyKind::Flag
            }
        };
        Property {
            name: self.property_name(name, &raw.rust),
            doc: self.need(&raw.doc, "doc", raw.place),
            kind,
            shown_as: raw.shown_as.iter().map(placed).collect(),
            denied_by: raw.denied_by.iter().map(placed).collect(),
        }
    }

    pub(super) fn words(&mut self, name: &Text, raw: &Spanned<raw::Property>) -> PropertyKind {
        let rust = self.rust_name(&None, &name.value, name.place, "property", type_name);
        let values = raw.values.iter().map(|(wire, value)| {
            let keys = [
                ("also", value.also.first().map(|also| also.place)),
                ("sources", value.sources.as_ref().map(|sources| sources.place)),
                ("deprecated", value.deprecated.as_ref().map(|deprecated| deprecated.place)),
                ("from", value.from.as_ref().map(|from| from.place)),
                ("until", value.until.as_ref().map(|until| until.place)),
            ];
            self.refuse_keys(&keys, "is only allowed for a value of an enum");
            let rust = self.rust_name(&value.rust, &wire.value, wire.place, "value", variant_name);
            EnumValue::new(Name { rust, wire: wire.value.clone(), place: wire.place }, text_of(&value.doc))
        });
        let values = values.collect();
        PropertyKind::Words(Name { wire: name.value.clone(), rust, place: name.place }, values)
    }

    pub(super) fn instrument(&mut self, raw: &Spanned<raw::Instrument>) -> Instrument {
        let property = |this: &mut Self, name: &Text, property: &raw::InstrumentProperty| InstrumentProperty {
            name: this.property_name(name, &property.rust),
            doc: text_of(&property.doc),
            is_flag: this.is_flag(property.r#type.as_ref()),
            denied_by: property.denied_by.iter().map(placed).collect(),
        };
        Instrument {
            doc: self.need(&raw.doc, "doc", raw.place),
            properties: raw.properties.iter().map(|(name, raw)| property(self, name, raw)).collect(),
        }
    }

    /// Returns whether a property of an instrument is a flag; times and names are properties of accounts only.
    fn is_flag(&mut self, kind: Option<&Spanned<PropertyType>>) -> bool {
        let Some(kind) = kind else { return false };
        if kind.value != PropertyType::Flag {
            self.at(kind.place, Code::Misplaced, "a property of an instrument is a number or a flag")
                .help("write `type: flag`, or leave `type` out for a number");
        }
        kind.value == PropertyType::Flag
    }

    fn property_name(&mut self, name: &Text, rust: &Option<Text>) -> Name {
        self.refuse_empty(name, "property");
        let rust = self.rust_name(rust, &name.value, name.place, "property", field_name);
        Name { wire: name.value.clone(), rust, place: name.place }
    }
}

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
        let Self { name, doc, is_flag, denied_by } = self;
        named("property", path("instrument", &name.wire), name)
            .when(additive("a setter sets it"), breaking("its setter is removed"))
            .keys([
                Key::new("name", &name.wire, behaviour("rules know it by another name")),
                Key::new("rust", name.bare(), breaking("its setter has another name")),
                Key::new("type", if *is_flag { "flag" } else { "number" }, breaking("its setter takes another type")),
                Key::prose("doc", doc),
                Key::new("denied_by", names(denied_by), behaviour("other codes let instruments be read again")),
            ])
    }
}
