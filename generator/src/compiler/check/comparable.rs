//! A parameter of the request and a field of the record that `confirm` compares can be equal.

use super::queries::{find_within, names};
use crate::compiler::diagnostics::{Code, Diagnostics, Place};
use crate::compiler::model::{Confirm, Family, Lookup, Operation, Record, Role, Truth, Type};
use crate::compiler::words::Times;

type Placed = (String, Place);

/// The pairs of `agrees` and `matches`.
pub(super) fn check(family: &Family, operation: &Operation, record: &Record, confirm: &Confirm, to: &mut Diagnostics) {
    let agreeing = confirm.agrees.iter().flat_map(|(own, fields)| fields.iter().map(move |field| (own, field)));
    let matching = confirm.matches.iter().map(|(field, own)| (own, field));
    for (own, field) in agreeing.chain(matching) {
        can_be_equal(family, operation, record, own, field, to);
    }
    fields_are_distinct(family, operation, confirm, to);
}

/// Two parameters that a request can have together do not equal the same field, unless one has another one, too.
fn fields_are_distinct(family: &Family, operation: &Operation, confirm: &Confirm, to: &mut Diagnostics) {
    let agreeing = confirm.agrees.iter().filter_map(|(own, fields)| match fields.as_slice() {
        [field] => Some((own, field)),
        _ => None,
    });
    let pairs: Vec<(&Placed, &Placed)> = agreeing.collect();
    let all = names(family, operation);
    // Only one part of a choice is sent.
    let choice = |name: &str| match find_within(family, &all, name) {
        Lookup::Found(found) if !matches!(found.role, Role::Plain(_)) => Some(found.of.name.place),
        Lookup::Found(_) | Lookup::Missing(_) | Lookup::Unresolved => None,
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
