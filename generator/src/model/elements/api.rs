//! The elements of the whole API.

use super::{Element, Key, additive, behaviour, breaking, documentation, list, maybe};
use crate::diagnostics::Place;
use crate::model::{
    Api, Around, Calls, Carried, Content, Credentials, Document, Duration, Envelope, Family, Header, Market, NonceForm,
    OutcomeRow, Part, Pool, Program, Refusal, Signature, SignedPart, Token, Way, Within, parts_text,
};

impl Api {
    /// The root element: the whole schema.
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
                Key::new("license", maybe(license.as_ref()), documentation("licence of the exported description")),
            ])
            .holds([self::envelope(envelope.as_ref(), *place), self::credentials(credentials.as_ref(), *place)])
            .holds(calls.place.map(|place| self::calls(calls, place)))
            .holds(headers.iter().map(Header::element))
            .holds(pools.iter().map(Pool::element))
            .holds(markets.iter().map(Market::element))
            .holds(examples.iter().map(Program::element))
            .holds(documents.iter().map(Document::element))
            .holds(outcomes.iter().map(OutcomeRow::element))
            .holds(codes.iter().map(|code| code.element(families)))
            .holds(refusals.iter().map(Refusal::element))
            .holds(observed.iter().map(|one| one.element("api", families.iter().map(|family| family.name.as_str()))))
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
            maybe(data.as_ref().map(ToString::to_string).as_ref()),
            maybe(success.as_ref()),
            around,
            beside,
        ]
    });
    let names = ["code", "message", "time", "data", "success", "around", "beside"];
    let keys = names.into_iter().zip(keys.unwrap_or_default());
    Element::new("envelope", "api", ["envelope", "envelope"], place).keys(keys.map(|(name, value)| key(name, value)))
}

fn calls(Calls { id, method, params, place: _ }: &Calls, place: Place) -> Element {
    let key =
        |name, value: &Option<String>| Key::new(name, maybe(value.as_ref()), behaviour("how requests name calls"));
    let keys = [key("method", method), key("id", id), key("params", params)];
    Element::new("calls", "api", ["calls", "calls"], place).keys(keys)
}

fn credentials(credentials: Option<&Credentials>, place: Place) -> Element {
    let key =
        |name, value: Option<String>| Key::new(name, value.unwrap_or_default(), behaviour("how calls are signed"));
    let sent = |word: SignedPart| {
        let carried = credentials.and_then(|all| all.of(word))?;
        let Carried { within, name, parts: _, place: _ } = carried;
        Some(match within {
            Within::Header => name.clone(),
            Within::Parameters | Within::After | Within::Query => format!("{name} in {}", within.as_str()),
        })
    };
    let combined = credentials.and_then(Credentials::authorization);
    let other = |Carried { within, name, parts, place: _ }: &Carried| {
        let within = if *within == Within::Header { String::new() } else { format!(" in {}", within.as_str()) };
        format!("{name}{within}: {}", parts_text(parts))
    };
    let others = credentials.map(|all| list(all.others().map(other)));
    let keys = credentials.map(
        |Credentials { carried: _, signature, timestamp, nonce, keeps_body, window, window_set_by: _, place: _ }| {
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
                (*nonce != NonceForm::Number).then(|| nonce.as_str().to_owned()),
                keeps_body.map(|_| "false".to_owned()),
                window.map(|all| all.to_string()),
            )
        },
    );
    let (content, [algorithm, encoding, also, secret], timestamp_as, nonce_as, sends_body, window) = match keys {
        Some((content, signed, timestamp, nonce, body, window)) => {
            (content, signed, Some(timestamp), nonce, body, window)
        }
        None => Default::default(),
    };
    let [signed_text, token, lasts] = content;
    Element::new("credentials", "api", ["credentials", "credentials"], place).keys([
        key("key", sent(SignedPart::Key)),
        key("signature", sent(SignedPart::Signature)),
        key("passphrase", sent(SignedPart::Passphrase)),
        key("timestamp", sent(SignedPart::Timestamp)),
        key("nonce", sent(SignedPart::Nonce)),
        key("expires", sent(SignedPart::Expires)),
        key("others", others),
        key("authorization", combined.map(|carried| parts_text(&carried.parts))),
        key("signed_text", signed_text),
        key("token", token),
        key("lasts", lasts),
        key("algorithm", algorithm),
        key("encoding", encoding),
        key("also", also),
        key("secret", secret),
        key("timestamp_as", timestamp_as),
        key("nonce_as", nonce_as),
        key("sends_body", sends_body),
        key("window", window),
        key("window_set_by", credentials.and_then(|all| Some(all.window_set_by.as_ref()?.0.clone()))),
    ])
}

/// The signed text; for a token, its members and how long it is valid.
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
