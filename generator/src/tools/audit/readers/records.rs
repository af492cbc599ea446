//! Records: tables of fields, sentences that list them, and records that are one of several, as in `one of Listing (kind
//! listing) or Halt (kind halt or delisting)` or in a table with a row for each.

use super::super::claims::KnownRecord;
use super::super::document::{Section, Table};
use super::super::findings::{FactKey, FactKind, key};
use super::super::measures::unit_of_word;
use super::super::text::Span;
use super::super::wording::{deprecated, deprecates_value, is_name, likeness, stems};
use super::{Reader, values};
use crate::compiler::model::{OneOf, RecordForm};

/// Words of a label that do not identify a record.
const GENERAL: [&str; 12] = [
    "field",
    "fields",
    "item",
    "items",
    "record",
    "records",
    "list",
    "carry",
    "carries",
    "additionally",
    "string",
    "further",
];

/// Fields listed in a sentence.
struct FieldList<'a> {
    /// The words that identify the record.
    label: Vec<String>,
    fields: Vec<Span<'a>>,
    at: Span<'a>,
}

impl<'a> Reader<'a> {
    pub(super) fn records_of(&self, section: &Section) -> Vec<&'a KnownRecord<'a>> {
        let (claims, document) = (self.claims, self.document);
        claims.records.iter().filter(|known| document.is_section(known.section, section)).collect()
    }

    pub(super) fn record_table(&mut self, section: &'a Section, table: &Table<'a>) {
        let heading = stems(section.heading.split('(').next().unwrap_or_default());
        let records = self.records_of(section);
        let Some(known) = records.iter().max_by_key(|known| likeness(&stems(&known.record.name.wire), &heading)) else {
            return;
        };
        self.found.read.extend(table.head.iter().map(|cell| cell.range()));
        let types = table.column("type");
        let fields: Vec<(Span<'a>, &Vec<Span<'a>>)> = table
            .rows
            .iter()
            .flat_map(|row| {
                row.first().map(|cell| cell.split(&[","])).unwrap_or_default().into_iter().map(move |name| (name, row))
            })
            .collect();
        let names: Vec<Span<'a>> = fields.iter().map(|(name, _)| *name).collect();
        let names = self.fields_renamed(known, &names);
        for ((_, row), (name, at)) in fields.iter().zip(&names) {
            let meaning = row.last().copied().unwrap_or(*at);
            let stated = types.and_then(|column| row.get(column)).copied();
            self.field(known, name, *at, stated, Some(meaning));
            self.part_record(known, name, [stated, Some(meaning)].into_iter().flatten());
        }
        self.missing_fields(known, &names, table.at());
    }

    /// Reads one field, with its type if the document gives it, its values and its unit.
    fn field(
        &mut self,
        known: &KnownRecord<'a>,
        name: &str,
        at: Span<'a>,
        stated: Option<Span<'a>>,
        meaning: Option<Span<'a>>,
    ) {
        let record_key = key(FactKind::RecordField, [&known.id, name]);
        let own = self.claims.get(&record_key).first().map(|claim| claim.value.clone());
        let in_note = |text: Span<'a>| stated_type(text.head_and_note().1?, false);
        let given = stated.or(meaning).and_then(|text| stated_type(text, stated.is_some()).or_else(|| in_note(text)));
        self.found.state(record_key, given.map(str::to_owned).or(own).unwrap_or_default(), at);
        let of = key(FactKind::RecordValue, [&known.id, name]);
        let values = self.claims.values(FactKind::RecordValue, &known.id, name);
        let meant = meaning.filter(|meaning| !deprecates_value(meaning.text, &values));
        let deprecated = meant.and_then(|meaning| deprecated(meaning.text));
        if let Some(says) = deprecated {
            self.found.state(key(FactKind::Deprecated, [&known.id, name]), says, at);
        }
        if let Some(meaning) = meaning {
            self.unit_in(meaning, key(FactKind::Unit, [&known.id, name]));
            self.time_unit_in(meaning, key(FactKind::TimeUnit, [&known.id, name]));
            let short_list = meaning.text.contains('/') && values.is_empty();
            if !short_list && stated_by_list(meaning, &values) && self.values_in(meaning, &of, &values).is_some() {
                return;
            }
            if meaning.text.contains("as in") && self.pointed_at(&of, name) {
                self.found.read(meaning);
                return;
            }
        }
        if let Some(above) = self.found.lists.get(name).cloned() {
            self.values_from(of, &above, false);
        }
    }

