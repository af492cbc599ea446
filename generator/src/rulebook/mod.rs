//! Every rule of the API, counted: those that the schema writes out, and those that follow from its other keys.
//!
//! 1. **book**: the rules of an operation, each with an id, a place in the document and a kind; [`derived`] are those
//!    that come with a parameter, a window, a rate and so on.
//! 2. **judge**: which checked rules a request breaks, read from the model by interpreting it. The emitted checks have
//!    to come to the same; they share nothing with this but the schema.
//! 3. **cases**: for each checked rule requests that break it and nothing else, and requests at its edge that keep it,
//!    made from the rule's own data.

mod calendar;
mod cases;
mod derived;
mod drafts;
mod edges;
mod goals;
mod judge;
mod number;

use crate::model::{Api, Family, Identifier, ListName, Operation, Parameter, Rule, RuleKind, Severity, Window};

pub use cases::Case;
pub(crate) use cases::cases;
pub(crate) use judge::judge;

/// How long past its limit a time may be, for clocks differ and time passes between making a request and checking it.
const ACCESS_TOLERANCE_MS: u64 = 60_000;

/// 2026-09-21, 14:13:20 UTC.
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

/// What a checked rule checks.
#[derive(Clone, Debug)]
pub(crate) enum Check<'a> {
    /// One parameter by itself.
    Parameter(Leaf<'a>, Bound<'a>),
    Window(&'a Window, WindowRule),
    /// A rule that the schema writes out.
    Written(&'a Rule),
}

/// What bounds one parameter.
#[derive(Clone, Debug)]
pub(crate) enum Bound<'a> {
    Values(Vec<&'a str>),
    Shape(&'a Identifier),
    Min(&'a str),
    Max(&'a str),
    Digits(u32),
    MinItems(u64),
    MaxItems(u64),
    /// A value that is set is not written as a deletion is.
    Edit(&'a str),
}

/// A rule of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowRule {
    Pair,
    Order,
    Span,
    Access,
}

/// A parameter, and the list whose items have it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf<'a> {
    pub(crate) list: Option<&'a ListName>,
    pub(crate) parameter: &'a Parameter,
}

impl Leaf<'_> {
    /// The path as rule ids have it: `orderList[].size`; empty for a body that is a list itself.
    pub(crate) fn path(&self) -> String {
        if self.parameter.is_body() {
            return String::new();
        }
        self.list.map(ListName::item_prefix).unwrap_or_default() + &self.parameter.name.wire
    }
}

/// The rules of an operation: first those that are written out.
pub(crate) fn of_operation<'a>(family: &'a Family, operation: &'a Operation) -> Vec<Entry<'a>> {
    let mut entries: Vec<_> = operation.statements.rules.iter().map(written).collect();
    entries.extend(derived::of_operation(family, operation));
    entries
}

/// The rules of a family that belong to no single operation.
pub(crate) fn of_family(family: &Family) -> Vec<Entry<'_>> {
    let mut entries: Vec<_> = family.statements.rules.iter().map(written).collect();
    entries.extend(derived::of_family(family));
    entries
}

/// The rules of the whole API, each with what it is about: a family or an operation.
pub(crate) fn book(api: &Api) -> Vec<(&str, Entry<'_>)> {
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

/// Every single parameter of a request: members of choices beside the others, and those of items.
pub(crate) fn leaves<'a>(family: &'a Family, operation: &'a Operation) -> Vec<Leaf<'a>> {
    let wires = operation.wire_parameters(family).into_iter();
    wires.filter_map(|wire| Some(Leaf { list: wire.list, parameter: wire.parameter()? })).collect()
}
