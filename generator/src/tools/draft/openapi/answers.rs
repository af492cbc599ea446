//! Answers: the data of a success, its form and its headers, and the body of a refusal.

use super::OpenApiFile;
use super::described::fits_header;
use super::exported;
use super::reading::{Cursor, Mark};
use super::schema::{self, Side};
use crate::compiler::model::{AnswerPath, Step};
use crate::compiler::words::AnswerForm;
use crate::tools::draft::{Answer, Data, DraftField, JsonKind};

impl OpenApiFile<'_> {
    /// Returns the data of the first success.
    pub(super) fn answer(&self, operation: &Cursor<'_>) -> Answer {
        let Some(success) = success(operation, true) else { return Answer::Unknown(Vec::new()) };
        let said = || success.text_beside_gap("description").map(str::to_owned).into_iter();
        let media = success.get("content").map(|content| content.members()).unwrap_or_default();
        let Some(schema) =
            media.iter().find(|(name, _)| name.contains("json")).and_then(|(_, media)| media.get("schema"))
        else {
            let kinds = media.iter().map(|(name, _)| format!("Answered as {name}."));
            return Answer::Unknown(said().chain(kinds).collect());
        };
        let success = self.without_refusal(&schema).unwrap_or(schema);
        let whole = schema::field("", &success, Side::Answer, &[]);
        let own = operation.text(exported::DATA).and_then(AnswerPath::parse);
        let path = own.or_else(|| self.api.envelope.as_ref()?.data.clone());
        let data = path.as_ref().and_then(|path| at(&success, path));
        let member = path.as_ref().filter(|_| data.is_some()).and_then(|path| match path.0.last() {
            Some(Step::Member(name)) => Some(name.clone()),
            Some(Step::Item(_)) | None => None,
        });
        let own_name = exported::name_of_value(data.as_ref().unwrap_or(&success)).or(member);
        let seen = exported::observed_form(data.as_ref().unwrap_or(&success));
        let (form, observed_under) = seen.map_or((data, None), |(form, under)| (Some(form), Some(under)));
        let field = form.map_or(whole, |form| schema::field("", &form, Side::Answer, &[]));
        let field = DraftField { name: own_name.unwrap_or_default(), ..field };
        let (kind, item, is_undecided) = (field.kind, field.item, field.is_undecided);
        let data = Data { observed_under, ..field.clone().into_data() };
        let has_content = !data.fields.is_empty() || data.one_of.is_some();
        match kind {
            JsonKind::List if item == JsonKind::Object && has_content && !is_undecided => Answer::Array(data),
            JsonKind::Object if !is_undecided => Answer::Object(Data { is_empty: !has_content, ..data }),
            JsonKind::Unknown => Answer::Unknown(said().chain(data.remarks).collect()),
            _ if is_undecided => Answer::Unknown(said().chain(data.remarks).collect()),
            JsonKind::List if item == JsonKind::Unknown => Answer::Unknown(said().chain(data.remarks).collect()),
            _ => Answer::Object(field.into_value()),
        }
    }

    /// Returns the success of an answer that the exporter wrote beside the refusal.
    fn without_refusal<'a>(&self, schema: &Cursor<'a>) -> Option<Cursor<'a>> {
        let forms = schema.get("anyOf")?.items();
        let [success, refusal] = forms.as_slice() else { return None };
        (refusal.name().as_deref() == Some("Refusal")).then(|| success.clone())
    }

    /// Returns what the file shows of calls, for the comment beside the empty `examples`.
    pub(super) fn examples(&self, operation: &Cursor<'_>) -> Vec<String> {
        let own = |content: &Cursor<'_>| {
            let (_, media) = content.get("content")?.members().into_iter().find(|(name, _)| name.contains("json"))?;
            let listed = media.get("examples").and_then(|all| all.members().into_iter().next());
            let example = listed.and_then(|(_, one)| one.get("value")).or_else(|| media.get("example"))?;
            example.mark_all(Mark::LeftEmpty);
            Some(example.value.to_string())
        };
        let request = operation.get("requestBody").as_ref().and_then(own);
        let response = success(operation, false).and_then(|response| own(&response));
        let shown = [("Request", request), ("Response", response)].into_iter();
        shown.filter_map(|(what, json)| Some(format!("{what}: {}", json?))).collect()
    }
}

