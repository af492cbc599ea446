//! The keys of `confirm`: every name exists, what the queries send is valid, and a record proves what is concluded from
//! it.

use super::listings::are_values;
use super::operations::doubt_of_read;
use super::{records, values};
use crate::compiler::diagnostics::{Code, Diagnostics, did_you_mean, name_list, nearest};
use crate::compiler::model::{
    Api, Confirm, Effect, Enum, Family, Lookup, NameOf, Operation, Parameter, Placed, Query, Record, Reference,
    Response, Role, Shape, Transition, Truth, Type, WireNames, WireParameter, has_parameter,
};
use crate::compiler::words::Times;

/// Checks `client_id`, `confirm` and `repeat`.
pub(super) fn check(api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        client_id_is_an_id(family, operation, to);
        repeat_is_harmless(family, operation, to);
        let Some(confirm) = &operation.confirm else { continue };
        if operation.effect == Effect::Read && doubt_of_read(operation).is_none() {
            to.at(confirm.place, Code::Misplaced, "an operation with `effect: read` cannot have `confirm`")
                .help("remove it");
        }
        if shows_another_record(family, operation, confirm, to) {
            continue;
        }
        names_of_confirm_exist(family, operation, confirm, to);
        confirm_judges_by_the_record(family, operation, confirm, to);
        end_is_known(api, family, operation, confirm, to);
        items_are_identified(family, operation, confirm, to);
    }
}

/// Returns a parameter of the request or of an object within it, as in `stop.price`; reports that `of` has none.
pub(super) fn named_within<'a>(
    family: &'a Family,
    names: &WireNames<'a>,
    (path, place): &Placed,
    of: &str,
    to: &mut Diagnostics,
) -> Option<WireParameter<'a>> {
    find_within(family, names, path).or_report(of, path, *place, to)
}

/// Returns the parameters that are not in `named`; an object with a named member is replaced by its other members.
fn unnamed(family: &Family, names: &WireNames<'_>, before: &str, named: &[&String]) -> Vec<String> {
    let mut left: Vec<String> = Vec::new();
    // A fixed value distinguishes no requests.
    let is_compared = |one: &Parameter| one.item().is_none() && one.fixed.is_none();
    for wire in names.iter().filter(|wire| !matches!(wire.role, Role::Plain(one) if !is_compared(one))) {
        let path = format!("{before}{}", wire.name.wire);
        if named.iter().any(|one| **one == path) {
            continue;
        }
        let within = format!("{path}.");
        let object = wire.parameter().and_then(|parameter| parameter.shape.object());
        match object.filter(|_| named.iter().any(|one| one.starts_with(&within))) {
            Some(object) => left.extend(unnamed(family, &family.names(&object.parameters), &within, named)),
            None => left.push(path),
        }
    }
    left
}

fn client_id_is_an_id(family: &Family, operation: &Operation, to: &mut Diagnostics) {
    let Some(name) = &operation.client_id else { return };
    let all = names(family, operation);
    let Some(found) = named_within(family, &all, name, &operation.name, to) else { return };
    let is_id = |one: &Parameter| one.shape.is_one(|ty| ty.is_identifier() || ty == Type::Integer);
    if !matches!(found.role, Role::Plain(one) | Role::Alternative(one) if is_id(one)) {
        to.at(name.1, Code::Misplaced, format!("expected an identifier or an integer, found `{}`", name.0))
            .related(found.name.place, "the parameter is here")
            .help("name the parameter with the caller's own id");
    }
}

/// Checks that a repeat has no second effect: only that of a cancel has none, unless the exchange recognizes repeats by
/// a key.
fn repeat_is_harmless(family: &Family, operation: &Operation, to: &mut Diagnostics) {
    let Some(repeat) = &operation.repeat else { return };
    let (why, help) = match (operation.effect, &repeat.by_key) {
        (Effect::Read, _) => ("an operation with `effect: read` cannot have `repeat`", "remove it"),
        (_, Some(key)) => return key_can_be_kept(family, operation, key, to),
        (Effect::Cancel, None) => return,
        (Effect::Create | Effect::Amend | Effect::Close, None) => (
            "only an operation with `effect: cancel` can have `repeat` without `by_key`",
            "remove it; repeating this operation has a second effect",
        ),
    };
    to.at(repeat.place, Code::Misplaced, why).help(help);
}

