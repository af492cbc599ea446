use crate::checks::{Checks, Violations};
use crate::json::Decode;
use crate::parameters::{ParameterReader, Parameters, PathWriter};
use crate::tables::Meta;
use crate::value::Timestamp;

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

    /// Checks the request against what the documents forbid. Rules about how long ago something is are checked only
    /// when `now` is known.
    ///
    /// # Errors
    ///
    /// Everything that is forbidden, at once.
    fn validate(&self, now: Option<Timestamp>) -> Result<(), Violations> {
        let mut checks = Checks::new(Some(Self::META), now);
        self.check(&mut checks);
        checks.finish()
    }

    /// Reads the request back from the JSON text of its parameters, and checks it.
    ///
    /// # Errors
    ///
    /// Everything that is missing, unreadable, unknown or forbidden.
    fn from_json(json: &str) -> Result<Self, Violations> {
        ParameterReader::read_operation(Self::META, json)
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
