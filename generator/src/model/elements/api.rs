//! The elements of the whole API and of its families: conventions, codes, limits, states and statements.

use super::types::named;
use super::{
    Among, Element, Key, Means, Order, additive, behaviour, breaking, documentation, flag, list, maybe, names, path,
    source,
};
use crate::diagnostics::Place;
use crate::model::{
    Account, Api, Around, Carried, Ceiling, Class, Content, Contradiction, Credentials, Document, Envelope, ErrorCode,
    Family, Header, Instrument, InstrumentProperty, Lifecycle, Market, Never, NotShown, Observation, ObservedCode,
    OutcomeRow, Part, Pool, Probe, Program, Proof, Property, PropertyKind, Refusal, Rule, RuleKind, Ruled, Signature,
    SignedPart, State, Statements, Token, Tracked, Transition, Type, Way, Within, parts_text, phrases,
};

impl Api {
    /// The whole schema.
    pub(crate) fn element(&self) -> Element {
        let Self {
            name,
            place,
            is_sound: _,
            is_whole: _,
            doc,
            license,
            documents,
            envelope,
            credentials,
            headers,
            remaining_calls,
            pools,
            markets,
            examples,
            account,
            outcomes,
            observed,
            codes,
            refusals,
            families,
            reviewed: _,
        } = self;
        let remaining = behaviour("from which header the limiter learns what is left");
        Element::new("api", "api", ["api", "api"], *place)
            .keys([
                Key::new("api", name, documentation("")),
                Key::new("remaining_calls", maybe(remaining_calls.as_ref()), remaining),
                Key::prose("doc", doc),
                Key::new("license", maybe(license.as_ref()), documentation("licence of the exported description")),
            ])
            .holds([self::envelope(envelope.as_ref(), *place), self::credentials(credentials.as_ref(), *place)])
            .holds(headers.iter().map(Header::element))
            .holds(pools.iter().map(Pool::element))
            .holds(markets.iter().map(Market::element))
            .holds(examples.iter().map(Program::element))
            .holds(documents.iter().map(Document::element))
            .holds(outcomes.iter().map(OutcomeRow::element))
            .holds(codes.iter().map(ObservedCode::element))
            .holds(refusals.iter().map(Refusal::element))
            .holds(observed.iter().map(|one| one.element("api")))
            .holds(account.iter().map(|account| account.element(*place)))
            .holds(families.iter().map(Family::element))
    }
}

fn envelope(envelope: Option<&Envelope>, place: Place) -> Element {
    let key = |name, value: String| Key::new(name, value, behaviour("how answers are read"));
    let paths = |paths: &[Way]| list(paths.iter().map(ToString::to_string));
    let keys = envelope.map(|Envelope { around, code, message, time, data, success, beside, place: _ }| {
        let around = if *around == Around::All { String::new() } else { around.as_str().to_owned() };
        let beside = list(beside);
        [
            paths(code),
            paths(message),
            maybe(time.as_ref()),
            maybe(data.as_ref()),
            maybe(success.as_ref()),
            around,
            beside,
        ]
    });
    let names = ["code", "message", "time", "data", "success", "around", "beside"];
    let keys = names.into_iter().zip(keys.unwrap_or_default());
    Element::new("envelope", "api", ["envelope", "envelope"], place).keys(keys.map(|(name, value)| key(name, value)))
}

