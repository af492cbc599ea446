//! Responses: the data of an answer and what is beside it, listings with their pages, and batches.

use super::builder::FamilyBuilder;
use super::declared::KeyValue as _;
use super::elements::{Element, Key, Means, additive, behaviour, breaking, declared_keys, maybe};
use super::facts::{Fact, ResponseShape};
use super::{
    AnswerPath, Batch, BatchContext, CursorParameter, EnumParameter, Family, Field, JsonType, ListOfAnswer,
    ListedInstruments, ListedPrices, Name, NameOf, Operation, Pages, Reference, Shows, TextOfItems, Type, declared,
};
use crate::compiler::diagnostics::{Code, Place};
use crate::compiler::load::{Spanned, Text, raw};
use crate::compiler::words::{AnswerForm, PagesBy, Shown};

/// The form of an answer, and what it has beside its data; the indices refer to the records of the family.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BesideData {
    /// The whole body of a refusal.
    pub(crate) refusal: Option<(usize, Place)>,
    /// The headers of a success.
    pub(crate) headers: Option<(usize, Place)>,
    /// The form of a success, if it is not JSON.
    pub(crate) form: Option<(AnswerForm, Place)>,
}

/// The data of a response; the indices refer to the records of the family.
#[derive(Clone, Debug)]
pub(crate) enum Response {
    Object {
        record: usize,
    },
    Array {
        record: usize,
        observed_under: Option<String>,
    },
    Page {
        list: Name,
        record: usize,
        cursor: Name,
        next: NameOf<CursorParameter>,
    },
    /// A name that has already been reported, so that nothing more is reported about it.
    Undefined,
}

impl Response {
    /// Returns the record of the data, or of its items.
    pub(crate) fn record(&self) -> Option<usize> {
        match self {
            Self::Object { record } | Self::Array { record, .. } | Self::Page { record, .. } => Some(*record),
            Self::Undefined => None,
        }
    }
}

impl FamilyBuilder<'_, '_> {
    /// Returns the path to the data, if the operation states its own.
    pub(super) fn own_data(&mut self, raw: &raw::Operation) -> Option<AnswerPath> {
        let data = raw.response.as_ref()?.data.as_ref()?;
        self.builder.path(&data.value, data.place, "data")
    }

    /// Returns the records of a refusal and of headers.
    pub(super) fn beside_data(&mut self, raw: &raw::Operation) -> BesideData {
        let Some(response) = &raw.response else { return BesideData::default() };
        let mut record = |name: &Option<Text>| {
            let name = name.as_ref()?;
            Some((self.resolve_record(name)?, name.place))
        };
        let form = response.body.as_ref().map(|form| (form.value, form.place));
        BesideData { refusal: record(&response.refusal), headers: record(&response.headers), form }
    }

    pub(super) fn response(&mut self, raw: &raw::Operation, place: Place) -> Response {
        let Some(response) = &raw.response else {
            self.builder.missing("response", place);
            return Response::Undefined;
        };
        self.refuse_unused_response_keys(response);
        let result = match (&response.object, &response.array, &response.page) {
            (Some(object), None, None) => self.resolve_record(object).map(|record| Response::Object { record }),
            (None, Some(array), None) => {
                let observed_under = response.observed_under.as_ref().map(|text| text.value.clone());
                self.resolve_record(array).map(|record| Response::Array { record, observed_under })
            }
            (None, None, Some(list)) => self.page(response, list),
            (None, None, None) => {
                self.at(response.place, Code::BadResponse, "missing `object`, `array` or `page`")
                    .help("add the one that describes `data`, such as `object: SomeRecord`");
                None
            }
            _ => {
                self.at(response.place, Code::BadResponse, "expected only one of `object`, `array` and `page`")
                    .help("keep the one that describes `data`");
                None
            }
        };
        result.unwrap_or(Response::Undefined)
    }

    /// Reports keys that belong to another kind of response.
    fn refuse_unused_response_keys(&mut self, raw: &Spanned<raw::Response>) {
        let place = |text: &Option<Text>| text.as_ref().map(|text| text.place);
        let is_unread = ["page", "array"].iter().any(|key| self.builder.to.is_unread(raw.place.file, key));
        // If none of the three is given, only that is reported.
        if is_unread || (raw.object.is_none() && raw.array.is_none() && raw.page.is_none()) {
            return;
        }
        if raw.page.is_none() {
            let keys = [("of", place(&raw.of)), ("cursor", place(&raw.cursor)), ("next", raw.next.place())];
            self.refuse_keys(&keys, "requires a `page`");
            let shows = raw.shows.as_ref().filter(|shows| shows.what.0 != Shown::Positions);
            let of_listings =
                [("id", raw.id.place()), ("each", raw.each.place()), ("shows", shows.map(|shows| shows.place))];
            // Pages that could not be read, or that lack a key, are reported.
            if raw.pages.is_none() && !self.builder.to.mistaken_files().contains(&raw.place.file) {
                self.refuse_keys(&of_listings, "requires a `page` or `pages`");
            }
        }
        if raw.object.is_none() {
            self.refuse_keys(&[("list", raw.list.place())], "requires an `object`");
        } else if raw.pages.is_some() {
            self.refuse_keys(&[("list", raw.list.place())], "is a key of `pages` here");
        }
        if raw.array.is_none() {
            let instruments = raw.instruments.as_ref().map(|instruments| instruments.place);
            let prices = raw.prices.as_ref().map(|prices| prices.place);
            let of_arrays =
                [("observed_under", place(&raw.observed_under)), ("instruments", instruments), ("prices", prices)];
            self.refuse_keys(&of_arrays, "requires an `array`");
        }
    }

