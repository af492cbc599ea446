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
                    "the code `{}` is no success: the envelope in api.yaml says `{}`",
                    error.code, envelope.success
                ),
            )
            .help("take `success: true` away, or fix the envelope");
        }
        if is_envelopes && !error.success {
            to.at(
                error.place,
                Code::BadResponse,
                format!("the code `{}` is what the envelope in api.yaml calls success", error.code),
            )
            .help("add `success: true`");
        }
    }
}

/// What a listed code proves is a refusal, and its cause is one of refused credentials.
pub(super) fn codes_prove_refusals(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for error in &family.errors {
        if error.success && error.proof.proves != CodeProof::NotDone {
            to.at(error.place, Code::BadOutcome, format!("the code `{}` is that of success", error.code))
                .help("take `proves` away: a success proves that it was done");
        }
        cause_is_of_credentials(&error.code, &error.proof, to);
    }
}

/// The codes that no document lists: those of families that there are, and none that means success.
pub(super) fn observed_codes(api: &Api, to: &mut Diagnostics) {
    for code in &api.codes {
        cause_is_of_credentials(&code.code, &code.proof, to);
        if api.envelope.as_ref().is_some_and(|envelope| envelope.success == code.code) {
            to.at(code.place, Code::BadOutcome, format!("the code `{}` is that of success", code.code))
                .help("take it away, or fix the envelope in api.yaml");
        }
        for (index, (name, place)) in code.families.iter().enumerate() {
            if code.families.iter().take(index).any(|(first, _)| first == name) {
                to.at(*place, Code::DefinedTwice, format!("the family `{name}` is there twice"))
                    .help("take one of the two away");
            }
            let known = || api.families.iter().map(|family| family.name.as_str());
            if api.is_whole && !known().any(|family| family == name) {
                let help = did_you_mean(name, known()).unwrap_or_else(|| "name the folder of a family".into());
                to.at(*place, Code::UndefinedName, format!("no family is called `{name}`")).help(help);
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
            ("says that the timestamp was refused, so the cause is the clock", "take `cause` away")
        }
        (
            CodeProof::NotDone | CodeProof::Unknown | CodeProof::NoSuchOrder | CodeProof::DuplicateId | CodeProof::Rate,
            _,
        ) => ("does not say that credentials were refused", "write `proves: credentials`, or take `cause` away"),
    };
    to.at(place, Code::BadOutcome, format!("`{code}` {why}")).help(help);
}
