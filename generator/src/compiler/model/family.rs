//! Families: their operations, their ceilings and the query that checks credentials; and the statements that families and
//! operations have.

use std::collections::BTreeSet;
use std::ops::Deref;

use super::builder::{Builder, FamilyBuilder, TypeNames, placed, text_of};
use super::elements::{
    Element, Key, additive, behaviour, breaking, documentation, list, maybe, names, path, source, stated,
};
use super::facts::Fact;
use super::rules::OperationFiles;
use super::{
    Batch, Checks, Choice, Class, Confirm, Effect, Enum, ErrorCode, Flat, Identifier, InstrumentNames, Lifecycle,
    NameOf, OpenQuestion, Operation, OtherFamily, Placed, Record, Reference, Response, Rule, Source, Type, declared,
    elements, type_name, types,
};
use crate::compiler::diagnostics::{Code, Place};
use crate::compiler::load::{FamilyDocuments, Named, Short, Spanned, Texts, raw};

/// A part of the API with conventions of its own.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub(crate) name: String,
    /// The position in the API, with the families that are not emitted.
    pub(crate) number: usize,
    /// The Rust type that holds the family's functions.
    pub(crate) rust: String,
    pub(crate) place: Place,
    /// The indices of the files that every operation of the family builds on.
    pub(crate) shared_files: Vec<u32>,
    pub(crate) title: String,
    pub(crate) doc: String,
    pub(crate) source: Option<Source>,
    /// Who has seen its operations on the wire, if no document describes it.
    pub(crate) sources: Sources,
    /// True if numbers and times travel as JSON strings, unless a field says otherwise.
    pub(crate) numbers_as_text: bool,
    pub(crate) errors: Vec<ErrorCode>,
    pub(crate) limits: Vec<Ceiling>,
    /// The parameters that name the instrument of a request.
    pub(crate) instrument: Option<InstrumentNames>,
    pub(crate) classes: Vec<Class>,
    /// The families whose accounts operations are about by the beginning of their paths, if not those of this one.
    pub(crate) serves: Vec<(Placed, NameOf<OtherFamily>)>,
    pub(crate) probe: Option<Probe>,
    pub(crate) flat: Option<Flat>,
    pub(crate) lifecycle: Option<Lifecycle>,
    pub(crate) statements: Statements,
    pub(crate) enums: Vec<Enum>,
    pub(crate) identifiers: Vec<Identifier>,
    pub(crate) choices: Vec<Choice>,
    pub(crate) records: Vec<Record>,
    pub(crate) operations: Operations,
    /// The effect of each operation by its number, including operations that are not emitted.
    pub(crate) effects: Vec<Effect>,
}

impl Family {
    /// Returns whether no document describes it.
    pub(crate) fn is_observed(&self) -> bool {
        !self.sources.is_empty()
    }

    /// Returns the family whose accounts the operations at a path are about, if it is another one.
    pub(crate) fn served_at(&self, path: &str) -> Option<&Reference> {
        let fitting = self.serves.iter().filter(|((beginning, _), _)| path.starts_with(beginning));
        fitting.max_by_key(|((beginning, _), _)| beginning.len()).map(|(_, family)| &**family)
    }

    /// Returns whether a name stands for it.
    pub(crate) fn is(&self, name: &Reference) -> bool {
        name.number == Some(self.number)
    }
}

/// Who has seen on the wire what no document describes; empty for what a document does.
pub(crate) type Sources = Vec<Placed>;

impl Source {
    /// Returns the id of the document.
    pub(crate) fn document(&self) -> &str {
        &self.document.0
    }

    /// Returns the heading of the section.
    pub(crate) fn section(&self) -> Option<&str> {
        self.section.as_ref().map(|(section, _)| &**section)
    }
}

/// The read by which a caller finds out whether the credentials are accepted.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    pub(crate) place: Place,
    pub(crate) operation: NameOf<Checks>,
    /// The request as wire JSON.
    pub(crate) request: Placed,
}

/// A ceiling that is not a rate and belongs to no single operation.
#[derive(Clone, Debug)]
pub(crate) struct Ceiling {
    pub(crate) id: String,
    pub(crate) place: Place,
    pub(crate) n: u64,
    /// The values that count towards it; `None` if all do.
    pub(crate) over: Option<CeilingValues>,
    pub(crate) doc: String,
    pub(crate) source: Option<Source>,
}

/// The values of an enum that a ceiling is over.
#[derive(Clone, Debug)]
pub(crate) struct CeilingValues {
    pub(crate) enum_index: usize,
    pub(crate) values: Vec<Placed>,
}

