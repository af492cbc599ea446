//! Counterparts: each parameter of a request becomes something, or the schema says why it does not.

use std::collections::{BTreeMap, BTreeSet};

use super::account::account_word;
use super::batches::{is_value_of, list_of_objects};
use super::listings::are_values;
use crate::compiler::diagnostics::{Code, Diagnostics, Place, one_of};
use crate::compiler::model::phrases::PLAIN;
use crate::compiler::model::{
    Api, Conversion, Corresponding, Counterpart, CounterpartCase, CounterpartDecision, Enum, EnumCounterpart, Family,
    NamesWithin, Need, Operation, Placed, PropertyKind, Request, Shape, Type, WireParameter, Worth, condition_in_words,
};

/// Checks `counterpart` of all operations, before any other rule: a file that already has a mistake may lack what another
/// one names.
pub(super) fn check(api: &Api, to: &mut Diagnostics) {
    let mistaken = to.mistaken_files();
    for (family, operation) in api.operations() {
        let Some(counterpart) = &operation.counterpart else { continue };
        if is_one_or_none(counterpart, to)
            && is_known(api, operation, counterpart, to)
            && let Some(conversion) = api.conversion(family, operation)
            && !mistaken.contains(&conversion.to.operation.place.file)
        {
            converts(api, &conversion, to);
        }
    }
}

/// Checks `counterpart` of the enums of a family.
pub(super) fn enums(api: &Api, family: &Family, to: &mut Diagnostics) {
    for all in &family.enums {
        let Some(EnumCounterpart { of, values, refused, place: _ }) = &all.counterpart else { continue };
        for named in of {
            if let Some((other, index)) = known_enum(api, named, to) {
                values.iter().for_each(|(_, value)| is_value(&other.enums[index], &named.0, value, to));
            }
        }
        values.iter().chain(refused).for_each(|(value, _)| is_value(all, &all.name.wire, value, to));
        for ((value, place), _) in refused.iter().filter(|(one, _)| values.iter().any(|(other, _)| other.0 == one.0)) {
            to.at(*place, Code::BadCounterpart, format!("`{value}` has a counterpart and has none"))
                .help("remove it from `values` or from `refused`");
        }
    }
}

/// Returns the family and the index there of the enum with an id. An unknown one is reported, unless its family lacks the
/// types altogether.
pub(super) fn known_enum<'a>(api: &'a Api, (id, place): &Placed, to: &mut Diagnostics) -> Option<(&'a Family, usize)> {
    let found = api.enum_of(id);
    let family = id.split_once('.').map_or("", |(family, _)| family);
    let is_empty = api.families.iter().any(|known| known.name == family && known.enums.is_empty());
    if found.is_none() && !is_empty && api.is_whole {
        let ids = |family: &Family| family.enums.iter().map(|one| one.id(family)).collect::<Vec<_>>();
        let ids: Vec<String> = api.families.iter().flat_map(ids).collect();
        let help = match ids.iter().find(|known| known.rsplit('.').next() == Some(id)) {
            Some(meant) => format!("write the family, too: `{meant}`").into(),
            None => one_of(id, ids.iter().map(|known| (known.as_str(), None))),
        };
        to.at(*place, Code::UndefinedName, format!("unknown enum `{id}`")).help(help);
    }
    found
}

fn is_value(all: &Enum, name: &str, value: &Placed, to: &mut Diagnostics) {
    are_values(all, &format!("the enum `{name}`"), std::slice::from_ref(value), to);
}

/// Checks that there is an operation, or a reason that there is none and nothing else.
fn is_one_or_none(counterpart: &Counterpart, to: &mut Diagnostics) -> bool {
    let Counterpart { operation, none, items, same, left_out, refused, decided, differs, place } = counterpart;
    let is_bare = items.is_none() && decided.is_empty() && differs.is_empty();
    let is_bare = is_bare && [same, left_out, refused].into_iter().all(Vec::is_empty);
    match (operation, none) {
        (Some(_), None) => return true,
        (None, Some(_)) if is_bare => {}
        (None, Some((_, place))) => {
            to.at(*place, Code::BadCounterpart, "`none` says that there is no counterpart")
                .help("remove it and name the `operation`, or remove the other keys");
        }
        (Some(_), Some((_, place))) => {
            to.at(*place, Code::BadCounterpart, "`none` says that there is no counterpart, and `operation` names one")
                .help("remove one of them");
        }
        (None, None) => {
            to.at(*place, Code::BadCounterpart, "`counterpart` requires `operation`, or `none` with the reason")
                .help("add one of them");
        }
    }
    false
}

