//! The elements of operations, and of their statements and outcomes.

use super::means::Arguments;
use super::types::deprecated;
use super::{
    Element, Key, Means, additive, behaviour, breaking, declared_keys, documentation, first, flag, in_any_order, list,
    maybe, names, path, source, sources, stated,
};
use crate::compiler::diagnostics::Place;
use crate::compiler::load::declared::KeyValue;
use crate::compiler::model::facts::{Fact, WindowBound};
use crate::compiler::model::phrases::{self, PLAIN};
use crate::compiler::model::{
    Body, Compound, Condition, Confirm, ConfirmContext, Contradiction, Echoes, Effect, Example, Family, Intent,
    NamesWithin, Need, Observation, OpenQuestion, Operation, Parameter, ParameterStyle, PoolWeight, Rate, Reference,
    Repeat, Rule, RuleKind, Setting, Statements, Test, Window, WindowContext, WireParameter,
};
use crate::compiler::words::Sends;

/// Returns where the parameters travel, in words; empty if it follows from the method.
fn sends_words(sends: Sends) -> &'static str {
    match sends {
        Sends::Query | Sends::Json => "",
        Sends::Form => "form-encoded body",
    }
}

/// Returns how a list or an object is written; empty if in the usual way.
fn written(style: &str) -> &str {
    if style == "json" { "" } else { style }
}

