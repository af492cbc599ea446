//! Values that the schema writes down: defaults, bounds, alphabets, the values allowed in one place.

use super::fault::Fault;
use super::number::{self, Number};
use super::{enums, identifiers};
use crate::diagnostics::{Code, Diagnostics, Place};
use crate::model::{Api, Edit, Family, Name, Need, Operation, Parameter, Shape, Type};

/// What concerns one parameter.
const PARAMETER_RULES: [fn(&Family, &Parameter, &mut Diagnostics); 8] =
    [shape, only_of_parameter, bounds, digits, item_counts, default, edit, wins];

/// The parameters of requests, of their items, and of choices.
pub(super) fn parameters(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for parameter in family.all_parameters() {
        for rule in PARAMETER_RULES {
            rule(family, parameter, to);
        }
    }
    for (_, item) in family.operations.iter().flat_map(Operation::items) {
        for parameter in item.parameters.iter().filter(|parameter| parameter.item().is_some()) {
            to.at(parameter.name.place, Code::Misplaced, "a list of objects cannot stand within another")
                .help("lists of objects are parameters of a request, and have plain parameters");
        }
    }
}

/// Why a text is no value of a type; `None` when it is one.
pub(super) fn why_not(family: &Family, ty: Type, text: &str) -> Option<Fault> {
    let (what, such_as, is_one) = match ty {
        Type::Decimal => ("decimal number", "12.5", Number::parse(text).is_some()),
        Type::Integer => ("whole number", "100", number::is_integer(text)),
        Type::Time => ("time in milliseconds", "1790000000000", number::is_integer(text)),
        Type::Boolean => ("boolean", "true", ["true", "false"].contains(&text)),
        Type::Enum(index) => return enums::why_not(family.enums.get(index)?, text),
        Type::Identifier(index) => return identifiers::why_not(family.identifiers.get(index)?, text),
        Type::String | Type::Choice(_) | Type::Record(_) | Type::Undefined => return None,
    };
    let fault = || Fault::new(format!("`{text}` is no {what}"), format!("write a {what}, such as {such_as}"));
    (!is_one).then(fault)
}

/// What a parameter can be at all.
fn shape(_family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let place = parameter.name.place;
    match parameter.shape {
        Shape::List(Type::Choice(_)) => {
            to.at(place, Code::BadChoice, "there is no list of a choice")
                .help("make a list of objects, with `item` and `fields`, that has the choice in it");
        }
        Shape::One(Type::Record(_)) | Shape::List(Type::Record(_)) => {
            to.at(place, Code::Misplaced, "a record is what comes back, and is never sent")
                .help("list what is sent: `{ item: SomeName, fields: { .. } }` for a list of objects");
        }
        Shape::One(_) | Shape::List(_) | Shape::Items(_) => {}
    }
}

/// What a shape is called in a message.
fn described(family: &Family, shape: &Shape) -> String {
    match shape {
        Shape::List(_) => "a list".to_owned(),
        Shape::Items(_) => "a list of objects".to_owned(),
        Shape::One(Type::String) => "a text".to_owned(),
        Shape::One(Type::Decimal | Type::Integer) => "a number".to_owned(),
        Shape::One(Type::Boolean) => "a boolean".to_owned(),
        Shape::One(Type::Time) => "a time".to_owned(),
        Shape::One(Type::Enum(index)) => named("an enum", family.enums.get(*index).map(|all| &all.name)),
        Shape::One(Type::Identifier(index)) => {
            named("an identifier", family.identifiers.get(*index).map(|all| &all.name))
        }
        Shape::One(Type::Choice(index)) => named("a choice", family.choices.get(*index).map(|all| &all.name)),
        Shape::One(Type::Record(_)) => "a record".to_owned(),
        Shape::One(Type::Undefined) => "nothing known".to_owned(),
    }
}

fn named(kind: &str, name: Option<&Name>) -> String {
    name.map_or_else(
        || kind.to_owned(),
        |name| format!("the {} `{}`", kind.trim_start_matches("an ").trim_start_matches("a "), name.wire),
    )
}

