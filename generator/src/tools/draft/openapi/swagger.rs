//! Swagger 2.0 -> OpenAPI 3, as far as drafts read it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::reading::below;

const METHODS: [&str; 7] = ["get", "post", "put", "patch", "delete", "options", "head"];

/// The places of a file whose form was converted, by the places in that form.
#[derive(Clone, Debug, Default)]
pub(super) struct Places(BTreeMap<String, String>);

impl Places {
    /// Returns the place in the file of a value in the converted form, or of the nearest one that holds it.
    pub(super) fn in_file(&self, place: &str) -> String {
        let ends = place.match_indices('/').map(|(at, _)| at).chain([place.len()]);
        let known = ends.filter_map(|end| Some((self.0.get(place.get(..end)?)?, place.get(end..)?))).next_back();
        known.map_or_else(|| place.to_owned(), |(old, rest)| format!("{old}{rest}"))
    }

    fn add(&mut self, new: String, old: &str) {
        self.0.insert(new, old.to_owned());
    }
}

/// A parameter with its place in the file.
#[derive(Clone)]
struct Placed {
    at: String,
    value: Value,
}

/// The keys of a file, and those to which they move.
const MOVED: [(&str, &str); 3] = [
    ("definitions", "components/schemas"),
    ("responses", "components/responses"),
    ("securityDefinitions", "components/securitySchemes"),
];

/// Returns the description in the form of OpenAPI 3, and where its values were.
pub(super) fn converted(mut root: Value) -> (Value, Places) {
    let base = format!(
        "https://{}{}",
        root["host"].as_str().unwrap_or("localhost"),
        root["basePath"].as_str().unwrap_or_default()
    );
    let mut places = Places::default();
    for (old, new) in MOVED {
        places.add(format!("#/{new}"), &format!("#/{old}"));
    }
    let address = ["basePath", "host"].into_iter().find(|key| root[*key].is_string()).unwrap_or("swagger");
    for place in ["#/servers", "#/servers/0", "#/servers/0/url"] {
        places.add(place.to_owned(), &format!("#/{address}"));
    }
    places.add("#/openapi".to_owned(), "#/swagger");
    let media = |of: &Value, key: &str| first(of, key);
    let (consumes, produces) = (media(&root, "consumes"), media(&root, "produces"));
    let parameters = root["parameters"].take();
    for (path, item) in root["paths"].as_object_mut().into_iter().flatten() {
        let at = below("#/paths", path);
        let shared = taken(item, &at, &parameters);
        for method in METHODS {
            let Some(operation) = item.get_mut(method) else { continue };
            let at = below(&at, method);
            let mut all = shared.clone();
            all.extend(taken(operation, &at, &parameters));
            let consumes = first(operation, "consumes").or_else(|| consumes.clone());
            let produces = first(operation, "produces").or_else(|| produces.clone());
            let kinds = (consumes.as_deref(), produces.as_deref().unwrap_or("application/json"));
            convert(operation, all, kinds, &at, &mut places);
        }
    }
    let Value::Object(members) = &mut root else { return (root, places) };
    for key in ["swagger", "host", "basePath", "schemes", "consumes", "produces", "parameters"] {
        members.remove(key);
    }
    let mut moved_to = |(key, _)| members.remove(key).unwrap_or_else(|| json!({}));
    let [definitions, responses, security] = MOVED.map(&mut moved_to);
    members.insert("openapi".to_owned(), "3.0.0".into());
    members.insert("servers".to_owned(), json!([{ "url": base }]));
    members.insert(
        "components".to_owned(),
        json!({ "schemas": definitions, "responses": responses, "securitySchemes": security }),
    );
    (moved(root), places)
}

fn first(of: &Value, key: &str) -> Option<String> {
    let listed: Vec<&str> = of[key].as_array()?.iter().filter_map(Value::as_str).collect();
    listed.iter().find(|media| media.contains("json")).or(listed.first()).map(|media| (*media).to_owned())
}

/// Returns the parameters of a path or an operation, taken out of it; those that are defined once for all are written
/// out.
fn taken(of: &mut Value, at: &str, shared: &Value) -> Vec<Placed> {
    let listed = of.as_object_mut().and_then(|members| members.remove("parameters"));
    let written_out = |(index, value): (usize, Value)| {
        let name = value["$ref"].as_str().and_then(|target| target.strip_prefix("#/parameters/"));
        match name.and_then(|name| Some((name, shared.get(name)?))) {
            Some((name, value)) => Placed { at: below("#/parameters", name), value: value.clone() },
            None => Placed { at: format!("{at}/parameters/{index}"), value },
        }
    };
    match listed {
        Some(Value::Array(all)) => (0..).zip(all).map(written_out).collect(),
        _ => Vec::new(),
    }
}