/// Returns the first success with content, or the first one without; with `or_default`, whatever has no status of its
/// own.
fn success<'a>(operation: &Cursor<'a>, or_default: bool) -> Option<Cursor<'a>> {
    let responses = operation.get("responses")?.members();
    let successes = || responses.iter().filter(|(status, _)| status.starts_with('2'));
    let has_content = |(_, success): &&(&str, Cursor<'a>)| success.value.get("content").is_some();
    let other = || responses.iter().find(|(status, _)| or_default && *status == "default");
    let found = successes().find(has_content).or_else(|| successes().next()).or_else(other);
    found.map(|(_, success)| success.clone())
}

/// Returns the schema at the end of a path of members and places.
fn at<'a>(whole: &Cursor<'a>, path: &AnswerPath) -> Option<Cursor<'a>> {
    path.0.iter().try_fold(whole.clone(), |outer, step| match step {
        Step::Member(name) => {
            let parts = outer.get("allOf").map(|parts| parts.items()).unwrap_or_default();
            std::iter::once(outer).chain(parts).find_map(|part| part.get("properties")?.get(name))
        }
        Step::Item(place) => outer.get("prefixItems")?.items().get(*place).cloned(),
    })
}

/// Returns the form of the first success, if it has none in JSON, and its record.
pub(super) fn answer_form(operation: &Cursor<'_>) -> Option<(AnswerForm, Data)> {
    let media = success(operation, false)?.get("content")?.members();
    let (first, content) = media.first().filter(|_| media.iter().all(|(name, _)| !name.contains("json")))?;
    if first.contains("event-stream") {
        return None;
    }
    content.mark_all(Mark::Read);
    let is_text = first.starts_with("text/") || first.contains("xml") || first.contains("yaml");
    if !is_text {
        return Some((AnswerForm::Bytes, Data { is_empty: true, ..Data::default() }));
    }
    let name = content.get("schema").as_ref().and_then(exported::name_of_value).unwrap_or_default();
    Some((AnswerForm::Text, DraftField { name, kind: JsonKind::Text, ..DraftField::default() }.into_value()))
}

/// Returns the body of the first refusal that is an object.
pub(super) fn refusal(operation: &Cursor<'_>) -> Option<Data> {
    let responses = operation.get("responses")?.members();
    let is_refusal = |(status, _): &&(&str, Cursor<'_>)| status.starts_with(['4', '5']) || *status == "default";
    let has_success = responses.iter().any(|(status, _)| status.starts_with('2'));
    responses.iter().filter(is_refusal).filter(|(status, _)| has_success || *status != "default").find_map(
        |(_, refusal)| {
            let media = refusal.get("content")?.members();
            let schema = media.iter().find(|(name, _)| name.contains("json"))?.1.get("schema")?;
            if schema.name().as_deref() == Some("Refusal") {
                return None;
            }
            schema.attempt(|| {
                let field = schema::field("", &schema, Side::Answer, &[]);
                let is_object = field.kind == JsonKind::Object && !field.fields.is_empty() && !field.is_undecided;
                is_object.then(|| field.into_data())
            })
        },
    )
}

/// Returns the headers of the first success.
pub(super) fn answered_headers(operation: &Cursor<'_>) -> Option<Data> {
    let success = success(operation, false)?;
    let fields: Vec<DraftField> = success
        .get("headers")?
        .members()
        .into_iter()
        .filter_map(|(name, header)| {
            let schema = header.get("schema")?;
            schema
                .attempt(|| {
                    let field = schema::field(name, &schema, Side::Answer, &[]);
                    fits_header(&field)
                        .then_some(field)
                        .filter(|field| field.kind != JsonKind::List && !field.is_undecided)
                })
                .map(|field| {
                    let remarks = header
                        .text_beside_gap("description")
                        .map(str::to_owned)
                        .into_iter()
                        .chain(field.remarks.clone());
                    DraftField { remarks: remarks.collect(), ..field }
                })
        })
        .collect();
    (!fields.is_empty()).then(|| Data { fields, ..Data::default() })
}
