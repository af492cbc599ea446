//! The parameters of a request: those outside of a body, and what the body holds.

use super::described::{Content, Described, Style, fits_header};
use super::reading::{Cursor, Mark};
use super::schema::{self, Side};
use super::{OpenApiFile, exported};
use crate::compiler::model::{ListName, Method, Need, Sent};
use crate::compiler::words::In;
use crate::tools::draft::{ByValue, DraftField, JsonKind, OneOf};

/// The parameters outside of a body, and what decides how they are drafted.
pub(super) struct Outside<'a> {
    /// The path in the file.
    pub(super) path: &'a str,
    /// Parts of the path that get another name, each before that name.
    pub(super) renamed: &'a [(String, String)],
    pub(super) described: &'a [Described<'a>],
    pub(super) style: &'a Style,
    /// The parameters in the body, if there is one.
    pub(super) body: Option<&'a [DraftField]>,
}

impl OpenApiFile<'_> {
    /// Returns the parameters of a call, without the members that name it.
    pub(super) fn without_call(&self, call: Option<&str>, body: DraftField) -> DraftField {
        let calls = &self.api.calls;
        match (call, &calls.params) {
            (None, _) => body,
            (Some(_), Some(params)) => {
                let params = body.fields.into_iter().find(|field| field.name == *params);
                params.unwrap_or_else(|| DraftField { kind: JsonKind::Object, ..DraftField::default() })
            }
            (Some(_), None) => {
                let is_own = |field: &DraftField| !calls.members().any(|member| member == field.name);
                DraftField { fields: body.fields.into_iter().filter(is_own).collect(), ..body }
            }
        }
    }

    /// Returns the members of a body that are not credentials of the schema, or of the file if the schema has none.
    pub(super) fn without_credentials(&self, fields: Vec<DraftField>) -> Vec<DraftField> {
        let carried: Vec<&str> =
            self.api.credentials.iter().flat_map(|own| &own.carried).map(|one| one.name.as_str()).collect();
        let is_of_file = |name: &str| self.api.credentials.is_none() && exported::is_credential(&self.root, name);
        let is_own = |field: &DraftField| !carried.contains(&field.name.as_str()) && !is_of_file(&field.name);
        fields.into_iter().filter(is_own).collect()
    }

    /// Returns whether the schema already has a header, as one of its own or as a credential.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        let credentials = self.api.credentials.iter().flat_map(|own| own.headers());
        self.api
            .headers
            .iter()
            .map(|header| &header.name)
            .chain(credentials.map(|own| &own.name))
            .any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Returns the headers of the schema that the operation lists.
    pub(super) fn declared_headers(&self, described: &[Described<'_>]) -> Vec<String> {
        let own = |one: &Described<'_>| {
            let header = self.api.headers.iter().find(|header| header.name.eq_ignore_ascii_case(one.name))?;
            (header.sent == Sent::ByOperation).then(|| header.name.clone())
        };
        described.iter().filter(|one| one.place == "header").filter_map(own).collect()
    }

    /// Returns the parameters outside of the body. Those in headers come last, because others are part of what is
    /// signed.
    pub(super) fn parameters(&self, of: &Outside<'_>, unread: &mut Vec<String>) -> Vec<DraftField> {
        let mut fields: Vec<DraftField> = Vec::new();
        let (headers, others): (Vec<_>, Vec<_>) = of.described.iter().partition(|one| one.place == "header");
        for one in others.into_iter().chain(headers) {
            if one.place == "header" && self.is_declared(one.name) {
                one.at.mark_all(Mark::Read);
                continue;
            }
            match self.parameter(of, one, &fields) {
                Ok(field) => fields.push(field),
                Err(why) => unread.push(format!("the {} parameter {}, {why}", one.place, one.name)),
            }
        }
        fields
    }

    /// Returns a parameter outside of the body, beside those `before` it; or why the language cannot have it.
    fn parameter(
        &self,
        of: &Outside<'_>,
        one: &Described<'_>,
        before: &[DraftField],
    ) -> Result<DraftField, &'static str> {
        let is_taken = |name: &str| before.iter().chain(of.body.unwrap_or_default()).any(|field| field.name == name);
        // What travels apart from the others may be sent under a name that it does not have.
        let is_apart = one.place == "header" || one.place == "query" && of.body.is_some();
        let other = is_apart.then(|| other_name(one, of.described, is_taken)).flatten();
        // The name of a part of the path is never sent, so that it can be another one.
        let is_double = one.place != "path" && other.is_none() && is_taken(one.name);
        let mut why = "which has the name of another one";
        let field = one.at.attempt(|| {
            let schema = one.schema();
            let field = schema.as_ref().map(|schema| schema::field(one.name, schema, Side::Request, &[]));
            let field = field.unwrap_or_else(|| DraftField { name: one.name.to_owned(), ..DraftField::default() });
            let fault = if is_double { Some(why) } else { self.why_unfit(of, one, &field) };
            why = fault.unwrap_or(why);
            fault.is_none().then_some(field).map(|field| {
                // JSON of any form has no form outside of a body.
                let is_undecided = field.is_undecided || field.kind == JsonKind::Json;
                DraftField { is_undecided, ..field }
            })
        });
        let mut field = field.ok_or(why)?;
        undecided_maps(&mut field);
        add_place(&mut field, of, one);
        if let Some(other) = other {
            field.sent_as = Some(std::mem::replace(&mut field.name, other));
        }
        Ok(field)
    }

    /// Returns why the language cannot have a parameter where the file has it.
    fn why_unfit(&self, of: &Outside<'_>, one: &Described<'_>, field: &DraftField) -> Option<&'static str> {
        let is_set = || IGNORED_HEADERS.iter().any(|name| name.eq_ignore_ascii_case(one.name));
        match one.place {
            "path" if !of.path.contains(&format!("{{{}}}", one.name)) => Some("which is not in the path"),
            "path" => None,
            "query" if of.body.is_some() && !fits_header(field) => {
                Some("whose form a query beside a body does not have")
            }
            "query" => of.style.why_unlike(one, field),
            "header" if is_set() => Some("which the client sets"),
            "header" if fits_header(field) => None,
            "header" => Some("whose type no header has"),
            _ => Some("whose place the language does not have"),
        }
    }

    /// Returns the parameters in the body, and what it holds; `None` if there is no body that can be read.
    pub(super) fn body(
        &self,
        method: Method,
        operation: &Cursor<'_>,
        remarks: &mut Vec<String>,
        unread: &mut Vec<String>,
    ) -> (Option<DraftField>, Content) {
        let Some(body) = operation.get("requestBody") else { return (None, Content::None) };
        let media = body.get("content").map(|content| content.members()).unwrap_or_default();
        let json = media.iter().find(|(name, _)| name.contains("json"));
        let form = media.iter().find(|(name, _)| name.starts_with("application/x-www-form-urlencoded"));
        let found = json.map(|found| (found, Content::Json)).or(form.map(|found| (found, Content::Form)));
        let Some((schema, kind)) = found.and_then(|((_, media), kind)| Some((media.get("schema")?, kind))) else {
            let kinds: Vec<&str> = media.iter().map(|(name, _)| *name).collect();
            unread.push(format!("the body, which is neither JSON nor a form: {}", kinds.join(", ")));
            return (None, Content::Unknown);
        };
        if method == Method::Get {
            unread.push("the body, which a GET request does not have".to_owned());
            return (None, Content::None);
        }
        let why = "which is not an object with named members";
        let fields = body.attempt(|| {
            let whole = schema::field(ListName::BODY, &schema, Side::Request, &[]);
            match whole.kind {
                _ if whole.is_undecided => None,
                JsonKind::List => {
                    Some(whole).filter(|whole| whole.item == JsonKind::Object && !whole.fields.is_empty())
                }
                JsonKind::Object if !whole.is_again => {
                    remarks.extend(whole.remarks.clone());
                    Some(whole)
                }
                _ => None,
            }
        });
        match fields {
            Some(mut fields) => {
                if kind == Content::Form {
                    undecided_maps(&mut fields);
                }
                let media = found.map_or("", |((name, _), _)| name.split(';').next().unwrap_or_default().trim());
                if kind == Content::Json && media != "application/json" {
                    unread.push(format!("the media type of the body, {media}: it is sent as application/json"));
                }
                (Some(fields), kind)
            }
            None => {
                unread.push(format!("the body, {why}"));
                (None, Content::Unknown)
            }
        }
    }
}