/// Checks that the operation exists, is another one, and both have the lists.
fn is_known(api: &Api, operation: &Operation, counterpart: &Counterpart, to: &mut Diagnostics) -> bool {
    let Some((id, place)) = &counterpart.operation else { return false };
    let Some((_, other)) = api.operation_of(id) else {
        if api.is_whole {
            let ids = || api.operations().map(|(_, known)| known).filter(|known| known.id != operation.id);
            let help = match ids().find(|known| known.name == *id) {
                Some(meant) => format!("write the family, too: `{}`", meant.id).into(),
                None => one_of(id, ids().map(|known| (known.id.as_str(), None))),
            };
            to.at(*place, Code::UndefinedName, format!("unknown operation `{id}`")).help(help);
        }
        return false;
    };
    if other.id == operation.id {
        to.at(*place, Code::BadCounterpart, "an operation is no counterpart of itself").help("name another operation");
        return false;
    }
    let Some((from, there)) = &counterpart.items else { return true };
    let has_list =
        |of: &Operation, (list, place): &Placed, to: &mut Diagnostics| list_of_objects(of, list, *place, to).is_some();
    // Both are looked up, so that both are reported.
    has_list(operation, from, to) & has_list(other, there, to)
}

/// Checks that everything is named and fits. What follows from an unknown name is not reported, nor what follows from a
/// parameter that is not accounted for.
fn converts(api: &Api, conversion: &Conversion<'_>, to: &mut Diagnostics) {
    let check = Check { api, conversion };
    if check.names_are_known(to) && check.all_are_accounted_for(to) && check.types_fit(to) {
        for decision in &conversion.counterpart.decided {
            cases_fit(api, conversion, decision, to);
        }
        if check.nothing_is_set_twice(to) {
            check.required_ones_are_set(to);
        }
    }
}

struct Check<'a> {
    api: &'a Api,
    conversion: &'a Conversion<'a>,
}

