//! Requests of one operation, with their address, effect and type of response.

mod call;
mod dynamic;
mod items;

use std::cell::RefCell;

use crate::data::account::{Account, Known};
use crate::data::checks::{Asked, CheckContext, Checks, Undecided, Violations};
use crate::data::clock::{Clock, SystemClock};
use crate::data::json::Decode;
use crate::data::lifecycle::{OrderResult, OrderShown, PropertyShown};
use crate::data::parameters::{HeaderWriter, ParameterReader, Parameters, PathWriter, json_of};
use crate::data::tables::Meta;
use crate::data::value::Timestamp;

pub(crate) use call::Call;
pub(crate) use dynamic::{DynOperation, DynResponse, Received, ReceivedFor};
pub(crate) use items::ItemOutcome;
#[doc(hidden)]
pub use items::{ItemJudge, ItemOutcomes};

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

    /// The same request with a new key that makes a repeat of it harmless, made from `time` and `random`. `None` if it
    /// has a key, or if the operation knows no such keys.
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

    /// All rules that the request breaks in `context`.
    fn inspect(&self, context: CheckContext<'_>) -> Violations {
        inspect(self, Self::META, context)
    }

    /// The rules that the request may break, because `context` does not state what they depend on. A rule that the
    /// request keeps whatever the properties are is none of them.
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

    /// The outcomes of the items in a response. Emitted for requests whose response lists results.
    #[doc(hidden)]
    fn item_outcomes(&self, response: &Self::Response, judge: &ItemJudge<'_>) -> Option<ItemOutcomes> {
        let _ = (response, judge);
        None
    }

    /// The class of the rate limits for this request, by what is known beside it; `None` for the default ones. The two
    /// differ only if a flag of an instrument decides that is not known: the class if the flag is set, and the one if it
    /// is not. The limits of both are kept then. Emitted if a limit has classes.
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

    /// Like [`from_json`](Self::from_json), but checked in `context`.
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

    /// Like [`from_query`](Self::from_query), but checked in `context`.
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
