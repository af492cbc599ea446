//! A parameter of the request and a field of the record that `confirm` compares can be equal.

use super::queries::{find_within, names};
use crate::diagnostics::{Code, Diagnostics, Place};
use crate::model::{Confirm, Family, Lookup, Operation, Record, Role, Type};

/// The pairs of `agrees` and `matches`.
pub(super) fn check(family: &Family, operation: &Operation, record: &Record, confirm: &Confirm, to: &mut Diagnostics) {
    let agreeing = confirm.agrees.iter().flat_map(|(own, fields)| fields.iter().map(move |field| (own, field)));
    let matching = confirm.matches.iter().map(|(field, own)| (own, field));
    for (own, field) in agreeing.chain(matching) {
        can_be_equal(family, operation, record, own, field, to);
    }
}

fn can_be_equal(
    family: &Family,
    operation: &Operation,
    record: &Record,
    (own, _): &(String, Place),
    (wire, place): &(String, Place),
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
    Any,
    Numbers,
    Words(Vec<&'a str>),
}

impl<'a> Texts<'a> {
    fn of(family: &'a Family, ty: Type) -> Self {
        if let Type::Enum(index) = ty {
            let all = family.enums.get(index);
            let words: Vec<&str> = all.into_iter().flat_map(|all| all.wires()).collect();
            return if words.is_empty() { Self::Any } else { Self::Words(words) };
        }
        if ty.is_quantity() { Self::Numbers } else { Self::Any }
    }

    /// Whether both have a text that the client takes as equal: it ignores case, and a space equals an underscore.
    fn overlap(&self, other: &Self) -> bool {
        let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        let is_same = |one: &str, other: &str| one.replace(' ', "_").eq_ignore_ascii_case(&other.replace(' ', "_"));
        match (self, other) {
            (Self::Any, _) | (_, Self::Any) | (Self::Numbers, Self::Numbers) => true,
            (Self::Numbers, Self::Words(words)) | (Self::Words(words), Self::Numbers) => words.iter().any(is_number),
            (Self::Words(one), Self::Words(other)) => {
                one.iter().any(|one| other.iter().any(|other| is_same(one, other)))
            }
        }
    }
}
