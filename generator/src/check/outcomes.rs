//! What becomes of requests by how their calls end: told for every end, and not against reason.

use crate::diagnostics::{Code, Diagnostics};
use crate::load::raw::{Ending, Outcome, RowOutcome};
use crate::model::{Api, OutcomeRow};

/// The rows of `outcomes`; without any, what may be sent and has no clear answer is unknown.
pub(super) fn check(api: &Api, to: &mut Diagnostics) {
    for (index, row) in api.outcomes.iter().enumerate() {
        if let Some(first) = api.outcomes.iter().take(index).find(|first| first.when == row.when) {
            to.at(row.place, Code::DefinedTwice, format!("`{}` is told of already", row.when.as_str()))
                .related(first.place, "it is told of here")
                .help("take one of the two away");
        }
        if let Some((wrong, help)) = against_reason(row) {
            to.at(row.place, Code::BadOutcome, format!("`{}` {wrong}", row.when.as_str())).help(help);
        }
    }
    let Some(first) = api.outcomes.first().filter(|_| api.is_sound) else { return };
    let is_told = |when: &Ending| api.outcomes.iter().any(|row| row.when == *when);
    let missing: Vec<_> = Ending::ALL.iter().filter(|when| !is_told(when)).map(|when| when.as_str()).collect();
    if !missing.is_empty() {
        to.at(first.place, Code::BadOutcome, "not every end of a call is told of")
            .help(format!("add a row for each of: {}", missing.join(", ")));
    }
}

/// The codes that say that a timestamp was not taken: each once, and none that says something else.
pub(super) fn timestamp_codes(api: &Api, to: &mut Diagnostics) {
    let codes = api.credentials.as_ref().map_or(&[][..], |credentials| &credentials.timestamp_refused);
    let errors = || api.families.iter().flat_map(|family| &family.errors);
    for (index, (code, place)) in codes.iter().enumerate() {
        if let Some((_, first)) = codes.iter().take(index).find(|(first, _)| first == code) {
            to.at(*place, Code::DefinedTwice, format!("the code `{code}` is there twice"))
                .related(*first, "the first one")
                .help("take one of the two away");
        }
        if api.envelope.as_ref().is_some_and(|envelope| envelope.success == *code) {
            to.at(*place, Code::BadOutcome, format!("the code `{code}` is that of success"))
                .help("name the codes that refuse a timestamp, or mend the envelope");
        }
        if let Some(error) = errors().find(|error| error.code == *code && error.outcome == Outcome::Unknown) {
            to.at(*place, Code::BadOutcome, format!("after `{code}` nobody knows what became of a request"))
                .related(error.place, "it says so here")
                .help("take it away here, or `outcome: unknown` there");
        }
    }
}

fn against_reason(row: &OutcomeRow) -> Option<(&'static str, &'static str)> {
    match (row.when, row.outcome) {
        (when, outcome) if !when.may_be_sent() && outcome != RowOutcome::NotDone => {
            Some(("is before anything was sent, so nothing was done", "write `outcome: not_done`"))
        }
        (Ending::Success, outcome) if outcome != RowOutcome::Done => {
            Some(("is the answer that it was done", "write `outcome: done`"))
        }
        (when, RowOutcome::Done) if when != Ending::Success => {
            Some(("does not say that it was done", "write `not_done` or `unknown`"))
        }
        (Ending::ItemUnaccounted, outcome) if outcome != RowOutcome::Unknown => {
            Some(("is what no answer tells of", "write `outcome: unknown`"))
        }
        (when, RowOutcome::ByCode) if when != Ending::ListedCode => {
            Some(("comes without a code that says it", "write `not_done` or `unknown`"))
        }
        _ => None,
    }
}
