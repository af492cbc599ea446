//! JSON Web Tokens.

use super::Signer;
use super::encoding::in_token;
use super::text::Sources;
use crate::data::json::JsonWriter;
use crate::data::tables::{Algorithm, Part, Token};

/// The token of a request, signed by `signer`. `now` is in Unix seconds.
pub(super) fn token(token: &Token, algorithm: Algorithm, signer: &dyn Signer, from: &Sources<'_>, now: u64) -> String {
    let mut header = JsonWriter::with_capacity(128);
    header.begin_object();
    push(&mut header, "alg", name(algorithm));
    push(&mut header, "typ", "JWT");
    push_all(&mut header, token.header, from);
    header.end_object();
    let mut claims = JsonWriter::with_capacity(256);
    claims.begin_object();
    push_all(&mut claims, token.claims, from);
    if let Some(lasts) = token.lasts {
        for (name, at) in [("nbf", now), ("exp", now.saturating_add(lasts))] {
            claims.member(name);
            claims.raw(&at.to_string());
        }
    }
    claims.end_object();
    let mut text = [in_token(header.finish().as_bytes()), in_token(claims.finish().as_bytes())].join(".");
    let signature = in_token(&signer.sign(text.as_bytes()));
    text.push('.');
    text.push_str(&signature);
    text
}

/// Adds the members that have a text.
fn push_all(out: &mut JsonWriter, members: &[(&'static str, &'static [Part])], from: &Sources<'_>) {
    for (name, parts) in members {
        let text = from.text(parts);
        if !text.is_empty() {
            push(out, name, &String::from_utf8_lossy(&text));
        }
    }
}

fn push(out: &mut JsonWriter, name: &str, value: &str) {
    out.member(name);
    out.string(value);
}

/// The name of an algorithm in the header of a token.
const fn name(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::HmacSha256 => "HS256",
        Algorithm::HmacSha384 => "HS384",
        Algorithm::HmacSha512 => "HS512",
        Algorithm::Ed25519 => "EdDSA",
        Algorithm::HmacMd5 => "HMD5",
        Algorithm::RsaSha256 => "RS256",
        Algorithm::RsaPssSha256 => "PS256",
        Algorithm::EcdsaSha256 => "ES256",
    }
}