fn credentials(credentials: Option<&Credentials>, place: Place) -> Element {
    let key =
        |name, value: Option<String>| Key::new(name, value.unwrap_or_default(), behaviour("how calls are signed"));
    let sent = |word: SignedPart| {
        let carried = credentials.and_then(|all| all.of(word))?;
        let Carried { within, name, parts: _, place: _ } = carried;
        Some(match within {
            Within::Header => name.clone(),
            Within::Parameters | Within::Query => format!("{name} in {}", within.as_str()),
        })
    };
    let combined = credentials.and_then(|all| all.headers().find(|carried| carried.word().is_none()));
    let keys =
        credentials.map(|Credentials { carried: _, signature, timestamp, window, window_set_by: _, place: _ }| {
            let (content, algorithms, secret) = match signature {
                None => Default::default(),
                Some(Signature { content, algorithms, secret }) => {
                    (content_keys(content), algorithms.as_slice(), Some(secret.as_str().to_owned()))
                }
            };
            let [first, others] = [
                algorithms.first().map(|(_, encoding)| encoding.as_str().to_owned()),
                Some(list(
                    algorithms.iter().skip(1).map(|(one, encoding)| format!("{}: {}", one.as_str(), encoding.as_str())),
                )),
            ];
            let algorithm = algorithms.first().map(|(algorithm, _)| algorithm.as_str().to_owned());
            (
                content,
                [algorithm, first, others, secret],
                timestamp.as_str().to_owned(),
                window.map(|all| all.to_string()),
            )
        });
    let (content, [algorithm, encoding, also, secret], timestamp_as, window) = match keys {
        Some((content, signed, timestamp, window)) => (content, signed, Some(timestamp), window),
        None => Default::default(),
    };
    let [signed_text, token, lasts] = content;
    Element::new("credentials", "api", ["credentials", "credentials"], place).keys([
        key("key", sent(SignedPart::Key)),
        key("signature", sent(SignedPart::Signature)),
        key("passphrase", sent(SignedPart::Passphrase)),
        key("timestamp", sent(SignedPart::Timestamp)),
        key("nonce", sent(SignedPart::Nonce)),
        key("authorization", combined.map(|carried| parts_text(&carried.parts))),
        key("signed_text", signed_text),
        key("token", token),
        key("lasts", lasts),
        key("algorithm", algorithm),
        key("encoding", encoding),
        key("also", also),
        key("secret", secret),
        key("timestamp_as", timestamp_as),
        key("window", window),
        key("window_set_by", credentials.and_then(|all| Some(all.window_set_by.as_ref()?.0.clone()))),
    ])
}

/// The signed text; or the members of a token, and how long it is valid.
fn content_keys(content: &Content) -> [Option<String>; 3] {
    match content {
        Content::Text(parts) => [Some(parts_text(parts)), None, None],
        Content::Token(Token { header, claims, lasts }) => {
            let member = |(name, parts): &(String, Vec<Part>)| format!("{name}: {}", parts_text(parts));
            let members =
                list(header.iter().map(|one| format!("header {}", member(one))).chain(claims.iter().map(member)));
            [None, Some(members), lasts.map(|lasts| lasts.to_string())]
        }
    }
}

impl Pool {
    fn element(&self) -> Element {
        let Self { name, rate, doc, told, place } = self;
        Element::new("pool", name, ["pools", name], *place)
            .when(behaviour("the limiter keeps it"), behaviour("the limiter no longer keeps it"))
            .keys([
                Key::new("rate", rate.to_string(), behaviour("the limiter keeps another pace")),
                Key::new("told", maybe(told.as_ref()), behaviour("what the limiter learns from answers"))
                    .at(told.as_ref().map(|told| told.place))
                    .says(maybe(told.as_ref())),
                Key::prose("doc", doc),
            ])
    }
}

impl Market {
    fn element(&self) -> Element {
        let Self { name, doc, headers, place } = self;
        let headers = list(headers.iter().map(|((header, _), value)| format!("{header}: {value}")));
        Element::new("market", name, ["markets", name], *place)
            .when(additive("a new function of the client"), breaking("the function of the client is gone"))
            .keys([Key::new("headers", headers, behaviour("what leads to the market")), Key::prose("doc", doc)])
    }
}

impl Program {
    fn element(&self) -> Element {
        let Self { name, shows, place } = self;
        Element::new("example", name, ["examples", name], *place).keys([Key::prose("shows", shows)])
    }
}

impl Header {
    fn element(&self) -> Element {
        let Self { name, doc, sent, place } = self;
        Element::new("header", name, [name, name], *place)
            .when(
                behaviour("it is sent when the client was given a value"),
                behaviour("the client refuses a value for it"),
            )
            .keys([Key::new("sent", sent.as_str(), behaviour("which calls carry it")), Key::prose("doc", doc)])
    }
}

impl Document {
    fn element(&self) -> Element {
        let Self { id, title, place } = self;
        Element::new("document", id, [id, id], *place).keys([Key::prose("title", title)])
    }
}

impl OutcomeRow {
    fn element(&self) -> Element {
        let Self { place, when, outcome, why } = self;
        let meaning = || behaviour("which outcome a call with this result has");
        Element::new("outcome", when.as_str(), [when.as_str(); 2], *place)
            .when(meaning(), meaning())
            .keys([Key::new("outcome", outcome.as_str(), meaning()), Key::prose("why", why)])
    }
}

