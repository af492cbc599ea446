//! The generator over whole schemas: diagnostics, emitted code and files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic is how a test fails")]

mod diagnostics;
mod emitted;
mod generate;
mod incremental;
mod language;
mod names;
mod published;
mod surface;
