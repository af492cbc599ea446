//! Authentication, permissions, rate limits and routing of a request.

use std::net::IpAddr;
use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, Response, StatusCode, header};
use rustc_hash::FxHashMap;
use tradeapi::runtime::checks::{CheckContext, CheckPolicy};
use tradeapi::runtime::json::{Encode, JsonWriter};
use tradeapi::runtime::tables::{Access, Meta, Scope, Step};
use tradeapi::{API, Operation, Timestamp, Violations};

use crate::amending::Name;
use crate::delivery::{Delivered, Delivery};
use crate::faults::FaultKind;
use crate::hostile;
use crate::journal::{Answered, JournalLine, Recorded, count_rule};
use crate::log::Entry;
use crate::orders::Order;
use crate::reading;
use crate::refusal::{Reason, Refusal, item_of, of_violation, of_violations};
use crate::state::Core;
use crate::words::Family;

pub(crate) mod authentication;

use self::authentication::authenticate;

/// The initial capacity of an answer, enough for the record of an order.
const ROOM: usize = 1_024;

/// An operation that this exchange serves. A new operation of the schema does not compile until it is served.
pub(crate) trait Serve: Operation<Response: Encode> {
    /// Whether an item that breaks a rule does not affect the other items.
    const ITEMS_FAIL_ALONE: bool = false;

    /// Carries out the request.
    fn serve(self, at: &mut Desk<'_>) -> Result<Self::Response, Refusal>;

    /// The data of the answer.
    fn data(response: &Self::Response) -> String {
        let mut out = JsonWriter::with_capacity(ROOM);
        response.encode(&mut out);
        out.finish()
    }
}

/// The context of a request that is served.
pub(crate) struct Desk<'a> {
    pub(crate) core: &'a mut Core,
    pub(crate) meta: &'static Meta,
    /// The account of the request. A public request has none.
    pub(crate) account: usize,
    violations: Violations,
}

impl Desk<'_> {
    /// Why an item of a batch is refused before it is handled.
    pub(crate) fn refused_item(&self, index: usize) -> Option<Refusal> {
        if let Some(refusal) = &self.core.refused_items {
            return Some(refusal.clone());
        }
        let violation = self.violations.refusals().find(|violation| item_of(violation) == Some(index))?;
        Some(of_violation(violation, self.meta))
    }

    pub(crate) fn refusal(&self, reason: Reason) -> Refusal {
        reason.of(self.meta)
    }

    /// The order that a query names, as the node shows it.
    pub(crate) fn shown(&mut self, name: &Name) -> Option<Order> {
        self.core.shown(self.account, name)
    }
}

/// An operation with its path, and the function that serves it.
pub(crate) struct Route {
    pub(crate) meta: &'static Meta,
    call: fn(&mut Core, &Caller<'_>) -> Served,
}

impl Route {
    const fn of<O: Serve>() -> Self {
        Self { meta: O::META, call: call::<O> }
    }

    /// Serves a request.
    pub(crate) fn call(&self, core: &mut Core, caller: &Caller<'_>) -> Served {
        (self.call)(core, caller)
    }
}

macro_rules! routes {
    ($($operation:ty),* $(,)?) => {
        &[$(Route::of::<$operation>()),*]
    };
}

static ROUTES: &[Route] = tradeapi::for_each_operation!(routes);

/// The routes by path, each with its method.
static BY_PATH: LazyLock<FxHashMap<&str, Vec<&Route>>> = LazyLock::new(|| {
    let mut by_path = FxHashMap::<&str, Vec<&Route>>::default();
    for route in ROUTES {
        by_path.entry(route.meta.path).or_default().push(route);
    }
    by_path
});

/// The parameters that identify orders, which answers repeat.
pub(crate) fn id_parameters() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let echoes = ROUTES.iter().filter_map(|route| route.meta.echoes.as_ref());
        let mut names: Vec<&str> = echoes.flat_map(|echoes| echoes.ids).flat_map(|echo| echo.of).copied().collect();
        names.sort_unstable();
        names.dedup();
        names
    });
    &NAMES
}