impl<'a> Check<'a> {
    /// Returns the parameters of the request itself that a reason or a parameter stands for, each with its place.
    fn stated(&self) -> impl Iterator<Item = &'a Placed> {
        let Counterpart { same, left_out, refused, .. } = self.conversion.counterpart;
        [same, left_out, refused].into_iter().flatten().map(|(name, _)| name)
    }

    fn names_are_known(&self, to: &mut Diagnostics) -> bool {
        let Conversion { counterpart, from, to: other } = self.conversion;
        let named = counterpart.pairs().map(|(_, (name, _))| name);
        let (known, unknown): (Vec<_>, Vec<_>) = named.partition(|name| other.names().find(name).found().is_some());
        if let Some((id, place)) = counterpart.operation.as_ref().filter(|_| unknown.len() > known.len()) {
            to.at(
                *place,
                Code::BadCounterpart,
                format!("`{id}` has {} of the {} parameters that are named", known.len(), known.len() + unknown.len()),
            )
            .help("name the operation that is meant, or the parameters of this one");
            return false;
        }
        let mut all_are = true;
        for name in self.stated() {
            all_are &= parameter(from, name, to).is_some();
        }
        for (_, name) in counterpart.pairs() {
            all_are &= parameter(other, name, to).is_some();
        }
        for case in counterpart.cases() {
            for (name, there) in &case.same {
                all_are &= parameter(from, name, to).is_some() && self.is_of_items(there, to);
            }
            for condition in &case.when {
                all_are &= self.condition_is_known(condition, to);
            }
            for (name, value) in &case.then {
                match parameter(other, name, to) {
                    Some(_) if !self.is_of_items(name, to) => all_are = false,
                    Some(found) => is_value_of(other.family, name, found, value, to),
                    None => all_are = false,
                }
            }
        }
        all_are
    }

    /// Checks that a parameter that a case sets is one of the items, if there are any.
    fn is_of_items(&self, (name, place): &Placed, to: &mut Diagnostics) -> bool {
        let other = &self.conversion.to;
        let is_so = other.items.is_none() || other.is_of_item(name);
        if !is_so {
            to.at(*place, Code::BadCounterpart, format!("`{name}` is no parameter of the items"))
                .help("name parameters of the items in cases");
        }
        is_so
    }

    fn condition_is_known(&self, (name, values): &NamesWithin, to: &mut Diagnostics) -> bool {
        if let Some(property) = name.0.strip_prefix(Worth::OF_ACCOUNT) {
            let property = (property.to_owned(), name.1);
            values.iter().for_each(|value| account_word(self.api, &property, value, to));
            if values.is_empty() {
                to.at(name.1, Code::BadCounterpart, "a property of the account is not left out")
                    .help("write the values with which the case fits");
            }
            return !values.is_empty();
        }
        let from = &self.conversion.from;
        let Some(found) = parameter(from, name, to) else { return false };
        if has_values(from, &found) {
            values.iter().for_each(|value| is_value_of(from.family, name, found, value, to));
            return true;
        }
        let is_number = found.parameter().and_then(|one| one.shape.single()).is_some_and(is_number);
        let is_word =
            |value: &str| value == CounterpartCase::GIVEN || is_number && CounterpartCase::NUMBERS.contains(&value);
        for (_, place) in
            values.iter().enumerate().filter(|(at, (value, _))| *at > 0 || !is_word(value)).map(|(_, value)| value)
        {
            to.at(*place, Code::BadValue, format!("`{}` has no listed values", name.0)).help(
                "write `given` for a parameter that has a value, `[]` for one that is left out, and for numbers `zero` or \
                 `not_zero`",
            );
        }
        true
    }

    /// Checks that each parameter of the request is named, and one becomes one thing.
    fn all_are_accounted_for(&self, to: &mut Diagnostics) -> bool {
        let Conversion { counterpart, from, .. } = self.conversion;
        let mut found = BTreeMap::new();
        let mut is_so = true;
        let mut lost_before = BTreeSet::new();
        for (name, place) in self.stated() {
            if let Some(first) = found.insert(name.as_str(), *place) {
                is_so = false;
                to.at(*place, Code::BadCounterpart, format!("`{name}` becomes two things"))
                    .related(first, "it is also here")
                    .help("keep one of `same`, `left_out` and `refused`");
            }
        }
        for ((name, place), _) in counterpart.cases().flat_map(|case| &case.same) {
            if let Some(first) = found.get(name.as_str()) {
                is_so = false;
                to.at(*place, Code::BadCounterpart, format!("`{name}` becomes two things"))
                    .related(*first, "it is also here")
                    .help("remove it here or there");
            }
        }
        let is_in = |case: &CounterpartCase, name: &str| {
            case.when.iter().any(|((known, _), _)| known == name)
                || case.same.iter().any(|((known, _), _)| known == name)
        };
        let decides = |name: &str| counterpart.cases().any(|case| is_in(case, name));
        for decision in &counterpart.decided {
            for ((name, _), _) in decision.cases.iter().flat_map(|case| &case.same) {
                let lost = decision.cases.iter().find(|case| case.refused.is_none() && !is_in(case, name));
                if let Some(case) = lost.filter(|case| lost_before.insert((name, case.place))) {
                    is_so = false;
                    to.at(case.place, Code::BadCounterpart, format!("a case loses `{name}`"))
                        .help(format!("name `{name}` in `same`, or in `when` as left out, or refuse the case"));
                }
            }
        }
        for wire in from.names().iter().filter(|wire| !self.is_list(wire, from.items) && !is_fixed(wire)) {
            let name = wire.name.wire.as_str();
            if !found.contains_key(name) && !decides(name) {
                is_so = false;
                found.insert(name, counterpart.place);
                to.at(
                    counterpart.place,
                    Code::BadCounterpart,
                    format!("`counterpart` does not say what becomes of `{name}`"),
                )
                .related(wire.name.place, "the parameter is here")
                .help(format!("name `{name}` in `same`, `left_out` or `refused`, or decide it"));
            }
        }
        is_so
    }

    fn is_list(&self, wire: &WireParameter<'_>, items: Option<&str>) -> bool {
        wire.list.is_none() && Some(wire.name.wire.as_str()) == items
    }

    /// Checks that a value of one parameter is a value of the other.
    fn types_fit(&self, to: &mut Diagnostics) -> bool {
        let Conversion { counterpart, from, to: other } = self.conversion;
        let mut all_do = true;
        for ((name, place), (there, _)) in counterpart.pairs() {
            let (Some(one), Some(two)) = (from.find(name), other.find(there)) else { continue };
            if !fits(from, &one, other, &two) {
                all_do = false;
                to.at(*place, Code::BadCounterpart, format!("the values of `{name}` are no values of `{there}`"))
                    .related(one.name.place, "the parameter is here")
                    .related(two.name.place, "and the other one here")
                    .help("name a parameter of the same type, or write cases");
            } else if from.is_of_item(name) && !other.is_of_item(there) {
                all_do = false;
                to.at(*place, Code::BadCounterpart, format!("each item has a `{name}`, and the request one `{there}`"))
                    .help("name a parameter of the items");
            }
            if lists_unknown_values(other, &two) {
                continue;
            }
            let unstated = self.conversion.values(&one, &two).into_iter();
            let unstated: Vec<_> =
                unstated.filter(|(.., corresponding)| matches!(corresponding, Corresponding::Unstated)).collect();
            if let Some((_, value_place, _)) = unstated.first() {
                all_do = false;
                let values: Vec<_> = unstated.iter().map(|(value, ..)| format!("`{value}`")).collect();
                let says = format!("`{there}` has no value for {} of `{name}`", values.join(", "));
                to.at(*place, Code::BadCounterpart, says)
                    .related(*value_place, "the value is here")
                    .help("state it in `counterpart` of the enum, or write cases");
            }
        }
        all_do
    }

    /// Checks that a parameter of the other request has one origin.
    fn nothing_is_set_twice(&self, to: &mut Diagnostics) -> bool {
        let counterpart = self.conversion.counterpart;
        let mut set: BTreeMap<&str, Place> = BTreeMap::new();
        let mut is_so = true;
        let mut insert = |set: &mut BTreeMap<&'a str, Place>, name: &'a str, place: Place| {
            if let Some(first) = set.insert(name, place) {
                is_so = false;
                to.at(place, Code::BadCounterpart, format!("`{name}` gets two values"))
                    .related(first, "it also gets one here")
                    .help("remove one of them");
            }
        };
        for (_, (name, place)) in &counterpart.same {
            insert(&mut set, name, *place);
        }
        for decision in &counterpart.decided {
            // Only one case fits, so that the first place stands for all.
            let mut firsts = BTreeMap::new();
            for case in &decision.cases {
                let mut of_case = BTreeMap::new();
                for (name, place) in case.sets() {
                    insert(&mut of_case, name, *place);
                    firsts.entry(name.as_str()).or_insert(*place);
                }
            }
            firsts.into_iter().for_each(|(name, place)| insert(&mut set, name, place));
        }
        is_so
    }

    /// Checks that a required parameter of the other request always has a value.
    fn required_ones_are_set(&self, to: &mut Diagnostics) {
        let Conversion { counterpart, to: other, .. } = self.conversion;
        let names = other.names();
        // One with a default contradicts itself, which is reported there.
        let has_default = |wire: &&WireParameter<'_>| wire.parameter().is_some_and(|one| one.default.is_some());
        let required = names.iter().filter(|wire| wire.need() == Need::Always && !is_fixed(wire) && !has_default(wire));
        for wire in required.filter(|wire| !self.is_list(wire, other.items)) {
            let name = &wire.name.wire;
            let set = counterpart.same.iter().find(|(_, (there, _))| there == name);
            let sets = |case: &CounterpartCase| {
                let is_given = |from: &Placed| {
                    let given = |((known, _), values): &NamesWithin| known == &from.0 && !values.is_empty();
                    !self.may_lack(from) || case.when.iter().any(given)
                };
                case.then.iter().any(|((known, _), _)| known == name)
                    || case.same.iter().any(|(from, (known, _))| known == name && is_given(from))
            };
            let always = counterpart
                .decided
                .iter()
                .any(|decision| decision.cases.iter().all(|case| case.refused.is_some() || sets(case)));
            match set {
                None if always => {}
                None => {
                    to.at(
                        counterpart.place,
                        Code::BadCounterpart,
                        format!("`{}` requires `{name}`, which gets no value", other.operation.id),
                    )
                    .related(wire.name.place, "the parameter is here")
                    .help(format!("set `{name}` in `same`, or in each case of a decision"));
                }
                Some((from, _)) if self.may_lack(from) => {
                    to.at(
                        from.1,
                        Code::BadCounterpart,
                        format!("`{name}` is required, and `{}` can be left out", from.0),
                    )
                    .related(wire.name.place, "the required parameter is here")
                    .help(format!("add a decision with a case `when: {{ {}: [] }}` that is `refused`", from.0));
                }
                Some(_) => {}
            }
        }
    }

    /// Returns whether a parameter is optional, and no case refuses a request without it.
    fn may_lack(&self, (name, _): &Placed) -> bool {
        let is_optional = self.conversion.from.find(name).is_some_and(|wire| wire.need() == Need::No);
        let lacks = |((known, _), values): &NamesWithin| known == name && values.is_empty();
        is_optional
            && !self.conversion.counterpart.cases().any(|case| case.refused.is_some() && case.when.iter().any(lacks))
    }
}