    fn pointed_at(&mut self, of: &FactKey, name: &str) -> bool {
        let above = self.found.lists.get(name).cloned();
        if let Some(above) = &above {
            self.values_from(of.clone(), above, true);
        }
        above.is_some()
    }

    /// Reads `array of objects with a, b`: the fields of the objects.
    fn part_record(&mut self, known: &KnownRecord<'a>, name: &str, texts: impl Iterator<Item = Span<'a>>) {
        let field = known.record.field(name);
        let Some(index) = field.and_then(|field| field.shape.listed_record()) else { return };
        let record = known.family.records.get(index).map(|record| &record.name.wire);
        let part = self
            .claims
            .records
            .iter()
            .find(|part| part.family.name == known.family.name && Some(&part.record.name.wire) == record);
        let Some(part) = part else { return };
        for text in texts {
            let words = text.words();
            let start = words.iter().find(|word| ["with", "has", "have"].contains(&word.text));
            let Some(list) = start.map(|start| text.after(start.at + start.text.len()).trim()) else { continue };
            let fields = list.split(&[",", " and "]);
            self.field_list(part, &fields, list);
        }
    }

    fn field_list(&mut self, known: &'a KnownRecord<'a>, fields: &[Span<'a>], at: Span<'a>) {
        let names = self.stated_fields(known, fields);
        self.missing_fields(known, &names, at.at);
    }

    fn stated_fields(&mut self, known: &'a KnownRecord<'a>, fields: &[Span<'a>]) -> Vec<(String, Span<'a>)> {
        let heads: Vec<Span<'a>> = fields.iter().map(|field| field.head_and_note().0).collect();
        let names = self.fields_renamed(known, &heads);
        let shared =
            fields.last().and_then(|field| field.head_and_note().1).filter(|note| note.text.contains("values"));
        for (field, (name, at)) in fields.iter().zip(&names) {
            let own = field.head_and_note().1;
            // The note of the last field may list the values of all of them.
            let has_values = !self.claims.values(FactKind::RecordValue, &known.id, name).is_empty();
            let note = own.filter(|own| shared != Some(*own)).or(shared.filter(|_| has_values));
            self.field(known, name, *at, None, note.or(type_of_all(fields)));
        }
        names
    }

    fn fields_renamed(&mut self, known: &KnownRecord<'a>, seen: &[Span<'a>]) -> Vec<(String, Span<'a>)> {
        let have = self.claims.last_parts(FactKind::RecordField, [&known.id]);
        let (names, renamed) = super::parameters::paired(self.had_name, &have, seen, "");
        for (old, at) in renamed {
            self.found.renamed.push((key(FactKind::RecordField, [&known.id, &old]), at.text.to_owned(), at.at));
        }
        names
    }

    fn missing_fields(&mut self, known: &KnownRecord<'a>, listed: &[(String, Span<'a>)], at: usize) {
        for name in self.claims.last_parts(FactKind::RecordField, [&known.id]) {
            if listed.iter().all(|(listed, _)| *listed != name) {
                self.found.missing.push((key(FactKind::RecordField, [&known.id, &name]), at));
            }
        }
    }

    /// Reads the sentences of a section with records: lists of fields, and of values of fields.
    pub(super) fn record_texts(&mut self, section: &'a Section) {
        let records = self.records_of(section);
        if records.is_empty() {
            return;
        }
        let mut lists = Vec::new();
        for text in section.texts(self.document) {
            let mut before: Option<Vec<Span<'a>>> = None;
            for sentence in text.sentences() {
                if self.values_of_field(sentence, &records) {
                    continue;
                }
                let Some(mut list) = field_list(sentence, sentence.label()) else { continue };
                let own = list.fields.clone();
                if sentence.texts().contains(&"adds") {
                    list.fields.splice(0..0, before.take().unwrap_or_default());
                }
                before = Some(own);
                lists.push(list);
            }
        }
        for table in section.tables(self.document).filter(|table| table.column("field") != Some(0)) {
            let label =
                |row: &Vec<Span<'a>>| Some((*row.first()?, *row.get(table.column("field")?)?.sentences().first()?));
            let pairs = table.rows.iter().filter_map(label);
            lists.extend(pairs.filter_map(|(name, list)| field_list(list, Some((name, list)))));
        }
        self.assign(&records, &lists);
    }

    /// Assigns each list to its record; a list that names no record applies to all.
    fn assign(&mut self, records: &[&'a KnownRecord<'a>], lists: &[FieldList<'a>]) {
        let (common, own): (Vec<_>, Vec<_>) = lists.iter().partition(|list| list.label.is_empty());
        let mut pairs: Vec<(usize, usize, usize)> = Vec::new();
        for (list_at, list) in own.iter().enumerate() {
            let fields: Vec<String> =
                list.fields.iter().map(|field| field.head_and_note().0.text.to_lowercase()).collect();
            for (record_at, known) in records.iter().enumerate() {
                let have: Vec<String> =
                    known.record.fields.iter().map(|field| field.name.wire.to_lowercase()).collect();
                let by_name = likeness(&stems(&known.record.name.wire), &list.label);
                let same = fields.iter().filter(|field| have.contains(field)).count();
                let by_fields = 1000 * 2 * same / (fields.len() + have.len()).max(1);
                if by_name + by_fields > 0 {
                    pairs.push((by_name + by_fields / 2, list_at, record_at));
                }
            }
        }
        pairs.sort_by(|a, b| b.cmp(a));
        let mut given: Vec<Option<usize>> = vec![None; own.len()];
        for (_, list, record) in pairs {
            if given[list].is_none() && !given.contains(&Some(record)) {
                given[list] = Some(record);
            }
        }
        for (record_at, known) in records.iter().enumerate() {
            let of_this = own.iter().zip(&given).filter(|(_, given)| **given == Some(record_at)).map(|(list, _)| *list);
            let lists: Vec<&FieldList<'a>> = common.iter().copied().chain(of_this).collect();
            let Some(last) = lists.last() else { continue };
            let mut names = Vec::new();
            for list in &lists {
                self.found.read(list.at);
                let fields: Vec<Span<'a>> = list.fields.clone();
                names.extend(if lists.len() == 1 {
                    self.stated_fields(known, &fields)
                } else {
                    self.plain_fields(known, &fields)
                });
            }
            self.missing_fields(known, &names, last.at.at);
        }
    }

    /// Reads one of several lists of fields of a record; a field that is in another list is not missing.
    fn plain_fields(&mut self, known: &'a KnownRecord<'a>, fields: &[Span<'a>]) -> Vec<(String, Span<'a>)> {
        let shared =
            fields.last().and_then(|field| field.head_and_note().1).filter(|note| note.text.contains("values"));
        let mut names = Vec::new();
        for field in fields {
            let (name, note) = field.head_and_note();
            let has_values = !self.claims.values(FactKind::RecordValue, &known.id, name.text).is_empty();
            self.field(
                known,
                name.text,
                name,
                None,
                note.filter(|own| shared != Some(*own)).or(shared.filter(|_| has_values)).or(type_of_all(fields)),
            );
            names.push((name.text.to_owned(), name));
        }
        names
    }

    /// Reads `side values: buy, sell` and `side: buy (takes), sell (gives)`.
    fn values_of_field(&mut self, sentence: Span<'a>, records: &[&'a KnownRecord<'a>]) -> bool {
        let Some((label, list)) = sentence.label() else { return false };
        let words = label.texts();
        let Some(name) = words.first().filter(|_| words.len() == 1 || words.contains(&"values")) else { return false };
        let owners: Vec<_> =
            records.iter().filter(|known| known.record.fields.iter().any(|field| field.name.wire == **name)).collect();
        for known in &owners {
            let values = self.claims.values(FactKind::RecordValue, &known.id, name);
            let of = key(FactKind::RecordValue, [&known.id, name]);
            let listed = values::with_meanings(list, &values);
            self.state_values(&of, &listed, &values);
        }
        if !owners.is_empty() {
            self.found.read(sentence);
        }
        !owners.is_empty()
    }
}

/// Returns whether the text can contain the values of a field: some of the schema's occur in it, or it looks like a
/// list.
fn stated_by_list(meaning: Span<'_>, known: &[String]) -> bool {
    !known.is_empty() || meaning.head_and_note().0.split(&[","]).len() > 1
}

/// Returns the note of the last field, where it is about the type of all of them.
fn type_of_all<'a>(fields: &[Span<'a>]) -> Option<Span<'a>> {
    let (_, note) = fields.last()?.head_and_note();
    note.filter(|note| note.texts().first() == Some(&"all") && stated_type(*note, false).is_some())
}

