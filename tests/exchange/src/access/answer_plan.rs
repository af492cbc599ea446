//! The plan by which a hostile exchange answers a request: by which node, and with which fault and quirk.

use bytes::Bytes;
use http::Request;
use serde_json::Value;
use tradeapi::API;
use tradeapi::runtime::tables::{Effect, Meta};

use crate::access::authentication::timestamp;
use crate::operations::routes::{Caller, Route, Served, id_parameters};
use crate::state::core::Core;
use crate::state::dice::Dice;
use crate::state::hostile::{Hostile, HostileEvent, HostileFault, Hostility, Node, Quirk, View};
use crate::state::refusal::{FAULT, Refusal};

mod arrival;
mod changes;
mod codes;
mod items;

use self::codes::Proof;
use self::items::Batch;

/// The plan for the answer to a request: its node, fault and quirk.
pub(crate) struct AnswerPlan {
    pub(crate) fault: HostileFault,
    pub(crate) node: Node,
    quirk: Quirk,
    dice: Dice,
    now: u64,
    /// The body of a faulted request, if it is JSON.
    body: Value,
}

impl Core {
    /// Returns how a hostile exchange answers a request.
    pub(crate) fn answer_plan(&mut self, meta: Option<&'static Meta>, request: &Request<Bytes>) -> Option<AnswerPlan> {
        let now = self.now;
        self.hostile.as_mut().zip(meta).map(|(hostile, meta)| AnswerPlan::of(hostile, meta, request, now))
    }
}

impl AnswerPlan {
    fn of(hostile: &mut Hostile, meta: &'static Meta, request: &Request<Bytes>, now: u64) -> Self {
        let Hostile { settings, counts, faulted, seen, .. } = hostile;
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        // A body that is not UTF-8 is refused, whatever the fault.
        let body = str::from_utf8(request.body()).unwrap_or_default();
        let parts = [meta.method.as_str(), " ", target, " ", body];
        let hash = Dice::hash(&parts);
        let times = seen.entry(hash).or_default();
        *times += 1;
        let times = times.to_string();
        let mut dice = Dice::new(settings.seed, Dice::hash_on(hash, &[" ", &times]));
        let parts = [parts[0], " ", target, " ", body, " ", &times];
        let is_spared = settings.only.as_ref().is_some_and(|only| !only.contains(&parts.concat()));
        let chance = if meta.effect == Effect::Read { settings.faults / 2 } else { settings.faults };
        let is_faulted = dice.percent(chance) && !is_spared;
        let body = if is_faulted { serde_json::from_str(body).unwrap_or_default() } else { Value::Null };
        let fault = match is_faulted {
            true => HostileFault::random(meta, Batch::is_batch(&body), &mut dice),
            false if !is_spared && is_in_burst(settings, request) && dice.percent(50) => HostileFault::TooManyCoded,
            false => HostileFault::None,
        };
        if fault != HostileFault::None {
            faulted.insert(parts.concat());
        }
        let (quirk, node) = (Quirk::random(settings.quirks, &mut dice), Node::random(&settings.nodes, &mut dice));
        *counts.faults.entry(fault).or_default() += 1;
        *counts.quirks.entry(quirk).or_default() += 1;
        if !node.is_accurate() {
            counts.record(HostileEvent::IncorrectNode);
        }
        Self { fault, quirk, node, dice, now, body }
    }

    /// The fault of the request, and the quirk of its answer.
    pub(crate) fn fault_and_quirk(&self) -> (HostileFault, Quirk) {
        (self.fault, self.quirk)
    }

    /// The time by the clock of the node that checks timestamps.
    pub(crate) fn node_time(&self) -> u64 {
        self.now.saturating_add_signed(self.node.clock)
    }

    /// Counts a timestamp that is refused by the node's clock, but valid by the true one.
    pub(crate) fn note_wrong_clock(&self, core: &mut Core, request: &Request<Bytes>) {
        let Some((signed_at, window)) = signed_at(request).zip(API.credentials.and_then(|known| known.window_ms))
        else {
            return;
        };
        let is_valid_by = |now: u64| now.abs_diff(signed_at) <= window;
        if let Some(hostile) = core.hostile.as_mut().filter(|_| is_valid_by(self.now) && !is_valid_by(self.node_time()))
        {
            hostile.counts.record(HostileEvent::RefusedByWrongClock);
        }
    }

