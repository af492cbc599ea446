//! The page of the exchange and its control address, `/-/`: its state, and buttons for time, prices, faults and a
//! reset. [`CALLS`] has the calls, which `GET /-/` lists.
//!
//! A request with a parameter that its call does not know, that is there twice or empty, or that cannot be, is refused as
//! a whole: nothing changes, and the journal has no line of it.
//!
//! Only this machine is served, and only pages of this address: the `Host` must be a name of this machine, so that no
//! other name can be rebound to it, and an `Origin` must be that of the host.

use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use tradeapi::runtime::json::JsonWriter;

use crate::access::exchange::Exchange;
use crate::access::snapshot::{Selection, snapshot};
use crate::access::time::Time;
use crate::state::journal::Action;

mod market;
mod query;

use self::query::Query;

pub use self::query::per_mille;

const PAGE: &str = include_str!("page.html");

/// The content security policy of the page: only its own script runs, and it may only query this server.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

/// The maximum step of the clock: the actions of other participants in between are simulated.
const MAX_STEP: Duration = Duration::from_secs(24 * 60 * 60);

/// The refusal of a control request.
pub(crate) struct Refused(pub(crate) StatusCode, pub(crate) String);

impl Refused {
    fn bad(why: impl Into<String>) -> Self {
        Self(StatusCode::BAD_REQUEST, why.into())
    }
}

/// Returns whether a path belongs to the page.
pub(crate) fn serves(path: &str) -> bool {
    path == "/" || path.starts_with(ADDRESS)
}

/// Answers a request for the page or to the control address.
pub(crate) fn answer(request: &Parts, has_body: bool, exchange: &Exchange, hosts: &[String]) -> Response<Bytes> {
    let (status, kind, body) = match done(request, has_body, exchange, hosts) {
        Ok(body) if request.uri.path() == "/" => (StatusCode::OK, "text/html; charset=utf-8", body),
        Ok(body) => (StatusCode::OK, "application/json", body),
        Err(Refused(status, why)) => {
            let mut out = JsonWriter::new();
            out.begin_object();
            out.member("error").string(&why);
            out.end_object();
            (status, "application/json", Bytes::from(out.finish()))
        }
    };
    response(status, kind, POLICY, body)
}

/// Returns a response for a browser, with a content security policy.
pub(crate) fn response(status: StatusCode, kind: &'static str, policy: &'static str, body: Bytes) -> Response<Bytes> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for (name, value) in [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The control address.
const ADDRESS: &str = "/-/";

/// A call to the control address.
struct Call {
    /// The last part of its path.
    name: &'static str,
    method: Method,
    parameters: &'static [&'static str],
    /// The query of a request.
    example: &'static str,
    /// A description of the effect.
    does: &'static str,
    run: fn(&Exchange, &Query) -> Result<Bytes, Refused>,
}

/// Declares the calls, and a table of them as documentation.
macro_rules! calls {
    ($($method:ident $name:literal ($($parameter:literal),*) = $run:path, $example:literal, $does:literal;)*) => {
        /// The calls, by the name after [`ADDRESS`].
        ///
        /// | request | does |
        /// |---|---|
        $(#[doc = concat!("| `", stringify!($method), " /-/", $name, "?", $example, "` | ", $does, " |")])*
        const CALLS: &[Call] = &[$(Call {
            name: $name,
            method: Method::$method,
            parameters: &[$($parameter),*],
            example: $example,
            does: $does,
            run: $run,
        }),*];
    };
}

calls! {
    GET "" () = index, "", "lists the calls";
    GET "state" ("pair", "account") = state, "pair=5&account=1", "answers with what the page shows";
    GET "journal" ("from") = journal, "from=0", "answers with the journal as JSON lines";
    POST "time" ("speed", "step") = time, "speed=0",
        "freezes the clock; up to 1000, it runs as many times as fast; `step` advances it by milliseconds";
    POST "price" ("symbol", "line", "price", "last", "mark") = market::price, "symbol=BTCUSDT&price=64000",
        "moves a price, in all business lines or with `line` in one; `last` and `mark` move the price of the latest trade and the mark price apart, `mark=none` ends it";
    POST "book" ("symbol", "line", "bids", "asks", "quotes") = market::book,
        "symbol=BTCUSDT&bids=63990:1&asks=64010:2,64020:5", "sets the quotes of others; `quotes=auto` ends that";
    POST "order" ("symbol", "line", "side", "qty", "price") = market::order,
        "symbol=BTCUSDT&side=sell&qty=1&price=63990", "sends an order of another participant";
    POST "fill" ("order", "qty") = market::fill, "order=ID&qty=0.01", "fills an open order at its price";
    POST "suspend" ("symbol", "line", "on") = market::suspend, "symbol=BTCUSDT",
        "suspends a pair, in all business lines or with `line` in one; `on=no` resumes it";
    POST "users" ("mode", "accounts", "balances", "permissions") = market::open,
        "mode=hedge_mode&balances=USDT:500&accounts=classic", "adds a user, and answers with the keys";
    POST "account" ("user", "family", "coin", "balance", "mode", "permissions") = market::change,
        "user=1000000&family=unified&coin=USDT&balance=500", "sets a balance, or instead `mode` or `permissions`";
    POST "faults" ("clear", "kind", "code", "aim", "times", "share", "delay") = query::faults,
        "kind=refuse&code=40762&times=1", "adds a fault; `clear=all` removes all of them";
    POST "conditions" ("latency", "clocks", "lag", "maintenance", "hostile", "quirks", "seed", "nodes") =
        query::conditions, "latency=5,20,200",
        "sets latency, clocks, lag and maintenance; `hostile=40` makes the exchange hostile, `hostile=off` ends it";
    POST "reset" () = reset, "", "resets the exchange and its clock to the start";
}

fn done(request: &Parts, has_body: bool, exchange: &Exchange, hosts: &[String]) -> Result<Bytes, Refused> {
    let path = request.uri.path();
    refuse_foreign(path, &request.headers, hosts)?;
    let call = path.strip_prefix(ADDRESS).and_then(|name| CALLS.iter().find(|call| call.name == name));
    if call.is_none() && path != "/" {
        return Err(Refused(StatusCode::NOT_FOUND, format!("no control address {path}: GET {ADDRESS} lists them")));
    }
    let method = call.map_or(&Method::GET, |call| &call.method);
    if request.method != *method {
        return Err(Refused(StatusCode::METHOD_NOT_ALLOWED, format!("{path} accepts only {method}")));
    }
    let Some(call) = call else { return Ok(Bytes::from_static(PAGE.as_bytes())) };
    if has_body {
        return Err(Refused::bad("a body: parameters belong in the address, after `?`"));
    }
    (call.run)(exchange, &Query::read(request.uri.query().unwrap_or_default(), call.parameters)?)
}

/// Refuses requests of foreign pages in a browser. `hosts` are further names of this machine.
pub(crate) fn refuse_foreign(path: &str, headers: &HeaderMap, hosts: &[String]) -> Result<(), Refused> {
    let foreign = |why: String| Err(Refused(StatusCode::FORBIDDEN, why));
    let header = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or("(not ASCII)"));
    let host = header(header::HOST).unwrap_or_default();
    if !is_here(host, hosts) {
        return foreign(format!(
            "the Host {host:?} is not a name of this machine: use 127.0.0.1 or localhost, or name it with --host"
        ));
    }
    match header(header::ORIGIN) {
        Some(origin) if origin.strip_prefix("http://") != Some(host) => {
            return foreign(format!("a page of {origin:?} may not control this exchange"));
        }
        _ => {}
    }
    match header(http::HeaderName::from_static("sec-fetch-site")) {
        None | Some("same-origin" | "none") => Ok(()),
        // Any page may link to this one, but only the page itself may send further requests.
        Some(_) if path == "/" => Ok(()),
        Some(site) => foreign(format!("a {site} page may not control this exchange")),
    }
}

