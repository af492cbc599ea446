//! Pages on topics that concern many operations: signing, time, ids, unknown outcomes, paging, quantities.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::address::{Address, anchor};
use super::page::{CONCEPTS, Concept, Page};
use super::pieces::{self, PageContext, capital, in_words, sentence};
use super::view::{
    Absence, Access, Algorithm, Api, Carried, Confirm, Content, Credentials, Effect, Encoding, FamilyView, NonceForm,
    OperationView, ParameterView, Part, PartKind, Property, PropertyKind, Response, RowOutcome, Sent, Signature,
    SignedPart, SignedQuery, Site, TimestampForm, Token, Within, parts_text,
};

/// The content of each page, in the order of the pages.
const MAINS: [fn(PageContext<'_, '_>) -> Markup; CONCEPTS.len()] =
    [signing, account, time, ids, outcomes, paging, quantities];

pub(super) fn pages(site: &Site<'_>) -> Vec<Page> {
    let page = |(concept, main): (&Concept, &fn(PageContext<'_, '_>) -> Markup)| {
        let address = Address::concept(concept.file);
        let here = PageContext { site, page: &address };
        let main = html! { h1 { (concept.title) } p.lead { (concept.about) "." } (main(here)) };
        let (title, about) = (concept.title.to_owned(), concept.about.to_owned());
        Page { title, about, main, aside: None, headings: Vec::new(), family: None, markdown: None, address }
    };
    CONCEPTS.iter().zip(&MAINS).map(page).collect()
}

/// Returns the words of each page, each once, so that a page is found by what it explains.
pub(super) fn words(site: &Site<'_>) -> Vec<String> {
    let of_page = |(concept, main): (&Concept, &fn(PageContext<'_, '_>) -> Markup)| {
        let html = main(PageContext { site, page: &Address::concept(concept.file) }).into_string();
        // What stands between tags is text.
        let text = html.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text.to_lowercase());
        let words: BTreeSet<String> = text
            .flat_map(|text| text.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect::<Vec<_>>())
            .filter(|word| word.len() > 2)
            .collect();
        words.into_iter().collect::<Vec<_>>().join(" ")
    };
    CONCEPTS.iter().zip(&MAINS).map(of_page).collect()
}

/// Returns a table of the operations for which `cells` returns something.
fn table<'s>(
    here: PageContext<'_, '_>,
    heads: &[&str],
    rows: impl Iterator<Item = (&'s OperationView<'s>, Vec<Markup>)>,
) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(heads.join(", ")) { table {
            thead { tr { @for head in heads { th scope="col" { (head) } } } }
            tbody { @for (view, cells) in rows {
                tr {
                    th scope="row" {
                        a href=(view.address.from(here.page)) { (view.operation.title) }
                        br; code.quiet { (view.operation.id) }
                    }
                    @for cell in cells { td { (cell) } }
                }
            } }
        } }
    }
}

/// Returns a table for each family with operations that have rows.
fn by_family<'s, 'a>(
    here: PageContext<'s, 'a>,
    heads: &[&str],
    row: impl Fn(&'s FamilyView<'a>, &'s OperationView<'a>) -> Option<Vec<Markup>>,
) -> Markup {
    html! {
        @for family in &here.site.families {
            @let rows: Vec<_> = family.operations.iter().filter_map(|view| Some((view, row(family, view)?))).collect();
            @if !rows.is_empty() {
                h3 { (family.family.title) }
                (table(here, heads, rows.into_iter()))
            }
        }
    }
}

