//! Serialize and Deserialize for values, requests and records, with the feature `serde`; nothing without it.
//!
//! Everything goes through the JSON text that this crate reads and writes anyway, so that serde sees the same names and
//! forms as the wire, and there is no second description of them. Formats must be self-describing (JSON, YAML, TOML).

#[cfg(feature = "serde")]
mod impls;

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

/// Implements serde's traits for types that are [`Parameters`](crate::data::parameters::Parameters), if the feature `serde`
/// is on: written as the JSON that is sent, read with all checks.
#[cfg(feature = "serde")]
#[macro_export]
macro_rules! serde_parameters {
    ($($name:ident),+ $(,)?) => {$(
        $crate::__serde_impls!($name, serialize_parameters, deserialize_parameters);
    )+};
}

/// Implements serde's traits for types that are [`Decode`](crate::data::json::Decode) and [`Encode`](crate::data::json::Encode), if
/// the feature `serde` is on: written as on the wire, read as leniently as a response.
#[cfg(feature = "serde")]
#[macro_export]
macro_rules! serde_value {
    ($($name:ident),+ $(,)?) => {$(
        $crate::__serde_impls!($name, serialize_value, deserialize_value);
    )+};
}

#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_impls {
    ($name:ident, $serialize:ident, $deserialize:ident) => {
        impl $crate::emitted::private::Serialize for $name {
            fn serialize<S: $crate::emitted::private::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::emitted::private::$serialize(self, serializer)
            }
        }

        impl<'de> $crate::emitted::private::Deserialize<'de> for $name {
            fn deserialize<D: $crate::emitted::private::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $crate::emitted::private::$deserialize(deserializer)
            }
        }
    };
}

/// Implements serde's traits for an account that wraps the runtime's, if the feature `serde` is on: written and read
/// like its file.
#[cfg(feature = "serde")]
#[macro_export]
macro_rules! serde_account {
    ($name:ident, $table:expr) => {
        impl $crate::emitted::private::Serialize for $name {
            fn serialize<S: $crate::emitted::private::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::emitted::private::serialize_account(&self.properties, serializer)
            }
        }

        impl<'de> $crate::emitted::private::Deserialize<'de> for $name {
            fn deserialize<D: $crate::emitted::private::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                let properties = $crate::emitted::private::deserialize_account(deserializer, $table)?;
                ::core::result::Result::Ok(Self { properties })
            }
        }
    };
}

/// Implements nothing for an account, because the feature `serde` is off.
#[cfg(not(feature = "serde"))]
#[macro_export]
macro_rules! serde_account {
    ($name:ident, $table:expr) => {};
}

/// Implements nothing for request types, because the feature `serde` is off.
#[cfg(not(feature = "serde"))]
#[macro_export]
macro_rules! serde_parameters {
    ($($name:ident),+ $(,)?) => {};
}

/// Implements nothing for values, because the feature `serde` is off.
#[cfg(not(feature = "serde"))]
#[macro_export]
macro_rules! serde_value {
    ($($name:ident),+ $(,)?) => {};
}
