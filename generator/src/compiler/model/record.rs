//! Records: the objects that the exchange returns, and their fields.

use super::builder::{FamilyBuilder, placed, text_of};
use super::elements::{
    Element, Key, additive, behaviour, breaking, deprecated, documentation, first, flag, in_any_order, maybe, named,
    names, own_doc, path, scale, source, travels, ty, type_names, unit,
};
use super::facts::Fact;
use super::parameter::{Message, OF_REQUESTS};
use super::{Deprecated, Family, JsonType, Name, Placed, Reference, Shape, Source, Sources, Type, Unit, elements};
use crate::compiler::diagnostics::{Code, Diagnostics, Kind, Place, name_list, unknown};
use crate::compiler::load::{Spanned, Text, Texts, raw};

/// An object that the exchange returns.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) source: Option<Source>,
    pub(crate) is_abstract: bool,
    /// True if it was seen on the wire and is in no document.
    pub(crate) is_observed: bool,
    pub(crate) travels: RecordForm,
    /// The field for the name of a record in lists, which are objects on the wire.
    pub(crate) key: Option<Placed>,
    /// All fields, with those of the included record first.
    pub(crate) fields: Vec<Field>,
    /// True if `fields` is complete: an included record can be unknown.
    pub(crate) is_whole: bool,
}

/// The JSON form of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RecordForm {
    Object,
    /// An array, in which the position identifies a field.
    Array,
    /// The value of its only field.
    Value(Place),
    /// One of several records; it has no fields of its own.
    OneOf(OneOf),
}

/// The field that decides which of several records a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OneOf {
    /// The member that decides; without one, the form of the JSON does.
    pub(crate) decider: Option<Placed>,
    pub(crate) cases: Vec<RecordCase>,
    pub(crate) place: Place,
}

/// One of the records that a value can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordCase {
    pub(crate) record: usize,
    pub(crate) place: Place,
    /// The values of the deciding member, or members of which only this record has any.
    pub(crate) told_by: Vec<Placed>,
}

impl Record {
    /// Returns what decides which of several records it is, if it is one of several.
    pub(crate) fn one_of(&self) -> Option<&OneOf> {
        if let RecordForm::OneOf(one_of) = &self.travels { Some(one_of) } else { None }
    }

    /// Returns the records of which it is one, each with what decides.
    pub(crate) fn cases_told(&self) -> impl Iterator<Item = (&OneOf, &RecordCase)> {
        self.one_of().into_iter().flat_map(|one_of| one_of.cases.iter().map(move |case| (one_of, case)))
    }

    /// Returns the field that a name stands for.
    pub(crate) fn named(&self, name: &Reference) -> Option<&Field> {
        self.fields.get(name.number?)
    }

    /// Reports a name that none of its fields has.
    pub(crate) fn lacks_field(&self, name: &str, place: Place, to: &mut Diagnostics) {
        if !self.is_whole {
            return;
        }
        let fields = || self.fields.iter().map(|field| (field.name.wire.as_str(), Some(field.name.place)));
        let help = unknown(name, fields(), || match self.one_of() {
            Some(_) => "it is one of several records, which differ in their fields: name another record".to_owned(),
            None => format!("expected one of: {}", name_list(fields().map(|(name, _)| name))),
        });
        to.at(place, Code::UndefinedName, format!("the record `{}` has no field `{name}`", self.name.wire))
            .related(self.name.place, "the record is here")
            .help(help);
    }

    /// Returns the field with this name on the wire.
    pub(crate) fn field(&self, wire: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name.wire == wire)
    }

    /// Returns the field whose type is this enum.
    pub(crate) fn field_of_enum(&self, index: usize) -> Option<&Field> {
        self.fields.iter().find(|field| field.shape.single_enum() == Some(index))
    }
}

/// A field of a record.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: Name,
    pub(crate) shape: Shape,
    pub(crate) may_be_null: bool,
    /// The condition under which it is present, to follow the words "comes only".
    pub(crate) comes_only: Option<String>,
    /// Who has seen it on the wire, if no document has it.
    pub(crate) sources: Sources,
    pub(crate) deprecated: Option<Deprecated>,
    pub(crate) only: Vec<Placed>,
    /// The only value that is documented.
    pub(crate) fixed: Option<Placed>,
    pub(crate) units: Vec<Unit>,
    pub(crate) as_text: bool,
    pub(crate) doc: String,
}

