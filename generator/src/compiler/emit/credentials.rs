//! The table of how calls are authenticated.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{ident, number, optional};
use crate::compiler::model::{
    Carried, Content, Credentials, Duration, Either, Encoding, Pairs, Part, PartKind, Signature, Token, Within,
};
use crate::compiler::words::{Hash, PairOrder};

pub(super) fn table(credentials: &Credentials) -> TokenStream {
    let Credentials {
        carried,
        signature,
        signed_query: _,
        timestamp,
        nonce,
        keeps_body,
        window,
        window_set_by,
        place: _,
    } = credentials;
    let signed_query = ident(credentials.signed_query().variant());
    let carried = carried.iter().map(carried_table);
    let signature = optional(signature.as_ref().map(signature_table));
    let timestamp = ident(timestamp.variant());
    let nonce = ident(nonce.variant());
    let sends_body = keeps_body.is_none();
    let window = optional(window.and_then(Duration::milliseconds).map(number));
    let window_set_by = optional(window_set_by.as_ref().map(|(name, _)| name));
    quote!(tables::Authentication {
        carried: &[#(#carried),*],
        signature: #signature,
        signed_query: tables::SignedQuery::#signed_query,
        timestamp: tables::TimestampForm::#timestamp,
        nonce: tables::NonceForm::#nonce,
        sends_body: #sends_body,
        window_ms: #window,
        window_set_by: #window_set_by,
    })
}

fn carried_table(carried: &Carried) -> TokenStream {
    let (place, name) = match carried.within {
        Within::Header => ("Header", carried.name.to_ascii_lowercase()),
        Within::Parameters => ("Parameter", carried.name.clone()),
        Within::After => ("After", carried.name.clone()),
        Within::Query => ("Query", carried.name.clone()),
    };
    let (place, parts) = (ident(place), parts(&carried.parts));
    quote!(tables::Carried { place: tables::Place::#place(#name), parts: #parts })
}

fn signature_table(signature: &Signature) -> TokenStream {
    let Signature { content, algorithms, secret } = signature;
    let content = match content {
        Content::Text(signed) => {
            let parts = parts(signed);
            quote!(Text(#parts))
        }
        Content::Token(Token { header, claims, lasts }) => {
            let (header, claims) = (members(header), members(claims));
            let lasts = lasts.and_then(Duration::milliseconds).map(|length| number(length / 1000));
            let lasts = optional(lasts);
            quote!(Token(tables::Token { header: #header, claims: #claims, lasts: #lasts }))
        }
    };
    let algorithms = algorithms.iter().map(|(algorithm, encoding)| {
        let (algorithm, encoding) = (ident(algorithm.variant()), encoding_table(*encoding));
        quote!((tables::Algorithm::#algorithm, #encoding))
    });
    let secret = ident(secret.variant());
    quote!(tables::Signature {
        content: tables::Content::#content,
        algorithms: &[#(#algorithms),*],
        secret: tables::SecretForm::#secret,
    })
}

fn encoding_table(encoding: Encoding) -> TokenStream {
    let encoding = ident(encoding.variant());
    quote!(tables::Encoding::#encoding)
}

fn members(members: &[(String, Vec<Part>)]) -> TokenStream {
    let members = members.iter().map(|(name, own)| {
        let parts = parts(own);
        quote!((#name, #parts))
    });
    quote!(&[#(#members),*])
}

fn parts(parts: &[Part]) -> TokenStream {
    let parts = parts.iter().map(part);
    quote!(&[#(#parts),*])
}

fn part(part: &Part) -> TokenStream {
    let part = match &part.kind {
        PartKind::Word(word) => {
            let word = ident(word.variant());
            quote!(#word)
        }
        PartKind::Text(text) => quote!(Text(#text)),
        PartKind::Header(name) => {
            let name = name.to_ascii_lowercase();
            quote!(Header(#name))
        }
        PartKind::Digest(hash, encoding, within) => {
            let hash = match hash {
                // Not the variant, so that a crate without the feature for it does not compile.
                Hash::Md5 => quote!(MD5),
                Hash::Sha256 | Hash::Sha384 | Hash::Sha512 => {
                    let hash = ident(hash.variant());
                    quote!(Hash::#hash)
                }
            };
            let form = match encoding.map(encoding_table) {
                None => quote!(Bytes),
                Some(encoding) => quote!(Encoded(#encoding)),
            };
            let within = parts(within);
            quote!(Digest(tables::#hash, tables::DigestForm::#form, #within))
        }
        PartKind::Base64(within) => {
            let within = parts(within);
            quote!(Base64(#within))
        }
        PartKind::Signed(within) => {
            let within = parts(within);
            quote!(Signed(#within))
        }
        PartKind::Pairs(Pairs { order, equals, between }) => {
            let sorted = *order == PairOrder::Sorted;
            quote!(Pairs(tables::Pairs { sorted: #sorted, equals: #equals, between: #between }))
        }
        PartKind::When(Either { when, then, otherwise }) => {
            let [when, then, otherwise] = [when, then, otherwise].map(|own| parts(own));
            quote!(When(&tables::Either { when: #when, then: #then, otherwise: #otherwise }))
        }
    };
    quote!(tables::Part::#part)
}
