//! What the site shows, read from the model. Pages are made of this; nothing else of the site asks the model for more
//! than plain data.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::address::{Address, Anchors, anchor};
use crate::diagnostics::Place;
use crate::emit;
pub(super) use crate::rules::Case;
use crate::rules::{self, Check, Entry};

pub(super) use crate::model::{
    Access, Algorithm, Api, Body, Carried, Choice, CodeProof, Confirm, Content, Credentials, Deprecated, Effect,
    Encoding, ErrorCode, Family, Field, Lists, Need, Objects, Operation, ParameterStyle, Part, PartKind, PropertyKind,
    Response, RowOutcome, RuleKind, Ruled, Sends, Sent, Severity, Signature, SignedPart, Source, Statements,
    TimestampForm, Token, Unit, Within, parts_text, phrases,
};
use crate::model::{ChoiceKind, Condition, ListName, Parameter, Role, Rule, Shape, Test, Type, WireParameter};

/// A schema as the site shows it.
pub(super) struct Site<'a> {
    pub(super) api: &'a Api,
    /// The files of the schema, in the order in which places refer to them.
    pub(super) sources: &'a [SourceFile],
    pub(super) families: Vec<FamilyView<'a>>,
    /// The lines of the schema that pages link to.
    linked: RefCell<BTreeSet<(u32, u32)>>,
}

/// A file of the schema.
#[derive(Clone, Debug)]
pub(crate) struct SourceFile {
    /// Its name below the folder of the schema.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A family, its operations and its rules.
pub(super) struct FamilyView<'a> {
    pub(super) family: &'a Family,
    pub(super) operations: Vec<OperationView<'a>>,
    pub(super) rules: Vec<RuleView<'a>>,
    uses: BTreeMap<String, BTreeSet<Use>>,
}

/// An operation, and everything that its page shows.
pub(super) struct OperationView<'a> {
    pub(super) operation: &'a Operation,
    pub(super) address: Address,
    pub(super) parameters: Vec<Block<'a>>,
    pub(super) answer: Vec<FieldView<'a>>,
    pub(super) rules: Vec<RuleView<'a>>,
    pub(super) examples: Vec<ExampleView<'a>>,
}

/// A parameter, or several that make a choice.
pub(super) enum Block<'a> {
    One(Box<ParameterView<'a>>),
    /// One of these is sent.
    OneOf {
        choice: &'a Choice,
        of: &'a Parameter,
        wins: Wins<'a>,
        parameters: Vec<ParameterView<'a>>,
    },
    /// The value of the first decides which others go with it.
    ByValue {
        choice: &'a Choice,
        of: &'a Parameter,
        decider: Box<ParameterView<'a>>,
        cases: Vec<CaseView<'a>>,
    },
}

/// Which alternative counts when several are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wins<'a> {
    Name(&'a str),
    Unstated,
    Nothing,
}

/// What goes with one value.
pub(super) struct CaseView<'a> {
    pub(super) value: &'a str,
    pub(super) doc: &'a str,
    pub(super) parameters: Vec<ParameterView<'a>>,
}

/// A parameter as its row shows it.
pub(super) struct ParameterView<'a> {
    pub(super) anchor: String,
    pub(super) path: String,
    pub(super) name: &'a str,
    pub(super) ty: TypeView<'a>,
    pub(super) need: Need,
    /// The same in words, which say more of the parts of a choice.
    pub(super) need_in_words: String,
    pub(super) doc: &'a str,
    pub(super) default: Option<&'a str>,
    pub(super) default_note: Option<&'a str>,
    /// The largest value or number of items.
    pub(super) max: Vec<String>,
    /// What else bounds it, in words.
    pub(super) bounds: Vec<String>,
    pub(super) values: Vec<ValueView<'a>>,
    /// What a text that stands for deletion is, where leaving the parameter out keeps the value.
    pub(super) edit: Option<Option<&'a str>>,
    pub(super) may_be_blank: bool,
    pub(super) units: &'a [Unit],
    pub(super) deprecated: Option<&'a Deprecated>,
    pub(super) items: Vec<Block<'a>>,
    pub(super) place: Place,
    /// The rules that touch it, by their place among those of the operation.
    pub(super) rules: Vec<usize>,
}

