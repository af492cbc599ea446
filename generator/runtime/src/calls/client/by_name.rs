//! Calls whose parameters are given by their names, for what tables describe.

use super::core::ClientCore;
use crate::data::checks::{CheckContext, CheckPolicy};
use crate::data::error::{Error, Refusal};
use crate::data::json::JsonWriter;
use crate::data::operation::Operation;
use crate::network::wire::Reply;

impl ClientCore {
    /// Sends the request whose parameters are the members of a JSON object.
    pub(crate) async fn call_by_name<O: Operation>(&self, request: &str) -> Result<Reply<O::Response>, Error> {
        // The call checks it.
        let nothing = CheckPolicy::nothing();
        let context = CheckContext { policy: &nothing, ..CheckContext::default() };
        let request: O = O::from_json_in(request, context)
            .map_err(|violations| Error::Refused(Box::new(Refusal::new(O::META.id, violations))))?;
        self.call_once(&request).await
    }
}

/// A JSON object of texts.
pub(crate) fn object_of_texts(members: &[(&str, &str)]) -> String {
    let mut out = JsonWriter::new();
    out.begin_object();
    for (name, value) in members {
        out.member(name).string(value);
    }
    out.end_object();
    out.finish()
}