/// Checks that every attempt can carry the key, because the caller states it or the client makes it.
fn key_can_be_kept(family: &Family, operation: &Operation, key: &Reference, to: &mut Diagnostics) {
    let Some(parameter) = operation.parameter(key) else { return };
    let (why, help) = match parameter.shape.single_identifier() {
        Some(_) if parameter.is_required() => return,
        Some(index) if family.identifiers[index].mint.is_some() => return,
        Some(_) => (
            "it can be left out, and the client cannot make one",
            "add `mint: true` to its type, or `required: always` to the parameter",
        ),
        None => ("it is not an identifier", "define an identifier in types.yaml as its type"),
    };
    to.at(key.place, Code::BadOutcome, format!("`{key}` cannot be the key of repeats: {why}"))
        .related(parameter.name.place, "the parameter is here")
        .help(help);
}

fn names_of_confirm_exist(family: &Family, operation: &Operation, confirm: &Confirm, to: &mut Diagnostics) {
    let own = names(family, operation);
    let of_request = confirm.ids.iter().chain(&confirm.find).chain(&confirm.with_as).chain(&confirm.matches);
    let of_request = of_request.map(|(_, own)| own);
    let agreeing = confirm.agrees.iter().map(|(own, _)| own);
    for name in of_request.chain(agreeing).chain(&confirm.beside) {
        named_within(family, &own, name, &operation.name, to);
    }
    for (name, place) in confirm.with.iter().chain(&confirm.expires) {
        own.find(name).or_report(&operation.name, name, *place, to);
    }
    for name in confirm.queries() {
        can_be_queried(family, confirm, name, to);
    }
    if let Some(then) = confirm.then.as_ref().filter(|then| then.is_same(&confirm.by)) {
        to.at(then.place, Code::BadOutcome, format!("`then` queries `{then}` a second time"))
            .related(confirm.by.place, "the first query is here")
            .help("name another operation, or remove `then`");
        return;
    }
    queries(family, operation, confirm, to);
    second_query_shows_the_same(family, operation, to);
}

/// Checks that the second query shows the same record as the first.
fn second_query_shows_the_same(family: &Family, operation: &Operation, to: &mut Diagnostics) {
    let (Some((first, _)), Some(second)) = (operation.first_query(family), operation.second_query(family)) else {
        return;
    };
    let Some(then) = operation.confirm.as_ref().and_then(|confirm| confirm.then.as_ref()) else { return };
    let records = (first.shown_record(family), second.shown_record(family));
    if let (Some(one), Some(other)) = records
        && one != other
    {
        to.at(
            then.place,
            Code::BadOutcome,
            format!("`{}` shows a different record from `{}`", second.name, first.name),
        )
        .related(first.place, "the first place is defined here")
        .help("name an operation that shows the same record");
    }
}

/// Checks that the query takes what identifies a record, or lists records.
fn can_be_queried(family: &Family, confirm: &Confirm, named: &NameOf<Query>, to: &mut Diagnostics) {
    let Some(query) = family.operations.get(named) else { return };
    let by = &named.text;
    // A single record is the answer to the query; in a list, only the items show which request they belong to.
    let is_one = matches!(query.response, Response::Object { .. }) && query.listed_field(family).is_none();
    if confirm.ids.is_empty() && is_one {
        to.at(named.place, Code::BadOutcome, format!("`{by}` reads one record, but no parameter identifies it"))
            .related(query.place, "it is defined here")
            .help("add `ids`, or name an operation that lists records, with `list` where they are in an object");
    }
    let of_query = names(family, query);
    let is_taken = |name: &str| !matches!(find_within(family, &of_query, name), Lookup::Missing(_));
    if is_one && !confirm.ids.is_empty() && !confirm.ids.iter().any(|((name, _), _)| is_taken(name)) {
        for (name, _) in &confirm.ids {
            named_within(family, &of_query, name, by, to);
        }
        return;
    }
    // A name that one place does not take must be a parameter of the other.
    let is_of_another = |name: &str| {
        let mut others = confirm.queries().filter(|other| !other.is_same(named));
        let takes = |other| !matches!(find_within(family, &names(family, other), name), Lookup::Missing(_));
        others.any(|other| family.operations.get(other).is_some_and(takes))
    };
    let renamed = confirm.ids.iter().chain(&confirm.with_as).map(|(name, _)| name);
    for name in renamed.chain(&confirm.with).filter(|(name, _)| !is_of_another(name)) {
        named_within(family, &of_query, name, by, to);
    }
}

