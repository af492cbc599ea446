use crate::account::Account;
use crate::checks::{CheckContext, Checks, Violations};
use crate::client::{Clock, SystemClock};
use crate::json::Decode;
use crate::parameters::{ParameterReader, Parameters, PathWriter};
use crate::tables::Meta;

/// A request that knows what it is: where it goes, what it does, what answers it. Emitted for each operation.
pub trait Operation: Parameters {
    /// What a successful answer carries.
    type Response: Decode;

    /// What is known about the operation.
    const META: &'static Meta;

    /// Writes the path; where the operation has parameters in it, they go there.
    fn write_path(&self, out: &mut PathWriter) {
        out.literal(Self::META.path);
    }

    /// Checks the request against what the documents forbid, as far as the request and `account` tell, and against the
    /// system's clock.
    ///
    /// # Errors
    ///
    /// Everything that is forbidden, at once, if anything is; then also what the documents only warn of.
    fn validate(&self, account: &Account) -> Result<(), Violations> {
        let now = Some(SystemClock.now());
        self.inspect(CheckContext { account, now, ..CheckContext::default() }).into_result().map(|_warnings| ())
    }

    /// Everything that the documents forbid or warn of in this request, as far as `context` tells.
    fn inspect(&self, context: CheckContext<'_>) -> Violations {
        let mut checks = Checks::new(Some(Self::META), context);
        self.check(&mut checks);
        checks.finish(self)
    }

    /// The class of the rate limits that hold for this request, of an account of which `account` tells; `None` for
    /// those that hold for everyone. Emitted where a limit has classes.
    fn limit_class(&self, account: &Account) -> Option<&'static str> {
        let _ = account;
        None
    }

    /// Reads the request back from the JSON text of its parameters, and checks it.
    ///
    /// # Errors
    ///
    /// Everything that is missing, unreadable, unknown or forbidden.
    fn from_json(json: &str) -> Result<Self, Violations> {
        Self::from_json_in(json, CheckContext::default())
    }

    /// As [`from_json`](Self::from_json), but checked as far as `context` says.
    ///
    /// # Errors
    ///
    /// Everything that is missing, unreadable, unknown or forbidden.
    fn from_json_in(json: &str, context: CheckContext<'_>) -> Result<Self, Violations> {
        ParameterReader::read_operation(Self::META, json, context)
    }

    /// Reads the request back from a query, without its question mark, and checks it.
    ///
    /// # Errors
    ///
    /// Everything that is missing, unreadable, unknown or forbidden.
    fn from_query(query: &str) -> Result<Self, Violations> {
        ParameterReader::operation_from_query(Self::META, query)
    }
}
