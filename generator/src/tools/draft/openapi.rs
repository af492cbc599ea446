//! OpenAPI 3 -> drafts. What OpenAPI does not state (rates, effects, outcomes) stays open, and each statement of the file
//! is counted: read, left as an empty key, or not read.

mod answers;
mod described;
mod exported;
mod reading;
mod requests;
mod schema;
mod swagger;
mod text;

use std::path::Path;

use serde_json::Value;

use self::answers::{answer_form, answered_headers, refusal};
use self::described::{Content, Style, described};
use self::reading::{Cursor, Mark, Reading};
use self::requests::{Outside, apart_in_path, choices_within, path_parameters};
use self::swagger::Places;
use super::{Answer, Draft, DraftAccess, DraftField, JsonKind, Source, Tally, Wanted, known_as, name_of_path, shape};
use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::model::{Api, Method, Need, PathPiece};
use crate::compiler::plain_text;

/// A remark on what YAML 1.1 has and OpenAPI does not.
const MERGE_KEY: &str = ", a merge key, which only YAML 1.1 has: write what it stands for in its place";

/// The longest title; a longer summary is a comment.
const LONGEST_TITLE: usize = 60;

/// Drafts of the operations that a file describes, as far as they are wanted.
///
/// # Errors
/// Fails if the file cannot be read, or is not OpenAPI.
pub(crate) fn drafts(api: &Api, path: &Path, wanted: &Wanted) -> Result<Source, Diagnostics> {
    let root = read(path).map_err(|why| {
        let mut to = Diagnostics::default();
        to.whole(Code::CannotRead, why).help("name an OpenAPI file of version 3 or 2, as JSON or YAML");
        to
    })?;
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (root, places) = root;
    Ok(of_root(api, file, root, &places, wanted))
}

/// Returns the description in a file, as one of version 3, and the places of its values in the file.
fn read(path: &Path) -> Result<(Value, Places), String> {
    let shown = path.display();
    let text = plain_text::read(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
    let root = text::parse(&text).map_err(|why| format!("{shown} is not JSON or YAML: {why}"))?;
    let is_old = root["swagger"].as_str().is_some_and(|version| version.starts_with("2."));
    let (root, places) = if is_old { swagger::converted(root) } else { (root, Places::default()) };
    let is_new = root["openapi"].as_str().is_some_and(|version| version.starts_with("3."));
    if is_new && root["paths"].is_object() {
        Ok((root, places))
    } else {
        Err(format!("{shown} is not OpenAPI 3: expected `openapi: 3.x` and `paths`"))
    }
}

/// Returns the drafts of a whole description.
fn of_root(api: &Api, file: String, root: Value, in_file: &Places, wanted: &Wanted) -> Source {
    let reading = Reading::of(root);
    let source = OpenApiFile { root: reading.root(), file, api };
    source.root.mark("openapi", Mark::Read);
    let mut found = Source::default();
    let mut places: Vec<(usize, String)> = Vec::new();
    for (path, item) in source.root.get("paths").map(|paths| paths.members()).unwrap_or_default() {
        for (method, operation) in item.members() {
            let known = Method::ALL.iter().copied().find(|one| one.as_str().eq_ignore_ascii_case(method));
            match known {
                Some(method) => {
                    let (id, tags) = names(&operation);
                    if !wanted.has(path, id.into_iter().chain(tags)) {
                        continue;
                    }
                    match source.wanted(path, method, &item, &operation, &found.drafts) {
                        Ok(draft) => {
                            places.push((found.drafts.len(), operation.at.clone()));
                            found.drafts.push(draft);
                        }
                        Err(why) => found.left_out.push(why),
                    }
                }
                None if ["options", "head", "trace"].contains(&method) => found
                    .left_out
                    .push(format!("{} {path}: the schema language does not have this method", method.to_uppercase())),
                None => {}
            }
        }
    }
    found.credentials = exported::credentials(api, &source.root);
    add_unread(&mut found, &reading, &places, in_file);
    found
}

/// Adds what was not read to the draft whose operation holds it, each with the pointer to its operation.
fn add_unread(found: &mut Source, reading: &Reading, places: &[(usize, String)], in_file: &Places) {
    let (read, left_empty) = reading.counts();
    let unread = reading.unread();
    let not_read = unread.iter().map(|unread| unread.statements).sum();
    found.tally = Some(Tally { read, left_empty, not_read });
    for unread in unread {
        let within =
            |place: &str| unread.place.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let statements =
            if unread.statements == 1 { String::new() } else { format!(" ({} statements)", unread.statements) };
        let merge = if unread.place.ends_with("/<<") { MERGE_KEY } else { "" };
        let line = format!("{}{statements}{merge}", in_file.in_file(&unread.place));
        match places.iter().find(|(_, place)| within(place)) {
            Some((index, _)) => found.drafts[*index].unread.push(line),
            None => found.unread.push(line),
        }
    }
}

struct OpenApiFile<'a> {
    root: Cursor<'a>,
    file: String,
    api: &'a Api,
}

