//! The element that says how an account becomes flat.

use super::confirm::several;
use super::{Element, Key, additive, behaviour, breaking, list, maybe, names};
use crate::compiler::model::{Flat, FlatCall, FlatClose, FlatReduce, FlatSide, FlatValue};

impl Flat {
    /// Returns what the client's function `flatten` calls.
    pub(super) fn element(&self, family: &str) -> Element {
        let Self { place, cancel, close, value, reduce } = self;
        let means = || behaviour("how the account becomes flat");
        let call = |FlatCall { operation, over }: &FlatCall| format!("{} over {}", operation.0, over.0);
        let close = close.as_ref().map(|FlatClose { call: of, closed, failed, nothing }| {
            let nothing = (!nothing.is_empty()).then(|| format!("nothing {}", names(nothing)));
            let parts = [Some(call(of)), Some(format!("closed {}", closed.0)), Some(format!("failed {}", failed.0))];
            list(parts.into_iter().chain([nothing]).flatten())
        });
        let value = value.as_ref().map(|FlatValue { operation, field }| format!("{} in {}", field.0, operation.0));
        Element::new("flat", family, ["flat", "flat"], *place)
            .when(
                additive("`flatten` cancels and closes everything of the family"),
                breaking("`flatten` no longer cancels and closes anything of the family"),
            )
            .keys([
                Key::new("cancel", maybe(cancel.as_ref().map(call)), means()),
                Key::new("close", maybe(close), means()),
                Key::new("value", maybe(value), means()),
                Key::new("reduce", maybe(reduce.as_ref().map(reduces)), means()),
            ])
    }
}

fn reduces(reduce: &FlatReduce) -> String {
    let FlatReduce { operation, line, lines, instrument, quantity, closes_with, long, short, side, place: _ } = reduce;
    let side = side
        .as_ref()
        .map(|FlatSide { field, long, short }| format!("side {} with long {long} and short {short}", field.0));
    let set = |set: &Vec<((String, _), String)>| list(set.iter().map(|((name, _), value)| format!("{name} {value}")));
    let sets = |key: &str, sets: &[Vec<((String, _), String)>]| {
        let all: Vec<_> = sets.iter().map(set).collect();
        (!all.is_empty()).then(|| format!("{key} {}", all.join(" or ")))
    };
    let parts = [
        Some(operation.0.clone()),
        Some(format!("line {} of {}", line.0, names(lines))),
        Some(format!("instrument {}", instrument.0)),
        Some(format!("quantity {}", quantity.0)),
        (!closes_with.is_empty()).then(|| format!("closes with {}", several(closes_with))),
        sets("long", long),
        sets("short", short),
        side,
    ];
    list(parts.into_iter().flatten())
}
