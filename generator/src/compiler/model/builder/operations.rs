//! Operation files -> operations, with `confirm` and `intents`; also the table of outcomes and the way an account
//! becomes flat.

use super::fields::mark_inner_lists;
use super::{Builder, FamilyBuilder, placed, placed_list, text_of};
use crate::compiler::diagnostics::{Code, Place, did_you_mean};
use crate::compiler::load::{Named, Spanned, Text, Texts, WordOr, raw};
use crate::compiler::model::declared::KeyValue as _;
use crate::compiler::model::{
    Access, AnswerPath, Batch, BesideData, Body, CallResult, Confirm, Echoes, Effect, Example, Intent, KeyPlaces,
    ListName, Listing, Method, Name, NameOf, NamesWithin, Need, Operation, OutcomeRow, Pages, Parameter,
    ParameterStyle, Path, PathPiece, Repeat, Response, RowOutcome, Setting, Sources, field_name, type_name,
};
use crate::compiler::words::{Lists, Objects, PagesBy, Sends, Shown};

impl FamilyBuilder<'_, '_> {
    pub(super) fn operations(&mut self) -> Vec<Operation> {
        let family = self.family;
        let numbered = family.operations.iter().enumerate();
        numbered.map(|(number, (file, place, raw))| self.operation(number, file, *place, raw)).collect()
    }

    fn operation(&mut self, number: usize, file: &str, place: Place, raw: &raw::Operation) -> Operation {
        let name = self.operation_name(file, place, raw);
        let place = raw.operation.as_ref().map_or(place, |name| name.place);
        let title = raw.title.as_ref().map_or_else(|| name.clone(), |title| title.value.trim().to_owned());
        let type_source =
            Spanned { value: title.clone(), place: raw.title.as_ref().map_or(place, |title| title.place) };
        let rust = self.name(&type_source, &raw.rust, "operation", type_name);
        let (method, path) = self.http(raw, place);
        let (effect, effect_why) = self.effect(raw, place);
        Operation {
            id: format!("{}.{name}", self.family.folder),
            number,
            function: self.function_name(raw, &rust, place),
            title,
            rust,
            place,
            source: self.builder.source(&raw.source),
            sources: self.sources(raw),
            style: self.style(raw, method, place),
            method,
            path,
            doc: self.builder.need(&raw.doc, "doc", place),
            effect,
            effect_why,
            access: raw.access.unwrap_or(Access::Signed),
            whitelisted: raw.whitelisted.as_ref().is_some_and(|whitelisted| whitelisted.value),
            called: raw.called.iter().map(placed).collect(),
            deprecated: raw.deprecated.clone(),
            call: raw.call.as_ref().map(placed),
            permission: raw.permission.as_ref().map(|_| self.builder.need(&raw.permission, "permission", place)),
            headers: raw.headers.iter().map(placed).map(NameOf::new).collect(),
            rates: raw.rate_limit.iter().filter_map(|text| self.rate(text)).collect(),
            body: self.body(raw, place),
            in_flight: raw.in_flight.clone(),
            client_id: raw.client_id.as_ref().map(placed),
            confirm: self.confirm(&raw.confirm),
            echoes: self.echoes(raw),
            compound: raw.compound.clone(),
            worth: raw.worth.clone(),
            counterpart: raw.counterpart.clone(),
            repeat: self.repeat(&raw.repeat),
            window: raw.window.clone(),
            history: self.builder.duration(raw.history.as_deref()),
            response: self.response(raw, place),
            beside_data: self.beside_data(raw),
            data: self.own_data(raw),
            listing: raw.response.as_ref().map(|response| self.listing(response)).unwrap_or_default(),
            batch: raw.response.as_ref().and_then(|response| self.batch(response)),
            intents: self.intents(&raw.intents),
            examples: self.examples(&raw.examples, place),
            statements: self.builder.statements(
                &raw.rules,
                &self.family.operations,
                &raw.not_shown,
                &raw.contradictions,
                &raw.observed,
            ),
            key_places: key_places(raw, place),
            name,
        }
    }

    /// Returns who has seen it, if no document describes it: as the operation says, otherwise as the family says.
    fn sources(&mut self, raw: &raw::Operation) -> Sources {
        let own = self.builder.sources(raw.sources.as_ref(), raw.source.as_ref());
        let of_family = self.family.family.sources.iter().flat_map(|sources| &sources.value);
        if own.is_empty() { of_family.map(placed).collect() } else { own }
    }

