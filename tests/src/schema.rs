//! The schema's examples, and the structure of responses, read without the generator.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use serde_yaml::{Mapping, Value as Yaml};
use tradeapi::runtime::tables::Meta;

/// An example of the schema: a request and its answer.
#[derive(Debug)]
pub struct Example {
    /// The description.
    pub about: String,
    /// The parameters, as JSON.
    pub request: String,
    /// The whole body of the answer.
    pub response: String,
}

/// The structure of a response or a part of it.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A single value.
    Scalar(Scalar),
    /// A list.
    List(Box<Shape>),
    /// A record, or the page of an operation, with its name and members.
    Record(String, Vec<(String, Shape)>),
}

/// The type of a single value.
#[derive(Clone, Debug)]
pub enum Scalar {
    /// Any text, also an identifier.
    Text,
    /// A decimal number.
    Decimal,
    /// An integer.
    Integer,
    /// Unix milliseconds.
    Time,
    /// True or false.
    Boolean,
    /// One of these values.
    Enum(Vec<EnumValue>),
}

/// A value that the documents list.
#[derive(Clone, Debug)]
pub struct EnumValue {
    /// The spelling in requests.
    pub text: String,
    /// Other spellings in answers.
    pub also: Vec<String>,
}

impl Shape {
    /// Returns the data with every enum value in its first spelling, in which a client returns it.
    pub fn canonical(&self, data: Value) -> Value {
        match (self, data) {
            (Self::Scalar(Scalar::Enum(values)), Value::String(text)) => {
                let value = values.iter().find(|value| value.is_written(&text));
                Value::String(value.map_or(text, |value| value.text.clone()))
            }
            (Self::List(item), Value::Array(items)) => items.into_iter().map(|value| item.canonical(value)).collect(),
            (Self::Record(_, fields), Value::Object(members)) => {
                let canonical = |(name, value)| match fields.iter().find(|(field, _)| *field == name) {
                    Some((_, field)) => (name, field.canonical(value)),
                    None => (name, value),
                };
                members.into_iter().map(canonical).collect()
            }
            (_, data) => data,
        }
    }
}

impl EnumValue {
    fn is_written(&self, text: &str) -> bool {
        self.text.eq_ignore_ascii_case(text) || self.also.iter().any(|also| also == text)
    }
}

/// Returns the examples of an operation.
pub fn examples(meta: &Meta) -> Vec<Example> {
    examples_below(&folder(), meta.id)
}

/// Returns the examples of an operation of the schema in a folder, by its id.
pub fn examples_below(schema: &Path, id: &str) -> Vec<Example> {
    let operation = read_below(schema, id);
    let text = |example: &Yaml, key: &str| example[key].as_str().unwrap_or_default().to_owned();
    let examples = operation["examples"].as_sequence().expect("every operation has examples").iter();
    examples
        .map(|example| Example {
            about: format!("{id}: {}", text(example, "about")),
            request: text(example, "request"),
            response: text(example, "response"),
        })
        .collect()
}

/// Returns the method and the path of an operation: `GET /path`.
pub fn http(meta: &Meta) -> String {
    text_of(&operation(meta)["http"]).to_owned()
}

/// Returns the names of an operation's parameters on the wire, in the order of the document.
pub fn parameters(meta: &Meta) -> Vec<String> {
    let choices = &family(meta)["choices"];
    let request = operation(meta)["request"].clone();
    let mut names = Vec::new();
    for (name, field) in mapping(&request) {
        match choices.get(text_of(&field["type"])) {
            Some(choice) => names.extend(members_of(choice)),
            None => names.push(text_of(name).to_owned()),
        }
    }
    names
}

/// Returns the structure of an operation's data.
pub fn response(meta: &Meta) -> Shape {
    let response = operation(meta)["response"].clone();
    let types = Types { family: meta.family, all: family(meta) };
    let record = |key: &str| types.record(text_of(&response[key]));
    if response.get("object").is_some() {
        return record("object");
    }
    if response.get("array").is_some() {
        return Shape::List(Box::new(record("array")));
    }
    let list = Shape::List(Box::new(record("of")));
    let mut members = vec![(text_of(&response["page"]).to_owned(), list)];
    if let Some(cursor) = response.get("cursor") {
        members.push((text_of(cursor).to_owned(), Shape::Scalar(Scalar::Text)));
    }
    Shape::Record(meta.id.to_owned(), members)
}