impl Field {
    /// Creates a field with only a name, a type and a description; numbers travel as text.
    pub(crate) fn new(name: Name, shape: Shape, doc: String) -> Self {
        Self {
            name,
            shape,
            may_be_null: false,
            comes_only: None,
            sources: Sources::new(),
            deprecated: None,
            only: Vec::new(),
            fixed: None,
            units: Vec::new(),
            as_text: true,
            doc,
        }
    }
}

impl Family {
    /// Returns the field of a record at a path such as `price` or `descr.price`.
    pub(crate) fn field_at<'a>(&'a self, record: &'a Record, path: &str) -> Option<&'a Field> {
        match path.split_once('.') {
            None => record.field(path),
            Some((first, rest)) => {
                let within = record.field(first)?.shape.single()?.record()?;
                self.field_at(self.records.get(within)?, rest)
            }
        }
    }
}

impl FamilyBuilder<'_, '_> {
    pub(super) fn records(&mut self) -> Vec<Record> {
        let family = self.family;
        self.define(&family.types.records, Self::record)
    }

    pub(super) fn record(&mut self, name: &Text, raw: &Spanned<raw::Record>) -> Record {
        let mut fields = Vec::new();
        let is_whole = self.collect_fields(raw, &mut vec![name.value.clone()], &mut fields);
        let is_empty = raw.fields.is_none() && raw.includes.is_none() && raw.one_of.is_none();
        let is_unread = |key| self.builder.to.is_unread(name.place.file, key);
        if is_empty && !["fields", "includes", "one_of"].into_iter().any(is_unread) {
            self.at(name.place, Code::MissingKey, format!("the record `{}` has no fields", name.value))
                .help("list them under `fields`; write `fields: {}` for a record without any, or `one_of`");
        }
        Record {
            name: self.type_name(name, &raw.rust),
            doc: text_of(&raw.doc),
            source: self.builder.source(&raw.source),
            is_abstract: raw.r#abstract.unwrap_or(false),
            is_observed: raw.observed.unwrap_or(false),
            travels: self.record_form(raw),
            key: raw.key.as_ref().map(placed),
            fields,
            is_whole,
        }
    }

    fn record_form(&mut self, raw: &Spanned<raw::Record>) -> RecordForm {
        if let Some(one_of) = self.one_of(raw) {
            return RecordForm::OneOf(one_of);
        }
        let is_array = raw.by_position.unwrap_or(false);
        match raw.as_value.as_ref().filter(|as_value| as_value.value) {
            Some(as_value) if is_array => {
                self.at(as_value.place, Code::Misplaced, "both `as_value` and `by_position`")
                    .help("remove one of them: a record is the value of its only field, or an array of its fields");
                RecordForm::Array
            }
            Some(as_value) => RecordForm::Value(as_value.place),
            None if is_array => RecordForm::Array,
            None => RecordForm::Object,
        }
    }