/// Reports a query whose record has less than half of the compared fields, once: another query is meant.
fn shows_another_record(family: &Family, operation: &Operation, confirm: &Confirm, to: &mut Diagnostics) -> bool {
    let Some((_, record)) = operation.first_query(family).filter(|(_, record)| record.is_whole) else { return false };
    let compared = || confirm.agrees.iter().flat_map(|(_, fields)| fields).map(|(field, _)| &**field);
    let lacking: Vec<&str> = compared().filter(|field| family.field_at(record, field).is_none()).collect();
    let is_another = lacking.len() > 2 && 2 * lacking.len() > compared().count();
    if is_another {
        let lacking = name_list(lacking.into_iter());
        let says = format!("`{}` shows a `{}`, which has no {lacking}", confirm.by, record.name.wire);
        to.at(confirm.by.place, Code::BadOutcome, says)
            .related(record.name.place, "the record is here")
            .help("name the operation that reads what the request makes or changes, or correct the fields");
    }
    is_another
}

fn confirm_judges_by_the_record(family: &Family, operation: &Operation, confirm: &Confirm, to: &mut Diagnostics) {
    // An operation that is not a query is already reported.
    let Some((_, record)) = operation.first_query(family) else { return };
    let ids = if confirm.find.is_empty() { &confirm.ids } else { &confirm.find };
    let read = ids.iter().chain(&confirm.matches).map(|(read, _)| read);
    for name in read.chain(confirm.agrees.iter().flat_map(|(_, fields)| fields)) {
        records::field_within(family, record, name, to);
    }
    for ((name, place), _) in confirm.agrees.iter().filter(|(_, fields)| fields.is_empty()) {
        to.at(*place, Code::MissingKey, format!("`{name}` lists no fields"))
            .help("name the field of the record that equals it, or several of which one does");
    }
    comparable(family, operation, record, confirm, to);
    creation_shows_in_the_request(family, operation, confirm, to);
    changes_are_of_the_record(family, record, confirm, to);
    times_are_apart(confirm, to);
    times_are_known(operation, confirm, to);
    everything_is_compared(family, operation, confirm, to);
    beside_is_not_compared(confirm, to);
    scales_are_the_same(family, operation, record, confirm, to);
}

/// Checks that compared decimals have the same scale, because a record is compared with the request in the form on the
/// wire.
fn scales_are_the_same(
    family: &Family,
    operation: &Operation,
    record: &Record,
    confirm: &Confirm,
    to: &mut Diagnostics,
) {
    let all = names(family, operation);
    let matches = confirm.matches.iter().map(|(field, own)| (own, field));
    let agrees = confirm.agrees.iter().flat_map(|(own, fields)| fields.iter().map(move |field| (own, field)));
    for (own, field) in matches.chain(agrees) {
        let Lookup::Found(found) = find_within(family, &all, &own.0) else { continue };
        let Some(parameter) = found.parameter() else { continue };
        let Some(shown) = family.field_at(record, &field.0) else { continue };
        let [sent, read] = [&parameter.shape, &shown.shape].map(|shape| shape.single().and_then(Type::scale));
        if sent != read && !parameter.shape.is_undefined() && !shown.shape.is_undefined() {
            to.at(field.1, Code::BadOutcome, format!("`{}` and `{}` differ in their `scale`", own.0, field.0))
                .related(shown.name.place, "the field is here")
                .help("compare a field with the same scale, or name the parameter in `beside`");
        }
    }
}

/// Checks that the parameters of a request alone tell whether it creates something.
fn creation_shows_in_the_request(family: &Family, operation: &Operation, confirm: &Confirm, to: &mut Diagnostics) {
    let wires = operation.wire_parameters(family);
    let own = || wires.iter().filter(|wire| wire.list.is_none()).map(|wire| wire.name.wire.as_str());
    for (name, place) in confirm.creates_with.iter().filter(|(name, _)| !own().any(|own| own == name)) {
        let help = did_you_mean(name, own()).unwrap_or_else(|| "name a parameter of the request itself".into());
        to.at(*place, Code::UndefinedName, format!("unknown parameter `{name}`")).help(help);
    }
    if let Some((_, place)) = confirm.creates_with.first().filter(|_| confirm.created.is_none()) {
        to.at(*place, Code::Misplaced, "`creates_with` requires `created`")
            .help("add `created`, the field with the creation time, or remove `creates_with`");
    }
}

