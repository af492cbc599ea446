//! The instruments that the exchange lists, for the rules that compare requests with their steps and bounds.
//!
//! Each is known to the rules of one family, under its business line and its symbol. What the caller states in the
//! [`Account`](crate::Account) takes precedence.

use std::borrow::Cow;
use std::error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use crate::calls::client::{ClientCore, object_of_texts};
use crate::data::account::{Instrument, ListedInstruments};
use crate::data::error::Error;
use crate::data::json::{Encode, write_json};
use crate::data::operation::Operation;
use crate::data::parameters::Named;
use crate::data::value::{Decimal, Timestamp};

/// The records of a listing.
type ListFuture<'a> = Pin<Box<dyn Future<Output = Result<Vec<Named>, Error>> + Send + 'a>>;

/// Reads the listing that a request with these parameters returns.
type ReadList = for<'a> fn(&'a ClientCore, &'a str) -> ListFuture<'a>;

/// An operation that lists instruments. Emitted for each with `instruments` in the schema.
#[derive(Clone, Copy)]
pub struct InstrumentListing {
    operation: &'static str,
    fields: InstrumentFields,
    read: ReadList,
}

/// The fields in which the records of a listing describe instruments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstrumentFields {
    /// The family whose requests name the instruments.
    pub family: &'static str,
    /// The parameter with the business line.
    pub over: &'static str,
    /// The values, each of which is requested.
    pub lines: &'static [&'static str],
    /// The field with the symbol.
    pub symbol: &'static str,
    /// The numbers of an instrument, each with its field. A field without a value leaves its property unset.
    pub properties: &'static [(&'static str, &'static str)],
    /// The flags of an instrument. A field without a value leaves its flag unset.
    pub flags: &'static [InstrumentFlag],
    /// The fields that count units of the last decimal place, each with the field that has the number of places.
    pub in_last_place: &'static [(&'static str, &'static str)],
}

/// A flag of an instrument, and the field that states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstrumentFlag {
    /// The flag.
    pub name: &'static str,
    /// The field.
    pub field: &'static str,
    /// The text of the field if the flag is set.
    pub yes: &'static str,
    /// The text of the field if it is not.
    pub no: &'static str,
}

/// The reason why the instruments of the exchange could not be read.
#[non_exhaustive]
pub enum LoadInstrumentsError {
    /// No operation lists instruments: the schema names none, or the feature of its family is off.
    NotListed,
    /// A listing could not be read.
    Unread {
        /// The id of the operation.
        operation: &'static str,
        /// The business line.
        line: &'static str,
        /// The reason why its call failed.
        error: Box<Error>,
    },
}

impl fmt::Display for LoadInstrumentsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotListed => f.write_str(
                "no operation lists instruments: the schema names none, or the feature of its family is off",
            ),
            Self::Unread { operation, line, error } => {
                write!(f, "the instruments of {line} cannot be read by {operation}: {error}")
            }
        }
    }
}

debug_as_sentence!(LoadInstrumentsError);

impl error::Error for LoadInstrumentsError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::NotListed => None,
            Self::Unread { error, .. } => Some(error),
        }
    }
}

impl InstrumentListing {
    /// Declares that `O` lists instruments, of which its records say `fields`.
    pub const fn of<O>(fields: InstrumentFields) -> Self
    where
        O: Operation<Response: Encode> + 'static,
    {
        let read: ReadList = |client, request| Box::pin(records::<O>(client, request));
        Self { operation: O::META.id, fields, read }
    }

    async fn load(&self, client: &ClientCore, to: &mut ListedInstruments) -> Result<(), LoadInstrumentsError> {
        let InstrumentFields { family, over, lines, .. } = self.fields;
        for line in lines {
            let unread =
                |error| LoadInstrumentsError::Unread { operation: self.operation, line, error: Box::new(error) };
            let records = (self.read)(client, &object_of_texts(&[(over, line)])).await.map_err(unread)?;
            for record in records {
                if let Some((symbol, instrument)) = self.fields.read(&record) {
                    to.of(family).add((*line).to_owned(), symbol, instrument);
                }
            }
        }
        Ok(())
    }
}

impl InstrumentFields {
    /// Returns the symbol and the properties of a record's instrument; `None` without a symbol.
    fn read(&self, record: &Named) -> Option<(String, Instrument)> {
        let number = |field: &str| {
            let places = self.in_last_place.iter().find(|(counts, _)| *counts == field).map(|(_, places)| *places);
            let number: Decimal = record.text(field)?.parse().ok()?;
            match places {
                None => Some(number),
                // No instrument has more places, and a number in an answer must not decide how long a text becomes.
                Some(places) => Some(number.shifted(-i16::from(record.text(places)?.parse::<u8>().ok()?))),
            }
        };
        let mut instrument = Instrument::new();
        for (property, field) in self.properties {
            if let Some(value) = number(field) {
                instrument.set(Cow::Borrowed(property), value);
            }
        }
        for InstrumentFlag { name, field, yes, no } in self.flags {
            match record.text(field) {
                Some(text) if text == *yes => instrument.set_flag(Cow::Borrowed(name), true),
                Some(text) if text == *no => instrument.set_flag(Cow::Borrowed(name), false),
                Some(_) | None => {}
            }
        }
        Some((record.text(self.symbol)?.into_owned(), instrument))
    }
}

