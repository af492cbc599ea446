//! Intents: the parameters that they set exist, and the values are possible.

use std::collections::BTreeSet;

use super::batches::list_of_objects;
use super::names::{RustName, are_distinct, are_free};
use super::rules::{self, refuses};
use super::{identifiers, repeated, reserved, values};
use crate::compiler::diagnostics::{Code, Diagnostics, Place, name_list, unknown};
use crate::compiler::model::{
    Api, Case, Condition, Family, Intent, ListName, Lookup, Name, Need, Operation, Parameter, Role, Setting, WireNames,
    WireParameter,
};

/// Checks the intents of a family's operations.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        if !operation.intents.is_empty() {
            within_lists(operation, to);
            have_purposes_of_their_own(operation, to);
            for (list, parameters) in operation.sets() {
                set(family, operation, list, parameters, to);
            }
        }
    }
}

fn within_lists(operation: &Operation, to: &mut Diagnostics) {
    for (list, place) in operation.intents.iter().filter_map(|intent| intent.within.as_ref()) {
        list_of_objects(operation, list.as_str(), *place, to);
    }
}

fn set(
    family: &Family,
    operation: &Operation,
    list: Option<&ListName>,
    parameters: &[Parameter],
    to: &mut Diagnostics,
) {
    let names = family.names(parameters);
    let mut functions: Vec<_> = parameters
        .iter()
        .filter(|parameter| parameter.need != Need::Always)
        .map(|parameter| RustName::of("setter of", &parameter.name))
        .collect();
    let within = |intent: &&Intent| intent.within.as_ref().map(|(list, _)| list) == list;
    for intent in operation.intents.iter().filter(within) {
        intent.set.iter().for_each(|setting| value(family, &names, setting, to));
        // A parameter that could not be read may be a required one.
        if !parameters.iter().any(|parameter| parameter.shape.is_undefined()) {
            let is_sound = taken(intent, parameters, to);
            arguments(family, intent, parameters, is_sound, to);
            keeps_the_rules(family, operation, intent, &names, to);
        }
        // Two intents with the same id collide, too; with an empty wire name, the collision is reported.
        let name = Name { wire: String::new(), rust: intent.rust.clone(), place: intent.place };
        functions.push(RustName::new(format!("the intent `{}`", intent.id), &intent.rust, &name));
    }
    are_distinct(to, &functions);
    are_free(to, &functions, &reserved::SETTERS);
}

/// Checks that a parameter can be set to a value of its enum; the deciding parameter of a choice, to a value without
/// further parameters.
fn value(family: &Family, names: &WireNames<'_>, setting: &Setting, to: &mut Diagnostics) {
    let found = match names.find(&setting.name) {
        Lookup::Found(found) => found,
        Lookup::Unresolved => return,
        Lookup::Missing(help) => {
            to.at(setting.place, Code::UndefinedName, format!("unknown parameter `{}`", setting.name)).help(help);
            return;
        }
    };
    if found.parameter().is_some_and(|parameter| parameter.shape.is_undefined()) {
        return;
    }
    let Some(index) = enum_of(&found) else {
        to.at(setting.place, Code::BadIntent, format!("an intent cannot set `{}`", setting.name))
            .related(found.name.place, "the parameter is here")
            .help("an intent can set parameters that are enums or decide a choice");
        return;
    };
    let Some(all) = family.enums.get(index) else { return };
    if let Some(fault) = identifiers::find_enum_fault(all, &setting.text) {
        fault.report(to, setting.text_place, Code::BadValue, &format!("`{}`", setting.name));
        return;
    }
    match found.role {
        Role::Plain(parameter) => {
            let fault = identifiers::why_not_listed(all, &parameter.only, &setting.text)
                .or_else(|| values::not_the_fixed(&parameter.name, parameter.fixed.as_ref(), &setting.text));
            if let Some(fault) = fault {
                fault.report(to, setting.text_place, Code::BadValue, &format!("`{}`", setting.name));
            }
        }
        Role::Decider(_) if needs_more(family, &found, all.index_of(&setting.text)) => {
            to.at(setting.text_place, Code::BadIntent, format!("`{}` requires other parameters", setting.text))
                .related(found.name.place, "the choice is here")
                .help("set a value whose case is empty, or leave the choice to the caller");
        }
        Role::Decider(_) | Role::Alternative(_) | Role::Member(_) => {}
    }
}

fn enum_of(found: &WireParameter<'_>) -> Option<usize> {
    match found.role {
        Role::Decider(index) => Some(index),
        Role::Plain(parameter) => parameter.shape.single_enum(),
        Role::Alternative(_) | Role::Member(_) => None,
    }
}

fn needs_more(family: &Family, found: &WireParameter<'_>, value: Option<usize>) -> bool {
    let Some(choice) = family.choice_of(found.of) else { return false };
    choice.cases(family).any(|(_, case)| Some(case.value) == value && !case.is_optional())
}

/// Checks that no two intents make the same of the same arguments.
fn have_purposes_of_their_own(operation: &Operation, to: &mut Diagnostics) {
    let list = |intent: &Intent| intent.within.as_ref().map(|(list, _)| list.clone());
    let set = |intent: &Intent| -> BTreeSet<_> {
        intent.set.iter().map(|setting| (setting.name.clone(), setting.text.clone())).collect()
    };
    let taken = |intent: &Intent| -> BTreeSet<_> { intent.take.iter().map(|(name, _)| name.clone()).collect() };
    let is_same =
        |one: &Intent, other: &Intent| (list(one), set(one), taken(one)) == (list(other), set(other), taken(other));
    for (first, intent) in repeated(&operation.intents, is_same).filter(|(_, intent)| !intent.set.is_empty()) {
        let message = format!("the intent `{}` makes the same request as `{}`", intent.id, first.id);
        to.at(intent.place, Code::BadIntent, message)
            .related(first.place, "the other intent is here")
            .help("remove one of them, or correct what it sets");
    }
}

