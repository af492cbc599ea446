//! The data of the site, read from the model. Pages are made from it and use only plain data of the model themselves.
//!
//! The other inputs are the files of the schema, the documents, and the tests that demonstrate rules.
//!
//! The view alone reads the model: HTML, Markdown, JSON and the search are made of it. A test reads the facts and rules
//! back from the pages and compares both ways.

mod operation;
mod parameters;
mod rules;
mod types;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::address::Anchors;
use crate::compiler::diagnostics::{Code, Diagnostics, Place};
use crate::compiler::model::{ChoiceKind, JsonType, OneOf, Record, RecordCase, Shape, Type};

pub(super) use crate::compiler::model::Parameter;
pub(super) use crate::compiler::model::{
    Absence, Access, Algorithm, Api, Carried, Choice, Class, CodeProof, Confirm, Content, Credentials, Deprecated,
    Effect, Encoding, ErrorCode, ExcludedTransition, Exclusion, Family, Field, Intent, Lifecycle, Lists, Need,
    NonceForm, Objects, Operation, ParameterStyle, Part, PartKind, PoolReporting, Property, PropertyKind, Rate,
    Response, RowOutcome, RuleKind, Sends, Sent, Signature, SignedPart, SignedQuery, Source, Statements, TimestampForm,
    Token, Transition, Unit, Window, Within, parts_text, phrases,
};
pub(super) use crate::tools::rules::Case;
pub(super) use operation::{CodeOutcome, CounterpartView, ExampleView, OperationView};
pub(super) use parameters::{Block, ParameterView, Precedence};
pub(super) use rules::RuleView;
pub(super) use types::{FieldView, TypeView, Use, ValueView};

/// A schema in the form of the site.
pub(super) struct Site<'a> {
    pub(super) api: &'a Api,
    pub(super) inputs: &'a SiteInputs,
    pub(super) families: Vec<FamilyView<'a>>,
    /// The lines of the schema that pages link to.
    linked: RefCell<BTreeSet<(u32, u32)>>,
    /// The lines of the documents that pages link to.
    linked_documents: RefCell<BTreeSet<(String, usize)>>,
}

/// A family with its operations and rules.
pub(super) struct FamilyView<'a> {
    pub(super) family: &'a Family,
    pub(super) operations: Vec<OperationView<'a>>,
    pub(super) rules: Vec<RuleView<'a>>,
    uses: BTreeMap<String, BTreeSet<Use>>,
}

impl<'a> Site<'a> {
    pub(super) fn new(api: &'a Api, inputs: &'a SiteInputs, cases: &'a [Case]) -> Self {
        let mut by_rule: BTreeMap<(&str, &str), Vec<&Case>> = BTreeMap::new();
        for case in cases {
            by_rule.entry((&case.operation, &case.rule)).or_default().push(case);
        }
        let families = api.families.iter().map(|family| FamilyView {
            family,
            operations: family
                .operations
                .iter()
                .map(|operation| operation::view(api, family, operation, &by_rule, &inputs.tests))
                .collect(),
            rules: {
                let written: Vec<_> = family.statements.rules.iter().collect();
                let entries = crate::tools::rules::of_family(family);
                rules::RuleReader {
                    family,
                    operation: None,
                    cases: &by_rule,
                    tests: &inputs.tests,
                    anchors: Anchors::default(),
                }
                .all(&written, entries)
            },
            uses: types::uses(family),
        });
        Self {
            api,
            inputs,
            families: families.collect(),
            linked: RefCell::default(),
            linked_documents: RefCell::default(),
        }
    }

    /// Returns all operations, each with its family.
    pub(super) fn operations(&self) -> impl Iterator<Item = (&FamilyView<'a>, &OperationView<'a>)> {
        self.families.iter().flat_map(|family| family.operations.iter().map(move |operation| (family, operation)))
    }