fn signing(here: PageContext<'_, '_>) -> Markup {
    let api = here.site.api;
    let public: Vec<_> = here.site.operations().filter(|(_, view)| view.operation.access == Access::Public).collect();
    html! {
        @match &api.credentials {
            None => p { "No operation is signed." },
            Some(credentials) => {
                h2 { "What a signed call carries" }
                dl.values {
                    @for carried in &credentials.carried {
                        div { dt { code { (carried.name) } } dd { (carried_text(credentials, carried)) } }
                    }
                }
                @if credentials.keeps_body.is_some() { p { "The body itself is not sent." } }
                @if let Some(signature) = &credentials.signature {
                    (signature_text(signature))
                    @if credentials.signs_query() { p { (query_text(credentials.signed_query())) } }
                }
                p { (here.line(credentials.place)) }
            }
        }
        @if !api.headers.is_empty() {
            h2 { "Other headers" }
            dl.values { @for header in &api.headers {
                div id=(anchor("header", &header.name)) {
                    dt { code { (header.name) } }
                    dd {
                        (sentence(&header.doc)) " "
                        @match header.sent {
                            Sent::Always => "On every call, when it is set.",
                            Sent::ByOperation => { "On " (operations_with(here, &header.name)) "." }
                        }
                        " " (here.line(header.place))
                    }
                }
            } }
        }
        @if !public.is_empty() {
            h2 { "Without credentials" }
            ul { @for (_, view) in public { li { a href=(view.address.from(here.page)) { (view.operation.title) } } } }
        }
        @if here.site.families.iter().any(|family| family.family.probe.is_some()) {
            h2 { "To try a key" }
            p { "A read that changes nothing shows whether the credentials are accepted." }
            ul { @for family in &here.site.families {
                @if let Some(probe) = &family.family.probe {
                    li { (family.family.title) ": " (here.trigger(family, &probe.operation.text)) }
                }
            } }
        }
        @if !api.observed.is_empty() {
            p {
                "Undocumented observations of signing are on the "
                (here.link(&Address::home().at("observed"), "first page")) "."
            }
        }
    }
}

/// Returns the operations that send a header.
fn operations_with(here: PageContext<'_, '_>, header: &str) -> Markup {
    let sends = |view: &OperationView<'_>| view.operation.headers.iter().any(|name| name.text == header);
    let views = here.site.operations().map(|(_, view)| view).filter(|view| sends(view));
    html! {
        @for (index, view) in views.enumerate() {
            @if index > 0 { ", " }
            a href=(view.address.from(here.page)) { (view.operation.id) }
        }
    }
}

/// Returns the description of the parts of a credential.
fn carried_text(credentials: &Credentials, carried: &Carried) -> Markup {
    let place = match carried.within {
        Within::Header => "",
        Within::Parameters => " It is a parameter before those of the request.",
        Within::After => " It comes after the parameters of the request, in the body or the query.",
        Within::Query => " It comes in the query, after the parameters of the request.",
    };
    html! {
        @match carried.word() {
            Some(SignedPart::Key) => "The key.",
            Some(SignedPart::Passphrase) => "The passphrase of the key.",
            Some(SignedPart::Signature) => "The signature, below.",
            Some(SignedPart::Nonce) => {
                @match credentials.nonce {
                    NonceForm::Number => "A number that grows with each call.",
                    NonceForm::Uuid => "A UUID, another one for each call.",
                }
            }
            Some(SignedPart::Expires) => {
                "When the call expires"
                @if let Some(window) = credentials.window { ", " (window) " after its time" }
                ". " (form_of(credentials.timestamp))
            }
            Some(SignedPart::Timestamp) => {
                (form_of(credentials.timestamp))
                @if let Some(window) = credentials.window {
                    " It lies within " (window) " of the exchange's clock"
                    @if let Some((name, _)) = &credentials.window_set_by {
                        ", or as many milliseconds as " code { (name) } " says"
                    }
                    "."
                }
            }
            _ => (parts_text(&carried.parts)),
        }
        (place)
    }
}

/// Returns the form of a time.
fn form_of(form: TimestampForm) -> &'static str {
    match form {
        TimestampForm::Seconds => "Seconds since 1970.",
        TimestampForm::Milliseconds => "Milliseconds since 1970.",
        TimestampForm::Microseconds => "Microseconds since 1970.",
        TimestampForm::Nanoseconds => "Nanoseconds since 1970.",
        TimestampForm::Iso8601 => "The time as in ISO 8601.",
        TimestampForm::Iso8601Seconds => "The time as in ISO 8601, in seconds and without a zone.",
    }
}

