//! Parameters: those of requests, of the objects in lists, and of the ways of a choice.

use super::aspect::{Aspect, aspect, flag, list, maybe, placed, prose};
use super::class::{Verdict, additive, behaviour, breaking, documentation};
use super::found::{Found, Thing};
use super::pairs::pairs;
use super::scope::{Scope, own_doc, path};
use crate::model::{Deprecated, Need, Parameter, Shape, Unit, phrases};

/// Compares the parameters of one struct, which are arguments of its `new` or setters.
pub(super) fn compare(to: &mut Found, scope: &Scope<'_>, of: &str, old: &[Parameter], new: &[Parameter]) {
    let pairs = pairs(old, new, |parameter| [&parameter.name.wire, &parameter.name.rust]);
    for gone in pairs.removed {
        let thing = Thing::new("parameter", path(of, &gone.name.wire), gone.name.place);
        to.removed(&thing, breaking("its field, and the argument or setter that sets it, are gone"));
    }
    for (old, new) in &pairs.both {
        both(to, scope, "parameter", of, old, new);
    }
    for more in pairs.added {
        let thing = Thing::new("parameter", path(of, &more.name.wire), more.name.place);
        to.added(&thing, came(more));
    }
    order(to, of, &pairs.both, new);
}

/// What a parameter means that was not there.
fn came(parameter: &Parameter) -> Verdict {
    match parameter.need {
        Need::Always => breaking("`new` takes it"),
        Need::Conditional | Need::Unstated | Need::No => additive("a setter sets it"),
    }
}

/// Two versions of one parameter.
pub(super) fn both(to: &mut Found, scope: &Scope<'_>, kind: &'static str, of: &str, old: &Parameter, new: &Parameter) {
    // Each key of a parameter is compared below; a new one has to be named here too.
    let Parameter {
        name: _,
        written: _,
        shape: _,
        need: _,
        default: _,
        default_note: _,
        min: _,
        max: _,
        min_items: _,
        max_items: _,
        digits: _,
        only: _,
        edit: _,
        may_be_blank: _,
        wins_unstated: _,
        units: _,
        deprecated: _,
        as_text: _,
        doc: _,
    } = new;
    let path = path(of, &new.name.wire);
    let thing = Thing { written: new.written, ..Thing::new(kind, path.as_str(), new.name.place) };
    to.compare(&thing, names(old, new).into_iter().chain(types(scope, old, new)).chain(values(scope, old, new)));
    to.compare(&thing, texts(scope, old, new));
    if let (Shape::Items(old), Shape::Items(items)) = (&old.shape, &new.shape) {
        let of = if new.is_body() { path } else { format!("{path}[]") };
        compare(to, scope, &of, &old.parameters, &items.parameters);
    }
}

fn names(old: &Parameter, new: &Parameter) -> [Aspect; 2] {
    // The array that is a whole body has no name; the operation tells that it became one, or is none now.
    let is_body = [old, new].iter().any(|parameter| parameter.is_body());
    let wire = |parameter: &Parameter| if is_body { String::new() } else { parameter.name.wire.clone() };
    [
        aspect("name", wire(old), wire(new), behaviour("it has another name on the wire")),
        aspect("rust", old.name.bare(), new.name.bare(), breaking("its field and what sets it have another name")),
    ]
}

fn types(scope: &Scope<'_>, old: &Parameter, new: &Parameter) -> [Aspect; 3] {
    let edits = [old, new].map(|parameter| parameter.edit.as_ref().is_some_and(|edit| edit.delete.is_some()));
    let edit = match edits {
        [false, true] => breaking("its field becomes an `Edit`"),
        [true, false] => breaking("its field is no longer an `Edit`"),
        _ => behaviour("what leaving it out or deleting it takes"),
    };
    let place = |parameter: &Parameter| parameter.edit.as_ref().map(|edit| edit.place);
    [
        aspect(
            "type",
            scope.old_shape(&old.shape),
            scope.new_shape(&new.shape),
            breaking("its field and what sets it have another type"),
        ),
        aspect("required", old.need.as_str(), new.need.as_str(), need(old.need, new.need)),
        aspect("edit", edit_words(old), edit_words(new), edit).at(place(old), place(new)),
    ]
}

fn need(old: Need, new: Need) -> Verdict {
    match (old, new) {
        (Need::Always, _) => breaking("`new` no longer takes it, a setter sets it"),
        (_, Need::Always) => breaking("`new` takes it, its setter is gone"),
        (Need::Unstated, _) | (_, Need::Unstated) => documentation("nothing is checked"),
        (Need::Conditional | Need::No, _) => behaviour("the exchange asks for it in other cases"),
    }
}

fn edit_words(parameter: &Parameter) -> String {
    match parameter.edit.as_ref().map(|edit| edit.delete.as_deref()) {
        None => String::new(),
        Some(None) => "left out keeps".to_owned(),
        Some(Some(delete)) => format!("left out keeps, {delete:?} deletes"),
    }
}

