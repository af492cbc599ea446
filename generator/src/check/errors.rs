//! Error codes: which one is no error.

use crate::diagnostics::{Code, Diagnostics};
use crate::model::{Api, Family};

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
            .help("take `success: true` away, or mend the envelope");
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
