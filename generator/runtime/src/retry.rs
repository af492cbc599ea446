//! Calling again what does no harm when it is called again.

mod budget;
mod jitter;
mod policy;
mod retrying;

pub use budget::RetryBudget;
pub use policy::RetryPolicy;
pub use retrying::Retrying;
