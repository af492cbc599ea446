//! OpenAPI 3 -> drafts. What OpenAPI does not state (rates, effects, outcomes) stays open.

use std::path::Path;

use serde_json::{Map, Value};

use super::{Answer, Data, Draft, DraftExample, DraftField, JsonKind, name_of_path};
use crate::diagnostics::{Code, Diagnostics};
use crate::model::{Api, Effect, ListName, Method, Need, Sent};
use crate::words::{Lists, Sends};

/// The maximum number of references that are followed in a row.
const MAX_REFERENCES: usize = 12;

/// Drafts of all operations that a file describes.
///
/// # Errors
/// Fails if the file cannot be read, or is not OpenAPI.
pub(crate) fn drafts(api: &Api, path: &Path) -> Result<Vec<Draft>, Diagnostics> {
    let mut to = Diagnostics::default();
    let shown = path.display();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            to.whole(Code::CannotRead, format!("cannot read {shown}: {error}")).help("name an OpenAPI file");
            return Err(to);
        }
    };
    // The YAML parser reads JSON, too.
    let root: Value = match serde_yaml::from_str(&text) {
        Ok(root) => root,
        Err(error) => {
            to.whole(Code::CannotRead, format!("{shown} is not JSON or YAML: {error}"))
                .help("name an OpenAPI file of version 3, as JSON or YAML");
            return Err(to);
        }
    };
    let is_read = root["openapi"].as_str().is_some_and(|version| version.starts_with("3."));
    let Some(paths) = root["paths"].as_object().filter(|_| is_read) else {
        to.whole(Code::CannotRead, format!("{shown} is not OpenAPI 3: expected `openapi: 3.x` and `paths`"))
            .help("convert an older description to OpenAPI 3 first");
        return Err(to);
    };
    let source =
        OpenApiFile { root: &root, file: path.file_name().unwrap_or_default().to_string_lossy().into_owned(), api };
    let mut drafts = Vec::new();
    for (path, item) in paths {
        for method in Method::ALL {
            if let Some(operation) = item.get(method.as_str().to_lowercase()).and_then(Value::as_object) {
                drafts.push(source.draft(path, method, item, operation));
            }
        }
    }
    Ok(drafts)
}

struct OpenApiFile<'a> {
    root: &'a Value,
    file: String,
    api: &'a Api,
}

