//! Rules: what they say, and what keeps them.

use super::aspect::{aspect, maybe, prose};
use super::class::{Verdict, behaviour, documentation};
use super::found::{Found, Thing};
use super::pairs::pairs;
use super::scope::path;
use crate::model::{Rule, RuleKind};

pub(super) fn compare(to: &mut Found, of: &str, old: &[Rule], new: &[Rule]) {
    let pairs = pairs(old, new, |rule| [&rule.id, &rule.id]);
    let thing = |rule: &Rule| Thing { written: rule.written, ..Thing::new("rule", path(of, &rule.id), rule.place) };
    for gone in pairs.removed {
        to.removed(&thing(gone), bound(gone.kind, "it no longer holds"));
    }
    for (old, new) in pairs.both {
        // Each key of a rule is compared below; a new one has to be named here too.
        let Rule {
            id: _,
            place: _,
            written: _,
            at: _,
            kind: _,
            severity: _,
            severity_place: _,
            says: _,
            why: _,
            within: _,
            test: _,
        } = new;
        let kind = if binds(old.kind) { old.kind } else { new.kind };
        to.compare(
            &thing(new),
            [
                aspect("kind", old.kind.as_str(), new.kind.as_str(), bound(kind, "another part sees to it")),
                aspect(
                    "severity",
                    old.severity.as_str(),
                    new.severity.as_str(),
                    bound(kind, "what breaking it comes to"),
                )
                .at(old.severity_place, new.severity_place),
                aspect("condition", words(old), words(new), bound(kind, "it binds other requests")),
                aspect("at", &old.at, &new.at, documentation("")),
                prose("says", &old.says, &new.says),
                prose("why", &maybe(old.why.as_ref()), &maybe(new.why.as_ref())),
            ],
        );
    }
    for more in pairs.added {
        to.added(&thing(more), bound(more.kind, "it holds from now on"));
    }
}

/// Whether something other than the types and the reader's care keeps it.
fn binds(kind: RuleKind) -> bool {
    match kind {
        RuleKind::Checked | RuleKind::Limit | RuleKind::Simulated => true,
        RuleKind::Type | RuleKind::Stated => false,
    }
}

fn bound(kind: RuleKind, means: &str) -> Verdict {
    if binds(kind) { behaviour(means) } else { documentation("") }
}

/// What a rule tests, and of which items.
fn words(rule: &Rule) -> String {
    let within = rule.within.as_ref().map(|(list, _)| format!("in {list}: ")).unwrap_or_default();
    within + &maybe(rule.test.as_ref())
}
