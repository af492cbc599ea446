//! The whole API, and what its file states beside types of its own: documents, headers, markets, programs, chapters.

use super::builder::{Builder, placed, text_of};
use super::elements::{Element, Key, additive, behaviour, breaking, documentation, list, maybe};
use super::family::observations;
use super::{
    Account, Calls, Credentials, Day, Duration, Envelope, Family, HeaderOfMarket, NameOf, Observation, ObservedCode,
    Operation, OutcomeRow, Placed, Pool, Reading, Reference, Refusal, RefusedAddress, Sent, declared,
};
use crate::compiler::diagnostics::{Diagnostics, Place};
use crate::compiler::load::{Documents, FamilyDocuments, Spanned, Text, raw};

/// A whole API.
#[derive(Clone, Debug)]
pub(crate) struct Api {
    pub(crate) name: String,
    /// A place that stands for `api.yaml` as a whole.
    pub(crate) place: Place,
    /// `api.yaml` was read without a mistake, so a key that is absent was left out on purpose.
    pub(crate) is_sound: bool,
    /// Every file was read, so a name that is absent does not exist.
    pub(crate) is_whole: bool,
    pub(crate) doc: String,
    /// The licence as an SPDX expression.
    pub(crate) license: Option<String>,
    pub(crate) documents: Vec<Document>,
    pub(crate) envelope: Option<Envelope>,
    pub(crate) credentials: Option<Credentials>,
    pub(crate) calls: Calls,
    pub(crate) headers: Vec<Header>,
    pub(crate) remaining_calls: Option<String>,
    /// The windows that it counts.
    pub(crate) remaining_calls_in: Vec<Duration>,
    /// Rates that several operations share.
    pub(crate) pools: Vec<Pool>,
    pub(crate) refused_address: Option<RefusedAddress>,
    /// Other markets at the same address.
    pub(crate) markets: Vec<Market>,
    /// The programs in the folder `examples`.
    pub(crate) examples: Vec<Program>,
    /// The chapters in the folder `guide`.
    pub(crate) guide: Vec<Chapter>,
    pub(crate) account: Option<Account>,
    /// The outcome of a request that changes something, by the result of its call.
    pub(crate) outcomes: Vec<OutcomeRow>,
    pub(crate) observed: Vec<Observation>,
    /// Where the codes that no document lists come from as a whole.
    pub(crate) codes_doc: String,
    /// Codes that no document lists.
    pub(crate) codes: Vec<ObservedCode>,
    /// Reasons to refuse requests, with their codes.
    pub(crate) refusals: Vec<Refusal>,
    pub(crate) families: Vec<Family>,
    /// The sections of documents that each file was last checked against.
    pub(crate) reviewed: Vec<Reviewed>,
}

/// Another market at the same address, such as one for practice.
#[derive(Clone, Debug)]
pub(crate) struct Market {
    pub(crate) name: String,
    pub(crate) doc: String,
    /// The headers that lead there, with their values.
    pub(crate) headers: Vec<(NameOf<HeaderOfMarket>, String)>,
    pub(crate) place: Place,
}

/// A program in the folder `examples` of the emitted crate.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) shows: String,
    pub(crate) place: Place,
}

/// A chapter in the folder `guide` of the emitted crate.
#[derive(Clone, Debug)]
pub(crate) struct Chapter {
    /// The name of its file, without `.md`.
    pub(crate) name: String,
    pub(crate) explains: String,
    pub(crate) place: Place,
}

/// One of the documents that the schema was written from.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) id: String,
    pub(crate) title: String,
    /// The day of the last announced change with which the schema was compared.
    pub(crate) aligned: Option<(Day, Place)>,
    pub(crate) reading: Option<Reading>,
    pub(crate) place: Place,
}

/// A section of a document as it was when a file of the schema was last checked against it.
#[derive(Clone, Debug)]
pub(crate) struct Reviewed {
    pub(crate) document: String,
    pub(crate) section: Placed,
    /// The digest and its place; a new digest is written there.
    pub(crate) digest: Placed,
}

/// A header beside those of the credentials.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) sent: Sent,
    pub(crate) place: Place,
}

impl Api {
    /// Returns the title of a document, or its id where it has none.
    pub(crate) fn document_title<'a>(&'a self, id: &'a str) -> &'a str {
        self.documents.iter().find(|document| document.id == id).map_or(id, |document| &document.title)
    }

    /// Returns the header that a name stands for.
    pub(crate) fn header(&self, name: &Reference) -> Option<&Header> {
        self.headers.get(name.number?)
    }

    /// Returns the family that a name stands for, if it is emitted.
    pub(crate) fn family(&self, name: &Reference) -> Option<&Family> {
        let at = self.families.binary_search_by_key(&name.number?, |family| family.number).ok()?;
        self.families.get(at)
    }

    /// Returns all operations with their families.
    pub(crate) fn operations(&self) -> impl Iterator<Item = (&Family, &Operation)> {
        self.families.iter().flat_map(|family| family.operations.iter().map(move |op| (family, op)))
    }
}

