//! Values in the schema: defaults, bounds, alphabets and lists of allowed values.

use super::identifiers::{self, Fault};
use super::repeated;
use crate::compiler::diagnostics::{Code, Diagnostics, Place};
use crate::compiler::model::{
    Api, Edit, Family, Name, Need, Number, Operation, Parameter, Placed, Shape, Type, number,
};
use crate::compiler::words::Times;
use regex_lite::Regex;

/// The digits of the greatest integer.
const MAX_DIGITS: u32 = u64::MAX.ilog10() + 1;

/// Rules for a single parameter.
const PARAMETER_RULES: &[fn(&Family, &Parameter, &mut Diagnostics)] = &[
    shape,
    only_of_parameter,
    fixed_parameter,
    bounds,
    unit,
    digits,
    precision,
    length,
    pattern,
    item_counts,
    default,
    edit,
    null,
    wins,
];

/// Checks the parameters of requests, of items and of choices.
pub(super) fn parameters(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for parameter in family.all_parameters() {
        for rule in PARAMETER_RULES {
            rule(family, parameter, to);
        }
    }
    // For parameters of choices, documents give both `required` and a default; see `contradictions`.
    for parameter in family.operations.iter().flat_map(Operation::sets).flat_map(|(_, set)| set) {
        default_is_used(parameter, to);
    }
}

/// Returns why a text is not a value of a type; `None` if it is one.
pub(super) fn find_fault(family: &Family, ty: Type, text: &str) -> Option<Fault> {
    let (what, such_as, is_one) = match ty {
        Type::Decimal => ("decimal number", "12.5", Number::parse(text).is_some()),
        Type::Scaled(scale) => return scaled_why_not(scale, text),
        Type::Integer => ("whole number", "100", number::is_integer(text)),
        Type::Signed => ("whole number", "-100", text.parse::<i64>().is_ok()),
        Type::Time(Times::Iso8601) => ("time of ISO 8601", "2026-09-08T00:00:00.000Z", is_iso_time(text)),
        Type::Time(Times::Seconds) => ("time in seconds", "1790000000", is_in_seconds(text)),
        Type::Time(Times::Milliseconds) => ("time in milliseconds", "1790000000000", number::is_integer(text)),
        Type::Time(Times::Microseconds) => ("time in microseconds", "1790000000000000", number::is_integer(text)),
        Type::Time(Times::Nanoseconds) => ("time in nanoseconds", "1790000000000000000", number::is_integer(text)),
        Type::Formatted(format) => (format.word(), format.example(), format.has(text)),
        Type::Boolean(_) => ("boolean", "true", ["true", "false"].contains(&text)),
        Type::Enum(index) => return identifiers::find_enum_fault(family.enums.get(index)?, text),
        Type::Identifier(index) => return identifiers::find_fault(family.identifiers.get(index)?, text),
        Type::String | Type::Json | Type::Choice(_) | Type::Record(_) | Type::Undefined => return None,
    };
    let is_large = matches!(ty, Type::Integer | Type::Time(_)) && number::is_too_large(text);
    let fault = || match is_large {
        true => Fault::new(format!("the number `{text}` is too large"), format!("the maximum is {}", u64::MAX)),
        false => Fault::new(format!("invalid {what} `{text}`"), format!("write a {what}, such as {such_as}")),
    };
    (!is_one).then(fault)
}

/// Returns the fault of a text that is not a decimal number with at most `scale` places.
fn scaled_why_not(scale: u8, text: &str) -> Option<Fault> {
    if Number::parse(text).is_none() {
        let help = "write a decimal number, such as 12.5";
        return Some(Fault::new(format!("invalid decimal number `{text}`"), help));
    }
    let places = text.split_once('.').map_or(0, |(_, fraction)| fraction.trim_end_matches('0').len());
    let help = "write no more decimal places than `scale`, or correct it";
    (places > usize::from(scale)).then(|| Fault::new(format!("{text} has more places than `scale` {scale}"), help))
}

