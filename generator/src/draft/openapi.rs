//! OpenAPI 3 -> drafts. What OpenAPI does not state (rates, effects, outcomes) stays open, and each statement of the file
//! is counted: read, left as an empty key, or not read.

mod exported;
mod reading;
mod schema;
mod swagger;
mod text;

use std::path::Path;

use serde_json::Value;

use self::reading::{Cursor, Mark, Reading};
use self::schema::Side;
use super::{
    Answer, ByValue, Data, Draft, DraftAccess, DraftField, JsonKind, OneOf, Source, Tally, Wanted, known_as,
    name_of_path, shape,
};
use crate::diagnostics::{Code, Diagnostics};
use crate::model::{Api, ListName, Method, Need, PathPiece, Sent};
use crate::plain_text;
use crate::words::{Lists, Objects, Sends};

/// The longest title; a longer summary is a comment.
const LONGEST_TITLE: usize = 60;

/// Drafts of the operations that a file describes, as far as they are wanted.
///
/// # Errors
/// Fails if the file cannot be read, or is not OpenAPI.
pub(crate) fn drafts(api: &Api, path: &Path, wanted: &Wanted) -> Result<Source, Diagnostics> {
    let mut to = Diagnostics::default();
    let shown = path.display();
    let text = match plain_text::read(path) {
        Ok(text) => text,
        Err(error) => {
            to.whole(Code::CannotRead, format!("cannot read {shown}: {error}")).help("name an OpenAPI file");
            return Err(to);
        }
    };
    let root = match text::parse(&text) {
        Ok(root) => root,
        Err(why) => {
            to.whole(Code::CannotRead, format!("{shown} is not JSON or YAML: {why}"))
                .help("name an OpenAPI file of version 3 or 2, as JSON or YAML");
            return Err(to);
        }
    };
    let is_old = root["swagger"].as_str().is_some_and(|version| version.starts_with("2."));
    let root = if is_old { swagger::converted(root) } else { root };
    if !root["openapi"].as_str().is_some_and(|version| version.starts_with("3.")) || !root["paths"].is_object() {
        to.whole(Code::CannotRead, format!("{shown} is not OpenAPI 3: expected `openapi: 3.x` and `paths`"))
            .help("name an OpenAPI file of version 3 or 2");
        return Err(to);
    }
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(of_root(api, file, root, wanted))
}

/// The drafts of a whole description.
fn of_root(api: &Api, file: String, root: Value, wanted: &Wanted) -> Source {
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
                    let whole = format!("{}{path}", source.base_path());
                    let call = source.call(path, &operation);
                    let address =
                        call.map_or(whole.as_str(), |call| whole.trim_end_matches(call).trim_end_matches('#'));
                    if let Some(why) = source.why_left_out(method, address, call, &found.drafts) {
                        found.left_out.push(format!("{} {whole}: {why}", method.as_str()));
                    } else {
                        places.push((found.drafts.len(), operation.at.clone()));
                        found.drafts.push(source.draft(address, call, method, &item, &operation));
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
    let (read, left_empty) = reading.counts();
    let unread = reading.unread();
    let not_read = unread.iter().map(|unread| unread.statements).sum();
    for unread in unread {
        let within =
            |place: &str| unread.place.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let statements =
            if unread.statements == 1 { String::new() } else { format!(" ({} statements)", unread.statements) };
        let line = format!("{}{statements}", unread.place);
        match places.iter().find(|(_, place)| within(place)) {
            Some((index, _)) => found.drafts[*index].unread.push(line),
            None => found.unread.push(line),
        }
    }
    found.tally = Some(Tally { read, left_empty, not_read });
    found
}

struct OpenApiFile<'a> {
    root: Cursor<'a>,
    file: String,
    api: &'a Api,
}

