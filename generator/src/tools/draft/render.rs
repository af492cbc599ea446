//! A draft -> the file of its operation, and `types.yaml` with its new types, each after the last of its kind.
//!
//! New types are inserted as text, because a rewritten `types.yaml` would lose its comments.

use super::types::{Types, field_names, with_rust};
use super::yaml::{self, Entry, Yaml, deprecated};
use super::{Answer, ByValue, Data, Draft, DraftAccess, DraftField, JsonKind, NewTypes};
use crate::compiler::check;
use crate::compiler::model::{ListName, Method, Need};
use crate::compiler::words::Sends;

const HEAD: &str = "\
# yaml-language-server: $schema=../.schema/operation.json
# A draft: `check` refuses each empty key and each rule of kind `todo` until they are settled. The comments say where
# each thing comes from; remove them when it is checked.
";

/// Returns the text of the file.
pub(super) fn text(draft: &Draft, types: &mut Types<'_>) -> String {
    let entries = entries(draft, types);
    let mut operation = format!("{HEAD}{}", yaml::comments(&draft.about, 0));
    for mut entry in entries {
        let said = draft.said.iter().filter(|(key, _)| *key == entry.key).map(|(_, said)| said.clone());
        entry.comments.splice(..0, said);
        operation.push('\n');
        operation.push_str(&yaml::write(std::slice::from_ref(&entry), 0));
    }
    if !draft.unread.is_empty() {
        operation.push_str("\n# Not read:\n");
        operation.push_str(&yaml::comments(&draft.unread, 0));
    }
    close_up(&operation)
}

/// Removes empty lines between keys of one line, which belong together.
fn close_up(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_short = |line: Option<&&str>| {
        line.is_some_and(|line| !line.starts_with([' ', '#']) && !line.is_empty() && !line.ends_with(':'))
    };
    let keeps =
        |at: usize| !(lines[at].is_empty() && at > 0 && is_short(lines.get(at - 1)) && is_short(lines.get(at + 1)));
    (0..lines.len()).filter(|at| keeps(*at)).map(|at| format!("{}\n", lines[at])).collect()
}

fn entries(draft: &Draft, types: &mut Types<'_>) -> Vec<Entry> {
    let mut entries = vec![Entry::text("operation", &draft.name), Entry::text("title", &draft.title)];
    entries.extend(draft.rust.as_ref().map(|rust| Entry::word("rust", rust.clone())));
    if let Some((document, section)) = &draft.source {
        let source = vec![Entry::text("document", document), Entry::text("section", section)];
        entries.push(Entry::new("source", Yaml::Map(source)));
    }
    entries.push(Entry::text("http", format!("{} {}", draft.method, draft.path)));
    entries.extend(draft.call.as_ref().map(|call| Entry::text("call", call)));
    entries.push(Entry::gap("doc"));
    entries.push(match draft.effect {
        Some(effect) => Entry::word("effect", effect.as_str()),
        None => Entry::gap("effect").comments(effect(draft)),
    });
    entries.extend(match &draft.access {
        DraftAccess::Signed => None,
        DraftAccess::Public => Some(Entry::word("access", "public")),
        DraftAccess::Unknown(why) => Some(Entry::gap("access").comments([why.clone(), "signed or public.".to_owned()])),
    });
    if draft.is_whitelisted {
        entries.push(Entry::word("whitelisted", "true"));
    }
    entries.extend(deprecated(draft.is_deprecated, &draft.deprecation));
    entries.extend(draft.permission.as_ref().map(|permission| Entry::text("permission", permission)));
    if !draft.headers.is_empty() {
        entries.push(Entry::new("headers", Yaml::Texts(draft.headers.clone())));
    }
    entries.push(match &draft.rates {
        Some(rates) => Entry::new("rate_limit", Yaml::Texts(rates.clone())),
        None => Entry::gap("rate_limit").comments(["Such as `[10/s per UID]`; `[]` if there is none.".to_owned()]),
    });
    entries.extend(draft.sends.map(|sends| Entry::word("sends", sends.as_str())));
    entries.extend(draft.lists.map(|lists| Entry::word("lists", lists.as_str())));
    entries.extend(draft.objects.map(|objects| Entry::word("objects", objects.as_str())));
    entries.push(match &draft.request {
        Some(fields) => Entry::new("request", Yaml::Map(request(draft, fields, types))),
        None if draft.reviewed => {
            Entry::gap("request").comments(["No list of parameters was read; `{}` if there are none.".to_owned()])
        }
        None => Entry::gap("request"),
    });
    entries.extend(window(draft, types));
    entries.push(response(draft, types));
    entries.extend(statements(draft));
    entries.push(examples(draft));
    if let Some((document, section)) = draft.source.as_ref().filter(|_| draft.reviewed) {
        let section = Entry::new(document.clone(), Yaml::Map(vec![Entry::text(section.clone(), "new")]));
        entries.push(Entry::new("reviewed", Yaml::Map(vec![section])));
    }
    entries
}