/// A value that can stand for a parameter or in a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueView<'a> {
    pub(super) wire: &'a str,
    pub(super) doc: &'a str,
}

/// What a value is: on the wire, and in the schema.
#[derive(Clone, Debug)]
pub(super) struct TypeView<'a> {
    pub(super) json: &'static str,
    pub(super) name: &'a str,
    pub(super) is_list: bool,
    /// Where the type is described; built-in types have no such place.
    pub(super) address: Option<Address>,
}

/// A field of an answer.
pub(super) struct FieldView<'a> {
    pub(super) field: &'a Field,
    pub(super) ty: TypeView<'a>,
    pub(super) doc: &'a str,
    pub(super) values: Vec<ValueView<'a>>,
    pub(super) fields: Vec<FieldView<'a>>,
}

/// A rule with its proof.
pub(super) struct RuleView<'a> {
    pub(super) anchor: String,
    pub(super) id: String,
    pub(super) kind: RuleKind,
    pub(super) warns: bool,
    pub(super) says: String,
    pub(super) why: Option<&'a str>,
    /// The condition in words; empty where there is nothing more to say.
    pub(super) test: String,
    pub(super) at: String,
    pub(super) place: Place,
    /// Whether the schema writes it out; others follow from a parameter, a window, a rate.
    pub(super) is_written: bool,
    /// Parameters of which it always wants one.
    pub(super) one_of: Vec<Vec<String>>,
    /// The paths of the parameters that it touches.
    pub(super) touches: BTreeSet<String>,
    pub(super) refused: Vec<&'a Case>,
    pub(super) accepted: Vec<&'a Case>,
}

/// A request and its answer, in several languages.
pub(super) struct ExampleView<'a> {
    pub(super) about: &'a str,
    pub(super) request: &'a str,
    pub(super) response: &'a str,
    pub(super) calls: Option<emit::ExampleCalls>,
}

/// Where a type is used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Use {
    pub(super) text: String,
    pub(super) file: String,
    pub(super) anchor: String,
}

/// What becomes of a request of an operation that is answered with a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Done,
    NotDone,
    Unknown,
    /// Not done, unless the request does several things, of which a part may be done.
    UnknownWhenCompound,
    /// A read: there is nothing that could have been done.
    Nothing,
}

impl<'a> Site<'a> {
    pub(super) fn new(api: &'a Api, sources: &'a [SourceFile], cases: &'a [Case]) -> Self {
        let mut by_rule: BTreeMap<(&str, &str), Vec<&Case>> = BTreeMap::new();
        for case in cases {
            by_rule.entry((&case.operation, &case.rule)).or_default().push(case);
        }
        let families = api.families.iter().map(|family| FamilyView {
            family,
            operations: family.operations.iter().map(|operation| view(api, family, operation, &by_rule)).collect(),
            rules: {
                let written: Vec<_> = family.statements.rules.iter().collect();
                let entries = rules::of_family(family);
                RuleReader { family, operation: None, cases: &by_rule, anchors: Anchors::default() }
                    .all(&written, entries)
            },
            uses: uses(family),
        });
        Self { api, sources, families: families.collect(), linked: RefCell::default() }
    }

    /// All operations, each with its family.
    pub(super) fn operations(&self) -> impl Iterator<Item = (&FamilyView<'a>, &OperationView<'a>)> {
        self.families.iter().flat_map(|family| family.operations.iter().map(move |operation| (family, operation)))
    }

    /// The file and the line of a place.
    pub(super) fn source_of(&self, place: Place) -> Option<(&'a str, u32)> {
        let file = self.sources.get(place.file as usize)?;
        Some((file.name.as_str(), place.line.max(1)))
    }