    pub(super) fn page(&mut self, raw: &Spanned<raw::Response>, list: &Text) -> Option<Response> {
        let keys = [("of", raw.of.is_some()), ("cursor", raw.cursor.is_some()), ("next", raw.next.is_some())];
        self.builder.need_keys(&keys, raw.place);
        let (of, cursor, next) = (raw.of.as_ref()?, raw.cursor.as_ref()?, raw.next.clone()?);
        let record = self.resolve_record(of)?;
        let (list, cursor) = (self.field_name(list, &None), self.field_name(cursor, &None));
        Some(Response::Page { list, record, cursor, next })
    }
}

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

/// The properties of a listing beyond its cursor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing {
    /// The field that identifies an item.
    pub(crate) id: Option<NameOf<TextOfItems>>,
    /// The parameter for whose values the listing is queried one by one, because a query without it is incomplete.
    pub(crate) each: Option<NameOf<EnumParameter>>,
    /// The field of an object with the records, if the listing has no pages.
    pub(crate) list: Option<NameOf<ListOfAnswer>>,
    pub(crate) pages: Option<Pages>,
    pub(crate) shows: Option<Shows>,
    pub(crate) instruments: Option<ListedInstruments>,
    pub(crate) prices: Option<ListedPrices>,
}

impl Operation {
    /// Returns the field of an object with the records that it lists.
    pub(crate) fn listed_field<'a>(&self, family: &'a Family) -> Option<&'a Field> {
        let Response::Object { record } = self.response else { return None };
        let Listing { list, pages, .. } = &self.listing;
        let list = pages.as_ref().and_then(|pages| pages.list.as_ref()).or(list.as_ref())?;
        family.records.get(record)?.field(&list.text)
    }

    /// Returns the record of the items of a listing.
    pub(crate) fn listed_record(&self, family: &Family) -> Option<usize> {
        match self.response {
            Response::Object { .. } => self.listed_field(family)?.shape.listed_record(),
            Response::Array { record, .. } | Response::Page { record, .. } => Some(record),
            Response::Undefined => None,
        }
    }

    /// Returns the record of the items, if the listing comes in pages.
    pub(crate) fn paged_record(&self, family: &Family) -> Option<usize> {
        let is_paged = self.listing.pages.is_some() || matches!(self.response, Response::Page { .. });
        self.listed_record(family).filter(|_| is_paged)
    }
}

impl Pages {
    /// Returns whether the page includes the item that `next` names.
    pub(crate) fn includes_last(&self) -> bool {
        self.includes.is_some_and(|(includes, _)| includes)
    }

    /// Returns the number or the offset of the first page.
    pub(crate) fn begins_with(&self) -> u64 {
        self.first.map_or(u64::from(self.by.0 == PagesBy::Number), |(first, _)| first)
    }
}

impl Batch {
    /// Returns the path to the codes of the items, if they are not in the items of the list.
    pub(crate) fn codes_apart(&self) -> Option<AnswerPath> {
        AnswerPath::parse(&self.results.as_ref()?.0)
    }

    /// Returns the names of the ids in the items that are sent. In results, an id can be in an object within.
    pub(crate) fn ids_of_items(&self) -> impl Iterator<Item = &str> {
        self.id.iter().map(|(id, _)| id.rsplit('.').next().unwrap_or(id))
    }
}

impl FamilyBuilder<'_, '_> {
    /// Returns the keys of a listing.
    pub(super) fn listing(&mut self, raw: &raw::Response) -> Listing {
        let pages = raw.pages.as_ref().and_then(|pages| self.pages(raw, pages));
        Listing {
            id: raw.id.clone(),
            each: raw.each.clone(),
            list: raw.list.clone(),
            pages,
            shows: raw.shows.clone(),
            instruments: raw.instruments.clone(),
            prices: raw.prices.clone(),
        }
    }

