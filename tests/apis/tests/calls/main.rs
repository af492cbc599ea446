//! Calls of clients of public exchanges over loopback, with a module for each exchange. Signatures are checked with an
//! independent implementation.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

mod apart;
mod assorted;
mod beside_data;
mod binance;
mod bitfinex;
mod bitmex;
mod bybit;
mod coinbase;
mod confirm;
mod constants;
mod cryptocom;
mod dates;
mod deribit;
mod edits;
mod gateio;
mod gemini;
mod htx;
mod kraken;
mod kucoin;
mod limits;
mod listings;
mod nested;
mod okx;
mod one_of;
mod outcomes_file;
mod pages;
mod phemex;
mod repeats;
mod requests;
mod rules;
mod upbit;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Sha256, Sha384, Sha512};

/// Returns the HMAC-SHA256 of `text`.
fn hmac_sha256(secret: &[u8], text: &str) -> Vec<u8> {
    Hmac::<Sha256>::new_from_slice(secret).unwrap().chain_update(text).finalize().into_bytes().to_vec()
}

/// Returns the HMAC-SHA384 of `text`.
fn hmac_sha384(secret: &[u8], text: &str) -> Vec<u8> {
    Hmac::<Sha384>::new_from_slice(secret).unwrap().chain_update(text).finalize().into_bytes().to_vec()
}

/// Returns the HMAC-SHA512 of `text`.
fn hmac_sha512(secret: &[u8], text: &[u8]) -> Vec<u8> {
    Hmac::<Sha512>::new_from_slice(secret).unwrap().chain_update(text).finalize().into_bytes().to_vec()
}

fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