/// Returns the possible effects, and the words from which a person can tell it.
fn effect(draft: &Draft) -> Vec<String> {
    let seen = (!draft.effect_seen.is_empty()).then(|| format!("Seen: {}.", draft.effect_seen.join("; ")));
    std::iter::once("read, create, amend, cancel or close.".to_owned()).chain(seen).collect()
}

fn request(draft: &Draft, fields: &[DraftField], types: &mut Types<'_>) -> Vec<Entry> {
    let (arrays, members): (Vec<_>, Vec<_>) =
        fields.iter().cloned().partition(|field: &DraftField| field.name == ListName::BODY);
    let array = arrays.first().map(|list| {
        let mut entry = list_of_objects(&draft.name, "", list, draft, types);
        if let Yaml::Map(entries) = &mut entry.value {
            entries.insert(1, Entry::word("rust", "items"));
        }
        entry
    });
    parameters(draft, "", &members, types).into_iter().chain(array).collect()
}

/// Returns parameters; alternatives form a choice, in the place of the first.
fn parameters(draft: &Draft, prefix: &str, fields: &[DraftField], types: &mut Types<'_>) -> Vec<Entry> {
    let in_choice = |name: &str| {
        let full = format!("{prefix}{name}");
        draft.choices.iter().find(|choice| choice.members.contains(&full))
    };
    let mut entries: Vec<Entry> = Vec::new();
    let rust_names = field_names(fields, check::is_free_setter);
    for (field, rust) in fields.iter().zip(rust_names) {
        let Some(choice) = in_choice(&field.name) else {
            entries.push(with_rust(parameter(draft, prefix, &without_idle_default(field), types), rust));
            continue;
        };
        if choice.members.first() != Some(&format!("{prefix}{}", field.name)) {
            continue;
        }
        let bare = |name: &String| name.trim_start_matches(prefix).to_owned();
        let own = super::OneOf {
            members: choice.members.iter().map(bare).collect(),
            wins: choice.wins.as_ref().map(bare),
            need: choice.need,
        };
        let (key, name, is_unstated) = types.own_choice(&own).unwrap_or_else(|| {
            let members = own.members.iter().map(|name| {
                let field = fields.iter().find(|field| field.name == *name);
                match field.filter(|field| field.kind == JsonKind::Object && !field.is_undecided) {
                    Some(object) => parameter(draft, prefix, object, types),
                    None => types.alternative(name, field),
                }
            });
            let members = members.collect();
            let (key, name) = types.choice_by_presence(&own, members);
            (key, name, false)
        });
        let mut keys = vec![Entry::word("type", name)];
        if choice.need != Need::No {
            keys.push(Entry::word("required", choice.need.as_str()));
        }
        if is_unstated {
            keys.push(Entry::word("wins", "unstated"));
        }
        let members = fields.iter().filter(|field| own.members.contains(&field.name));
        let no_null = |field: &DraftField| field.may_be_null.then(|| NO_NULL.to_owned());
        let mut remarks: Vec<String> =
            members.flat_map(|field| field.remarks.iter().cloned().chain(no_null(field))).collect();
        remarks.dedup();
        entries.push(Entry::new(key, Yaml::Map(keys)).comments(remarks));
    }
    for (_, choice) in draft.by_value.iter().filter(|(of, _)| of == prefix) {
        entries.push(by_value(draft, prefix, choice, types));
    }
    entries
}

