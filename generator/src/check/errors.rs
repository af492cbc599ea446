//! Error codes: which one is no error, and what the others prove.

use crate::diagnostics::{Code, Diagnostics, did_you_mean};
use crate::model::{Api, Cause, CodeProof, Family, Proof};

/// The code that means success is the one of the envelope, and no other.
pub(super) fn success_is_one(api: &Api, family: &Family, to: &mut Diagnostics) {
    let Some(envelope) = api.envelope.as_ref().filter(|envelope| !envelope.success.is_empty()) else { return };
    for error in &family.errors {
        let is_envelopes = error.code == envelope.success;
        if error.success && !is_envelopes {
            to.at(
                error.place,
                Code::BadResponse,
                format!(
                    "the code `{}` is marked as success, but the envelope in api.yaml says `{}`",
                    error.code, envelope.success
                ),
            )
            .help("remove `success: true`, or correct the envelope");
        }
        if is_envelopes && !error.success {
            to.at(
                error.place,
                Code::BadResponse,
                format!("the code `{}` means success according to the envelope in api.yaml", error.code),
            )
            .help("add `success: true`");
        }
    }
}

/// What a listed code proves is a refusal, and its cause is one of refused credentials.
pub(super) fn codes_prove_refusals(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for error in &family.errors {
        if error.success && error.proof.proves != CodeProof::NotDone {
            to.at(error.place, Code::BadOutcome, format!("the code `{}` means success", error.code))
                .help("remove `proves`: a success proves that the request took effect");
        }
        cause_is_of_credentials(&error.code, &error.proof, to);
    }
}

/// The codes that no document lists: those of families that there are, and none that means success.
pub(super) fn observed_codes(api: &Api, to: &mut Diagnostics) {
    for code in &api.codes {
        cause_is_of_credentials(&code.code, &code.proof, to);
        if api.envelope.as_ref().is_some_and(|envelope| envelope.success == code.code) {
            to.at(code.place, Code::BadOutcome, format!("the code `{}` means success", code.code))
                .help("remove it, or correct the envelope in api.yaml");
        }
        for (index, (name, place)) in code.families.iter().enumerate() {
            if code.families.iter().take(index).any(|(first, _)| first == name) {
                to.at(*place, Code::DefinedTwice, format!("duplicate family `{name}`")).help("remove one of them");
            }
            let known = || api.families.iter().map(|family| family.name.as_str());
            if api.is_whole && !known().any(|family| family == name) {
                let help = did_you_mean(name, known()).unwrap_or_else(|| "name the folder of a family".into());
                to.at(*place, Code::UndefinedName, format!("unknown family `{name}`")).help(help);
            }
        }
    }
}

fn cause_is_of_credentials(code: &str, proof: &Proof, to: &mut Diagnostics) {
    let Some(place) = proof.cause_place else { return };
    let (why, help) = match (proof.proves, proof.cause) {
        (CodeProof::Credentials, _) => return,
        (CodeProof::Timestamp, Some(Cause::Clock)) => return,
        (CodeProof::Timestamp, _) => {
            ("proves that the timestamp was rejected, so its cause can only be `clock`", "remove `cause`")
        }
        (
            CodeProof::NotDone | CodeProof::Unknown | CodeProof::NoSuchOrder | CodeProof::DuplicateId | CodeProof::Rate,
            _,
        ) => (
            "has a `cause` but does not prove that the credentials were rejected",
            "write `proves: credentials`, or remove `cause`",
        ),
    };
    to.at(place, Code::BadOutcome, format!("`{code}` {why}")).help(help);
}