impl Proof {
    fn keys(&self) -> [Key; 3] {
        let Self { proves, stage, cause, cause_place: _ } = self;
        let meaning = || behaviour("what a refusal with it says of the request");
        [
            Key::new("proves", proves.as_str(), meaning()),
            Key::new("stage", stage.as_str(), meaning()),
            Key::new("cause", maybe(cause.map(|cause| cause.as_str())), behaviour("which cause is named")),
        ]
    }
}

impl Refusal {
    /// Clients read none of it; programs that stand in for the exchange do.
    fn element(&self) -> Element {
        let Self { name, place, says, code, codes, status, rules } = self;
        let own = codes.iter().map(|((family, _), (code, _))| format!("{family}: {code}"));
        let codes = code.iter().map(|(code, _)| code.clone()).chain(own);
        Element::new("refusal", name, [name, name], *place).keys([
            Key::new("codes", list(codes), documentation("")),
            Key::placed("status", status.as_ref(), documentation("")),
            Key::new("rules", names(rules), documentation("")),
            Key::prose("says", says),
        ])
    }
}

impl ObservedCode {
    fn element(&self) -> Element {
        let Self { code, place, families, proof, says, doc, sources, certainty } = self;
        Element::new("observed code", code, [code, code], *place)
            .when(
                behaviour("a refusal with it decides the outcome of the request"),
                behaviour("a refusal with it leaves a change unknown"),
            )
            .keys(proof.keys())
            .keys([
                Key::new("families", names(families), behaviour("whose answers it explains")),
                Key::new("certainty", certainty.as_str(), behaviour("whether it is trusted")),
                Key::prose("says", says),
                Key::prose("doc", doc),
                Key::prose("sources", &list(sources)),
            ])
    }
}

impl Account {
    fn element(&self, place: Place) -> Element {
        let Self { doc, properties, instrument } = self;
        Element::new("account", "account", ["account", "account"], place)
            .when(
                breaking("`Account` is a type of the crate"),
                breaking("`Account` is the type of the runtime, without properties"),
            )
            .keys([Key::prose("doc", doc)])
            .holds(properties.iter().map(Property::element))
            .holds(instrument.iter().map(|instrument| instrument.element(place)))
    }
}

impl Property {
    fn element(&self) -> Element {
        let Self { name, doc, kind } = self;
        let path = path("account", &name.wire);
        let (word, form, values) = match kind {
            PropertyKind::Words(name, values) => (name.rust.as_str(), "words", values.as_slice()),
            PropertyKind::Flag => ("flag", "flag", &[][..]),
            PropertyKind::Time => ("time", "time", &[][..]),
            PropertyKind::Names => ("names", "names", &[][..]),
        };
        let values: Vec<_> = values.iter().map(|value| value.element(&path)).collect();
        let element = named("property", path, name)
            .when(additive("a setter sets it"), breaking("its setter is gone"))
            .keys([
                Key::new("name", &name.wire, behaviour("rules know it by another name")),
                Key::new("rust", name.bare(), breaking("its setter has another name")),
                Key::new("type", word, breaking("its setter takes another type")),
                Key::prose("doc", doc),
            ])
            .holds(values);
        Element { form, ..element }
    }
}

impl Instrument {
    fn element(&self, place: Place) -> Element {
        let Self { doc, properties } = self;
        Element::new("instrument", "instrument", ["instrument", "instrument"], place)
            .when(additive("a new type"), breaking("the type is gone"))
            .keys([Key::prose("doc", doc)])
            .holds(properties.iter().map(InstrumentProperty::element))
    }
}

impl InstrumentProperty {
    fn element(&self) -> Element {
        let Self { name, doc } = self;
        named("property", path("instrument", &name.wire), name)
            .when(additive("a setter sets it"), breaking("its setter is gone"))
            .keys([
                Key::new("name", &name.wire, behaviour("rules know it by another name")),
                Key::new("rust", name.bare(), breaking("its setter has another name")),
                Key::prose("doc", doc),
            ])
    }
}