    /// The same for a link, which the page of the file then has an anchor for.
    pub(super) fn link_to(&self, place: Place) -> Option<(&'a str, u32)> {
        self.linked.borrow_mut().insert((place.file, place.line.max(1)));
        self.source_of(place)
    }

    /// Whether a page links to a line of a file.
    pub(super) fn is_linked(&self, file: usize, line: usize) -> bool {
        let (Ok(file), Ok(line)) = (u32::try_from(file), u32::try_from(line)) else { return false };
        self.linked.borrow().contains(&(file, line))
    }
}

impl<'a> FamilyView<'a> {
    pub(super) fn name(&self) -> &'a str {
        &self.family.name
    }

    /// The operation of a name.
    pub(super) fn operation(&self, name: &str) -> Option<&OperationView<'a>> {
        self.operations.iter().find(|view| view.operation.name == name)
    }

    /// Where a type is used, in order.
    pub(super) fn uses_of(&self, name: &str) -> impl Iterator<Item = &Use> {
        self.uses.get(name).into_iter().flatten()
    }

    /// The fields of a record, without those of records in it.
    pub(super) fn fields_of(&self, fields: &'a [Field]) -> Vec<FieldView<'a>> {
        fields.iter().map(|field| field_view(self.family, field, &mut None)).collect()
    }

    /// The parameters of a choice.
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

    /// The name of the parameter that decides a choice.
    pub(super) fn decider_of(&self, choice: &'a Choice) -> Option<&'a str> {
        match &choice.kind {
            ChoiceKind::Presence { .. } => None,
            ChoiceKind::Value { decider, .. } => Some(&decider.wire),
        }
    }
}

impl<'a> OperationView<'a> {
    /// What a code of the family means for a request of this operation.
    pub(super) fn verdict(&self, error: &ErrorCode) -> Verdict {
        let leaves_open = |compound: bool| error.proof.leaves_open(self.operation.effect, compound);
        match &self.operation.compound {
            _ if error.success => Verdict::Done,
            _ if self.operation.effect == Effect::Read => Verdict::Nothing,
            _ if leaves_open(false) => Verdict::Unknown,
            Some(compound) if leaves_open(true) => match &compound.when {
                None => Verdict::Unknown,
                Some(_) => Verdict::UnknownWhenCompound,
            },
            Some(_) | None => Verdict::NotDone,
        }
    }

    /// Every parameter, with those of choices and items.
    pub(super) fn all_parameters(&self) -> Vec<&ParameterView<'a>> {
        let mut found = Vec::new();
        collect(&self.parameters, &mut found);
        found
    }
}

fn collect<'b, 'a>(blocks: &'b [Block<'a>], found: &mut Vec<&'b ParameterView<'a>>) {
    let add = |one: &'b ParameterView<'a>, found: &mut Vec<&'b ParameterView<'a>>| {
        found.push(one);
        collect(&one.items, found);
    };
    for block in blocks {
        match block {
            Block::One(one) => add(one, found),
            Block::OneOf { parameters, .. } => parameters.iter().for_each(|one| add(one, found)),
            Block::ByValue { decider, cases, .. } => {
                add(decider, found);
                cases.iter().flat_map(|case| &case.parameters).for_each(|one| add(one, found));
            }
        }
    }
}

