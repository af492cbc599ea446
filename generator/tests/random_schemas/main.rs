//! Schemas that pass `check` compile: they are made and changed at random, those with mistakes are dropped, and the
//! others are compiled together. The language's own table says which keys there are, so that no new one is forgotten.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

#[path = "../../examples/drafts/compile.rs"]
mod compile;
#[path = "../../examples/drafts/fill.rs"]
#[allow(dead_code, reason = "it also reads drafts")]
mod fill;
#[path = "../../../tests/src/folders.rs"]
mod folders;
mod language;
mod parameters;
mod random;
mod walks;
