//! Compares a response with the tables of its records. It uses the same reader as the types, so that reading and
//! reporting cannot differ about JSON.

use super::counts;
use super::counts::{Counts, FieldPlace, JsonKinds, Occurrences, Redactor, Sign};
use crate::data::json::{FieldTable, Form, Kind, NoCase, OneOfTable, ReadError, Reader, RecordTable, Travels};
use crate::data::tables::{Api, Around, Envelope, Meta, Step};
use crate::data::value::{Decimal, find_value};
use crate::network::wire::reader_at;

/// The place of the envelope among the counted records: it is counted first.
const ENVELOPE: usize = 0;

/// The path of an answer that has no envelope, as a value.
const WHOLE: &str = "(answer)";

/// Adds to `counts` what an answer contains: a success with data of the form `data`, or a refusal, whose data is not
/// compared.
pub(super) fn walk(
    counts: &mut Counts,
    api: &'static Api,
    meta: &'static Meta,
    data: Option<Form>,
    withheld: &Redactor<'_>,
    text: &str,
) -> Result<(), ReadError> {
    let (from, path, is_success) = (Reader::new(text), String::new(), data.is_some());
    let mut walk = Walk { api, meta, from, counts, withheld, path, is_success };
    let data = data.unwrap_or(Form::Anything);
    match (&api.envelope, meta.data_path(api)) {
        (Some(envelope), Some([Step::Member(member)])) if envelope.around == Around::All => {
            walk.envelope(envelope, member, data)?;
        }
        // Of an envelope of another form, only the data is compared.
        (_, Some(path)) if is_success => {
            let Some(from) = reader_at(text, path) else { return Ok(()) };
            walk.from = from;
            return walk.bare(data);
        }
        // An envelope around the whole body has no members of its own to compare.
        (_, _) => walk.bare(data)?,
    }
    walk.from.finish()
}

struct Walk<'a, 't> {
    api: &'static Api,
    meta: &'static Meta,
    from: Reader<'a>,
    counts: &'t mut Counts,
    withheld: &'t Redactor<'t>,
    path: String,
    is_success: bool,
}

/// A value of a field: the place of the record, and which value it is.
#[derive(Clone, Copy)]
struct Here<'f> {
    record: usize,
    spot: FieldPlace,
    field: &'f FieldTable,
}

impl Here<'_> {
    fn item(self) -> Self {
        Self { spot: FieldPlace { is_item: true, ..self.spot }, ..self }
    }
}

impl Walk<'_, '_> {
    fn envelope(&mut self, envelope: &Envelope, data_member: &'static str, data: Form) -> Result<(), ReadError> {
        if self.from.peek() != Kind::Object {
            return Err(self.from.unexpected("an envelope"));
        }
        self.object(None, &envelope_fields(envelope, data_member, data)).map(drop)
    }

    /// Goes through an answer without an envelope, which is the data itself.
    fn bare(&mut self, data: Form) -> Result<(), ReadError> {
        let field = FieldTable::in_form("", data);
        let Some(record) = self.counts.record(WHOLE, None, &[]) else { return self.from.skip() };
        self.count_record(record);
        self.value(Here { record, spot: FieldPlace { field: 0, is_item: false }, field: &field }, data)
    }

    fn record(&mut self, table: &'static RecordTable) -> Result<(), ReadError> {
        if table.fields.is_empty() {
            return self.from.skip();
        }
        match table.travels {
            Travels::AsObject => {}
            Travels::AsArray => return self.tuple(table),
            Travels::AsValue => return self.only_field(table),
        }
        self.object(table.name, table.fields)?;
        if table.is_observed {
            self.observed(table.name, table.fields);
        }
        Ok(())
    }

    /// Goes through an array whose elements are the fields of a record.
    fn tuple(&mut self, table: &'static RecordTable) -> Result<(), ReadError> {
        let Some(record) = self.counts.record(&self.path, table.name, table.fields) else { return self.from.skip() };
        self.count_record(record);
        let mut elements = self.from.array()?;
        while let Some(place) = elements.next(&mut self.from)? {
            let Some(field) = table.fields.get(place) else {
                self.unknown(record, &place.to_string())?;
                continue;
            };
            self.came(record, place);
            let before = self.step_into(field.name);
            self.value(Here { record, spot: FieldPlace { field: place, is_item: false }, field }, field.form)?;
            self.path.truncate(before);
        }
        Ok(())
    }

