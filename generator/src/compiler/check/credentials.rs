//! Credentials: everything that is signed is sent, and under names that parameters do not have.

use super::repeated;
use crate::compiler::diagnostics::{Code, Diagnostics, name_list};
use crate::compiler::model::{
    Access, Api, Carried, Content, Credentials, Duration, Family, Parameter, Part, PartKind, Shape, SignedPart, Type,
    Within,
};

/// Checks that no credential is sent twice, or signed without being sent.
pub(super) fn check(api: &Api, to: &mut Diagnostics) {
    let Some(credentials) = api.credentials.as_ref().filter(|_| api.is_sound) else { return };
    what_is_needed_is_sent(credentials, to);
    are_distinct(credentials, to);
    signed_parts_are_known(api, credentials, to);
    signed_parts_are_distinct(credentials, to);
    carried_parts_are_known(credentials, to);
    forms_have_a_use(credentials, to);
    bodies_arrive(credentials, to);
    window_can_be_set(api, credentials, to);
    signed_query_is_of_use(credentials, to);
}

fn what_is_needed_is_sent(credentials: &Credentials, to: &mut Diagnostics) {
    let Some(Signature { parts, .. }) = Signature::of(credentials) else {
        if !credentials.carries(SignedPart::Key) && !to.is_unread(credentials.place.file, "headers") {
            missing(credentials, SignedPart::Key, to);
        }
        return;
    };
    for word in [SignedPart::Key, SignedPart::Signature] {
        if !credentials.carries(word) && !to.is_unread(credentials.place.file, "headers") {
            missing(credentials, word, to);
        }
    }
    for word in [SignedPart::Timestamp, SignedPart::Nonce, SignedPart::Expires] {
        let signed = parts.iter().find(|part| part.has(word));
        if let Some(signed) = signed.filter(|_| !credentials.carries(word)) {
            if to.is_unread(credentials.place.file, "headers") {
                continue;
            }
            let word = word.as_str();
            to.at(signed.place, Code::MissingKey, format!("`{word}` is signed, but no request carries it"))
                .help(format!("name its header: `headers: {{ {word}: ... }}`"));
        }
    }
}

fn missing(credentials: &Credentials, word: SignedPart, to: &mut Diagnostics) {
    let word = word.as_str();
    to.missing_key(credentials.place, format!("missing key `{word}`"))
        .help(format!("add `{word}: ...` to `headers`, or `{word}` to `authorization`"));
}

/// The names and words that are signed.
struct Signature<'a> {
    parts: Vec<&'a Part>,
    is_token: bool,
}

impl<'a> Signature<'a> {
    fn of(credentials: &'a Credentials) -> Option<Self> {
        let signature = credentials.signature.as_ref()?;
        let is_token = matches!(signature.content, Content::Token(_));
        Some(Self { parts: signature.parts().into_iter().flat_map(Part::all).collect(), is_token })
    }
}

/// Checks that a credential is sent in one place, and names in a query or in headers are distinct.
fn are_distinct(credentials: &Credentials, to: &mut Diagnostics) {
    for (index, carried) in credentials.carried.iter().enumerate() {
        let before = &credentials.carried[..index];
        let is_credential = carried.word().is_some_and(|word| word != SignedPart::Path);
        let same_word = |first: &&Carried| is_credential && first.word() == carried.word();
        if let Some((word, first)) = carried.word().zip(before.iter().find(same_word)) {
            to.at(carried.place, Code::DefinedTwice, format!("`{}` is sent in two places", word.as_str()))
                .related(first.place, "the first one")
                .help("remove one of them");
            continue;
        }
        let same_name = |first: &&Carried| {
            first.within == carried.within
                && first.parts.len() != carried.parts.len()
                && first.name.eq_ignore_ascii_case(&carried.name)
        };
        if let Some(first) = before.iter().find(same_name) {
            to.at(carried.place, Code::BadHeader, format!("the header `{}` is named twice", carried.name))
                .related(first.place, "the first one")
                .help("remove one of them");
        }
    }
}

/// Checks that the signature does not sign itself, and signed headers are sent.
fn signed_parts_are_known(api: &Api, credentials: &Credentials, to: &mut Diagnostics) {
    let Some(Signature { parts, is_token }) = Signature::of(credentials) else { return };
    let what = if is_token { "token" } else { "signed text" };
    for part in parts {
        match &part.kind {
            PartKind::Word(SignedPart::Signature) => {
                to.at(part.place, Code::BadValue, format!("the {what} contains the signature itself"))
                    .help("remove `signature`");
            }
            PartKind::Header(name) if credentials.header(SignedPart::Signature).is_some_and(|own| own == name) => {
                to.at(part.place, Code::BadValue, format!("the {what} contains the signature itself"))
                    .help(format!("remove the header `{name}`"));
            }
            PartKind::Header(name) => {
                let own = || credentials.headers().map(|carried| carried.name.as_str());
                let known = || {
                    let declared = api.headers.iter().map(|header| header.name.as_str());
                    let parameters = api.operations().flat_map(|(_, operation)| operation.in_headers());
                    own().chain(declared).chain(parameters.map(|parameter| parameter.name.wire.as_str()))
                };
                // The client sends `Content-Type` with each body.
                let is_of_body = name.eq_ignore_ascii_case("content-type");
                if !is_of_body && !known().any(|known| known.eq_ignore_ascii_case(name)) {
                    to.at(part.place, Code::UndefinedName, format!("unknown header `{name}`"))
                        .help(format!("define it under `headers`, or use one of: {}", name_list(known())));
                }
            }
            PartKind::Word(_)
            | PartKind::Text(_)
            | PartKind::Digest(..)
            | PartKind::Base64(_)
            | PartKind::Signed(_)
            | PartKind::Pairs(_)
            | PartKind::When(_) => {}
        }
    }
}

