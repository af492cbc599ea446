//! Tables of facts about an API, which emitted code contains. This crate itself contains no facts.

mod api;
mod authentication;
mod code;
mod confirm;
mod meta;
mod window;

pub use self::api::{AccountProperty, AccountTable, CallResult, Effect, Outcome, OutcomeRow, PropertyKind};
pub use self::code::Rejection;
pub use self::meta::{Becomes, Case, Ceiling, CountedIn, Path, Prices, Rule, Severity, Step, Unsupported, When};
pub use self::window::Days;
pub use api::{
    Api, Around, Calls, Count, Envelope, Header, PoolReporting, RefusedAddress, RemainingCalls, Reset, ResetForm,
    ResponseValue, Sent, SuccessWith,
};
#[cfg(feature = "md5")]
pub use authentication::MD5;
pub use authentication::{
    Algorithm, Authentication, Carried, Content, DigestForm, Either, Encoding, Hash, NonceForm, Pairs, Part, Place,
    SecretForm, Signature, SignedQuery, TimestampForm, Token,
};
pub use code::{Certainty, CodeProof, CredentialCause, KnownError, Stage};
pub use confirm::{ClientId, Compound, Confirm, Deadline, Echo, Echoes, Ends, TimeParameter};
pub use meta::{
    Access, Amends, AnswerForm, Counterpart, Lists, Meta, Method, NextPage, Objects, ParameterStyle, RateLimit,
    RepeatKey, Scope, Sends, Shows, WeightCondition, Worth, WorthCondition,
};
pub use window::{Length, Window};
