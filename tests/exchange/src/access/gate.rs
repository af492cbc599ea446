//! The path of a request: authentication, its operation, faults, and the answer.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, Response, StatusCode, header};
use tradeapi::runtime::json::JsonWriter;
use tradeapi::runtime::tables::{Access, Step};
use tradeapi::{API, Timestamp};

use crate::access::answer_plan::{AnswerPlan, refused_address, refused_address_status, signed_at};
use crate::access::authentication::authenticate;
use crate::operations::routes::{Caller, Route, Served};
use crate::state::core::Core;
use crate::state::faults::FaultKind;
use crate::state::journal::{JournalLine, count_rule};
use crate::state::journal_entry::{Delivered, Delivery, RecordedAnswer, RecordedRequest};
use crate::state::log::Entry;
use crate::state::refusal::{FAULT, Reason, Refusal, text_of_code};
use crate::state::trace::{Call, Trace};

/// Answers a request that arrives at `now`.
pub(crate) fn answer(core: &mut Core, now: Timestamp, request: &Request<Bytes>, address: IpAddr) -> Delivery {
    core.advance(now.as_millis());
    if core.trace.as_ref().is_some_and(Trace::is_full) {
        let (latency, behind) = (Duration::ZERO, None);
        return Delivery { delivered: Delivered::Nothing, latency, behind, call: None, answered: None };
    }
    let route = Route::of_request(request);
    let meta = route.map(|route| route.meta);
    if let Some(trace) = &mut core.trace {
        trace.begin(Call::new(core.now, signed_at(request), meta, request));
    }
    let is_address_refused = core.settings.rate_limits && core.limits.refuses(address, core.now);
    let mut plan = if is_address_refused { None } else { core.answer_plan(meta, request) };
    let shown = plan.as_ref().map_or_else(|| core.faults.shown_time(core.now), |plan| plan.node_time());
    let Handled { served, sender, fault, latency } = match is_address_refused {
        true => Handled::refused(of_address()),
        false => handle(core, route, shown, request, address, &mut plan),
    };
    let fault_name = match (&fault, &plan) {
        (Some(fault), _) => Some(fault.name().0.to_owned()),
        (None, Some(plan)) => plan.fault_in_words().map(str::to_owned),
        (None, None) => None,
    };
    let refusal = served.data.as_ref().err().filter(|refusal| refusal.rule != FAULT);
    if let Some(refusal) = refusal {
        count_rule(&mut core.violations, &refusal.rule);
    }
    let time = plan.as_mut().map_or_else(|| shown.to_string(), AnswerPlan::stated_time);
    let response = if is_address_refused { refused_address() } else { respond(core, &time, &served) };
    let answered = core.journal.as_mut().map(|journal| {
        let name = fault.as_ref().map(|fault| fault.name().0);
        let answered = RecordedAnswer::new(&response, refusal.map(|refusal| refusal.rule.as_str()), name);
        journal.push(&JournalLine::of_request(core.now, RecordedRequest::new(request, address), answered.clone()));
        answered
    });
    let (delivered, behind) = match (&fault, &mut plan, meta) {
        (Some(fault), ..) => (fault.delivered(response), None),
        (None, Some(plan), Some(meta)) => plan.deliver(core, meta, response),
        (None, ..) => (Delivered::Whole(response), None),
    };
    let call = core.trace.as_mut().and_then(Trace::end).map(|(number, call)| {
        (call.user, call.fault, call.refusal) = (sender, fault_name, served.data.as_ref().err().cloned());
        if !plan.as_ref().is_some_and(AnswerPlan::answers_another) {
            call.note_delivery(&delivered);
        }
        number
    });
    if let Some(log) = &mut core.log {
        let hostile = plan.as_ref().map(AnswerPlan::fault_and_quirk);
        let operation = meta.map(|meta| meta.id);
        log.push(Entry::new(core.now, sender, operation, request, served.data.as_deref(), fault, hostile));
    }
    Delivery { delivered, latency, behind, call, answered }
}

/// A request that was served or refused.
struct Handled {
    served: Served,
    /// The id of the user that sent it, if that is known.
    sender: Option<u64>,
    fault: Option<FaultKind>,
    latency: Duration,
}

impl Handled {
    fn refused(refusal: Refusal) -> Self {
        Self { served: Served::refused(refusal), sender: None, fault: None, latency: Duration::ZERO }
    }
}

/// Returns the refusal of a request because its address has made too many.
fn of_address() -> Refusal {
    let status = refused_address_status();
    Refusal {
        status: Some(status),
        code: status.to_string(),
        message: "the address has made too many requests".to_owned(),
        rule: "requests-of-an-address".to_owned(),
    }
}

