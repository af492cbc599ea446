//! Credentials, and how they authenticate a request.

mod authenticator;
mod credentials;
mod encoding;
mod hmacs;
mod nonce;
mod pairs;
#[cfg(feature = "asymmetric")]
mod private_key;
mod redacted;
mod signature;
mod signer;
mod stamp;
#[cfg(test)]
mod tests;
mod text;
mod token;

pub use authenticator::Authenticator;
pub use credentials::Credentials;
pub(crate) use credentials::variable;
#[cfg(feature = "md5")]
pub use hmacs::HmacMd5;
pub use hmacs::{HmacSha256, HmacSha384, HmacSha512};
#[cfg(feature = "asymmetric")]
pub use private_key::PrivateKey;
pub(crate) use redacted::redacted;
pub use signer::Signer;
pub(crate) use stamp::Stamp;
