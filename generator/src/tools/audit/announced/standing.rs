//! The standing of the schema to an announced change, by its facts and its observations.

use tradeapi_words::words;

use super::subject::{Action, Subject};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{Api, Dates, Duration, Fact, Family};
use crate::tools::audit::document::Document;
use crate::tools::audit::measures::Rate;
use crate::tools::audit::text::Span;
use crate::tools::audit::wording;

words! {
    /// The standing of the schema to an announced change.
    #[derive(PartialOrd, Ord)]
    pub enum Standing {
        /// The schema states something else.
        Contradicted = "contradicted",
        /// The schema does not have it.
        Missing = "missing",
        /// The schema has the operation or the name, and the change says something about it that was not understood.
        Unjudged = "placed, not judged",
        /// The schema has nothing that the change speaks of.
        Unplaced = "not placed",
        /// The schema has the change.
        Covered = "covered",
    }
}

/// The standing, with the reason and the places of the schema that it follows from.
pub(super) struct Judged {
    pub(super) standing: Standing,
    pub(super) says: String,
    pub(super) places: Vec<Place>,
}

/// The statements of a schema, as announced changes are compared with them.
pub(super) struct Known<'a> {
    api: &'a Api,
    facts: Vec<(Fact, Place)>,
    /// The observations and the rules.
    notes: Vec<Note<'a>>,
}

/// A sentence of the schema.
struct Note<'a> {
    says: &'a str,
    place: Place,
    stems: Vec<String>,
}

/// The likeness of a change and an observation that speak of the same, of 1000.
const ALIKE: usize = 450;

/// The likeness that is needed where no name and no number shows that both speak of the same, of 1000.
const ALIKE_IN_WORDS: usize = 700;

impl<'a> Known<'a> {
    pub(super) fn of(api: &'a Api) -> Self {
        let families = api.families.iter();
        let statements = families.flat_map(|family| {
            let of_operations = family.operations.iter().map(|operation| &operation.statements);
            std::iter::once(&family.statements).chain(of_operations)
        });
        let observed = statements.clone().flat_map(|all| &all.observed).chain(&api.observed);
        let rules = statements.flat_map(|all| &all.rules).map(|rule| (rule.says.as_str(), rule.place));
        let notes = observed.map(|one| (one.says.as_str(), one.place)).chain(rules);
        let note = |(says, place)| Note { says, place, stems: wording::stems(says) };
        Self { api, facts: api.facts_of(false).chain(api.facts_of(true)).collect(), notes: notes.map(note).collect() }
    }

    /// Compares an announced change with the schema.
    pub(super) fn judge(&self, document: &Document, headings: &str, text: Span<'_>) -> Judged {
        let subject = Subject::of(document, headings, text);
        let operations = self.operations(&subject);
        let names: Vec<&str> =
            subject.names.iter().copied().filter(|name| !operations.iter().any(|(id, _)| is_named(id, name))).collect();
        let mut claims = Vec::new();
        claims.extend(subject.paths.iter().map(|path| self.path(path, subject.action)));
        claims.extend(names.iter().map(|name| self.name(name, &operations, &subject)));
        claims.extend(subject.rates.iter().filter_map(|rate| self.rate(rate, &operations)));
        claims.extend(self.numbers(&subject, &names, &operations));
        // A sentence that says the same proves more than the parts, unless it says something of what is removed.
        if let Some(note) = self.note(&subject, &names, text)
            && (subject.action != Action::Removes || names.is_empty())
        {
            let places = claims.into_iter().flat_map(|claim| claim.places).chain([note]).collect();
            return Judged { standing: Standing::Covered, says: String::new(), places };
        }
        let placed: Vec<Place> = operations.iter().map(|(_, place)| *place).collect();
        let is_judged = |claim: &Judged| claim.standing != Standing::Unjudged;
        let Some(standing) = claims.iter().filter(|claim| is_judged(claim)).map(|claim| claim.standing).min() else {
            let places: Vec<Place> = claims.into_iter().flat_map(|claim| claim.places).chain(placed).collect();
            let standing = match (places.is_empty(), subject.action) {
                (true, _) => Standing::Unplaced,
                (false, Action::Adds) => Standing::Covered,
                (false, Action::Removes | Action::Changes) => Standing::Unjudged,
            };
            return Judged { standing, says: String::new(), places };
        };
        let deciding = || claims.iter().filter(|claim| claim.standing == standing);
        let says: Vec<&str> = deciding().map(|claim| claim.says.as_str()).filter(|says| !says.is_empty()).collect();
        let places = deciding().flat_map(|claim| claim.places.clone()).chain(placed).collect();
        Judged { standing, says: says.join("; "), places }
    }

