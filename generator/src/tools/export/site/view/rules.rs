//! Rules, each with its place, the parameters that it concerns, and its proof.

use std::collections::{BTreeMap, BTreeSet};

use crate::compiler::diagnostics::Place;
use crate::compiler::model::{Condition, Family, ListName, Operation, Rule, RuleKind, Severity, Test, WireParameter};
use crate::tools::export::site::address::Anchors;
use crate::tools::export::site::view::{RuleTest, RuleTests};
use crate::tools::rules::{self, Case, Check, Entry};

/// A rule with its proof.
pub(in crate::tools::export::site) struct RuleView<'a> {
    pub(in crate::tools::export::site) anchor: String,
    pub(in crate::tools::export::site) id: String,
    pub(in crate::tools::export::site) kind: RuleKind,
    pub(in crate::tools::export::site) warns: bool,
    pub(in crate::tools::export::site) says: String,
    pub(in crate::tools::export::site) why: Option<&'a str>,
    /// The condition in words; empty if there is none beyond the text of the rule.
    pub(in crate::tools::export::site) test: String,
    /// The places in the document, separated by semicolons.
    pub(in crate::tools::export::site) at: String,
    /// The main document of the rule.
    pub(in crate::tools::export::site) document: Option<&'a str>,
    /// The test that demonstrates it.
    pub(in crate::tools::export::site) test_of: Option<&'a RuleTest>,
    pub(in crate::tools::export::site) place: Place,
    /// True if the schema writes it out; other rules follow from a parameter, a window or a rate.
    pub(in crate::tools::export::site) is_written: bool,
    /// Groups of parameters where one is always required.
    pub(in crate::tools::export::site) one_of: Vec<Vec<String>>,
    /// The paths of parameters that the operation does not support.
    pub(in crate::tools::export::site) unsupported: Vec<String>,
    /// The paths of the parameters that it concerns.
    pub(in crate::tools::export::site) concerned_parameters: BTreeSet<String>,
    pub(in crate::tools::export::site) refused: Vec<&'a Case>,
    pub(in crate::tools::export::site) accepted: Vec<&'a Case>,
}

pub(super) struct RuleReader<'a, 'c> {
    pub(super) family: &'a Family,
    pub(super) operation: Option<&'a Operation>,
    pub(super) cases: &'c BTreeMap<(&'c str, &'c str), Vec<&'a Case>>,
    pub(super) tests: &'a RuleTests,
    pub(super) anchors: Anchors,
}

