//! The file of a new operation: known values, and an empty key for everything else.

use heck::ToTitleCase as _;

use crate::compiler::diagnostics::{Code, Diagnostics, name_list, unknown};
use crate::compiler::model::{Api, Family};

/// Returns the text of `<family>/<operation>.yaml`. Unknown values are left empty, which `check` refuses.
pub(crate) fn operation(api: &Api, family: &str, operation: &str) -> Result<String, Diagnostics> {
    let family = self::family(api, family)?;
    let mut to = Diagnostics::default();
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !operation.starts_with(|c: char| c.is_ascii_lowercase()) || !operation.chars().all(is_word) {
        to.whole(Code::WrongName, format!("invalid operation name `{operation}`"))
            .help("use the last segment of its path: lower-case letters, digits and hyphens");
    } else if ["family", "types"].contains(&operation) {
        to.whole(
            Code::WrongName,
            format!("an operation cannot be named `{operation}`: `{operation}.yaml` is another file of the family"),
        )
        .help("use another name");
    }
    to.into_result().map(|()| text(api, family, operation))
}

/// Returns the `family.yaml` of a new family. Unknown values are left empty.
pub(crate) fn new_family(name: &str) -> Result<String, Diagnostics> {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(is_letter) {
        let mut to = Diagnostics::default();
        to.whole(Code::WrongName, format!("invalid family name `{name}`"))
            .help("use lower-case letters, digits and hyphens, beginning with a letter");
        return Err(to);
    }
    Ok(format!(
        "\
# yaml-language-server: $schema=../.schema/family.json
# Fill in each key that is empty; `check` refuses the file until then. Every key with an example: schema/README.md.

family: {name}
title: {title}
# What the family covers, in your own words.
doc:
# text, if numbers and times travel as JSON strings; json, if as JSON numbers.
numbers:
# The codes that the documents list, such as `\"40404\": {{ text: No such order }}`; `{{}}` if they list none.
errors:
",
        title = name.to_title_case(),
    ))
}

/// Returns the family with this name.
pub(crate) fn family<'a>(api: &'a Api, name: &str) -> Result<&'a Family, Diagnostics> {
    api.families.iter().find(|known| known.name == name).ok_or_else(|| {
        let mut to = Diagnostics::default();
        let known = || api.families.iter().map(|family| family.name.as_str());
        let help = unknown(name, known().map(|known| (known, None)), || {
            let begin = format!("to begin a family, make an empty folder `{name}` in the schema");
            format!("expected one of: {}; {begin}", name_list(known()))
        });
        to.whole(Code::UndefinedName, format!("unknown family `{name}`")).help(help);
        to
    })
}

fn text(api: &Api, family: &Family, operation: &str) -> String {
    let title = operation.to_title_case();
    let document =
        family.source.as_ref().map(|source| source.document()).or(api.documents.first().map(|first| first.id.as_str()));
    let source = document.map(|document| format!("source: {{ document: {document}, section: {title} }}\n"));
    let folders = family.operations.iter().filter_map(|other| other.path.text.rsplit_once('/'));
    let folder = folders.map(|(folder, _)| folder).find(|folder| !folder.contains('{')).unwrap_or_default();
    let public = if api.credentials.is_some() { "" } else { "access: public\n" };
    format!(
        "\
# yaml-language-server: $schema=../.schema/operation.json
# Fill in each key that is empty; `check` refuses the file until then. Every key with an example: schema/README.md.

operation: {operation}
title: {title}
{source}# The method and the path, such as `GET {folder}/{operation}`.
http:
# What the operation does, in your own words.
doc:
# read, create, amend, cancel or close.
effect:
{public}# As in the document, such as `[10/s per UID]`; `[]` if it names none.
rate_limit:

# The parameters in the document's order, such as `symbol: {{ type: string, required: always, doc: .. }}`; `{{}}` if it has none.
request:

# One of `object`, `array` and `page`, with a record of types.yaml, such as `object: SomeRecord`.
response:

# Wire JSON with values of your own: `- {{ about: A call., request: .., response: .. }}`.
examples:
",
        source = source.unwrap_or_default(),
    )
}