/// Checks that the values of `changed_while` exist, and `changed` is there to prove a change.
fn changes_are_of_the_record(family: &Family, record: &Record, confirm: &Confirm, to: &mut Diagnostics) {
    for (named, values) in &confirm.changed_while {
        let Some(field) = records::field(record, named, to) else { continue };
        let Some(index) = field.shape.single_enum() else { continue };
        let Some(all) = family.enums.get(index) else { continue };
        are_values(all, &format!("`{}`", named.0), values, to);
    }
    // Without `changed`, `matches` proves nothing, which is reported.
    let lacks_changed = confirm.changed.is_none() && confirm.matches.is_empty();
    if let Some(((_, place), _)) = confirm.changed_while.first().filter(|_| lacks_changed) {
        to.at(*place, Code::Misplaced, "`changed_while` requires `changed`")
            .help("add `changed`, the field with the time of the last change, or remove `changed_while`");
    }
}

/// Checks that the times of creation and of the last change are two fields.
fn times_are_apart(confirm: &Confirm, to: &mut Diagnostics) {
    let (Some(created), Some(changed)) = (&confirm.created, &confirm.changed) else { return };
    if created.text == changed.text {
        to.at(changed.place, Code::BadOutcome, format!("`created` and `changed` are both `{changed}`"))
            .related(created.place, "`created` is here")
            .help("name the field with the time of the last change, or remove `changed`");
    }
}

/// Checks that a record which is a proof has a time, because one that is older than the request has another cause.
fn times_are_known(operation: &Operation, confirm: &Confirm, to: &mut Diagnostics) {
    let is_unread = |key| to.is_unread(confirm.place.file, key);
    let (why, help) = if operation.effect == Effect::Create && confirm.created.is_none() && !is_unread("created") {
        ("an older record would count as a proof", "add `created`, the field with the creation time")
    } else if !confirm.matches.is_empty() && confirm.changed.is_none() && !is_unread("changed") {
        ("an older state would count as a proof", "add `changed`, the field with the time of the last change")
    } else {
        return;
    };
    to.at(confirm.place, Code::BadOutcome, format!("the time is not compared: {why}")).help(help);
}

/// Checks that the lifecycle says where a cancellation leaves its order, because the state of the order judges it.
fn end_is_known(api: &Api, family: &Family, operation: &Operation, confirm: &Confirm, to: &mut Diagnostics) {
    let is_judged = operation.effect != Effect::Cancel || operation.ends(family).is_some();
    // A transition with an unknown trigger or state, which is reported there, may be the one.
    let is_uncertain = |transition: &Transition| {
        let states = |all: &Enum| transition.to.state().is_none_or(|state| all.index_of(state).is_some());
        let misspelt = |cause: &NameOf<_>| cause.number.is_none() && nearest(&cause.text, [&*operation.name]).is_some();
        transition.trigger.iter().any(misspelt)
            || family.lifecycle.iter().filter_map(|one| family.enums.get(one.enum_index)).any(|all| !states(all))
    };
    if family.lifecycle.iter().flat_map(|one| &one.transitions).any(is_uncertain) {
        return;
    }
    let unread = ["lifecycle", "records", "states", "transitions", "enum"];
    let is_unread = |key: &&str| family.shared_files.iter().any(|file| to.is_unread(*file, key));
    if is_judged || operation.first_query(family).is_none() || !api.is_whole || unread.iter().any(is_unread) {
        return;
    }
    to.at(confirm.place, Code::BadOutcome, format!("nothing shows that `{}` ended an order", operation.name))
        .help("add the record, and a transition of this operation to a final state, to `lifecycle` in family.yaml");
}

