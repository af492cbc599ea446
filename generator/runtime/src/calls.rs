//! The client: one call from its check to its reply, and the listings, batches and retries that make several, and a countdown that is kept running.

pub mod batches;
pub mod client;
pub mod countdown;
pub mod instruments;
pub mod pages;
pub mod retry;
