//! The statements of an OpenAPI file, read without any code of the generator.

use std::path::Path;

use serde_json::Value;

use crate::stated::{BOUNDS, Members, Operation, Stated, text};

const METHODS: [&str; 8] = ["get", "post", "put", "patch", "delete", "options", "head", "trace"];

/// The bounds of the items of a list, or of the values of a map, that are those of the whole in a draft.
const OF_ITEMS: [&str; 3] = ["shortest", "longest", "pattern"];

/// Returns a file, as JSON or YAML.
pub(crate) fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|_| {
        // The reader of YAML has no numbers beyond 64 bits.
        let is_long = |word: &str| word.len() > 18 && word.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit());
        let line = |line: &str| match line.rsplit_once(": ") {
            Some((key, number)) if is_long(number) => format!("{key}: {number}.0\n"),
            _ => format!("{line}\n"),
        };
        serde_yaml::from_str(&text.lines().map(line).collect::<String>()).unwrap()
    })
}

/// Returns the operations of a file.
pub(crate) fn operations(root: &Value) -> Vec<Operation> {
    let base = match root["servers"][0]["url"].as_str() {
        Some(url) => url.split_once("://").map_or(url, |(_, rest)| rest.find('/').map_or("", |at| &rest[at..])),
        None => root["basePath"].as_str().unwrap_or_default(),
    };
    let base = if base.contains('{') { "" } else { base.trim_end_matches('/') };
    let mut found = Vec::new();
    for (path, item) in root["paths"].as_object().into_iter().flatten() {
        let (item, _) = resolved(root, item);
        for method in METHODS.into_iter().filter(|method| item.get(*method).is_some()) {
            let operation = &item[method];
            let (parameters, forms) = parameters(root, item, operation);
            found.push(Operation {
                method: method.to_uppercase(),
                path: format!("{base}{path}"),
                parameters,
                forms,
                answer: answer(root, operation),
                ..Operation::default()
            });
        }
    }
    found
}

/// Returns what a reference leads to, and the reference.
fn resolved<'a>(root: &'a Value, mut value: &'a Value) -> (&'a Value, String) {
    let mut named = String::new();
    for _ in 0..12 {
        let Some(target) = value["$ref"].as_str() else { break };
        let Some(found) = target.strip_prefix('#').and_then(|target| root.pointer(target)) else { break };
        (value, named) = (found, target.to_owned());
    }
    (value, named)
}

fn parameters(root: &Value, item: &Value, operation: &Value) -> (Members, Vec<Members>) {
    let (mut found, mut forms): (Members, Vec<Members>) = (Vec::new(), Vec::new());
    let listed = [&item["parameters"], &operation["parameters"]];
    for one in listed.into_iter().filter_map(Value::as_array).flatten() {
        let (one, _) = resolved(root, one);
        let (name, place) = (one["name"].as_str().unwrap_or_default(), one["in"].as_str().unwrap_or_default());
        if place == "body" {
            let (members, of_body) = of_body(root, &one["schema"], "json");
            found.extend(members);
            forms.extend(of_body);
            continue;
        }
        let media = one["content"].as_object().and_then(|all| all.values().next());
        let schema = media.map(|media| &media["schema"]).or(one.get("schema")).unwrap_or(one);
        let place = if place == "formData" { "form" } else { place };
        let mut stated = schema_of(root, schema, true, &mut Vec::new());
        stated.place = place.to_owned();
        stated.is_required = one["required"] == true || place == "path";
        stated.is_deprecated |= one["deprecated"] == true;
        found.retain(|(other, known)| (other.as_str(), known.place.as_str()) != (name, place));
        found.push((name.to_owned(), stated));
    }
    let (body, _) = resolved(root, &operation["requestBody"]);
    let media = body["content"].as_object();
    let of = |word: &str| media.into_iter().flatten().find(|(name, _)| name.contains(word)).map(|(_, media)| media);
    let body = of("json").map(|media| (media, "json"));
    if let Some((media, place)) = body.or_else(|| of("x-www-form-urlencoded").map(|media| (media, "form"))) {
        let (members, of_body) = of_body(root, &media["schema"], place);
        found.extend(members);
        forms.extend(of_body);
    }
    (found, forms)
}

