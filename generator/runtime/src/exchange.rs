//! From an operation to an HTTP request and from an HTTP response to a reply, without any I/O.

mod authenticator;
mod base_url;
mod codes;
mod echo;
mod envelope;
mod headers;
mod reply;
mod request;
mod response;

pub use authenticator::Authenticator;
pub use base_url::BaseUrl;
pub use codes::CodePolicy;
pub(crate) use codes::{ReadCode, is_compound_item, is_compound_with};
pub use headers::HeaderValues;
pub use reply::Reply;
pub use request::build_request;
pub use response::read_response;
pub(crate) use response::{is_in_envelope, read_answer, remaining_calls, told_by_date};
