//! Drafts: operation files made from a document, an OpenAPI description or a recording.
//!
//! A source becomes a [`Draft`], which holds exactly what was read. [`types`] finds matching types of the family, or
//! makes new ones; [`render`] writes the file. Unknown values are empty keys, and rules have the kind `todo`: `check`
//! refuses both.
//!
//! A draft contains facts that were read and nothing else. The readers of the audit run over a section of a document as
//! if the schema had the operation, so they can draft whatever they can compare. No source states an effect: a GET may
//! buy, and retries repeat reads, so the key stays empty except for what the exporter wrote.

pub(crate) mod openapi;
pub(crate) mod recording;
mod render;
mod types;
mod yaml;

use crate::compiler::check;
use crate::compiler::model::{Api, Effect, Family, Format, Need, Operation};
use crate::compiler::words::{AnswerForm, In, Lists, Objects, Sends, Times};
pub(crate) use render::{add_reviewed, add_types};

/// A `types.yaml` without types.
pub(crate) const NO_TYPES: &str = "# yaml-language-server: $schema=../.schema/types.json\n";

/// The facts known about an operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub(crate) name: String,
    pub(crate) title: String,
    /// The Rust name, if the title cannot become one.
    pub(crate) rust: Option<String>,
    /// The document and its section.
    pub(crate) source: Option<(String, String)>,
    pub(crate) method: String,
    pub(crate) path: String,
    /// The name of the call, where one address has several operations.
    pub(crate) call: Option<String>,
    pub(crate) effect: Option<Effect>,
    /// The words from which a person can tell the effect.
    pub(crate) effect_seen: Vec<String>,
    pub(crate) access: DraftAccess,
    pub(crate) permission: Option<String>,
    pub(crate) is_whitelisted: bool,
    pub(crate) is_deprecated: bool,
    /// With these keys, where the source states more.
    pub(crate) deprecation: Vec<(&'static str, String)>,
    pub(crate) headers: Vec<String>,
    /// Where the parameters travel, and how lists are written, if it does not follow from the method.
    pub(crate) sends: Option<Sends>,
    pub(crate) lists: Option<Lists>,
    pub(crate) objects: Option<Objects>,
    /// The rates; `None` if they are unknown.
    pub(crate) rates: Option<Vec<String>>,
    /// The parameters; `None` if they are unknown.
    pub(crate) request: Option<Vec<DraftField>>,
    pub(crate) choices: Vec<OneOf>,
    /// Choices by value, each with the prefix of the object or the items that have it.
    pub(crate) by_value: Vec<(String, ByValue)>,
    /// The window, by its keys; a source may state bounds only.
    pub(crate) window: Vec<(&'static str, String)>,
    /// The time that the answer reaches back.
    pub(crate) history: Option<String>,
    pub(crate) is_both_or_neither: bool,
    pub(crate) response: Answer,
    /// The body of a refusal and the headers of a success.
    pub(crate) answer_form: Option<AnswerForm>,
    pub(crate) refusal: Option<Data>,
    pub(crate) answered_headers: Option<Data>,
    /// The path to the data in the answer, if the operation has its own.
    pub(crate) data: Option<String>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) not_shown: Vec<String>,
    /// Calls that the source shows, for the comment beside the empty key.
    pub(crate) examples_seen: Vec<String>,
    /// Comments for the top of the file, and text that was not understood.
    pub(crate) about: Vec<String>,
    /// The words of the source for keys of the file, for the comments above them.
    pub(crate) said: Vec<(&'static str, String)>,
    /// The sections of documents that were read, which wait for a review.
    pub(crate) reviewed: bool,
    pub(crate) unread: Vec<String>,
}

impl Draft {
    /// Returns whether a choice of the request itself has objects, lists of them or maps.
    fn chooses_objects(&self) -> bool {
        let is_object = |field: &DraftField| field.kind == JsonKind::Map || !field.fields.is_empty();
        let by_value = self.by_value.iter().flat_map(|(_, choice)| &choice.cases).flat_map(|(_, members)| members);
        let members = self.choices.iter().flat_map(|choice| &choice.members);
        let of_request = self.request.iter().flatten();
        let by_presence = members.flat_map(|name| of_request.clone().filter(move |field| field.name == *name));
        by_value.chain(by_presence).any(is_object)
    }

    /// Leaves open what the body has: the whole request, or a parameter that stands for the body.
    fn body_is_unread(&mut self) {
        let Some(fields) = self.request.as_mut().filter(|fields| !fields.is_empty()) else {
            self.request = None;
            return;
        };
        let remarks = vec!["The body, which is not read: write its parameters here.".to_owned()];
        let name = "body".to_owned();
        fields.push(DraftField { name, need: Some(Need::No), is_undecided: true, remarks, ..DraftField::default() });
    }
}

/// Who may call, as far as the source says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum DraftAccess {
    #[default]
    Signed,
    Public,
    /// A person has to decide; the reason is a sentence.
    Unknown(String),
}

