//! Serialize and Deserialize for values, requests and records, with the feature `serde`; nothing without it.
//!
//! Everything goes through the JSON text that this crate reads and writes anyway, so that serde sees the same names and
//! forms as the wire, and there is no second description of them. Formats must be self-describing (JSON, YAML, TOML).

#[cfg(feature = "serde")]
mod impls;
mod macros;

/// Items that the macros name.
#[cfg(feature = "serde")]
#[doc(hidden)]
pub mod private {
    pub use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub use crate::data::serde_support::impls::{
        deserialize_account, deserialize_parameters, deserialize_value, serialize_account, serialize_parameters,
        serialize_value,
    };
}
