//! Families -> tags, with what applies to the family as a whole.

use serde_json::{Value, json};

use super::object::Object;
use super::{rules, statements};
use crate::model::{
    Ceiling, Exclusion, Family, Flat, FlatCall, FlatClose, FlatReduce, FlatSide, FlatValue, Lifecycle, Probe,
};

/// The tag of a family.
pub(super) fn tag(family: &Family) -> Value {
    let errors = family.errors.iter().map(|error| {
        let described = Object::new()
            .with("text", error.text.as_str())
            .text("description", &error.doc)
            .flag("success", error.success)
            .and(statements::proof(&error.proof));
        (error.code.clone(), described.into_value())
    });
    let limits = family.limits.iter().map(|limit| ceiling(family, limit));
    let classes = family.classes.iter().map(|class| {
        Object::new()
            .with("name", class.name.as_str())
            .text("description", &class.doc)
            .maybe("when", rules::conditions(&class.when))
            .into_value()
    });
    let instrument = family.instrument.as_ref().map(|names| json!({"line": names.line.0, "symbol": names.symbol.0}));
    Object::new()
        .with("name", family.name.as_str())
        .with("description", format!("{}: {}", family.title, family.doc))
        .maybe("x-source", family.source.as_ref().map(statements::source))
        .map("x-errors", errors)
        .maybe("x-probe", family.probe.as_ref().map(probe))
        .maybe("x-flat", family.flat.as_ref().map(flat))
        .list("x-limits", limits)
        .list("x-classes", classes)
        .maybe("x-instrument", instrument)
        .maybe("x-lifecycle", family.lifecycle.as_ref().map(|lifecycle| self::lifecycle(family, lifecycle)))
        .and(statements::of(&family.statements))
        .into_value()
}

/// The query that checks credentials, with its request as JSON.
fn probe(probe: &Probe) -> Value {
    let request: Option<Value> = serde_json::from_str(&probe.request.0).ok();
    Object::new().with("operation", probe.operation.0.as_str()).maybe("request", request).into_value()
}

/// What cancels all orders and closes all positions.
fn flat(flat: &Flat) -> Value {
    let Flat { place: _, cancel, close, value, reduce } = flat;
    let call = |FlatCall { operation, over }: &FlatCall| {
        Object::new().with("operation", operation.0.as_str()).with("over", over.0.as_str())
    };
    let close = close.as_ref().map(|FlatClose { call: of, closed, failed, nothing }| {
        call(of)
            .with("closed", closed.0.as_str())
            .with("failed", failed.0.as_str())
            .list("nothing", nothing.iter().map(|(code, _)| code.as_str()))
            .into_value()
    });
    let value = value
        .as_ref()
        .map(|FlatValue { operation, field }| json!({"operation": operation.0.as_str(), "field": field.0.as_str()}));
    Object::new()
        .maybe("cancel", cancel.as_ref().map(|cancel| call(cancel).into_value()))
        .maybe("close", close)
        .maybe("value", value)
        .maybe("reduce", reduce.as_ref().map(reduces))
        .into_value()
}

fn reduces(reduce: &FlatReduce) -> Value {
    let FlatReduce { operation, line, lines, instrument, quantity, long, short, side } = reduce;
    let set = |set: &Vec<((String, _), String)>| {
        set.iter().map(|((name, _), value)| (name.clone(), Value::from(value.as_str()))).collect::<Value>()
    };
    let side = side.as_ref().map(|FlatSide { field, long, short }| {
        json!({"field": field.0.as_str(), "long": long.as_str(), "short": short.as_str()})
    });
    Object::new()
        .with("operation", operation.0.as_str())
        .with("line", line.0.as_str())
        .list("lines", lines.iter().map(|(line, _)| line.as_str()))
        .with("instrument", instrument.0.as_str())
        .with("quantity", quantity.0.as_str())
        .list("long", long.iter().map(set))
        .list("short", short.iter().map(set))
        .maybe("side", side)
        .into_value()
}

fn ceiling(family: &Family, ceiling: &Ceiling) -> Value {
    let over = ceiling.over.iter().map(|over| {
        let values = over.values.iter().map(|(value, _)| value.as_str());
        (family.enums[over.enum_index].name.wire.clone(), values.collect())
    });
    Object::new()
        .with("id", ceiling.id.as_str())
        .with("n", ceiling.n)
        .map("over", over)
        .text("description", &ceiling.doc)
        .into_value()
}

fn lifecycle(family: &Family, lifecycle: &Lifecycle) -> Value {
    let states = lifecycle.states.iter().map(|state| {
        let described = Object::new().text("description", &state.doc).flag("terminal", state.terminal);
        (state.value.clone(), described.into_value())
    });
    let transitions = lifecycle.transitions.iter().map(|one| {
        Object::new()
            .with("from", one.from.clone())
            .list("trigger", one.trigger.iter().map(|(trigger, _)| trigger.as_str()))
            .with("to", one.to.as_str())
            .text("condition", &one.condition)
            .text("description", &one.doc)
            .into_value()
    });
    let never = lifecycle.never.iter().map(|never| {
        let described = Object::new().with("from", never.from.clone());
        let described = match &never.what {
            Exclusion::Becoming(states) => described.with("to", states.clone()),
            Exclusion::Operations(names) => described.list("trigger", names.iter().map(|(name, _)| name.as_str())),
        };
        described.text("at", &never.at).text("why", &never.why).into_value()
    });
    let records = lifecycle.records.iter().map(|tracked| {
        let name = |name: &Option<(String, _)>| name.as_ref().map(|(name, _)| name.clone());
        Object::new()
            .with("record", family.records[tracked.record].name.wire.as_str())
            .maybe("id", name(&tracked.id))
            .maybe("client_id", name(&tracked.client_id))
            .with("state", tracked.state.0.as_str())
            .maybe("at", name(&tracked.at))
            .into_value()
    });
    Object::new()
        .with("enum", lifecycle.states_of(family).name.wire.as_str())
        .map("states", states)
        .list("transitions", transitions)
        .list("never", never)
        .list("records", records)
        .into_value()
}
