//! Authentication, permissions, rate limits and routing of a request.

use std::net::IpAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, Response, StatusCode, header};
use tradeapi::runtime::checks::{CheckContext, CheckPolicy};
use tradeapi::runtime::json::{Encode, JsonWriter, write_json};
use tradeapi::runtime::signing::Signer;
use tradeapi::runtime::tables::{Access, Effect, Meta, SignedPart};
use tradeapi::{API, Operation, Timestamp, Violations};

use crate::log::Entry;
use crate::reading;
use crate::refusal::{Reason, Refusal, item_of, of_violation, of_violations};
use crate::state::Core;
use crate::words::Family;

/// Where one request goes wrong on purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is refused with this code and does nothing.
    Refuse(String),
    /// It is carried out, and the answer has this code.
    Hide(String),
}

/// An operation that this exchange serves. A new operation in the schema does not compile until it is served.
pub(crate) trait Serve: Operation<Response: Encode> {
    /// Whether an item that breaks a rule leaves the other items alone.
    const ITEMS_FAIL_ALONE: bool = false;

    /// Does what the request asks.
    fn serve(self, at: &mut Desk<'_>) -> Result<Self::Response, Refusal>;

    /// The data of the answer.
    fn data(response: &Self::Response) -> String {
        write_json(response)
    }
}

/// Where a request is served.
pub(crate) struct Desk<'a> {
    pub(crate) core: &'a mut Core,
    pub(crate) family: Family,
    /// The account that the request is about. A public request has none, and asks for none.
    pub(crate) account: usize,
    violations: Violations,
}

impl Desk<'_> {
    /// Why an item of a batch is refused before it is handled.
    pub(crate) fn refused_item(&self, index: usize) -> Option<Refusal> {
        let violation = self.violations.refusals().find(|violation| item_of(violation) == Some(index))?;
        Some(of_violation(violation, self.family))
    }

    pub(crate) fn refusal(&self, reason: Reason) -> Refusal {
        reason.of(self.family)
    }
}

/// An operation by its path, and what serves it.
struct Route {
    meta: &'static Meta,
    call: fn(&mut Core, &Caller<'_>) -> Served,
}

impl Route {
    const fn of<O: Serve>() -> Self {
        Self { meta: O::META, call: call::<O> }
    }
}

macro_rules! routes {
    ($($operation:ty),* $(,)?) => {
        &[$(Route::of::<$operation>()),*]
    };
}

static ROUTES: &[Route] = tradeapi::for_each_operation!(routes);

/// Who sends a request, and its parameters as they came.
struct Caller<'a> {
    user: Option<usize>,
    address: IpAddr,
    parameters: &'a str,
}

/// The data of an answer or a refusal, and how many calls are left.
struct Served {
    data: Result<String, Refusal>,
    left: Option<u32>,
}

/// Answers a request that came at `now`.
pub(crate) fn answer(core: &mut Core, now: Timestamp, request: &Request<Bytes>, address: IpAddr) -> Response<Bytes> {
    core.advance(now.as_millis());
    let (mut sender, mut fault) = (None, None);
    let served = match find(core, request, address) {
        Ok((route, user, parameters)) => {
            let caller = Caller { user, address, parameters };
            sender = user.map(|user| core.users[user].id);
            fault = if route.meta.effect == Effect::Read { None } else { core.faults.pop_front() };
            match &fault {
                Some(Fault::Refuse(code)) => Served { data: Err(on_purpose(code)), left: None },
                Some(Fault::Hide(code)) => {
                    let served = (route.call)(core, &caller);
                    Served { data: Err(on_purpose(code)), ..served }
                }
                None => (route.call)(core, &caller),
            }
        }
        Err(refusal) => Served { data: Err(refusal), left: None },
    };
    if let Some(log) = &mut core.log {
        log.push(Entry::new(core.now, sender, request, served.data.as_deref(), fault));
    }
    respond(core, &served)
}

fn on_purpose(code: &str) -> Refusal {
    Refusal::new(code, "This answer was asked for")
}

fn find<'a>(
    core: &Core,
    request: &'a Request<Bytes>,
    address: IpAddr,
) -> Result<(&'static Route, Option<usize>, &'a str), Refusal> {
    let path = request.uri().path();
    let of_path = || ROUTES.iter().filter(|route| route.meta.path == path);
    let Some(route) = of_path().find(|route| request.method().as_str() == route.meta.method.as_str()) else {
        let why = if of_path().next().is_some() { "The path takes another method" } else { "Request path not found" };
        return Err(Refusal::new("40404", why).with_status(404));
    };
    let user = match route.meta.access {
        Access::Public => None,
        Access::Signed => Some(authenticate(core, route.meta, request, address)?),
    };
    let parameters = if route.meta.method.has_query() {
        request.uri().query().unwrap_or_default()
    } else {
        let is_json = |value: &HeaderValue| value.as_bytes().starts_with(b"application/json");
        if !request.headers().get(header::CONTENT_TYPE).is_some_and(is_json) {
            return Err(Refusal::new("40007", "Only Content-Type application/json is accepted"));
        }
        std::str::from_utf8(request.body()).map_err(|_| Refusal::new("40020", "The body is not UTF-8"))?
    };
    Ok((route, user, parameters))
}

