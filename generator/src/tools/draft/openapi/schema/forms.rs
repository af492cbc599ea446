//! `oneOf` and `anyOf`: the only form beside null, members that exclude each other, and members that one of them decides.

use serde_json::Value;

use super::super::exported;
use super::super::reading::{Cursor, Mark};
use super::{Part, Side, cases, field, put, read};
use crate::compiler::model::Need;
use crate::tools::draft::{ByValue, DraftField, JsonKind, OneOf};

/// The longest schema that a comment shows as it is.
const LONGEST_SHOWN: usize = 200;

/// The only form of several, beside null; and an enum beside the text that leaves it open. Forms of a request that are a
/// choice of the language are added to the field; several others leave the type empty.
pub(super) fn only<'a>(
    schema: &Cursor<'a>,
    side: Side,
    within: &[String],
    field: &mut DraftField,
) -> Option<Cursor<'a>> {
    for key in ["oneOf", "anyOf"] {
        let Some(forms) = schema.get(key) else { continue };
        let (nulls, mut forms): (Vec<_>, Vec<_>) =
            forms.items().into_iter().partition(|form| form.value.get("type").is_some_and(|kind| kind == "null"));
        nulls.iter().for_each(|null| null.mark("type", Mark::Read));
        field.may_be_null |= !nulls.is_empty();
        let is_listed = forms.iter().any(|form| form.value.get("enum").is_some());
        if is_listed && forms.len() == 2 {
            forms.retain(|form| {
                let is_open = ["string", "number"].iter().any(|kind| form.value == &serde_json::json!({"type": kind}));
                if is_open {
                    form.mark_all(Mark::Read);
                }
                !is_open
            });
        }
        if let [only] = forms.as_slice() {
            return Some(only.clone());
        }
        if !forms.is_empty() && forms.iter().all(is_condition) && key == "anyOf" {
            field
                .remarks
                .push("`anyOf` requires at least one of several sets of members, which is not read.".to_owned());
            continue;
        }
        if side == Side::Request && is_choice(schema, &forms, key, within, field) {
            continue;
        }
        if side == Side::Answer && cases::one_of(schema, &forms, key, within, field) {
            continue;
        }
        let shown: Vec<String> = forms.iter().map(in_short).collect();
        field.remarks.push(format!("One of {} forms (`{key}`): {}.", forms.len(), shown.join(", ")));
        field.kind = JsonKind::Unknown;
        field.is_undecided = true;
    }
    None
}

/// Returns whether a form only requires members that are described elsewhere.
fn is_condition(form: &Cursor<'_>) -> bool {
    let describes_nothing = |all: &Value| {
        all.as_object().is_some_and(|all| all.values().all(|one| one == &Value::Object(serde_json::Map::new())))
    };
    let bare = |value: &Value| {
        value.as_object().is_some_and(|all| {
            all.iter().all(|(key, value)| match key.as_str() {
                "required" => true,
                "type" => value == "object",
                "properties" => describes_nothing(value),
                _ => false,
            })
        })
    };
    let parts = form.value["allOf"].as_array().filter(|_| form.value.as_object().is_some_and(|all| all.len() == 1));
    match parts {
        Some(parts) => parts.iter().all(bare),
        None => form.value.get("required").is_some() && bare(form.value),
    }
}

/// Adds a choice of the language, if the forms are one. A form that only excludes the others makes it optional.
fn is_choice(schema: &Cursor<'_>, forms: &[Cursor<'_>], key: &str, within: &[String], to: &mut DraftField) -> bool {
    let excludes =
        |form: &&Cursor<'_>| form.value.as_object().is_some_and(|all| all.len() == 1 && all.contains_key("not"));
    let (nothing, some): (Vec<_>, Vec<_>) = forms.iter().partition(excludes);
    if let ([nothing], [inner]) = (nothing.as_slice(), some.as_slice()) {
        let Some(forms) = inner.get("oneOf").map(|forms| forms.items()) else { return false };
        if !is_choice(inner, &forms, "oneOf", within, to) {
            return false;
        }
        to.remarks.extend(inner.text_beside_gap("description").map(str::to_owned));
        let need = exported::need_of(schema);
        to.choices.iter_mut().for_each(|choice| choice.need = need);
        to.by_value.iter_mut().for_each(|choice| choice.need = need);
        wins_unstated(schema, to);
        nothing.mark_all(Mark::Read);
        return true;
    }
    key == "oneOf" && schema.attempt(|| by_presence(schema, forms, within, to)).is_some()
        || schema.attempt(|| by_value(schema, forms, within, to)).is_some()
}

/// Takes back which of the members wins, where the exporter says so of this place.
pub(super) fn wins_unstated(schema: &Cursor<'_>, to: &mut DraftField) {
    if schema.value.get("x-wins").is_some_and(|wins| wins == "unstated") {
        schema.mark("x-wins", Mark::Read);
        to.choices.iter_mut().for_each(|choice| choice.wins = None);
    }
}