/// Returns the parameter, with a remark in the place of a default that is never assumed, because it is required. In the
/// case of a choice, documents state both.
fn without_idle_default(field: &DraftField) -> DraftField {
    let mut field = field.clone();
    if field.need == Some(Need::Always) {
        let remark = |default| format!("Default {default}, although it is required.");
        field.remarks.extend(field.default.take().map(remark));
    }
    field
}

/// Returns a choice by value, which is a type.
fn by_value(draft: &Draft, prefix: &str, choice: &ByValue, types: &mut Types<'_>) -> Entry {
    let cases = choice.cases.iter().map(|(value, members)| {
        let members = members.iter().zip(field_names(members, check::is_free_setter));
        let entries = members.map(|(member, rust)| with_rust(parameter(draft, prefix, member, types), rust)).collect();
        Entry::new(value, Yaml::Map(entries))
    });
    let cases = cases.collect();
    let (key, name) = types.choice_by_value(&choice.decider, cases);
    let need = (choice.need != Need::No).then(|| Entry::word("required", choice.need.as_str()));
    let no_null = choice.decider.may_be_null.then(|| NO_NULL.to_owned());
    Entry::new(key, Yaml::Map([Entry::word("type", name)].into_iter().chain(need).collect())).comments(no_null)
}

/// Returns a parameter of a request, or of the item or object that `prefix` names.
fn parameter(draft: &Draft, prefix: &str, field: &DraftField, types: &mut Types<'_>) -> Entry {
    let own = format!("{}-{}", draft.name, field.name);
    let has_fields = !field.fields.is_empty() && !field.is_undecided;
    match field.kind {
        JsonKind::List if has_fields => return list_of_objects(&own, prefix, field, draft, types),
        JsonKind::Object if has_fields => return object(&own, prefix, field, draft, types),
        _ => {}
    }
    let undecided = DraftField { is_undecided: true, ..field.clone() };
    let field = if has_fields || field.is_again { &undecided } else { field };
    if let Some(mut entries) = types.fixed(field).filter(|_| field.need == Some(Need::Always)) {
        entries.extend(place_of(field));
        entries.extend(deprecated(field.is_deprecated, &field.deprecation));
        let no_null = field.may_be_null.then(|| NO_NULL.to_owned());
        return Entry::new(field.name.clone(), Yaml::Map(entries))
            .comments(field.remarks.iter().cloned().chain(no_null));
    }
    let no_constant = field.fixed.is_some().then(|| "`const` is not read.".to_owned());
    let mut entries = Vec::new();
    types.typed(field, true, &mut entries);
    let is_of_namesake = draft.reviewed && field.values.is_empty() && types.is_enum(&entries);
    let of_namesake =
        is_of_namesake.then(|| "The type is that of this name elsewhere; no values are listed here.".to_owned());
    entries.splice(1..1, place_of(field));
    let need = match field.need {
        Some(Need::No) => None,
        Some(need) => Some(Entry::word("required", need.as_str())),
        None => Some(Entry::gap("required")),
    };
    let mut remarks: Vec<String> = field.remarks.iter().cloned().chain(no_constant).chain(of_namesake).collect();
    if field.may_be_null {
        match clears(draft, prefix, field) {
            true => entries.push(Entry::word("may_be", "null")),
            false => remarks.push(NO_NULL.to_owned()),
        }
    }
    let at = 1 + entries.iter().filter(|entry| ["only", "in", "sent_as"].contains(&entry.key.as_str())).count();
    entries.splice(at..at, need.into_iter().chain(bounds(field)));
    Entry::new(field.name.clone(), Yaml::Map(entries)).comments(remarks)
}