/// Converts an operation at a place, with these parameters and with the media types that it consumes and produces.
fn convert(
    operation: &mut Value,
    parameters: Vec<Placed>,
    (consumes, produces): (Option<&str>, &str),
    at: &str,
    places: &mut Places,
) {
    let Value::Object(members) = operation else { return };
    members.remove("consumes");
    members.remove("produces");
    let place = |parameter: &Placed| parameter.value["in"].as_str().unwrap_or_default().to_owned();
    let (in_body, others): (Vec<Placed>, Vec<Placed>) =
        parameters.into_iter().partition(|parameter| ["body", "formData"].contains(&place(parameter).as_str()));
    for (index, parameter) in others.iter().enumerate() {
        let new = format!("{at}/parameters/{index}");
        places.add(new.clone(), &parameter.at);
        places.add(format!("{new}/schema"), &parameter.at);
        ["style", "explode"].iter().for_each(|key| places.add(format!("{new}/{key}"), &parameter.at));
    }
    if !others.is_empty() {
        let converted = others.into_iter().map(|parameter| outside_body(parameter.value));
        members.insert("parameters".to_owned(), converted.collect());
    }
    let body = in_body.iter().find(|parameter| place(parameter) == "body");
    let media = match body {
        Some(_) => consumes.filter(|media| !media.contains("form")).unwrap_or("application/json"),
        None => {
            let is_file = in_body.iter().any(|parameter| parameter.value["type"] == "file");
            let usual = if is_file { "multipart/form-data" } else { "application/x-www-form-urlencoded" };
            consumes.filter(|media| media.contains("form")).unwrap_or(usual)
        }
    };
    let new = format!("{at}/requestBody");
    let in_media = below(&format!("{new}/content"), media);
    let outer = [new.clone(), format!("{new}/content"), in_media.clone(), format!("{in_media}/schema")];
    if let Some(Placed { at, value: body }) = body {
        outer.into_iter().for_each(|place| places.add(place, at));
        places.add(format!("{in_media}/schema"), &format!("{at}/schema"));
        let mut body_3 = json!({ "content": { media: { "schema": body["schema"] } } });
        copy(body, &mut body_3, &["description", "required"]);
        members.insert("requestBody".to_owned(), body_3);
    } else if let Some(Placed { at, .. }) = in_body.first() {
        let list = at.rsplit_once('/').map_or(at.as_str(), |(list, _)| list);
        outer.into_iter().for_each(|place| places.add(place, list));
        let schema = format!("{in_media}/schema");
        let name = |parameter: &Placed| parameter.value["name"].as_str().unwrap_or_default().to_owned();
        let required: Vec<&Placed> = in_body.iter().filter(|parameter| parameter.value["required"] == true).collect();
        places.add(format!("{schema}/type"), list);
        places.add(format!("{schema}/properties"), list);
        places.add(format!("{schema}/required"), list);
        for (index, parameter) in required.iter().enumerate() {
            places.add(format!("{schema}/required/{index}"), &format!("{}/required", parameter.at));
        }
        for parameter in &in_body {
            places.add(below(&format!("{schema}/properties"), &name(parameter)), &parameter.at);
        }
        let required: Vec<_> = required.into_iter().map(name).collect();
        let properties: Map<_, _> =
            in_body.iter().map(|parameter| (name(parameter), schema_of(&parameter.value))).collect();
        let schema = json!({ "type": "object", "required": required, "properties": properties });
        members.insert("requestBody".to_owned(), json!({ "content": { media: { "schema": schema } } }));
    }
    for (status, response) in members.get_mut("responses").and_then(Value::as_object_mut).into_iter().flatten() {
        let Some(response) = response.as_object_mut() else { continue };
        let at = below(&format!("{at}/responses"), status);
        let example = response.remove("examples").and_then(|all| all.get(produces).cloned());
        if let Some(schema) = response.remove("schema") {
            let content = format!("{at}/content");
            let in_media = below(&content, produces);
            places.add(format!("{in_media}/schema"), &format!("{at}/schema"));
            places.add(format!("{in_media}/example"), &below(&format!("{at}/examples"), produces));
            [content, in_media].into_iter().for_each(|place| places.add(place, &format!("{at}/schema")));
            let mut media = json!({ "schema": schema });
            if let Some(example) = example {
                media["example"] = example;
            }
            response.insert("content".to_owned(), json!({ produces: media }));
        }
    }
}

/// The keys of a parameter that are not those of its schema.
const OF_PARAMETER: [&str; 6] = ["name", "in", "description", "required", "deprecated", "$ref"];

/// Returns a parameter of the path, the query or a header.
fn outside_body(parameter: Value) -> Value {
    let mut converted = json!({});
    copy(&parameter, &mut converted, &OF_PARAMETER);
    if parameter.get("$ref").is_none() {
        let schema = schema_of(&parameter);
        if schema["type"] == "array" {
            let (style, explode) = match parameter["collectionFormat"].as_str() {
                Some("multi") => ("form", true),
                Some("ssv") => ("spaceDelimited", false),
                Some("pipes") => ("pipeDelimited", false),
                _ => ("form", false),
            };
            (converted["style"], converted["explode"]) = (style.into(), explode.into());
        }
        converted["schema"] = schema;
    }
    converted
}

/// Returns the schema that a parameter has among its own keys.
fn schema_of(parameter: &Value) -> Value {
    let members = parameter.as_object().into_iter().flatten();
    let own = members.filter(|(key, _)| !OF_PARAMETER.contains(&key.as_str()) && *key != "collectionFormat");
    own.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>().into()
}

fn copy(from: &Value, to: &mut Value, keys: &[&str]) {
    for key in keys {
        if let Some(value) = from.get(key) {
            to[*key] = value.clone();
        }
    }
}

/// Returns references to definitions at their new place.
fn moved(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let member = |(key, value): (String, Value)| match (key.as_str(), value.as_str()) {
                ("$ref", Some(target)) => {
                    let target = target.replacen("#/definitions/", "#/components/schemas/", 1);
                    (key, target.replacen("#/responses/", "#/components/responses/", 1).into())
                }
                _ => (key, moved(value)),
            };
            members.into_iter().map(member).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.into_iter().map(moved).collect(),
        other => other,
    }
}
