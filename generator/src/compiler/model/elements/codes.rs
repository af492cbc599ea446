//! The elements of error codes and refusals.

use super::{
    Element, Key, Means, additive, behaviour, breaking, documentation, flag, list, maybe, names, path, source,
};
use crate::compiler::model::facts::Fact;
use crate::compiler::model::{ErrorCode, Family, ObservedCode, Proof, Refusal};

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
                Key::new("families", names(families), behaviour("whose answers it explains")),
                Key::new("certainty", certainty.as_str(), behaviour("whether it is trusted")),
                Key::prose("says", says),
                Key::prose("doc", doc),
                Key::prose("sources", &list(sources)),
            ])
            .states(all.filter(|family| self.is_of(&family.name)).map(fact))
    }
}

impl ErrorCode {
    /// The Rust name comes from the text, unless `rust` says otherwise.
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