/// Returns the members of a body and of its forms, or the body itself as `[]`.
fn of_body(root: &Value, schema: &Value, place: &str) -> (Members, Vec<Members>) {
    let body = schema_of(root, schema, true, &mut Vec::new());
    let forms = body.forms.clone();
    let has_members = !body.fields.is_empty() || forms.iter().any(|form| !form.is_empty());
    let is_empty = resolved(root, schema).0["properties"].as_object().is_some_and(serde_json::Map::is_empty);
    let mut fields = if is_empty {
        Vec::new()
    } else if !has_members || body.kinds != ["object"] && !body.is_open {
        vec![("[]".to_owned(), Stated { is_required: true, ..body })]
    } else {
        body.fields
    };
    fields.iter_mut().for_each(|(_, field)| field.place = place.to_owned());
    (fields, forms)
}

fn answer(root: &Value, operation: &Value) -> Option<Stated> {
    let responses = operation["responses"].as_object()?;
    let successes = || responses.iter().filter(|(status, _)| status.starts_with('2'));
    let has_content = |(_, one): &(&String, &Value)| resolved(root, one).0.get("content").is_some();
    let success = successes().find(has_content).or_else(|| successes().next());
    let (_, success) = success.or_else(|| responses.iter().find(|(status, _)| *status == "default"))?;
    let (success, _) = resolved(root, success);
    let media = success["content"].as_object().into_iter().flatten().find(|(name, _)| name.contains("json"));
    let first = success["content"].as_object().and_then(|content| content.keys().next());
    if let (None, Some(first)) = (media, first) {
        let is_text = first.starts_with("text/") || first.contains("xml") || first.contains("yaml");
        return is_text.then(|| Stated { kinds: vec!["string".to_owned()], ..Stated::default() });
    }
    let schema = media.and_then(|(_, media)| media.get("schema")).or_else(|| success.get("schema"))?;
    Some(schema_of(root, schema, false, &mut Vec::new()))
}