/// Adds what a parameter outside of the body states beside its schema: its place, whether it is required, remarks.
fn add_place(field: &mut DraftField, of: &Outside<'_>, one: &Described<'_>) {
    match one.at.value.get("style").and_then(serde_json::Value::as_str).filter(|_| one.place == "path") {
        Some("simple") => one.at.mark("style", Mark::Read),
        Some(style) => {
            one.at.mark("style", Mark::LeftEmpty);
            field.is_undecided = true;
            field.remarks.push(format!("It is in the path in the style {style}."));
        }
        None => {}
    }
    one.at.mark("name", Mark::Read);
    one.at.mark("in", Mark::Read);
    field.apart = match one.place {
        "header" => Some(In::Header),
        "query" => of.body.map(|_| In::Query),
        _ => None,
    };
    let is_required = one.at.is_true("required") || one.place == "path";
    field.is_bare = true;
    field.need = Some(exported::need_of(&one.at));
    if is_required {
        field.need = Some(Need::Always);
    }
    field.is_deprecated |= one.at.is_true("deprecated");
    field.remarks.splice(..0, one.at.text_beside_gap("description").map(str::to_owned));
    if let Some((old, new)) = of.renamed.iter().find(|(old, _)| one.place == "path" && old == one.name) {
        field.remarks.push(format!("The file calls this part of the path {old}, as another parameter."));
        field.name.clone_from(new);
    }
}

