//! The elements of records and their fields, of listings, batches and what answers show, and the keys of responses.

use super::types::{deprecated, named, own_doc, scale, travels, ty, type_names, unit};
use super::{
    Element, Key, Means, additive, behaviour, breaking, declared_keys, documentation, first, flag, in_any_order, maybe,
    names, path, source, sources,
};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::facts::{Fact, ResponseShape};
use crate::compiler::model::{
    Batch, BatchContext, BesideData, Family, Field, JsonType, ListedInstruments, ListedPrices, Listing, Name, OneOf,
    Operation, Pages, Record, RecordCase, RecordForm, Reference, Response, Shows, Type, declared,
};

impl Operation {
    /// Returns the keys of the response.
    pub(super) fn answer(&self, family: &Family, response: &Response) -> Vec<Key> {
        let record = |of: &str, index: usize| {
            let (name, rust) = (family.type_name(Type::Record(index)), family.type_rust(Type::Record(index)));
            let key = Key::new("response", format!("{of}{name}"), breaking("the answer has another type"));
            key.same_as(format!("{of}{rust}"))
        };
        let member = |name, of: &Name| {
            let means = Means::Rust {
                name: Some(of.rust.clone()),
                other: breaking("the page's field has another name"),
                same: behaviour("it is read from another name on the wire"),
            };
            Key::new(name, &of.wire, means)
        };
        match response {
            Response::Object { record: index } => vec![record("", *index)],
            Response::Array { record: index, observed_under } => {
                let under = behaviour("where the list is looked for");
                vec![record("list of ", *index), Key::new("observed_under", maybe(observed_under.as_ref()), under)]
            }
            Response::Page { list, record: index, cursor, next } => {
                let means = Means::Rust {
                    name: self.cursor_type(family, next).map(str::to_owned),
                    other: breaking("the cursor has another type"),
                    same: behaviour("where the cursor goes"),
                };
                let next = Key::reference("next", Some(next), means);
                vec![record("page of ", *index), member("page", list), member("cursor", cursor), next]
            }
            Response::Undefined => Vec::new(),
        }
    }