impl Builder<'_> {
    pub(super) fn family(&mut self, number: usize, documents: &FamilyDocuments) -> Family {
        let raw = &documents.family;
        let name = self.family_name(documents);
        let names = TypeNames::of(&documents.types);
        let place = documents.place;
        let mut scope = FamilyBuilder { family: documents, names: &names, builder: self };
        let enums = scope.enums();
        let lifecycle = scope.lifecycle(&enums);
        let identifiers = scope.identifiers();
        let choices = scope.choices();
        let records = scope.records();
        let operations = scope.operations();
        let (instrument, classes) = (raw.instrument.clone(), scope.classes());
        let limits = scope.ceilings();
        scope.refuse_unused();
        Family {
            rust: self.rust_name(&None, &name, place, "", type_name),
            title: raw.title.as_ref().map_or_else(|| name.clone(), |title| title.value.clone()),
            doc: if self.documents.incomplete { text_of(&raw.doc) } else { self.need(&raw.doc, "doc", place) },
            source: self.source_of_all(&raw.source),
            sources: self.sources(raw.sources.as_ref(), raw.source.as_ref()),
            numbers_as_text: types::travels_as_text(raw.numbers, None),
            errors: raw.errors.iter().map(|(code, error)| self.error_code(code, error)).collect(),
            limits,
            instrument,
            classes,
            serves: raw.serves.iter().map(|(path, family)| (placed(path), NameOf::new(placed(family)))).collect(),
            probe: raw.probe.as_ref().and_then(|probe| self.probe(probe)),
            flat: raw.flat.clone(),
            lifecycle,
            statements: self.statements(
                &raw.rules,
                &documents.operations,
                &raw.not_shown,
                &raw.contradictions,
                &raw.observed,
            ),
            enums,
            identifiers,
            choices,
            records,
            effects: operations.iter().map(|operation| operation.effect).collect(),
            operations: Operations(operations),
            shared_files: documents.shared_files.clone(),
            number,
            name,
            place,
        }
    }

    fn family_name(&mut self, documents: &FamilyDocuments) -> String {
        if documents.family.family.is_none() && !self.documents.incomplete {
            self.missing("family", documents.place);
        }
        if documents.family.numbers.is_none() && !self.documents.incomplete {
            self.missing("numbers", documents.place);
        }
        documents.folder.clone()
    }

    fn probe(&mut self, raw: &Spanned<raw::Probe>) -> Option<Probe> {
        let Some(operation) = &raw.operation else {
            self.missing("operation", raw.place);
            return None;
        };
        let request = raw.request.as_ref().map_or_else(|| ("{}".to_owned(), raw.place), |request| placed(request));
        Some(Probe { place: raw.place, operation: NameOf::new(placed(operation)), request })
    }
}

impl FamilyBuilder<'_, '_> {
    pub(super) fn ceilings(&mut self) -> Vec<Ceiling> {
        self.family.family.limits.iter().map(|raw| self.ceiling(raw)).collect()
    }

    fn ceiling(&mut self, raw: &Spanned<raw::Ceiling>) -> Ceiling {
        if raw.n.is_none() {
            self.builder.missing("n", raw.place);
        }
        if let Some(n) = raw.n.as_ref().filter(|n| n.value == 0) {
            self.at(n.place, Code::BadNumber, "a ceiling of 0 allows nothing").help("write how many there may be");
        }
        let place = raw.id.as_ref().map_or(raw.place, |id| id.place);
        Ceiling {
            source: self.builder.source(&raw.source),
            id: self.builder.need(&raw.id, "id", raw.place),
            place,
            n: raw.n.as_ref().map_or(0, |n| n.value),
            over: raw.over.as_ref().and_then(|over| self.over(over)),
            doc: text_of(&raw.doc),
        }
    }

    /// Returns one enum, with the values that count.
    pub(super) fn over(&mut self, raw: &Spanned<Named<Texts>>) -> Option<CeilingValues> {
        let mut entries = raw.iter();
        let (Some((name, values)), None) = (entries.next(), entries.next()) else {
            self.at(raw.place, Code::Misplaced, "expected the values of one enum")
                .help("write `over: { Enum: [value, ..] }`, or leave it out if everything counts");
            return None;
        };
        let enum_index = match self.resolve(name) {
            Type::Enum(index) => index,
            _ => {
                if self.names.get(&name.value).is_some() {
                    let message = format!("expected an enum, found `{}`", name.value);
                    let help = "name the enum whose values count";
                    self.at(name.place, Code::Misplaced, message).help(help);
                }
                return None;
            }
        };
        if values.is_empty() {
            self.at(name.place, Code::Misplaced, "`over` lists no values")
                .help("list the values that count, or leave `over` out if everything does");
        }
        let values = values.iter().map(|value| (value.value.clone(), value.place)).collect();
        Some(CeilingValues { enum_index, values })
    }
}

