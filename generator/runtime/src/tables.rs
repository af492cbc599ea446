//! The facts about an API that emitted code holds, as plain tables. This crate itself knows none.

mod api;
mod calendar;
mod code;
mod echo;
mod fate;
mod meta;
mod outcome;
mod record;
mod rule;
mod window;

pub use api::{Api, CredentialHeaders, Encoding, Envelope, Header, Sent, SignedPart};
pub use code::{Certainty, CredentialCause, KnownError, Proves, Stage};
pub use echo::{Compound, Echo, Echoes};
pub use fate::{ClientId, Confirm};
pub use meta::{Access, Effect, Meta, Method, RateLimit, Scope};
pub use outcome::{Ending, Outcome, OutcomeRow};
pub use record::{FieldTable, Form, RecordTable};
pub use rule::{Ceiling, Rule, RuleKind, Severity};
pub use window::{Length, Window};
