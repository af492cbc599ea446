//! From an operation to an HTTP request.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request};

use super::base_url::BaseUrl;
use super::headers::HeaderValues;
use crate::data::checks::{Violation, Violations};
use crate::data::error::{Error, Refusal, Unsigned};
use crate::data::operation::{Call, DynOperation, Operation};
use crate::data::parameters::{Escapes, FORM, HeaderWriter, ParameterWriter, PathWriter, Unsendable};
use crate::data::tables::{self, Access, Api, Meta, Sends, Severity};
use crate::data::value::Timestamp;
use crate::network::signing::{Authenticator, Stamp};

/// Few requests have more headers, so that one allocation is enough.
const USUAL_HEADERS: usize = 12;

/// Builds the HTTP request for `operation`, signed as of `now` if the operation requires a signature. Rules are not
/// checked.
///
/// # Errors
///
/// Fails with [`Error::Unsigned`] if credentials are missing, and with [`Error::Refused`] if path and query are too
/// long, or a value cannot be sent where it belongs.
pub fn build_request<O: Operation>(
    api: &Api,
    operation: &O,
    base: &BaseUrl,
    authenticator: Option<&Authenticator>,
    headers: &HeaderValues,
    now: Timestamp,
) -> Result<Request<Bytes>, Error> {
    build(api, operation, base, authenticator, headers, now)
}

/// Builds the HTTP request for `operation` without a signature, to show what would be sent. Rules are not checked.
///
/// # Errors
///
/// Fails with [`Error::Refused`] if path and query are too long, or a value cannot be sent where it belongs.
pub fn unsigned_request<O: Operation>(
    api: &Api,
    operation: &O,
    base: &BaseUrl,
    headers: &HeaderValues,
) -> Result<Request<Bytes>, Error> {
    let call = Call::of(api.calls, O::META);
    assemble(api, operation, base, headers, call, None)
}

/// Builds as [`build_request`] does, for an operation without its type.
pub(crate) fn build(
    api: &Api,
    operation: &dyn DynOperation,
    base: &BaseUrl,
    authenticator: Option<&Authenticator>,
    headers: &HeaderValues,
    now: Timestamp,
) -> Result<Request<Bytes>, Error> {
    let meta = operation.meta();
    let call = Call::of(api.calls, meta);
    let proof = proof(api, meta, authenticator, now, call)?;
    assemble(api, operation, base, headers, call, proof)
}

/// Returns the request with its call and, if it is signed, its proof.
fn assemble(
    api: &Api,
    operation: &dyn DynOperation,
    base: &BaseUrl,
    headers: &HeaderValues,
    call: Option<Call>,
    proof: Option<(&Authenticator, Stamp)>,
) -> Result<Request<Bytes>, Error> {
    let meta = operation.meta();
    let mut path = PathWriter::after(base.path());
    operation.write_path(&mut path);
    let path = path.finish().map_err(|value| unsendable(meta, value))?;
    let signed_query = api.credentials.as_ref().map(|credentials| credentials.signed_query);
    let escapes = Escapes::of(signed_query);
    let mut parameters = ParameterWriter::of(meta, escapes);
    if let Some((authenticator, stamp)) = &proof {
        authenticator.write_parameters(stamp, &path, &mut parameters);
    }
    if let Some(call) = &call {
        call.write_beside(&mut parameters);
    }
    operation.write(&mut parameters);
    let parameters = parameters.finish_to_send().map_err(|value| unsendable(meta, value))?;
    let parameters = match &call {
        Some(call) => call.around(parameters),
        None => parameters,
    };
    let (target, body) = match meta.sends() {
        Sends::Query => (with_query(path, &parameters), Bytes::new()),
        Sends::Json | Sends::Form if meta.query_beside_body => {
            let mut query = ParameterWriter::beside_body(meta, escapes);
            operation.write(&mut query);
            let query = query.finish_to_send().map_err(|value| unsendable(meta, value))?;
            (with_query(path, &query), Bytes::from(parameters))
        }
        Sends::Json | Sends::Form => (path, Bytes::from(parameters)),
    };
    let length = target.len();
    let uri = base.join(target).map_err(|_| no_address(meta, length))?;
    let mut request = Request::new(body);
    *request.method_mut() = method(meta.method);
    *request.uri_mut() = uri;
    add_headers(&mut request, meta, headers);
    let mut own = HeaderWriter::into(request.headers_mut());
    operation.write_headers(&mut own);
    own.finish().map_err(|value| unsendable(meta, value))?;
    if let Some((authenticator, stamp)) = &proof {
        let proven = authenticator.prove(&mut request, stamp);
        proven.map_err(|_| unsigned(meta, "the signature cannot be put into the request"))?;
    }
    Ok(request)
}

/// Returns the method of an operation.
fn method(method: tables::Method) -> Method {
    match method {
        tables::Method::Get => Method::GET,
        tables::Method::Post => Method::POST,
        tables::Method::Put => Method::PUT,
        tables::Method::Patch => Method::PATCH,
        tables::Method::Delete => Method::DELETE,
    }
}

fn add_headers(request: &mut Request<Bytes>, meta: &'static Meta, values: &HeaderValues) {
    let has_body = !request.body().is_empty();
    let headers = request.headers_mut();
    headers.reserve(USUAL_HEADERS);
    if has_body {
        let content = match meta.sends() {
            Sends::Form => FORM,
            Sends::Query | Sends::Json => "application/json",
        };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content));
    }
    values.add_to(headers, meta);
}

fn with_query(path: Cow<'static, str>, query: &str) -> Cow<'static, str> {
    if query.is_empty() { path } else { Cow::Owned([&path, "?", query].concat()) }
}

/// Returns the proof that authenticates a request as of `now`; `None` if the API or the operation requires none.
fn proof<'a>(
    api: &Api,
    meta: &'static Meta,
    authenticator: Option<&'a Authenticator>,
    now: Timestamp,
    call: Option<Call>,
) -> Result<Option<(&'a Authenticator, Stamp)>, Error> {
    if api.credentials.is_none() || meta.access != Access::Signed {
        return Ok(None);
    }
    let authenticator = authenticator.ok_or_else(|| unsigned(meta, "the client has no credentials"))?;
    let is_form = meta.sends() == Sends::Form;
    Ok(Some((authenticator, Stamp { call, is_form, ..authenticator.stamp(now) })))
}

fn unsigned(meta: &'static Meta, why: &'static str) -> Error {
    Error::Unsigned(Box::new(Unsigned { operation: meta.id, why, skew: None, is_late: false, waited: Duration::ZERO }))
}

fn no_address(meta: &'static Meta, length: usize) -> Error {
    refused(meta, |source| Violation {
        rule: "address".to_owned(),
        severity: Severity::Refuse,
        parameter: String::new(),
        given: format!("a path and query of {length} bytes"),
        allowed: "an address of at most 65,534 bytes is needed".to_owned(),
        source,
        hint: "request less at once".to_owned(),
    })
}

fn unsendable(meta: &'static Meta, value: Unsendable) -> Error {
    refused(meta, |source| value.violation(source))
}

fn refused(meta: &'static Meta, violation: impl FnOnce(String) -> Violation) -> Error {
    let mut violations = Violations::default();
    violations.push(violation(meta.source()));
    Error::Refused(Box::new(Refusal::new(meta.id, violations)))
}
