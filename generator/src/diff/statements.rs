//! What the documents state beside the parameters: contradictions, gaps, observations, and where all that stands.

use super::aspect::{Aspect, aspect, list, prose};
use super::class::documentation;
use super::found::{Found, Thing};
use super::pairs::pairs;
use super::rules;
use super::scope::path;
use crate::diagnostics::Place;
use crate::model::{Contradiction, NotShown, Observation, Source, Statements};

/// What a family or an operation states.
pub(super) fn compare(to: &mut Found, about: &Thing, old: &Statements, new: &Statements) {
    rules::compare(to, &about.path, &old.rules, &new.rules);
    contradictions(to, &about.path, &old.contradictions, &new.contradictions);
    observed(to, &about.path, &old.observed, &new.observed);
    to.compare(about, not_shown(old, new));
}

fn contradictions(to: &mut Found, of: &str, old: &[Contradiction], new: &[Contradiction]) {
    let pairs = pairs(old, new, |all| [&all.id, &all.id]);
    let thing = |all: &Contradiction| Thing::new("contradiction", path(of, &all.id), all.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), documentation(""));
    }
    for (old, new) in pairs.both {
        let readings = |all: &Contradiction| all.readings.join(" / ");
        to.compare(
            &thing(new),
            [
                prose("readings", &readings(old), &readings(new)),
                prose("chosen", &old.chosen, &new.chosen),
                prose("why", &old.why, &new.why),
            ],
        );
    }
    for more in pairs.added {
        to.added(&thing(more), documentation(""));
    }
}

pub(super) fn observed(to: &mut Found, of: &str, old: &[Observation], new: &[Observation]) {
    let pairs = pairs(old, new, |all| [&all.id, &all.id]);
    let thing = |all: &Observation| Thing::new("observation", path(of, &all.id), all.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), documentation(""));
    }
    for (old, new) in pairs.both {
        let sources = aspect("sources", list(&old.sources), list(&new.sources), documentation(""));
        to.compare(&thing(new), [prose("says", &old.says, &new.says), sources]);
    }
    for more in pairs.added {
        to.added(&thing(more), documentation(""));
    }
}

/// What the document does not show; the texts have no names, so each is there or not.
fn not_shown(old: &Statements, new: &Statements) -> [Aspect; 2] {
    let missing = |of: &[NotShown], from: &[NotShown]| {
        let is_there = |says: &str| from.iter().any(|other| other.says == says);
        let texts = of.iter().map(|one| one.says.as_str()).filter(|says| !is_there(says));
        texts.collect::<Vec<_>>().join(" / ")
    };
    let (gone, more) = (missing(&old.not_shown, &new.not_shown), missing(&new.not_shown, &old.not_shown));
    [prose("not_shown", &gone, ""), prose("not_shown", "", &more)]
}

/// The document and the section.
pub(super) fn source(old: Option<&Source>, new: Option<&Source>) -> Aspect {
    let words = |source: Option<&Source>| {
        let source = source.map(|source| match &source.section {
            Some(section) => format!("{}, {section}", source.document),
            None => source.document.clone(),
        });
        source.unwrap_or_default()
    };
    let place = |source: Option<&Source>| -> Option<Place> { source.map(|source| source.place) };
    aspect("source", words(old), words(new), documentation("")).at(place(old), place(new))
}
