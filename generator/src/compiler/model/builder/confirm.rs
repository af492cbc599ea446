//! Outcomes of requests: the rows of `api.yaml`, and how operations confirm theirs.

use super::{Builder, FamilyBuilder, placed};
use crate::compiler::diagnostics::Code;
use crate::compiler::load::{Named, Spanned, Texts, raw};
use crate::compiler::model::{CallResult, Confirm, Echoes, NamesWithin, OutcomeRow, Repeat, RowOutcome};

impl Builder<'_> {
    pub(super) fn outcome_row(&mut self, raw: &Spanned<raw::OutcomeRow>) -> Option<OutcomeRow> {
        let why = self.need(&raw.why, "why", raw.place);
        for (key, is_missing) in [("when", raw.when.is_none()), ("outcome", raw.outcome.is_none())] {
            if is_missing {
                self.missing(key, raw.place);
            }
        }
        let when = raw.when.as_ref()?;
        // If the outcome is missing, a value that passes the checks, so that only the missing key is reported.
        let fitting = match when.value {
            CallResult::Success => RowOutcome::Done,
            when if when.may_be_sent() => RowOutcome::Unknown,
            _ => RowOutcome::NotDone,
        };
        let outcome = raw.outcome.as_ref().map_or(fitting, |outcome| outcome.value);
        Some(OutcomeRow { place: when.place, when: when.value, outcome, why })
    }
}

impl FamilyBuilder<'_, '_> {
    pub(super) fn confirm(&mut self, raw: &Option<Confirm>) -> Option<Confirm> {
        let confirm = raw.as_ref()?;
        if confirm.ids.is_empty() && confirm.find.is_empty() {
            self.builder.missing("ids", confirm.place);
        }
        Some(confirm.clone())
    }

    pub(super) fn echoes(&mut self, raw: &raw::Operation) -> Option<Echoes> {
        if let (Some(first), Some(second)) = (&raw.echoes, &raw.echoes_one_of) {
            self.builder
                .to
                .at(second.place, Code::Misplaced, "`echoes` and `echoes_one_of` exclude each other")
                .related(first.place, "`echoes` is here")
                .help("keep `echoes` if every id must agree, or `echoes_one_of` if one is enough");
        }
        let (ids, one_is_enough) = match (&raw.echoes, &raw.echoes_one_of) {
            (Some(all), _) => (all, false),
            (None, Some(one_of)) => (one_of, true),
            (None, None) => {
                let also = raw.echoes_also.as_ref()?;
                return Some(Echoes { place: also.place, ids: Vec::new(), also: several(also), one_is_enough: false });
            }
        };
        let also = raw.echoes_also.as_ref().map(|also| several(also)).unwrap_or_default();
        Some(Echoes { place: ids.place, ids: several(ids), also, one_is_enough })
    }

    pub(super) fn repeat(&mut self, raw: &Option<Repeat>) -> Option<Repeat> {
        let repeat = raw.as_ref()?;
        if let Some((_, place)) = repeat.kept.filter(|_| repeat.by_key.is_none()) {
            self.refuse_keys(&[("kept", Some(place))], "requires `by_key`");
        }
        Some(repeat.clone())
    }
}

fn several(raw: &Named<Texts>) -> Vec<NamesWithin> {
    raw.iter().map(|(one, others)| (placed(one), others.iter().map(placed).collect())).collect()
}
