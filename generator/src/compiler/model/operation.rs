//! Operations, their examples and the windows of their answers.

use super::builder::{FamilyBuilder, placed, text_of};
use super::confirm::{compound_key, echoes_key};
use super::elements::{
    Element, Key, Means, additive, behaviour, breaking, declared_keys, deprecated, documentation, flag, list, maybe,
    source, stated,
};
use super::facts::{Fact, WindowBound};
use super::phrases::PLAIN;
use super::{
    Access, AnswerPath, Batch, BesideData, Body, Compound, Confirm, Counterpart, DeclaredHeader, Deprecated, Duration,
    Echoes, Effect, Family, InFlight, Intent, Listing, Method, Name, NameOf, Need, Parameter, ParameterStyle, Path,
    Placed, Rate, Reference, Repeat, Response, Source, Sources, Statements, Window, WindowContext, WireParameter,
    Worth, elements, field_name, phrases, request, type_name,
};
use crate::compiler::diagnostics::{Code, Place};
use crate::compiler::load::{Spanned, Text, WordOr, raw};
use crate::compiler::words::{AccessOf, In, Sends};

/// One operation of the API.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    /// The name of the family and that of the operation, joined by a dot, such as `unified.place-order`.
    pub(crate) id: String,
    pub(crate) name: String,
    /// The position in the family, with the operations that are not emitted.
    pub(crate) number: usize,
    pub(crate) title: String,
    /// The request's Rust type.
    pub(crate) rust: Name,
    /// The module of the operation, and the function of its family.
    pub(crate) function: String,
    pub(crate) place: Place,
    pub(crate) source: Option<Source>,
    /// Who has seen it on the wire, if no document describes it.
    pub(crate) sources: Sources,
    pub(crate) method: Method,
    pub(crate) path: Path,
    /// The method of JSON-RPC that the body calls.
    pub(crate) call: Option<Placed>,
    pub(crate) style: ParameterStyle,
    pub(crate) doc: String,
    pub(crate) effect: Effect,
    /// The reason why it has this effect although its name says something else.
    pub(crate) effect_why: Option<String>,
    pub(crate) access: Access,
    pub(crate) whitelisted: bool,
    /// Other words that people search for it by.
    pub(crate) called: Vec<Placed>,
    pub(crate) deprecated: Option<Deprecated>,
    pub(crate) permission: Option<String>,
    pub(crate) headers: Vec<NameOf<DeclaredHeader>>,
    pub(crate) rates: Vec<Rate>,
    pub(crate) body: Body,
    pub(crate) in_flight: Option<InFlight>,
    /// The parameter that carries the caller's own id.
    pub(crate) client_id: Option<Placed>,
    pub(crate) confirm: Option<Confirm>,
    pub(crate) echoes: Option<Echoes>,
    pub(crate) compound: Option<Compound>,
    pub(crate) worth: Option<Worth>,
    pub(crate) counterpart: Option<Counterpart>,
    pub(crate) repeat: Option<Repeat>,
    pub(crate) window: Option<Window>,
    /// The time that the answer reaches back, unless a parameter determines it.
    pub(crate) history: Option<Duration>,
    pub(crate) response: Response,
    /// The form of a success, and the records of the body of a refusal and of headers, if they are described.
    pub(crate) beside_data: BesideData,
    /// The path to the data, if it differs from that of other operations.
    pub(crate) data: Option<AnswerPath>,
    pub(crate) listing: Listing,
    pub(crate) batch: Option<Batch>,
    pub(crate) intents: Vec<Intent>,
    pub(crate) examples: Vec<Example>,
    pub(crate) statements: Statements,
    pub(crate) key_places: KeyPlaces,
}

/// The places of keys that have none of their own; the place of the operation for keys that are left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyPlaces {
    pub(crate) effect: Place,
    pub(crate) whitelisted: Place,
    pub(crate) permission: Place,
    pub(crate) history: Place,
    pub(crate) response: Place,
}

impl Operation {
    /// Returns whether a name stands for it.
    pub(crate) fn is(&self, name: &Reference) -> bool {
        name.number == Some(self.number)
    }

    /// Returns the parameter of the request that a name stands for.
    pub(crate) fn parameter(&self, name: &Reference) -> Option<&Parameter> {
        self.body.parameters().get(name.number?)
    }

    /// Returns whether the file states the effect.
    pub(crate) fn states_effect(&self) -> bool {
        self.key_places.effect != self.place
    }

    /// Returns whether it has this effect, or states none, which is reported.
    pub(crate) fn may_have(&self, effect: Effect) -> bool {
        self.effect == effect || !self.states_effect()
    }

    /// Returns whether a parameter of the request travels in the path, in a header, or in the query beside the body,
    /// apart from the others.
    pub(crate) fn is_elsewhere(&self, parameter: &Parameter) -> bool {
        parameter.apart.is_some() || self.is_in_path(parameter)
    }

