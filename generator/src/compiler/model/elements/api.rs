//! The elements of the whole API: families, the account and its instruments, codes.

use super::types::named;
use super::{
    Element, Key, Means, Order, additive, behaviour, breaking, documentation, first, flag, list, maybe, names, path,
    source, stated,
};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::facts::Fact;
use crate::compiler::model::{
    Account, AnswerPath, Api, Around, Calls, Carried, Ceiling, CeilingValues, Chapter, Class, Content, Credentials,
    Document, Duration, Envelope, ErrorCode, Family, Header, Instrument, InstrumentProperty, Market, NonceForm,
    ObservedCode, OutcomeRow, Part, Pool, Probe, Program, Proof, Property, PropertyKind, Refusal, RefusedAddress,
    Signature, SignedPart, Token, Within, declared, parts_text, phrases,
};

impl Api {
    /// Returns the root element: the whole schema.
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
            calls,
            headers,
            remaining_calls,
            remaining_calls_in,
            pools,
            refused_address,
            markets,
            examples,
            guide,
            account,
            outcomes,
            observed,
            codes_doc,
            codes,
            refusals,
            families,
            reviewed: _,
        } = self;
        let documented = || families.iter().filter(|family| !family.is_observed());
        let remaining = behaviour("which header shows the remaining calls");
        let in_windows = match remaining_calls_in.as_slice() {
            [Duration::SECOND] => String::new(),
            windows => windows.iter().map(|window| window.window()).collect::<Vec<_>>().join(" "),
        };
        let of_windows = behaviour("which windows the remaining calls belong to");
        Element::new("api", "api", ["api", "api"], *place)
            .keys([
                Key::new("api", name, documentation("")),
                Key::new("remaining_calls", maybe(remaining_calls.as_ref()), remaining),
                Key::new("remaining_calls_in", in_windows, of_windows),
                Key::prose("doc", doc),
                Key::prose("codes", codes_doc),
                Key::new("license", maybe(license.as_ref()), documentation("licence of the exported description")),
            ])
            .holds(envelope.as_ref().map(Envelope::element))
            .holds(credentials.as_ref().map(Credentials::element))
            .holds(calls.place.map(|place| self::calls(calls, place)))
            .holds(headers.iter().map(Header::element))
            .holds(pools.iter().map(Pool::element))
            .holds(refused_address.iter().map(RefusedAddress::element))
            .holds(markets.iter().map(Market::element))
            .holds(examples.iter().map(Program::element))
            .holds(guide.iter().map(Chapter::element))
            .holds(documents.iter().map(Document::element))
            .holds(outcomes.iter().map(OutcomeRow::element))
            .holds(codes.iter().map(|code| code.element(documented())))
            .holds(refusals.iter().map(Refusal::element))
            .holds(observed.iter().map(|one| one.element("api", documented().map(|family| family.name.as_str()))))
            .holds(account.iter().map(|account| account.element(*place)))
            .holds(families.iter().map(Family::element))
    }
}

impl Envelope {
    fn element(&self) -> Element {
        let Self { around, code, message, time, data, success, success_with, beside, place } = self;
        let key = |name, value: String| Key::new(name, value, behaviour("how answers are read"));
        let paths = |paths: &[AnswerPath]| list(paths.iter().map(ToString::to_string));
        let around = if *around == Around::All { "" } else { around.as_str() };
        Element::new("envelope", "api", ["envelope", "envelope"], *place)
            .when(behaviour("codes and data are read from it"), behaviour("the whole body is the data"))
            .keys([
                key("code", paths(code)),
                key("message", paths(message)),
                key("time", maybe(time.as_ref())),
                key("data", maybe(data.as_ref())),
                key("success", maybe(success.as_ref())),
                key("success_with", success_with.to_string()),
                key("around", around.to_owned()),
                key("beside", list(beside)),
            ])
    }
}

fn calls(Calls { id, method, params, place: _ }: &Calls, place: Place) -> Element {
    let key =
        |name, value: &Option<String>| Key::new(name, maybe(value.as_ref()), behaviour("how requests name calls"));
    let keys = [key("method", method), key("id", id), key("params", params)];
    Element::new("calls", "api", ["calls", "calls"], place).keys(keys)
}