/// Reports a key that says nothing about a parameter of this shape.
fn misplaced(family: &Family, parameter: &Parameter, place: Place, says: &str, to: &mut Diagnostics) {
    let what = described(family, &parameter.shape);
    to.at(place, Code::Misplaced, format!("{says}, and `{}` is {what}", parameter.name.wire)).help("take it away here");
}

fn bounds(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let given = [("min", &parameter.min), ("max", &parameter.max)];
    let given = given.into_iter().filter_map(|(key, bound)| bound.as_ref().map(|(text, place)| (key, text, *place)));
    let ty = match parameter.shape {
        Shape::One(ty) if ty.is_quantity() => ty,
        _ if parameter.shape.is_undefined() => return,
        _ => {
            for (key, _, place) in given {
                misplaced(family, parameter, place, &format!("`{key}` bounds a number"), to);
            }
            return;
        }
    };
    for (key, text, place) in given {
        if let Some(fault) = why_not(family, ty, text) {
            fault.report(to, place, Code::BadNumber, &format!("`{key}`"));
        }
    }
    let (Some((min, min_place)), Some((max, max_place))) = (&parameter.min, &parameter.max) else { return };
    if Number::parse(min).zip(Number::parse(max)).is_some_and(|(min, max)| min > max) {
        to.at(*min_place, Code::BadNumber, format!("the `min` {min} is above the `max` {max}"))
            .related(*max_place, "the `max` is here")
            .help("exchange them, or fix one of them");
    }
}

fn digits(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let Some((digits, place)) = parameter.digits.filter(|_| !parameter.shape.is_undefined()) else { return };
    if !matches!(parameter.shape, Shape::One(Type::Integer)) {
        misplaced(family, parameter, place, "`digits` counts those of an integer", to);
    } else if digits == 0 {
        to.at(place, Code::BadNumber, "a number has one digit at least").help("write how many digits it has at most");
    }
}

fn item_counts(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let given = [("min_items", parameter.min_items), ("max_items", parameter.max_items)];
    for (key, place) in given.into_iter().filter_map(|(key, count)| count.map(|(_, place)| (key, place))) {
        if matches!(parameter.shape, Shape::One(ty) if ty != Type::Undefined) {
            misplaced(family, parameter, place, &format!("`{key}` counts the items of a list"), to);
        }
    }
    if let Some((_, place)) = parameter.max_items.filter(|(count, _)| *count == 0) {
        to.at(place, Code::BadNumber, "a list of no items at most is always empty")
            .help("write how many items it has at most");
    }
    if let (Some((min, min_place)), Some((max, max_place))) = (parameter.min_items, parameter.max_items)
        && min > max
    {
        to.at(min_place, Code::BadNumber, format!("`min_items` {min} is above `max_items` {max}"))
            .related(max_place, "`max_items` is here")
            .help("exchange them, or fix one of them");
    }
}

/// What is sent is spelled one way.
fn only_of_parameter(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    only(family, &parameter.name, &parameter.shape, &parameter.only, to);
    let Some(all) = family.enum_of(&parameter.shape) else { return };
    for (value, place) in parameter.only.iter().filter(|(value, _)| all.index_of(value).is_some()) {
        if let Some(fault) = enums::why_not(all, value) {
            fault.report(to, *place, Code::BadValue, "");
        }
    }
}

/// What a record lists is spelled as the document spells it.
pub(super) fn fields(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for field in family.records.iter().flat_map(|record| &record.fields) {
        only(family, &field.name, &field.shape, &field.only, to);
    }
}

fn only(family: &Family, name: &Name, shape: &Shape, only: &[(String, Place)], to: &mut Diagnostics) {
    let Some((_, first)) = only.first().filter(|_| !shape.is_undefined()) else { return };
    let Some(all) = family.enum_of(shape) else {
        let what = described(family, shape);
        to.at(*first, Code::Misplaced, format!("`only` lists values of an enum, and `{}` is {what}", name.wire))
            .help("take it away here, or make an enum of the values");
        return;
    };
    for (index, (value, place)) in only.iter().enumerate() {
        if all.index_of(value).is_none() && !all.values.is_empty() {
            to.at(*place, Code::BadValue, format!("`{value}` is no value of `{}`", all.name.wire))
                .help(enums::nearest(all, value));
        }
        if let Some((_, first)) = only.iter().take(index).find(|(first, _)| first == value) {
            to.at(*place, Code::DefinedTwice, format!("`{value}` is listed twice"))
                .related(*first, "first listed here")
                .help("take one of the two away");
        }
    }
}

