//! Properties of the account and of instruments, the classes that depend on them, the query that checks credentials, and
//! the way the account becomes flat.

use std::collections::BTreeSet;

use super::conditions::{Subject, find};
use super::counterpart::known_enum;
use super::names::{RustName, are_distinct, are_free};
use super::records::find_fault_of_value;
use super::rules::implies;
use super::{errors, examples, identifiers, reserved, rules};
use crate::compiler::diagnostics::{Code, Diagnostics, Place, did_you_mean, nearest, one_of, unknown};
use crate::compiler::json::{self, Member, Node, Value};
use crate::compiler::model::{
    Access, Account, Api, Class, Condition, Dates, Family, Flat, FlatReduce, FlatSide, Identifier, InstrumentNames,
    Lookup, Name, NamesWithin, Operation, Pair, Placed, Property, PropertyKind, Rate, Reference, Role, Sources, Type,
};

/// Checks that properties, their values and their types have distinct names.
pub(super) fn names(api: &Api, to: &mut Diagnostics) {
    let Some(account) = &api.account else { return };
    let properties: Vec<_> =
        account.properties.iter().map(|property| RustName::of("property", &property.name)).collect();
    are_distinct(to, &properties);
    are_free(to, &properties, &reserved::PROPERTIES);
    let words = account.properties.iter().filter_map(|property| match &property.kind {
        PropertyKind::Words(name, values) => Some((name, values)),
        PropertyKind::Flag | PropertyKind::Time | PropertyKind::Names => None,
    });
    let types: Vec<_> = words.clone().map(|(name, _)| RustName::of("property", name)).collect();
    are_distinct(to, &types);
    are_free(to, &types, &reserved::ROOT_TYPES);
    are_free(to, &types, &reserved::TYPES);
    for (_, values) in words {
        let values: Vec<_> = values.iter().map(|value| RustName::of("value", &value.name)).collect();
        are_distinct(to, &values);
    }
    let of_instrument = account.instrument.iter().flat_map(|instrument| &instrument.properties);
    let setters = of_instrument.clone().map(|property| {
        let what = format!("the setter of the property `{}`", property.name.wire);
        RustName::new(what, &format!("with_{}", property.name.bare()), &property.name)
    });
    let getters: Vec<_> = of_instrument.map(|property| RustName::of("property", &property.name)).collect();
    are_free(to, &getters, &reserved::PROPERTIES);
    are_distinct(to, &getters.into_iter().chain(setters).collect::<Vec<_>>());
}

/// Checks that a property is shown by enums of order records that have the same values, and denied by existing codes.
pub(super) fn is_shown(api: &Api, to: &mut Diagnostics) {
    for property in api.account.iter().flat_map(|account| &account.properties) {
        for named in &property.shown_as {
            shows_property(api, property, named, to);
        }
        are_known(api, &property.denied_by, to);
    }
    let instrument = api.account.iter().filter_map(|account| account.instrument.as_ref());
    for property in instrument.flat_map(|instrument| &instrument.properties) {
        are_known(api, &property.denied_by, to);
    }
}

/// Checks that codes that deny a property are documented or observed.
fn are_known(api: &Api, codes: &[Placed], to: &mut Diagnostics) {
    for (code, place) in codes.iter().filter(|_| api.is_whole) {
        errors::code_is_known(api, code, *place, None, to);
    }
}

fn shows_property(api: &Api, property: &Property, named: &Placed, to: &mut Diagnostics) {
    let (name, place) = named;
    let PropertyKind::Words(_, words) = &property.kind else {
        to.at(*place, Code::Misplaced, "`shown_as` is only allowed for a property with `values`").help("remove it");
        return;
    };
    let Some((family, index)) = known_enum(api, named, to) else { return };
    let shown = &family.enums[index];
    // An enum without values is reported.
    let is_missing = |name: &str| !shown.values.is_empty() && shown.index_of(name).is_none();
    for word in words.iter().filter(|word| is_missing(&word.name.wire)) {
        to.at(*place, Code::BadValue, format!("`{name}` has no value `{}`", word.name.wire))
            .related(shown.name.place, "the enum is here")
            .help("name an enum with the values of the property, or correct them");
    }
    let is_unread = |key| family.shared_files.iter().any(|file| to.is_unread(*file, key));
    let is_read = api.is_whole && !is_unread("lifecycle") && !is_unread("records");
    if is_read && !family.tracked_records().any(|record| record.field_of_enum(index).is_some()) {
        let message = format!("no record in the lifecycle of `{}` has a field of `{}`", family.name, shown.name.wire);
        to.at(*place, Code::Unused, message).help("remove it, or add such a record to the `records` of the lifecycle");
    }
}