/// Serves a request, with its fault or in a hostile exchange by its plan, or refuses it.
fn handle(
    core: &mut Core,
    route: Option<&'static Route>,
    shown_time: u64,
    request: &Request<Bytes>,
    address: IpAddr,
    plan: &mut Option<AnswerPlan>,
) -> Handled {
    let (route, user, parameters) = match find(core, route, shown_time, request, address) {
        Ok((route, ..)) if core.faults.conditions.maintenance => {
            return Handled::refused(Reason::Unavailable.of(route.meta));
        }
        Ok(found) => found,
        Err(refusal) => {
            if let Some(plan) = plan {
                plan.note_wrong_clock(core, request);
            }
            return Handled::refused(refusal);
        }
    };
    let sender = user.map(|user| core.users[user].id);
    let (fault, latency) = core.faults.next(route.meta);
    let caller = Caller { user, address, parameters };
    let served = match (&fault, plan) {
        (Some(fault), _) => serve_with_fault(core, route, &caller, fault),
        (None, Some(plan)) => serve_hostilely(core, route, &caller, plan, request),
        (None, None) => route.call(core, &caller),
    };
    Handled { served, sender, fault, latency }
}

/// Serves a request with a fault.
fn serve_with_fault(core: &mut Core, route: &Route, caller: &Caller<'_>, kind: &FaultKind) -> Served {
    let on_purpose = || {
        let (name, code) = kind.name();
        let code = code.unwrap_or(name);
        Refusal { status: None, code: code.to_owned(), message: text_of_code(route.meta, code), rule: FAULT.to_owned() }
    };
    if !kind.takes_effect() {
        return Served::refused(on_purpose());
    }
    let served = route.call_showing(core, caller, kind.shown_value());
    if matches!(kind, FaultKind::Hide(_)) { Served { data: Err(on_purpose()), ..served } } else { served }
}

/// Serves a request in a hostile exchange, unless its signature has expired by the true clock, whatever the node's
/// says. If nodes go by their own clocks, that of this node has found it valid already.
fn serve_hostilely(
    core: &mut Core,
    route: &'static Route,
    caller: &Caller<'_>,
    answer_plan: &mut AnswerPlan,
    request: &Request<Bytes>,
) -> Served {
    let signed_at = signed_at(request).unwrap_or(core.now);
    let window = API.credentials.and_then(|credentials| credentials.window_ms).unwrap_or(u64::MAX);
    let trusts_node = core.hostile.as_ref().is_some_and(|hostile| hostile.settings.own_clocks);
    if !trusts_node && core.now > signed_at.saturating_add(window) {
        return Served::refused(Reason::ExpiredTimestamp.of(route.meta));
    }
    answer_plan.serve(core, route, caller, signed_at)
}

fn find<'a>(
    core: &Core,
    route: Option<&'static Route>,
    now: u64,
    request: &'a Request<Bytes>,
    address: IpAddr,
) -> Result<(&'static Route, Option<usize>, &'a str), Refusal> {
    let Some(route) = route else {
        return Err(Route::missing(request));
    };
    let user = match route.meta.access {
        Access::Public => None,
        Access::Signed => Some(authenticate(core, now, route.meta, request, address)?),
    };
    let parameters = if route.meta.method.has_query() {
        request.uri().query().unwrap_or_default()
    } else {
        let is_json = |value: &HeaderValue| value.as_bytes().starts_with(b"application/json");
        if !request.headers().get(header::CONTENT_TYPE).is_some_and(is_json) {
            return Err(Reason::ContentType.of(route.meta));
        }
        std::str::from_utf8(request.body()).map_err(|_| Reason::Encoding.of(route.meta))?
    };
    Ok((route, user, parameters))
}

fn respond(core: &Core, time: &str, served: &Served) -> Response<Bytes> {
    let (status, code, message, data) = match &served.data {
        Ok(data) => {
            (200, API.envelope.and_then(|envelope| envelope.success).unwrap_or_default(), "success", data.as_str())
        }
        Err(refusal) => {
            let status = refusal.status.unwrap_or(core.settings.refusal_status);
            (status, refusal.code.as_str(), refusal.message.as_str(), "null")
        }
    };
    let mut out = JsonWriter::with_capacity(128 + message.len() + data.len());
    out.begin_object();
    if let Some(envelope) = API.envelope {
        if let Some(name) = envelope.code_member() {
            out.member(name).string(code);
        }
        if let Some(name) = envelope.message_member() {
            out.member(name).string(message);
        }
        if let Some(name) = envelope.time {
            out.member(name).raw(time);
        }
        if let Some([Step::Member(name)]) = envelope.data {
            out.member(name).raw(data);
        }
    }
    out.end_object();
    let mut response = Response::new(Bytes::from(out.finish()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let (Some(counted), Some(left)) = (API.remaining_calls, served.left) {
        headers.insert(HeaderName::from_static(counted.header), HeaderValue::from(left));
    }
    response
}