/// Returns what a schema states; `within` has the references of the enclosing ones.
fn schema_of(root: &Value, schema: &Value, is_request: bool, within: &mut Vec<String>) -> Stated {
    // Keys beside a reference count since OpenAPI 3.1.
    let has_others = schema.as_object().is_some_and(|all| all.len() > 1 && all.contains_key("$ref"));
    if has_others && root["openapi"].as_str().is_some_and(|version| !version.starts_with("3.0")) {
        let mut beside = schema.clone();
        let reference = beside.as_object_mut().unwrap().remove("$ref");
        let target = schema_of(root, &serde_json::json!({"$ref": reference}), is_request, within);
        let mut stated = merged(Stated::default(), target);
        own(root, &beside, is_request, within, &mut stated);
        return stated;
    }
    let (schema, named) = resolved(root, schema);
    if !named.is_empty() && within.contains(&named) {
        return Stated { kinds: vec!["object".to_owned()], named, ..Stated::default() };
    }
    within.push(named.clone());
    let mut stated = Stated { named, ..Stated::default() };
    let is_null = |form: &&Value| form["type"] == "null";
    for key in ["oneOf", "anyOf"] {
        let forms: Vec<&Value> = schema[key].as_array().into_iter().flatten().collect();
        let some: Vec<&Value> = forms.iter().copied().filter(|form| !is_null(form)).collect();
        stated.may_be_null |= some.len() < forms.len();
        // An enum beside any text is open, as all enums of a draft are.
        let listed: Vec<&Value> =
            some.iter().copied().filter(|form| **form != serde_json::json!({"type": "string"})).collect();
        let is_open_enum = some.len() == 2 && listed.len() == 1 && resolved(root, listed[0]).0.get("enum").is_some();
        match some.as_slice() {
            [] => {}
            [only] => stated = merged(stated, schema_of(root, only, is_request, within)),
            _ if is_open_enum => {
                stated = merged(stated, schema_of(root, listed[0], is_request, within));
                if stated.kinds.is_empty() {
                    stated.kinds.push("string".to_owned());
                }
            }
            several if key == "anyOf" && several.iter().all(|form| is_condition(form)) => {}
            several => {
                stated.is_open = true;
                stated.may_be_null |= several.iter().any(|form| schema_of(root, form, is_request, within).may_be_null);
                stated.forms = several.iter().flat_map(|form| members_of(root, form, is_request, within)).collect();
            }
        }
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        stated = merged(stated, schema_of(root, part, is_request, within));
    }
    own(root, schema, is_request, within, &mut stated);
    // Parts require members of each other.
    for part in schema["allOf"].as_array().into_iter().flatten() {
        require(resolved(root, part).0, is_request, &mut stated);
    }
    if stated.is_open {
        // What is described beside the forms belongs to those that require it.
        for form in &mut stated.forms {
            for (name, member) in form {
                let beside = stated.fields.iter().find(|(known, _)| known == name);
                if let Some((_, known)) = beside.filter(|_| member.kinds.is_empty()) {
                    *member = Stated { is_required: true, ..known.clone() };
                }
            }
        }
        let of_forms: Vec<String> = stated.forms.iter().flatten().map(|(name, _)| name.clone()).collect();
        stated.fields.retain(|(name, _)| !of_forms.contains(name));
        stated.values.clear();
        if stated.fields.is_empty() && stated.forms.is_empty() {
            stated.kinds.clear();
        }
    }
    within.pop();
    stated
}

/// Returns whether a form only requires members that are described elsewhere.
fn is_condition(form: &Value) -> bool {
    let keys = |value: &Value| {
        value.as_object().is_some_and(|all| {
            all.keys().all(|key| ["required", "type", "properties", "allOf"].contains(&key.as_str()))
        })
    };
    let describes = |value: &Value| {
        value["properties"].as_object().into_iter().flatten().any(|(_, one)| one != &serde_json::json!({}))
    };
    let parts = form["allOf"].as_array().cloned().unwrap_or_default();
    let all = std::iter::once(form).chain(&parts);
    let is_bare =
        all.clone().all(|part| keys(part) && !describes(part) && (part["type"].is_null() || part["type"] == "object"));
    is_bare && all.into_iter().any(|part| part["required"].is_array())
}

/// Returns the members of a form; those of its own forms, if it has any; none if it only excludes others.
fn members_of(root: &Value, form: &Value, is_request: bool, within: &mut Vec<String>) -> Vec<Members> {
    if form.as_object().is_some_and(|all| all.len() == 1 && all.contains_key("not")) {
        return Vec::new();
    }
    let stated = schema_of(root, form, is_request, within);
    if !is_request && stated.kinds == ["array"] {
        return vec![Vec::new()];
    }
    if stated.is_open {
        return stated.forms;
    }
    let mut members = stated.fields;
    let (form, _) = resolved(root, form);
    let required = form["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in required.filter(|_| is_request) {
        if !members.iter().any(|(known, _)| known == name) {
            members.push((name.to_owned(), Stated { is_required: true, ..Stated::default() }));
        }
    }
    vec![members]
}

fn require(schema: &Value, is_request: bool, stated: &mut Stated) {
    let names: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, field) in stated.fields.iter_mut().filter(|_| is_request) {
        field.is_required |= names.contains(&name.as_str());
    }
}

