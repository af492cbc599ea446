use std::fmt;

use super::shape::{InvalidIdentifier, Shape};
use super::small_text::SmallText;
use crate::json::{ReadError, Reader};
use crate::parameters::Scalar;

mod macros;

/// A text that names something: an order, a symbol, a coin. Implemented by [`identifier!`](crate::identifier).
pub trait Identifier: Scalar + Sized {
    /// What the documents say such a text looks like.
    const SHAPE: Shape;

    /// The text.
    fn as_str(&self) -> &str;
}

/// The text inside an identifier type.
///
/// Public only because [`identifier!`](crate::identifier) needs it; use the identifier's own methods.
#[doc(hidden)]
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(SmallText);

impl Text {
    /// No text, which no identifier is.
    pub const EMPTY: Self = Self(SmallText::EMPTY);

    /// Takes any text; what is wrong with it is found before it is sent.
    pub fn unchecked(text: &str) -> Self {
        Self(SmallText::new(text))
    }

    /// Takes a text of the given shape.
    ///
    /// # Errors
    ///
    /// When the text has another shape.
    pub fn checked(text: &str, shape: &Shape) -> Result<Self, InvalidIdentifier> {
        shape.check(text).map(|()| Self::unchecked(text))
    }

    /// Takes whatever the exchange sent but an empty text.
    ///
    /// # Errors
    ///
    /// When the value is empty, or neither text nor number.
    pub fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let mut text = Self::EMPTY;
        text.read(from).map(|()| text)
    }

    /// Becomes what [`decode`](Self::decode) would give.
    ///
    /// # Errors
    ///
    /// When the value is empty, or neither text nor number.
    pub fn read(&mut self, from: &mut Reader<'_>) -> Result<(), ReadError> {
        from.parsed("an identifier", |text| (!text.is_empty()).then(|| self.0.set(text)))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::Identifier;
    use crate::json::{read_json, write_json};

    crate::identifier! {
        /// Any text.
        struct Symbol {}
    }

    crate::identifier! {
        /// A short text of few characters.
        struct ClientOid { length: 1..=8, alphabet: "a-z0-9_-" }
    }

    crate::identifier! {
        /// Digits.
        struct Digits { alphabet: "0-9" }
    }

    #[test]
    fn a_constrained_one_keeps_its_shape() {
        assert!(ClientOid::new("order-1").is_ok());
        assert!("order_1".parse::<ClientOid>().is_ok());
        assert!(ClientOid::try_from("Order").is_err());
        assert!(Digits::try_from(String::from("12x")).is_err());
        assert_eq!((ClientOid::MIN_LENGTH, ClientOid::MAX_LENGTH), (1, 8));
        let error = ClientOid::new("order number 1").map_err(|error| error.to_string());
        assert_eq!(error, Err("\"order number 1\" is no ClientOid: it must have at most 8 characters".to_owned()));
        let error = ClientOid::new("or der").map_err(|error| error.to_string());
        assert_eq!(
            error,
            Err("\"or der\" is no ClientOid: it must have only characters of [a-z0-9_-], not ' '".to_owned())
        );
    }

    #[test]
    fn none_is_empty_or_has_control_characters() {
        assert!(Symbol::new("").is_err());
        assert!(Symbol::new("BTC\nUSDT").is_err());
        assert!(Symbol::new("BTC/USDT été").is_ok());
        assert!(Symbol::SHAPE.check(Symbol::from("").as_str()).is_err());
    }

    #[test]
    fn what_the_exchange_sends_is_taken() {
        let oid = read_json::<ClientOid>("\"not of the documented shape\"");
        assert_eq!(oid.map(|oid| oid.to_string()), Ok("not of the documented shape".to_owned()));
        assert_eq!(read_json::<Symbol>("12345").map(String::from), Ok("12345".to_owned()));
        assert!(read_json::<Symbol>("\"\"").is_err());
    }

    #[test]
    fn is_shown_with_its_type() {
        let symbol = Symbol::from("BTCUSDT");
        assert_eq!(format!("{symbol} {symbol:?}"), "BTCUSDT Symbol(\"BTCUSDT\")");
        assert_eq!(write_json(&symbol), "\"BTCUSDT\"");
    }
}