fn view<'a>(
    api: &'a Api,
    family: &'a Family,
    operation: &'a Operation,
    cases: &BTreeMap<(&str, &str), Vec<&'a Case>>,
) -> OperationView<'a> {
    let written: Vec<_> = operation.statements.rules.iter().collect();
    let entries = rules::of_operation(family, operation);
    let reader = RuleReader { family, operation: Some(operation), cases, anchors: Anchors::default() };
    let rules = reader.all(&written, entries);
    let mut reader = ParameterReader { family, rules: &rules, anchors: Anchors::default() };
    let parameters = reader.blocks(None, operation.body.parameters());
    let record = match &operation.response {
        Response::Object { record } | Response::Array { record, .. } | Response::Page { record, .. } => Some(*record),
        Response::Undefined => None,
    };
    let answer = record.and_then(|index| Some((index, family.records.get(index)?)));
    let answer = answer.map_or_else(Vec::new, |(index, record)| {
        record.fields.iter().map(|field| field_view(family, field, &mut Some(vec![index]))).collect()
    });
    let examples = operation.examples.iter().map(|example| ExampleView {
        about: &example.about,
        request: &example.request.0,
        response: &example.response.0,
        calls: emit::example_calls(api, family, operation, &example.request.0),
    });
    OperationView {
        operation,
        address: Address::operation(&family.name, &operation.name),
        parameters,
        answer,
        rules,
        examples: examples.collect(),
    }
}

struct ParameterReader<'a, 'r> {
    family: &'a Family,
    rules: &'r [RuleView<'a>],
    anchors: Anchors,
}

