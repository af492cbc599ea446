//! Operations and their responses without their types, so that what all calls do is compiled once, not for each
//! operation.
//!
//! Calls, retries, confirmation and pages take `&dyn DynOperation` and put what they read into `&mut dyn DynResponse`.
//! Their futures are boxed, because the body of an async function is compiled in the crate that polls it. Typed calls
//! were 610,000 lines of LLVM IR of the emitted crate, which are 213,000 now.

use super::{ItemJudge, ItemOutcomes, Operation};
use crate::data::account::Known;
use crate::data::checks::{CheckContext, Violations};
use crate::data::json::{Decode, Form, ReadError, Reader};
use crate::data::lifecycle::{OrderResult, OrderShown, PropertyShown};
use crate::data::parameters::{HeaderWriter, Parameters, PathWriter};
use crate::data::tables::Meta;

/// A request of any operation; see [`Operation`].
pub(crate) trait DynOperation: Parameters + Send + Sync {
    fn meta(&self) -> &'static Meta;
    fn write_path(&self, out: &mut PathWriter);
    fn write_headers(&self, out: &mut HeaderWriter<'_>);
    fn inspect(&self, context: CheckContext<'_>) -> Violations;
    fn limit_class(&self, known: Known<'_>) -> [Option<&'static str>; 2];
}

impl<O: Operation> DynOperation for O {
    fn meta(&self) -> &'static Meta {
        O::META
    }

    fn write_path(&self, out: &mut PathWriter) {
        Operation::write_path(self, out);
    }

    fn write_headers(&self, out: &mut HeaderWriter<'_>) {
        Operation::write_headers(self, out);
    }

    fn inspect(&self, context: CheckContext<'_>) -> Violations {
        Operation::inspect(self, context)
    }

    fn limit_class(&self, known: Known<'_>) -> [Option<&'static str>; 2] {
        Operation::limit_class(self, known)
    }
}

/// The place for the data of a response to any operation.
pub(crate) trait DynResponse: Send {
    /// The form of the data.
    fn form(&self) -> Form;

    /// Reads the data.
    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), ReadError>;

    /// Takes what stands for data that is absent. Returns whether there is anything.
    fn take_absent(&mut self) -> bool;

    /// Calls `see` with each order of which the data has the record.
    fn show_orders<'a>(&'a self, see: &mut dyn FnMut(OrderShown<'a>));

    /// Calls `see` with the result of each order that the request was to place.
    fn show_results(&self, see: &mut dyn FnMut(OrderResult));

    /// Calls `see` with each property of the account that the data shows.
    fn show_properties(&self, see: &mut dyn FnMut(PropertyShown<'_>));

    /// The outcomes of the items in the data, if the request is known and its response lists results.
    fn item_outcomes(&self, judge: &ItemJudge<'_>) -> Option<ItemOutcomes> {
        let _ = judge;
        None
    }
}

/// The place for the data of a response to this request.
pub(crate) struct ReceivedFor<'a, O: Operation> {
    request: &'a O,
    data: Received<O>,
}

impl<'a, O: Operation> ReceivedFor<'a, O> {
    /// A place without data.
    pub(crate) const fn nothing(request: &'a O) -> Self {
        Self { request, data: Received::nothing() }
    }

    /// The data.
    pub(crate) fn into_received(self) -> Received<O> {
        self.data
    }
}

impl<O: Operation> DynResponse for ReceivedFor<'_, O> {
    fn form(&self) -> Form {
        self.data.form()
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), ReadError> {
        self.data.read(from)
    }

    fn take_absent(&mut self) -> bool {
        self.data.take_absent()
    }

    fn show_orders<'a>(&'a self, see: &mut dyn FnMut(OrderShown<'a>)) {
        self.data.show_orders(see);
    }

    fn show_results(&self, see: &mut dyn FnMut(OrderResult)) {
        self.data.show_results(see);
    }

    fn show_properties(&self, see: &mut dyn FnMut(PropertyShown<'_>)) {
        self.data.show_properties(see);
    }

    fn item_outcomes(&self, judge: &ItemJudge<'_>) -> Option<ItemOutcomes> {
        self.request.item_outcomes(self.data.0.as_ref()?, judge)
    }
}

/// The data of a response to `O`, once it has been read.
pub(crate) struct Received<O: Operation>(Option<O::Response>);

impl<O: Operation> Received<O> {
    /// A place without data.
    pub(crate) const fn nothing() -> Self {
        Self(None)
    }

    /// The data, if it has been read.
    pub(crate) fn into_data(self) -> Option<O::Response> {
        self.0
    }
}

impl<O: Operation> DynResponse for Received<O> {
    fn form(&self) -> Form {
        O::Response::FORM
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), ReadError> {
        self.0 = Some(O::Response::decode(from)?);
        Ok(())
    }

    fn take_absent(&mut self) -> bool {
        self.0 = O::Response::absent();
        self.0.is_some()
    }

    fn show_orders<'a>(&'a self, see: &mut dyn FnMut(OrderShown<'a>)) {
        self.0.iter().for_each(|data| O::show_orders(data, see));
    }

    fn show_results(&self, see: &mut dyn FnMut(OrderResult)) {
        self.0.iter().for_each(|data| O::show_results(data, see));
    }

    fn show_properties(&self, see: &mut dyn FnMut(PropertyShown<'_>)) {
        self.0.iter().for_each(|data| O::show_properties(data, see));
    }
}
