//! `oneOf` and `anyOf`: the only form beside null, members that exclude each other, and members that one of them decides.

use serde_json::Value;

use super::super::exported;
use super::super::reading::{Cursor, Mark};
use super::{Part, Side, cases, field, put, read};
use crate::compiler::model::Need;
use crate::tools::draft::{ByValue, DraftField, JsonKind, OneOf};

/// The longest schema that a comment shows as it is.
const LONGEST_SHOWN: usize = 200;

/// Returns the only form of several, beside null; and an enum beside the text that leaves it open. Forms of a request
/// that are a choice of the language are added to the field; several others leave the type empty.
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
        let was_open = forms.len();
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
            if side == Side::Request && was_open > forms.len() {
                field.remarks.push(
                    "Any other value may be sent, too: a `string` instead of the enum leaves it open.".to_owned(),
                );
            }
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
    let beside = schema.value.get("properties");
    let is_beside = |choice: &ByValue| beside.is_some_and(|all| all.get(&choice.decider.name).is_some());
    let is_alone = |whole: &DraftField| !whole.by_value.last().is_some_and(is_beside);
    // A discriminator says that a value decides, even of members that exclude each other.
    let is_told = schema.value.get("discriminator").is_some();
    let by_value = |to: &mut DraftField| {
        schema.attempt(|| by_value(schema, forms, within, to).filter(is_alone)).map(|whole| *to = whole).is_some()
    };
    is_told && by_value(to)
        || key == "oneOf" && schema.attempt(|| by_presence(schema, forms, within, to)).is_some()
        || !is_told && by_value(to)
}

/// Takes back which of the members wins, where the exporter says so of this place.
pub(super) fn wins_unstated(schema: &Cursor<'_>, to: &mut DraftField) {
    if schema.value.get("x-wins").is_some_and(|wins| wins == "unstated") {
        schema.mark("x-wins", Mark::Read);
        to.choices.iter_mut().for_each(|choice| choice.wins = None);
    }
}

/// Adds members of which exactly one is sent: beside what all forms have, each requires one of its own.
fn by_presence(schema: &Cursor<'_>, forms: &[Cursor<'_>], within: &[String], to: &mut DraftField) -> Option<()> {
    let (mut members, mut fields): (Vec<String>, Vec<DraftField>) = (Vec::new(), Vec::new());
    let mut parts: Vec<_> =
        forms.iter().map(|form| read(&to.name, form, Side::Request, within, Part::OfSeveral)).collect();
    let common = common(&mut parts);
    for (form, part) in forms.iter().zip(parts) {
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
    common.into_iter().chain(fields).for_each(|member| put(&mut to.fields, member));
    to.kind = JsonKind::Object;
    let wins = schema.text("x-wins").filter(|wins| *wins != "unstated").map(str::to_owned);
    to.choices.push(OneOf { members, wins, need: Need::Always });
    Some(())
}

/// Takes the members out of the forms that all of them have in the same way.
fn common(parts: &mut [DraftField]) -> Vec<DraftField> {
    let [first, others @ ..] = parts else { return Vec::new() };
    let common: Vec<_> =
        first.fields.iter().filter(|field| others.iter().all(|other| other.fields.contains(field))).cloned().collect();
    parts.iter_mut().for_each(|part| part.fields.retain(|field| !common.contains(field)));
    common
}

/// Adds members that one of them decides: each form is an object that requires it with values of its own, which it
/// lists or a discriminator maps to it.
fn by_value(schema: &Cursor<'_>, forms: &[Cursor<'_>], within: &[String], to: &DraftField) -> Option<DraftField> {
    let mut parts: Vec<_> =
        forms.iter().map(|form| read(&to.name, form, Side::Request, within, Part::OfSeveral)).collect();
    let decides = |field: &DraftField| {
        !field.values.is_empty()
            && field.kind == JsonKind::Text
            && !field.is_of_numbers
            && field.need == Some(Need::Always)
    };
    name_by_discriminator(schema, forms, &mut parts);
    let is_in_all =
        |name: &str| parts.iter().all(|part| part.fields.iter().any(|one| one.name == name && decides(one)));
    let candidates: Vec<String> =
        parts.first()?.fields.iter().map(|field| &field.name).filter(|name| is_in_all(name)).cloned().collect();
    let values_of = |part: &DraftField, name: &str| {
        let field = part.fields.iter().find(|field| field.name == name);
        field.map(|field| field.values.clone()).unwrap_or_default()
    };
    let is_apart = |name: &&String| {
        let all: Vec<String> = parts.iter().flat_map(|part| values_of(part, name)).collect();
        all.iter().enumerate().all(|(index, value)| !all[..index].contains(value))
    };
    let first = candidates.iter().find(is_apart)?.clone();
    // Only what is made of shared parts has members in common; others may say on purpose that each form has them.
    let are_made_of_parts = forms.iter().all(|form| form.value.get("allOf").is_some() && form.reference().is_some());
    let common = if are_made_of_parts { common(&mut parts) } else { Vec::new() };
    let (mut values, mut cases): (Vec<String>, Vec<_>) = (Vec::new(), Vec::new());
    for (form, part) in forms.iter().zip(parts) {
        let is_plain = part.choices.is_empty() && part.by_value.is_empty() && !part.is_undecided;
        let own = values_of(&part, &first);
        let members: Vec<_> = part.fields.into_iter().filter(|field| field.name != first).collect();
        if !is_plain || !members.iter().all(is_member) {
            return None;
        }
        form.mark("not", Mark::Read);
        if form.value["title"].as_str().is_some_and(|title| own == [title]) {
            form.mark("title", Mark::Read);
        }
        cases.extend(own.iter().map(|value| (value.clone(), members.clone())));
        values.extend(own);
    }
    if values.len() < 2 {
        return None;
    }
    // It maps the values of the deciding member to the forms.
    schema.mark("discriminator", Mark::Read);
    let decider = DraftField { name: first, kind: JsonKind::Text, values, ..DraftField::default() };
    let mut whole = DraftField { kind: JsonKind::Object, ..to.clone() };
    common.into_iter().for_each(|member| put(&mut whole.fields, member));
    whole.by_value.push(ByValue { decider, cases, need: Need::Always });
    Some(whole)
}