/// Checks that no rule of the operation refuses what an intent sets, whatever the caller adds.
fn keeps_the_rules(
    family: &Family,
    operation: &Operation,
    intent: &Intent,
    names: &WireNames<'_>,
    to: &mut Diagnostics,
) {
    let facts = facts(family, intent, names);
    let list = |within: &Option<(ListName, Place)>| within.as_ref().map(|(list, _)| list.clone());
    let rules = operation.statements.rules.iter().filter(|rule| list(&rule.within) == list(&intent.within));
    let always = sent(intent, names);
    // A rule that refuses every request is reported itself.
    for rule in rules.filter(|rule| refuses(rule, &facts) && !refuses(rule, &always)) {
        let place = intent.set.first().map_or(intent.place, |setting| setting.place);
        to.at(place, Code::BadIntent, format!("the intent `{}` breaks {}", intent.id, rules::name(rule)))
            .related(rule.place, "the rule is here")
            .help("correct what the intent sets, or the rule");
    }
}

/// Returns what holds of each request that an intent makes, whatever the caller adds.
fn facts(family: &Family, intent: &Intent, names: &WireNames<'_>) -> Vec<Condition> {
    let placed = |name: &str| (name.to_owned(), intent.place);
    let set = intent.set.iter().map(|setting| Condition::Is {
        parameter: (setting.name.clone(), setting.place),
        values: vec![(setting.text.clone(), setting.text_place)],
    });
    let excluded = names.iter().filter(|wire| is_excluded(family, intent, wire));
    let left_out = excluded.map(|wire| Condition::Not(Box::new(Condition::Given(vec![placed(&wire.name.wire)]))));
    sent(intent, names).into_iter().chain(set).chain(left_out).collect()
}

/// Returns what each request has.
fn sent(intent: &Intent, names: &WireNames<'_>) -> Vec<Condition> {
    let is_sent = |wire: &&WireParameter<'_>| matches!(wire.role, Role::Plain(one) if one.is_required());
    let given = |wire: &WireParameter<'_>| Condition::Given(vec![(wire.name.wire.clone(), intent.place)]);
    names.iter().filter(is_sent).map(given).collect()
}

/// Returns whether a parameter is not sent, because the intent sets what decides its choice to a value without it.
fn is_excluded(family: &Family, intent: &Intent, wire: &WireParameter<'_>) -> bool {
    let Role::Member(member) = wire.role else { return false };
    let Some(choice) = family.choice_of(wire.of) else { return false };
    let Some((decider, index)) = choice.decider() else { return false };
    let all = family.enums.get(index);
    let value = intent.value_of(&decider.wire).and_then(|text| all?.index_of(text));
    let has_member = |case: &Case| case.parameters.iter().any(|one| one.name.wire == member.name.wire);
    value.is_some() && !choice.cases(family).any(|(_, case)| Some(case.value) == value && has_member(case))
}

/// Checks that parameters in `take` exist and are not arguments already.
fn taken(intent: &Intent, parameters: &[Parameter], to: &mut Diagnostics) -> bool {
    let mut is_sound = true;
    for (wire, place) in &intent.take {
        let found = parameters.iter().find(|parameter| parameter.name.wire == *wire);
        let is_optional = found.is_some_and(|parameter| parameter.need != Need::Always);
        if !is_optional || intent.value_of(wire).is_some() {
            let optional = parameters.iter().filter(|parameter| parameter.need != Need::Always);
            let left = optional.map(|one| one.name.wire.as_str()).filter(|wire| intent.value_of(wire).is_none());
            let left = name_list(left);
            let help = match left.as_str() {
                "" => "leave it out: what is required is an argument anyway".to_owned(),
                left => format!("expected an optional parameter that it does not set: {left}"),
            };
            to.at(*place, Code::BadIntent, format!("`{}` cannot take `{wire}`", intent.id)).help(help);
            is_sound = false;
        }
    }
    is_sound
}

/// Checks that only arguments can be renamed, and no two arguments have the same name.
///
/// If `take` has mistakes, an unknown argument may belong to it.
fn arguments(family: &Family, intent: &Intent, parameters: &[Parameter], is_sound: bool, to: &mut Diagnostics) {
    let arguments = intent.arguments(family, parameters);
    let wires = || arguments.iter().map(|parameter| parameter.name.wire.as_str());
    let is_unknown = |setting: &&Setting| is_sound && !wires().any(|wire| wire == setting.name);
    for setting in intent.call.iter().filter(is_unknown) {
        to.at(setting.place, Code::BadIntent, format!("unknown argument `{}` of `{}`", setting.name, intent.id)).help(
            unknown(&setting.name, arguments.iter().map(|one| (one.name.wire.as_str(), Some(one.name.place))), || {
                format!("expected one of: {}", name_list(wires()))
            }),
        );
    }
    let called = |parameter: &Parameter| intent.call.iter().find(|setting| setting.name == parameter.name.wire);
    let (renamed, own): (Vec<&Parameter>, Vec<_>) = arguments.iter().partition(|one| called(one).is_some());
    // Of two arguments, the one that was renamed here is to be changed.
    let named = own.into_iter().chain(renamed).map(|parameter| {
        let wire = &parameter.name.wire;
        let name = called(parameter).map_or_else(
            || parameter.name.clone(),
            |call| Name { wire: wire.clone(), rust: call.text.clone(), place: call.text_place },
        );
        RustName::of("argument", &name).named_by("call")
    });
    are_distinct(to, &named.collect::<Vec<_>>());
}
