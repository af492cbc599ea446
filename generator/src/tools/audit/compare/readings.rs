//! Contradictions of the document that the schema knows: an entry of `contradictions` that names both readings.

use std::collections::BTreeSet;

use super::Comparison;
use crate::tools::audit::describe::{of_key, of_value};
use crate::tools::audit::findings::{FactKey, Statement};
use crate::tools::audit::wording::canonical;

impl Comparison<'_> {
    /// Returns whether an entry names what the statement says and what the document states elsewhere.
    pub(super) fn is_known_change(&self, statement: &Statement, elsewhere: &str) -> bool {
        let (here, elsewhere) = (words(&of_value(&statement.key, &statement.value)), words(elsewhere));
        let only = |one: &BTreeSet<String>, other| one.difference(other).cloned().collect::<BTreeSet<_>>();
        self.is_known(&statement.key, &only(&here, &elsewhere), &only(&elsewhere, &here))
    }

    /// Returns whether an entry names what one place states and another leaves out.
    pub(super) fn is_known_gap(&self, key: &FactKey) -> bool {
        self.is_known(key, &BTreeSet::new(), &words(key.last().map_or("", String::as_str)))
    }

    /// Returns whether two readings of an entry for the owner, or for a family, have the words of one place each.
    fn is_known(&self, key: &FactKey, here: &BTreeSet<String>, elsewhere: &BTreeSet<String>) -> bool {
        let is_of = |owner: &str| {
            key.owner().is_some_and(|own| own == owner) || self.claims.families.iter().any(|one| one.name == owner)
        };
        let entries = self.claims.contradictions.iter().filter(|(owner, _)| is_of(owner));
        entries.into_iter().any(|(_, entry)| {
            let readings: Vec<BTreeSet<String>> = entry.readings.iter().map(|reading| words(reading)).collect();
            let reads = |wanted: &BTreeSet<String>, but: Option<usize>| {
                let mut fitting = readings.iter().enumerate().filter(|(index, _)| Some(*index) != but);
                fitting.find(|(_, reading)| wanted.is_subset(reading)).map(|(index, _)| index)
            };
            names_subject(key, &entry.id, &entry.readings)
                && reads(elsewhere, None).is_some_and(|index| reads(here, Some(index)).is_some())
        })
    }
}

/// Returns whether the id or a reading has the name that the fact is about, if it is about a name.
fn names_subject(key: &FactKey, id: &str, readings: &[String]) -> bool {
    let name = key.name().map(|name| name.rsplit('.').next().unwrap_or(name));
    let is_said = |name: &str| id.contains(name) || readings.iter().any(|reading| reading.contains(name));
    name.filter(|name| of_key(key).contains(name) && name.contains(char::is_alphanumeric)).is_none_or(is_said)
}

/// Returns the words of a text, in lower case; a number with its point is one.
fn words(text: &str) -> BTreeSet<String> {
    let text = canonical(text).to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '.' && c != '-' && c != '_');
    words.map(|word| word.trim_matches(['.', '-'])).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
