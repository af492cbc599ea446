//! How often an operation may be called, and of which times it may be asked.

use super::aspect::{aspect, flag, list, maybe, prose};
use super::class::{Verdict, behaviour, breaking};
use super::found::{Found, Thing};
use super::pairs::pairs;
use super::scope::path;
use crate::model::{Ceiling, Class, Family, Need, Operation, Rate, Window, phrases};

/// Rates are told apart by whom they are for and what they count by.
pub(super) fn rates(to: &mut Found, operation: &Thing, old: &[Rate], new: &[Rate]) {
    let of = |rate: &Rate| format!("{} {}", operation.path, rate.counted());
    let paced = |means: &str| behaviour(format!("the limiter {means}"));
    let named = |rates: &[Rate]| rates.iter().map(|rate| (of(rate), rate.clone())).collect::<Vec<_>>();
    let (old, new) = (named(old), named(new));
    let pairs = pairs(&old, &new, |(name, _)| [name, name]);
    let thing = |(name, rate): &(String, Rate)| Thing::new("rate limit", name.as_str(), rate.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), paced("no longer keeps it"));
    }
    for (old, new) in pairs.both {
        let calls = |(_, rate): &(String, Rate)| format!("{}/s", rate.calls);
        to.compare(&thing(new), [aspect("rate", calls(old), calls(new), paced("keeps another pace"))]);
    }
    for more in pairs.added {
        to.added(&thing(more), paced("keeps it"));
    }
}

pub(super) fn window(to: &mut Found, operation: &Thing, old: &Operation, new: &Operation) {
    let thing = |window: &Window| Thing::new("window", operation.path.as_str(), window.place);
    let loses_between = has_between(old) && !has_between(new);
    let between = || breaking("`between` is gone");
    match (&old.window, &new.window) {
        (None, None) => {}
        (Some(gone), None) if loses_between => to.removed(&thing(gone), between()),
        (Some(gone), None) => to.removed(&thing(gone), behaviour("no longer checked before sending")),
        (None, Some(more)) => to.added(&thing(more), behaviour("checked before sending")),
        (Some(old), Some(new)) => {
            let checked = || behaviour("checked before sending");
            let ends = || if loses_between { between() } else { checked() };
            to.compare(
                &thing(new),
                [
                    aspect("from", &old.from.0, &new.from.0, ends()).at(None, Some(new.from.1)),
                    aspect("to", &old.to.0, &new.to.0, ends()).at(None, Some(new.to.1)),
                    aspect("span", maybe(old.span), maybe(new.span), checked()),
                    aspect("access", maybe(old.access), maybe(new.access), checked()),
                    aspect("access_of", access_of(old), access_of(new), checked()),
                    aspect("default", maybe(old.default), maybe(new.default), behaviour("what is taken without it")),
                    aspect("both_or_neither", flag(old.both_or_neither), flag(new.both_or_neither), checked()),
                ],
            );
        }
    }
}

fn access_of(window: &Window) -> &'static str {
    if window.access_is_of_data { "data" } else { "start" }
}

/// Whether both ends can be set at once, which takes two setters.
fn has_between(operation: &Operation) -> bool {
    let Some(window) = &operation.window else { return false };
    let is_set = |wire: &str| {
        let parameter = operation.body.parameters().iter().find(|parameter| parameter.name.wire == wire);
        parameter
            .is_some_and(|all| all.need != Need::Always && all.edit.as_ref().is_none_or(|edit| edit.delete.is_none()))
    };
    is_set(&window.from.0) && is_set(&window.to.0)
}

/// Ceilings are a table, which is only there when there are some.
pub(super) fn ceilings(to: &mut Found, old: &Family, new: &Family) {
    let pairs = pairs(&old.limits, &new.limits, |limit| [&limit.id, &limit.id]);
    let thing = |limit: &Ceiling| Thing::new("ceiling", path(&new.name, &limit.id), limit.place);
    let went = || -> Verdict {
        if new.limits.is_empty() {
            breaking("the table `CEILINGS` is gone")
        } else {
            behaviour("the exchange allows more")
        }
    };
    for gone in pairs.removed {
        to.removed(&thing(gone), went());
    }
    for (old, new) in pairs.both {
        let n = aspect("n", old.n, new.n, behaviour("the exchange allows another number"));
        to.compare(&thing(new), [n, prose("doc", &old.doc, &new.doc)]);
    }
    for more in pairs.added {
        to.added(&thing(more), behaviour("the exchange allows no more"));
    }
}

/// Classes that have rate limits of their own; the first that fits holds.
pub(super) fn classes(to: &mut Found, old: &Family, new: &Family) {
    let pairs = pairs(&old.classes, &new.classes, |class| [&class.name, &class.name]);
    let thing = |class: &Class| Thing::new("class", path(&new.name, &class.name), class.place);
    let limits = || behaviour("which limits hold for a call");
    for gone in pairs.removed {
        to.removed(&thing(gone), limits());
    }
    for (old, new) in pairs.both {
        let when = |class: &Class| phrases::all_of(&class.when);
        to.compare(&thing(new), [aspect("when", when(old), when(new), limits()), prose("doc", &old.doc, &new.doc)]);
    }
    for more in pairs.added {
        to.added(&thing(more), limits());
    }
    let kept = |all: &[Class], other: &[Class]| {
        list(all.iter().map(|class| &class.name).filter(|name| other.iter().any(|class| class.name == **name)))
    };
    let first = new.classes.first().map(|class| class.place);
    let order = aspect("order", kept(&old.classes, &new.classes), kept(&new.classes, &old.classes), limits());
    to.compare(&Thing::new("classes", new.name.as_str(), new.place), [order.at(None, first)]);
}