/// Returns the parameter with a name; reports an unknown one.
fn parameter<'a>(of: &Request<'a>, (name, place): &Placed, to: &mut Diagnostics) -> Option<WireParameter<'a>> {
    of.names().find(name).or_report(&of.operation.id, name, *place, to)
}

/// Returns whether `only` of a parameter lists what its enum does not have, which is reported there.
fn lists_unknown_values(of: &Request<'_>, wire: &WireParameter<'_>) -> bool {
    let only = wire.parameter().into_iter().flat_map(|parameter| &parameter.only);
    of.enum_of(wire).is_some_and(|all| only.into_iter().any(|(value, _)| !all.has(value)))
}

fn is_number(one: Type) -> bool {
    matches!(one, Type::Decimal | Type::Scaled(_) | Type::Integer | Type::Signed)
}

fn is_fixed(wire: &WireParameter<'_>) -> bool {
    wire.parameter().is_some_and(|parameter| parameter.fixed.is_some())
}

/// Returns whether a value of one parameter can be sent as the other: an enum as an enum, a text as a text, and anything
/// else as the same type; what deletes a value also deletes the other.
fn fits(from: &Request<'_>, one: &WireParameter<'_>, other: &Request<'_>, two: &WireParameter<'_>) -> bool {
    let (has_one, has_two) = (from.enum_of(one).is_some(), other.enum_of(two).is_some());
    if has_one || has_two {
        return has_one && has_two;
    }
    let (Some(one), Some(two)) = (one.parameter(), two.parameter()) else { return false };
    let same = |one: Type, two: Type| {
        one == two || one.is_text() && two.is_text() || one == Type::Undefined || two == Type::Undefined
    };
    let is_same = match (one.shape.single(), two.shape.single()) {
        (Some(one), Some(two)) => same(one, two),
        _ => one.shape.listed().zip(two.shape.listed()).is_some_and(|(one, two)| same(one, two) && !one.is_enum()),
    };
    is_same && one.deletes_with().is_none_or(|text| two.deletes_with() == Some(text))
}

