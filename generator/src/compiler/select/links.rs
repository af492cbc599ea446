//! The types that a part of a family refers to.

use std::collections::BTreeSet;

use crate::compiler::model::{
    BesideData, Ceiling, Choice, ChoiceKind, Definition, Family, Lifecycle, Operation, Parameter, Record, RecordForm,
    Response, Shape,
};

/// A reference to a type: the list that defines it, and the index into it.
pub(super) type Link<'a> = (Definition, &'a mut usize);

/// All references within a family: those of its operations, its ceilings and its lifecycle, and of the types
/// themselves.
pub(super) fn all(family: &mut Family) -> Vec<Link<'_>> {
    let operations = family.operations.iter_mut().flat_map(of_operation);
    let ceilings = family.limits.iter_mut().filter_map(of_ceiling);
    let lifecycle = family.lifecycle.iter_mut().flat_map(of_lifecycle);
    let choices = family.choices.iter_mut().flat_map(of_choice);
    let records = family.records.iter_mut().flat_map(of_record);
    operations.chain(ceilings).chain(lifecycle).chain(choices).chain(records).collect()
}

/// All types that the operations and the ceilings of a family use, directly or through others.
pub(super) fn reached(family: &mut Family) -> BTreeSet<(Definition, usize)> {
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
