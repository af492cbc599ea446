//! Values as the exchange writes them: exact numbers, times, identifiers, enums that stay open.

mod decimal;
mod edit;
mod identifier;
mod list;
mod mint;
mod open_enum;
mod shape;
mod small_text;
mod timestamp;

pub use decimal::{Decimal, InvalidDecimal};
pub use edit::Edit;
pub use identifier::{Identifier, Text};
pub use list::{BadItem, List};
pub use mint::{MINTED_LENGTH, mint, mint_with};
pub(crate) use open_enum::find as find_value;
pub use open_enum::{OpenEnum, UnknownValue, UnknownValueError, decode_enum, enum_from_str, enum_from_wire};
pub use shape::{InvalidIdentifier, Shape, has_form};
pub use timestamp::Timestamp;