/// Checks that all parameters of the request are compared where a record that matches it is a proof.
fn everything_is_compared(family: &Family, operation: &Operation, confirm: &Confirm, to: &mut Diagnostics) {
    let is_compared = !confirm.matches.is_empty() || !confirm.agrees.is_empty();
    if !is_compared && operation.effect != Effect::Create {
        for (name, place) in &confirm.beside {
            to.at(*place, Code::Misplaced, format!("`beside` lists `{name}`, but nothing is compared"))
                .help("remove `beside`, or add `matches` or `agrees`");
        }
        return;
    }
    let named = confirm.ids.iter().chain(&confirm.find).chain(&confirm.with_as).chain(&confirm.matches);
    let named = named.map(|(_, own)| &own.0);
    let named = named.chain(confirm.agrees.iter().map(|((own, _), _)| own));
    let others = confirm.with.iter().chain(&confirm.beside).chain(&confirm.expires);
    let named: Vec<_> = named.chain(others.map(|(name, _)| name)).collect();
    let all = names(family, operation);
    // An unknown name, or one of another type than its key needs, stands for one of the remaining parameters.
    let is_found = |name: &String| find_within(family, &all, name).found();
    let is_time = |parameter: &Parameter| parameter.shape.is_one(Type::is_time);
    let expires = confirm.expires.as_ref().and_then(|(name, _)| is_found(name)).and_then(|found| found.parameter());
    let is_invalid = named.iter().any(|name| is_found(name).is_none()) || expires.is_some_and(|one| !is_time(one));
    // Without `ids`, which are reported as missing, the remaining parameters are unknown.
    if is_invalid || all.are_more() || confirm.ids.is_empty() && confirm.find.is_empty() {
        return;
    }
    let left = unnamed(family, &all, "", &named);
    if !left.is_empty() {
        let to_be_in = if operation.effect == Effect::Create { "agrees" } else { "matches" };
        to.at(
            confirm.place,
            Code::BadOutcome,
            format!("parameters that are not compared: {}", name_list(left.iter().map(String::as_str))),
        )
        .help(format!("add them to `{to_be_in}`, or to `beside` if the record cannot show them"));
    }
}

/// Checks that what `beside` lists is compared nowhere else.
fn beside_is_not_compared(confirm: &Confirm, to: &mut Diagnostics) {
    let by_ids = confirm.ids.iter().chain(&confirm.find).chain(&confirm.matches).map(|(_, own)| own);
    let compared: Vec<_> = by_ids.chain(confirm.agrees.iter().map(|(own, _)| own)).collect();
    for (name, place) in &confirm.beside {
        if let Some((_, other)) = compared.iter().find(|(other, _)| other == name) {
            to.at(*place, Code::DefinedTwice, format!("`beside` lists `{name}`, which is compared"))
                .related(*other, "it is named here, too")
                .help("remove it from one of the two places");
        }
    }
}

/// Checks that `items` states where the answer has the result of each item, because items are queried one by one.
fn items_are_identified(family: &Family, operation: &Operation, confirm: &Confirm, to: &mut Diagnostics) {
    let has_query = |own: &[Parameter]| operation.queried_by().any(|(name, _)| has_parameter(family, own, name));
    let Some((list, item)) = operation.list_with(has_query) else { return };
    let named = operation.batch.as_ref().and_then(|batch| batch.of.as_ref());
    if named.is_some_and(|(of, _)| !operation.items().any(|(_, item)| item.list.as_str() == of)) {
        // The unknown list is reported in the response.
        return;
    }
    if operation.batch.as_ref().is_none_or(|batch| batch.of.as_ref().is_none_or(|(of, _)| of != item.list.as_str())) {
        to.at(confirm.place, Code::BadOutcome, "`confirm` queries each item, but the response has no `items`")
            .related(list.name.place, "the items are here")
            .help(format!("add `items: {{ of: \"{}\", ... }}` to the response", list.name.wire));
    }
}

/// Checks `set`, `since` and `expires`.
pub(super) fn queries(family: &Family, operation: &Operation, confirm: &Confirm, to: &mut Diagnostics) {
    values_can_be_sent(family, operation, confirm, to);
    times_are_times(family, operation, confirm, to);
}

/// Returns the parameters of the queries; `None` if one of them is unknown.
fn queried_names<'a>(family: &'a Family, operation: &'a Operation, confirm: &Confirm) -> Option<Vec<WireNames<'a>>> {
    let queries: Vec<_> = operation.queries(family).collect();
    let is_known = queries.len() == 1 + usize::from(confirm.then.is_some());
    is_known.then(|| queries.into_iter().map(|query| names(family, query)).collect())
}

/// Returns a parameter of one of the queries; an unknown name is reported.
fn parameter_of_a_query<'a>(
    places: &[WireNames<'a>],
    (name, at): &Placed,
    to: &mut Diagnostics,
) -> Option<&'a Parameter> {
    let mut found = places.iter().map(|names| names.find(name)).collect::<Vec<_>>();
    let is_there = |lookup: &Lookup<'_>| !matches!(lookup, Lookup::Missing(_));
    let place = found.iter().position(is_there).unwrap_or(0);
    match found.swap_remove(place) {
        Lookup::Found(found) => found.parameter(),
        Lookup::Missing(help) => {
            to.at(*at, Code::UndefinedName, format!("no query has a parameter `{name}`")).help(help);
            None
        }
        Lookup::Unresolved => None,
    }
}

