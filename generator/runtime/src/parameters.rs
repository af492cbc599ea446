//! Request parameters: written as a query or as JSON, and read back.

mod member;
mod named;
mod path;
mod percent;
mod query;
mod reader;
mod scalar;
mod texts;
mod writer;

pub(crate) use named::Named;
pub use path::PathWriter;
pub use reader::ParameterReader;
pub use scalar::{Scalar, Scratch};
pub use writer::ParameterWriter;

pub(crate) use texts::texts_of;

use crate::checks::Checks;

/// A set of request parameters: those of an operation, of an item in a list, or of one way of a choice.
pub trait Parameters: Sized {
    /// Writes those that are set.
    fn write(&self, out: &mut ParameterWriter);

    /// Reads them back. `None` when that fails; `from` then knows why.
    fn read(from: &mut ParameterReader<'_>) -> Option<Self>;

    /// Tells `to` what the documents forbid.
    fn check(&self, to: &mut Checks<'_>);
}
