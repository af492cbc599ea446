//! The operations and the rules as tables for a terminal.

use serde_json::{Value, json};

use crate::compiler::model::{Api, Operation, Rate, RuleKind, Severity};
use crate::tools::rules::{self, Case, Entry};

/// Returns one line for each operation: id, method, path, limits, effect.
pub(crate) fn table(api: &Api) -> String {
    let heading = ["operation", "method", "path", "limits", "effect"].map(str::to_owned);
    let rows = api.operations().map(|(_, operation)| {
        let rates: Vec<_> = operation.rates.iter().map(Rate::in_short).collect();
        [
            operation.id.clone(),
            operation.method.as_str().to_owned(),
            operation.path.text.clone(),
            rates.join(", "),
            operation.effect.as_str().to_owned(),
        ]
    });
    align(std::iter::once(heading).chain(rows).collect())
}

/// Returns one line for each rule: its subject, its id, its kind, the number of its test requests, its place in the
/// document and its text; then the number of rules of each kind.
pub(crate) fn rules(api: &Api, cases: &[Case]) -> String {
    let rules = rules::all(api);
    let case_counts = |about: &str, entry: &Entry<'_>| {
        case_count(cases, about, entry, true).zip(case_count(cases, about, entry, false))
    };
    let heading = ["about", "rule", "kind", "broken/kept", "place in the document", "what it says"].map(str::to_owned);
    let rows = rules.iter().map(|(about, entry)| {
        let kind = match (entry.kind, entry.severity) {
            (RuleKind::Checked, Severity::Warn) => "checked, warns".to_owned(),
            (kind, _) => kind.as_str().to_owned(),
        };
        let case_counts =
            case_counts(about, entry).map(|(broken, kept)| format!("{broken}/{kept}")).unwrap_or_default();
        [(*about).to_owned(), entry.id.clone(), kind, case_counts, entry.at.clone(), entry.says.clone()]
    });
    let count = |kind: RuleKind| rules.iter().filter(|(_, entry)| entry.kind == kind).count();
    let kinds = [RuleKind::Type, RuleKind::Checked, RuleKind::Limit, RuleKind::Simulated, RuleKind::Stated];
    let totals: Vec<_> = kinds.iter().map(|kind| format!("{} {}", count(*kind), kind.as_str())).collect();
    let all_counts: Vec<_> = rules.iter().filter_map(|(about, entry)| case_counts(about, entry)).collect();
    let covered = all_counts.iter().filter(|(broken, kept)| *broken > 0 && *kept > 0).count();
    format!(
        "{}\n{} rules: {}\n{covered} of {} checked rules have requests that break and keep them, {} in all\n",
        align(std::iter::once(heading).chain(rows).collect()),
        rules.len(),
        totals.join(", "),
        all_counts.len(),
        cases.len()
    )
}

/// Returns the operations as JSON, an object on each line.
pub(crate) fn table_as_json(api: &Api) -> String {
    let object = |operation: &Operation| {
        json!({
            "operation": operation.id,
            "method": operation.method.as_str(),
            "path": operation.path.text,
            "limits": operation.rates.iter().map(Rate::in_short).collect::<Vec<_>>(),
            "effect": operation.effect.as_str(),
        })
    };
    lines(api.operations().map(|(_, operation)| object(operation)))
}

/// Returns the rules as JSON, an object on each line.
pub(crate) fn rules_as_json(api: &Api, cases: &[Case]) -> String {
    let object = |about: &str, entry: &Entry<'_>| {
        json!({
            "about": about,
            "rule": entry.id,
            "kind": entry.kind.as_str(),
            "severity": entry.check.as_ref().map(|_| entry.severity.as_str()),
            "broken": case_count(cases, about, entry, true),
            "kept": case_count(cases, about, entry, false),
            "at": entry.at,
            "says": entry.says,
        })
    };
    lines(rules::all(api).iter().map(|(about, entry)| object(about, entry)))
}

/// Returns the number of test requests that break a rule, or keep it; `None` if it is not checked.
fn case_count(cases: &[Case], about: &str, entry: &Entry<'_>, breaks: bool) -> Option<usize> {
    let is_meant = |case: &&Case| case.operation == about && case.rule == entry.id && case.breaks == breaks;
    entry.check.as_ref().map(|_| cases.iter().filter(is_meant).count())
}

fn lines(objects: impl Iterator<Item = Value>) -> String {
    objects.map(|object| format!("{object}\n")).collect()
}

/// Pads every column but the last to its widest cell.
pub(crate) fn align<const N: usize>(rows: Vec<[String; N]>) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut out = String::new();
    for row in &rows {
        let cells: Vec<_> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out
}