impl Pool {
    fn element(&self) -> Element {
        let Self { name, rate, doc, reporting, place } = self;
        Element::new("pool", name, ["pools", name], *place)
            .when(behaviour("the limiter keeps it"), behaviour("the limiter no longer keeps it"))
            .keys([
                Key::new("rate", rate.to_string(), behaviour("the limiter keeps another pace")),
                Key::new("reported", maybe(reporting.as_ref()), behaviour("what the limiter learns from answers"))
                    .at(reporting.as_ref().map(|reporting| reporting.place))
                    .says(maybe(reporting.as_ref())),
                Key::prose("doc", doc),
            ])
    }
}

impl RefusedAddress {
    fn element(&self) -> Element {
        let Self { rate, lasts, status, sources, place } = self;
        let status = if *status == Self::USUAL_STATUS { String::new() } else { status.to_string() };
        let pace = behaviour("the pace that all calls of an address keep together");
        let key = |name, value: String| Key::new(name, value, behaviour("when calls pause, and for how long"));
        Element::new("refused_address", "api", ["refused_address"; 2], *place)
            .when(behaviour("calls pause while their address is refused"), behaviour("calls no longer pause for it"))
            .keys([
                Key::new("rate", maybe(rate.as_ref()), pace),
                key("lasts", lasts.to_string()),
                key("status", status),
                Key::new("sources", names(sources), documentation("")).at(first(sources)),
            ])
    }
}

impl Market {
    fn element(&self) -> Element {
        let Self { name, doc, headers, place } = self;
        let headers = list(headers.iter().map(|(header, value)| format!("{header}: {value}")));
        Element::new("market", name, ["markets", name], *place)
            .when(additive("a new function of the client"), breaking("the function of the client is removed"))
            .keys([Key::new("headers", headers, behaviour("what leads to the market")), Key::prose("doc", doc)])
    }
}

impl Program {
    fn element(&self) -> Element {
        let Self { name, shows, place } = self;
        Element::new("example", name, ["examples", name], *place).keys([Key::prose("shows", shows)])
    }
}