/// Returns a list of conditions in words, for messages.
fn conditions(when: &[NamesWithin]) -> String {
    let words = when.iter().map(|condition| condition_in_words(condition, &PLAIN));
    words.collect::<Vec<_>>().join(" and ")
}

/// More combinations of values than a decision of people has.
const TOO_MANY: usize = 10_000;

/// A parameter or a property of the account, and the values that it can have; `None` stands for one that is left out.
struct Subject<'a> {
    name: &'a str,
    values: Vec<Option<&'a str>>,
    /// The value that counts if it is left out.
    default: Option<&'a str>,
}

/// Checks that the cases cover everything and exclude each other.
fn cases_fit(api: &Api, conversion: &Conversion<'_>, decision: &CounterpartDecision, to: &mut Diagnostics) {
    let cases = &decision.cases;
    for case in cases.iter().filter(|case| case.refused.is_some() && case.sets().next().is_some()) {
        to.at(case.place, Code::BadCounterpart, "a case sets parameters and is `refused`")
            .help("remove `refused`, or `then` and `same`");
    }
    let Some(subjects) = subjects(api, conversion, cases) else { return };
    let count = subjects.iter().fold(1_usize, |count, subject| count.saturating_mul(subject.values.len()));
    if count > TOO_MANY {
        to.at(
            decision.place,
            Code::BadCounterpart,
            format!("the cases of a decision have {count} combinations of values"),
        )
        .help("split it into decisions that name fewer parameters");
        return;
    }
    for number in 0..count {
        let chosen = combination(&subjects, number);
        let mut fitting = cases.iter().filter(|case| holds(case, &subjects, &chosen));
        match (fitting.next(), fitting.next()) {
            (Some(_), None) => {}
            (None, _) => {
                to.at(
                    decision.place,
                    Code::BadCounterpart,
                    format!("no case fits when {}", in_words(&subjects, &chosen)),
                )
                .help("add a case; one to which nothing corresponds is `refused`, with the reason");
                return;
            }
            (Some(first), Some(second)) => {
                let message = format!("two cases fit when {}", in_words(&subjects, &chosen));
                to.at(second.place, Code::BadCounterpart, message)
                    .related(first.place, format!("when {}", conditions(&first.when)))
                    .help("name more values in one of them, or remove it");
                return;
            }
        }
    }
}

