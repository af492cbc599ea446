//! Swagger 2.0 -> OpenAPI 3, as far as drafts read it.

use serde_json::{Map, Value, json};

const METHODS: [&str; 7] = ["get", "post", "put", "patch", "delete", "options", "head"];

/// The description in the form of OpenAPI 3.
pub(super) fn converted(mut root: Value) -> Value {
    let base = format!(
        "https://{}{}",
        root["host"].as_str().unwrap_or("localhost"),
        root["basePath"].as_str().unwrap_or_default()
    );
    let media = |of: &Value, key: &str| first(of, key);
    let (consumes, produces) = (media(&root, "consumes"), media(&root, "produces"));
    let parameters = root["parameters"].take();
    for item in root["paths"].as_object_mut().into_iter().flat_map(Map::values_mut) {
        let shared = taken(item, "parameters", &parameters);
        for method in METHODS {
            let Some(operation) = item.get_mut(method) else { continue };
            let mut all = shared.clone();
            all.extend(taken(operation, "parameters", &parameters));
            let consumes = first(operation, "consumes").or_else(|| consumes.clone());
            let produces = first(operation, "produces").or_else(|| produces.clone());
            convert(operation, all, consumes.as_deref(), produces.as_deref().unwrap_or("application/json"));
        }
    }
    let Value::Object(members) = &mut root else { return root };
    for key in ["swagger", "host", "basePath", "schemes", "consumes", "produces", "parameters"] {
        members.remove(key);
    }
    let definitions = members.remove("definitions").unwrap_or_else(|| json!({}));
    let responses = members.remove("responses").unwrap_or_else(|| json!({}));
    let security = members.remove("securityDefinitions").unwrap_or_else(|| json!({}));
    members.insert("openapi".to_owned(), "3.0.0".into());
    members.insert("servers".to_owned(), json!([{ "url": base }]));
    members.insert(
        "components".to_owned(),
        json!({ "schemas": definitions, "responses": responses, "securitySchemes": security }),
    );
    moved(root)
}

fn first(of: &Value, key: &str) -> Option<String> {
    let listed: Vec<&str> = of[key].as_array()?.iter().filter_map(Value::as_str).collect();
    listed.iter().find(|media| media.contains("json")).or(listed.first()).map(|media| (*media).to_owned())
}

/// The parameters of a path or an operation, taken out of it; those that are defined once for all are written out.
fn taken(of: &mut Value, key: &str, shared: &Value) -> Vec<Value> {
    let listed = of.as_object_mut().and_then(|members| members.remove(key));
    let written_out = |parameter: Value| {
        let name = parameter["$ref"].as_str().and_then(|target| target.strip_prefix("#/parameters/"));
        name.and_then(|name| shared.get(name)).cloned().unwrap_or(parameter)
    };
    match listed {
        Some(Value::Array(all)) => all.into_iter().map(written_out).collect(),
        _ => Vec::new(),
    }
}

/// Converts an operation with these parameters.
fn convert(operation: &mut Value, parameters: Vec<Value>, consumes: Option<&str>, produces: &str) {
    let Value::Object(members) = operation else { return };
    members.remove("consumes");
    members.remove("produces");
    let place = |parameter: &Value| parameter["in"].as_str().unwrap_or_default().to_owned();
    let (in_body, others): (Vec<Value>, Vec<Value>) =
        parameters.into_iter().partition(|parameter| ["body", "formData"].contains(&place(parameter).as_str()));
    if !others.is_empty() {
        members.insert("parameters".to_owned(), others.into_iter().map(outside_body).collect());
    }
    if let Some(body) = in_body.iter().find(|parameter| place(parameter) == "body") {
        let media = consumes.filter(|media| !media.contains("form")).unwrap_or("application/json");
        let mut body_3 = json!({ "content": { media: { "schema": body["schema"] } } });
        copy(body, &mut body_3, &["description", "required"]);
        members.insert("requestBody".to_owned(), body_3);
    } else if !in_body.is_empty() {
        let is_file = in_body.iter().any(|parameter| parameter["type"] == "file");
        let usual = if is_file { "multipart/form-data" } else { "application/x-www-form-urlencoded" };
        let media = consumes.filter(|media| media.contains("form")).unwrap_or(usual);
        let name = |parameter: &Value| parameter["name"].as_str().unwrap_or_default().to_owned();
        let required: Vec<_> = in_body.iter().filter(|parameter| parameter["required"] == true).map(name).collect();
        let properties: Map<_, _> = in_body.iter().map(|parameter| (name(parameter), schema_of(parameter))).collect();
        let schema = json!({ "type": "object", "required": required, "properties": properties });
        members.insert("requestBody".to_owned(), json!({ "content": { media: { "schema": schema } } }));
    }
    for response in members.get_mut("responses").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
        let Some(response) = response.as_object_mut() else { continue };
        let example = response.remove("examples").and_then(|all| all.get(produces).cloned());
        if let Some(schema) = response.remove("schema") {
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

/// A parameter of the path, the query or a header.
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

/// The schema that a parameter has among its own keys.
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

/// References to definitions at their new place.
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
