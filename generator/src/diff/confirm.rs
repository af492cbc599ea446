//! What becomes of a request: what a failed call tells, whether it may be repeated, and how it is confirmed.

use super::aspect::{Aspect, aspect, list, maybe, placed, prose};
use super::class::{Verdict, additive, behaviour, breaking};
use super::found::{Found, Thing};
use super::pairs::pairs;
use super::scope::Scope;
use crate::model::{Confirm, Effect, Operation, OutcomeRow, Pair, Several};

/// The rows of `api.yaml`.
pub(super) fn outcomes(to: &mut Found, old: &[OutcomeRow], new: &[OutcomeRow]) {
    let pairs = pairs(old, new, |row| [row.when.as_str(), row.when.as_str()]);
    let thing = |row: &OutcomeRow| Thing::new("outcome", row.when.as_str(), row.place);
    let told = || behaviour("what is told of a call that ends so");
    for gone in pairs.removed {
        to.removed(&thing(gone), told());
    }
    for (old, new) in pairs.both {
        let outcome = aspect("outcome", old.outcome.as_str(), new.outcome.as_str(), told());
        to.compare(&thing(new), [outcome, prose("why", &old.why, &new.why)]);
    }
    for more in pairs.added {
        to.added(&thing(more), told());
    }
}

pub(super) fn compare(to: &mut Found, scope: &Scope<'_>, operation: &Thing, old: &Operation, new: &Operation) {
    let id = behaviour("which ids are told of a request whose outcome is unknown");
    to.compare(operation, [placed("client_id", old.client_id.as_ref(), new.client_id.as_ref(), id)]);
    to.compare(operation, [echoes(old, new), compound(old, new)]);
    repeat(to, operation, old, new);
    confirm(to, scope, operation, old, new);
}

fn echoes(old: &Operation, new: &Operation) -> Aspect {
    let place = |all: &Operation| all.echoes.as_ref().map(|echoes| echoes.place);
    let words = |all: &Operation| {
        let echoes = all.echoes.as_ref()?;
        let one_of = if echoes.one_is_enough { "one of " } else { "" };
        Some(format!("{one_of}{}", several(&echoes.ids)))
    };
    let told = behaviour("by which ids an answer is known to be the request's own");
    aspect("echoes", maybe(words(old)), maybe(words(new)), told).at(place(old), place(new))
}

fn compound(old: &Operation, new: &Operation) -> Aspect {
    let place = |all: &Operation| all.compound.as_ref().map(|compound| compound.place);
    let words = |all: &Operation| match &all.compound.as_ref()?.when {
        Some(((name, _), (value, _))) => Some(format!("when {name} is {value}")),
        None => Some("always".to_owned()),
    };
    let told = behaviour("which refusals prove that nothing was done");
    aspect("compound", maybe(words(old)), maybe(words(new)), told).at(place(old), place(new))
}

/// What only reads may be repeated, and what says that it may.
fn is_repeatable(operation: &Operation) -> bool {
    operation.effect == Effect::Read || operation.repeat.is_some()
}

/// What it means that an operation has another effect.
pub(super) fn effect(old: &Operation, new: &Operation) -> Verdict {
    let means = "a repeat does something else";
    if is_repeatable(old) && !is_repeatable(new) { breaking("it can no longer be repeated") } else { behaviour(means) }
}

fn repeat(to: &mut Found, operation: &Thing, old: &Operation, new: &Operation) {
    let why = |all: &Operation| maybe(all.repeat.as_ref().map(|repeat| &repeat.why));
    let thing = |place| Thing::new("repeat", operation.path.as_str(), place);
    match (&old.repeat, &new.repeat) {
        (None, None) => {}
        (Some(gone), None) if is_repeatable(new) => to.removed(&thing(gone.place), behaviour("it is repeated anyway")),
        (Some(gone), None) => to.removed(&thing(gone.place), breaking("it can no longer be repeated")),
        (None, Some(more)) => to.added(&thing(more.place), additive("it can be repeated")),
        (Some(_), Some(both)) => to.compare(&thing(both.place), [prose("why", &why(old), &why(new))]),
    }
}

fn confirm(to: &mut Found, scope: &Scope<'_>, operation: &Thing, old: &Operation, new: &Operation) {
    let thing = |confirm: &Confirm| Thing::new("confirmation", operation.path.as_str(), confirm.place);
    let (old, new) = match (&old.confirm, &new.confirm) {
        (None, None) => return,
        (Some(gone), None) => return to.removed(&thing(gone), breaking("nothing confirms it any more")),
        (None, Some(more)) => return to.added(&thing(more), additive("it can be confirmed")),
        (Some(old_confirm), Some(new_confirm)) => ((old, old_confirm), (new, new_confirm)),
    };
    let types = |(operation, _): (&Operation, &Confirm), family| {
        operation.teller(family).map(|(teller, record)| (teller.rust.rust.clone(), record.name.rust.clone()))
    };
    let by = if types(old, scope.old) == types(new, scope.new) {
        behaviour("another operation is asked")
    } else {
        breaking("the question and what is found have other types")
    };
    to.compare(&thing(new.1), facts(old.1, new.1, by));
}

fn facts(old: &Confirm, new: &Confirm, by: Verdict) -> [Aspect; 10] {
    let asked = || behaviour("how it is asked for");
    let judged = || behaviour("what an answer proves");
    let names = |names: &[(String, _)]| list(names.iter().map(|(name, _)| name));
    [
        placed("by", Some(&old.by), Some(&new.by), by),
        aspect("ask", pair_list(&old.ask), pair_list(&new.ask), asked()),
        aspect("with", names(&old.with), names(&new.with), asked()),
        aspect("matches", pair_list(&old.matches), pair_list(&new.matches), judged()),
        aspect("agrees", several(&old.agrees), several(&new.agrees), judged()),
        aspect("beside", names(&old.beside), names(&new.beside), judged()),
        placed("created", old.created.as_ref(), new.created.as_ref(), judged()),
        placed("changed", old.changed.as_ref(), new.changed.as_ref(), judged()),
        aspect("changed_while", several(&old.changed_while), several(&new.changed_while), judged()),
        aspect("kept", maybe(old.kept), maybe(new.kept), judged()),
    ]
}

fn several(names: &[Several]) -> String {
    let words = names.iter().map(|((one, _), others)| {
        let others: Vec<_> = others.iter().map(|(other, _)| other.as_str()).collect();
        format!("{one}: {}", others.join(" or "))
    });
    list(words)
}

fn pair_list(pairs: &[Pair]) -> String {
    list(pairs.iter().map(|((one, _), (other, _))| format!("{one}: {other}")))
}
