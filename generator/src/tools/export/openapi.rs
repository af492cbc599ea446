//! The whole API as OpenAPI 3.1: its own keywords where they suffice, and keys that begin with `x-` for everything
//! else. It has two forms: one that tools of other languages read, and an exact one.
//!
//! OpenAPI is an output only: JSON Schema cannot express a third of the rules. Answers are open in it, as on the wire;
//! requests are strict. No server is named.

mod answers;
mod components;
mod credentials;
mod families;
mod object;
mod operations;
mod parameters;
mod rules;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde_json::{Value, json};

use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::model::{Account, Api, Document, Instrument, InstrumentProperty, Property, PropertyKind};
use crate::compiler::write::{RUST, replace_stale};
use crate::tools::compare::{Difference, compare};
use object::Object;
use parameters::Form;

/// An API as OpenAPI 3.1.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenApi {
    /// The document, as JSON.
    pub text: String,
    /// The number of operations.
    pub operations: usize,
    /// The number of schemas that the operations share.
    pub schemas: usize,
    /// The number of occurrences of each `x-` key, which hold what OpenAPI cannot express.
    pub extensions: BTreeMap<String, usize>,
    /// The number of rules that the exact form states in schemas and this one in `x-rules` alone.
    pub lost: usize,
}

/// Exports an API as OpenAPI that tools of other languages read.
pub(crate) fn openapi(api: &Api) -> OpenApi {
    let conditions = |form| object::conditions(&document(api, form));
    let lost = conditions(Form::Exact) - conditions(Form::Whole);
    OpenApi { lost, ..of_document(api, &object::without_dots(document(api, Form::Whole))) }
}

/// Exports an API as OpenAPI that states everything that JSON Schema can.
pub(crate) fn exact_openapi(api: &Api) -> OpenApi {
    of_document(api, &document(api, Form::Exact))
}

fn of_document(api: &Api, document: &Value) -> OpenApi {
    let schemas = document["components"]["schemas"].as_object().map_or(0, serde_json::Map::len);
    let extensions = object::extensions(document);
    let text = format!("{document:#}\n");
    OpenApi { text, operations: api.operations().count(), schemas, extensions, lost: 0 }
}

fn document(api: &Api, form: Form) -> Value {
    let Api {
        name: _,
        doc: _,
        license: _,
        documents: _,
        account: _,
        outcomes: _,
        codes_doc: _,
        codes: _,
        refusals: _,
        observed: _,
        families,
        credentials,
        // Among the components, and at the operations.
        envelope: _,
        calls: _,
        headers: _,
        remaining_calls: _,
        remaining_calls_in: _,
        pools: _,
        refused_address: _,
        // Of the emitted crate.
        markets: _,
        examples: _,
        guide: _,
        // Of the files.
        place: _,
        is_sound: _,
        is_whole: _,
        reviewed: _,
    } = api;
    Object::new()
        .with("openapi", "3.1.0")
        .with("info", info(api))
        .with("servers", [server()])
        .list("tags", families.iter().map(families::tag))
        .with("paths", operations::paths(api, form))
        .with("components", components::of(api, form))
        .maybe("x-credentials", credentials.as_ref().map(credentials::of))
        .into_value()
}

/// Returns the head of the file, whose version is that of this description; those of the documents are part of their
/// titles.
fn info(api: &Api) -> Value {
    let title =
        |Document { id, title, aligned: _, reading: _, place: _ }: &Document| (id.clone(), Value::from(title.as_str()));
    let aligned = |document: &Document| Some((document.id.clone(), Value::from(document.aligned?.0.to_string())));
    Object::new()
        .with("title", api.name.as_str())
        .with("version", env!("CARGO_PKG_VERSION"))
        .text("description", &api.doc)
        .maybe("license", api.license.as_ref().map(|license| json!({"name": license, "identifier": license})))
        .map("x-documents", api.documents.iter().map(title))
        .map("x-aligned", api.documents.iter().filter_map(aligned))
        .maybe("x-account", api.account.as_ref().map(account))
        .list("x-outcomes", api.outcomes.iter().map(families::outcome))
        .list("x-observed-codes", api.codes.iter().map(rules::observed_code))
        .list("x-refusals", api.refusals.iter().map(rules::refusal))
        .list("x-observed", api.observed.iter().map(rules::observation))
        .into_value()
}

/// Returns the server. The user provides the address; readers require a URL, so the default is in a domain reserved for
/// examples.
fn server() -> Value {
    let base = Object::new()
        .with("default", "https://api.example.com")
        .with("description", "The base address, which the user gives.");
    Object::new()
        .with("url", "{baseUrl}")
        .with("variables", Object::new().with("baseUrl", base).into_value())
        .into_value()
}

/// Returns the properties of the account that signs, which rules refer to.
fn account(account: &Account) -> Value {
    let Account { doc, properties, instrument } = account;
    let properties = properties.iter().map(|property| {
        // Answers that contradict a property are for clients.
        let Property { name, doc, kind, shown_as: _, denied_by: _ } = property;
        let described = Object::new().text("description", doc);
        let described = match kind {
            PropertyKind::Words(_, values) => described
                .map("values", values.iter().map(|value| (value.name.wire.clone(), Value::from(value.doc.as_str())))),
            PropertyKind::Flag => described.with("type", "flag"),
            PropertyKind::Time => described.with("type", "time"),
            PropertyKind::Names => described.with("type", "names"),
        };
        (name.wire.clone(), described.into_value())
    });
    let instrument = instrument.as_ref().map(|Instrument { doc, properties }| {
        let property = |InstrumentProperty { name, doc, is_flag, denied_by: _ }: &InstrumentProperty| match is_flag {
            true => (name.wire.clone(), Object::new().text("description", doc).with("type", "flag").into_value()),
            false => (name.wire.clone(), Value::from(doc.as_str())),
        };
        Object::new().text("description", doc).map("properties", properties.iter().map(property))
    });
    Object::new().text("description", doc).map("properties", properties).maybe("instrument", instrument).into_value()
}

impl OpenApi {
    /// Writes the document to a file unless the content is the same; returns whether it was written.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<bool, Diagnostics> {
        let (folder, files) = self.in_folder(path);
        replace_stale(folder, &files).map(|written| !written.is_empty())
    }

    /// Returns what [`OpenApi::write`] would change; writes nothing.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn compare(&self, path: &Path) -> Result<Vec<Difference>, Diagnostics> {
        let (folder, files) = self.in_folder(path);
        compare(folder, &files, &RUST)
    }

    fn in_folder<'a>(&self, path: &'a Path) -> (&'a Path, BTreeMap<String, String>) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (path.parent().unwrap_or(Path::new("")), BTreeMap::from([(name, self.text.clone())]))
    }
}

impl fmt::Display for OpenApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<_> = self.extensions.iter().map(|(key, count)| format!("{key} {count}")).collect();
        write!(
            f,
            "{} operations, {} shared schemas; {} kinds of statement kept in x- keys: {}",
            self.operations,
            self.schemas,
            kinds.len(),
            kinds.join(", ")
        )?;
        match self.lost {
            0 => Ok(()),
            lost => write!(f, "; {lost} rules are in x-rules alone, which the exact form states in schemas too"),
        }
    }
}
