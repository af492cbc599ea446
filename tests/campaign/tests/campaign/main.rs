//! Short campaigns of every kind, in one program: those over sockets wait while those in virtual time compute.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

#[path = "../../../shared/empty_arguments.rs"]
mod empty_arguments;
mod fleet;
mod judged;
mod killed;
mod program;
mod short;
mod simulation;