/// Checks that a fixed value is valid for its parameter, and no other key sets that parameter.
fn values_can_be_sent(family: &Family, operation: &Operation, confirm: &Confirm, to: &mut Diagnostics) {
    let Some(places) = queried_names(family, operation, confirm) else { return };
    let others = confirm.ids.iter().chain(&confirm.with_as).map(|(query, _)| query).chain(&confirm.with);
    let others: Vec<_> = others.chain(&confirm.since).collect();
    for (name, (value, place)) in &confirm.set {
        if let Some((_, other)) = others.iter().find(|(other, _)| *other == name.0) {
            to.at(name.1, Code::BadOutcome, format!("`{}` already gets a value", name.0))
                .related(*other, "here")
                .help("remove one of them");
        }
        let Some(parameter) = parameter_of_a_query(&places, name, to) else { continue };
        let find_fault = match parameter.shape {
            Shape::One(ty) => values::find_fault(family, ty, value),
            Shape::List(_) | Shape::Map(_) | Shape::Items(_) | Shape::Object(_) => {
                to.at(name.1, Code::BadOutcome, format!("`{}` has no single value", name.0))
                    .related(parameter.name.place, "the parameter is here")
                    .help("name a parameter with one value");
                continue;
            }
        };
        if let Some(fault) = find_fault {
            fault.report(to, *place, Code::BadOutcome, &format!("invalid value of `{}`", name.0));
        }
    }
}

/// Checks that `since` is a time of a query, and `expires` is a time of the request.
fn times_are_times(family: &Family, operation: &Operation, confirm: &Confirm, to: &mut Diagnostics) {
    if let Some(name) = &confirm.expires
        && let Lookup::Found(found) = names(family, operation).find(&name.0)
    {
        must_be_time(found.parameter(), name, to);
    }
    if let Some(name) = &confirm.since
        && let Some(places) = queried_names(family, operation, confirm)
    {
        must_be_time(parameter_of_a_query(&places, name, to), name, to);
    }
}

fn must_be_time(parameter: Option<&Parameter>, (name, place): &Placed, to: &mut Diagnostics) {
    let is_time = |parameter: &&Parameter| matches!(parameter.shape, Shape::One(Type::Time(_) | Type::Undefined));
    if let Some(parameter) = parameter.filter(|parameter| !is_time(parameter)) {
        to.at(*place, Code::BadOutcome, format!("expected a `time`, found `{name}`"))
            .related(parameter.name.place, "the parameter is here")
            .help("name a parameter that is a time");
    }
}

/// Returns the parameters of the request, and of the items of its lists.
pub(super) fn names<'a>(family: &'a Family, operation: &'a Operation) -> WireNames<'a> {
    let own = family.names(operation.members());
    operation.items().fold(own, |names, (_, item)| names.and(&family.names(&item.parameters)))
}

/// Looks up a parameter of the request, or of an object within it, as in `stop.price`.
pub(super) fn find_within<'a>(family: &'a Family, names: &WireNames<'a>, path: &str) -> Lookup<'a> {
    let mut steps = path.split('.');
    let mut found = names.find(steps.next().unwrap_or_default());
    for step in steps {
        let Lookup::Found(wire) = found else { return found };
        let object = wire.parameter().and_then(|parameter| parameter.shape.object());
        let Some(object) = object else {
            return Lookup::Missing(format!("`{}` is not an object", wire.name.wire).into());
        };
        found = family.names(&object.parameters).find(step);
    }
    found
}

/// Checks the pairs of `agrees` and `matches`.
pub(super) fn comparable(
    family: &Family,
    operation: &Operation,
    record: &Record,
    confirm: &Confirm,
    to: &mut Diagnostics,
) {
    let agreeing = confirm.agrees.iter().flat_map(|(own, fields)| fields.iter().map(move |field| (own, field)));
    let matching = confirm.matches.iter().map(|(field, own)| (own, field));
    for (own, field) in agreeing.chain(matching) {
        can_be_equal(family, operation, record, own, field, to);
    }
    fields_are_distinct(family, operation, confirm, to);
}

