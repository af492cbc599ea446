//! The properties of the account.

use super::{Builder, FamilyBuilder, dates, placed, statements, text_of};
use crate::compiler::diagnostics::Code;
use crate::compiler::load::{Spanned, Text, raw};
use crate::compiler::model::{
    Account, Class, EnumValue, Instrument, InstrumentProperty, Name, Property, PropertyKind, PropertyType, field_name,
    type_name, variant_name,
};

impl Builder<'_> {
    pub(super) fn account(&mut self, raw: &Spanned<raw::Account>) -> Account {
        Account {
            doc: self.need(&raw.doc, "doc", raw.place),
            properties: raw.properties.iter().map(|(name, property)| self.property(name, property)).collect(),
            instrument: raw.instrument.as_ref().map(|instrument| self.instrument(instrument)),
        }
    }

    fn property(&mut self, name: &Text, raw: &Spanned<raw::Property>) -> Property {
        let kind = match (&raw.r#type, raw.values.has_none()) {
            (Some(kind), true) => match kind.value {
                PropertyType::Flag => PropertyKind::Flag,
                PropertyType::Time => PropertyKind::Time,
                PropertyType::Names => PropertyKind::Names,
            },
            (None, false) => self.words(name, raw),
            (Some(kind), false) => {
                self.at(kind.place, Code::Misplaced, "expected either `type` or `values`").help("remove one of them");
                self.words(name, raw)
            }
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

    fn words(&mut self, name: &Text, raw: &Spanned<raw::Property>) -> PropertyKind {
        let rust = self.rust_name(&None, &name.value, name.place, "property", type_name);
        let values = raw.values.iter().map(|(wire, value)| {
            let also = value.also.first().map(|also| ("also", also.place));
            let deprecated = value.deprecated.as_ref().map(|deprecated| ("deprecated", deprecated.place));
            let sources = value.sources.as_ref().map(|sources| ("sources", sources.place));
            let from = value.from.as_ref().map(|from| ("from", from.place));
            let until = value.until.as_ref().map(|until| ("until", until.place));
            for (key, place) in also.into_iter().chain(sources).chain(deprecated).chain(from).chain(until) {
                self.at(place, Code::Misplaced, format!("`{key}` is only allowed for a value of an enum"))
                    .help("remove it");
            }
            let rust = self.rust_name(&value.rust, &wire.value, wire.place, "value", variant_name);
            EnumValue::new(Name { rust, wire: wire.value.clone(), place: wire.place }, text_of(&value.doc))
        });
        let values = values.collect();
        PropertyKind::Words(Name { wire: name.value.clone(), rust, place: name.place }, values)
    }

    fn instrument(&mut self, raw: &Spanned<raw::Instrument>) -> Instrument {
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

impl FamilyBuilder<'_, '_> {
    pub(super) fn classes(&mut self) -> Vec<Class> {
        let classes = &self.family.family.classes;
        classes
            .iter()
            .map(|(name, raw)| {
                if raw.when.is_none() {
                    self.builder.missing("when", raw.place);
                }
                let (name, place) = placed(name);
                Class {
                    name,
                    place,
                    doc: self.builder.need(&raw.doc, "doc", raw.place),
                    when: statements::conditions(raw.when.as_ref()),
                    sources: self.builder.sources(raw.sources.as_ref(), None),
                    dates: dates(raw.from.as_ref(), raw.until.as_ref()),
                }
            })
            .collect()
    }
}
