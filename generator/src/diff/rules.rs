//! Rules: what they say, and what keeps them.

use super::aspect::{aspect, list, maybe, prose};
use super::class::{Verdict, behaviour, documentation};
use super::found::{Found, Thing};
use super::pairs::pairs;
use super::scope::path;
use crate::load::raw::RuleKind;
use crate::model::{Condition, Rule, Test};

pub(super) fn compare(to: &mut Found, of: &str, old: &[Rule], new: &[Rule]) {
    let pairs = pairs(old, new, |rule| [&rule.id, &rule.id]);
    let thing = |rule: &Rule| Thing { written: rule.written, ..Thing::new("rule", path(of, &rule.id), rule.place) };
    for gone in pairs.removed {
        to.removed(&thing(gone), bound(gone.kind, "it no longer holds"));
    }
    for (old, new) in pairs.both {
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

/// What a rule tests, in the words of the schema.
fn words(rule: &Rule) -> String {
    let within = rule.within.as_ref().map(|(list, _)| format!("in {list}: ")).unwrap_or_default();
    let test = match &rule.test {
        None => String::new(),
        Some(Test::Same(name, _)) => format!("same {name}"),
        Some(Test::Unique(names)) => format!("unique {}", list(names.iter().map(|(name, _)| name))),
        Some(Test::Condition { when, require, forbid }) => {
            let parts = [("when", when), ("require", require), ("forbid", forbid)];
            let parts = parts.iter().filter(|(_, all)| !all.is_empty());
            let parts = parts.map(|(word, all)| format!("{word} {}", list(all.iter().map(condition))));
            parts.collect::<Vec<_>>().join("; ")
        }
    };
    within + &test
}

pub(super) fn condition(condition: &Condition) -> String {
    let names = |all: &[(String, _)]| all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    match condition {
        Condition::Given(all) => format!("given {}", names(all).join(" and ")),
        Condition::AnyGiven(all) => format!("given {}", names(all).join(" or ")),
        Condition::HasForm { parameter, forms } => format!("{} of form {}", parameter.0, names(forms).join(" or ")),
        Condition::AccountIs { property, values } => {
            format!("account.{} is {}", property.0, names(values).join(" or "))
        }
        Condition::Compares { parameter, comparison, property } => {
            format!("{}.{} {}", parameter.0, comparison.as_str(), property.0)
        }
        Condition::Is { parameter, values } => format!("{} is {}", parameter.0, names(values).join(" or ")),
    }
}
