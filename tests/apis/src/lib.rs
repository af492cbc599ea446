//! Clients of public exchanges. Each folder of `schema/` is an API, of which `build.rs` generates a module.

include!(concat!(env!("OUT_DIR"), "/apis.rs"));