/// Returns how a signature is made.
fn signature_text(signature: &Signature) -> Markup {
    let algorithm = |algorithm: Algorithm| match algorithm {
        Algorithm::HmacSha256 => "HMAC-SHA256",
        Algorithm::HmacSha384 => "HMAC-SHA384",
        Algorithm::HmacSha512 => "HMAC-SHA512",
        Algorithm::Ed25519 => "Ed25519",
        Algorithm::HmacMd5 => "HMAC-MD5",
        Algorithm::RsaSha256 => "RSA with SHA-256",
        Algorithm::RsaPssSha256 => "RSA-PSS with SHA-256",
        Algorithm::EcdsaSha256 => "ECDSA on P-256 with SHA-256",
    };
    html! {
        h2 { "What is signed" }
        @match &signature.content {
            Content::Text(parts) => {
                p { "These, one after the other, without anything between them:" }
                ol { @for part in parts { li { (signed(part)) } } }
                @for (index, (one, encoding)) in signature.algorithms.iter().enumerate() {
                    p {
                        @if index == 0 { "The signature is the " } @else { "Or, for a key of that kind, the " }
                        (algorithm(*one)) " of that text"
                        @if index == 0 { " with the secret as its key" }
                        ", written in "
                        (encoding_text(*encoding)) "."
                    }
                }
            }
            Content::Token(Token { header, claims, lasts }) => {
                p {
                    "The signature is a JSON Web Token, signed with "
                    (signature.algorithms.iter().map(|(one, _)| algorithm(*one)).collect::<Vec<_>>().join(" or "))
                    @if let Some(lasts) = lasts { ", which is valid for " (lasts) } "."
                }
                dl.values {
                    @for (name, parts) in header { div { dt { code { (name) } } dd { "In its header: " (parts_text(parts)) } } }
                    @for (name, parts) in claims { div { dt { code { (name) } } dd { (parts_text(parts)) } } }
                }
            }
        }
    }
}

/// Returns which text of a query is signed.
fn query_text(signed: SignedQuery) -> &'static str {
    match signed {
        SignedQuery::Sent => "The query is signed as it is sent, with its percent-escapes.",
        SignedQuery::Decoded => {
            "The query is signed without its percent-escapes. The characters that a query may have as they are are sent \
            without an escape, so that only the others differ from what is sent."
        }
        SignedQuery::Escaped => {
            "The query is signed as it is sent. Everything but letters, digits and -._~ is percent-escaped in it."
        }
    }
}

fn encoding_text(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Base64 => "base64",
        Encoding::Base64Url => "base64 with the alphabet for addresses",
        Encoding::Hex => "hexadecimal digits",
        Encoding::HexCapitals => "hexadecimal digits with capital letters",
    }
}

fn signed(part: &Part) -> Markup {
    let PartKind::Word(word) = part.kind else { return html! { (part) } };
    let says = match word {
        SignedPart::Timestamp => "the timestamp, as it is sent",
        SignedPart::Method => "the method, in capitals",
        SignedPart::Path => "the path",
        SignedPart::Query => "a question mark and the query, when there is one",
        SignedPart::BareQuery => "the query, without a question mark",
        SignedPart::SortedQuery => "the query, without a question mark and in the order of its names",
        SignedPart::Body => "the body, when there is one",
        SignedPart::Host => "the host, with its port where the address has one",
        SignedPart::Key => "the key",
        SignedPart::Passphrase => "the passphrase",
        SignedPart::Nonce => "the nonce",
        SignedPart::Expires => "the time when the call expires, as it is sent",
        SignedPart::Signature => "the signature",
        SignedPart::Call => "the name of the call",
        SignedPart::CallId => "the number of the call",
    };
    html! { (says) }
}

fn account(here: PageContext<'_, '_>) -> Markup {
    let Some(account) = &here.site.api.account else {
        return html! { p { "No rule needs to know anything about the account." } };
    };
    html! {
        p { (sentence(&account.doc)) " None of it is sent; without it, the rules that need it are not checked." }
        dl.values { @for property in &account.properties {
            div { dt { code { (property.name.wire) } } dd {
                (sentence(&property.doc))
                @match &property.kind {
                    PropertyKind::Words(_, values) => ul {
                        @for value in values { li { code { (value.name.wire) } " " (value.doc) } }
                    },
                    PropertyKind::Flag => " Yes or no.",
                    PropertyKind::Time => " A time.",
                    PropertyKind::Names => " A list of names.",
                }
                @if let Some(shown) = answers_that_show(property) { p { (shown) } }
            } }
        } }
        @if let Some(instrument) = &account.instrument {
            h2 { "What is traded" }
            p { (sentence(&instrument.doc)) }
            dl.values {
                @for property in &instrument.properties {
                    div { dt { code { (property.name.wire) } } dd { (sentence(&property.doc)) } }
                }
            }
        }
    }
}

