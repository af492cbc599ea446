//! Drafts: operation files made from a document, an OpenAPI description or a recording.
//!
//! A source becomes a [`Draft`], which holds exactly what was read. [`types`] finds matching types of the family, or
//! makes new ones; [`render`] writes the file. Unknown values are empty keys, and rules have the kind `todo`: `check`
//! refuses both.

mod additions;
pub(crate) mod openapi;
pub(crate) mod recording;
mod render;
mod types;
mod yaml;

use crate::model::{Api, Effect, Family, Need};
use crate::words::{Lists, Sends};
pub(crate) use additions::add_types;

/// A `types.yaml` without types.
pub(crate) const NO_TYPES: &str = "# yaml-language-server: $schema=../.schema/types.json\n";

/// What is known about an operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub(crate) name: String,
    pub(crate) title: String,
    /// The document and its section.
    pub(crate) source: Option<(String, String)>,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) effect: Option<Effect>,
    pub(crate) is_public: bool,
    pub(crate) permission: Option<String>,
    pub(crate) is_whitelisted: bool,
    pub(crate) is_deprecated: bool,
    pub(crate) headers: Vec<String>,
    /// Where the parameters travel, and how lists are written, if it does not follow from the method.
    pub(crate) sends: Option<Sends>,
    pub(crate) lists: Option<Lists>,
    /// The rates; `None` if they are unknown.
    pub(crate) rates: Option<Vec<String>>,
    /// The parameters; `None` if they are unknown.
    pub(crate) request: Option<Vec<DraftField>>,
    pub(crate) choices: Vec<OneOf>,
    /// The bounds of the window, by their keys.
    pub(crate) window: Vec<(&'static str, String)>,
    pub(crate) is_both_or_neither: bool,
    pub(crate) response: Answer,
    pub(crate) rules: Vec<Rule>,
    pub(crate) not_shown: Vec<String>,
    pub(crate) examples: Vec<DraftExample>,
    /// Comments for the top of the file, and text that was not understood.
    pub(crate) about: Vec<String>,
    pub(crate) unread: Vec<String>,
}

/// A parameter, or a field of an answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct DraftField {
    pub(crate) name: String,
    pub(crate) need: Option<Need>,
    /// Whether it travels in a header.
    pub(crate) in_header: bool,
    pub(crate) kind: JsonKind,
    /// The type of the values of a list.
    pub(crate) item: JsonKind,
    /// The listed values, in their order.
    pub(crate) values: Vec<String>,
    pub(crate) default: Option<String>,
    pub(crate) min: Option<String>,
    pub(crate) max: Option<String>,
    pub(crate) digits: Option<String>,
    pub(crate) unit: Option<String>,
    /// The effect of leaving it out, and the text that deletes the value.
    pub(crate) edit: Option<Option<String>>,
    pub(crate) is_deprecated: bool,
    /// The name of the source for the object, or for the objects of the list.
    pub(crate) named: Option<String>,
    /// The fields of an object, or of the objects of a list.
    pub(crate) fields: Vec<DraftField>,
    /// Remarks of the source.
    pub(crate) remarks: Vec<String>,
}

/// The JSON type of a value, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum JsonKind {
    #[default]
    Unknown,
    Text,
    Number,
    Integer,
    Boolean,
    Time,
    List,
    Object,
}

/// Alternatives: exactly one of these parameters is sent.
#[derive(Clone, Debug)]
pub(crate) struct OneOf {
    pub(crate) members: Vec<String>,
    pub(crate) wins: Option<String>,
    pub(crate) need: Need,
}

/// The data of an answer.
#[derive(Clone, Debug, Default)]
pub(crate) enum Answer {
    #[default]
    Unknown,
    Object(Data),
    Array(Data),
    Page {
        list: String,
        cursor: String,
        next: Option<String>,
        data: Data,
    },
}

/// The content of an answer, or of each of its items.
#[derive(Clone, Debug, Default)]
pub(crate) struct Data {
    pub(crate) fields: Vec<DraftField>,
    /// The name of the source for it.
    pub(crate) named: Option<String>,
    /// The names of records of the family that the source may refer to, the most likely first.
    pub(crate) records: Vec<String>,
    pub(crate) remarks: Vec<String>,
}

/// A binding sentence of a document.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) at: String,
    pub(crate) says: String,
    /// Parameters of which the rule requires at least one, and the list whose items have them.
    pub(crate) any_of: Option<(Option<String>, Vec<String>)>,
    pub(crate) remark: String,
}

/// Wire JSON of a call.
#[derive(Clone, Debug)]
pub(crate) struct DraftExample {
    pub(crate) about: String,
    pub(crate) request: String,
    pub(crate) response: String,
}

/// The files of operations by name, and the types to add to `types.yaml`.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    pub(crate) operations: Vec<(String, String)>,
    pub(crate) types: NewTypes,
}

/// New types, under the keys of `types.yaml`.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewTypes {
    enums: Vec<yaml::Entry>,
    choices: Vec<yaml::Entry>,
    records: Vec<yaml::Entry>,
}

/// Writes drafts, with types of the family where they fit.
pub(crate) fn files(drafts: &[Draft], api: &Api, family: &Family) -> Files {
    let mut types = types::Types::of(api, family);
    let text = |draft: &Draft| (draft.name.clone(), render::text(draft, &mut types));
    let operations = named_apart(drafts, family).iter().map(text).collect();
    Files { operations, types: types.new }
}

/// The drafts with distinct names: where they would be the same, the method is put before the name.
fn named_apart(drafts: &[Draft], family: &Family) -> Vec<Draft> {
    let mut taken: Vec<String> = family.operations.iter().map(|known| known.name.clone()).collect();
    taken.extend(["family".to_owned(), "types".to_owned()]);
    let is_double = |name: &str| drafts.iter().filter(|draft| draft.name == name).count() > 1;
    let mut named = Vec::new();
    for draft in drafts {
        let with_method = format!("{}-{}", draft.method.to_lowercase(), draft.name);
        let own = if is_double(&draft.name) || taken.contains(&draft.name) { with_method } else { draft.name.clone() };
        let numbered = (2..).map(|n| format!("{own}-{n}"));
        let name = std::iter::once(own.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or_default();
        taken.push(name.clone());
        let title = if draft.title == draft.name { name.clone() } else { draft.title.clone() };
        named.push(Draft { name, title, ..draft.clone() });
    }
    named
}

/// The name of an operation at a path: its last segment that is not a parameter, spelled as in the schema.
pub(crate) fn name_of_path(path: &str) -> String {
    use heck::ToKebabCase as _;
    let last = path.split('/').rfind(|part| !part.is_empty() && !part.contains('{'));
    let name = last.unwrap_or("operation").to_kebab_case();
    if name.starts_with(|c: char| c.is_ascii_lowercase()) { name } else { format!("op-{name}") }
}