    /// Returns whether a parameter of the request travels in the path.
    pub(crate) fn is_in_path(&self, parameter: &Parameter) -> bool {
        self.path.parameters().any(|name| name == parameter.name.wire)
    }

    /// Returns the parameters that travel in headers.
    pub(crate) fn in_headers(&self) -> impl Iterator<Item = &Parameter> {
        self.members().iter().filter(|parameter| parameter.is_in(In::Header))
    }

    /// Returns the parameters that travel in the query, beside a body with the others.
    pub(crate) fn beside_body(&self) -> impl Iterator<Item = &Parameter> {
        self.members().iter().filter(|parameter| parameter.is_in(In::Query))
    }

    /// Returns where the parameters travel.
    pub(crate) fn sends(&self) -> Sends {
        let usual = if self.method.has_query() { Sends::Query } else { Sends::Json };
        self.style.sends.unwrap_or(usual)
    }

    /// Returns whether the parameters travel in the body.
    pub(crate) fn has_body(&self) -> bool {
        self.sends() != Sends::Query
    }
}

impl Worth {
    /// The beginning of the name of a condition that is about the account.
    pub(crate) const OF_ACCOUNT: &str = "account.";
}

impl Window {
    /// Returns whether the access limit applies to the data, so that an earlier start is accepted but finds nothing
    /// older.
    pub(crate) fn access_is_of_data(&self) -> bool {
        self.access_of.word == AccessOf::Data
    }
}

/// Wire JSON of one call.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    pub(crate) about: String,
    pub(crate) request: Placed,
    pub(crate) response: Placed,
}