/// Checks that the parameters in `instrument` exist in at least one request.
pub(super) fn instrument_is_named(_api: &Api, family: &Family, to: &mut Diagnostics) {
    let Some(names) = &family.instrument else { return };
    for (name, place) in [&names.line, &names.symbol] {
        if !name.is_empty() {
            is_of_a_request(family, name, *place, to);
        }
    }
    quotes_are_of_lines(family, names, to);
}

/// Checks that a request of the family has a parameter with this name.
pub(super) fn is_of_a_request(family: &Family, name: &str, place: Place, to: &mut Diagnostics) {
    let known = || family.all_parameters().map(|parameter| parameter.name.wire.as_str());
    if !known().any(|known| known == name) {
        let help = did_you_mean(name, known()).unwrap_or_else(|| "name a parameter of one of its requests".into());
        to.at(place, Code::UndefinedName, format!("unknown parameter `{name}`: no request of the family has it"))
            .help(help);
    }
}

/// Checks that each business line with a coin of its prices is a value of the parameter that names the line.
fn quotes_are_of_lines(family: &Family, names: &InstrumentNames, to: &mut Diagnostics) {
    let wires = family.operations.iter().flat_map(|operation| operation.wire_parameters(family));
    let lines = wires.filter(|wire| wire.name.wire == names.line.0);
    let mut enums = lines.filter_map(|wire| match wire.role {
        Role::Decider(index) => family.enums.get(index),
        Role::Plain(one) | Role::Alternative(one) | Role::Member(one) => family.enums.get(one.shape.single_enum()?),
    });
    let Some(all) = enums.next() else { return };
    for ((line, place), _) in names.quotes.iter().filter(|((line, _), _)| !all.has(line)) {
        let help = one_of(line, all.placed_wires().into_iter().map(|(wire, place)| (wire, Some(place))));
        to.at(*place, Code::BadValue, format!("`quotes`: `{}` has no value `{line}`", all.name.wire)).help(help);
    }
}

/// Checks that each beginning in `serves` is that of a path.
pub(super) fn served_families(api: &Api, family: &Family, to: &mut Diagnostics) {
    for ((beginning, place), _) in &family.serves {
        if !family.operations.iter().any(|one| one.path.text.starts_with(beginning)) && api.is_whole {
            let what = format!("no operation of the family has a path that begins with `{beginning}`");
            to.at(*place, Code::Unused, what).help("remove it, or correct the beginning of the path");
        }
    }
}

/// Rates refer to classes of the family, and every class has a rate.
pub(super) fn classes(api: &Api, family: &Family, to: &mut Diagnostics) {
    for class in &family.classes {
        let with_rates = || family.operations.iter().filter(|operation| has_rate(operation, class));
        if with_rates().next().is_none()
            && api.is_whole
            && !may_have_misspelt_rate(family, class, to)
            && !has_rate_of_another_class(family)
        {
            to.at(
                class.place,
                Code::Unused,
                format!("unused class `{}`: no operation has a rate limit for it", class.name),
            )
            .help("remove the class, or add a rate limit `for` it");
        }
        // A request without the parameter has the class that the caller states; at least one operation must have it.
        let speaks_of = |operation: &&Operation| {
            let names = family.names(operation.body.parameters());
            let is_known = |name: &str| !matches!(names.find(name), Lookup::Missing(_));
            class.when.iter().flat_map(Condition::names).all(is_known)
        };
        // A misspelt class may belong to an operation that has the parameter.
        let others = || with_rates().next().filter(|_| !may_have_misspelt_rate(family, class, to));
        let name = format!("the class `{}`", class.name);
        let Some(operation) = with_rates().find(speaks_of) else {
            others().into_iter().for_each(|operation| tests_what_none_has(family, class, operation, to));
            continue;
        };
        let names = family.names(operation.body.parameters());
        let subject = Subject { api, family, name: &name, place: class.place, names: &names, tests_values: true };
        if api.is_whole {
            class.when.iter().for_each(|condition| subject.check(condition, to));
        }
        if class.when.iter().any(Condition::compares) {
            to.at(
                class.place,
                Code::BadRate,
                format!("{name} compares a parameter with something other than values, which a class cannot do"),
            )
            .help("test values and forms of parameters, or values of the account's properties");
        }
    }
    classes_are_reached(family, to);
    if !family.classes.is_empty() {
        rates_have_known_classes(family, to);
    }
}