/// Adds members of which exactly one is sent: each form is an object that requires one of its own, and has no other.
fn by_presence(schema: &Cursor<'_>, forms: &[Cursor<'_>], within: &[String], to: &mut DraftField) -> Option<()> {
    let (mut members, mut fields): (Vec<String>, Vec<DraftField>) = (Vec::new(), Vec::new());
    for form in forms {
        let part = read(&to.name, form, Side::Request, within, Part::OfSeveral);
        let bare: Vec<&str> =
            form.value["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let name = match (part.fields.as_slice(), bare.as_slice()) {
            ([only], _) if is_member(only) && !is_list(only) && only.need == Some(Need::Always) => {
                fields.push(DraftField { need: Some(Need::No), ..only.clone() });
                only.name.clone()
            }
            ([], [only]) if is_condition(form) && is_single_member(schema, only, within) => {
                form.mark_item("required", 0);
                (*only).to_owned()
            }
            _ => return None,
        };
        if members.contains(&name) {
            return None;
        }
        members.push(name);
    }
    fields.into_iter().for_each(|member| put(&mut to.fields, member));
    to.kind = JsonKind::Object;
    let wins = schema.text("x-wins").filter(|wins| *wins != "unstated").map(str::to_owned);
    to.choices.push(OneOf { members, wins, need: Need::Always });
    Some(())
}

/// Adds members that one of them decides: each form is an object that requires it with a value of its own.
fn by_value(schema: &Cursor<'_>, forms: &[Cursor<'_>], within: &[String], to: &mut DraftField) -> Option<()> {
    let parts: Vec<_> = forms.iter().map(|form| read(&to.name, form, Side::Request, within, Part::OfSeveral)).collect();
    let decides = |field: &DraftField| {
        let is_one = matches!(field.values.as_slice(), [_]) && field.kind == JsonKind::Text && !field.is_of_numbers;
        is_one && field.need == Some(Need::Always)
    };
    let first = parts.first()?.fields.iter().find(|field| decides(field))?.name.clone();
    let (mut values, mut cases): (Vec<String>, Vec<_>) = (Vec::new(), Vec::new());
    for (form, part) in forms.iter().zip(parts) {
        let (decider, members): (Vec<_>, Vec<_>) = part.fields.into_iter().partition(|field| field.name == first);
        let value = decider.into_iter().find(decides)?.values.pop()?;
        let is_plain = part.choices.is_empty() && part.by_value.is_empty() && !part.is_undecided;
        if values.contains(&value) || !is_plain || !members.iter().all(is_member) {
            return None;
        }
        form.mark("not", Mark::Read);
        if form.value["title"] == value.as_str() {
            form.mark("title", Mark::Read);
        }
        values.push(value.clone());
        cases.push((value, members));
    }
    if schema.get("properties").is_some_and(|all| all.value.get(&first).is_some()) || values.len() < 2 {
        return None;
    }
    // It maps the values of the deciding member to the forms.
    schema.mark("discriminator", Mark::Read);
    let decider = DraftField { name: first, kind: JsonKind::Text, values, ..DraftField::default() };
    to.kind = JsonKind::Object;
    to.by_value.push(ByValue { decider, cases, need: Need::Always });
    Some(())
}

/// Returns whether the language has a choice with this member: a value, a list, a map, or an object without choices.
fn is_member(field: &DraftField) -> bool {
    let is_plain = field.choices.is_empty() && field.by_value.is_empty() && field.one_of.is_none();
    let has_members = || !field.fields.is_empty() && field.fields.iter().all(is_member);
    is_single(field)
        || !field.is_undecided
            && is_plain
            && match field.kind {
                JsonKind::Map => true,
                JsonKind::Object => has_members(),
                JsonKind::List => field.item == JsonKind::Object && has_members(),
                _ => false,
            }
}

fn is_list(field: &DraftField) -> bool {
    field.kind == JsonKind::List
}

/// Returns whether a member of a choice is one value, or a list of values.
fn is_single(field: &DraftField) -> bool {
    let is_value = |kind: JsonKind| {
        !matches!(kind, JsonKind::Unknown | JsonKind::Json | JsonKind::List | JsonKind::Map | JsonKind::Object)
    };
    !field.is_undecided && (is_value(field.kind) || field.kind == JsonKind::List && is_value(field.item))
}

/// Returns whether a schema has a member that is one value.
fn is_single_member(schema: &Cursor<'_>, name: &str, within: &[String]) -> bool {
    let member = schema.get("properties").and_then(|all| all.get(name));
    member.is_some_and(|member| schema.peek(|| is_single(&field(name, &member, Side::Request, within))))
}

/// The name of a schema, or all of it if that is short; what is not shown does not count as read.
pub(super) fn in_short(schema: &Cursor<'_>) -> String {
    let json = schema.value.to_string();
    match schema.name() {
        Some(name) => name,
        None if json.len() <= LONGEST_SHOWN => {
            schema.mark_all(Mark::LeftEmpty);
            json
        }
        None => "one without a name".to_owned(),
    }
}