fn stated_type(text: Span<'_>, is_type: bool) -> Option<&'static str> {
    let words = text.texts();
    match words.as_slice() {
        ["array", ..] => Some("array"),
        ["string", ..] if is_type => Some("string"),
        ["number" | "integer", ..] if is_type => Some("number"),
        ["boolean", ..] if is_type => Some("boolean"),
        ["object", ..] if is_type => Some("object"),
        [.., "number"] => Some("number"),
        // In `Unix ms numbers`, and as the note of a field. Other numbers are counts.
        ["numbers" | "integers" | "integer"] | ["all", "numbers" | "integers"] => Some("number"),
        ["strings"] | ["all", "strings"] => Some("string"),
        [.., unit, "numbers" | "integers" | "integer"] if unit_of_word(unit).is_some() => Some("number"),
        [.., unit, "strings"] if unit_of_word(unit).is_some() => Some("string"),
        _ => None,
    }
}

/// Returns the list of fields in a sentence, if it has one, possibly with a label.
fn field_list<'a>(sentence: Span<'a>, label: Option<(Span<'a>, Span<'a>)>) -> Option<FieldList<'a>> {
    let verb = sentence.words().into_iter().find(|word| ["carry", "carries", "adds"].contains(&word.text));
    let (label, list) = match (label, verb) {
        (Some((label, list)), _) => (label, list),
        (None, Some(verb)) => (sentence.before(verb.at), sentence.after(verb.at + verb.text.len()).trim()),
        (None, None) => (sentence.before(sentence.at), sentence),
    };
    let fields = list.split(&[",", " and "]);
    let is_field = |field: &Span<'a>| field.head_and_note().0.single().is_some_and(|name| is_name(name.text));
    if !fields.iter().all(is_field)
        || fields.len() < 2 && !fields.iter().any(|field| field.text.contains(char::is_uppercase))
    {
        return None;
    }
    let label = stems(label.text).into_iter().filter(|word| !GENERAL.contains(&word.as_str())).collect();
    Some(FieldList { label, fields, at: Span::new(sentence.text, sentence.at) })
}