/// Returns where a parameter travels apart from the others, and its name there.
fn place_of(field: &DraftField) -> impl Iterator<Item = Entry> {
    let place = field.apart.map(|apart| Entry::word("in", apart.as_str()));
    place.into_iter().chain(field.sent_as.as_ref().map(|name| Entry::text("sent_as", name.clone())))
}

/// The remark at a parameter whose `null` the language does not have.
const NO_NULL: &str = "`nullable` is not read.";

/// Returns whether `null` clears a parameter: one in a JSON body that can be left out and has no alternatives.
fn clears(draft: &Draft, prefix: &str, field: &DraftField) -> bool {
    let method = Method::parse(&draft.method);
    let is_json = draft.sends.map_or(method.is_some_and(|method| !method.has_query()), |sends| sends == Sends::Json);
    let is_in_path = prefix.is_empty() && draft.path.contains(&format!("{{{}}}", field.name));
    let is_chosen = draft.by_value.iter().filter(|(of, _)| of == prefix).any(|(_, choice)| {
        choice.decider.name == field.name
            || choice.cases.iter().any(|(_, members)| members.iter().any(|one| one.name == field.name))
    });
    let is_value =
        !field.is_undecided && ![JsonKind::Unknown, JsonKind::Map].contains(&field.kind) && field.edit.is_none();
    is_json && !is_in_path && !is_chosen && is_value && field.apart.is_none() && field.need == Some(Need::No)
}

/// Returns a single object, whose Rust name follows from the source.
fn object(own: &str, outer: &str, field: &DraftField, draft: &Draft, types: &mut Types<'_>) -> Entry {
    let name = types.object_name(field.named.as_deref().unwrap_or(own));
    let mut entries = vec![Entry::word("object", name)];
    if let Some(need) = field.need.filter(|need| *need != Need::No) {
        entries.push(Entry::word("required", need.as_str()));
    }
    let mut remarks = field.remarks.clone();
    if field.may_be_null {
        match clears(draft, outer, field) {
            true => entries.push(Entry::word("may_be", "null")),
            false => remarks.push(NO_NULL.to_owned()),
        }
    }
    entries.extend(deprecated(field.is_deprecated, &field.deprecation));
    entries.push(Entry::gap("doc"));
    let prefix = format!("{outer}{}.", field.name);
    entries.push(Entry::new("fields", Yaml::Map(parameters(draft, &prefix, &field.fields, types))));
    Entry::new(field.name.clone(), Yaml::Map(entries)).comments(remarks)
}

fn bounds(field: &DraftField) -> Vec<Entry> {
    if field.is_undecided {
        return deprecated(field.is_deprecated, &field.deprecation).into_iter().collect();
    }
    let has_items = matches!(field.kind, JsonKind::List | JsonKind::Map);
    let (min, max) = if has_items { ("min_items", "max_items") } else { ("min", "max") };
    let number = |key: &str, value: &Option<String>| value.as_ref().map(|value| Entry::word(key, value.clone()));
    let edit = field.edit.as_ref().map(|delete| {
        let keep = Entry::word("keep", "left_out");
        let delete = delete.as_ref().map(|text| Entry::text("delete", text.clone()));
        Entry::new("edit", Yaml::Map(std::iter::once(keep).chain(delete).collect()))
    });
    let entries = [
        field.default.as_ref().map(|default| Entry::text("default", default.clone())),
        number(min, &field.min),
        number(max, &field.max),
        number("digits", &field.digits),
        number("places", &field.places),
        number("significant_digits", &field.significant_digits),
        field.length.map(|(min, max)| Entry::word("length", format!("[{min}, {max}]"))),
        field.pattern.as_ref().map(|pattern| Entry::text("pattern", pattern.clone())),
        edit,
        field.unit.as_ref().map(|unit| Entry::text("unit", unit.clone())),
        deprecated(field.is_deprecated, &field.deprecation),
    ];
    entries.into_iter().flatten().collect()
}

