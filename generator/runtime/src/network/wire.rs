//! Converts operations to HTTP requests and HTTP responses to replies, without any I/O.

mod base_url;
mod codes;
mod echo;
mod envelope;
mod headers;
mod pool_reports;
mod request;
mod response;

pub use self::envelope::{AnswersWithHeaders, RefusesWith};
pub(crate) use self::headers::NextPageHint;
pub use base_url::BaseUrl;
pub use codes::CodePolicy;
pub(crate) use codes::{ReadCode, RefusedItem, is_compound, is_compound_item, is_compound_with};
pub(crate) use envelope::{reader_at, text_at};
pub use headers::HeaderValues;
pub(crate) use headers::retry_after;
pub(crate) use pool_reports::pool_reports;
pub use pool_reports::{MAX_POOLS, PoolReport};
pub(crate) use request::build;
pub use request::{build_request, unsigned_request};
pub(crate) use response::{AnswerSettings, is_in_envelope, read_answer, remaining_calls, time_of_date_header};
pub use response::{EarlierAttempts, Reply, read_response};
