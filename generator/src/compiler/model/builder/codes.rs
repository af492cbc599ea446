//! Codes, documented and observed, and the query that checks credentials.

use super::{Builder, placed, text_of};
use crate::compiler::diagnostics::{Code, unknown};
use crate::compiler::load::{Spanned, Text, raw};
use crate::compiler::model::{
    Certainty, CodeProof, CredentialCause, ErrorCode, ObservedCode, Probe, Proof, Refusal, Stage, variant_name,
};

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
                self.to
                    .at(name.place, Code::Unused, format!("unused source `{}`", name.value))
                    .help("remove it, or name it at the codes it is the source of");
            }
        }
        codes
    }

    fn observed_code(&mut self, code: &Text, raw: &Spanned<raw::ObservedCode>) -> ObservedCode {
        for (key, is_missing) in [("proves", raw.proves.is_none()), ("sources", raw.sources.is_none())] {
            if is_missing {
                self.missing(key, code.place);
            }
        }
        let sources = raw.sources.as_ref().map_or(&[][..], |sources| &sources.value);
        if let Some(none) = raw.sources.as_ref().filter(|sources| sources.value.is_empty()) {
            self.to
                .at(none.place, Code::MissingKey, format!("the code `{}` has no sources", code.value))
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
            families: raw.families.iter().map(placed).collect(),
            proof: proof(
                proves.as_ref(),
                raw.stage.as_ref(),
                raw.cause.as_ref(),
                [raw.alike.as_ref(), raw.before_signature.as_ref()],
            ),
            says: self.need(&raw.says, "says", code.place),
            doc: super::text_of(&raw.doc),
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
        self.to.at(source.place, Code::UndefinedName, format!("unknown source `{}`", source.value)).help(help);
    }

    pub(super) fn refusals(&mut self) -> Vec<Refusal> {
        let refusals = self.documents.codes.refusals.iter();
        refusals.map(|(name, raw)| self.refusal(name, raw)).collect()
    }

    fn refusal(&mut self, name: &Text, raw: &Spanned<raw::Refusal>) -> Refusal {
        let is_unread = self.to.is_unread(name.place.file, "codes");
        if raw.code.is_none() && raw.codes.iter().next().is_none() && !is_unread {
            self.missing("code", name.place);
        }
        Refusal {
            name: name.value.clone(),
            place: name.place,
            says: self.need(&raw.says, "says", name.place),
            code: raw.code.as_ref().map(placed),
            codes: raw.codes.iter().map(|(family, code)| (placed(family), placed(code))).collect(),
            status: raw.status.as_ref().map(|status| (status.value, status.place)),
            rules: raw.rules.iter().map(placed).collect(),
        }
    }

    pub(super) fn probe(&mut self, raw: &Spanned<raw::Probe>) -> Option<Probe> {
        let Some(operation) = &raw.operation else {
            self.missing("operation", raw.place);
            return None;
        };
        let request = raw.request.as_ref().map_or_else(|| ("{}".to_owned(), raw.place), placed);
        Some(Probe { place: raw.place, operation: placed(operation), request })
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
