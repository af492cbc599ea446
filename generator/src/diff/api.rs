//! What holds for every family: the envelope, how calls are signed, headers, documents.

use super::aspect::{Aspect, aspect, list, maybe, prose};
use super::class::{behaviour, documentation};
use super::found::{Found, Thing};
use super::pairs::pairs;
use super::{codes, confirm, statements};
use crate::model::{Api, Credentials, Document, Envelope, Header};

pub(super) fn compare(to: &mut Found, old: &Api, new: &Api) {
    let thing = Thing::new("api", "api", new.place);
    let remaining = behaviour("from which header the limiter learns what is left");
    to.compare(
        &thing,
        [
            aspect("api", &old.name, &new.name, documentation("")),
            aspect(
                "remaining_calls",
                maybe(old.remaining_calls.as_ref()),
                maybe(new.remaining_calls.as_ref()),
                remaining,
            ),
            prose("doc", &old.doc, &new.doc),
        ],
    );
    let part = |kind| Thing::new(kind, "api", new.place);
    to.compare(&part("envelope"), envelope(old.envelope.as_ref(), new.envelope.as_ref()));
    to.compare(&part("credentials"), credentials(old.credentials.as_ref(), new.credentials.as_ref()));
    headers(to, &old.headers, &new.headers);
    documents(to, new, &old.documents, &new.documents);
    confirm::outcomes(to, &old.outcomes, &new.outcomes);
    codes::observed(to, &old.codes, &new.codes);
    statements::observed(to, "api", &old.observed, &new.observed);
}

fn envelope(old: Option<&Envelope>, new: Option<&Envelope>) -> [Aspect; 5] {
    let member = |what, of: fn(&Envelope) -> Option<&String>| {
        aspect(what, maybe(old.and_then(of)), maybe(new.and_then(of)), behaviour("how answers are read"))
    };
    [
        member("code", |all| Some(&all.code)),
        member("message", |all| all.message.as_ref()),
        member("time", |all| all.time.as_ref()),
        member("data", |all| Some(&all.data)),
        member("success", |all| Some(&all.success)),
    ]
}

fn credentials(old: Option<&Credentials>, new: Option<&Credentials>) -> [Aspect; 7] {
    let part = |what, of: fn(&Credentials) -> String| {
        aspect(what, maybe(old.map(of)), maybe(new.map(of)), behaviour("how calls are signed"))
    };
    [
        part("key", |all| all.key.clone()),
        part("signature", |all| all.signature.clone()),
        part("passphrase", |all| maybe(all.passphrase.as_ref())),
        part("timestamp", |all| all.timestamp.clone()),
        part("signed_text", |all| list(all.signed_text.iter().map(|part| part.as_str()))),
        part("encoding", |all| all.encoding.as_str().to_owned()),
        part("window", |all| maybe(all.window)),
    ]
}

fn headers(to: &mut Found, old: &[Header], new: &[Header]) {
    let pairs = pairs(old, new, |header| [&header.name, &header.name]);
    let thing = |header: &Header| Thing::new("header", header.name.as_str(), header.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), behaviour("the client refuses a value for it"));
    }
    for (old, new) in pairs.both {
        let sent = aspect("sent", old.sent.as_str(), new.sent.as_str(), behaviour("which calls carry it"));
        to.compare(&thing(new), [sent, prose("doc", &old.doc, &new.doc)]);
    }
    for more in pairs.added {
        to.added(&thing(more), behaviour("it is sent when the client was given a value"));
    }
}

fn documents(to: &mut Found, api: &Api, old: &[Document], new: &[Document]) {
    let pairs = pairs(old, new, |document| [&document.id, &document.id]);
    let thing = |document: &Document| Thing::new("document", document.id.as_str(), api.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), documentation(""));
    }
    for (old, new) in pairs.both {
        to.compare(&thing(new), [prose("title", &old.title, &new.title)]);
    }
    for more in pairs.added {
        to.added(&thing(more), documentation(""));
    }
}