fn list_of_objects(own: &str, outer: &str, field: &DraftField, draft: &Draft, types: &mut Types<'_>) -> Entry {
    let prefix = format!("{outer}{}", ListName::new(&field.name).item_prefix());
    let named = field.named.clone().unwrap_or_else(|| format!("{own}-item"));
    let mut entries = vec![Entry::word("item", types.object_name(&named))];
    if let Some(need) = field.need.filter(|need| *need != Need::No) {
        entries.push(Entry::word("required", need.as_str()));
    }
    entries.extend(bounds(field));
    entries.push(Entry::gap("doc"));
    entries.push(Entry::new("fields", Yaml::Map(parameters(draft, &prefix, &field.fields, types))));
    let no_null = field.may_be_null.then(|| NO_NULL.to_owned());
    Entry::new(field.name.clone(), Yaml::Map(entries)).comments(field.remarks.iter().cloned().chain(no_null))
}

/// Returns the pair of times that bounds a query; if there is none, how far back the answer reaches.
fn window(draft: &Draft, types: &Types<'_>) -> Option<Entry> {
    if let Some(history) = &draft.history {
        return Some(Entry::text("history", history.clone()));
    }
    if draft.window.is_empty() && !draft.is_both_or_neither {
        return None;
    }
    let fields = draft.request.iter().flatten();
    let times: Vec<&str> = fields.filter(|field| types.is_time(&field.name)).map(|field| field.name.as_str()).collect();
    if let ([], [("access", length)]) = (times.as_slice(), draft.window.as_slice()) {
        return Some(Entry::text("history", length.clone()));
    }
    let stated = |key: &str| draft.window.iter().find(|(known, _)| *known == key).map(|(_, name)| name.as_str());
    let mut entries = match stated("from")
        .zip(stated("to"))
        .map(<[&str; 2]>::from)
        .as_ref()
        .map_or(times.as_slice(), |named| named)
    {
        [from, to] => vec![Entry::text("from", *from), Entry::text("to", *to)],
        _ => vec![Entry::gap("from"), Entry::gap("to")],
    };
    let is_bound = |key: &&str| !["from", "to"].contains(key);
    entries.extend(draft.window.iter().filter(|(key, _)| is_bound(key)).map(|(key, text)| Entry::text(*key, text)));
    if draft.is_both_or_neither {
        entries.push(Entry::word("both_or_neither", "true"));
    }
    Some(Entry::new("window", Yaml::Map(entries)))
}

fn response(draft: &Draft, types: &mut Types<'_>) -> Entry {
    let (mut entries, data) = match &draft.response {
        Answer::Unknown(said) => {
            let forms = "`object`, `array` or `page`.".to_owned();
            return Entry::gap("response").comments(said.iter().cloned().chain([forms]));
        }
        Answer::Object(data) => (vec![record("object", draft, data, types)], data),
        Answer::Array(data) => (vec![record("array", draft, data, types)], data),
        Answer::Page { list, data, .. } => {
            (vec![Entry::text("page", list.clone()), record("of", draft, data, types)], data)
        }
    };
    if let Answer::Page { cursor, next, .. } = &draft.response {
        entries.push(Entry::text("cursor", cursor.clone()));
        entries.push(next.as_ref().map_or_else(|| Entry::gap("next"), |next| Entry::text("next", next.clone())));
    }
    if let Some(path) = &draft.data {
        entries.insert(0, Entry::text("data", path.clone()));
    }
    entries.extend(data.observed_under.as_ref().map(|member| Entry::text("observed_under", member.clone())));
    entries.extend(draft.answer_form.map(|form| Entry::word("body", form.as_str())));
    for (key, beside) in [("refusal", &draft.refusal), ("headers", &draft.answered_headers)] {
        let own = format!("{}-{key}", draft.name);
        entries.extend(beside.as_ref().map(|data| {
            let name = types.record_named(data.named.as_deref(), &own, data);
            Entry::word(key, name).comments(data.remarks.clone())
        }));
    }
    Entry::new("response", Yaml::Map(entries)).comments(data.remarks.clone())
}

