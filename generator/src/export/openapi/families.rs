//! Families -> tags, with what applies to the family as a whole.

use serde_json::{Value, json};

use super::object::Object;
use super::{rules, statements};
use crate::model::{Ceiling, Exclusion, Family, Lifecycle, Probe};

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
