//! The cases of a decision: whatever values its parameters have, exactly one case fits.

use super::conditions;
use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::model::{
    Api, Conversion, CounterpartCase, CounterpartDecision, Need, PropertyKind, Request, Shape, Type, WireParameter,
    Worth,
};

/// More combinations of values than a decision of people has.
const TOO_MANY: usize = 10_000;

/// A parameter or a property of the account, and the values that it can have; `None` stands for one that is left out.
struct Subject<'a> {
    name: &'a str,
    values: Vec<Option<&'a str>>,
    /// The value that counts if it is left out.
    default: Option<&'a str>,
}

/// Checks that the cases cover everything and exclude each other.
pub(super) fn check(api: &Api, conversion: &Conversion<'_>, decision: &CounterpartDecision, to: &mut Diagnostics) {
    let cases = &decision.cases;
    for case in cases.iter().filter(|case| case.refused.is_some() && !case.then.is_empty()) {
        to.at(case.place, Code::BadCounterpart, "a case has `then` and is `refused`").help("remove one of them");
    }
    let Some(subjects) = subjects(api, conversion, cases) else { return };
    let count = subjects.iter().fold(1_usize, |count, subject| count.saturating_mul(subject.values.len()));
    if count > TOO_MANY {
        to.at(
            decision.place,
            Code::BadCounterpart,
            format!("the cases of a decision have {count} combinations of values"),
        )
        .help("split it into decisions that name fewer parameters");
        return;
    }
    for number in 0..count {
        let chosen = combination(&subjects, number);
        let mut fitting = cases.iter().filter(|case| holds(case, &subjects, &chosen));
        match (fitting.next(), fitting.next()) {
            (Some(_), None) => {}
            (None, _) => {
                to.at(
                    decision.place,
                    Code::BadCounterpart,
                    format!("no case fits when {}", in_words(&subjects, &chosen)),
                )
                .help("add a case; one to which nothing corresponds is `refused`, with the reason");
                return;
            }
            (Some(first), Some(second)) => {
                let message = format!("two cases fit when {}", in_words(&subjects, &chosen));
                to.at(second.place, Code::BadCounterpart, message)
                    .related(first.place, format!("when {}", conditions(&first.when)))
                    .help("name more values in one of them, or remove it");
                return;
            }
        }
    }
}

/// Returns whether the values of a parameter are listed: those of an enum or of a boolean.
pub(super) fn has_values(of: &Request<'_>, wire: &WireParameter<'_>) -> bool {
    !values_of(of, wire).is_empty()
}

fn values_of<'a>(of: &Request<'a>, wire: &WireParameter<'a>) -> Vec<&'a str> {
    let is_boolean = wire.parameter().is_some_and(|one| matches!(one.shape, Shape::One(Type::Boolean(_))));
    match (is_boolean, of.enum_of(wire)) {
        (true, _) => vec!["true", "false"],
        (false, Some(_)) => wire.values(of.family).into_iter().map(|(value, _)| value).collect(),
        (false, None) => Vec::new(),
    }
}

/// Returns the names in the cases, in the order in which they are first written; `None` if one or a value of it cannot
/// be decided, which was reported.
fn subjects<'a>(api: &'a Api, conversion: &Conversion<'a>, cases: &'a [CounterpartCase]) -> Option<Vec<Subject<'a>>> {
    let mut subjects: Vec<Subject<'a>> = Vec::new();
    for ((name, _), values) in cases.iter().flat_map(|case| &case.when) {
        if !subjects.iter().any(|known| known.name == name) {
            subjects.push(subject(api, conversion, name)?);
        }
        let known = subjects.iter().find(|known| known.name == name)?;
        if values.iter().any(|(value, _)| !known.values.contains(&Some(value))) {
            return None;
        }
    }
    Some(subjects)
}

fn subject<'a>(api: &'a Api, conversion: &Conversion<'a>, name: &'a str) -> Option<Subject<'a>> {
    if let Some(property) = name.strip_prefix(Worth::OF_ACCOUNT) {
        let property = api.account.as_ref()?.properties.iter().find(|known| known.name.wire == property)?;
        let PropertyKind::Words(_, words) = &property.kind else { return None };
        let values = words.iter().map(|word| Some(word.name.wire.as_str())).collect();
        return Some(Subject { name, values, default: None });
    }
    let from = &conversion.from;
    let wire = from.find(name)?;
    let listed = values_of(from, &wire);
    let given = if listed.is_empty() { vec![CounterpartCase::GIVEN] } else { listed };
    let absent = (wire.need() != Need::Always).then_some(None);
    let default = wire.parameter().and_then(|one| one.default.as_ref()).map(|(default, _)| default.as_str());
    Some(Subject { name, values: given.into_iter().map(Some).chain(absent).collect(), default })
}

/// Returns the values of the combination with this number.
fn combination<'a>(subjects: &[Subject<'a>], mut number: usize) -> Vec<Option<&'a str>> {
    let choose = |subject: &Subject<'a>| {
        let at = number % subject.values.len();
        number /= subject.values.len();
        subject.values[at]
    };
    subjects.iter().map(choose).collect()
}

fn holds(case: &CounterpartCase, subjects: &[Subject<'_>], chosen: &[Option<&str>]) -> bool {
    case.when.iter().all(|((name, _), values)| {
        let found = subjects.iter().zip(chosen).find(|(subject, _)| subject.name == name);
        let is_one = |value: &str| values.iter().any(|(known, _)| known == value);
        match found {
            Some((_, Some(value))) => is_one(value),
            Some((subject, None)) => values.is_empty() || subject.default.is_some_and(is_one),
            None => false,
        }
    })
}

fn in_words(subjects: &[Subject<'_>], chosen: &[Option<&str>]) -> String {
    let words = subjects.iter().zip(chosen).map(|(subject, value)| match value {
        Some(value) => format!("`{}` is {value}", subject.name),
        None => format!("`{}` is left out", subject.name),
    });
    words.collect::<Vec<_>>().join(" and ")
}
