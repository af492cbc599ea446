//! The ways in: HTTP and its connections, the gate with its faults and signatures, the control address, and the functions
//! for tests.

pub(crate) mod account_view;
pub(crate) mod answer_plan;
pub(crate) mod authentication;
pub(crate) mod control;
pub(crate) mod docs;
pub(crate) mod exchange;
pub(crate) mod gate;
mod replay;
pub mod server;
pub(crate) mod snapshot;
pub(crate) mod time;