/// Checks that two parameters that a request can have together do not equal the same field, unless one has another one,
/// too.
fn fields_are_distinct(family: &Family, operation: &Operation, confirm: &Confirm, to: &mut Diagnostics) {
    let agreeing = confirm.agrees.iter().filter_map(|(own, fields)| match fields.as_slice() {
        [field] => Some((own, field)),
        _ => None,
    });
    let pairs: Vec<(&Placed, &Placed)> = agreeing.collect();
    let all = names(family, operation);
    // Only one part of a choice is sent.
    let choice = |name: &str| {
        let found = find_within(family, &all, name).found();
        found.filter(|found| !matches!(found.role, Role::Plain(_))).map(|found| found.of.name.place)
    };
    let are_apart = |one: &str, other: &str| choice(one).is_some() && choice(one) == choice(other);
    for (index, (own, field)) in pairs.iter().enumerate() {
        let is_same = |(other, of): &&(&Placed, &Placed)| of.0 == field.0 && !are_apart(&own.0, &other.0);
        if let Some((other, first)) = pairs[..index].iter().find(is_same) {
            let message = format!("`{}` and `{}` both equal the field `{}`", other.0, own.0, field.0);
            to.at(field.1, Code::BadOutcome, message)
                .related(first.1, "the other parameter is compared here")
                .help("correct one of them, or list it under `beside`");
        }
    }
}

fn can_be_equal(
    family: &Family,
    operation: &Operation,
    record: &Record,
    (own, _): &Placed,
    (wire, place): &Placed,
    to: &mut Diagnostics,
) {
    let Lookup::Found(found) = find_within(family, &names(family, operation), own) else { return };
    let sent = match found.role {
        Role::Plain(parameter) | Role::Alternative(parameter) | Role::Member(parameter) => parameter.shape.single(),
        Role::Decider(_) => None,
    };
    let Some(field) = record.fields.iter().find(|field| field.name.wire == *wire) else { return };
    let texts = |ty: Option<Type>| ty.map_or(Texts::Any, |ty| Texts::of(family, ty));
    if !texts(sent).overlap(&texts(field.shape.single())) {
        to.at(*place, Code::BadOutcome, format!("`{own}` of the request never equals the field `{wire}`"))
            .related(found.name.place, "the parameter is here")
            .related(field.name.place, "the field is here")
            .help("name a field whose values the parameter can have, or list the parameter under `beside`");
    }
}

/// The texts that values of a type can have.
enum Texts<'a> {
    /// Any text, such as that of a `string`.
    Any,
    Numbers,
    Times(Times),
    /// Identifiers, which are none of the words that an API chooses.
    Ids,
    Words(Vec<&'a str>),
}

impl<'a> Texts<'a> {
    fn of(family: &'a Family, ty: Type) -> Self {
        if let Type::Enum(index) = ty {
            let all = family.enums.get(index);
            let words: Vec<&str> = all.into_iter().flat_map(|all| all.wires()).collect();
            return if words.is_empty() { Self::Any } else { Self::Words(words) };
        }
        match ty {
            Type::Time(times) => Self::Times(times),
            Type::Boolean(Truth::Number) => Self::Words(vec!["0", "1"]),
            Type::Boolean(_) => Self::Words(vec!["false", "true"]),
            Type::Identifier(_) => Self::Ids,
            ty if ty.is_quantity() => Self::Numbers,
            _ => Self::Any,
        }
    }

    /// Returns whether both have a text that the client takes as equal: it ignores case, and a space equals an
    /// underscore.
    fn overlap(&self, other: &Self) -> bool {
        let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        let is_same = |one: &str, other: &str| one.replace(' ', "_").eq_ignore_ascii_case(&other.replace(' ', "_"));
        match (self, other) {
            (Self::Any, _) | (_, Self::Any) | (Self::Numbers, Self::Numbers) => true,
            (Self::Times(one), Self::Times(other)) => one == other,
            (Self::Ids, Self::Ids | Self::Numbers) | (Self::Numbers, Self::Ids) => true,
            (Self::Times(_) | Self::Ids, _) | (_, Self::Times(_) | Self::Ids) => false,
            (Self::Numbers, Self::Words(words)) | (Self::Words(words), Self::Numbers) => words.iter().any(is_number),
            (Self::Words(one), Self::Words(other)) => {
                one.iter().any(|one| other.iter().any(|other| is_same(one, other)))
            }
        }
    }
}
