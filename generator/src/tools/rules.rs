//! All rules of the API: those that the schema writes out, and those that follow from other keys.
//!
//! 1. **entries**: the rules of an operation, each with an id, a place in the document and a kind; [`derived`] makes
//!    those that follow from a parameter, a window, a rate and so on.
//! 2. **evaluate**: an interpreter of the checked rules. The emitted checks must give the same results; they share only
//!    the schema with it.
//! 3. **examples**: checks that need all rules; examples keep them.
//! 4. **cases**: for each checked rule, requests that break only this rule, and requests at its edge that keep it.

mod cases;
mod derived;
mod drafts;
mod evaluate;

use serde_json::Value;

use self::evaluate::{Evaluator, broken};
use crate::compiler::check;
use crate::compiler::diagnostics::{Code, Diagnostics, Place};
use crate::compiler::model::{
    AnswerPath, Api, Example, Family, Identifier, ListName, Operation, Parameter, Rule, RuleKind, Severity, Step,
    Window,
};

pub use cases::Case;
pub(crate) use cases::cases;
pub(crate) use drafts::boolean;
pub(crate) use evaluate::evaluate;

/// The time of the check in all cases: 2026-09-21, 14:13:20 UTC.
const NOW: u64 = 1_790_000_000_000;

/// A rule of an operation or of a family.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) id: String,
    pub(crate) at: String,
    pub(crate) kind: RuleKind,
    pub(crate) severity: Severity,
    pub(crate) says: String,
    pub(crate) check: Option<Check<'a>>,
}

/// The condition of a checked rule.
#[derive(Clone, Debug)]
pub(crate) enum Check<'a> {
    /// One parameter is within a bound.
    Parameter(Leaf<'a>, Bound<'a>),
    Window(&'a Window, WindowRule),
    /// A rule that the schema writes out.
    Written(&'a Rule),
}

/// A bound of one parameter.
#[derive(Clone, Debug)]
pub(crate) enum Bound<'a> {
    Values(Vec<&'a str>),
    Shape(&'a Identifier),
    Min(&'a str),
    Max(&'a str),
    Digits(u32),
    /// The shortest and the longest length of a text.
    Length(u32, u32),
    Pattern(&'a str),
    /// The greatest number of decimal places.
    Places(u32),
    SignificantDigits(u32),
    /// The most decimal places of a number that travels as an integer.
    Scale(u8),
    MinItems(u64),
    MaxItems(u64),
    /// Only this text deletes the value; other texts for the same number are refused.
    Edit(&'a str),
}

/// A rule about a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowRule {
    Pair,
    Order,
    Span,
    Access,
}

/// A parameter with the list whose items have it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf<'a> {
    pub(crate) list: Option<&'a ListName>,
    pub(crate) parameter: &'a Parameter,
}

impl Leaf<'_> {
    /// Returns the path in the ids of rules: `orderList[].size`; empty if the body is the list.
    pub(crate) fn path(&self) -> String {
        if self.parameter.is_body() {
            return String::new();
        }
        self.list.map(ListName::item_prefix).unwrap_or_default() + &self.parameter.name.wire
    }
}

/// Returns the rules of an operation, with those that are written out first.
pub(crate) fn of_operation<'a>(family: &'a Family, operation: &'a Operation) -> Vec<Entry<'a>> {
    let mut entries: Vec<_> = operation.statements.rules.iter().map(written).collect();
    entries.extend(derived::of_operation(family, operation));
    entries
}

/// Returns the rules of a family that belong to no single operation.
pub(crate) fn of_family(family: &Family) -> Vec<Entry<'_>> {
    let mut entries: Vec<_> = family.statements.rules.iter().map(written).collect();
    entries.extend(derived::of_family(family));
    entries
}

/// Returns all rules, each with the name of the family or the id of the operation that it belongs to.
pub(crate) fn all(api: &Api) -> Vec<(&str, Entry<'_>)> {
    let of_families =
        api.families.iter().flat_map(|family| of_family(family).into_iter().map(|entry| (family.name.as_str(), entry)));
    let of_operations = api.operations().flat_map(|(family, operation)| {
        of_operation(family, operation).into_iter().map(|entry| (operation.id.as_str(), entry))
    });
    of_families.chain(of_operations).collect()
}

fn written(rule: &Rule) -> Entry<'_> {
    Entry {
        id: rule.id.clone(),
        at: rule.at.clone(),
        kind: rule.kind,
        severity: rule.severity,
        says: rule.says.clone(),
        check: (rule.kind == RuleKind::Checked).then_some(Check::Written(rule)),
    }
}

/// Returns every single parameter of a request, including members of choices and parameters of items.
pub(crate) fn leaves<'a>(family: &'a Family, operation: &'a Operation) -> Vec<Leaf<'a>> {
    let wires = operation.wire_parameters(family).into_iter();
    wires.filter_map(|wire| Some(Leaf { list: wire.list, parameter: wire.parameter()? })).collect()
}

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

/// Checks that ids are free: every rule is switched off by its id, so a rule that is written out has none that follows
/// from a key.
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