impl Family {
    fn element(&self) -> Element {
        let Self {
            name,
            rust,
            place,
            shared_files: _,
            title,
            doc,
            source: from,
            numbers_as_text,
            errors,
            limits,
            instrument,
            classes,
            probe,
            lifecycle,
            statements,
            enums,
            identifiers,
            choices,
            records,
            operations,
            effects: _,
        } = self;
        let numbers = if *numbers_as_text { "text" } else { "json" };
        let instrument = instrument.as_ref().map(|names| format!("{}, {}", names.line.0, names.symbol.0));
        // Ceilings are a table, which is only there when there are some.
        let none_left = || ("ceiling", breaking("the table `CEILINGS` is gone"));
        let among = Among { added: None, removed: limits.is_empty().then(none_left) };
        let records = records.iter().filter(|record| !record.is_abstract);
        let element = Element::new("family", name, [name, rust], *place)
            .when(
                additive("a new module, and a cargo feature of that name"),
                breaking("its module and its cargo feature are gone"),
            )
            .keys([
                Key::new("family", name, breaking("its module and its cargo feature have another name")),
                Key::new("title", title, documentation("")),
                Key::new("numbers", numbers, behaviour("all its numbers are written another way")),
                Key::new("instrument", maybe(instrument), behaviour("which parameters name the instrument")),
                source(from.as_ref()),
                Key::prose("doc", doc),
            ])
            .holds(errors.iter().map(|error| error.element(name)))
            .holds(probe.iter().map(|probe| probe.element(name)))
            .holds(limits.iter().map(|limit| limit.element(self)))
            .holds(classes.iter().map(|class| class.element(name)))
            .holds(lifecycle.iter().map(|lifecycle| lifecycle.element(self)))
            .holds(enums.iter().map(|all| all.element(name)))
            .holds(identifiers.iter().map(|all| all.element(name)))
            .holds(choices.iter().map(|choice| choice.element(self)))
            .holds(records.map(|record| record.element(self)))
            .holds(operations.iter().map(|operation| operation.element(self)));
        statements.add_to(Element { among, ..element })
    }
}

impl ErrorCode {
    /// The Rust name comes from the text, unless `rust` says otherwise.
    fn element(&self, family: &str) -> Element {
        let Self { code, rust, place, text, doc, source: from, proof, success } = self;
        let renamed = || breaking(format!("the variant is called `{rust}`"));
        let text_means = Means::Rust { name: Some(rust.clone()), other: renamed(), same: documentation("") };
        Element::new("error", path(family, code), [code, rust], *place)
            .when(additive("a new variant"), breaking("the variant is gone"))
            .keys([
                Key::new("code", code, behaviour("another code is known by it")),
                Key::new("text", text, text_means),
                Key::new("rust", rust, renamed()).unless("text"),
                Key::new("success", flag(*success), behaviour("whether it is an error")),
                source(from.as_ref()),
                Key::prose("doc", doc),
            ])
            .keys(proof.keys())
    }
}

impl Probe {
    /// The function `check_credentials` of the family.
    fn element(&self, family: &str) -> Element {
        let Self { place, operation, request } = self;
        let called = || behaviour("what is called to check the credentials");
        Element::new("probe", family, ["probe", "probe"], *place)
            .when(
                additive("a function that checks the credentials"),
                breaking("its credentials can no longer be checked"),
            )
            .keys([Key::new("operation", &operation.0, called()), Key::new("request", request.0.trim(), called())])
    }
}

impl Ceiling {
    fn element(&self, family: &Family) -> Element {
        let Self { id, place, n, over, doc, source: from } = self;
        let over =
            over.as_ref().map(|over| format!("{}: {}", family.enums[over.enum_index].name.wire, names(&over.values)));
        Element::new("ceiling", path(&family.name, id), [id, id], *place)
            .when(behaviour("the exchange allows less"), behaviour("the exchange allows more"))
            .keys([
                Key::new("n", n, behaviour("the exchange allows another number")),
                Key::new("over", maybe(over), behaviour("the exchange counts something else")),
                source(from.as_ref()),
                Key::prose("doc", doc),
            ])
    }
}

impl Class {
    /// Classes have rate limits of their own; the first that fits holds.
    fn element(&self, family: &str) -> Element {
        let Self { name, place, doc, when } = self;
        let limits = || behaviour("which limits hold for a call");
        let element = Element::new("class", path(family, name), [name, name], *place)
            .when(limits(), limits())
            .keys([Key::new("when", phrases::all_of(when), limits()), Key::prose("doc", doc)]);
        Element { order: Some(Order { kind: "classes", verdict: limits() }), ..element }
    }
}

impl Lifecycle {
    fn element(&self, family: &Family) -> Element {
        let Self { enum_index, place, source: from, states, transitions, never, records } = self;
        let of = Type::Enum(*enum_index);
        let states_of = Key::new("enum", family.type_name(of), breaking("another enum has the states"));
        Element::new("lifecycle", &family.name, ["lifecycle", "lifecycle"], *place)
            .when(
                additive("`LIFECYCLE`, and functions of the enum that use it"),
                breaking("`LIFECYCLE` and the functions of the enum that use it are gone"),
            )
            .keys([states_of.same_as(family.type_rust(of)), source(from.as_ref())])
            .holds(states.iter().map(|state| state.element(&family.name)))
            .holds(transitions.iter().map(|transition| transition.element(&family.name)))
            .holds(never.iter().map(|never| never.element(&family.name)))
            .holds(records.iter().map(|tracked| tracked.element(family)))
    }
}