/// The user that a request is authenticated for.
fn authenticate(core: &Core, meta: &Meta, request: &Request<Bytes>, address: IpAddr) -> Result<usize, Refusal> {
    let Some(names) = API.credentials else { return Err(Reason::Parameter.of(Family::Unified)) };
    let header = |name: &str, code: &str| {
        let value = request.headers().get(name).and_then(|value| value.to_str().ok()).filter(|text| !text.is_empty());
        value.ok_or_else(|| Refusal::new(code, format!("The header {} is missing", name.to_uppercase())))
    };
    let key = header(names.key, "40001")?;
    let signature = header(names.signature, "40003")?;
    let timestamp = header(names.timestamp, "40005")?;
    let index = *core.keys.get(key).ok_or_else(|| Refusal::new("40037", "The API key does not exist"))?;
    let user = &core.users[index];
    if let Some(name) = names.passphrase
        && header(name, "40011")? != user.passphrase
    {
        return Err(Refusal::new("40012", "The API key and the passphrase do not fit"));
    }
    let at: u64 = timestamp.parse().map_err(|_| Refusal::new("40005", "The timestamp is not a number"))?;
    if names.window_ms.is_some_and(|window| at.abs_diff(core.now) > window) {
        return Err(Refusal::new("40008", "The timestamp of the request is expired"));
    }
    let text = signed_text(request, names.signed_text, timestamp);
    if STANDARD.encode(user.signer.sign(&text)) != signature {
        return Err(Refusal::new("40009", "The signature is wrong"));
    }
    if !user.profile.addresses.is_empty() && !user.profile.addresses.contains(&address) {
        return Err(Refusal::new("40038", "The address is not on the list of the key"));
    }
    match (&user.profile.permissions, meta.permission) {
        (Some(given), Some(needed)) if !given.iter().any(|given| covers(given, needed)) => {
            Err(Refusal::new("40014", format!("The key needs the permission {needed}")))
        }
        _ => Ok(index),
    }
}

fn signed_text(request: &Request<Bytes>, parts: &[SignedPart], timestamp: &str) -> Vec<u8> {
    let mut text = Vec::with_capacity(256 + request.body().len());
    for part in parts {
        match part {
            SignedPart::Timestamp => text.extend_from_slice(timestamp.as_bytes()),
            SignedPart::Method => text.extend_from_slice(request.method().as_str().as_bytes()),
            SignedPart::Path => text.extend_from_slice(request.uri().path().as_bytes()),
            SignedPart::Query => {
                if let Some(query) = request.uri().query() {
                    text.push(b'?');
                    text.extend_from_slice(query.as_bytes());
                }
            }
            SignedPart::Body => text.extend_from_slice(request.body()),
        }
    }
    text
}

/// Whether a permission includes another: reading and writing includes reading.
fn covers(given: &str, needed: &str) -> bool {
    let name = |permission: &str| permission.split(" (").next().unwrap_or_default().to_owned();
    given == needed || (name(given) == name(needed) && given.contains("write"))
}

/// Reads the request of one operation, counts it, checks it by the documents' rules and serves it.
fn call<O: Serve>(core: &mut Core, caller: &Caller<'_>) -> Served {
    let family = if O::META.family == "classic" { Family::Classic } else { Family::Unified };
    let nobody = tradeapi::runtime::Account::new();
    let user = caller.user.map(|user| &core.users[user]);
    let properties = user.map_or(&nobody, |user| &user.properties);
    let read = reading::read::<O>(caller.parameters);
    let class = read.as_ref().ok().and_then(|request| request.limit_class(properties));
    let account = user.map_or(0, |user| user.account(family));
    let context =
        CheckContext { account: properties, now: Some(Timestamp::from_millis(core.now)), ..CheckContext::default() };
    let violations = read.as_ref().map(|request| request.inspect(context)).unwrap_or_default();
    let mut left = None;
    if core.settings.rate_limits {
        match core.limits.count(O::META, class, user.map(|user| user.id), caller.address, core.now) {
            Ok(remaining) => left = remaining,
            Err(exceeded) => {
                let limit = exceeded.0;
                let why = format!("Too many requests: {} calls in {} s", limit.calls, limit.per_seconds);
                return Served { data: Err(Refusal::new("429", why).with_status(429)), left: Some(0) };
            }
        }
    }
    let serve = || {
        let request = read.map_err(|violations| of_violations(&violations, family))?;
        let refuses = violations.refusals().any(|violation| !O::ITEMS_FAIL_ALONE || item_of(violation).is_none());
        if refuses {
            return Err(of_violations(&violations, family));
        }
        let response = request.serve(&mut Desk { core, family, account, violations })?;
        Ok(O::data(&response))
    };
    Served { data: serve(), left }
}

/// The policy by which requests are read: rules are checked afterwards.
pub(crate) static NO_RULES: CheckPolicy = CheckPolicy::nothing();

fn respond(core: &Core, served: &Served) -> Response<Bytes> {
    let (status, code, message, data) = match &served.data {
        Ok(data) => (200, API.envelope.map_or("00000", |envelope| envelope.success), "success", data.as_str()),
        Err(refusal) => {
            let status = if refusal.status == 400 { core.settings.refusal_status } else { refusal.status };
            (status, refusal.code.as_str(), refusal.message.as_str(), "null")
        }
    };
    let mut out = JsonWriter::new();
    out.begin_object();
    if let Some(envelope) = API.envelope {
        out.member(envelope.code).string(code);
        if let Some(name) = envelope.message {
            out.member(name).string(message);
        }
        if let Some(name) = envelope.time {
            out.member(name).number(&core.now);
        }
        out.member(envelope.data).raw(data);
    }
    out.end_object();
    let mut response = Response::new(Bytes::from(out.finish()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let (Some(name), Some(left)) = (API.remaining_calls, served.left) {
        headers.insert(HeaderName::from_static(name), HeaderValue::from(left));
    }
    response
}
