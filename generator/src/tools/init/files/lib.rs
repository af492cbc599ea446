//! A client that is generated from `schema/`.

#![forbid(unsafe_code)]

include!(concat!(env!("OUT_DIR"), "/api.rs"));