/// The drafts of a source, and what did not become part of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    pub(crate) drafts: Vec<Draft>,
    /// The key `credentials` of `api.yaml`, in one line.
    pub(crate) credentials: Option<String>,
    /// Operations that were skipped, with the reason.
    pub(crate) left_out: Vec<String>,
    /// Places that were not read and belong to no draft.
    pub(crate) unread: Vec<String>,
    /// The statements of the file, if they were counted.
    pub(crate) tally: Option<Tally>,
    /// The sections that describe no operation, as document and heading.
    pub(crate) sections: Vec<(String, String)>,
}

/// The statements of a file by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) read: usize,
    pub(crate) left_empty: usize,
    pub(crate) not_read: usize,
}

/// The operations that are drafted: all, or those with one of these paths, tags or ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted(pub(crate) Vec<String>);

impl Wanted {
    /// Returns whether an operation with this path and these other names is drafted. A path also stands for those below
    /// it.
    pub(crate) fn has<'a>(&self, path: &str, names: impl IntoIterator<Item = &'a str>) -> bool {
        let is_below = |wanted: &str| {
            let rest = path.strip_prefix(wanted.trim_end_matches('/')).filter(|_| wanted.starts_with('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let names: Vec<&str> = names.into_iter().collect();
        self.0.is_empty() || self.0.iter().any(|wanted| is_below(wanted) || names.contains(&wanted.as_str()))
    }
}

/// A parameter, or a field of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DraftField {
    pub(crate) name: String,
    pub(crate) need: Option<Need>,
    /// Where it travels, if not beside the others.
    pub(crate) apart: Option<In>,
    /// The name there, if another parameter has it.
    pub(crate) sent_as: Option<String>,
    /// True if it travels outside of a JSON body, where numbers have no quotes.
    pub(crate) is_bare: bool,
    pub(crate) kind: JsonKind,
    /// The type of the values of a list.
    pub(crate) item: JsonKind,
    /// The listed values, in their order.
    pub(crate) values: Vec<String>,
    pub(crate) default: Option<String>,
    /// The only value of a boolean or a number; of a text or a whole number, the only one of `values`.
    pub(crate) fixed: Option<String>,
    pub(crate) min: Option<String>,
    pub(crate) max: Option<String>,
    pub(crate) digits: Option<String>,
    pub(crate) places: Option<String>,
    pub(crate) significant_digits: Option<String>,
    /// The shortest and the longest length of a text.
    pub(crate) length: Option<(u64, u64)>,
    /// The regular expression that a text matches.
    pub(crate) pattern: Option<String>,
    pub(crate) unit: Option<String>,
    /// The effect of leaving it out, and the text that deletes the value.
    pub(crate) edit: Option<Option<String>>,
    pub(crate) is_deprecated: bool,
    pub(crate) deprecation: Vec<(&'static str, String)>,
    pub(crate) may_be_null: bool,
    /// The form of a time, the power of ten of a scaled decimal, and whether a number travels as text.
    pub(crate) times: Option<Times>,
    pub(crate) scale: Option<String>,
    pub(crate) is_text: bool,
    /// The listed values that are deprecated, with the statements of the source about them.
    pub(crate) deprecated_values: Vec<(String, Vec<(&'static str, String)>)>,
    /// True if the source may list values in words that were not understood, so that the type of a namesake is a guess.
    pub(crate) has_unread_values: bool,
    /// True if the listed values are JSON numbers.
    pub(crate) is_of_numbers: bool,
    /// True if a text of an answer is a JSON number, or a boolean 1 or 0.
    pub(crate) is_json_number: bool,
    /// True if the source states more than one type, or one that the language does not have.
    pub(crate) is_undecided: bool,
    /// True if it is an object that encloses it.
    pub(crate) is_again: bool,
    /// The name of the source for the object, or for the objects of the list.
    pub(crate) named: Option<String>,
    /// The fields of an object, or of the objects of a list, and those of them that exclude each other.
    pub(crate) fields: Vec<DraftField>,
    pub(crate) choices: Vec<OneOf>,
    pub(crate) by_value: Vec<ByValue>,
    /// In an answer: the records of which the object, or each object of the list, is one.
    pub(crate) one_of: Option<Box<Cases>>,
    /// True if the objects travel as arrays.
    pub(crate) is_by_position: bool,
    /// In a list of objects that is an object on the wire: the field with the name of each.
    pub(crate) key: Option<String>,
    /// Remarks of the source.
    pub(crate) remarks: Vec<String>,
}

/// Records of which an answer is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cases {
    /// The member that decides.
    pub(crate) decider: Option<String>,
    /// The records, each with the values of that member, or with members that only it has.
    pub(crate) cases: Vec<(DraftField, Vec<String>)>,
}

impl DraftField {
    /// Returns the content of an answer that is this field.
    pub(crate) fn into_data(self) -> Data {
        let Self { fields, one_of, named, remarks, is_by_position, key, .. } = self;
        Data { fields, one_of, named, remarks, is_by_position, key, ..Data::default() }
    }

    /// Returns the content of an answer whose only value it is: a single one, a list or a map.
    pub(crate) fn into_value(self) -> Data {
        let name = if self.name.is_empty() { "value".to_owned() } else { self.name.clone() };
        Data { fields: vec![Self { name, ..self }], is_value: true, ..Data::default() }
    }
}

/// The JSON type of a value, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum JsonKind {
    #[default]
    Unknown,
    Text,
    Number,
    /// A whole number that is never negative.
    Integer,
    Signed,
    Boolean,
    Time,
    /// A text in a format that the schema language has as a type.
    Formatted(Format),
    /// JSON of any form.
    Json,
    List,
    /// An object with names of its own, whose values have the type of `item`.
    Map,
    Object,
}

/// Alternatives: exactly one of these parameters is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OneOf {
    pub(crate) members: Vec<String>,
    pub(crate) wins: Option<String>,
    pub(crate) need: Need,
}

/// Members that a deciding one allows: each of its values has its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ByValue {
    pub(crate) decider: DraftField,
    pub(crate) cases: Vec<(String, Vec<DraftField>)>,
    pub(crate) need: Need,
}