    /// Returns the operations that a change names, by their paths, their names or their titles; of several families
    /// with the title, those that a heading above the change names.
    fn operations(&self, subject: &Subject<'_>) -> Vec<(&'a str, Place)> {
        let all = || self.api.operations();
        let named = |path: &str, name: &str| {
            let ends = |known: &&str| path.ends_with(&format!("/{}", known.trim_start_matches('/')));
            subject.paths.iter().any(ends) || subject.names.contains(&name)
        };
        let by_name = all().filter(|(_, one)| named(&one.path.text, &one.name));
        let by_name: Vec<_> = by_name.map(|(_, one)| (one.id.as_str(), one.place)).collect();
        if !by_name.is_empty() {
            return by_name;
        }
        let has_title = |title: &str| subject.words.contains(&format!(" {} ", title.to_lowercase()));
        let mut titled: Vec<_> = all().filter(|(_, one)| has_title(&one.title)).collect();
        let longest = titled.iter().map(|(_, one)| one.title.len()).max().unwrap_or_default();
        titled.retain(|(_, one)| one.title.len() == longest);
        let is_below = |family: &Family| subject.headings.contains(&family.name);
        if titled.iter().any(|(family, _)| is_below(family)) {
            titled.retain(|(family, _)| is_below(family));
        }
        titled.into_iter().map(|(_, one)| (one.id.as_str(), one.place)).collect()
    }

    fn path(&self, path: &str, action: Action) -> Judged {
        let ends = |known: &str| known.ends_with(&format!("/{}", path.trim_start_matches('/')));
        let places: Vec<Place> = self
            .facts
            .iter()
            .filter(|(fact, _)| matches!(fact, Fact::Endpoint { path: known, .. } if ends(known)))
            .map(|(_, place)| *place)
            .collect();
        presence(path, places, action)
    }

    /// Returns a name of a parameter, a field, a value or a code: of the operations, or else of their families. Without
    /// operations, of the families that the headings name and of those that no document describes, or else of any.
    fn name(&self, name: &str, operations: &[(&str, Place)], subject: &Subject<'_>) -> Judged {
        let action = subject.action;
        let of = |is_of: &dyn Fn(&str) -> bool| -> Vec<Place> {
            let has = |fact: &Fact| names_in(fact).is_some_and(|(owner, names)| is_of(owner) && names.contains(&name));
            self.facts.iter().filter(|(fact, _)| has(fact)).map(|(_, place)| *place).collect()
        };
        let is_operation = |owner: &str| operations.iter().any(|(id, _)| *id == owner);
        let family = |id: &str| id.split('.').next().unwrap_or_default().to_owned();
        let below = self.api.families.iter().filter(|one| one.is_observed() || subject.headings.contains(&one.name));
        let below: Vec<&str> = below.map(|one| one.name.as_str()).collect();
        let is_of_family = |owner: &str| match operations {
            [] => below.contains(&family(owner).as_str()),
            operations => operations.iter().any(|(id, _)| family(id) == family(owner)),
        };
        let codes = self.api.codes.iter().filter(|known| known.code == name).map(|known| known.place);
        let own: Vec<Place> = of(&is_operation).into_iter().chain(codes).collect();
        let mut places = if own.is_empty() { of(&is_of_family) } else { own };
        if places.is_empty() && operations.is_empty() {
            places = of(&|_| true);
        }
        // A value that ends is there, with its end.
        if action == Action::Removes && self.has_end(name) {
            return Judged { standing: Standing::Covered, says: String::new(), places };
        }
        presence(name, places, action)
    }

    fn has_end(&self, value: &str) -> bool {
        let mut values = self.api.families.iter().flat_map(|family| &family.enums).flat_map(|all| &all.values);
        values.any(|known| known.name.wire == value && matches!(known.dates, Dates { until: Some(_), .. }))
    }

    fn rate(&self, rate: &Rate, operations: &[(&str, Place)]) -> Option<Judged> {
        let rates = self.facts.iter().filter_map(|(fact, place)| match fact {
            Fact::Rate { operation, calls, every, .. } if operations.iter().any(|(id, _)| id == operation) => {
                Some((u64::from(*calls), *every, *place))
            }
            _ => None,
        });
        let rates: Vec<(u64, Duration, Place)> = rates.collect();
        let first = rates.first()?;
        let same: Vec<Place> = rates
            .iter()
            .filter(|(calls, every, _)| *calls == rate.calls && every.is_as_long_as(rate.every))
            .map(|(.., place)| *place)
            .collect();
        Some(if same.is_empty() {
            let says = format!("the schema has {}/{}", first.0, first.1.window());
            Judged { standing: Standing::Contradicted, says, places: rates.iter().map(|(.., place)| *place).collect() }
        } else {
            Judged { standing: Standing::Covered, says: String::new(), places: same }
        })
    }