/// The types of a family, from `types.yaml`.
struct Types {
    family: &'static str,
    all: Yaml,
}

impl Types {
    fn record(&self, name: &str) -> Shape {
        Shape::Record(format!("{}.{name}", self.family), self.fields(name))
    }

    fn fields(&self, record: &str) -> Vec<(String, Shape)> {
        let record = &self.all["records"][record];
        let mut fields = record.get("includes").map(|included| self.fields(text_of(included))).unwrap_or_default();
        // What no document describes is in no example of a document.
        let own = mapping(&record["fields"]).iter().filter(|(_, field)| field.get("sources").is_none());
        fields.extend(own.map(|(field, kind)| (text_of(field).to_owned(), self.shape(kind))));
        fields
    }

    fn shape(&self, field: &Yaml) -> Shape {
        match field.get("list") {
            Some(item) => Shape::List(Box::new(self.named(text_of(item)))),
            None => self.named(text_of(&field["type"])),
        }
    }

    fn named(&self, name: &str) -> Shape {
        if self.all["records"].get(name).is_some() {
            return self.record(name);
        }
        if let Some(of) = self.all["enums"].get(name) {
            return Shape::Scalar(Scalar::Enum(mapping(&of["values"]).iter().map(enum_value).collect()));
        }
        Shape::Scalar(match name {
            "decimal" => Scalar::Decimal,
            "integer" => Scalar::Integer,
            "time" => Scalar::Time,
            "boolean" => Scalar::Boolean,
            _ => Scalar::Text,
        })
    }
}

fn enum_value((text, value): (&Yaml, &Yaml)) -> EnumValue {
    let also = value["also"].as_sequence().into_iter().flatten().map(|also| text_of(also).to_owned());
    EnumValue { text: text_of(text).to_owned(), also: also.collect() }
}

fn members_of(choice: &Yaml) -> Vec<String> {
    if let Some(alternatives) = choice.get("one_of") {
        return mapping(alternatives).keys().map(|name| text_of(name).to_owned()).collect();
    }
    let mut names = vec![text_of(&choice["choose_by"]).to_owned()];
    for case in mapping(&choice["cases"]).values() {
        names.extend(mapping(case).keys().map(|name| text_of(name).to_owned()));
    }
    names
}

/// Returns the ids of all operations of documented families, which state no `sources`: one for each file beside
/// `family.yaml` and `types.yaml`.
pub fn operations() -> BTreeSet<String> {
    let id = |path: &PathBuf| {
        let [family, name] = [path.parent()?.file_name(), path.file_stem()].map(|name| name?.to_str());
        let is_operation = path.extension()? == "yaml" && !["family", "types"].contains(&name?);
        is_operation.then(|| format!("{}.{}", family.unwrap_or_default(), name.unwrap_or_default()))
    };
    files(&folder())
        .iter()
        .filter(|path| path.join("family.yaml").is_file() && is_documented(path))
        .flat_map(|family| files(family))
        .filter_map(|path| id(&path))
        .collect()
}

fn is_documented(family: &Path) -> bool {
    let name = family.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    read(name, "family").get("sources").is_none()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.flatten().map(|entry| entry.path()).collect()
}

fn operation(meta: &Meta) -> Yaml {
    read_below(&folder(), meta.id)
}

fn family(meta: &Meta) -> Yaml {
    read(meta.family, "types")
}

fn read(family: &str, name: &str) -> Yaml {
    read_below(&folder(), &format!("{family}.{name}"))
}

/// Returns the file of an operation or of something else of a family.
fn read_below(schema: &Path, id: &str) -> Yaml {
    let (family, name) = id.split_once('.').expect("an id has a family and a name");
    let path = schema.join(family).join(format!("{name}.yaml"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema")
}

fn mapping(value: &Yaml) -> &Mapping {
    value.as_mapping().unwrap_or_else(|| panic!("a mapping is expected, found {value:?}"))
}

fn text_of(value: &Yaml) -> &str {
    value.as_str().unwrap_or_default()
}
