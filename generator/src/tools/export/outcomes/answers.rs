//! Answers: their envelope, and the form of a success.

use serde_json::{Value, json};

use super::{Object, path};
use crate::compiler::emit::{DataShown, data_shown};
use crate::compiler::model::{
    AnswerPath, Api, Around, Batch, Compound, Echoes, Envelope, Family, NamesWithin, Operation, RecordForm, Response,
    SuccessWith,
};

/// Returns the members around the data of an answer.
pub(super) fn envelope(envelope: &Envelope) -> Object {
    let Envelope { around, code, message, time, success, success_with, data: _, beside: _, place: _ } = envelope;
    let SuccessWith { message: success_message, status } = success_with;
    let paths = |paths: &[AnswerPath]| paths.iter().map(|one| path(Some(one))).collect::<Vec<_>>();
    Object::new()
        .with("around", around.as_str())
        .with("code", paths(code))
        .list("message", paths(message))
        .maybe("time", time.as_deref())
        .maybe("success", success.as_deref())
        .maybe("success_message", success_message.as_deref())
        .maybe("success_status", *status)
}

/// Returns the member with the number of a call, which its answer repeats.
pub(super) fn call_id(api: &Api) -> Option<&str> {
    let has_calls = api.operations().any(|(_, operation)| operation.call.is_some());
    api.calls.id.as_deref().filter(|_| has_calls)
}

/// Returns the requests of an operation that do several things.
pub(super) fn several_effects(compound: &Compound) -> Object {
    let when = compound.when.as_ref().map(|((name, _), (value, _))| json!({"parameter": name, "is": value}));
    Object::new().maybe("when", when).with("why", compound.why.0.to_string())
}

/// Returns the form of a success: where its data is, what it shows, and what it repeats of its request.
pub(super) fn success(api: &Api, family: &Family, operation: &Operation) -> Object {
    let is_around = api.envelope.as_ref().is_some_and(|envelope| envelope.around == Around::All);
    let data = if is_around { operation.data_path(api) } else { operation.data.as_ref() };
    let (shows, members) = match data_shown(family, operation) {
        None => ("nothing", Vec::new()),
        Some(DataShown::List) => ("list", Vec::new()),
        Some(DataShown::Each(lists)) => ("each", lists),
        Some(DataShown::OneOf(members)) => ("one_of", members),
    };
    Object::new()
        .with("data", path(data))
        .maybe("form", operation.beside_data.form.map(|(form, _)| form.as_str()))
        .with("shows", shows)
        .list("members", members)
        .maybe("list", list_around(operation))
        .and(records(family, operation))
        .maybe("repeats", operation.echoes.as_ref().map(echoes))
        .maybe("results", operation.batch.as_ref().map(results))
}

/// Returns the member that the list is in where the data is an object around it.
fn list_around(operation: &Operation) -> Option<&str> {
    match &operation.response {
        Response::Array { observed_under, .. } => observed_under.as_deref(),
        Response::Object { .. } | Response::Page { .. } | Response::Undefined => None,
    }
}

/// Returns where the records of the data are, and how they travel if not as a list of objects.
fn records(family: &Family, operation: &Operation) -> Object {
    let within = match &operation.response {
        Response::Page { list, .. } => Some(list.wire.as_str()),
        Response::Object { .. } => operation.listed_field(family).map(|field| field.name.wire.as_str()),
        Response::Array { .. } | Response::Undefined => None,
    };
    let record = operation.shown_record(family).and_then(|record| family.records.get(record));
    let by_place = record.filter(|record| matches!(record.travels, RecordForm::Array | RecordForm::Value(_)));
    let fields = by_place.iter().flat_map(|record| &record.fields).map(|field| field.name.wire.as_str());
    let is_by_name = record.is_some_and(|record| record.key.is_some());
    Object::new().maybe("records", within).list("by_place", fields).flag("by_name", is_by_name)
}

/// Returns the values of the request that a success repeats.
fn echoes(echoes: &Echoes) -> Object {
    let Echoes { place: _, ids, also, by_one, one_is_enough } = echoes;
    let rows = |rows: &[NamesWithin], row: fn(&str, Vec<&str>) -> Value| {
        rows.iter()
            .map(|((name, _), others)| row(name, others.iter().map(|(other, _)| other.as_str()).collect()))
            .collect::<Vec<_>>()
    };
    let member = |member: &str, of: Vec<&str>| json!({"member": member, "of": of});
    Object::new()
        .list("ids", rows(ids, member))
        .list("also", rows(also, member))
        .list("by_one", rows(by_one, |parameter, members| json!({"members": members, "of": [parameter]})))
        .flag("one_is_enough", *one_is_enough)
}

/// Returns the way a success states the results of items.
fn results(batch: &Batch) -> Object {
    let Batch { of, id, list, results: _, done, failed, all_done, succeeded, code, message, by_place, place: _ } =
        batch;
    let named = |name: &Option<(String, _)>| name.as_ref().map(|(name, _)| name.clone());
    Object::new()
        .maybe("of", named(of))
        .list("ids", id.iter().map(|(id, _)| id.as_str()))
        .maybe("list", list.as_ref().map(|list| list.text.clone()))
        .maybe("codes", batch.codes_apart().map(|codes| path(Some(&codes))))
        .maybe("done", done.as_ref().map(|done| done.text.clone()))
        .maybe("failed", failed.as_ref().map(|failed| failed.text.clone()))
        .maybe("all_done", all_done.as_ref().map(|all_done| all_done.text.clone()))
        .maybe("succeeded", named(succeeded))
        .maybe("code", named(code))
        .maybe("message", named(message))
        .flag("in_order", by_place.is_set())
}