/// Words around the values or members that tell a record from the others.
const JOINING: [&str; 14] =
    ["when", "if", "where", "is", "are", "has", "have", "with", "by", "the", "a", "and", "or", "="];

impl<'a> Reader<'a> {
    /// Reads which records each record of a section may be.
    pub(super) fn cases(&mut self, section: &'a Section) {
        for known in self.records_of(section) {
            let RecordForm::OneOf(one_of) = &known.record.travels else { continue };
            for table in section.tables(self.document) {
                let entries = table.rows.iter().filter_map(|row| Some((*row.first()?, row.get(1..)?.last().copied())));
                self.cases_of(known, one_of, entries.collect(), table.at());
            }
            for sentence in section.texts(self.document).flat_map(|text| text.sentences()) {
                let words = sentence.words();
                let Some([_, of]) = words.windows(2).find(|pair| pair[0].text == "one" && pair[1].text == "of") else {
                    continue;
                };
                let list = sentence.after(of.at + of.text.len()).trim();
                let entries = list.split(&[",", ";", " or ", " and "]).into_iter().map(Span::head_and_note);
                self.cases_of(known, one_of, entries.collect(), list.at);
            }
        }
    }

    /// States the entries of a list, each a record and what tells it from the others, if the list names a known one.
    fn cases_of(
        &mut self,
        known: &KnownRecord<'a>,
        one_of: &OneOf,
        entries: Vec<(Span<'a>, Option<Span<'a>>)>,
        at: usize,
    ) {
        let claimed = self.claims.last_parts(FactKind::RecordCase, [&known.id]);
        if !entries.iter().any(|(name, _)| claimed.iter().any(|claimed| claimed == name.text)) {
            return;
        }
        for (name, note) in &entries {
            let of = key(FactKind::RecordCase, [&known.id, name.text]);
            let decider = one_of.decider.as_ref().map(|(decider, _)| decider.as_str());
            let told_by = note.map(|note| told_by(note, decider)).filter(|words| !words.is_empty());
            // A list without values says only that the record is one of them.
            let claim = || self.claims.get(&of).first().map(|claim| claim.value.clone()).unwrap_or_default();
            let value = told_by.unwrap_or_else(claim);
            self.found.state(of, value, *name);
            note.iter().for_each(|note| self.found.read(*note));
        }
        for case in claimed.iter().filter(|case| entries.iter().all(|(name, _)| name.text != *case)) {
            self.found.missing.push((key(FactKind::RecordCase, [&known.id, case]), at));
        }
    }
}

/// Returns the values or members in a note, in the form of facts.
fn told_by(note: Span<'_>, decider: Option<&str>) -> String {
    let words = note.texts().into_iter().filter(|word| !JOINING.contains(word) && Some(*word) != decider);
    words.collect::<Vec<_>>().join(",")
}
