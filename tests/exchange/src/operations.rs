//! The operations of the API: how each family reads its requests, and the records that it answers with.

pub(crate) mod classic;
pub(crate) mod commissions;
pub(crate) mod observed;
pub(crate) mod pages;
pub(crate) mod reading;
pub(crate) mod routes;
pub(crate) mod schedule;
pub(crate) mod tolerance;
pub(crate) mod unified;