/// Returns the answers that show a property, by which a client notices a wrong one.
fn answers_that_show(property: &Property) -> Option<String> {
    let list = |all: &[(String, _)]| all.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    let records = (!property.shown_as.is_empty()).then(|| format!("Records show it as {}.", list(&property.shown_as)));
    let codes = (!property.denied_by.is_empty())
        .then(|| format!("A request for another value is refused with {}.", list(&property.denied_by)));
    let sentences: Vec<_> = records.into_iter().chain(codes).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn time(here: PageContext<'_, '_>) -> Markup {
    let api = here.site.api;
    html! {
        p { "Times are milliseconds since 1970, UTC." }
        @if let Some(time) = api.envelope.as_ref().and_then(|envelope| envelope.time.as_ref()) { p { "Each answer has the exchange's time in " code { (time) } "." } }
        @if let Some(window) = api.credentials.as_ref().and_then(|credentials| credentials.window) {
            p { "A request whose timestamp is not within " strong { (window) } " of the exchange's clock is refused." }
        }
        h2 { "How far back" }
        (by_family(here, &["Operation", "Time range", "Covers at most", "Goes back"], |_, view| {
            let (window, history) = (view.operation.window.as_ref(), view.operation.history);
            let access = window.and_then(|window| window.access).map(|(length, _)| length).or(history);
            let span = window.and_then(|window| window.span).map(|(length, _)| length);
            (window.is_some() || history.is_some()).then(|| vec![
                html! { @if let Some(window) = window { code { (window.from) } " to " code { (window.to) } } },
                html! { @match span { Some(span) => (span), None => span.quiet { "not stated" } } },
                html! { @match access { Some(access) => (access), None => span.quiet { "not stated" } } },
            ])
        }))
    }
}

fn ids(here: PageContext<'_, '_>) -> Markup {
    html! {
        @for family in &here.site.families {
            @if !family.family.identifiers.is_empty() {
                h2 { (family.family.title) }
                dl.values { @for one in &family.family.identifiers {
                    div {
                        dt {
                            (here.link(&Address::types(family.name()).at(anchor("type", &one.name.wire)), &one.name.wire))
                        }
                        dd { (sentence(&one.doc))
                            @if let Some((min, max)) = one.length { " " (min) " to " (max) " characters." }
                            @if let Some((alphabet, _)) = &one.alphabet {
                                " Characters of " code { "[" (alphabet) "]" } "."
                            }
                            @if one.mint.is_some() { " The client can make new ones." } }
                    }
                } }
            }
        }
        h2 { "Ids of your own" }
        p {
            "An id of your own identifies a request before it is answered, so that a query can show its outcome."
        }
        (by_family(here, &["Operation", "Parameter", "The answer repeats"], |_, view| {
            let id = view.operation.client_id.as_ref()?;
            let echoes = view.operation.echoes.iter().flat_map(|echoes| &echoes.ids).map(|((member, _), _)| member.as_str());
            Some(vec![html! { code { (id.0) } }, html! { @for (index, member) in echoes.enumerate() { @if index > 0 { ", " } code { (member) } } }])
        }))
    }
}

fn outcomes(here: PageContext<'_, '_>) -> Markup {
    html! {
        p { "A request that changes something has one of three outcomes: done, not done, or still unknown. "
            "Unknown outcomes are settled by queries, never by repeats." }
        @if !here.site.api.outcomes.is_empty() {
            h2 { "How a call ends" }
            div.scroll tabindex="0" role="region" aria-label="Outcomes" { table {
                thead { tr { th scope="col" { "The call" } th scope="col" { "The request" } th scope="col" { "Why" } } }
                tbody { @for row in &here.site.api.outcomes {
                    tr {
                        th scope="row" { (capital(&in_words(row.when.as_str()))) }
                        td { (outcome(row.outcome)) }
                        td { (sentence(&row.why)) " " (here.line(row.place)) }
                    }
                } }
            } }
        }
        h2 { "How to find out" }
        p { "Programs in any language find all of it in " a href=(Address::page("outcomes.json").from(here.page)) {
            "outcomes.json" } ", and how it is read in " a href=(Address::page("outcomes.schema.json").from(here.page)) {
            "its JSON Schema" } "." }
        (by_family(here, &["Operation", "Query", "By", "Not found is a proof", "May it be repeated?"], |family, view| {
            let operation = view.operation;
            if operation.effect == Effect::Read { return None; }
            let confirm = operation.confirm.as_ref();
            Some(vec![
                html! {
                    @match confirm {
                        Some(confirm) => (here.trigger(family, &confirm.by.text)), None => span.quiet { "no query shows it" }
                    }
                },
                html! {
                    @for (index, ((id, _), _)) in confirm.iter().flat_map(|confirm| &confirm.ids).enumerate() {
                        @if index > 0 { " or " } code { (id) }
                    }
                },
                html! { @if let Some(confirm) = confirm { (absence(here.site.api, confirm)) } },
                html! {
                    @match &operation.repeat {
                        Some(repeat) => {
                            "Harmless: " (sentence(&repeat.why.0))
                        }, None => "Not before the outcome is known."
                    }
                },
            ])
        }))
    }
}

/// Returns when an absence proves that a request was not done.
fn absence(api: &Api, confirm: &Confirm) -> Markup {
    let seconds = |length: Option<u64>| length.map(|length| length / 1000);
    html! {
        @match Absence::of(api, confirm) {
            Err(why) => span.quiet { "Never. " (why) },
            Ok(times) => @match (seconds(times.after), seconds(times.until)) {
                (Some(after), Some(until)) => { "From " (after) " s to " (until) " s after the signature." },
                _ => "Once the request has expired.",
            }
        }
    }
}

fn outcome(outcome: RowOutcome) -> Markup {
    let (class, text) = match outcome {
        RowOutcome::Done => ("good", "Done"),
        RowOutcome::NotDone => ("good", "Not done"),
        RowOutcome::Unknown => ("bad", "Unknown"),
        RowOutcome::ByCode => ("quiet", "By the code"),
    };
    html! { span.verdict.(class) { (text) } }
}

fn paging(here: PageContext<'_, '_>) -> Markup {
    html! {
        h2 { "Pages" }
        p { "Each page has a cursor, which goes into the next call until there is none." }
        (by_family(here, &["Operation", "List", "Cursor", "Goes into"], |_, view| match &view.operation.response {
            Response::Page { list, cursor, next, .. } => Some(vec![
                html! { code { (list.wire) } }, html! { code { (cursor.wire) } }, html! { code { (next) } },
            ]),
            Response::Object { .. } | Response::Array { .. } | Response::Undefined => None,
        }))
        @if here.site.api.operations().any(|(_, operation)| operation.listing.pages.is_some()) {
            h2 { "Other pages" }
            p { "The next page is requested by what the table names." }
            (by_family(here, &["Operation", "By", "Order", "Goes into"], |_, view| {
                let pages = view.operation.listing.pages.as_ref()?;
                let by = match pages.field.as_ref().or(pages.header.as_ref()) {
                    Some((field, _)) => html! { (pages.by.0.as_str()) " " code { (field) } },
                    None => html! { (pages.by.0.as_str()) },
                };
                let order = pages.order.0.as_str().replace('_', " ");
                Some(vec![by, html! { (order) }, html! { code { (pages.next) } }])
            }))
        }
        h2 { "Batches" }
        p { "Each item has a result of its own, which is found by its id." }
        (by_family(here, &["Operation", "Items", "Identified by", "Results"], |_, view| {
            let batch = view.operation.batch.as_ref()?;
            Some(vec![
                html! { @match &batch.of { Some((of, _)) => code { (of) }, None => "what it changes" } },
                html! {
                    @for (index, (id, _)) in batch.id.iter().enumerate() { @if index > 0 { ", " } code { (id) } }
                },
                html! { @match (&batch.results, &batch.done, &batch.failed) {
                    (Some((way, _)), _, _) => { code { (way) } ", parallel to the data" }
                    (None, Some(done), Some(failed)) => { code { (done) } " and " code { (failed) } }
                    (None, Some(one), None) | (None, None, Some(one)) => code { (one) },
                    (None, None, None) => "one list",
                } },
            ])
        }))
    }
}

fn quantities(here: PageContext<'_, '_>) -> Markup {
    html! {
        h2 { "Numbers on the wire" }
        ul { @for family in &here.site.families { li { (family.family.title) ": numbers and times travel as "
            @if family.family.numbers_as_text { "texts" } @else { "JSON numbers" } ", unless stated otherwise." } } }
        h2 { "Units" }
        @for family in &here.site.families {
            @let views: Vec<_> = family.operations.iter().filter(|view| has_units(view)).collect();
            @if !views.is_empty() {
                h3 { (family.family.title) }
                @for view in views {
                    div.with-units {
                        p { a href=(view.address.from(here.page)) { (view.operation.title) } }
                        @for one in units_of(view) { div.one-unit { code { (one.name) } (pieces::units(one.units)) } }
                    }
                }
            }
        }
    }
}

fn units_of<'v, 'a>(view: &'v OperationView<'a>) -> Vec<&'v ParameterView<'a>> {
    view.all_parameters().into_iter().filter(|one| !one.units.is_empty()).collect()
}

fn has_units(view: &OperationView<'_>) -> bool {
    !units_of(view).is_empty()
}