/// The instruments that were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadedInstruments {
    /// The number of instruments, in all business lines of all families.
    pub count: usize,
    /// When the reading began, by the clock of the client. What the exchange changes later is not in it.
    pub read_at: Timestamp,
}

impl fmt::Display for LoadedInstruments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, read_at } = self;
        write!(f, "{count} instruments, as listed at {read_at}")
    }
}

/// Reads the instruments that the exchange lists, and returns how many there are, and when they were read. From then on,
/// this client and its clones check the rules that compare requests with steps and bounds.
///
/// Each listing takes a call for each business line, which waits for its rate limits. A program calls it at its
/// start, and again when instruments may have changed: it replaces what was listed before. An instrument that the
/// account states, or a property that no record has, is as without it.
///
/// An order that the exchange refuses by a code that says that a step is another one shows that the instruments have
/// changed. The client then reads them again before it returns the refusal, at most once a minute.
///
/// # Errors
///
/// Fails if `listings` is empty, or if one of them cannot be read. Like any call, none is repeated that fails; what was
/// listed before is kept then, and the program may load them again.
pub async fn load_instruments(
    client: &ClientCore,
    listings: &'static [InstrumentListing],
) -> Result<LoadedInstruments, LoadInstrumentsError> {
    if listings.is_empty() {
        return Err(LoadInstrumentsError::NotListed);
    }
    let begun = client.moment();
    let mut listed = ListedInstruments::default();
    for listing in listings {
        listing.load(client, &mut listed).await?;
    }
    let loaded = LoadedInstruments { count: listed.len(), read_at: begun.wall() };
    client.set_listed(listed, begun, Arc::new(move |client| load_again(client, listings)));
    Ok(loaded)
}

/// Reads the instruments again. If that fails, they stay as they are, and refusals go on to show that they are old.
fn load_again(client: ClientCore, listings: &'static [InstrumentListing]) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move { drop(load_instruments(&client, listings).await) })
}

/// Sends a request, and returns the records that it lists.
async fn records<O: Operation<Response: Encode>>(client: &ClientCore, request: &str) -> Result<Vec<Named>, Error> {
    let reply = client.call_by_name::<O>(request).await?;
    // What has just been written is read without an error.
    Ok(Named::read_items(&write_json(&reply.data)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails panics")]

    use super::*;

    #[test]
    fn a_step_may_count_units_of_the_last_place() {
        let fields = InstrumentFields {
            family: "shop",
            over: "market",
            lines: &["spot"],
            symbol: "name",
            properties: &[("priceStep", "step"), ("places", "places"), ("least", "least")],
            flags: &[InstrumentFlag { name: "stock", field: "isStock", yes: "yes", no: "no" }],
            in_last_place: &[("step", "places")],
        };
        let read = |json: &str| fields.read(&Named::read(json));
        let (symbol, pair) = read(r#"{"name": "BTCUSDT", "step": "5", "places": "1", "least": ""}"#).unwrap();
        assert_eq!(symbol, "BTCUSDT");
        assert_eq!(pair.get("priceStep").map(Decimal::as_str), Some("0.5"));
        assert_eq!((pair.get("places"), pair.get("least")), (Some(&Decimal::from(1)), None));
        let (_, pair) = read(r#"{"name": "BTCUSDT", "step": "5", "least": 0.01}"#).unwrap();
        assert_eq!(pair.get("priceStep"), None, "the number of places is unknown");
        assert_eq!(pair.get("least"), Some(&crate::dec!(0.01)));
        assert_eq!(read(r#"{"step": "5", "places": "1"}"#), None);
        for (text, flag) in [("yes", Some(true)), ("no", Some(false)), ("", None), ("perhaps", None)] {
            let (_, pair) = read(&format!(r#"{{"name": "BTCUSDT", "isStock": "{text}"}}"#)).unwrap();
            assert_eq!(pair.flag("stock"), flag, "{text}");
        }
        for far in ["-2147483648", "500000000", "256", "-1"] {
            let (_, pair) = read(&format!(r#"{{"name": "BTCUSDT", "step": "5", "places": "{far}"}}"#)).unwrap();
            assert_eq!(pair.get("priceStep"), None, "{far}");
        }
    }
}