/// Reports the parameters that a class tests and `operation`, the first with a rate for it, does not have.
fn tests_what_none_has(family: &Family, class: &Class, operation: &Operation, to: &mut Diagnostics) {
    let names = family.names(operation.body.parameters());
    let has =
        |other: &Operation, name: &str| matches!(family.names(other.body.parameters()).find(name), Lookup::Found(_));
    for (name, place) in class.when.iter().flat_map(Condition::placed_names) {
        let Lookup::Missing(_) = names.find(name) else { continue };
        let Some(other) = family.operations.iter().find(|other| has(other, name)) else {
            find(&names, name, place, to);
            continue;
        };
        let help = format!("add a rate `for {}` to an operation with it, such as `{}`", class.name, other.name);
        let message = format!("the class `{}` tests `{name}`, which no operation with a rate for it has", class.name);
        to.at(place, Code::UndefinedName, message)
            .related(operation.place, format!("`{}` has a rate for it", operation.name))
            .help(help);
    }
}

/// Checks that the conditions of a class do not imply those of an earlier one, because the first class that fits holds,
/// unless the earlier one ends on the day on which it begins, or the other way round.
fn classes_are_reached(family: &Family, to: &mut Diagnostics) {
    for (index, class) in family.classes.iter().enumerate() {
        are_right(&class.dates, &class.sources, to);
        let is_implied = |earlier: &Condition| class.when.iter().any(|condition| implies(condition, earlier));
        let has_conditions = |earlier: &&Class| !earlier.when.is_empty() && earlier.when.iter().all(is_implied);
        if !class.dates.are_open() {
            let dated = |earlier: &&Class| !earlier.dates.are_open() && has_conditions(earlier);
            if let Some(earlier) = family.classes[..index].iter().rev().find(dated) {
                follow_each_other(earlier, class, to);
                continue;
            }
        }
        let covers = |earlier: &&Class| earlier.dates.are_open() && has_conditions(earlier);
        if let Some(earlier) = family.classes.iter().take(index).find(covers) {
            to.at(
                class.place,
                Code::BadRate,
                format!(
                    "unreachable class `{}`: the class `{}` comes first and covers all of its calls",
                    class.name, earlier.name
                ),
            )
            .related(earlier.place, "this class comes first")
            .help("put the class with more conditions first");
        }
    }
}

/// Checks that two classes of the same calls follow each other without a gap, and without days on which both hold.
fn follow_each_other(earlier: &Class, class: &Class, to: &mut Diagnostics) {
    if earlier.dates.are_followed_by(&class.dates) || class.dates.are_followed_by(&earlier.dates) {
        return;
    }
    let message = format!(
        "the classes `{}` ({}) and `{}` ({}) are of the same calls, and neither begins when the other ends",
        earlier.name, earlier.dates, class.name, class.dates
    );
    to.at(class.place, Code::BadDate, message)
        .related(earlier.place, "the other class is here")
        .help("write the same day as `until` of one and as `from` of the other");
}

/// Checks that a fact that ends has begun before, and its days have a source.
pub(super) fn are_right(dates: &Dates, sources: &Sources, to: &mut Diagnostics) {
    if let Some((day, place)) = dates.from.or(dates.until).filter(|_| sources.is_empty() && dates.by.is_empty()) {
        to.at(place, Code::BadSources, format!("nobody states the day {day}"))
            .help("write `dated_by` with the document that states it, or with two who have seen it");
    }
    let (Some((from, begin)), Some((until, end))) = (dates.from, dates.until) else { return };
    if until <= from {
        to.at(end, Code::BadDate, format!("it ends on {until}, before it has begun"))
            .related(begin, format!("it begins on {from}"))
            .help("write a day after that of `from`");
    }
}