/// The operations that this exchange serves.
pub(crate) fn operations() -> impl Iterator<Item = &'static Meta> {
    ROUTES.iter().map(|route| route.meta)
}

/// The sender of a request, and its raw parameters.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub(crate) user: Option<usize>,
    pub(crate) address: IpAddr,
    pub(crate) parameters: &'a str,
}

/// A request whose effect is delayed.
#[derive(Clone)]
pub(crate) struct Late {
    route: &'static Route,
    user: Option<usize>,
    address: IpAddr,
    parameters: String,
    /// When all nodes show its effect.
    pub(crate) settled: u64,
}

impl Late {
    pub(crate) fn new(route: &'static Route, caller: &Caller<'_>, settled: u64) -> Self {
        let Caller { user, address, parameters } = *caller;
        Self { route, user, address, parameters: parameters.to_owned(), settled }
    }

    pub(crate) fn carry_out(&self, core: &mut Core) -> Served {
        let Self { route, user, address, .. } = *self;
        route.call(core, &Caller { user, address, parameters: &self.parameters })
    }
}

impl std::fmt::Debug for Late {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Late").field("operation", &self.route.meta.id).finish_non_exhaustive()
    }
}

/// The data of an answer or a refusal, and the number of calls left.
pub(crate) struct Served {
    pub(crate) data: Result<String, Refusal>,
    pub(crate) left: Option<u32>,
}

impl Served {
    pub(crate) fn refused(refusal: Refusal) -> Self {
        Self { data: Err(refusal), left: None }
    }
}

/// Answers a request that arrives at `now`.
pub(crate) fn answer(core: &mut Core, now: Timestamp, request: &Request<Bytes>, address: IpAddr) -> Delivery {
    core.advance(now.as_millis());
    let route = of_path(request);
    let meta = route.map(|route| route.meta);
    let mut answer_plan = core.answer_plan(meta, request);
    let shown =
        answer_plan.as_ref().map_or_else(|| core.faults.shown_time(core.now), |answer_plan| answer_plan.node_time());
    let (mut sender, mut kind, mut latency) = (None, None, Duration::ZERO);
    let served = match find(core, route, shown, request, address) {
        Ok((route, _, _)) if core.faults.conditions.maintenance => Served::refused(Reason::Unavailable.of(route.meta)),
        Ok((route, user, parameters)) => {
            sender = user.map(|user| core.users[user].id);
            (kind, latency) = core.faults.next(route.meta);
            let caller = Caller { user, address, parameters };
            match (&kind, &mut answer_plan) {
                (Some(kind), _) => serve_with_fault(core, route, &caller, kind),
                (None, Some(answer_plan)) => serve_hostilely(core, route, &caller, answer_plan, request),
                (None, None) => route.call(core, &caller),
            }
        }
        Err(refusal) => {
            if let Some(answer_plan) = &answer_plan {
                answer_plan.note_wrong_clock(core, request);
            }
            Served::refused(refusal)
        }
    };
    let refusal = served.data.as_ref().err().filter(|refusal| refusal.rule != FAULT);
    if let Some(refusal) = refusal {
        count_rule(&mut core.violations, &refusal.rule);
    }
    let time = answer_plan.as_mut().map_or_else(|| shown.to_string(), hostile::AnswerPlan::stated_time);
    let response = respond(core, &time, &served);
    let answered = core.journal.as_mut().map(|journal| {
        let name = kind.as_ref().map(|kind| kind.name().0);
        let answered = Answered::new(&response, refusal.map(|refusal| refusal.rule.as_str()), name);
        journal.push(&JournalLine::of_request(core.now, Recorded::new(request, address), answered.clone()));
        answered
    });
    let (delivered, behind) = match (&kind, &mut answer_plan, meta) {
        (Some(kind), ..) => (kind.delivered(response), None),
        (None, Some(answer_plan), Some(meta)) => answer_plan.deliver(core, meta, response),
        (None, ..) => (Delivered::Whole(response), None),
    };
    if let Some(log) = &mut core.log {
        let hostile = answer_plan.as_ref().map(hostile::AnswerPlan::fault_and_quirk);
        log.push(Entry::new(core.now, sender, request, served.data.as_deref(), kind, hostile));
    }
    Delivery { delivered, latency, behind, answered }
}

