//! Tables of facts about an API, which emitted code contains. This crate itself contains no facts.

mod account;
mod api;
mod authentication;
mod code;
mod confirm;
mod days;
mod meta;
mod outcome;
mod path;
mod refusal;
mod rule;
mod window;

pub use account::{AccountProperty, AccountTable, PropertyKind};
pub use api::{
    Api, Around, Calls, Count, Envelope, Header, PoolReporting, RemainingCalls, Reset, ResetForm, ResponseValue, Sent,
    SuccessWith,
};
#[cfg(feature = "md5")]
pub use authentication::MD5;
pub use authentication::{
    Algorithm, Authentication, Carried, Content, DigestForm, Either, Encoding, Hash, NonceForm, Pairs, Part, Place,
    SecretForm, Signature, SignedQuery, TimestampForm, Token,
};
pub use code::{Certainty, CodeProof, CredentialCause, KnownError, Stage};
pub use confirm::{ClientId, Compound, Confirm, Deadline, Echo, Echoes, TimeParameter};
pub use days::Days;
pub use meta::{
    Access, Amends, AnswerForm, Lists, Meta, Method, NextPage, Objects, ParameterStyle, RateLimit, RepeatKey, Scope,
    Sends, Shows, WeightCondition,
};
pub use outcome::{CallResult, Effect, Outcome, OutcomeRow};
pub use path::{Path, Step};
pub use refusal::Rejection;
pub use rule::{Ceiling, Rule, Severity, Unsupported};
pub use window::{Length, Window};
