//! Examples keep the rules, and the rules that are written out have other ids than those that follow from keys.

use serde_json::Value;

use super::evaluate::{Evaluator, broken};
use super::{Check, Entry, leaves, of_operation};
use crate::compiler::check;
use crate::compiler::diagnostics::{Code, Diagnostics, Place};
use crate::compiler::model::{AnswerPath, Api, Example, Family, Operation, Severity, Step};

/// Checks the rules of all operations that have no mistake so far.
pub(crate) fn check(api: &Api, to: &mut Diagnostics) {
    // Without the types of a missing file, rules cannot be judged.
    if to.iter().any(|mistake| mistake.place.is_none()) {
        return;
    }
    for (family, operation) in check::comparable(api, to) {
        let entries = of_operation(family, operation);
        ids_are_free(operation, &entries, to);
        // Bounds of single parameters are reported when the examples are read.
        let entries: Vec<Entry<'_>> = entries.into_iter().filter(can_be_broken).collect();
        for example in &operation.examples {
            keeps_rules(api, family, operation, &entries, example, to);
        }
    }
}

/// Every rule is switched off by its id, so a rule that is written out has none that follows from a key.
fn ids_are_free(operation: &Operation, entries: &[Entry<'_>], to: &mut Diagnostics) {
    let (_, derived) = entries.split_at(operation.statements.rules.len());
    for rule in &operation.statements.rules {
        if derived.iter().any(|entry| entry.id == rule.id) {
            to.at(
                rule.place,
                Code::DefinedTwice,
                format!("duplicate rule id `{}`: a rule that follows from another key has it", rule.id),
            )
            .help("rename it");
        }
    }
}

fn can_be_broken(entry: &Entry<'_>) -> bool {
    entry.severity == Severity::Refuse && matches!(entry.check, Some(Check::Window(..) | Check::Written(_)))
}

fn keeps_rules(
    api: &Api,
    family: &Family,
    operation: &Operation,
    entries: &[Entry<'_>],
    example: &Example,
    to: &mut Diagnostics,
) {
    let (text, place) = &example.request;
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    let Some((request, answer)) = read(text).zip(read(&example.response.0)) else { return };
    if is_refusal(api, &answer) {
        return;
    }
    // What the account is like, and when the request was sent, is unknown.
    let (leaves, account) = (&leaves(family, operation), &Value::Null);
    let evaluate = Evaluator { family, leaves, request: &request, account, now: None };
    for entry in broken(entries, &evaluate) {
        let says = entry.says.trim_end_matches('.');
        let mut report = to.at(*place, Code::BadExample, format!("the request breaks the rule `{}`: {says}", entry.id));
        if let Some(rule) = place_of(entry) {
            report = report.related(rule, "the rule is here");
        }
        report.help("correct one of them");
    }
}

fn place_of(entry: &Entry<'_>) -> Option<Place> {
    match entry.check.as_ref()? {
        Check::Written(rule) => Some(rule.written),
        Check::Window(window, _) => Some(window.place),
        Check::Parameter(..) => None,
    }
}

/// Returns whether the exchange refuses the request, which then may break rules.
fn is_refusal(api: &Api, answer: &Value) -> bool {
    let Some(envelope) = &api.envelope else { return false };
    let code = envelope.code.iter().find_map(|path| at(answer, path));
    code.is_some_and(|code| envelope.success.as_deref() != Some(code.as_str().unwrap_or(&code.to_string())))
}

fn at<'v>(answer: &'v Value, path: &AnswerPath) -> Option<&'v Value> {
    path.0.iter().try_fold(answer, |value, step| match step {
        Step::Member(name) => value.get(name),
        Step::Item(index) => value.get(index),
    })
}