    /// Returns the effect, and the reason that goes with it.
    fn effect(&mut self, raw: &raw::Operation, place: Place) -> (Effect, Option<String>) {
        let (effect, why) = match raw.effect.as_ref().map(|effect| (&effect.value, effect.place)) {
            None => {
                self.builder.missing("effect", place);
                (None, None)
            }
            Some((WordOr::Word(effect), _)) => (Some(*effect), None),
            Some((WordOr::Mapping(reasoned), place)) => {
                if reasoned.is.is_none() {
                    self.builder.missing("is", place);
                }
                (reasoned.is, Some(self.builder.need(&reasoned.why, "why", place)))
            }
        };
        (effect.unwrap_or_else(|| likely_effect(raw)), why)
    }

    /// Returns how the parameters travel: as the operation says, otherwise as the family says.
    fn style(&mut self, raw: &raw::Operation, method: Method, place: Place) -> ParameterStyle {
        let family = &self.family.family;
        let own = raw.sends.as_ref();
        if let Some(sends) = own.filter(|sends| sends.value != Sends::Query && method == Method::Get) {
            self.at(sends.place, Code::Misplaced, "a GET request has no body")
                .help("remove `sends`, or correct the method");
        }
        let of_family = family.sends.as_ref().filter(|_| !method.has_query());
        let value = |sends: &Spanned<Sends>| sends.value;
        let objects = raw.objects.as_ref().or(family.objects.as_ref());
        ParameterStyle {
            sends: own.or(of_family).map(value),
            lists: raw.lists.as_ref().or(family.lists.as_ref()).map_or(Lists::Json, |lists| lists.value),
            objects: objects.map_or(Objects::Json, |objects| objects.value),
            says_objects: objects.is_some(),
            place: own.map_or(place, |sends| sends.place),
        }
    }

    fn operation_name(&mut self, file: &str, place: Place, raw: &raw::Operation) -> String {
        match &raw.operation {
            Some(name) if name.value != file => {
                self.at(
                    name.place,
                    Code::WrongName,
                    format!("the operation is named `{}`, but its file {file}.yaml", name.value),
                )
                .help("use the same name for both");
            }
            Some(_) => {}
            None => self.builder.missing("operation", place),
        }
        file.to_owned()
    }

    /// Returns the name of the function, which has the name of the request type, so that both are found under one name.
    fn function_name(&mut self, raw: &raw::Operation, rust: &Name, place: Place) -> String {
        if rust.rust.is_empty() {
            return String::new();
        }
        let from = raw.rust.as_ref().map_or(rust.wire.as_str(), |rust| rust.value.as_str());
        self.builder.rust_name(&None, from, place, "operation", field_name)
    }

    fn http(&mut self, raw: &raw::Operation, place: Place) -> (Method, Path) {
        let nothing = |place| Path { text: String::new(), pieces: Vec::new(), place };
        let Some(http) = &raw.http else {
            self.builder.missing("http", place);
            return (likely_method(raw), nothing(place));
        };
        let (word, path) = http.value.split_once(' ').unwrap_or((http.value.as_str(), ""));
        let method = Method::parse(word);
        if method.is_none() {
            let help = did_you_mean(word, Method::WORDS.iter().copied()).unwrap_or_else(|| {
                "write a method and a path, such as `GET /api/v1/orders`; methods are GET, POST, PUT, PATCH and DELETE".into()
            });
            self.at(http.place, Code::BadPath, format!("invalid HTTP method `{word}`")).help(help);
        }
        let pieces = match PathPiece::all_of(path) {
            Ok(pieces) => pieces,
            Err(why) if method.is_some() => {
                self.at(http.place, Code::BadPath, format!("invalid path `{path}`: {why}")).help(
                    "a path starts with `/` and consists of letters, digits, `-`, `.`, `_`, `~`, `:`, `@` and parameters in braces",
                );
                Vec::new()
            }
            Err(_) => Vec::new(),
        };
        (method.unwrap_or_else(|| likely_method(raw)), Path { text: path.to_owned(), pieces, place: http.place })
    }

    fn body(&mut self, raw: &raw::Operation, place: Place) -> Body {
        let Some(request) = &raw.request else {
            self.builder.missing("request", place);
            return Body(Vec::new());
        };
        let (arrays, members): (Vec<_>, Vec<_>) = request.iter().partition(|(name, _)| name.value == ListName::BODY);
        let members = members.into_iter().map(|(name, field)| self.parameter(name, field)).collect::<Vec<_>>();
        let array = arrays.first().map(|(name, field)| self.array_body(name, field));
        let mut all: Vec<Parameter> = members.into_iter().chain(array).collect();
        for item in all.iter_mut().filter_map(|parameter| parameter.shape.objects_mut()) {
            mark_inner_lists(&mut item.parameters);
        }
        Body(all)
    }

