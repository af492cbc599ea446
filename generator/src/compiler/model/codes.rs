//! Codes of answers: those of documents, those that were observed, the proof that each gives, and those of refusals.

use super::builder::{Builder, placed, text_of};
use super::elements::{
    Element, Key, Means, additive, behaviour, breaking, documentation, flag, list, maybe, names, path, source,
};
use super::facts::Fact;
use super::{AnyFamily, Api, Family, NameOf, Operation, Placed, variant_name};
use crate::compiler::diagnostics::{Code, Place, unknown};
use crate::compiler::load::{Spanned, Text, raw};
use crate::compiler::words::{Certainty, CodeProof, CredentialCause, Effect, Stage};

/// An error code of a document, and its meaning.
#[derive(Clone, Debug)]
pub(crate) struct ErrorCode {
    pub(crate) code: String,
    pub(crate) rust: String,
    pub(crate) place: Place,
    pub(crate) text: String,
    pub(crate) doc: String,
    pub(crate) source: Option<super::Source>,
    pub(crate) proof: Proof,
    pub(crate) success: bool,
}

/// A code that no document lists.
#[derive(Clone, Debug)]
pub(crate) struct ObservedCode {
    pub(crate) code: String,
    pub(crate) place: Place,
    /// The families whose operations return it; empty for all.
    pub(crate) families: Vec<NameOf<AnyFamily>>,
    pub(crate) proof: Proof,
    pub(crate) says: String,
    /// Advice on what to do.
    pub(crate) doc: String,
    pub(crate) sources: Vec<String>,
    pub(crate) certainty: Certainty,
}

/// A reason to refuse a request.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) says: String,
    /// The code in families that do not have their own.
    pub(crate) code: Option<Placed>,
    /// The families with a code of their own.
    pub(crate) codes: Vec<FamilyCode>,
    /// The HTTP status, if it is not that of other refusals.
    pub(crate) status: Option<(u64, Place)>,
    /// The ids of rules, or the last word of the ids of rules that follow from other keys.
    pub(crate) rules: Vec<Placed>,
    /// The parameters of other names for which a change is refused.
    pub(crate) parameters: Vec<Placed>,
}

/// A family and its code, each with its place.
pub(crate) type FamilyCode = (NameOf<AnyFamily>, Placed);

/// The proof that a code gives about the request that it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Proof {
    pub(crate) proves: CodeProof,
    /// The stage that the request reached.
    pub(crate) stage: Stage,
    /// The likely reason why credentials were refused.
    pub(crate) cause: Option<CredentialCause>,
    /// The place of the cause, if the schema states one.
    pub(crate) cause_place: Option<Place>,
    /// Where the schema states that every copy of a request is refused with it.
    pub(crate) alike: Option<Place>,
    /// Where the schema states that it comes before the signature is looked at.
    pub(crate) before_signature: Option<Place>,
}

impl Proof {
    /// Returns whether a request with this refusal may have had its effect. A `compound` request does several things:
    /// when a rule of trading stops one of them, others may be done.
    pub(crate) fn leaves_open(&self, effect: Effect, compound: bool) -> bool {
        self.proves.leaves_open(self.stage, effect, compound)
    }
}

impl ObservedCode {
    /// Returns whether operations of a family return it.
    pub(crate) fn is_of(&self, family: &Family) -> bool {
        self.families.is_empty() || self.families.iter().any(|name| family.is(name))
    }
}

impl Api {
    /// Returns the codes that operations of a family return and its documents do not list. Documented meanings take
    /// precedence.
    pub(crate) fn observed_of<'a>(&'a self, family: &'a Family) -> impl Iterator<Item = &'a ObservedCode> {
        let is_documented = |code: &str| family.errors.iter().any(|error| error.code == code);
        self.codes.iter().filter(move |code| code.is_of(family) && !is_documented(&code.code))
    }

    /// Returns the full ids of the rules and ceilings with this id, in operations and families.
    pub(crate) fn rules_with_id(&self, id: &str) -> Vec<String> {
        let of_family = self.families.iter().flat_map(|family| {
            let rules = family.statements.rules.iter().map(|rule| &rule.id);
            let ids = rules.chain(family.limits.iter().map(|limit| &limit.id));
            ids.filter(|found| *found == id).map(|_| format!("{}.{id}", family.name))
        });
        let of_operations = self.families.iter().flat_map(|family| {
            let rules = family.operations.rules().filter(|(_, found)| *found == id);
            rules.map(|(operation, _)| format!("{}.{operation}.{id}", family.name))
        });
        of_family.chain(of_operations).collect()
    }
}

impl Operation {
    /// Returns the documented codes after which it is unknown whether a request had its effect.
    pub(crate) fn open_errors<'a>(&'a self, family: &'a Family) -> impl Iterator<Item = &'a ErrorCode> {
        // A request that is compound only under a condition is described separately.
        let compound = self.compound.as_ref().is_some_and(|compound| compound.when.is_none());
        family.errors.iter().filter(move |error| !error.success && error.proof.leaves_open(self.effect, compound))
    }
}