    /// Returns the families, that with the most operations first: where several have the same code, it is the
    /// likeliest.
    pub(super) fn largest_first(&self) -> Vec<&FamilyView<'a>> {
        let mut families: Vec<_> = self.families.iter().collect();
        families.sort_by_key(|family| (family.family.is_observed(), std::cmp::Reverse(family.operations.len())));
        families
    }

    /// Returns the file and the line of a place.
    pub(super) fn source_of(&self, place: Place) -> Option<(&'a str, u32)> {
        let file = self.inputs.schema.get(place.file as usize)?;
        Some((file.name.as_str(), place.line.max(1)))
    }

    /// Returns the file and the line of a place for a link, for which the page of the file then has an anchor.
    pub(super) fn link_to(&self, place: Place) -> Option<(&'a str, u32)> {
        self.linked.borrow_mut().insert((place.file, place.line.max(1)));
        self.source_of(place)
    }

    /// Returns whether a page links to a line of a file.
    pub(super) fn is_linked(&self, file: usize, line: usize) -> bool {
        let (Ok(file), Ok(line)) = (u32::try_from(file), u32::try_from(line)) else { return false };
        self.linked.borrow().contains(&(file, line))
    }

    /// Returns the document and the line for each part of a rule's place, if the site has the documents.
    pub(super) fn lines_of<'r>(
        &'r self,
        rule: &'r RuleView<'a>,
    ) -> impl Iterator<Item = (&'r str, Option<(&'r str, usize)>)> {
        rule.at.split(';').map(str::trim).map(|at| (at, self.line_of(rule.document, at)))
    }

    /// Returns the document that has a place, preferring that of the rule, and the line.
    fn line_of(&self, document: Option<&str>, at: &str) -> Option<(&str, usize)> {
        let all = &self.inputs.documents;
        let own = all.iter().filter(|(id, _)| document == Some(id.as_str()));
        let others = all.iter().filter(|(id, _)| document != Some(id.as_str()));
        let (id, line) = own.chain(others).find_map(|(id, file)| Some((id.as_str(), *file.lines.get(at)?)))?;
        self.linked_documents.borrow_mut().insert((id.to_owned(), line));
        Some((id, line))
    }

    /// Returns whether a page links to a line of a document.
    pub(super) fn is_document_linked(&self, id: &str, line: usize) -> bool {
        self.linked_documents.borrow().contains(&(id.to_owned(), line))
    }
}

