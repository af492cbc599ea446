//! Faults, from the parameters of a control request.

use std::time::Duration;

use bytes::Bytes;

use super::query::{Query, per_mille};
use super::{Refused, nothing};
use crate::access::exchange::Exchange;
use crate::state::faults::{Fault, FaultKind, FaultTarget};
use crate::state::values::MAX_DELAY;

/// The most faults, and the longest code.
const MAX_FAULTS: usize = 100;
const MAX_CODE: usize = 16;

/// Adds a fault, or removes all of them.
pub(super) fn faults(exchange: &Exchange, query: &Query) -> Result<Bytes, Refused> {
    if query.is_empty() {
        return Err(Refused::bad(format!("expected clear=all, or at least one of {}", query.known_but("clear"))));
    }
    if query.word("clear", "all", |text| (text == "all").then_some(()))?.is_some() {
        query.refuse_others("clear")?;
        exchange.clear_faults();
        return Ok(nothing());
    }
    let fault = fault(query)?;
    if exchange.core().faults.list.len() >= MAX_FAULTS {
        return Err(Refused::bad(format!("{MAX_FAULTS} faults are waiting: remove them with clear=all")));
    }
    exchange.add_fault(fault);
    Ok(nothing())
}

fn fault(query: &Query) -> Result<Fault, Refused> {
    let kind = kind(query)?;
    let is_slow = kind == FaultKind::Slow;
    let mut fault = Fault::new(kind).target(target(query)?);
    match query.number("times", u32::MAX)? {
        Some(0) => return Err(Refused::bad("invalid times 0: expected at least 1")),
        Some(times) => fault = fault.times(times),
        None => {}
    }
    match query.get("share").map(per_mille).transpose().map_err(Refused::bad)? {
        Some(0) => return Err(Refused::bad("invalid share: expected at least 0.001, or the fault never occurs")),
        Some(share) => fault = fault.per_mille(share),
        None => {}
    }
    match query.number("delay", MAX_DELAY)?.unwrap_or_default() {
        0 if is_slow => Err(Refused::bad("missing delay: a slow answer needs one above 0, in milliseconds")),
        delay => Ok(fault.delay(Duration::from_millis(delay))),
    }
}

fn kind(query: &Query) -> Result<FaultKind, Refused> {
    let is_code = |code: &str| code.len() <= MAX_CODE && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let code = query
        .word("code", &format!("up to {MAX_CODE} letters and digits"), |code| is_code(code).then(|| code.to_owned()))?;
    match (query.get("kind"), code) {
        (None, Some(_)) => Err(Refused::bad("missing kind: a code needs kind=refuse or kind=hide")),
        (None, None) => Ok(FaultKind::Any),
        (Some(kind), code) => FaultKind::named(kind, code.as_deref()).map_err(Refused::bad),
    }
}

fn target(query: &Query) -> Result<FaultTarget, Refused> {
    query.get("aim").map_or(Ok(FaultTarget::Changes), |aim| FaultTarget::of(aim).map_err(Refused::bad))
}
