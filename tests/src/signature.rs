//! Signatures, made a second time from what was received.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// What `ACCESS-SIGN` must be for a request: base64 of HMAC-SHA256 over timestamp, method, target and body.
pub fn expected(secret: &str, timestamp: &str, method: &str, target: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(timestamp.as_bytes());
    mac.update(method.as_bytes());
    mac.update(target.as_bytes());
    mac.update(body);
    STANDARD.encode(mac.finalize().into_bytes())
}