impl OpenApiFile<'_> {
    /// Returns the draft of an operation, or why it is left out.
    fn wanted(
        &self,
        path: &str,
        method: Method,
        item: &Cursor<'_>,
        operation: &Cursor<'_>,
        drafts: &[Draft],
    ) -> Result<Draft, String> {
        let whole = format!("{}{path}", self.base_path());
        let call = self.call(path, operation);
        let address = call.map_or(whole.as_str(), |call| whole.trim_end_matches(call).trim_end_matches('#'));
        match self.why_left_out(method, address, call, drafts) {
            Some(why) => Err(format!("{} {whole}: {why}", method.as_str())),
            None => Ok(self.draft(address, call, method, item, operation)),
        }
    }

    fn draft(
        &self,
        path: &str,
        call: Option<&str>,
        method: Method,
        item: &Cursor<'_>,
        operation: &Cursor<'_>,
    ) -> Draft {
        let (form, data) = answer_form(operation).unzip();
        let mut draft = Draft {
            method: method.as_str().to_owned(),
            call: call.map(str::to_owned),
            access: self.access(operation),
            is_deprecated: operation.is_true("deprecated"),
            response: data.map_or_else(|| self.answer(operation), Answer::Object),
            answer_form: form,
            refusal: refusal(operation),
            answered_headers: answered_headers(operation),
            examples_seen: self.examples(operation),
            ..Draft::default()
        };
        self.add_names(&mut draft, path, method, operation);
        let content = self.add_request(&mut draft, path, method, item, operation);
        exported::add(operation, &mut draft);
        // Only JSON has a choice of objects.
        if content == Content::Unknown || content == Content::Form && draft.chooses_objects() {
            draft.body_is_unread();
        }
        draft
    }

    /// Adds the name of the operation, its title, and what the file says about it.
    fn add_names(&self, draft: &mut Draft, path: &str, method: Method, operation: &Cursor<'_>) {
        let id = operation.text("operationId").filter(|id| id.chars().any(|c| c.is_ascii_alphanumeric()));
        draft.name = id.map_or_else(|| name_of_path(path), |id| name_of_id(id, &names(operation).1));
        let summary = operation.value.get("summary").and_then(Value::as_str).unwrap_or_default().trim();
        let is_title = !summary.is_empty() && summary.len() < LONGEST_TITLE && !summary.contains('\n');
        operation.mark("summary", if is_title { Mark::Read } else { Mark::LeftEmpty });
        draft.title = if is_title { summary.to_owned() } else { draft.name.clone() };
        let base = self.base_path();
        let in_file = path.strip_prefix(base.as_str()).unwrap_or(path);
        let stated = |texts: &[&str]| -> Vec<String> {
            texts.iter().filter(|text| !text.is_empty()).map(|text| (*text).to_owned()).collect()
        };
        draft.effect_seen = stated(&[method.as_str(), in_file, id.unwrap_or_default(), summary]);
        draft.about = vec![format!("From {}, {} {in_file}.", self.file, method.as_str())];
        draft.about.extend(stated(&[summary, operation.text_beside_gap("description").unwrap_or_default()]));
    }

    /// Adds the parameters, their choices and how they are sent; returns what the body holds.
    fn add_request(
        &self,
        draft: &mut Draft,
        path: &str,
        method: Method,
        item: &Cursor<'_>,
        operation: &Cursor<'_>,
    ) -> Content {
        let mut remarks = Vec::new();
        let (body, content) = self.body(method, operation, &mut remarks, &mut draft.unread);
        draft.about.extend(remarks.into_iter().map(|remark: String| format!("Of the body: {remark}")));
        let body = body.map(|body| self.without_call(draft.call.as_deref(), body));
        if let Some(whole) = body.as_ref().filter(|body| body.kind == JsonKind::Object) {
            draft.choices.clone_from(&whole.choices);
            draft.by_value = whole.by_value.iter().map(|one| (String::new(), one.clone())).collect();
        }
        let body = body.map(|body| match body.kind {
            JsonKind::List => vec![DraftField { need: Some(Need::Always), ..body }],
            _ => self.without_credentials(body.fields),
        });
        let described = described(item, operation);
        let style = Style::of(operation, &described, content, method);
        let elsewhere = described.iter().filter(|one| one.place != "path").map(|one| one.name);
        let members = body.iter().flatten().map(|member| member.name.as_str());
        let (drafted_path, renamed) = apart_in_path(path, &elsewhere.chain(members).collect::<Vec<_>>());
        let outside = Outside { path, renamed: &renamed, described: &described, style: &style, body: body.as_deref() };
        let mut fields = self.parameters(&outside, &mut draft.unread);
        path_parameters(&drafted_path, &mut fields);
        fields.extend(body.into_iter().flatten());
        choices_within("", &fields, &mut draft.choices, &mut draft.by_value);
        draft.path = drafted_path;
        draft.headers = self.declared_headers(&described);
        draft.sends = style.sends(content, method);
        draft.lists = style.lists.filter(|_| style.is_read_from(content));
        draft.objects = style.objects.filter(|_| style.is_read_from(content));
        draft.request = Some(fields);
        content
    }

    /// Returns why an operation is not drafted, although it is wanted.
    fn why_left_out(&self, method: Method, path: &str, call: Option<&str>, drafts: &[Draft]) -> Option<String> {
        let pieces = match PathPiece::all_of(path) {
            Ok(pieces) => pieces,
            Err(why) => return Some(why.to_owned()),
        };
        let is_parameter = |piece: &&PathPiece| matches!(piece, PathPiece::Parameter(_));
        let names: Vec<_> = pieces.iter().filter(is_parameter).collect();
        let is_double = |piece| names.iter().filter(|other| **other == piece).count() > 1;
        if names.iter().any(|piece| is_double(*piece)) {
            return Some("a parameter is in the path twice".to_owned());
        }
        if let Some(id) = known_as(self.api, method.as_str(), path, call) {
            return Some(format!("the schema has it as {id}"));
        }
        let is_same = |other: &&Draft| {
            other.method == method.as_str() && shape(&other.path) == shape(path) && other.call.as_deref() == call
        };
        drafts.iter().find(is_same).map(|other| format!("it has the address of {}", other.path))
    }

    /// Returns the call that a path names behind its `#`, if the body of the operation has a member for it.
    fn call<'p>(&self, path: &'p str, operation: &Cursor<'_>) -> Option<&'p str> {
        let (_, call) = path.split_once('#')?;
        let member = self.api.calls.method.as_deref()?;
        let media = operation.get("requestBody")?.get("content")?.members();
        let schema = media.into_iter().find_map(|(_, media)| media.get("schema"))?;
        let names_it = operation.peek(|| {
            let members =
                [Some(schema.clone()), schema.get("allOf").and_then(|parts| parts.items().into_iter().next())];
            members.into_iter().flatten().any(|part| {
                part.get("properties").and_then(|all| all.get(member)).is_some_and(|one| one.value["const"] == call)
            })
        });
        names_it.then_some(call)
    }

    /// Returns the path of the first server, which is not part of a client's base address.
    fn base_path(&self) -> String {
        let server = self.root.get("servers").and_then(|servers| servers.items().into_iter().next());
        let url = server.as_ref().and_then(|server| server.value.get("url")?.as_str()).unwrap_or_default();
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let path = rest.find('/').map_or("", |at| &rest[at..]).trim_end_matches('/');
        // One that varies is a part of the base address.
        if path.contains('{') {
            return String::new();
        }
        server.iter().for_each(|server| server.mark("url", Mark::Read));
        path.to_owned()
    }

    /// Returns who may call. Where the file says nothing, or the schema has no credentials, a person has to decide.
    fn access(&self, operation: &Cursor<'_>) -> DraftAccess {
        let own = operation.get("security");
        let Some(security) = own.or_else(|| self.root.get("security")) else {
            return DraftAccess::Unknown("The file does not say how calls are secured.".to_owned());
        };
        let ways: Vec<Vec<&str>> =
            security.items().iter().map(|way| way.members().into_iter().map(|(name, _)| name).collect()).collect();
        if ways.is_empty() {
            security.mark_all(Mark::Read);
            return DraftAccess::Public;
        }
        if self.api.credentials.is_some() && ways.iter().all(|way| !way.is_empty()) {
            security.mark_all(Mark::Read);
            return DraftAccess::Signed;
        }
        security.mark_all(Mark::LeftEmpty);
        let named: Vec<String> =
            ways.iter().map(|way| if way.is_empty() { "nothing".to_owned() } else { way.join(" and ") }).collect();
        DraftAccess::Unknown(format!("Secured by {}.", named.join(", or by ")))
    }
}

/// Returns the id of an operation, and its tags.
fn names<'a>(operation: &Cursor<'a>) -> (Option<&'a str>, Vec<&'a str>) {
    let tags = operation.value.get("tags").and_then(Value::as_array).into_iter().flatten();
    (operation.value.get("operationId").and_then(Value::as_str), tags.filter_map(Value::as_str).collect())
}

/// Returns the name of an operation with this id; the exporter writes the family before it, which is also the tag.
fn name_of_id(id: &str, tags: &[&str]) -> String {
    let exported = tags.iter().find_map(|tag| id.strip_prefix(tag)?.strip_prefix('.'));
    let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    if let Some(name) = exported.filter(is_name) {
        return name.to_owned();
    }
    let bare = exported.unwrap_or(id);
    name_of_path(&format!("/{}", bare.replace(['/', '{', '}'], "-")))
}