    fn array_body(&mut self, name: &Text, field: &Spanned<raw::Field>) -> Parameter {
        // A body that is an array is always sent.
        let parameter = Parameter { need: Need::Always, ..self.parameter(name, field) };
        if parameter.item().is_none() {
            self.at(name.place, Code::Misplaced, "an array body requires `fields`")
                .help("write `\"[]\": { item: Order, fields: { .. } }`");
        }
        parameter
    }

    /// Returns the path to the data, if the operation states its own.
    fn own_data(&mut self, raw: &raw::Operation) -> Option<AnswerPath> {
        let data = raw.response.as_ref()?.data.as_ref()?;
        self.builder.path(&data.value, data.place, "data")
    }

    /// Returns the records of a refusal and of headers.
    fn beside_data(&mut self, raw: &raw::Operation) -> BesideData {
        let Some(response) = &raw.response else { return BesideData::default() };
        let mut record = |name: &Option<Text>| {
            let name = name.as_ref()?;
            Some((self.resolve_record(name)?, name.place))
        };
        let form = response.body.as_ref().map(|form| (form.value, form.place));
        BesideData { refusal: record(&response.refusal), headers: record(&response.headers), form }
    }

    fn response(&mut self, raw: &raw::Operation, place: Place) -> Response {
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

    fn page(&mut self, raw: &Spanned<raw::Response>, list: &Text) -> Option<Response> {
        let keys = [("of", raw.of.is_some()), ("cursor", raw.cursor.is_some()), ("next", raw.next.is_some())];
        self.builder.need_keys(&keys, raw.place);
        let (of, cursor, next) = (raw.of.as_ref()?, raw.cursor.as_ref()?, raw.next.clone()?);
        let record = self.resolve_record(of)?;
        let (list, cursor) = (self.field_name(list, &None), self.field_name(cursor, &None));
        Some(Response::Page { list, record, cursor, next })
    }

    fn examples(&mut self, raw: &[Spanned<raw::Example>], place: Place) -> Vec<Example> {
        if raw.is_empty() && !self.builder.to.is_unread(place.file, "examples") {
            self.at(place, Code::MissingKey, "the operation has no examples")
                .help("add `examples` with a request and its response as wire JSON");
        }
        let examples = raw.iter().filter_map(|raw| {
            let keys = [("request", raw.request.is_some()), ("response", raw.response.is_some())];
            self.builder.need_keys(&keys, raw.place);
            if raw.about.is_some() {
                self.builder.need(&raw.about, "about", raw.place);
            }
            let (request, response) = (raw.request.as_ref()?, raw.response.as_ref()?);
            Some(Example { about: text_of(&raw.about), request: placed(request), response: placed(response) })
        });
        examples.collect()
    }
}

/// Returns the places of keys that the model keeps without a place.
fn key_places(raw: &raw::Operation, place: Place) -> KeyPlaces {
    let text = |text: Option<&Text>| text.map_or(place, |text| text.place);
    KeyPlaces {
        effect: raw.effect.as_ref().map_or(place, |effect| effect.place),
        whitelisted: raw.whitelisted.as_ref().map_or(place, |whitelisted| whitelisted.place),
        permission: text(raw.permission.as_ref()),
        history: text(raw.history.as_deref()),
        response: raw.response.as_ref().map_or(place, |response| response.place),
    }
}

/// Returns the effect to assume if none is stated, so that only the missing key is reported.
fn likely_effect(raw: &raw::Operation) -> Effect {
    let is_read = raw.http.as_ref().is_none_or(|http| http.value.starts_with("GET "));
    match (&raw.repeat, &raw.in_flight, &raw.confirm, &raw.compound) {
        (Some(_), _, _, _) => Effect::Cancel,
        (None, None, None, None) if is_read => Effect::Read,
        (None, None, None, None) => Effect::Cancel,
        _ => Effect::Amend,
    }
}

/// Returns the method to assume, for the same reason.
fn likely_method(raw: &raw::Operation) -> Method {
    let is_change = raw
        .effect
        .as_ref()
        .is_some_and(|effect| matches!(effect.value, WordOr::Word(effect) if effect != Effect::Read));
    if is_change { Method::Post } else { Method::Get }
}

impl Builder<'_> {
    pub(super) fn outcome_row(&mut self, raw: &Spanned<raw::OutcomeRow>) -> Option<OutcomeRow> {
        let why = self.need(&raw.why, "why", raw.place);
        self.need_keys(&[("when", raw.when.is_some()), ("outcome", raw.outcome.is_some())], raw.place);
        let when = raw.when.as_ref()?;
        // If the outcome is missing, a value that passes the checks, so that only the missing key is reported.
        let fitting = match when.value {
            CallResult::Success => RowOutcome::Done,
            when if when.may_be_sent() => RowOutcome::Unknown,
            _ => RowOutcome::NotDone,
        };
        let outcome = raw.outcome.as_ref().map_or(fitting, |outcome| outcome.value);
        Some(OutcomeRow { place: when.place, when: when.value, outcome, why })
    }
}

