//! Single values: whether they can be read, how they are written, and which word of an enum they are.

use super::{Here, Walk};
use crate::drift::spelling;
use crate::drift::tally::{Found, Sign, Written};
use crate::json::{Kind, ReadError};
use crate::tables::Form;
use crate::value::{Decimal, find_value};

impl Walk<'_, '_> {
    pub(super) fn scalar(&mut self, at: Here<'_>, form: Form) -> Result<(), ReadError> {
        let kind = self.from.peek();
        let text = self.from.scalar()?;
        // An empty text says that there is no value.
        if text.is_empty() && !at.spot.is_item {
            return Ok(());
        }
        if !can_be_read(form, &text) {
            self.tally.note(at.record, Sign::Unreadable(at.spot), Found::once(kind));
            return Ok(());
        }
        if !is_written_as(form, at.field.is_bare, kind) {
            let is_number = matches!(form, Form::Decimal | Form::Whole) && kind == Kind::String;
            let written = if is_number { Written::NUMBER_AS_TEXT } else { kind.into() };
            self.tally.note(at.record, Sign::WrittenOtherwise(at.spot), Found::once(written));
        }
        if let Form::Word { values, also } = form {
            self.word(at, &text, values, also, kind);
        }
        Ok(())
    }

    fn word(&mut self, at: Here<'_>, text: &str, values: &[&'static str], also: &[(&str, usize)], kind: Kind) {
        let place_of = |text: &str| find_value(text, values, also);
        let place = place_of(text);
        let is_listed = || at.field.only.is_empty() || at.field.only.iter().any(|only| place_of(only) == place);
        let sign = match place.and_then(|place| values.get(place)) {
            None => Sign::UnknownValue(at.spot, self.withheld.filter(spelling::name(text))),
            Some(_) if is_listed() => return,
            Some(value) => Sign::ValueNotListedHere(at.spot, value),
        };
        self.tally.note(at.record, sign, Found::once(kind));
    }
}

/// Whether a client reads it.
fn can_be_read(form: Form, text: &str) -> bool {
    match form {
        Form::Decimal => text.parse::<Decimal>().is_ok(),
        Form::Whole => text.parse::<u64>().is_ok(),
        Form::Boolean => matches!(text, "true" | "false" | "1" | "0"),
        Form::Word { .. } => !text.is_empty(),
        _ => true,
    }
}

/// Whether that is how the documents write it.
fn is_written_as(form: Form, is_bare: bool, kind: Kind) -> bool {
    match form {
        Form::Decimal | Form::Whole if is_bare => kind == Kind::Number,
        Form::Boolean => kind == Kind::Boolean,
        _ => kind == Kind::String,
    }
}