    /// Returns the keys of what the answer has beside its data.
    pub(super) fn beside(&self, family: &Family) -> [Key; 3] {
        let key = |name, record: Option<(usize, Place)>, means: &'static str| {
            let of = |index| Type::Record(index);
            let word = record.map(|(index, _)| family.type_name(of(index)).to_owned());
            let rust = record.map(|(index, _)| family.type_rust(of(index)).to_owned());
            let means = Means::Each {
                added: additive("it has a type"),
                removed: breaking("it has no type"),
                changed: breaking(means),
            };
            let key = Key::new(name, maybe(word), means).at(record.map(|(_, place)| place));
            key.same_as(maybe(rust))
        };
        let BesideData { refusal, headers, form } = self.beside_data;
        [
            key("refusal", refusal, "`Error::refusal` returns another type"),
            key("answered headers", headers, "`Reply::headers_of` returns another type"),
            Key::new(
                "answered body",
                form.map_or("json", |(form, _)| form.as_str()),
                behaviour("answers of another form are read"),
            )
            .at(form.map(|(_, place)| place)),
        ]
    }

    /// Returns the facts about the response. The items of a page are a record, which has its own facts.
    pub(super) fn answer_facts(&self, family: &Family) -> Vec<(Place, Fact)> {
        let field = |path: String, json| Fact::ResponseField { operation: self.id.clone(), path, json };
        let shape = |shape| (self.key_places.response, Fact::ResponseShape { operation: self.id.clone(), shape });
        let of_record = |prefix: &str, record: usize| -> Vec<_> {
            let fields = &family.records[record].fields;
            let path = |one: &Field| format!("{prefix}{}", one.name.wire);
            fields.iter().map(|one| (one.name.place, field(path(one), one.json_type()))).collect()
        };
        let (shape, fields) = match &self.response {
            Response::Object { record } => (shape(ResponseShape::Object), of_record("", *record)),
            Response::Array { record, .. } => (shape(ResponseShape::Array), of_record("[].", *record)),
            Response::Page { list, cursor, .. } => {
                let member = |name: &Name, json| (name.place, field(name.wire.clone(), json));
                let members = vec![member(list, JsonType::Array), member(cursor, JsonType::String)];
                (shape(ResponseShape::Page(cursor.wire.clone())), members)
            }
            Response::Undefined => return Vec::new(),
        };
        std::iter::once(shape).chain(fields).collect()
    }

    /// Returns the type of a cursor, which is an identifier where the parameter that it goes into is one.
    fn cursor_type<'a>(&self, family: &'a Family, next: &Reference) -> Option<&'a str> {
        self.parameter(next)?.shape.single().filter(|ty| ty.is_identifier()).map(|ty| family.type_rust(ty))
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
    fn element(&self, family: &Family, of: &str) -> Element {
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
        let seen = self::sources(sources);
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
    fn facts(&self, family: &Family, of: &str) -> [Vec<(Place, Fact)>; 2] {
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

    fn json_type(&self) -> JsonType {
        self.shape.json_type(self.as_text)
    }

    fn element(&self, family: &Family, of: &str) -> Element {
        named("field", path(of, &self.name.wire), &self.name)
            .when(additive("a new field"), breaking("the field is removed"))
            .observed(!self.sources.is_empty())
            .keys(self.keys(family))
    }
}

impl Listing {
    pub(super) fn keys(&self) -> [Key; 7] {
        let Self { id, each, list, pages, shows, instruments, prices } = self;
        [
            Key::reference("id", id.as_deref(), behaviour("which items of a listing are the same")),
            Key::reference("each", each.as_deref(), behaviour("which requests a whole listing takes")),
            Key::reference(
                "list",
                list.as_deref(),
                behaviour("which records of an answer are compared with a request"),
            ),
            pages_key(pages.as_ref()),
            shows_key(shows.as_ref()),
            instruments_key(instruments.as_ref()),
            prices_key(prices.as_ref()),
        ]
    }
}

/// Returns how its next page is requested.
pub(super) fn pages_key(pages: Option<&Pages>) -> Key {
    let words = pages.map(declared::words);
    let means = Means::Allows {
        is_allowed: pages.is_some(),
        lost: breaking("its pages can no longer be followed"),
        otherwise: behaviour("how its pages are requested"),
    };
    let key = Key::new("pages", maybe(words.as_ref()), means);
    key.at(pages.map(|pages| pages.place)).says(maybe(words))
}

/// Returns what the listing shows of an account.
pub(super) fn shows_key(shows: Option<&Shows>) -> Key {
    let means = behaviour("what `reconcile` compares with the journal");
    Key::new("shows", maybe(shows.map(declared::words)), means).at(shows.map(|shows| shows.place))
}

/// Returns the instruments that the listing has.
fn instruments_key(instruments: Option<&ListedInstruments>) -> Key {
    let means = behaviour("which steps and bounds `load_instruments` reads");
    let key = Key::new("instruments", maybe(instruments.map(declared::words)), means);
    key.at(instruments.map(|instruments| instruments.place))
}

/// Returns the last prices that the listing shows.
fn prices_key(prices: Option<&ListedPrices>) -> Key {
    let means = behaviour("which prices a budget learns");
    Key::new("prices", maybe(prices.map(declared::words)), means).at(prices.map(|prices| prices.place))
}

impl Batch {
    pub(super) fn element(&self, family: &Family, operation: &Operation) -> Element {
        let item = operation.items().find(|(_, item)| self.of.as_ref().is_some_and(|(of, _)| item.list.as_str() == of));
        let item = item.map(|(_, item)| item.rust.clone());
        let in_context = |context| match context {
            BatchContext::Sent => Means::Rust {
                name: item.clone(),
                other: breaking("its items have another type"),
                same: behaviour("where its items are"),
            },
            BatchContext::Done => Means::Rust {
                name: self.done_type(family, operation).map(str::to_owned),
                other: breaking("what is answered for an item has another type"),
                same: behaviour("how the result of each item is read"),
            },
        };
        let (comes, goes) = match self.of {
            Some(_) => {
                (additive("it can be sent as a batch of any length"), breaking("it can no longer be sent as a batch"))
            }
            None => (breaking("its reply is one of results"), breaking("its reply is no longer one of results")),
        };
        Element::new("batch", &operation.id, ["batch", "batch"], self.place)
            .when(comes, goes)
            .keys(declared_keys(self, in_context))
    }

    /// Returns the Rust name of the answer for an item that succeeded. If the answer is one list, the response states
    /// it.
    fn done_type<'a>(&self, family: &'a Family, operation: &Operation) -> Option<&'a str> {
        let Response::Object { record } = operation.response else { return None };
        let done = self.done.as_ref().or(self.list.as_ref())?;
        let listed = family.records.get(record)?.named(done)?.shape.listed_record()?;
        Some(family.type_rust(Type::Record(listed)))
    }
}
