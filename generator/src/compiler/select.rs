//! A part of an API: selected operations, and the types that they use.
//!
//! It cuts the model, not the schema: everything is read and checked, so that a mistake does not depend on what a build
//! selects.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::compiler::diagnostics::{Code, Diagnostics, one_of};
use crate::compiler::model::{
    Api, BesideData, Ceiling, Choice, ChoiceKind, Definition, Family, Lifecycle, Operation, Parameter, Record,
    RecordForm, Response, Shape,
};

/// The selected operations; all, if none is named.
#[derive(Clone, Debug, Default, Hash)]
pub(crate) struct Selection {
    families: BTreeMap<String, Operations>,
}

#[derive(Clone, Debug, Hash)]
enum Operations {
    All,
    These(BTreeSet<String>),
}

impl Selection {
    /// Adds a whole family.
    pub(crate) fn add_all(&mut self, family: String) {
        self.families.insert(family, Operations::All);
    }

    /// Adds some operations of a family.
    pub(crate) fn add(&mut self, family: String, names: impl IntoIterator<Item = String>) {
        match self.families.entry(family).or_insert_with(|| Operations::These(BTreeSet::new())) {
            Operations::All => {}
            Operations::These(these) => these.extend(names),
        }
    }

    /// Returns the selected part of an API.
    pub(crate) fn of<'a>(&self, api: &'a Api) -> Result<Cow<'a, Api>, Diagnostics> {
        if self.families.is_empty() {
            return Ok(Cow::Borrowed(api));
        }
        self.check(api)?;
        let named = |family: &Family| match self.families.get(&family.name)? {
            Operations::All => Some(family.clone()),
            Operations::These(names) => Some(part(family.clone(), names)),
        };
        Ok(Cow::Owned(Api { families: api.families.iter().filter_map(named).collect(), ..api.clone() }))
    }

    /// Reports names that the schema does not have.
    fn check(&self, api: &Api) -> Result<(), Diagnostics> {
        let mut to = Diagnostics::default();
        for (name, operations) in &self.families {
            let families = || api.families.iter().map(|family| family.name.as_str());
            match (api.families.iter().find(|family| family.name == *name), operations) {
                (None, _) => {
                    let help = one_of(name, families().map(|known| (known, None)));
                    to.whole(Code::UndefinedName, format!("unknown family `{name}`")).help(help);
                }
                (Some(_), Operations::All) => {}
                (Some(family), Operations::These(names)) => check_operations(family, names, &mut to),
            }
        }
        to.into_result()
    }
}

fn check_operations(family: &Family, names: &BTreeSet<String>, to: &mut Diagnostics) {
    let known = || family.operations.iter().map(|operation| operation.name.as_str());
    if names.is_empty() {
        to.whole(Code::UndefinedName, format!("no operations of `{}` are selected", family.name))
            .help("name at least one, or select the whole family with `all()`");
    }
    for name in names.iter().filter(|name| !known().any(|known| known == *name)) {
        let help = one_of(name, known().map(|known| (known, None)));
        to.whole(Code::UndefinedName, format!("the family `{}` has no operation `{name}`", family.name)).help(help);
    }
}

/// Returns the family reduced to these operations.
fn part(mut family: Family, names: &BTreeSet<String>) -> Family {
    family.operations.retain(|operation| names.contains(&operation.name));
    let reached = reached(&mut family);
    if let Some(lifecycle) = &mut family.lifecycle {
        lifecycle.records.retain(|tracked| reached.contains(&(Definition::Record, tracked.record)));
    }
    family.lifecycle = family.lifecycle.filter(|all| reached.contains(&(Definition::Enum, all.enum_index)));
    for (kind, index) in all(&mut family) {
        *index = reached.range((kind, 0)..(kind, *index)).count();
    }
    keep(&mut family.enums, Definition::Enum, &reached);
    keep(&mut family.identifiers, Definition::Identifier, &reached);
    keep(&mut family.choices, Definition::Choice, &reached);
    keep(&mut family.records, Definition::Record, &reached);
    family
}

fn keep<T>(types: &mut Vec<T>, kind: Definition, reached: &BTreeSet<(Definition, usize)>) {
    let mut indices = 0..;
    types.retain(|_| indices.next().is_some_and(|index| reached.contains(&(kind, index))));
}