impl Operation {
    /// Returns the facts that a document states about it, except those of the elements within.
    fn facts(&self, family: &Family) -> Vec<(Place, Fact)> {
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
            Key::new("body", self::body(body), behaviour("the body has another shape on the wire")),
            Key::new("sends", maybe(sends.map(Sends::as_str)), behaviour("the parameters travel elsewhere"))
                .at(Some(*style_place))
                .says(sends_words(self.sends())),
            Key::new("lists", written(lists.as_str()), behaviour("lists are written another way")),
            Key::new("objects", written(objects.as_str()), behaviour("objects are written another way")),
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
            self::sources(sources),
            Key::prose("doc", doc),
            super::called(called),
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

fn body(body: &Body) -> &'static str {
    if body.array().is_some() { "an array" } else { "parameters" }
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

impl Rate {
    /// Returns the element; a rate is identified by what it counts and for whom.
    fn element(&self, operation: &str) -> Element {
        // Its dates are those of its class.
        let Self { calls, scope, class, is_observed, dates: _, place, every, of_pool } = self;
        let fact = || {
            let (operation, class) = (operation.to_owned(), class.clone());
            (*place, Fact::Rate { operation, calls: *calls, every: *every, scope: *scope, class })
        };
        let counted = self.counted();
        let rate = of_pool.as_ref().map_or_else(|| self.pace(), PoolWeight::to_string);
        Element::new("rate limit", format!("{operation} {counted}"), [&counted, &counted], *place)
            .when(behaviour("the limiter keeps it"), behaviour("the limiter no longer keeps it"))
            .keys([Key::new("rate", rate, behaviour("the limiter keeps another pace"))])
            .states(of_pool.is_none().then(fact))
            .observed(*is_observed)
    }
}

impl Window {
    fn element(&self, operation: &Operation) -> Element {
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

impl Intent {
    fn element(&self, family: &Family, operation: &Operation) -> Element {
        let Self { id, rust, place, says, at, within, set, take: _, call } = self;
        let parameters = operation.set_of(within.as_ref().map(|(list, _)| list));
        let named = |all: &Parameter| (all.name.wire.clone(), all.is_argument());
        let arguments = Arguments {
            taken: self.arguments(family, parameters).into_iter().map(named).collect(),
            parameters: parameters.iter().map(named).collect(),
        };
        let within = maybe(within.as_ref().map(|(list, _)| list));
        Element::new("intent", path(&operation.id, id), [id, rust], *place)
            .when(additive("a new function"), breaking("its function is removed"))
            .keys([
                Key::new("rust", rust, breaking("its function has another name")),
                Key::new("in", within, breaking("its function makes something else")),
                Key::new("set", settings(set), Means::Sets(arguments.clone())),
                Key::new("take", "", Means::Arguments(arguments)).unless("set"),
                Key::new("call", settings(call), documentation("arguments have other names")),
                Key::new("at", at, documentation("")),
                Key::prose("says", says),
            ])
    }
}

fn settings(all: &[Setting]) -> String {
    let words = |Setting { name, text, place: _, text_place: _ }: &Setting| format!("{name} = {text}");
    list(all.iter().map(words))
}

impl Confirm {
    pub(super) fn element(&self, family: &Family, operation: &Operation) -> Element {
        let types = operation.first_query(family);
        let types = types.map(|(query, record)| format!("{} {}", query.rust.rust, record.name.rust));
        let by = |ConfirmContext::Query| Means::Rust {
            name: types.clone(),
            other: breaking("the query and the record that it returns have other types"),
            same: behaviour("another operation is queried"),
        };
        Element::new("confirmation", &operation.id, ["confirmation", "confirmation"], self.place)
            .when(additive("it can be confirmed"), breaking("it can no longer be confirmed"))
            .keys(declared_keys(self, by))
    }
}

pub(super) fn several(all: &[NamesWithin]) -> String {
    let words = all.iter().map(|((one, _), others)| {
        let others: Vec<_> = others.iter().map(|(other, _)| other.as_str()).collect();
        format!("{one}: {}", others.join(" or "))
    });
    list(words)
}

pub(super) fn echoes_key(echoes: Option<&Echoes>) -> Key {
    let said = |several: &dyn Fn(&[NamesWithin]) -> String| {
        maybe(echoes.map(|Echoes { place: _, ids, also, by_one, one_is_enough }| {
            let one_of = if *one_is_enough { "one of " } else { "" };
            let more = |word: &str, all: &[NamesWithin]| match all {
                [] => String::new(),
                _ => format!("; {word} {}", several(all)),
            };
            format!("{one_of}{}{}{}", several(ids), more("also", also), more("by one", by_one))
        }))
    };
    let unordered = |all: &[NamesWithin]| {
        in_any_order(all.iter().map(|((one, _), others)| format!("{one}: {:?}", others.same_as())))
    };
    let means = behaviour("which ids match an answer to its request");
    Key::new("echoes", said(&several), means).same_as(said(&unordered)).at(echoes.map(|echoes| echoes.place)).said()
}

/// Returns when it has several effects; the reason is a separate text.
pub(super) fn compound_key(compound: Option<&Compound>) -> Key {
    let words = compound.map(|Compound { place: _, when, why: _ }| match when {
        Some(((name, _), (value, _))) => format!("when {name} is {value}"),
        None => "always".to_owned(),
    });
    let means = behaviour("which refusals prove that nothing was done");
    Key::new("compound", maybe(words), means).at(compound.map(|compound| compound.place)).said()
}

impl Statements {
    /// Adds the statements of a family or an operation to its element.
    pub(super) fn add_to(&self, element: Element) -> Element {
        let Self { rules, not_shown, contradictions, observed } = self;
        let of = element.path.clone();
        element
            .keys(not_shown.iter().map(OpenQuestion::key))
            .states(not_shown.iter().map(|open| open.fact(&of)))
            .holds(rules.iter().map(|rule| rule.element(&of)))
            .holds(contradictions.iter().map(|one| one.element(&of)))
            .holds(observed.iter().map(|one| one.element(&of, [of.as_str()])))
    }
}

impl OpenQuestion {
    /// Returns a key without a name, so that versions are compared by its presence.
    pub(super) fn key(&self) -> Key {
        let Self { says, at: _, place } = self;
        Key { is_one_of_several: true, ..Key::prose("not_shown", &says.0).at(Some(*place)) }
    }

    fn fact(&self, about: &str) -> (Place, Fact) {
        (self.place, Fact::OpenQuestion { about: about.to_owned(), says: self.says.0.to_string() })
    }
}

impl Contradiction {
    pub(super) fn element(&self, of: &str) -> Element {
        let Self { id, place, readings, chosen, why } = self;
        let fact = Fact::Contradiction { about: of.to_owned(), readings: readings.join(" / ") };
        Element::new("contradiction", path(of, id), [id, id], *place)
            .keys([Key::prose("readings", &readings.join(" / ")), Key::prose("chosen", chosen), Key::prose("why", why)])
            .states([(*place, fact)])
    }
}

impl Observation {
    /// Returns the element; a statement about the whole API is a fact about each of its families.
    pub(super) fn element<'a>(&self, of: &str, about: impl IntoIterator<Item = &'a str>) -> Element {
        let Self { id, place, says, sources } = self;
        let fact = |about: &str| (*place, Fact::Observed { about: about.to_owned(), says: says.clone() });
        Element::new("observation", path(of, id), [id, id], *place)
            .keys([Key::prose("says", says), Key::new("sources", list(sources), documentation(""))])
            .states(about.into_iter().map(fact))
    }
}

impl Rule {
    /// Returns a rule that always requires one of several parameters also states a one-of.
    fn facts(&self, about: &str) -> Vec<(Place, Fact)> {
        let mut facts = vec![Fact::Rule { about: about.to_owned(), rule: self.id.clone(), kind: self.kind }];
        let prefix = self.within.as_ref().map(|(list, _)| list.item_prefix()).unwrap_or_default();
        if let Some(Test::Condition { when, require, .. }) = &self.test {
            for condition in require.iter().filter(|_| when.is_empty()) {
                if let Condition::AnyGiven(names) = condition {
                    let paths = names.iter().map(|(name, _)| format!("{prefix}{name}")).collect();
                    facts.push(Fact::OneOf { operation: about.to_owned(), paths });
                }
            }
        }
        let facts = facts.into_iter().map(|fact| (self.place, fact));
        let unsupported = self
            .unsupported_paths()
            .map(|(path, place)| (place, Fact::Unsupported { operation: about.to_owned(), path }));
        facts.chain(unsupported).collect()
    }

    pub(super) fn element(&self, of: &str) -> Element {
        let Self { id, place, written, at, kind, severity, severity_place, says, why, within, test, unsupported } =
            self;
        // Whether something enforces it beyond types and the attention of a reader.
        let is_binding = match kind {
            RuleKind::Checked | RuleKind::Limit | RuleKind::Simulated => true,
            RuleKind::Type | RuleKind::Stated | RuleKind::Todo => false,
        };
        let bound = |means: &'static str| Means::Binds { is_binding, verdict: behaviour(means) };
        let alone = |means: &'static str| if is_binding { behaviour(means) } else { documentation("") };
        let within = within.as_ref().map(|(list, _)| format!("in {list}: ")).unwrap_or_default();
        let element = Element::new("rule", path(of, id), [id, id], *place)
            .when(alone("it holds from now on"), alone("it no longer holds"))
            .keys([
                Key::new("kind", kind.as_str(), bound("it is kept by other means")),
                Key::new("severity", severity.as_str(), bound("whether a request that breaks it is refused"))
                    .at(*severity_place),
                Key::new("condition", within.clone() + &maybe(test.as_ref()), bound("it binds other requests"))
                    .same_as(within + &maybe(test.as_ref().map(Test::meaning))),
                Key::new(
                    "unsupported",
                    names(unsupported),
                    behaviour("which parameters are refused by name when read"),
                )
                .at(first(unsupported)),
                Key::new("at", at, documentation("")),
                Key::prose("says", says),
                Key::prose("why", &maybe(why.as_ref())),
            ])
            .states(self.facts(of));
        Element { written: *written, ..element }
    }
}
