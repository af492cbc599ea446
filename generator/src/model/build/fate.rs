//! What becomes of requests: the rows of `api.yaml`, and what operations say of themselves.

use super::{Builder, Scope, placed};
use crate::load::{Named, Spanned, Text, raw};
use crate::model::{Confirm, OutcomeRow, Pair, Repeat};

impl Builder<'_> {
    pub(super) fn outcome_row(&mut self, raw: &Spanned<raw::OutcomeRow>) -> Option<OutcomeRow> {
        let why = self.need(&raw.why, "why", raw.place);
        for (key, is_missing) in [("when", raw.when.is_none()), ("outcome", raw.outcome.is_none())] {
            if is_missing {
                self.missing(key, raw.place);
            }
        }
        let (when, outcome) = (raw.when.as_ref()?, raw.outcome.as_ref()?);
        Some(OutcomeRow { place: when.place, when: when.value, outcome: outcome.value, why })
    }
}

impl Scope<'_, '_> {
    pub(super) fn confirm(&mut self, raw: &Spanned<raw::Confirm>) -> Option<Confirm> {
        if raw.ask.is_empty() {
            self.builder.missing("ask", raw.place);
        }
        let Some(by) = &raw.by else {
            self.builder.missing("by", raw.place);
            return None;
        };
        Some(Confirm {
            place: raw.place,
            by: placed(by),
            ask: pairs(&raw.ask),
            with: raw.with.iter().map(placed).collect(),
            matches: pairs(&raw.matches),
            beside: raw.beside.iter().map(placed).collect(),
            created: raw.created.as_ref().map(placed),
            kept: self.builder.duration(&raw.kept),
            absent: raw.absent.iter().map(placed).collect(),
        })
    }

    pub(super) fn repeat(&mut self, raw: &Spanned<raw::Repeat>) -> Repeat {
        if raw.is.is_none() {
            self.builder.missing("is", raw.place);
        }
        Repeat { place: raw.place, why: self.builder.need(&raw.why, "why", raw.place) }
    }
}

fn pairs(raw: &Named<Text>) -> Vec<Pair> {
    raw.iter().map(|(one, other)| (placed(one), placed(other))).collect()
}