impl<'a> ParameterReader<'a, '_> {
    fn blocks(&mut self, list: Option<&'a ListName>, parameters: &'a [Parameter]) -> Vec<Block<'a>> {
        parameters.iter().map(|of| self.block(list, of)).collect()
    }

    fn block(&mut self, list: Option<&'a ListName>, of: &'a Parameter) -> Block<'a> {
        let wire = |name, role| WireParameter { name, of, role, list };
        let Some(choice) = self.family.choice_of(of) else {
            return Block::One(Box::new(self.parameter(&wire(&of.name, Role::Plain(of)))));
        };
        match &choice.kind {
            ChoiceKind::Presence { alternatives, wins } => {
                let wins = match wins {
                    Some(_) if of.wins_unstated => Wins::Unstated,
                    Some((name, _)) => Wins::Name(name),
                    None => Wins::Nothing,
                };
                let parameters = alternatives.iter().map(|one| {
                    let mut view = self.parameter(&wire(&one.name, Role::Alternative(one)));
                    if view.need == Need::Conditional {
                        view.need_in_words = "one of these".to_owned();
                    }
                    view
                });
                Block::OneOf { choice, of, wins, parameters: parameters.collect() }
            }
            ChoiceKind::Value { decider, enum_index, cases } => {
                let values = self.family.enums.get(*enum_index).map(|all| all.values.as_slice()).unwrap_or_default();
                let decider = Box::new(self.parameter(&wire(decider, Role::Decider(*enum_index))));
                let cases = cases.iter().map(|case| {
                    let value = values.get(case.value);
                    let value = value.map_or(("", ""), |value| (value.name.wire.as_str(), value.doc.as_str()));
                    let members = case.parameters.iter().map(|member| {
                        let mut view = self.parameter(&wire(&member.name, Role::Member(member)));
                        if member.need == Need::Always {
                            view.need_in_words = format!("required with {}", value.0);
                        }
                        view
                    });
                    CaseView { value: value.0, doc: value.1, parameters: members.collect() }
                });
                Block::ByValue { choice, of, decider, cases: cases.collect() }
            }
        }
    }

    fn parameter(&mut self, wire: &WireParameter<'a>) -> ParameterView<'a> {
        let path = wire.path();
        let parameter = wire.parameter();
        let shape = match wire.role {
            Role::Decider(index) => Shape::One(Type::Enum(index)),
            Role::Plain(one) | Role::Alternative(one) | Role::Member(one) => one.shape.clone(),
        };
        let touching = |rule: &&(usize, &RuleView<'a>)| rule.1.touches.contains(&path);
        let rules = self.rules.iter().enumerate().collect::<Vec<_>>();
        let rules = rules.iter().filter(touching).map(|(index, _)| *index).collect();
        let max_items = parameter.and_then(|one| one.max_items).map(|(n, _)| n.to_string());
        let max = parameter.and_then(|one| one.max.as_ref()).map(|(max, _)| max.clone());
        ParameterView {
            anchor: self.anchors.of("parameter", &path),
            name: &wire.name.wire,
            ty: type_view(self.family, &shape, wire.json_type().as_str()),
            need: wire.need(),
            need_in_words: wire.need().in_words().to_owned(),
            doc: match wire.role {
                Role::Decider(index) => self.family.enums.get(index).map_or("", |all| all.doc.as_str()),
                Role::Plain(one) | Role::Alternative(one) | Role::Member(one) => {
                    described(self.family, &one.shape, &one.doc)
                }
            },
            default: parameter.and_then(|one| one.default.as_ref()).map(|(default, _)| default.as_str()),
            default_note: parameter.and_then(|one| one.default_note.as_deref()),
            max: max.into_iter().chain(max_items).collect(),
            bounds: bounds(self.family, parameter),
            values: values(self.family, &shape, wire.values(self.family)),
            edit: parameter.and_then(|one| one.edit.as_ref()).map(|edit| edit.delete.as_deref()),
            may_be_blank: parameter.is_some_and(|one| one.may_be_blank),
            units: parameter.map_or(&[], |one| &one.units),
            deprecated: parameter.and_then(|one| one.deprecated.as_ref()),
            items: parameter
                .and_then(Parameter::item)
                .map_or_else(Vec::new, |item| self.blocks(Some(&item.list), &item.parameters)),
            place: parameter.map_or(wire.of.name.place, |one| one.name.place),
            rules,
            path,
        }
    }
}

/// What bounds a parameter beside its maximum.
fn bounds(family: &Family, parameter: Option<&Parameter>) -> Vec<String> {
    let Some(parameter) = parameter else { return Vec::new() };
    let of = family.identifier_of(&parameter.shape);
    [
        parameter.min.as_ref().map(|(min, _)| format!("at least {min}")),
        parameter.min_items.map(|(n, _)| format!("at least {n} items")),
        parameter.digits.map(|(n, _)| format!("at most {n} digits")),
        of.and_then(|of| of.length).map(|(min, max)| format!("{min} to {max} characters")),
        of.and_then(|of| of.alphabet.as_ref()).map(|(alphabet, _)| format!("characters of [{alphabet}]")),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What is said of a value; of its type where nothing else is said.
fn described<'a>(family: &'a Family, shape: &Shape, doc: &'a str) -> &'a str {
    match shape.element() {
        Some(ty) if doc.trim().is_empty() => family.type_doc(ty),
        _ => doc,
    }
}

fn values<'a>(family: &'a Family, shape: &Shape, listed: Vec<(&'a str, Place)>) -> Vec<ValueView<'a>> {
    let all = family.enum_of(shape);
    let doc = |wire: &str| all.and_then(|all| Some(all.values.get(all.index_of(wire)?)?.doc.as_str()));
    listed.into_iter().map(|(wire, _)| ValueView { wire, doc: doc(wire).unwrap_or_default() }).collect()
}

fn type_view<'a>(family: &'a Family, shape: &Shape, json: &'static str) -> TypeView<'a> {
    let element = shape.element();
    let name = element.map_or("object", |ty| family.type_name(ty));
    let named = element.filter(|ty| !ty.is_built_in() && *ty != Type::Undefined);
    TypeView {
        json,
        name,
        is_list: shape.single().is_none(),
        address: named.map(|_| Address::types(&family.name).at(anchor("type", name))),
    }
}

/// A field; `open` are the records that it stands in, where those in it are shown too.
fn field_view<'a>(family: &'a Family, field: &'a Field, open: &mut Option<Vec<usize>>) -> FieldView<'a> {
    let mut fields = Vec::new();
    if let (Some(records), Some(Type::Record(index))) = (open.as_mut(), field.shape.element())
        && let Some(record) = family.records.get(index).filter(|_| !records.contains(&index))
    {
        records.push(index);
        fields = record.fields.iter().map(|inner| field_view(family, inner, open)).collect();
        open.as_mut().and_then(Vec::pop);
    }
    FieldView {
        field,
        ty: type_view(family, &field.shape, field.shape.json_type(field.as_text).as_str()),
        doc: described(family, &field.shape, &field.doc),
        values: values(family, &field.shape, family.values_of(&field.shape, &field.only)),
        fields,
    }
}

struct RuleReader<'a, 'c> {
    family: &'a Family,
    operation: Option<&'a Operation>,
    cases: &'c BTreeMap<(&'c str, &'c str), Vec<&'a Case>>,
    anchors: Anchors,
}

impl<'a> RuleReader<'a, '_> {
    /// The rules as the book has them: those that are written out first.
    fn all(mut self, written: &[&'a Rule], entries: Vec<Entry<'a>>) -> Vec<RuleView<'a>> {
        let written = written.iter().map(|rule| Some(*rule)).chain(std::iter::repeat(None));
        entries.into_iter().zip(written).map(|(entry, rule)| self.one(entry, rule)).collect()
    }

    fn one(&mut self, entry: Entry<'a>, written: Option<&'a Rule>) -> RuleView<'a> {
        let about = self.operation.map_or(self.family.name.as_str(), |operation| &operation.id);
        let cases = self.cases.get(&(about, entry.id.as_str())).map(Vec::as_slice).unwrap_or_default();
        let of = |breaks: bool| cases.iter().copied().filter(move |case| case.breaks == breaks).collect();
        RuleView {
            anchor: self.anchors.of("rule", &entry.id),
            kind: entry.kind,
            warns: entry.severity == Severity::Warn,
            why: written.and_then(|rule| rule.why.as_deref()),
            test: written.map(test_in_words).unwrap_or_default(),
            place: self.place(&entry, written),
            is_written: written.is_some(),
            one_of: written.map(one_of).unwrap_or_default(),
            touches: self.touches(&entry, written),
            refused: of(true),
            accepted: of(false),
            id: entry.id,
            says: entry.says,
            at: entry.at,
        }
    }

    fn place(&self, entry: &Entry<'a>, written: Option<&'a Rule>) -> Place {
        let of_operation = self.operation.map_or(self.family.place, |operation| operation.place);
        match (&entry.check, written) {
            (_, Some(rule)) => rule.place,
            (Some(Check::Parameter(leaf, _)), None) => leaf.parameter.name.place,
            (Some(Check::Window(window, _)), None) => window.place,
            (Some(Check::Written(_)) | None, None) => {
                self.named(&entry.id).map_or(of_operation, |leaf| leaf.parameter.name.place)
            }
        }
    }

    /// The parameter that the id of a rule begins with.
    fn named(&self, id: &str) -> Option<rules::Leaf<'a>> {
        let leaves = self.operation.map_or_else(Vec::new, |operation| rules::leaves(self.family, operation));
        leaves.into_iter().find(|leaf| id.strip_prefix(&leaf.path()).is_some_and(|rest| rest.starts_with('.')))
    }

    /// The parameters that it tests, and those that its place in the document names.
    fn touches(&self, entry: &Entry<'a>, written: Option<&'a Rule>) -> BTreeSet<String> {
        let Some(operation) = self.operation else { return BTreeSet::new() };
        let wires = operation.wire_parameters(self.family);
        let Some(rule) = written else {
            return match &entry.check {
                Some(Check::Window(window, _)) => [&window.from.0, &window.to.0].map(String::clone).into(),
                Some(Check::Parameter(..) | Check::Written(_)) | None => {
                    self.named(&entry.id).map(|leaf| leaf.path()).into_iter().collect()
                }
            };
        };
        let within = rule.within.as_ref().map(|(list, _)| list);
        let tested: Vec<&str> = match &rule.test {
            Some(Test::Same(name, _)) => vec![name],
            Some(Test::Unique(names)) => names.iter().map(|(name, _)| name.as_str()).collect(),
            Some(test @ Test::Condition { .. }) => test.conditions().flat_map(Condition::names).collect(),
            None => Vec::new(),
        };
        let is_word = |name: &str| {
            let mut words = rule.at.split(|c: char| !c.is_alphanumeric());
            words.any(|word| word == name) || says(&rule.says, name)
        };
        let touched = wires.iter().filter(|wire| {
            let name = wire.name.wire.as_str();
            (wire.list == within && tested.contains(&name)) || is_word(name)
        });
        touched.map(WireParameter::path).collect()
    }
}

/// Whether a text names a parameter by a word that cannot be one of plain English.
fn says(text: &str, name: &str) -> bool {
    let is_wire_word = name.chars().any(|c| c.is_uppercase() || c == '_') && !name.starts_with(char::is_uppercase);
    is_wire_word && text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

fn test_in_words(rule: &Rule) -> String {
    let Some(test) = &rule.test else { return String::new() };
    match &rule.within {
        Some((ListName::Body, _)) => format!("in each item of the body: {test}"),
        Some((ListName::Parameter(list), _)) => format!("in each item of {list}: {test}"),
        Some((ListName::Object(object), _)) => format!("in {object}: {test}"),
        None => test.to_string(),
    }
}

/// The parameters of which a rule always wants one.
fn one_of(rule: &Rule) -> Vec<Vec<String>> {
    let Some(Test::Condition { when, require, .. }) = &rule.test else { return Vec::new() };
    let prefix = rule.within.as_ref().map(|(list, _)| list.item_prefix()).unwrap_or_default();
    let wanted = require.iter().filter(|_| when.is_empty()).filter_map(|condition| match condition {
        Condition::AnyGiven(names) => Some(names.iter().map(|(name, _)| format!("{prefix}{name}")).collect()),
        Condition::Given(_)
        | Condition::HasForm { .. }
        | Condition::Is { .. }
        | Condition::AccountIs { .. }
        | Condition::Compares { .. } => None,
    });
    wanted.collect()
}

/// Where each type of a family is used, by its name.
fn uses(family: &Family) -> BTreeMap<String, BTreeSet<Use>> {
    let mut uses: BTreeMap<String, BTreeSet<Use>> = BTreeMap::new();
    let mut add = |ty: Option<Type>, text: String, address: Address| {
        if let Some(ty) = ty.filter(|ty| !ty.is_built_in()) {
            let used = Use { text, file: address.file, anchor: address.anchor };
            uses.entry(family.type_name(ty).to_owned()).or_default().insert(used);
        }
    };
    for operation in &family.operations {
        let page = || Address::operation(&family.name, &operation.name);
        for wire in operation.wire_parameters(family) {
            let ty = match wire.role {
                Role::Decider(index) => Some(Type::Enum(index)),
                Role::Plain(one) | Role::Alternative(one) | Role::Member(one) => one.shape.element(),
            };
            let path = wire.path();
            let address = page().at(anchor("parameter", &path));
            add(ty, format!("{} {path}", operation.name), address);
        }
        for (_, parameter, _) in operation.choices(family) {
            add(parameter.shape.element(), operation.name.clone(), page().at("parameters"));
        }
        if let Response::Object { record } | Response::Array { record, .. } | Response::Page { record, .. } =
            &operation.response
        {
            add(Some(Type::Record(*record)), format!("{} answer", operation.name), page().at("answer"));
        }
    }
    for record in family.records.iter().filter(|record| !record.is_abstract) {
        for field in &record.fields {
            let text = format!("{}.{}", record.name.wire, field.name.wire);
            let address = Address::types(&family.name).at(anchor("type", &record.name.wire));
            add(field.shape.element(), text, address);
        }
    }
    uses
}