impl Builder<'_> {
    pub(super) fn error_code(&mut self, code: &Text, raw: &Spanned<raw::ErrorCode>) -> ErrorCode {
        let text = self.need(&raw.text, "text", raw.place);
        let rust = self.rust_name(&raw.rust, &text, raw.place, "error", variant_name);
        ErrorCode {
            source: self.source(&raw.source),
            code: code.value.clone(),
            rust,
            place: code.place,
            text,
            doc: text_of(&raw.doc),
            proof: proof(
                raw.proves.as_ref(),
                raw.stage.as_ref(),
                raw.cause.as_ref(),
                [raw.alike.as_ref(), raw.before_signature.as_ref()],
            ),
            success: raw.success.unwrap_or(false),
        }
    }

    pub(super) fn observed_codes(&mut self) -> Vec<ObservedCode> {
        let raw = &self.documents.codes;
        let codes = raw.codes.iter().map(|(code, one)| self.observed_code(code, one)).collect();
        let sources = || raw.codes.iter().filter_map(|(_, code)| code.sources.as_ref()).flat_map(|all| &all.value);
        let is_used = |name: &str| sources().any(|source| source.value == name);
        // A code that could not be read may name it, and an unknown source may be misspelt where it is defined.
        let have_sources = raw.codes.iter().all(|(_, code)| code.sources.is_some());
        let are_known = sources().all(|source| raw.sources.iter().any(|(name, _)| name.value == source.value));
        let is_whole = !self.documents.incomplete && have_sources && are_known;
        for (name, what) in raw.sources.iter() {
            self.need(&Some(what.clone()), &name.value, name.place);
            if is_whole && !is_used(&name.value) {
                self.at(name.place, Code::Unused, format!("unused source `{}`", name.value))
                    .help("remove it, or name it at the codes it is the source of");
            }
        }
        codes
    }

    fn observed_code(&mut self, code: &Text, raw: &Spanned<raw::ObservedCode>) -> ObservedCode {
        self.need_keys(&[("proves", raw.proves.is_some()), ("sources", raw.sources.is_some())], code.place);
        let sources = raw.sources.as_ref().map_or(&[][..], |sources| &sources.value);
        if let Some(none) = raw.sources.as_ref().filter(|sources| sources.value.is_empty()) {
            self.at(none.place, Code::MissingKey, format!("the code `{}` has no sources", code.value))
                .help("list its `sources`, or remove the code");
        }
        sources.iter().for_each(|source| self.known_source(source));
        // If it is missing, a value that passes the checks, so that only the missing key is reported.
        let of_credentials =
            || raw.cause.as_ref().map(|cause| Spanned { value: CodeProof::Credentials, place: cause.place });
        let proves = raw.proves.clone().or_else(of_credentials);
        ObservedCode {
            code: code.value.clone(),
            place: code.place,
            families: raw.families.iter().map(placed).map(NameOf::new).collect(),
            proof: proof(
                proves.as_ref(),
                raw.stage.as_ref(),
                raw.cause.as_ref(),
                [raw.alike.as_ref(), raw.before_signature.as_ref()],
            ),
            says: self.need(&raw.says, "says", code.place),
            doc: text_of(&raw.doc),
            sources: sources.iter().map(|source| source.value.trim().to_owned()).collect(),
            certainty: raw.certainty.as_ref().map_or(Certainty::Several, |certainty| certainty.value),
        }
    }

    /// Reports a source that is not among the short names, if there are any.
    fn known_source(&mut self, source: &Text) {
        let names = &self.documents.codes.sources;
        if names.is_empty() || names.iter().any(|(name, _)| name.value == source.value) {
            return;
        }
        let known = names.iter().map(|(name, _)| (name.value.as_str(), Some(name.place)));
        let help =
            unknown(&source.value, known, || "define it under `sources` at the top of the file".to_owned()).of_file();
        self.at(source.place, Code::UndefinedName, format!("unknown source `{}`", source.value)).help(help);
    }

    pub(super) fn refusals(&mut self) -> Vec<Refusal> {
        let refusals = self.documents.codes.refusals.iter();
        refusals.map(|(name, raw)| self.refusal(name, raw)).collect()
    }

    pub(super) fn refusal(&mut self, name: &Text, raw: &Spanned<raw::Refusal>) -> Refusal {
        let is_unread = self.to.is_unread(name.place.file, "codes");
        if raw.code.is_none() && raw.codes.iter().next().is_none() && !is_unread {
            self.missing("code", name.place);
        }
        Refusal {
            name: name.value.clone(),
            place: name.place,
            says: self.need(&raw.says, "says", name.place),
            code: raw.code.as_ref().map(placed),
            codes: raw.codes.iter().map(|(family, code)| (NameOf::new(placed(family)), placed(code))).collect(),
            status: raw.status.as_ref().map(|status| (status.value, status.place)),
            rules: raw.rules.iter().map(placed).collect(),
            parameters: raw.parameters.iter().map(placed).collect(),
        }
    }
}

fn proof(
    proves: Option<&Spanned<CodeProof>>,
    stage: Option<&Spanned<Stage>>,
    cause: Option<&Spanned<CredentialCause>>,
    [alike, before_signature]: [Option<&Spanned<bool>>; 2],
) -> Proof {
    let set = |flag: Option<&Spanned<bool>>| flag.filter(|flag| flag.value).map(|flag| flag.place);
    let proves = proves.map_or(CodeProof::NotDone, |proves| proves.value);
    let implied = (proves == CodeProof::Timestamp).then_some(CredentialCause::Clock);
    Proof {
        proves,
        stage: stage.map_or_else(|| proves.usual_stage(), |stage| stage.value),
        cause: cause.map(|cause| cause.value).or(implied),
        cause_place: cause.map(|cause| cause.place),
        alike: set(alike),
        before_signature: set(before_signature),
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
