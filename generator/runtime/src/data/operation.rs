//! Requests of one operation, with their address, effect and type of response.
//!
//! Calls, retries, confirmation and pages take `&dyn DynOperation` and put what they read into `&mut dyn DynResponse`.
//! Their futures are boxed, because the body of an async function is compiled in the crate that polls it. With typed
//! calls, the emitted crate has nearly three times as many lines of LLVM IR.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::data::account::{Account, Known};
use crate::data::checks::{Asked, CheckContext, Checks, Undecided, Violations};
use crate::data::clock::{Clock, SystemClock};
use crate::data::json::{Decode, Form, JsonWriter, ReadError, Reader};
use crate::data::lifecycle::{OrderResult, OrderShown, PropertyShown};
use crate::data::parameters::{HeaderWriter, ParameterReader, ParameterWriter, Parameters, PathWriter, json_of};
use crate::data::tables::{Calls, Meta, Outcome};
use crate::data::value::Timestamp;

/// A request of one operation, with its address, its effect and the type of its response. Emitted for each operation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a request of an operation",
    note = "requests are the types that are named after their operation, such as `PlaceOrder`"
)]
pub trait Operation: Parameters + Sized + Send + Sync {
    /// The data of a successful response.
    type Response: Decode + Send + Sync;

    /// The properties of the operation.
    const META: &'static Meta;

    /// Writes the path with the parameters in it.
    fn write_path(&self, out: &mut PathWriter) {
        out.literal(Self::META.path);
    }

    /// Writes the parameters that travel in headers. Emitted if there are any.
    fn write_headers(&self, out: &mut HeaderWriter<'_>) {
        let _ = out;
    }

    /// Returns the same request with a new key that makes a repeat of it harmless, made from `time` and `random`.
    /// `None` if it has a key, or if the operation knows no such keys.
    fn with_key(&self, time: Timestamp, random: u64) -> Option<Self> {
        let _ = (time, random);
        None
    }

    /// Checks the request by the rules of the documents, with the properties of `account` and the system's clock.
    ///
    /// # Errors
    ///
    /// Returns all broken rules, including those that only warn, if one of them refuses the request.
    fn validate(&self, account: &Account) -> Result<(), Violations> {
        let now = Some(SystemClock.now());
        self.inspect(CheckContext { account, now, ..CheckContext::default() }).into_result().map(|_warnings| ())
    }

    /// Returns all rules that the request breaks in `context`.
    fn inspect(&self, context: CheckContext<'_>) -> Violations {
        inspect(self, Self::META, context)
    }

    /// Returns the rules that the request may break, because `context` does not state what they depend on. A rule that
    /// the request keeps whatever the properties are is none of them.
    fn undecided(&self, context: CheckContext<'_>) -> Vec<Undecided> {
        undecided(self, Self::META, context)
    }

    /// Calls `see` with each order of which a response has the record. Emitted where the schema has a lifecycle of
    /// orders.
    fn show_orders<'a>(response: &'a Self::Response, see: &mut dyn FnMut(OrderShown<'a>)) {
        let _ = (response, see);
    }

    /// Calls `see` with the result of each order that the request was to place. Emitted where the schema has a lifecycle
    /// of orders, and the response to a placement has no records.
    fn show_results(response: &Self::Response, see: &mut dyn FnMut(OrderResult)) {
        let _ = (response, see);
    }

    /// Calls `see` with each property of the account that the records of a response show. Emitted where the schema says
    /// that they show one.
    fn show_properties(response: &Self::Response, see: &mut dyn FnMut(PropertyShown<'_>)) {
        let _ = (response, see);
    }

    /// Returns the outcomes of the items in a response. Emitted for requests whose response lists results.
    #[doc(hidden)]
    fn item_outcomes(&self, response: &Self::Response, judge: &ItemJudge<'_>) -> Option<ItemOutcomes> {
        let _ = (response, judge);
        None
    }

    /// Returns the class of the rate limits for this request, by what is known beside it; `None` for the default ones.
    /// The two differ only if a flag of an instrument decides that is not known, or the time near the day on which a
    /// class begins or ends: the class if the flag is set and the class holds, and the one if not. The limits of both
    /// are kept then. Emitted if a limit has classes.
    fn limit_class(&self, known: Known<'_>) -> [Option<&'static str>; 2] {
        let _ = known;
        [None; 2]
    }

    /// Reads the request back from the JSON text of its parameters, and checks it.
    ///
    /// # Errors
    ///
    /// Returns everything that is missing, unreadable or unknown, and all broken rules.
    fn from_json(json: &str) -> Result<Self, Violations> {
        Self::from_json_in(json, CheckContext::default())
    }

    /// Reads as [`from_json`](Self::from_json) does, and checks in `context`.
    ///
    /// # Errors
    ///
    /// Returns everything that is missing, unreadable or unknown, and all broken rules.
    fn from_json_in(json: &str, context: CheckContext<'_>) -> Result<Self, Violations> {
        ParameterReader::read_operation(Self::META, json, context)
    }

    /// Reads the request back from a query, without its question mark, and checks it.
    ///
    /// # Errors
    ///
    /// Returns everything that is missing, unreadable or unknown, and all broken rules.
    fn from_query(query: &str) -> Result<Self, Violations> {
        Self::from_query_in(query, CheckContext::default())
    }

    /// Reads as [`from_query`](Self::from_query) does, and checks in `context`.
    ///
    /// # Errors
    ///
    /// Returns everything that is missing, unreadable or unknown, and all broken rules.
    fn from_query_in(query: &str, context: CheckContext<'_>) -> Result<Self, Violations> {
        ParameterReader::operation_from_query(Self::META, query, context)
    }
}

fn inspect(request: &dyn Parameters, meta: &'static Meta, context: CheckContext<'_>) -> Violations {
    let mut checks = Checks::new(Some(meta), context);
    request.check(&mut checks);
    checks.finish(&|| json_of(request))
}

fn undecided(request: &dyn Parameters, meta: &'static Meta, context: CheckContext<'_>) -> Vec<Undecided> {
    let asked = RefCell::default();
    request.check(&mut Checks::new(Some(meta), context).asking(&asked));
    Asked::undecided(asked.into_inner())
}

/// An operation that is safe to repeat: a read, or one that is idempotent by the documents, perhaps by a key that each
/// attempt carries. It is emitted for those only, so that a client cannot repeat any other.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not safe to repeat: a second one could have its effect again",
    label = "not sent more than once",
    note = "send it once, and query its outcome with `place_and_confirm` or `locate` if that is unknown",
    note = "a second cancellation of everything also cancels what was placed after the first one; while nothing is placed, \
            `retrying(..).cancel(..)` repeats it"
)]
pub trait Repeatable: Operation {}