    /// Returns the numbers of a change, of which one is a bound or a window of the operations; `None` where there is
    /// nothing to compare.
    fn numbers(&self, subject: &Subject<'_>, names: &[&str], operations: &[(&str, Place)]) -> Option<Judged> {
        if subject.numbers.is_empty() || !subject.rates.is_empty() || operations.is_empty() {
            return None;
        }
        let is_meant = |operation: &String, path: Option<&String>| {
            let is_named = |path: &String| names.is_empty() || names.iter().any(|name| path.ends_with(name));
            operations.iter().any(|(id, _)| id == operation) && path.is_none_or(is_named)
        };
        let stated = self.facts.iter().filter_map(|(fact, place)| match fact {
            Fact::ParameterMax { operation, path, max } if is_meant(operation, Some(path)) => {
                Some((max.clone(), *place))
            }
            Fact::Window { operation, length, .. } if is_meant(operation, None) => Some((length.n.to_string(), *place)),
            _ => None,
        });
        let stated: Vec<(String, Place)> = stated.collect();
        let is_one = |(known, _): &&(String, Place)| subject.numbers.iter().any(|number| number == known);
        let same: Vec<Place> = stated.iter().filter(is_one).map(|(_, place)| *place).collect();
        let numbers = subject.numbers.join(", ");
        Some(match (same.is_empty(), stated.first()) {
            (false, _) => Judged { standing: Standing::Covered, says: String::new(), places: same },
            (true, Some((known, place))) => {
                let says = format!("the schema has {known}, not {numbers}");
                Judged { standing: Standing::Contradicted, says, places: vec![*place] }
            }
            (true, None) => {
                Judged { standing: Standing::Missing, says: format!("the schema lacks {numbers}"), places: Vec::new() }
            }
        })
    }

    /// Returns the observation or rule that says the same: it has all names and numbers of the change, and similar
    /// words.
    fn note(&self, subject: &Subject<'_>, names: &[&str], text: Span<'_>) -> Option<Place> {
        let stems = wording::stems(text.text);
        let rates = subject.rates.iter().map(|rate| rate.calls.to_string());
        let numbers: Vec<String> = subject.numbers.iter().map(|number| (*number).to_owned()).chain(rates).collect();
        let says_all = |note: &&Note<'_>| {
            let has = |text: &str| note.stems.iter().any(|stem| stem == &text.to_lowercase());
            let plain = wording::canonical(note.says);
            let has_number = |number: &String| wording::stems(&plain).iter().any(|stem| stem == number);
            let has_name = |name: &&str| note.says.contains(*name) || has(name);
            numbers.iter().all(has_number) && names.iter().all(has_name)
        };
        let likeness = |note: &Note<'_>| wording::likeness(&stems, &note.stems);
        let best = self.notes.iter().filter(says_all).max_by_key(|note| likeness(note))?;
        let enough = if numbers.is_empty() && names.is_empty() { ALIKE_IN_WORDS } else { ALIKE };
        (likeness(best) >= enough).then_some(best.place)
    }
}

/// Returns the standing to a name that is in the schema at some places, or nowhere.
fn presence(name: &str, places: Vec<Place>, action: Action) -> Judged {
    let (standing, says) = match (action, places.is_empty()) {
        (Action::Removes, false) => (Standing::Contradicted, format!("the schema has `{name}`")),
        (Action::Removes, true) | (Action::Adds, false) => (Standing::Covered, String::new()),
        (Action::Changes, false) => (Standing::Unjudged, String::new()),
        (Action::Adds | Action::Changes, true) => (Standing::Missing, format!("the schema lacks `{name}`")),
    };
    Judged { standing, says, places }
}

/// Returns whether a name is that of an operation: the last part of its id.
fn is_named(id: &str, name: &str) -> bool {
    id.split_once('.').is_some_and(|(_, known)| known == name)
}

/// Returns the subject of a fact and its names on the wire.
fn names_in(fact: &Fact) -> Option<(&str, Vec<&str>)> {
    let last = |path: &'_ str| path.rsplit(['.', ']']).next().map(str::len).unwrap_or_default();
    Some(match fact {
        Fact::Parameter { operation, path, .. } | Fact::ResponseField { operation, path, .. } => {
            (operation, vec![path, &path[path.len() - last(path)..]])
        }
        Fact::ParameterValue { operation, value, .. } => (operation, vec![value]),
        Fact::RecordField { record, field, .. } => (record, vec![field]),
        Fact::RecordValue { record, value, .. } => (record, vec![value]),
        Fact::Error { family, code, .. } => (family, vec![code]),
        Fact::State { family, state } => (family, vec![state]),
        Fact::Header { operation, header } => (operation, vec![header]),
        _ => return None,
    })
}
