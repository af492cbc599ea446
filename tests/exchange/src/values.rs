//! Exact numbers and durations in setups, journals and settings.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// A price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Price(#[serde(with = "number")] pub Decimal);

/// Exact numbers, written as text and read from text or numbers.
pub(crate) mod number {
    use rust_decimal::Decimal;
    use serde::de::{Error, Visitor};
    use serde::{Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(number: &Decimal, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Decimal, D::Error> {
        from.deserialize_any(Number)
    }

    struct Number;

    impl Visitor<'_> for Number {
        type Value = Decimal;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a number")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Decimal, E> {
            text.parse().map_err(|_| E::custom(format!("invalid number `{text}`")))
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<Decimal, E> {
            Ok(number.into())
        }

        fn visit_i64<E: Error>(self, number: i64) -> Result<Decimal, E> {
            Ok(number.into())
        }

        fn visit_f64<E: Error>(self, number: f64) -> Result<Decimal, E> {
            // The shortest text of the number is the one in the file.
            self.visit_str(&number.to_string())
        }
    }
}

/// Lengths of time in milliseconds.
pub(crate) mod millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_millis)
    }
}