/// A reference to a type: the list that defines it, and the index into it.
type Link<'a> = (Definition, &'a mut usize);

/// Returns all references within a family: those of its operations, its ceilings and its lifecycle, and of the types
/// themselves.
fn all(family: &mut Family) -> Vec<Link<'_>> {
    let operations = family.operations.iter_mut().flat_map(of_operation);
    let ceilings = family.limits.iter_mut().filter_map(of_ceiling);
    let lifecycle = family.lifecycle.iter_mut().flat_map(of_lifecycle);
    let choices = family.choices.iter_mut().flat_map(of_choice);
    let records = family.records.iter_mut().flat_map(of_record);
    operations.chain(ceilings).chain(lifecycle).chain(choices).chain(records).collect()
}

/// Returns all types that the operations and the ceilings of a family use, directly or through others.
fn reached(family: &mut Family) -> BTreeSet<(Definition, usize)> {
    let mut reached = BTreeSet::new();
    let operations = family.operations.iter_mut().flat_map(of_operation);
    let mut next: Vec<_> = operations.chain(family.limits.iter_mut().filter_map(of_ceiling)).map(known).collect();
    while let Some((kind, index)) = next.pop() {
        if !reached.insert((kind, index)) {
            continue;
        }
        let links = match kind {
            Definition::Enum | Definition::Identifier => Vec::new(),
            Definition::Choice => family.choices.get_mut(index).map(of_choice).unwrap_or_default(),
            Definition::Record => family.records.get_mut(index).map(of_record).unwrap_or_default(),
        };
        next.extend(links.into_iter().map(known));
    }
    reached
}

fn known((kind, index): Link<'_>) -> (Definition, usize) {
    (kind, *index)
}

fn of_operation(operation: &mut Operation) -> Vec<Link<'_>> {
    let record = match &mut operation.response {
        Response::Object { record } | Response::Array { record, .. } | Response::Page { record, .. } => Some(record),
        Response::Undefined => None,
    };
    let BesideData { refusal, headers, form: _ } = &mut operation.beside_data;
    let beside = [refusal, headers].into_iter().flatten().map(|(record, _)| record);
    let records = record.into_iter().chain(beside).map(|record| (Definition::Record, record));
    of_parameters(&mut operation.body.0).into_iter().chain(records).collect()
}

fn of_parameters(parameters: &mut [Parameter]) -> Vec<Link<'_>> {
    parameters.iter_mut().flat_map(|parameter| of_shape(&mut parameter.shape)).collect()
}

fn of_record(record: &mut Record) -> Vec<Link<'_>> {
    let cases = match &mut record.travels {
        RecordForm::OneOf(one_of) => one_of.cases.as_mut_slice(),
        RecordForm::Object | RecordForm::Array | RecordForm::Value(_) => &mut [],
    };
    let cases = cases.iter_mut().map(|case| (Definition::Record, &mut case.record));
    record.fields.iter_mut().flat_map(|field| of_shape(&mut field.shape)).chain(cases).collect()
}

fn of_shape(shape: &mut Shape) -> Vec<Link<'_>> {
    match shape {
        Shape::One(ty) | Shape::List(ty) | Shape::Map(ty) => ty.definition().into_iter().collect(),
        Shape::Items(item) | Shape::Object(item) => of_parameters(&mut item.parameters),
    }
}

fn of_choice(choice: &mut Choice) -> Vec<Link<'_>> {
    match &mut choice.kind {
        ChoiceKind::Presence { alternatives, .. } => of_parameters(alternatives),
        ChoiceKind::Value { enum_index, cases, .. } => {
            let members = cases.iter_mut().flat_map(|case| of_parameters(&mut case.parameters));
            members.chain(std::iter::once((Definition::Enum, enum_index))).collect()
        }
    }
}

fn of_ceiling(ceiling: &mut Ceiling) -> Option<Link<'_>> {
    ceiling.over.as_mut().map(|over| (Definition::Enum, &mut over.enum_index))
}

fn of_lifecycle(lifecycle: &mut Lifecycle) -> Vec<Link<'_>> {
    let records = lifecycle.records.iter_mut().map(|tracked| (Definition::Record, &mut tracked.record));
    records.chain(std::iter::once((Definition::Enum, &mut lifecycle.enum_index))).collect()
}
