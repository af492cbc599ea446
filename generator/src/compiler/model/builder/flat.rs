//! The way the account of a family becomes flat.

use super::{Builder, placed};
use crate::compiler::diagnostics::Place;
use crate::compiler::load::{Named, Spanned, Text, Texts, raw};
use crate::compiler::model::{Flat, FlatCall, FlatClose, FlatReduce, FlatSide, FlatValue};

impl Builder<'_> {
    pub(super) fn flat(&mut self, raw: &Spanned<raw::Flat>) -> Flat {
        let call = |builder: &mut Self, raw: &Spanned<raw::FlatCancel>| {
            let [operation, over] =
                builder.required(raw.place, [("operation", &raw.operation), ("over", &raw.over)])?;
            Some(FlatCall { operation, over })
        };
        Flat {
            place: raw.place,
            cancel: raw.cancel.as_ref().and_then(|cancel| call(self, cancel)),
            close: raw.close.as_ref().and_then(|close| self.flat_close(close)),
            value: raw.value.value.as_ref().and_then(|value| {
                let [operation, field] =
                    self.required(value.place, [("operation", &value.operation), ("field", &value.field)])?;
                Some(FlatValue { operation, field })
            }),
            reduce: raw.reduce.as_ref().and_then(|reduce| self.flat_reduce(reduce)),
        }
    }

    fn flat_close(&mut self, raw: &Spanned<raw::FlatClose>) -> Option<FlatClose> {
        let keys =
            [("operation", &raw.operation), ("over", &raw.over), ("closed", &raw.closed), ("failed", &raw.failed)];
        let [operation, over, closed, failed] = self.required(raw.place, keys)?;
        Some(FlatClose { call: FlatCall { operation, over }, closed, failed, nothing: all(&raw.nothing) })
    }

    fn flat_reduce(&mut self, raw: &Spanned<raw::FlatReduce>) -> Option<FlatReduce> {
        let keys = [
            ("operation", &raw.operation),
            ("line", &raw.line),
            ("instrument", &raw.instrument),
            ("quantity", &raw.quantity),
        ];
        let side = raw.side.as_ref().and_then(|side| {
            let [field, (long, _), (short, _)] =
                self.required(side.place, [("field", &side.field), ("long", &side.long), ("short", &side.short)])?;
            Some(FlatSide { field, long, short })
        });
        if raw.closes_with.is_none() {
            self.missing("closes_with", raw.place);
        }
        let closes_with = raw.closes_with.iter().flat_map(|values| values.iter());
        let closes_with = closes_with.map(|(name, values)| (placed(name), all(values))).collect();
        let [operation, line, instrument, quantity] = self.required(raw.place, keys)?;
        let (lines, long, short) = (all(&raw.lines), sets(&raw.long), sets(&raw.short));
        Some(FlatReduce {
            operation,
            line,
            lines,
            instrument,
            quantity,
            closes_with,
            long,
            short,
            side,
            place: raw.place,
        })
    }

    /// The values of required keys; reports those that are missing.
    fn required<const N: usize>(
        &mut self,
        place: Place,
        keys: [(&str, &Option<Text>); N],
    ) -> Option<[(String, Place); N]> {
        for (key, value) in keys {
            if value.is_none() {
                self.missing(key, place);
            }
        }
        let values: Option<Vec<_>> = keys.into_iter().map(|(_, value)| value.as_ref().map(placed)).collect();
        values?.try_into().ok()
    }
}

fn all(texts: &Texts) -> Vec<(String, Place)> {
    texts.iter().map(placed).collect()
}

fn sets(sets: &[Spanned<Named<Text>>]) -> Vec<Vec<((String, Place), String)>> {
    sets.iter().map(|set| set.iter().map(|(name, value)| (placed(name), value.value.clone())).collect()).collect()
}