    /// Goes through a value that is the only field of a record.
    fn only_field(&mut self, table: &'static RecordTable) -> Result<(), ReadError> {
        let Some(record) = self.counts.record(&self.path, table.name, table.fields) else { return self.from.skip() };
        let Some(field) = table.fields.first() else { return self.from.skip() };
        self.count_record(record);
        self.came(record, 0);
        self.value(Here { record, spot: FieldPlace { field: 0, is_item: false }, field }, field.form)
    }

    /// Goes through the values of an object with any names.
    fn entries(&mut self, at: Here<'_>, value: Form) -> Result<(), ReadError> {
        let before = self.path.len();
        self.path.push_str("{}");
        let mut members = self.from.object(&[])?;
        while members.next_name(&mut self.from)?.is_some() {
            self.value(at.item(), value)?;
        }
        self.path.truncate(before);
        Ok(())
    }

    /// Goes through an object; returns how many of its members are known.
    fn object(&mut self, name: Option<&'static str>, fields: &[FieldTable]) -> Result<usize, ReadError> {
        let Some(record) = self.counts.record(&self.path, name, fields) else { return self.from.skip().map(|()| 0) };
        let counts = record != ENVELOPE || self.is_success;
        if counts {
            self.count_record(record);
        }
        let mut members = self.from.object(&[])?;
        let (mut known, mut expected) = (0, 0);
        let mut came = vec![false; fields.len()];
        while let Some(member) = members.next_name(&mut self.from)? {
            let Some(place) = find_field(fields, &member, expected) else {
                self.unknown(record, &member)?;
                continue;
            };
            known += 1;
            expected = place + 1;
            let field = &fields[place];
            let at = Here { record, spot: FieldPlace { field: place, is_item: false }, field };
            // A client refuses a second value.
            if std::mem::replace(&mut came[place], true) {
                self.unreadable(at)?;
                continue;
            }
            if counts {
                self.came(record, place);
            }
            let before = self.step_into(&member);
            self.value(at, field.form)?;
            self.path.truncate(before);
        }
        Ok(known)
    }

    fn count_record(&mut self, record: usize) {
        if let Some(record) = self.counts.records.get_mut(record) {
            record.seen += 1;
        }
    }

    fn came(&mut self, record: usize, field: usize) {
        if let Some(came) = self.counts.records.get_mut(record).and_then(|record| record.fields.get_mut(field)) {
            came.times += 1;
        }
    }

    /// Goes on to a member; returns the length that the path had before.
    fn step_into(&mut self, member: &str) -> usize {
        let before = self.path.len();
        if before > 0 {
            self.path.push('.');
        }
        self.path.push_str(member);
        before
    }

    fn observed(&mut self, name: Option<&'static str>, fields: &[FieldTable]) {
        if let Some(record) = self.counts.record(&self.path, name, fields) {
            self.counts.note(record, Sign::Observed, Occurrences::once(Kind::Object));
        }
    }

    fn unknown(&mut self, record: usize, member: &str) -> Result<(), ReadError> {
        let written = match self.from.peek() {
            Kind::String if self.from.scalar()?.parse::<Decimal>().is_ok() => JsonKinds::NUMBER_AS_TEXT,
            // The guard has read it already.
            Kind::String => Kind::String.into(),
            kind => {
                self.from.skip()?;
                kind.into()
            }
        };
        self.counts.note(
            record,
            Sign::UnknownField(self.withheld.filter(counts::reportable_name(member))),
            Occurrences::once(written),
        );
        Ok(())
    }

    fn value(&mut self, at: Here<'_>, form: Form) -> Result<(), ReadError> {
        if at.field.is_code {
            self.code(at)?;
        }
        match (form, self.from.peek()) {
            (Form::Anything, kind) => self.formless(at, kind),
            (_, Kind::Null) => self.null(at, form),
            (Form::List(item), Kind::Array) => self.items(at, *item),
            (Form::List(_), Kind::Object) if self.list_member(at).is_some() => self.around_list(at, form),
            (Form::Map(value), Kind::Object) => self.entries(at, *value),
            (Form::Record(table), kind) if is_record(table().travels, kind) => self.record(table()),
            (Form::OneOf(table), kind) => self.one_of(at, table, kind),
            (Form::List(_) | Form::Map(_) | Form::Record(_), kind) => self.neither_list_nor_record(at, kind),
            (_, Kind::Array | Kind::Object) => self.unreadable(at),
            _ => self.scalar(at, form),
        }
    }