/// Returns whether a rate that could not be read, or one for an unknown class, may be meant for a class.
fn may_have_misspelt_rate(family: &Family, class: &Class, to: &Diagnostics) -> bool {
    let known = || family.classes.iter().map(|known| known.name.as_str());
    let is_misspelt = |name: &str| !known().any(|known| known == name) && nearest(name, known()) == Some(&class.name);
    family.operations.iter().any(|operation| {
        to.is_unread(operation.place.file, "rate_limit")
            || operation.rates.iter().any(|rate| rate.own_class().is_some_and(is_misspelt))
    })
}

/// Returns whether a rate is for an unknown class, or the second one for a class, in place of one that has none.
fn has_rate_of_another_class(family: &Family) -> bool {
    let is_unknown = |name: &str| family.classes.iter().all(|known| known.name != name);
    family.operations.iter().any(|operation| {
        let classes: Vec<&str> = operation.rates.iter().filter_map(Rate::own_class).collect();
        let is_repeated = |at: usize| classes[..at].contains(&classes[at]);
        (0..classes.len()).any(|at| is_unknown(classes[at]) || is_repeated(at))
    })
}

fn rates_have_known_classes(family: &Family, to: &mut Diagnostics) {
    let known = || family.classes.iter().map(|class| class.name.as_str());
    for rate in family.operations.iter().flat_map(|operation| &operation.rates) {
        if rate.own_class().is_some_and(|class| !known().any(|known| known == class)) {
            let file = to.beside(rate.place, "family.yaml");
            let help = did_you_mean(&rate.class, known())
                .unwrap_or_else(|| format!("define it under `classes` in {file}").into());
            to.at(rate.place, Code::UndefinedName, format!("unknown class `{}`", rate.class)).help(help);
        }
    }
}

fn has_rate(operation: &Operation, class: &Class) -> bool {
    operation.rates.iter().any(|rate| rate.class == class.name)
}

/// Checks that the probe is signed, changes nothing, and has a complete request.
pub(super) fn check(api: &Api, family: &Family, to: &mut Diagnostics) {
    let Some(probe) = &family.probe else { return };
    let Some(operation) = family.operations.get(&probe.operation) else { return };
    if operation.access != Access::Signed {
        let message = format!("`{}` is not signed and cannot check credentials", operation.name);
        to.at(probe.operation.place, Code::Misplaced, message)
            .related(operation.place, "it is defined here")
            .help("name a signed operation with `effect: read`");
        return;
    }
    examples::request(api, family, operation, &probe.request, to);
    is_built_without_reading(family, operation, &probe.request, to);
}

/// Checks that no value of the request is parsed at run time, because the emitted code that builds it cannot fail.
fn is_built_without_reading(family: &Family, operation: &Operation, (request, place): &Placed, to: &mut Diagnostics) {
    let Ok(Node { value: Value::Object(members), .. }) = json::parse(request) else { return };
    let names = family.names(operation.members());
    for Member { name, .. } in &members {
        let Lookup::Found(found) = names.find(name) else { continue };
        let Some(shape) = found.parameter().map(|parameter| &parameter.shape) else { continue };
        let is_read = shape.element().is_none_or(Type::is_decimal)
            || family.identifier_of(shape).is_some_and(Identifier::is_constrained);
        if is_read {
            to.at(
                *place,
                Code::Misplaced,
                format!("`{name}` cannot be set in a probe: its value is validated at run time"),
            )
            .related(found.name.place, "the parameter is here")
            .help("leave it out, or name an operation that does not need it");
        }
    }
}

/// Returns the property of the account with this name, or reports that there is none.
pub(super) fn account_property<'a>(api: &'a Api, (name, place): &Placed, to: &mut Diagnostics) -> Option<&'a Property> {
    let properties: &[Property] = api.account.as_ref().map_or(&[], |account| &account.properties);
    let found = properties.iter().find(|property| property.name.wire == *name);
    if found.is_none() && api.is_sound {
        let known = properties.iter().map(|property| &property.name);
        unknown_property("the account", name, *place, known, "properties` of `account", to);
    }
    found
}

