//! Conditions from the parameters of a control request.

use bytes::Bytes;

use super::query::Query;
use super::{Refused, nothing};
use crate::access::exchange::Exchange;
use crate::state::dice::Seed;
use crate::state::hostile::{Hostility, Node};
use crate::state::values::{MAX_DELAY, MAX_OFFSET};

pub(super) fn conditions(exchange: &Exchange, query: &Query) -> Result<Bytes, Refused> {
    if query.is_empty() {
        return Err(Refused::bad(format!("expected at least one of {}", query.known_but(""))));
    }
    let mut conditions = exchange.conditions();
    if let Some(latency) = query.numbers("latency", 0, i64::try_from(MAX_DELAY).unwrap_or(i64::MAX))? {
        conditions.latency = latency.into_iter().filter_map(|millis| u64::try_from(millis).ok()).collect();
        conditions.latency.sort_unstable();
    }
    if let Some(clocks) = query.numbers("clocks", -MAX_OFFSET, MAX_OFFSET)? {
        conditions.clocks = clocks;
    }
    if let Some(lag) = query.number("lag", MAX_DELAY)? {
        conditions.lag = lag;
    }
    let on_or_off = |text: &str| ["off", "on"].iter().position(|word| *word == text);
    if let Some(place) = query.word("maintenance", "on or off", on_or_off)? {
        conditions.maintenance = place == 1;
    }
    conditions.hostility = hostility(query, conditions.hostility)?;
    exchange.set_conditions(conditions);
    Ok(nothing())
}

/// The requested hostility: `hostile` and `quirks` in percent, `seed`, `nodes`, or `hostile=off`.
fn hostility(query: &Query, now: Option<Hostility>) -> Result<Option<Hostility>, Refused> {
    if query.get("hostile") == Some("off") {
        query.refuse_beside("hostile=off", &["quirks", "seed", "nodes"])?;
        return Ok(None);
    }
    let (faults, quirks) = (query.number("hostile", 100)?, query.number("quirks", 100)?);
    let seed = query.number("seed", u64::MAX)?;
    let nodes = query.list("nodes", "nodes such as 2 or 1:clock=20000:answer_time=-300:lag=2500", node)?;
    if faults.is_none() && now.is_none() {
        let others = [("quirks", quirks.is_some()), ("seed", seed.is_some()), ("nodes", nodes.is_some())];
        return match others.into_iter().find(|(_, is_set)| *is_set) {
            None => Ok(None),
            Some((name, _)) => Err(Refused::bad(format!("{name} needs a hostile exchange: hostile=40"))),
        };
    }
    let mut hostility = now.unwrap_or_default();
    hostility.faults = faults.unwrap_or(hostility.faults);
    hostility.quirks = quirks.unwrap_or(hostility.quirks);
    hostility.seed = seed.map_or(hostility.seed, Seed);
    hostility.nodes = nodes.unwrap_or(hostility.nodes);
    Ok(Some(hostility))
}

/// Parses a node, and checks its bounds.
fn node(text: &str) -> Option<Node> {
    Node::read(text).filter(|node| node.check().is_ok())
}