impl FamilyBuilder<'_, '_> {
    pub(super) fn confirm(&mut self, raw: &Option<Confirm>) -> Option<Confirm> {
        let confirm = raw.as_ref()?;
        if confirm.ids.is_empty() && confirm.find.is_empty() {
            self.builder.missing("ids", confirm.place);
        }
        Some(confirm.clone())
    }

    pub(super) fn echoes(&mut self, raw: &raw::Operation) -> Option<Echoes> {
        if let (Some(first), Some(second)) = (&raw.echoes, &raw.echoes_one_of) {
            self.at(second.place, Code::Misplaced, "`echoes` and `echoes_one_of` exclude each other")
                .related(first.place, "`echoes` is here")
                .help("keep `echoes` if every id must agree, or `echoes_one_of` if one is enough");
        }
        let ids = raw.echoes.as_ref().or(raw.echoes_one_of.as_ref());
        let first = ids.or(raw.echoes_also.as_ref()).or(raw.echoed_by.as_ref())?;
        let all = |key: Option<&Spanned<Named<Texts>>>| key.map(|key| several(key)).unwrap_or_default();
        Some(Echoes {
            place: first.place,
            ids: all(ids),
            also: all(raw.echoes_also.as_ref()),
            by_one: all(raw.echoed_by.as_ref()),
            one_is_enough: raw.echoes.is_none() && raw.echoes_one_of.is_some(),
        })
    }

    pub(super) fn repeat(&mut self, raw: &Option<Repeat>) -> Option<Repeat> {
        let repeat = raw.as_ref()?;
        if let Some((_, place)) = repeat.kept.filter(|_| repeat.by_key.is_none()) {
            self.refuse_keys(&[("kept", Some(place))], "requires `by_key`");
        }
        Some(repeat.clone())
    }
}

fn several(raw: &Named<Texts>) -> Vec<NamesWithin> {
    raw.iter().map(|(one, others)| (placed(one), others.iter().map(placed).collect())).collect()
}

impl FamilyBuilder<'_, '_> {
    pub(super) fn intents(&mut self, raw: &[Spanned<raw::Intent>]) -> Vec<Intent> {
        raw.iter().map(|raw| self.intent(raw)).collect()
    }

    fn intent(&mut self, raw: &Spanned<raw::Intent>) -> Intent {
        let id = self.builder.need(&raw.id, "id", raw.place);
        let place = raw.id.as_ref().map_or(raw.place, |id| id.place);
        let set = raw.set.as_ref().map(|set| settings(set)).unwrap_or_default();
        let is_unread = raw.set.is_some() && self.builder.to.mistaken_files().contains(&place.file);
        if set.is_empty() && !is_unread {
            self.at(place, Code::BadIntent, "the intent sets nothing")
                .help("add the values it sends, such as `set: { side: buy }`");
        }
        let mut call = settings(&raw.call);
        call.iter_mut().for_each(|setting| self.name_argument(setting));
        Intent {
            rust: self.builder.rust_name(&raw.rust, &id, place, "intent", field_name),
            id,
            place,
            says: self.builder.need(&raw.says, "says", raw.place),
            at: text_of(&raw.at),
            within: raw.r#in.as_ref().map(placed_list),
            set,
            take: raw.take.iter().map(placed).collect(),
            call,
        }
    }

    /// Makes the Rust name of an argument.
    fn name_argument(&mut self, setting: &mut Setting) {
        setting.text = field_name(&setting.text).unwrap_or_else(|_| {
            self.at(setting.text_place, Code::NotAnIdentifier, format!("invalid Rust name `{}`", setting.text))
                .help("use ASCII letters, digits and underscores, and do not start with a digit");
            String::new()
        });
    }
}

fn settings(raw: &Named<Text>) -> Vec<Setting> {
    let setting = |(name, text): &(Text, Text)| {
        let (place, text_place): (Place, Place) = (name.place, text.place);
        Setting { name: name.value.clone(), place, text: text.value.clone(), text_place }
    };
    raw.iter().map(setting).collect()
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

    fn pages(&mut self, response: &raw::Response, raw: &Pages) -> Option<Pages> {
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
