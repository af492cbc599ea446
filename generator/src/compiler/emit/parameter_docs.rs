//! Documentation of parameters: meaning, need, default, bounds, unit.

use super::docs::{Docs, MARKDOWN, cell, code, documented, escape, sentence};
use super::scope::Scope;
use crate::compiler::model::{ChoiceKind, Need, Parameter, Shape, Type, phrases};

/// Adds a table of parameters, with a row for each name on the wire.
pub(super) fn table(docs: &mut Docs, scope: &Scope<'_>, parameters: &[Parameter]) {
    if parameters.is_empty() {
        return;
    }
    docs.gap();
    docs.line("| parameter | required | default | unit | values | meaning |".to_owned());
    docs.line("|---|---|---|---|---|---|".to_owned());
    for parameter in parameters {
        rows(docs, scope, parameter);
    }
    docs.gap();
}

/// The rows of a parameter: one, or for a choice one for each parameter in it.
fn rows(docs: &mut Docs, scope: &Scope<'_>, parameter: &Parameter) {
    let Some(choice) = scope.family.choice_of(parameter) else {
        return row(docs, scope, parameter, parameter.need.in_table());
    };
    match &choice.kind {
        ChoiceKind::Presence { alternatives, .. } => {
            let one_of = if parameter.need == Need::Always { "one of these" } else { "at most one of these" };
            for alternative in alternatives {
                row(docs, scope, alternative, one_of);
            }
        }
        ChoiceKind::Value { decider, enum_index, .. } => {
            let values = scope.family.enums[*enum_index].name.rust.as_str();
            let cells = [&code(&decider.wire), parameter.need.in_table(), "", "", &link(values), &escape(&choice.doc)];
            docs.line(table_row(&cells));
            for (value, case) in choice.cases(scope.family) {
                let value = &value.name.wire;
                for member in &case.parameters {
                    let with = match member.need {
                        Need::Always => format!("with {} {}", code(&decider.wire), code(value)),
                        Need::Conditional | Need::Unstated | Need::No => {
                            format!("no; only with {} {}", code(&decider.wire), code(value))
                        }
                    };
                    row(docs, scope, member, &with);
                }
            }
        }
    }
}

fn row(docs: &mut Docs, scope: &Scope<'_>, parameter: &Parameter, required: &str) {
    let name = if parameter.is_body() { "the body".to_owned() } else { code(&parameter.name.wire) };
    let default = match (&parameter.default, &parameter.default_note) {
        (Some((default, _)), _) => code(default),
        (None, Some(note)) => escape(note.trim_end_matches('.')),
        (None, None) => String::new(),
    };
    let unit = phrases::units_in(&parameter.units, &MARKDOWN);
    let cells = [&name, required, &default, &unit, &values(scope, parameter), &escape(&parameter.doc)];
    docs.line(table_row(&cells));
}

fn table_row(cells: &[&str]) -> String {
    let cells: String = cells.iter().map(|text| format!(" {} |", cell(text))).collect();
    format!("|{cells}")
}

/// Returns the values that a parameter takes.
fn values(scope: &Scope<'_>, parameter: &Parameter) -> String {
    let of_type = |ty: Type| match ty {
        Type::String | Type::Undefined => "text".to_owned(),
        ty if ty.is_built_in() => scope.family.type_name(ty).to_owned(),
        ty => link(scope.family.type_rust(ty)),
    };
    let only: Vec<_> = parameter.only.iter().map(|(value, _)| code(value)).collect();
    let values = match &parameter.shape {
        Shape::One(_) if !only.is_empty() => only.join(", "),
        Shape::List(_) if !only.is_empty() => format!("list of {}", only.join(", ")),
        Shape::One(ty) => of_type(*ty),
        Shape::List(ty) => format!("list of {}", of_type(*ty)),
        Shape::Map(ty) => format!("map to {}", of_type(*ty)),
        Shape::Items(item) => format!("list of {}", link(&item.rust)),
        Shape::Object(object) => link(&object.rust),
    };
    let delete = parameter.kept_unless().flatten();
    let delete = delete.map(|delete| format!("{} deletes", code(delete)));
    std::iter::once(values).chain(phrases::bounds_in(parameter, &MARKDOWN)).chain(delete).collect::<Vec<_>>().join("; ")
}