/// Checks that the account has a property of this name, with this word.
pub(super) fn account_word(api: &Api, named: &Placed, (word, place): &Placed, to: &mut Diagnostics) {
    let Some(property) = account_property(api, named, to) else { return };
    let words: Vec<_> = match &property.kind {
        PropertyKind::Words(_, words) => {
            words.iter().map(|word| (word.name.wire.as_str(), Some(word.name.place))).collect()
        }
        PropertyKind::Flag | PropertyKind::Time | PropertyKind::Names => Vec::new(),
    };
    let is_unread = matches!(property.kind, PropertyKind::Words(..)) && words.is_empty();
    if !is_unread && !words.iter().any(|(known, _)| known == word) {
        let help = one_of(word, words);
        to.at(*place, Code::UndefinedName, format!("the property `{}` has no value `{word}`", named.0)).help(help);
    }
}

/// Checks that instruments have a property of this name, a flag or a number.
pub(super) fn instrument_property(api: &Api, (name, place): &Placed, is_flag: bool, to: &mut Diagnostics) {
    let instrument = api.account.as_ref().and_then(|Account { instrument, .. }| instrument.as_ref());
    let properties = instrument.map_or(&[][..], |instrument| &instrument.properties);
    match properties.iter().find(|property| property.name.wire == *name) {
        Some(property) if property.is_flag != is_flag => {
            let [needed, found] = if is_flag { ["a flag", "a number"] } else { ["a number", "a flag"] };
            to.at(*place, Code::BadRule, format!("expected {needed}, but `{name}` of instruments is {found}"))
                .related(property.name.place, "the property is here")
                .help(format!("name a property of `account.instrument` that is {needed}"));
        }
        None if api.is_sound => {
            let known = properties.iter().filter(|known| known.is_flag == is_flag).map(|property| &property.name);
            unknown_property("the instrument", name, *place, known, "properties` of `account.instrument", to);
        }
        Some(_) | None => {}
    }
}

/// Reports that something has no property of this name.
fn unknown_property<'a>(
    what: &str,
    name: &str,
    place: Place,
    known: impl Iterator<Item = &'a Name>,
    list: &str,
    to: &mut Diagnostics,
) {
    let known = known.map(|known| (known.wire.as_str(), Some(known.place)));
    let help = unknown(name, known, || format!("define it under `{list}` in {}", to.api_file())).of_api();
    to.at(place, Code::UndefinedName, format!("{what} has no property `{name}`")).help(help);
}

pub(super) fn becomes_flat(api: &Api, family: &Family, to: &mut Diagnostics) {
    let operations = &family.operations;
    let Some(Flat { close, reduce, .. }) = &family.flat else { return };
    for (code, place) in close.iter().flat_map(|close| &close.nothing).filter(|_| api.is_whole) {
        errors::code_is_known(api, code, *place, Some(family), to);
    }
    if let Some(reduce) = reduce
        && let Some(operation) = operations.get(&reduce.operation)
    {
        orders_only_close(family, operation, reduce, to);
    }
}