impl OpenApiFile<'_> {
    fn draft(&self, path: &str, method: Method, item: &Value, operation: &Map<String, Value>) -> Draft {
        let mut unread = Vec::new();
        let mut fields = self.parameters(item, operation, &mut unread);
        let body = operation.get("requestBody").map(|body| self.resolved(body));
        let json = body.and_then(|body| json_content(body));
        let form = body.filter(|_| json.is_none()).and_then(form_content);
        let body_schema = json.or(form);
        if body.is_some() && body_schema.is_none() {
            unread.push("a request body that is neither JSON nor a form".to_owned());
        }
        if let Some(content) = body_schema {
            let in_body = self.body(&content["schema"]);
            if in_body.first().is_some_and(|first| first.name == ListName::BODY) {
                // No parameter can travel beside an array body.
                unread
                    .extend(fields.drain(..).map(|field| format!("the parameter {} beside an array body", field.name)));
            }
            fields.extend(in_body);
        }
        let sends = match (form.is_some(), json.is_some() && !method.has_body()) {
            (true, _) => Some(Sends::Form),
            (false, true) => Some(Sends::Json),
            (false, false) => None,
        };
        let lists = self.lists(item, operation).filter(|_| body_schema.is_none());
        let headers = self.declared_headers(item, operation);
        let text = |key: &str| operation.get(key).and_then(Value::as_str).map(str::to_owned);
        let name = text("operationId").map(|id| name_of_path(&format!("/{id}"))).unwrap_or_else(|| name_of_path(path));
        let security = operation.get("security").or_else(|| self.root.get("security"));
        let answer = self.answer_content(operation);
        let examples = examples(body_schema, answer.as_ref(), &fields);
        let remarks = ["summary", "description"].into_iter().filter_map(text);
        Draft {
            title: text("summary").filter(|title| title.len() < 60).unwrap_or_else(|| name.clone()),
            name,
            method: method.as_str().to_owned(),
            path: format!("{}{path}", self.base_path()),
            effect: (method == Method::Get).then_some(Effect::Read),
            is_public: self.api.credentials.is_none()
                || security.and_then(Value::as_array).is_some_and(|security| security.is_empty()),
            is_deprecated: operation.get("deprecated") == Some(&Value::Bool(true)),
            headers,
            sends,
            lists,
            request: Some(fields),
            response: answer.map_or(Answer::Unknown, |content| self.answer(&content["schema"])),
            examples,
            about: std::iter::once(format!("From {}, {} {path}.", self.file, method.as_str())).chain(remarks).collect(),
            unread,
            ..Draft::default()
        }
    }

    /// The path of the first server, which is not part of a client's base address.
    fn base_path(&self) -> &str {
        let url = self.root["servers"][0]["url"].as_str().unwrap_or_default();
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let path = rest.find('/').map_or("", |at| &rest[at..]).trim_end_matches('/');
        if path.contains('{') { "" } else { path }
    }

    /// The parameters of an operation as described.
    fn described<'v>(
        &'v self,
        item: &'v Value,
        operation: &'v Map<String, Value>,
    ) -> impl Iterator<Item = (&'v str, &'v str, &'v Value)> {
        let of_path = item["parameters"].as_array().into_iter().flatten();
        let own = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
        of_path.chain(own).map(|parameter| {
            let parameter = self.resolved(parameter);
            let text = |key: &str| parameter[key].as_str().unwrap_or_default();
            (text("name"), text("in"), parameter)
        })
    }

    /// Whether the schema already has a header, as one of its own or as a credential.
    fn is_declared(&self, name: &str) -> bool {
        self.api.headers.iter().any(|header| header.name.eq_ignore_ascii_case(name))
    }

    /// The headers of the schema that the operation lists.
    fn declared_headers(&self, item: &Value, operation: &Map<String, Value>) -> Vec<String> {
        let listed = self.described(item, operation).filter(|(_, place, _)| *place == "header");
        let own = |name: &str| {
            let header = self.api.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
            (header.sent == Sent::ByOperation).then(|| header.name.clone())
        };
        listed.filter_map(|(name, ..)| own(name)).collect()
    }

    /// How lists are written in the query; by default, one pair for each value.
    fn lists(&self, item: &Value, operation: &Map<String, Value>) -> Option<Lists> {
        let in_query = self.described(item, operation).filter(|(_, place, _)| *place == "query");
        let is_list = |parameter: &Value| kind(self.resolved(&parameter["schema"])) == Some(JsonKind::List);
        let (_, _, list) = in_query.into_iter().find(|(_, _, parameter)| is_list(parameter))?;
        match (list["style"].as_str().unwrap_or("form"), &list["explode"]) {
            ("form", Value::Bool(false)) => Some(Lists::Comma),
            ("form", _) => Some(Lists::Repeated),
            _ => None,
        }
    }

    fn parameters(&self, item: &Value, operation: &Map<String, Value>, unread: &mut Vec<String>) -> Vec<DraftField> {
        let credentials = self.api.credentials.iter().flat_map(|own| own.headers());
        let credentials: Vec<_> = credentials.map(|own| own.name.to_ascii_lowercase()).collect();
        let mut fields: Vec<DraftField> = Vec::new();
        for (name, place, parameter) in self.described(item, operation) {
            let in_header = place == "header";
            if in_header && (self.is_declared(name) || credentials.contains(&name.to_ascii_lowercase())) {
                continue;
            }
            let mut field = self.field(name, &parameter["schema"], &[]);
            let is_said =
                ["path", "query"].contains(&place) || in_header && fits_header(field.kind, &parameter["schema"]);
            if !is_said {
                unread.push(format!("the {place} parameter {name}"));
                continue;
            }
            field.in_header = in_header;
            let is_required = place == "path" || parameter["required"] == Value::Bool(true);
            field.need = Some(if is_required { Need::Always } else { Need::No });
            field.remarks.splice(..0, parameter["description"].as_str().map(str::to_owned));
            fields.retain(|known| known.name != field.name);
            fields.push(field);
        }
        fields
    }

    fn body(&self, schema: &Value) -> Vec<DraftField> {
        let body = self.field("[]", schema, &[]);
        match body.kind {
            JsonKind::List => vec![DraftField { need: Some(Need::Always), ..body }],
            _ => body.fields,
        }
    }

    /// The JSON of the success response.
    fn answer_content(&self, operation: &Map<String, Value>) -> Option<Value> {
        let responses = operation.get("responses")?.as_object()?;
        let success =
            responses.iter().find(|(status, _)| status.starts_with('2')).or_else(|| responses.iter().next())?;
        json_content(self.resolved(success.1)).cloned()
    }

    fn answer(&self, schema: &Value) -> Answer {
        let whole = self.field("", schema, &[]);
        let data = self.api.envelope.as_ref().and_then(|envelope| envelope.data.as_ref()?.member());
        let inner = data.and_then(|data| whole.fields.iter().find(|field| field.name == data).cloned());
        let field = inner.unwrap_or(whole);
        let data = Data { fields: field.fields, named: field.named, records: Vec::new(), remarks: field.remarks };
        match field.kind {
            JsonKind::List => Answer::Array(data),
            JsonKind::Object => Answer::Object(data),
            _ => Answer::Unknown,
        }
    }

    /// The field for a schema; `within` holds the names of the enclosing ones.
    fn field(&self, name: &str, schema: &Value, within: &[&str]) -> DraftField {
        let named = schema["$ref"].as_str();
        let is_circular = named.is_some_and(|named| within.contains(&named));
        let within: Vec<&str> = within.iter().copied().chain(named).collect();
        let schema = self.resolved(schema);
        let mut field = DraftField { name: name.to_owned(), ..DraftField::default() };
        field.named = named.and_then(|named| named.rsplit('/').next()).map(str::to_owned);
        field.remarks.extend(schema["description"].as_str().map(str::to_owned));
        if is_circular {
            field.remarks.push("The type contains itself, which a record cannot.".to_owned());
            return field;
        }
        for part in schema["allOf"].as_array().into_iter().flatten() {
            let part = self.field(name, part, &within);
            field.kind = if field.kind == JsonKind::Unknown { part.kind } else { field.kind };
            field.fields.extend(part.fields);
            field.values.extend(part.values);
        }
        for key in ["oneOf", "anyOf", "not", "pattern", "if"] {
            if schema.get(key).is_some() {
                field.remarks.push(format!("`{key}` is not read."));
            }
        }
        if let Some(kind) = kind(schema) {
            field.kind = kind;
        }
        let texts = schema["enum"].as_array().into_iter().flatten();
        let all_texts = texts.clone().all(Value::is_string);
        match all_texts {
            true => field.values.extend(texts.filter_map(Value::as_str).map(str::to_owned)),
            false => field.remarks.push(format!("The values {} are not read.", schema["enum"])),
        }
        field.default = scalar(&schema["default"]);
        let bounds = if field.kind == JsonKind::List { ["minItems", "maxItems"] } else { ["minimum", "maximum"] };
        [field.min, field.max] = bounds.map(|key| scalar(&schema[key]));
        field.is_deprecated = schema["deprecated"] == Value::Bool(true);
        if schema["format"].is_string() {
            field.remarks.push(format!("Format {}.", schema["format"].as_str().unwrap_or_default()));
        }
        if field.kind == JsonKind::List {
            let item = self.field(name, &schema["items"], &within);
            (field.item, field.fields, field.named) = (item.kind, item.fields, item.named);
            field.values = item.values;
        }
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let required: Vec<&str> = required.collect();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let mut inner = self.field(name, property, &within);
            inner.need = Some(if required.contains(&name.as_str()) { Need::Always } else { Need::No });
            field.fields.push(inner);
        }
        field
    }

    /// The value, or the target of a reference within the file.
    fn resolved<'v>(&'v self, value: &'v Value) -> &'v Value {
        let mut value = value;
        for _ in 0..MAX_REFERENCES {
            let Some(target) = value["$ref"].as_str().and_then(|target| target.strip_prefix('#')) else { break };
            let Some(found) = self.root.pointer(target) else { break };
            value = found;
        }
        value
    }
}

