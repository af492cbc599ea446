//! JSON as exchanges send it: a pull reader that is lenient about types but never guesses, and a writer.
//!
//! General libraries took five times as long to read what exchanges send: numbers must keep their text, and a bad item
//! must not fail a page. Every field of a record is optional, because the wire omits documented fields.

mod decode;
mod list;
mod members;
mod one_of;
mod path;
mod reader;
mod record;
mod room;
mod string;
mod table;
mod values;
mod writer;

pub use self::list::{BadEntry, Map};
pub use self::path::ReadError;
pub use self::values::{Json, UnknownMembers};
pub use decode::{Decode, read_json};
pub use list::{BadItem, List};
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
#[doc(hidden)]
pub use values::decode_enum;
pub use writer::{Encode, JsonWriter, write_json};
