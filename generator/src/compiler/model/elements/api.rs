//! The elements of the whole API.

use super::{Element, Key, additive, behaviour, breaking, documentation, list, maybe};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{
    AnswerPath, Api, Around, Calls, Chapter, Credentials, Document, Duration, Envelope, Family, Header, Market,
    OutcomeRow, Pool, Program, Refusal,
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

impl Market {
    fn element(&self) -> Element {
        let Self { name, doc, headers, place } = self;
        let headers = list(headers.iter().map(|((header, _), value)| format!("{header}: {value}")));
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