impl OpenApiFile<'_> {
    fn draft(
        &self,
        path: &str,
        call: Option<&str>,
        method: Method,
        item: &Cursor<'_>,
        operation: &Cursor<'_>,
    ) -> Draft {
        let (mut of_body, mut unread) = (Vec::new(), Vec::new());
        let is_in_path = path.contains('{');
        let (body, content) = self.body(method, operation, is_in_path, &mut of_body, &mut unread);
        let body = body.map(|body| self.without_call(call, body));
        let of_whole = body.as_ref().filter(|body| body.kind == JsonKind::Object);
        let mut choices = of_whole.map(|body| body.choices.clone()).unwrap_or_default();
        let mut by_value: Vec<_> =
            of_whole.iter().flat_map(|body| &body.by_value).map(|one| (String::new(), one.clone())).collect();
        let body = body.map(|body| match body.kind {
            JsonKind::List => vec![DraftField { need: Some(Need::Always), ..body }],
            _ => self.without_credentials(body.fields),
        });
        let described = described(item, operation);
        let style = Style::of(operation, &described, body.is_some(), method);
        let mut fields = self.parameters(path, &described, &style, body.as_deref(), &mut unread);
        let in_path = path_parameters(path, &mut fields);
        for field in body.into_iter().flatten() {
            if in_path.contains(&field.name) {
                unread.push(format!("the member {} of the body, which has the name of a part of the path", field.name));
            } else {
                fields.push(field);
            }
        }
        choices_within("", &fields, &mut choices, &mut by_value);
        let id = operation.text("operationId").filter(|id| id.chars().any(|c| c.is_ascii_alphanumeric()));
        let name = id.map_or_else(|| name_of_path(path), |id| name_of_id(id, &names(operation).1));
        let summary = operation.value.get("summary").and_then(Value::as_str).unwrap_or_default().trim();
        let is_title = !summary.is_empty() && summary.len() < LONGEST_TITLE && !summary.contains('\n');
        operation.mark("summary", if is_title { Mark::Read } else { Mark::LeftEmpty });
        let description = operation.text_beside_gap("description").unwrap_or_default();
        let about = [summary, description].into_iter().filter(|text| !text.is_empty()).map(str::to_owned);
        let base = self.base_path();
        let in_file = path.strip_prefix(base.as_str()).unwrap_or(path);
        let seen = [method.as_str(), in_file, id.unwrap_or_default(), summary];
        let seen = seen.into_iter().filter(|text| !text.is_empty()).map(str::to_owned).collect();
        let mut draft = Draft {
            title: if is_title { summary.to_owned() } else { name.clone() },
            name,
            method: method.as_str().to_owned(),
            path: path.to_owned(),
            call: call.map(str::to_owned),
            effect_seen: seen,
            access: self.access(operation),
            is_deprecated: operation.is_true("deprecated"),
            headers: self.declared_headers(&described),
            sends: style.sends(content, method),
            lists: style.lists.filter(|_| style.is_read_from(content)),
            objects: style.objects.filter(|_| style.is_read_from(content)),
            choices,
            by_value,
            request: Some(fields),
            response: self.answer(operation),
            examples_seen: self.examples(operation),
            about: std::iter::once(format!("From {}, {} {in_file}.", self.file, method.as_str()))
                .chain(about)
                .chain(of_body.into_iter().map(|remark: String| format!("Of the body: {remark}")))
                .collect(),
            unread,
            ..Draft::default()
        };
        exported::add(operation, &mut draft);
        if content == Content::Unknown {
            draft.body_is_unread();
        }
        draft
    }

    /// Why an operation is not drafted, although it is wanted.
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

    /// The call that a path names behind its `#`, if the body of the operation has a member for it.
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

    /// The parameters of a call, without the members that name it.
    fn without_call(&self, call: Option<&str>, body: DraftField) -> DraftField {
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

    /// The members of a body that are no credentials of the schema.
    fn without_credentials(&self, fields: Vec<DraftField>) -> Vec<DraftField> {
        let carried: Vec<&str> =
            self.api.credentials.iter().flat_map(|own| &own.carried).map(|one| one.name.as_str()).collect();
        fields.into_iter().filter(|field| !carried.contains(&field.name.as_str())).collect()
    }

    /// The path of the first server, which is not part of a client's base address.
    fn base_path(&self) -> String {
        let server = self.root.get("servers").and_then(|servers| servers.items().into_iter().next());
        let url = server.as_ref().and_then(|server| server.text("url")).unwrap_or_default();
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let path = rest.find('/').map_or("", |at| &rest[at..]).trim_end_matches('/');
        if path.contains('{') { String::new() } else { path.to_owned() }
    }

    /// Who may call. Where the file says nothing, or the schema has no credentials, a person has to decide.
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

    /// Whether the schema already has a header, as one of its own or as a credential.
    fn is_declared(&self, name: &str) -> bool {
        let credentials = self.api.credentials.iter().flat_map(|own| own.headers());
        self.api
            .headers
            .iter()
            .map(|header| &header.name)
            .chain(credentials.map(|own| &own.name))
            .any(|known| known.eq_ignore_ascii_case(name))
    }

    /// The headers of the schema that the operation lists.
    fn declared_headers(&self, described: &[Described<'_>]) -> Vec<String> {
        let own = |one: &Described<'_>| {
            let header = self.api.headers.iter().find(|header| header.name.eq_ignore_ascii_case(one.name))?;
            (header.sent == Sent::ByOperation).then(|| header.name.clone())
        };
        described.iter().filter(|one| one.place == "header").filter_map(own).collect()
    }

    fn parameters(
        &self,
        path: &str,
        described: &[Described<'_>],
        style: &Style,
        body: Option<&[DraftField]>,
        unread: &mut Vec<String>,
    ) -> Vec<DraftField> {
        let mut fields: Vec<DraftField> = Vec::new();
        // Those in headers come last, because others are part of what is signed.
        let (headers, others): (Vec<_>, Vec<_>) = described.iter().partition(|one| one.place == "header");
        for one in others.into_iter().chain(headers) {
            let in_header = one.place == "header";
            if in_header && self.is_declared(one.name) {
                one.at.mark_all(Mark::Read);
                continue;
            }
            let has_name = |fields: &[DraftField]| fields.iter().any(|field| field.name == one.name);
            let is_double = has_name(&fields) || one.place != "path" && has_name(body.unwrap_or_default());
            let mut why = "which has the name of another one";
            let field = one.at.attempt(|| {
                let schema = one.schema();
                let field = schema.as_ref().map(|schema| schema::field(one.name, schema, Side::Request, &[]));
                let field = field.unwrap_or_else(|| DraftField { name: one.name.to_owned(), ..DraftField::default() });
                let fault = if is_double { Some(why) } else { self.why_unfit(path, one, &field, style, body) };
                why = fault.unwrap_or(why);
                fault.is_none().then_some(field).map(|field| {
                    // JSON of any form has no form outside of a body.
                    let is_undecided = field.is_undecided || field.kind == JsonKind::Json;
                    DraftField { is_undecided, ..field }
                })
            });
            let Some(mut field) = field else {
                unread.push(format!("the {} parameter {}, {why}", one.place, one.name));
                continue;
            };
            one.at.mark("name", Mark::Read);
            one.at.mark("in", Mark::Read);
            field.in_header = in_header;
            let is_required = one.at.is_true("required") || one.place == "path";
            field.is_bare = true;
            field.need = Some(schema::need_of(&one.at));
            if is_required {
                schema::require(&mut field);
            }
            field.is_deprecated |= one.at.is_true("deprecated");
            field.remarks.splice(..0, one.at.text_beside_gap("description").map(str::to_owned));
            fields.push(field);
        }
        fields
    }

    /// Why the language cannot have a parameter where the file has it.
    fn why_unfit(
        &self,
        path: &str,
        one: &Described<'_>,
        field: &DraftField,
        style: &Style,
        body: Option<&[DraftField]>,
    ) -> Option<&'static str> {
        let is_array = body.is_some_and(|body| body.first().is_some_and(|first| first.name == ListName::BODY));
        let is_set = || IGNORED_HEADERS.iter().any(|name| name.eq_ignore_ascii_case(one.name));
        match one.place {
            "path" if !path.contains(&format!("{{{}}}", one.name)) => Some("which is not in the path"),
            "path" => None,
            _ if is_array => Some("beside an array body"),
            "query" if body.is_some() => Some("beside a body"),
            "query" => style.why_unlike(one, field),
            "header" if is_set() => Some("which the client sets"),
            "header" if fits_header(field) => None,
            "header" => Some("whose type no header has"),
            _ => Some("whose place the language does not have"),
        }
    }

    /// The parameters in the body, and what it holds; `None` if there is no body that can be read.
    fn body(
        &self,
        method: Method,
        operation: &Cursor<'_>,
        is_in_path: bool,
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
        let mut why = "which is not an object with named members";
        let fields = body.attempt(|| {
            let whole = schema::field(ListName::BODY, &schema, Side::Request, &[]);
            match whole.kind {
                _ if whole.is_undecided => None,
                JsonKind::List if is_in_path => {
                    why = "which is an array beside parameters of the path";
                    None
                }
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
            Some(fields) => (Some(fields), kind),
            None => {
                unread.push(format!("the body, {why}"));
                (None, Content::Unknown)
            }
        }
    }

    /// The data of the first success.
    fn answer(&self, operation: &Cursor<'_>) -> Answer {
        let responses = operation.get("responses").map(|all| all.members()).unwrap_or_default();
        let named = |word: &str| responses.iter().find(|(status, _)| status.starts_with(word));
        let success = named("2").or_else(|| named("default"));
        let Some((_, success)) = success else { return Answer::Unknown(Vec::new()) };
        let said = || success.text_beside_gap("description").map(str::to_owned).into_iter();
        let media = success.get("content").map(|content| content.members()).unwrap_or_default();
        let Some(schema) =
            media.iter().find(|(name, _)| name.contains("json")).and_then(|(_, media)| media.get("schema"))
        else {
            let kinds = media.iter().map(|(name, _)| format!("Answered as {name}."));
            return Answer::Unknown(said().chain(kinds).collect());
        };
        let whole = self.without_refusal(&schema).unwrap_or_else(|| schema::field("", &schema, Side::Answer, &[]));
        let data = self.api.envelope.as_ref().and_then(|envelope| envelope.data.as_ref()?.member());
        let own: Vec<&str> = operation.text(exported::DATA).into_iter().flat_map(|path| path.split('.')).collect();
        let path = if own.is_empty() { data.into_iter().collect() } else { own };
        let inner = path
            .iter()
            .try_fold(whole.clone(), |outer, name| outer.fields.into_iter().find(|field| field.name == *name));
        let field = inner.unwrap_or(whole);
        let (kind, item, is_undecided) = (field.kind, field.item, field.is_undecided);
        let data = field.clone().into_data();
        match kind {
            JsonKind::List if item == JsonKind::Object && !data.fields.is_empty() && !is_undecided => {
                Answer::Array(data)
            }
            JsonKind::Object if !is_undecided => Answer::Object(Data { is_empty: data.fields.is_empty(), ..data }),
            JsonKind::Unknown => Answer::Unknown(said().chain(data.remarks).collect()),
            _ if is_undecided => Answer::Unknown(said().chain(data.remarks).collect()),
            JsonKind::List if item == JsonKind::Unknown => Answer::Unknown(said().chain(data.remarks).collect()),
            _ => Answer::Object(as_value(field)),
        }
    }

    /// The success of an answer that the exporter wrote beside the refusal.
    fn without_refusal(&self, schema: &Cursor<'_>) -> Option<DraftField> {
        let forms = schema.get("anyOf")?.items();
        let [success, refusal] = forms.as_slice() else { return None };
        (refusal.name().as_deref() == Some("Refusal")).then(|| schema::field("", success, Side::Answer, &[]))
    }

    /// What the file shows of calls, for the comment beside the empty `examples`.
    fn examples(&self, operation: &Cursor<'_>) -> Vec<String> {
        let own = |content: &Cursor<'_>| {
            let (_, media) = content.get("content")?.members().into_iter().find(|(name, _)| name.contains("json"))?;
            let listed = media.get("examples").and_then(|all| all.members().into_iter().next());
            let example = listed.and_then(|(_, one)| one.get("value")).or_else(|| media.get("example"))?;
            example.mark_all(Mark::LeftEmpty);
            Some(example.value.to_string())
        };
        let request = operation.get("requestBody").as_ref().and_then(own);
        let responses = operation.get("responses").map(|all| all.members()).unwrap_or_default();
        let success = responses.iter().find(|(status, _)| status.starts_with('2'));
        let response = success.and_then(|(_, response)| own(response));
        let shown = [("Request", request), ("Response", response)].into_iter();
        shown.filter_map(|(what, json)| Some(format!("{what}: {}", json?))).collect()
    }
}

/// A record for an answer that is a single value, a list of values or a map.
fn as_value(field: DraftField) -> Data {
    let name = if field.name.is_empty() { "value".to_owned() } else { field.name.clone() };
    let field = DraftField { name, ..field };
    Data { fields: vec![field], is_value: true, ..Data::default() }
}

/// Adds the choices within objects and lists of objects, with the names of their members as in the whole request.
fn choices_within(
    prefix: &str,
    fields: &[DraftField],
    choices: &mut Vec<OneOf>,
    by_value: &mut Vec<(String, ByValue)>,
) {
    for field in fields {
        let prefix = match field.kind {
            JsonKind::List => ListName::new(&field.name).item_prefix(),
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

/// The names of the parameters in a path. Those that the file does not describe become parameters without a type.
fn path_parameters(path: &str, fields: &mut Vec<DraftField>) -> Vec<String> {
    let names = path.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.to_owned()));
    let names: Vec<String> = names.collect();
    for name in names.iter().rev().filter(|name| fields.iter().all(|field| field.name != **name)).collect::<Vec<_>>() {
        let remarks = vec!["The file does not describe this part of the path.".to_owned()];
        fields.insert(0, DraftField { name: name.clone(), need: Some(Need::Always), remarks, ..DraftField::default() });
    }
    names
}

/// The id of an operation, and its tags.
fn names<'a>(operation: &Cursor<'a>) -> (Option<&'a str>, Vec<&'a str>) {
    let tags = operation.value.get("tags").and_then(Value::as_array).into_iter().flatten();
    (operation.value.get("operationId").and_then(Value::as_str), tags.filter_map(Value::as_str).collect())
}

/// The name of an operation with this id; the exporter writes the family before it, which is also the tag.
fn name_of_id(id: &str, tags: &[&str]) -> String {
    let exported = tags.iter().find_map(|tag| id.strip_prefix(tag)?.strip_prefix('.'));
    let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    if let Some(name) = exported.filter(is_name) {
        return name.to_owned();
    }
    let bare = exported.unwrap_or(id);
    name_of_path(&format!("/{}", bare.replace(['/', '{', '}'], "-")))
}

/// Headers that OpenAPI describes elsewhere.
const IGNORED_HEADERS: [&str; 3] = ["Accept", "Content-Type", "Authorization"];

/// The content of a request's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    None,
    Json,
    Form,
    /// One that the language does not have.
    Unknown,
}

