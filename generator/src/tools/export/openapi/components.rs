//! Components that operations share: types of the families, headers, credentials and refusals.

use super::object::{Location, Object, class, component, declared, form, list_of, or_null, reference, schema};
use super::parameters::{self, Form};
use super::{answers, credentials};
use crate::compiler::model::{
    Api, Choice, Enum, EnumValue, Family, Field, Header, Identifier, OneOf, Record, RecordCase, RecordForm, Sent, Shape,
};
use serde_json::{Map, Value, json};

/// Returns everything under `components`.
pub(super) fn of(api: &Api, form: Form) -> Value {
    let always = api.headers.iter().filter(|header| header.sent == Sent::Always);
    Object::new()
        .map("schemas", api.families.iter().flat_map(|family| schemas(family, form)).chain(answers::refusal(api)))
        .map("responses", answers::refused(api))
        .map("parameters", always.map(|header| (header.name.clone(), self::header(header))))
        .map("headers", answers::remaining_calls(api))
        .map("securitySchemes", api.credentials.iter().flat_map(credentials::schemes))
        .into_value()
}

/// Returns a header that the caller may set.
pub(super) fn header(header: &Header) -> Value {
    let Header { name, doc, sent: _, place: _ } = header;
    Object::new()
        .with("name", name.as_str())
        .with("in", "header")
        .text("description", doc)
        .with("schema", Object::new().with("type", "string"))
        .into_value()
}

fn schemas(family: &Family, form: Form) -> Vec<(String, Value)> {
    let name = |rust: &str| component(family, rust);
    let enums = family.enums.iter().map(|all| (name(&all.name.rust), values(all)));
    let identifiers = family.identifiers.iter().map(|all| (name(&all.name.rust), identifier(all)));
    let choice = |all: &Choice| (name(&all.name.rust), parameters::choice(family, all));
    let choices: Vec<_> = match form {
        Form::Exact => family.choices.iter().map(choice).collect(),
        Form::Whole => family.operations.iter().flat_map(|operation| parameters::shared(family, operation)).collect(),
    };
    let records = family.records.iter().filter(|all| !all.is_abstract);
    let records = records.map(|all| (name(&all.name.rust), record(family, all)));
    enums.chain(identifiers).chain(choices).chain(records).collect()
}

fn values(all: &Enum) -> Value {
    let Enum { name: _, doc, values, truth, truth_places: _, counterpart } = all;
    // A list parallel to `enum`, as OpenAPI Generator and others read it.
    let is_described = values.iter().any(|value| !value.doc.is_empty());
    let described = values.iter().filter(|_| is_described).map(|value| value.doc.as_str());
    let also = values.iter().filter(|value| !value.also.is_empty()).map(|value| {
        let spellings: Vec<_> = value.also.iter().map(|(text, _)| text.as_str()).collect();
        (value.name.wire.clone(), Value::from(spellings))
    });
    let truth = truth.map(|(yes, no)| {
        let wire = |index: usize| values.get(index).map_or("", |value| value.name.wire.as_str());
        Object::new().with("true", wire(yes)).with("false", wire(no))
    });
    Object::new()
        .with("type", "string")
        .text("description", doc)
        .with("enum", all.wires().collect::<Vec<_>>())
        .list("x-enum-descriptions", described)
        .map("x-also", also)
        .map("x-enum-values", values.iter().filter_map(beyond))
        .maybe("x-truth", truth)
        .maybe("x-counterpart", counterpart.as_ref().map(declared))
        .keys(&all.keys())
        .into_value()
}

/// Returns what a list of values cannot express about a single one.
fn beyond(value: &EnumValue) -> Option<(String, Value)> {
    let EnumValue { name, doc: _, also: _, sources: _, deprecated, dates: _ } = value;
    let statements = Object::new().flag("deprecated", deprecated.is_some()).keys(&value.keys());
    (!statements.is_empty()).then(|| (name.wire.clone(), statements.into_value()))
}

fn identifier(all: &Identifier) -> Value {
    let Identifier { name: _, doc, length, alphabet, forms, mint } = all;
    let forms = forms.iter().map(|form| (form.name.wire.clone(), self::form(form)));
    Object::new()
        .with("type", "string")
        .text("description", doc)
        .maybe("minLength", length.map(|(least, _)| least))
        .maybe("maxLength", length.map(|(_, most)| most))
        .maybe("pattern", alphabet.as_ref().map(|(alphabet, _)| format!("^{}*$", class(alphabet))))
        .map("x-forms", forms)
        .flag("x-mint", mint.is_some())
        .keys(&all.keys())
        .into_value()
}

