//! An independent computation of signatures from received requests.

use crate::loopback::Request;
use crate::query;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Returns the expected `ACCESS-SIGN` of a request: base64 of HMAC-SHA256 over timestamp, method, target without
/// escapes, and body.
pub fn expected(secret: &str, timestamp: &str, method: &str, target: &str, body: &[u8]) -> String {
    let mut text = format!("{timestamp}{method}{}", query::decoded(target)).into_bytes();
    text.extend_from_slice(body);
    of_text(secret, text)
}

/// Returns the signature of a text.
pub fn of_text(secret: &str, text: impl AsRef<[u8]>) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(text.as_ref());
    STANDARD.encode(mac.finalize().into_bytes())
}

/// Checks the signature of a request, and returns the signed time in milliseconds.
///
/// # Errors
///
/// The mistake of the signature.
pub fn verify(request: &Request, secret: &str) -> Result<u64, &'static str> {
    let header = |name| request.header(name).ok_or(name);
    let timestamp = header("ACCESS-TIMESTAMP")?;
    let (given, _, _) = (header("ACCESS-SIGN")?, header("ACCESS-KEY")?, header("ACCESS-PASSPHRASE")?);
    let target = match &request.query {
        Some(query) => format!("{}?{query}", request.path),
        None => request.path.clone(),
    };
    if given != expected(secret, timestamp, &request.method, &target, &request.body) {
        return Err("the signature is wrong");
    }
    timestamp.parse().map_err(|_| "the timestamp is not a number")
}