fn default(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let Some((default, place)) = &parameter.default else { return };
    let ty = match parameter.shape {
        Shape::One(Type::Choice(_)) | Shape::List(_) | Shape::Items(_) => {
            return misplaced(family, parameter, *place, "`default` is one value", to);
        }
        Shape::One(ty) => ty,
    };
    if let Some(fault) = why_not(family, ty, default).or_else(|| out_of_bounds(family, parameter, default)) {
        fault.report(to, *place, Code::BadDefault, "`default`");
    }
}

/// Why a value of the right type is not allowed for this parameter.
pub(super) fn out_of_bounds(family: &Family, parameter: &Parameter, text: &str) -> Option<Fault> {
    if let Some(all) = family.enum_of(&parameter.shape) {
        return enums::why_not_listed(all, &parameter.only, text);
    }
    let Shape::One(ty) = parameter.shape else { return None };
    let (why, place) = beyond_bounds(parameter, text).filter(|_| ty.is_quantity())?;
    Some(Fault { bound: Some(place), ..Fault::new(why, "fix the one that is wrong") })
}

fn beyond_bounds(parameter: &Parameter, text: &str) -> Option<(String, Place)> {
    if let Some((digits, place)) = parameter.digits.filter(|(digits, _)| text.len() > *digits as usize) {
        return Some((format!("{text} has more than {digits} digits"), place));
    }
    let number = Number::parse(text)?;
    let bound = |bound: &Option<(String, Place)>, is_beyond: fn(&Number<'_>, &Number<'_>) -> bool| {
        let (bound, place) = bound.as_ref()?;
        is_beyond(&number, &Number::parse(bound)?).then(|| (bound.clone(), *place))
    };
    if let Some((min, place)) = bound(&parameter.min, |number, min| number < min) {
        return Some((format!("{text} is below the `min` {min}"), place));
    }
    let (max, place) = bound(&parameter.max, |number, max| number > max)?;
    Some((format!("{text} is above the `max` {max}"), place))
}

fn edit(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let Some(Edit { delete, place }) = &parameter.edit else { return };
    let ty = match parameter.shape {
        Shape::One(Type::Choice(_) | Type::Record(_)) | Shape::List(_) | Shape::Items(_) => {
            return misplaced(family, parameter, *place, "`edit` keeps or deletes one value", to);
        }
        Shape::One(ty) => ty,
    };
    if parameter.need == Need::Always {
        to.at(
            *place,
            Code::Misplaced,
            format!("`{}` is always sent, so leaving it out keeps nothing", parameter.name.wire),
        )
        .help("take `edit` or `required: always` away");
    }
    let Some(delete) = delete else { return };
    match ty {
        Type::Boolean => misplaced(family, parameter, *place, "`delete` is a text or a number", to),
        Type::Decimal | Type::Integer | Type::Time => {
            if let Some(fault) = why_not(family, Type::Decimal, delete).filter(|_| !parameter.as_text) {
                fault.report(to, *place, Code::BadNumber, "`delete` travels as a JSON number");
            }
        }
        Type::String | Type::Enum(_) | Type::Identifier(_) | Type::Choice(_) | Type::Record(_) | Type::Undefined => {}
    }
}

/// `wins: unstated` says that the document does not say which alternative wins.
fn wins(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let by_presence = family
        .choice_of(parameter)
        .is_some_and(|choice| matches!(choice.kind, crate::model::ChoiceKind::Presence { .. }));
    if parameter.wins_unstated && !by_presence && !parameter.shape.is_undefined() {
        misplaced(family, parameter, parameter.name.place, "`wins` is about the alternatives of a choice", to);
    }
}
