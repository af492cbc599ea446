//! The calls that make an account flat, independent of the types of their requests.

use std::fmt;
use std::pin::Pin;

use crate::calls::client::{ClientCore, object_of_texts};
use crate::data::error::{Error, ExchangeError};
use crate::data::json::{Decode as _, Encode, write_json};
use crate::data::operation::Operation;
use crate::data::parameters::Named;
use crate::data::tables::{CodeProof, Outcome};
use crate::data::value::Decimal;

/// The fields of an answer, as far as they are of interest.
pub(super) type AnswerFuture<'a> = Pin<Box<dyn Future<Output = Result<Named, Error>> + Send + 'a>>;

/// Sends the request with these parameters.
pub(super) type SendRequest = for<'a> fn(&'a ClientCore, &'a str) -> AnswerFuture<'a>;

/// A call for each business line.
#[derive(Clone, Copy)]
pub(super) struct EachLine {
    pub(super) over: &'static str,
    pub(super) lines: &'static [&'static str],
    pub(super) send: SendRequest,
}

/// The fields in which the answer of an operation that closes positions shows its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosingFields {
    /// The list of the positions that are closed.
    pub closed: &'static str,
    /// The list of those that cannot be closed.
    pub failed: &'static str,
    /// The codes of a refusal because there is no position.
    pub nothing: &'static [&'static str],
}

/// The call that closes the positions of each line.
#[derive(Clone, Copy)]
pub(super) struct CloseCall {
    pub(super) lines: EachLine,
    fields: ClosingFields,
}

/// The call that shows what all positions are worth.
#[derive(Clone, Copy)]
pub(super) struct ValueCall {
    pub(super) operation: &'static str,
    field: &'static str,
    send: SendRequest,
}

/// The parameters of an order that closes a position, and what the records of orders say about sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReducingFields {
    /// The parameter with the business line.
    pub line: &'static str,
    /// The values whose trades are positions.
    pub lines: &'static [&'static str],
    /// The parameter with the instrument.
    pub instrument: &'static str,
    /// The parameter with the quantity.
    pub quantity: &'static str,
    /// The other parameters of an order that can only reduce a long position. If the exchange refuses an order with one of
    /// these sets, the next is sent. None may be able to open a position, whatever the position mode of the account.
    pub long: &'static [&'static [(&'static str, &'static str)]],
    /// The same for a short position.
    pub short: &'static [&'static [(&'static str, &'static str)]],
    /// The side of the position in the record of an order, where an instrument can have two.
    pub side: Option<SideFields>,
}

/// The field of an order's record with the side of its position, and its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideFields {
    /// The field.
    pub field: &'static str,
    /// The value for a long position.
    pub long: &'static str,
    /// The value for a short position.
    pub short: &'static str,
}

/// The orders that close positions.
#[derive(Clone, Copy)]
pub(super) struct ReduceCall {
    pub(super) fields: ReducingFields,
    pub(super) send: SendRequest,
}

impl EachLine {
    /// Sends the request of one line.
    pub(super) async fn send(&self, client: &ClientCore, line: &str) -> Result<Named, Error> {
        (self.send)(client, &object_of_texts(&[(self.over, line)])).await
    }
}

impl CloseCall {
    pub(super) const fn of<O: Operation<Response: Encode> + 'static>(
        over: &'static str,
        lines: &'static [&'static str],
        fields: ClosingFields,
    ) -> Self {
        let send: SendRequest = |client, request| Box::pin(shown::<O>(client, request));
        Self { lines: EachLine { over, lines, send }, fields }
    }

    /// Closes the positions of a line. Returns how many there were, or are left.
    pub(super) async fn close(&self, client: &ClientCore, line: &str) -> Result<usize, CallDoubt> {
        let ClosingFields { closed, failed, nothing } = self.fields;
        match self.lines.send(client, line).await {
            Ok(shown) if shown.has(closed) || shown.has(failed) => {
                Ok(shown.items(closed).len() + shown.items(failed).len())
            }
            Ok(_) => Err(CallDoubt::new(format!("the answer has neither {closed} nor {failed}"))),
            // Whether this request or an earlier one closed it does not matter.
            Err(error) if error.code().is_some_and(|code| nothing.contains(&code)) => {
                client.has_arrived(&error).await;
                Ok(0)
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl ValueCall {
    pub(super) const fn of<O: Operation<Response: Encode> + 'static>(field: &'static str) -> Self {
        let send: SendRequest = |client, request| Box::pin(shown::<O>(client, request));
        Self { operation: O::META.id, field, send }
    }

    /// Returns what all positions are worth.
    pub(super) async fn read(&self, client: &ClientCore) -> Result<Decimal, CallDoubt> {
        let shown = (self.send)(client, "{}").await?;
        let value = shown.text(self.field).and_then(|text| text.parse().ok());
        value.ok_or_else(|| CallDoubt::new(format!("the answer has no {}", self.field)))
    }
}

impl ReduceCall {
    /// Sends an order that closes `quantity` of a position, and after a refusal one with the next parameters.
    pub(super) async fn reduce(
        &self,
        client: &ClientCore,
        [line, instrument]: [&str; 2],
        quantity: &Decimal,
        is_long: bool,
    ) -> Result<(), CallDoubt> {
        let ReducingFields { line: of_line, instrument: of_instrument, quantity: of_quantity, long, short, .. } =
            self.fields;
        let given = [(of_line, line), (of_instrument, instrument), (of_quantity, quantity.as_str())];
        let (mut refusals, mut last) = (Vec::new(), None);
        for fixed in if is_long { long } else { short } {
            match (self.send)(client, &object_of_texts(&[&given, *fixed].concat())).await {
                Ok(_) => return Ok(()),
                Err(error) if is_refusal(&error) => {
                    refusals.push(error.to_string());
                    last = Some(error);
                }
                Err(error) => return Err(error.into()),
            }
        }
        if refusals.is_empty() {
            refusals.push("the schema states no order that closes it".to_owned());
        }
        Err(CallDoubt { why: refusals.join("; "), error: last })
    }
}

/// Returns whether an order was refused. A code that is not believed elsewhere, because one source has observed it or
/// none, is believed here: no order can open a position, so that a second one does no harm.
fn is_refusal(error: &Error) -> bool {
    let may_be_done = |error: &ExchangeError| error.known.is_some_and(|known| known.proves == CodeProof::Unknown);
    error.outcome() == Outcome::NotDone || error.exchange().is_some_and(|error| !may_be_done(error))
}

/// The reason why a call does not show what it should.
#[derive(Debug)]
pub(super) struct CallDoubt {
    why: String,
    /// The error of the call, if it failed.
    error: Option<Error>,
}

impl CallDoubt {
    pub(super) fn new(why: String) -> Self {
        Self { why, error: None }
    }

    /// Returns the error of the call, if it failed.
    pub(super) fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }
}

impl From<Error> for CallDoubt {
    fn from(error: Error) -> Self {
        Self { why: error.to_string(), error: Some(error) }
    }
}

impl fmt::Display for CallDoubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

/// Sends a request whose answer is of no interest.
pub(super) async fn sent<O: Operation>(client: &ClientCore, request: &str) -> Result<Named, Error> {
    client.call_by_name::<O>(request).await.map(|_| Named::default())
}

/// Sends a request, and returns the fields of the answer.
async fn shown<O: Operation<Response: Encode>>(client: &ClientCore, request: &str) -> Result<Named, Error> {
    let reply = client.call_by_name::<O>(request).await?;
    Ok(Named::of_record(write_json(&reply.data), O::Response::FORM))
}