    /// Returns what decides which of several records it is; it has nothing of its own then.
    pub(super) fn one_of(&mut self, raw: &Spanned<raw::Record>) -> Option<OneOf> {
        let Some(cases) = &raw.one_of else {
            let decider = raw.choose_by.as_ref().map(|decider| decider.place);
            self.refuse_keys(&[("choose_by", decider)], "requires `one_of`");
            return None;
        };
        let first_field = raw.fields.as_ref().map(|fields| fields.first().map_or(raw.place, |(name, _)| name.place));
        let keys = [
            ("fields", first_field),
            ("includes", raw.includes.as_ref().map(|key| key.place)),
            ("by_position", raw.by_position.filter(|is_so| *is_so).map(|_| raw.place)),
            ("as_value", raw.as_value.as_ref().map(|key| key.place)),
            ("key", raw.key.as_ref().map(|key| key.place)),
            ("abstract", raw.r#abstract.filter(|is_so| *is_so).map(|_| raw.place)),
        ];
        self.refuse_keys(&keys, "contradicts `one_of`: the record is one of others");
        let case = |builder: &mut Self, (name, told_by): &(Text, Texts)| {
            let record = builder.resolve_record(name)?;
            Some(RecordCase { record, place: name.place, told_by: told_by.iter().map(placed).collect() })
        };
        let found = cases.iter().filter_map(|one| case(self, one)).collect();
        Some(OneOf { decider: raw.choose_by.as_ref().map(placed), cases: found, place: cases.place })
    }

    /// Returns whether all fields were found.
    fn collect_fields(&mut self, raw: &Spanned<raw::Record>, path: &mut Vec<String>, into: &mut Vec<Field>) -> bool {
        let mut is_whole = true;
        if let Some(included) = &raw.includes {
            is_whole = false;
            if path.contains(&included.value) {
                self.at(included.place, Code::Circular, format!("`{}` includes itself", included.value))
                    .kind(Kind::Includes)
                    .help("remove one of the `includes`");
            } else if let Some(index) = self.resolve_record(included) {
                let family = self.family;
                if let Some((_, base)) = family.types.records.get(index) {
                    path.push(included.value.clone());
                    is_whole = self.collect_fields(base, path, into);
                }
            }
        }
        if let Some(fields) = &raw.fields {
            // A schema has thousands of fields, so records keep no room for more.
            into.reserve_exact(fields.len());
            into.extend(fields.iter().map(|(name, field)| self.record_field(name, field)));
        }
        is_whole
    }

    fn record_field(&mut self, name: &Text, raw: &Spanned<raw::Field>) -> Field {
        self.refuse_present(raw, OF_REQUESTS, "is only allowed for a parameter of a request");
        let shape = if raw.fields.is_some() { self.refuse_fields(name) } else { self.shape(name, raw) };
        if shape.element().is_some_and(|ty| matches!(ty, Type::Choice(_))) {
            self.at(name.place, Code::Misplaced, "only a parameter of a request can be a choice")
                .help("list its members as fields");
        }
        Field {
            name: self.field_name(name, &raw.rust),
            may_be_null: raw.may_be.is_some(),
            comes_only: raw.comes_only.as_ref().map(|condition| condition.value.clone()),
            sources: self.builder.sources(raw.sources.as_ref(), None),
            deprecated: raw.deprecated.as_ref().cloned(),
            only: self.only(raw),
            fixed: raw.fixed.as_ref().map(placed),
            units: self.units(raw),
            as_text: self.as_text(raw, &shape, Message::Answer),
            shape,
            doc: self.doc(raw),
        }
    }

    fn refuse_fields(&mut self, name: &Text) -> Shape {
        self.at(name.place, Code::Misplaced, "only a parameter of a request can have `fields`")
            .help("define a record with them, and use it as `type` or `list`");
        Shape::One(Type::Undefined)
    }
}

impl Record {
    /// Returns the keys.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let Self { name, doc, source: from, is_abstract: _, is_observed, travels, key, fields: _, is_whole: _ } = self;
        let form = |name, is_so| Key::new(name, flag(is_so), behaviour("it is read as another JSON type"));
        let (decider, has_cases) = match travels {
            RecordForm::OneOf(OneOf { decider, cases: _, place: _ }) => (decider.as_ref(), true),
            RecordForm::Object | RecordForm::Array | RecordForm::Value(_) => (None, false),
        };
        let one_of = Key::new("one_of", flag(has_cases), breaking("it is a struct, or an enum"));
        let decider = Key::placed("choose_by", decider, behaviour("another member decides which record it is"));
        let by_position = form("by_position", *travels == RecordForm::Array);
        let as_value = form("as_value", matches!(travels, RecordForm::Value(_)));
        let key = Key::placed("key", key.as_ref(), behaviour("lists of it are read as another JSON type"));
        let key = key.says(maybe(self.key.as_ref().map(|(key, _)| format!("in lists under its {key}"))));
        let observed = Key::new("observed", flag(*is_observed), documentation(""));
        type_names(name)
            .into_iter()
            .chain([
                one_of,
                decider,
                by_position,
                as_value,
                key,
                observed,
                source(from.as_ref()),
                Key::prose("doc", doc),
            ])
            .collect()
    }

    pub(super) fn element(&self, family: &Family) -> Element {
        let path = path(&family.name, &self.name.wire);
        // An observed record is described by no document.
        let facts = |field: &Field| if self.is_observed { Default::default() } else { field.facts(family, &path) };
        let is_array = self.travels == RecordForm::Array;
        let fields = self.fields.iter().zip(1..).map(|(field, place)| {
            let place = is_array.then(|| self::place(place));
            let [documented, seen] = facts(field);
            field.element(family, &path).keys(place).states(documented).sees(seen)
        });
        let cases = self.cases_told().map(|(_, case)| case.element(family, &path));
        let parts: Vec<_> = fields.chain(cases).collect();
        named("record", path, &self.name)
            .when(additive("a new type"), breaking("the type is removed"))
            .keys(self.keys())
            .holds(parts)
    }
}