/// An operation that does nothing but cancel. A repeat cancels nothing twice, but also cancels what was placed
/// meanwhile, unless each order is named. Emitted for operations whose effect is to cancel.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does more than cancel",
    label = "not repeated as a cancellation",
    note = "reads, and cancellations of named orders, are repeated with `retrying(..).call(..)`"
)]
pub trait Cancellation: Operation {}

/// The numbers of calls, for people to distinguish them.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

/// The call that a request makes: the name and number that it carries besides its parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) calls: Calls,
    pub(crate) name: &'static str,
    pub(crate) number: u64,
}

impl Call {
    /// Creates a new call of an operation; `None` if the operation is not called by a name.
    pub(crate) fn of(calls: Calls, meta: &'static Meta) -> Option<Self> {
        let name = meta.call?;
        Some(Self { calls, name, number: NUMBERS.fetch_add(1, Ordering::Relaxed) })
    }

    /// Writes it before the parameters, if these are members themselves.
    pub(crate) fn write_beside(&self, to: &mut ParameterWriter) {
        if self.calls.parameters.is_some() {
            return;
        }
        for (name, value) in self.calls.fixed {
            to.text_of_table(name, value);
        }
        if let Some(id) = self.calls.id {
            to.number_of_table(id, self.number);
        }
        if let Some(method) = self.calls.method {
            to.text_of_table(method, self.name);
        }
    }

    /// Returns the body of a request with these parameters.
    pub(crate) fn around(&self, parameters: String) -> String {
        let Calls { fixed, id, method, parameters: member } = self.calls;
        let Some(member) = member else { return parameters };
        let mut out = JsonWriter::with_capacity(parameters.len() + self.name.len() + 64);
        out.begin_object();
        for (name, value) in fixed {
            out.member(name).string(value);
        }
        if let Some(id) = id {
            out.member(id).number(&self.number);
        }
        if let Some(method) = method {
            out.member(method).string(self.name);
        }
        out.member(member).raw(&parameters);
        out.end_object();
        out.finish()
    }
}

/// The judgement of the results of items in a response.
#[doc(hidden)]
pub struct ItemJudge<'a> {
    /// The whole response.
    pub(crate) raw: &'a [u8],
    /// True if it has all that the documents say of a success.
    pub(crate) is_full: bool,
    /// True if a code is that of a success.
    pub(crate) is_success: &'a dyn Fn(&str) -> bool,
    /// The outcome of an item that was refused, with its code if it has one, and which may do several things.
    pub(crate) outcome_of: &'a dyn Fn(Option<&str>, bool) -> Outcome,
}

/// The outcomes of items.
#[doc(hidden)]
pub struct ItemOutcomes {
    pub(crate) items: Vec<ItemOutcome>,
    /// True if they are those of the items of the request, in their order. Otherwise they are the results in a response
    /// to a request that lists none.
    pub(crate) are_of_request: bool,
}

/// The outcome of an item, and its code if it was refused with one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ItemOutcome {
    pub(crate) outcome: Outcome,
    pub(crate) code: Option<String>,
}

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
    /// Returns the form of the data.
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

    /// Returns the outcomes of the items in the data, if the request is known and its response lists results.
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
    /// Creates a place without data.
    pub(crate) const fn nothing(request: &'a O) -> Self {
        Self { request, data: Received::nothing() }
    }

    /// Returns the data.
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
    /// Creates a place without data.
    pub(crate) const fn nothing() -> Self {
        Self(None)
    }

    /// Returns the data, if it has been read.
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