impl State {
    fn element(&self, family: &str) -> Element {
        let Self { value, place, doc, terminal } = self;
        Element::new("state", path(family, value), [value, value], *place)
            .when(behaviour("the exchange shows it"), behaviour("the exchange no longer shows it"))
            .keys([
                Key::new("terminal", flag(*terminal), behaviour("whether another state follows it")),
                Key::prose("doc", doc),
            ])
    }
}

impl Transition {
    /// It has no name of its own and is known by what it is.
    fn element(&self, family: &str) -> Element {
        let Self { place, from, trigger, to, condition, doc } = self;
        let name = format!("{} -> {to} by {}", list(from), names(trigger));
        Element::new("transition", path(family, &name), [&name, &name], *place)
            .when(behaviour("it happens"), behaviour("it no longer happens"))
            .keys([Key::new("condition", condition, behaviour("when it happens")), Key::prose("doc", doc)])
    }
}

impl Never {
    /// It has no name of its own and is known by what it is.
    fn element(&self, family: &str) -> Element {
        let Self { place, from, what, at, why } = self;
        let name = match what {
            Ruled::Becoming(states) => format!("{} -> {}", list(from), list(states)),
            Ruled::Operations(operations) => format!("{} by {}", list(from), names(operations)),
        };
        Element::new("never", path(family, &name), [&name, &name], *place)
            .when(behaviour("it is ruled out"), behaviour("it is no longer ruled out"))
            .keys([Key::new("at", at, documentation("")), Key::prose("why", why)])
    }
}

impl Tracked {
    fn element(&self, family: &Family) -> Element {
        let Self { place, record, id, client_id, state, at } = self;
        let of = Type::Record(*record);
        let (name, rust) = (family.type_name(of), family.type_rust(of));
        let field = |name, field: Option<&(String, Place)>| Key::placed(name, field, behaviour("another field has it"));
        Element::new("tracked record", path(&family.name, name), [name, rust], *place)
            .when(additive("it implements `HasState`"), breaking("it no longer implements `HasState`"))
            .keys([
                field("id", id.as_ref()),
                field("client_id", client_id.as_ref()),
                field("state", Some(state)),
                field("at", at.as_ref()),
            ])
    }
}

impl Statements {
    /// The statements of a family or an operation, below it.
    pub(super) fn add_to(&self, element: Element) -> Element {
        let Self { rules, not_shown, contradictions, observed } = self;
        let of = element.path.clone();
        element
            .keys(not_shown.iter().map(NotShown::key))
            .holds(rules.iter().map(|rule| rule.element(&of)))
            .holds(contradictions.iter().map(|one| one.element(&of)))
            .holds(observed.iter().map(|one| one.element(&of)))
    }
}

impl NotShown {
    /// It has no name; it is there or not.
    fn key(&self) -> Key {
        let Self { says, at: _, place } = self;
        Key { is_one_of_several: true, ..Key::prose("not_shown", says).at(Some(*place)) }
    }
}

impl Contradiction {
    fn element(&self, of: &str) -> Element {
        let Self { id, place, readings, chosen, why } = self;
        Element::new("contradiction", path(of, id), [id, id], *place).keys([
            Key::prose("readings", &readings.join(" / ")),
            Key::prose("chosen", chosen),
            Key::prose("why", why),
        ])
    }
}

impl Observation {
    fn element(&self, of: &str) -> Element {
        let Self { id, place, says, sources } = self;
        Element::new("observation", path(of, id), [id, id], *place)
            .keys([Key::prose("says", says), Key::new("sources", list(sources), documentation(""))])
    }
}

impl Rule {
    fn element(&self, of: &str) -> Element {
        let Self { id, place, written, at, kind, severity, severity_place, says, why, within, test } = self;
        // Whether something other than the types and the reader's care keeps it.
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
                Key::new("condition", within + &maybe(test.as_ref()), bound("it binds other requests")),
                Key::new("at", at, documentation("")),
                Key::prose("says", says),
                Key::prose("why", &maybe(why.as_ref())),
            ]);
        Element { written: *written, ..element }
    }
}