impl Family {
    pub(super) fn element(&self) -> Element {
        let Self {
            name,
            number: _,
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
        let instrument = instrument.as_ref().map(declared::words);
        let serves = serves.iter().map(|((path, _), family)| format!("{path}: {family}"));
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
                elements::sources(sources),
                Key::prose("doc", doc),
            ])
            .observed(self.is_observed())
            .holds(errors.iter().map(|error| error.element(name)))
            .holds(probe.iter().map(|probe| probe.element(name)))
            .holds(flat.iter().map(|flat| {
                // The operations that the client's function `flatten` calls.
                stated("flat", name, flat).when(
                    additive("`flatten` cancels and closes everything of the family"),
                    breaking("`flatten` no longer cancels and closes anything of the family"),
                )
            }))
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
    /// Returns the function `check_credentials` of the family.
    pub(super) fn element(&self, family: &str) -> Element {
        let Self { place, operation, request } = self;
        let called = || behaviour("what is called to check the credentials");
        Element::new("probe", family, ["probe", "probe"], *place)
            .when(
                additive("a function that checks the credentials"),
                breaking("its credentials can no longer be checked"),
            )
            .keys([Key::new("operation", &operation.text, called()), Key::new("request", request.0.trim(), called())])
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

/// The statements that families and operations can have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Statements {
    pub(crate) rules: Vec<Rule>,
    pub(crate) not_shown: Vec<OpenQuestion>,
    pub(crate) contradictions: Vec<Contradiction>,
    pub(crate) observed: Vec<Observation>,
}

/// Two statements that cannot both hold.
#[derive(Clone, Debug)]
pub(crate) struct Contradiction {
    pub(crate) id: String,
    pub(crate) place: Place,
    pub(crate) readings: Vec<String>,
    pub(crate) chosen: String,
    pub(crate) why: String,
}

/// Something seen on the wire and in no document.
#[derive(Clone, Debug)]
pub(crate) struct Observation {
    pub(crate) id: String,
    pub(crate) place: Place,
    pub(crate) says: String,
    pub(crate) sources: Vec<String>,
}

impl Builder<'_> {
    pub(super) fn statements(
        &mut self,
        rules: &[Spanned<raw::Rule>],
        operations: &OperationFiles,
        not_shown: &[Short<OpenQuestion>],
        contradictions: &[Spanned<raw::Contradiction>],
        observed: &[Spanned<raw::Observation>],
    ) -> Statements {
        Statements {
            rules: super::rules::rules(self, rules, operations),
            not_shown: not_shown.iter().map(|Short(open)| open.clone()).collect(),
            contradictions: self::contradictions(self, contradictions),
            observed: observations(self, observed),
        }
    }
}

pub(super) fn contradictions(builder: &mut Builder<'_>, raw: &[Spanned<raw::Contradiction>]) -> Vec<Contradiction> {
    raw.iter()
        .map(|raw| {
            let readings: BTreeSet<&str> = raw.readings.iter().map(|reading| reading.value.trim()).collect();
            if readings.len() < 2 {
                builder
                    .at(raw.place, Code::BadRule, "a contradiction has at least two different readings")
                    .help("add them to `readings`");
            }
            Contradiction {
                id: builder.need(&raw.id, "id", raw.place),
                place: raw.id.as_ref().map_or(raw.place, |id| id.place),
                readings: raw.readings.iter().map(|text| text.value.trim().to_owned()).collect(),
                chosen: builder.need(&raw.chosen, "chosen", raw.place),
                why: builder.need(&raw.why, "why", raw.place),
            }
        })
        .collect()
}

pub(super) fn observations(builder: &mut Builder<'_>, raw: &[Spanned<raw::Observation>]) -> Vec<Observation> {
    raw.iter()
        .map(|raw| {
            if raw.sources.is_empty() {
                builder.missing("sources", raw.place);
            }
            Observation {
                id: builder.need(&raw.id, "id", raw.place),
                place: raw.id.as_ref().map_or(raw.place, |id| id.place),
                says: builder.need(&raw.says, "says", raw.place),
                sources: raw.sources.iter().map(|text| text.value.trim().to_owned()).collect(),
            }
        })
        .collect()
}