/// Returns the name in the schema of a parameter that is sent under its own: what the exporter states, or a free one
/// where its own is taken.
fn other_name(one: &Described<'_>, described: &[Described<'_>], is_taken: impl Fn(&str) -> bool) -> Option<String> {
    if let Some(stated) = one.at.text("x-name").filter(|stated| !is_taken(stated)) {
        return Some(stated.to_owned());
    }
    let longer = |name: &str| format!("{}_{name}", one.place);
    let is_free = |name: &String| !is_taken(name) && described.iter().all(|other| other.name != name);
    let candidates = std::iter::successors(Some(longer(one.name)), |known| Some(longer(known)));
    is_taken(one.name).then(|| candidates.take(MAX_NAMES).find(is_free)).flatten()
}

/// Leaves undecided what maps are outside of JSON, which has them alone.
fn undecided_maps(field: &mut DraftField) {
    if field.kind == JsonKind::Map {
        (field.kind, field.is_undecided) = (JsonKind::Unknown, true);
        field.remarks.push("An object with names of its own.".to_owned());
    }
    field.fields.iter_mut().for_each(undecided_maps);
}

/// Adds the choices within objects and lists of objects, with the names of their members as in the whole request.
pub(super) fn choices_within(
    prefix: &str,
    fields: &[DraftField],
    choices: &mut Vec<OneOf>,
    by_value: &mut Vec<(String, ByValue)>,
) {
    for field in fields {
        let prefix = match field.kind {
            JsonKind::List => format!("{prefix}{}", ListName::new(&field.name).item_prefix()),
            _ => format!("{prefix}{}.", field.name),
        };
        let named = |name: &String| format!("{prefix}{name}");
        choices.extend(field.choices.iter().map(|one| OneOf {
            members: one.members.iter().map(named).collect(),
            wins: one.wins.as_ref().map(named),
            need: one.need,
        }));
        by_value.extend(field.by_value.iter().map(|one| (prefix.clone(), one.clone())));
        choices_within(&prefix, &field.fields, choices, by_value);
    }
}

/// Returns the path, in which parts whose name another parameter has get one of their own, and those names, each behind
/// the old one.
pub(super) fn apart_in_path(path: &str, taken: &[&str]) -> (String, Vec<(String, String)>) {
    let (names, mut apart, mut renamed) = (names_in(path), path.to_owned(), Vec::new());
    for name in names.iter().filter(|name| taken.contains(&name.as_str())) {
        let is_free = |new: &String| !taken.contains(&new.as_str()) && !names.contains(new);
        let mut candidates = std::iter::successors(Some(format!("path_{name}")), |known| Some(format!("path_{known}")));
        let new = candidates.find(is_free).unwrap_or_default();
        apart = apart.replace(&format!("{{{name}}}"), &format!("{{{new}}}"));
        renamed.push((name.clone(), new));
    }
    (apart, renamed)
}

/// Returns the names of the parts of a path.
fn names_in(path: &str) -> Vec<String> {
    path.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())).collect()
}

/// Makes the parts of a path that the file does not describe parameters without a type.
pub(super) fn path_parameters(path: &str, fields: &mut Vec<DraftField>) {
    let names = names_in(path);
    for name in names.iter().rev().filter(|name| fields.iter().all(|field| field.name != **name)).collect::<Vec<_>>() {
        let remarks = vec!["The file does not describe this part of the path.".to_owned()];
        fields.insert(0, DraftField { name: name.clone(), need: Some(Need::Always), remarks, ..DraftField::default() });
    }
}

/// The most names that are tried for a parameter whose own is another one's.
const MAX_NAMES: usize = 16;

/// Headers that OpenAPI describes elsewhere.
const IGNORED_HEADERS: [&str; 3] = ["Accept", "Content-Type", "Authorization"];