/// A parameter outside of the body.
struct Described<'a> {
    name: &'a str,
    place: &'a str,
    at: Cursor<'a>,
}

impl<'a> Described<'a> {
    fn schema(&self) -> Option<Cursor<'a>> {
        let in_content = || self.at.get("content")?.members().into_iter().find_map(|(_, media)| media.get("schema"));
        self.at.get("schema").or_else(in_content)
    }

    fn is_json(&self) -> bool {
        self.at.value.get("content").is_some()
    }
}

/// The parameters of an operation: its own, and those of its path that it does not replace.
fn described<'a>(item: &Cursor<'a>, operation: &Cursor<'a>) -> Vec<Described<'a>> {
    let listed = |of: &Cursor<'a>| {
        let all = of.get("parameters").map(|all| all.items()).unwrap_or_default();
        let text = |one: &Cursor<'a>, key: &str| one.value.get(key).and_then(Value::as_str).unwrap_or_default();
        let described = |at: Cursor<'a>| Described { name: text(&at, "name"), place: text(&at, "in"), at };
        all.into_iter().map(described).filter(|one| !one.name.is_empty()).collect::<Vec<_>>()
    };
    let own = listed(operation);
    let is_replaced = |one: &Described<'_>| own.iter().any(|other| (other.name, other.place) == (one.name, one.place));
    let of_path: Vec<_> = listed(item).into_iter().filter(|one| !is_replaced(one)).collect();
    of_path.into_iter().chain(own).collect()
}

