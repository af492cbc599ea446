//! The client: one call from its check to its reply, and the listings, batches and retries that make several.

pub mod batches;
pub mod client;
pub mod instruments;
pub mod pages;
pub mod retry;