    pub(super) fn pages(&mut self, response: &raw::Response, raw: &Pages) -> Option<Pages> {
        if response.page.is_some() {
            self.refuse_keys(&[("pages", Some(raw.place))], "requires an `object` or an `array`");
            return None;
        }
        if response.array.is_some() {
            let of_objects = [("list", raw.list.place()), ("more", raw.more.place()), ("total", raw.total.place())];
            self.refuse_keys(&of_objects, "requires an `object`");
        }
        if response.object.is_some() && raw.list.is_none() {
            self.builder.missing("list", raw.place);
        }
        self.keys_of_pages(raw);
        Some(raw.clone())
    }

    /// Reports keys of `pages` that `by` requires or does not allow.
    fn keys_of_pages(&mut self, raw: &Pages) {
        let by = raw.by.0;
        let in_header = by == PagesBy::Cursor && raw.header.is_some();
        if let Some((header, place)) = &raw.header {
            self.builder.check_header(header, *place);
        }
        if in_header {
            self.refuse_keys(&[("field", raw.field.place())], "and `header` exclude each other");
        }
        let keys: [(&str, Option<Place>, &[PagesBy], bool); 5] = [
            ("field", raw.field.place(), &[PagesBy::Cursor, PagesBy::Last], !in_header),
            ("header", raw.header.place(), &[PagesBy::Cursor], false),
            ("includes", raw.includes.place(), &[PagesBy::Last], true),
            ("first", raw.first.place(), &[PagesBy::Number, PagesBy::Offset], false),
            ("total", raw.total.place(), &[PagesBy::Number, PagesBy::Offset], false),
        ];
        for (key, place, ways, is_needed) in keys {
            if !ways.contains(&by) {
                self.refuse_keys(&[(key, place)], &format!("is not allowed with `by: {}`", by.as_str()));
            } else if is_needed && place.is_none() {
                self.builder.missing(key, raw.place);
            }
        }
    }

    pub(super) fn batch(&mut self, response: &Spanned<raw::Response>) -> Option<Batch> {
        let mut batch = response.items.as_ref()?.clone();
        let raw = &mut batch;
        if response.page.is_some() {
            self.refuse_keys(&[("items", Some(raw.place))], "requires an `object` or an `array`");
            return None;
        }
        if raw.id.is_empty() {
            self.builder.missing("id", raw.place);
        }
        if raw.results.is_some() {
            self.results_apart(response, raw);
        } else if response.array.is_some() {
            self.refuse_lists(raw, ["requires an `object`"; 2]);
            self.failure_is_known(raw);
        } else if response.object.is_some() && raw.list.is_some() {
            self.results_in_one_list(raw);
        } else if response.object.is_some() {
            self.builder.need_keys(&[("done", raw.done.is_some()), ("failed", raw.failed.is_some())], raw.place);
        }
        if raw.results.is_none() && response.object.is_none() {
            self.refuse_keys(&[("list", raw.list.place())], "requires an `object`");
        }
        let is_one_list = response.array.is_some() || raw.list.is_some();
        if !is_one_list || raw.results.is_some() {
            let why = "requires an `array`, or an `object` with `list`, and no `results`";
            self.refuse_keys(&[("succeeded", raw.succeeded.place())], why);
        }
        if let Some((path, place)) = &raw.results {
            self.builder.path(path, *place, "results");
        }
        Some(batch)
    }

    /// Takes the lists of results away where there are none, with the reasons against them and against `all_done`.
    fn refuse_lists(&mut self, raw: &mut Batch, [lists, all_done]: [&str; 2]) {
        self.refuse_keys(&[("done", raw.done.take().place()), ("failed", raw.failed.take().place())], lists);
        self.refuse_keys(&[("all_done", raw.all_done.take().place())], all_done);
    }

    /// Checks the keys for an answer with one list, whose items state whether they succeeded.
    fn results_in_one_list(&mut self, raw: &mut Batch) {
        self.refuse_lists(raw, ["and `list` exclude each other", "requires `done` and `failed`"]);
        self.failure_is_known(raw);
    }

    fn failure_is_known(&mut self, raw: &Batch) {
        if raw.code.is_none() && raw.succeeded.is_none() {
            self.builder.missing("code", raw.place);
        }
    }

    /// Checks the keys for codes that are not in the items.
    fn results_apart(&mut self, response: &Spanned<raw::Response>, raw: &mut Batch) {
        self.refuse_lists(raw, ["and `results` exclude each other"; 2]);
        if raw.code.is_none() {
            self.builder.missing("code", raw.place);
        }
        if response.object.is_none() {
            self.refuse_keys(&[("list", raw.list.place())], "requires an `object`");
        } else if raw.list.is_none() {
            self.builder.missing("list", raw.place);
        }
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
fn pages_key(pages: Option<&Pages>) -> Key {
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
fn shows_key(shows: Option<&Shows>) -> Key {
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
