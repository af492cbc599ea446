//! JSON as an exchange sends it: a pull reader that forgives types and never guesses, and a writer.

mod decode;
mod encode;
mod error;
mod layout;
mod members;
mod number;
mod path;
mod reader;
mod record;
mod room;
mod string;
mod writer;

pub use decode::{Decode, read_json};
pub use encode::{Encode, write_json};
pub use error::ReadError;
pub use members::{Elements, Members};
pub(crate) use reader::Mark;
pub use reader::{Kind, Reader};
pub use record::{Record, RecordWriter};
pub use writer::JsonWriter;