impl RecordCase {
    pub(super) fn element(&self, family: &Family, of: &str) -> Element {
        let Self { record, place, told_by } = self;
        let (wire, rust) = (family.type_name(Type::Record(*record)), family.type_rust(Type::Record(*record)));
        let words: Vec<String> = told_by.iter().map(|(word, _)| word.clone()).collect();
        let name = Name { wire: wire.to_owned(), rust: rust.to_owned(), place: *place };
        let fact = Fact::RecordCase { record: of.to_owned(), case: wire.to_owned(), told_by: words };
        named("case", path(of, wire), &name)
            .when(additive("a new variant"), breaking("the variant is removed"))
            .keys([
                Key::new("rust", rust, breaking("the variant has another name")),
                Key::new("told_by", names(told_by), behaviour("other answers are this record")).at(first(told_by)),
            ])
            .states(vec![(*place, fact)])
    }
}

/// Returns the place of a field in a record that travels as an array, counted from 1.
fn place(place: u32) -> Key {
    Key::new("place", place, behaviour("it is read from another place"))
}

impl Field {
    /// Returns the keys.
    pub(crate) fn keys(&self, family: &Family) -> Vec<Key> {
        let Self {
            name,
            shape,
            may_be_null,
            comes_only,
            sources,
            deprecated: is_deprecated,
            only,
            fixed,
            units,
            as_text,
            doc,
        } = self;
        let null = if *may_be_null { "null" } else { "" };
        let seen = elements::sources(sources);
        let seen = if sources.is_empty() && family.is_observed() { seen.says("Observed.") } else { seen };
        let condition = comes_only.as_ref().map(|condition| format!("Present only {condition}."));
        let keys = [
            Key::new("name", &name.wire, behaviour("it is read from another name on the wire")),
            Key::new("rust", name.bare(), breaking("the field has another name")),
            ty(family, shape, "the field has another type"),
            Key::new("may_be", null, documentation("it is optional in any case")),
            deprecated(is_deprecated.as_ref()),
            Key::prose("comes_only", &maybe(comes_only.as_ref())).says(maybe(condition)).documented(),
            seen,
            Key::new("only", names(only), documentation("any value is read"))
                .same_as(in_any_order(only.iter().map(|(value, _)| value)))
                .at(first(only)),
            Key::placed("fixed", fixed.as_ref(), documentation("any value is read"))
                .data("x-fixed", fixed.as_ref().map(|(fixed, _)| fixed.as_str())),
            unit(units),
            Key::prose("doc", own_doc(family, shape, doc)),
        ];
        let travels = travels(family, shape, *as_text, || documentation("both ways are read"));
        keys.into_iter().chain(travels).chain(scale(shape)).collect()
    }

    /// Returns the facts about the field: those that a document states, and the values that were only observed.
    pub(super) fn facts(&self, family: &Family, of: &str) -> [Vec<(Place, Fact)>; 2] {
        let (record, field) = (|| of.to_owned(), || self.name.wire.clone());
        let this = Fact::RecordField { record: record(), field: field(), json: self.json_type() };
        let mut facts = vec![(self.name.place, this)];
        facts.extend(self.deprecated.as_ref().map(|deprecated| deprecated.fact(of, &self.name.wire)));
        let values = match &self.fixed {
            Some((fixed, place)) => vec![(self.shape.wire_of_fixed(fixed), *place)],
            None => family.values_of(&self.shape, &self.only),
        };
        let all = family.enum_of(&self.shape);
        let is_documented = |value: &str| {
            all.and_then(|all| Some(&all.values[all.index_of(value)?])).is_none_or(|value| value.sources.is_empty())
        };
        let fact = |(value, place): (&str, Place)| {
            (place, Fact::RecordValue { record: record(), field: field(), value: value.to_owned() })
        };
        let (documented, seen): (Vec<_>, Vec<_>) = values.into_iter().partition(|(value, _)| is_documented(value));
        facts.extend(documented.into_iter().map(fact));
        [facts, seen.into_iter().map(fact).collect()]
    }

    pub(super) fn json_type(&self) -> JsonType {
        self.shape.json_type(self.as_text)
    }

    pub(super) fn element(&self, family: &Family, of: &str) -> Element {
        named("field", path(of, &self.name.wire), &self.name)
            .when(additive("a new field"), breaking("the field is removed"))
            .observed(!self.sources.is_empty())
            .keys(self.keys(family))
    }
}