/// Resolves the whole schema.
pub(crate) fn build(mut documents: Documents, to: &mut Diagnostics) -> Api {
    let families = std::mem::take(&mut documents.families);
    let documents = &documents;
    let raw = &documents.api;
    let known = |id: &str| raw.documents.iter().any(|(name, _)| name.value == id);
    let mut builder = Builder { documents, to, known_document: &known };
    let name = if documents.api_is_sound { builder.need(&raw.api, "api", documents.api_place) } else { String::new() };
    Api {
        name,
        place: documents.api_place,
        is_sound: documents.api_is_sound,
        is_whole: !documents.incomplete,
        doc: if documents.api_is_sound {
            builder.need(&raw.doc, "doc", documents.api_place)
        } else {
            text_of(&raw.doc)
        },
        license: raw.license.as_ref().map(|license| {
            builder.refuse_empty(license, "license");
            license.value.clone()
        }),
        documents: raw.documents.iter().map(|(id, document)| self::document(id, document)).collect(),
        envelope: raw.envelope.as_ref().map(|envelope| builder.envelope(envelope)),
        credentials: raw.credentials.as_ref().map(|credentials| builder.credentials(credentials)),
        calls: raw.calls.as_ref().map_or_else(crate::compiler::model::Calls::default, |calls| builder.calls(calls)),
        headers: raw.headers.iter().map(|(name, header)| builder.header(name, header)).collect(),
        remaining_calls: raw.remaining_calls.as_ref().map(|name| {
            builder.check_header(&name.value, name.place);
            name.value.clone()
        }),
        remaining_calls_in: builder.remaining_calls_in(raw),
        pools: builder.pools(),
        refused_address: raw.refused_address.as_ref().and_then(|refused| builder.refused_address(refused)),
        markets: raw.markets.iter().map(|(name, market)| builder.market(name, market)).collect(),
        examples: raw.examples.iter().map(|(name, shows)| program(name, shows)).collect(),
        guide: raw.guide.iter().map(|(name, explains)| chapter(name, explains)).collect(),
        account: raw.account.as_ref().map(|account| builder.account(account)),
        outcomes: raw.outcomes.iter().filter_map(|row| builder.outcome_row(row)).collect(),
        observed: observations(&mut builder, &raw.observed),
        codes_doc: text_of(&builder.documents.codes.doc),
        codes: builder.observed_codes(),
        refusals: builder.refusals(),
        reviewed: reviewed(&mut builder, &families),
        // Each document is dropped after it is read, so that a large schema is not in memory twice.
        families: families.into_iter().enumerate().map(|(number, family)| builder.family(number, &family)).collect(),
    }
}

pub(super) fn document(id: &Text, raw: &raw::Document) -> Document {
    let (title, place) = placed(raw.title.as_ref().unwrap_or(id));
    let aligned = raw.aligned.as_ref().map(|day| (day.value, day.place));
    Document { id: id.value.clone(), title, aligned, reading: raw.reading.clone(), place }
}

fn program(name: &Text, shows: &Text) -> Program {
    Program { name: name.value.clone(), shows: shows.value.trim().to_owned(), place: name.place }
}

fn chapter(name: &Text, explains: &Text) -> Chapter {
    Chapter { name: name.value.clone(), explains: explains.value.trim().to_owned(), place: name.place }
}

/// Returns the sections of documents that each file was last checked against.
fn reviewed(builder: &mut Builder<'_>, families: &[FamilyDocuments]) -> Vec<Reviewed> {
    let api = &builder.documents.api.reviewed;
    let files = families.iter().flat_map(|family| {
        let operations = family.operations.iter().map(|(_, _, operation)| &operation.reviewed);
        [&family.family.reviewed, &family.types.reviewed].into_iter().chain(operations)
    });
    let mut found = Vec::new();
    for (document, sections) in std::iter::once(api).chain(files).flat_map(|file| file.iter()) {
        builder.known_document(&document.value, document.place);
        found.extend(sections.iter().map(|(section, digest)| Reviewed {
            document: document.value.clone(),
            section: placed(section),
            digest: placed(digest),
        }));
    }
    found
}

impl Builder<'_> {
    fn market(&mut self, name: &Text, raw: &Spanned<raw::Market>) -> Market {
        if raw.headers.is_empty() {
            self.missing("headers", raw.place);
        }
        Market {
            name: name.value.clone(),
            doc: text_of(&raw.doc),
            headers: raw
                .headers
                .iter()
                .map(|(header, value)| (NameOf::new(placed(header)), value.value.clone()))
                .collect(),
            place: name.place,
        }
    }

    pub(super) fn header(&mut self, name: &Text, raw: &Spanned<raw::Header>) -> Header {
        self.check_header(&name.value, name.place);
        let sent = raw.sent.unwrap_or(Sent::ByOperation);
        Header { name: name.value.clone(), doc: text_of(&raw.doc), sent, place: name.place }
    }
}

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
            .holds(calls.place.map(|place| super::envelope::calls(calls, place)))
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

impl Market {
    pub(super) fn element(&self) -> Element {
        let Self { name, doc, headers, place } = self;
        let headers = list(headers.iter().map(|(header, value)| format!("{header}: {value}")));
        Element::new("market", name, ["markets", name], *place)
            .when(additive("a new function of the client"), breaking("the function of the client is removed"))
            .keys([Key::new("headers", headers, behaviour("what leads to the market")), Key::prose("doc", doc)])
    }
}

impl Program {
    pub(super) fn element(&self) -> Element {
        let Self { name, shows, place } = self;
        Element::new("example", name, ["examples", name], *place).keys([Key::prose("shows", shows)])
    }
}

impl Chapter {
    pub(super) fn element(&self) -> Element {
        let Self { name, explains, place } = self;
        Element::new("chapter", name, ["guide", name], *place).keys([Key::prose("explains", explains)])
    }
}

impl Header {
    pub(super) fn element(&self) -> Element {
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
    pub(super) fn element(&self) -> Element {
        let Self { id, title, aligned, reading, place } = self;
        let reading = reading.as_ref().map(declared::words).unwrap_or_default();
        Element::new("document", id, [id, id], *place).keys([
            Key::prose("title", title),
            Key::placed("aligned", aligned.as_ref(), documentation("")),
            Key::prose("reading", &reading),
        ])
    }
}