impl<'a> FamilyView<'a> {
    pub(super) fn name(&self) -> &'a str {
        &self.family.name
    }

    /// Returns the operation with this name.
    pub(super) fn operation(&self, name: &str) -> Option<&OperationView<'a>> {
        self.operations.iter().find(|view| view.operation.name == name)
    }

    /// Returns the uses of a type, in order.
    pub(super) fn uses_of(&self, name: &str) -> impl Iterator<Item = &Use> {
        self.uses.get(name).into_iter().flatten()
    }

    /// Returns the records of which a record is one, each with what tells it from the others.
    pub(super) fn cases_of(&self, record: &'a Record) -> Vec<(TypeView<'a>, String)> {
        let case = |(one_of, case): (&OneOf, &RecordCase)| {
            let shape = Shape::One(Type::Record(case.record));
            (
                types::type_view(self.family, &shape, JsonType::Object.as_str()),
                phrases::told_by(one_of, case, &phrases::PLAIN),
            )
        };
        record.cases_told().map(case).collect()
    }

    /// Returns the cases of the record that an operation answers with.
    pub(super) fn cases_of_answer(&self, operation: &Operation) -> Vec<(TypeView<'a>, String)> {
        let record = operation.response.record().and_then(|of| self.family.records.get(of));
        record.map(|record| self.cases_of(record)).unwrap_or_default()
    }

    /// Returns the fields of a record, without those of nested records.
    pub(super) fn fields_of(&self, fields: &'a [Field]) -> Vec<FieldView<'a>> {
        fields.iter().map(|field| types::field_view(self.family, field, &mut None)).collect()
    }

    /// Returns the parameters of a choice.
    pub(super) fn members_of(&self, choice: &'a Choice) -> Vec<(&'a str, Vec<&'a str>)> {
        let names = |parameters: &'a [Parameter]| parameters.iter().map(|one| one.name.wire.as_str()).collect();
        match &choice.kind {
            ChoiceKind::Presence { alternatives, .. } => vec![("", names(alternatives))],
            ChoiceKind::Value { enum_index, cases, .. } => {
                let values = self.family.enums.get(*enum_index).map(|all| all.values.as_slice()).unwrap_or_default();
                let value = |index: usize| values.get(index).map_or("", |value| value.name.wire.as_str());
                cases.iter().map(|case| (value(case.value), names(&case.parameters))).collect()
            }
        }
    }

    /// Returns the name of the parameter that decides a choice.
    pub(super) fn decider_of(&self, choice: &'a Choice) -> Option<&'a str> {
        match &choice.kind {
            ChoiceKind::Presence { .. } => None,
            ChoiceKind::Value { decider, .. } => Some(&decider.wire),
        }
    }
}

/// Inputs of the site besides the model.
#[derive(Clone, Debug, Default)]
pub(crate) struct SiteInputs {
    /// The files of the schema, in the order of the indices in places.
    pub(crate) schema: Vec<SourceFile>,
    /// The documents by their keys; empty if the site has none.
    pub(crate) documents: BTreeMap<String, DocumentFile>,
    pub(crate) tests: RuleTests,
}

/// A file of the schema.
#[derive(Clone, Debug)]
pub(crate) struct SourceFile {
    /// The name relative to the folder of the schema.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A document, with the lines of the places that rules name.
#[derive(Clone, Debug, Default)]
pub(crate) struct DocumentFile {
    pub(crate) text: String,
    /// The line of each place, such as `Place Order, rule 4`.
    pub(crate) lines: BTreeMap<String, usize>,
}

/// The tests that show how the exchange treats requests that keep or break a rule.
#[derive(Clone, Debug, Default)]
pub struct RuleTests {
    /// The tests by the subject and the id of the rule.
    tests: BTreeMap<(String, String), RuleTest>,
}

/// A test and its location.
#[derive(Clone, Debug)]
pub(crate) struct RuleTest {
    pub(crate) name: String,
    /// The file with the test, beside the list.
    pub(crate) file: String,
    pub(crate) line: usize,
}

impl RuleTests {
    /// Reads a list of tests. A line has the family or the operation of a rule, the id of the rule, and the test as
    /// `module::name`, separated by tabs; the module is a Rust file beside the list.
    ///
    /// # Errors
    /// Fails if a file cannot be read, if a line has another form, or if a test is not in its file.
    pub fn read(list: &Path) -> Result<Self, Diagnostics> {
        let mut to = Diagnostics::default();
        let mut tests = BTreeMap::new();
        for (number, line) in (1..).zip(read(list, &mut to).lines()) {
            let columns: Vec<&str> = line.split('\t').collect();
            let found = match columns[..] {
                [about, rule, test] => {
                    found(list, test, &mut to).map(|found| ((about.to_owned(), rule.to_owned()), found))
                }
                _ => None,
            };
            match found {
                Some((rule, test)) => {
                    tests.insert(rule, test);
                }
                None => {
                    to.whole(Code::CannotRead, format!("{}:{number} names no test: {line}", list.display())).help(
                        "a line is `operation<TAB>rule<TAB>module::test`, and the module is a file beside the list",
                    );
                }
            }
        }
        to.into_result().map(|()| Self { tests })
    }

    /// Returns the test that demonstrates a rule.
    pub(crate) fn of(&self, about: &str, rule: &str) -> Option<&RuleTest> {
        self.tests.get(&(about.to_owned(), rule.to_owned()))
    }

    /// Returns the rules that have a test, each with its subject.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &(String, String)> {
        self.tests.keys()
    }
}

fn found(list: &Path, test: &str, to: &mut Diagnostics) -> Option<RuleTest> {
    let (module, name) = test.rsplit_once("::")?;
    let file = format!("{}.rs", module.replace("::", "/"));
    let path = list.with_file_name(&file);
    let start = format!("fn {name}(");
    let at = read(&path, to).lines().position(|line| {
        let line = line.trim_start();
        line.trim_start_matches("pub ").trim_start_matches("async ").starts_with(&start)
    })?;
    Some(RuleTest { name: name.to_owned(), file, line: at + 1 })
}

fn read(path: &Path, to: &mut Diagnostics) -> String {
    crate::compiler::plain_text::read(path).unwrap_or_else(|error| {
        to.whole(Code::CannotRead, format!("cannot read {}: {error}", path.display()))
            .help("name a list of tests, and keep it beside the files that have them");
        String::new()
    })
}