/// Returns whether a `Host` names this machine, with any port.
fn is_here(host: &str, others: &[String]) -> bool {
    let names = ["127.0.0.1", "localhost", "[::1]"].into_iter().chain(others.iter().map(String::as_str));
    let mut names = names.map(|name| host.strip_prefix(name));
    names.any(|port| {
        port.is_some_and(|rest| {
            rest.is_empty() || rest.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok())
        })
    })
}

fn nothing() -> Bytes {
    Bytes::from_static(b"{}")
}

fn index(_: &Exchange, _: &Query) -> Result<Bytes, Refused> {
    let mut out = JsonWriter::new();
    out.begin_array();
    for call in CALLS {
        let query = if call.example.is_empty() { String::new() } else { format!("?{}", call.example) };
        out.element().begin_object();
        out.member("example").string(&format!("{} {ADDRESS}{}{query}", call.method, call.name));
        out.member("does").string(call.does);
        out.member("parameters").begin_array();
        call.parameters.iter().for_each(|name| out.element().string(name));
        out.end_array();
        out.end_object();
    }
    out.end_array();
    Ok(Bytes::from(out.finish()))
}

fn state(exchange: &Exchange, query: &Query) -> Result<Bytes, Refused> {
    let core = exchange.core_now();
    let pair = query.place("pair", core.pairs.len())?;
    let view = Selection { pair, account: query.place("account", core.accounts.len())? };
    Ok(Bytes::from(snapshot(&core, view, exchange.time().speed())))
}

fn time(exchange: &Exchange, query: &Query) -> Result<Bytes, Refused> {
    let most_step = u64::try_from(MAX_STEP.as_millis()).unwrap_or(u64::MAX);
    let (speed, step) = (query.number("speed", Time::MAX_SPEED)?, query.number("step", most_step)?);
    match step {
        None if speed.is_none() => return Err(Refused::bad("expected speed, step or both")),
        Some(0) => return Err(Refused::bad("invalid step 0: expected at least 1")),
        _ => exchange.set_clock(speed, Duration::from_millis(step.unwrap_or_default())),
    }
    Ok(nothing())
}

fn reset(exchange: &Exchange, _: &Query) -> Result<Bytes, Refused> {
    exchange.reset();
    Ok(nothing())
}

fn act(exchange: &Exchange, action: Action) -> Result<Bytes, Refused> {
    exchange.control(action).map_err(|error| Refused::bad(error.to_string()))?;
    Ok(nothing())
}

fn journal(exchange: &Exchange, query: &Query) -> Result<Bytes, Refused> {
    let journal = exchange.journal_from(query.number("from", usize::MAX)?.unwrap_or_default());
    let journal = journal.ok_or_else(|| {
        Refused(StatusCode::NOT_FOUND, "no journal is kept: start the exchange with --journal FILE".to_owned())
    })?;
    Ok(Bytes::from(journal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_here() {
        for here in ["127.0.0.1", "127.0.0.1:8090", "localhost:1", "[::1]:65535"] {
            assert!(is_here(here, &[]), "{here}");
        }
        for elsewhere in
            ["", "evil.example", "127.0.0.1.evil.example", "localhost:80@evil", "127.0.0.1:", "localhost.:1"]
        {
            assert!(!is_here(elsewhere, &[]), "{elsewhere}");
        }
        let others = ["exchange".to_owned()];
        for (host, here) in [("exchange:8090", true), ("exchange.evil", false), ("localhost", true)] {
            assert_eq!(is_here(host, &others), here, "{host}");
        }
    }
}