impl Statements {
    /// Adds the statements of a family or an operation to its element.
    pub(super) fn add_to(&self, element: Element) -> Element {
        let Self { rules, not_shown, contradictions, observed } = self;
        let of = element.path.clone();
        element
            .keys(not_shown.iter().map(OpenQuestion::key))
            .states(not_shown.iter().map(|open| open.fact(&of)))
            .holds(rules.iter().map(|rule| rule.element(&of)))
            .holds(contradictions.iter().map(|one| one.element(&of)))
            .holds(observed.iter().map(|one| one.element(&of, [of.as_str()])))
    }
}

impl OpenQuestion {
    /// Returns a key without a name, so that versions are compared by its presence.
    pub(super) fn key(&self) -> Key {
        let Self { says, at: _, place } = self;
        Key { is_one_of_several: true, ..Key::prose("not_shown", &says.0).at(Some(*place)) }
    }

    pub(super) fn fact(&self, about: &str) -> (Place, Fact) {
        (self.place, Fact::OpenQuestion { about: about.to_owned(), says: self.says.0.to_string() })
    }
}

impl Contradiction {
    pub(super) fn element(&self, of: &str) -> Element {
        let Self { id, place, readings, chosen, why } = self;
        let fact = Fact::Contradiction { about: of.to_owned(), readings: readings.join(" / ") };
        Element::new("contradiction", path(of, id), [id, id], *place)
            .keys([Key::prose("readings", &readings.join(" / ")), Key::prose("chosen", chosen), Key::prose("why", why)])
            .states([(*place, fact)])
    }
}

impl Observation {
    /// Returns the element; a statement about the whole API is a fact about each of its families.
    pub(super) fn element<'a>(&self, of: &str, about: impl IntoIterator<Item = &'a str>) -> Element {
        let Self { id, place, says, sources } = self;
        let fact = |about: &str| (*place, Fact::Observed { about: about.to_owned(), says: says.clone() });
        Element::new("observation", path(of, id), [id, id], *place)
            .keys([Key::prose("says", says), Key::new("sources", list(sources), documentation(""))])
            .states(about.into_iter().map(fact))
    }
}

/// The operations of a family.
#[derive(Clone, Debug)]
pub(crate) struct Operations(pub(crate) Vec<Operation>);

impl Operations {
    /// Returns the operation that a name stands for, if it is emitted.
    pub(crate) fn get(&self, name: &Reference) -> Option<&Operation> {
        self.numbered(name.number?)
    }

    /// Returns the operation with a number, if it is emitted.
    pub(crate) fn numbered(&self, number: usize) -> Option<&Operation> {
        let at = self.0.binary_search_by_key(&number, |operation| operation.number).ok()?;
        self.0.get(at)
    }

    /// Returns the name of each operation with the id of each of its rules.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().flat_map(|operation| {
            let ids = operation.statements.rules.iter().map(|rule| rule.id.as_str());
            ids.map(|id| (operation.name.as_str(), id))
        })
    }

    /// Returns whether an operation confirms its effect by this query.
    pub(crate) fn are_confirmed_by(&self, query: &Operation) -> bool {
        let confirms = self.0.iter().filter_map(|operation| operation.confirm.as_ref());
        confirms.flat_map(Confirm::queries).any(|name| query.is(name))
    }

    /// Returns the answers of batches, and how they state the results.
    pub(crate) fn batches(&self) -> impl Iterator<Item = (&Response, &Batch)> {
        self.0.iter().filter_map(|operation| Some((&operation.response, operation.batch.as_ref()?)))
    }

    /// Returns where answers state why an item of a request failed: the record of the answer, its member with failed
    /// items unless the answer itself lists them, and the member with the code.
    pub(crate) fn item_codes(&self) -> impl Iterator<Item = (usize, Option<&str>, &str)> {
        self.batches().filter_map(|(response, batch)| {
            let (record, list) = match *response {
                Response::Array { record, .. } => (record, None),
                Response::Object { record } => (record, Some(batch.failed.as_ref()?.text.as_str())),
                Response::Page { .. } | Response::Undefined => return None,
            };
            Some((record, list, batch.code.as_ref()?.0.as_str()))
        })
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Operation> {
        self.0.iter_mut()
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&Operation) -> bool) {
        self.0.retain(keep);
    }
}

impl Deref for Operations {
    type Target = [Operation];

    fn deref(&self) -> &[Operation] {
        &self.0
    }
}

impl<'a> IntoIterator for &'a Operations {
    type Item = &'a Operation;
    type IntoIter = std::slice::Iter<'a, Operation>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl FamilyBuilder<'_, '_> {
    pub(super) fn operations(&mut self) -> Vec<Operation> {
        let family = self.family;
        let numbered = family.operations.iter().enumerate();
        numbered.map(|(number, (file, place, raw))| self.operation(number, file, *place, raw)).collect()
    }
}