/// Returns whether the values of a parameter are listed: those of an enum or of a boolean.
fn has_values(of: &Request<'_>, wire: &WireParameter<'_>) -> bool {
    !values_of(of, wire).is_empty()
}

fn values_of<'a>(of: &Request<'a>, wire: &WireParameter<'a>) -> Vec<&'a str> {
    let is_boolean = wire.parameter().is_some_and(|one| matches!(one.shape, Shape::One(Type::Boolean(_))));
    match (is_boolean, of.enum_of(wire)) {
        (true, _) => vec!["true", "false"],
        (false, Some(_)) => wire.values(of.family).into_iter().map(|(value, _)| value).collect(),
        (false, None) => Vec::new(),
    }
}

/// Returns the names in the cases, in the order in which they are first written; `None` if one or a value of it cannot
/// be decided, which was reported.
fn subjects<'a>(api: &'a Api, conversion: &Conversion<'a>, cases: &'a [CounterpartCase]) -> Option<Vec<Subject<'a>>> {
    let mut subjects: Vec<Subject<'a>> = Vec::new();
    for ((name, _), values) in cases.iter().flat_map(|case| &case.when) {
        if !subjects.iter().any(|known| known.name == name) {
            subjects.push(subject(api, conversion, cases, name)?);
        }
        let known = subjects.iter().find(|known| known.name == name)?;
        if values.iter().any(|(value, _)| !known.values.iter().flatten().any(|one| is_one(value, one))) {
            return None;
        }
    }
    Some(subjects)
}

/// Returns whether a word of a condition stands for a value.
fn is_one(word: &str, value: &str) -> bool {
    word == value || word == CounterpartCase::GIVEN && CounterpartCase::NUMBERS.contains(&value)
}

fn subject<'a>(
    api: &'a Api,
    conversion: &Conversion<'a>,
    cases: &[CounterpartCase],
    name: &'a str,
) -> Option<Subject<'a>> {
    if let Some(property) = name.strip_prefix(Worth::OF_ACCOUNT) {
        let property = api.account.as_ref()?.properties.iter().find(|known| known.name.wire == property)?;
        let PropertyKind::Words(_, words) = &property.kind else { return None };
        let values = words.iter().map(|word| Some(word.name.wire.as_str())).collect();
        return Some(Subject { name, values, default: None });
    }
    let from = &conversion.from;
    let wire = from.find(name)?;
    let listed = values_of(from, &wire);
    let tells_numbers = cases.iter().flat_map(|case| &case.when).any(|((known, _), values)| {
        known == name && values.iter().any(|(value, _)| CounterpartCase::NUMBERS.contains(&value.as_str()))
    });
    let given = match listed.is_empty() {
        false => listed,
        true if tells_numbers => CounterpartCase::NUMBERS.to_vec(),
        true => vec![CounterpartCase::GIVEN],
    };
    let absent = (wire.need() != Need::Always).then_some(None);
    let default = wire.parameter().and_then(|one| one.default.as_ref()).map(|(default, _)| default.as_str());
    Some(Subject { name, values: given.into_iter().map(Some).chain(absent).collect(), default })
}

/// Returns the values of the combination with this number.
fn combination<'a>(subjects: &[Subject<'a>], mut number: usize) -> Vec<Option<&'a str>> {
    let choose = |subject: &Subject<'a>| {
        let at = number % subject.values.len();
        number /= subject.values.len();
        subject.values[at]
    };
    subjects.iter().map(choose).collect()
}

fn holds(case: &CounterpartCase, subjects: &[Subject<'_>], chosen: &[Option<&str>]) -> bool {
    case.when.iter().all(|((name, _), values)| {
        let found = subjects.iter().zip(chosen).find(|(subject, _)| subject.name == name);
        let is_one = |value: &str| values.iter().any(|(known, _)| is_one(known, value));
        match found {
            Some((_, Some(value))) => is_one(value),
            Some((subject, None)) => values.is_empty() || subject.default.is_some_and(is_one),
            None => false,
        }
    })
}

fn in_words(subjects: &[Subject<'_>], chosen: &[Option<&str>]) -> String {
    let words = subjects.iter().zip(chosen).map(|(subject, value)| match value {
        Some(value) => format!("`{}` is {value}", subject.name),
        None => format!("`{}` is left out", subject.name),
    });
    words.collect::<Vec<_>>().join(" and ")
}
