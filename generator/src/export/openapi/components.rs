//! Components that operations share: types of the families, headers, credentials and refusals.

use serde_json::{Map, Value, json};

use super::object::Object;
use super::patterns::{class, form_pattern};
use super::values::{Location, component, list_of, or_null, schema};
use super::{answers, credentials, parameters};
use crate::model::{Api, Enum, EnumValue, Family, Field, Header, Identifier, Record, RecordForm, Sent, Shape};

/// Everything under `components`.
pub(super) fn of(api: &Api) -> Value {
    let always = api.headers.iter().filter(|header| header.sent == Sent::Always);
    Object::new()
        .map("schemas", api.families.iter().flat_map(schemas).chain(answers::refusal(api)))
        .map("responses", answers::refused(api))
        .map("parameters", always.map(|header| (header.name.clone(), self::header(header))))
        .map("headers", answers::remaining_calls(api))
        .map("securitySchemes", api.credentials.iter().flat_map(credentials::schemes))
        .into_value()
}

/// A header that the caller may set.
pub(super) fn header(header: &Header) -> Value {
    Object::new()
        .with("name", header.name.as_str())
        .with("in", "header")
        .text("description", &header.doc)
        .with("schema", Object::new().with("type", "string"))
        .into_value()
}

fn schemas(family: &Family) -> Vec<(String, Value)> {
    let name = |rust: &str| component(family, rust);
    let enums = family.enums.iter().map(|all| (name(&all.name.rust), values(all)));
    let identifiers = family.identifiers.iter().map(|all| (name(&all.name.rust), identifier(all)));
    let choices = family.choices.iter().map(|all| (name(&all.name.rust), parameters::choice(family, all)));
    let records = family.records.iter().filter(|all| !all.is_abstract);
    let records = records.map(|all| (name(&all.name.rust), record(family, all)));
    enums.chain(identifiers).chain(choices).chain(records).collect()
}

fn values(all: &Enum) -> Value {
    let described = all.values.iter().filter(|value| !value.doc.is_empty());
    let also = all.values.iter().filter(|value| !value.also.is_empty()).map(|value| {
        let spellings: Vec<_> = value.also.iter().map(|(text, _)| text.as_str()).collect();
        (value.name.wire.clone(), Value::from(spellings))
    });
    let truth = all.truth.map(|(yes, no)| {
        let wire = |index: usize| all.values.get(index).map_or("", |value| value.name.wire.as_str());
        Object::new().with("true", wire(yes)).with("false", wire(no))
    });
    Object::new()
        .with("type", "string")
        .text("description", &all.doc)
        .with("enum", all.wires().collect::<Vec<_>>())
        .map("x-enum-descriptions", described.map(|value| (value.name.wire.clone(), Value::from(value.doc.as_str()))))
        .map("x-also", also)
        .map("x-enum-values", all.values.iter().filter_map(beyond))
        .maybe("x-truth", truth)
        .keys(&all.keys())
        .into_value()
}

/// What a list of values cannot express about a single one.
fn beyond(value: &EnumValue) -> Option<(String, Value)> {
    let statements = Object::new().flag("deprecated", value.deprecated.is_some()).keys(&value.keys());
    (!statements.is_empty()).then(|| (value.name.wire.clone(), statements.into_value()))
}

fn identifier(all: &Identifier) -> Value {
    let forms = all.forms.iter().map(|form| (form.name.wire.clone(), Value::from(form_pattern(form))));
    Object::new()
        .with("type", "string")
        .text("description", &all.doc)
        .maybe("minLength", all.length.map(|(least, _)| least))
        .maybe("maxLength", all.length.map(|(_, most)| most))
        .maybe("pattern", all.alphabet.as_ref().map(|(alphabet, _)| format!("^{}*$", class(alphabet))))
        .map("x-forms", forms)
        .flag("x-mint", all.mint.is_some())
        .keys(&all.keys())
        .into_value()
}

/// The schema of a record. No field is required, because the exchange leaves out documented fields.
fn record(family: &Family, record: &Record) -> Value {
    let mut fields = record.fields.iter().map(|field| (field.name.wire.clone(), self::field(family, field)));
    let form = match record.travels {
        RecordForm::Object => {
            let properties: Map<_, _> = fields.collect();
            Object::new().with("type", "object").text("description", &record.doc).with("properties", properties)
        }
        RecordForm::Array => {
            let titled =
                |(name, field): (String, Value)| Object::new().with("title", name).and(Object::of(field)).into_value();
            let elements: Vec<_> = fields.map(titled).collect();
            Object::new().with("type", "array").text("description", &record.doc).with("prefixItems", elements)
        }
        RecordForm::Value(_) => {
            let only = fields.next().map(|(_, field)| field).unwrap_or_else(|| json!({}));
            Object::new().text("description", &record.doc).with("allOf", [only])
        }
    };
    form.maybe("x-source", record.source.as_ref().map(super::statements::source))
        .flag("x-observed-only", record.is_observed)
        .keys(&record.keys())
        .into_value()
}

fn field(family: &Family, field: &Field) -> Value {
    let only: Vec<_> = field.only.iter().map(|(value, _)| value.as_str()).collect();
    let schema = match field.shape {
        Shape::One(ty) => schema(family, ty, field.as_text, &only, Location::Answer),
        Shape::List(ty) => {
            let items = schema(family, ty, field.as_text, &only, Location::Answer);
            list_of(family, ty, items)
        }
        Shape::Map(ty) => {
            let values = schema(family, ty, field.as_text, &only, Location::Answer);
            Object::new().with("type", "object").with("additionalProperties", values)
        }
        Shape::Items(_) | Shape::Object(_) => Object::new(),
    };
    let schema = if field.may_be_null { or_null(schema) } else { schema };
    let schema = schema.text("description", &field.doc).flag("deprecated", field.deprecated.is_some());
    schema.keys(&field.keys(family)).into_value()
}