impl<'a> RuleReader<'a, '_> {
    /// Returns all rules, with those that are written out first.
    pub(super) fn all(mut self, written: &[&'a Rule], entries: Vec<Entry<'a>>) -> Vec<RuleView<'a>> {
        let written = written.iter().map(|rule| Some(*rule)).chain(std::iter::repeat(None));
        entries.into_iter().zip(written).map(|(entry, rule)| self.one(entry, rule)).collect()
    }

    fn one(&mut self, entry: Entry<'a>, written: Option<&'a Rule>) -> RuleView<'a> {
        let about = self.operation.map_or(self.family.name.as_str(), |operation| &operation.id);
        let cases = self.cases.get(&(about, entry.id.as_str())).map(Vec::as_slice).unwrap_or_default();
        let of = |breaks: bool| cases.iter().copied().filter(move |case| case.breaks == breaks).collect();
        RuleView {
            anchor: self.anchors.of("rule", &entry.id),
            kind: entry.kind,
            warns: entry.severity == Severity::Warn,
            why: written.and_then(|rule| rule.why.as_deref()),
            document: self.document(),
            test_of: self.tests.of(about, &entry.id),
            test: written.map(test_in_words).unwrap_or_default(),
            place: self.place(&entry, written),
            is_written: written.is_some(),
            one_of: written.map(one_of).unwrap_or_default(),
            unsupported: written.into_iter().flat_map(Rule::unsupported_paths).map(|(path, _)| path).collect(),
            concerned_parameters: self.concerned_parameters(&entry, written),
            refused: of(true),
            accepted: of(false),
            id: entry.id,
            says: entry.says,
            at: entry.at,
        }
    }

    fn document(&self) -> Option<&'a str> {
        let of_operation = self.operation.and_then(|operation| operation.source.as_ref());
        of_operation.or(self.family.source.as_ref()).map(|source| source.document())
    }

    fn place(&self, entry: &Entry<'a>, written: Option<&'a Rule>) -> Place {
        let of_operation = self.operation.map_or(self.family.place, |operation| operation.place);
        match (&entry.check, written) {
            (_, Some(rule)) => rule.place,
            (Some(Check::Parameter(leaf, _)), None) => leaf.parameter.name.place,
            (Some(Check::Window(window, _)), None) => window.place,
            (Some(Check::Written(_)) | None, None) => {
                self.named(&entry.id).map_or(of_operation, |leaf| leaf.parameter.name.place)
            }
        }
    }

    /// Returns the parameter with which the id of a rule begins.
    fn named(&self, id: &str) -> Option<rules::Leaf<'a>> {
        let leaves = self.operation.map_or_else(Vec::new, |operation| rules::leaves(self.family, operation));
        leaves.into_iter().find(|leaf| id.strip_prefix(&leaf.path()).is_some_and(|rest| rest.starts_with('.')))
    }

    /// Returns the parameters that it tests, and those that its text or its place names.
    fn concerned_parameters(&self, entry: &Entry<'a>, written: Option<&'a Rule>) -> BTreeSet<String> {
        let Some(operation) = self.operation else { return BTreeSet::new() };
        let wires = operation.wire_parameters(self.family);
        let Some(rule) = written else {
            return match &entry.check {
                Some(Check::Window(window, _)) => [&window.from.text, &window.to.text].map(String::clone).into(),
                Some(Check::Parameter(..) | Check::Written(_)) | None => {
                    self.named(&entry.id).map(|leaf| leaf.path()).into_iter().collect()
                }
            };
        };
        let within = rule.within.as_ref().map(|(list, _)| list);
        let tested: Vec<&str> = match &rule.test {
            Some(Test::Same(name, _)) => vec![name],
            Some(Test::Unique(names)) => names.iter().map(|(name, _)| name.as_str()).collect(),
            Some(test @ Test::Condition { .. }) => test.conditions().flat_map(Condition::names).collect(),
            None => Vec::new(),
        };
        let is_word = |name: &str| {
            let mut words = rule.at.split(|c: char| !c.is_alphanumeric());
            words.any(|word| word == name) || says(&rule.says, name)
        };
        let touched = wires.iter().filter(|wire| {
            let name = wire.name.wire.as_str();
            (wire.list == within && tested.contains(&name)) || is_word(name)
        });
        touched.map(WireParameter::path).collect()
    }
}

/// Returns whether a text contains the name of a parameter, if the name cannot be a plain English word.
fn says(text: &str, name: &str) -> bool {
    let is_wire_word = name.chars().any(|c| c.is_uppercase() || c == '_') && !name.starts_with(char::is_uppercase);
    is_wire_word && text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

fn test_in_words(rule: &Rule) -> String {
    let Some(test) = &rule.test else { return String::new() };
    match &rule.within {
        Some((ListName::Body, _)) => format!("in each item of the body: {test}"),
        Some((ListName::Parameter(list) | ListName::Within(list), _)) => format!("in each item of {list}: {test}"),
        Some((ListName::Object(object), _)) => format!("in {object}: {test}"),
        None => test.to_string(),
    }
}

/// Groups of parameters where a rule always requires one.
fn one_of(rule: &Rule) -> Vec<Vec<String>> {
    let Some(Test::Condition { when, require, .. }) = &rule.test else { return Vec::new() };
    let prefix = rule.within.as_ref().map(|(list, _)| list.item_prefix()).unwrap_or_default();
    let wanted = require.iter().filter(|_| when.is_empty()).filter_map(|condition| match condition {
        Condition::AnyGiven(names) => Some(names.iter().map(|(name, _)| format!("{prefix}{name}")).collect()),
        Condition::Given(_)
        | Condition::HasForm { .. }
        | Condition::Is { .. }
        | Condition::AccountIs { .. }
        | Condition::Compares { .. }
        | Condition::Relates { .. }
        | Condition::Not(_) => None,
    });
    wanted.collect()
}
