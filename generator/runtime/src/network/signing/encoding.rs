//! The text forms of signatures.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE, URL_SAFE_NO_PAD};

use crate::data::tables::Encoding;

/// `bytes` as text.
pub(super) fn encoded(bytes: &[u8], encoding: Encoding) -> String {
    match encoding {
        Encoding::Base64 => {
            // Not by `encode`, which allocates zeroed memory.
            let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
            STANDARD.encode_string(bytes, &mut text);
            text
        }
        Encoding::Base64Url => URL_SAFE.encode(bytes),
        Encoding::Hex => hex(bytes),
        Encoding::HexCapitals => hex(bytes).to_ascii_uppercase(),
    }
}

/// `bytes` in the alphabet of JSON Web Tokens.
pub(super) fn in_token(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(hex_digit(byte >> 4));
        text.push(hex_digit(byte & 0xf));
    }
    text
}

fn hex_digit(digit: u8) -> char {
    char::from_digit(u32::from(digit), 16).unwrap_or('0')
}