/// Returns whether a text is a number of seconds, with or without a fraction.
fn is_in_seconds(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    number::is_integer(whole) && !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a text has the form `2026-09-08T00:00:00Z`, with or without a fraction and with any offset.
fn is_iso_time(text: &str) -> bool {
    const FORM: &str = "0000-00-00T00:00:00";
    let fits = |(form, byte): (u8, u8)| if form == b'0' { byte.is_ascii_digit() } else { byte == form };
    let rest = |byte: u8| byte.is_ascii_digit() || b".Z+-:".contains(&byte);
    text.len() >= FORM.len() && FORM.bytes().zip(text.bytes()).all(fits) && text.bytes().skip(FORM.len()).all(rest)
}

/// Checks that a parameter has a type that can be sent.
fn shape(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let place = parameter.name.place;
    // What is taken over with `as` is reported where it is written.
    let is_same = |other: &Parameter| {
        (other.shape.record(), other.shape.listed()) == (parameter.shape.record(), parameter.shape.listed())
    };
    let is_elsewhere = |other: &Parameter| other.name.place == parameter.written && is_same(other);
    if parameter.written != place && family.all_parameters().any(is_elsewhere) {
        return;
    }
    if matches!(parameter.shape.listed(), Some(Type::Choice(_))) {
        to.at(place, Code::BadChoice, "a list cannot have a choice as its items")
            .help("use a list of objects, with `item` and `fields`, that contains the choice");
    }
    if let Shape::Map(ty @ (Type::Record(_) | Type::Choice(_) | Type::Json)) = parameter.shape {
        let what = family.described(ty);
        to.at(place, Code::Misplaced, format!("the values of a map in a request cannot be {what}"))
            .help("use `type: json` for the whole object, or values of another type");
    }
    if parameter.shape.record().is_some() {
        to.at(place, Code::Misplaced, "a record cannot be the type of a parameter")
            .help("use `{ item: SomeName, fields: { .. } }` for a list of objects, or `object` for a single one");
    }
}

/// Returns a shape in messages.
pub(super) fn described(family: &Family, shape: &Shape) -> String {
    match shape {
        Shape::List(_) => "a list".to_owned(),
        Shape::Items(_) => "a list of objects".to_owned(),
        Shape::Object(_) => "an object".to_owned(),
        Shape::Map(_) => "a map".to_owned(),
        Shape::One(ty) => family.described(*ty),
    }
}

/// Reports a key that has no meaning for a parameter of this shape; a record, which is none of a parameter, is reported.
fn misplaced(family: &Family, parameter: &Parameter, place: Place, says: &str, to: &mut Diagnostics) {
    if parameter.shape.record().is_some() {
        return;
    }
    let what = described(family, &parameter.shape);
    to.at(place, Code::Misplaced, format!("{says}, but `{}` is {what}", parameter.name.wire)).help("remove it");
}

fn bounds(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let given = [("min", &parameter.min), ("max", &parameter.max)];
    let given = given.into_iter().filter_map(|(key, bound)| bound.as_ref().map(|(text, place)| (key, text, *place)));
    if parameter.shape.is_undefined() {
        return;
    }
    let ty = match parameter.shape.single() {
        Some(ty) if ty.is_quantity() => ty,
        Some(_) | None => {
            for (key, _, place) in given {
                misplaced(family, parameter, place, &format!("`{key}` requires a number"), to);
            }
            return;
        }
    };
    let mut are_numbers = true;
    for (key, text, place) in given {
        let fault = find_fault(family, ty, text).or_else(|| begins_with_zero(text));
        if let Some(fault) = fault {
            fault.report(to, place, Code::BadNumber, &format!("`{key}`"));
            are_numbers = false;
        }
    }
    if !are_numbers {
        return;
    }
    let (Some((min, min_place)), Some((max, max_place))) = (&parameter.min, &parameter.max) else { return };
    if Number::parse(min).zip(Number::parse(max)).is_some_and(|(min, max)| min > max) {
        to.at(*min_place, Code::BadNumber, format!("`min` {min} is greater than `max` {max}"))
            .related(*max_place, "`max` is here")
            .help("swap them, or correct one of them");
    }
}

/// Returns the fault of a number that begins with a zero: YAML 1.1 reads `017` as 15.
fn begins_with_zero(number: &str) -> Option<Fault> {
    let digits = number.strip_prefix('-').unwrap_or(number);
    let is_octal = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    is_octal.then(|| Fault::new(format!("{number} begins with a zero"), "write it without the zero"))
}

fn unit(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let has_none = matches!(parameter.shape.single(), Some(Type::Enum(_) | Type::Boolean(_) | Type::Identifier(_)));
    if let Some(unit) = parameter.units.first().filter(|_| has_none) {
        misplaced(family, parameter, unit.place, "`unit` requires a number", to);
    }
}

fn digits(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let Some((digits, place)) = parameter.digits.filter(|_| !parameter.shape.is_undefined()) else { return };
    if parameter.shape.single() != Some(Type::Integer) {
        return misplaced(family, parameter, place, "`digits` requires an integer", to);
    }
    if digits == 0 {
        to.at(place, Code::BadNumber, "`digits` must be at least 1").help("write the maximum number of digits");
    } else if digits >= MAX_DIGITS {
        to.at(
            place,
            Code::BadNumber,
            format!("`digits` {digits} excludes no integer: all have at most {MAX_DIGITS} digits"),
        )
        .help("remove it, or use the type `string` for longer numbers");
    }
    let bounds = [("min", &parameter.min), ("max", &parameter.max)];
    for (key, (bound, at)) in bounds.into_iter().filter_map(|(key, bound)| Some((key, bound.as_ref()?))) {
        if digits > 0 && number::is_integer(bound) && bound.len() > digits as usize {
            to.at(*at, Code::BadNumber, format!("`{key}` {bound} has more than {digits} digits"))
                .related(place, "`digits` is here")
                .help("correct one of them");
        }
    }
}

/// Checks the decimal places and the significant digits of a decimal.
fn precision(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let given = [("places", parameter.places), ("significant_digits", parameter.significant_digits)];
    for (key, (count, place)) in given.into_iter().filter_map(|(key, count)| Some((key, count?))) {
        match parameter.shape.single() {
            Some(Type::Undefined) => {}
            Some(Type::Decimal) if key == "significant_digits" && count == 0 => {
                to.at(place, Code::BadNumber, "`significant_digits` must be at least 1")
                    .help("write how many there can be");
            }
            Some(Type::Decimal) => {}
            Some(_) | None => {
                misplaced(family, parameter, place, &format!("`{key}` requires a decimal without `scale`"), to)
            }
        }
    }
}

fn length(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let Some((_, place)) = parameter.length.filter(|_| !parameter.shape.is_undefined()) else { return };
    if parameter.shape.element() != Some(Type::String) {
        misplaced(family, parameter, place, "`length` requires a text", to);
    }
    if let Some((default, at)) = &parameter.default
        && let Some(fault) = wrong_length(parameter, default)
    {
        let fault = Fault { bound: Some(place), ..fault };
        fault.report(to, *at, Code::BadValue, "`default`");
    }
}

/// Returns why a text is too short or too long for a parameter.
pub(super) fn wrong_length(parameter: &Parameter, text: &str) -> Option<Fault> {
    let ((min, max), _) = parameter.length?;
    let count = text.chars().count();
    let is_wrong = !(min as usize..=max as usize).contains(&count);
    let help = format!("`{}` has {min} to {max} characters", parameter.name.wire);
    is_wrong.then(|| Fault::new(format!("`{text}` has {count} characters"), help))
}

/// Checks that a pattern is a regular expression that the runtime can read, too.
fn pattern(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let Some((pattern, place)) = parameter.pattern.as_ref().filter(|_| !parameter.shape.is_undefined()) else { return };
    if parameter.shape.element() != Some(Type::String) {
        misplaced(family, parameter, *place, "`pattern` requires a text", to);
    }
    if let Err(why) = Regex::new(pattern) {
        to.at(*place, Code::BadAlphabet, format!("invalid pattern `{pattern}`: {why}"))
            .help("write a regular expression without lookaround, references and classes such as `\\p{L}`");
        return;
    }
    if let Some((default, at)) = parameter.default.as_ref().filter(|(default, _)| !matches(pattern, default)) {
        to.at(*at, Code::BadValue, format!("the default `{default}` does not match the pattern"))
            .related(*place, "`pattern` is here")
            .help("correct one of them");
    }
}

/// Returns whether a text matches a pattern; true if the pattern is invalid, which is reported elsewhere.
fn matches(pattern: &str, text: &str) -> bool {
    Regex::new(pattern).map_or(true, |pattern| pattern.is_match(text))
}

/// Returns why a text does not match the pattern of a parameter.
pub(super) fn no_match(parameter: &Parameter, text: &str) -> Option<Fault> {
    let (pattern, place) = parameter.pattern.as_ref().filter(|(pattern, _)| !matches(pattern, text))?;
    let why = format!("`{text}` does not match `{pattern}`");
    Some(Fault { bound: Some(*place), ..Fault::new(why, "write a text that does, or correct the pattern") })
}

fn item_counts(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let given = [("min_items", parameter.min_items), ("max_items", parameter.max_items)];
    for (key, place) in given.into_iter().filter_map(|(key, count)| count.map(|(_, place)| (key, place))) {
        if parameter.shape.single().is_some_and(|ty| ty != Type::Undefined) {
            misplaced(family, parameter, place, &format!("`{key}` requires a list"), to);
        }
    }
    if let Some((_, place)) = parameter.max_items.filter(|(count, _)| *count == 0) {
        to.at(place, Code::BadNumber, "`max_items` must be at least 1").help("write the maximum number of items");
    }
    if let (Some((min, min_place)), Some((max, max_place))) = (parameter.min_items, parameter.max_items)
        && min > max
    {
        to.at(min_place, Code::BadNumber, format!("`min_items` {min} is greater than `max_items` {max}"))
            .related(max_place, "`max_items` is here")
            .help("swap them, or correct one of them");
    }
}

/// Checks that `only` of a parameter uses the spelling of requests.
fn only_of_parameter(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    only(family, &parameter.name, &parameter.shape, &parameter.only, to);
    are_numbers(family, &parameter.name, &parameter.shape, parameter.as_text, to);
    let Some(all) = family.enum_of(&parameter.shape) else { return };
    for (value, place) in parameter.only.iter().filter(|(value, _)| all.index_of(value).is_some()) {
        if let Some(fault) = identifiers::find_enum_fault(all, value) {
            fault.report(to, *place, Code::BadValue, "");
        }
    }
}

/// Checks that `only` of a field uses the spelling of the document.
pub(super) fn fields(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for field in family.records.iter().flat_map(|record| &record.fields) {
        only(family, &field.name, &field.shape, &field.only, to);
        are_numbers(family, &field.name, &field.shape, field.as_text, to);
        fixed(family, &field.name, &field.shape, field.fixed.as_ref(), to);
    }
}

/// Checks that an enum that travels as a JSON number has numeric values.
fn are_numbers(family: &Family, name: &Name, shape: &Shape, as_text: bool, to: &mut Diagnostics) {
    let Some(all) = family.enum_of(shape).filter(|_| !as_text) else { return };
    if let Some(value) = all.values.iter().find(|value| Number::parse(&value.name.wire).is_none()) {
        let wire = &value.name.wire;
        to.at(name.place, Code::BadNumber, format!("`{}` has `json: number`, but `{wire}` is not a number", name.wire))
            .related(value.name.place, "the value is defined here")
            .help("remove `json: number`, or correct the value");
    }
}

fn only(family: &Family, name: &Name, shape: &Shape, only: &[Placed], to: &mut Diagnostics) {
    let Some((_, first)) = only.first().filter(|_| !shape.is_undefined()) else { return };
    let Some(all) = family.enum_of(shape) else {
        let what = described(family, shape);
        to.at(*first, Code::Misplaced, format!("`only` requires an enum, but `{}` is {what}", name.wire))
            .help("remove it, or define an enum with these values");
        return;
    };
    for (value, place) in only {
        if all.index_of(value).is_none() && !all.values.is_empty() {
            to.at(*place, Code::BadValue, format!("`{}` has no value `{value}`", all.name.wire))
                .help(identifiers::nearest(all, value));
        }
    }
    for ((_, first), (value, place)) in repeated(only, |one, other| one.0 == other.0) {
        to.at(*place, Code::DefinedTwice, format!("duplicate value `{value}`"))
            .related(*first, "first listed here")
            .help("remove one of them");
    }
}

fn fixed_parameter(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    fixed(family, &parameter.name, &parameter.shape, parameter.fixed.as_ref(), to);
}

/// Checks that a fixed value is one of its type, which has a literal in Rust.
fn fixed(family: &Family, name: &Name, shape: &Shape, fixed: Option<&Placed>, to: &mut Diagnostics) {
    let Some((value, place)) = fixed.filter(|_| !shape.is_undefined()) else { return };
    let ty = shape.single().filter(|ty| {
        let is_number = matches!(ty, Type::Decimal | Type::Integer | Type::Signed);
        is_number || matches!(ty, Type::String | Type::Boolean(_) | Type::Enum(_))
    });
    let Some(ty) = ty else {
        let what = described(family, shape);
        let says = format!("`fixed` requires a text, a number, a boolean or an enum, but `{}` is {what}", name.wire);
        to.at(*place, Code::Misplaced, says).help("remove it, or use the type `string`");
        return;
    };
    if value.is_empty() {
        to.at(*place, Code::BadValue, "`fixed` is empty").help("write the value, or remove the parameter");
    } else if let Some(fault) =
        find_fault(family, ty, value).or_else(|| begins_with_zero(value).filter(|_| ty.is_quantity()))
    {
        fault.report(to, *place, Code::BadValue, "`fixed`");
    }
}

/// Returns why a text is not the fixed value.
pub(super) fn not_the_fixed(name: &Name, fixed: Option<&Placed>, text: &str) -> Option<Fault> {
    let (fixed, place) = fixed.filter(|(fixed, _)| fixed != text)?;
    let why = format!("`{text}` is not the `fixed` value of `{}`", name.wire);
    Some(Fault { bound: Some(*place), ..Fault::new(why, format!("write {fixed}")) })
}

fn default(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let Some((default, place)) = &parameter.default else { return };
    let Some(ty) = parameter.shape.single().filter(|ty| !matches!(ty, Type::Choice(_))) else {
        return misplaced(family, parameter, *place, "`default` requires a single value", to);
    };
    let fault = find_fault(family, ty, default).or_else(|| out_of_bounds(family, parameter, default));
    if let Some(fault) = fault.or_else(|| begins_with_zero(default).filter(|_| ty.is_quantity())) {
        fault.report(to, *place, Code::BadDefault, "`default`");
    }
}

/// Checks that a default is a single value, and the parameter can be left out.
fn default_is_used(parameter: &Parameter, to: &mut Diagnostics) {
    let is_always_sent = parameter.need == Need::Always && parameter.fixed.is_none();
    let for_what_is_left_out = [("default_note", parameter.default_note.is_some()), ("blank", parameter.may_be_blank)];
    for (key, _) in for_what_is_left_out.into_iter().filter(|(_, is_set)| is_always_sent && *is_set) {
        let name = &parameter.name.wire;
        let message = format!("`{key}` contradicts `required: always`: `{name}` is never left out");
        to.at(parameter.name.place, Code::BadDefault, message).help("remove one of them");
    }
    let Some((_, place)) = parameter.default.as_ref().filter(|_| parameter.fixed.is_none()) else { return };
    if parameter.need == Need::Always {
        let message = format!("`default` contradicts `required: always`: `{}` is never left out", parameter.name.wire);
        to.at(*place, Code::BadDefault, message).help("remove `default` or `required: always`");
    } else if parameter.default_note.is_some() {
        to.at(*place, Code::BadDefault, "`default` and `default_note` exclude each other")
            .help("keep `default` if the default is one value, or `default_note` otherwise");
    }
}

/// Returns why a value of the right type is not allowed for this parameter; `None` if it is.
pub(super) fn out_of_bounds(family: &Family, parameter: &Parameter, text: &str) -> Option<Fault> {
    if let Some(all) = family.enum_of(&parameter.shape) {
        return identifiers::why_not_listed(all, &parameter.only, text);
    }
    let ty = parameter.shape.single()?;
    let (why, place) = beyond_bounds(family, ty, parameter, text).filter(|_| ty.is_quantity())?;
    Some(Fault { bound: Some(place), ..Fault::new(why, "correct one of them") })
}

fn beyond_bounds(family: &Family, ty: Type, parameter: &Parameter, text: &str) -> Option<Placed> {
    if let Some((digits, place)) = parameter.digits.filter(|(digits, _)| text.len() > *digits as usize) {
        return Some((format!("{text} has more than {digits} digits"), place));
    }
    let number = Number::parse(text)?;
    if let Some((places, place)) = parameter.places.filter(|(places, _)| number.needed_places() > *places as usize) {
        return Some((format!("{text} has more than {places} decimal places"), place));
    }
    let is_finer = |(digits, _): &(u32, Place)| number.significant_digits() > *digits as usize;
    if let Some((digits, place)) = parameter.significant_digits.filter(is_finer) {
        return Some((format!("{text} has more than {digits} significant digits"), place));
    }
    let bound = |bound: &Option<Placed>, is_beyond: fn(&Number, &Number) -> bool| {
        // A bound that is not a number of this type is ignored.
        let (bound, place) = bound.as_ref().filter(|(bound, _)| find_fault(family, ty, bound).is_none())?;
        is_beyond(&number, &Number::parse(bound)?).then(|| (bound.clone(), *place))
    };
    let parsed = |bound: &Option<Placed>| bound.as_ref().map(|(bound, _)| bound.clone());
    let (min, max) = (parsed(&parameter.min), parsed(&parameter.max));
    // If the bounds exclude each other, that is reported instead of the value.
    if min
        .as_deref()
        .and_then(Number::parse)
        .zip(max.as_deref().and_then(Number::parse))
        .is_some_and(|(min, max)| min > max)
    {
        return None;
    }
    if let Some((min, place)) = bound(&parameter.min, |number, min| number < min) {
        return Some((format!("{text} is less than `min` {min}"), place));
    }
    let (max, place) = bound(&parameter.max, |number, max| number > max)?;
    Some((format!("{text} is greater than `max` {max}"), place))
}

fn edit(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let Some(Edit { keep: _, delete, place }) = &parameter.edit else { return };
    let Some(ty) = parameter.shape.value() else {
        return misplaced(family, parameter, *place, "`edit` requires a single value", to);
    };
    if parameter.need == Need::Always {
        to.at(
            *place,
            Code::Misplaced,
            format!("`edit` contradicts `required: always`: `{}` is never left out", parameter.name.wire),
        )
        .help("remove `edit` or `required: always`");
    }
    let Some((delete, _)) = delete else { return };
    if matches!(ty, Type::Boolean(_) | Type::Json) {
        misplaced(family, parameter, *place, "`delete` requires a text or a number", to);
    } else if (ty.is_quantity() || ty.is_time())
        && !parameter.as_text
        && let Some(fault) = find_fault(family, Type::Decimal, delete)
    {
        fault.report(to, *place, Code::BadNumber, "`delete` is sent as a JSON number");
    }
}

/// Checks that what `null` clears can be left out, and has a form without text.
fn null(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let Some(place) = parameter.may_be_null.filter(|_| !parameter.shape.is_undefined()) else { return };
    let name = &parameter.name.wire;
    let is_one = parameter.shape.value().is_some() || parameter.shape.object().is_some();
    if !is_one && parameter.shape.listed().is_none() {
        misplaced(family, parameter, place, "`may_be: null` requires a value, a list of values or an object", to);
    } else if parameter.need == Need::Always && parameter.fixed.is_none() {
        let says = format!("`may_be: null` contradicts `required: always`: `{name}` is never left out");
        to.at(place, Code::Misplaced, says).help("remove one of them");
    } else if let Some(edit) = &parameter.edit {
        to.at(place, Code::Misplaced, format!("`edit` and `may_be: null` of `{name}` exclude each other"))
            .related(edit.place, "`edit` is here")
            .help("keep the one that the document states");
    }
}

/// Checks that `wins: unstated` belongs to a choice of alternatives.
fn wins(family: &Family, parameter: &Parameter, to: &mut Diagnostics) {
    let by_presence = family.choice_of(parameter).is_some_and(|choice| choice.alternatives().is_some());
    if parameter.wins_unstated && !by_presence && !parameter.shape.is_undefined() {
        misplaced(family, parameter, parameter.name.place, "`wins` requires a choice with `one_of`", to);
    }
}
