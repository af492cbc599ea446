//! The file of a new operation: as little as a schema can hold, to be replaced line by line.

use heck::ToTitleCase as _;
use serde_json::{Value, json};

use crate::diagnostics::{Code, Diagnostics, did_you_mean};
use crate::model::{Access, Api, Envelope, Family};

/// The text of `<family>/<operation>.yaml`, which has no mistakes as long as the family has a record.
pub(crate) fn operation(api: &Api, family: &str, operation: &str) -> Result<String, Diagnostics> {
    let mut to = Diagnostics::default();
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !operation.starts_with(|c: char| c.is_ascii_lowercase()) || !operation.chars().all(is_word) {
        to.whole(Code::WrongName, format!("`{operation}` is no name for an operation"))
            .help("take the last segment of its path: small letters, digits and hyphens");
    } else if ["family", "types"].contains(&operation) {
        to.whole(Code::WrongName, format!("`{operation}.yaml` is a file of the family already"))
            .help("call the operation otherwise");
    }
    let Some(family) = api.families.iter().find(|known| known.name == family) else {
        let known = api.families.iter().map(|family| family.name.as_str());
        let list = known.clone().collect::<Vec<_>>().join(", ");
        to.whole(Code::UndefinedName, format!("no family is called `{family}`"))
            .help(did_you_mean(family, known).unwrap_or_else(|| format!("the families are: {list}").into()));
        return Err(to);
    };
    to.into_result().map(|()| text(api, family, operation))
}

fn text(api: &Api, family: &Family, operation: &str) -> String {
    let title = operation.to_title_case();
    let document =
        family.source.as_ref().map(|source| &source.document).or(api.documents.first().map(|first| &first.id));
    let source = document.map(|document| format!("source: {{ document: {document}, section: {title} }}\n"));
    let folders = family.operations.iter().filter_map(|other| other.path.text.rsplit_once('/'));
    let folder = folders.map(|(folder, _)| folder).find(|folder| !folder.contains('{')).unwrap_or_default();
    let access = if api.credentials.is_some() { Access::Signed } else { Access::Public };
    let records = family.records.iter().filter(|record| !record.is_abstract);
    let record = records.map(|record| record.name.wire.as_str()).next().unwrap_or("SomeRecord");
    format!(
        "\
# yaml-language-server: $schema=../.schema/operation.json
# Every key with an example: schema/README.md.

operation: {operation}
title: {title}
{source}# The method, and the path as the document writes it.
http: GET {folder}/{operation}
doc: What the operation does, in our own words.
# read, create, amend, cancel or close: what a repeat of the call would do.
effect: read
access: {access}
# As in the document, such as `10/s per UID`.
rate_limit: []

# The parameters in the document's order, such as `symbol: {{ type: string, required: always, doc: .. }}`.
request: {{}}

# One of `object`, `array` and `page`, with a record of types.yaml.
response:
  object: {record}

# Wire JSON with values of our own.
examples:
  - about: A call.
    request: |
      {{}}
    response: |
      {answer}
",
        source = source.unwrap_or_default(),
        access = access.as_str(),
        answer = answer(api.envelope.as_ref()),
    )
}

/// The smallest answer there is: nothing, in its envelope.
fn answer(envelope: Option<&Envelope>) -> Value {
    match envelope {
        Some(envelope) => json!({ envelope.code.as_str(): envelope.success, envelope.data.as_str(): {} }),
        None => json!({}),
    }
}
