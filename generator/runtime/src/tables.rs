//! The facts about an API that emitted code holds, as plain tables. This crate itself knows none.

mod api;
mod calendar;
mod fate;
mod meta;
mod outcome;
mod record;
mod rule;
mod window;

pub use api::{Api, CredentialHeaders, Encoding, Envelope, Header, Sent, SignedPart};
pub use fate::{ClientId, Confirm};
pub use meta::{Access, Effect, KnownError, Meta, Method, RateLimit, Scope};
pub use outcome::{Ending, Outcome, OutcomeRow};
pub use record::{FieldTable, Form, RecordTable};
pub use rule::{Ceiling, Rule, RuleKind, Severity};
pub use window::{Length, Window};
