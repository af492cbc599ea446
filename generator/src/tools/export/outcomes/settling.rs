//! The queries that settle an unknown outcome, what a record or an absence proves, and which requests may be repeated.

use serde_json::{Value, json};
use tradeapi_words::Assumptions;

use super::Object;
use crate::compiler::model::{
    Absence, Api, Confirm, Ends, Family, NamesWithin, Operation, Pair, Record, Repeat, Type, has_parameter,
};
use crate::compiler::words::Effect;

/// Returns the queries that settle an unknown outcome of an operation.
pub(super) fn of(api: &Api, family: &Family, operation: &Operation) -> Option<Object> {
    let confirm = operation.confirm.as_ref()?;
    let (query, record) = operation.first_query(family)?;
    let find = if confirm.find.is_empty() { &confirm.ids } else { &confirm.find };
    let places = operation.queries(family).map(|place| self::place(family, place, confirm).into_value());
    Some(
        Object::new()
            .maybe("each_of", operation.confirmed_list(family))
            .with("places", places.collect::<Vec<_>>())
            .with("id", pairs(find, "field", "request"))
            .with("record", shown(family, operation, confirm, record))
            .maybe("expires", confirm.expires.as_ref().map(|(name, _)| timed(name, form(operation.members(), name))))
            .with("absence", absence(api, family, query, confirm)),
    )
}

/// Returns a query: the parameters that it takes over from the request, and those that are always the same.
fn place(family: &Family, place: &Operation, confirm: &Confirm) -> Object {
    let has = |name: &str| has_parameter(family, place.members(), name.split('.').next().unwrap_or(name));
    let row = |(query, request): (&str, &str)| json!({"parameter": query, "request": request});
    let of_pair = |((query, _), (request, _)): &Pair| has(query).then(|| row((query, request)));
    let ids = confirm.ids.iter().filter_map(of_pair);
    let same = confirm.with.iter().filter(|(name, _)| has(name)).map(|(name, _)| row((name, name)));
    let others = confirm.with_as.iter().filter_map(of_pair);
    let set = confirm.set.iter().filter(|((name, _), _)| has(name));
    let since = confirm.since.as_ref().filter(|(name, _)| has(name));
    Object::new()
        .with("operation", place.id.as_str())
        .list("one_of", ids)
        .list("also", same.chain(others))
        .map("set", set.map(|((name, _), (value, _))| (name.clone(), Value::from(value.as_str()))))
        .maybe("since", since.map(|(name, _)| timed(name, form(place.members(), name))))
        .flag("pages", place.paged_record(family).is_some())
}

/// Returns the conditions under which a record with the id is a proof.
fn shown(family: &Family, operation: &Operation, confirm: &Confirm, record: &Record) -> Object {
    let time = |name: &str| timed(name, record.field(name).and_then(|field| form_of(field.shape.single())));
    let states = operation.ends(family).map(|Ends { field, left_in, others, open }| {
        json!({"field": field, "left_in": left_in, "others": others, "open": open})
    });
    Object::new()
        .maybe("created", confirm.created.as_ref().map(|field| time(&field.text)))
        .list("creates_with", confirm.creates_with.iter().map(|(name, _)| name.as_str()))
        .list("agrees", several(&confirm.agrees, "request", "fields"))
        .list("matches", pairs(&confirm.matches, "field", "request"))
        .maybe("changed", confirm.changed.as_ref().map(|field| time(&field.text)))
        .list("changed_while", several(&confirm.changed_while, "field", "values"))
        .maybe("states", states)
}

/// Returns the absence that proves something, and when.
fn absence(api: &Api, family: &Family, query: &Operation, confirm: &Confirm) -> Object {
    let codes: Vec<&str> = super::of_absence(api, family, &query.path.text).collect();
    let object = Object::new().list("codes", codes);
    match Absence::of(api, confirm) {
        Err(why) => object.with("proves_nothing", why),
        Ok(Absence { after, until, kept }) => object
            .with("answers", Assumptions::DEFAULT.denials)
            .maybe("after_ms", after)
            .maybe("until_ms", until)
            .with("kept_ms", kept),
    }
}

/// Returns which requests may be sent again.
pub(super) fn repeat(operation: &Operation) -> Object {
    match &operation.repeat {
        Some(Repeat { by_key: Some(key), kept, why, .. }) => Object::new()
            .with("when", "same_key")
            .with("parameter", key.text.as_str())
            .maybe("kept_ms", kept.map(|(kept, _)| kept.at_least_milliseconds()))
            .with("why", why.0.to_string()),
        Some(Repeat { why, .. }) => Object::new().with("when", "always").with("why", why.0.to_string()),
        None if operation.effect == Effect::Read => Object::new().with("when", "always"),
        None => Object::new().with("when", "not_done"),
    }
}

/// Returns a name with the form of the time that it stands for.
fn timed(name: &str, form: Option<&str>) -> Value {
    json!({"name": name, "form": form.unwrap_or("milliseconds")})
}

/// Returns the form of the time that a parameter has.
fn form(parameters: &[crate::compiler::model::Parameter], name: &str) -> Option<&'static str> {
    let parameter = parameters.iter().find(|parameter| parameter.name.wire == name)?;
    form_of(parameter.shape.single())
}

/// Returns the form of a time of this type.
fn form_of(ty: Option<Type>) -> Option<&'static str> {
    match ty {
        Some(Type::Time(times)) => Some(times.as_str()),
        _ => None,
    }
}

/// Returns pairs of names as objects.
fn pairs(pairs: &[Pair], first: &str, second: &str) -> Vec<Value> {
    let row = |((one, _), (other, _)): &Pair| Object::new().with(first, one.as_str()).with(second, other.as_str());
    pairs.iter().map(|pair| row(pair).into_value()).collect()
}

/// Returns names, each with several others, as objects.
fn several(rows: &[NamesWithin], first: &str, second: &str) -> Vec<Value> {
    let texts = |others: &[(String, _)]| others.iter().map(|(other, _)| other.clone()).collect::<Vec<_>>();
    let row = |(name, others): &NamesWithin| Object::new().with(first, name.0.as_str()).with(second, texts(others));
    rows.iter().map(|all| row(all).into_value()).collect()
}