/// Returns the schema of a record. No field is required, because the exchange leaves out documented fields.
fn record(family: &Family, record: &Record) -> Value {
    // Lists of a record with a `key` are objects. Abstract records are not exported.
    let Record { name: _, doc, source, is_abstract: _, is_observed, travels, key: _, fields, is_whole: _ } = record;
    let mut fields = fields.iter().map(|field| (field.name.wire.clone(), self::field(family, field)));
    let form = match travels {
        RecordForm::Object => {
            let properties: Map<_, _> = fields.collect();
            Object::new().with("type", "object").text("description", doc).with("properties", properties)
        }
        RecordForm::Array => {
            let titled =
                |(name, field): (String, Value)| Object::new().with("title", name).and(Object::of(field)).into_value();
            let elements: Vec<_> = fields.map(titled).collect();
            Object::new().with("type", "array").text("description", doc).with("prefixItems", elements)
        }
        RecordForm::Value(_) => {
            let (name, only) = fields.next().unwrap_or_else(|| (String::new(), json!({})));
            Object::new().text("description", doc).with("allOf", [only]).text("x-value", &name)
        }
        RecordForm::OneOf(one_of) => self::one_of(family, one_of).text("description", doc),
    };
    form.maybe("x-source", source.as_ref().map(super::rules::source))
        .flag("x-observed-only", *is_observed)
        .keys(&record.keys())
        .into_value()
}

/// Returns one of several records. What tells each of them is stated again, because no field of a record is required.
fn one_of(family: &Family, one_of: &OneOf) -> Object {
    let OneOf { decider, cases, place: _ } = one_of;
    let name = |RecordCase { record, place: _, told_by: _ }: &RecordCase| &family.records[*record].name.rust;
    let words = |case: &RecordCase| case.told_by.iter().map(|(word, _)| word.clone()).collect::<Vec<_>>();
    let told = |case: &RecordCase| {
        let form = reference(family, name(case));
        let required = |member: &String| json!({"required": [member]});
        match (decider, words(case).as_slice()) {
            (Some((decider, _)), words) => {
                let value = Object::new().with(decider.as_str(), json!({"enum": words}));
                form.with("required", [decider.as_str()]).with("properties", value)
            }
            (None, []) => form,
            (None, [member]) => form.with("required", [member.as_str()]),
            (None, members) => form.with("anyOf", members.iter().map(required).collect::<Vec<_>>()),
        }
    };
    let forms: Vec<Value> = cases.iter().map(|case| told(case).into_value()).collect();
    let discriminator = decider.as_ref().map(|(decider, _)| {
        let of_case = |case: &RecordCase| {
            let target = reference(family, name(case)).into_value()["$ref"].clone();
            words(case).into_iter().map(move |word| (word, target.clone())).collect::<Vec<_>>()
        };
        Object::new().with("propertyName", decider.as_str()).map("mapping", cases.iter().flat_map(of_case))
    });
    Object::new().with("oneOf", forms).maybe("discriminator", discriminator)
}

fn field(family: &Family, field: &Field) -> Value {
    let Field {
        shape,
        may_be_null,
        deprecated,
        only,
        as_text,
        doc,
        // Among the keys.
        name: _,
        comes_only: _,
        fixed: _,
        sources: _,
        units: _,
    } = field;
    let only: Vec<_> = only.iter().map(|(value, _)| value.as_str()).collect();
    let value = |ty| schema(family, ty, *as_text, &only, Location::Answer);
    let schema = match *shape {
        Shape::One(ty) => value(ty),
        Shape::List(ty) => list_of(family, ty, value(ty)),
        Shape::Map(ty) => Object::new().with("type", "object").with("additionalProperties", value(ty)),
        Shape::Items(_) | Shape::Object(_) => Object::new(),
    };
    let schema = if *may_be_null { or_null(schema) } else { schema };
    let schema = schema.text("description", doc).flag("deprecated", deprecated.is_some());
    schema.keys(&field.keys(family)).into_value()
}