/// Returns the record for the data: one of the family, or a new one.
fn record(key: &str, draft: &Draft, data: &Data, types: &mut Types<'_>) -> Entry {
    let known = if data.records.is_empty() && !data.is_value && data.one_of.is_none() {
        types.records_with(&data.fields)
    } else {
        data.records.clone()
    };
    match known.split_first() {
        Some((first, [])) => Entry::word(key, first.clone()),
        Some((first, others)) => {
            Entry::word(key, first.clone()).comments([format!("Also fits: {}.", others.join(", "))])
        }
        None if data.fields.is_empty() && data.one_of.is_none() && !data.is_empty => Entry::gap(key),
        None => {
            let own = format!("{}-result", draft.name);
            let name = types.record_named(data.named.as_deref(), &own, data);
            Entry::word(key, name)
        }
    }
}

fn statements(draft: &Draft) -> Vec<Entry> {
    let mut entries = Vec::new();
    if !draft.rules.is_empty() {
        let rules = draft.rules.iter().enumerate().map(|(index, rule)| {
            let mut entries = vec![
                Entry::text("id", format!("rule-{}", index + 1)).comments([rule.remark.clone()]),
                Entry::text("at", rule.at.clone()),
                Entry::word("kind", "todo"),
                Entry::text("says", rule.says.clone()),
            ];
            if let Some((list, names)) = &rule.any_of {
                entries.extend(list.as_ref().map(|list| Entry::text("in", list.clone())));
                let any = vec![Entry::new("any_given", Yaml::Texts(names.clone()))];
                entries.push(Entry::new("require", Yaml::Map(any)));
            }
            entries
        });
        entries.push(Entry::new("rules", Yaml::List(rules.collect())));
    }
    if let Some((_, section)) = draft.source.as_ref().filter(|_| !draft.not_shown.is_empty()) {
        let open = draft
            .not_shown
            .iter()
            .map(|says| vec![Entry::text("says", says.clone()), Entry::new("at", Yaml::Texts(vec![section.clone()]))]);
        entries.push(Entry::new("not_shown", Yaml::List(open.collect())));
    }
    entries
}

/// Returns the empty key, with what the source shows: values of its own may be secret, or break its own rules.
fn examples(draft: &Draft) -> Entry {
    let how = "Wire JSON with values of your own: `- { about: A call., request: .., response: .. }`.";
    Entry::gap("examples").comments(std::iter::once(how.to_owned()).chain(draft.examples_seen.clone()))
}

/// Returns the text of `types.yaml` with new types. An error is the key whose types are all on one line, where nothing
/// can be added.
pub(crate) fn add_types(text: &str, new: &NewTypes) -> Result<String, &'static str> {
    let kinds = [("enums", &new.enums), ("choices", &new.choices), ("records", &new.records)];
    let mut added = kinds.into_iter().filter(|(_, entries)| !entries.is_empty());
    // A file without types may be an empty mapping.
    let text: String = text.lines().filter(|line| line.trim() != "{}").map(|line| format!("{line}\n")).collect();
    added.try_fold(text, |text, (key, entries)| add(&text, key, entries).ok_or(key))
}

/// Returns the text of the file of a family with sections to be reviewed, and with their document as its source; as it is
/// if the file has some.
pub(crate) fn add_reviewed(text: &str, sections: &[(String, String)]) -> String {
    let key = "reviewed";
    if sections.is_empty() || text.lines().any(|line| line.starts_with(key)) {
        return text.to_owned();
    }
    let mut documents: Vec<(String, Vec<Entry>)> = Vec::new();
    for (document, heading) in sections {
        let entry = Entry::text(heading.clone(), "new");
        match documents.last_mut().filter(|(last, _)| last == document) {
            Some((_, entries)) => entries.push(entry),
            None => documents.push((document.clone(), vec![entry])),
        }
    }
    let entries: Vec<Entry> =
        documents.into_iter().map(|(document, all)| Entry::new(document, Yaml::Map(all))).collect();
    let mut text = add(text, key, &entries).unwrap_or_else(|| text.to_owned());
    // Errors and states of the family are facts of its document.
    if let [Entry { key: document, .. }] = entries.as_slice()
        && !text.lines().any(|line| line.starts_with("source"))
    {
        text = add(&text, "source", &[Entry::text("document", document)]).unwrap_or(text);
    }
    text
}