/// The rule that a refusal by a fault states.
pub(crate) const FAULT: &str = "fault";

/// Serves a request with a fault.
fn serve_with_fault(core: &mut Core, route: &Route, caller: &Caller<'_>, kind: &FaultKind) -> Served {
    let on_purpose = || {
        let (name, code) = kind.name();
        let (code, message) = (code.unwrap_or(name).to_owned(), "This answer was requested".to_owned());
        Refusal { status: None, code, message, rule: FAULT.to_owned() }
    };
    if !kind.takes_effect() {
        return Served::refused(on_purpose());
    }
    let served = route.call(core, caller);
    if matches!(kind, FaultKind::Hide(_)) { Served { data: Err(on_purpose()), ..served } } else { served }
}

/// Serves a request in a hostile exchange, unless its signature has expired by the true clock, whatever the node's
/// says.
fn serve_hostilely(
    core: &mut Core,
    route: &'static Route,
    caller: &Caller<'_>,
    answer_plan: &mut hostile::AnswerPlan,
    request: &Request<Bytes>,
) -> Served {
    let signed_at = hostile::signed_at(request).unwrap_or(core.now);
    let window = API.credentials.and_then(|credentials| credentials.window_ms).unwrap_or(u64::MAX);
    if core.now > signed_at.saturating_add(window) {
        return Served::refused(Reason::ExpiredTimestamp.of(route.meta));
    }
    answer_plan.serve(core, route, caller, signed_at)
}

/// The operation of a request.
fn of_path(request: &Request<Bytes>) -> Option<&'static Route> {
    let of_path = BY_PATH.get(request.uri().path())?;
    of_path.iter().find(|route| request.method().as_str() == route.meta.method.as_str()).copied()
}

fn find<'a>(
    core: &Core,
    route: Option<&'static Route>,
    now: u64,
    request: &'a Request<Bytes>,
    address: IpAddr,
) -> Result<(&'static Route, Option<usize>, &'a str), Refusal> {
    let Some(route) = route else {
        return Err(match BY_PATH.get(request.uri().path()).and_then(|routes| routes.first()) {
            Some(other) => Reason::WrongMethod.of(other.meta),
            None => Reason::UnknownPath.of(&Meta::DEFAULT),
        });
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
                let message = format!("Too many requests: {} calls in {} s", limit.calls, limit.window().as_secs_f64());
                let scope = if limit.scope == Scope::Uid { "uid" } else { "ip" };
                let class = if limit.class == "default" { String::new() } else { format!("-{}", limit.class) };
                let rule = format!("{}.rate-{scope}{class}", O::META.id);
                let refusal = Refusal { message, rule, ..Reason::TooManyRequests.of(O::META) };
                return Served { data: Err(refusal), left: Some(0) };
            }
        }
    }
    let serve = || {
        let request = read.map_err(|violations| of_violations(&violations, O::META))?;
        let refuses = violations.refusals().any(|violation| !O::ITEMS_FAIL_ALONE || item_of(violation).is_none());
        if refuses {
            return Err(of_violations(&violations, O::META));
        }
        let response = request.serve(&mut Desk { core, meta: O::META, account, violations })?;
        Ok(O::data(&response))
    };
    Served { data: serve(), left }
}

/// The policy for reading requests; rules are checked afterwards.
pub(crate) static NO_RULES: CheckPolicy = CheckPolicy::nothing();

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