    /// Goes through the record that a value is; what is none of them is read, too, but not documented.
    fn one_of(&mut self, at: Here<'_>, table: &OneOfTable, kind: Kind) -> Result<(), ReadError> {
        let sign = match table.case(&mut self.from)? {
            Ok(case) => return self.value(at, table.cases[case].form),
            Err(NoCase::Value(value)) => {
                Sign::UnknownValue(at.spot, self.withheld.filter(counts::reportable_name(&value)))
            }
            Err(NoCase::Form) => Sign::WrittenOtherwise(at.spot),
        };
        self.counts.note(at.record, sign, Occurrences::once(kind));
        self.from.skip()
    }

    /// Goes past a value of no documented form. Of an envelope's code, message and time, it notes what a client cannot
    /// read; the schema does not state as which kind of JSON they are written.
    fn formless(&mut self, at: Here<'_>, kind: Kind) -> Result<(), ReadError> {
        let Some(envelope) = self.api.envelope.as_ref().filter(|_| at.record == ENVELOPE) else {
            return self.from.skip();
        };
        let name = Some(at.field.name);
        let is_time = envelope.time == name;
        if !is_time && envelope.code_member() != name && envelope.message_member() != name {
            return self.from.skip();
        }
        match kind {
            Kind::Null => self.null(at, Form::Anything),
            Kind::Object | Kind::Array => self.unreadable(at),
            Kind::Boolean | Kind::Number | Kind::String | Kind::Nothing => {
                let text = self.from.scalar()?;
                if is_time && !can_be_read(Form::Whole, &text) {
                    self.counts.note(at.record, Sign::Unreadable(at.spot), Occurrences::once(kind));
                }
                Ok(())
            }
        }
    }

    /// Compares a code, which stays unread.
    fn code(&mut self, at: Here<'_>) -> Result<(), ReadError> {
        let kind = self.from.peek();
        if !matches!(kind, Kind::String | Kind::Number) {
            return Ok(());
        }
        let start = self.from.mark();
        let code = self.from.scalar()?;
        let is_success = self.api.envelope.as_ref().is_some_and(|envelope| envelope.success == Some(&*code));
        if !code.is_empty() && !is_success && self.meta.error(&code).is_none() {
            let sign = Sign::UnlistedCode(at.spot, self.withheld.filter(counts::reportable_code(&code)));
            self.counts.note(at.record, sign, Occurrences::once(kind));
        }
        self.from.go_back(start);
        Ok(())
    }

    /// Reads `null`, which stands for an empty list and for a record without fields; a `null` item is unreadable.
    fn null(&mut self, at: Here<'_>, form: Form) -> Result<(), ReadError> {
        if at.spot.is_item {
            return self.unreadable(at);
        }
        let is_nothing = matches!(form, Form::Record(record) if record().fields.is_empty());
        if !at.field.may_be_null && !is_nothing && !matches!(form, Form::List(_) | Form::Map(_)) {
            self.counts.note(at.record, Sign::WrittenOtherwise(at.spot), Occurrences::once(Kind::Null));
        }
        self.from.skip()
    }

    fn items(&mut self, at: Here<'_>, item: Form) -> Result<(), ReadError> {
        let before = self.path.len();
        self.path.push_str("[]");
        let mut elements = self.from.array()?;
        while elements.next(&mut self.from)?.is_some() {
            self.value(at.item(), item)?;
        }
        self.path.truncate(before);
        Ok(())
    }

