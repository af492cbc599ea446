//! Ceilings: limits other than rates.

use super::FamilyBuilder;
use super::text_of;
use crate::compiler::diagnostics::Code;
use crate::compiler::load::raw;
use crate::compiler::load::{Named, Spanned, Texts};
use crate::compiler::model::{Ceiling, CeilingValues, Type};

impl FamilyBuilder<'_, '_> {
    pub(super) fn ceilings(&mut self) -> Vec<Ceiling> {
        self.family.family.limits.iter().map(|raw| self.ceiling(raw)).collect()
    }

    fn ceiling(&mut self, raw: &Spanned<raw::Ceiling>) -> Ceiling {
        if raw.n.is_none() {
            self.builder.missing("n", raw.place);
        }
        if let Some(n) = raw.n.as_ref().filter(|n| n.value == 0) {
            self.builder
                .to
                .at(n.place, Code::BadNumber, "a ceiling of 0 allows nothing")
                .help("write how many there may be");
        }
        let place = raw.id.as_ref().map_or(raw.place, |id| id.place);
        Ceiling {
            source: self.builder.source(&raw.source),
            id: self.builder.need(&raw.id, "id", raw.place),
            place,
            n: raw.n.as_ref().map_or(0, |n| n.value),
            over: raw.over.as_ref().and_then(|over| self.over(over)),
            doc: text_of(&raw.doc),
        }
    }

    /// One enum, with the values that count.
    fn over(&mut self, raw: &Spanned<Named<Texts>>) -> Option<CeilingValues> {
        let mut entries = raw.iter();
        let (Some((name, values)), None) = (entries.next(), entries.next()) else {
            self.builder
                .to
                .at(raw.place, Code::Misplaced, "expected the values of one enum")
                .help("write `over: { Enum: [value, ..] }`, or leave it out if everything counts");
            return None;
        };
        let enum_index = match self.resolve(name) {
            Type::Enum(index) => index,
            _ => {
                if self.names.get(&name.value).is_some() {
                    let message = format!("expected an enum, found `{}`", name.value);
                    let help = "name the enum whose values count";
                    self.builder.to.at(name.place, Code::Misplaced, message).help(help);
                }
                return None;
            }
        };
        if values.is_empty() {
            self.builder
                .to
                .at(name.place, Code::Misplaced, "`over` lists no values")
                .help("list the values that count, or leave `over` out if everything does");
        }
        let values = values.iter().map(|value| (value.value.clone(), value.place)).collect();
        Some(CeilingValues { enum_index, values })
    }
}