/// Checks that what changes with each request is signed once in each text. A key or a passphrase may be at both ends of
/// it.
fn signed_parts_are_distinct(credentials: &Credentials, to: &mut Diagnostics) {
    let Some(signature) = &credentials.signature else { return };
    let lists: Vec<&[Part]> = match &signature.content {
        Content::Text(parts) => vec![parts],
        Content::Token(token) => token.header.iter().chain(&token.claims).map(|(_, parts)| parts.as_slice()).collect(),
    };
    let within = signature.parts().into_iter().flat_map(Part::all).flat_map(Part::lists);
    for list in lists.into_iter().chain(within) {
        for (first, part) in repeated(list, is_same_part) {
            to.at(part.place, Code::DefinedTwice, format!("`{}` is signed twice", what(part)))
                .related(first.place, "the first one")
                .help("remove one of them");
        }
    }
}

/// Returns whether two words stand for the same part of a request.
fn is_same_part(one: &Part, other: &Part) -> bool {
    let word = |part: &Part| match part.kind {
        PartKind::Word(SignedPart::BareQuery | SignedPart::SortedQuery) => Some(SignedPart::Query),
        PartKind::Word(SignedPart::Key | SignedPart::Passphrase) => None,
        PartKind::Word(word) => Some(word),
        _ => None,
    };
    word(one).is_some() && word(one) == word(other)
}

/// Checks that a carried text is a credential, or consists of parts that are known when it is made: parameters are
/// written before the rest of the request, and the signature is made last.
fn carried_parts_are_known(credentials: &Credentials, to: &mut Diagnostics) {
    for carried in &credentials.carried {
        for part in &carried.parts {
            if !is_credential(part, carried.within) {
                to.at(part.place, Code::BadValue, format!("`{}` is not a credential", what(part))).help(
                    "expected `key`, `passphrase`, `timestamp`, `nonce`, `expires`, `signature` or `{ text: ... }`",
                );
            }
            for inner in part.within().into_iter().flat_map(Part::all).filter(|inner| !is_known(inner, carried.within))
            {
                to.at(
                    inner.place,
                    Code::BadValue,
                    format!("`{}` is not known yet when this text is made", what(inner)),
                )
                .help("remove it");
            }
            for signed in part.all().into_iter().filter(|part| matches!(part.kind, PartKind::Signed(_))) {
                if credentials.signature.is_none() {
                    to.at(signed.place, Code::MissingKey, "`signed` without an algorithm")
                        .help("add `algorithm` and `signed_text`, or remove it");
                }
            }
        }
    }
}

/// Returns the name of a part in messages: its key or its word.
fn what(part: &Part) -> &str {
    match &part.kind {
        PartKind::Word(word) => word.as_str(),
        PartKind::Text(_) => "text",
        PartKind::Header(name) => name,
        PartKind::Digest(hash, ..) => hash.as_str(),
        PartKind::Base64(_) => "base64",
        PartKind::Signed(_) => "signed",
        PartKind::Pairs(_) => "pairs",
        PartKind::When(_) => "when",
    }
}

/// Returns whether a part can be carried alone.
fn is_credential(part: &Part, within: Within) -> bool {
    match &part.kind {
        PartKind::Text(_) | PartKind::Base64(_) | PartKind::Signed(_) => true,
        PartKind::Header(_) | PartKind::Digest(..) | PartKind::Pairs(_) | PartKind::When(_) => false,
        PartKind::Word(word) => match word {
            SignedPart::Key
            | SignedPart::Passphrase
            | SignedPart::Timestamp
            | SignedPart::Nonce
            | SignedPart::Expires => true,
            SignedPart::Signature | SignedPart::Path => (*word == SignedPart::Path) == (within == Within::Parameters),
            SignedPart::Method
            | SignedPart::Query
            | SignedPart::BareQuery
            | SignedPart::SortedQuery
            | SignedPart::Body
            | SignedPart::Host
            | SignedPart::Call
            | SignedPart::CallId => false,
        },
    }
}