/// Returns a link to a type of the family.
fn link(rust: &str) -> String {
    format!("[`{rust}`](super::{rust})")
}

/// Returns the documentation of a field: its meaning, limits, units and default.
pub(super) fn field(scope: &Scope<'_>, parameter: &Parameter) -> Docs {
    let mut docs = Docs::default();
    docs.markdown(&described(scope, parameter));
    docs
}

/// Returns the documentation of a constructor and its arguments.
pub(super) fn constructor(scope: &Scope<'_>, required: &[&Parameter]) -> Docs {
    let mut docs = Docs::default();
    if required.is_empty() {
        docs.markdown("Leaves every parameter out.");
        return docs;
    }
    docs.markdown("Takes the required parameters; the others are left out.");
    for parameter in required {
        docs.entry(&argument(scope, parameter, None));
    }
    docs
}

/// Returns the documentation of an argument; `called` is its name if it differs from that of its parameter. A choice
/// and a body have no name on the wire.
pub(super) fn argument(scope: &Scope<'_>, parameter: &Parameter, called: Option<&str>) -> String {
    let is_unnamed = parameter.is_body() || scope.family.choice_of(parameter).is_some();
    let is_renamed = parameter.name.rust != parameter.name.wire;
    let called = called.or((is_unnamed || is_renamed).then_some(&parameter.name.rust));
    let called = called.map(|called| format!("{}, sent as ", code(called))).unwrap_or_default();
    called + &described(scope, parameter)
}

fn described(scope: &Scope<'_>, parameter: &Parameter) -> String {
    format!("{} {}", meaning(scope, parameter), facts(scope, parameter)).trim_end().to_owned()
}

fn meaning(scope: &Scope<'_>, parameter: &Parameter) -> String {
    format!("{}: {}", wires(scope, parameter), escape(&parameter.doc))
}

/// Returns the wire names that a parameter stands for.
fn wires(scope: &Scope<'_>, parameter: &Parameter) -> String {
    match scope.family.choice_of(parameter) {
        Some(choice) => choice.distinct_wires().into_iter().map(code).collect::<Vec<_>>().join(", "),
        None if parameter.is_body() => "the body, an array".to_owned(),
        None => code(&parameter.name.wire),
    }
}

/// Returns the need, default, bounds and unit, as one sentence each.
fn facts(scope: &Scope<'_>, parameter: &Parameter) -> String {
    let mut facts: Vec<String> = Vec::new();
    facts.push(parameter.need.sentence().to_owned());
    match (&parameter.default, parameter.need) {
        (Some((default, _)), Need::Always) => {
            facts.push(format!("The exchange defaults to {}; it is always sent.", code(default)));
        }
        (Some((default, _)), _) => facts.push(format!("The exchange defaults to {}.", code(default))),
        (None, _) => {}
    }
    facts.extend(phrases::bounds_in(parameter, &MARKDOWN).iter().map(|bound| sentence(bound)));
    if !parameter.only.is_empty() {
        let values: Vec<_> = parameter.only.iter().map(|(value, _)| code(value)).collect();
        facts.push(format!("Allowed here: {}.", values.join(", ")));
    }
    if let Some(delete) = parameter.kept_unless() {
        facts.push(match delete {
            Some(delete) => format!(
                "Left out, the value stays; {} deletes it, which [`Edit::Delete`](runtime::Edit::Delete) sends.",
                code(delete)
            ),
            None => "Left out, the value stays.".to_owned(),
        });
    }
    facts.extend(documented(&parameter.keys(scope.family)));
    facts.push(phrases::unit_sentence(&parameter.units, &MARKDOWN));
    facts.retain(|fact| !fact.is_empty());
    facts.join(" ")
}