fn add(text: &str, key: &str, entries: &[Entry]) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let begins = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
    let Some(start) = lines.iter().position(|line| begins(line)) else {
        let block = yaml::write(&[Entry::new(key, Yaml::Map(entries.to_vec()))], 0);
        let at = lines.iter().position(|line| line.starts_with("reviewed:")).unwrap_or(lines.len());
        return Some(joined(&lines[..at], &block, &lines[at..]));
    };
    let value = lines[start][key.len() + 1..].split(" #").next().unwrap_or_default().trim();
    if !["", "{}"].contains(&value) {
        return None;
    }
    let is_inside = |line: &&str| line.starts_with(' ') || line.is_empty() || line.starts_with('#');
    let inside = lines[start + 1..].iter().take_while(|line| is_inside(line)).count();
    // Comments and empty lines at the end belong to the next key.
    let owned = lines[start + 1..=start + inside].iter().rposition(|line| line.starts_with(' ')).map_or(0, |at| at + 1);
    let indent = lines[start + 1..].iter().find(|line| line.starts_with(' ') && !line.trim_start().starts_with('#'));
    let indent = indent.filter(|_| owned > 0).map_or(2, |line| line.len() - line.trim_start().len());
    let head = format!("{key}:");
    let mut before: Vec<&str> = lines[..=start + owned].to_vec();
    if owned == 0 {
        before[start] = &head;
    }
    Some(joined(&before, &yaml::write(entries, indent), &lines[start + owned + 1..]))
}

fn joined(before: &[&str], block: &str, after: &[&str]) -> String {
    let lines = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    format!("{}{block}{}", lines(before), lines(after))
}

impl NewTypes {
    /// Returns the names of the new types, each with its kind.
    pub(crate) fn names(&self) -> Vec<String> {
        let kinds = [("enum", &self.enums), ("choice", &self.choices), ("record", &self.records)];
        let named = |(kind, entries): (&str, &Vec<Entry>)| -> Vec<String> {
            entries.iter().map(|entry| format!("{kind} {}", entry.key)).collect()
        };
        kinds.into_iter().flat_map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(key: &str) -> NewTypes {
        NewTypes { enums: vec![Entry::new(key, Yaml::Map(vec![Entry::gap("doc")]))], ..NewTypes::default() }
    }

    #[test]
    fn a_type_comes_behind_the_last_of_its_kind() {
        let text = "# first\nenums:\n    A: { doc: B. }   # kept\n\n    C:\n        doc: D.\n\n# of records\nrecords:\n  E: {}\n";
        let expected = "# first\nenums:\n    A: { doc: B. }   # kept\n\n    C:\n        doc: D.\n    New:\n      doc:\n\n# of records\nrecords:\n  E: {}\n";
        assert_eq!(add_types(text, &new("New")).as_deref(), Ok(expected));
    }

    #[test]
    fn types_in_one_line_are_left_alone() {
        assert_eq!(add_types("enums: { A: { doc: B. } }\n", &new("New")), Err("enums"));
    }

    #[test]
    fn a_kind_that_is_empty_or_missing_is_begun() {
        let cases = [
            ("enums: {}\nrecords: {}\n", "enums:\n  New:\n    doc:\nrecords: {}\n"),
            ("records: {}\nreviewed:\n  a: {}\n", "records: {}\nenums:\n  New:\n    doc:\nreviewed:\n  a: {}\n"),
        ];
        for (text, expected) in cases {
            assert_eq!(add_types(text, &new("New")).as_deref(), Ok(expected));
        }
    }
}