/// The first content that is JSON.
fn json_content(of: &Value) -> Option<&Value> {
    let content = of["content"].as_object()?;
    content.iter().find(|(media, _)| media.contains("json")).map(|(_, content)| content)
}

/// The content that is a form.
fn form_content(of: &Value) -> Option<&Value> {
    of["content"].as_object()?.get("application/x-www-form-urlencoded")
}

fn kind(schema: &Value) -> Option<JsonKind> {
    let listed = schema["type"].as_array().into_iter().flatten();
    let word = schema["type"].as_str().or_else(|| listed.filter_map(Value::as_str).find(|word| *word != "null"));
    match word {
        Some("string") => Some(JsonKind::Text),
        Some("integer") => Some(JsonKind::Integer),
        Some("number") => Some(JsonKind::Number),
        Some("boolean") => Some(JsonKind::Boolean),
        Some("array") => Some(JsonKind::List),
        Some("object") => Some(JsonKind::Object),
        _ if schema["properties"].is_object() => Some(JsonKind::Object),
        _ => None,
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// An example of a request and its answer, if the description has both.
fn examples(body: Option<&Value>, answer: Option<&Value>, fields: &[DraftField]) -> Vec<DraftExample> {
    let own = |content: &Value| {
        let listed = content["examples"].as_object().and_then(|all| all.values().next()).map(|first| &first["value"]);
        content.get("example").or(listed).filter(|example| !example.is_null()).cloned()
    };
    let request = match body {
        Some(body) => own(body),
        None => fields.is_empty().then(|| Value::Object(Map::new())),
    };
    let (Some(request), Some(response)) = (request, answer.and_then(own)) else { return Vec::new() };
    let about = "As described.".to_owned();
    vec![DraftExample { about, request: request.to_string(), response: response.to_string() }]
}

/// Whether a header can carry values of this kind: a single one, or a list separated by commas.
fn fits_header(kind: JsonKind, schema: &Value) -> bool {
    match kind {
        JsonKind::Text | JsonKind::Number | JsonKind::Integer | JsonKind::Boolean => true,
        JsonKind::List => matches!(schema["items"]["type"].as_str(), Some("string" | "number" | "integer")),
        JsonKind::Unknown | JsonKind::Time | JsonKind::Object => false,
    }
}