/// The data of an answer.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// With what the source says of it.
    Unknown(Vec<String>),
    Object(Data),
    Array(Data),
    Page {
        list: String,
        cursor: String,
        next: Option<String>,
        data: Data,
    },
}

impl Default for Answer {
    fn default() -> Self {
        Self::Unknown(Vec::new())
    }
}

/// The content of an answer, or of each of its items.
#[derive(Clone, Debug, Default)]
pub(crate) struct Data {
    pub(crate) fields: Vec<DraftField>,
    /// The records of which it is one.
    pub(crate) one_of: Option<Box<Cases>>,
    pub(crate) is_by_position: bool,
    /// Where a list of it is an object on the wire: the field with the name of each.
    pub(crate) key: Option<String>,
    /// The member inside which a list of it was also seen.
    pub(crate) observed_under: Option<String>,
    /// True if it travels as the value of its only field, or is known to have none.
    pub(crate) is_value: bool,
    pub(crate) is_empty: bool,
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
    let mut drafts = named_apart(drafts, family);
    for draft in &mut drafts {
        draft.rust = types.request_name(&draft.title, &draft.name);
    }
    let text = |draft: &Draft| (draft.name.clone(), render::text(draft, &mut types));
    let operations = drafts.iter().map(text).collect();
    Files { operations, types: types.new }
}

/// Returns the drafts with distinct names: where they would be the same, the method is put before the name.
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

/// Returns a path without the names of its parameters, which do not distinguish it.
pub(crate) fn shape(path: &str) -> String {
    let mut pieces = path.split('{');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |shape, piece| format!("{shape}{{}}{}", piece.split_once('}').map_or("", |(_, rest)| rest)))
}

/// Returns the id of the operation of a schema with this method, path and call.
pub(crate) fn known_as(api: &Api, method: &str, path: &str, call: Option<&str>) -> Option<String> {
    let same = |one: &Operation| {
        let own = one.call.as_ref().map(|(call, _)| call.as_str());
        one.method.as_str() == method && shape(&one.path.text) == shape(path) && own == call
    };
    api.operations().find(|(_, operation)| same(operation)).map(|(_, operation)| operation.id.clone())
}

/// Returns the name of an operation at a path: its last segment that is not a parameter, spelled as in the schema.
pub(crate) fn name_of_path(path: &str) -> String {
    use heck::ToKebabCase as _;
    let last = path.split('/').rfind(|part| !part.is_empty() && !part.contains('{'));
    let name: String = last
        .unwrap_or("operation")
        .to_kebab_case()
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
        .collect();
    let name: String = name.trim_matches('-').chars().take(LONGEST_NAME).collect();
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase()) && check::is_free_operation(&name);
    if is_name { name } else { format!("op-{name}").trim_end_matches('-').to_owned() }
}

/// The longest name of a drafted file.
const LONGEST_NAME: usize = 60;