/// Adds what a schema states beside its parts.
fn own(root: &Value, schema: &Value, is_request: bool, within: &mut Vec<String>, stated: &mut Stated) {
    let listed: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    stated.may_be_null |= listed.contains(&"null") || schema["nullable"] == true;
    let listed: Vec<String> = listed.into_iter().filter(|kind| *kind != "null").map(str::to_owned).collect();
    if !listed.is_empty() {
        stated.kinds = listed;
    }
    let hidden = if is_request { "readOnly" } else { "writeOnly" };
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if resolved(root, property).0[hidden] == true {
            continue;
        }
        let field = schema_of(root, property, is_request, within);
        match stated.fields.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = Stated { is_required: known.is_required, ..field },
            None => stated.fields.push((name.clone(), field)),
        }
    }
    if stated.kinds.is_empty() && !stated.fields.is_empty() {
        stated.kinds = vec!["object".to_owned()];
    }
    require(schema, is_request, stated);
    if let Some(items) = schema.get("items").filter(|_| stated.kinds == ["array"]) {
        let items = schema_of(root, items, is_request, within);
        (stated.items, stated.fields, stated.values) = (items.kinds, items.fields, items.values);
        (stated.forms, stated.is_open) = (items.forms, items.is_open);
        stated.named = items.named;
        stated.bounds.extend(items.bounds.into_iter().filter(|(key, _)| OF_ITEMS.contains(key)));
        stated.is_unsigned = items.is_unsigned;
    }
    if stated.kinds == ["object"] && stated.fields.is_empty() && schema["additionalProperties"].is_object() {
        let value = schema_of(root, &schema["additionalProperties"], is_request, within);
        stated.kinds = vec!["map".to_owned()];
        (stated.items, stated.fields, stated.values, stated.named) =
            (value.kinds, value.fields, value.values, value.named);
        (stated.forms, stated.is_open) = (value.forms, value.is_open);
        stated.bounds.extend(value.bounds.into_iter().filter(|(key, _)| OF_ITEMS.contains(key)));
        for (key, of_draft) in [("minProperties", "min_items"), ("maxProperties", "max_items")] {
            stated.bounds.extend(schema.get(key).map(|bound| (of_draft, text(bound))));
        }
    }
    let constant = schema.get("const").map(std::slice::from_ref).unwrap_or_default();
    let values: Vec<&Value> = schema["enum"].as_array().map_or(constant, Vec::as_slice).iter().collect();
    stated.may_be_null |= values.iter().any(|value| value.is_null());
    if !values.is_empty() {
        stated.values = values.into_iter().filter(|value| !value.is_null()).map(text).collect();
    }
    stated.is_deprecated |= schema["deprecated"] == true;
    let at_least = |key: &str, least: f64| schema[key].as_f64().is_some_and(|bound| bound >= least);
    let is_uint = schema["format"].as_str().is_some_and(|format| format.starts_with("uint"));
    stated.is_unsigned |= at_least("minimum", 0.0) || at_least("exclusiveMinimum", -1.0) || is_uint;
    for (key, of_draft) in BOUNDS {
        if let Some(bound) = schema.get(key).filter(|bound| !bound.is_null()) {
            stated.bounds.insert(of_draft, text(bound));
        }
    }
    // A bound of numbers says nothing of a text.
    if stated.kinds == ["string"] {
        stated.bounds.retain(|key, _| !["min", "max", "above"].contains(key));
    }
}

/// Returns what two parts state together; the later counts.
fn merged(mut to: Stated, part: Stated) -> Stated {
    if !part.kinds.is_empty() {
        (to.kinds, to.items, to.is_unsigned) = (part.kinds, part.items, part.is_unsigned);
    }
    for (name, field) in part.fields {
        match to.fields.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = Stated { is_required: known.is_required || field.is_required, ..field },
            None => to.fields.push((name, field)),
        }
    }
    to.values.extend(part.values);
    to.bounds.extend(part.bounds);
    to.may_be_null |= part.may_be_null;
    to.is_deprecated |= part.is_deprecated;
    to.is_open |= part.is_open;
    to.forms.extend(part.forms);
    if to.named.is_empty() {
        to.named = part.named;
    }
    to
}