impl FamilyBuilder<'_, '_> {
    pub(super) fn operation(&mut self, number: usize, name: &str, place: Place, raw: &raw::Operation) -> Operation {
        if raw.operation.is_none() {
            self.builder.missing("operation", place);
        }
        let place = raw.operation.as_ref().map_or(place, |name| name.place);
        let title = raw.title.as_ref().map_or_else(|| name.to_owned(), |title| title.value.trim().to_owned());
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
            name: name.to_owned(),
        }
    }

    /// Returns who has seen it, if no document describes it: as the operation says, otherwise as the family says.
    pub(super) fn sources(&mut self, raw: &raw::Operation) -> Sources {
        let own = self.builder.sources(raw.sources.as_ref(), raw.source.as_ref());
        let of_family = self.family.family.sources.iter().flat_map(|sources| &sources.value);
        if own.is_empty() { of_family.map(placed).collect() } else { own }
    }

    /// Returns the effect, and the reason that goes with it.
    pub(super) fn effect(&mut self, raw: &raw::Operation, place: Place) -> (Effect, Option<String>) {
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

    /// Returns the name of the function, which has the name of the request type, so that both are found under one name.
    fn function_name(&mut self, raw: &raw::Operation, rust: &Name, place: Place) -> String {
        if rust.rust.is_empty() {
            return String::new();
        }
        let from = raw.rust.as_ref().map_or(rust.wire.as_str(), |rust| rust.value.as_str());
        self.builder.rust_name(&None, from, place, "operation", field_name)
    }

    pub(super) fn examples(&mut self, raw: &[Spanned<raw::Example>], place: Place) -> Vec<Example> {
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

impl Operation {
    /// Returns the facts that a document states about it, except those of the elements within.
    pub(super) fn facts(&self, family: &Family) -> Vec<(Place, Fact)> {
        let (operation, path) = (|| self.id.clone(), &self.path);
        let mut facts =
            vec![(path.place, Fact::Endpoint { operation: operation(), method: self.method, path: path.text.clone() })];
        facts.extend(self.deprecated.as_ref().map(|deprecated| deprecated.fact(&self.id, "")));
        let permission = self.permission.iter().cloned();
        facts.extend(
            permission.map(|text| (self.key_places.permission, Fact::Permission { operation: operation(), text })),
        );
        let header = |name: &Reference| Fact::Header { operation: operation(), header: name.text.clone() };
        facts.extend(self.headers.iter().map(|name| (name.place, header(name))));
        facts.extend(self.window_facts());
        // A document states a member of several cases of a choice once: the case that requires it counts.
        let wires = self.wire_parameters(family);
        let is_stated_by_another = |wire: &WireParameter<'_>| {
            let requires = |other: &WireParameter<'_>| other.need() == Need::Conditional;
            let same = |other: &WireParameter<'_>| other.path() == wire.path() && other.name.place != wire.name.place;
            !requires(wire) && wires.iter().any(|other| same(other) && requires(other))
        };
        facts.extend(wires.iter().flat_map(|wire| {
            let is_repeated = is_stated_by_another(wire);
            let is_new = move |fact: &Fact| !(is_repeated && matches!(fact, Fact::Parameter { .. }));
            wire.facts(family, &self.id).into_iter().filter(move |(_, fact)| is_new(fact))
        }));
        facts.extend(
            self.choices(family).flat_map(|(list, stands_for, choice)| choice.facts(&self.id, list, stands_for)),
        );
        facts.extend(self.answer_facts(family));
        facts
    }

    fn window_facts(&self) -> impl Iterator<Item = (Place, Fact)> {
        let window = self.window.as_ref();
        let lengths = [
            (WindowBound::Span, window.and_then(|window| window.span)),
            (WindowBound::Access, window.and_then(|window| window.access)),
            (WindowBound::Default, window.and_then(|window| window.default)),
            (WindowBound::Access, self.history.map(|length| (length, self.key_places.history))),
        ];
        let fact = |bound, length| Fact::Window { operation: self.id.clone(), bound, length };
        lengths.into_iter().filter_map(move |(bound, length)| {
            let (length, place) = length?;
            Some((place, fact(bound, length)))
        })
    }

    /// Returns the keys. Parts that are elements of their own are only shown.
    pub(crate) fn keys(&self, family: &Family) -> Vec<Key> {
        let Self {
            id: _,
            name,
            title,
            rust,
            function: _,
            place: _,
            source: from,
            sources,
            method,
            path,
            call,
            style: ParameterStyle { sends, lists, objects, says_objects: _, place: style_place },
            doc,
            effect,
            effect_why,
            access,
            whitelisted,
            called,
            deprecated: is_deprecated,
            permission,
            headers,
            rates,
            body,
            in_flight,
            client_id,
            confirm: _,
            echoes,
            compound,
            worth,
            counterpart: _,
            repeat,
            window,
            history,
            response,
            beside_data: _,
            data,
            listing,
            batch: _,
            intents: _,
            examples,
            statements: _,
            key_places,
            number: _,
        } = self;
        // The Rust names come from the title, unless `rust` says otherwise.
        let renamed = || breaking(format!("its request is called `{}` in Rust", rust.rust));
        let by_title = Means::Rust { name: Some(rust.rust.clone()), other: renamed(), same: documentation("") };
        let may_call = || behaviour("who may call it");
        let repeats = Means::Allows {
            is_allowed: self.is_repeatable(),
            lost: breaking("it can no longer be repeated"),
            otherwise: behaviour("a repeat does something else"),
        };
        let listed = if *whitelisted { ", only for user ids on the white list" } else { "" };
        let rates = rates.iter().map(Rate::to_string).collect::<Vec<_>>().join("; ");
        let sent: Vec<_> = headers.iter().map(|header| header.text.as_str()).collect();
        let keys = [
            Key::new("name", name, behaviour("it has another id")),
            Key::new("title", title, by_title).at(Some(rust.place)),
            Key::new("rust", &rust.rust, renamed()).at(Some(rust.place)).unless("title"),
            Key::new("http", format!("{} {}", method.as_str(), path.text), behaviour("another endpoint is called"))
                .at(Some(path.place)),
            Key::placed("call", call.as_ref(), behaviour("another endpoint is called")).said(),
            Key::new("body", request::body(body), behaviour("the body has another shape on the wire")),
            Key::new("sends", maybe(sends.map(Sends::as_str)), behaviour("the parameters travel elsewhere"))
                .at(Some(*style_place))
                .says(request::sends_words(self.sends())),
            Key::new("lists", request::written(lists.as_str()), behaviour("lists are written another way")),
            Key::new("objects", request::written(objects.as_str()), behaviour("objects are written another way")),
            Key::new("effect", effect.as_str(), repeats).says(effect_words(*effect, repeat.as_ref())),
            Key::new("access", access.as_str(), may_call()).says(format!("{}{listed}", access.as_str())),
            Key::new("whitelisted", flag(*whitelisted), may_call()).at(Some(key_places.whitelisted)),
            deprecated(is_deprecated.as_ref()),
            Key::new("permission", maybe(permission.as_ref()), documentation("")).said(),
            Key::shown("limits", rates),
            Key::shown("in flight", maybe(in_flight.as_ref())),
            Key::new("headers", list(&sent), behaviour("which headers it carries"))
                .at(headers.first().map(|header| header.place))
                .said(),
            Key::shown("window", maybe(window.as_ref())),
            Key::new("history", maybe(*history), behaviour("how far back the answer reaches"))
                .same_as(maybe(history.map(|length| length.length())))
                .says(maybe(history.map(|length| format!("reaches back {length}")))),
            source(from.as_ref()),
            elements::sources(sources),
            Key::prose("doc", doc),
            elements::called(called),
            self::examples(examples),
            Key::placed(
                "client_id",
                client_id.as_ref(),
                behaviour("which id a request with an unknown outcome reports"),
            )
            .said(),
            echoes_key(echoes.as_ref()),
            compound_key(compound.as_ref()),
            Key::new("data", maybe(data.as_ref().map(ToString::to_string).as_ref()), behaviour("how answers are read")),
            Key::prose("compound.why", compound.as_ref().map_or("", |compound| &compound.why.0)).said(),
            Key::shown("repeat", repeat.as_ref().map_or("", |repeat| &repeat.why.0)),
            Key::shown("worth", maybe(worth.as_ref().map(|worth| phrases::worth(worth, &PLAIN)))),
            Key::prose("effect.why", &maybe(effect_why.as_ref()))
                .says(maybe(effect_why.as_ref()))
                .data("x-effect-why", effect_why.as_deref())
                .documented(),
        ];
        keys.into_iter().chain(listing.keys()).chain(self.answer(family, response)).chain(self.beside(family)).collect()
    }

    pub(super) fn element(&self, family: &Family) -> Element {
        let id = self.id.as_str();
        let mut element = Element::new("operation", id, [id, &self.rust.rust], self.place)
            .when(additive("a new request and function"), breaking("its types and its function are removed"))
            .keys(self.keys(family))
            .observed(!self.sources.is_empty())
            .states(self.facts(family))
            .holds(self.body.parameters().iter().map(|parameter| parameter.element(family, id)))
            .holds(self.intents.iter().map(|intent| intent.element(family, self)))
            .holds(self.in_flight.iter().map(|in_flight| {
                // The number of amendments that the gate admits at a time.
                let [comes, goes] = ["it implements `Amendment`", "it no longer implements `Amendment`"];
                stated("in_flight", id, in_flight).when(additive(comes), breaking(goes))
            }))
            .holds(self.rates.iter().map(|rate| rate.element(id)))
            .holds(self.window.iter().map(|window| window.element(self)))
            .holds(self.repeat.iter().map(|repeat| {
                let [comes, goes] = ["it can be repeated", "it can no longer be repeated"];
                stated("repeat", id, repeat).when(additive(comes), breaking(goes))
            }))
            .holds(self.worth.iter().map(|worth| {
                let [comes, goes] = ["a budget can count it", "a client with a budget refuses it"];
                stated("worth", id, worth).when(behaviour(comes), behaviour(goes))
            }))
            .holds(self.counterpart.iter().map(|counterpart| {
                let [comes, goes] = ["its requests can be converted", "its requests can no longer be converted"];
                stated("counterpart", id, counterpart).when(additive(comes), breaking(goes))
            }))
            .holds(self.confirm.iter().map(|confirm| confirm.element(family, self)))
            .holds(self.batch.iter().map(|batch| batch.element(family, self)));
        if self.is_repeatable() && self.repeat.is_none() {
            element.removed_within = Some(("repeat", behaviour("it is repeated anyway")));
        }
        self.statements.add_to(element)
    }

    /// Returns whether it may be sent again: reads may, and so may operations that the schema calls harmless.
    fn is_repeatable(&self) -> bool {
        self.effect == Effect::Read || self.repeat.is_some()
    }
}

fn effect_words(effect: Effect, repeat: Option<&Repeat>) -> &'static str {
    match effect {
        Effect::Create if repeat.is_some() => "create: a repeat with the same key makes no other one",
        Effect::Read => "read: changes nothing",
        Effect::Create => "create: a repeat makes another one",
        Effect::Amend => "amend: changes what is there",
        Effect::Cancel => "cancel: takes back what is there",
        Effect::Close => "close: ends what is there",
    }
}

fn examples(examples: &[Example]) -> Key {
    let texts =
        examples.iter().map(|Example { about, request, response }| format!("{about}: {} {}", request.0, response.0));
    let place = examples.first().map(|example| example.request.1);
    Key::prose("examples", &texts.collect::<Vec<_>>().join("; ")).at(place)
}

impl Window {
    pub(super) fn element(&self, operation: &Operation) -> Element {
        let has_between = self.has_between(operation);
        let between = || breaking("`between` is removed");
        let checked = || behaviour("checked before sending");
        let end = |WindowContext::End| Means::Allows { is_allowed: has_between, lost: between(), otherwise: checked() };
        let unchecked = || behaviour("no longer checked before sending");
        Element::new("window", &operation.id, ["window", "window"], self.place)
            .when(checked(), if has_between { between() } else { unchecked() })
            .keys(declared_keys(self, end))
    }

    /// Returns whether both ends can be set by one call, for which both need setters.
    fn has_between(&self, operation: &Operation) -> bool {
        let has_setter = |all: &Parameter| !all.is_required() && !all.is_edit();
        [&self.from, &self.to].iter().all(|end| operation.parameter(end).is_some_and(has_setter))
    }
}