    /// The time that answers state.
    pub(crate) fn stated_time(&mut self) -> String {
        let time = self.now.saturating_add_signed(self.node.answer_time);
        self.quirk.time(&mut self.dice).map_or_else(|| time.to_string(), str::to_owned)
    }

    /// Serves a request with its fault.
    pub(crate) fn serve(
        &mut self,
        core: &mut Core,
        route: &'static Route,
        caller: &Caller<'_>,
        signed_at: u64,
    ) -> Served {
        let served = match route.meta.effect {
            Effect::Read => self.query(core, route, caller),
            _ => self.change(core, route, caller, signed_at),
        };
        self.injected_answer(route.meta).unwrap_or(served)
    }

    /// The refusal of a fault.
    fn refusal(&mut self, meta: &'static Meta, proof: Proof) -> Refusal {
        let status = if self.dice.percent(50) { 200 } else { 400 };
        injected_refusal(codes::random(meta, proof, &mut self.dice), status)
    }

    /// The answer that the fault sends in place of the right one, whether or not the request is done.
    fn injected_answer(&mut self, meta: &'static Meta) -> Option<Served> {
        let server_error = [500, 502, 503, 504].map(|status| (status, 1));
        let server_error = self.dice.weighted(&server_error).unwrap_or(500);
        let refusal = match self.fault {
            HostileFault::DoubtfulCode => self.refusal(meta, Proof::Doubtful),
            HostileFault::OpenCode => self.refusal(meta, Proof::Open),
            HostileFault::Timestamp => self.refusal(meta, Proof::Timestamp),
            HostileFault::UnlistedCode => injected_refusal(UNLISTED, 200),
            HostileFault::RateCode => Refusal { status: Some(200), ..self.refusal(meta, Proof::Rate) },
            HostileFault::TooManyCoded => injected_refusal(codes::random(meta, Proof::Rate, &mut self.dice), 429),
            HostileFault::ServerErrorCoded if meta.effect == Effect::Read => injected_refusal(UNLISTED, server_error),
            HostileFault::ServerErrorCoded => {
                injected_refusal(codes::random(meta, Proof::Open, &mut self.dice), server_error)
            }
            _ => return None,
        };
        Some(Served::refused(refusal))
    }

    fn query(&mut self, core: &mut Core, route: &'static Route, caller: &Caller<'_>) -> Served {
        if let Some(hostile) = &mut core.hostile {
            let denials = hostile.settings.denials;
            hostile.view = View { now: self.now, lag: self.node.lag, fault: self.fault, denials };
        }
        let served = self.with_equivalent_code(route.meta, route.call(core, caller));
        match (&served.data, &mut core.hostile) {
            (Ok(data), Some(hostile)) => {
                let other = hostile.latest.insert(route.meta.id, data.clone());
                let data = self
                    .quirk
                    .numbers(data, &mut self.dice)
                    .or_else(|| other.filter(|_| self.fault == HostileFault::MixedUp));
                data.map_or(served, |data| Served { data: Ok(data), left: None })
            }
            _ => served,
        }
    }

    /// Replaces the code of a refusal by another one with the same meaning.
    fn with_equivalent_code(&mut self, meta: &'static Meta, served: Served) -> Served {
        let data = served.data.map_err(|refusal| {
            let code = codes::equivalent(meta, refusal.code.clone(), &mut self.dice);
            Refusal { code, ..refusal }
        });
        Served { data, ..served }
    }
}

/// Returns whether a request belongs to a burst that exceeds a rate: ids that differ in their last character only are
/// one burst.
fn is_in_burst(settings: &Hostility, request: &Request<Bytes>) -> bool {
    if settings.faults == 0 {
        return false;
    }
    let id = str::from_utf8(request.body()).ok().and_then(|body| items::first_text(body, id_parameters()));
    let stem = id.as_deref().and_then(|id| id.get(..id.len().saturating_sub(1)));
    stem.is_some_and(|stem| Dice::named(settings.seed, &[stem]).below(1_000) < 4)
}

/// A code that is in no table.
const UNLISTED: &str = "98765";

fn injected_refusal(code: &str, status: u16) -> Refusal {
    let message = "it failed".to_owned();
    Refusal { status: Some(status), code: code.to_owned(), message, rule: FAULT.to_owned() }
}

/// The signature time that a request states.
pub(crate) fn signed_at(request: &Request<Bytes>) -> Option<u64> {
    timestamp(request)?.parse().ok()
}
