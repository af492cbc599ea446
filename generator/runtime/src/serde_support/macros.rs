//! The macros exist in both forms, so that emitted code need not know which features are on.

/// Implements serde's traits for types that are [`Parameters`](crate::Parameters), if the feature `serde` is on:
/// written as the JSON that is sent, read with all checks.
#[cfg(feature = "serde")]
#[macro_export]
macro_rules! serde_parameters {
    ($($name:ident),+ $(,)?) => {$(
        $crate::__serde_impls!($name, serialize_parameters, deserialize_parameters);
    )+};
}

/// Implements serde's traits for types that are [`Record`](crate::Record), if the feature `serde` is on: written with
/// the names of the wire, read as forgivingly as a response.
#[cfg(feature = "serde")]
#[macro_export]
macro_rules! serde_record {
    ($($name:ident),+ $(,)?) => {$(
        $crate::__serde_impls!($name, serialize_value, deserialize_value);
    )+};
}

/// Implements serde's traits for types that are [`OpenEnum`](crate::OpenEnum), if the feature `serde` is on.
#[cfg(feature = "serde")]
#[macro_export]
macro_rules! serde_enum {
    ($($name:ident),+ $(,)?) => {$(
        $crate::__serde_impls!($name, serialize_value, deserialize_value);
    )+};
}

#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_impls {
    ($name:ident, $serialize:ident, $deserialize:ident) => {
        impl $crate::__private::Serialize for $name {
            fn serialize<S: $crate::__private::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::__private::$serialize(self, serializer)
            }
        }

        impl<'de> $crate::__private::Deserialize<'de> for $name {
            fn deserialize<D: $crate::__private::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $crate::__private::$deserialize(deserializer)
            }
        }
    };
}

#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_identifier {
    ($name:ident) => {
        $crate::__serde_impls!($name, serialize_value, deserialize_value);
    };
}

/// Implements serde's traits for request types; the feature `serde` is off, so nothing.
#[cfg(not(feature = "serde"))]
#[macro_export]
macro_rules! serde_parameters {
    ($($name:ident),+ $(,)?) => {};
}

/// Implements serde's traits for records; the feature `serde` is off, so nothing.
#[cfg(not(feature = "serde"))]
#[macro_export]
macro_rules! serde_record {
    ($($name:ident),+ $(,)?) => {};
}

/// Implements serde's traits for open enums; the feature `serde` is off, so nothing.
#[cfg(not(feature = "serde"))]
#[macro_export]
macro_rules! serde_enum {
    ($($name:ident),+ $(,)?) => {};
}

#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_identifier {
    ($name:ident) => {};
}
