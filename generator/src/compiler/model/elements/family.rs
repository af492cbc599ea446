//! The elements of a family: conventions, ceilings and classes.

use super::{
    Element, Key, Order, additive, behaviour, breaking, documentation, list, maybe, names, path, source, sources,
};
use crate::compiler::model::{Ceiling, CeilingValues, Class, Family, InstrumentNames, Probe, phrases};

impl Family {
    pub(super) fn element(&self) -> Element {
        let Self {
            name,
            rust,
            place,
            shared_files: _,
            title,
            doc,
            source: from,
            sources,
            numbers_as_text,
            errors,
            limits,
            instrument,
            classes,
            serves,
            probe,
            flat,
            lifecycle,
            statements,
            enums,
            identifiers,
            choices,
            records,
            operations,
            effects: _,
        } = self;
        let numbers = if *numbers_as_text { "text" } else { "json" };
        let instrument =
            instrument.as_ref().map(|InstrumentNames { line, symbol }| format!("{}, {}", line.0, symbol.0));
        let serves = serves.iter().map(|((path, _), (family, _))| format!("{path}: {family}"));
        // All ceilings are in one table, which is emitted only if there are any.
        let none_left = || ("ceiling", breaking("the table `CEILINGS` is removed"));
        let removed_within = limits.is_empty().then(none_left);
        let records = records.iter().filter(|record| !record.is_abstract);
        let element = Element::new("family", name, [name, rust], *place)
            .when(
                additive("a new module, and a cargo feature of that name"),
                breaking("its module and its cargo feature are removed"),
            )
            .keys([
                Key::new("family", name, breaking("its module and its cargo feature have another name")),
                Key::new("title", title, documentation("")),
                Key::new("numbers", numbers, behaviour("all its numbers are written another way")),
                Key::new("instrument", maybe(instrument), behaviour("which parameters name the instrument")),
                Key::new("serves", list(serves), behaviour("whose accounts its operations are about")),
                source(from.as_ref()),
                self::sources(sources),
                Key::prose("doc", doc),
            ])
            .observed(self.is_observed())
            .holds(errors.iter().map(|error| error.element(name)))
            .holds(probe.iter().map(|probe| probe.element(name)))
            .holds(flat.iter().map(|flat| flat.element(name)))
            .holds(limits.iter().map(|limit| limit.element(self)))
            .holds(classes.iter().map(|class| class.element(name)))
            .holds(lifecycle.iter().map(|lifecycle| lifecycle.element(self)))
            .holds(enums.iter().map(|all| all.element(name)))
            .holds(identifiers.iter().map(|all| all.element(name)))
            .holds(choices.iter().map(|choice| choice.element(self)))
            .holds(records.map(|record| record.element(self)))
            .holds(operations.iter().map(|operation| operation.element(self)));
        statements.add_to(Element { removed_within, ..element })
    }
}

impl Probe {
    /// The function `check_credentials` of the family.
    pub(super) fn element(&self, family: &str) -> Element {
        let Self { place, operation, request } = self;
        let called = || behaviour("what is called to check the credentials");
        Element::new("probe", family, ["probe", "probe"], *place)
            .when(
                additive("a function that checks the credentials"),
                breaking("its credentials can no longer be checked"),
            )
            .keys([Key::new("operation", &operation.0, called()), Key::new("request", request.0.trim(), called())])
    }
}

impl Ceiling {
    pub(super) fn element(&self, family: &Family) -> Element {
        let Self { id, place, n, over, doc, source: from } = self;
        let over = over.as_ref().map(|CeilingValues { enum_index, values }| {
            format!("{}: {}", family.enums[*enum_index].name.wire, names(values))
        });
        Element::new("ceiling", path(&family.name, id), [id, id], *place)
            .when(behaviour("the exchange allows less"), behaviour("the exchange allows more"))
            .keys([
                Key::new("n", n, behaviour("the exchange allows another number")),
                Key::new("over", maybe(over), behaviour("the exchange counts something else")),
                source(from.as_ref()),
                Key::prose("doc", doc),
            ])
    }
}

impl Class {
    /// Classes have rate limits of their own; the first class that fits a call applies.
    pub(super) fn element(&self, family: &str) -> Element {
        let Self { name, place, doc, when } = self;
        let limits = || behaviour("which limits hold for a call");
        let element = Element::new("class", path(family, name), [name, name], *place)
            .when(limits(), limits())
            .keys([Key::new("when", phrases::all_of(when), limits()), Key::prose("doc", doc)]);
        Element { order: Some(Order { kind: "classes", verdict: limits() }), ..element }
    }
}
