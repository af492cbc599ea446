//! JSON as exchanges send it: a pull reader that is lenient about types but never guesses, and a writer.
//!
//! General libraries took five times as long to read what exchanges send: numbers must keep their text, and a bad item
//! must not fail a page. Every field of a record is optional, because the wire omits documented fields.

mod any;
mod decode;
mod error;
mod layout;
mod list;
mod map;
mod members;
mod one_of;
mod path;
mod reader;
mod record;
mod room;
mod string;
mod table;
mod unknown;
mod values;
mod writer;

pub use any::Json;
pub use decode::{Decode, read_json};
pub use error::ReadError;
pub use list::{BadItem, List};
pub use map::{BadEntry, Map};
pub(crate) use members::came_before;
pub use members::{Elements, Members};
pub(crate) use one_of::NoCase;
pub use one_of::UnknownRecord;
pub(crate) use reader::Mark;
pub use reader::{Kind, Reader};
#[doc(hidden)]
pub use record::{FieldVisitor, Record, RecordField, show_record};
pub(crate) use string::{each_text, places_of};
pub use table::Form;
#[doc(hidden)]
pub use table::{CaseTable, FieldTable, OneOfTable, RecordTable, Travels};
pub use unknown::UnknownMembers;
#[doc(hidden)]
pub use values::decode_enum;
pub use writer::{Encode, JsonWriter, write_json};