/// What is checked before sending, what is taken when nothing is sent, and how it is written.
fn values(scope: &Scope<'_>, old: &Parameter, new: &Parameter) -> [Aspect; 9] {
    let checked = || behaviour("checked before sending");
    let only = |parameter: &Parameter| list(parameter.only.iter().map(|(value, _)| value));
    let first = |parameter: &Parameter| parameter.only.first().map(|(_, place)| *place);
    [
        placed("default", old.default.as_ref(), new.default.as_ref(), behaviour("what is taken when it is not sent")),
        placed("min", old.min.as_ref(), new.min.as_ref(), checked()),
        placed("max", old.max.as_ref(), new.max.as_ref(), checked()),
        placed("min_items", old.min_items.as_ref(), new.min_items.as_ref(), checked()),
        placed("max_items", old.max_items.as_ref(), new.max_items.as_ref(), checked()),
        placed("digits", old.digits.as_ref(), new.digits.as_ref(), checked()),
        aspect("only", only(old), only(new), allowed(old, new)).at(first(old), first(new)),
        unit(&old.units, &new.units),
        travels(scope, &new.shape, old.as_text, new.as_text, behaviour("it is written another way")),
    ]
}

/// Whether a value that was taken is refused now.
fn allowed(old: &Parameter, new: &Parameter) -> Verdict {
    let is_allowed = |value: &str| new.only.is_empty() || new.only.iter().any(|(other, _)| other == value);
    let is_narrower = match old.only.as_slice() {
        [] => !new.only.is_empty(),
        values => !values.iter().all(|(value, _)| is_allowed(value)),
    };
    behaviour(if is_narrower { "values that were taken are refused before sending" } else { "more values are taken" })
}

/// A number that counts something else is another number; a unit that is only told, or no longer, changes nothing.
pub(super) fn unit(old: &[Unit], new: &[Unit]) -> Aspect {
    let verdict = match (old, new) {
        ([], _) | (_, []) => documentation(""),
        _ => breaking("the same number means something else"),
    };
    aspect("unit", phrases::units(old), phrases::units(new), verdict)
}

/// How two numbers are written, where the family does not say it for both.
pub(super) fn travels(scope: &Scope<'_>, shape: &Shape, old: bool, new: bool, verdict: Verdict) -> Aspect {
    let is_number = shape.is_number();
    let is_as_family = scope.old.numbers_as_text != scope.new.numbers_as_text && new == scope.new.numbers_as_text;
    let word = |as_text: bool| match as_text {
        _ if !is_number || is_as_family => "",
        true => "text",
        false => "number",
    };
    aspect("json", word(old), word(new), verdict)
}

/// Whether the compiler warns of it, and what it says.
pub(super) fn deprecated(old: Option<&Deprecated>, new: Option<&Deprecated>) -> Aspect {
    let words = |deprecated: Option<&Deprecated>| match deprecated.map(Deprecated::to_string) {
        Some(says) if says.is_empty() => "yes".to_owned(),
        says => says.unwrap_or_default(),
    };
    let verdict = match (old, new) {
        (None, _) => behaviour("whoever uses it is warned when it is compiled"),
        (_, None) => behaviour("nobody is warned any more"),
        _ => documentation("the warning says something else"),
    };
    let place = |deprecated: Option<&Deprecated>| deprecated.map(|deprecated| deprecated.place);
    aspect("deprecated", words(old), words(new), verdict).at(place(old), place(new))
}

fn texts(scope: &Scope<'_>, old: &Parameter, new: &Parameter) -> [Aspect; 5] {
    [
        deprecated(old.deprecated.as_ref(), new.deprecated.as_ref()),
        prose("default_note", &maybe(old.default_note.as_ref()), &maybe(new.default_note.as_ref())),
        aspect(
            "blank",
            flag(old.may_be_blank),
            flag(new.may_be_blank),
            behaviour("whether an empty text is read as left out"),
        ),
        aspect("wins unstated", flag(old.wins_unstated), flag(new.wins_unstated), documentation("")),
        prose("doc", own_doc(scope.old, &old.shape, &old.doc), own_doc(scope.new, &new.shape, &new.doc)),
    ]
}

/// The arguments of `new` stand in the order of the schema. Another order may compile where two have one type, and then
/// means something else, which is worse.
fn order(to: &mut Found, of: &str, both: &[(&Parameter, &Parameter)], new: &[Parameter]) {
    let kept: Vec<_> = both.iter().filter(|(old, new)| old.need == Need::Always && new.need == Need::Always).collect();
    let older = kept.iter().map(|(_, new)| new);
    let newer = new.iter().filter(|parameter| kept.iter().any(|(_, kept)| std::ptr::eq(*kept, *parameter)));
    let (older, newer): (Vec<&Parameter>, Vec<&Parameter>) = (older.copied().collect(), newer.collect());
    let moved =
        older.iter().zip(&newer).find(|(old, new)| old.name.wire != new.name.wire).map(|(_, new)| new.name.place);
    let names = |list_of: &[&Parameter]| list(list_of.iter().map(|parameter| &parameter.name.wire));
    if let Some(place) = moved {
        let thing = Thing::new("arguments", of, place);
        to.compare(
            &thing,
            [aspect("order", names(&older), names(&newer), breaking("`new` takes its arguments in another order"))],
        );
    }
}