    /// Returns the member that has the list, where the data may be an object around it.
    fn list_member(&self, at: Here<'_>) -> Option<&'static str> {
        let is_data = at.record == ENVELOPE
            && matches!(self.meta.data_path(self.api), Some([Step::Member(name)]) if *name == at.field.name);
        self.meta.list_member.filter(|_| is_data)
    }

    fn around_list(&mut self, at: Here<'_>, list: Form) -> Result<(), ReadError> {
        let name = self.list_member(at).unwrap_or_default();
        let fields = [FieldTable::in_form(name, list)];
        match self.object(None, &fields)? {
            0 => self.counts.note(at.record, Sign::Unreadable(at.spot), Occurrences::once(Kind::Object)),
            _ => self.observed(None, &fields),
        }
        Ok(())
    }

    /// Notes a value that is neither a list nor a record; an empty text is read as a missing value.
    fn neither_list_nor_record(&mut self, at: Here<'_>, kind: Kind) -> Result<(), ReadError> {
        let is_nothing = self.from.raw_value()? == "\"\"" && !at.spot.is_item;
        let sign = if is_nothing { Sign::WrittenOtherwise(at.spot) } else { Sign::Unreadable(at.spot) };
        self.counts.note(at.record, sign, Occurrences::once(kind));
        Ok(())
    }

    fn unreadable(&mut self, at: Here<'_>) -> Result<(), ReadError> {
        let kind = self.from.peek();
        self.counts.note(at.record, Sign::Unreadable(at.spot), Occurrences::once(kind));
        self.from.skip()
    }
}

impl Walk<'_, '_> {
    fn scalar(&mut self, at: Here<'_>, form: Form) -> Result<(), ReadError> {
        let kind = self.from.peek();
        let text = self.from.scalar()?;
        // An empty text stands for a missing value.
        if text.is_empty() && !at.spot.is_item {
            return Ok(());
        }
        if !can_be_read(form, &text) {
            self.counts.note(at.record, Sign::Unreadable(at.spot), Occurrences::once(kind));
            return Ok(());
        }
        if !is_written_as(form, at.field, kind) {
            let is_number =
                matches!(form, Form::Decimal | Form::Whole | Form::Signed | Form::Scaled) && kind == Kind::String;
            let written = if is_number { JsonKinds::NUMBER_AS_TEXT } else { kind.into() };
            self.counts.note(at.record, Sign::WrittenOtherwise(at.spot), Occurrences::once(written));
        }
        match form {
            Form::Word { values, also } => self.word(at, &text, values, also, kind),
            _ if !at.field.only.is_empty() && !at.field.only.contains(&&*text) => {
                let sign = Sign::UnknownValue(at.spot, self.withheld.filter(counts::reportable_name(&text)));
                self.counts.note(at.record, sign, Occurrences::once(kind));
            }
            _ => {}
        }
        Ok(())
    }

    fn word(&mut self, at: Here<'_>, text: &str, values: &[&'static str], also: &[(&str, &str)], kind: Kind) {
        let place_of = |text: &str| find_value(text, values, also);
        let place = place_of(text);
        let is_listed = || at.field.only.is_empty() || at.field.only.iter().any(|only| place_of(only) == place);
        let sign = match place.and_then(|place| values.get(place)) {
            None => Sign::UnknownValue(at.spot, self.withheld.filter(counts::reportable_name(text))),
            Some(_) if is_listed() => return,
            Some(value) => Sign::ValueNotListedHere(at.spot, value),
        };
        self.counts.note(at.record, sign, Occurrences::once(kind));
    }
}

/// Returns whether a client reads it.
fn can_be_read(form: Form, text: &str) -> bool {
    match form {
        Form::Decimal => text.parse::<Decimal>().is_ok(),
        Form::Scaled => text.parse::<Decimal>().is_ok_and(|number| number.places() == 0),
        Form::Whole => text.parse::<u64>().is_ok(),
        Form::Signed => text.parse::<i64>().is_ok(),
        Form::Time(read) => read(text).is_some(),
        Form::Formatted(has) => has(text),
        Form::Boolean => matches!(text, "true" | "false" | "1" | "0"),
        Form::Word { .. } => !text.is_empty(),
        _ => true,
    }
}

/// Returns whether the documents write it as this kind of JSON.
fn is_written_as(form: Form, field: &FieldTable, kind: Kind) -> bool {
    match form {
        _ if field.is_bare => kind == Kind::Number,
        Form::Boolean if !field.is_quoted => kind == Kind::Boolean,
        _ => kind == Kind::String,
    }
}

/// Returns whether a record can be a value of this kind.
fn is_record(travels: Travels, kind: Kind) -> bool {
    match travels {
        Travels::AsObject => kind == Kind::Object,
        Travels::AsArray => kind == Kind::Array,
        Travels::AsValue => !matches!(kind, Kind::Object | Kind::Array),
    }
}

/// Returns the fields of an envelope. Only the form of the data is known.
fn envelope_fields(envelope: &Envelope, data_member: &'static str, data: Form) -> Vec<FieldTable> {
    let mut fields: Vec<FieldTable> = Vec::new();
    for name in envelope.members() {
        if name != data_member && fields.iter().all(|field| field.name != name) {
            let field = FieldTable::in_form(name, Form::Anything);
            fields.push(if envelope.code_member() == Some(name) { field.code() } else { field });
        }
    }
    fields.push(FieldTable::in_form(data_member, data));
    fields
}

/// Returns the field with this name. The search begins at `expected` and wraps around.
fn find_field(fields: &[FieldTable], name: &str, expected: usize) -> Option<usize> {
    let (before, after) = fields.split_at_checked(expected).unwrap_or((fields, &[]));
    let behind = after.iter().position(|field| field.name == name).map(|place| place + before.len());
    behind.or_else(|| before.iter().position(|field| field.name == name))
}
