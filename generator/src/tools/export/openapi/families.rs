//! Families -> tags, with what applies to the family as a whole, and how outcomes are confirmed.

use super::object::{Object, declared};
use super::rules;
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{
    Ceiling, CeilingValues, Class, Dates, Echoes, ErrorCode, ExcludedTransition, Exclusion, Family, Lifecycle,
    NamesWithin, Operation, OutcomeRow, Probe, State, Tracked, Transition,
};
use serde_json::Value;

/// Returns the tag of a family.
pub(super) fn tag(family: &Family) -> Value {
    let Family {
        name,
        number: _,
        title,
        doc,
        source,
        errors,
        limits,
        instrument,
        classes,
        serves,
        probe,
        flat,
        lifecycle,
        statements,
        // At each operation and value.
        sources: _,
        numbers_as_text: _,
        operations: _,
        // Among the components.
        enums: _,
        identifiers: _,
        choices: _,
        records: _,
        // Of Rust, and of the files.
        rust: _,
        place: _,
        shared_files: _,
        effects: _,
    } = family;
    let errors = errors.iter().map(|error| {
        let ErrorCode { code, rust: _, place: _, text, doc, source, proof, success } = error;
        let described = Object::new()
            .with("text", text.as_str())
            .text("description", doc)
            .maybe("source", source.as_ref().map(rules::source))
            .flag("success", *success)
            .and(rules::proof_keys(proof));
        (code.clone(), described.into_value())
    });
    let limits = limits.iter().map(|limit| ceiling(family, limit));
    let classes =
        classes.iter().map(|Class { name, place: _, doc, when, sources, dates: Dates { from, until, by } }| {
            let described = Object::new().with("name", name.as_str()).text("description", doc);
            let [sources, by] = [sources, by].map(|names| names.iter().map(|(source, _)| source.as_str()));
            described
                .maybe("when", rules::conditions(when))
                .maybe("from", from.map(|(day, _)| day.to_string()))
                .maybe("until", until.map(|(day, _)| day.to_string()))
                .list("x-dated-by", by)
                .list("x-sources", sources)
                .into_value()
        });
    let serves = serves.iter().map(|((path, _), family)| (path.clone(), Value::from(family.text.as_str())));
    Object::new()
        .with("name", name.as_str())
        .with("description", format!("{title}: {doc}"))
        .maybe("x-source", source.as_ref().map(rules::source))
        .map("x-errors", errors)
        .map("x-serves", serves)
        .maybe("x-probe", probe.as_ref().map(self::probe))
        .maybe("x-flat", flat.as_ref().map(declared))
        .list("x-limits", limits)
        .list("x-classes", classes)
        .maybe("x-instrument", instrument.as_ref().map(declared))
        .maybe("x-lifecycle", lifecycle.as_ref().map(|lifecycle| self::lifecycle(family, lifecycle)))
        .and(super::rules::of(statements))
        .into_value()
}

/// Returns the query that checks credentials, with its request as JSON.
fn probe(probe: &Probe) -> Value {
    let Probe { place: _, operation, request } = probe;
    let request: Option<Value> = serde_json::from_str(&request.0).ok();
    Object::new().with("operation", operation.text.as_str()).maybe("request", request).into_value()
}

fn ceiling(family: &Family, ceiling: &Ceiling) -> Value {
    let Ceiling { id, n, over, doc, source, place: _ } = ceiling;
    let over = over.iter().map(|CeilingValues { enum_index, values }| {
        let values = values.iter().map(|(value, _)| value.as_str());
        (family.enums[*enum_index].name.wire.clone(), values.collect())
    });
    Object::new()
        .with("id", id.as_str())
        .with("n", *n)
        .map("over", over)
        .text("description", doc)
        .maybe("source", source.as_ref().map(rules::source))
        .into_value()
}

fn lifecycle(family: &Family, lifecycle: &Lifecycle) -> Value {
    let Lifecycle { enum_index: _, place: _, source, states, transitions, never, records } = lifecycle;
    let states = states.iter().map(|State { value, place: _, doc, terminal }| {
        let described = Object::new().text("description", doc).flag("terminal", *terminal);
        (value.clone(), described.into_value())
    });
    let transitions = transitions.iter().map(|Transition { place: _, from, trigger, to, condition, doc }| {
        Object::new()
            .with("from", from.clone())
            .list("trigger", trigger.iter().map(|trigger| trigger.text.as_str()))
            .with("to", to.as_str())
            .text("condition", condition)
            .text("description", doc)
            .into_value()
    });
    let never = never.iter().map(|ExcludedTransition { place: _, from, what, at, why }| {
        let described = Object::new().with("from", from.clone());
        let described = match what {
            Exclusion::Becoming(states) => described.with("to", states.clone()),
            Exclusion::Operations(names) => described.list("trigger", names.iter().map(|name| name.text.as_str())),
        };
        described.text("at", at).text("why", why).into_value()
    });
    let records = records.iter().map(|Tracked { place: _, record, id, client_id, state, at }| {
        let name = |name: &Option<(String, _)>| name.as_ref().map(|(name, _)| name.clone());
        Object::new()
            .with("record", family.records[*record].name.wire.as_str())
            .maybe("id", name(id))
            .maybe("client_id", name(client_id))
            .with("state", state.0.as_str())
            .maybe("at", name(at))
            .into_value()
    });
    Object::new()
        .with("enum", lifecycle.states_of(family).name.wire.as_str())
        .maybe("source", source.as_ref().map(rules::source))
        .map("states", states)
        .list("transitions", transitions)
        .list("never", never)
        .list("records", records)
        .into_value()
}

/// Returns the outcome of a request that changes something, for one result of its call.
pub(super) fn outcome(row: &OutcomeRow) -> Value {
    let OutcomeRow { place: _, when, outcome, why } = row;
    Object::new().with("when", when.as_str()).with("outcome", outcome.as_str()).text("why", why).into_value()
}

/// Returns the ids of a request, the query that shows its outcome, and whether a repeat does harm.
pub(super) fn of(operation: &Operation) -> Object {
    Object::new()
        .maybe("x-client-id", operation.client_id.as_ref().map(|(parameter, _)| parameter.as_str()))
        .maybe("x-confirm", operation.confirm.as_ref().map(declared))
        .maybe("x-echoes", operation.echoes.as_ref().map(echoes))
        .maybe("x-compound", operation.compound.as_ref().map(declared))
        .maybe("x-worth", operation.worth.as_ref().map(declared))
        .maybe("x-counterpart", operation.counterpart.as_ref().map(declared))
        .maybe("x-repeat", operation.repeat.as_ref().map(declared))
        .maybe("x-items", operation.batch.as_ref().map(declared))
}

/// Returns the ids of the request that the answer repeats.
fn echoes(echoes: &Echoes) -> Value {
    let Echoes { place: _, ids, also, by_one, one_is_enough } = echoes;
    Object::new()
        .map("ids", several(ids))
        .map("also", several(also))
        .map("by_one", several(by_one))
        .flag("one_is_enough", *one_is_enough)
        .into_value()
}

fn several(all: &[NamesWithin]) -> Vec<(String, Value)> {
    all.iter().map(|((name, _), others)| (name.clone(), names(others).collect())).collect()
}

fn names(names: &[(String, Place)]) -> impl Iterator<Item = &str> {
    names.iter().map(|(name, _)| name.as_str())
}