/// How lists and objects are written in the query: as the first of them says.
#[derive(Default)]
struct Style {
    lists: Option<Lists>,
    objects: Option<Objects>,
    /// What the exporter says of the whole operation.
    own_lists: Option<Lists>,
    own_objects: Option<Objects>,
    has_query: bool,
    /// Whether nothing but the query carries parameters that a body would by default.
    is_query_of_body: bool,
}

impl Style {
    fn of(operation: &Cursor<'_>, described: &[Described<'_>], has_body: bool, method: Method) -> Self {
        let mut style = Self::default();
        let own = |key: &str| operation.value.get(key).and_then(Value::as_str);
        style.own_lists = own("x-lists").and_then(Lists::parse);
        style.own_objects = own("x-objects").and_then(Objects::parse);
        for one in described.iter().filter(|one| one.place == "query") {
            style.has_query = true;
            one.at.peek(|| match one.schema().map(|schema| schema::field("", &schema, Side::Request, &[]).kind) {
                Some(JsonKind::List) if style.lists.is_none() => style.lists = lists(one),
                Some(JsonKind::Object) if style.objects.is_none() => style.objects = objects(one),
                _ => {}
            });
        }
        style.is_query_of_body = style.has_query && !has_body && !method.has_query();
        style
    }

    /// Why a list or an object of the query is not read: it is written otherwise than the others, or in no way that the
    /// language has.
    fn why_unlike(&self, one: &Described<'_>, field: &DraftField) -> Option<&'static str> {
        const UNLIKE: &str = "which is written in another way";
        match field.kind {
            JsonKind::List if field.item == JsonKind::Object && self.own_lists.is_none() => {
                Some("whose items are objects")
            }
            JsonKind::List if self.own_lists.is_some() => None,
            JsonKind::Object if self.own_objects.is_some() => None,
            JsonKind::List => (self.lists != lists(one) || lists(one).is_none()).then_some(UNLIKE),
            JsonKind::Object => (self.objects != objects(one) || objects(one).is_none()).then_some(UNLIKE),
            _ => None,
        }
    }

    fn sends(&self, content: Content, method: Method) -> Option<Sends> {
        match content {
            Content::Form => Some(Sends::Form),
            Content::Json => method.has_query().then_some(Sends::Json),
            Content::None | Content::Unknown => self.is_query_of_body.then_some(Sends::Query),
        }
    }

    /// Whether lists and objects are in the query, rather than in a body with a form of its own.
    fn is_read_from(&self, content: Content) -> bool {
        self.has_query && matches!(content, Content::None | Content::Unknown)
    }
}

/// How a list is written.
fn lists(one: &Described<'_>) -> Option<Lists> {
    if one.is_json() {
        return Some(Lists::Json);
    }
    let (style, is_exploded) = (one.at.text("style").unwrap_or("form"), one.at.value.get("explode"));
    one.at.mark("explode", Mark::Read);
    match (style, is_exploded.and_then(Value::as_bool)) {
        ("form", Some(false)) => Some(Lists::Comma),
        ("form", _) => Some(Lists::Repeated),
        _ => None,
    }
}

/// How an object is written.
fn objects(one: &Described<'_>) -> Option<Objects> {
    if one.is_json() {
        return Some(Objects::Json);
    }
    one.at.mark("explode", Mark::Read);
    (one.at.text("style") == Some("deepObject")).then_some(Objects::Brackets)
}

/// Whether a header can carry a value: a single one, or a list separated by commas.
fn fits_header(field: &DraftField) -> bool {
    let is_single = |kind: JsonKind| {
        !matches!(kind, JsonKind::Unknown | JsonKind::Json | JsonKind::List | JsonKind::Map | JsonKind::Object)
    };
    if field.kind == JsonKind::List { is_single(field.item) } else { is_single(field.kind) }
}