/// Returns whether all parts of a carried text are known when it is made.
fn is_known(part: &Part, within: Within) -> bool {
    let is_sent_last = within == Within::Header;
    match &part.kind {
        PartKind::Text(_) | PartKind::Digest(..) | PartKind::Base64(_) | PartKind::Signed(_) | PartKind::When(_) => {
            true
        }
        PartKind::Header(_) => false,
        PartKind::Pairs(_) => is_sent_last,
        PartKind::Word(word) => match word {
            SignedPart::Key
            | SignedPart::Passphrase
            | SignedPart::Timestamp
            | SignedPart::Nonce
            | SignedPart::Expires
            | SignedPart::Path => true,
            SignedPart::Call | SignedPart::CallId => true,
            SignedPart::Method | SignedPart::Host => within != Within::Parameters,
            SignedPart::Body => matches!(within, Within::Header | Within::Query),
            SignedPart::Query | SignedPart::BareQuery | SignedPart::SortedQuery => is_sent_last,
            SignedPart::Signature => false,
        },
    }
}

/// Checks that an expiry time has the length of the window.
fn forms_have_a_use(credentials: &Credentials, to: &mut Diagnostics) {
    let expires =
        credentials.carried.iter().find(|carried| carried.parts.iter().any(|part| part.has(SignedPart::Expires)));
    let is_missing = credentials.window.is_none() && !to.is_unread(credentials.place.file, "window");
    if let Some(expires) = expires.filter(|_| is_missing) {
        to.at(expires.place, Code::MissingKey, "`expires` requires `window`")
            .help("add `window: ...`: a request is valid for that long after its timestamp");
    }
}

/// Checks that a body that is not sent is carried by another part of the request.
fn bodies_arrive(credentials: &Credentials, to: &mut Diagnostics) {
    let Some(place) = credentials.keeps_body else { return };
    let is_carried =
        credentials.carried.iter().flat_map(|carried| &carried.parts).any(|part| part.has(SignedPart::Body));
    if !is_carried {
        to.at(place, Code::MissingKey, "the body is not sent, and nothing carries it")
            .help("carry it in a header: `headers: { others: { X-Payload: [{ base64: [body] }] } }`");
    }
}

/// Checks that only a query that is signed has a signed text.
fn signed_query_is_of_use(credentials: &Credentials, to: &mut Diagnostics) {
    let Some((_, place)) = credentials.signed_query.filter(|_| !credentials.signs_query()) else { return };
    to.at(place, Code::Misplaced, "`signed_query` requires a query that is signed")
        .help("add `query`, `bare_query` or `sorted_query` to `signed_text`, or remove it");
}

/// Checks that the window is set by a header, or by an integer parameter of a signed request.
fn window_can_be_set(api: &Api, credentials: &Credentials, to: &mut Diagnostics) {
    let Some((name, place)) = &credentials.window_set_by else { return };
    if credentials.window.is_none() {
        to.at(*place, Code::MissingKey, "`window_set_by` requires `window`")
            .help("add `window: ...`, which holds for requests that do not set it");
    }
    let is_header = api.headers.iter().any(|header| header.name.eq_ignore_ascii_case(name));
    let signed = api.operations().filter(|(_, operation)| operation.access == Access::Signed);
    let named: Vec<&Parameter> = signed
        .flat_map(|(_, operation)| operation.members())
        .filter(|parameter| parameter.name.wire == *name)
        .collect();
    if !is_header && named.is_empty() {
        to.at(*place, Code::UndefinedName, format!("no signed operation has a parameter `{name}`"))
            .help("name a parameter or a header of signed requests");
    }
    for parameter in named {
        if !matches!(parameter.shape, Shape::One(Type::Integer | Type::Undefined)) {
            to.at(
                parameter.name.place,
                Code::BadValue,
                format!("`{name}` sets the window of signatures, but is not an integer"),
            )
            .related(*place, "it is named here")
            .help("write `type: integer`; it counts milliseconds");
        }
        let window = credentials.window.and_then(Duration::milliseconds);
        let assumed = parameter.default.as_ref().and_then(|(default, at)| Some((default.parse::<u64>().ok()?, *at)));
        if let (Some(window), Some((assumed, at))) = (window, assumed)
            && assumed != window
        {
            to.at(at, Code::BadValue, format!("`{name}` is {assumed} ms by default, but `window` {window} ms"))
                .related(*place, "it sets the window")
                .help("correct one of them: both apply to requests that do not send it");
        }
    }
}

/// Credentials among the parameters of a request have names that no parameter has.
pub(super) fn fit_beside_parameters(api: &Api, family: &Family, to: &mut Diagnostics) {
    let Some(credentials) = &api.credentials else { return };
    for operation in family.operations.iter().filter(|operation| operation.access == Access::Signed) {
        let after = credentials.carried.iter().find(|carried| carried.within == Within::After);
        if let (Some(after), Some(array)) = (after, operation.body.array()) {
            let says = format!("a body that is an array cannot carry the credential `{}`", after.name);
            to.at(array.name.place, Code::Misplaced, says)
                .related(after.place, "every signed request carries it")
                .help("name it in `headers` or `query`");
        }
        for carried in credentials.beside_parameters() {
            if let Some(parameter) =
                operation.wire_parameters(family).iter().find(|own| own.list.is_none() && own.name.wire == carried.name)
            {
                to.at(
                    parameter.name.place,
                    Code::NameCollision,
                    format!("the parameter `{}` is a credential", carried.name),
                )
                .related(carried.place, "every signed request carries it")
                .help("remove the parameter");
            }
        }
    }
}
