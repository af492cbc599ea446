//! Types, the fields of records, and the uses of each type.

use std::collections::{BTreeMap, BTreeSet};

use crate::compiler::diagnostics::Place;
use crate::compiler::model::{Family, Field, Role, Shape, Type};
use crate::tools::export::site::address::{Address, anchor};

/// A value of a parameter or a field.
#[derive(Clone, Copy, Debug)]
pub(in crate::tools::export::site) struct ValueView<'a> {
    pub(in crate::tools::export::site) wire: &'a str,
    pub(in crate::tools::export::site) doc: &'a str,
}

/// The type of a value, on the wire and in the schema.
#[derive(Clone, Debug)]
pub(in crate::tools::export::site) struct TypeView<'a> {
    pub(in crate::tools::export::site) json: &'static str,
    pub(in crate::tools::export::site) name: &'a str,
    pub(in crate::tools::export::site) is_list: bool,
    /// The page of the type; `None` for built-in types.
    pub(in crate::tools::export::site) address: Option<Address>,
}

/// A field of an answer.
pub(in crate::tools::export::site) struct FieldView<'a> {
    pub(in crate::tools::export::site) field: &'a Field,
    pub(in crate::tools::export::site) ty: TypeView<'a>,
    pub(in crate::tools::export::site) doc: &'a str,
    pub(in crate::tools::export::site) values: Vec<ValueView<'a>>,
    pub(in crate::tools::export::site) fields: Vec<FieldView<'a>>,
}

/// A use of a type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::tools::export::site) struct Use {
    pub(in crate::tools::export::site) text: String,
    pub(in crate::tools::export::site) file: String,
    pub(in crate::tools::export::site) anchor: String,
}

/// Returns the description of a value; that of its type if it has none of its own.
pub(super) fn described<'a>(family: &'a Family, shape: &Shape, doc: &'a str) -> &'a str {
    match shape.element() {
        Some(ty) if doc.trim().is_empty() => family.type_doc(ty),
        _ => doc,
    }
}

pub(super) fn values<'a>(family: &'a Family, shape: &Shape, listed: Vec<(&'a str, Place)>) -> Vec<ValueView<'a>> {
    let all = family.enum_of(shape);
    let doc = |wire: &str| all.and_then(|all| Some(all.values.get(all.index_of(wire)?)?.doc.as_str()));
    listed.into_iter().map(|(wire, _)| ValueView { wire, doc: doc(wire).unwrap_or_default() }).collect()
}

pub(super) fn type_view<'a>(family: &'a Family, shape: &Shape, json: &'static str) -> TypeView<'a> {
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

/// Returns a field; `open` holds the enclosing records if nested ones are shown, too.
pub(super) fn field_view<'a>(family: &'a Family, field: &'a Field, open: &mut Option<Vec<usize>>) -> FieldView<'a> {
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

/// Returns the uses of each type of a family, by the name of the type.
pub(super) fn uses(family: &Family) -> BTreeMap<String, BTreeSet<Use>> {
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
        if let Some(record) = operation.response.record() {
            add(Some(Type::Record(record)), format!("{} answer", operation.name), page().at("answer"));
        }
    }
    for record in family.records.iter().filter(|record| !record.is_abstract) {
        for field in &record.fields {
            let text = format!("{}.{}", record.name.wire, field.name.wire);
            let address = Address::types(&family.name).at(anchor("type", &record.name.wire));
            add(field.shape.element(), text, address);
        }
        for (_, case) in record.cases_told() {
            let address = Address::types(&family.name).at(anchor("type", &record.name.wire));
            add(Some(Type::Record(case.record)), record.name.wire.clone(), address);
        }
    }
    uses
}
