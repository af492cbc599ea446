use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request};

use super::authenticator::Authenticator;
use super::base_url::BaseUrl;
use super::headers::HeaderValues;
use crate::checks::{Violation, Violations};
use crate::error::{Error, Refusal, Unsigned};
use crate::operation::Operation;
use crate::parameters::{ParameterWriter, PathWriter};
use crate::tables::{Access, Api, Meta, Severity};
use crate::value::Timestamp;

/// Few requests get more headers than this until they are on the wire, so that one allocation is enough.
const USUAL_HEADERS: usize = 12;

/// Makes the HTTP request for `operation`, signed as of `now` where the operation wants it. It is not checked.
///
/// # Errors
///
/// [`Error::Unsigned`] when credentials are missing; [`Error::Refused`] when path and query are too
/// long for an address.
pub fn build_request<O: Operation>(
    api: &Api,
    operation: &O,
    base: &BaseUrl,
    authenticator: Option<&Authenticator>,
    headers: &HeaderValues,
    now: Timestamp,
) -> Result<Request<Bytes>, Error> {
    let mut path = PathWriter::after(base.path());
    operation.write_path(&mut path);
    let mut parameters = ParameterWriter::of(O::META.method);
    operation.write(&mut parameters);
    let mut request = unsigned(O::META, base, path.finish(), parameters.finish())?;
    headers.add_to(request.headers_mut(), O::META);
    prove(&mut request, api, O::META, authenticator, now)?;
    Ok(request)
}

fn unsigned(meta: &'static Meta, base: &BaseUrl, path: String, parameters: String) -> Result<Request<Bytes>, Error> {
    let (target, body) = if meta.method.has_query() {
        (with_query(path, &parameters), Bytes::new())
    } else {
        (path, Bytes::from(parameters))
    };
    let length = target.len();
    let uri = base.join(target).map_err(|_| no_address(meta, length))?;
    let has_body = !body.is_empty();
    let mut request = Request::new(body);
    request.headers_mut().reserve(USUAL_HEADERS);
    *request.method_mut() = meta.method.into();
    *request.uri_mut() = uri;
    if has_body {
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    Ok(request)
}

fn with_query(mut path: String, query: &str) -> String {
    if !query.is_empty() {
        path.reserve_exact(query.len() + 1);
        path.push('?');
        path.push_str(query);
    }
    path
}

fn prove(
    request: &mut Request<Bytes>,
    api: &Api,
    meta: &'static Meta,
    authenticator: Option<&Authenticator>,
    now: Timestamp,
) -> Result<(), Error> {
    if api.credentials.is_none() || meta.access != Access::Signed {
        return Ok(());
    }
    let unsigned =
        |why| Error::Unsigned(Box::new(Unsigned { operation: meta.id, why, skew: None, waited: Duration::ZERO }));
    let authenticator = authenticator.ok_or_else(|| unsigned("the client has no credentials"))?;
    authenticator.prove(request, now).map_err(|_| unsigned("the signature cannot be put into a header"))
}

fn no_address(meta: &'static Meta, length: usize) -> Error {
    let mut violations = Violations::default();
    violations.push(Violation {
        rule: "address".to_owned(),
        severity: Severity::Refuse,
        parameter: String::new(),
        given: format!("a path and query of {length} bytes"),
        allowed: "an address of at most 65,534 bytes is needed".to_owned(),
        source: meta.source(),
        mend: "ask for less at once".to_owned(),
    });
    Error::Refused(Box::new(Refusal { operation: meta.id, violations }))
}
