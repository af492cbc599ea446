//! Values of keys that the schema writes as texts of a form of their own.

mod duration;
mod utc_offset;

pub(crate) use duration::{Duration, DurationUnit};
pub(crate) use utc_offset::UtcOffset;
