//! Clients of public exchanges. Each folder of `schema/` is one API, and `build.rs` makes a module of it.

include!(concat!(env!("OUT_DIR"), "/exchanges.rs"));
