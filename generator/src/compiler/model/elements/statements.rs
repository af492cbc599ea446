//! The elements of rules, open questions, contradictions and observations.

use super::{Element, Key, Means, behaviour, documentation, first, list, maybe, names, path};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::facts::Fact;
use crate::compiler::model::{Condition, Contradiction, Observation, OpenQuestion, Rule, RuleKind, Statements, Test};

impl Statements {
    /// Adds the statements of a family or an operation to its element.
    pub(super) fn add_to(&self, element: Element) -> Element {
        let Self { rules, not_shown, contradictions, observed } = self;
        let of = element.path.clone();
        element
            .keys(not_shown.iter().map(OpenQuestion::key))
            .states(not_shown.iter().map(|open| open.fact(&of)))
            .holds(rules.iter().map(|rule| rule.element(&of)))
            .holds(contradictions.iter().map(|one| one.element(&of)))
            .holds(observed.iter().map(|one| one.element(&of, [of.as_str()])))
    }
}

impl OpenQuestion {
    /// A key without a name, so that versions are compared by its presence.
    pub(super) fn key(&self) -> Key {
        let Self { says, at: _, place } = self;
        Key { is_one_of_several: true, ..Key::prose("not_shown", &says.0).at(Some(*place)) }
    }

    fn fact(&self, about: &str) -> (Place, Fact) {
        (self.place, Fact::OpenQuestion { about: about.to_owned(), says: self.says.0.to_string() })
    }
}

impl Contradiction {
    pub(super) fn element(&self, of: &str) -> Element {
        let Self { id, place, readings, chosen, why } = self;
        let fact = Fact::Contradiction { about: of.to_owned(), readings: readings.clone() };
        Element::new("contradiction", path(of, id), [id, id], *place)
            .keys([Key::prose("readings", &readings.join(" / ")), Key::prose("chosen", chosen), Key::prose("why", why)])
            .states([(*place, fact)])
    }
}

impl Observation {
    /// A statement about the whole API is a fact about each of its families.
    pub(super) fn element<'a>(&self, of: &str, about: impl IntoIterator<Item = &'a str>) -> Element {
        let Self { id, place, says, sources } = self;
        let fact = |about: &str| (*place, Fact::Observed { about: about.to_owned(), says: says.clone() });
        Element::new("observation", path(of, id), [id, id], *place)
            .keys([Key::prose("says", says), Key::new("sources", list(sources), documentation(""))])
            .states(about.into_iter().map(fact))
    }
}

impl Rule {
    /// A rule that always requires one of several parameters also states a one-of.
    fn facts(&self, about: &str) -> Vec<(Place, Fact)> {
        let mut facts = vec![Fact::Rule { about: about.to_owned(), rule: self.id.clone(), kind: self.kind }];
        let prefix = self.within.as_ref().map(|(list, _)| list.item_prefix()).unwrap_or_default();
        if let Some(Test::Condition { when, require, .. }) = &self.test {
            for condition in require.iter().filter(|_| when.is_empty()) {
                if let Condition::AnyGiven(names) = condition {
                    let paths = names.iter().map(|(name, _)| format!("{prefix}{name}")).collect();
                    facts.push(Fact::OneOf { operation: about.to_owned(), paths });
                }
            }
        }
        let facts = facts.into_iter().map(|fact| (self.place, fact));
        let unsupported = self
            .unsupported_paths()
            .map(|(path, place)| (place, Fact::Unsupported { operation: about.to_owned(), path }));
        facts.chain(unsupported).collect()
    }

    pub(super) fn element(&self, of: &str) -> Element {
        let Self { id, place, written, at, kind, severity, severity_place, says, why, within, test, unsupported } =
            self;
        // Whether something enforces it beyond types and the attention of a reader.
        let is_binding = match kind {
            RuleKind::Checked | RuleKind::Limit | RuleKind::Simulated => true,
            RuleKind::Type | RuleKind::Stated | RuleKind::Todo => false,
        };
        let bound = |means: &'static str| Means::Binds { is_binding, verdict: behaviour(means) };
        let alone = |means: &'static str| if is_binding { behaviour(means) } else { documentation("") };
        let within = within.as_ref().map(|(list, _)| format!("in {list}: ")).unwrap_or_default();
        let element = Element::new("rule", path(of, id), [id, id], *place)
            .when(alone("it holds from now on"), alone("it no longer holds"))
            .keys([
                Key::new("kind", kind.as_str(), bound("it is kept by other means")),
                Key::new("severity", severity.as_str(), bound("whether a request that breaks it is refused"))
                    .at(*severity_place),
                Key::new("condition", within.clone() + &maybe(test.as_ref()), bound("it binds other requests"))
                    .same_as(within + &maybe(test.as_ref().map(Test::meaning))),
                Key::new(
                    "unsupported",
                    names(unsupported),
                    behaviour("which parameters are refused by name when read"),
                )
                .at(first(unsupported)),
                Key::new("at", at, documentation("")),
                Key::prose("says", says),
                Key::prose("why", &maybe(why.as_ref())),
            ])
            .states(self.facts(of));
        Element { written: *written, ..element }
    }
}
