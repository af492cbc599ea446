//! Outcomes of requests: the rows of `api.yaml`, and how operations confirm theirs.

use super::{Builder, FamilyBuilder, placed};
use crate::diagnostics::Code;
use crate::load::{Named, Spanned, Text, Texts, raw};
use crate::model::{CallResult, Compound, Confirm, Echoes, NamesWithin, OutcomeRow, Pair, Repeat, RowOutcome};

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
    pub(super) fn confirm(&mut self, raw: &Spanned<raw::Confirm>) -> Option<Confirm> {
        if raw.ids.is_empty() && raw.find.is_empty() {
            self.builder.missing("ids", raw.place);
        }
        let Some(by) = &raw.by else {
            self.builder.missing("by", raw.place);
            return None;
        };
        Some(Confirm {
            place: raw.place,
            by: placed(by),
            then: raw.then.as_ref().map(placed),
            ids: pairs(&raw.ids),
            find: pairs(&raw.find),
            with: raw.with.iter().map(placed).collect(),
            with_as: pairs(&raw.with_as),
            set: pairs(&raw.set),
            since: raw.since.as_ref().map(placed),
            matches: pairs(&raw.matches),
            agrees: several(&raw.agrees),
            beside: raw.beside.iter().map(placed).collect(),
            created: raw.created.as_ref().map(placed),
            creates_with: raw.creates_with.iter().map(placed).collect(),
            changed: raw.changed.as_ref().map(placed),
            changed_while: several(&raw.changed_while),
            expires: raw.expires.as_ref().map(placed),
            kept: self.builder.duration(&raw.kept),
        })
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
                if let Some(also) = &raw.echoes_also {
                    self.builder
                        .to
                        .at(also.place, Code::Misplaced, "`echoes_also` without `echoes`")
                        .help("add `echoes` with the ids that the answer repeats: other values identify no request");
                }
                return None;
            }
        };
        let also = raw.echoes_also.as_ref().map(|also| several(also)).unwrap_or_default();
        Some(Echoes { place: ids.place, ids: several(ids), also, one_is_enough })
    }

    pub(super) fn compound(&mut self, raw: &Spanned<raw::Compound>) -> Compound {
        let when = raw.when.as_ref().and_then(|when| {
            let pairs = pairs(when);
            if pairs.len() != 1 {
                self.builder
                    .to
                    .at(when.place, Code::Misplaced, "`when` requires exactly one parameter")
                    .help("write `when: { parameter: value }`, or remove it");
            }
            pairs.into_iter().next()
        });
        Compound { place: raw.place, when, why: self.builder.need(&raw.why, "why", raw.place) }
    }

    pub(super) fn repeat(&mut self, raw: &Spanned<raw::Repeat>) -> Repeat {
        if raw.is.is_none() {
            self.builder.missing("is", raw.place);
        }
        if let Some(kept) = raw.kept.as_ref().filter(|_| raw.by_key.is_none()) {
            self.refuse_keys(&[("kept", Some(kept.place))], "requires `by_key`");
        }
        Repeat {
            place: raw.place,
            key: raw.by_key.as_ref().map(placed),
            kept: self.builder.duration(&raw.kept),
            why: self.builder.need(&raw.why, "why", raw.place),
        }
    }
}

fn several(raw: &Named<Texts>) -> Vec<NamesWithin> {
    raw.iter().map(|(one, others)| (placed(one), others.iter().map(placed).collect())).collect()
}

fn pairs(raw: &Named<Text>) -> Vec<Pair> {
    raw.iter().map(|(one, other)| (placed(one), placed(other))).collect()
}
