//! For emitted code only: what it needs beside the types and traits of the other modules. Names may change with any
//! version of the generator.
//!
//! The macros exist in both forms, so that emitted code need not know which features are on.

mod client;
mod operations;

/// The awaited forms of the types that `blocking` has too.
pub mod awaited {
    pub use crate::calls::batches::BatchCall;
    pub use crate::calls::client::ClientCore;
    pub use crate::calls::pages::Pages;
    pub use crate::calls::retry::Retrying;
}

pub use crate::calls::batches::BatchAnswer;
pub use crate::calls::pages::{from_text, json_of_time, text_of, time_of_text, wire_text_of};
pub use crate::data::json::{
    CaseTable, FieldTable, FieldVisitor, OneOfTable, Record, RecordTable, decode_enum, show_record,
};
pub use crate::data::operation::{ItemJudge, ItemOutcomes};
pub use crate::data::parameters::kinds::{self, ParameterValue};
pub use crate::data::parameters::{HeaderWriter, Parameter, ParameterTable, PathWriter};
#[cfg(feature = "serde")]
pub use crate::data::serde_support::private;
pub use crate::data::value::{
    MINTED_LENGTH, Shown, Text, enum_from_str, enum_from_wire, has_form, mint, mint_with, minted_of, respelled,
    scaled_value,
};
pub use crate::state::orders::order_reference;

/// Keeps the items it is given if the feature `blocking` is on.
#[cfg(feature = "blocking")]
#[macro_export]
macro_rules! with_blocking {
    ($($item:item)*) => { $($item)* };
}

/// Keeps the items it is given if the feature `blocking` is on; it is off.
#[cfg(not(feature = "blocking"))]
#[macro_export]
macro_rules! with_blocking {
    ($($item:item)*) => {};
}
