//! Credentials, and how they authenticate a request.

mod authenticator;
mod credentials;
#[cfg(feature = "asymmetric")]
mod private_key;
mod redacted;
mod signature;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use self::authenticator::Stamp;
pub use self::credentials::Signer;
#[cfg(feature = "md5")]
pub use self::signature::HmacMd5;
pub use self::signature::{HmacSha256, HmacSha384, HmacSha512};
pub use authenticator::Authenticator;
pub use credentials::Credentials;
pub(crate) use credentials::variable;
#[cfg(feature = "asymmetric")]
pub use private_key::PrivateKey;
pub(crate) use redacted::redacted;
