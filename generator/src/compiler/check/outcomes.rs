//! The table of outcomes: one plausible row for each way a call can end.

use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::model::{Api, CallResult, OutcomeRow, RowOutcome};

/// Checks `outcomes`. Without rows, the outcome of a request that may have been sent is unknown unless the answer is
/// clear.
pub(super) fn check(api: &Api, to: &mut Diagnostics) {
    for (index, row) in api.outcomes.iter().enumerate() {
        if let Some(first) = api.outcomes.iter().take(index).find(|first| first.when == row.when) {
            to.at(row.place, Code::DefinedTwice, format!("duplicate outcome for `{}`", row.when.as_str()))
                .related(first.place, "first defined here")
                .help("remove one of them");
        }
        if let Some((wrong, help)) = against_reason(row) {
            to.at(row.place, Code::BadOutcome, format!("`{}` {wrong}", row.when.as_str())).help(help);
        }
    }
    let Some(first) = api.outcomes.first().filter(|_| api.is_sound) else { return };
    let has_row = |when: &CallResult| api.outcomes.iter().any(|row| row.when == *when);
    let missing: Vec<_> = CallResult::ALL.iter().filter(|when| !has_row(when)).map(|when| when.as_str()).collect();
    if !missing.is_empty() {
        to.at(first.place, Code::BadOutcome, "missing outcomes")
            .help(format!("add a row for each of: {}", missing.join(", ")));
    }
}

fn against_reason(row: &OutcomeRow) -> Option<(&'static str, &'static str)> {
    match (row.when, row.outcome) {
        (when, outcome) if !when.may_be_sent() && outcome != RowOutcome::NotDone => {
            Some(("ends before anything is sent, so its outcome is `not_done`", "write `outcome: not_done`"))
        }
        (CallResult::Success, outcome) if outcome != RowOutcome::Done => {
            Some(("means that the request took effect", "write `outcome: done`"))
        }
        (when, RowOutcome::Done) if when != CallResult::Success => {
            Some(("does not show that the request took effect", "write `not_done` or `unknown`"))
        }
        (CallResult::ItemUnaccounted, outcome) if outcome != RowOutcome::Unknown => {
            Some(("means that the answer does not mention the item", "write `outcome: unknown`"))
        }
        (CallResult::ListedCode | CallResult::ObservedCode | CallResult::TooManyRequests, RowOutcome::ByCode) => None,
        (_, RowOutcome::ByCode) => {
            Some(("has no code, so its outcome cannot be `by_code`", "write `not_done` or `unknown`"))
        }
        _ => None,
    }
}