impl Chapter {
    fn element(&self) -> Element {
        let Self { name, explains, place } = self;
        Element::new("chapter", name, ["guide", name], *place).keys([Key::prose("explains", explains)])
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
        let Self { id, title, aligned, reading, place } = self;
        let reading = reading.as_ref().map(declared::words).unwrap_or_default();
        Element::new("document", id, [id, id], *place).keys([
            Key::prose("title", title),
            Key::placed("aligned", aligned.as_ref(), documentation("")),
            Key::prose("reading", &reading),
        ])
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

impl Account {
    pub(super) fn element(&self, place: Place) -> Element {
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
    pub(super) fn element(&self) -> Element {
        let Self { name, doc, kind, shown_as, denied_by } = self;
        let path = path("account", &name.wire);
        let (word, form, values) = match kind {
            PropertyKind::Words(name, values) => (name.rust.as_str(), "words", values.as_slice()),
            PropertyKind::Flag => ("flag", "flag", &[][..]),
            PropertyKind::Time => ("time", "time", &[][..]),
            PropertyKind::Names => ("names", "names", &[][..]),
        };
        let values: Vec<_> = values.iter().map(|value| value.element(&path)).collect();
        let element = named("property", path, name)
            .when(additive("a setter sets it"), breaking("its setter is removed"))
            .keys([
                Key::new("name", &name.wire, behaviour("rules know it by another name")),
                Key::new("rust", name.bare(), breaking("its setter has another name")),
                Key::new("type", word, breaking("its setter takes another type")),
                Key::prose("doc", doc),
                Key::new("shown_as", names(shown_as), behaviour("other records are compared with it")),
                Key::new("denied_by", names(denied_by), behaviour("other codes contradict it")),
            ])
            .holds(values);
        Element { form, ..element }
    }
}

impl Instrument {
    pub(super) fn element(&self, place: Place) -> Element {
        let Self { doc, properties } = self;
        Element::new("instrument", "instrument", ["instrument", "instrument"], place)
            .when(additive("a new type"), breaking("the type is removed"))
            .keys([Key::prose("doc", doc)])
            .holds(properties.iter().map(InstrumentProperty::element))
    }
}

impl InstrumentProperty {
    pub(super) fn element(&self) -> Element {
        let Self { name, doc, is_flag, denied_by } = self;
        named("property", path("instrument", &name.wire), name)
            .when(additive("a setter sets it"), breaking("its setter is removed"))
            .keys([
                Key::new("name", &name.wire, behaviour("rules know it by another name")),
                Key::new("rust", name.bare(), breaking("its setter has another name")),
                Key::new("type", if *is_flag { "flag" } else { "number" }, breaking("its setter takes another type")),
                Key::prose("doc", doc),
                Key::new("denied_by", names(denied_by), behaviour("other codes let instruments be read again")),
            ])
    }
}

impl Family {
    pub(super) fn element(&self) -> Element {
        let Self {
            name,
            number: _,
            rust,
            place,
            shared_files: _,
            title,
            doc,
            source: from,
            sources,
            numbers_as_text,
            errors,
            limits,
            instrument,
            classes,
            serves,
            probe,
            flat,
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
        let instrument = instrument.as_ref().map(declared::words);
        let serves = serves.iter().map(|((path, _), family)| format!("{path}: {family}"));
        // All ceilings are in one table, which is emitted only if there are any.
        let none_left = || ("ceiling", breaking("the table `CEILINGS` is removed"));
        let removed_within = limits.is_empty().then(none_left);
        let records = records.iter().filter(|record| !record.is_abstract);
        let element = Element::new("family", name, [name, rust], *place)
            .when(
                additive("a new module, and a cargo feature of that name"),
                breaking("its module and its cargo feature are removed"),
            )
            .keys([
                Key::new("family", name, breaking("its module and its cargo feature have another name")),
                Key::new("title", title, documentation("")),
                Key::new("numbers", numbers, behaviour("all its numbers are written another way")),
                Key::new("instrument", maybe(instrument), behaviour("which parameters name the instrument")),
                Key::new("serves", list(serves), behaviour("whose accounts its operations are about")),
                source(from.as_ref()),
                super::sources(sources),
                Key::prose("doc", doc),
            ])
            .observed(self.is_observed())
            .holds(errors.iter().map(|error| error.element(name)))
            .holds(probe.iter().map(|probe| probe.element(name)))
            .holds(flat.iter().map(|flat| {
                // The operations that the client's function `flatten` calls.
                stated("flat", name, flat).when(
                    additive("`flatten` cancels and closes everything of the family"),
                    breaking("`flatten` no longer cancels and closes anything of the family"),
                )
            }))
            .holds(limits.iter().map(|limit| limit.element(self)))
            .holds(classes.iter().map(|class| class.element(name)))
            .holds(lifecycle.iter().map(|lifecycle| lifecycle.element(self)))
            .holds(enums.iter().map(|all| all.element(name)))
            .holds(identifiers.iter().map(|all| all.element(name)))
            .holds(choices.iter().map(|choice| choice.element(self)))
            .holds(records.map(|record| record.element(self)))
            .holds(operations.iter().map(|operation| operation.element(self)));
        statements.add_to(Element { removed_within, ..element })
    }
}

impl Probe {
    /// Returns the function `check_credentials` of the family.
    pub(super) fn element(&self, family: &str) -> Element {
        let Self { place, operation, request } = self;
        let called = || behaviour("what is called to check the credentials");
        Element::new("probe", family, ["probe", "probe"], *place)
            .when(
                additive("a function that checks the credentials"),
                breaking("its credentials can no longer be checked"),
            )
            .keys([Key::new("operation", &operation.text, called()), Key::new("request", request.0.trim(), called())])
    }
}

impl Ceiling {
    pub(super) fn element(&self, family: &Family) -> Element {
        let Self { id, place, n, over, doc, source: from } = self;
        let over = over.as_ref().map(|CeilingValues { enum_index, values }| {
            format!("{}: {}", family.enums[*enum_index].name.wire, names(values))
        });
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
    /// Classes have rate limits of their own; the first class that fits a call applies.
    pub(super) fn element(&self, family: &str) -> Element {
        let Self { name, place, doc, when, sources, dates } = self;
        let limits = || behaviour("which limits hold for a call");
        let [from, until, dated_by] = super::dates(dates, "when its limits hold");
        let element = Element::new("class", path(family, name), [name, name], *place).when(limits(), limits()).keys([
            Key::new("when", phrases::all_of(when), limits()),
            from,
            until,
            dated_by,
            super::sources(sources),
            Key::prose("doc", doc),
        ]);
        Element { order: Some(Order { kind: "classes", verdict: limits() }), ..element }
    }
}

impl Proof {
    pub(super) fn keys(&self) -> [Key; 5] {
        let Self { proves, stage, cause, cause_place: _, alike, before_signature } = self;
        let meaning = || behaviour("what a refusal with it says of the request");
        [
            Key::new("proves", proves.as_str(), meaning()),
            Key::new("stage", stage.as_str(), meaning()),
            Key::new("cause", maybe(cause.map(|cause| cause.as_str())), behaviour("which cause is named")),
            Key::new("alike", flag(alike.is_some()), meaning()),
            Key::new(
                "before_signature",
                flag(before_signature.is_some()),
                behaviour("what it shows of the credentials"),
            ),
        ]
    }
}

impl Refusal {
    /// Clients do not read any of it; programs that stand in for the exchange do.
    pub(super) fn element(&self) -> Element {
        let Self { name, place, says, code, codes, status, rules, parameters } = self;
        let own = codes.iter().map(|(family, (code, _))| format!("{family}: {code}"));
        let codes = code.iter().map(|(code, _)| code.clone()).chain(own);
        Element::new("refusal", name, [name, name], *place).keys([
            Key::new("codes", list(codes), documentation("")),
            Key::placed("status", status.as_ref(), documentation("")),
            Key::new("rules", names(rules), documentation("")),
            Key::new("parameters", names(parameters), documentation("")),
            Key::prose("says", says),
        ])
    }
}

impl ObservedCode {
    pub(super) fn element<'a>(&self, all: impl Iterator<Item = &'a Family>) -> Element {
        let Self { code, place, families, proof, says, doc, sources, certainty } = self;
        let stated = format!("{code} {}: {says}", proof.proves.as_str());
        let fact = |family: &Family| (*place, Fact::Observed { about: family.name.clone(), says: stated.clone() });
        Element::new("observed code", code, [code, code], *place)
            .when(
                behaviour("a refusal with it decides the outcome of the request"),
                behaviour("a refusal with it leaves a change unknown"),
            )
            .keys(proof.keys())
            .keys([
                Key::new(
                    "families",
                    list(families.iter().map(|family| &family.text)),
                    behaviour("whose answers it explains"),
                ),
                Key::new("certainty", certainty.as_str(), behaviour("whether it is trusted")),
                Key::prose("says", says),
                Key::prose("doc", doc),
                Key::prose("sources", &list(sources)),
            ])
            .states(all.filter(|family| self.is_of(family)).map(fact))
    }
}

impl ErrorCode {
    /// Returns the element; the Rust name comes from the text, unless `rust` says otherwise.
    pub(super) fn element(&self, family: &str) -> Element {
        let Self { code, rust, place, text, doc, source: from, proof, success } = self;
        let renamed = || breaking(format!("the variant is called `{rust}`"));
        let fact = Fact::Error { family: family.to_owned(), code: code.clone(), text: text.clone() };
        let text_means = Means::Rust { name: Some(rust.clone()), other: renamed(), same: documentation("") };
        Element::new("error", path(family, code), [code, rust], *place)
            .when(additive("a new variant"), breaking("the variant is removed"))
            .keys([
                Key::new("code", code, behaviour("another code is known by it")),
                Key::new("text", text, text_means),
                Key::new("rust", rust, renamed()).unless("text"),
                Key::new("success", flag(*success), behaviour("whether it is an error")),
                source(from.as_ref()),
                Key::prose("doc", doc),
            ])
            .keys(proof.keys())
            .states([(*place, fact)])
    }
}

impl Credentials {
    pub(super) fn element(&self) -> Element {
        let Self { carried, signature, signed_query: _, timestamp, nonce, keeps_body, window, window_set_by, place } =
            self;
        let key = |name, value: Option<String>| Key::new(name, maybe(value), behaviour("how calls are signed"));
        let signed_query = self.signs_query().then(|| self.signed_query().as_str().to_owned());
        let nonce_as = (*nonce != NonceForm::Number).then(|| nonce.as_str().to_owned());
        Element::new("credentials", "api", ["credentials", "credentials"], *place)
            .when(behaviour("calls are signed"), behaviour("calls are no longer signed"))
            .keys([
                key("key", self.sent(SignedPart::Key)),
                key("signature", self.sent(SignedPart::Signature)),
                key("passphrase", self.sent(SignedPart::Passphrase)),
                key("timestamp", self.sent(SignedPart::Timestamp)),
                key("nonce", self.sent(SignedPart::Nonce)),
                key("expires", self.sent(SignedPart::Expires)),
                key("others", Some(list(self.others().map(Carried::in_words)))),
                key("authorization", self.authorization().map(|carried| parts_text(&carried.parts))),
            ])
            .keys(of_signature(signature.as_ref()).map(|(name, value)| key(name, value)))
            .keys([
                key("signed_query", signed_query),
                key("timestamp_as", Some(timestamp.as_str().to_owned())),
                key("nonce_as", nonce_as),
                key("sends_body", keeps_body.map(|_| "false".to_owned())),
                key("window", window.map(|window| window.to_string()))
                    .same_as(maybe(window.map(|window| window.length()))),
                key("window_set_by", window_set_by.as_ref().map(|(name, _)| name.clone())),
                key("order", Some(order(carried))),
            ])
    }

    /// Returns where a word is sent by itself.
    fn sent(&self, word: SignedPart) -> Option<String> {
        let Carried { within, name, parts: _, place: _ } = self.of(word)?;
        Some(format!("{name}{}", within.in_words()))
    }
}

/// Returns the order of those that travel among parameters, by which a signed query or body differs; headers have none.
fn order(carried: &[Carried]) -> String {
    list(carried.iter().filter(|one| one.within != Within::Header).map(|one| one.name.as_str()))
}

impl Carried {
    fn in_words(&self) -> String {
        let Self { within, name, parts, place: _ } = self;
        format!("{name}{}: {}", within.in_words(), parts_text(parts))
    }
}

impl Within {
    /// Returns the words that follow a name; empty for headers, the usual place.
    fn in_words(self) -> String {
        match self {
            Self::Header => String::new(),
            Self::Parameters | Self::After | Self::Query => format!(" in {}", self.as_str()),
        }
    }
}

/// Returns what is signed, and how. Without a signature, the keys have no values.
fn of_signature(signature: Option<&Signature>) -> [(&'static str, Option<String>); 7] {
    let (content, algorithms, secret) = match signature {
        Some(Signature { content, algorithms, secret }) => (Some(content), algorithms.as_slice(), Some(secret)),
        None => (None, [].as_slice(), None),
    };
    let (text, token) = match content {
        Some(Content::Text(parts)) => (Some(parts), None),
        Some(Content::Token(token)) => (None, Some(token)),
        None => (None, None),
    };
    let first = algorithms.first();
    let others = algorithms.iter().skip(1).map(|(one, encoding)| format!("{}: {}", one.as_str(), encoding.as_str()));
    [
        ("signed_text", text.map(|parts| parts_text(parts))),
        ("token", token.map(Token::members)),
        ("lasts", token.and_then(|token| token.lasts).map(|lasts| lasts.to_string())),
        ("algorithm", first.map(|(algorithm, _)| algorithm.as_str().to_owned())),
        ("encoding", first.map(|(_, encoding)| encoding.as_str().to_owned())),
        ("also", Some(list(others))),
        ("secret", secret.map(|secret| secret.as_str().to_owned())),
    ]
}

impl Token {
    fn members(&self) -> String {
        let Self { header, claims, lasts: _ } = self;
        let member = |(name, parts): &(String, Vec<Part>)| format!("{name}: {}", parts_text(parts));
        list(header.iter().map(|one| format!("header {}", member(one))).chain(claims.iter().map(member)))
    }
}