/// Checks that the parameters of the orders exist and have these values, no set can open a position, and no rule
/// refuses one.
fn orders_only_close(family: &Family, operation: &Operation, reduce: &FlatReduce, to: &mut Diagnostics) {
    if reduce.closes_with.is_empty() {
        to.lacking(reduce.place, "closes_with");
    }
    let FlatReduce { line, lines, closes_with, long, short, side, place, .. } = reduce;
    if operation.parameter(line).is_some() {
        lines.iter().for_each(|value| takes(family, operation, &placed(line), value, to));
    }
    for (name, values) in closes_with {
        values.iter().for_each(|value| takes(family, operation, name, value, to));
    }
    for (sets, key) in [(long, "long"), (short, "short")] {
        for (index, set) in sets.iter().enumerate() {
            let at = set.first().map_or(*place, |((_, at), _)| *at);
            set.iter().for_each(|(name, value)| takes(family, operation, name, value, to));
            let text = |set: &[Pair]| set.iter().map(|((name, _), (value, _))| (name.clone(), value.clone())).collect();
            let own: BTreeSet<_> = text(set);
            if sets[..index].iter().any(|first| text(first) == own) {
                to.at(at, Code::DefinedTwice, format!("duplicate order under `{key}`")).help("remove one of them");
            }
            if !closes_with.is_empty() && !only_closes(set, closes_with) {
                to.at(
                    at,
                    Code::BadValue,
                    format!("this order of `{key}` can open a position: it has none of `closes_with`"),
                )
                .related(closes_with.first().map_or(*place, |((_, place), _)| *place), "`closes_with` is here")
                .help("add what keeps it from that, or remove the order");
            }
            keeps_the_rules(operation, reduce, (key, set), at, to);
        }
    }
    if let Some(side) = side {
        is_recorded(family, side, to);
    }
}

/// Returns whether an order has a value that keeps it from opening a position.
fn only_closes(set: &[Pair], closes_with: &[NamesWithin]) -> bool {
    set.iter().any(|((name, _), (value, _))| {
        let with = closes_with.iter().find(|((known, _), _)| known == name);
        with.is_some_and(|(_, values)| values.iter().any(|(known, _)| known == value))
    })
}

/// Checks that no rule of the operation refuses the order.
fn keeps_the_rules(
    operation: &Operation,
    reduce: &FlatReduce,
    (key, set): (&str, &[Pair]),
    at: Place,
    to: &mut Diagnostics,
) {
    let is = |parameter: &Placed, values: Vec<Placed>| Condition::Is { parameter: parameter.clone(), values };
    let line = Some(is(&placed(&reduce.line), reduce.lines.clone())).filter(|_| !reduce.lines.is_empty());
    let set = set.iter().map(|(name, value)| is(name, vec![value.clone()]));
    let given = [&*reduce.line, &*reduce.instrument, &*reduce.quantity];
    let given = given.map(|name| Condition::Given(vec![placed(name)]));
    let facts: Vec<Condition> = set.chain(line).chain(given).collect();
    let rules = operation.statements.rules.iter().filter(|rule| rule.within.is_none());
    for rule in rules.filter(|rule| rules::refuses(rule, &facts)) {
        to.at(at, Code::BadValue, format!("this order of `{key}` breaks {}", rules::name(rule)))
            .related(rule.place, "the rule is here")
            .help("correct the order, or the rule");
    }
}

fn placed(name: &Reference) -> Placed {
    (name.text.clone(), name.place)
}

/// Checks that a parameter of the operation exists and can have a value.
fn takes(family: &Family, operation: &Operation, (name, place): &Placed, (value, at): &Placed, to: &mut Diagnostics) {
    let found = family.names(operation.members()).find(name).or_report(&operation.name, name, *place, to);
    if let Some(fault) = found.and_then(|found| find_fault_of_value(family, &found, value)) {
        fault.report(to, *at, Code::BadValue, &format!("`{name}`"));
    }
}

/// Checks that the side of a position is a field of the records of orders.
fn is_recorded(family: &Family, FlatSide { field, long, short, place: _ }: &FlatSide, to: &mut Diagnostics) {
    let (name, place) = field;
    let records = || family.tracked_records();
    let fields = || records().filter_map(|record| record.field(name));
    if records().next().is_some() && fields().next().is_none() {
        let known = records().flat_map(|record| &record.fields);
        let help = one_of(name, known.map(|field| (field.name.wire.as_str(), Some(field.name.place))));
        to.at(*place, Code::UndefinedName, format!("no record in the lifecycle has a field `{name}`")).help(help);
    }
    let enums = || fields().filter_map(|field| family.enum_of(&field.shape));
    for (value, at) in [long, short] {
        if let Some(fault) = enums().find_map(|all| identifiers::find_enum_fault(all, value)) {
            fault.report(to, *at, Code::BadValue, &format!("`{name}`"));
        }
    }
    if long.0 == short.0 {
        to.at(*place, Code::BadValue, format!("`{name}` is `{}` for long and short positions", long.0))
            .help("write the value of each");
    }
}