/// Gives each form the values of the deciding member that a discriminator maps to it, where the form lists none.
fn name_by_discriminator(schema: &Cursor<'_>, forms: &[Cursor<'_>], parts: &mut [DraftField]) {
    let Some(discriminator) = schema.value.get("discriminator") else { return };
    let Some(decider) = discriminator["propertyName"].as_str() else { return };
    for (form, part) in forms.iter().zip(parts) {
        let Some(field) = part.fields.iter_mut().find(|field| field.name == decider) else { continue };
        if field.kind == JsonKind::Text && field.values.is_empty() {
            let mapped = mapped(discriminator, form);
            // Without a mapping, the value is the name of the form.
            field.values = if mapped.is_empty() { form.name().into_iter().collect() } else { mapped };
            field.need = Some(Need::Always);
        }
    }
}

/// Returns the values that the mapping of a discriminator has for a form.
pub(super) fn mapped(discriminator: &Value, form: &Cursor<'_>) -> Vec<String> {
    let name = form.name().unwrap_or_default();
    let is_form = |target: &str| form.reference() == Some(target) || target == name;
    let mapping = discriminator["mapping"].as_object().into_iter().flatten();
    let mapped = mapping.filter(|(_, target)| target.as_str().is_some_and(is_form));
    mapped.map(|(value, _)| value.clone()).collect()
}

/// Makes the field a choice of the objects that are made of this one, which its discriminator tells apart.
pub(super) fn variants(schema: &Cursor<'_>, within: &[String], to: &mut DraftField) {
    let forms = schema.made_of_it();
    let is_variant = |place: &String| forms.iter().any(|form| form.reference() == Some(place));
    let has_forms = ["oneOf", "anyOf"].iter().any(|key| schema.value.get(*key).is_some());
    if forms.len() < 2 || has_forms || schema.value.get("discriminator").is_none() || within.iter().any(is_variant) {
        return;
    }
    let outside: Vec<String> = within.iter().filter(|place| schema.reference() != Some(place)).cloned().collect();
    let bare = DraftField { fields: Vec::new(), ..to.clone() };
    if let Some(whole) = schema.attempt(|| by_value(schema, &forms, &outside, &bare)) {
        *to = whole;
    }
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

/// Returns the name of a schema, or all of it if that is short; what is not shown does not count as read.
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
