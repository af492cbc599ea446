//! Outcomes of requests, and how queries confirm them. OpenAPI cannot express any of it.

use serde_json::Value;

use super::object::{Object, declared};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{Batch, Echoes, NamesWithin, Operation, OutcomeRow};

/// The outcome of a request that changes something, for one result of its call.
pub(super) fn outcome(row: &OutcomeRow) -> Value {
    let OutcomeRow { place: _, when, outcome, why } = row;
    Object::new().with("when", when.as_str()).with("outcome", outcome.as_str()).text("why", why).into_value()
}

/// The ids of a request, the query that shows its outcome, and whether a repeat does harm.
pub(super) fn of(operation: &Operation) -> Object {
    Object::new()
        .maybe("x-client-id", operation.client_id.as_ref().map(|(parameter, _)| parameter.as_str()))
        .maybe("x-confirm", operation.confirm.as_ref().map(declared))
        .maybe("x-echoes", operation.echoes.as_ref().map(echoes))
        .maybe("x-compound", operation.compound.as_ref().map(declared))
        .maybe("x-repeat", operation.repeat.as_ref().map(declared))
        .maybe("x-items", operation.batch.as_ref().map(items))
}

/// The ids of the request that the answer repeats.
fn echoes(echoes: &Echoes) -> Value {
    let Echoes { place: _, ids, also, one_is_enough } = echoes;
    Object::new().map("ids", several(ids)).map("also", several(also)).flag("one_is_enough", *one_is_enough).into_value()
}

fn several(all: &[NamesWithin]) -> Vec<(String, Value)> {
    all.iter().map(|((name, _), others)| (name.clone(), names(others).collect())).collect()
}

/// The results that an answer states for the items of a list that was sent.
fn items(batch: &Batch) -> Value {
    let Batch { of, ids, list, results, done, failed, all_done, succeeded, code, message, by_place, place: _ } = batch;
    Object::new()
        .maybe("of", of.as_ref().map(|(of, _)| of.as_str()))
        .list("id", names(ids))
        .maybe("list", name(list))
        .maybe("results", results.as_ref().map(|(path, _)| path.to_string()))
        .maybe("done", name(done))
        .maybe("failed", name(failed))
        .maybe("all_done", name(all_done))
        .maybe("succeeded", name(succeeded))
        .maybe("code", name(code))
        .maybe("message", name(message))
        .flag("by_place", *by_place)
        .into_value()
}

fn names(names: &[(String, Place)]) -> impl Iterator<Item = &str> {
    names.iter().map(|(name, _)| name.as_str())
}

fn name(name: &Option<(String, Place)>) -> Option<&str> {
    name.as_ref().map(|(name, _)| name.as_str())
}
